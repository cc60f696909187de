//! Where spilled values live in memory, and what edges do with parameters that begin there.
//!
//! A parameter in memory and those of its arguments that are in memory too share a place where their live ranges allow
//! it: then the edge has nothing to do. Other arguments are copied on the edge, at once in meaning: all reads before all
//! writes. Webs whose ranges do not meet share words.

use std::collections::BTreeMap;

use crate::live::Liveness;
use crate::problem::{BlockId, Cfg, FileId, Problem, Role, Value};
use crate::spill_plan::{EdgeCode, EdgeOp, ReloadAt, SpillKind, SpillPlan, Web};

const NONE: u32 = u32::MAX;

/// `param = arg` on an edge, for a parameter in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MemoryCopy {
    pub param: Value,
    pub arg: Value,
    /// Whether the argument is in registers there.
    pub in_register: bool,
}

/// An edge before places are known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RawEdge {
    pub from: BlockId,
    pub at: ReloadAt,
    pub cfg: Cfg,
    pub copies: Vec<MemoryCopy>,
    /// Values to load for the target.
    pub loads: Vec<Value>,
}

/// Live ranges as `[start, end)` over positions: two for each block's ends, one for each instruction.
struct Ranges {
    of: Vec<BTreeMap<u32, u32>>,
    /// Position of the end of each block.
    ends: Vec<u32>,
}

impl Ranges {
    /// Ranges of the values with an index in `id`.
    fn new(p: &Problem, live: &Liveness, id: &[u32], count: usize) -> Ranges {
        let mut r = Ranges { of: vec![BTreeMap::new(); count], ends: Vec::with_capacity(p.blocks.len()) };
        let mut end = vec![NONE; count];
        let mut base = 0;
        for b in 0..p.blocks.len() as BlockId {
            let block = &p.blocks[b as usize];
            let len = block.insts.len() as u32;
            let mut open: Vec<u32> = Vec::new();
            live.for_live_out(p, b, |v| {
                let k = id[v.index()];
                if k != NONE && end[k as usize] == NONE {
                    end[k as usize] = base + 1 + len;
                    open.push(k);
                }
            });
            for i in block.insts.clone().rev() {
                let at = base + 1 + (i - block.insts.start);
                for o in p.operands(i).iter().filter(|o| o.role != Role::Use) {
                    let k = id[o.value.index()];
                    if k != NONE {
                        r.close(k, at, &mut end);
                    }
                }
                for o in p.operands(i).iter().filter(|o| o.role == Role::Use) {
                    let k = id[o.value.index()];
                    if k != NONE && end[k as usize] == NONE {
                        end[k as usize] = at;
                        open.push(k);
                    }
                }
            }
            for k in open {
                r.close(k, base, &mut end);
            }
            r.ends.push(base + 1 + len);
            base += len + 2;
        }
        r
    }

    fn close(&mut self, k: u32, start: u32, end: &mut [u32]) {
        let e = std::mem::replace(&mut end[k as usize], NONE);
        if e == NONE {
            return;
        }
        // Blocks come in order, but within a block a value with several definitions comes last first.
        self.of[k as usize].insert(start, e);
    }

    /// Makes the ranges of `b` ranges of `a` too, if the two never meet. Costs the smaller of the two.
    fn unite(&mut self, a: u32, b: u32) -> bool {
        let longer = if self.of[a as usize].len() < self.of[b as usize].len() { b } else { a };
        let (big, small) = (&self.of[longer as usize], &self.of[(a ^ b ^ longer) as usize]);
        let meets = |(&s, &e): (&u32, &u32)| big.range(..e).next_back().is_some_and(|(_, &f)| f > s);
        if small.iter().any(meets) {
            return false;
        }
        let small = std::mem::take(&mut self.of[(a ^ b ^ longer) as usize]);
        let mut big = std::mem::take(&mut self.of[longer as usize]);
        big.extend(small);
        self.of[a as usize] = big;
        true
    }
}

/// Webs of the values that live in memory.
struct Webs {
    parent: Vec<u32>,
}

impl Webs {
    fn find(&mut self, mut k: u32) -> u32 {
        while self.parent[k as usize] != k {
            let up = self.parent[self.parent[k as usize] as usize];
            self.parent[k as usize] = up;
            k = up;
        }
        k
    }
}

/// Fills in `plan.web`, `plan.webs`, `plan.words` and `plan.edges`.
pub(crate) fn place(p: &Problem, live: &Liveness, kinds: &[SpillKind], edges: &[RawEdge], plan: &mut SpillPlan) {
    let mut id = vec![NONE; p.value_count()];
    let mut members: Vec<Value> =
        plan.stores.iter().chain(&plan.memory).copied().filter(|v| !live.dead_param[v.index()]).collect();
    members.sort_unstable();
    for (k, v) in members.iter().enumerate() {
        id[v.index()] = k as u32;
    }
    let mut ranges = Ranges::new(p, live, &id, members.len());
    let mut webs = Webs { parent: (0..members.len() as u32).collect() };
    for c in edges.iter().flat_map(|e| &e.copies) {
        let (param, arg) = (id[c.param.index()], id[c.arg.index()]);
        if arg == NONE || p.file(c.param) != p.file(c.arg) || p.shape(c.param).units != p.shape(c.arg).units {
            continue;
        }
        let (a, b) = (webs.find(param), webs.find(arg));
        if a != b && ranges.unite(a, b) {
            webs.parent[b as usize] = a;
        }
    }
    // Words in the order of the first definition; a web's words are free again behind its last range. Edges write
    // parameters at the end of their source, where arguments of others may still be read.
    let mut span: Vec<(u32, u32)> = ranges
        .of
        .iter()
        .map(|r| (r.keys().next().copied().unwrap_or(NONE), r.values().copied().max().unwrap_or(0)))
        .collect();
    for e in edges {
        let end = ranges.ends[e.from as usize];
        for c in &e.copies {
            let s = &mut span[webs.find(id[c.param.index()]) as usize];
            *s = (s.0.min(end - 1), s.1.max(end + 1));
        }
    }
    let mut spans: Vec<(u32, u32, u32)> = Vec::new();
    for k in 0..members.len() as u32 {
        if webs.find(k) == k {
            let (start, end) = span[k as usize];
            spans.push((start, end, k));
        }
    }
    spans.sort_unstable();
    let mut words = Words::new(p.files.len());
    let mut number = vec![NONE; members.len()];
    for (start, end, k) in spans {
        let v = members[k as usize];
        let (file, units) = (p.file(v), p.shape(v).units);
        number[k as usize] = plan.webs.len() as u32;
        plan.webs.push(Web { file, units, word: words.take(file, units, start, end) });
    }
    plan.web = vec![NONE; p.value_count()];
    for (k, v) in members.iter().enumerate() {
        plan.web[v.index()] = number[webs.find(k as u32) as usize];
    }
    for e in edges {
        let code = order(p, kinds, e, plan, &mut words);
        if !code.ops.is_empty() {
            plan.edges.push(code);
        }
    }
    plan.words = words.top;
}

