//! Reads a path of the command line as an IR module.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use gpucc::frontend::wesl::{File, Outside};
use gpucc::frontend::{self, Alone, FrontOptions, Lang, Loaded, Modules, SpirvReader};
use gpucc::glsl::{self, Glsl};
use gpucc::{CodegenOptions, Target};
use gpucc_ir::{Diagnostic, Module};
use gpucc_pipeline::Format;
use gpucc_scene::near;
use gpucc_scene::read::Language;

use crate::args::{Front, FrontendArg, LangArg, Messages, StageArg};
use crate::report::Reporter;
use crate::{Failure, assemble, effect, failure, files, targets};

/// A shader with what is needed to talk about it.
pub struct Input {
    /// The module as the frontend made it.
    pub module: Module,
    /// Where messages about it go.
    pub report: Reporter,
}

/// The language, by option or ending.
///
/// # Errors
/// A usage failure that lists the endings.
pub fn language(path: &Path, front: &Front) -> Result<Lang, Failure> {
    let arg = front.lang.or_else(|| match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "wgsl" | "wesl" => Some(LangArg::Wgsl),
        "spv" | "spvasm" => Some(LangArg::Spv),
        // `x.frag.glsl` says its stage.
        "glsl" => Some(match path.file_stem().and_then(|s| Path::new(s).extension()?.to_str()) {
            Some("vert") => LangArg::Vert,
            Some("frag") => LangArg::Frag,
            Some("comp") => LangArg::Comp,
            _ => LangArg::Glsl,
        }),
        "vert" => Some(LangArg::Vert),
        "frag" => Some(LangArg::Frag),
        "comp" => Some(LangArg::Comp),
        "gir" => Some(LangArg::Gir),
        _ => None,
    });
    if front.stage.is_some() && arg != Some(LangArg::Glsl) {
        return Err(Failure::Usage("--stage is for GLSL files with the ending .glsl, or with --lang glsl".into()));
    }
    match arg {
        Some(LangArg::Wgsl) => Ok(Lang::Wgsl),
        Some(LangArg::Spv) => Ok(Lang::Spirv),
        Some(LangArg::Glsl) => match front.stage {
            None | Some(StageArg::Cs) => Ok(Lang::GlslCompute),
            Some(StageArg::Vs) => Ok(Lang::GlslVertex),
            Some(StageArg::Fs) => Ok(Lang::GlslFragment),
            Some(StageArg::Gs) => Err(Failure::Usage("--stage gs: there are vs, fs and cs for shaders".into())),
        },
        Some(LangArg::Comp) => Ok(Lang::GlslCompute),
        Some(LangArg::Vert) => Ok(Lang::GlslVertex),
        Some(LangArg::Frag) => Ok(Lang::GlslFragment),
        Some(LangArg::Gir) => Ok(Lang::Gir),
        None if path == Path::new("-") => Ok(Lang::Wgsl),
        None if Language::of(path).is_some() => Err(Failure::Usage(format!(
            "`{}` is a scene by its ending, not a shader: use `gpucc render`, or `gpucc stats` for what its shaders become",
            path.display()
        ))),
        None => Err(Failure::Usage(format!(
            "cannot tell the language of `{}`: name it with --lang, or use one of .wgsl .wesl .spv .spvasm .glsl .vert .frag .comp .gir",
            path.display()
        ))),
    }
}

