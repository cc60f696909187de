//! Code generation for Vivante GC: selection, the single-uniform rule, allocation of vec4 components, emission.

mod arrays;
mod clamp;
mod edges;
mod emit;
mod forward;
mod isel;
mod merge;
mod pack;
mod tails;
pub mod target;
mod uniforms;

use gpucc_container::{Entry, Meta, Preload, Source, Stage, flags};
use gpucc_ir::refusal::Kind;
use gpucc_ir::trace::Watch;
use gpucc_ir::{Attr, Diagnostic, Lack, Module, Op, Place, Refusal, Space, trace};
use gpucc_isa::Notes;
use gpucc_mir::backend::{Backend, CodegenOptions, Output, line_table, pass_times, reflect, watch};
use gpucc_mir::races::race_marks;
use gpucc_mir::{AllocError, AllocOptions, AllocStats, MFunc};
use gpucc_opt::support::Chip;
use gpucc_opt::{Caps, OpSet};
use gpucc_vivante_machine as machine;

use arrays::Arrays;
use isel::{Id, Isel, Shared};
use target::Vivante;

/// The backend.
pub struct VivanteBackend;

/// The one instance.
pub static VIVANTE: VivanteBackend = VivanteBackend;

const NAMES: &[&str] = &["gc2000", "gc3000", "gc7000"];

/// What is refused.
const LACKS: &[Lack] = &[
    Lack::all(Refusal::F16, "16-bit floats exist in a mode of half precision only, which is not used"),
    Lack::all(Refusal::NarrowIntegers, "selection knows 32-bit lanes only"),
    Lack::all(Refusal::WideTypes, "the chips have no 64-bit operations"),
    Lack::all(Refusal::SubgroupLanes, "the instruction set has no subgroups"),
    Lack::all(Refusal::SubgroupIds, "the instruction set has no subgroups"),
    Lack::all(Refusal::Atomics, "there are no atomic instructions before HALTI2, which is gc3000").on(&["gc2000"]),
    Lack::all(Refusal::WorkgroupSize, "at most 1,024 invocations").most(machine::exec::MAX_INVOCATIONS),
    Lack::all(Refusal::OutOfRegisters, "64 vec4; without immediate offsets the chip cannot reach spilled registers")
        .on(&["gc2000"]),
    Lack::all(Refusal::OutOfUniforms, "168 vec4").most(168).on(&["gc2000"]),
    Lack::all(Refusal::OutOfUniforms, "256 vec4").most(256).on(&["gc3000", "gc7000"]),
    Lack::all(Refusal::ProgramSize, "512 instructions").most(512).on(&["gc2000"]),
    Lack::all(Refusal::ProgramSize, "16,383 instructions").most(16_383).on(&["gc3000", "gc7000"]),
];

/// What the generations lack, for the target-independent passes.
fn caps(generation: u8, how: How) -> Caps {
    const ALWAYS: OpSet = OpSet::of(&[
        Op::FRem,
        Op::Fma,
        Op::FRoundEven,
        Op::FLdexp,
        Op::FQuant16,
        Op::UDiv,
        Op::SDiv,
        Op::URem,
        Op::SRem,
        Op::UMul24,
        Op::SMul24,
        Op::Ctz,
        Op::UBitExtract,
        Op::SBitExtract,
        Op::BitInsert,
        Op::FShr,
        Op::BitSel,
        Op::UDot4x8,
        Op::SDot4x8,
        Op::PackUnorm4x8,
        Op::PackSnorm4x8,
        Op::PackUnorm2x16,
        Op::PackSnorm2x16,
        Op::PackHalf2x16,
        Op::UnpackUnorm4x8,
        Op::UnpackSnorm4x8,
        Op::UnpackUnorm2x16,
        Op::UnpackSnorm2x16,
        Op::UnpackHalf2x16,
        Op::ExtractDyn,
        Op::InsertDyn,
    ]);
    let expand = match generation {
        machine::GC2000 => ALWAYS.with(OpSet::of(&[Op::Popcount, Op::BitReverse])),
        machine::GC3000 => ALWAYS.with(OpSet::of(&[Op::BitReverse])),
        _ => ALWAYS,
    };
    Caps {
        expand,
        merge_access: if how.wide { 16 } else { 0 },
        // What is indexed can lie in temporaries; choosing between a few elements is no dearer.
        select_array_bytes: if how.arrays { 16 } else { Caps::FULL.select_array_bytes },
        unroll: if how.unroll { Caps::FULL.unroll } else { 0 },
        ..Caps::FULL
    }
}

