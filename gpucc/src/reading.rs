//! What all front ends are asked with and give: languages, options, a module that was read and one that was lowered.

use std::borrow::Cow;

use gpucc_frontend_glsl::Around;
use gpucc_frontend_naga as naga_in;
use gpucc_frontend_spirv as spirv_in;
use gpucc_ir::{Class, Declared, Diagnostic, Module, Refusal, Severity};
use gpucc_pipeline::Format;

/// The reader that GLSL goes through first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reader {
    /// The reference compiler, where it is installed, else naga.
    #[default]
    Best,
    /// The reference compiler alone.
    Glslang,
    /// naga alone, for a second opinion on what it takes.
    Naga,
}

/// Source languages that [`load`](crate::frontend::load) reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lang {
    /// WGSL.
    Wgsl,
    /// SPIR-V binary.
    Spirv,
    /// GLSL compute shader.
    GlslCompute,
    /// GLSL vertex shader.
    GlslVertex,
    /// GLSL fragment shader.
    GlslFragment,
    /// The IR's text form.
    Gir,
}

/// The reader that SPIR-V goes through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpirvReader {
    /// The reader that makes IR of the module's own blocks.
    #[default]
    Spirv,
    /// naga's reader, for a second opinion.
    Naga,
}

/// The frontend's input besides the source.
#[derive(Clone, Debug)]
pub struct FrontOptions {
    /// Entry point; every one without it.
    pub entry: Option<String>,
    /// Overrides by name or numeric id.
    pub overrides: Vec<(String, f64)>,
    /// Values of overrides and specialisation constants by id, as the bits of their type: a number of 64 bits is kept whole, and a `bool` is true unless all bits are 0.
    /// They count before values by name. An id that the module does not have is passed over, as in Vulkan.
    pub constants: Vec<(u32, u64)>,
    /// Formats of storage images of SPIR-V that say none, by group and binding; of several the last counts.
    pub formats: Vec<((u32, u32), Format)>,
    /// Keep accesses in bounds and zero workgroup memory.
    pub robust: bool,
    /// Zero workgroup memory although accesses are not kept in bounds.
    pub zeroes: bool,
    /// The reader that SPIR-V goes through.
    pub spirv: SpirvReader,
    /// The reader that GLSL goes through.
    pub glsl: Reader,
    /// Name, folders and macros of GLSL.
    pub around: Around,
    /// Lanes of the subgroups that compute entry points are compiled for, 1 to 128: like Vulkan's required size of a stage.
    pub subgroup_size: Option<u32>,
}

impl Default for FrontOptions {
    fn default() -> Self {
        FrontOptions {
            entry: None,
            overrides: Vec::new(),
            constants: Vec::new(),
            formats: Vec::new(),
            robust: true,
            zeroes: false,
            spirv: SpirvReader::default(),
            glsl: Reader::default(),
            around: Around::default(),
            subgroup_size: None,
        }
    }
}

impl FrontOptions {
    /// The choices of a front end.
    fn own(&self) -> naga_in::Options {
        naga_in::Options {
            entry: self.entry.clone(),
            overrides: self.overrides.clone(),
            constants: self.constants.clone(),
            formats: self.formats.clone(),
            robust: self.robust,
            ..naga_in::Options::default()
        }
    }
}

/// A lowered shader, with the warnings about it.
#[derive(Debug)]
pub struct Loaded {
    /// The module of the IR.
    pub module: Module,
    /// Faults that do not stop compilation.
    pub warnings: Vec<Diagnostic>,
}

/// The module that a front end read.
pub(crate) enum Parsed<'a> {
    Naga(Box<naga_in::Parsed>, &'a [u8], naga_in::Lang),
    Spirv(Box<spirv_in::Parsed>, Declared),
}

impl<'a> Parsed<'a> {
    pub(crate) fn new(bytes: &'a [u8], lang: naga_in::Lang, options: &FrontOptions) -> Result<Self, Vec<Diagnostic>> {
        if lang == naga_in::Lang::Spirv && options.spirv == SpirvReader::Spirv {
            let declared = gpucc_frontend_glsl::declared(bytes);
            return spirv_in::parse(bytes).map(|p| Parsed::Spirv(Box::new(p), declared));
        }
        let parsed = naga_in::parse(naga_in::Input { bytes }, lang).map_err(|list| lacking(bytes, lang, list))?;
        Ok(Parsed::Naga(Box::new(parsed), bytes, lang))
    }

