//! `gpucc_reflection`: the facts of a container for C.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;

use gpucc::container::{Access, Container, Dimension, IoPlace, ProgramRole, ResourceKind, Stage, TexelClass, Variant};
use gpucc::reflect::{self, Program, Reflection, Slot, Uses};

use crate::border::{Fault, OK, Told, USAGE, answer, bytes, c_text};
use crate::grow::{fill, grows};
use crate::pipeline::{self, CPipeline};

/// `gpucc_program_info`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CProgramInfo {
    /// Bytes of the caller's struct.
    pub size: usize,
    /// Name of the entry.
    pub entry: *const c_char,
    /// The thing of which `occupancy` counts; null where the family has no such number.
    pub occupancy_unit: *const c_char,
    /// The words of the immediate data that are preloaded.
    pub immediate_words: *const u32,
    /// How many.
    pub immediate_word_count: usize,
    /// Registers by file.
    pub register_count: usize,
    /// Bindings.
    pub binding_count: usize,
    /// Preloads.
    pub preload_count: usize,
    /// Inputs.
    pub input_count: usize,
    /// Outputs.
    pub output_count: usize,
    /// Words of the family.
    pub word_count: usize,
    /// Hardware registers.
    pub state_count: usize,
    /// Members of buffers and of the immediate data.
    pub member_count: usize,
    /// Locations that are read.
    pub input_mask: u64,
    /// Locations that are given.
    pub output_mask: u64,
    /// Locations that are read flat.
    pub flat_mask: u64,
    /// Locations whose components travel as pairs of 16 bits.
    pub packed_mask: u64,
    /// Number of the entry in the container.
    pub entry_index: u32,
    /// The stage.
    pub stage: u32,
    /// The part of the entry.
    pub role: u32,
    /// Invocations of a workgroup.
    pub workgroup_size: [u32; 3],
    /// Lanes of a subgroup.
    pub subgroup_size: u32,
    /// Bytes of workgroup memory.
    pub shared_bytes: u32,
    /// Bytes of scratch for one invocation.
    pub scratch_bytes: u32,
    /// Spilled values, or all ones.
    pub spills: u32,
    /// Reloaded values, or all ones.
    pub reloads: u32,
    /// Programs at once.
    pub occupancy: u32,
    /// Bits of `GPUCC_USES_`.
    pub uses: u32,
    /// Bytes of the block of immediate data.
    pub immediate_bytes: u32,
    /// Its slot.
    pub immediate_slot: u32,
    /// Whether it is read in memory.
    pub immediate_in_memory: u32,
    /// First byte of it that is read.
    pub immediate_first: u32,
    /// The byte behind the last; all ones where an index decides.
    pub immediate_end: u32,
    /// The promise about the depth.
    pub depth_layout: u32,
    /// Clip distances that are given.
    pub clip_mask: u32,
    /// Bind groups that are used.
    pub group_mask: u32,
    /// Whether workgroups may be put together.
    pub may_merge_workgroups: u32,
    /// Uniform buffers.
    pub uniform_buffers: u32,
    /// Storage buffers.
    pub storage_buffers: u32,
    /// Sampled textures.
    pub textures: u32,
    /// Storage textures.
    pub storage_textures: u32,
    /// Samplers.
    pub samplers: u32,
    /// Preloaded words of uniform files.
    pub uniform_words: u32,
}

/// `gpucc_registers`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CRegisters {
    /// Bytes of the caller's struct.
    pub size: usize,
    /// Name of the file.
    pub name: *const c_char,
    /// Its number.
    pub file: u32,
    /// Registers.
    pub count: u32,
}

