//! Code generation for Vivante GC: selection, the single-uniform rule, allocation of vec4 components, emission.

mod arrays;
pub mod builders;
#[doc(hidden)]
pub mod caps;
mod colours;
mod components;
mod emit;
mod encode;
pub mod encoded;
mod flag_words;
mod forms;
mod forward_moves;
pub mod inst;
mod io;
mod isel;
#[doc(hidden)]
pub mod join_gradients;
#[doc(hidden)]
pub mod known_divisors;
#[doc(hidden)]
pub mod launch;
mod merge_edges;
mod merge_lanes;
mod own_memory;
mod pack;
mod pack_arrays;
mod query;
mod read_runs;
mod resettle;
mod rotate_tests;
mod saturate;
mod single_uniform;
mod split_collects;
#[doc(hidden)]
pub mod split_dots;
mod statistics;
mod tail_merge;
mod target;
mod thread_jumps;
#[doc(hidden)]
pub mod uniforms;
mod units;
mod zero_undefs;

use gpucc_container::{LaunchOp, LaunchStep, Meta, Preload, Source};
use gpucc_driver::statistics::Statistic;
use gpucc_driver::{
    AttemptError, CodegenOptions, CompileCx, Driver, DriverFacts, EmittedProgram, FailureKind, Family, IrCx, IrPass,
    Job, Pass, Piece, Selected, Tables, TextFixture, alloc_options, reflect,
};
use gpucc_ir::{Attr, Diagnostic, Function, Module, Place, Refusal, Space, Stage, Unsupported};
use gpucc_isa::Notes;
use gpucc_mir::{AllocError, MFunc, copy_prop, dce, drop_fallthrough, local_cse};
use gpucc_opt::{Caps, PassCx, Report, passes};
use gpucc_vivante_machine as machine;

use arrays::Arrays;
use caps::{Strategy, UNSUPPORTED, caps, has_spills};
use inst::Vivante;
use isel::{Id, Isel, Shared};
use launch::Steps;
use uniforms::{Layout, Table};

/// The family as the compiler's driver asks it.
pub struct VivanteFamily;

/// The backend for all generations of the family.
pub static VIVANTE: Driver<VivanteFamily> = Driver::new();

/// Components of temporaries that scheduling may fill to hide latency: beyond them fewer threads would run.
const PRESSURE_TARGET: u32 = 12;

/// The decisions of selection.
pub struct State {
    uniforms: Table,
    steps: Steps,
    /// Their words in the file, once the code is encoded.
    layout: Layout,
    arrays: Arrays,
    /// Bytes of constant tables.
    data: Vec<u8>,
    /// Ids that the launch loads, one register each.
    preloaded: Vec<Id>,
    /// Inputs and outputs of a vertex or fragment entry.
    io: io::Io,
    /// Texture units, and the number of the first.
    units: Vec<units::UnitKey>,
    first_unit: u32,
    shared: Shared,
    shared_offsets: Vec<u32>,
    shared_bytes: u32,
    /// Bytes of an invocation's scratch without spilled registers.
    scratch_bytes: u32,
    /// Whether threads of a draw take a piece of memory.
    takes_memory: bool,
    /// Moves of uniforms that a second one stood beside.
    uniform_moves: usize,
    /// Temporaries in use, those of arrays included.
    temps: u16,
}

type Code = MFunc<Vivante>;

impl Family for VivanteFamily {
    type Target = Vivante;
    type Strategy = Strategy;
    type State = State;
    type Encoded = encoded::Code;

