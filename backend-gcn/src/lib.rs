//! Code generation for AMD GCN 1.0 to 1.2 (gfx6, gfx7, gfx8).
//!
//! `flow` plans how a wave runs the function (branches, lanes that wait), `homes` which values are scalar, `fixed` what scalar
//! registers hold for the whole program, `isel` and `mem` choose instructions, `exec` puts the plan into code; after
//! allocation `emit` writes forms and branches, `waits` wait counts and wait states.

mod clauses;
mod edges;
mod emit;
mod exec;
mod fixed;
mod flow;
mod homes;
mod isel;
mod mem;
mod model;
mod ops;
mod ranges;
mod tables;
mod target;
mod tidy;
mod vcc;
mod waits;

use gpucc_container::{Entry, Meta, Preload, Source, Stage, flags};
use gpucc_gcn_machine::{self as machine, abi};
use gpucc_ir::analysis::{DomTree, Uniformity};
use gpucc_ir::{Attr, Diagnostic, Function, Lack, Module, Op, Place, Refusal, Space, trace};
use gpucc_isa::Notes;
use gpucc_mir::backend::{Backend, CodegenOptions, Output, line_table, pass_times, reflect, watch};
use gpucc_mir::races::race_marks;
use gpucc_mir::{AllocError, AllocOptions, AllocStats, MFunc, Target};
use gpucc_opt::support::Chip;
use gpucc_opt::{Caps, OpSet};

use tables::Tables;
use target::{Gcn, Scratch, Spills};

/// The backend.
pub struct GcnBackend;

/// The one instance.
pub static GCN: GcnBackend = GcnBackend;

const NAMES: &[&str] = &["gfx6", "gfx7", "gfx8"];

/// What is refused.
const LACKS: &[Lack] = &[
    Lack::all(Refusal::F16, "selection knows 32-bit lanes only"),
    Lack::all(Refusal::NarrowIntegers, "selection knows 32-bit lanes only"),
    Lack::all(Refusal::WideTypes, "selection knows 32-bit lanes only"),
    Lack::all(Refusal::SubgroupLanes, "not selected yet"),
    Lack::all(Refusal::SubgroupIds, "not selected yet"),
    Lack::all(Refusal::WorkgroupSize, "at most 1,024 invocations").most(1024),
    Lack::all(Refusal::WorkgroupMemory, "32 KiB").most(32 << 10).on(&["gfx6"]),
    Lack::all(Refusal::WorkgroupMemory, "64 KiB").most(64 << 10).on(&["gfx7", "gfx8"]),
    Lack::all(
        Refusal::ProgramSize,
        "1,000,000 instructions of the IR once every call is replaced by its function's body, and more branches past 128 KiB at once than there is room for",
    ),
];

/// Scalar registers below this can be used on every generation without crowding out VCC (launch convention, section 7).
const SCALAR_TOP: u32 = 94;

/// What GCN lacks, for the target-independent passes.
fn caps() -> Caps {
    Caps {
        expand: OpSet::of(&[
            Op::FDiv,
            Op::FRem,
            Op::FSign,
            Op::FFract,
            Op::FDot,
            Op::F2S,
            Op::F2U,
            Op::UDiv,
            Op::SDiv,
            Op::URem,
            Op::SRem,
            Op::SMul24,
            Op::UBitExtract,
            Op::SBitExtract,
            Op::BitInsert,
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
        ]),
        scalar: true,
        expand_bool_select: true,
        funnel: true,
        bit_select: true,
        bit_field: true,
        checked_loads: true,
        checked_stores: true,
        prefer_mul24: true,
        offset_fold: 4064,
        merge_access: 16,
        ..Caps::FULL
    }
}