/// `gpucc_binding`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CBinding {
    /// Bytes of the caller's struct.
    pub size: usize,
    /// Name in the source, or null.
    pub name: *const c_char,
    /// Format of a storage texture, or null.
    pub format: *const c_char,
    /// The relation to what is bound.
    pub variant: *const c_char,
    /// Bind group.
    pub group: u32,
    /// Binding.
    pub binding: u32,
    /// Element of an array of buffers.
    pub element: u32,
    /// The kind.
    pub kind: u32,
    /// The use.
    pub access: u32,
    /// Elements of a binding array.
    pub count: u32,
    /// Least bytes.
    pub bytes: u32,
    /// Slot of the family.
    pub slot: u32,
    /// Dimension of a texture.
    pub dimension: u32,
    /// Type of texels.
    pub texels: u32,
    /// Whether it has layers.
    pub is_array: u32,
    /// Whether it has several samples.
    pub is_multisampled: u32,
    /// Whether a sampler compares.
    pub is_comparison: u32,
    /// The number of the variant.
    pub variant_number: u32,
    /// First byte of a buffer that is touched.
    pub first: u32,
    /// The byte behind the last; all ones where an index decides, 0 where nothing is known.
    pub end: u32,
}

/// `gpucc_member`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CMember {
    /// Bytes of the caller's struct.
    pub size: usize,
    /// The path in the buffer.
    pub name: *const c_char,
    /// The type in WGSL's words.
    pub type_name: *const c_char,
    /// Place of the buffer among the bindings; all ones of the immediate data.
    pub binding: u32,
    /// Bytes from the start of the buffer.
    pub offset: u32,
    /// Bytes of one element.
    pub bytes: u32,
    /// Elements of the array around it.
    pub count: u32,
    /// Bytes from one to the next.
    pub stride: u32,
}

/// `gpucc_varying`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CVarying {
    /// Bytes of the caller's struct.
    pub size: usize,
    /// The location.
    pub location: u32,
    /// Place in the outputs of the vertex program; all ones where it gives none.
    pub output: u32,
    /// Place in the inputs of the fragment program; all ones where it reads none.
    pub input: u32,
    /// Components that nobody reads.
    pub unread: u32,
    /// Components that nobody gives.
    pub missing: u32,
}

/// `gpucc_preload`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CPreload {
    /// Bytes of the caller's struct.
    pub size: usize,
    /// Name of the place.
    pub place: *const c_char,
    /// The source in words.
    pub meaning: *const c_char,
    /// File of the place.
    pub file: u32,
    /// Number in the file.
    pub index: u32,
    /// Component.
    pub lane: u32,
    /// Whether it is in a uniform file.
    pub is_uniform: u32,
    /// Number of the source.
    pub source: u32,
    /// Its w.
    pub w: u32,
    /// Its a.
    pub a: u32,
    /// Its b.
    pub b: u32,
}

/// `gpucc_slot`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CSlot {
    /// Bytes of the caller's struct.
    pub size: usize,
    /// Name in the source, or null.
    pub name: *const c_char,
    /// Name of the place.
    pub place: *const c_char,
    /// File of the place.
    pub file: u32,
    /// Number in the file.
    pub index: u32,
    /// Component.
    pub lane: u32,
    /// The kind.
    pub kind: u32,
    /// The number of the location, or of the clip or cull distance.
    pub number: u32,
    /// 1 for the second source of a blend.
    pub blend_src: u32,
    /// Components, a bit each.
    pub components: u32,
    /// Whether they are integers.
    pub is_integer: u32,
    /// The interpolation.
    pub interpolation: u32,
    /// Where it is taken.
    pub sampling: u32,
    /// How it is packed.
    pub packing: u32,
}

/// `gpucc_word`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CWord {
    /// Bytes of the caller's struct.
    pub size: usize,
    /// Its name.
    pub name: *const c_char,
    /// Its value.
    pub value: u32,
}

/// `gpucc_state`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CState {
    /// Bytes of the caller's struct.
    pub size: usize,
    /// Its name.
    pub name: *const c_char,
    /// Space of registers.
    pub space: u32,
    /// Number or address.
    pub reg: u32,
    /// Value.
    pub value: u32,
    /// Bits that count.
    pub mask: u32,
}

grows! {
    CProgramInfo: uniform_words of u32;
    CRegisters: count of u32;
    CBinding: end of u32;
    CMember: stride of u32;
    CVarying: missing of u32;
    CPreload: b of u32;
    CSlot: packing of u32;
    CWord: value of u32;
    CState: mask of u32;
}

