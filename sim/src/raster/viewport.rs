//! Viewports: they take clip space to the screen.

/// A vertex on the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Screen {
    /// 1/256 pixel to the right.
    pub x: i64,
    /// Place down the screen, in 1/256 pixel.
    pub y: i64,
    /// Both, not snapped: what is interpolated follows these.
    pub exact: [f64; 2],
    /// Depth of the vertex, not snapped.
    pub z: f64,
    /// Reciprocal of w at the vertex.
    pub inv_w: f64,
}

/// Where on the target a draw goes, in pixels, and its range of depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// Left edge of the viewport, in pixels.
    pub x: f32,
    /// Edge of y = 1: the upper one, or with a negative height the lower one.
    pub y: f32,
    /// Width of the viewport, in pixels.
    pub width: f32,
    /// Height. If it is negative y goes down in clip space.
    pub height: f32,
    /// Depth of z = 0.
    pub min_depth: f32,
    /// Depth of z = w.
    pub max_depth: f32,
}

impl Viewport {
    /// Half its size with y down, and its range of depth; its middle, and its least depth: what maps clip space to the target.
    pub fn on_screen(&self) -> [[f32; 3]; 2] {
        let scale = [0.5 * self.width, -0.5 * self.height, self.max_depth - self.min_depth];
        [scale, [self.x + 0.5 * self.width, self.y + 0.5 * self.height, self.min_depth]]
    }

    /// Half-extents of the guard band in units of w: 2^15 pixels around the target's origin.
    pub(super) fn guard(&self) -> [f64; 2] {
        let axis = |at: f32, size: f32| {
            let half = 0.5 * f64::from(size);
            let most = 32768.0 - (f64::from(at) + half).abs();
            if half == 0.0 { f64::from(1 << 15) } else { (most / half.abs()).max(1.0) }
        };
        [axis(self.x, self.width), axis(self.y, self.height)]
    }

    /// The place of a clip-space position, snapped to 1/256 pixel.
    pub fn to_screen(&self, p: &[f64; 4]) -> Screen {
        let [x, y, z, w] = *p;
        let [vx, vy, vw, vh] = [self.x, self.y, self.width, self.height].map(f64::from);
        let (near, far) = (f64::from(self.min_depth), f64::from(self.max_depth));
        let px = vx + 0.5 * (x / w + 1.0) * vw;
        let py = vy + 0.5 * (1.0 - y / w) * vh;
        let snap = |v: f64| (v * 256.0).round_ties_even() as i64;
        Screen {
            x: snap(px),
            y: snap(py),
            exact: [px * 256.0, py * 256.0],
            z: near + z / w * (far - near),
            inv_w: 1.0 / w,
        }
    }
}
