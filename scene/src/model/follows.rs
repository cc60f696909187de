//! Parts of a buffer that follow the moment of a picture.

use serde::Deserialize;

use super::de;

/// A value of the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// Seconds.
    Time,
    /// Seconds since the frame before.
    TimeDelta,
    /// Number of the frame.
    Frame,
    /// Frames in a second.
    FrameRate,
    /// Width and height in pixels, then 1 and 1.
    Resolution,
    /// Place of the mouse in pixels from the upper left, then two zeros.
    Mouse,
}

de::words! {
    Value {
        "time" Time "timeDelta" TimeDelta "frame" Frame "frameRate" FrameRate "resolution" Resolution "mouse" Mouse
    }
}

impl Value {
    /// Its name in scenes.
    pub fn name(self) -> &'static str {
        match self {
            Value::Time => "time",
            Value::TimeDelta => "timeDelta",
            Value::Frame => "frame",
            Value::FrameRate => "frameRate",
            Value::Resolution => "resolution",
            Value::Mouse => "mouse",
        }
    }

    /// Most numbers that it has.
    pub fn lanes(self) -> u32 {
        match self {
            Value::Resolution | Value::Mouse => 4,
            _ => 1,
        }
    }
}

/// A part of a buffer that follows the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Follows {
    /// What is written.
    #[serde(deserialize_with = "de::word")]
    pub value: Value,
    /// Bytes in front of it.
    pub offset: u32,
    /// Numbers of it that are written, from the first.
    #[serde(default = "one")]
    pub components: u32,
    /// Whether they are integers, not floats.
    #[serde(default)]
    pub integer: bool,
}

fn one() -> u32 {
    1
}