/// `gpucc_program`.
#[derive(Debug)]
pub struct CProgram {
    info: CProgramInfo,
    registers: Vec<CRegisters>,
    bindings: Vec<CBinding>,
    preloads: Vec<CPreload>,
    inputs: Vec<CSlot>,
    outputs: Vec<CSlot>,
    words: Vec<CWord>,
    state: Vec<CState>,
    members: Vec<CMember>,
    code: Vec<u8>,
    data: Vec<u8>,
    pipeline: Option<pipeline::Kept>,
    /// Pointed to by `info`.
    _immediates: Vec<u32>,
    /// Pointed to by all rows.
    _texts: Vec<CString>,
    own: Program,
}

/// `gpucc_reflection`.
#[derive(Debug)]
pub struct CReflection {
    programs: Vec<CProgram>,
}

/// Texts that live as long as their program.
#[derive(Default)]
struct Texts(Vec<CString>);

impl Texts {
    fn keep(&mut self, text: &str) -> *const c_char {
        let text = c_text(text);
        let at = text.as_ptr();
        self.0.push(text);
        at
    }

    fn some(&mut self, text: Option<&str>) -> *const c_char {
        text.map_or(ptr::null(), |t| self.keep(t))
    }
}

fn uses(u: &Uses) -> u32 {
    let all = [
        u.discard,
        u.depth,
        u.sample_mask,
        u.sample_shading,
        u.early_tests,
        u.side_effects,
        u.helpers,
        u.barriers,
        u.reads_targets,
        u.keeps_denorms,
        u.trusted,
    ];
    all.iter().enumerate().fold(0, |w, (k, &on)| w | u32::from(on) << k)
}

fn stage(s: Stage) -> u32 {
    match s {
        Stage::Compute => 0,
        Stage::Vertex => 1,
        Stage::Fragment => 2,
    }
}

fn role(r: ProgramRole) -> u32 {
    match r {
        ProgramRole::Main => 0,
        ProgramRole::Position => 1,
        ProgramRole::Varying => 2,
    }
}

fn binding(b: &reflect::Binding, texts: &mut Texts) -> CBinding {
    CBinding {
        size: size_of::<CBinding>(),
        name: texts.some(b.name.as_deref()),
        format: texts.some(b.shape.format.map(|f| f.name())),
        variant: texts.keep(b.shape.variant.name()),
        group: b.group,
        binding: b.binding,
        element: b.element,
        kind: match b.kind {
            ResourceKind::Uniform => 0,
            ResourceKind::Storage => 1,
            ResourceKind::Texture => 2,
            ResourceKind::StorageTexture => 3,
            ResourceKind::Sampler => 4,
            ResourceKind::Immediates => 5,
        },
        access: match b.access {
            Access::Read => 1,
            Access::Write => 2,
            Access::ReadWrite => 3,
        },
        count: b.count,
        bytes: b.size,
        slot: b.slot,
        dimension: match b.shape.dimension {
            Dimension::D1 => 0,
            Dimension::D2 => 1,
            Dimension::D3 => 2,
            Dimension::Cube => 3,
        },
        texels: match b.shape.class {
            TexelClass::Float => 0,
            TexelClass::Sint => 1,
            TexelClass::Uint => 2,
            TexelClass::Depth => 3,
            TexelClass::External => 4,
        },
        is_array: b.shape.arrayed.into(),
        is_multisampled: b.shape.multisampled.into(),
        is_comparison: b.shape.comparison.into(),
        variant_number: Variant::ALL.iter().position(|v| *v == b.shape.variant).unwrap_or(0) as u32,
        first: b.range.map_or(0, |r| r.first),
        end: b.range.map_or(0, |r| r.end.unwrap_or(u32::MAX)),
    }
}

