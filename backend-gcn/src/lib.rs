//! Code generation for AMD GCN 1.0 to 1.2 (gfx6, gfx7, gfx8).
//!
//! `flow` plans how a wave runs the function (branches, lanes that wait), `flow/reg_banks` which values are scalar,
//! `interface/launch_registers` the scalar registers of the whole program, `isel` chooses instructions, `flow/lower_exec_masks` puts
//! the plan into code; after allocation (`allocate`) `tail/encode` chooses forms and branches, the passes of `TAIL` reorder the code
//! and put in waits, and `tail/emit` places it.

mod allocate;
pub mod builders;
mod caps;
mod code_object;
#[doc(hidden)]
pub mod flow;
mod forms;
mod inst;
mod interface;
mod isel;
#[doc(hidden)]
pub mod model;
mod ops;
mod statistics;
#[doc(hidden)]
pub mod tail;
mod target;
mod wide_scalar_loads;

use gpucc_container::{Meta, Preload, Source, flags};
use gpucc_driver::statistics::Statistic;
use gpucc_driver::{
    AttemptError, CodegenOptions, CompileCx, Driver, DriverFacts, EmittedProgram, FailureKind, Family, InstCost, IrCx,
    IrPass, Job, Occupancy, Pass, Piece, Selected, TailPass, TextFixture, Variables, reflect, used_places,
};
use gpucc_gcn_machine::{self as machine, Unit, abi};
use gpucc_ir::analysis::{DomTree, Uniformity};
use gpucc_ir::{Denormals, Diagnostic, FloatModes, Function, Place, Refusal, Stage, Unsupported};
use gpucc_isa::Notes;
use gpucc_mir::{MFunc, copy_prop, dce, drop_fallthrough, local_cse, schedule_after, settle_moves, thread_jumps};
use gpucc_opt::{Caps, FloatCaps, PassCx, Report, passes};

use caps::{KEPT, SCALAR_TOP, UNSUPPORTED, caps};
use flow::{edges, empty_merges, lower_exec_masks, order_arms, verify_flow};
use gpucc_driver::Tables;
use inst::{Gcn, Scratch, Spills};
use interface::{bindings, io, launch_registers};
use tail::{
    clauses, dead_exec_writes, dead_scalars, direct_exec, early_moves, emit, encode, encoded, end_dead_waves,
    exact_regions, exec_compares, fill, prologue, shrink_compares, waits,
};

/// The family as the compiler's driver asks it.
pub struct GcnFamily;

/// The backend for all generations of the family.
pub static GCN: Driver<GcnFamily> = Driver::new();

/// Which registers may be spilled: each kind takes registers of its own, so it is prepared only when registers have run out.
#[derive(Clone, Copy, Default)]
pub struct Strategy {
    /// Scalar registers, to lanes of vector registers.
    scalar: bool,
    /// Vector registers, to scratch.
    vector: bool,
}

/// The decisions of selection.
#[derive(Default)]
pub struct State {
    fixed: launch_registers::LaunchRegisters,
    io: io::Io,
    /// How the wave runs the function, until that is in the code.
    plan: Option<flow::Plan>,
    memory: Variables,
    tables: Tables,
    /// Components of the local id that are read.
    ids: [bool; 3],
    /// Whether something is computed once that selection wrote more often.
    once: bool,
    /// Registers that the code uses, once it is encoded.
    used: encode::Used,
}

/// The pass `empty-merges`: above level 0 no such ends are left.
fn empty_merges(f: &mut Function, cx: &mut PassCx<'_>, how: &IrCx<'_, GcnFamily>) {
    if how.level == 0 {
        empty_merges::run(f, cx);
    }
}

/// The pass `lower-exec-masks`: code from a text has no plan, and its masks already.
fn exec_masks(mf: &mut MFunc<Gcn>, cx: &mut CompileCx<'_, GcnFamily>) -> Result<u64, AttemptError> {
    Ok(cx.state.plan.take().map_or(0, |plan| lower_exec_masks::lower(mf, &plan, &cx.target)))
}