/// Options of the frontend from the command line.
///
/// # Errors
/// A usage failure for malformed overrides.
pub fn front_options(front: &Front) -> Result<FrontOptions, Failure> {
    let mut overrides = Vec::new();
    for o in &front.overrides {
        let bad = || Failure::Usage(format!("`--override {o}`: expected NAME=NUMBER"));
        let (name, value) = o.split_once('=').ok_or_else(bad)?;
        let value = match value.trim() {
            "true" => 1.0,
            "false" => 0.0,
            v => v.parse::<f64>().map_err(|_| bad())?,
        };
        overrides.push((name.trim().to_string(), value));
    }
    let (spirv, mut glsl) = match front.frontend {
        None | Some(FrontendArg::Spirv) => (SpirvReader::Spirv, glsl::Reader::Best),
        Some(FrontendArg::Naga) => (SpirvReader::Naga, glsl::Reader::Naga),
    };
    if front.glslang {
        if front.frontend == Some(FrontendArg::Naga) {
            return Err(Failure::Usage("--glslang and --frontend naga: GLSL has one reader".into()));
        }
        if !glsl::has_compiler() {
            let text = format!("--glslang: {} is not installed (package glslang-tools)", glsl::PROGRAM);
            return Err(Failure::Usage(text));
        }
        glsl = glsl::Reader::Glslang;
    }
    let around =
        glsl::Around { includes: front.includes.clone(), defines: defines(&front.defines)?, ..Default::default() };
    let formats = front.formats.iter().map(|f| image_format(f)).collect::<Result<_, _>>()?;
    let zeroes = front.robustness() == "zero";
    let (robust, subgroup_size) = (front.robust(), front.subgroup_size);
    Ok(FrontOptions {
        entry: front.entry.clone(),
        overrides,
        formats,
        robust,
        zeroes,
        spirv,
        glsl,
        around,
        subgroup_size,
        ..FrontOptions::default()
    })
}

/// The macros of `-D`.
fn defines(given: &[String]) -> Result<Vec<(String, String)>, Failure> {
    let one = |d: &String| {
        let (name, value) = d.split_once('=').unwrap_or((d, ""));
        glsl::macro_name(name).map_err(|d| Failure::Usage(format!("-D: {}", d.message)))?;
        if value.contains('\n') {
            return Err(Failure::Usage(format!("-D {name}: a macro is one line")));
        }
        Ok((name.to_string(), value.to_string()))
    };
    given.iter().map(one).collect()
}

/// The options for a file: GLSL has its name, and looks for files beside it.
pub fn of_file(options: FrontOptions, path: &Path) -> FrontOptions {
    let stdin = path == Path::new("-");
    let name = if stdin { "<stdin>".into() } else { path.display().to_string() };
    let folder = path.parent().filter(|_| !stdin).map(Path::to_path_buf);
    FrontOptions { around: glsl::Around { name, folder, ..options.around }, ..options }
}

/// The place and the format of an `--image-format`.
fn image_format(given: &str) -> Result<((u32, u32), Format), Failure> {
    let parts = || {
        let (place, format) = given.split_once('=')?;
        let (group, binding) = place.split_once(':')?;
        Some(((group.trim().parse().ok()?, binding.trim().parse().ok()?), format.trim()))
    };
    let bad = || Failure::Usage(format!("`--image-format {given}`: expected GROUP:BINDING=FORMAT"));
    let (at, format) = parts().ok_or_else(bad)?;
    let format = near::format(format).map_err(|e| Failure::Usage(format!("`--image-format {given}`: {e}")))?;
    Ok((at, format))
}

/// Options of code generation from the command line.
pub fn codegen_options(front: &Front) -> CodegenOptions {
    CodegenOptions { opt_level: front.level(), ..CodegenOptions::default() }
}

/// Reads and lowers a shader; diagnostics are shown.
///
/// # Errors
/// The class of what was shown, or a usage or I/O failure.
pub fn load(path: &Path, front: &Front, messages: &Messages) -> Result<Input, Failure> {
    // Of a folder with modules the root.
    let path = &root(path);
    // An ending that says nothing is told before a file is looked for.
    language(path, front)?;
    load_bytes(path, &files::read(path)?, front, messages)
}

