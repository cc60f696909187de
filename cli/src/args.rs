//! The command line, as the contract writes it.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use serde_json::{Value, json};
use std::io::IsTerminal;

/// gpucc compiles WGSL, SPIR-V and GLSL to machine code for Valhall, Tesla, GCN and Vivante GPUs.
#[derive(Debug, Parser)]
#[command(
    name = "gpucc",
    version,
    args_conflicts_with_subcommands = true,
    arg_required_else_help = true,
    after_help = "The table of what each target refuses, by code, is docs/support.md of the source"
)]
pub struct Cli {
    /// The command; without a subcommand INPUT is compiled.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The arguments of a compilation.
    #[command(flatten)]
    pub compile: Compile,
    /// How messages look.
    #[command(flatten)]
    pub messages: Messages,
}

/// How messages look, in every command.
#[derive(Clone, Debug, Args)]
pub struct Messages {
    /// Colour of messages.
    #[arg(long, value_enum, default_value_t = ColorArg::Auto, global = true, help_heading = "Messages")]
    pub color: ColorArg,
    /// Form of messages: text, one JSON object per line, or one SARIF document at the end.
    #[arg(long, value_enum, default_value_t = MessageFormat::Human, global = true, help_heading = "Messages")]
    pub message_format: MessageFormat,
}

impl Messages {
    /// Whether messages for people are coloured.
    pub fn colored(&self) -> bool {
        match self.color {
            ColorArg::Always => true,
            ColorArg::Never => false,
            ColorArg::Auto => std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        }
    }
}

/// Everything that is not a compilation.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Disassemble a container or raw machine code.
    Disasm(Disasm),
    /// Assemble a listing to machine code.
    Asm(Asm),
    /// Show the contents of a container.
    Inspect(Inspect),
    /// Run a compute shader or a compiled container on an interpreter of the target's machine code.
    Run(Run),
    /// Render a scene or a single fragment shader to a picture.
    Render(Box<Render>),
    /// Compile files and folders, and report statistics.
    Stats(Stats),
    /// Compare two statistics reports.
    Diff(Diff),
    /// Shrink a shader or a scene while a fault stays.
    Reduce(Reduce),
    /// Write the manifest by which the Vulkan loader finds the driver.
    Icd(Icd),
    /// Run a program on the Vulkan driver.
    Exec(Exec),
    /// Show what a shader became, line by line: code, registers, cycles.
    Explain(Explain),
    /// Serve a playground for browsers on this machine: edit a shader, see its code and costs, run it, draw it.
    Serve(Serve),
    /// Print completions for a shell.
    Completions(Completions),
    /// Print the manual page, or write those of all commands.
    Man(Man),
}