/// The pass `wide-scalar-loads`: not where scalar registers were too few.
fn widened(mf: &mut MFunc<Gcn>, cx: &mut CompileCx<'_, GcnFamily>) -> u64 {
    if cx.job.strategy.scalar {
        return 0;
    }
    let registers = (cx.state.fixed.end, SCALAR_TOP);
    wide_scalar_loads::run(mf, &cx.target, registers, cx.job.generation, cx.fuel)
}

/// The pass `allocate`.
fn allocated(mf: &mut MFunc<Gcn>, cx: &mut CompileCx<'_, GcnFamily>) -> Result<u64, AttemptError> {
    cx.alloc = allocate::run(mf, &cx.target, &cx.job, (cx.state.fixed.end, !cx.state.io.is_compute))?;
    Ok(u64::from(cx.alloc.moves))
}

impl Family for GcnFamily {
    type Target = Gcn;
    type Strategy = Strategy;
    type State = State;
    type Encoded = encoded::Code;

    const NAME: &'static str = machine::NAME;
    const GENERATIONS: &'static [&'static str] = machine::GENERATIONS;
    const DEFAULT_GENERATION: usize = machine::DEFAULT_GENERATION;
    const UNSUPPORTED: &'static [Unsupported] = UNSUPPORTED;
    const STATISTICS: &'static [Statistic] = statistics::STATISTICS;
    const DRIVER_FACTS: DriverFacts = DriverFacts {
        vertex: &[Piece::VertexLayout],
        fragment: &[],
        // The unit of an address of a program, and of RADV's arena of shaders (`RADV_SHADER_ALLOC_ALIGNMENT`).
        padded: |bytes| bytes.next_multiple_of(256),
    };
    const CODE_OBJECT: Option<fn(u8) -> gpucc_driver::CodeObject> = Some(code_object::facts);
    const IR_PASSES: &'static [IrPass<Self>] = &[
        IrPass::shared(2, passes::CONSTANT_FACTORS),
        IrPass::shared(2, passes::SINK_SUMS),
        IrPass::shared(2, passes::SIGNS),
        IrPass::shared(2, passes::MIXES),
        IrPass::shared(2, passes::DCE),
        IrPass::lower("empty-merges", empty_merges),
        IrPass::lower("split-critical-edges", |f, cx, _| cx.must_change(edges::split_critical_edges(f))),
        IrPass::shared(2, passes::WIDEN_LOADS),
        IrPass::improve("order-arms", 0, |f, cx, _| order_arms::run(f, cx)),
    ];
    const PASSES: &'static [Pass<Self>] = &[
        Pass::lower("lower-exec-masks", exec_masks).completes(),
        Pass::improve("machine-copy-prop", 1, |mf, cx| Ok(copy_prop(mf, &cx.target) as u64)),
        Pass::improve("machine-cse", 1, |mf, cx| Ok(if cx.state.once { local_cse(mf, &cx.target) as u64 } else { 0 })),
        Pass::lower("machine-dce", |mf, cx| Ok(dce(mf, &cx.target) as u64)).counts_some(),
        Pass::improve("wide-scalar-loads", 2, |mf, cx| Ok(widened(mf, cx))),
        Pass::lower("allocate", allocated).physical(),
        Pass::lower("spill-lanes", |mf, cx| Ok(allocate::spill_lanes(mf, &cx.alloc).into())).physical(),
        Pass::improve("settle-moves", 1, |mf, cx| Ok(settle_moves(mf, &cx.target) as u64)).physical(),
        Pass::improve("schedule", 2, |mf, cx| Ok(schedule_after(mf, &cx.target) as u64)).physical(),
        Pass::lower("thread-jumps", |mf, cx| Ok(thread_jumps(mf, &cx.target) as u64)).physical(),
        Pass::lower("drop-fallthrough", |mf, cx| Ok(drop_fallthrough(mf, &cx.target) as u64)).physical(),
    ];
    const TAIL: &'static [TailPass<Self>] = &[
        Pass::lower("exact-regions", |code, cx| Ok(exact_regions::run(code, cx.state.fixed.live, cx.job.generation))),
        Pass::lower("end-dead-waves", |code, cx| Ok(end_dead_waves::run(code, cx.job.generation))),
        Pass::lower("prologue", |code, cx| Ok(prologue::run(code, &cx.state.fixed, cx.job.generation))),
        Pass::improve("early-moves", 1, |code, cx| Ok(early_moves::run(code, cx.fuel))),
        Pass::improve("dead-exec-writes", 0, |code, cx| Ok(dead_exec_writes::run(code, cx.job.generation, cx.fuel))),
        Pass::improve("dead-scalars", 1, |code, cx| Ok(dead_scalars::run(code, cx.fuel))),
        Pass::improve("direct-exec", 1, |code, cx| Ok(direct_exec::run(code, cx.fuel))),
        Pass::improve("clauses", 2, |code, cx| Ok(clauses::run(code, cx.fuel))),
        Pass::improve("fill-wait-states", 2, |code, cx| Ok(fill::run(code, cx.job.generation, cx.fuel))),
        Pass::improve("shrink-compares", 2, |code, cx| Ok(shrink_compares::run(code, cx.job.generation, cx.fuel))),
        Pass::improve("exec-compares", 2, |code, cx| Ok(exec_compares::run(code, cx.job.generation, cx.fuel))),
        Pass::lower("waits", |code, cx| Ok(waits::run(code, cx.job.generation))),
    ];

    fn first(_generation: u8, options: &CodegenOptions) -> Strategy {
        Strategy { scalar: options.spill_all, vector: options.spill_all }
    }

    fn caps(generation: u8, _stage: Stage, _strategy: &Strategy) -> Caps {
        let halves = generation == 2;
        // FLAT has no offset.
        let address_offset = if generation == 2 { 0 } else { caps().address_offset };
        let mut caps = Caps { lanes_by_memory: generation < 2, halves, address_offset, ..caps() };
        if halves {
            caps.floats.f16 = FloatCaps::FULL;
        }
        caps
    }

    fn retry(job: &Job<'_, Self>, stop: &AttemptError, _report: &Report) -> Option<Strategy> {
        match stop.cause {
            FailureKind::OutOf("s") if !job.strategy.scalar => Some(Strategy { scalar: true, ..job.strategy }),
            FailureKind::OutOf("v") if !job.strategy.vector => Some(Strategy { vector: true, ..job.strategy }),
            _ => None,
        }
    }

    fn select(job: &Job<'_, Self>) -> Result<Selected<Self>, AttemptError> {
        let (m, f) = (job.module, job.func());
        let tables = Tables::new(m, f);
        let used = used_places(f).into_iter().map(|u| u.0).filter(|&p| tables.at(p).is_none());
        let memory = Variables::new(m, f, used, |v| v.placed_align().max(4));
        let limit = abi::lds_limit(job.generation);
        if memory.workgroup > limit {
            let what = format!("has {limit} bytes of workgroup memory, this needs {}", memory.workgroup);
            return Err(job.refuse(Refusal::WorkgroupMemory, what).into());
        }
        let dom = DomTree::new(f);
        let uniform = Uniformity::within(m, f, &dom);
        let plan = flow::plan(f, &dom, &uniform);
        if job.options.verify || cfg!(debug_assertions) {
            let fault = |e| Diagnostic::internal("verify", format!("the plan of lanes of `{}`: {e}", f.name));
            verify_flow::verify(&plan).map_err(fault)?;
        }
        drop(dom);
        let places = |p: Place| memory.at(p).unwrap_or(0);
        let bindings = bindings::Bindings::new(m, f);
        let io = io::Io::new(m, f, &job.entry().stage, job.options.context.as_deref().map(|a| &a.pipeline));
        let varyings = io.varyings(m) as u64;
        if varyings > io::PARAMETERS {
            let what = format!("hands over at most {} values between the stages, this has {varyings}", io::PARAMETERS);
            return Err(job.refuse(Refusal::Varyings, what).into());
        }
        let is_table = |p: Place| tables.at(p).is_some();
        // Where scalar registers were too few, those of descriptors are free as long as nobody asks for them.
        let kept = if job.strategy.scalar { 0 } else { KEPT };
        let spills = job.strategy.vector;
        let fixed = launch_registers::LaunchRegisters::new(m, f, spills, &bindings.groups, &io, kept, &is_table);
        let mut vector = job.strategy.vector.then(Scratch::default);
        if let (Some(s), Some(offset)) = (&mut vector, fixed.scratch_offset) {
            *s = Scratch { from: memory.private, descriptor: fixed.scratch, offset, far: fixed.far };
        }
        let spills = Spills { scalar: job.strategy.scalar, vector };
        let target = Gcn::new(fixed.end as u16, SCALAR_TOP as u16, spills).with_live_mask(fixed.live);
        let size = job.entry().workgroup_size().unwrap_or([1; 3]);
        let known = isel::Known {
            plan: &plan,
            uniform: &uniform,
            fixed: &fixed,
            bindings: &bindings,
            tables: &tables,
            io: &io,
            pipeline: job.options.context.as_deref().map(|a| &a.pipeline),
        };
        let mut isel = isel::Isel::new(m, f, job.generation, size, &known, &places);
        let code = gpucc_mir::select(f, &mut isel)?;
        let ids = isel.ids.map(|i| i.is_some());
        let once = isel.once();
        drop(isel);
        Ok(Selected {
            code,
            target,
            state: State { plan: Some(plan), fixed, memory, tables, ids, io, once, used: encode::Used::default() },
        })
    }

    fn bare(job: &Job<'_, Self>, _given: &TextFixture) -> (Gcn, State) {
        let spills = Spills { scalar: job.strategy.scalar, vector: None };
        (Gcn::new(0, SCALAR_TOP as u16, spills), State { once: true, ..State::default() })
    }

    fn variable(cx: &CompileCx<'_, Self>, place: Place) -> Option<u32> {
        cx.state.memory.at(place)
    }

    fn encode(code: MFunc<Gcn>, cx: &mut CompileCx<'_, Self>) -> Result<encoded::Code, Diagnostic> {
        let (code, used) = encode::encode(code, cx.state.fixed.end, cx.job.generation);
        cx.state.used = used;
        Ok(code)
    }

    fn emit(code: &encoded::Code, cx: &CompileCx<'_, Self>) -> Result<EmittedProgram, Diagnostic> {
        let (job, state, fixed) = (&cx.job, &cx.state, &cx.state.fixed);
        let Some(p) = emit::emit(code, job.generation, job.options.verify || cfg!(debug_assertions))? else {
            let what = "has branches that reach 131072 bytes, and too many of them go further at once";
            return Err(job.refuse(Refusal::ProgramSize, what));
        };
        let least = if fixed.scratch_offset.is_some() { 4 } else { 0 };
        let scratch = (state.memory.private + 4 * allocate::words(&cx.alloc, inst::FILE_V)).max(least);
        if !state.io.is_compute && job.entry().workgroup_size().is_none() {
            return Ok(graphics_program(p, cx, scratch));
        }
        let highest = (0..3).rev().find(|&c| state.ids[c]).unwrap_or(0);
        let vgprs = state.used.vgprs.max(highest as u32 + 1);
        let rsrc2 = abi::Rsrc2 {
            scratch: scratch > 0,
            user_sgprs: fixed.user,
            workgroup_id: fixed.wants_id,
            tg_size: false,
            local_id_components: highest as u32,
            lds_bytes: state.memory.workgroup,
        };
        let mut preloads = fixed.preloads();
        for c in 0..=highest as u16 {
            let row = Preload { file: abi::FILE_VGPR, lane: 0, index: c, source: Source::LocalId(c) };
            preloads.insert(preloads.iter().position(|p| p.file == abi::FILE_ROOT).unwrap_or(preloads.len()), row);
        }
        let rsrc1 = abi::rsrc1(vgprs, state.used.sgprs, float_mode(job), job.generation);
        Ok(EmittedProgram {
            stats: statistics::of(&p, &cx.alloc, &sizes(vgprs, cx, scratch)),
            limiter: limiter(vgprs, cx),
            more: more(vgprs, cx),
            code: p.code,
            data: state.tables.data.clone(),
            locs: p.locs,
            meta: Meta {
                subgroup_size: 64,
                registers: vec![(abi::FILE_SGPR, state.used.sgprs as u16), (abi::FILE_VGPR, vgprs as u16)],
                shared_bytes: state.memory.workgroup,
                flags: kept(job),
                scratch_bytes: scratch,
                family_words: abi::FamilyWords { rsrc1, rsrc2: rsrc2.word(job.generation) }.to_words(),
                ..Meta::default()
            },
            preloads,
            reflection: reflect(job.module, job.func(), |_, used, index| used.then_some(index)),
            ..EmittedProgram::default()
        })
    }

    const NAMES: gpucc_isa::Names = gpucc_gcn_machine::names::NAMES;

    fn costs(code: &encoded::Code) -> Vec<InstCost> {
        let of = |runs: u64, i: &encoded::EncodedInst| {
            let unit = match i.inst.row().attrs.unit {
                Unit::Salu | Unit::Branch => "salu",
                Unit::Smem => "smem",
                Unit::Valu | Unit::Trans => "valu",
                Unit::Vmem | Unit::Flat => "vmem",
                Unit::Lds => "lds",
                Unit::Export => "export",
                Unit::Interp => "interp",
            };
            InstCost { loc: i.loc, unit, runs, cycles: model::cycles(i).saturating_mul(runs) }
        };
        code.blocks.iter().flat_map(|b| b.insts.iter().map(move |i| of(b.runs, i))).collect()
    }

    fn program_text(code: &[u8], generation: u8, stage: u8, notes: &Notes<'_>) -> String {
        machine::listing(code, generation, stage, notes)
    }
}

