//! `gpucc_compile` and its like, and the containers that they give.

use std::ffi::{c_char, c_void};
use std::ptr;

use gpucc::cache::Key;
use gpucc::frontend::{self, Loaded};
use gpucc::pipeline::{Link, Linked, Pipeline, default_of, described};
use gpucc::variant::{self, Piece};
use gpucc::{Artifact, Module, Options, Stage, Target, default_pipeline};

use crate::border::{Fault, Origin, Told, answers, bytes, wanted};
use crate::constants::{GPUCC_COMPUTE, GPUCC_FRAGMENT, GPUCC_VERTEX};
use crate::exports::{exports, free};
use crate::grow::taken;
use crate::numbers::Numbered;
use crate::options::{self, Asked, COptions};
use crate::pipeline::{self, CPipeline};

/// `gpucc_container`: the bytes of one.
#[derive(Debug)]
pub struct CContainer(Vec<u8>);

impl Asked {
    fn origin<'a>(&'a self, source: &'a [u8]) -> Origin<'a> {
        Origin { source, lang: self.lang, name: &self.name, target: &self.target }
    }

    /// Reads a source; warnings are told.
    fn load(&self, source: &[u8], told: &Told) -> Result<Loaded, Fault> {
        let shader = frontend::load(source, self.lang, &self.front).map_err(|list| self.origin(source).fault(list))?;
        told.warn(self.origin(source).rows(&shader.warnings));
        Ok(shader)
    }
}

/// The options of a module: with the other stage where it is described, which is that of its only vertex or fragment entry.
fn options_of(module: &Module, asked: &Asked) -> Result<Options, Fault> {
    let mut options = asked.options.clone();
    if let Some((other, early)) = &asked.other {
        let mut entries = module.entries.iter().filter(|e| e.stage.kind() != Stage::Compute);
        let (Some(e), None) = (entries.next(), entries.next()) else {
            return Err(Fault::usage("the other stage is that of one vertex or fragment entry: name the entry"));
        };
        let state = options.codegen.pipeline.as_deref().cloned();
        let state = state.unwrap_or_else(|| default_pipeline(&e.stage).pipeline);
        options.codegen.context = Some(Box::new(described(e.stage.kind(), state, other, *early)));
    }
    Ok(options)
}

fn compile(source: &[u8], asked: &Asked, told: &Told) -> Result<CContainer, Fault> {
    let shader = asked.load(source, told)?;
    let done = gpucc::compile(&shader.module, &options_of(&shader.module, asked)?);
    done.map(|a| CContainer(a.bytes())).map_err(|d| asked.origin(source).fault(vec![d]))
}

/// A source with what it is asked with.
type Side<'a> = (&'a [u8], Asked);

