//! `gpucc_options`: what a compilation is asked with.

use std::ffi::c_char;
use std::path::PathBuf;

use gpucc::frontend::{FrontOptions, Lang, SpirvReader};
use gpucc::glsl::{Around, Reader};
use gpucc::pipeline::Declared;
use gpucc::{Options, Target};

use crate::border::{Fault, Told, list, text, wanted};
use crate::constants::{GPUCC_GLSL_COMPUTE, GPUCC_GLSL_FRAGMENT, GPUCC_GLSL_VERTEX, GPUCC_SPIRV, GPUCC_WGSL};
use crate::grow::{grows, taken};
use crate::log::CLog;
use crate::pipeline::{self, CPipeline};
use crate::reflect::declared;
use crate::rows::CSlot;

/// `gpucc_override`: the value of one override.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct COverride {
    /// Name, or numeric id.
    pub name: *const c_char,
    /// The value, converted to the override's type.
    pub value: f64,
}

/// `gpucc_constant`: the value of one specialisation constant.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CConstant {
    /// The bits of its type.
    pub bits: u64,
    /// Its id in the module.
    pub id: u32,
}

/// `gpucc_image_format`: the format of one storage image.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CImageFormat {
    /// Name of the format.
    pub format: *const c_char,
    /// Bind group of the image.
    pub group: u32,
    /// Binding in its group.
    pub binding: u32,
}

/// `gpucc_place`: group and binding of a resource.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CPlace {
    /// Bind group of the resource.
    pub group: u32,
    /// Binding in its group.
    pub binding: u32,
}

/// `gpucc_options`: the choices of a compilation.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct COptions {
    /// Bytes of the caller's struct.
    pub size: usize,
    /// The target, as `family` or `family:generation`.
    pub target: *const c_char,
    /// The entry point; null for all.
    pub entry: *const c_char,
    /// The language, by number.
    pub language: u32,
    /// The optimisation level, from 0 to 3.
    pub opt_level: u32,
    /// Whether the caller promises bounds and zeros.
    pub trusted: u32,
    /// Where messages go; may be null.
    pub log: *mut CLog,
    /// The name of the source in messages; may be null.
    pub name: *const c_char,
    /// Values of overrides, by name or id.
    pub overrides: *const COverride,
    /// Number of rows at `overrides`.
    pub override_count: usize,
    /// Values of specialisation constants, by id.
    pub constants: *const CConstant,
    /// Number of rows at `constants`.
    pub constant_count: usize,
    /// Formats of storage images.
    pub image_formats: *const CImageFormat,
    /// Number of rows at `image_formats`.
    pub image_format_count: usize,
    /// Further folders of `#include`, for GLSL.
    pub includes: *const *const c_char,
    /// Number of folders at `includes`.
    pub include_count: usize,
    /// Macros: `NAME` or `NAME=VALUE`.
    pub defines: *const *const c_char,
    /// Number of macros at `defines`.
    pub define_count: usize,
    /// Textures whose texels may have 128 bits.
    pub wide: *const CPlace,
    /// Number of places at `wide`.
    pub wide_count: usize,
    /// State of the render pipeline; null for the default.
    pub pipeline: *const CPipeline,
    /// Whether workgroup memory is zeroed although the caller promises bounds.
    pub zeroes: u32,
    /// Whether `wide` lists all of them.
    pub knows_wide: u32,
    /// Lanes of the subgroups of compute entries; 0 for what the target has.
    pub subgroup_size: u32,
    /// Who reads the source.
    pub reader: u32,
    /// Inputs or outputs of the other stage; null for the default.
    pub other: *const CSlot,
    /// Number of slots at `other`.
    pub other_count: usize,
    /// Whether the fragment stage demands early tests.
    pub other_tests_early: u32,
}

grows! { COptions: trusted of u32; }

/// What a compilation is asked with, as Rust has it.
#[derive(Debug)]
pub(crate) struct Asked {
    /// The name of the source in messages.
    pub name: String,
    /// The target as C wrote it.
    pub target: String,
    /// The language of the source.
    pub lang: Lang,
    /// Options of the front end.
    pub front: FrontOptions,
    /// Options of code generation, with the target.
    pub options: Options,
    /// Whether a pipeline is given.
    pub has_pipeline: bool,
    /// The other stage, and whether it demands early tests.
    pub other: Option<(Vec<Declared>, bool)>,
}