    const NAME: &'static str = machine::NAME;
    const GENERATIONS: &'static [&'static str] = machine::GENERATIONS;
    const DEFAULT_GENERATION: usize = machine::DEFAULT_GENERATION;
    const UNSUPPORTED: &'static [Unsupported] = UNSUPPORTED;
    const STATISTICS: &'static [Statistic] = statistics::STATISTICS;
    const DRIVER_FACTS: DriverFacts = DriverFacts {
        vertex: &[Piece::Samplers, Piece::VertexLayout],
        fragment: &[Piece::Samplers, Piece::WriteMasks, Piece::DepthStencil, Piece::FrontFace],
        padded: |bytes| bytes,
    };
    const IR_PASSES: &'static [IrPass<Self>] = &[
        IrPass::lower("zero-undefs", |f, cx, _| zero_undefs::run(f, cx)),
        IrPass::lower("flag-words", |f, cx, _| flag_words::run(f, cx)),
        IrPass::shared(1, passes::HOIST_TABLES),
        IrPass::shared(1, passes::CLAMP_INDICES),
        // Limits whose lowest bits were taken away are not to be packed with others.
        IrPass::shared(1, passes::DCE),
        IrPass::lower("pack-arrays", pack_arrays),
        IrPass::shared(2, passes::CONSTANT_FACTORS),
        IrPass::shared(2, passes::SINK_SUMS),
        IrPass::shared(2, passes::MIXES),
        IrPass::shared(2, passes::ZERO_LANES),
        IrPass::shared(2, passes::CLAMPED_CONVERSIONS),
        IrPass::shared(2, passes::LANE_SUMS),
        IrPass::shared(2, passes::DCE),
        IrPass::improve("known-divisors", 2, known_divisors),
        IrPass::lower("split-dots", |f, cx, how| split_dots::run(f, cx, how.generation)),
        IrPass::shared(2, passes::PRODUCTS),
        IrPass::improve("pack", 1, pack),
        IrPass::improve("join-gradients", 2, |f, cx, _| join_gradients::run(f, cx)),
    ];
    const PASSES: &'static [Pass<Self>] = &[
        Pass::lower("machine-copy-prop", |mf, cx| Ok(copy_prop(mf, &cx.target) as u64)),
        Pass::improve("local-cse", 1, |mf, cx| Ok(local_cse(mf, &cx.target) as u64)),
        Pass::improve("saturate", 1, |mf, _| Ok(saturate::run(mf) as u64)),
        Pass::lower("machine-dce", |mf, cx| Ok(dce(mf, &cx.target) as u64)).counts_some(),
        Pass::improve("read-runs", 1, |mf, _| Ok(read_runs::run(mf))),
        Pass::lower("single-uniform", single_uniform),
        Pass::lower("sort-blocks", |mf, _| Ok(mf.sort_blocks().into())),
        Pass::lower("split-critical-edges", |mf, cx| Ok(mf.split_critical_edges(&cx.target) as u64)),
        Pass::improve("merge-edges", 1, |mf, cx| Ok(merge_edges::run(mf, &cx.target) as u64)).counts_some(),
        Pass::improve("schedule", 2, schedule),
        Pass::lower("spill-base", spill_base),
        Pass::lower("allocate", allocate).physical(),
        // Merged copies may read what others copied: twice.
        Pass::improve("forward-moves", 1, forward_moves).physical().counts_some(),
        Pass::improve("merge-lanes", 1, merge_lanes).physical(),
        Pass::improve("forward-moves", 1, forward_moves).physical().counts_some(),
        Pass::improve("merge-lanes", 1, merge_lanes).physical(),
        Pass::improve("split-collects", 1, |mf, cx| Ok(split_collects::run(mf, &cx.target) as u64)).physical(),
        Pass::improve("tail-merge", 1, |mf, cx| Ok(tail_merge::run(mf, &cx.target) as u64)).physical(),
        Pass::lower("place-arrays", place_arrays).physical(),
        Pass::lower("thread-jumps", |mf, cx| Ok(thread_jumps::run(mf, &cx.target) as u64)).physical(),
        Pass::improve("rotate-tests", 1, |mf, cx| Ok(rotate_tests::run(mf, cx.fuel))).physical(),
        Pass::lower("drop-fallthrough", |mf, cx| Ok(drop_fallthrough(mf, &cx.target) as u64)).physical(),
    ];

    fn first(generation: u8, o: &CodegenOptions) -> Strategy {
        let fast = o.opt_level > 0;
        Strategy {
            arrays: fast && !o.spill_all,
            wide: fast,
            unroll: o.opt_level > 1,
            launch: o.opt_level > 1,
            spills: o.spill_all && has_spills(generation),
            packed: false,
            scalar: false,
            memory: o.spill_all && has_spills(generation),
        }
    }

    fn caps(generation: u8, _stage: Stage, strategy: &Strategy) -> Caps {
        caps(generation, *strategy)
    }

    fn retry(job: &Job<'_, Self>, stop: &AttemptError, report: &Report) -> Option<Strategy> {
        let (m, f, s) = (job.module, job.func(), job.strategy);
        let staged = job.entry().stage.kind() != Stage::Compute;
        if matches!(stop.cause, FailureKind::OutOf(_)) && staged && !s.packed && !s.memory && uses_private(m, f) {
            return Some(Strategy { packed: true, ..s });
        }
        // A base costs registers: only where nothing else is left to try.
        let rows = || if s.arrays { arrays::choose(f, m, &Tables::new(m, f), false).rows } else { 0 };
        if matches!(stop.cause, FailureKind::OutOf(_))
            && !s.spills
            && !s.wide
            && (!staged || s.memory)
            && has_spills(job.generation)
            && rows() == 0
        {
            return Some(Strategy { spills: true, ..s });
        }
        let unrolled = report.times.iter().any(|t| t.pass == "unroll" && t.changes > 0);
        let spills = job.options.spill_all && has_spills(job.generation);
        let next = s.after(stop, uses_private(m, f), unrolled).map(|s| Strategy { spills, ..s });
        // Memory of invocations costs atomics at both ends of a program of draws: it comes last.
        let short = matches!(stop.refused.refusal(), Some(Refusal::PrivateMemory | Refusal::OutOfRegisters));
        let memory = staged && short && !s.memory && has_spills(job.generation);
        next.or_else(|| memory.then(|| Strategy { memory: true, ..Self::first(job.generation, job.options) }))
    }

    fn select(job: &Job<'_, Self>) -> Result<Selected<Self>, AttemptError> {
        let (m, f, s) = (job.module, job.func(), job.strategy);
        let io = io::Io::new(m, f, &job.entry().stage);
        let staged = io.is_vertex || io.is_fragment;
        let tables = Tables::new(m, f);
        // Threads of draws have no other memory at first.
        let alone = staged && !s.memory;
        let arrays = if s.arrays || alone { arrays::choose(f, m, &tables, alone) } else { Arrays::default() };
        let mut target = Vivante::new(job.generation, arrays.rows);
        if io.is_fragment {
            target = target.of_fragments();
        }
        let pipeline = job.options.context.as_deref().map(|a| &a.pipeline);
        stage_limits(job, &io, pipeline)?;
        let size = if staged { [1; 3] } else { job.workgroup_size() };
        let steps = launched(f, m, s);
        let mut isel = Isel::new(m, f, &target, (arrays, tables), size, spills(job)).staged(&io, pipeline).after(steps);
        if alone && isel.scratch_bytes > 0 {
            // Nothing could give selection an address.
            let what = arrays::short_of(&isel.arrays, isel.scratch_bytes);
            return Err(job.refuse(Refusal::PrivateMemory, what).into());
        }
        let mut code = gpucc_mir::select(f, &mut isel)?;
        let own = isel.scratch_base.filter(|_| staged);
        if let Some(own) = own {
            let bytes = (!spills(job)).then_some(isel.scratch_bytes);
            own_memory::run(&mut code, &mut isel.uniforms, own, bytes);
        }
        let preloaded = isel.preloaded();
        let Isel {
            uniforms, steps, arrays, tables, units, shared, shared_offsets, shared_bytes, scratch_bytes, ..
        } = isel;
        let (first_unit, most) = units::units(job.generation, job.entry().stage.kind() == Stage::Vertex);
        if units.len() > most as usize {
            let what = format!("has {most} texture units in this stage, this needs {}", units.len());
            return Err(AttemptError {
                refused: job.refuse(Refusal::TextureUnits, what),
                cause: FailureKind::Hopeless,
            });
        }
        let state = State {
            io,
            units,
            first_unit,
            uniforms,
            steps,
            layout: Layout::default(),
            arrays,
            data: tables.data,
            preloaded,
            shared,
            shared_offsets,
            shared_bytes,
            scratch_bytes,
            takes_memory: own.is_some(),
            uniform_moves: 0,
            temps: 0,
        };
        Ok(Selected { code, target, state })
    }

    fn bare(job: &Job<'_, Self>, given: &TextFixture) -> (Vivante, State) {
        let mut uniforms = Table::default();
        for c in &given.constants {
            uniforms.slot(c.iter().map(|&w| uniforms::Word::Const(w)).collect());
        }
        let state = State {
            io: io::Io::default(),
            units: Vec::new(),
            first_unit: 0,
            uniforms,
            steps: Steps::default(),
            layout: Layout::default(),
            arrays: Arrays { rows: given.rows, ..Arrays::default() },
            data: Vec::new(),
            preloaded: Vec::new(),
            shared: Shared::Buffer,
            shared_offsets: Vec::new(),
            shared_bytes: 0,
            scratch_bytes: 0,
            takes_memory: false,
            uniform_moves: 0,
            temps: 0,
        };
        (Vivante::new(job.generation, given.rows), state)
    }

    fn variable(cx: &CompileCx<'_, VivanteFamily>, place: Place) -> Option<u32> {
        match place {
            Place::Global(g) => cx.state.shared_offsets.get(g.0 as usize).copied(),
            _ => None,
        }
    }

    fn encode(code: MFunc<Vivante>, cx: &mut CompileCx<'_, Self>) -> Result<encoded::Code, Diagnostic> {
        let layout = uniforms::layout(&code, &cx.target, &cx.state.uniforms);
        let limit = machine::validate::UNIFORMS[cx.job.generation as usize] as usize;
        if layout.registers.len() > limit {
            let what = format!("has {limit} uniform registers, this needs {}", layout.registers.len());
            return Err(cx.job.refuse(Refusal::OutOfUniforms, what));
        }
        cx.state.layout = layout;
        encode::encode(code, &cx.target, &cx.state.uniforms, &cx.state.layout)
    }

    fn emit(code: &encoded::Code, cx: &CompileCx<'_, VivanteFamily>) -> Result<EmittedProgram, Diagnostic> {
        let (job, state) = (&cx.job, &cx.state);
        let p = emit::emit(code, job)?;
        let scratch_bytes = scratch(cx);
        let staged = state.io.is_vertex || state.io.is_fragment;
        let most_private = if staged { machine::abi::MOST_DRAW_SCRATCH } else { machine::abi::MOST_SCRATCH };
        for (code, what, has, needs) in [
            (Refusal::WorkgroupMemory, "workgroup", machine::abi::MOST_SHARED, state.shared_bytes),
            (Refusal::PrivateMemory, "private", most_private, scratch_bytes),
        ] {
            if needs > has {
                return Err(job.refuse(code, format!("has {has} bytes of {what} memory, this needs {needs}")));
            }
        }
        let (preloads, steps) = preloads(state, scratch_bytes);
        let shared_mode = match state.shared {
            Shared::Buffer => machine::abi::shared_mode::BUFFER,
            Shared::Local => machine::abi::shared_mode::LOCAL,
        };
        let sizes = statistics::Sizes {
            temps: state.temps,
            array_rows: state.arrays.rows,
            uniform_moves: state.uniform_moves,
            launch_steps: steps.iter().filter(|s| s.op != LaunchOp::Limit).count(),
            shared_bytes: state.shared_bytes,
            scratch_bytes,
        };
        let (stage, pipeline) = (&job.entry().stage, job.options.context.as_deref().map(|a| &a.pipeline));
        let (interface, words) = match staged {
            true => (
                job.interface(&state.io.used, io::places(&state.io, stage, pipeline)),
                io::words(&state.io, stage, pipeline, job.generation, state.temps),
            ),
            false => (Vec::new(), Vec::new()),
        };
        Ok(EmittedProgram {
            interface,
            state: words,
            stats: statistics::of(&p, &cx.alloc, &state.layout, &sizes),
            data: state.data.clone(),
            meta: Meta {
                subgroup_size: if staged { 1 } else { caps::LANES },
                registers: vec![
                    (machine::abi::FILE_TEMP, state.temps),
                    (machine::abi::FILE_UNIFORM, state.layout.registers.len() as u16),
                ],
                shared_bytes: state.shared_bytes,
                scratch_bytes,
                family_words: machine::abi::FamilyWords { shared_mode }.to_words(),
                ..Meta::default()
            },
            code: p.code,
            locs: p.locs,
            preloads,
            steps,
            reflection: reflect(job.module, job.func(), |_, used, index| used.then_some(index)),
            ..EmittedProgram::default()
        })
    }

    const NAMES: gpucc_isa::Names = machine::names::NAMES;

    fn program_text(code: &[u8], generation: u8, stage: u8, notes: &Notes<'_>) -> String {
        machine::listing(code, generation, stage, notes)
    }
}

