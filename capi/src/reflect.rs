//! `gpucc_reflection`: the facts of a container for C.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;

use gpucc::container::{Container, IoPlace, Variant};
use gpucc::pipeline::Declared;
use gpucc::reflect::{self, Program, Reflection, Slot, Uses};

use crate::border::{Fault, answers, bytes, c_text};
use crate::constants::*;
use crate::exports::{exports, free};
use crate::grow::{Grows, fill};
use crate::numbers::{Numbered, PLACES};
use crate::pipeline::{self, CPipeline};
use crate::rows::*;

/// `gpucc_program`: a program's rows, which live as long as its reflection.
#[derive(Debug)]
pub struct CProgram {
    info: CProgramInfo,
    registers: Vec<CRegisters>,
    bindings: Vec<CBinding>,
    preloads: Vec<CPreload>,
    steps: Vec<CStep>,
    inputs: Vec<CSlot>,
    outputs: Vec<CSlot>,
    words: Vec<CWord>,
    state: Vec<CState>,
    members: Vec<CMember>,
    statistics: Vec<CStatistic>,
    code: Vec<u8>,
    data: Vec<u8>,
    pipeline: Option<pipeline::Kept>,
    /// Pointed to by `info`.
    _immediates: Vec<u32>,
    /// The same.
    _reads: Vec<*const c_char>,
    /// Pointed to by all rows.
    _texts: Vec<CString>,
    own: Program,
}

/// `gpucc_reflection`: the programs of a container.
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
        (u.discard, GPUCC_USES_DISCARD),
        (u.depth, GPUCC_USES_DEPTH),
        (u.sample_mask, GPUCC_USES_SAMPLE_MASK),
        (u.sample_shading, GPUCC_USES_SAMPLE_SHADING),
        (u.early_tests, GPUCC_USES_EARLY_TESTS),
        (u.side_effects, GPUCC_USES_SIDE_EFFECTS),
        (u.helpers, GPUCC_USES_HELPERS),
        (u.barriers, GPUCC_USES_BARRIERS),
        (u.reads_targets, GPUCC_USES_TARGETS),
        (u.keeps_denorms, GPUCC_USES_DENORMS),
        (u.trusted, GPUCC_USES_TRUST),
    ];
    all.iter().fold(0, |w, &(on, bit)| if on { w | bit } else { w })
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
        kind: b.kind.number(),
        access: b.access.number(),
        count: b.count,
        bytes: b.size,
        slot: b.slot,
        dimension: b.shape.dimension.number(),
        texels: b.shape.class.number(),
        is_array: b.shape.arrayed.into(),
        is_multisampled: b.shape.multisampled.into(),
        is_comparison: b.shape.comparison.into(),
        variant_number: Variant::ALL.iter().position(|v| *v == b.shape.variant).unwrap_or(0) as u32,
        first: b.range.map_or(0, |r| r.first),
        end: b.range.map_or(0, |r| r.end.unwrap_or(u32::MAX)),
    }
}

fn slot(s: &Slot, texts: &mut Texts) -> CSlot {
    let kind = PLACES.iter().find(|p| p.1.kind() == s.at.kind()).map_or(u32::MAX, |p| p.0);
    let blend_src = if let IoPlace::Location { blend_src, .. } = s.at { blend_src } else { 0 };
    CSlot {
        size: size_of::<CSlot>(),
        name: texts.some(s.name.as_deref()),
        place: texts.keep(&s.place.name),
        file: s.place.file.into(),
        index: s.place.index.into(),
        lane: s.place.lane.into(),
        kind,
        number: s.at.number().unwrap_or(0).into(),
        blend_src: blend_src.into(),
        components: s.components.into(),
        is_integer: s.is_integer.into(),
        interpolation: s.interpolation.number(),
        sampling: s.sampling.number(),
        packing: s.packing.number(),
    }
}

