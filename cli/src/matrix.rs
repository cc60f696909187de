//! Every option of the commands that read shaders, with every kind of input: it changes what is written or said, or it is an error. The options are
//! those of the parser, so a new one is in the matrix, and fails it until it has a value here.

use clap::{CommandFactory, FromArgMatches};

use crate::args::Cli;
use crate::{dispatch, files};

/// Values of options, several where one kind of input wants another than the next.
const VALUES: &[(&str, &[&str])] = &[
    ("against", &["SCENE"]),
    ("assembly", &[""]),
    ("attempt", &["1"]),
    ("buffers", &["0:0=u32:1,2,3,4"]),
    ("channels", &["0=none.png"]),
    ("code", &["p=none.bin"]),
    ("common", &["none.glsl"]),
    ("defines", &["N=3"]),
    ("executed", &[""]),
    ("dump", &["after:all"]),
    ("emit", &["json"]),
    ("entry", &["main", "fs", "none"]),
    ("features", &["BIG"]),
    ("format", &["csv"]),
    ("formats", &["0:0=r32float"]),
    ("frontend", &["naga"]),
    ("fps", &["3"]),
    ("frames", &["2"]),
    ("fuel", &["0"]),
    ("glslang", &[""]),
    ("grid", &["2,1,1"]),
    ("html", &["OUT"]),
    ("heat", &["OUT"]),
    ("heat_by", &["instructions"]),
    ("pixel", &["1,1"]),
    ("skip", &["2"]),
    ("toy_buffers", &["A=none.glsl"]),
    ("json", &[""]),
    ("immediates", &["u32:1,2,3,4"]),
    ("includes", &["."]),
    ("init", &[""]),
    ("lang", &["wgsl", "spv", "frag"]),
    ("mouse", &["1,2"]),
    ("opt", &["0"]),
    ("oracle", &[""]),
    ("overrides", &["X=3"]),
    ("per_line", &[""]),
    ("perturb", &["1"]),
    ("pipeline", &["SCENE:p"]),
    ("robust", &["off"]),
    ("seed", &["1"]),
    ("shard", &["1/2"]),
    ("size", &["8x8"]),
    ("stage", &["fs"]),
    ("stats", &[""]),
    ("steps", &["1"]),
    ("subgroup_size", &["64"]),
    ("time", &["1"]),
    ("time_passes", &[""]),
    ("verify", &[""]),
];

/// The commands that take each kind of input.
const TAKEN: &str = "compute,  alone,  pair,  wesl,  spv,  gir,  comp,  frag,  best, run compute, run wesl, run gir, run comp, run best, render alone, \
    render pair, render spv, render frag, render scene, stats compute, stats alone, stats pair, stats wesl, stats spv, stats gir, stats comp, stats frag, \
    stats best, stats scene, explain compute, explain alone, explain pair, explain wesl, explain spv, explain gir, explain comp, explain frag, explain best, \
    explain scene";

/// Options about the text of a shader, for the input whose every reading is a process of its own.
const TEXT: &[&str] = &["defines", "frontend", "glslang", "includes", "lang", "stage"];

/// Options that change nothing by their nature, or that others ask for: how fast, in which form, what else would be an error; those of other
/// inputs; inputs and outputs themselves.
#[rustfmt::skip]
const QUIET: &[&str] = &[
    "color", "deny", "diff", "dumps", "help", "input", "inputs", "jobs", "launch", "message_format", "output",
    "paths", "races", "sheet", "target", "version",
];

