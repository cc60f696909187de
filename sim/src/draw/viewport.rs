//! Brings positions that vertex programs put on the screen themselves back to clip space.

/// The position in clip space of one on the screen that holds 1/w, worked out in f64, for a viewport as
/// [`Viewport::on_screen`](crate::raster::Viewport::on_screen) has it. What is no number, or infinitely far, is
/// nowhere: NaN, which drops the primitive.
pub fn from_screen(position: [f32; 4], [scale, offset]: &[[f32; 3]; 2]) -> [f32; 4] {
    let inverse = f64::from(position[3]);
    if !inverse.is_finite() || inverse == 0.0 {
        return [f32::NAN; 4];
    }
    let w = 1.0 / inverse;
    let back = |k: usize| {
        let (scale, offset) = (f64::from(scale[k]), f64::from(offset[k]));
        // In a viewport without an extent all of it is the middle.
        if scale == 0.0 { 0.0 } else { ((f64::from(position[k]) - offset) / scale * w) as f32 }
    };
    [back(0), back(1), back(2), w as f32]
}

/// The position with depth from 0 to w of one with depth from -w to w.
pub fn from_negative(mut position: [f32; 4]) -> [f32; 4] {
    let [_, _, z, w] = position.map(f64::from);
    position[2] = (0.5 * (z + w)) as f32;
    position
}