/// The mode that the launch asks for: what the entry point asks of floats, and else no denormals in 32 bits.
fn float_mode(job: &Job<'_, GcnFamily>) -> u32 {
    let FloatModes { f16, f32, f64 } = job.module.entries[0].modes;
    let keep32 = if f32.denormals == Denormals::Preserve { abi::FLOAT_KEEP & !abi::FLOAT_FLUSH32 } else { 0 };
    let keep_others = if f16.flushes() || f64.flushes() { 0 } else { abi::FLOAT_FLUSH32 };
    let cut32 = if f32.cuts() { abi::FLOAT_CUT32 } else { 0 };
    // Before gfx8 halves come about by conversions that round as 32 bits do.
    let cut_halves = job.generation == 2 && f16.cuts();
    let cut_others = if cut_halves || f64.cuts() { abi::FLOAT_CUT_OTHERS } else { 0 };
    keep32 | keep_others | cut32 | cut_others
}

/// Whether denormals of 32 bits are kept, as a flag.
fn kept(job: &Job<'_, GcnFamily>) -> u32 {
    if job.module.entries[0].modes.f32.denormals == Denormals::Preserve { flags::DENORM32 } else { 0 }
}

/// The program of a vertex or fragment entry.
fn graphics_program(p: emit::Program, cx: &CompileCx<'_, GcnFamily>, scratch: u32) -> EmittedProgram {
    let (job, state, fixed, io) = (&cx.job, &cx.state, &cx.state.fixed, &cx.state.io);
    let (stage, pipeline) = (&job.entry().stage, job.options.context.as_deref().map(|a| &a.pipeline));
    let vgprs = state.used.vgprs.max(io.vgprs());
    let mut preloads = fixed.preloads();
    let at = preloads.iter().position(|p| p.file == abi::FILE_ROOT).unwrap_or(preloads.len());
    let v = |index: u32, source| Preload { file: abi::FILE_VGPR, lane: 0, index: index as u16, source };
    let mut inputs = Vec::new();
    if io.is_fragment {
        for bit in 0..16 {
            if let Some(first) = io.item(bit) {
                let n = io::width(bit);
                inputs.extend((0..n).map(|k| v(first + k, Source::Family(abi::FAMILY_PS_INPUT + 4 * bit + k))));
            }
        }
    } else {
        inputs.push(v(0, Source::VertexIndex));
        inputs.extend(io.instances.then(|| v(1, Source::InstanceIndex)));
        inputs.extend(io.primitives.then(|| v(2, Source::Family(abi::FAMILY_PRIMITIVE))));
    }
    preloads.splice(at..at, inputs);
    let count = if io.is_fragment { 0 } else { u32::from(io.instances) + u32::from(io.primitives) };
    let count = count << 24;
    let rsrc1 = abi::rsrc1(vgprs, state.used.sgprs, float_mode(job), job.generation) | count;
    let rsrc2 = u32::from(scratch > 0) | fixed.user << 1;
    EmittedProgram {
        stats: statistics::of(&p, &cx.alloc, &sizes(vgprs, cx, scratch)),
        limiter: limiter(vgprs, cx),
        more: more(vgprs, cx),
        interface: job.interface(&io.used, io::places(io, stage, pipeline)),
        state: io::words(io, stage, pipeline, [rsrc1, rsrc2]),
        code: p.code,
        data: state.tables.data.clone(),
        locs: p.locs,
        meta: Meta {
            subgroup_size: 64,
            registers: vec![(abi::FILE_SGPR, state.used.sgprs as u16), (abi::FILE_VGPR, vgprs as u16)],
            shared_bytes: 0,
            flags: kept(job),
            scratch_bytes: scratch,
            family_words: abi::FamilyWords { rsrc1, rsrc2 }.to_words(),
            ..Meta::default()
        },
        preloads,
        reflection: reflect(job.module, job.func(), |_, used, index| used.then_some(index)),
        ..EmittedProgram::default()
    }
}

