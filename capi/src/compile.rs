//! `gpucc_compile` and its like, and the containers that they give.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;

use gpucc::Artifact;
use gpucc::cache::Key;
use gpucc::frontend::{self, Loaded};
use gpucc::pipeline::{Link, Pipeline, default_of};

use crate::border::{Fault, Origin, Told, answer, bytes};
use crate::grow::taken;
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

fn compile(source: &[u8], asked: &Asked, told: &Told) -> Result<CContainer, Fault> {
    let shader = asked.load(source, told)?;
    let done = gpucc::compile(&shader.module, &asked.options);
    done.map(|a| CContainer(a.bytes())).map_err(|d| asked.origin(source).fault(vec![d]))
}

/// A source with what it is asked with.
type Side<'a> = (&'a [u8], Asked);

/// Compiles two stages of a pipeline, or a vertex stage alone.
fn pair(
    vertex: &Side<'_>,
    fragment: Option<&Side<'_>>,
    state: Option<Pipeline>,
    told: &Told,
) -> Result<CContainer, Fault> {
    let (v, f) = (vertex, fragment);
    if let Some((_, f)) = f
        && (f.options.target != v.1.options.target || f.options.codegen.opt_level != v.1.options.codegen.opt_level)
    {
        return Err(Fault::usage("both stages of a pipeline have one target and one level"));
    }
    if v.1.has_pipeline || f.is_some_and(|f| f.1.has_pipeline) {
        return Err(Fault::usage("the state of a pipeline of two stages is an argument, not an option"));
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
    let linked = state.link(&first.module, second_module).map_err(wrong)?;
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

/// `gpucc_compile`.
///
/// # Safety
/// Pointers are as `gpucc.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gpucc_compile(
    source: *const c_void,
    size: usize,
    options: *const COptions,
    container: *mut *mut CContainer,
    message: *mut *mut c_char,
) -> c_int {
    // SAFETY: as the caller says.
    let work = |told: &Told| unsafe {
        empty(container)?;
        let asked = options::read(options, told)?;
        give(container, compile(bytes(source, size)?, &asked, told)?);
        Ok(())
    };
    // SAFETY: as the caller says.
    unsafe { answer(message, work) }
}

/// `gpucc_compile_pair`.
///
/// # Safety
/// Pointers are as `gpucc.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gpucc_compile_pair(
    vertex: *const c_void,
    vertex_size: usize,
    vertex_options: *const COptions,
    fragment: *const c_void,
    fragment_size: usize,
    fragment_options: *const COptions,
    state: *const CPipeline,
    container: *mut *mut CContainer,
    message: *mut *mut c_char,
) -> c_int {
    // SAFETY: as the caller says.
    let work = |told: &Told| unsafe {
        empty(container)?;
        let v = (bytes(vertex, vertex_size)?, options::read(vertex_options, told)?);
        let f = match fragment.is_null() {
            true => None,
            false => Some((bytes(fragment, fragment_size)?, options::read(fragment_options, told)?)),
        };
        let state = match state.is_null() {
            true => None,
            false => Some(pipeline::read(&taken(state).map_err(Fault::usage)?)?),
        };
        give(container, pair(&v, f.as_ref(), state, told)?);
        Ok(())
    };
    // SAFETY: as the caller says.
    unsafe { answer(message, work) }
}

/// `gpucc_key`.
///
/// # Safety
/// Pointers are as `gpucc.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gpucc_key(
    source: *const c_void,
    size: usize,
    options: *const COptions,
    key: *mut c_char,
    message: *mut *mut c_char,
) -> c_int {
    // SAFETY: as the caller says.
    let work = |told: &Told| unsafe {
        if key.is_null() {
            return Err(Fault::usage("key must not be NULL"));
        }
        key.write(0);
        let asked = options::read(options, told)?;
        let module = asked.load(bytes(source, size)?, told)?.module;
        let names: Vec<&str> = module.entries.iter().map(|e| e.name.as_str()).collect();
        let text = Key::of(&module, &names.join(","), &asked.options).to_string();
        ptr::copy_nonoverlapping(text.as_ptr(), key.cast(), text.len());
        key.add(text.len()).write(0);
        Ok(())
    };
    // SAFETY: as the caller says.
    unsafe { answer(message, work) }
}

/// `gpucc_container_data`.
///
/// # Safety
/// Pointers are as `gpucc.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gpucc_container_data(container: *const CContainer) -> *const c_void {
    // SAFETY: as the caller says.
    unsafe { container.as_ref() }.map_or(ptr::null(), |c| c.0.as_ptr().cast())
}

/// `gpucc_container_size`.
///
/// # Safety
/// Pointers are as `gpucc.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gpucc_container_size(container: *const CContainer) -> usize {
    // SAFETY: as the caller says.
    unsafe { container.as_ref() }.map_or(0, |c| c.0.len())
}

/// `gpucc_container_free`.
///
/// # Safety
/// Pointers are as `gpucc.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gpucc_container_free(container: *mut CContainer) {
    if !container.is_null() {
        // SAFETY: the library made it.
        drop(unsafe { Box::from_raw(container) });
    }
}
