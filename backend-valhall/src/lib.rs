//! Code generation for ARM Mali Valhall (v9, v10): selection, operand limits, allocation, slots and flow, emission.

mod clean;
mod emit;
mod fau;
mod flow;
mod isel;
mod resources;
pub mod target;
mod uniforms;

use gpucc_container::{Access, Entry, Meta, Preload, Stage, flags};
use gpucc_ir::{Diagnostic, EntitySet, Function, Lack, Module, Op, Place, Refusal, Space, trace};
use gpucc_isa::Notes;
use gpucc_mir::backend::{Backend, CodegenOptions, Output, line_table, pass_times, reflect, watch};
use gpucc_mir::races::race_marks;
use gpucc_mir::{AllocError, AllocOptions, AllocStats, MFunc};
use gpucc_opt::support::Chip;
use gpucc_opt::{Caps, OpSet};
use gpucc_valhall_machine as machine;

use isel::Isel;
use resources::Resources;
use target::{FILE_R, Valhall};
use uniforms::Uniforms;

/// The backend.
pub struct ValhallBackend;

/// The one instance.
pub static VALHALL: ValhallBackend = ValhallBackend;

const NAMES: &[&str] = &["v9", "v10"];

/// Most invocations of a workgroup, bytes of workgroup memory, and bytes of private memory that offsets reach.
const MOST_INVOCATIONS: u64 = 1024;
const MOST_SHARED: u32 = 32 << 10;
const MOST_PRIVATE: u32 = 32 << 10;

/// What is refused.
const LACKS: &[Lack] = &[
    Lack::all(Refusal::F16, "selection knows 32-bit lanes only"),
    Lack::all(Refusal::NarrowIntegers, "selection knows 32-bit lanes only"),
    Lack::all(Refusal::WideTypes, "selection knows 32-bit lanes only"),
    Lack::all(Refusal::SubgroupIds, "no register says which warp of its workgroup an invocation is in"),
    Lack::all(Refusal::WorkgroupSize, "at most 1,024 invocations").most(MOST_INVOCATIONS),
    Lack::all(
        Refusal::BindGroup,
        "groups 0 to 254: a handle has 8 bits for the table, and table 0 is none of the shader's",
    )
    .most(resources::LAST_GROUP as u64),
    Lack::all(Refusal::WorkgroupMemory, "32 KiB").most(MOST_SHARED as u64),
    Lack::all(
        Refusal::PrivateMemory,
        "32 KiB, spilled registers included: offsets of private memory have 16 bits and a sign",
    )
    .most(MOST_PRIVATE as u64),
    Lack::all(Refusal::OutOfUniforms, "128 words, two for the address and one for the size of each buffer"),
    Lack::all(
        Refusal::ProgramSize,
        "1,000,000 instructions of the IR once every call is replaced by its function's body, and the 67,108,864 that a branch reaches",
    ),
];