impl Backend for VivanteBackend {
    fn family(&self) -> &'static str {
        "vivante"
    }

    fn generations(&self) -> &'static [&'static str] {
        NAMES
    }

    fn default_generation(&self) -> usize {
        1
    }

    fn lacks(&self) -> &'static [Lack] {
        LACKS
    }

    fn compile(
        &self,
        module: &Module,
        entry: &str,
        generation: usize,
        options: &CodegenOptions,
    ) -> Result<Output, Diagnostic> {
        compile(module, entry, generation as u8, options)
    }

    fn program_text(&self, code: &[u8], generation: usize, notes: &Notes<'_>) -> String {
        machine::listing(code, generation as u8, gpucc_isa::stage::CS, notes)
    }
}

/// Components of temporaries that scheduling may fill to hide latency: beyond them fewer threads would run.
const AIM: u32 = 12;

/// What may be tried; each asks for more temporaries, uniforms, or instructions than doing without.
#[derive(Clone, Copy, PartialEq, Eq)]
struct How {
    /// Indexed variables in temporaries.
    arrays: bool,
    /// Neighbouring accesses merged, scalars packed.
    wide: bool,
    /// Loops unrolled.
    unroll: bool,
}

/// Why an attempt ended, and what could still help.
struct Stop {
    refused: Diagnostic,
    /// There are variables in memory of the invocation.
    private: bool,
    /// Loops were unrolled.
    unrolled: bool,
    /// Nothing that can be tried saves enough.
    hopeless: bool,
}

impl From<Diagnostic> for Box<Stop> {
    fn from(refused: Diagnostic) -> Box<Stop> {
        Box::new(Stop { refused, private: false, unrolled: true, hopeless: false })
    }
}

impl Stop {
    fn hopeless(refused: Diagnostic) -> Box<Stop> {
        Box::new(Stop { refused, private: false, unrolled: true, hopeless: true })
    }
}

impl How {
    /// What to try after a refusal.
    fn after(self, stop: &Stop) -> Option<How> {
        match stop.refused.refusal()? {
            Refusal::ProgramSize if self.unroll && stop.unrolled => Some(How { unroll: false, ..self }),
            _ if stop.hopeless => None,
            // Sizes do not change what a chip lacks.
            code if code.kind() != Kind::Capacity => None,
            // One by one, constants may be immediates.
            Refusal::OutOfUniforms if self.wide => Some(How { wide: false, ..self }),
            // Selects may do what neither temporaries nor memory can: with constants they vanish.
            _ if self.arrays && stop.private => Some(How { arrays: false, ..self }),
            Refusal::OutOfRegisters if self.wide => Some(How { arrays: false, wide: false, ..self }),
            _ => None,
        }
    }
}

/// Compiles in the best way that the chip has room for.
fn compile(module: &Module, name: &str, generation: u8, options: &CodegenOptions) -> Result<Output, Diagnostic> {
    let fast = options.opt_level > 0;
    let mut how = How { arrays: fast && !options.spill_all, wide: fast, unroll: options.opt_level > 1 };
    loop {
        match attempt(module, name, generation, options, how) {
            Err(stop) => match how.after(&stop) {
                Some(next) => how = next,
                None => return Err(stop.refused),
            },
            Ok(done) => return Ok(done),
        }
    }
}