/// `gpucc completions SHELL`.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell.
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// `gpucc man`.
#[derive(Debug, Args)]
pub struct Man {
    /// Folder for a page of each command [default: the page of `gpucc` to standard output].
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

/// `gpucc serve`.
#[derive(Debug, Args)]
pub struct Serve {
    /// The shader or scene that the page begins with. A scene may name files beside it.
    pub input: Option<PathBuf>,
    /// The port of 127.0.0.1 [default: one that is free].
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,
    /// Steps after which a run or a picture is stopped.
    #[arg(long, value_name = "LIMIT", default_value_t = 500_000_000)]
    pub steps: u64,
    /// Requests that are worked on at once [default: one a core].
    #[arg(long, value_name = "N")]
    pub jobs: Option<std::num::NonZero<usize>>,
}

/// `gpucc reduce FILE --check COMMAND`.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("fault").required(true).args(["check", "for_fault"])))]
pub struct Reduce {
    /// WGSL, GLSL, SPIR-V or a scene.
    pub input: PathBuf,
    /// A command of the shell that exits with 0 while the fault is there. `{}` is the path of the candidate.
    #[arg(long, value_name = "COMMAND", allow_hyphen_values = true)]
    pub check: Option<String>,
    /// A fault that needs no command: `crash` (exit 70, in the same place), `verify` (`--verify` finds a difference), `difference` (a scene
    /// or a fragment shader is drawn otherwise than on the oracle), `refusal:CODE`.
    #[arg(long = "for", id = "for_fault", value_name = "FAULT")]
    pub for_fault: Option<String>,
    /// Targets of `--for`: `family[:generation]`, a comma-separated list [default: all].
    #[arg(long, value_name = "T[,T]")]
    pub target: Option<String>,
    /// The smallest so far [default: FILE with `.reduced` before its ending].
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Candidates that are tried at once [default: one a core]. The result does not depend on it.
    #[arg(long, value_name = "N")]
    pub jobs: Option<std::num::NonZero<usize>>,
    /// Stop after so many seconds.
    #[arg(long, value_name = "SECONDS")]
    pub limit: Option<u64>,
    /// Seconds after which a check counts as not holding.
    #[arg(long, value_name = "SECONDS", default_value_t = 20)]
    pub timeout: u64,
    /// Leave bindings, entry points, inputs and outputs as they are.
    #[arg(long)]
    pub keep_interface: bool,
    /// Give short names to what the author named.
    #[arg(long)]
    pub rename: bool,
    /// Try candidates that no front end accepts, too: for valid inputs that are refused.
    #[arg(long)]
    pub allow_invalid: bool,
    /// Optimisation level of `--for` [default: 2].
    #[arg(short = 'O', value_name = "0..3", value_parser = clap::value_parser!(u8).range(0..=3))]
    pub opt: Option<u8>,
}

impl Reduce {
    /// The targets of `--for`.
    pub fn target(&self) -> &str {
        self.target.as_deref().unwrap_or("all")
    }
    /// The optimisation level of `--for`.
    pub fn level(&self) -> u8 {
        self.opt.unwrap_or(2)
    }
}

/// `gpucc INPUT --target T -o OUT`.
#[derive(Debug, Args)]
pub struct Compile {
    /// Shaders (`.wgsl`, `.wesl`, `.spv`, `.spvasm`, `.glsl`, `.vert`, `.frag`, `.comp`, `.gir`), or `-` for standard input.
    pub input: Vec<PathBuf>,
    /// Targets: `family[:generation]`, a comma-separated list, `all` or `all:all`.
    #[arg(long, value_name = "T[,T]")]
    pub target: Option<String>,
    /// Output file, or a folder if there are several inputs. With several targets, `.family-generation` is inserted before the extension.
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Compile for the state of a pipeline of a scene: vertex layout, target formats, samples and so on. The default is an rgba8unorm
    /// target for each output and one vertex buffer with 32-bit components.
    #[arg(long, value_name = "SCENE:PIPELINE")]
    pub pipeline: Option<String>,
    /// Write the assembly listing (same as `--emit asm`), to standard output unless `-o` is given.
    #[arg(short = 'S')]
    pub assembly: bool,
    /// Form of the output.
    #[arg(long, value_enum)]
    pub emit: Option<Emit>,
    /// Print statistics.
    #[arg(long)]
    pub stats: bool,
    /// Verify the IR after every pass, check every register allocation, and run the result against the IR interpreter.
    #[arg(long)]
    pub verify: bool,
    /// Workgroup counts for `--verify` [default: two in each dimension that the workgroup uses].
    #[arg(long, value_name = "X,Y,Z", requires = "verify")]
    pub grid: Option<String>,
    /// Bind a buffer for `--verify`, as in `run`; other buffers get seeded contents.
    #[arg(long = "buf", value_name = "G:B=SPEC", allow_hyphen_values = true, requires = "verify")]
    pub buffers: Vec<String>,
    /// Exit with code 1 if `--verify` warns.
    #[arg(long, value_enum, requires = "verify")]
    pub deny: Option<Deny>,
    /// Print the IR, the machine IR or the encoded code after a pass: `after:PASS` or `after:all`. May be repeated.
    #[arg(long, value_name = "after:PASS")]
    pub dump: Vec<String>,
    /// Allow only the first N optimisations (or the first N of PASS), to bisect a miscompile. Mandatory passes always run; machine
    /// passes are skipped as a whole, those on encoded code stop in between.
    #[arg(long, value_name = "[PASS=]N")]
    pub fuel: Option<String>,
    /// Print the time that each pass took and the number of its changes.
    #[arg(long)]
    pub time_passes: bool,
    /// Options that `run` has as well.
    #[command(flatten)]
    pub front: Front,
}

/// Warnings that may be denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Deny {
    /// A comparison with the oracle had nothing to compare, or left out more than a tenth of it.
    NotCompared,
}