/// The computations of the launch, where the attempt has some.
fn launched(f: &Function, m: &Module, s: Strategy) -> Steps {
    if s.launch { Steps::new(f, m) } else { Steps::default() }
}

fn known_divisors(f: &mut Function, cx: &mut PassCx<'_>, how: &IrCx<'_, VivanteFamily>) {
    let steps = launched(f, cx.module, *how.strategy);
    known_divisors::run(f, cx, &|v| steps.knows(v));
}

/// Threads of draws have no other memory than temporaries at first.
fn pack_arrays(f: &mut Function, cx: &mut PassCx<'_>, how: &IrCx<'_, VivanteFamily>) {
    let staged = cx.module.entries.iter().any(|e| e.stage.kind() != Stage::Compute);
    if staged && !how.strategy.memory {
        pack_arrays::run(f, cx, how.strategy.packed);
    }
}

fn pack(f: &mut Function, cx: &mut PassCx<'_>, how: &IrCx<'_, VivanteFamily>) {
    if how.strategy.wide {
        let steps = launched(f, cx.module, *how.strategy);
        pack::run(f, cx, &Vivante::new(how.generation, 0), steps);
    }
}

/// Refuses more varyings, attributes or targets than the chip has.
fn stage_limits(
    job: &Job<'_, VivanteFamily>,
    io: &io::Io,
    pipeline: Option<&gpucc_pipeline::Pipeline>,
) -> Result<(), AttemptError> {
    let refuse = |code, what: String| AttemptError { refused: job.refuse(code, what), cause: FailureKind::Hopeless };
    let Some(interface) = job.entry().interface() else { return Ok(()) };
    let old = job.generation == machine::GC2000;
    let travels = interface.outputs.iter().filter(|s| matches!(s.at, gpucc_ir::IoAt::Location { .. })).count();
    let varyings = if io.is_vertex { travels } else { io.count().into() };
    let most = if old { 11 } else { 15 };
    if varyings > most {
        let what = format!("hands over at most {most} values between the stages, this has {varyings}");
        return Err(refuse(Refusal::Varyings, what));
    }
    let inputs = if io.is_vertex { io.count() + u16::from(io.ids) } else { 0 };
    // The map of inputs before HALTI5 has as many entries, and no chip has more elements (reference 13).
    let most = 16;
    if inputs > most {
        let what = format!(
            "reads at most {most} attributes of a vertex, numbers of vertex and instance counting as one: this reads {inputs}"
        );
        return Err(refuse(Refusal::Varyings, what));
    }
    let targets = colours::colours(&interface.outputs, pipeline.filter(|_| io.is_fragment)).len();
    let most = if old { 4 } else { 8 };
    if targets > most {
        let what = format!("has {most} targets of at most 64 bits, this needs {targets}");
        return Err(refuse(Refusal::TargetFormats, what));
    }
    Ok(())
}

