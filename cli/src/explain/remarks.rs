//! The compiler's remarks: what passes did to loops and branches and what kept them from it, with the line. They come from the texts of
//! the program after each pass, which are made for those who ask; passes themselves say nothing.

use std::collections::{BTreeMap, BTreeSet};

use gpucc_ir::analysis::{DomTree, Structure, trips};
use gpucc_ir::ops::OpAttrs;
use gpucc_ir::text::parse_module;
use gpucc_ir::{Block, Function, Inst, MemFlags, Module, Op};
use gpucc_opt::unroll;

/// Longest text of a program after a pass that is looked at.
const LONGEST: usize = 4 << 20;

/// The program after a pass.
pub struct Stage<'a> {
    /// The pass that made it so.
    pub pass: &'a str,
    /// The IR, the machine code or the encoded code.
    pub text: &'a str,
}

/// What the compiler did or did not do, and why.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Remark {
    /// The line; 0 where none is known.
    pub line: u32,
    /// The pass that did it or would have.
    pub pass: String,
    /// Whether it was done.
    pub passed: bool,
    /// The sentence that a person reads.
    pub message: String,
}

/// Lines of the source by the first byte of a span.
pub struct Places(BTreeMap<u32, u32>);

impl Places {
    /// Those of all instructions of a module.
    pub fn new(m: &Module) -> Places {
        let all = m.funcs.values().flat_map(|f| f.insts.values());
        Places(all.filter_map(|i| Some((m.span(i.loc).start, m.line_column(i.loc)?.0))).collect())
    }

    /// The line of a byte; 0 where none is known.
    pub fn line(&self, start: u32) -> u32 {
        self.0.get(&start).copied().unwrap_or(0)
    }
}

/// The programs after passes that say something new, as many as are not too long.
pub fn stages(dumps: &[(String, String)]) -> Vec<Stage<'_>> {
    let all = dumps.iter().filter(|d| d.1.len() <= LONGEST);
    all.map(|(pass, text)| Stage { pass, text }).collect()
}

/// A place in the text of the IR: the first and last byte behind `@`.
pub fn span_of(line: &str) -> Option<(u32, u32)> {
    let (start, end) = line.rsplit_once(" @")?.1.split_once("..")?;
    Some((start.parse().ok()?, end.parse().ok()?))
}

/// The stages whose text is IR.
pub fn ir<'a, 's>(stages: &'s [Stage<'a>]) -> impl Iterator<Item = &'s Stage<'a>> {
    stages.iter().filter(|s| s.text.starts_with("module"))
}