/// An input or output of the other stage that C describes.
pub(crate) fn declared(s: &CSlot) -> Result<Declared, Fault> {
    let wrong = |what: &str, n: u32| Fault::usage(format!("there is no {what} {n} of an input or output"));
    let number = u8::try_from(s.number).map_err(|_| wrong("number", s.number))?;
    let found = PLACES.iter().find(|p| p.0 == s.kind).ok_or_else(|| wrong("kind", s.kind))?;
    if !(1..=15).contains(&s.components) {
        return Err(wrong("mask of components", s.components));
    }
    Ok(Declared {
        at: found.1.with_number(number),
        lanes: (32 - s.components.leading_zeros()) as u8,
        is_integer: s.is_integer != 0,
        interpolation: Numbered::of(s.interpolation).ok_or_else(|| wrong("interpolation", s.interpolation))?,
        sampling: Numbered::of(s.sampling).ok_or_else(|| wrong("place in a pixel", s.sampling))?,
    })
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
    let step = |s: &reflect::Computed, t: &mut Texts| {
        let mut operands = [COperand::default(); 3];
        for (to, from) in operands.iter_mut().zip(&s.step.operands) {
            let (source, w, a, b) = from.numbers();
            *to = COperand { source: source.into(), w: w.into(), a, b };
        }
        CStep {
            size: size_of::<CStep>(),
            op: t.keep(s.step.op.name()),
            meaning: t.keep(&s.meaning),
            operand_count: s.step.operands.len() as u32,
            operands,
        }
    };
    let (members, counts) = (members(p, t), p.counts());
    let reads: Vec<*const c_char> = p.reads.iter().map(|r| t.keep(r)).collect();
    let statistic =
        |s: &(String, u64), t: &mut Texts| CStatistic { size: size_of::<CStatistic>(), name: t.keep(&s.0), value: s.1 };
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
        stage: p.stage.number(),
        role: p.role.number(),
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
        depth_layout: p.uses.depth_layout.number(),
        clip_mask: p.clip_mask().into(),
        group_mask: p.group_mask(),
        may_merge_workgroups: p.may_merge_workgroups().into(),
        uniform_buffers: counts.uniform_buffers,
        storage_buffers: counts.storage_buffers,
        textures: counts.textures,
        storage_textures: counts.storage_textures,
        samplers: counts.samplers,
        uniform_words: counts.uniform_words,
        statistic_count: p.statistics.len(),
        reads: if reads.is_empty() { ptr::null() } else { reads.as_ptr() },
        read_count: reads.len(),
        texture_mask: p.texture_mask(),
        sampler_mask: p.sampler_mask(),
        padded_code_bytes: p.padded_code_bytes,
        barrier_count: p.barrier_count(),
        input_locations: counts.inputs,
        output_locations: counts.outputs,
        step_count: p.steps.len(),
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
        steps: p.steps.iter().map(|s| step(s, t)).collect(),
        inputs: p.inputs.iter().map(|s| slot(s, t)).collect(),
        outputs: p.outputs.iter().map(|s| slot(s, t)).collect(),
        words: p.words.iter().map(|w| word(w, t)).collect(),
        state: p.state.iter().map(|w| state(w, t)).collect(),
        members,
        statistics: p.statistics.iter().map(|s| statistic(s, t)).collect(),
        code: part(&e.code, p.code),
        data: part(&e.data, p.constant_data),
        pipeline: p.pipeline.as_deref().map(pipeline::kept),
        _immediates: words,
        _reads: reads,
        _texts: texts.0,
        own: p.clone(),
    }
}

fn reflection(container: &[u8]) -> Result<CReflection, Fault> {
    let container = Container::read(container).map_err(Fault::container)?;
    let all = Reflection::of(&container);
    Ok(CReflection { programs: all.programs.iter().map(|p| program(p, &container)).collect() })
}

answers! {
    fn gpucc_reflect(container: *const c_void, size: usize, out: *mut *mut CReflection) |_| {
        if out.is_null() {
            return Err(Fault::usage("reflection must not be NULL"));
        }
        out.write(ptr::null_mut());
        out.write(Box::into_raw(Box::new(reflection(bytes(container, size)?)?)));
        Ok(())
    }
}

