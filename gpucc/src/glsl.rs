//! GLSL by the reference compiler and the reader of SPIR-V, or by naga where that compiler is not there.

use gpucc_frontend_glsl as glsl_in;
use gpucc_ir::{Diagnostic, Refusal, SourceFile, Span};

use crate::reading::{Alone, FrontOptions, Lang, Loaded, Parsed, each, every_refusal, without_mark};

pub use crate::reading::Reader;
pub use glsl_in::{Around, Block, Channel, LOOSE_GROUP, Member, PROGRAM, Shape, Toy, blocks, has_compiler, macro_name};

/// A text that was read, or why it was not.
#[derive(Debug)]
pub struct Glsl {
    lang: Lang,
    files: Vec<SourceFile>,
    read: Result<Form, Vec<Diagnostic>>,
}

/// The form that a front end takes.
#[derive(Debug)]
enum Form {
    Spirv(Vec<u8>),
    /// A text, and the bytes of it in front of the author's.
    Text(String, usize, gpucc_frontend_naga::Stage),
}

fn stage(lang: Lang) -> Option<glsl_in::Stage> {
    Some(match lang {
        Lang::GlslCompute => glsl_in::Stage::Compute,
        Lang::GlslVertex => glsl_in::Stage::Vertex,
        Lang::GlslFragment => glsl_in::Stage::Fragment,
        Lang::Wgsl | Lang::Spirv | Lang::Gir => return None,
    })
}

/// Whether a language is GLSL of some stage.
pub fn is_glsl(lang: Lang) -> bool {
    stage(lang).is_some()
}

/// Whether the text of a fragment shader is a body as ShaderToy has them: `mainImage` without `main`.
pub fn is_body(text: &str) -> bool {
    glsl_in::shadertoy(text).is_some()
}

impl Glsl {
    /// Reads a text of a stage. What is wrong with it [`Glsl::load`] says, also of a language that is not GLSL.
    pub fn read(bytes: &[u8], lang: Lang, options: &FrontOptions) -> Glsl {
        let name = options.around.name.as_str();
        let wrong =
            |text: &str, d: Diagnostic| Glsl { lang, files: vec![SourceFile::new(name, text)], read: Err(vec![d]) };
        let Some(stage) = stage(lang) else { return wrong("", Diagnostic::internal("glsl", "this is no GLSL")) };
        let bytes = &*without_mark(bytes);
        let most = gpucc_frontend_naga::limits::SOURCE_BYTES.max;
        let text = match std::str::from_utf8(bytes) {
            Ok(_) if bytes.len() as u64 > most => {
                let what = format!("the source has more than {most} bytes");
                return wrong("", Diagnostic::invalid("limit-source-size", what));
            }
            Ok(text) if text.trim().is_empty() => {
                return wrong(text, Diagnostic::invalid("empty", "the source is empty"));
            }
            Ok(text) => text,
            Err(e) => {
                let at = e.valid_up_to() as u32;
                let what = format!("the source is not UTF-8: byte {at} does not belong to a character");
                let d = Diagnostic::invalid("utf8", what).at(Span::new(at, at + 1), "first wrong byte");
                return wrong(&String::from_utf8_lossy(bytes), d);
            }
        };
        if options.glsl != Reader::Naga {
            match glsl_in::read(text, stage, &options.around) {
                Ok(spirv) => {
                    let files = gpucc_frontend_spirv::source_files(&spirv);
                    return Glsl { lang, files, read: Ok(Form::Spirv(spirv)) };
                }
                Err(glsl_in::Failed::Said(list, files)) => return Glsl { lang, files, read: Err(list) },
                Err(glsl_in::Failed::NoCompiler) if options.glsl == Reader::Glslang => {
                    let what = format!("GLSL is to be read by {PROGRAM}, which is not installed");
                    return wrong(
                        text,
                        Diagnostic::unsupported(Refusal::Parser, what).note("its package is glslang-tools"),
                    );
                }
                Err(glsl_in::Failed::NoCompiler) => {}
            }
        }
        let lacks = |what: &str, at: Span| {
            let d = Diagnostic::unsupported(Refusal::Parser, format!("{what} cannot be read without {PROGRAM}"));
            d.at(at, "").note(format!("install {PROGRAM} (package glslang-tools), by which GLSL is read then"))
        };
        if !options.around.defines.is_empty() {
            return wrong(text, lacks("GLSL text with macros from outside", Span::UNKNOWN));
        }
        let toy = &options.around.toy;
        if toy.common.is_some() {
            return wrong(text, lacks("a body with common code", Span::UNKNOWN));
        }
        if let Some(at) = text.find("#include") {
            return wrong(text, lacks("`#include` of GLSL text", Span::new(at as u32, at as u32 + 8)));
        }
        let files = vec![SourceFile::new(name, text)];
        let wrapped = if lang == Lang::GlslFragment { glsl_in::shadertoy(text) } else { None };
        let stage = match lang {
            Lang::GlslVertex => gpucc_frontend_naga::Stage::Vertex,
            Lang::GlslFragment => gpucc_frontend_naga::Stage::Fragment,
            _ => gpucc_frontend_naga::Stage::Compute,
        };
        let form = match wrapped {
            Some(w) => Form::Text(w.text(toy), w.before(toy).len(), stage),
            None => Form::Text(text.to_string(), 0, stage),
        };
        Glsl { lang, files, read: Ok(form) }
    }