impl Backend for GcnBackend {
    fn family(&self) -> &'static str {
        "gcn"
    }

    fn generations(&self) -> &'static [&'static str] {
        NAMES
    }

    fn default_generation(&self) -> usize {
        2
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

/// Byte offsets of variables: workgroup memory, and scratch with each invocation's private and function variables.
struct Memory {
    list: Vec<(Place, u32)>,
    shared: u32,
    scratch: u32,
}

impl Memory {
    fn new(m: &Module, f: &Function, tables: &Tables) -> Memory {
        let mut x = Memory { list: Vec::new(), shared: 0, scratch: 0 };
        for (_, i) in f.insts_in_order() {
            let (Attr::Mem(a) | Attr::Atomic(_, a)) = &f.insts[i].attr else { continue };
            let known = x.list.iter().any(|p| p.0 == a.place) || tables.at(a.place).is_some();
            if known || matches!(a.place, Place::Buffer(_)) {
                continue;
            }
            let var = match a.place {
                Place::Global(g) => &m.globals[g],
                Place::Local(l) => &f.locals[l],
                Place::Buffer(_) => continue,
            };
            let end = if m.space(a.place) == Space::Workgroup { &mut x.shared } else { &mut x.scratch };
            let at = end.next_multiple_of(var.align.max(4));
            *end = at + var.size.next_multiple_of(4);
            x.list.push((a.place, at));
        }
        x
    }

    fn at(&self, p: Place) -> u32 {
        self.list.iter().find(|x| x.0 == p).map_or(0, |x| x.1)
    }
}

/// Whether instructions change places.
fn schedules(options: &CodegenOptions) -> bool {
    options.opt_level >= 2 && !options.skip_passes.iter().any(|p| p == "schedule")
}

/// Schedules and allocates. The schedule stays within the registers that leave the program its waves; where it turns out
/// that the code as it was needs less, that is taken.
fn allocate(
    mf: &mut MFunc<Gcn>,
    t: &Gcn,
    fixed: u32,
    generation: u8,
    options: &CodegenOptions,
) -> Result<AllocStats, AllocError> {
    let how = AllocOptions::from(options);
    if !schedules(options) {
        return gpucc_mir::allocate(mf, t, &how);
    }
    let facts = gpucc_mir::Facts::new(mf, t).map_err(AllocError::Invalid)?;
    let pressure = facts.pressure();
    let (s, v) = (usize::from(target::FILE_S), usize::from(target::FILE_V));
    let mut limits: Vec<u32> = t.files().iter().map(|f| f.budget.len()).collect();
    let (scalar, vector) = model::limits(pressure[s] + fixed, pressure[v], generation);
    limits[s] = limits[s].min(scalar.saturating_sub(fixed));
    limits[v] = limits[v].min(vector);
    let schedule = gpucc_mir::schedule_before(mf, t, &facts, &limits);
    let top = |a: &AllocStats, f: usize| a.used.get(f).and_then(|u| u.iter().max()).map_or(0, |u| u32::from(u) + 1);
    // Less is better: spilling first, then waves that are lost, then moves.
    let cost = |a: &AllocStats| (a.spill_cost, 10 - abi::waves(top(a, v), top(a, s).max(fixed), generation), a.moves);
    let least = 10 - abi::waves(pressure[v], pressure[s] + fixed, generation);
    // Mostly the first answer is as good as can be, and no copy of the function is needed.
    let mut scheduled = None;
    let facts = if schedule.changed() > 0 {
        // Not both at once: each is about as large as the code.
        drop(facts);
        gpucc_mir::Facts::new(mf, t).map_err(AllocError::Invalid)?
    } else {
        facts
    };
    let first = gpucc_mir::allocate_if(mf, t, facts, &how, |mf, a| {
        if cost(a) > (0, least, u32::MAX) {
            scheduled = Some(mf.clone());
        }
        true
    });
    let mut best = first.map(Option::unwrap_or_default);
    let scheduled = match (scheduled, &best) {
        (Some(s), _) => s,
        // It failed, and is as it was.
        (None, Err(_)) => mf.clone(),
        (None, Ok(_)) => return best,
    };
    let mut plain = scheduled.clone();
    schedule.undo(&mut plain);
    let cost = |a: &Result<AllocStats, AllocError>| a.as_ref().map_or((u64::MAX, 0, 0), cost);
    // As it was; then as it was scheduled, within fewer registers, which where values are spilled leaves no fewer of them.
    for (mut other, tight) in [(plain, false), (scheduled, true)] {
        if cost(&best) <= (0, least, u32::MAX) || tight && cost(&best).0 > 0 {
            break;
        }
        let answer = gpucc_mir::allocate(&mut other, t, &AllocOptions { tight: tight || how.tight, ..how });
        if cost(&answer) < cost(&best) {
            (*mf, best) = (other, answer);
        }
    }
    best
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
    let (mut m, report) = gpucc_opt::prepare(module, name, &caps(), &pipeline)?;
    gpucc_opt::support::check(&m, &Chip { family: "gcn", generation: chip, lacks: LACKS })?;
    let steps = watch(options);
    let gir = if options.texts { m.to_string() } else { String::new() };
    let e = m.entries[0].clone();
    let size = e.workgroup_size;
    trace::enter("flow", &m.funcs[e.func].name);
    edges::split_critical_edges(&mut m.funcs[e.func]);
    let f = &m.funcs[e.func];
    let tables = Tables::new(&m, f);
    let memory = Memory::new(&m, f, &tables);
    let limit = abi::lds_limit(generation);
    if memory.shared > limit {
        return Err(Diagnostic::unsupported(
            Refusal::WorkgroupMemory,
            format!("gcn:{chip} has {limit} bytes of workgroup memory, this needs {}", memory.shared),
        )
        .at(e.span, "this entry point"));
    }
    let dom = DomTree::new(f);
    let uniform = Uniformity::within(&m, f, &dom);
    let plan = flow::plan(f, &dom, &uniform);
    drop(dom);
    let places = |p: Place| memory.at(p);
    let mut spills = Spills::default();
    if options.spill_all {
        spills = Spills { scalar: true, vector: Some(Scratch::default()) };
    }
    // Spilling to scratch takes registers of its own: it is prepared only when registers have run out.
    let (mut mf, t, fixed, ids, before, stats) = loop {
        let fixed = fixed::Fixed::new(&m, f, spills.vector.is_some(), &|p| tables.at(p).is_some());
        if let (Some(s), Some(offset)) = (&mut spills.vector, fixed.scratch_offset) {
            *s = Scratch { from: memory.scratch, descriptor: fixed.scratch, offset, far: fixed.far };
        }
        let t = Gcn::new(fixed.end as u16, SCALAR_TOP as u16, spills);
        trace::enter("isel", &f.name);
        let mut isel = isel::Isel::new(&m, f, generation, size, &plan, &uniform, &fixed, &places, &tables);
        let (mut mf, lists) = gpucc_mir::select_apart(f, &mut isel)?;
        let ids = isel.ids.map(|i| i.is_some());
        drop(isel);
        trace::enter("exec masks", &f.name);
        exec::lower(&mut mf, lists, &plan, &t);
        trace::enter("machine clean-up", &f.name);
        if options.opt_level > 0 {
            gpucc_mir::copy_prop(&mut mf, &t);
        }
        gpucc_mir::dce(&mut mf, &t);
        let before = if options.texts { gpucc_mir::print(&mf, &t) } else { String::new() };
        trace::enter("register allocation", &f.name);
        match allocate(&mut mf, &t, fixed.end, generation, options) {
            Ok(stats) => break (mf, t, fixed, ids, before, stats),
            Err(AllocError::OutOfRegisters(o)) if o.file == "s" && !spills.scalar => spills.scalar = true,
            Err(AllocError::OutOfRegisters(o)) if o.file == "v" && spills.vector.is_none() => {
                spills.vector = Some(Scratch::default());
            }
            Err(e) => {
                return Err(e.refusal(&m, |o| {
                    let has = format!("gcn:{chip} has {} {} registers to give out", o.limit, o.file);
                    (has, "smaller arrays or fewer live values would help".into())
                }));
            }
        }
    };
    let words = |file: usize| stats.spill_words.get(file).copied().unwrap_or(0);
    let lanes = words(usize::from(target::FILE_S)).div_ceil(64);
    let least = if fixed.scratch_offset.is_some() { 4 } else { 0 };
    let scratch = (memory.scratch + 4 * words(usize::from(target::FILE_V))).max(least);
    if lanes > u32::from(256 - target::SPILL_LANES) {
        return Err(Diagnostic::unsupported(
            Refusal::OutOfRegisters,
            format!("gcn:{chip}: {} scalar registers wait for others at once", words(usize::from(target::FILE_S))),
        )
        .at(e.span, "this entry point"));
    }
    let top =
        stats.used.get(usize::from(target::FILE_V)).and_then(|u| u.iter().filter(|u| *u < target::SPILL_LANES).max());
    target::lower_spill_lanes(&mut mf, if lanes > 0 { top.map_or(0, |u| u + 1) } else { target::SPILL_LANES });
    let after = if options.texts { gpucc_mir::print(&mf, &t) } else { String::new() };
    let order = schedules(options);
    if order {
        trace::enter("scheduling", &f.name);
        gpucc_mir::schedule_after(&mut mf, &t);
    }
    trace::enter("emission", &f.name);
    gpucc_mir::thread_jumps(&mut mf, &t);
    gpucc_mir::drop_fallthrough(&mut mf, &t);
    let Some(p) = emit::emit(&mf, &fixed, generation, order)? else {
        return Err(Diagnostic::unsupported(
            Refusal::ProgramSize,
            format!("gcn:{chip}: branches reach 131072 bytes, and too many of them go further at once"),
        )
        .at(e.span, "this entry point"));
    };

    let highest = (0..3).rev().find(|&c| ids[c]).unwrap_or(0);
    let vgprs = p.vgprs.max(highest as u32 + 1);
    let rsrc2 = abi::Rsrc2 {
        scratch: scratch > 0,
        user_sgprs: fixed.user,
        workgroup_id: fixed.wants_id,
        tg_size: false,
        local_id_components: highest as u32,
        lds_bytes: memory.shared,
    };
    let mut preloads = fixed.preloads();
    for c in 0..=highest as u16 {
        let row = Preload { file: abi::FILE_VGPR, lane: 0, index: c, source: Source::LocalId(c) };
        preloads.insert(preloads.iter().position(|p| p.file == abi::FILE_ROOT).unwrap_or(preloads.len()), row);
    }
    let reflection = reflect(&m, f, |_, used, index| used.then_some(index));
    let flag = reflection.flags | if m.options.robust { 0 } else { flags::TRUSTED };
    let waves = abi::waves(vgprs, p.sgprs, generation);
    let counts: Vec<(String, u64)> = [
        ("instructions", p.instructions),
        ("bytes", p.code.len() as u64),
        ("registers", u64::from(vgprs)),
        ("sgprs", u64::from(p.sgprs)),
        ("vgprs", u64::from(vgprs)),
        ("waves", u64::from(waves)),
        ("latency", p.latency),
        ("valu", p.counts.valu),
        ("salu", p.counts.salu),
        ("vmem", p.counts.vmem),
        ("smem", p.counts.smem),
        ("lds", p.counts.lds),
        ("branches", p.counts.branches),
        ("waits", p.counts.waits),
        ("nops", p.counts.nops),
        ("shared_bytes", u64::from(memory.shared)),
        ("scratch_bytes", u64::from(scratch)),
        ("spills", u64::from(stats.spills)),
        ("reloads", u64::from(stats.reloads)),
    ]
    .map(|(k, v)| (k.to_string(), v))
    .to_vec();
    let entry = Entry {
        name: e.name.clone(),
        stage: Stage::Compute,
        races: Some(race_marks(&m, f, &reflection.resources, |p| Some(memory.at(p)), p.locs.iter().copied())),
        lines: line_table(&m, p.locs),
        code: p.code,
        data: tables.data,
        meta: Meta {
            workgroup_size: size,
            subgroup_size: 64,
            registers: vec![(abi::FILE_SGPR, p.sgprs as u16), (abi::FILE_VGPR, vgprs as u16)],
            shared_bytes: memory.shared,
            scratch_bytes: scratch,
            flags: flag,
            family_words: vec![abi::rsrc1(vgprs, p.sgprs, abi::FLOAT_FLUSH32, generation), rsrc2.word(generation)],
        },
        resources: reflection.resources,
        preloads,
        names: reflection.names,
        stats: counts.clone(),
    };
    let times = pass_times(&report.times, steps);
    Ok(Output {
        entry,
        gir,
        ir: m,
        mir: format!("before allocation:\n{before}\nafter allocation:\n{after}"),
        stats: counts,
        dumps: report.dumps,
        times,
    })
}

#[cfg(test)]
mod selection {
    use super::*;

    /// Whatever the passes may leave is selected, on every generation: nothing falls through to a compiler bug.
    #[test]
    fn knows_all_that_passes_leave() {
        let mut failures = Vec::new();
        for (k, generation) in NAMES.iter().enumerate() {
            let chip = Chip { family: "gcn", generation, lacks: LACKS };
            for (name, text) in gpucc_opt::selection::cases(&caps(), &chip) {
                let m = gpucc_ir::text::parse_module(&text).unwrap_or_else(|d| panic!("{name}: {d}\n{text}"));
                for opt_level in [0, 2] {
                    let o = CodegenOptions { opt_level, prepared: true, verify: true, ..CodegenOptions::default() };
                    if let Err(d) = GCN.compile(&m, "main", k, &o) {
                        failures.push(format!("{generation} -O{opt_level} {name}: {d}"));
                    }
                }
            }
        }
        assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    }
}