fn slot(s: &Slot, texts: &mut Texts) -> CSlot {
    let (kind, number, blend_src) = match s.at {
        IoPlace::Location { number, blend_src } => (0, number, blend_src),
        IoPlace::Position => (1, 0, 0),
        IoPlace::ClipDistance(n) => (2, n, 0),
        IoPlace::FragDepth => (3, 0, 0),
        IoPlace::SampleMask => (4, 0, 0),
        IoPlace::Layer => (5, 0, 0),
        IoPlace::ViewportIndex => (6, 0, 0),
        IoPlace::PointSize => (7, 0, 0),
        IoPlace::PointCoord => (8, 0, 0),
        IoPlace::CullDistance(n) => (9, n, 0),
    };
    let of = |found: Option<usize>| found.unwrap_or(0) as u32;
    CSlot {
        size: size_of::<CSlot>(),
        name: texts.some(s.name.as_deref()),
        place: texts.keep(&s.place.name),
        file: s.place.file.into(),
        index: s.place.index.into(),
        lane: s.place.lane.into(),
        kind,
        number: number.into(),
        blend_src: blend_src.into(),
        components: s.components.into(),
        is_integer: s.is_integer.into(),
        interpolation: of(reflect::Interpolation::ALL.iter().position(|x| *x == s.interpolation)),
        sampling: of(reflect::Sampling::ALL.iter().position(|x| *x == s.sampling)),
        packing: of(reflect::Packing::ALL.iter().position(|x| *x == s.packing)),
    }
}

/// Members of the buffers, and of the immediate data behind them.
fn members(p: &Program, texts: &mut Texts) -> Vec<CMember> {
    let mut out = Vec::new();
    let mut add = |binding: u32, list: &[reflect::Member]| {
        out.extend(list.iter().map(|m| CMember {
            size: size_of::<CMember>(),
            name: texts.keep(&m.name),
            type_name: texts.keep(&m.ty),
            binding,
            offset: m.offset,
            bytes: m.size,
            count: m.count,
            stride: m.stride,
        }));
    };
    p.bindings.iter().enumerate().for_each(|(n, b)| add(n as u32, &b.members));
    p.immediates.iter().for_each(|i| add(u32::MAX, &i.members));
    out
}

