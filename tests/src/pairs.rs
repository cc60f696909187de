//! Draws of two shaders of GLSL, as text and as SPIR-V, in several places: random ones and recorded ones.

use std::sync::Arc;

use gpucc::frontend::FrontOptions;
use gpucc::glsl::Reader;
use gpucc_kit::exec::On;
use gpucc_render::{Failure, Place, PreparedScene, Programs, Reading, frame};
use gpucc_scene::compare::{Compare, Kind, Type};
use gpucc_scene::model::{Made, Names, Shader};
use gpucc_scene::{SceneFile, output, read};
use gpucc_sim::RunOptions;
use serde_json::{Value, json};

use crate::gfx;
use crate::randdraw::{Output, Pair};

/// A shader: its name in the scene, the ending of a file that has it (`vert`, `frag` or `spv`), and its bytes.
pub type Part = (String, &'static str, Vec<u8>);

/// A draw that is checked, with its shaders lowered.
pub struct Ready {
    prepared: PreparedScene,
}

/// Reads the scene and the shaders of a draw.
///
/// # Errors
/// What is wrong with the scene or with a shader.
pub fn ready(scene: &Value, parts: Vec<Part>) -> Result<Ready, Failure> {
    ready_by(scene, parts, Reader::default())
}

/// As [`ready`], with GLSL by this reader.
///
/// # Errors
/// As [`ready`].
pub fn ready_by(scene: &Value, parts: Vec<Part>, glsl: Reader) -> Result<Ready, Failure> {
    let mut whole = scene.clone();
    let files = parts.iter().map(|p| (p.0.clone(), json!({"file": format!("{}.{}", p.0, p.1)})));
    whole["shaders"] = Value::Object(files.collect());
    let mut scene = read::parse(&whole.to_string(), read::Language::Json)?;
    let made = parts.into_iter().map(|(name, ending, bytes)| {
        let shown = format!("{name}.{ending}");
        (name, Shader::Made(Made { name: shown, ending, bytes, body: None }))
    });
    scene.shaders = Names::new(made.collect()).unwrap_or_default();
    let file = SceneFile { scene, name: String::new(), folder: std::path::PathBuf::new(), text: None };
    let reading = Reading { front: FrontOptions { glsl, ..FrontOptions::default() }, ..Reading::default() };
    Ok(Ready { prepared: PreparedScene::read(file, &reading)? })
}

impl Ready {
    /// Draws it somewhere: the bytes of each output.
    ///
    /// # Errors
    /// A refusal, or what goes wrong.
    pub fn draw(&self, on: On, level: u8, seed: u64) -> Result<Vec<Vec<u8>>, Failure> {
        self.drawn(gfx::place(on, level), seed, &frame::Options::default())
    }

    /// What the oracle draws by the rules for a machine, where they are others than by themselves.
    pub fn by_rules_of(&self, on: On, seed: u64) -> Option<Vec<Vec<u8>>> {
        let On::Machine(t) = on else { return None };
        let mut options = frame::Options::default();
        let rules = gpucc_machines::profile(t.backend.family(), t.generation).rules();
        if rules.0 == options.profile.rules().0 {
            return None;
        }
        options.profile.interp = Some(Arc::new(rules));
        self.drawn(gfx::place(On::Interp, 0), seed, &options).ok()
    }

    fn drawn(&self, place: Place, seed: u64, options: &frame::Options) -> Result<Vec<Vec<u8>>, Failure> {
        let scene = &self.prepared.file.scene;
        let programs = Programs::new(scene, &self.prepared.shaders, place)?;
        let mut resources = self.prepared.resources.clone();
        let run = RunOptions { perturb: Some(seed), cores: 1, step_limit: 200_000_000, ..options.run.clone() };
        let options = frame::Options { run, ..options.clone() };
        frame::run(scene, &self.prepared.shaders, &programs, &mut resources, &options, &mut || {})?;
        let bytes = |o| output::bytes(scene, &resources, o).unwrap_or_default();
        Ok(scene.outputs.iter().map(bytes).collect())
    }
}

/// Compares what two places drew, pixels left out that are open. Returns the pixels compared, of all outputs.
///
/// # Errors
/// The first difference. Where no pixel is left there is nothing to compare, which is none.
pub fn compare(outputs: &[Output], open: &[bool], want: &[Vec<u8>], got: &[Vec<u8>]) -> Result<u64, String> {
    let mut compared = 0;
    if want.len() != outputs.len() || got.len() != outputs.len() {
        return Err(format!("{} outputs and {}, not {}", want.len(), got.len(), outputs.len()));
    }
    for ((o, want), got) in outputs.iter().zip(want).zip(got) {
        if want.len() != got.len() || want.len() % open.len() != 0 {
            return Err(format!("{}: {} bytes, expected {}", o.name, got.len(), want.len()));
        }
        let bytes = want.len() / open.len();
        let mut seen = got.clone();
        for (at, _) in open.iter().enumerate().filter(|o| *o.1) {
            seen[at * bytes..][..bytes].copy_from_slice(&want[at * bytes..][..bytes]);
        }
        let per_pixel = |size: usize| bytes / size;
        let compare = match o.compare.kind {
            Kind::Exact { .. } => Compare { pixel: bytes, ..o.compare.clone() },
            Kind::Near { ty, .. } | Kind::Range { ty, .. } => Compare {
                pixel: match ty {
                    Type::U8 | Type::I8 => bytes,
                    Type::U16 | Type::I16 | Type::F16 => per_pixel(2),
                    Type::U32 | Type::I32 | Type::F32 => per_pixel(4),
                    Type::Rgb10a2 => 4,
                    Type::Rg11b10 => 3,
                },
                ..o.compare.clone()
            },
        };
        compare.check(want, &seen).map_err(|d| format!("{}: {d}", o.name))?;
        compared += open.iter().filter(|o| !**o).count() as u64;
    }
    Ok(compared)
}

/// A comparison as a word and two numbers.
pub fn compare_text(c: &Compare) -> String {
    match c.kind {
        Kind::Near { ty, abs, rel } => {
            let name = TYPES.iter().find(|t| t.1 == ty).map_or("", |t| t.0);
            format!("{name} {abs} {rel}")
        }
        _ => "exact".into(),
    }
}

/// Reads what [`compare_text`] wrote.
pub fn compare_of(text: &str) -> Option<Compare> {
    if text == "exact" {
        return Some(Compare::exact());
    }
    let [name, abs, rel] = text.split(' ').collect::<Vec<_>>()[..] else { return None };
    let ty = TYPES.iter().find(|t| t.0 == name)?.1;
    Some(Compare { kind: Kind::Near { ty, abs: abs.parse().ok()?, rel: rel.parse().ok()? }, pixel: 1, share: 0.0 })
}

const TYPES: &[(&str, Type)] = &[
    ("u8", Type::U8),
    ("i8", Type::I8),
    ("u16", Type::U16),
    ("i16", Type::I16),
    ("f16", Type::F16),
    ("f32", Type::F32),
    ("rgb10a2", Type::Rgb10a2),
    ("rg11b10", Type::Rg11b10),
];

impl Pair {
    /// The texts of its shaders.
    pub fn texts(&self) -> Vec<Part> {
        self.shaders.iter().map(|(name, ending, text)| (name.to_string(), *ending, text.clone().into_bytes())).collect()
    }

    /// All of it as one line of JSON: what a drawer records.
    pub fn line(&self) -> String {
        let shaders = self.shaders.iter().map(|(name, ending, text)| (name.to_string(), json!({*ending: text})));
        let outputs = self.outputs.iter().map(|o| (o.name.clone(), json!(compare_text(&o.compare))));
        let open: String = self.open.iter().map(|o| if *o { '1' } else { '0' }).collect();
        json!({
            "seed": self.seed,
            "size": self.size,
            "open": open,
            "shaders": Value::Object(shaders.collect()),
            "compare": Value::Object(outputs.collect()),
            "scene": self.scene,
        })
        .to_string()
    }
}
