//! Several programs of one entry point: what of the IR each of them computes, and one entry of the container made of all.

use gpucc_container::{Entry, LineEntry, Meta, Program, ProgramRole, RaceMark, Variable};
use gpucc_ir::{Diagnostic, IoAt, Module, Op, StageInfo, Values};
use gpucc_opt::{Caps, PassCx, dce};

use crate::family::EmittedProgram;

/// One program of an entry point, emitted.
pub struct Part {
    /// The part of the entry that it computes.
    pub role: ProgramRole,
    /// Code and all that belongs to it.
    pub emitted: EmittedProgram,
    /// Its line table, addresses ascending.
    pub lines: Vec<LineEntry>,
    /// Marks of its accesses, for races.
    pub races: Vec<RaceMark>,
    /// Variables in workgroup memory.
    pub variables: Vec<Variable>,
}

/// Whether a program of a role gives an output.
pub const fn gives(role: ProgramRole, at: IoAt) -> bool {
    let placed = matches!(
        at,
        IoAt::Position
            | IoAt::ClipDistance(_)
            | IoAt::CullDistance(_)
            | IoAt::PointSize
            | IoAt::Layer
            | IoAt::ViewportIndex
    );
    match role {
        ProgramRole::Main => true,
        ProgramRole::Position => placed,
        ProgramRole::Varying => !placed,
    }
}

/// The module of one entry point with only the outputs of a role, and what they need.
pub fn of_role(module: &Module, role: ProgramRole, caps: &Caps) -> Module {
    let mut m = module.clone();
    let entry = &mut m.entries[0];
    let func = entry.func;
    let (StageInfo::Vertex(io) | StageInfo::Fragment { io, .. }) = &mut entry.stage else { return m };
    let kept: Vec<bool> = io.outputs.iter().map(|o| gives(role, o.at)).collect();
    let mut keep = kept.iter();
    io.outputs.retain(|_| keep.next().is_some_and(|k| *k));
    let f = &mut m.funcs[func];
    for block in f.layout.clone() {
        for i in f.blocks[block].insts.clone() {
            let d = &mut f.insts[i];
            if d.op == Op::Ret && d.args.len() == kept.len() {
                let args: Vec<_> = d.args.iter().copied().zip(&kept).filter(|a| *a.1).map(|a| a.0).collect();
                d.args = Values::from_slice(&args);
            }
        }
    }
    let mut keep = kept.iter();
    f.ret.retain(|_| keep.next().is_some_and(|k| *k));
    let mut f = std::mem::take(&mut m.funcs[func]);
    dce::run(&mut f, &mut PassCx::new(&m, caps));
    m.funcs[func] = f;
    m
}

/// Statistics of which the whole entry has the largest of its programs' numbers; of the others it has the sum.
#[rustfmt::skip]
pub const LARGEST: &[&str] = &[
    "registers", "registers_used", "sgprs", "vgprs", "stack", "shared_bytes", "scratch_bytes", "uniforms",
    "uniform_words", "array_rows",
];
/// Those of which it has the smallest.
pub const SMALLEST: &[&str] = &["waves", "threads", "lane_use_percent"];

/// Alignment of a program's part of the constant bytes.
const DATA_ALIGN: usize = 16;

fn bug(what: String) -> Diagnostic {
    Diagnostic::internal("programs", what)
}

/// One entry of all programs, without what the stage and the options say: code one behind the other, everything else together.
///
/// # Errors
/// A bug: programs that contradict each other.
pub fn join(parts: Vec<Part>) -> Result<Entry, Diagnostic> {
    let single = parts.len() == 1;
    let mut all = Entry { races: Some(Vec::new()), ..Entry::default() };
    for (k, part) in parts.into_iter().enumerate() {
        let p = part.emitted;
        let flags = p.meta.flags | p.reflection.flags;
        let stats = p.stats.iter().map(|&(name, value)| (name.to_owned(), value));
        if single {
            all.meta = Meta { flags, ..p.meta };
            (all.preloads, all.steps) = (p.preloads, p.steps);
            all.stats = stats.collect();
            (all.code, all.data) = (p.code, p.data);
            (all.lines, all.races, all.variables) = (part.lines, Some(part.races), part.variables);
            (all.resources, all.names) = (p.reflection.resources, p.reflection.names);
            (all.interface, all.state) = (p.interface, p.state);
            break;
        }
        if k == 0 {
            all.meta = Meta { registers: Vec::new(), family_words: Vec::new(), ..p.meta.clone() };
            (all.resources, all.names) = (p.reflection.resources, p.reflection.names);
            all.variables = part.variables;
        } else if (&all.resources, &all.names) != (&p.reflection.resources, &p.reflection.names) {
            return Err(bug(format!("the {} program has other resources", part.role.name())));
        }
        if !p.steps.is_empty() {
            return Err(bug(format!("the {} program has steps of the launch, which are the entry's", part.role)));
        }
        let offset = all.code.len() as u32;
        all.data.resize(all.data.len().next_multiple_of(DATA_ALIGN), 0);
        let data = (all.data.len() as u32, p.data.len() as u32);
        all.meta.flags |= flags;
        all.meta.scratch_bytes = all.meta.scratch_bytes.max(p.meta.scratch_bytes);
        all.meta.shared_bytes = all.meta.shared_bytes.max(p.meta.shared_bytes);
        for &(file, n) in &p.meta.registers {
            match all.meta.registers.iter_mut().find(|r| r.0 == file) {
                Some(r) => r.1 = r.1.max(n),
                None => all.meta.registers.push((file, n)),
            }
        }
        for (name, value) in stats {
            match all.stats.iter_mut().find(|s| s.0 == name) {
                Some(s) if LARGEST.contains(&&*name) => s.1 = s.1.max(value),
                Some(s) if SMALLEST.contains(&&*name) => s.1 = s.1.min(value),
                Some(s) => s.1 += value,
                None => all.stats.push((name, value)),
            }
        }
        all.lines.extend(part.lines.into_iter().map(|l| LineEntry { pc: l.pc + offset, ..l }));
        let marks = part.races.into_iter().map(|r| RaceMark { pc: r.pc + offset, ..r });
        all.races.get_or_insert_with(Vec::new).extend(marks);
        for row in p.interface {
            if !all.interface.contains(&row) {
                all.interface.push(row);
            }
        }
        for word in p.state {
            let same = |o: &&gpucc_container::StateWord| (o.space, o.register) == (word.space, word.register);
            if let Some(o) = all.state.iter().find(same).filter(|o| (o.value ^ word.value) & o.mask & word.mask != 0) {
                return Err(bug(format!("register {:#x} is wanted {:#x} and {:#x}", o.register, o.value, word.value)));
            }
            if !all.state.contains(&word) {
                all.state.push(word);
            }
        }
        all.programs.push(Program {
            role: part.role,
            offset,
            size: p.code.len() as u32,
            data,
            registers: p.meta.registers,
            scratch_bytes: p.meta.scratch_bytes,
            family_words: p.meta.family_words,
            preloads: p.preloads,
        });
        all.code.extend_from_slice(&p.code);
        all.data.extend_from_slice(&p.data);
    }
    Ok(all)
}
