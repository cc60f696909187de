//! WGSL, SPIR-V and GLSL to gpucc IR, through naga.
//!
//! [`parse`] reads and validates; [`Parsed::entry_points`] and [`Parsed::overrides`] say what there is; [`lower`] makes IR of one
//! entry point or of all. naga's types stay inside this crate: it changes each quarter.
//!
//! Input is not trusted. Limits ([`limits`]) are checked before naga's recursive parser sees the text, and everything
//! that recurses runs on a thread with a large stack; what naga cannot digest comes back as a [`Diagnostic`].

#[doc(hidden)]
mod aliasing;
mod align;
mod arguments;
mod behaviour;
mod declared;
mod edits;
mod exponents;
pub mod guard;
mod halves;
mod known;
mod lower;
mod misread;
mod overrides;
mod parse;
#[doc(hidden)]
pub mod report;
mod right;
mod rules;
mod run_time;
mod severity;
mod shadow;
mod spelled;
mod subgroups;
pub mod wesl;

pub use gpucc_frontend_common::{EntryInfo, Options, OverrideInfo};
pub use guard::limits;
pub use report::line_column;
pub use severity::{DerivativeUniformity, Told};

use edits::Edits;

use gpucc_ir::{Diagnostic, Module, Span};

/// The meaning of the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lang {
    /// WebGPU Shading Language.
    Wgsl,
    /// A SPIR-V binary.
    Spirv,
    /// Vulkan GLSL of one stage.
    Glsl(Stage),
}

/// A shader stage that a GLSL source can be of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Compute.
    Compute,
    /// Vertex.
    Vertex,
    /// Fragment.
    Fragment,
}

/// The input: bytes as read from a file.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The bytes of a text or binary module.
    pub bytes: &'a [u8],
}

impl<'a> Input<'a> {
    /// The input of a source text.
    pub fn text(source: &'a str) -> Self {
        Input { bytes: source.as_bytes() }
    }
}

/// A module that naga has read and validated.
#[derive(Debug)]
pub struct Parsed {
    module: naga::Module,
    info: naga::valid::ModuleInfo,
    /// Types of expressions, where those of `info` are of the module's shadow.
    types: Option<shadow::Types>,
    lang: Lang,
    /// Where the source has the head of each entry point.
    heads: Vec<(String, Span)>,
    /// Where the text that naga read differs from the source.
    edits: Edits,
    /// Parts of the source in which `derivative_uniformity` has another severity, inner ones behind those around them.
    regions: Vec<(Span, Told)>,
    /// Bytes of stack for what recurses over it.
    stack: usize,
    /// The text of a module with overrides, and where it differs from the source.
    source: Option<(String, Edits)>,
}

/// Reads and validates a module.
pub fn parse(input: Input<'_>, lang: Lang) -> Result<Parsed, Vec<Diagnostic>> {
    let text = if lang == Lang::Wgsl { std::str::from_utf8(input.bytes).ok() } else { None };
    let Some(text) = text.filter(|t| t.len() as u64 <= limits::SOURCE_BYTES.max) else {
        return parse_text(input, lang);
    };
    let list = match parse_halves(text) {
        Ok(parsed) => return parsed.obeys(text).map(|parsed| parsed.with_source(text)),
        Err(list) => list,
    };
    // Text that naga's parser cannot read may be said in another way.
    let Some(right) = right::put_right(text).map_err(|d| vec![d])? else { return Err(list) };
    let explained = |list: Vec<Diagnostic>| list.into_iter().map(|d| right.edits.explain(d)).collect::<Vec<_>>();
    let mut parsed = parse_halves(&right.text).map_err(explained)?;
    parsed.heads.iter_mut().for_each(|h| h.1 = right.edits.span(h.1));
    parsed.regions = right.regions;
    let parsed = Parsed { edits: parsed.edits.after(right.edits), ..parsed };
    parsed.obeys(text).map(|parsed| parsed.with_source(text))
}

/// WGSL that was made of a source by changes.
fn parse_edited(text: &str, edits: &Edits) -> Result<Parsed, Vec<Diagnostic>> {
    let explained = |list: Vec<Diagnostic>| list.into_iter().map(|d| edits.explain(d)).collect::<Vec<_>>();
    let mut parsed = parse(Input::text(text), Lang::Wgsl).map_err(explained)?;
    parsed.heads.iter_mut().for_each(|h| h.1 = edits.span(h.1));
    parsed.regions.iter_mut().for_each(|r| r.0 = edits.span(r.0));
    let source = parsed.source.take().map(|(text, own)| (text, own.after(edits.clone())));
    Ok(Parsed { edits: parsed.edits.after(edits.clone()), source, ..parsed })
}

/// WGSL whose casts to halves are said in another way.
fn parse_halves(source: &str) -> Result<Parsed, Vec<Diagnostic>> {
    let Some((text, edits)) = halves::rewrite(source) else { return parse_exponents(source) };
    let parsed = parse_exponents(&text);
    let mut parsed = parsed.map_err(|list| list.into_iter().map(|d| edits.explain(d)).collect::<Vec<_>>())?;
    parsed.heads.iter_mut().for_each(|h| h.1 = edits.span(h.1));
    Ok(Parsed { edits: parsed.edits.after(edits), ..parsed })
}

