//! Code generation for NVIDIA Tesla (G80 to GT21x): selection, the control stack, allocation, short forms, emission.

mod emit;
mod flow;
mod isel;
mod layout;
mod reuse;
mod slots;
pub mod target;

use gpucc_container::{Entry, Meta, Preload, Source, Stage, UNIFORM_FILE, flags};
use gpucc_ir::{Diagnostic, Lack, Module, Op, Place, Refusal, trace};
use gpucc_isa::Notes;
use gpucc_mir::backend::{Backend, CodegenOptions, Output, line_table, pass_times, reflect, watch};
use gpucc_mir::races::race_marks;
use gpucc_mir::{AllocOptions, MFunc, Src};
use gpucc_opt::support::Chip;
use gpucc_opt::{Caps, OpSet};
use gpucc_tesla_machine as machine;

use isel::{Home, Isel, PARAMETERS};
use slots::Slot;
use target::{REGISTERS, Tesla};

/// The backend.
pub struct TeslaBackend;

/// The one instance.
pub static TESLA: TeslaBackend = TeslaBackend;

const NAMES: &[&str] = &["nv50", "nv84", "nva0", "nva3"];

/// What is refused.
const LACKS: &[Lack] = &[
    Lack::all(Refusal::F16, "only conversions know 16-bit floats"),
    Lack::all(Refusal::NarrowIntegers, "selection knows 32-bit lanes only"),
    Lack::all(Refusal::WideTypes, "selection knows 32-bit lanes only"),
    Lack::all(Refusal::Atomics, "there are no atomic instructions before nv84").on(&["nv50"]),
    Lack::all(Refusal::WorkgroupSize, "at most 512 invocations, and 64 in z").most(512),
    Lack::all(
        Refusal::TooManyBuffers,
        "15 storage buffers (14 with atomics on workgroup memory on nv84) and 13 uniform buffers",
    ),
    Lack::all(Refusal::WorkgroupMemory, "16 KiB with the launch parameters").most(16_384),
    Lack::all(Refusal::PrivateMemory, "64 KiB, spilled registers included").most(0x1_0000),
    Lack::all(
        Refusal::ProgramSize,
        "1,000,000 instructions of the IR once every call is replaced by its function's body, and the 16 MiB of code that a branch reaches",
    ),
];

/// What the family lacks, for the target-independent passes.
fn caps() -> Caps {
    const EXPAND: OpSet = OpSet::of(&[
        Op::FDot,
        Op::FDiv,
        Op::FRem,
        Op::FSign,
        Op::FLdexp,
        Op::UDiv,
        Op::SDiv,
        Op::URem,
        Op::SRem,
        Op::SMulHi,
        Op::Popcount,
        Op::Clz,
        Op::Ctz,
        Op::BitReverse,
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
        Op::UnpackUnorm4x8,
        Op::UnpackSnorm4x8,
        Op::UnpackUnorm2x16,
        Op::UnpackSnorm2x16,
        Op::ExtractDyn,
        Op::InsertDyn,
    ]);
    // A select is a comparison and two moves, an access to l[] a shift of the offset and a load.
    let private_access_cost = 8;
    Caps {
        expand: EXPAND,
        scalar: true,
        strict_align: true,
        fuse_fma: true,
        // One instruction instead of four.
        prefer_mul24: true,
        private_access_cost,
        // Their `break` and the jump back are two instructions wherever the test stands.
        rotate_divergent: false,
        ..Caps::FULL
    }
}

/// Registers that an invocation may use so that a workgroup fits a multiprocessor (reference section 10).
fn registers(generation: u8, invocations: u64) -> u16 {
    let file = if generation < 2 { 8192 } else { 16384 };
    let warps = invocations.div_ceil(32).max(1).next_multiple_of(2);
    (file / (warps * 32)).min(u64::from(REGISTERS)) as u16
}

/// What would help a program that needs more registers than it may use.
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

