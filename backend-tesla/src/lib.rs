//! Code generation for NVIDIA Tesla (G80 to GT21x): selection, the control stack, allocation, what rides on what, short forms in pairs.

pub mod builders;
mod caps;
mod carry_exits;
mod carry_joins;
mod drop_joins;
mod drop_unset;
mod early_outputs;
mod emit;
mod encode;
pub mod encoded;
mod expand_fences;
mod expand_levels;
mod expand_locks;
mod flow;
mod fold_breaks;
mod forms;
pub mod inst;
mod into_outputs;
mod io;
mod isel;
mod layout_uniforms;
mod pair_short;
mod reorder;
#[doc(hidden)]
pub mod slots;
mod statistics;
mod target;

#[doc(hidden)]
pub use gpucc_mir as mir;

use gpucc_container::{Meta, Preload, Source, UNIFORM_FILE};
use gpucc_driver::statistics::Statistic;
use gpucc_driver::{
    AttemptError, CodegenOptions, CompileCx, Driver, DriverFacts, EmittedProgram, Family, InstCost, IrPass, Job, Pass,
    Piece, Reflection, Selected, TextFixture, alloc_options, reflect,
};
use gpucc_ir::{Diagnostic, IoAt, Module, Place, Refusal, Stage, StageInfo, Unsupported};
use gpucc_isa::Notes;
use gpucc_mir::{
    MFunc, MInst, Src, copy_prop, dce, drop_fallthrough, fold_moves, invert_branches, local_cse, repeated_moves,
    settle_moves, thread_jumps,
};
use gpucc_opt::{Caps, passes};
use gpucc_pipeline::{DepthStencil, StencilFace, StencilOperation};
use gpucc_tesla_machine as machine;

use caps::{MOST_PRIVATE, UNSUPPORTED, caps};
use encode::Encoder;
use inst::PARAMETERS;
use inst::{REGISTERS, Tesla};
use isel::{Isel, VarLocation};

/// The family as the compiler's driver asks it.
pub struct TeslaFamily;

/// The backend for all generations of the family.
pub static TESLA: Driver<TeslaFamily> = Driver::new();

/// Registers that an invocation may use so that a workgroup fits a multiprocessor (reference section 10).
fn registers(generation: u8, invocations: u64) -> u16 {
    let file = if generation < 2 { 8192 } else { 16384 };
    let warps = invocations.div_ceil(32).max(1).next_multiple_of(2);
    (file / (warps * 32)).min(u64::from(REGISTERS)) as u16
}

/// The help for a program that needs more registers than it may use.
fn advice(generation: u8, invocations: u64, demand: u32) -> String {
    let fits = |n: &u64| u32::from(registers(generation, *n)) >= demand;
    match (1..invocations).rev().find(fits) {
        Some(n) => format!("a workgroup of {n} invocations would leave enough; so would fewer values alive here"),
        None => {
            "smaller private arrays, or fewer values that are computed before this point and read behind it, would help"
                .to_owned()
        }
    }
}

/// The decisions of selection about memory and launch.
#[derive(Default)]
pub struct Shape {
    /// Contents of words of c0; those of tables come last.
    pool: Vec<Source>,
    table_words: usize,
    /// Index in the pool of each word of c0, once they have their places.
    order: Vec<usize>,
    sizes: Vec<gpucc_ir::Res>,
    shared_base: u32,
    shared_bytes: u32,
    window_bytes: u32,
    scratch_bytes: u32,
    local_id: bool,
    stack: u32,
    io: io::Io,
    resources: Vec<(gpucc_ir::Res, u32)>,
    /// Numbers of textures, samplers and windows.
    slots: Vec<(gpucc_ir::Res, u32)>,
    /// Variables in s[] and where.
    shared: Vec<(Place, u32)>,
}