/// Cells that say nothing though the option does what it is for: the value is that of the input already, or decides what only a machine or a longer
/// run shows.
const SAME: &[(&str, &str, &str)] = &[
    // The time and the mouse are for shaders that read them; these do not.
    ("render", "time", ""),
    ("render", "mouse", ""),
    // Each frame of these begins with what the scene gives, so those before it change nothing.
    ("render", "skip", ""),
    // The order is no result's.
    ("run", "perturb", ""),
    ("render", "perturb", ""),
    // The interpreter runs what was read, whatever the level.
    ("run", "opt", ""),
    ("render", "opt", ""),
    // The only entry point, by its name.
    ("", "entry", ""),
    // A macro and a folder that a text may not ask for.
    ("", "defines", "comp"),
    ("", "defines", "frag"),
    ("", "includes", "comp"),
    ("", "includes", "frag"),
    ("", "defines", "best"),
    ("", "includes", "best"),
    // The two stages have no inputs to be made.
    ("render", "seed", "pair"),
    // What the ending says already, said again.
    ("", "lang", ""),
    ("", "stage", ""),
    // The reader that is the best or the only one, on what each reads alike.
    ("", "glslang", ""),
    ("", "frontend", "spv"),
    ("", "frontend", "comp"),
    ("", "frontend", "frag"),
    ("", "frontend", "best"),
    // Sizes and bounds that nothing asks for, on the interpreter.
    ("run", "robust", ""),
    ("render", "robust", ""),
    ("run", "subgroup_size", ""),
];

const COMPUTE: &str = "override X = 2u; @group(0) @binding(0) var<storage, read_write> o: array<u32, 4>;\n\
    @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) g: vec3u) { o[g.x] += X; }\n";

/// The name of a kind of input, the ending of its file, and its bytes.
fn inputs() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let drawn = "@fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { return p / 640.0; }";
    let pair = format!(
        "@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {{ return vec4f(f32(i) - 1.0, f32(i % 2u), 0.0, 1.0); }}\n{drawn}"
    );
    let wesl = "@group(0) @binding(0) var<storage, read_write> o: array<u32, 4>;\n@compute @workgroup_size(4) fn main() {\n\
        @if(BIG) { o[1] = o[2] * 7u; }\n o[0] *= 2u; }\n";
    let gir = "module robust on\nres0 \"o\" group 0 binding 0 storage_rw size 16 stride 4\nentry \"main\" compute func0 size 1,1,1\n\
        func0 \"main\" {\nblock0:\n  store 7:i32, res0[0] align 4\n  ret\n}\n";
    let comp = "#version 450\nlayout(local_size_x = 1) in;\nlayout(set = 0, binding = 0) buffer O { int o[4]; };\nvoid main() { o[0] = 5; }\n";
    let frag = "#version 450\nlayout(location = 0) out vec4 c;\nvoid main() { c = gl_FragCoord / 640.0; }\n";
    let scene = format!(
        "format = \"scene-1\"\nshaders.m.wgsl = '''\n{pair}\n'''\ntextures.t = {{ format = \"rgba8unorm\", size = [4, 4] }}\n[pipelines.p]\n\
         vertex = {{ shader = \"m\" }}\nfragment = {{ shader = \"m\", targets = [{{ format = \"rgba8unorm\" }}] }}\n[[passes]]\ntype = \"render\"\n\
         colorAttachments = [{{ texture = \"t\" }}]\ndraws = [{{ pipeline = \"p\", draw = {{ vertexCount = 3 }} }}]\n"
    );
    vec![
        ("compute", "wgsl", COMPUTE.into()),
        ("alone", "wgsl", drawn.into()),
        ("pair", "wgsl", pair.into()),
        ("wesl", "wesl", wesl.into()),
        ("spv", "spv", include_bytes!("../tests/found/centroid.spv").to_vec()),
        ("gir", "gir", gir.into()),
        ("comp", "comp", comp.into()),
        ("frag", "frag", frag.into()),
        ("best", "comp", comp.into()),
        ("scene", "toml", scene.into_bytes()),
    ]
}

/// The exit code of a command line, and all that it said and wrote.
fn run(args: &[String], out: &str) -> (u8, Vec<u8>) {
    let _ = std::fs::remove_file(out);
    let line = std::iter::once("gpucc".to_string()).chain(args.iter().cloned());
    let Ok(cli) = Cli::command().try_get_matches_from(line).and_then(|m| Cli::from_arg_matches(&m)) else {
        return (2, Vec::new());
    };
    files::kept::begin(Vec::new());
    let result = dispatch(&cli);
    let code = result.as_ref().map_or_else(crate::Failure::code, |()| 0);
    if let Err(f) = result {
        f.say(&cli.messages);
    }
    let streams = files::kept::end();
    let mut all = [streams.output, streams.said].concat();
    all.extend(std::fs::read(out).unwrap_or_default());
    (code, all)
}