impl Deny {
    /// The code of the warning.
    pub fn code(self) -> &'static str {
        match self {
            Deny::NotCompared => "not-compared",
        }
    }
}

/// Readers of SPIR-V and GLSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FrontendArg {
    /// That of gpucc, which makes IR of the module's own blocks.
    Spirv,
    /// naga's, for a second opinion on what it takes.
    Naga,
}

/// Options of everything that compiles.
#[derive(Debug, Default, Args)]
pub struct Front {
    /// Source language [default: from the file extension].
    #[arg(long, value_enum)]
    pub lang: Option<LangArg>,
    /// Stage of GLSL with the extension `.glsl` [default: cs; of `render` fs].
    #[arg(long, value_enum)]
    pub stage: Option<StageArg>,
    /// Read GLSL by glslangValidator or not at all [default: by it where it is installed, else by naga's parser].
    #[arg(long)]
    pub glslang: bool,
    /// Look for files of `#include` in this folder too; the source's own comes first. May be repeated (GLSL).
    #[arg(short = 'I', value_name = "DIR")]
    pub includes: Vec<PathBuf>,
    /// Define a macro. May be repeated (GLSL).
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub defines: Vec<String>,
    /// Who reads SPIR-V, and GLSL [default: spirv].
    #[arg(long, value_enum)]
    pub frontend: Option<FrontendArg>,
    /// Entry point [default: all; `run` requires it if there are several]. `render` takes that of a fragment shader, or those of a pair: VS,FS.
    #[arg(long)]
    pub entry: Option<String>,
    /// Optimisation level [default: 2].
    #[arg(short = 'O', value_name = "0..3", value_parser = clap::value_parser!(u8).range(0..=3))]
    pub opt: Option<u8>,
    /// Set a pipeline-overridable constant by name or numeric id.
    #[arg(long = "override", value_name = "NAME=VALUE")]
    pub overrides: Vec<String>,
    /// Say the format of a storage image of SPIR-V that says none.
    #[arg(long = "image-format", value_name = "GROUP:BINDING=FORMAT")]
    pub formats: Vec<String>,
    /// Switch a feature of `@if` on, in WESL.
    #[arg(long = "feature", value_name = "NAME")]
    pub features: Vec<String>,
    /// Compile compute entry points for subgroups of so many lanes, and refuse targets that have others.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=128))]
    pub subgroup_size: Option<u32>,
    /// Keep accesses in bounds and zero workgroup memory [default: on].
    #[arg(long, value_enum)]
    pub robust: Option<Robust>,
}

impl Front {
    /// The optimisation level.
    pub fn level(&self) -> u8 {
        self.opt.unwrap_or(2)
    }
    /// Whether accesses are kept in bounds.
    pub fn robust(&self) -> bool {
        matches!(self.robust, None | Some(Robust::On))
    }
    /// The value of `--robust`.
    pub fn robustness(&self) -> &'static str {
        match self.robust {
            None | Some(Robust::On) => "on",
            Some(Robust::Zero) => "zero",
            Some(Robust::Off) => "off",
        }
    }
    /// Every option with its value, in the order of a command line. A field that is added does not compile before it stands here: what decides
    /// code is in reports, and has an effect or is an error, by this one list.
    pub fn list(&self) -> Vec<GivenOption> {
        let Front {
            lang,
            stage,
            glslang,
            includes,
            defines,
            frontend,
            entry,
            opt,
            overrides,
            formats,
            features,
            subgroup_size,
            robust,
        } = self;
        let flag = |given: bool| if given { json!(true) } else { Value::Null };
        let texts = |list: &[String]| if list.is_empty() { Value::Null } else { json!(list) };
        let paths: Vec<String> = includes.iter().map(|p| p.display().to_string()).collect();
        let list = [
            ("--entry", "entry", json!(entry)),
            ("--override", "overrides", texts(overrides)),
            ("--feature", "features", texts(features)),
            ("--subgroup-size", "subgroup_size", json!(subgroup_size)),
            ("--lang", "lang", word(lang.as_ref())),
            ("--stage", "stage", word(stage.as_ref())),
            ("--glslang", "glslang", flag(*glslang)),
            ("-I", "includes", texts(&paths)),
            ("-D", "defines", texts(defines)),
            ("--frontend", "frontend", word(frontend.as_ref())),
            ("-O", "opt", json!(opt)),
            ("--image-format", "image_formats", texts(formats)),
            ("--robust", "robust", word(robust.as_ref())),
        ];
        list.into_iter().map(|(option, key, value)| GivenOption { option, key, value }).collect()
    }
    /// The first option given that only a compilation reads.
    pub fn given(&self) -> Option<&'static str> {
        self.list().into_iter().find(|o| !o.value.is_null() && o.option != "--entry").map(|o| o.option)
    }
}