/// The language of bytes that were read: standard input has no ending, so its first bytes tell SPIR-V from WGSL.
///
/// # Errors
/// A usage failure that lists the endings, or a container where a shader is needed.
pub fn language_of(path: &Path, bytes: &[u8], front: &Front) -> Result<Lang, Failure> {
    if bytes.starts_with(&gpucc_container::MAGIC) {
        let text = "is a gpucc container, not a shader: use `gpucc run`, `disasm` or `inspect`";
        return Err(Failure::Input(format!("`{}` {text}", path.display())));
    }
    let words = [SPIRV.to_le_bytes(), SPIRV.to_be_bytes()];
    if path == Path::new("-") && front.lang.is_none() && words.iter().any(|w| bytes.starts_with(w)) {
        return Ok(Lang::Spirv);
    }
    if path == Path::new("-") && front.lang.is_none() && is_scene(bytes) {
        let text =
            "standard input is a scene, not a shader: give it to `gpucc render`, or name the language with --lang";
        return Err(Failure::Input(text.into()));
    }
    language(path, front)
}

/// Whether a text begins as TOML or JSON does, and as no shader: with a table, a key or a brace.
pub fn is_scene(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(1 << 16)]);
    let Some(line) = text.lines().map(str::trim).find(|l| !l.is_empty() && !l.starts_with('#')) else { return false };
    let key = line.split_once('=').map_or("", |(key, _)| key.trim());
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    line.starts_with('[') || line.starts_with('{') || !key.is_empty() && key.chars().all(word)
}

/// First word of a SPIR-V module.
const SPIRV: u32 = 0x0723_0203;

/// Lowers a shader that was read; diagnostics are shown.
///
/// # Errors
/// The class of what was shown, or a usage failure.
pub fn load_bytes(path: &Path, bytes: &[u8], front: &Front, messages: &Messages) -> Result<Input, Failure> {
    let options = of_file(front_options(front)?, path);
    let source = source(path, bytes, front, &options)?;
    usage(effect::none_on(front, source.kind()))?;
    let input = loaded(source, &options, messages)?;
    usage(effect::none_in(front, &input.module))?;
    Ok(input)
}

/// Reads and lowers two shaders. GLSL of two stages that choose no places is linked by its names.
///
/// # Errors
/// As [`load`].
pub fn load_pair(paths: [&Path; 2], front: &Front, messages: &Messages) -> [Result<Input, Failure>; 2] {
    let read = paths.map(|path| {
        let path = &root(path);
        language(path, front)?;
        let options = of_file(front_options(front)?, path);
        let bytes = files::read(path)?;
        Ok((source(path, &bytes, front, &options)?.owned(), options))
    });
    let linked = match &read {
        [Ok((a, _)), Ok((b, _))] => [a.linked(b), b.linked(a)],
        _ => [None, None],
    };
    // An option has an effect on one of them at least.
    let idle = match &read {
        [Ok((a, _)), Ok((b, _))] => {
            effect::everywhere(&[effect::none_on(front, a.kind()), effect::none_on(front, b.kind())])
        }
        _ => None,
    };
    if let Some(text) = idle {
        return [Err(Failure::Usage(text.clone())), Err(Failure::Usage(text))];
    }
    let mut linked = linked.into_iter();
    let both = read.map(|r: Result<_, Failure>| {
        let (source, options) = r?;
        loaded(linked.next().flatten().unwrap_or(source), &options, messages)
    });
    if let [Ok(a), Ok(b)] = &both
        && let Some(text) = effect::everywhere(&[effect::none_in(front, &a.module), effect::none_in(front, &b.module)])
    {
        return [Err(Failure::Usage(text.clone())), Err(Failure::Usage(text))];
    }
    both
}

/// The first of these sentences as a usage failure.
fn usage(list: Vec<String>) -> Result<(), Failure> {
    list.into_iter().next().map_or(Ok(()), |text| Err(Failure::Usage(text)))
}

/// Lowers what was read; diagnostics are shown.
fn loaded(source: Source<'_>, options: &FrontOptions, messages: &Messages) -> Result<Input, Failure> {
    tried(source, options, messages).map_err(|(list, _)| failure(&list))
}

