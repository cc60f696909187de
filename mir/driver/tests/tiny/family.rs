//! The family: what it lacks, its passes, emission.

use gpucc_container::{Meta, Preload, ProgramRole, Source};
use gpucc_driver::statistics::{Statistic, common};
use gpucc_driver::{
    AttemptError, CodegenOptions, CompileCx, Direction, Driver, DriverFacts, EmittedProgram, Family, HwPlace, Job,
    Pass, Piece, Selected, TextFixture, alloc_options, reflect,
};
use gpucc_ir::analysis::StageUse;
use gpucc_ir::{Diagnostic, IoAt, Op, Refusal, Stage, Unsupported};
use gpucc_isa::{Inst, Isa, Notes, Role, TextCx};
use gpucc_mir::{MFunc, Src, copy_prop, dce, drop_fallthrough, thread_jumps};
use gpucc_opt::{Caps, FetchCaps, OpSet, SamplerCaps, TexCaps};

use super::select::Isel;
use super::table::{ROWS, Set};
use super::target::Tiny;

/// The family.
pub struct TinyFamily;

/// The backend.
pub static TINY: Driver<TinyFamily> = Driver::new();

impl Family for TinyFamily {
    type Target = Tiny;
    type Strategy = ();
    type State = ();
    type Encoded = MFunc<Tiny>;