fn attempt(
    module: &Module,
    name: &str,
    generation: u8,
    options: &CodegenOptions,
    how: How,
) -> Result<Output, Box<Stop>> {
    let pipeline = gpucc_opt::Options {
        level: options.opt_level,
        verify: options.verify || cfg!(debug_assertions),
        dump_after: options.dump_after.clone(),
        skip: options.skip_passes.clone(),
        stop_after: options.prepared.then(|| "inline".into()),
        measure: options.time_passes,
        ..gpucc_opt::Options::default()
    };
    let (mut m, report) = gpucc_opt::prepare(module, name, &caps(generation, how), &pipeline)?;
    gpucc_opt::support::check(&m, &Chip { family: "vivante", generation: NAMES[generation as usize], lacks: LACKS })?;
    let steps = watch(options);
    let func = m.entries[0].func;
    define(&mut m.funcs[func]);
    if options.opt_level > 0 {
        trace::enter("clamp", name);
        let mut f = std::mem::take(&mut m.funcs[func]);
        if clamp::run(&mut f) > 0 {
            // Limits whose lowest bits were taken away are not to be packed with others.
            gpucc_opt::dce::run(&mut f, &mut gpucc_opt::Cx::new(&m, &caps(generation, how)));
        }
        m.funcs[func] = f;
        if how.wide {
            trace::enter("pack", name);
            let mut f = std::mem::take(&mut m.funcs[func]);
            pack::run(&mut f, &m, &Vivante::new(generation, 0));
            m.funcs[func] = f;
        }
        if cfg!(debug_assertions) || options.verify {
            let found = gpucc_ir::verify::verify_function(&m, &m.funcs[func]);
            found.map_err(|e| Diagnostic::internal("pack", format!("{e:?}")))?;
        }
    }
    let private = uses_private(&m, &m.funcs[func]);
    generate(m, &report, steps, generation, options, how).map_err(|mut stop| {
        stop.private = private;
        stop.unrolled = report.times.iter().any(|t| t.pass == "unroll" && t.changes > 0);
        stop
    })
}

/// Whether a function has variables in memory of the invocation.
fn uses_private(m: &Module, f: &gpucc_ir::Function) -> bool {
    f.insts_in_order().any(|(_, i)| match &f.insts[i].attr {
        Attr::Mem(x) | Attr::Atomic(_, x) => matches!(m.space(x.place), Space::Function | Space::Private),
        _ => false,
    })
}

/// Machine code of what the passes made.
fn generate(
    m: Module,
    report: &gpucc_opt::Report,
    steps: Option<Watch>,
    generation: u8,
    options: &CodegenOptions,
    how: How,
) -> Result<Output, Box<Stop>> {
    let chip = NAMES[generation as usize];
    let e = &m.entries[0];
    let f = &m.funcs[e.func];
    let size = e.workgroup_size;
    let arrays = if how.arrays { arrays::choose(f, &m) } else { Arrays::default() };
    let t = Vivante::new(generation, arrays.rows);
    let array_rows = arrays.rows as u16;

    // Spilling needs a base that the prologue computes: only where registers run out, and nothing else is left to try.
    // gc2000 has no immediates for offsets.
    let has_spills = generation != machine::GC2000;
    let first = Generated::new(&m, f, &t, &arrays, size, options, has_spills && options.spill_all)?;
    let Generated { mut isel, mut mf, moved, before, alloc, spilled } = match first {
        Ok(done) => done,
        Err(AllocError::OutOfRegisters(_)) if has_spills && array_rows == 0 && !how.wide => {
            Generated::new(&m, f, &t, &arrays, size, options, true)?.map_err(|e| refusal(e, &m, chip, true))?
        }
        Err(e) => return Err(refusal(e, &m, chip, false).into()),
    };
    isel.scratch_bytes = isel.scratch_bytes.saturating_add(spilled);

    if options.opt_level > 0 {
        trace::enter("lane merging", &f.name);
        forward::run(&mut mf, &t);
        merge::identities(&mut mf);
        merge::lanes(&mut mf, &t, &mut isel.uniforms);
        // Merged copies may read what others copied.
        forward::run(&mut mf, &t);
        merge::identities(&mut mf);
        merge::lanes(&mut mf, &t, &mut isel.uniforms);
        tails::run(&mut mf, &t);
    }
    let temps = used_temps(&mf, &t, &isel);
    arrays::place(&mut mf, &t, temps);
    let temps = temps + array_rows;
    trace::enter("emission", &f.name);
    let layout = emit::layout(&mf, &t, &isel.uniforms);
    let limit = machine::rules::UNIFORMS[generation as usize] as usize;
    if layout.registers.len() > limit {
        return Err(Diagnostic::unsupported(
            Refusal::OutOfUniforms,
            format!("vivante:{chip} has {limit} uniform registers, this needs {}", layout.registers.len()),
        )
        .at(e.span, "this entry point")
        .into());
    }
    let mir = if options.texts { gpucc_mir::print(&mf, &t) } else { String::new() };
    let code = emit::Lines::new(&mf, options.opt_level > 0);
    let most = machine::rules::INSTRUCTIONS[generation as usize] as usize;
    // Before anything is encoded: branches could not say where they go.
    if code.len() > most {
        return Err(Diagnostic::unsupported(
            Refusal::ProgramSize,
            format!("vivante:{chip} has room for {most} instructions, this needs {}", code.len()),
        )
        .at(e.span, "this entry point")
        .into());
    }
    let p = emit::emit(code, &t, &isel.uniforms, layout, options.verify)?;

    let entry = container_entry(&m, &isel, &p, temps);
    let stats = statistics(&p, temps, moved, &alloc, &isel);
    let times = pass_times(&report.times, steps);
    Ok(Output {
        entry: Entry { stats: stats.clone(), ..entry },
        gir: if options.texts { m.to_string() } else { String::new() },
        ir: m,
        mir: format!("before allocation:\n{before}\nafter allocation:\n{mir}"),
        stats,
        dumps: report.dumps.clone(),
        times,
    })
}

