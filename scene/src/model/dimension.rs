//! Dimensions of views and channels.

use super::de;

/// Dimension of a view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "WebGPU's names")]
pub enum Dimension {
    D1,
    #[default]
    D2,
    D2Array,
    Cube,
    CubeArray,
    D3,
}

de::words! {
    Dimension { "1d" D1 "2d" D2 "2d-array" D2Array "cube" Cube "cube-array" CubeArray "3d" D3 }
}