/// WGSL in which `frexp` of halves is said in another way, where naga does not take it as it is.
fn parse_exponents(source: &str) -> Result<Parsed, Vec<Diagnostic>> {
    let list = match parse_text(Input::text(source), Lang::Wgsl) {
        Ok(parsed) => return Ok(parsed),
        Err(list) => list,
    };
    let Some((text, edits)) = exponents::rewrite(source) else { return Err(list) };
    match parse_text(Input::text(&text), Lang::Wgsl) {
        Ok(mut parsed) => {
            parsed.heads.iter_mut().for_each(|h| h.1 = edits.span(h.1));
            Ok(Parsed { edits: parsed.edits.after(edits), ..parsed })
        }
        // Other errors; of types that only the new text has the source's message is better.
        Err(other) if other.iter().all(|d| !format!("{d:?}").contains("gpucc_")) => {
            Err(other.into_iter().map(|d| edits.explain(d)).collect())
        }
        Err(_) => Err(list),
    }
}

/// Same as [`parse`], for a text that naga can read.
fn parse_text(input: Input<'_>, lang: Lang) -> Result<Parsed, Vec<Diagnostic>> {
    let source = if lang == Lang::Spirv { None } else { std::str::from_utf8(input.bytes).ok() };
    let parsed = parse::parse(&input, lang).map_err(|list| match source {
        Some(source) => known::explain(list, lang, source),
        None => list,
    })?;
    if let (Lang::Wgsl, Some(source)) = (lang, source) {
        let Err(list) = align::check(&parsed.module, source) else { return Ok(parsed) };
        let Some(changes) = align::padding(&parsed.module, source) else { return Err(list) };
        let (text, edits) = Edits::apply(source, changes);
        let padded = parse::parse(&Input::text(&text), lang);
        let mut padded = padded.map_err(|list| list.into_iter().map(|d| edits.explain(d)).collect::<Vec<_>>())?;
        if align::check(&padded.module, &text).is_err() {
            return Err(list);
        }
        padded.heads.iter_mut().for_each(|h| h.1 = edits.span(h.1));
        return Ok(Parsed { edits: padded.edits.after(edits), ..padded });
    }
    Ok(parsed)
}

/// Lowers one entry point of a module, or all of them.
pub fn lower(parsed: &Parsed, options: &Options) -> Result<Module, Vec<Diagnostic>> {
    let rest = |list: Vec<Diagnostic>| match overrides::written(parsed, options)? {
        Some(written) => {
            lower_parsed(&written, &Options { overrides: Vec::new(), constants: Vec::new(), ..options.clone() })
        }
        None => Err(list),
    };
    let has_overrides = !parsed.module.overrides.is_empty();
    match lower_parsed(parsed, options) {
        Err(list) if has_overrides && (parsed.types.is_some() || list[0].code == "override") => rest(list),
        done => done,
    }
}

fn lower_parsed(parsed: &Parsed, options: &Options) -> Result<Module, Vec<Diagnostic>> {
    let done = report::guarded(parsed.stack, || lower::lower(parsed, options), report::broke);
    match (done, parsed.lang) {
        (Err(list), Lang::Glsl(_)) => Err(list.into_iter().map(known::not_taken).collect()),
        (done, _) => done,
    }
}

impl Parsed {
    /// Keeps the text, if it may be needed again.
    fn with_source(self, text: &str) -> Parsed {
        let source = (!self.module.overrides.is_empty()).then(|| (text.to_string(), Edits::default()));
        Parsed { source, ..self }
    }

    /// The module, if it obeys the rules of WGSL that naga does not check.
    fn obeys(self, text: &str) -> Result<Parsed, Vec<Diagnostic>> {
        rules::of_text(text)?;
        match rules::of_lanes(&self.module, text) {
            Some(found) => Err(vec![self.edits.explain(found)]),
            None => Ok(self),
        }
    }

    /// The language it was written in.
    pub fn lang(&self) -> Lang {
        self.lang
    }

    /// The entry points, in source order.
    pub fn entry_points(&self) -> Vec<EntryInfo> {
        self.module.entry_points.iter().map(|e| lower::entry_info(self, e)).collect()
    }

    /// Where an entry point is declared, as far as is known.
    fn entry_span(&self, name: &str) -> Span {
        self.heads.iter().find(|h| h.0 == name).map_or(Span::UNKNOWN, |h| h.1)
    }

    /// The overrides, in source order.
    pub fn overrides(&self) -> Vec<OverrideInfo> {
        let info = |o: &naga::Override| OverrideInfo { name: o.name.clone(), id: o.id, has_default: o.init.is_some() };
        self.module.overrides.iter().map(|(_, o)| info(o)).collect()
    }
}
