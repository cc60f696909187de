//! A draw of one triangle list without vertex buffers, before and after the passes.

use gpucc_interp::{OracleProgram, Pair, Profile, draw};
use gpucc_ir::{Module, Stage};
use gpucc_opt::{Caps, Options, PipelineContext, prepare};
use gpucc_pipeline::Pipeline;
use gpucc_sim::draw::{Draw, Merger, Raster, Surface, Targets, Vertices};
use gpucc_sim::raster::Viewport;
use gpucc_sim::{Dispatch, RunOptions};

/// A vertex and a fragment module, their pipeline and the draw.
pub struct Scene {
    pub vertex: Module,
    pub fragment: Option<Module>,
    pub pipeline: Pipeline,
    pub size: [u32; 2],
    pub viewport: Viewport,
    pub constant: [f32; 4],
    /// Bytes of every sample of each target before the draw.
    pub clear: Vec<Vec<u8>>,
    pub vertices: u32,
}

/// A triangle that covers all, with depth 0.5.
pub const COVER: &str = r#"module robust on
entry "vs" vertex func0 {
  out0 "" position f32x4
}
func0 "vs" -> f32x4 {
block0:
  v0: i32 = sysval vertex_index
  v1: i32 = and v0, 1:i32
  v2: i32 = shl v1, 2:i32
  v3: f32 = s2f v2
  v4: f32 = fsub v3, 1.0:f32
  v5: i32 = and v0, 2:i32
  v6: i32 = shl v5, 1:i32
  v7: f32 = s2f v6
  v8: f32 = fsub v7, 1.0:f32
  v9: f32x4 = compose v4, v8, 0.5:f32, 1.0:f32
  ret v9
}
"#;

impl Scene {
    /// On targets of 4 x 4 pixels.
    pub fn new(vertex: &str, fragment: Option<&str>, pipeline: Pipeline) -> Scene {
        let module = |text: &str| gpucc_ir::text::parse_module(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let clear = pipeline.targets.iter().map(|t| vec![0; t.map_or(0, |t| t.format.bytes() as usize)]).collect();
        let viewport = Viewport { x: 0.0, y: 0.0, width: 4.0, height: 4.0, min_depth: 0.0, max_depth: 1.0 };
        Scene {
            vertex: module(vertex),
            fragment: fragment.map(module),
            pipeline,
            size: [4, 4],
            viewport,
            constant: [0.0; 4],
            clear,
            vertices: 3,
        }
    }

    /// The same behind the passes for a target.
    pub fn lowered(&self, caps: &Caps, level: u8) -> Scene {
        let context = |other: Option<&Module>| {
            let other = other.map(|m| m.entries[0].stage.clone());
            Some(Box::new(PipelineContext { other, pipeline: self.pipeline.clone() }))
        };
        let lower = |m: &Module, other: Option<&Module>| {
            let o = Options { level, verify: true, context: context(other), ..Options::default() };
            prepare(m, &m.entries[0].name, caps, &o).unwrap_or_else(|e| panic!("{e}")).0
        };
        Scene {
            vertex: lower(&self.vertex, self.fragment.as_ref()),
            fragment: self.fragment.as_ref().map(|f| lower(f, Some(&self.vertex))),
            pipeline: self.pipeline.clone(),
            clear: self.clear.clone(),
            ..*self
        }
    }

    /// Both modules as text.
    pub fn text(&self) -> String {
        let fragment = self.fragment.as_ref().map_or(String::new(), Module::to_string);
        format!("{}{fragment}", self.vertex)
    }

    /// The bytes of each target after the draw.
    pub fn draw(&self) -> Vec<Vec<u8>> {
        let program =
            |m: &Module, stage| OracleProgram::at(m, &m.entries[0].name, stage).unwrap_or_else(|e| panic!("{e}"));
        let vertex = program(&self.vertex, Stage::Vertex);
        let fragment = self.fragment.as_ref().map(|m| program(m, Stage::Fragment));
        let [width, height] = self.size;
        let surface = |f| Surface::new(f, width, height, u32::from(self.pipeline.samples));
        let mut colour: Vec<_> = self.pipeline.targets.iter().map(|t| t.map(|t| surface(t.format))).collect();
        for (s, clear) in colour.iter_mut().zip(&self.clear) {
            if let Some(s) = s {
                s.bytes = clear.iter().copied().cycle().take(s.bytes.len()).collect();
            }
        }
        let mut targets = Targets::new(colour, self.pipeline.depth.map(|d| surface(d.format)));
        let draw_ = Draw {
            vertices: Vertices::new(self.pipeline.topology, self.vertices),
            raster: Raster::of(&self.pipeline, self.viewport, [0, 0, width, height]),
            viewports: Vec::new(),
            merger: Merger::of(&self.pipeline, self.constant, 0),
            seed: None,
        };
        let pair = Pair { vertex: &vertex, fragment: fragment.as_ref() };
        let mut bindings = Dispatch::default();
        draw(pair, &draw_, &[], &mut bindings, &mut targets, &RunOptions::default(), &Profile::default())
            .unwrap_or_else(|t| panic!("{t}\n{}", self.text()));
        targets.colour.into_iter().map(|s| s.map_or(Vec::new(), |s| s.bytes)).collect()
    }
}

#[test]
fn the_triangle_covers_all() {
    let fragment = r#"entry "fs" fragment func0 {
  out0 "" location 0 f32x4
}
func0 "fs" -> f32x4 {
block0:
  v0: f32x4 = splat 1.0:f32
  ret v0
}
"#;
    let targets = vec![Some(gpucc_pipeline::Target::new(gpucc_pipeline::Format::R8Unorm))];
    let s = Scene::new(COVER, Some(fragment), Pipeline { targets, ..Pipeline::default() });
    assert_eq!(s.draw(), [vec![255; 16]]);
}
