//! Loads source bytes as an IR module, in one call.

use gpucc_frontend_naga as naga_in;
pub use gpucc_frontend_naga::guard::thread::promise_room;
pub use gpucc_frontend_naga::wesl;
use gpucc_frontend_spirv as spirv_in;
use gpucc_ir::{Diagnostic, SourceFile};

use crate::glsl::{self, Glsl};
pub use crate::reading::{Alone, EntryName, FrontOptions, Lang, Loaded, SpirvReader};
use crate::reading::{Parsed, each, every_refusal, gir, naga_lang, without_mark};
pub use spirv_in::capabilities as spirv_support;

/// Parses, validates and lowers a shader of any size and origin; hostile input is refused, never fatal.
///
/// # Errors
/// Diagnostics with spans into the source: wrong input, what is not lowered yet, or a compiler bug.
pub fn load(bytes: &[u8], lang: Lang, options: &FrontOptions) -> Result<Loaded, Vec<Diagnostic>> {
    let bytes = &*without_mark(bytes);
    let Some(own) = naga_lang(lang) else { return gir(bytes, options) };
    if glsl::is_glsl(lang) {
        let glsl = Glsl::read(bytes, lang, options);
        return glsl.load(options).map_err(|list| glsl.in_one_text(list));
    }
    let lang = own;
    let parsed = Parsed::new(bytes, lang, options)?;
    parsed.lower(options).map_err(|list| every_refusal(&parsed, options, list))
}

/// A program of WESL: the root and all modules that it imports.
#[derive(Debug)]
pub struct Modules {
    files: Vec<wesl::File>,
    text: String,
    linked: Result<wesl::Linked, Vec<Diagnostic>>,
}

impl Modules {
    /// Puts a root together with what it imports. What is wrong with it [`Modules::load`] says.
    pub fn link(root: wesl::File, outside: &mut wesl::Outside<'_>) -> Modules {
        let (files, linked) = wesl::link(root, outside);
        let text = files.iter().map(|f| f.text.as_str()).collect::<Vec<_>>().join("\n");
        Modules { files, text, linked }
    }

    /// The modules, the root first.
    pub fn files(&self) -> &[wesl::File] {
        &self.files
    }

    /// The texts of all, one behind the other with a byte between. Diagnostics have their places in it.
    pub fn text(&self) -> &str {
        &self.text
    }

    fn parsed(&self) -> Result<Parsed<'_>, Vec<Diagnostic>> {
        let linked = self.linked.as_ref().map_err(Clone::clone)?;
        Ok(Parsed::Naga(Box::new(wesl::parse(linked)?), self.text.as_bytes(), naga_in::Lang::Wgsl))
    }

    /// As [`load`].
    ///
    /// # Errors
    /// As [`load`], with places in the texts of all modules.
    pub fn load(&self, options: &FrontOptions) -> Result<Loaded, Vec<Diagnostic>> {
        let parsed = self.parsed()?;
        parsed.lower(options).map_err(|list| every_refusal(&parsed, options, list))
    }

    /// As [`load_each`].
    ///
    /// # Errors
    /// As [`load_each`], with places in the texts of all modules.
    pub fn load_each(&self, options: &FrontOptions) -> Result<Vec<Alone>, Vec<Diagnostic>> {
        Ok(each(&self.parsed()?, options))
    }
}

/// As [`load`], with every entry point lowered by itself: in source order, or only the one of `options`.
///
/// # Errors
/// Inputs that cannot be read at all. Refusals of one entry point are with it.
pub fn load_each(bytes: &[u8], lang: Lang, options: &FrontOptions) -> Result<Vec<Alone>, Vec<Diagnostic>> {
    let Some(own) = naga_lang(lang) else {
        let module = gir(&without_mark(bytes), options)?.module;
        let alone = |e: &gpucc_ir::EntryPoint| {
            let mut module = module.clone();
            module.entries = vec![e.clone()];
            let name = EntryName { name: e.name.clone(), stage: e.stage.kind().name() };
            (name, Ok(Loaded { module, warnings: Vec::new() }))
        };
        return Ok(module.entries.iter().map(alone).collect());
    };
    let bytes = &*without_mark(bytes);
    if glsl::is_glsl(lang) {
        let glsl = Glsl::read(bytes, lang, options);
        let own = |list| glsl.in_one_text(list);
        let each = glsl.load_each(options).map_err(own)?;
        return Ok(each.into_iter().map(|(entry, done)| (entry, done.map_err(own))).collect());
    }
    Ok(each(&Parsed::new(bytes, own, options)?, options))
}

/// The files that a SPIR-V binary says it was made from; spans of its diagnostics are offsets in their texts, one after the
/// other with a byte between. Other languages are their own source.
pub fn source_files(bytes: &[u8], lang: Lang) -> Vec<SourceFile> {
    if lang == Lang::Spirv { spirv_in::source_files(bytes) } else { Vec::new() }
}