/// Reads and links two stages of a pipeline, or a vertex stage alone.
fn with_linked<T>(
    vertex: &Side<'_>,
    fragment: Option<&Side<'_>>,
    state: Option<Pipeline>,
    told: &Told,
    then: impl FnOnce(&Linked<'_>) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let (v, f) = (vertex, fragment);
    if let Some((_, f)) = f
        && (f.options.target != v.1.options.target || f.options.codegen.opt_level != v.1.options.codegen.opt_level)
    {
        return Err(Fault::usage("both stages of a pipeline have one target and one level"));
    }
    if [Some(v), f].into_iter().flatten().any(|s| s.1.has_pipeline || s.1.other.is_some()) {
        return Err(Fault::usage(
            "the state of a pipeline of two stages is an argument, not an option, and each is the other's other stage",
        ));
    }
    let first = v.1.load(v.0, told)?;
    let second = f.map(|f| f.1.load(f.0, told)).transpose()?;
    let second_module = second.as_ref().map(|s| &s.module);
    // A fault of linking has its place in the fragment stage, one of an attribute in the vertex stage.
    let wrong = |d| f.unwrap_or(v).1.origin(f.unwrap_or(v).0).fault(vec![d]);
    let state = match (state, second_module) {
        (Some(state), _) => state,
        (None, Some(m)) => default_of(&first.module, m).map_err(wrong)?,
        (None, None) => return Err(Fault::usage("without a fragment stage the state of the pipeline must be given")),
    };
    then(&state.link(&first.module, second_module).map_err(wrong)?)
}

/// Compiles two stages that are linked.
fn pair(linked: &Linked<'_>, v: &Side<'_>, f: Option<&Side<'_>>) -> Result<CContainer, Fault> {
    let done: Artifact = linked.vertex(&v.1.options).map_err(|d| v.1.origin(v.0).fault(vec![d]))?;
    let done = match f {
        None => done,
        Some((source, asked)) => match linked.fragment(&asked.options).transpose() {
            Err(d) => return Err(asked.origin(source).fault(vec![d])),
            Ok(None) => done,
            Ok(Some(more)) => done.joined(more),
        },
    };
    Ok(CContainer(done.bytes()))
}

/// A stage as C gives it: bytes, how many, and options.
type Given = (*const c_void, usize, *const COptions);

/// Reads both stages of a pipeline; there may be no fragment stage.
///
/// # Safety
/// Pointers are as `gpucc.h` says.
unsafe fn sides<'a>(v: Given, f: Given, told: &Told) -> Result<(Side<'a>, Option<Side<'a>>), Fault> {
    // SAFETY: as the caller says.
    unsafe {
        let vertex = (bytes(v.0, v.1)?, options::read(v.2, told)?);
        let fragment = match f.0.is_null() {
            true => None,
            false => Some((bytes(f.0, f.1)?, options::read(f.2, told)?)),
        };
        Ok((vertex, fragment))
    }
}

/// Reads the state of a pipeline, if there is one.
///
/// # Safety
/// It is as `gpucc.h` says.
unsafe fn state_of(state: *const CPipeline) -> Result<Option<Pipeline>, Fault> {
    if state.is_null() {
        return Ok(None);
    }
    // SAFETY: as the caller says.
    let state = unsafe { taken(state) }.map_err(Fault::usage)?;
    // SAFETY: as the caller says.
    unsafe { pipeline::read(&state) }.map(Some)
}

/// Gives a container to C.
///
/// # Safety
/// `out` can be written.
unsafe fn give(out: *mut *mut CContainer, made: CContainer) {
    // SAFETY: as the caller says.
    unsafe { out.write(Box::into_raw(Box::new(made))) };
}

/// Sets the result to NULL before anything can fail.
///
/// # Safety
/// `out` is NULL or can be written.
unsafe fn empty(out: *mut *mut CContainer) -> Result<(), Fault> {
    if out.is_null() {
        return Err(Fault::usage("options and container must not be NULL"));
    }
    // SAFETY: as the caller says.
    unsafe { out.write(ptr::null_mut()) };
    Ok(())
}

answers! {
    fn gpucc_compile(
        source: *const c_void,
        size: usize,
        options: *const COptions,
        container: *mut *mut CContainer,
    ) |told| {
        empty(container)?;
        let asked = options::read(options, told)?;
        give(container, compile(bytes(source, size)?, &asked, told)?);
        Ok(())
    }

    fn gpucc_compile_pair(
        vertex: *const c_void,
        vertex_size: usize,
        vertex_options: *const COptions,
        fragment: *const c_void,
        fragment_size: usize,
        fragment_options: *const COptions,
        state: *const CPipeline,
        container: *mut *mut CContainer,
    ) |told| {
        empty(container)?;
        let (v, f) = sides((vertex, vertex_size, vertex_options), (fragment, fragment_size, fragment_options), told)?;
        let state = state_of(state)?;
        let made = with_linked(&v, f.as_ref(), state, told, |linked| pair(linked, &v, f.as_ref()))?;
        give(container, made);
        Ok(())
    }

    fn gpucc_key(source: *const c_void, size: usize, options: *const COptions, key: *mut c_char) |told| {
        if key.is_null() {
            return Err(Fault::usage("key must not be NULL"));
        }
        key.write(0);
        let asked = options::read(options, told)?;
        let module = asked.load(bytes(source, size)?, told)?.module;
        let options = options_of(&module, &asked)?;
        let names: Vec<&str> = module.entries.iter().map(|e| e.name.as_str()).collect();
        leave(key, &Key::of(&module, &names.join(","), &options));
        Ok(())
    }
}

