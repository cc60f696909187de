//! Code generation for ARM Mali Valhall (v9, v10): selection, operand limits, allocation and slots on machine code; behind `encode`, the
//! passes of `TAIL` give the code its flows (reference, section 9) and marks, and emission finds the distances of branches.

mod alias_keys;
mod assign_slots;
pub mod builders;
mod caps;
#[doc(hidden)]
pub mod drop_fallthrough;
mod emit;
#[doc(hidden)]
pub mod encode;
#[doc(hidden)]
pub mod encoded;
#[doc(hidden)]
pub mod end_helpers;
#[doc(hidden)]
pub mod fau;
#[doc(hidden)]
pub mod fold_flow;
mod forms;
mod half_params;
mod halves;
#[doc(hidden)]
pub mod hoist_waits;
pub mod inst;
mod isel;
#[doc(hidden)]
pub mod keep_positions;
#[doc(hidden)]
pub mod last_uses;
mod layout_uniforms;
mod legalise;
mod pack_halves;
mod prefer_even_regs;
#[doc(hidden)]
pub mod reconverge;
mod resources;
mod statistics;
mod target;
mod thread_jumps;
mod uniforms;
#[doc(hidden)]
pub mod waits;
mod zero_undefs;

use gpucc_container::{Access, InterfaceRow, IoPlace, Meta, Preload, ProgramRole, Source, StateWord, flags};
use gpucc_driver::statistics::Statistic;
use gpucc_driver::{
    AttemptError, CodegenOptions, CompileCx, Direction, Driver, DriverFacts, EmittedProgram, Family, HwPlace, InstCost,
    IrPass, Job, Occupancy, Pass, Piece, Reflection, Selected, Tables, TailPass, TextFixture, Variables, alloc_options,
    reflect, used_places,
};
use gpucc_ir::analysis::StageUse;
use gpucc_ir::{Diagnostic, Function, IoAt, IoSlot, Module, Op, Place, Refusal, Space, Stage, Unsupported, VarData};
use gpucc_isa::Notes;
use gpucc_mir::{
    AllocError, AllocStats, MFunc, copy_prop, dce, fold_moves, invert_branches, local_cse, repeated_moves, settle_moves,
};
use gpucc_opt::{Caps, passes};
use gpucc_valhall_machine as machine;

use caps::{MOST_ATTRIBUTES, MOST_PRIVATE, MOST_SHARED, UNSUPPORTED, caps};
use inst::{FILE_R, Valhall};
use isel::Isel;
use resources::Resources;
use uniforms::Uniforms;

/// The family as the compiler's driver asks it.
pub struct ValhallFamily;

/// The backend for all generations of the family.
pub static VALHALL: Driver<ValhallFamily> = Driver::new();

/// Where the variables of a function lie: those of the function, then those of the module. An access may not straddle a boundary of
/// 16 bytes.
fn variables(m: &Module, f: &Function, tables: &Tables) -> Variables {
    let mut used: Vec<Place> = used_places(f).into_iter().map(|u| u.0).filter(|&p| tables.at(p).is_none()).collect();
    used.sort_by_key(|p| (!matches!(p, Place::Local(_)), *p));
    let align = |v: &VarData| v.placed_align().max(16);
    let mut v = Variables::new(m, f, used, align);
    v.private = v.private.next_multiple_of(16);
    v
}

/// The decisions of selection.
#[derive(Default)]
pub struct State {
    uniforms: Uniforms,
    entries: Vec<isel::Entry>,
    places: Variables,
    tables: Tables,
    reflection: Reflection,
    io: StageUse,
}

impl Family for ValhallFamily {
    type Target = Valhall;
    type Strategy = ();
    type State = State;
    type Encoded = encoded::Code;