/// What Valhall lacks, for the target-independent passes.
fn caps() -> Caps {
    const EXPAND: OpSet = OpSet::of(&[
        Op::FSign,
        Op::FFract,
        Op::FDiv,
        Op::FRem,
        Op::FDot,
        Op::F2S,
        Op::F2U,
        Op::SMulHi,
        Op::UMul24,
        Op::SMul24,
        Op::UDiv,
        Op::SDiv,
        Op::URem,
        Op::SRem,
        Op::Ctz,
        Op::UBitExtract,
        Op::SBitExtract,
        Op::BitInsert,
        Op::FShr,
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
    Caps {
        expand: EXPAND,
        scalar: true,
        checked_loads: true,
        select_by_bits: false,
        fuse_fma: true,
        bit_select: true,
        ..Caps::FULL
    }
}

impl Backend for ValhallBackend {
    fn family(&self) -> &'static str {
        "valhall"
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

/// Where the variables of a function lie.
struct Places {
    locals: Vec<u32>,
    globals: Vec<u32>,
    private: u32,
    shared: u32,
}

impl Places {
    fn new(m: &Module, f: &Function) -> Places {
        let mut p = Places { locals: Vec::new(), globals: Vec::new(), private: 0, shared: 0 };
        let (mut locals, mut globals) = (EntitySet::new(), EntitySet::new());
        for (_, i) in f.insts_in_order() {
            match f.insts[i].place() {
                Some(Place::Local(l)) => locals.insert(l),
                Some(Place::Global(g)) => globals.insert(g),
                Some(Place::Buffer(_)) | None => false,
            };
        }
        let next = |top: &mut u32, used: bool, size: u32, align: u32| {
            if !used {
                return 0;
            }
            let at = top.next_multiple_of(align);
            *top = at.saturating_add(size);
            at
        };
        for (l, v) in f.locals.iter() {
            // 16 bytes: an access may not straddle such a boundary.
            p.locals.push(next(&mut p.private, locals.contains(l), v.size, 16));
        }
        for (g, v) in m.globals.iter() {
            let used = globals.contains(g);
            let at = match v.space {
                Space::Workgroup => next(&mut p.shared, used, v.size, v.align.max(16)),
                _ => next(&mut p.private, used, v.size, 16),
            };
            p.globals.push(at);
        }
        p.private = p.private.next_multiple_of(16);
        p
    }

    fn at(&self, p: Place) -> u32 {
        match p {
            Place::Local(l) => self.locals[l.0 as usize],
            Place::Global(g) => self.globals[g.0 as usize],
            Place::Buffer(_) => 0,
        }
    }
}

fn refuse(code: Refusal, message: String, e: &gpucc_ir::EntryPoint) -> Diagnostic {
    Diagnostic::unsupported(code, message).at(e.span, "this entry point")
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
    gpucc_opt::support::check(&m, &Chip { family: "valhall", generation: chip, lacks: LACKS })?;
    let e = &m.entries[0];
    let f = &m.funcs[e.func];
    let places = Places::new(&m, f);
    if places.shared > MOST_SHARED {
        let message =
            format!("valhall:{chip} has {MOST_SHARED} bytes of workgroup memory, this needs {}", places.shared);
        return Err(refuse(Refusal::WorkgroupMemory, message, e));
    }
    if places.private > MOST_PRIVATE {
        let message =
            format!("valhall:{chip} has {MOST_PRIVATE} bytes of private memory, this needs {}", places.private);
        return Err(refuse(Refusal::PrivateMemory, message, e));
    }

    trace::enter("isel", &f.name);
    let t = Valhall::new(true);
    let resources = Resources::new(&m);
    let reflection = reflect(&m, f, |r, used, _| used.then(|| resources.slot(r)));
    let list = &reflection.resources;
    let written = m
        .resources
        .iter()
        .filter(|(_, r)| list.iter().any(|l| (l.group, l.binding) == (r.group, r.binding) && l.access != Access::Read));
    let place = |p: Place| places.at(p);
    let mut isel = Isel {
        module: &m,
        resources: &resources,
        workgroup_size: e.workgroup_size,
        // An address and a size for each buffer, the address of scratch memory, the launch's size.
        uniforms: Uniforms::new(3 * m.resources.len() + 8),
        entries: Vec::new(),
        places: &place,
        uniformity: gpucc_ir::analysis::Uniformity::new(&m, f),
        barriers: false,
        written: written.map(|(r, _)| r).collect(),
    };
    let mut mf = isel::run(&mut isel, f, &t)?;
    trace::enter("machine clean-up", &f.name);
    gpucc_mir::copy_prop(&mut mf, &t);
    gpucc_mir::dce(&mut mf, &t);
    clean::define(&mut mf);
    if clean::even(&mut mf) {
        gpucc_mir::copy_prop(&mut mf, &t);
    }
    clean::place(&mut mf, &mut isel.uniforms);
    clean::legalise(&mut mf);
    if options.opt_level > 0 {
        clean::common(&mut mf);
    }
    gpucc_mir::dce(&mut mf, &t);
    clean::addresses(&mut mf);
    trace::enter("register allocation", &f.name);
    let before = if options.texts { gpucc_mir::print(&mf, &t) } else { String::new() };
    let (mut mf, all, alloc) = allocate(mf, places.private, &m, chip, options)?;
    let scratch = places.private + 4 * alloc.spill_words.first().copied().unwrap_or(0).next_multiple_of(4);
    if scratch > MOST_PRIVATE {
        let message = format!(
            "valhall:{chip} has {MOST_PRIVATE} bytes of private memory, this needs {scratch}, spilled registers included"
        );
        return Err(refuse(Refusal::PrivateMemory, message, e));
    }

    if options.opt_level > 0 {
        trace::enter("moves of constants", &f.name);
        gpucc_mir::fold_moves(&mut mf, &t);
    }
    trace::enter("emission", &f.name);
    let mir = if options.texts { gpucc_mir::print(&mf, &t) } else { String::new() };
    let p = emit::emit(&mf, generation, options.verify)?;
    // A barrier that orders memory alone is no instruction.
    let mut flag = reflection.flags & !flags::BARRIERS | if m.options.robust { 0 } else { flags::TRUSTED };
    if isel.barriers {
        flag |= flags::BARRIERS;
    }
    let mut preloads = isel.entries.iter().map(isel::Entry::preload).collect::<Vec<Preload>>();
    preloads.sort_by_key(|p| p.index);
    preloads.extend(isel.uniforms.preloads());
    let stats = statistics(&p, all, &alloc, isel.uniforms.len(), places.shared, scratch);
    let entry = Entry {
        name: e.name.clone(),
        stage: Stage::Compute,
        races: Some(race_marks(
            &m,
            f,
            &reflection.resources,
            |p| Some(places.at(p)),
            (0..).step_by(8).zip(p.locs.iter().copied()),
        )),
        lines: line_table(&m, (0..).step_by(8).zip(p.locs)),
        code: p.code,
        meta: Meta {
            workgroup_size: e.workgroup_size,
            subgroup_size: 16,
            registers: vec![(machine::exec::REGISTER_FILE, if all { 64 } else { 32 })],
            shared_bytes: places.shared,
            scratch_bytes: scratch,
            flags: flag,
            family_words: vec![0],
        },
        resources: reflection.resources,
        preloads,
        names: reflection.names,
        stats: stats.clone(),
        ..Entry::default()
    };
    let times = pass_times(&report.times, steps);
    Ok(Output {
        entry,
        gir: if options.texts { m.to_string() } else { String::new() },
        ir: m,
        mir: format!("before allocation:\n{before}\nafter allocation:\n{mir}"),
        stats,
        dumps: report.dumps,
        times,
    })
}

/// One spilled register stored or loaded in so many instructions is worth twice as many threads: the unit for memory takes as long
/// for one access as the others for 64 instructions.
const FEW_SPILLS: u64 = 256;

/// Allocates within 32 registers if that needs little spilling: twice as many threads run then.
fn allocate(
    mut mf: MFunc<Valhall>,
    spill_base: u32,
    m: &Module,
    chip: &str,
    options: &CodegenOptions,
) -> Result<(MFunc<Valhall>, bool, AllocStats), Diagnostic> {
    let o = AllocOptions::from(options);
    let machine = |all: bool| {
        let mut t = Valhall::new(all);
        t.spill_base = spill_base;
        t
    };
    let internal = |s: String| Diagnostic::internal("register-allocation", s);
    // With half as many values again as registers there is no hope.
    let facts = gpucc_mir::Facts::new(&mf, &Valhall::new(false)).map_err(internal)?;
    if options.spill_all || facts.pressure().first().is_none_or(|&p| p <= 48) {
        let few = |_: &MFunc<Valhall>, s: &AllocStats| options.spill_all || s.spill_cost * FEW_SPILLS <= s.cost;
        match gpucc_mir::allocate_if(&mut mf, &machine(false), facts, &o, few) {
            Ok(Some(s)) => return Ok((mf, false, s)),
            Ok(None) | Err(AllocError::OutOfRegisters(_)) => {}
            Err(AllocError::Invalid(s)) => return Err(internal(s)),
        }
    }
    let done = gpucc_mir::allocate(&mut mf, &machine(true), &o);
    done.map(|s| (mf, true, s)).map_err(|e| {
        e.refusal(m, |o| {
            let help =
                "smaller private arrays, or fewer values that are computed before this point and read behind it, would help";
            (format!("valhall:{chip} has {} registers for an invocation", o.limit), help.into())
        })
    })
}

/// Counters of the static model (reference, section 11.1): each instruction adds the registers it writes, at least 1, to its unit.
fn statistics(
    p: &emit::Program,
    all: bool,
    alloc: &AllocStats,
    uniforms: usize,
    shared: u32,
    scratch: u32,
) -> Vec<(String, u64)> {
    let emit::Work { fma, cvt, sfu, ls } = p.work;
    // In 64ths of a cycle: FMA and CVT do 64 lanes a cycle, SFU 16, the load/store unit one access.
    let bound = fma.max(cvt).max(4 * sfu).max(64 * ls);
    let used = alloc.used.get(FILE_R as usize).map_or(0, |u| u.len());
    [
        ("instructions", p.locs.len() as u64),
        ("bytes", p.code.len() as u64),
        ("registers", if all { 64 } else { 32 }),
        ("registers_used", u64::from(used)),
        ("threads", if all { 1 } else { 2 }),
        ("cycles_64ths", bound),
        ("fma", fma),
        ("cvt", cvt),
        ("sfu", sfu),
        ("v", 0),
        ("t", 0),
        ("ls", ls),
        ("quadwords", (p.code.len() as u64).div_ceil(16)),
        ("loops", p.loops),
        ("spills", u64::from(alloc.spills)),
        ("fills", u64::from(alloc.reloads)),
        ("moves", u64::from(alloc.moves)),
        ("uniform_words", uniforms as u64),
        ("shared_bytes", u64::from(shared)),
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
            let chip = Chip { family: "valhall", generation, lacks: LACKS };
            for (name, text) in gpucc_opt::selection::cases(&caps(), &chip) {
                let m = gpucc_ir::text::parse_module(&text).unwrap_or_else(|d| panic!("{name}: {d}\n{text}"));
                for opt_level in [0, 2] {
                    let o = CodegenOptions { opt_level, prepared: true, verify: true, ..CodegenOptions::default() };
                    if let Err(d) = VALHALL.compile(&m, "main", k, &o) {
                        failures.push(format!("{generation} -O{opt_level} {name}: {d}"));
                    }
                }
            }
        }
        assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    }
}