fn program(p: &Program, container: &Container) -> CProgram {
    let mut texts = Texts::default();
    let t = &mut texts;
    let e = &container.entries[p.entry_index];
    let part = |all: &[u8], (from, size): (u32, u32)| {
        let from = from as usize;
        all.get(from..from.saturating_add(size as usize)).unwrap_or_default().to_vec()
    };
    let count = |n: Option<u64>| n.and_then(|n| u32::try_from(n).ok()).unwrap_or(u32::MAX);
    let immediates = p.immediates.as_ref();
    let words = immediates.map_or_else(Vec::new, |i| i.words.clone());
    let preload = |l: &reflect::Loaded, t: &mut Texts| {
        let (source, w, a, b) = l.source.numbers();
        CPreload {
            size: size_of::<CPreload>(),
            place: t.keep(&l.place.name),
            meaning: t.keep(&l.meaning),
            file: l.place.file.into(),
            index: l.place.index.into(),
            lane: l.place.lane.into(),
            is_uniform: l.is_uniform.into(),
            source: source.into(),
            w: w.into(),
            a,
            b,
        }
    };
    let (members, counts) = (members(p, t), p.counts());
    let info = CProgramInfo {
        size: size_of::<CProgramInfo>(),
        entry: t.keep(&p.entry),
        occupancy_unit: t.some(p.occupancy.as_ref().map(|o| o.unit)),
        immediate_words: if words.is_empty() { ptr::null() } else { words.as_ptr() },
        immediate_word_count: words.len(),
        register_count: p.registers.len(),
        binding_count: p.bindings.len(),
        preload_count: p.preloads.len(),
        input_count: p.inputs.len(),
        output_count: p.outputs.len(),
        word_count: p.words.len(),
        state_count: p.state.len(),
        member_count: members.len(),
        input_mask: p.input_mask(),
        output_mask: p.output_mask(),
        flat_mask: p.flat_mask(),
        packed_mask: p.packed_mask(),
        entry_index: p.entry_index as u32,
        stage: stage(p.stage),
        role: role(p.role),
        workgroup_size: p.workgroup_size,
        subgroup_size: p.subgroup_size,
        shared_bytes: p.shared_bytes,
        scratch_bytes: p.scratch_bytes,
        spills: count(p.spills),
        reloads: count(p.reloads),
        occupancy: p.occupancy.as_ref().map_or(0, |o| count(Some(o.count))),
        uses: uses(&p.uses),
        immediate_bytes: immediates.map_or(0, |i| i.size),
        immediate_slot: immediates.map_or(0, |i| i.slot),
        immediate_in_memory: immediates.is_some_and(|i| i.in_memory).into(),
        immediate_first: immediates.and_then(|i| i.range).map_or(0, |r| r.first),
        immediate_end: immediates.and_then(|i| i.range).map_or(0, |r| r.end.unwrap_or(u32::MAX)),
        depth_layout: p.uses.depth_layout as u32,
        clip_mask: p.clip_mask().into(),
        group_mask: p.group_mask(),
        may_merge_workgroups: p.may_merge_workgroups().into(),
        uniform_buffers: counts.uniform_buffers,
        storage_buffers: counts.storage_buffers,
        textures: counts.textures,
        storage_textures: counts.storage_textures,
        samplers: counts.samplers,
        uniform_words: counts.uniform_words,
    };
    let registers = |r: &reflect::Registers, t: &mut Texts| CRegisters {
        size: size_of::<CRegisters>(),
        name: t.keep(&r.name),
        file: r.file.into(),
        count: r.count.into(),
    };
    let word =
        |w: &reflect::Word, t: &mut Texts| CWord { size: size_of::<CWord>(), name: t.keep(&w.name), value: w.value };
    let state = |w: &reflect::State, t: &mut Texts| CState {
        size: size_of::<CState>(),
        name: t.keep(&w.name),
        space: w.space.into(),
        reg: w.register,
        value: w.value,
        mask: w.mask,
    };
    CProgram {
        info,
        registers: p.registers.iter().map(|r| registers(r, t)).collect(),
        bindings: p.bindings.iter().map(|b| binding(b, t)).collect(),
        preloads: p.preloads.iter().map(|l| preload(l, t)).collect(),
        inputs: p.inputs.iter().map(|s| slot(s, t)).collect(),
        outputs: p.outputs.iter().map(|s| slot(s, t)).collect(),
        words: p.words.iter().map(|w| word(w, t)).collect(),
        state: p.state.iter().map(|w| state(w, t)).collect(),
        members,
        code: part(&e.code, p.code),
        data: part(&e.data, p.constant_data),
        pipeline: p.pipeline.as_deref().map(pipeline::kept),
        _immediates: words,
        _texts: texts.0,
        own: p.clone(),
    }
}

fn reflection(container: &[u8]) -> Result<CReflection, Fault> {
    let container = Container::read(container).map_err(Fault::container)?;
    let all = Reflection::of(&container);
    Ok(CReflection { programs: all.programs.iter().map(|p| program(p, &container)).collect() })
}

/// `gpucc_reflect`.
///
/// # Safety
/// Pointers are as `gpucc.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gpucc_reflect(
    container: *const c_void,
    size: usize,
    out: *mut *mut CReflection,
    message: *mut *mut c_char,
) -> c_int {
    let work = |_: &Told| {
        if out.is_null() {
            return Err(Fault::usage("reflection must not be NULL"));
        }
        // SAFETY: as the caller says.
        let container = unsafe {
            out.write(ptr::null_mut());
            bytes(container, size)?
        };
        let made = reflection(container)?;
        // SAFETY: as the caller says.
        unsafe { out.write(Box::into_raw(Box::new(made))) };
        Ok(())
    };
    // SAFETY: as the caller says.
    unsafe { answer(message, work) }
}

/// `gpucc_reflection_free`.
///
/// # Safety
/// Pointers are as `gpucc.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gpucc_reflection_free(reflection: *mut CReflection) {
    if !reflection.is_null() {
        // SAFETY: `gpucc_reflect` made it.
        drop(unsafe { Box::from_raw(reflection) });
    }
}

/// `gpucc_reflection_count`.
///
/// # Safety
/// Pointers are as `gpucc.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gpucc_reflection_count(reflection: *const CReflection) -> usize {
    // SAFETY: as the caller says.
    unsafe { reflection.as_ref() }.map_or(0, |r| r.programs.len())
}

