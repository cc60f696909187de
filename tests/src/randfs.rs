//! Random fragment programs: each is drawn, and every word must be what its compute twin gives on the oracle.

use gpucc_kit::exec::{On, problem};
use gpucc_kit::predict;
use gpucc_kit::randprog::{Failure, FragmentProgram, GROUPS, INVOCATIONS, unsigned_zeros_of_cells};
use gpucc_render::{Failure as RenderFailure, Programs, Ready, frame};
use gpucc_scene::{SceneFile, output, read};
use gpucc_sim::RunOptions;
use serde_json::{Value, json};

use crate::exec::Problem;
use crate::gfx;

/// Bindings that it writes, and the binding of the twin that holds the picture.
const WRITTEN: [u32; 2] = [5, 6];
const PICTURE: u32 = 2;

/// The scene that draws a program.
fn scene(p: &FragmentProgram) -> Value {
    let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
    let all = || p.before.buffers.iter();
    let buffers: serde_json::Map<String, Value> =
        all().map(|b| (format!("b{}", b.binding), json!({"hex": hex(&b.bytes)}))).collect();
    // What the program does not use is ignored.
    let bindings = all().map(|b| json!({"binding": b.binding, "buffer": format!("b{}", b.binding)}));
    let bindings: Vec<Value> = bindings.collect();
    let outputs = WRITTEN.iter().map(|n| json!({"name": format!("b{n}"), "buffer": format!("b{n}")}));
    let outputs: Vec<Value> =
        std::iter::once(json!({"name": "picture", "texture": "picture"})).chain(outputs).collect();
    json!({
        "format": "scene-1",
        "shaders": {"m": {"wgsl": p.source}},
        "textures": {"picture": {"format": "rgba32uint", "size": [INVOCATIONS, GROUPS]}},
        "buffers": buffers,
        "pipelines": {"p": {
            "vertex": {"shader": "m"},
            "fragment": {"shader": "m", "targets": [{"format": "rgba32uint"}]},
        }},
        "passes": [{
            "type": "render",
            "colorAttachments": [{"texture": "picture"}],
            "draws": [{"pipeline": "p", "draw": {"vertexCount": 3}, "bindings": bindings}],
        }],
        "outputs": outputs,
    })
}

/// A program whose scene is checked and whose shaders are lowered.
pub struct Drawn {
    seed: u64,
    program: FragmentProgram,
    ready: Ready,
}

impl Drawn {
    /// The program of a seed.
    ///
    /// # Errors
    /// Its twin does not run, or its scene is refused; the text has the source.
    pub fn new(seed: u64) -> Result<Drawn, String> {
        let program = FragmentProgram::new(seed)?;
        let said = |e: String| format!("seed {seed}: {e}\n{}", program.source);
        let scene = read::parse(&scene(&program).to_string(), read::Language::Json).map_err(|e| said(e.to_string()))?;
        let file = SceneFile { scene, name: String::new(), folder: std::path::PathBuf::new() };
        let ready = Ready::new(file).map_err(|f| said(f.to_string()))?;
        Ok(Drawn { seed, program, ready })
    }

    /// Its source.
    pub fn source(&self) -> &str {
        &self.program.source
    }

    /// Draws it somewhere.
    ///
    /// # Errors
    /// A refusal, or the first word that differs, or what went wrong.
    pub fn check(&self, on: On, level: u8) -> Result<(), Failure> {
        let at = format!("seed {} on {on} -O{level}", self.seed);
        match self.draw(on, level) {
            Ok(outputs) => {
                let names = std::iter::once(PICTURE).chain(WRITTEN);
                for (binding, mut got) in names.zip(outputs) {
                    if binding == 6 {
                        unsigned_zeros_of_cells(&mut got);
                    }
                    let want = self.program.expected.buffer(0, binding).map_or(&[][..], |b| &b.bytes);
                    if got != want {
                        let i = got.chunks(4).zip(want.chunks(4)).position(|(g, w)| g != w).unwrap_or(0);
                        let word = |b: &[u8]| b.get(4 * i..4 * i + 4).map_or_else(String::new, |w| format!("{w:02x?}"));
                        let what =
                            if binding == PICTURE { "the picture".into() } else { format!("buffer 0:{binding}") };
                        let text = format!("{at}: {what} word {i}: {}, expected {}", word(&got), word(want));
                        return Err(Failure::Wrong(text));
                    }
                }
                Ok(())
            }
            Err(RenderFailure::Shader { list, .. }) => match problem(&list) {
                Problem::Refused(codes, why) => {
                    let predicted = predict::predicted(on, &format!("randprog fs {}", self.seed), &codes, &why);
                    let text = format!("{at}: {}", Problem::Refused(codes.clone(), why));
                    Err(Failure::Refused(predicted, codes, text))
                }
                other => Err(Failure::Wrong(format!("{at}: {other}"))),
            },
            Err(f) => Err(Failure::Wrong(format!("{at}: {f}"))),
        }
    }

    fn draw(&self, on: On, level: u8) -> Result<Vec<Vec<u8>>, RenderFailure> {
        let scene = &self.ready.file.scene;
        let programs = Programs::new(scene, &self.ready.shaders, gfx::place(on, level))?;
        let mut resources = self.ready.resources.clone();
        let run = RunOptions { perturb: Some(self.seed), cores: 1, ..frame::Options::default().run };
        let options = frame::Options { run, ..frame::Options::default() };
        frame::run(scene, &self.ready.shaders, &programs, &mut resources, &options, &mut || {})?;
        let bytes = |o| output::bytes(scene, &resources, o).unwrap_or_default();
        Ok(scene.outputs.iter().map(bytes).collect())
    }
}
