//! Random fragment programs: each is drawn, and every word must be what its compute twin gives on the oracle.

use gpucc_kit::exec::{On, problem};
use gpucc_kit::predict;
use gpucc_kit::randprog::{Attribute, Failure, FragmentProgram, GROUPS, INVOCATIONS, WORDS, unsigned_zeros_of_cells};
use gpucc_render::{Failure as RenderFailure, PreparedScene, Programs, frame};
use gpucc_scene::{SceneFile, output, read};
use gpucc_sim::RunOptions;
use serde_json::{Map, Value, json};

use crate::exec::Problem;
use crate::gfx;

/// Bindings that it writes, if it has storage, and the binding of the twin that holds the picture.
const WRITTEN: [u32; 2] = [5, 6];
const PICTURE: u32 = 2;

fn written(p: &FragmentProgram) -> &'static [u32] {
    if p.bare { &[] } else { &WRITTEN }
}

/// The scene that draws a program: a texture for each target, `t` and its location.
fn scene(p: &FragmentProgram) -> Value {
    let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
    let all = || p.before.buffers.iter();
    let mut buffers: Map<String, Value> =
        all().map(|b| (format!("b{}", b.binding), json!({"hex": hex(&b.bytes)}))).collect();
    // Bindings that the program does not use are ignored.
    let bindings = all().map(|b| json!({"binding": b.binding, "buffer": format!("b{}", b.binding)}));
    let bindings: Vec<Value> = bindings.collect();
    let (mut textures, mut targets, mut attachments) = (Map::new(), Vec::new(), Vec::new());
    for t in &p.pipeline.targets {
        let (name, at) = (format!("t{}", t.location), t.location as usize);
        let format = ["r32uint", "rg32uint", "", "rgba32uint"][t.words.len() - 1];
        textures.insert(name.clone(), json!({"format": format, "size": [INVOCATIONS, GROUPS]}));
        targets.resize(targets.len().max(at + 1), Value::Null);
        attachments.resize(targets.len(), Value::Null);
        targets[at] = json!({"format": format});
        attachments[at] = json!({"texture": name});
    }
    let written = written(p).iter().map(|n| json!({"name": format!("b{n}"), "buffer": format!("b{n}")}));
    let pictures = p.pipeline.targets.iter().map(|t| format!("t{}", t.location));
    let outputs: Vec<Value> = pictures.map(|n| json!({"name": n, "texture": n})).chain(written).collect();
    let (layouts, bound) = vertex_buffers(p, &mut buffers);
    json!({
        "format": "scene-1",
        "shaders": {"m": {"wgsl": p.source}},
        "textures": textures,
        "buffers": buffers,
        "pipelines": {"p": {
            "vertex": {"shader": "m", "buffers": layouts},
            "fragment": {"shader": "m", "targets": targets},
        }},
        "passes": [{
            "type": "render",
            "colorAttachments": attachments,
            "draws": [{"pipeline": "p", "draw": {"vertexCount": 3}, "bindings": bindings, "vertexBuffers": bound}],
        }],
        "outputs": outputs,
    })
}

/// Layouts of the vertex buffers, and what is bound: one of vertices, one of instances, one that has nothing or vertices.
fn vertex_buffers(p: &FragmentProgram, buffers: &mut Map<String, Value>) -> (Vec<Value>, Vec<Value>) {
    let (mut layouts, mut bound) = (vec![Value::Null; 3], vec![Value::Null; 3]);
    for k in 0..3 {
        let of: Vec<_> = p.pipeline.attributes.iter().filter(|a| a.buffer == k).collect();
        if of.is_empty() {
            continue;
        }
        let element: Vec<u32> = of.iter().map(|a| a.value).collect();
        let attribute =
            |(n, a): (usize, &&Attribute)| json!({"shaderLocation": a.location, "format": "uint32", "offset": 4 * n});
        let attributes: Vec<Value> = of.iter().enumerate().map(attribute).collect();
        let (step, count) = if k == 1 { ("instance", 1) } else { ("vertex", 3) };
        let stride = 4 * element.len();
        layouts[k as usize] = json!({"arrayStride": stride, "stepMode": step, "attributes": attributes});
        let name = format!("v{k}");
        buffers.insert(name.clone(), json!({"u32": element.repeat(count)}));
        bound[k as usize] = json!({"buffer": name});
    }
    (layouts, bound)
}

/// A program whose scene is checked and whose shaders are lowered.
pub struct Drawn {
    seed: u64,
    program: FragmentProgram,
    ready: PreparedScene,
}

impl Drawn {
    /// The program of a seed, with storage or without.
    ///
    /// # Errors
    /// Its twin does not run, or its scene is refused; the text has the source.
    pub fn new(seed: u64, bare: bool) -> Result<Drawn, String> {
        let program = FragmentProgram::new(seed, bare)?;
        let said = |e: String| format!("seed {seed}: {e}\n{}", program.source);
        let scene = read::parse(&scene(&program).to_string(), read::Language::Json).map_err(|e| said(e.to_string()))?;
        let file = SceneFile { scene, name: String::new(), folder: std::path::PathBuf::new(), text: None };
        let ready = PreparedScene::new(file).map_err(|f| said(f.to_string()))?;
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
        let bare = if self.program.bare { " without storage" } else { "" };
        let at = format!("seed {}{bare} on {on} -O{level}", self.seed);
        match self.draw(on, level) {
            Ok(outputs) => {
                let names = std::iter::once(PICTURE).chain(written(&self.program).iter().copied());
                for (binding, mut got) in names.zip(self.joined(outputs)) {
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
                    let predicted = predict::of_random(on, &format!("randprog fs {}", self.seed), &codes, &why);
                    let text = format!("{at}: {}", Problem::Refused(codes.clone(), why));
                    Err(Failure::Refused(predicted, codes, text))
                }
                other => Err(Failure::Wrong(format!("{at}: {other}"))),
            },
            Err(f) => Err(Failure::Wrong(format!("{at}: {f}"))),
        }
    }

    /// The words of the targets together, pixel by pixel, and the buffers.
    fn joined(&self, outputs: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let targets = &self.program.pipeline.targets;
        let mut picture = vec![0; (4 * WORDS * INVOCATIONS * GROUPS) as usize];
        for (t, words) in targets.iter().zip(&outputs) {
            let (from, len) = (4 * t.words.start as usize, 4 * t.words.len());
            for (pixel, of) in picture.chunks_mut(4 * WORDS as usize).zip(words.chunks(len)) {
                pixel[from..from + of.len()].copy_from_slice(of);
            }
        }
        std::iter::once(picture).chain(outputs.into_iter().skip(targets.len())).collect()
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