    const NAME: &'static str = machine::NAME;
    const GENERATIONS: &'static [&'static str] = machine::GENERATIONS;
    const DEFAULT_GENERATION: usize = machine::DEFAULT_GENERATION;
    const UNSUPPORTED: &'static [Unsupported] = UNSUPPORTED;
    const STATISTICS: &'static [Statistic] = statistics::STATISTICS;
    const DRIVER_FACTS: DriverFacts = DriverFacts {
        vertex: &[Piece::VertexLayout],
        fragment: &[Piece::WriteMasks],
        // Hardware fetches ahead: zeros behind the last instruction, in units of a line (`isa/valhall.md`, what follows the code).
        padded: |bytes| (bytes + 16).next_multiple_of(128),
    };
    const IR_PASSES: &'static [IrPass<Self>] = &[
        IrPass::shared(2, passes::POWERS),
        IrPass::shared(2, passes::CONSTANT_FACTORS),
        IrPass::shared(2, passes::SINK_SUMS),
        IrPass::shared(2, passes::SIGNS),
        IrPass::shared(2, passes::MIXES),
        IrPass::shared(2, passes::SCALED_SUMS),
        IrPass::shared(2, passes::RESTS),
        IrPass::shared(2, passes::DCE),
        IrPass::shared(2, passes::WIDEN_LOADS),
    ];
    const PASSES: &'static [Pass<Self>] = &[
        Pass::lower("machine-copy-prop", |mf, cx| Ok(copy_prop(mf, &cx.target) as u64)),
        Pass::lower("machine-dce", |mf, cx| Ok(dce(mf, &cx.target) as u64)).counts_some(),
        Pass::<Self>::improve("half-params", 1, |mf, cx| Ok(half_params::run(mf, &cx.state.uniforms))),
        Pass::<Self>::improve("halves", 1, |mf, cx| Ok(halves::run(mf, &cx.target, &mut cx.state.uniforms)))
            .counts_some(),
        Pass::improve("pack-halves", 1, |mf, _| Ok(pack_halves::run(mf))),
        Pass::lower("zero-undefs", |mf, _| Ok(zero_undefs::run(mf))),
        Pass::lower("prefer-even-regs", |mf, cx| {
            let even = prefer_even_regs::run(mf);
            Ok(if even > 0 { even + copy_prop(mf, &cx.target) as u64 } else { 0 })
        }),
        Pass::lower("layout-uniforms", |mf, cx| Ok(layout_uniforms::run(mf, &mut cx.state.uniforms))),
        Pass::lower("legalise-operands", |mf, _| Ok(legalise::run(mf))),
        Pass::improve("local-cse", 1, |mf, cx| Ok(local_cse(mf, &cx.target) as u64)),
        Pass::lower("machine-dce", |mf, cx| Ok(dce(mf, &cx.target) as u64)).counts_some(),
        Pass::lower("alias-keys", |mf, _| Ok(alias_keys::run(mf))),
        Pass::lower("allocate", allocate).physical(),
        Pass::improve("fold-moves", 1, |mf, cx| Ok(fold_moves(mf, &cx.target) as u64)).physical().counts_some(),
        Pass::improve("repeated-moves", 1, |mf, cx| Ok(repeated_moves(mf, &cx.target) as u64)).physical(),
        Pass::improve("settle-moves", 1, |mf, cx| Ok(settle_moves(mf, &cx.target) as u64)).physical(),
        Pass::improve("thread-jumps", 0, |mf, _| Ok(thread_jumps::run(mf))).physical(),
        Pass::improve("invert-branches", 0, |mf, cx| Ok(invert_branches(mf, &cx.target) as u64)).physical(),
        Pass::improve("assign-slots", 0, |mf, _| Ok(assign_slots::run(mf))).physical(),
    ];
    const TAIL: &'static [TailPass<Self>] = &[
        Pass::lower("reconverge", |code, _| Ok(reconverge::run(code))),
        Pass::improve("drop-fallthrough", 0, |code, cx| Ok(drop_fallthrough::run(code, cx.fuel))),
        Pass::improve("keep-positions", 0, |code, cx| Ok(keep_positions::run(code, cx.fuel))),
        Pass::improve("hoist-waits", 0, |code, cx| Ok(hoist_waits::run(code, cx.fuel))),
        Pass::lower("waits", |code, _| Ok(waits::run(code))),
        Pass::improve("fold-flow", 0, |code, cx| Ok(fold_flow::run(code, cx.fuel))),
        Pass::improve("end-helpers", 0, |code, cx| match cx.job.stage() {
            Stage::Fragment => Ok(end_helpers::run(code, cx.fuel)),
            _ => Ok(0),
        }),
        Pass::improve("last-uses", 0, |code, cx| Ok(last_uses::run(code, cx.fuel))),
    ];

    fn first(_generation: u8, _options: &CodegenOptions) {}

    fn caps(_generation: u8, _stage: Stage, (): &()) -> Caps {
        caps()
    }

    fn select(job: &Job<'_, Self>) -> Result<Selected<Self>, AttemptError> {
        let (m, f) = (job.module, job.func());
        let tables = Tables::new(m, f);
        let places = variables(m, f, &tables);
        for (code, what, has, needs) in [
            (Refusal::WorkgroupMemory, "workgroup", MOST_SHARED, places.workgroup),
            (Refusal::PrivateMemory, "private", MOST_PRIVATE, places.private),
        ] {
            if needs > has {
                return Err(job.refuse(code, format!("has {has} bytes of {what} memory, this needs {needs}")).into());
            }
        }
        let attributes = match job.entry().interface() {
            Some(io) if job.entry().stage.kind() == Stage::Vertex => io.inputs.len(),
            _ => 0,
        };
        if attributes > MOST_ATTRIBUTES {
            let what = format!("has {MOST_ATTRIBUTES} attributes of a vertex, this reads {attributes}");
            return Err(job.refuse(Refusal::Varyings, what).into());
        }
        let target = Valhall::new(true);
        let resources = Resources::new(m);
        // Programs of one entry have the same tables.
        let whole = (job.whole, &job.whole.funcs[job.whole.entries[0].func]);
        let mut reflection = reflect(whole.0, whole.1, |r, used, _| used.then(|| resources.slot(r)));
        let stage = &job.entry().stage;
        let io = StageUse::new(m, f, stage);
        let list = &reflection.resources;
        let at_addresses =
            || f.insts_in_order().map(|(_, i)| &f.insts[i]).filter(|d| d.place() == Some(Place::Address));
        let addresses = at_addresses().next().is_some();
        let stores = at_addresses().any(|d| d.op != Op::Load);
        let is_written = |r: &gpucc_ir::ResourceData| {
            let reached = stores && r.kind.is_buffer() && r.kind.space() == Space::Storage;
            reached || list.iter().any(|l| (l.group, l.binding) == (r.group, r.binding) && l.access != Access::Read)
        };
        let written = m.resources.iter().filter(|(_, r)| is_written(r));
        let place = |p: Place| places.at(p).unwrap_or(0);
        let mut isel = Isel {
            module: m,
            resources: &resources,
            workgroup_size: job.entry().workgroup_size().unwrap_or([1; 3]),
            // An address and a size for each buffer, the address of scratch memory, the launch's size.
            role: job.role,
            is_vertex: stage.kind() == Stage::Vertex,
            is_fragment: stage.kind() == Stage::Fragment,
            per_sample: io.per_sample,
            pipeline: job.options.context.as_ref().map(|a| &a.pipeline),
            uniforms: Uniforms::new(3 * m.resources.len() + 16, resources::immediate_words(m, f)),
            entries: Vec::new(),
            places: &place,
            tables: &tables,
            uniformity: gpucc_ir::analysis::Uniformity::new(m, f),
            barriers: false,
            addresses,
            written: written.map(|(r, _)| r).collect(),
            read: gpucc_ir::analysis::LanesRead::new(f),
            signless: isel::signless(f),
        };
        let code = isel::run(&mut isel, f, &target)?;
        let Isel { uniforms, entries, barriers, .. } = isel;
        // A barrier that orders memory alone is no instruction.
        reflection.flags = reflection.flags & !flags::BARRIERS | if barriers { flags::BARRIERS } else { 0 };
        Ok(Selected { code, target, state: State { uniforms, entries, places, tables, reflection, io } })
    }

    fn roles(job: &Job<'_, Self>) -> &'static [ProgramRole] {
        let Some(io) = job.entry().interface().filter(|_| job.stage() == Stage::Vertex) else {
            return &[ProgramRole::Main];
        };
        let varyings = io.outputs.iter().any(|o| matches!(o.at, IoAt::Location { .. }));
        if varyings { &[ProgramRole::Position, ProgramRole::Varying] } else { &[ProgramRole::Position] }
    }

    fn bare(_job: &Job<'_, Self>, given: &TextFixture) -> (Valhall, State) {
        let mut state = State { uniforms: Uniforms::new(0, 0), ..State::default() };
        for &c in given.constants.iter().flatten() {
            state.uniforms.word(Source::Const(c));
        }
        (Valhall::new(true), state)
    }

    fn variable(cx: &CompileCx<'_, Self>, place: Place) -> Option<u32> {
        cx.state.places.at(place)
    }

    fn encode(code: MFunc<Valhall>, _: &mut CompileCx<'_, Self>) -> Result<encoded::Code, Diagnostic> {
        encode::encode(code)
    }

    fn emit(code: &encoded::Code, cx: &CompileCx<'_, Self>) -> Result<EmittedProgram, Diagnostic> {
        let p = emit::emit(code, &cx.job)?;
        let mut preloads = cx.state.entries.iter().map(isel::Entry::preload).collect::<Vec<Preload>>();
        preloads.sort_by_key(|p| p.index);
        preloads.extend(cx.state.uniforms.preloads());
        let (all, shared, scratch) = (cx.target.all, cx.state.places.workgroup, scratch(cx));
        let uniforms = cx.state.uniforms.len();
        let sizes = statistics::Sizes { all, uniforms, shared_bytes: shared, scratch_bytes: scratch };
        let stats = statistics::of(&p, &cx.alloc, &sizes);
        Ok(EmittedProgram {
            interface: interface(cx),
            state: descriptor(&cx.job, all, (cx.state.io.needs_quads, &preloads)),
            // Workgroup memory is the caller's to share out.
            limiter: if all { "registers" } else { "none" },
            more: more(all, &cx.alloc),
            code: p.code,
            data: cx.state.tables.data.clone(),
            locs: (0..).step_by(8).zip(p.locs).collect(),
            meta: Meta {
                subgroup_size: 16,
                registers: vec![(machine::exec::REGISTER_FILE, if all { 64 } else { 32 })],
                shared_bytes: shared,
                scratch_bytes: scratch,
                family_words: machine::abi::FamilyWords::default().to_words(),
                ..Meta::default()
            },
            preloads,
            reflection: cx.state.reflection.clone(),
            stats,
            ..EmittedProgram::default()
        })
    }

    const NAMES: gpucc_isa::Names = machine::names::NAMES;

    fn costs(code: &encoded::Code) -> Vec<InstCost> {
        let of = |runs: u64, i: &encoded::EncodedInst| {
            let mut work = emit::Work::default();
            work.add(&i.inst, runs);
            let loc = i.loc;
            let busy = work.by_unit().into_iter().filter(|u| u.1 > 0);
            busy.map(move |(unit, cycles)| InstCost { loc, unit, runs, cycles })
        };
        code.blocks.iter().flat_map(|b| b.insts.iter().flat_map(move |i| of(b.runs, i))).collect()
    }

    fn program_text(code: &[u8], generation: u8, stage: u8, notes: &Notes<'_>) -> String {
        machine::listing(code, generation, stage, notes)
    }
}