/// Whether a function has variables in memory of the invocation.
fn uses_private(m: &Module, f: &Function) -> bool {
    f.insts_in_order().any(|(_, i)| match &f.insts[i].attr {
        Attr::Mem(x) | Attr::Atomic(_, x) => matches!(m.space(x.place), Space::Function | Space::Private),
        _ => false,
    })
}

/// Whether registers are spilled: threads of draws have memory where nothing else was left to try.
fn spills(job: &Job<'_, VivanteFamily>) -> bool {
    job.strategy.spills && (job.strategy.memory || job.entry().stage.kind() == Stage::Compute)
}

/// Bytes of an invocation's scratch. What takes a piece of memory has one, also where nothing had to be spilled in the end.
fn scratch(cx: &CompileCx<'_, VivanteFamily>) -> u32 {
    let words = if spills(&cx.job) { cx.alloc.spill_words.first().copied().unwrap_or(0) } else { 0 };
    let least = if cx.state.takes_memory { 16 } else { 0 };
    cx.state.scratch_bytes.saturating_add(words.next_multiple_of(4).saturating_mul(4)).max(least)
}

fn single_uniform(mf: &mut Code, cx: &mut CompileCx<'_, VivanteFamily>) -> Result<u64, AttemptError> {
    cx.state.uniform_moves = single_uniform::run(mf, &cx.target, &cx.state.uniforms);
    too_much(mf, cx).map_err(|refused| AttemptError { refused, cause: FailureKind::Hopeless })?;
    Ok(cx.state.uniform_moves as u64)
}