    /// The author's text first, then the files that it includes. Places in messages are offsets in these, one after the other with a byte between;
    /// lines of code count on from each to the next.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// The module that the reference compiler made, if it did.
    pub fn spirv(&self) -> Option<&[u8]> {
        match &self.read {
            Ok(Form::Spirv(spirv)) => Some(spirv),
            _ => None,
        }
    }

    /// The uniforms outside of blocks: members of one block, at group [`LOOSE_GROUP`] and [`loose_binding`].
    pub fn loose_uniforms(&self) -> Vec<Member> {
        let both = self.spirv().zip(stage(self.lang));
        both.map_or_else(Vec::new, |(spirv, stage)| glsl_in::loose_uniforms(spirv, stage))
    }

    /// This fragment shader with varyings and uniforms where the vertex shader of its pipeline has those of the same names, as far as their texts
    /// leave places open. None if it is so already, and of other stages.
    pub fn linked(&self, vertex: &Glsl) -> Option<Glsl> {
        if (vertex.lang, self.lang) != (Lang::GlslVertex, Lang::GlslFragment) {
            return None;
        }
        let text = |g: &Glsl| g.files.first().map_or_else(String::new, |f| f.text().to_string());
        let linked = glsl_in::link((vertex.spirv()?, &text(vertex)), (self.spirv()?, &text(self)))?;
        Some(Glsl { lang: self.lang, files: self.files.clone(), read: Ok(Form::Spirv(linked)) })
    }