fn language(number: u32) -> Result<Lang, Fault> {
    Ok(match number {
        GPUCC_WGSL => Lang::Wgsl,
        GPUCC_SPIRV => Lang::Spirv,
        GPUCC_GLSL_COMPUTE => Lang::GlslCompute,
        GPUCC_GLSL_VERTEX => Lang::GlslVertex,
        GPUCC_GLSL_FRAGMENT => Lang::GlslFragment,
        n => return Err(Fault::usage(format!("there is no language {n}"))),
    })
}

/// Folders and macros of GLSL.
unsafe fn around(o: &COptions, name: &str) -> Result<Around, Fault> {
    // SAFETY: lists and texts are as `gpucc.h` says.
    let texts = |from, count, what: &str| unsafe {
        list(from, count, what)?.iter().map(|&t| wanted(t, what)).collect::<Result<Vec<&str>, _>>()
    };
    let define = |d: &&str| d.split_once('=').map_or((d.to_string(), String::new()), |(n, v)| (n.into(), v.into()));
    let folder = std::path::Path::new(name).parent().filter(|_| !name.is_empty());
    Ok(Around {
        name: name.into(),
        folder: folder.map(PathBuf::from),
        includes: texts(o.includes, o.include_count, "folders")?.iter().map(PathBuf::from).collect(),
        defines: texts(o.defines, o.define_count, "macros")?.iter().map(define).collect(),
        ..Around::default()
    })
}

/// Reads options.
///
/// # Safety
/// They are as `gpucc.h` says.
pub(crate) unsafe fn read(options: *const COptions, told: &Told) -> Result<Asked, Fault> {
    if options.is_null() {
        return Err(Fault::usage("options must not be NULL"));
    }
    // SAFETY: as the caller says. The size comes first, and only so much is read.
    let o = unsafe { taken(options).map_err(Fault::usage)? };
    told.log(o.log);
    let lang = language(o.language)?;
    // SAFETY: as the caller says.
    unsafe {
        let name = text(o.name, "name")?.unwrap_or_default();
        let entry = text(o.entry, "entry")?.map(String::from);
        let target = wanted(o.target, "target")?;
        let level = u8::try_from(o.opt_level).ok().filter(|l| *l <= 3);
        let level = level.ok_or_else(|| Fault::usage(format!("there is no level {}", o.opt_level)))?;
        let mut options = Options::new(Target::parse(target).map_err(Fault::usage)?).opt(level);
        let places = list(o.wide, o.wide_count, "wide textures")?.iter().map(|p| (p.group, p.binding)).collect();
        if o.knows_wide != 0 {
            options.codegen.bound.wide = Some(places);
        }
        if !o.pipeline.is_null() {
            let state = taken(o.pipeline).map_err(Fault::usage)?;
            options.codegen.pipeline = Some(Box::new(pipeline::read(&state)?));
        }
        let (spirv, glsl) = match o.reader {
            0 => (SpirvReader::Spirv, Reader::Best),
            1 => (SpirvReader::Naga, Reader::Naga),
            2 => (SpirvReader::Spirv, Reader::Glslang),
            n => return Err(Fault::usage(format!("there is no reader {n}"))),
        };
        let mut overrides = Vec::new();
        for v in list(o.overrides, o.override_count, "overrides")? {
            overrides.push((wanted(v.name, "the name of an override")?.to_string(), v.value));
        }
        let mut formats = Vec::new();
        for f in list(o.image_formats, o.image_format_count, "image formats")? {
            let name = wanted(f.format, "a format")?;
            let format = pipeline::format(name).ok_or_else(|| Fault::usage(format!("there is no format `{name}`")))?;
            formats.push(((f.group, f.binding), format));
        }
        let front = FrontOptions {
            entry,
            overrides,
            constants: list(o.constants, o.constant_count, "constants")?.iter().map(|c| (c.id, c.bits)).collect(),
            formats,
            robust: o.trusted == 0,
            zeroes: o.zeroes != 0,
            spirv,
            glsl,
            around: around(&o, name)?,
            subgroup_size: (o.subgroup_size != 0).then_some(o.subgroup_size),
        };
        let has_pipeline = !o.pipeline.is_null();
        let slots = list(o.other, o.other_count, "slots of the other stage")?;
        let other = slots.iter().map(declared).collect::<Result<Vec<_>, _>>()?;
        let other = (!o.other.is_null()).then_some((other, o.other_tests_early != 0));
        Ok(Asked { name: name.into(), target: target.into(), lang, front, options, has_pipeline, other })
    }
}