/// A function with its registers.
struct Generated<'m> {
    isel: Isel<'m>,
    mf: MFunc<Vivante>,
    moved: usize,
    before: String,
    alloc: AllocStats,
    /// Bytes of scratch for spilled registers.
    spilled: u32,
}

impl<'m> Generated<'m> {
    fn new(
        m: &'m Module,
        f: &gpucc_ir::Function,
        t: &'m Vivante,
        arrays: &Arrays,
        size: [u32; 3],
        options: &CodegenOptions,
        spills: bool,
    ) -> Result<Result<Generated<'m>, AllocError>, Box<Stop>> {
        trace::enter("isel", &f.name);
        let mut isel = Isel::new(m, f, t, arrays.clone(), size, spills);
        let mut mf = gpucc_mir::select(f, &mut isel)?;
        trace::enter("machine clean-up", &f.name);
        gpucc_mir::copy_prop(&mut mf, t);
        if options.opt_level > 0 {
            merge::saturate(&mut mf);
        }
        gpucc_mir::dce(&mut mf, t);
        trace::enter("single uniform", &f.name);
        let moved = emit::single_uniform(&mut mf, t, &isel.uniforms);
        too_much(&mf, t, &isel.uniforms).map_err(|d| Stop::hopeless(d.at(m.entries[0].span, "this entry point")))?;
        trace::enter("register allocation", &f.name);
        mf.sort_blocks();
        mf.split_critical_edges(t);
        if options.opt_level > 0 {
            edges::run(&mut mf, t);
        }
        if options.opt_level > 1 && !spills {
            trace::enter("scheduling", &f.name);
            let facts = gpucc_mir::Facts::new(&mf, t).map_err(|e| Diagnostic::internal("scheduling", e))?;
            gpucc_mir::schedule_before(&mut mf, t, &facts, &[AIM, 4]);
            trace::enter("register allocation", &f.name);
        }
        let spilling = spills.then(|| Vivante::spilling(t.generation, isel.scratch_bytes, &mut mf));
        let before = if options.texts { gpucc_mir::print(&mf, t) } else { String::new() };
        let alloc = gpucc_mir::allocate(&mut mf, spilling.as_ref().unwrap_or(t), &AllocOptions::from(options));
        Ok(alloc.map(|alloc| {
            let words = alloc.spill_words.first().copied().unwrap_or(0);
            let spilled = words.next_multiple_of(4).saturating_mul(4);
            Generated { isel, mf, moved, before, alloc, spilled }
        }))
    }
}

/// How many times fewer instructions later passes may leave, at most.
const SHRINK: usize = 8;

/// Refuses early what cannot fit, whatever is tried: allocation costs the most time.
fn too_much(mf: &MFunc<Vivante>, t: &Vivante, table: &uniforms::Table) -> Result<(), Diagnostic> {
    let chip = NAMES[t.generation as usize];
    let limit = machine::rules::UNIFORMS[t.generation as usize] as usize;
    let words = emit::words(mf, t, table);
    if words > 4 * limit {
        return Err(Diagnostic::unsupported(
            Refusal::OutOfUniforms,
            format!("vivante:{chip} has {limit} uniform registers, this needs at least {}", words.div_ceil(4)),
        ));
    }
    let most = machine::rules::INSTRUCTIONS[t.generation as usize] as usize;
    let count = mf.code.iter().flatten().filter(|i| i.target_op().is_some()).count();
    if count > SHRINK * most {
        return Err(Diagnostic::unsupported(
            Refusal::ProgramSize,
            format!("vivante:{chip} has room for {most} instructions, this needs more than {}", count / SHRINK),
        ));
    }
    Ok(())
}