    fn parsed(&self, options: &FrontOptions) -> Result<Parsed<'_>, Vec<Diagnostic>> {
        match self.read.as_ref().map_err(Clone::clone)? {
            Form::Spirv(spirv) => Parsed::new(spirv, gpucc_frontend_naga::Lang::Spirv, options),
            Form::Text(text, _, stage) => {
                Parsed::new(text.as_bytes(), gpucc_frontend_naga::Lang::Glsl(*stage), options)
            }
        }
    }

    /// Moves places to the author's text, where the front end saw another.
    fn placed(&self, options: &FrontOptions, done: Result<Loaded, Vec<Diagnostic>>) -> Result<Loaded, Vec<Diagnostic>> {
        let Ok(Form::Text(_, before, _)) = &self.read else {
            let done = done.map_err(|list| if self.spirv().is_some() { of_compiler(options, list) } else { list });
            // Lines of several files are counted on from one to the next.
            return match done {
                Ok(mut loaded) if self.files.len() > 1 => {
                    let all: Vec<&str> = self.files.iter().map(SourceFile::text).collect();
                    loaded.module.set_source_text(all.join("\n").as_bytes());
                    Ok(loaded)
                }
                done => done,
            };
        };
        let (before, long) = (*before as u32, self.files.first().map_or(0, |f| f.text().len()) as u32);
        if before == 0 {
            return done;
        }
        let own = |s: Span| match s.start.checked_sub(before) {
            Some(start) if s.is_known() && s.end - before <= long => Span::new(start, s.end - before),
            _ => Span::UNKNOWN,
        };
        let told = |mut list: Vec<Diagnostic>| {
            list.iter_mut().flat_map(|d| &mut d.labels).for_each(|l| l.span = own(l.span));
            list
        };
        match done {
            Ok(mut loaded) => {
                loaded.module.map_spans(own);
                loaded.module.set_source_text(self.files.first().map_or("", |f| f.text()).as_bytes());
                Ok(Loaded { module: loaded.module, warnings: told(loaded.warnings) })
            }
            Err(list) => Err(told(list)),
        }
    }

    /// As `gpucc::frontend::load`.
    ///
    /// # Errors
    /// As `gpucc::frontend::load`, with places in all files.
    pub fn load(&self, options: &FrontOptions) -> Result<Loaded, Vec<Diagnostic>> {
        let loaded = self
            .parsed(options)
            .and_then(|parsed| parsed.lower(options).map_err(|list| every_refusal(&parsed, options, list)));
        self.placed(options, loaded)
    }

    /// As `gpucc::frontend::load_each`.
    ///
    /// # Errors
    /// As `gpucc::frontend::load_each`, with places in all files.
    pub fn load_each(&self, options: &FrontOptions) -> Result<Vec<Alone>, Vec<Diagnostic>> {
        let list = match self.parsed(options) {
            Ok(parsed) => each(&parsed, options),
            Err(list) => return self.placed(options, Err(list)).map(|_| Vec::new()),
        };
        Ok(list.into_iter().map(|(entry, done)| (entry, self.placed(options, done))).collect())
    }

    /// Messages of which those in other files say so by their notes: whoever gave one text knows no others.
    pub(crate) fn in_one_text(&self, mut list: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let Some(long) = self.files.first().map(|f| f.text().len() as u32) else { return list };
        for d in &mut list {
            let (own, others): (Vec<_>, Vec<_>) =
                d.labels.drain(..).partition(|l| !l.span.is_known() || l.span.end <= long);
            d.labels = own;
            for l in others {
                let mut start = 0;
                for f in &self.files {
                    let end = start + f.text().len() as u32;
                    if l.span.start >= start && l.span.start <= end {
                        let line = f.lines().partition_point(|line| *line <= l.span.start - start);
                        d.notes.push(format!("{}, line {line}", f.name()));
                    }
                    start = end + 1;
                }
            }
        }
        list
    }
}

/// A module that breaks a rule of SPIR-V is no error of an author whose text the reference compiler took, unless constants from outside made it so.
fn of_compiler(options: &FrontOptions, list: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let is_given = !options.overrides.is_empty() || !options.constants.is_empty();
    let refused = |d: Diagnostic| {
        if is_given || d.code != "validation" {
            return d;
        }
        let what = format!("{PROGRAM} made a module of this text that breaks a rule of SPIR-V: {}", d.message);
        let mut own = Diagnostic::unsupported(Refusal::Parser, what);
        (own.labels, own.notes) = (d.labels, d.notes);
        own.note("a newer version of it, or another spelling, may help")
    };
    list.into_iter().map(refused).collect()
}

/// Binding of the block of the uniforms outside of blocks; none of a language that is not GLSL.
pub fn loose_binding(lang: Lang) -> Option<u32> {
    stage(lang).map(glsl_in::loose_binding)
}