/// The word of a choice.
fn word<T: ValueEnum>(choice: Option<&T>) -> Value {
    choice.and_then(ValueEnum::to_possible_value).map_or(Value::Null, |v| json!(v.get_name()))
}

/// An option of a compilation with its value.
pub struct GivenOption {
    /// Its name on the command line.
    pub option: &'static str,
    /// Its name in reports.
    pub key: &'static str,
    /// Its value: null where it was not given, true for one without a value, a list for one that may be repeated.
    pub value: Value,
}

impl GivenOption {
    /// The values as a command line has them, one for each time; an empty one for an option without a value.
    pub fn values(&self) -> Vec<String> {
        let text = |v: &Value| v.as_str().map_or_else(|| v.to_string(), String::from);
        match &self.value {
            Value::Null => Vec::new(),
            Value::Bool(_) => vec![String::new()],
            Value::Array(list) => list.iter().map(text).collect(),
            one => vec![text(one)],
        }
    }
}

/// `gpucc disasm`.
#[derive(Debug, Args)]
pub struct Disasm {
    /// Container, or `-` with `--words`.
    pub file: Option<PathBuf>,
    /// Raw machine code instead of a container.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["file", "words"])]
    pub raw: Option<PathBuf>,
    /// Read one instruction per line from standard input, in the notation of the family.
    #[arg(long)]
    pub words: bool,
    /// Family and generation of the raw code or words.
    #[arg(long, value_name = "T")]
    pub target: Option<String>,
    /// Program type, if the instruction set distinguishes several.
    #[arg(long, value_enum)]
    pub stage: Option<StageArg>,
}

/// `gpucc asm`.
#[derive(Debug, Args)]
pub struct Asm {
    /// Listing, or `-` for standard input.
    pub file: Option<PathBuf>,
    /// Read one instruction per line and print its words.
    #[arg(long)]
    pub words: bool,
    /// Prefer the long forms of instructions that have two (Tesla).
    #[arg(long)]
    pub long: bool,
    /// Family and generation.
    #[arg(long, value_name = "T")]
    pub target: Option<String>,
    /// Program type, if the instruction set distinguishes several.
    #[arg(long, value_enum)]
    pub stage: Option<StageArg>,
    /// Replace the code of this container, and write a container that `run` accepts.
    #[arg(long, value_name = "FILE.bin", conflicts_with = "words")]
    pub container: Option<PathBuf>,
    /// Entry point of the container, if it has several.
    #[arg(long, value_name = "NAME", requires = "container")]
    pub entry: Option<String>,
    /// Output: raw machine code, or a container with `--container`.
    #[arg(short, long, value_name = "OUT", conflicts_with = "words")]
    pub output: Option<PathBuf>,
}