/// Invocations of a workgroup; of other stages those of a wave.
fn group_size(job: &Job<'_, GcnFamily>) -> u32 {
    job.entry().workgroup_size().map_or(64, |s| s.iter().fold(1, |n: u32, s| n.saturating_mul(*s)))
}

/// What of a program lets a SIMD hold fewer than 10 of its waves.
fn limiter(vgprs: u32, cx: &CompileCx<'_, GcnFamily>) -> &'static str {
    let (generation, size) = (cx.job.generation, group_size(&cx.job));
    let limits = [
        ("vgprs", abi::waves(vgprs, 0, generation)),
        ("sgprs", abi::waves(0, cx.state.used.sgprs, generation)),
        ("workgroup_size", abi::waves_of_groups(0, size, generation)),
        ("shared_bytes", abi::waves_of_groups(cx.state.memory.workgroup, size, generation)),
    ];
    limits.into_iter().filter(|l| l.1 < 10).min_by_key(|l| l.1).map_or("none", |l| l.0)
}

/// Waves that a SIMD holds with so many registers and so much workgroup memory.
fn waves(vgprs: u32, sgprs: u32, shared: u32, cx: &CompileCx<'_, GcnFamily>) -> u32 {
    let generation = cx.job.generation;
    abi::waves(vgprs, sgprs, generation).min(abi::waves_of_groups(shared, group_size(&cx.job), generation))
}

/// What the program takes, for its statistics.
fn sizes(vgprs: u32, cx: &CompileCx<'_, GcnFamily>, scratch_bytes: u32) -> statistics::Sizes {
    let (sgprs, shared_bytes) = (cx.state.used.sgprs, cx.state.memory.workgroup);
    statistics::Sizes { vgprs, sgprs, waves: waves(vgprs, sgprs, shared_bytes, cx), shared_bytes, scratch_bytes }
}

/// The largest smaller number of each kind with which there are more waves.
fn more(vgprs: u32, cx: &CompileCx<'_, GcnFamily>) -> Vec<Occupancy> {
    let (sgprs, shared) = (cx.state.used.sgprs, cx.state.memory.workgroup);
    let now = waves(vgprs, sgprs, shared, cx);
    let mut list = Vec::new();
    let mut add = |of, all: u32, least: u32, with: &dyn Fn(u32) -> u32| {
        let fewer = (1..=all.saturating_sub(least)).find(|n| with(all - n) > now);
        let one = |n| Occupancy { of, fewer: u64::from(n), programs: "waves", gives: u64::from(with(all - n)) };
        list.extend(fewer.map(one));
    };
    add("vgprs", vgprs, 1, &|n| waves(n, sgprs, shared, cx));
    add("sgprs", sgprs, 1, &|n| waves(vgprs, n, shared, cx));
    add("shared_bytes", shared, 0, &|n| waves(vgprs, sgprs, n, cx));
    list
}