/// Whether an entry gives an output.
fn gives(entry: &gpucc_ir::EntryPoint, at: IoAt) -> bool {
    entry.interface().is_some_and(|io| io.outputs.iter().any(|s| s.at == at))
}

/// Fields of the program descriptor of a draw (reference, section 8.4).
fn descriptor(job: &Job<'_, ValhallFamily>, all: bool, (quads, preloads): (bool, &[Preload])) -> Vec<StateWord> {
    use machine::abi;
    // Type 8. A stage of 2 has coverage as GL does, one of 3 runs positions in half of the warps.
    let (pointer, word) = match (job.stage(), job.role) {
        (Stage::Compute, _) => return Vec::new(),
        (Stage::Fragment, _) => (abi::FRAGMENT_PROGRAM, 0x128),
        (_, ProgramRole::Varying) => (abi::VARYING_PROGRAM, 0x038),
        _ => (abi::POSITION_PROGRAM, 0x138),
    };
    let fragment = job.stage() == Stage::Fragment;
    let helpers = u32::from(fragment && quads) << 28;
    let registers = if all { 0 } else { 2 << 30 };
    // A blend shader may need coverage and sample of any fragment.
    let mut mask = if fragment { 0x3000 } else { 0 };
    for p in preloads.iter().filter(|p| p.file == machine::exec::REGISTER_FILE) {
        mask |= 1 << (p.index - abi::FIRST_PRELOAD);
    }
    let word = [word | helpers | registers, mask];
    let beside = [IoAt::PointSize, IoAt::Layer].map(|at| pointer == abi::POSITION_PROGRAM && gives(job.entry(), at));
    let flags = beside.contains(&true).then(|| {
        // From v10 on the record says that it has an extension, too.
        let extended = if job.generation == machine::V9 { [0, 0] } else { [2 << 22, 3 << 22] };
        let [halves, layers] = [beside[0] as u32 * (2 << 11), beside[1] as u32 * abi::LAYERED];
        StateWord {
            space: 0,
            register: abi::PRIMITIVE_FLAGS,
            value: halves | layers | extended[0],
            mask: 3 << 11 | abi::LAYERED | extended[1],
        }
    });
    (0..)
        .zip(word)
        .map(|(k, value)| StateWord {
            space: abi::PROGRAM_SPACE,
            register: abi::program_word(pointer, k),
            value,
            mask: u32::MAX,
        })
        .chain(flags)
        .collect()
}