    /// Names and stages of the entry points, in source order.
    fn entries(&self) -> Vec<EntryName> {
        let name = |name: &str, stage: Result<gpucc_ir::Stage, &'static str>| EntryName {
            name: name.to_string(),
            stage: stage.map_or_else(|other| other, gpucc_ir::Stage::name),
        };
        match self {
            Parsed::Naga(parsed, ..) => parsed.entry_points().iter().map(|e| name(&e.name, e.stage)).collect(),
            Parsed::Spirv(parsed, _) => parsed.entry_points().iter().map(|e| name(&e.name, e.stage)).collect(),
        }
    }

    pub(crate) fn lower(&self, options: &FrontOptions) -> Result<Loaded, Vec<Diagnostic>> {
        let mut loaded = match self {
            Parsed::Naga(parsed, bytes, lang) => lower(parsed, bytes, *lang, options),
            Parsed::Spirv(parsed, declared) => {
                let mut module = spirv_in::lower(parsed, &options.own())?;
                module.declared = declared.clone();
                Ok(Loaded { module, warnings: Vec::new() })
            }
        }?;
        loaded.module.options.zeroes = options.zeroes;
        require_subgroups(&mut loaded.module, options)?;
        Ok(loaded)
    }
}

/// Gives compute entry points the size of subgroups that the options ask for.
fn require_subgroups(module: &mut Module, options: &FrontOptions) -> Result<(), Vec<Diagnostic>> {
    let Some(lanes) = options.subgroup_size else { return Ok(()) };
    let wrong = |text: String, e: Option<&gpucc_ir::EntryPoint>| {
        let d = Diagnostic::invalid("subgroup-size", text);
        vec![e.map_or(d.clone(), |e| d.at(e.span, "this entry point"))]
    };
    if lanes == 0 || u64::from(lanes) > gpucc_ir::MAX_LANES {
        return Err(wrong(format!("subgroups have 1 to {} lanes, not {lanes}", gpucc_ir::MAX_LANES), None));
    }
    for e in &mut module.entries {
        let own = e.subgroups().size.filter(|&n| n != lanes);
        if let Some(n) = own {
            return Err(wrong(
                format!("`{}` asks for subgroups of {n} lanes, the options for {lanes}", e.name),
                Some(e),
            ));
        }
        if let gpucc_ir::StageInfo::Compute { subgroups, .. } = &mut e.stage {
            subgroups.size = Some(lanes);
        }
    }
    Ok(())
}

/// A text with blanks for the mark of UTF-8 that some editors write before it, so that places stay.
pub(crate) fn without_mark(bytes: &[u8]) -> Cow<'_, [u8]> {
    // No module of words begins with it.
    match bytes.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) => Cow::Owned([b"   ", rest].concat()),
        None => Cow::Borrowed(bytes),
    }
}

/// What naga calls wrong in a module that our own reader takes is what naga lacks.
fn lacking(bytes: &[u8], lang: naga_in::Lang, list: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let is_wrong = list.iter().all(|d| d.class == Class::Invalid);
    let is_module = || {
        let own = spirv_in::parse(bytes).map(|p| Parsed::Spirv(Box::new(p), gpucc_frontend_glsl::declared(bytes)));
        own.is_ok_and(|own| own.lower(&FrontOptions::default()).is_ok())
    };
    if lang != naga_in::Lang::Spirv || !is_wrong || !is_module() {
        return list;
    }
    let told = |d: Diagnostic| {
        let message = format!("naga does not take this module: {}", d.message);
        Diagnostic { notes: d.notes, labels: d.labels, ..Diagnostic::unsupported(Refusal::Parser, message) }
    };
    list.into_iter().map(told).collect()
}

/// Most entry points that are asked one by one why they are refused.
const MOST_ASKED: usize = 16;

/// Lowering stops at the first entry point that it refuses; this adds what it says of the others.
pub(crate) fn every_refusal(parsed: &Parsed<'_>, options: &FrontOptions, mut list: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let entries = parsed.entries();
    if options.entry.is_none() && entries.len() > 1 && worst_is_refusal(&list) {
        for e in entries.into_iter().take(MOST_ASKED) {
            let alone = FrontOptions { entry: Some(e.name), ..options.clone() };
            let said = parsed.lower(&alone).err().unwrap_or_default();
            list.extend(said.into_iter().filter(|d| d.class != Class::Invalid));
        }
        let mut seen: Vec<Diagnostic> = Vec::new();
        for d in list {
            if !seen.contains(&d) {
                seen.push(d);
            }
        }
        list = seen;
    }
    list
}