/// Words of spill memory.
struct Words {
    /// Words of each file.
    top: Vec<u32>,
    /// Free words by file and size.
    free: BTreeMap<(FileId, u16), Vec<u32>>,
    /// Taken words by the end of their range.
    busy: BTreeMap<u32, Vec<(FileId, u16, u32)>>,
    /// Webs that edges save to, by file and size.
    shadows: BTreeMap<(FileId, u16), Vec<u32>>,
}

impl Words {
    fn new(files: usize) -> Words {
        Words { top: vec![0; files], free: BTreeMap::new(), busy: BTreeMap::new(), shadows: BTreeMap::new() }
    }

    fn fresh(&mut self, file: FileId, units: u16) -> u32 {
        let top = &mut self.top[file as usize];
        let word = top.next_multiple_of(u32::from(units).next_power_of_two());
        *top = word + u32::from(units);
        word
    }

    /// The `nth` web of this size that holds something on one edge only.
    fn shadow(&mut self, webs: &mut Vec<Web>, file: FileId, units: u16, nth: usize) -> u32 {
        if let Some(&web) = self.shadows.get(&(file, units)).and_then(|l| l.get(nth)) {
            return web;
        }
        let word = self.fresh(file, units);
        webs.push(Web { file, units, word });
        let web = webs.len() as u32 - 1;
        self.shadows.entry((file, units)).or_default().push(web);
        web
    }

    fn take(&mut self, file: FileId, units: u16, start: u32, end: u32) -> u32 {
        while let Some(e) = self.busy.first_entry().filter(|e| *e.key() <= start) {
            for (file, units, word) in e.remove() {
                self.free.entry((file, units)).or_default().push(word);
            }
        }
        let word = match self.free.entry((file, units)).or_default().pop() {
            Some(word) => word,
            None => self.fresh(file, units),
        };
        self.busy.entry(end).or_default().push((file, units, word));
        word
    }
}

/// The code of an edge: what is in registers is stored first, then memory is copied through one register at a time, then
/// come the loads. What would be overwritten before it is read is saved before everything.
fn order(p: &Problem, kinds: &[SpillKind], raw: &RawEdge, plan: &mut SpillPlan, words: &mut Words) -> EdgeCode {
    let remat = |v: Value| kinds[v.index()] == SpillKind::Remat;
    let mut copies: Vec<MemoryCopy> = raw
        .copies
        .iter()
        .copied()
        .filter(|c| plan.web[c.arg.index()] == NONE || plan.web[c.arg.index()] != plan.web[c.param.index()])
        .collect();
    copies.sort_by_key(|c| (!c.in_register, c.arg));
    let mut written: Vec<u32> = copies.iter().map(|c| plan.web[c.param.index()]).collect();
    written.sort_unstable();
    let mut ops: Vec<EdgeOp> = Vec::new();
    let mut saved: Vec<(Value, u32)> = Vec::new();
    let reads = copies.iter().filter(|c| !c.in_register).map(|c| c.arg).chain(raw.loads.iter().copied());
    for v in reads {
        let web = plan.web[v.index()];
        if !remat(v) && written.binary_search(&web).is_ok() && !saved.iter().any(|s| s.0 == v) {
            let Web { file, units, .. } = plan.webs[web as usize];
            let nth = saved.iter().filter(|s| plan.webs[s.1 as usize].units == units).count();
            let shadow = words.shadow(&mut plan.webs, file, units, nth);
            ops.extend([EdgeOp::Load(v, web), EdgeOp::Store(v, shadow)]);
            saved.push((v, shadow));
        }
    }
    let source = |v: Value| match saved.iter().find(|s| s.0 == v) {
        Some(s) => s.1,
        None if remat(v) => NONE,
        None => plan.web[v.index()],
    };
    let mut loaded = Value::NONE;
    for c in &copies {
        if !c.in_register && c.arg != loaded {
            ops.push(EdgeOp::Load(c.arg, source(c.arg)));
            loaded = c.arg;
        }
        ops.push(EdgeOp::Store(c.arg, plan.web[c.param.index()]));
    }
    for &v in &raw.loads {
        if !copies.iter().any(|c| c.arg == v && !c.in_register) {
            ops.push(EdgeOp::Load(v, source(v)));
        }
    }
    debug_assert!(copies.iter().all(|c| p.file(c.arg) == p.file(c.param)));
    EdgeCode { at: raw.at, cfg: raw.cfg, ops }
}
