//! Planted faults of passes: `gpucc reduce` makes each small by itself.
//!
//! A fault is a pass of these tests that breaks one rule: on the IR in front of all passes of the compiler, on the state of a draw, or on the machine
//! code behind them. It is there if the machine differs from the oracle, or traps, with the planted pass and not without it, so that nothing
//! else passes for it. The check that `reduce` asks is this test program again, with the name of the fault in [`NAME`].

use std::path::{Path, PathBuf};
use std::time::Instant;

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::glsl::Reader;
use gpucc::{Artifact, Options, Stage, Target};
use gpucc_container::Container;
use gpucc_interp::{OracleProgram, Profile};
use gpucc_ir::{Function, InstData, Module, Op, Type};
use gpucc_isa::Notes;
use gpucc_machines::judge;
use gpucc_render::frame;
use gpucc_render::place::{Place, Programs};
use gpucc_render::{PreparedScene, Reading};
use gpucc_scene::difference::Difference;
use gpucc_scene::model::{Made, OutputSource, Pipeline, Scene, Shader};
use gpucc_scene::{Picture, SceneFile, alone, output, read, resize};
use gpucc_sim::RunOptions;
use gpucc_verify::{InputOverrides, Words, dispatch};

use crate::common::{Scratch, expect, workspace};

/// The variable that names the fault, and the one with the path of a candidate.
const NAME: &str = "GPUCC_PLANTED";
const FILE: &str = "GPUCC_PLANTED_FILE";

/// The place of a planted pass.
enum Broken {
    /// Changes a function of the IR.
    Ir(fn(&mut Function)),
    /// Changes the state of a scene.
    State(fn(&mut Scene)),
    /// Changes a line of the listing to one of the same length in code; the second is the line behind it.
    Code(fn(&str, &str) -> Option<String>),
}

/// A fault that is planted.
struct Planted {
    /// The pass that could have it.
    pass: &'static str,
    target: &'static str,
    /// The file that shows it, in the workspace.
    input: &'static str,
    /// Words of the rule that is broken.
    rule: &'static str,
    broken: Broken,
}

/// The ten: five of the IR, one of the state of draws, one of each family's machine code.
const PLANTED: [Planted; 10] = [
    Planted {
        pass: "algebraic",
        target: "tesla",
        input: "examples/plasma.frag",
        rule: "a product of numbers with a constant is a sum with it",
        broken: Broken::Ir(|f| {
            each(f, |i, ty, of| {
                if i.op == Op::FMul && ty == Some(Type::F32) && of.contains(&None) {
                    i.op = Op::FAdd;
                }
            });
        }),
    },
    Planted {
        pass: "mem-opt",
        target: "gcn",
        input: "examples/scan.wgsl",
        rule: "barriers in front of loads are lost",
        broken: Broken::Ir(|f| without(f, Op::Barrier)),
    },
    Planted {
        pass: "if-convert",
        target: "valhall",
        input: "contrib/shadertoy/interference.glsl",
        rule: "the greater of a number and a constant is the lesser",
        broken: Broken::Ir(|f| {
            each(f, |i, _, of| {
                if i.op == Op::FMax && of.contains(&None) {
                    i.op = Op::FMin;
                }
            });
        }),
    },
    Planted {
        pass: "fuse",
        target: "vivante",
        input: "contrib/shadertoy/voronoi.glsl",
        rule: "what a product is taken from and the product are exchanged",
        broken: Broken::Ir(|f| {
            each(f, |i, _, of| {
                if i.op == Op::FSub && of[1] == Some(Op::FMul) {
                    i.args.swap(0, 1);
                }
            });
        }),
    },
    Planted {
        pass: "predicate-demotes",
        target: "gcn",
        input: "examples/scenes/foliage.toml",
        rule: "fragments that are discarded stay",
        broken: Broken::Ir(|f| without(f, Op::Demote)),
    },
    Planted {
        pass: "lower-blend",
        target: "valhall",
        input: "examples/scenes/bokeh.toml",
        rule: "colours are not blended",
        broken: Broken::State(|scene| {
            for (name, p) in scene.pipelines.clone().iter() {
                let mut p = p.clone();
                if let Pipeline::Render(r) = &mut p {
                    r.fragment.iter_mut().flat_map(|f| f.targets.iter_mut().flatten()).for_each(|t| t.blend = None);
                }
                scene.pipelines.insert(name.into(), p);
            }
        }),
    },
    Planted {
        pass: "waits",
        target: "gcn",
        input: "examples/matmul_tiled.wgsl",
        rule: "what workgroup memory and scalar loads give is not waited for",
        broken: Broken::Code(|line, next| {
            (line.starts_with("s_waitcnt lgkmcnt") && !next.starts_with("s_barrier")).then(|| "s_nop 0".into())
        }),
    },
    Planted {
        pass: "drop-joins",
        target: "tesla",
        input: "examples/reduction.wgsl",
        rule: "lanes are not joined",
        broken: Broken::Code(|line, _| line.strip_prefix("join ").map(String::from)),
    },
    Planted {
        pass: "assign-slots",
        target: "valhall",
        input: "examples/nbody.wgsl",
        rule: "the first slot is not waited for",
        broken: Broken::Code(|line, _| line.contains(".wait0 ").then(|| line.replacen(".wait0 ", " ", 1))),
    },
    Planted {
        pass: "merge-lanes",
        target: "vivante",
        input: "examples/nbody.wgsl",
        rule: "the last lane of a vector is the one before it",
        broken: Broken::Code(|line, _| line.contains(".xyzw").then(|| line.replacen(".xyzw", ".xyzz", 1))),
    },
];