/// As [`load`]; where the shader is wrong, what was shown as well, for those who say it in another place too.
///
/// # Errors
/// A usage or I/O failure.
pub fn attempt(path: &Path, front: &Front, messages: &Messages) -> Result<Result<Input, Wrong>, Failure> {
    let path = &root(path);
    language(path, front)?;
    let bytes = files::read(path)?;
    let options = of_file(front_options(front)?, path);
    let source = source(path, &bytes, front, &options)?;
    usage(effect::none_on(front, source.kind()))?;
    let tried = tried(source, &options, messages);
    if let Ok(input) = &tried {
        usage(effect::none_in(front, &input.module))?;
    }
    Ok(tried)
}

/// What is wrong with a shader, and its text.
pub type Wrong = (Vec<Diagnostic>, Reporter);

fn tried(source: Source<'_>, options: &FrontOptions, messages: &Messages) -> Result<Input, Wrong> {
    let report = Reporter::with_files(messages, source.files(&options.around.name));
    let report = if matches!(source, Source::Bytes(..)) { report } else { report.counted() };
    match source.load(options) {
        Ok(loaded) => {
            report.show(&loaded.warnings, None);
            Ok(Input { module: loaded.module, report })
        }
        Err(list) => {
            report.show(&list, None);
            Err((list, report))
        }
    }
}

/// A shader that was read, with all that it takes from other files.
pub enum Source<'a> {
    /// Modules of WESL.
    Modules(Modules),
    /// GLSL of a stage.
    Glsl(Glsl),
    /// Anything else.
    Bytes(Cow<'a, [u8]>, Lang),
}

/// Reads what a shader takes from other files; what is wrong with it is said where it is loaded.
///
/// # Errors
/// A usage failure, or a file that cannot be read.
pub fn source<'a>(path: &Path, bytes: &'a [u8], front: &Front, options: &FrontOptions) -> Result<Source<'a>, Failure> {
    let lang = language_of(path, bytes, front)?;
    if glsl::is_glsl(lang) {
        return Ok(Source::Glsl(Glsl::read(bytes, lang, options)));
    }
    if lang == Lang::Wgsl && is_wesl(path) {
        return modules(path, bytes, &front.features).map(Source::Modules);
    }
    if lang == Lang::Spirv && path.extension().is_some_and(|e| e.eq_ignore_ascii_case("spvasm")) {
        return Ok(Source::Bytes(assemble::assemble(&options.around.name, bytes)?.into(), lang));
    }
    Ok(Source::Bytes(bytes.into(), lang))
}