impl Shape {
    fn of(isel: &Isel<'_>, m: &Module, plan: &flow::Plan) -> Shape {
        let resources = m
            .resources
            .iter()
            .filter_map(|(r, _)| match isel.resources[r] {
                Some(VarLocation::Global(n) | VarLocation::Const(n)) => Some((r, u32::from(n))),
                _ => None,
            })
            .collect();
        Shape {
            pool: isel.pool_sources().into_iter().chain(isel.tables.words().map(Source::Const)).collect(),
            table_words: isel.tables.words().count(),
            order: Vec::new(),
            sizes: isel.sizes.clone(),
            shared_base: isel.shared_base,
            shared_bytes: isel.shared_bytes,
            window_bytes: isel.window_bytes,
            scratch_bytes: isel.scratch_bytes,
            local_id: isel.packed.is_some(),
            io: io::Io::default(),
            stack: plan.stack + u32::from(isel.locks) + if isel.levels { expand_levels::STACK } else { 0 },
            slots: m.resources.iter().map(|(r, _)| (r, isel.slots[r].into())).collect(),
            resources,
            shared: m.globals.iter().filter_map(|(g, _)| isel.shared_place(Place::Global(g))).collect(),
        }
    }
}

/// Whether a pipeline changes depth or stencil of samples that a program which tests early loses. Hardware writes neither for them.
fn loses_tested(job: &Job<'_, TeslaFamily>, io: &io::Io) -> bool {
    let StageInfo::Fragment { io: interface, early_depth: true } = &job.entry().stage else { return false };
    let Some(p) = job.options.context.as_deref().map(|c| &c.pipeline) else { return false };
    let masks = interface.outputs.iter().any(|o| o.at == IoAt::SampleMask) || p.alpha_to_coverage;
    let changes = |s: &StencilFace| [s.fail, s.depth_fail, s.pass].iter().any(|o| *o != StencilOperation::Keep);
    let writes = |d: &DepthStencil| {
        let stencil = d.format.has_stencil() && d.write_mask != 0 && (changes(&d.front) || changes(&d.back));
        d.format.has_depth() && d.depth_write || stencil
    };
    (io.used.demotes || masks) && p.depth.as_ref().is_some_and(writes)
}

/// The inputs and outputs of a program.
fn limits(job: &Job<'_, TeslaFamily>, io: &io::Io) -> Result<(), AttemptError> {
    if io.stage.is_some() && io.varyings() > io::VARYINGS {
        let (most, has) = (io::VARYINGS, io.varyings());
        let what = format!("hands over at most {most} words between the stages, this has {has}");
        return Err(job.refuse(Refusal::Varyings, what).into());
    }
    if io.attribute_words() > io::WORDS || io.elements() > 16 {
        let what = format!("has 16 attributes of a vertex, this reads {}", io.elements());
        return Err(job.refuse(Refusal::Varyings, what).into());
    }
    if loses_tested(job, io) {
        let what =
            "writes depth and stencil of samples alone that the program gives; this one tests early and loses some";
        return Err(job.refuse(Refusal::EarlyTests, what).into());
    }
    Ok(())
}

fn encoder(cx: &CompileCx<'_, TeslaFamily>) -> Encoder {
    Encoder::new(cx.job.text_cx(), &cx.alloc)
}

fn layout_uniforms(mf: &mut MFunc<Tesla>, cx: &mut CompileCx<'_, TeslaFamily>) -> Result<u64, AttemptError> {
    let tables = cx.state.table_words;
    let (placed, order) = layout_uniforms::run(mf, cx.state.pool.len() - tables, tables)?;
    cx.state.order = order;
    Ok(placed)
}

fn invocations(job: &Job<'_, TeslaFamily>) -> u64 {
    job.entry().workgroup_size().unwrap_or([1; 3]).iter().fold(1u64, |n, &s| n.saturating_mul(u64::from(s)))
}

impl Family for TeslaFamily {
    type Target = Tesla;
    type Strategy = ();
    type State = Shape;
    type Encoded = encoded::Code;