/// The pass whose fault is small fast enough for each run of the tests.
const FAST: &str = "waits";

impl Planted {
    /// The ending of candidates: that of the file, or of the module that glslang makes of it.
    fn ending(&self) -> &'static str {
        let own = self.input.rsplit('.').next().unwrap_or_default();
        if own == "frag" { "spv" } else { own }
    }
}

/// Changes each instruction, whose type is told, and the ops that made its operands: none for constants and parameters.
fn each(f: &mut Function, change: fn(&mut InstData, Option<Type>, &[Option<Op>])) {
    let list: Vec<_> = f.insts_in_order().map(|(_, i)| i).collect();
    for i in list {
        let of: Vec<Option<Op>> = f.insts[i].args.iter().map(|&v| f.def_inst(v).map(|d| f.insts[d].op)).collect();
        let ty = f.result_ty(i);
        change(&mut f.insts[i], ty, &of);
    }
}

/// Takes the instructions of an op away, which give nothing.
fn without(f: &mut Function, op: Op) {
    for b in f.layout.clone() {
        let list = f.blocks[b].insts.clone();
        f.blocks[b].insts = list.into_iter().filter(|&i| f.insts[i].op != op).collect();
    }
}

fn altered(module: &Module, broken: &Broken) -> Module {
    let mut module = module.clone();
    if let Broken::Ir(change) = broken {
        module.funcs.values_mut().for_each(change);
    }
    module
}

/// The container with a planted pass behind all others; none where it changes nothing, or what it gives is no code.
fn edited(artifact: &Artifact, target: Target, change: fn(&str, &str) -> Option<String>) -> Option<Container> {
    let (mut container, mut changed) = (artifact.container().clone(), false);
    let machine = gpucc_machines::find(target.family())?;
    for e in &mut container.entries {
        let (g, stage) = (target.generation_index(), e.stage.bit());
        let text = (machine.disassemble)(&e.code, g, stage, &Notes::default()).text;
        let lines: Vec<&str> = text.lines().map(|l| l.split(';').next().unwrap_or_default().trim_end()).collect();
        let is_code = |l: &&&str| !l.trim().is_empty() && !l.trim().ends_with(':');
        let mut out = String::new();
        for (k, line) in lines.iter().enumerate() {
            let next = lines[k + 1..].iter().find(is_code).map_or("", |l| l.trim());
            let new = change(line.trim(), next);
            changed |= new.is_some();
            out += &new.unwrap_or_else(|| line.to_string());
            out.push('\n');
        }
        let code = (machine.assemble)(&out, g, stage, false).ok()?;
        if code.len() != e.code.len() {
            return None;
        }
        e.code = code;
    }
    changed.then_some(container)
}