/// `gpucc inspect`.
#[derive(Debug, Args)]
pub struct Inspect {
    /// Container.
    pub file: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `gpucc run`.
#[derive(Debug, Args)]
pub struct Run {
    /// Shader or container.
    #[arg(required_unless_present = "launch")]
    pub input: Option<PathBuf>,
    /// Run machine code of any compiler from a launch description (JSON), under the rules of the hardware.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["input", "target", "grid", "buffers", "oracle", "entry", "overrides", "features", "immediates", "lang", "stage", "frontend", "opt", "subgroup_size", "robust", "glslang", "includes", "defines", "formats", "deny"])]
    pub launch: Option<PathBuf>,
    /// Target, or `interp` for the IR interpreter [default for shaders: interp].
    #[arg(long, value_name = "T")]
    pub target: Option<String>,
    /// Workgroup counts.
    #[arg(long, value_name = "X,Y,Z", default_value = "1,1,1")]
    pub grid: String,
    /// Bind a buffer (`G:B[K]` is element K of an array of buffers): FILE, `zero:BYTES`, `f32:1,2.5,...`, `f16:...`, `u32:...`, `i32:...`, `addr:G:B,...`, or several joined by `+`.
    #[arg(long = "buf", value_name = "G:B=SPEC", allow_hyphen_values = true)]
    pub buffers: Vec<String>,
    /// Write a buffer after the run, to FILE or as text to standard output (`-`).
    #[arg(long = "dump", value_name = "G:B=FILE")]
    pub dumps: Vec<String>,
    /// Also run the IR interpreter and compare the results.
    #[arg(long)]
    pub oracle: bool,
    /// Exit with code 1 if `--oracle` has nothing to compare, or leaves out more than a tenth of it.
    #[arg(long, value_enum, requires = "oracle")]
    pub deny: Option<Deny>,
    /// Immediate data (push constants), written as for `--buf`.
    #[arg(long, value_name = "SPEC", allow_hyphen_values = true)]
    pub immediates: Option<String>,
    /// Randomise uninitialised memory, scheduling and rounding errors, using this seed.
    #[arg(long, value_name = "SEED")]
    pub perturb: Option<u64>,
    /// Treatment of data races [default: trap; off with --launch].
    #[arg(long, value_name = "WHAT")]
    pub races: Option<RacesArg>,
    /// Stop after this many steps [default: 1000000000].
    #[arg(long, value_name = "LIMIT")]
    pub steps: Option<u64>,
    /// Print the number of executed instructions by class and the cycles of the busiest unit.
    #[arg(long)]
    pub stats: bool,
    /// Options of the compilation.
    #[command(flatten)]
    pub front: Front,
}

/// `gpucc render`.
#[derive(Debug, Args)]
pub struct Render {
    /// Scene (`.toml`, `.json`) or fragment shader (`.wgsl`, `.spv`, `.frag`, `.glsl`); `-` is a JSON scene or WGSL on standard input.
    /// A vertex and a fragment shader, or one file with both stages, are drawn with a scene made by reflection.
    #[arg(required = true, num_args = 1..=2, value_names = ["INPUT", "FRAG"])]
    pub inputs: Vec<PathBuf>,
    /// Print the scene that a vertex and a fragment shader are drawn with, to be edited.
    #[arg(long, conflicts_with_all = ["target", "output", "dumps", "oracle", "deny", "steps", "perturb", "stats", "opt", "diff", "heat", "pixel", "sheet", "frames", "channels", "code", "toy_buffers", "common", "skip"])]
    pub init: bool,
    /// Where to draw: `interp` for the IR interpreter, `family[:generation]`, a comma-separated list, or `all` [default: interp].
    #[arg(long, value_name = "T")]
    pub target: Option<String>,
    /// Write the presented output as a PNG file.
    #[arg(short, long, value_name = "OUT.png")]
    pub output: Option<PathBuf>,
    /// Write the raw bytes of an output of the scene.
    #[arg(long = "dump", value_name = "NAME=FILE")]
    pub dumps: Vec<String>,
    /// Also draw with the IR interpreter and compare: with the same lowered modules, or with the modules as written.
    #[arg(long, value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "lowered", value_name = "WITH")]
    pub oracle: Option<OracleArg>,
    /// Exit with code 1 if `--oracle` has nothing to compare, or leaves out more than a tenth of it.
    #[arg(long, value_enum, requires = "oracle")]
    pub deny: Option<Deny>,
    /// Picture size for a single shader [default: 640x360], or for a scene, of which textures without contents that have the proportions of
    /// the picture change with it.
    #[arg(long, value_name = "WxH")]
    pub size: Option<String>,
    /// Draw where the pictures differ from the oracle's: dark where they are equal, blue for a step of 255, green for two, yellow up to
    /// seven, red for more.
    #[arg(long, value_name = "FILE.png")]
    pub diff: Option<PathBuf>,
    /// Print what the fragments of this pixel execute, in order and by source line: instructions of the machine, blocks of the IR on the
    /// oracle. Of several frames those of the last.
    #[arg(long, value_name = "X,Y")]
    pub pixel: Option<String>,
    /// Draw what each pixel costs, blue for little to red for the most, with a scale. Quads run one by one then.
    #[arg(long, value_name = "FILE.png")]
    pub heat: Option<PathBuf>,
    /// What `--heat` shows [default: instructions].
    #[arg(long, value_enum, requires = "heat")]
    pub heat_by: Option<HeatBy>,
    /// Write all pictures side by side with their names, the oracle's first.
    #[arg(long, value_name = "FILE.png")]
    pub sheet: Option<PathBuf>,
    /// Draw so many frames, each after the one before: an animated PNG, or a folder of `0000.png` and so on if OUT does not end in `.png`.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), conflicts_with = "stats")]
    pub frames: Option<u32>,
    /// Frames in a second [default: 30; 60 with `--skip` alone].
    #[arg(long, value_name = "F", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub fps: Option<u16>,
    /// Time passed to a single shader, or to the buffers of a scene with `frame = true`; of several frames that of the first [default: 0].
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub time: Option<String>,
    /// Mouse position passed likewise, in pixels from the upper left corner [default: 0,0].
    #[arg(long, value_name = "X,Y", allow_hyphen_values = true)]
    pub mouse: Option<String>,
    /// Immediate data (push constants) of a single shader, written as for `--buf` of `run`.
    #[arg(long, value_name = "SPEC", allow_hyphen_values = true)]
    pub immediates: Option<String>,
    /// A picture that a single shader samples as channel K: `iChannel0` to `iChannel3`, or the textures 2 to 5 of group 0 [default: noise of 64x64]. May be repeated.
    /// Of a body with `mainImage` a channel may also be a buffer `A` to `D`, `noise`, `noise256`, `volume`, `cube` or `keyboard`, behind which
    /// `,nearest`, `,linear`, `,mipmap`, `,repeat`, `,clamp` and `,mirror` say how it is sampled; `A.0=...` is that of a buffer.
    #[arg(long = "channel", value_name = "[PASS.]K=INPUT")]
    pub channels: Vec<String>,
    /// A body with `mainImage` that draws into the buffer A, B, C or D of floats, before the picture. May be repeated.
    #[arg(long = "buffer", value_name = "A=FILE.glsl")]
    pub toy_buffers: Vec<String>,
    /// Code that stands in front of every body with `mainImage`.
    #[arg(long, value_name = "FILE.glsl")]
    pub common: Option<PathBuf>,
    /// Draw so many frames before the first that is written: buffers and textures that are kept go on from these.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=100_000))]
    pub skip: Option<u32>,
    /// Draw with the machine code of a container: its entry points take the place of what is compiled for a pipeline. May be repeated.
    #[arg(long = "code", value_name = "[PIPELINE=]FILE.bin")]
    pub code: Vec<String>,
    /// Contents of the buffers of a scene that is made of a vertex and a fragment shader [default: the first of four whose picture has two colours].
    #[arg(long, value_name = "N")]
    pub seed: Option<u32>,
    /// Stop after this many steps of all invocations [default: 10^10].
    #[arg(long, value_name = "LIMIT")]
    pub steps: Option<u64>,
    /// Run workgroups, vertices and quads in a random order with this seed; no result may depend on it.
    #[arg(long, value_name = "SEED")]
    pub perturb: Option<u64>,
    /// Print the number of executed instructions by class and the cycles of the busiest unit.
    #[arg(long)]
    pub stats: bool,
    /// Options of the compilation.
    #[command(flatten)]
    pub front: Front,
}

/// What a pixel costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HeatBy {
    /// Instructions that its quads executed: of the machine, or of the IR on the oracle.
    Instructions,
    /// Cycles of the busiest unit; the oracle has none.
    Cycles,
    /// Fragments that were drawn over each other.
    Invocations,
}