fn worst_is_refusal(list: &[Diagnostic]) -> bool {
    list.iter().all(|d| d.class == Class::Unsupported)
}

/// An entry point by itself: where one is refused, the others may be fine.
#[derive(Debug)]
pub struct EntryName {
    /// Name of the entry point in the source.
    pub name: String,
    /// The name of its stage.
    pub stage: &'static str,
}

/// An entry point lowered by itself, or why it is not.
pub type Alone = (EntryName, Result<Loaded, Vec<Diagnostic>>);

pub(crate) fn each(parsed: &Parsed<'_>, options: &FrontOptions) -> Vec<Alone> {
    let wanted = |name: &str| options.entry.as_deref().is_none_or(|e| e == name);
    let mut list = Vec::new();
    for e in parsed.entries().into_iter().filter(|e| wanted(&e.name)) {
        let alone = FrontOptions { entry: Some(e.name.clone()), ..options.clone() };
        let lowered = parsed.lower(&alone);
        list.push((e, lowered));
    }
    list
}

pub(crate) fn naga_lang(lang: Lang) -> Option<naga_in::Lang> {
    Some(match lang {
        Lang::Wgsl => naga_in::Lang::Wgsl,
        Lang::Spirv => naga_in::Lang::Spirv,
        Lang::GlslCompute => naga_in::Lang::Glsl(naga_in::Stage::Compute),
        Lang::GlslVertex => naga_in::Lang::Glsl(naga_in::Stage::Vertex),
        Lang::GlslFragment => naga_in::Lang::Glsl(naga_in::Stage::Fragment),
        Lang::Gir => return None,
    })
}

fn lower(
    parsed: &naga_in::Parsed,
    bytes: &[u8],
    lang: naga_in::Lang,
    options: &FrontOptions,
) -> Result<Loaded, Vec<Diagnostic>> {
    let mut module = naga_in::lower(parsed, &options.own())?;
    module.declared = parsed.declared();
    if lang != naga_in::Lang::Spirv {
        module.set_source_text(bytes);
    }
    let mut warnings = Vec::new();
    if lang == naga_in::Lang::Wgsl {
        let derivatives = parsed.derivative_uniformity();
        let found = crate::compile::guarded("uniformity", || Ok(crate::uniform::check(&module, &derivatives)));
        let (wrong, told) = found.map_err(|d| vec![d])?.into_iter().partition(|d| d.severity == Severity::Error);
        warnings = told;
        let wrong: Vec<Diagnostic> = wrong;
        if !wrong.is_empty() {
            return Err(wrong);
        }
    }
    Ok(Loaded { module, warnings })
}

/// The IR's own text form: parsed and verified.
pub(crate) fn gir(bytes: &[u8], options: &FrontOptions) -> Result<Loaded, Vec<Diagnostic>> {
    let text = std::str::from_utf8(bytes).map_err(|e| {
        vec![Diagnostic::invalid("encoding", format!("the file is not UTF-8 text (byte {})", e.valid_up_to()))]
    })?;
    let mut module =
        crate::compile::guarded("the IR text", || gpucc_ir::text::parse_module(text)).map_err(|d| vec![d])?;
    (module.options.robust, module.options.zeroes) = (options.robust, options.zeroes);
    require_subgroups(&mut module, options)?;
    module.set_source_text(bytes);
    if let Err(list) = gpucc_ir::verify::verify_module(&module) {
        return Err(list.into_iter().map(|f| Diagnostic::invalid("verify", f.to_string())).collect());
    }
    crate::promises::check(&mut module);
    if let Some(name) = &options.entry {
        let names: Vec<String> = module.entries.iter().map(|e| e.name.clone()).collect();
        module.entries.retain(|e| e.name == *name);
        if module.entries.is_empty() {
            let text = format!("no entry point `{name}`; available: {}", names.join(", "));
            return Err(vec![Diagnostic::invalid("no-entry", text)]);
        }
    }
    Ok(Loaded { module, warnings: Vec::new() })
}