fn refusal(e: AllocError, m: &Module, chip: &str, spills: bool) -> Diagnostic {
    let note = if spills {
        "spilled registers do not help here: one instruction wants them all"
    } else {
        "the chip has no immediate offsets to reach spilled registers; smaller arrays or fewer live values would help"
    };
    e.refusal(m, |o| (format!("vivante:{chip} has {} components of temporaries (64 vec4)", o.limit), note.into()))
}

/// Zeros in place of values that nobody defined: the chip (and the machine that stands for it) may not read what was never
/// written, not even where a selection does not take it.
fn define(f: &mut gpucc_ir::Function) {
    let mut zeros: Vec<(gpucc_ir::Value, gpucc_ir::Value)> = Vec::new();
    let list: Vec<gpucc_ir::Inst> = f.insts_in_order().map(|(_, i)| i).collect();
    for &i in &list {
        let mut undefined = Vec::new();
        f.insts[i].for_each_use(|v| undefined.push(v));
        for v in undefined {
            if f.is_undef(v) && !zeros.iter().any(|z| z.0 == v) {
                let zero = f.zero(f.ty(v));
                zeros.push((v, zero));
            }
        }
    }
    if zeros.is_empty() {
        return;
    }
    for i in list {
        f.insts[i].map_uses(|v| zeros.iter().find(|z| z.0 == v).map_or(v, |z| z.1));
    }
}

/// Temporaries in use below those of indexed variables.
fn used_temps(mf: &gpucc_mir::MFunc<Vivante>, t: &Vivante, isel: &Isel<'_>) -> u16 {
    let places = mf.code.iter().flatten().flat_map(|i| {
        let uses = i.uses.iter().filter_map(gpucc_mir::Use::phys);
        uses.chain(i.defs.iter().filter_map(|d| d.phys()))
    });
    let rows = places.filter(|p| p.file == target::FILE && !t.in_arrays(*p)).map(|p| p.place.row(4) + 1).max();
    rows.unwrap_or(0).max(isel.preloaded().len() as u16)
}

fn container_entry(m: &Module, isel: &Isel<'_>, p: &emit::Program, temps: u16) -> Entry {
    let e = &m.entries[0];
    let f = &m.funcs[e.func];
    let mut preloads = Vec::new();
    for (k, id) in isel.preloaded().iter().enumerate() {
        for d in 0..3u16 {
            let source = match id {
                Id::Local => Source::LocalId(d),
                Id::Group => Source::WorkgroupId(d),
                Id::Global => Source::GlobalId(d),
            };
            preloads.push(Preload { file: machine::exec::FILE_TEMP, lane: d as u8, index: k as u16, source });
        }
    }
    let mut limits = Vec::new();
    for (r, words) in p.uniforms.registers.iter().enumerate() {
        for (c, w) in words.iter().enumerate() {
            if let Some(w) = w {
                preloads.push(Preload {
                    file: machine::exec::FILE_UNIFORM,
                    lane: c as u8,
                    index: r as u16,
                    source: w.source(&mut limits, isel.scratch_bytes),
                });
            }
        }
    }
    let flag = if m.options.robust { 0 } else { flags::TRUSTED };
    let reflection = reflect(m, f, |_, used, index| used.then_some(index));
    let own = |p: Place| match p {
        Place::Global(g) => isel.shared_offsets.get(g.0 as usize).copied(),
        _ => None,
    };
    let shared = match isel.shared {
        Shared::Buffer => machine::exec::shared_mode::BUFFER,
        Shared::Local => machine::exec::shared_mode::LOCAL,
    };
    Entry {
        name: e.name.clone(),
        stage: Stage::Compute,
        code: p.code.clone(),
        races: Some(race_marks(m, f, &reflection.resources, own, p.locs.iter().copied())),
        lines: line_table(m, p.locs.iter().copied()),
        meta: Meta {
            workgroup_size: e.workgroup_size,
            subgroup_size: 1,
            registers: vec![
                (machine::exec::FILE_TEMP, temps),
                (machine::exec::FILE_UNIFORM, p.uniforms.registers.len() as u16),
            ],
            shared_bytes: isel.shared_bytes,
            scratch_bytes: isel.scratch_bytes,
            flags: flag | reflection.flags,
            family_words: core::iter::once(shared).chain(limits.into_iter().flatten()).collect(),
        },
        resources: reflection.resources,
        preloads,
        names: reflection.names,
        ..Entry::default()
    }
}