exports! {
    fn gpucc_reflection_free(reflection: *mut CReflection) {
        free(reflection)
    }

    fn gpucc_reflection_count(reflection: *const CReflection) -> usize {
        reflection.as_ref().map_or(0, |r| r.programs.len())
    }

    fn gpucc_reflection_program(reflection: *const CReflection, index: usize) -> *const CProgram {
        let found = reflection.as_ref().and_then(|r| r.programs.get(index));
        found.map_or(ptr::null(), ptr::from_ref)
    }

    fn gpucc_program_get(program: *const CProgram, info: *mut CProgramInfo) -> c_int {
        fill(info, program.as_ref().map(|p| &p.info))
    }
}

/// Fills a row of a list of a program.
///
/// # Safety
/// Pointers are as `gpucc.h` says.
unsafe fn row<T: Grows>(program: *const CProgram, list: fn(&CProgram) -> &[T], index: usize, row: *mut T) -> c_int {
    // SAFETY: as the caller says.
    unsafe { fill(row, program.as_ref().and_then(|p| list(p).get(index))) }
}

exports! {
    fn gpucc_program_registers(program: *const CProgram, index: usize, out: *mut CRegisters) -> c_int {
        row(program, |p| &p.registers, index, out)
    }

    fn gpucc_program_binding(program: *const CProgram, index: usize, out: *mut CBinding) -> c_int {
        row(program, |p| &p.bindings, index, out)
    }

    fn gpucc_program_preload(program: *const CProgram, index: usize, out: *mut CPreload) -> c_int {
        row(program, |p| &p.preloads, index, out)
    }

    fn gpucc_program_step(program: *const CProgram, index: usize, out: *mut CStep) -> c_int {
        row(program, |p| &p.steps, index, out)
    }

    fn gpucc_program_input(program: *const CProgram, index: usize, out: *mut CSlot) -> c_int {
        row(program, |p| &p.inputs, index, out)
    }

    fn gpucc_program_output(program: *const CProgram, index: usize, out: *mut CSlot) -> c_int {
        row(program, |p| &p.outputs, index, out)
    }

    fn gpucc_program_word(program: *const CProgram, index: usize, out: *mut CWord) -> c_int {
        row(program, |p| &p.words, index, out)
    }

    fn gpucc_program_state(program: *const CProgram, index: usize, out: *mut CState) -> c_int {
        row(program, |p| &p.state, index, out)
    }

    fn gpucc_program_member(program: *const CProgram, index: usize, out: *mut CMember) -> c_int {
        row(program, |p| &p.members, index, out)
    }

    fn gpucc_program_statistic(program: *const CProgram, index: usize, out: *mut CStatistic) -> c_int {
        row(program, |p| &p.statistics, index, out)
    }

    fn gpucc_varying_get(
        vertex: *const CProgram,
        fragment: *const CProgram,
        index: usize,
        row: *mut CVarying,
    ) -> c_int {
        let (Some(v), Some(f)) = (vertex.as_ref(), fragment.as_ref()) else { return GPUCC_USAGE };
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

    fn gpucc_program_pipeline(program: *const CProgram, state: *mut CPipeline) -> c_int {
        fill(state, program.as_ref().and_then(|p| p.pipeline.as_ref()).map(|k| &k.row))
    }
}

/// Leaves bytes that a program holds.
///
/// # Safety
/// `data` and `size` can be written, or are null.
unsafe fn give(of: Option<&[u8]>, data: *mut *const c_void, size: *mut usize) -> c_int {
    let Some(of) = of.filter(|_| !data.is_null() && !size.is_null()) else { return GPUCC_USAGE };
    // SAFETY: as the caller says.
    unsafe {
        data.write(of.as_ptr().cast());
        size.write(of.len());
    }
    GPUCC_OK
}

exports! {
    fn gpucc_program_code(program: *const CProgram, data: *mut *const c_void, size: *mut usize) -> c_int {
        give(program.as_ref().map(|p| &p.code[..]), data, size)
    }

    fn gpucc_program_constants(program: *const CProgram, data: *mut *const c_void, size: *mut usize) -> c_int {
        give(program.as_ref().map(|p| &p.data[..]), data, size)
    }
}