/// Inputs and outputs. Attributes whose words code finishes are integers to the driver.
fn interface(cx: &CompileCx<'_, ValhallFamily>) -> Vec<InterfaceRow> {
    let mut rows = cx.job.interface(&cx.state.io, |direction, n, slot| place_of(&cx.job, direction, n, slot));
    let pipeline = cx.job.options.context.as_deref().map(|c| &c.pipeline);
    for row in rows.iter_mut().filter(|r| !r.output && cx.job.stage() == Stage::Vertex) {
        let IoPlace::Location { number, .. } = row.at else { continue };
        let known = pipeline.and_then(|p| p.attribute(number.into()));
        row.integer |= known.is_some_and(|a| isel::is_fetched_as_a_word(a.2.format));
    }
    rows
}

/// Where the hardware has an input or output.
fn place_of(job: &Job<'_, ValhallFamily>, direction: Direction, n: usize, slot: &IoSlot) -> Option<HwPlace> {
    use machine::abi::{FILE_ATTRIBUTE, FILE_OUTPUT, FILE_VARYING};
    let fragment = job.stage() == Stage::Fragment;
    let (file, index) = match (direction, slot.at) {
        (Direction::Input, _) if !fragment => (FILE_ATTRIBUTE, n as u16),
        (_, IoAt::Location { number, .. }) if fragment == (direction == Direction::Input) => {
            (FILE_VARYING, number.into())
        }
        (_, IoAt::Location { number, .. }) => (FILE_OUTPUT, number.into()),
        (_, IoAt::Position) => (FILE_OUTPUT, 0),
        (_, IoAt::PointSize) => (FILE_OUTPUT, 1),
        (_, IoAt::Layer) => (FILE_OUTPUT, 2),
        (_, IoAt::FragDepth) => (FILE_OUTPUT, 8),
        (_, IoAt::SampleMask) => (FILE_OUTPUT, 9),
        (_, IoAt::FragStencil) => (FILE_OUTPUT, 10),
        (_, IoAt::ClipDistance(_) | IoAt::CullDistance(_) | IoAt::ViewportIndex | IoAt::PointCoord) => return None,
        (_, IoAt::Barycentric | IoAt::PrimitiveIndex | IoAt::VertexNumber) => return None,
    };
    Some(HwPlace { file, index, lane: 0 })
}