#[test]
fn every_option_has_an_effect_or_is_told() {
    let folder = files::Folder::new("matrix").unwrap_or_else(|e| panic!("{e:?}"));
    let path = |name: &str| folder.0.join(name).display().to_string();
    let list = inputs();
    for (name, ending, bytes) in &list {
        std::fs::write(path(&format!("{name}.{ending}")), bytes).expect("a file");
    }
    let scene = path("scene.toml");
    let all = Cli::command();
    let mut wrong = Vec::new();
    let (mut cells, mut taken) = (0, Vec::new());
    for command in ["", "run", "render", "stats", "explain"] {
        let parser = if command.is_empty() { &all } else { all.find_subcommand(command).expect("a command") };
        for (name, ending, _) in &list {
            let out = path(if command == "render" { "out.png" } else { "out.json" });
            let mut base: Vec<String> = [command, &path(&format!("{name}.{ending}"))].map(String::from).to_vec();
            base.retain(|a| !a.is_empty());
            base.extend(match command {
                "run" => ["--buf", "0:0=zero:16", "--dump", "0:0=-"].map(String::from).to_vec(),
                "render" if *name == "scene" => ["-o", &out].map(String::from).to_vec(),
                "render" => ["-o", &out, "--size", "16x16"].map(String::from).to_vec(),
                "explain" => ["--target", "gcn"].map(String::from).to_vec(),
                _ => ["--target", "gcn", "-o", &out].map(String::from).to_vec(),
            });
            if ["comp", "frag"].contains(name) {
                base.extend(["--frontend", "naga"].map(String::from));
            }
            let plain = run(&base, &out);
            // A command that does not take this input has no options for it.
            if plain.0 != 0 {
                continue;
            }
            taken.push(format!("{command} {name}"));
            for arg in parser.get_arguments() {
                let id = arg.get_id().as_str();
                let is_slow = *name == "best" && !(command.is_empty() && TEXT.contains(&id));
                if QUIET.contains(&id) || command == "run" && id == "buffers" || is_slow {
                    continue;
                }
                let Some((_, values)) = VALUES.iter().find(|v| v.0 == id) else {
                    wrong.push(format!("`{id}` of `{command}` has no value in this test"));
                    continue;
                };
                let option =
                    arg.get_long().map_or_else(|| format!("-{}", arg.get_short().unwrap_or('?')), |l| format!("--{l}"));
                for value in *values {
                    cells += 1;
                    let mut args = base.clone();
                    args.retain(|a| id != "size" || a != "--size" && a != "16x16");
                    args.retain(|a| id != "frontend" || a != "--frontend" && a != "naga");
                    args.push(option.clone());
                    args.extend((!value.is_empty()).then(|| value.replace("SCENE", &scene).replace("OUT", &out)));
                    // Inputs of `--verify`.
                    args.extend((command.is_empty() && ["grid", "buffers"].contains(&id)).then(|| "--verify".into()));
                    let same = |s: &&(&str, &str, &str)| {
                        (s.0.is_empty() || s.0 == command) && s.1 == id && (s.2.is_empty() || s.2 == *name)
                    };
                    let done = run(&args, &out);
                    if done == plain && !SAME.iter().any(|s| same(&s)) {
                        wrong.push(format!("`{command}` of {name} takes {option} {value} without effect"));
                    }
                    if done.0 == 70 {
                        wrong.push(format!("`{command}` of {name} with {option} {value} ends with 70"));
                    }
                }
            }
        }
    }
    wrong.dedup();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // No command lost its inputs.
    assert_eq!(taken.join(", ").trim(), TAKEN);
    assert!(cells > 700, "{cells} cells");
}