fn schedule(mf: &mut Code, cx: &mut CompileCx<'_, VivanteFamily>) -> Result<u64, AttemptError> {
    if spills(&cx.job) {
        return Ok(0);
    }
    let facts = gpucc_mir::Pressure::new(mf, &cx.target).map_err(|e| Diagnostic::internal("scheduling", e))?;
    let schedule = gpucc_mir::schedule_before(mf, &cx.target, &facts, &[PRESSURE_TARGET, 4]);
    Ok(schedule.changed() as u64)
}

/// Values that the entry computes before the base of spilled registers is known live on under new names.
fn spill_base(mf: &mut Code, cx: &mut CompileCx<'_, VivanteFamily>) -> Result<u64, AttemptError> {
    if spills(&cx.job) {
        let fragment = cx.state.io.is_fragment;
        cx.target = Vivante::spilling(cx.job.generation, cx.state.scratch_bytes, fragment, mf);
    }
    Ok(u64::from(spills(&cx.job)))
}

fn allocate(mf: &mut Code, cx: &mut CompileCx<'_, VivanteFamily>) -> Result<u64, AttemptError> {
    let job = &cx.job;
    cx.alloc = gpucc_mir::allocate(mf, &cx.target, &alloc_options(job.options)).map_err(|e| {
        let note = if spills(job) {
            "spilled registers do not help here: one instruction wants them all"
        } else {
            "the chip has no immediate offsets to reach spilled registers; smaller arrays or fewer live values would help"
        };
        let rows = matches!(&e, AllocError::OutOfRegisters(o) if o.demand <= o.limit);
        let mut stop = AttemptError::allocation(e, job.module, |o| {
            (format!("{} has {} components of temporaries (64 vec4)", job.chip(), o.limit), note.into())
        });
        if rows {
            stop.cause = FailureKind::OutOf(caps::ROWS);
        }
        stop
    })?;
    hand_over(mf, cx);
    Ok(u64::from(cx.alloc.moves))
}