/// Leaves a key as a text.
///
/// # Safety
/// 65 bytes can be written.
unsafe fn leave(to: *mut c_char, key: &Key) {
    let text = key.to_string();
    // SAFETY: as the caller says.
    unsafe {
        ptr::copy_nonoverlapping(text.as_ptr(), to.cast(), text.len());
        to.add(text.len()).write(0);
    }
}

answers! {
    fn gpucc_variant_key(source: *const c_void, size: usize, options: *const COptions, key: *mut c_char) |told| {
        if key.is_null() {
            return Err(Fault::usage("key must not be NULL"));
        }
        key.write(0);
        let asked = options::read(options, told)?;
        let module = asked.load(bytes(source, size)?, told)?.module;
        let options = options_of(&module, &asked)?;
        let [e] = &module.entries[..] else {
            return Err(Fault::usage("a variant is one of one entry: name the entry"));
        };
        leave(key, &Key::of_variant(&module, &e.name, &options));
        Ok(())
    }

    fn gpucc_pair_keys(
        vertex: *const c_void,
        vertex_size: usize,
        vertex_options: *const COptions,
        fragment: *const c_void,
        fragment_size: usize,
        fragment_options: *const COptions,
        state: *const CPipeline,
        vertex_key: *mut c_char,
        fragment_key: *mut c_char,
    ) |told| {
        if vertex_key.is_null() || fragment_key.is_null() {
            return Err(Fault::usage("keys must not be NULL"));
        }
        vertex_key.write(0);
        fragment_key.write(0);
        let (v, f) = sides((vertex, vertex_size, vertex_options), (fragment, fragment_size, fragment_options), told)?;
        let state = state_of(state)?;
        let (own, other) = with_linked(&v, f.as_ref(), state, told, |linked| {
            let (first, second) = linked.entries();
            let own = Key::of_variant(first.0, &first.1.name, &linked.vertex_options(&v.1.options));
            let options = f.as_ref().and_then(|f| linked.fragment_options(&f.1.options));
            let other = second.zip(options).map(|((m, e), o)| Key::of_variant(m, &e.name, &o));
            Ok((own, other))
        })?;
        leave(vertex_key, &own);
        other.iter().for_each(|k| leave(fragment_key, k));
        Ok(())
    }

    fn gpucc_effect(target: *const c_char, stage: u32, piece: u32, effect: *mut u32) |_| {
        if effect.is_null() {
            return Err(Fault::usage("effect must not be NULL"));
        }
        let target = Target::parse(wanted(target, "target")?).map_err(Fault::usage)?;
        let stage = match stage {
            GPUCC_COMPUTE => Stage::Compute,
            GPUCC_VERTEX => Stage::Vertex,
            GPUCC_FRAGMENT => Stage::Fragment,
            n => return Err(Fault::usage(format!("there is no stage {n}"))),
        };
        let found = Piece::ALL.get(piece as usize).copied();
        let piece = found.ok_or_else(|| Fault::usage(format!("there is no piece of state {piece}")))?;
        effect.write(variant::effect(target.family(), stage, piece).number());
        Ok(())
    }
}

exports! {
    fn gpucc_container_data(container: *const CContainer) -> *const c_void {
        container.as_ref().map_or(ptr::null(), |c| c.0.as_ptr().cast())
    }

    fn gpucc_container_size(container: *const CContainer) -> usize {
        container.as_ref().map_or(0, |c| c.0.len())
    }

    fn gpucc_container_free(container: *mut CContainer) {
        free(container)
    }
}