    const NAME: &'static str = "tiny";
    const GENERATIONS: &'static [&'static str] = Set::GENERATIONS;
    const DEFAULT_GENERATION: usize = 0;
    const UNSUPPORTED: &'static [Unsupported] = &[
        Unsupported::all(Refusal::OutOfRegisters, "16 registers, and nowhere to spill to"),
        Unsupported::all(Refusal::Textures, "texels reach draws alone").in_stages(&[Stage::Compute]),
    ];
    const STATISTICS: &'static [Statistic] = &[common::INSTRUCTIONS, common::BYTES];
    const DRIVER_FACTS: DriverFacts =
        DriverFacts { vertex: &[Piece::VertexLayout], fragment: &[], padded: |bytes| bytes };
    const PASSES: &'static [Pass<Self>] = &[
        Pass::improve("machine-copy-prop", 1, |mf, cx| Ok(copy_prop(mf, &cx.target) as u64)),
        Pass::lower("machine-dce", |mf, cx| Ok(dce(mf, &cx.target) as u64)).counts_some(),
        Pass::lower("split-critical-edges", |mf, cx| Ok(mf.split_critical_edges(&cx.target) as u64)),
        Pass::lower("allocate", allocate).physical(),
        Pass::improve("thread-jumps", 1, |mf, cx| Ok(thread_jumps(mf, &cx.target) as u64)).physical(),
        Pass::improve("drop-fallthrough", 1, |mf, cx| Ok(drop_fallthrough(mf, &cx.target) as u64)).physical(),
    ];

    fn first(_: u8, _: &CodegenOptions) {}

    fn caps(_: u8, stage: Stage, (): &()) -> Caps {
        // Selection knows minima in compute programs alone.
        let expand = if stage == Stage::Compute { OpSet::EMPTY } else { OpSet::of(&[Op::UMin, Op::UMax]) };
        // The machine holds accesses to buffers within their bounds.
        Caps {
            scalar: true,
            checked_loads: true,
            checked_stores: true,
            expand,
            tex: TexCaps::MINIMAL,
            sampler: SamplerCaps::MINIMAL,
            fetch: FetchCaps { wide: true, ..FetchCaps::MINIMAL },
            ..Caps::FULL
        }
    }

    fn roles(job: &Job<'_, Self>) -> &'static [ProgramRole] {
        // A program that writes memory runs once.
        let f = job.func();
        let writes = f.insts_in_order().any(|(_, i)| f.insts[i].op == Op::Store);
        if job.stage() == Stage::Vertex && !writes {
            &[ProgramRole::Position, ProgramRole::Varying]
        } else {
            &[ProgramRole::Main]
        }
    }

    fn select(job: &Job<'_, Self>) -> Result<Selected<Self>, AttemptError> {
        let target = Tiny::new();
        let code = gpucc_mir::select(job.func(), &mut Isel { target: &target })?;
        Ok(Selected { code, target, state: () })
    }

    fn bare(_: &Job<'_, Self>, _: &TextFixture) -> (Tiny, ()) {
        (Tiny::new(), ())
    }

    fn encode(code: MFunc<Tiny>, _: &mut CompileCx<'_, Self>) -> Result<MFunc<Tiny>, Diagnostic> {
        Ok(code)
    }

    fn emit(mf: &MFunc<Tiny>, cx: &CompileCx<'_, Self>) -> Result<EmittedProgram, Diagnostic> {
        let bug = |what: String| Diagnostic::internal("emission", what);
        let mut starts = Vec::new();
        let used = cx.alloc.used[0].iter().count() as u16;
        let (role, whole) = (cx.job.role as u32, cx.job.whole);
        mf.code.iter().fold(0, |at, insts| {
            starts.push(at);
            at + insts.len() as u32
        });
        let mut p = EmittedProgram {
            meta: Meta { subgroup_size: 1, registers: vec![(0, used)], ..Meta::default() },
            preloads: vec![Preload { file: 0, lane: 0, index: 0, source: Source::Const(role) }],
            reflection: reflect(whole, &whole.funcs[whole.entries[0].func], |r, used, _| used.then_some(r.0)),
            // Inputs are numbered, outputs those of each program.
            interface: cx.job.interface(
                &StageUse::new(cx.job.module, cx.job.func(), &cx.job.entry().stage),
                |d, n, slot| {
                    let file = if d == Direction::Input { 0 } else { 1 + u8::from(slot.at != IoAt::Position) };
                    Some(HwPlace { file, index: n as u16, lane: 0 })
                },
            ),
            ..EmittedProgram::default()
        };
        for i in mf.code.iter().flatten() {
            let op = i.target_op().ok_or_else(|| bug(format!("{i:?} is left")))?;
            let mut inst: Inst<Set> = Inst::new(op as u16);
            let (mut defs, mut uses) = (i.defs.iter(), i.uses.iter());
            for (slot, value) in ROWS[op as usize].operands.iter().zip(&mut inst.vals) {
                *value = match slot.role {
                    Role::Def => defs.next().and_then(|d| d.phys()).map(|p| u32::from(p.place.base())),
                    Role::Mod => Some(u32::from(i.mods.buffer)),
                    _ => uses.next().and_then(|u| match u.src {
                        Src::Imm(v) => Some(v),
                        Src::Label(b) => Some(starts[b.0 as usize]),
                        _ => u.phys().map(|p| u32::from(p.place.base())),
                    }),
                }
                .ok_or_else(|| bug(format!("{i:?} lacks an operand")))?;
            }
            p.locs.push((p.code.len() as u32, i.loc));
            let (word, _) = Set::table().encode(&inst, 0).ok_or_else(|| bug(format!("no row for {i:?}")))?;
            p.code.extend_from_slice(&word.to_le_bytes()[..8]);
        }
        p.stats = vec![("instructions", p.locs.len() as u64), ("bytes", p.code.len() as u64)];
        Ok(p)
    }

    fn program_text(code: &[u8], generation: u8, stage: u8, _: &Notes<'_>) -> String {
        let mut out = String::new();
        for (word, _) in super::machine::words(code) {
            match Set::table().decode(word, 8, generation, stage) {
                Ok(inst) => Set::print(&inst, &TextCx { stages: stage, ..TextCx::new(generation) }, &mut out),
                Err(e) => out.push_str(&e.to_string()),
            }
            out.push('\n');
        }
        out
    }
}

fn allocate(mf: &mut MFunc<Tiny>, cx: &mut CompileCx<'_, TinyFamily>) -> Result<u64, AttemptError> {
    let has = |most: u32| (format!("{} has {most} registers", cx.job.chip()), String::new());
    cx.alloc = gpucc_mir::allocate(mf, &cx.target, &alloc_options(cx.job.options))
        .map_err(|e| AttemptError::allocation(e, cx.job.module, |o| has(o.limit)))?;
    Ok(cx.alloc.moves.into())
}