/// The modules that the oracle of `render` runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OracleArg {
    /// The same lowered modules.
    Lowered,
    /// The modules as written.
    Source,
}

/// `gpucc stats`.
#[derive(Debug, Args)]
pub struct Stats {
    /// Shaders and folders, `-` for a shader on standard input, or `merge A.json B.json ...`.
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Targets [default: all].
    #[arg(long, value_name = "T")]
    pub target: Option<String>,
    /// Form of the report [default: by the extension of OUT; otherwise `table`, or `json` for `merge`].
    #[arg(long, value_enum)]
    pub format: Option<ReportFormat>,
    /// Number of threads [default: all cores].
    #[arg(long)]
    pub jobs: Option<usize>,
    /// Process only part I of N.
    #[arg(long, value_name = "I/N")]
    pub shard: Option<String>,
    /// Report code bytes, live registers and cycles by unit of each source line; line 0 is code without a source line.
    #[arg(long)]
    pub per_line: bool,
    /// Output file [default: standard output].
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Options of the compilation.
    #[command(flatten)]
    pub front: Front,
}

/// `gpucc explain`.
#[derive(Debug, Args)]
pub struct Explain {
    /// Shader, or a scene, of which each pipeline's stages are shown.
    pub input: PathBuf,
    /// Targets: `family[:generation]`, a comma-separated list, or `all`.
    #[arg(long, value_name = "T[,T]")]
    pub target: Option<String>,
    /// Write a page for a browser that loads nothing else [default: text to standard output].
    #[arg(long, value_name = "OUT.html")]
    pub html: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Another version, which this one stands beside: totals with their changes, and lines that belong together.
    #[arg(long, value_name = "OLD")]
    pub against: Option<PathBuf>,
    /// Count what is executed: of a compute shader by a dispatch, as with any of --grid, --buf and --immediates; of a scene by its frame.
    #[arg(long)]
    pub executed: bool,
    /// Workgroup counts of the dispatch [default: 1,1,1].
    #[arg(long, value_name = "X,Y,Z")]
    pub grid: Option<String>,
    /// Bind a buffer, written as for `run`.
    #[arg(long = "buf", value_name = "G:B=SPEC", allow_hyphen_values = true)]
    pub buffers: Vec<String>,
    /// Immediate data (push constants), written as for `--buf`.
    #[arg(long, value_name = "SPEC", allow_hyphen_values = true)]
    pub immediates: Option<String>,
    /// Options of the compilation.
    #[command(flatten)]
    pub front: Front,
}