/// `gpucc_reflection_program`.
///
/// # Safety
/// Pointers are as `gpucc.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gpucc_reflection_program(reflection: *const CReflection, index: usize) -> *const CProgram {
    // SAFETY: as the caller says.
    let found = unsafe { reflection.as_ref() }.and_then(|r| r.programs.get(index));
    found.map_or(ptr::null(), ptr::from_ref)
}

/// `gpucc_program_get`.
///
/// # Safety
/// Pointers are as `gpucc.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gpucc_program_get(program: *const CProgram, info: *mut CProgramInfo) -> c_int {
    // SAFETY: as the caller says.
    unsafe { fill(info, program.as_ref().map(|p| &p.info)) }
}

/// Functions that give a row of a list of a program.
macro_rules! rows {
    ($($name:ident: $field:ident of $row:ty;)*) => {
        $(
            #[doc = concat!("`", stringify!($name), "`.")]
            ///
            /// # Safety
            /// Pointers are as `gpucc.h` says.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name(program: *const CProgram, index: usize, row: *mut $row) -> c_int {
                // SAFETY: as the caller says.
                unsafe { fill(row, program.as_ref().and_then(|p| p.$field.get(index))) }
            }
        )*
    };
}

rows! {
    gpucc_program_registers: registers of CRegisters;
    gpucc_program_binding: bindings of CBinding;
    gpucc_program_preload: preloads of CPreload;
    gpucc_program_input: inputs of CSlot;
    gpucc_program_output: outputs of CSlot;
    gpucc_program_word: words of CWord;
    gpucc_program_state: state of CState;
    gpucc_program_member: members of CMember;
}

/// `gpucc_varying_get`.
///
/// # Safety
/// Pointers are as `gpucc.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gpucc_varying_get(
    vertex: *const CProgram,
    fragment: *const CProgram,
    index: usize,
    row: *mut CVarying,
) -> c_int {
    // SAFETY: as the caller says.
    unsafe {
        let (Some(v), Some(f)) = (vertex.as_ref(), fragment.as_ref()) else { return USAGE };
        let place = |at: Option<usize>| at.map_or(u32::MAX, |n| n as u32);
        let one = reflect::varyings(&v.own, &f.own).get(index).map(|v| CVarying {
            size: size_of::<CVarying>(),
            location: v.location.into(),
            output: place(v.output),
            input: place(v.input),
            unread: v.unread.into(),
            missing: v.missing.into(),
        });
        fill(row, one.as_ref())
    }
}

/// `gpucc_program_pipeline`.
///
/// # Safety
/// Pointers are as `gpucc.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gpucc_program_pipeline(program: *const CProgram, state: *mut CPipeline) -> c_int {
    // SAFETY: as the caller says.
    unsafe { fill(state, program.as_ref().and_then(|p| p.pipeline.as_ref()).map(|k| &k.row)) }
}

/// Leaves bytes that a program holds.
///
/// # Safety
/// `data` and `size` can be written, or are null.
unsafe fn give(of: Option<&[u8]>, data: *mut *const c_void, size: *mut usize) -> c_int {
    let Some(of) = of.filter(|_| !data.is_null() && !size.is_null()) else { return USAGE };
    // SAFETY: as the caller says.
    unsafe {
        data.write(of.as_ptr().cast());
        size.write(of.len());
    }
    OK
}

/// `gpucc_program_code`.
///
/// # Safety
/// Pointers are as `gpucc.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gpucc_program_code(
    program: *const CProgram,
    data: *mut *const c_void,
    size: *mut usize,
) -> c_int {
    // SAFETY: as the caller says.
    unsafe { give(program.as_ref().map(|p| &p.code[..]), data, size) }
}

/// `gpucc_program_constants`.
///
/// # Safety
/// Pointers are as `gpucc.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gpucc_program_constants(
    program: *const CProgram,
    data: *mut *const c_void,
    size: *mut usize,
) -> c_int {
    // SAFETY: as the caller says.
    unsafe { give(program.as_ref().map(|p| &p.data[..]), data, size) }
}