/// Whether compute entries give something else with the planted pass than on the oracle, and the same without it.
fn computes_wrongly(module: &Module, p: &Planted) -> Option<bool> {
    let target = Target::parse(p.target).ok()?;
    let right = gpucc::compile(module, &Options::new(target)).ok()?;
    let wrong = match &p.broken {
        Broken::Code(change) => edited(&right, target, *change)?,
        _ => gpucc::compile(&altered(module, &p.broken), &Options::new(target)).ok()?.container().clone(),
    };
    let place = (target.family(), target.generation_index());
    let options = RunOptions { step_limit: 5_000_000, ..RunOptions::default() };
    for out in right.outputs() {
        let name = out.entry.name.as_str();
        for words in [Words::Counts, Words::Numbers, Words::Floats] {
            let before = dispatch(module, name, place.0, &InputOverrides::default(), words);
            // What reads undefined bytes has no result that a machine could miss.
            let strict = OracleProgram::new(module, name).ok()?.strict();
            if strict.run(&mut before.clone(), &options, &Profile::default()).is_err() {
                continue;
            }
            let agrees = |container: &Container| {
                let mut machine = before.clone();
                gpucc_machines::run(container, Some(name), &mut machine, &options)
                    .is_ok_and(|_| judge((module, &out.ir), name, place, &before, &machine, &options).is_ok())
            };
            if !agrees(&wrong) && agrees(right.container()) {
                return Some(true);
            }
        }
    }
    Some(false)
}

/// A scene, or the one of a fragment shader alone, small enough to be drawn often.
fn scene(path: &Path) -> Option<PreparedScene> {
    const SIZE: [u32; 2] = [16, 9];
    let ending = path.extension()?.to_str()?;
    if ending == "toml" {
        let mut file = read::open(path).ok()?;
        let presented = file.scene.presented()?;
        if let OutputSource::Texture { texture, .. } = &presented.source
            && file.scene.textures.get(texture).is_some_and(|x| x.size[0] > 64)
        {
            resize::resize(&mut file.scene, SIZE).ok()?;
        }
        return PreparedScene::new(file).ok();
    }
    let ending = if ending == "glsl" { "frag" } else { "spv" };
    let made = Made { name: "planted".into(), ending, bytes: std::fs::read(path).ok()?, body: None };
    let scene = alone::scene(Shader::Made(made), &alone::Options { size: SIZE, time: 1.5, ..Default::default() });
    let file = SceneFile { scene, name: "planted".into(), folder: PathBuf::new(), text: None };
    // A parser in this process: the reference compiler takes a tenth of a second for each candidate.
    let front = FrontOptions { glsl: Reader::Naga, ..FrontOptions::default() };
    PreparedScene::alone(file, &Reading { front, ..Reading::default() }).ok()
}

fn drawn(ready: &PreparedScene, place: Place, change: Option<fn(&mut Scene)>) -> Option<Picture> {
    let mut scene = ready.file.scene.clone();
    if let Some(change) = change {
        change(&mut scene);
    }
    let programs = Programs::new(&scene, &ready.shaders, place).ok()?;
    let mut resources = ready.resources.clone();
    frame::run(&scene, &ready.shaders, &programs, &mut resources, &frame::Options::default(), &mut || {}).ok()?;
    output::picture(&scene, &resources, &scene.presented()?).ok()
}

/// Whether a picture is more than a step away from the oracle's with the planted pass, and not without it.
fn draws_wrongly(path: &Path, p: &Planted) -> Option<bool> {
    let mut ready = scene(path)?;
    let place = Place::Target(Target::parse(p.target).ok()?, 2);
    let want = drawn(&ready, Place::interp(2), None)?;
    let right: Vec<Module> = ready.shaders.entries.iter().map(|e| e.module.clone()).collect();
    // The vertex shader of a fragment shader alone is no part of what becomes small.
    let own = ready.shaders.entries.iter_mut().filter(|e| e.stage == Stage::Fragment);
    own.for_each(|e| e.module = altered(&e.module, &p.broken));
    let is_far = |got: &Picture| Difference::between(&want, got).is_some_and(|d| d.far > 0);
    let change = if let Broken::State(change) = p.broken { Some(change) } else { None };
    if !is_far(&drawn(&ready, place, change)?) {
        return Some(false);
    }
    ready.shaders.entries.iter_mut().zip(right).for_each(|(e, m)| e.module = m);
    Some(!is_far(&drawn(&ready, place, None)?))
}