/// `gpucc diff`.
#[derive(Debug, Args)]
pub struct Diff {
    /// The report before.
    pub old: PathBuf,
    /// The report after.
    pub new: PathBuf,
    /// TOML file with the limits that decide the exit code [default: no main total may get worse].
    #[arg(long, value_name = "FILE")]
    pub gate: Option<PathBuf>,
    /// Form of the comparison [default: by the extension of OUT; otherwise `table`].
    #[arg(long, value_enum)]
    pub format: Option<DiffFormat>,
    /// Output file [default: standard output].
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Folder that `--format github` puts before file names, relative to the root of the repository.
    #[arg(long, value_name = "DIR")]
    pub folder: Option<String>,
    /// Also print a patch of OLD to standard error that makes NEW the baseline, for `git apply` or `patch -p1`.
    #[arg(long)]
    pub accept: bool,
    /// Compare reports even if their options or schemas differ.
    #[arg(long)]
    pub allow_options: bool,
}

/// `gpucc icd`.
#[derive(Debug, Args)]
pub struct Icd {
    /// The driver's library [default: the one beside the command].
    #[arg(long, value_name = "PATH")]
    pub library: Option<PathBuf>,
    /// The manifest, or `-` for standard output.
    #[arg(short, long, value_name = "OUT.json")]
    pub output: PathBuf,
}