    const NAME: &'static str = machine::NAME;
    const GENERATIONS: &'static [&'static str] = machine::GENERATIONS.split_at(machine::COMPILED).0;
    const DEFAULT_GENERATION: usize = machine::DEFAULT_GENERATION;
    const UNSUPPORTED: &'static [Unsupported] = UNSUPPORTED;
    const STATISTICS: &'static [Statistic] = statistics::STATISTICS;
    const DRIVER_FACTS: DriverFacts = DriverFacts {
        vertex: &[Piece::Samplers],
        fragment: &[Piece::Samplers, Piece::DepthStencil],
        // The unit of the code heaps of nouveau's nv50 driver (`nv50_program_upload_code`).
        padded: |bytes| bytes.next_multiple_of(64),
    };
    const IR_PASSES: &'static [IrPass<Self>] = &[
        IrPass::shared(2, passes::CONSTANT_FACTORS),
        IrPass::shared(2, passes::SINK_SUMS),
        IrPass::shared(2, passes::SIGNS),
        IrPass::shared(2, passes::MIXES),
        IrPass::shared(2, passes::DCE),
    ];
    const PASSES: &'static [Pass<Self>] = &[
        Pass::lower("machine-copy-prop", |mf, cx| Ok(copy_prop(mf, &cx.target) as u64)),
        Pass::improve("local-cse", 1, |mf, cx| Ok(local_cse(mf, &cx.target) as u64)),
        Pass::lower("machine-dce", |mf, cx| Ok(dce(mf, &cx.target) as u64)).counts_some(),
        Pass::improve("early-outputs", 1, |mf, _| Ok(early_outputs::run(mf))),
        Pass::lower("allocate", allocate).physical(),
        Pass::improve("fold-moves", 1, |mf, cx| Ok(fold_moves(mf, &cx.target) as u64)).physical().counts_some(),
        Pass::improve("repeated-moves", 1, |mf, cx| Ok(repeated_moves(mf, &cx.target) as u64)).physical(),
        Pass::improve("settle-moves", 1, |mf, cx| Ok(settle_moves(mf, &cx.target) as u64)).physical(),
        // Breaks are their own edges now: their labels only kept blocks alive. What is folded leaves jumps alone in their blocks, twice.
        Pass::lower("thread-jumps", |mf, cx| Ok(thread_jumps(mf, &cx.target) as u64)).physical(),
        Pass::lower("fold-breaks", |mf, cx| Ok(fold_breaks::run(mf, &cx.target))).physical(),
        Pass::lower("thread-jumps", |mf, cx| Ok(thread_jumps(mf, &cx.target) as u64)).physical(),
        Pass::lower("fold-breaks", |mf, cx| Ok(fold_breaks::run(mf, &cx.target))).physical(),
        Pass::improve("invert-branches", 0, |mf, cx| Ok(invert_branches(mf, &cx.target) as u64)).physical(),
        Pass::lower("drop-fallthrough", |mf, cx| Ok(drop_fallthrough(mf, &cx.target) as u64)).physical(),
        Pass::lower("drop-joins", |mf, _| Ok(drop_joins::run(mf))).physical(),
        Pass::lower("layout-uniforms", layout_uniforms).physical(),
        Pass::lower("expand-levels", |mf, _| Ok(expand_levels::run(mf))).physical(),
        Pass::lower("expand-fences", |mf, _| Ok(expand_fences::run(mf))).physical(),
        Pass::lower("expand-locks", |mf, cx| Ok(expand_locks::run(mf, &cx.target))).physical(),
        Pass::improve("into-outputs", 1, |mf, cx| Ok(into_outputs::run(mf, &encoder(cx)))).physical(),
        Pass::improve("carry-joins", 0, |mf, cx| Ok(carry_joins::run(mf, &encoder(cx)))).physical(),
        Pass::improve("pair-short", 0, |mf, cx| Ok(pair_short::run(mf, &encoder(cx)))).physical(),
        Pass::improve("carry-exits", 0, |mf, cx| Ok(carry_exits::run(mf, &encoder(cx)))).physical(),
    ];

    fn first(_generation: u8, _options: &CodegenOptions) {}

    fn caps(generation: u8, _stage: Stage, (): &()) -> Caps {
        caps(generation)
    }

    fn select(job: &Job<'_, Self>) -> Result<Selected<Self>, AttemptError> {
        let (m, f, size) = (job.module, job.func(), job.entry().workgroup_size().unwrap_or([1; 3]));
        if size[2] > 64 {
            let what = format!("has workgroups of at most 64 invocations in z; this one is {size:?}");
            return Err(job.refuse(Refusal::WorkgroupSize, what).into());
        }
        let plan = flow::plan(m, f);
        let target = Tesla::new(job.generation, registers(job.generation, invocations(job)));
        let io = io::Io::new(m, f, &job.entry().stage);
        limits(job, &io)?;
        let mut isel = Isel::new(m, f, &target, &plan, &io, size)?;
        isel.pipeline = job.options.context.as_deref().map(|a| &a.pipeline);
        let (mut code, lists) = gpucc_mir::select_apart(f, &mut isel)?;
        isel.finish(f, &mut code, lists, &target);
        let state = Shape { io: io.clone(), ..Shape::of(&isel, m, &plan) };
        drop(isel);
        Ok(Selected { code, target: target.spilling_from(state.scratch_bytes).sharing_from(state.shared_base), state })
    }

    fn bare(job: &Job<'_, Self>, given: &TextFixture) -> (Tesla, Shape) {
        let pool = given.constants.iter().flatten().map(|&c| Source::Const(c)).collect();
        (Tesla::new(job.generation, REGISTERS), Shape { pool, ..Shape::default() })
    }

    fn variable(cx: &CompileCx<'_, Self>, place: Place) -> Option<u32> {
        cx.state.shared.iter().find(|s| s.0 == place).map(|s| s.1)
    }

    fn encode(code: MFunc<Tesla>, cx: &mut CompileCx<'_, Self>) -> Result<encoded::Code, Diagnostic> {
        encoder(cx).func(code)
    }

    fn emit(code: &encoded::Code, cx: &CompileCx<'_, Self>) -> Result<EmittedProgram, Diagnostic> {
        let shape = &cx.state;
        let order = &shape.order;
        let registers = encoder(cx).registers;
        let p = emit::emit(code, &cx.job)?;
        let (preloads, reflection) = resources(cx.job.module, cx.job.func(), shape, order);
        let scratch = scratch(cx);
        let sizes = statistics::Sizes {
            registers,
            constants: order.len(),
            stack: shape.stack,
            shared_bytes: shape.shared_bytes,
            scratch_bytes: scratch,
        };
        let stats = statistics::of(&p, &cx.alloc, &sizes);
        let words = machine::abi::FamilyWords {
            shared_base: shape.shared_base,
            stack: shape.stack.max(4),
            window_bytes: shape.window_bytes,
        };
        Ok(EmittedProgram {
            interface: cx.job.interface(&shape.io.used, io::places(&shape.io)),
            state: io::state(
                &shape.io,
                &cx.job.entry().stage,
                cx.job.options.context.as_deref().map(|a| &a.pipeline),
                cx.job.generation,
            ),
            code: p.code,
            locs: p.lines,
            meta: Meta {
                subgroup_size: 32,
                registers: vec![(0, registers)],
                shared_bytes: shape.shared_bytes,
                scratch_bytes: scratch,
                family_words: words.to_words(),
                ..Meta::default()
            },
            preloads,
            reflection,
            stats,
            ..EmittedProgram::default()
        })
    }

    const NAMES: gpucc_isa::Names = machine::names::NAMES;

    fn costs(code: &encoded::Code) -> Vec<InstCost> {
        let of = |runs: u64, i: &encoded::EncodedInst| InstCost {
            loc: i.loc,
            unit: "issue",
            runs,
            cycles: u64::from(i.inst.row().attrs.issue).saturating_mul(runs),
        };
        code.blocks.iter().flat_map(|b| b.insts.iter().map(move |i| of(b.runs, i))).collect()
    }

    fn program_text(code: &[u8], generation: u8, stage: u8, notes: &Notes<'_>) -> String {
        machine::listing(code, generation, stage, notes)
    }
}