fn statistics(p: &emit::Program, temps: u16, moved: usize, alloc: &AllocStats, isel: &Isel<'_>) -> Vec<(String, u64)> {
    let c = &p.counts;
    let words = p.uniforms.registers.iter().flatten().filter(|w| w.is_some()).count();
    [
        ("instructions", (p.code.len() / machine::BYTES) as u64),
        ("bytes", p.code.len() as u64),
        ("registers", u64::from(temps)),
        ("array_rows", u64::from(isel.arrays.rows)),
        ("uniforms", p.uniforms.registers.len() as u64),
        ("uniform_words", words as u64),
        ("immediates", c.immediates),
        ("movs", c.movs),
        ("uniform_moves", moved as u64),
        ("address_moves", c.address_moves),
        ("lane_use_percent", (c.lanes.0 * 100).checked_div(c.lanes.1).unwrap_or(0)),
        ("branches", c.branches),
        ("loops", c.loops),
        ("memory", c.memory),
        ("spills", u64::from(alloc.spills)),
        ("reloads", u64::from(alloc.reloads)),
        ("shared_bytes", u64::from(isel.shared_bytes)),
        ("scratch_bytes", u64::from(isel.scratch_bytes)),
    ]
    .map(|(k, v)| (k.to_owned(), v))
    .to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: How = How { arrays: true, wide: true, unroll: true };

    fn stop(code: Refusal, private: bool, hopeless: bool) -> Stop {
        Stop { refused: Diagnostic::unsupported(code, "what it is"), private, unrolled: true, hopeless }
    }

    /// Every way that is tried after a program was refused in the first one.
    fn ways(s: &Stop) -> usize {
        core::iter::successors(Some(ALL), |h| h.after(s)).count()
    }

    #[test]
    fn each_way_is_tried_once() {
        assert_eq!(ways(&stop(Refusal::OutOfRegisters, true, false)), 3);
        assert_eq!(ways(&stop(Refusal::OutOfUniforms, true, false)), 3);
        assert_eq!(ways(&stop(Refusal::ProgramSize, true, false)), 3);
        // Sizes do not change what a chip lacks.
        assert_eq!(ways(&stop(Refusal::F16, true, false)), 1);
    }

    #[test]
    fn what_changes_nothing_is_not_tried() {
        assert_eq!(ways(&stop(Refusal::F16, false, false)), 1);
        assert_eq!(ways(&stop(Refusal::OutOfUniforms, true, true)), 1);
        assert_eq!(ways(&stop(Refusal::ProgramSize, false, true)), 2);
        assert_eq!(ways(&Stop { unrolled: false, ..stop(Refusal::ProgramSize, false, false) }), 1);
        let bug =
            Stop { refused: Diagnostic::internal("pack", "a bug"), private: true, unrolled: true, hopeless: false };
        assert_eq!(ways(&bug), 1);
    }
}

#[cfg(test)]
mod selection {
    use super::*;

    /// Whatever the passes may leave is selected, on every generation: nothing falls through to a compiler bug.
    #[test]
    fn knows_all_that_passes_leave() {
        let mut failures = Vec::new();
        for (k, generation) in NAMES.iter().enumerate() {
            let chip = Chip { family: "vivante", generation, lacks: LACKS };
            for (name, text) in
                gpucc_opt::selection::cases(&caps(k as u8, How { arrays: true, wide: true, unroll: true }), &chip)
            {
                let m = gpucc_ir::text::parse_module(&text).unwrap_or_else(|d| panic!("{name}: {d}\n{text}"));
                for opt_level in [0, 2] {
                    let o = CodegenOptions { opt_level, prepared: true, verify: true, ..CodegenOptions::default() };
                    if let Err(d) = VIVANTE.compile(&m, "main", k, &o) {
                        failures.push(format!("{generation} -O{opt_level} {name}: {d}"));
                    }
                }
            }
        }
        assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    }
}