impl Source<'_> {
    /// What it was read as.
    pub fn kind(&self) -> effect::Kind<'_> {
        match self {
            Source::Modules(m) => effect::Kind { lang: Lang::Wgsl, modules: Some(m) },
            Source::Glsl(_) => effect::Kind { lang: Lang::GlslFragment, modules: None },
            Source::Bytes(_, lang) => effect::Kind { lang: *lang, modules: None },
        }
    }

    /// The source with bytes of its own.
    fn owned(self) -> Source<'static> {
        match self {
            Source::Modules(m) => Source::Modules(m),
            Source::Glsl(g) => Source::Glsl(g),
            Source::Bytes(bytes, lang) => Source::Bytes(Cow::Owned(bytes.into_owned()), lang),
        }
    }

    /// A fragment shader of GLSL with the places of a vertex shader's varyings and uniforms, where it has others.
    pub fn linked(&self, other: &Source<'_>) -> Option<Source<'static>> {
        match (self, other) {
            (Source::Glsl(own), Source::Glsl(vertex)) => own.linked(vertex).map(Source::Glsl),
            _ => None,
        }
    }

    /// As [`frontend::load`].
    ///
    /// # Errors
    /// As [`frontend::load`].
    pub fn load(&self, options: &FrontOptions) -> Result<Loaded, Vec<Diagnostic>> {
        match self {
            Source::Modules(m) => m.load(options),
            Source::Glsl(g) => g.load(options),
            Source::Bytes(bytes, lang) => frontend::load(bytes, *lang, options),
        }
    }

    /// As [`frontend::load_each`].
    ///
    /// # Errors
    /// As [`frontend::load_each`].
    pub fn load_each(&self, options: &FrontOptions) -> Result<Vec<Alone>, Vec<Diagnostic>> {
        match self {
            Source::Modules(m) => m.load_each(options),
            Source::Glsl(g) => g.load_each(options),
            Source::Bytes(bytes, lang) => frontend::load_each(bytes, *lang, options),
        }
    }

    /// Names and texts of the files in which messages have their places: spans of a binary are offsets in the sources that it carries or names.
    pub fn files(&self, name: &str) -> Vec<(String, String)> {
        match self {
            Source::Modules(m) => m.files().iter().map(|f| (f.name.clone(), f.text.clone())).collect(),
            Source::Glsl(g) => texts(name, g.files()),
            Source::Bytes(bytes, Lang::Spirv) => texts(name, &frontend::source_files(bytes, Lang::Spirv)),
            Source::Bytes(bytes, _) => vec![(name.to_string(), String::from_utf8_lossy(bytes).into_owned())],
        }
    }
}

/// Names and texts of files; one without a name has that of the input.
fn texts(name: &str, files: &[gpucc_ir::SourceFile]) -> Vec<(String, String)> {
    let own = |file: &str| if file.is_empty() { name.to_string() } else { file.to_string() };
    let list: Vec<_> = files.iter().map(|f| (own(f.name()), f.text().to_string())).collect();
    if list.is_empty() { vec![(name.to_string(), String::new())] } else { list }
}

/// The root of modules in a folder; other paths as they are.
pub fn root(path: &Path) -> PathBuf {
    let root = ["package.wesl", "main.wesl"].map(|name| path.join(name)).into_iter().find(|f| f.is_file());
    root.unwrap_or_else(|| path.to_path_buf())
}

/// Whether a file is a module of WESL.
pub fn is_wesl(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("wesl"))
}

/// A root module of WESL with all that it imports: modules are files below the folder of the root, with the ending .wesl or .wgsl.
///
/// # Errors
/// A file that cannot be read, or is no text.
pub fn modules(path: &Path, bytes: &[u8], features: &[String]) -> Result<Modules, Failure> {
    let name = path.display().to_string();
    let Ok(text) = String::from_utf8(bytes.to_vec()) else {
        return Err(Failure::Input(format!("`{name}` is not UTF-8 text")));
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut failed = None;
    let mut read = |module: &[String]| {
        let file = module.iter().fold(folder.to_path_buf(), |f, part| f.join(part));
        let file = ["wesl", "wgsl"].map(|e| file.with_extension(e)).into_iter().find(|f| f.is_file())?;
        let name = file.display().to_string();
        match files::read(&file).map(String::from_utf8) {
            Ok(Ok(text)) => Some(File { name, text }),
            Ok(Err(_)) => {
                failed.get_or_insert(Failure::Input(format!("`{name}` is not UTF-8 text")));
                None
            }
            Err(failure) => {
                failed.get_or_insert(failure);
                None
            }
        }
    };
    let features = features.iter().cloned().collect();
    let modules = Modules::link(File { name, text }, &mut Outside { read: &mut read, features: &features });
    failed.map_or(Ok(modules), Err)
}

/// The targets of an option.
///
/// # Errors
/// A usage failure that lists what there is.
pub fn targets(text: Option<&str>) -> Result<Vec<Target>, Failure> {
    let text = text.ok_or_else(|| Failure::Usage(format!("--target is missing; available: {}", Target::known())))?;
    Ok(targets::list(text, false)?.into_iter().flatten().collect())
}