/// Bytes of an invocation's private memory, spilled registers included.
fn scratch(cx: &CompileCx<'_, TeslaFamily>) -> u32 {
    let spilled = cx.alloc.spill_words.first().copied().unwrap_or(0) * 4;
    cx.state.scratch_bytes.saturating_add(spilled).next_multiple_of(16)
}

/// Whether an instruction has no form for the register that reads 0 but with the number 63: beside an immediate, or as a half.
fn needs_r63(i: &MInst<Tesla>) -> bool {
    let zeros = || i.uses.iter().filter(|u| u.phys() == Some(inst::ZERO));
    let beside = i.uses.iter().any(|u| matches!(u.src, Src::Imm(_)));
    zeros().any(|u| beside || u.mods.half != inst::Half::Whole)
}

fn allocate(mf: &mut MFunc<Tesla>, cx: &mut CompileCx<'_, TeslaFamily>) -> Result<u64, AttemptError> {
    let job = &cx.job;
    if mf.code.iter().flatten().any(needs_r63) {
        cx.target.keep_r63();
    }
    cx.alloc = gpucc_mir::allocate(mf, &cx.target, &alloc_options(job.options)).map_err(|e| {
        AttemptError::allocation(e, job.module, |o| {
            let n = invocations(job);
            let has = format!("{} has {} registers for an invocation of a workgroup of {n}", job.chip(), o.limit);
            (has, advice(job.generation, n, o.demand))
        })
    })?;
    cx.alloc.moves -= drop_unset::run(mf, &cx.target).min(cx.alloc.moves);
    let needs = scratch(cx);
    if needs > MOST_PRIVATE {
        let what = format!("has {MOST_PRIVATE} bytes of private memory, this needs {needs}");
        return Err(cx.job.refuse(Refusal::PrivateMemory, what).into());
    }
    Ok(u64::from(cx.alloc.moves))
}