impl Backend for TeslaBackend {
    fn family(&self) -> &'static str {
        "tesla"
    }

    fn generations(&self) -> &'static [&'static str] {
        NAMES
    }

    fn default_generation(&self) -> usize {
        3
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

fn compile(module: &Module, name: &str, generation: u8, options: &CodegenOptions) -> Result<Output, Diagnostic> {
    let chip = NAMES[generation as usize];
    let pipeline = gpucc_opt::Options {
        level: options.opt_level,
        verify: options.verify || cfg!(debug_assertions),
        dump_after: options.dump_after.clone(),
        skip: options.skip_passes.clone(),
        stop_after: options.prepared.then(|| "inline".into()),
        measure: options.time_passes,
        ..gpucc_opt::Options::default()
    };
    let (m, report) = gpucc_opt::prepare(module, name, &caps(), &pipeline)?;
    let steps = watch(options);
    gpucc_opt::support::check(&m, &Chip { family: "tesla", generation: chip, lacks: LACKS })?;
    let e = &m.entries[0];
    let refuse = |code, text: String| Err(Diagnostic::unsupported(code, text).at(e.span, "this entry point"));
    let f = &m.funcs[e.func];
    let size = e.workgroup_size;
    let invocations = size.iter().fold(1u64, |n, &s| n.saturating_mul(u64::from(s)));
    if size[2] > 64 {
        let message = format!("tesla:{chip} has workgroups of at most 64 invocations in z; this one is {size:?}");
        return refuse(Refusal::WorkgroupSize, message);
    }

    trace::enter("flow plan", &f.name);
    let plan = flow::plan(&m, f);
    let mut t = Tesla::new(generation, registers(generation, invocations));
    trace::enter("isel", &f.name);
    let mut isel = Isel::new(&m, f, &t, &plan, size)?;
    let (mut mf, lists) = gpucc_mir::select_apart(f, &mut isel)?;
    isel.finish(f, &mut mf, lists, &t);
    let shape = Shape::of(&isel, &m, &plan);
    trace::enter("machine clean-up", &f.name);
    gpucc_mir::copy_prop(&mut mf, &t);
    if options.opt_level > 0 {
        reuse::run(&mut mf);
    }
    gpucc_mir::dce(&mut mf, &t);
    trace::enter("register allocation", &f.name);
    let before = if options.texts { gpucc_mir::print(&mf, &t) } else { String::new() };
    t.spill_base = shape.scratch_bytes;
    let alloc = gpucc_mir::allocate(&mut mf, &t, &AllocOptions::from(options)).map_err(|err| {
        err.refusal(&m, |o| {
            let has =
                format!("tesla:{chip} has {} registers for an invocation of a workgroup of {invocations}", o.limit);
            (has, advice(generation, invocations, o.demand))
        })
    })?;
    let spilled = alloc.spill_words.first().copied().unwrap_or(0) * 4;
    let scratch = shape.scratch_bytes.saturating_add(spilled).next_multiple_of(16);
    if scratch > 0x1_0000 {
        return refuse(
            Refusal::PrivateMemory,
            format!("tesla:{chip} has 65536 bytes of private memory, this needs {scratch}"),
        );
    }

    if options.opt_level > 0 {
        trace::enter("moves of constants", &f.name);
        gpucc_mir::fold_moves(&mut mf, &t);
    }
    trace::enter("layout", &f.name);
    layout::run(&mut mf, &t);
    let mir = if options.texts { gpucc_mir::print(&mf, &t) } else { String::new() };
    trace::enter("emission", &f.name);
    let highest = alloc.used.first().and_then(|u| (0..REGISTERS).rev().find(|&r| u.contains(r)));
    let used = highest.map_or(1, |r| r + 1);
    let (words, order) = place_words(&mf, shape.pool.len());
    if order.len() > 16_384 {
        return Err(Diagnostic::internal("constants", "selection pools more constants than 64 KiB hold"));
    }
    let program = emit::Emitter { t: &t, words: &words, registers: used }.emit(&mf, options.verify)?;

    let stats = statistics(&program, used, &alloc, &shape, scratch, order.len());
    let entry = container_entry(&m, &shape, &program, used, scratch, &order);
    let times = pass_times(&report.times, steps);
    Ok(Output {
        entry: Entry { stats: stats.clone(), ..entry },
        gir: if options.texts { m.to_string() } else { String::new() },
        ir: m,
        mir: format!("before allocation:\n{before}\nafter allocation:\n{mir}"),
        stats,
        dumps: report.dumps,
        times,
    })
}

/// What selection decided about memory and launch.
struct Shape {
    pool: Vec<Source>,
    sizes: Vec<gpucc_ir::Res>,
    shared_base: u32,
    shared_bytes: u32,
    window_bytes: u32,
    scratch_bytes: u32,
    local_id: bool,
    stack: u32,
    resources: Vec<(gpucc_ir::Res, u32)>,
    /// Variables in s[] and where.
    shared: Vec<(Place, u32)>,
}

impl Shape {
    fn of(isel: &Isel<'_>, m: &Module, plan: &flow::Plan) -> Shape {
        let resources = m
            .resources
            .iter()
            .filter_map(|(r, _)| match isel.resources[r] {
                Some(Home::Global(n) | Home::Const(n)) => Some((r, u32::from(n))),
                _ => None,
            })
            .collect();
        Shape {
            pool: isel.pool_sources(),
            sizes: isel.sizes.clone(),
            shared_base: isel.shared_base,
            shared_bytes: isel.shared_bytes,
            window_bytes: isel.window_bytes,
            scratch_bytes: isel.scratch_bytes,
            local_id: isel.packed.is_some(),
            stack: plan.stack + u32::from(isel.locks),
            resources,
            shared: m.globals.iter().filter_map(|(g, _)| isel.shared_place(Place::Global(g))).collect(),
        }
    }
}

/// Places of the pool's words in c0: those that are used most come first, where short forms reach them. Also gives the
/// pool index of each place.
fn place_words(mf: &MFunc<Tesla>, count: usize) -> (Vec<u16>, Vec<usize>) {
    let mut uses = vec![0u32; count];
    let mut halves = vec![false; count];
    for u in mf.code.iter().flatten().flat_map(|i| &i.uses) {
        if let Src::Uniform(n) = u.src
            && let Slot::Pool(k) = Slot::unpack(n)
        {
            uses[k as usize] += 1;
            halves[k as usize] |= u.mods.half != target::Half::Whole;
        }
    }
    let mut order: Vec<usize> = (0..count).filter(|&k| uses[k] > 0).collect();
    // With more words than operands reach, those that are operands are the first ones already.
    if count <= slots::REACH {
        // Operands reach the halves of fewer words; selection sees to it that there are not too many.
        let many = order.len() > slots::HALF_REACH;
        order.sort_by_key(|&k| (many && !halves[k], std::cmp::Reverse(uses[k]), k));
    }
    let mut words = vec![0; count];
    for (at, &k) in order.iter().enumerate() {
        words[k] = at as u16;
    }
    (words, order)
}

fn container_entry(
    m: &Module,
    shape: &Shape,
    p: &emit::Program,
    registers: u16,
    scratch: u32,
    order: &[usize],
) -> Entry {
    let e = &m.entries[0];
    let f = &m.funcs[e.func];
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
    let reflection = reflect(m, f, |r, _, _| slots.iter().find(|s| s.0 == r).map(|s| s.1));
    let own = |p: Place| shape.shared.iter().find(|s| s.0 == p).map(|s| s.1);
    Entry {
        name: e.name.clone(),
        stage: Stage::Compute,
        code: p.code.clone(),
        races: Some(race_marks(m, f, &reflection.resources, own, p.lines.iter().copied())),
        lines: line_table(m, p.lines.iter().copied()),
        meta: Meta {
            workgroup_size: e.workgroup_size,
            subgroup_size: 32,
            registers: vec![(0, registers)],
            shared_bytes: shape.shared_bytes,
            scratch_bytes: scratch,
            flags: reflection.flags | if m.options.robust { 0 } else { flags::TRUSTED },
            family_words: vec![shape.shared_base, shape.stack.max(4), shape.window_bytes],
        },
        resources: reflection.resources,
        preloads,
        names: reflection.names,
        ..Entry::default()
    }
}

fn is_storage(m: &Module, r: gpucc_ir::Res) -> bool {
    m.resources[r].kind.space() == gpucc_ir::Space::Storage
}

fn statistics(
    p: &emit::Program,
    registers: u16,
    alloc: &gpucc_mir::AllocStats,
    shape: &Shape,
    scratch: u32,
    constants: usize,
) -> Vec<(String, u64)> {
    [
        ("instructions", p.instructions),
        ("bytes", p.code.len() as u64),
        ("registers", u64::from(registers)),
        ("short", p.short),
        ("immediates", p.immediate),
        ("movs", p.movs),
        ("branches", p.branches),
        ("memory", p.memory),
        ("issue_clocks", p.issue),
        ("constants", constants as u64),
        ("spills", u64::from(alloc.spills)),
        ("reloads", u64::from(alloc.reloads)),
        ("stack", u64::from(shape.stack)),
        ("shared_bytes", u64::from(shape.shared_bytes)),
        ("scratch_bytes", u64::from(scratch)),
    ]
    .map(|(k, v)| (k.to_owned(), v))
    .to_vec()
}

#[cfg(test)]
mod selection {
    use super::*;

    /// Whatever the passes may leave is selected, on every generation: nothing falls through to a compiler bug.
    #[test]
    fn knows_all_that_passes_leave() {
        let mut failures = Vec::new();
        for (k, generation) in NAMES.iter().enumerate() {
            let chip = Chip { family: "tesla", generation, lacks: LACKS };
            for (name, text) in gpucc_opt::selection::cases(&caps(), &chip) {
                let m = gpucc_ir::text::parse_module(&text).unwrap_or_else(|d| panic!("{name}: {d}\n{text}"));
                for opt_level in [0, 2] {
                    let o = CodegenOptions { opt_level, prepared: true, verify: true, ..CodegenOptions::default() };
                    if let Err(d) = TESLA.compile(&m, "main", k, &o) {
                        failures.push(format!("{generation} -O{opt_level} {name}: {d}"));
                    }
                }
            }
        }
        assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    }
}