/// Notes where the end of a vertex or fragment program finds what it hands over.
fn hand_over(mf: &Code, cx: &mut CompileCx<'_, VivanteFamily>) {
    let mut ends = mf.code.iter().flatten().filter(|i| i.target_op() == Some(inst::VOp::End) && !i.uses.is_empty());
    let Some(end) = ends.next() else { return };
    let found: Vec<u16> = end.uses.iter().filter_map(gpucc_mir::Use::phys).map(|p| p.place.row(4)).collect();
    let pipeline = cx.job.options.context.as_deref().map(|a| &a.pipeline);
    if cx.state.io.is_vertex || cx.state.io.is_fragment {
        cx.state.io.hand_over(&cx.job.entry().stage, pipeline, &found);
    }
}

fn forward_moves(mf: &mut Code, cx: &mut CompileCx<'_, VivanteFamily>) -> Result<u64, AttemptError> {
    Ok((forward_moves::run(mf, &cx.target) + forward_moves::identities(mf)) as u64)
}

fn merge_lanes(mf: &mut Code, cx: &mut CompileCx<'_, VivanteFamily>) -> Result<u64, AttemptError> {
    Ok(merge_lanes::run(mf, &cx.target, &mut cx.state.uniforms) as u64)
}

/// Brings the temporaries of arrays down to where the others end.
fn place_arrays(mf: &mut Code, cx: &mut CompileCx<'_, VivanteFamily>) -> Result<u64, AttemptError> {
    let t = &cx.target;
    let places = mf.code.iter().flatten().flat_map(|i| {
        let uses = i.uses.iter().filter_map(gpucc_mir::Use::phys);
        uses.chain(i.defs.iter().filter_map(|d| d.phys()))
    });
    let rows = places.filter(|p| p.file == inst::FILE && !t.in_arrays(*p)).map(|p| p.place.row(4) + 1).max();
    let stage = &cx.job.entry().stage;
    let pipeline = cx.job.options.context.as_deref().map(|a| &a.pipeline);
    let least = cx.state.io.temps(stage, pipeline);
    let temps = rows.unwrap_or(0).max(cx.state.preloaded.len() as u16).max(least);
    arrays::place(mf, t, temps);
    cx.state.temps = temps + cx.state.arrays.rows as u16;
    if cx.state.io.is_vertex && cx.state.io.count() == 0 {
        // The place of the one element of a program without attributes; with all in use the last, which no input has.
        cx.state.temps = (cx.state.temps + 1).min(64);
    }
    if cx.state.io.is_fragment && io::has_samples(pipeline) {
        // The input that hardware adds lies behind the varyings.
        cx.state.temps = (cx.state.temps + 1).max(cx.state.io.count() + 2).min(64);
    }
    Ok(u64::from(cx.state.arrays.rows))
}