/// The words loaded at launch, and the buffers.
fn resources(m: &Module, f: &gpucc_ir::Function, shape: &Shape, order: &[usize]) -> (Vec<Preload>, Reflection) {
    let mut preloads = Vec::new();
    if shape.local_id {
        preloads.push(Preload { file: 0, lane: 0, index: 0, source: Source::Family(0) });
    }
    let mut sized: Vec<(u32, u32)> = Vec::new();
    for (n, &r) in shape.sizes.iter().enumerate() {
        let (group, binding) = (m.resources[r].group, m.resources[r].binding);
        sized.push((group, binding));
        let index = (PARAMETERS / 4) as u16 + n as u16;
        preloads.push(Preload { file: 0x81, lane: 0, index, source: Source::BufferSize { group, binding } });
    }
    for (at, &k) in order.iter().enumerate() {
        if let Source::BufferSize { group, binding } = shape.pool[k] {
            sized.push((group, binding));
        }
        preloads.push(Preload { file: UNIFORM_FILE, lane: 0, index: at as u16, source: shape.pool[k] });
    }
    let mut slots = shape.resources.clone();
    // A buffer of which only the size is asked still has to be bound.
    let mut free = (0..15).filter(|n| !shape.resources.iter().any(|r| is_storage(m, r.0) && r.1 == *n));
    for (r, data) in m.resources.iter() {
        if sized.contains(&(data.group, data.binding)) && !slots.iter().any(|s| s.0 == r) {
            let n = free.next().unwrap_or(0);
            slots.push((r, if is_storage(m, r) { n } else { 0x100 + n }));
        }
    }
    let reflection = reflect(m, f, |r, used, _| {
        if !used || is_buffer(m, r) {
            return slots.iter().find(|s| s.0 == r).map(|s| s.1);
        }
        shape.slots.iter().find(|s| s.0 == r).map(|s| s.1)
    });
    (preloads, reflection)
}

fn is_buffer(m: &Module, r: gpucc_ir::Res) -> bool {
    use gpucc_ir::ResourceKind::{Sampler, StorageTexture, Texture};
    !matches!(m.resources[r].kind, Texture { .. } | StorageTexture { .. } | Sampler { .. })
}

fn is_storage(m: &Module, r: gpucc_ir::Res) -> bool {
    m.resources[r].kind.space() == gpucc_ir::Space::Storage
}