/// `gpucc exec`.
#[derive(Debug, Args)]
pub struct Exec {
    /// The devices in order: `family[:generation]`, `interp`, a comma-separated list, or `all` [default: the default generation of every family].
    #[arg(long, value_name = "T[,T]")]
    pub target: Option<String>,
    /// Do each dispatch and each draw again by the IR interpreter, and compare.
    #[arg(long)]
    pub oracle: bool,
    /// Exit with code 1 if `--oracle` has nothing to compare.
    #[arg(long, value_enum, requires = "oracle")]
    pub deny: Option<Deny>,
    /// Write the frames that the program presents to this folder, as PNG files.
    #[arg(long, value_name = "DIR")]
    pub frames: Option<PathBuf>,
    /// Write each dispatch as a `run` command and each draw as a scene to this folder.
    #[arg(long, value_name = "DIR")]
    pub dump: Option<PathBuf>,
    /// The driver's library [default: the one beside the command].
    #[arg(long, value_name = "PATH")]
    pub library: Option<PathBuf>,
    /// The program and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<std::ffi::OsString>,
}

/// The files that a compilation writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Emit {
    /// The container.
    Bin,
    /// Machine code bytes alone.
    Raw,
    /// Assembly listing.
    Asm,
    /// The IR after the target-independent passes.
    Gir,
    /// Machine IR before emission.
    Mir,
    /// The output of `inspect --json`.
    Json,
    /// Control flow after the target-independent passes with what lives where, for Graphviz.
    Dot,
    /// An ELF object, for families whose tools expect one.
    Elf,
}

impl Emit {
    /// Whether it is shown on standard output without `-o`.
    pub fn is_text(self) -> bool {
        matches!(self, Emit::Asm | Emit::Gir | Emit::Mir | Emit::Json | Emit::Dot)
    }
    /// The ending of files that are named after their input.
    pub fn ending(self) -> &'static str {
        match self {
            Emit::Bin => "bin",
            Emit::Raw => "raw",
            Emit::Asm => "s",
            Emit::Gir => "gir",
            Emit::Mir => "mir",
            Emit::Json => "json",
            Emit::Dot => "dot",
            Emit::Elf => "o",
        }
    }
}

/// The treatment of races.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RacesArg {
    /// The first race ends the run.
    Trap,
    /// Races are reported, and the run continues.
    Report,
    /// Races are not checked.
    Off,
}

/// Source languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LangArg {
    /// WGSL.
    Wgsl,
    /// SPIR-V binary.
    Spv,
    /// GLSL, its stage by `--stage`.
    Glsl,
    /// GLSL vertex shader.
    Vert,
    /// GLSL fragment shader.
    Frag,
    /// GLSL compute shader.
    Comp,
    /// The IR's text form.
    Gir,
}

/// The parts that are not left to the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Robust {
    /// Bounds of accesses, and zeros in workgroup memory.
    On,
    /// Zeros in workgroup memory alone.
    Zero,
    /// Nothing.
    Off,
}

/// Colour choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorArg {
    /// If standard error is a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Message forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    /// Text.
    Human,
    /// One JSON object per line.
    Json,
    /// One SARIF 2.1.0 document at the end.
    Sarif,
}

/// Program types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StageArg {
    /// Vertex.
    Vs,
    /// Geometry.
    Gs,
    /// Fragment.
    Fs,
    /// Compute.
    Cs,
}

/// Report forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// A table for people.
    Table,
    /// JSON.
    Json,
    /// CSV.
    Csv,
    /// Markdown.
    Md,
    /// An HTML page.
    Html,
    /// JUnit XML: a test for each row, skipped where the target refuses.
    Junit,
}

/// Forms of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DiffFormat {
    /// A table for people.
    Table,
    /// Markdown.
    Md,
    /// Annotations as workflow commands of GitHub.
    Github,
    /// JSON.
    Json,
    /// An HTML page.
    Html,
    /// JUnit XML: a test for each limited total and each regression.
    Junit,
}
