//! Scenes that draw once, to one picture.

use gpucc_render::{Failure, PreparedScene, Programs, frame};
use gpucc_scene::output;
use gpucc_tests::exec::On;
use gpucc_tests::gfx;

/// The vertex stage of a triangle over the whole picture.
pub const TRIANGLE: &str = "@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
  return vec4(select(-1.0, 3.0, i == 1u), select(-1.0, 3.0, i == 2u), 0.5, 1.0);
}
";

/// What differs between such scenes; the texts are TOML, and may be empty.
pub struct OneDraw<'a> {
    /// Both stages.
    pub wgsl: String,
    /// Or the files of each.
    pub files: Option<[&'a str; 2]>,
    /// Tables in front of the textures.
    pub tables: String,
    /// Format and size of the picture.
    pub picture: (&'a str, [u32; 2]),
    /// More textures, and tables behind them.
    pub textures: String,
    /// More keys of the vertex stage, of the target and of the pipeline.
    pub vertex: String,
    pub target: &'a str,
    pub pipeline: String,
    /// More keys of the attachment, and rows of the draw.
    pub attachment: &'a str,
    pub draw: String,
    pub vertices: u32,
}

impl Default for OneDraw<'_> {
    fn default() -> Self {
        OneDraw {
            wgsl: String::new(),
            files: None,
            tables: String::new(),
            picture: ("rgba8unorm", [8, 8]),
            textures: String::new(),
            vertex: String::new(),
            target: "",
            pipeline: String::new(),
            attachment: "",
            draw: String::new(),
            vertices: 3,
        }
    }
}

impl OneDraw<'_> {
    /// The scene as a text.
    pub fn text(&self) -> String {
        let OneDraw { tables, picture: (format, [width, height]), textures, .. } = self;
        let OneDraw { vertex, target, pipeline, attachment, draw, vertices, .. } = self;
        let (shaders, v, f) = match self.files {
            Some([v, f]) => (format!("v.file = \"{v}\"\nf.file = \"{f}\""), "v", "f"),
            None => (format!("s.wgsl = \"\"\"\n{}\n\"\"\"", self.wgsl), "s", "s"),
        };
        format!(
            r#"format = "scene-1"
[shaders]
{shaders}
{tables}
[textures]
picture = {{ format = "{format}", size = [{width}, {height}] }}
{textures}
[pipelines.p]
vertex = {{ shader = "{v}"{vertex} }}
fragment = {{ shader = "{f}", targets = [{{ format = "{format}"{target} }}] }}
{pipeline}
[[passes]]
type = "render"
colorAttachments = [{{ texture = "picture"{attachment} }}]
[[passes.draws]]
pipeline = "p"
draw = {{ vertexCount = {vertices} }}
{draw}
[[outputs]]
name = "picture"
texture = "picture"
"#
        )
    }
}

/// The first output of a scene at a place.
pub fn drawn(ready: &PreparedScene, on: On, level: u8) -> Result<Vec<u8>, Failure> {
    let (scene, mut resources) = (&ready.file.scene, ready.resources.clone());
    let programs = Programs::new(scene, &ready.shaders, gfx::place(on, level))?;
    frame::run(scene, &ready.shaders, &programs, &mut resources, &frame::Options::default(), &mut || {})?;
    Ok(output::bytes(scene, &resources, &scene.outputs[0]).unwrap_or_else(|e| panic!("{e}")))
}
