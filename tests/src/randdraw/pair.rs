//! What a random draw consists of.

use gpucc_scene::compare::Compare;
use serde_json::Value;

/// A random draw.
pub struct Pair {
    /// The number that made it.
    pub seed: u64,
    /// A scene of format `scene-1` whose shaders are named `v` and `f`, and `full` and `fetch` where samples are read back; without their texts.
    pub scene: Value,
    /// Name, ending (`vert` or `frag`) and text of each shader.
    pub shaders: Vec<(&'static str, &'static str, String)>,
    /// Outputs in order of the scene.
    pub outputs: Vec<Output>,
    /// Width and height of every output.
    pub size: [u32; 2],
    /// Pixels, row by row from the top, that the specifications leave open.
    pub open: Vec<bool>,
    /// Parts of the state that it has, for tables.
    pub forms: Vec<&'static str>,
}

/// An output of a draw.
pub struct Output {
    /// Its name in the scene.
    pub name: String,
    /// How it is compared.
    pub compare: Compare,
}