/// All remarks on one program, by line.
pub fn of(stages: &[Stage<'_>], places: &Places) -> Vec<Remark> {
    let ir: Vec<&Stage<'_>> = ir(stages).collect();
    let mut list = loops(&ir, places);
    list.extend(branches(&ir, places));
    let all: BTreeSet<Remark> = list.into_iter().collect();
    all.into_iter().collect()
}

/// A loop as its pass saw it.
#[derive(Clone, PartialEq, Eq)]
struct Loop {
    start: u32,
    rounds: Option<u32>,
    reason: String,
}

fn loops_in(text: &str) -> Vec<Loop> {
    let Ok(m) = parse_module(text) else { return Vec::new() };
    let Some(e) = m.entries.first() else { return Vec::new() };
    let f = &m.funcs[e.func];
    let all = trips::loops(f);
    if all.is_empty() {
        return Vec::new();
    }
    let s = Structure::new(f, &DomTree::new(f));
    let of = |(l, t): (_, &trips::Loop)| {
        let blocks = s.blocks(f, l);
        let inner = s.loops().any(|k| k != l && s.enclosing(s.constructs[k].parent).any(|e| e == l));
        let c = &s.constructs[l];
        let rounds = counted(f, (c.header, c.merge), &blocks);
        let reason = kept(f, &blocks, (rounds, t.rounds.is_some()), inner);
        Loop { start: m.span(t.loc).start, rounds, reason }
    };
    s.loops().zip(&all).map(of).collect()
}

/// How often the body of a loop runs, where constants say it and the way out stands at its top or its end.
fn counted(f: &Function, (header, merge): (Block, Block), blocks: &[Block]) -> Option<u32> {
    let inside = |b: &Block| blocks.contains(b);
    let preds = f.preds();
    let (latches, entries): (Vec<Block>, Vec<Block>) = preds[header].iter().copied().partition(inside);
    let ([latch], [before]) = (&latches[..], &entries[..]) else { return None };
    [header, *latch].into_iter().find_map(|at| {
        let [then, other] = f.insts[f.terminator(at)].as_br()?;
        let leaves = match (then.block == merge, other.block == merge) {
            (true, false) => true,
            (false, true) => false,
            _ => return None,
        };
        let cond = f.insts[f.terminator(at)].args[0];
        let stays = trips::count(f, (header, *before, *latch), (cond, leaves), MOST_ROUNDS)?;
        Some(if at == *latch { stays + 1 } else { stays })
    })
}

/// Rounds that are counted.
const MOST_ROUNDS: u32 = 1 << 16;

/// What keeps a loop from being unrolled.
fn kept(f: &Function, blocks: &[Block], (rounds, is_known): (Option<u32>, bool), inner: bool) -> String {
    let insts: Vec<Inst> = blocks.iter().flat_map(|&b| f.blocks[b].insts.iter().copied()).collect();
    if inner {
        return "a loop inside of it is left".into();
    }
    if insts.iter().any(|&i| f.insts[i].op == Op::Call) {
        return "it calls a function".into();
    }
    let Some(n) = rounds else {
        if is_known {
            return "its way out stands neither at its top nor at its end, or others leave it too".into();
        }
        return "no constant says how many rounds it has".into();
    };
    if n > unroll::TRIPS {
        return format!("it has {n} rounds, more than {}", unroll::TRIPS);
    }
    let waits = if insts.iter().any(|&i| f.insts[i].op == Op::Barrier) { ", with a barrier among them" } else { "" };
    format!("{n} rounds of {} instructions{waits} are more than the target has room for", insts.len())
}

fn loops(ir: &[&Stage<'_>], places: &Places) -> Vec<Remark> {
    let pass = unroll_name();
    let remark = |start: u32, passed: bool, message: String| Remark {
        line: places.line(start),
        pass: pass.clone(),
        passed,
        message,
    };
    let mut list = Vec::new();
    let mut last: Option<&str> = None;
    for (k, stage) in ir.iter().enumerate().filter(|(_, s)| s.pass == pass) {
        let Some(before) = k.checked_sub(1).map(|k| ir[k].text) else { continue };
        last = Some(stage.text);
        if before == stage.text {
            continue;
        }
        let (old, new) = (loops_in(before), loops_in(stage.text));
        for l in &old {
            let many = |list: &[Loop]| list.iter().filter(|o| o.start == l.start).count();
            match new.iter().find(|n| n.start == l.start) {
                None if l.rounds.is_some() => {
                    let n = l.rounds.unwrap_or(0);
                    list.push(remark(l.start, true, format!("unrolled: each of {n} rounds is a copy of the body")));
                }
                Some(n) if many(&new) == many(&old) && n.rounds != l.rounds => {
                    if let (Some(a), Some(b)) = (l.rounds, n.rounds) {
                        let each = a / b.max(1);
                        list.push(remark(l.start, true, format!("unrolled: {each} of {a} rounds became one")));
                    }
                }
                _ => {}
            }
        }
    }
    // A level that does not unroll leaves the loops of the end.
    let (text, does) = last.map_or((ir.last().map_or("", |s| s.text), false), |text| (text, true));
    let left = ir.last().map_or_else(Vec::new, |s| loops_in(s.text));
    for l in loops_in(text).iter().filter(|l| left.iter().any(|o| o.start == l.start)) {
        let reason = if does { l.reason.as_str() } else { "this level does not unroll" };
        list.push(remark(l.start, false, format!("not unrolled: {reason}")));
    }
    list
}

fn unroll_name() -> String {
    gpucc_opt::passes::UNROLL.name.into()
}

/// Places of branches in a text of the IR.
fn branches_in(text: &str) -> BTreeSet<(u32, u32)> {
    let is_branch = |l: &&str| l.starts_with("  br ") || l.starts_with("  switch ");
    text.lines().filter(is_branch).filter_map(span_of).collect()
}

const IF_CONVERT: &str = "if-convert";

fn branches(ir: &[&Stage<'_>], places: &Places) -> Vec<Remark> {
    let mut list = Vec::new();
    let Some(first) = ir.first() else { return list };
    let mut before = branches_in(first.text);
    // Tests of loops are no branches that selects could be made of.
    let ends = [first.text, ir[ir.len() - 1].text];
    let fronts = ir.windows(2).filter(|w| w[1].pass == unroll_name() && w[0].text != w[1].text).map(|w| w[0].text);
    let tests: BTreeSet<u32> = ends.into_iter().chain(fronts).flat_map(loops_in).map(|l| l.start).collect();
    let mut last = first.text;
    for stage in &ir[1..] {
        if stage.text == last {
            continue;
        }
        last = stage.text;
        let now = branches_in(stage.text);
        for gone in before.difference(&now).filter(|s| !tests.contains(&s.0)) {
            let message = match stage.pass {
                IF_CONVERT => "the branch became selects: both ways are computed",
                _ => "the branch is gone: its condition is known, or both ways do the same",
            };
            let (line, pass) = (places.line(gone.0), stage.pass.to_string());
            list.push(Remark { line, pass, passed: true, message: message.into() });
        }
        before = now;
    }
    let runs = ir.iter().any(|s| s.pass == IF_CONVERT);
    // In front of a loop whose test stands at its end the same test decides whether it runs at all.
    for (start, reason) in branches_left(last).into_iter().filter(|b| !tests.contains(&b.0)) {
        let reason = if runs { reason.as_str() } else { "this level does not make selects" };
        let message = format!("the branch stays: {reason}");
        list.push(Remark { line: places.line(start), pass: IF_CONVERT.into(), passed: false, message });
    }
    list
}

/// The branches of a text that are no tests of loops, and what keeps each from becoming selects.
fn branches_left(text: &str) -> Vec<(u32, String)> {
    let Ok(m) = parse_module(text) else { return Vec::new() };
    let Some(e) = m.entries.first() else { return Vec::new() };
    let f = &m.funcs[e.func];
    let s = Structure::new(f, &DomTree::new(f));
    let preds = f.preds();
    let mut list = Vec::new();
    for &b in &f.layout {
        let t = f.terminator(b);
        let d = &f.insts[t];
        let inside = s.loop_of(b);
        let leaves = |to: &Block| {
            inside.is_some_and(|l| s.constructs[l].merge == *to || s.constructs[l].header == *to)
                || f.blocks[b].header.is_some_and(|h| h.merge == *to)
        };
        let ways = f.succs(b);
        if ways.len() < 2 || ways.iter().any(leaves) || !m.span(d.loc).is_known() {
            continue;
        }
        let start = m.span(d.loc).start;
        let reason = if d.op == Op::Switch {
            "the cases of the switch do more than choose values".into()
        } else {
            let arms = ways.iter().filter(|&&w| preds[w].len() == 1 && Some(w) != d.merge());
            let of = |&w: &Block| arm(&m, f, w, d.merge());
            arms.map(of).max_by_key(|r| r.0).map_or_else(|| "its ways meet nowhere".into(), |r| r.1)
        };
        list.push((start, reason));
    }
    list
}

/// What an arm has that must not run in vain, the most telling reason with the greatest number.
fn arm(m: &Module, f: &Function, b: Block, merge: Option<Block>) -> (u8, String) {
    let mut found = (0, "its ways cost more than the target's limit for selects".to_string());
    let mut say = |weight: u8, text: &str| {
        if weight > found.0 {
            found = (weight, text.to_string());
        }
    };
    if f.blocks[b].header.is_some() {
        say(6, "one way has a loop");
    }
    match f.insts[f.terminator(b)].as_jump() {
        Some((edge, None)) if merge.is_none_or(|m| edge.block == m) => {}
        Some(_) => say(2, "one way leads elsewhere than the other"),
        None if f.insts[f.terminator(b)].op == Op::Ret => say(4, "one way ends the program"),
        None => say(5, "one way has branches of its own"),
    }
    for &i in &f.blocks[b].insts[..f.blocks[b].insts.len() - 1] {
        let d = &f.insts[i];
        match d.op {
            Op::Store | Op::ImageStore => say(9, "one way stores to memory"),
            Op::Atomic | Op::CmpXchg | Op::ImageAtomic => say(9, "one way changes memory with an atomic operation"),
            Op::Barrier => say(9, "one way has a barrier"),
            Op::Demote => say(9, "one way ends fragments"),
            Op::Load if !d.mem().is_some_and(|m| m.flags.has(MemFlags::IN_BOUNDS)) => {
                say(7, "one way loads from memory at a place that may be out of bounds");
            }
            Op::Load if d.mem().is_some_and(|x| !matches!(m.space(x.place), gpucc_ir::Space::Uniform)) => {
                say(3, "one way loads from memory, which others may write or which costs more than the limit");
            }
            op if op.has(OpAttrs::convergent) => say(8, "one way needs all invocations that are there"),
            op if !op.has(OpAttrs::speculatable) => say(6, "one way has an operation that must not run in vain"),
            _ => {}
        }
    }
    found
}
