//! The moment that a frame shows: what buffers with `frame = true` hold, and parts of others that follow it.

use crate::model::OutputSource;
pub use crate::model::follows::{Follows, Value};
use crate::{Scene, limits};

/// A moment of a picture that moves: time, frame and mouse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Seconds.
    pub time: f64,
    /// Seconds since the frame before.
    pub delta: f64,
    /// Number of the frame.
    pub frame: u32,
    /// Place of the mouse in pixels from the upper left.
    pub mouse: [f64; 2],
}

impl Default for Moment {
    fn default() -> Self {
        Moment::at(0.0)
    }
}

impl Moment {
    /// A time in seconds at 60 frames a second, with the mouse in the corner.
    pub fn at(time: f64) -> Moment {
        // The conversion keeps to the range of the type.
        Moment { time, delta: 1.0 / 60.0, frame: (time * 60.0).floor() as u32, mouse: [0.0; 2] }
    }

    /// The numbers of a value, of a picture of this size.
    pub fn numbers(&self, value: Value, [w, h]: [u32; 2]) -> [f64; 4] {
        match value {
            Value::Time => [self.time, 0.0, 0.0, 0.0],
            Value::TimeDelta => [self.delta, 0.0, 0.0, 0.0],
            Value::Frame => [f64::from(self.frame), 0.0, 0.0, 0.0],
            Value::FrameRate => [1.0 / self.delta, 0.0, 0.0, 0.0],
            Value::Resolution => [f64::from(w), f64::from(h), 1.0, 1.0],
            Value::Mouse => [self.mouse[0], self.mouse[1], 0.0, 0.0],
        }
    }

    /// Writes a value into the bytes of a buffer; what lies behind its end is left out.
    pub fn write(&self, f: &Follows, size: [u32; 2], bytes: &mut [u8]) {
        for (k, n) in self.numbers(f.value, size).into_iter().enumerate().take(f.components as usize) {
            let word = if f.integer { n as i64 as u32 } else { (n as f32).to_bits() };
            let at = f.offset as usize + 4 * k;
            if let Some(place) = bytes.get_mut(at..at + 4) {
                place.copy_from_slice(&word.to_le_bytes());
            }
        }
    }

    /// The words of the buffer, 64 bytes, of a picture of this size:
    ///
    /// ```text
    /// resolution: vec3<f32>, time: f32, mouse: vec4<f32>, time_delta: f32, frame: u32, pad: vec2<f32>, date: vec4<f32>
    /// ```
    pub fn words(&self, [w, h]: [u32; 2]) -> [u32; 16] {
        let mut words = [0; 16];
        let floats = [
            (0, f64::from(w)),
            (1, f64::from(h)),
            (2, 1.0),
            (3, self.time),
            (4, self.mouse[0]),
            (5, self.mouse[1]),
            (8, self.delta),
        ];
        for (at, value) in floats {
            words[at] = (value as f32).to_bits();
        }
        words[9] = self.frame;
        words
    }
}

/// Whether anything in a scene knows of the moment.
pub fn is_told(scene: &Scene) -> bool {
    scene.buffers.iter().any(|(_, b)| b.frame || !b.follows.is_empty())
}

/// Width and height of the picture that a scene presents; nothing where it presents none.
pub fn presented_size(scene: &Scene) -> [u32; 2] {
    let size = |o: &crate::model::Output| {
        let OutputSource::Texture { texture, mip_level, .. } = &o.source else { return None };
        let [w, h, _] = scene.textures.get(texture)?.level_size((*mip_level).min(limits::AXIS.ilog2()));
        Some([w, h])
    };
    scene.presented().as_ref().and_then(size).unwrap_or_default()
}