/// Bytes of an invocation's private memory, spilled registers included.
fn scratch(cx: &CompileCx<'_, ValhallFamily>) -> u32 {
    cx.state.places.private + 4 * cx.alloc.spill_words.first().copied().unwrap_or(0).next_multiple_of(4)
}

/// One spilled register stored or loaded in so many instructions is worth twice as many threads: the unit for memory takes as long
/// for one access as the others for 64 instructions.
const FEW_SPILLS: u64 = 256;

/// Half of the registers.
const HALF: u32 = 32;

/// Registers above which half as many are no hope: half as many values again.
const PRESSURE_FOR_HALF: u32 = HALF * 3 / 2;

/// What another allocation must be better than: executed loads and stores of spilled values, and whether more than half of the registers
/// are named.
#[derive(Clone, Copy)]
struct Than {
    spill_cost: u64,
    all: bool,
}

/// Allocates within 32 registers if that needs little spilling: twice as many threads run then. Gives the target with these registers.
/// `most` values at once are the most with which that is tried. None if it is known to be worse than another one.
fn within(
    mf: &mut MFunc<Valhall>,
    cx: &CompileCx<'_, ValhallFamily>,
    most: u32,
    than: Option<Than>,
) -> Result<Option<(Valhall, AllocStats)>, AllocError> {
    let o = gpucc_mir::AllocOptions { most_spills: than.map(|t| t.spill_cost), ..alloc_options(cx.job.options) };
    let private = cx.state.places.private;
    let mut facts = gpucc_mir::Pressure::new(mf, &Valhall::new(false)).map_err(AllocError::Invalid)?;
    if o.spill_all || facts.pressure().first().is_none_or(|&p| p <= most) {
        let half = Valhall::new(false).spilling_from(private);
        let few = gpucc_mir::AllocOptions { few_spills: (!o.spill_all).then_some(FEW_SPILLS), ..o };
        match gpucc_mir::allocate_if(mf, &half, &mut facts, &few, |_, _| true) {
            Ok(Some(stats)) => return Ok(Some((half, stats))),
            Ok(None) | Err(AllocError::OutOfRegisters(_)) => {}
            Err(e) => return Err(e),
        }
    }
    if than.is_some_and(|t| !t.all) {
        return Ok(None);
    }
    let all = Valhall::new(true).spilling_from(private);
    let stats = gpucc_mir::allocate_if(mf, &all, &mut facts, &o, |_, _| true)?;
    Ok(stats.map(|stats| (all, stats)))
}