/// The check that `reduce` asks: it passes while the planted fault is there.
#[test]
#[ignore = "asked by the tests below, with a fault and a file in variables"]
fn is_there() {
    let name = std::env::var(NAME).expect("the pass of a fault");
    let path = PathBuf::from(std::env::var(FILE).expect("the path of a candidate"));
    let p = PLANTED.iter().find(|p| p.pass == name).expect("a fault that is planted");
    let there = match p.ending() {
        "wgsl" => {
            let text = std::fs::read(&path).expect("a candidate");
            let loaded = frontend::load(&text, Lang::Wgsl, &FrontOptions::default());
            loaded.ok().and_then(|l| computes_wrongly(&l.module, p))
        }
        _ => draws_wrongly(&path, p),
    };
    assert_eq!(there, Some(true));
}

/// The file that shows a fault: as it lies there, or the module that glslang makes of it.
fn input(p: &Planted, s: &Scratch) -> Option<String> {
    let source = workspace().join(p.input);
    if p.ending() != "spv" {
        return Some(source.to_str().expect("a plain path").into());
    }
    let out = s.path("planted.spv");
    let made = std::process::Command::new("glslangValidator").args(["-V", "-o", &out]).arg(source).output().ok()?;
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stdout));
    Some(out)
}

/// Lines for a person: of modules those of the disassembly.
fn lines(path: &str) -> Option<(usize, String)> {
    let bytes = std::fs::read(path).expect("a file");
    let text = match path.ends_with(".spv") {
        true => {
            let shown = std::process::Command::new("spirv-dis").args(["--no-header", path]).output().ok()?;
            String::from_utf8(shown.stdout).expect("text")
        }
        false => String::from_utf8(bytes).expect("text"),
    };
    Some((text.lines().filter(|l| !l.trim().is_empty()).count(), text))
}

/// Makes a fault small; says a row for the table in `docs/command-line.md`.
fn reduced(p: &Planted) -> Option<String> {
    let s = Scratch::new(&format!("planted-{}", p.pass));
    let input = input(p, &s)?;
    let own = std::env::current_exe().expect("the path of this program");
    let check = format!("{NAME}={} {FILE}={{}} {} --exact planted::is_there --ignored -q", p.pass, own.display());
    let out = s.path(&format!("small.{}", p.ending()));
    let begun = Instant::now();
    let mut args = vec!["reduce", &input, "--check", &check, "-o", &out, "--timeout", "60"];
    // The check itself asks the front ends.
    if ["wgsl", "glsl"].contains(&p.ending()) {
        args.push("--allow-invalid");
    }
    let said = expect(&args, 0, "nothing smaller is left");
    let seconds = begun.elapsed().as_secs();
    let (before, after) = (lines(&input)?.0, lines(&out)?);
    assert!(after.0 < 20, "{}: {} lines: {}\n{said}", p.pass, after.0, after.1);
    println!("{}\n{said}", after.1);
    let kind = match p.broken {
        Broken::Ir(_) => "IR",
        Broken::State(_) => "state of a draw",
        Broken::Code(_) => "machine code",
    };
    let what = format!("`{}` ({kind}): {}", p.pass, p.rule);
    let file = if p.ending() == "spv" { format!("{} as SPIR-V", p.input) } else { p.input.into() };
    Some(format!("| {what} | {} | {file} | {before} | {} | {seconds} |", p.target, after.0))
}

/// Those that take seconds.
#[test]
fn planted_faults_become_small() {
    for p in PLANTED.iter().filter(|p| p.pass == FAST) {
        reduced(p);
    }
}

/// All of them, or those that `GPUCC_PLANTED` names, with the table: `cargo test -p gpucc-cli --test all planted::all -- --ignored --nocapture`.
#[test]
#[ignore = "takes minutes: run it by name"]
fn all_planted_faults_become_small() {
    let names = std::env::var(NAME).unwrap_or_default();
    let chosen = |p: &&Planted| names.is_empty() || names.split(',').any(|n| n == p.pass);
    let rows: Vec<String> = PLANTED.iter().filter(chosen).filter_map(reduced).collect();
    println!("{}", rows.join("\n"));
}