/// How many times fewer instructions later passes may leave, at most.
const SHRINK: usize = 8;

/// Refuses early what cannot fit, whatever is tried: allocation costs the most time.
fn too_much(mf: &Code, cx: &CompileCx<'_, VivanteFamily>) -> Result<(), Diagnostic> {
    let t = &cx.target;
    let limit = machine::validate::UNIFORMS[t.generation as usize] as usize;
    let words = uniforms::words(mf, t, &cx.state.uniforms);
    if words > 4 * limit {
        let what = format!("has {limit} uniform registers, this needs at least {}", words.div_ceil(4));
        return Err(cx.job.refuse(Refusal::OutOfUniforms, what));
    }
    let most = machine::validate::INSTRUCTIONS[t.generation as usize] as usize;
    let count = mf.code.iter().flatten().filter(|i| i.target_op().is_some()).count();
    if count > SHRINK * most {
        let what = format!("has room for {most} instructions, this needs more than {}", count / SHRINK);
        return Err(cx.job.refuse(Refusal::ProgramSize, what));
    }
    Ok(())
}

/// The words loaded at launch, and what it computes for them.
fn preloads(state: &State, scratch_bytes: u32) -> (Vec<Preload>, Vec<LaunchStep>) {
    let mut preloads = Vec::new();
    for (k, id) in state.preloaded.iter().enumerate() {
        for d in 0..3u16 {
            let source = match id {
                Id::Local => Source::LocalId(d),
                Id::Group => Source::WorkgroupId(d),
                Id::Global => Source::GlobalId(d),
            };
            preloads.push(Preload { file: machine::abi::FILE_TEMP, lane: d as u8, index: k as u16, source });
        }
    }
    for (k, (texture, sampler)) in state.units.iter().enumerate() {
        let index = state.first_unit as u16 + k as u16;
        let row = |lane, of| Preload {
            file: machine::abi::FILE_UNIT,
            lane,
            index,
            source: Source::TextureWord { of, word: 0 },
        };
        preloads.push(row(0, uniforms::descriptor(*texture, false)));
        preloads.extend(sampler.map(|s| row(1, uniforms::descriptor(s, true))));
    }
    let words = state.layout.registers.iter().flatten().flatten();
    let mut computed = state.steps.finish(words.copied());
    for (r, words) in state.layout.registers.iter().enumerate() {
        for (c, w) in words.iter().enumerate() {
            if let Some(w) = w {
                preloads.push(Preload {
                    file: machine::abi::FILE_UNIFORM,
                    lane: c as u8,
                    index: r as u16,
                    source: computed.source(*w, scratch_bytes),
                });
            }
        }
    }
    (preloads, computed.steps)
}