/// Allocates. In programs of draws the parts of runs are given back behind their readers, if less is moved then.
fn allocate(mf: &mut MFunc<Valhall>, cx: &mut CompileCx<'_, ValhallFamily>) -> Result<u64, AttemptError> {
    let draws = cx.job.stage() != Stage::Compute && cx.job.options.opt_level > 0;
    let runs = if draws { gpucc_mir::SplitRuns::new(mf) } else { None };
    // What is moved again to where it is does not count.
    let within = |mf: &mut MFunc<Valhall>, most: u32, than: Option<Than>| {
        let answer = within(mf, cx, most, than)?;
        Ok(answer.map(|(t, mut stats)| {
            if draws {
                stats.moves = stats.moves.saturating_sub(repeated_moves(mf, &t) as u32);
            }
            (t, stats)
        }))
    };
    let cost = |(t, a): &(Valhall, AllocStats)| (a.spill_cost, t.all, a.moves);
    let first: Result<_, AllocError> = within(mf, PRESSURE_FOR_HALF, None);
    let mut best = first.and_then(|a| a.ok_or_else(|| AllocError::Invalid("nothing to be better than".into())));
    // Where half of the registers are too few, they are with the same values moved otherwise, but for those that fit by number now.
    let most = if best.as_ref().is_ok_and(|b| b.0.all) { HALF } else { PRESSURE_FOR_HALF };
    // What moves nothing is not asked for other ways.
    let runs = runs.filter(|_| !best.as_ref().is_ok_and(|b| b.1.moves == 0));
    for mut other in runs.map_or_else(Vec::new, |r| r.functions(&Valhall::new(true))) {
        if best.as_ref().is_ok_and(|b| b.1.moves == 0) {
            break;
        }
        let than = best.as_ref().ok().map(|(t, a)| Than { spill_cost: a.spill_cost, all: t.all });
        if let Ok(Some(answer)) = within(&mut other, most, than)
            && best.as_ref().map_or(true, |best| cost(&answer) < cost(best))
        {
            (*mf, best) = (other, Ok(answer));
        }
    }
    (cx.target, cx.alloc) = best.map_err(|e| refusal(e, &cx.job))?;
    let needs = scratch(cx);
    if needs > MOST_PRIVATE {
        let what =
            format!("has {MOST_PRIVATE} bytes of private memory, this needs {needs}, spilled registers included");
        return Err(cx.job.refuse(Refusal::PrivateMemory, what).into());
    }
    Ok(u64::from(cx.alloc.moves))
}

fn refusal(e: AllocError, job: &Job<'_, ValhallFamily>) -> AttemptError {
    AttemptError::allocation(e, job.module, |o| {
        let help = "smaller private arrays, or fewer values that are computed before this point and read behind it, would help";
        (format!("{} has {} registers for an invocation", job.chip(), o.limit), help.into())
    })
}

/// Counters of the static model (reference, section 11.1): each instruction adds the registers it writes, at least 1, to its unit.
/// Threads share the registers where no program names more than half of them.
fn more(all: bool, alloc: &AllocStats) -> Vec<Occupancy> {
    let used = alloc.used.get(FILE_R as usize).map_or(0, |u| u.len());
    let over = u64::from(used.saturating_sub(32));
    let one = Occupancy { of: "registers_used", fewer: over, programs: "threads", gives: 2 };
    if all && over > 0 { vec![one] } else { Vec::new() }
}
