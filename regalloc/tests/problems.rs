//! Problems of the four register-file shapes from any bytes, and their judge. The fuzz target `registers` reads this file, too.

use arbitrary::{Result, Unstructured};
use gpucc_regalloc::{
    Cfg, Constraint, EdgeOp, Error, Hint, Liveness, MoveCaps, Operand, Options, Placement, Problem, RegFile, ReloadAt,
    Role, Shape, Slot, SpillCode, SpillKind, SpillPlan, UnitSet, Value, allocate, check_spills, least_stores,
    plan_spills, sequence,
};

/// A family: its files with the shapes of values in each.
pub struct Family {
    pub name: &'static str,
    files: Vec<RegFile>,
    shapes: Vec<(u8, Shape)>,
    two_graphs: bool,
}

pub fn valhall(half: bool) -> Family {
    let mut budget = UnitSet::first(128);
    if half {
        budget = UnitSet::range(0, 32).union(&UnitSet::range(96, 128));
    }
    let r = |n: u16| Shape::aligned(2 * n, if n > 1 { 4 } else { 2 }).granule(2);
    Family {
        name: if half { "valhall, 32 registers" } else { "valhall" },
        files: vec![RegFile::new("r", 128, Cfg::Logical).budget(budget)],
        shapes: vec![(0, Shape::run(1)), (0, r(1)), (0, r(2)), (0, r(3)), (0, r(4)), (0, r(8))],
        two_graphs: false,
    }
}

pub fn tesla() -> Family {
    let half = Shape::starts(1, UnitSet::first(128));
    let r = |n: u16, align: u16| Shape::aligned(2 * n, align).granule(2);
    Family {
        name: "tesla",
        files: vec![
            RegFile::new("$r", 256, Cfg::Logical).budget(UnitSet::first(64)),
            RegFile::new("$c", 4, Cfg::Logical),
        ],
        shapes: vec![(0, half), (0, r(1, 2)), (0, r(2, 4)), (0, r(4, 8)), (0, r(3, 2)), (1, Shape::run(1))],
        two_graphs: false,
    }
}

pub fn gcn() -> Family {
    Family {
        name: "gcn",
        files: vec![
            RegFile::new("v", 256, Cfg::Logical).budget(UnitSet::first(24)),
            RegFile::new("s", 104, Cfg::Linear).budget(UnitSet::first(32)),
        ],
        shapes: vec![
            (0, Shape::run(1)),
            (0, Shape::run(3)),
            (0, Shape::run(4)),
            (1, Shape::run(1)),
            (1, Shape::aligned(2, 2)),
            (1, Shape::aligned(4, 4)),
            (1, Shape::aligned(8, 4)),
        ],
        two_graphs: true,
    }
}

pub fn vivante(end: bool) -> Family {
    let budget = if end { UnitSet::range(224, 256) } else { UnitSet::first(32) };
    static PAIRS: [u32; 2] = [0b0011, 0b1100];
    Family {
        name: if end { "vivante, the last rows" } else { "vivante" },
        files: vec![RegFile::new("t", 256, Cfg::Logical).rows(4).budget(budget)],
        shapes: vec![
            (0, Shape::row(1)),
            (0, Shape::row(2)),
            (0, Shape::row(3)),
            (0, Shape::row(4)),
            (0, Shape::aligned(2, 1)),
            (0, Shape::lanes(2, &PAIRS)),
        ],
        two_graphs: false,
    }
}

struct Gen<'a, 'u> {
    u: &'a mut Unstructured<'u>,
    f: &'a Family,
    p: Problem,
    /// Values that may be used here, that is, dominate this point on the graph of their file.
    scope: Vec<Value>,
    budget: Vec<u32>,
}

impl Gen<'_, '_> {
    fn shape(&mut self) -> Result<(u8, Shape)> {
        Ok(*self.u.choose(&self.f.shapes)?)
    }

    fn new_value(&mut self) -> Result<Value> {
        let (file, shape) = self.shape()?;
        Ok(self.p.value(file, shape))
    }

    /// Uses that together want less than half of a file, so that no instruction is impossible by itself.
    fn inst(&mut self) -> Result<()> {
        let mut ops = Vec::new();
        let mut wants = vec![0; self.p.files.len()];
        let mut fixed_use: Vec<(u8, Placement)> = Vec::new();
        for _ in 0..self.u.int_in_range(0..=3)? {
            if self.scope.is_empty() {
                break;
            }
            let from = self.scope.len().saturating_sub(12);
            let v = self.scope[self.u.int_in_range(from..=self.scope.len() - 1)?];
            let file = self.p.file(v);
            wants[file as usize] += self.p.shape(v).units as u32;
            let mut op = Operand::read(v);
            if self.u.ratio(1, 12)?
                && let Some(at) = self.fixed_place(v)?
                && !fixed_use.iter().any(|&(f, q)| f == file && q.overlaps(at))
            {
                fixed_use.push((file, at));
                op = op.at(at);
            }
            ops.push(op);
        }
        let uses = ops.len();
        let mut fixed_def: Vec<(u8, Placement)> = Vec::new();
        let mut defs = Vec::new();
        for d in 0..self.u.int_in_range(0..=2)? {
            let tie = d == 0 && uses > 0 && self.u.ratio(1, 4)?;
            let early = self.u.ratio(1, 8)?;
            if tie {
                let t = self.u.int_in_range(0..=uses - 1)?;
                if !matches!(ops[t].constraint, Constraint::Any) {
                    continue;
                }
                let info = *self.p.info(ops[t].value);
                let v = self.p.value(info.file, info.shape);
                ops.push(Operand::write(v).tied(t as u8));
                defs.push(v);
                continue;
            }
            let v = self.new_value()?;
            let mut op = if early { Operand::early(v) } else { Operand::write(v) };
            if self.u.ratio(1, 12)?
                && let Some(at) = self.fixed_place(v)?
            {
                let file = self.p.file(v);
                let taken = |list: &[(u8, Placement)]| list.iter().any(|&(f, q)| f == file && q.overlaps(at));
                if !taken(&fixed_def) && (fixed_use.is_empty() || !early) {
                    fixed_def.push((file, at));
                    op = op.at(at);
                }
            }
            ops.push(op);
            defs.push(v);
        }
        let mut clobbers = Vec::new();
        if self.u.ratio(1, 20)? {
            let file = self.u.int_in_range(0..=self.p.files.len() as u8 - 1)?;
            let at = Placement::run(self.u.int_in_range(0..=3)?, 1);
            if !fixed_def.iter().any(|&(f, q)| f == file && q.overlaps(at)) {
                clobbers.push((file, at));
            }
        }
        let i = self.p.push(&ops, &clobbers);
        self.p.insts[i as usize].report_free = self.u.ratio(1, 4)?;
        if uses > 0 && !defs.is_empty() && self.u.ratio(1, 3)? {
            let offset = self.u.int_in_range(0..=2)?;
            self.p.hints.push(Hint { part: ops[0].value, whole: defs[0], offset });
        }
        self.scope.extend(defs);
        Ok(())
    }

    fn fixed_place(&mut self, v: Value) -> Result<Option<Placement>> {
        let file = self.p.files[self.p.file(v) as usize];
        let places = self.p.shape(v).placements(&file, &file.budget);
        if places.is_empty() {
            return Ok(None);
        }
        Ok(Some(*self.u.choose(&places)?))
    }

    fn straight(&mut self) -> Result<()> {
        for _ in 0..self.u.int_in_range(0..=6)? {
            self.inst()?;
        }
        Ok(())
    }

    fn edge(to: u32, args: Vec<Value>) -> (u32, Vec<Value>) {
        (to, args)
    }

    /// Some value of the file and size of `param` that is in scope, or a new one defined at the end of this block.
    fn argument(&mut self, like: Value) -> Result<Value> {
        let info = *self.p.info(like);
        let fits: Vec<Value> = self
            .scope
            .iter()
            .copied()
            .filter(|v| {
                let i = *self.p.info(*v);
                i.file == info.file && i.shape.units == info.shape.units
            })
            .collect();
        if fits.is_empty() || self.u.ratio(1, 3)? {
            let v = self.p.value(info.file, info.shape);
            self.p.push(&[Operand::write(v)], &[]);
            return Ok(v);
        }
        Ok(*self.u.choose(&fits)?)
    }

    fn params(&mut self) -> Result<Vec<Value>> {
        (0..self.u.int_in_range(0..=3)?).map(|_| self.new_value()).collect()
    }

    fn arguments(&mut self, params: &[Value]) -> Result<Vec<Value>> {
        params.iter().map(|&q| self.argument(q)).collect()
    }

    fn on(&self, args: &[Value], params: &[Value], cfg: Cfg) -> Vec<Value> {
        args.iter().zip(params).map(|(&a, &q)| if self.p.cfg(q) == cfg { a } else { Value::NONE }).collect()
    }

    /// An if/else. On the linear graph the arms run one after the other, entered over blocks of their own.
    fn diamond(&mut self, depth: u32) -> Result<()> {
        let head = self.p.blocks.len() - 1;
        let outer = self.scope.clone();
        let params = self.params()?;
        let two = self.f.two_graphs;
        let then = self.p.begin_block(&[]);
        self.body(depth)?;
        let args = self.arguments(&params)?;
        let then_end = self.p.blocks.len() - 1;
        // Scalars of the first arm stay in scope in the second on the linear graph.
        let (p, keep) = (&self.p, outer.len());
        let linear: Vec<Value> =
            self.scope[keep..].iter().copied().filter(|&v| two && p.cfg(v) == Cfg::Linear).collect();
        self.scope.truncate(keep);
        self.scope.extend(&linear);
        let middle = if two { Some(self.p.begin_block(&[])) } else { None };
        if two {
            self.scope.truncate(keep + linear.len());
        }
        let orelse = self.p.begin_block(&[]);
        self.body(depth)?;
        let mut other = self.arguments(&params)?;
        for (o, &q) in other.iter_mut().zip(&params) {
            if two && self.p.cfg(q) == Cfg::Linear {
                // Parameters of linear files do not exist at this merge: it has one linear predecessor.
                *o = self.argument(q)?;
            }
        }
        let else_end = self.p.blocks.len() - 1;
        if two {
            let p = &self.p;
            let mine: Vec<Value> = self.scope[keep..].iter().copied().filter(|&v| p.cfg(v) == Cfg::Linear).collect();
            self.scope.truncate(keep);
            self.scope.extend(mine);
        } else {
            self.scope.truncate(keep);
        }
        let merge = self.p.begin_block(&params);
        let (logical, linear) = (Cfg::Logical, Cfg::Linear);
        self.p.set_succs(head as u32, Cfg::Logical, [Self::edge(then, vec![]), Self::edge(orelse, vec![])]);
        self.p.set_succs(then_end as u32, Cfg::Logical, [Self::edge(merge, args.clone())]);
        self.p.set_succs(else_end as u32, Cfg::Logical, [Self::edge(merge, other.clone())]);
        if let Some(middle) = middle {
            self.p.set_succs(head as u32, Cfg::Linear, [Self::edge(then, vec![])]);
            self.p.set_succs(then_end as u32, Cfg::Logical, [Self::edge(merge, self.on(&args, &params, logical))]);
            self.p.set_succs(else_end as u32, Cfg::Logical, [Self::edge(merge, self.on(&other, &params, logical))]);
            self.p.set_succs(then_end as u32, Cfg::Linear, [Self::edge(middle, vec![])]);
            self.p.set_succs(middle, Cfg::Linear, [Self::edge(orelse, vec![])]);
            self.p.set_succs(else_end as u32, Cfg::Linear, [Self::edge(merge, self.on(&other, &params, linear))]);
        }
        self.scope.extend(&params);
        Ok(())
    }

    /// A loop with its test at the end; values of the body stay in scope after it.
    fn looped(&mut self, depth: u32) -> Result<()> {
        let params = self.params()?;
        let args = self.arguments(&params)?;
        let before = self.p.blocks.len() - 1;
        let header = self.p.begin_block(&params);
        self.scope.extend(&params);
        self.body(depth)?;
        let back = self.arguments(&params)?;
        let latch = self.p.blocks.len() - 1;
        let again = self.p.begin_block(&[]);
        let exit = self.p.begin_block(&[]);
        self.p.set_succs(before as u32, Cfg::Logical, [Self::edge(header, args)]);
        self.p.set_succs(latch as u32, Cfg::Logical, [Self::edge(again, vec![]), Self::edge(exit, vec![])]);
        self.p.set_succs(again, Cfg::Logical, [Self::edge(header, back)]);
        Ok(())
    }

    fn body(&mut self, depth: u32) -> Result<()> {
        self.straight()?;
        if depth > 0 {
            for _ in 0..self.u.int_in_range(0..=2)? {
                if self.u.ratio(1, 2)? {
                    self.diamond(depth - 1)?;
                } else {
                    self.looped(depth - 1)?;
                }
                self.straight()?;
            }
        }
        Ok(())
    }
}

fn problem(u: &mut Unstructured<'_>, f: &Family) -> Result<Problem> {
    let p = Problem::new(&f.files);
    let budget = f.files.iter().map(|f| f.budget.len()).collect();
    let mut g = Gen { u, f, p, scope: Vec::new(), budget };
    g.p.begin_block(&[]);
    g.straight()?;
    g.body(2)?;
    let _ = &g.budget;
    Ok(g.p)
}

/// Turns a spill plan into instructions, each marked with what it does.
fn apply(p: &Problem, live: &Liveness, plan: &SpillPlan) -> Problem {
    let mut q = p.without_blocks();
    let slot = |v: Value, web: u32| {
        let w = plan.webs[web as usize];
        Slot { space: p.file(v), word: w.word, units: w.units }
    };
    let load = |q: &mut Problem, v: Value, web: u32| {
        let i = q.push(&[Operand::write(v)], &[]);
        let code = if web == u32::MAX { SpillCode::Again } else { SpillCode::Load(v, slot(v, web)) };
        q.set_spill(i, code);
    };
    let store = |q: &mut Problem, v: Value, web: u32| {
        let i = q.push(&[Operand::read(v)], &[]);
        q.set_spill(i, SpillCode::Store(v, slot(v, web)));
    };
    let put = |q: &mut Problem, at: ReloadAt| {
        for &(_, v) in plan.reloads.iter().filter(|r| r.0 == at) {
            load(q, v, plan.web[v.0 as usize]);
        }
        for op in plan.edges.iter().filter(|e| e.at == at).flat_map(|e| &e.ops) {
            match *op {
                EdgeOp::Load(v, web) => load(q, v, web),
                EdgeOp::Store(v, web) => store(q, v, web),
            }
        }
    };
    let stored = |v: Value| plan.stores.binary_search(&v).is_ok();
    let gone = |v: Value| plan.memory.binary_search(&v).is_ok();
    for (b, block) in p.blocks.iter().enumerate() {
        let params: Vec<Value> = p.params(b as u32).iter().copied().filter(|&v| !gone(v)).collect();
        q.begin_block(&params);
        put(&mut q, ReloadAt::Start(b as u32));
        for &v in params.iter().filter(|&&v| stored(v)) {
            store(&mut q, v, plan.web[v.0 as usize]);
        }
        for i in block.insts.clone() {
            put(&mut q, ReloadAt::Before(i));
            let id = q.push(p.operands(i), p.clobbers(i));
            q.insts[id as usize].report_free = p.insts[i as usize].report_free;
            let base = p.first_operand(i);
            for (k, o) in p.operands(i).iter().enumerate() {
                if o.role != Role::Use && stored(o.value) && !live.last[base + k] {
                    store(&mut q, o.value, plan.web[o.value.0 as usize]);
                }
            }
        }
        put(&mut q, ReloadAt::End(b as u32));
        for cfg in [Cfg::Logical, Cfg::Linear] {
            q.set_succs(
                b as u32,
                cfg,
                p.succs(b as u32, cfg).map(|e| {
                    let args = e.args.iter().zip(p.params(e.to));
                    (e.to, args.filter(|(_, q)| !gone(**q)).map(|(a, _)| *a))
                }),
            );
        }
    }
    q
}

/// The registers that a program asks for whatever spilling does: the units of one instruction, those of fixed places aside.
fn widest_instruction(p: &Problem, file: u8) -> u32 {
    let sum = |i: u32| -> u32 {
        let clobbers: u32 = p.clobbers(i).iter().filter(|c| c.0 == file).map(|c| u32::from(c.1.len())).sum();
        clobbers + p.operands(i).iter().filter(|o| p.file(o.value) == file).map(|o| p.weight(o.value)).sum::<u32>()
    };
    (0..p.insts.len() as u32).map(sum).max().unwrap_or(0)
}

/// A bound on what is loaded and stored ends a plan that goes beyond it, and changes no other.
fn bounded(name: &str, p: &Problem, how: (&Liveness, &[u32], &[SpillKind], bool), plan: &SpillPlan) {
    let (live, limits, kinds, all) = how;
    let weights = gpucc_regalloc::weights(p);
    let block = |at: ReloadAt| match at {
        ReloadAt::Start(b) | ReloadAt::End(b) => b as usize,
        ReloadAt::Before(i) => p.blocks.iter().position(|b| b.insts.contains(&i)).expect("a block"),
    };
    let loads = plan.reloads.iter().filter(|r| kinds[r.1.0 as usize] != SpillKind::Remat);
    let loads: u64 = loads.map(|r| weights[block(r.0)]).sum();
    let mut stores = 0;
    for (b, weight) in (0..).zip(&weights) {
        let defs = p.blocks[b as usize].insts.clone().flat_map(|i| p.operands(i)).filter(|o| o.role != Role::Use);
        let defined = p.params(b).iter().copied().chain(defs.map(|o| o.value));
        stores += weight * defined.filter(|v| plan.stores.contains(v)).count() as u64;
    }
    let edges: u64 = plan.edges.iter().map(|e| weights[block(e.at)] * e.ops.len() as u64).sum();
    let within = |most: u64| plan_spills(p, live, limits, kinds, (all, most));
    let same = within(loads + stores + edges).map(|same| (same.stores, same.reloads));
    let wanted = Some((plan.stores.clone(), plan.reloads.clone()));
    assert_eq!(same, wanted, "{name}: {loads}, {stores} and {edges} are allowed");
    let least = least_stores(p, live, limits, kinds);
    assert!(
        !plan.memory.is_empty() || least <= stores + edges,
        "{name}: {least} stores at least, {stores} and {edges}"
    );
    assert!(loads == 0 || within(loads - 1).is_none(), "{name}: {loads} loads are more than allowed");
}

/// Spills to half of the budget, and everything: what the plan promises holds, and the result allocates.
fn spilled(name: &str, p: &Problem, some_stay: bool) {
    let live = Liveness::compute(p).expect("liveness of a valid problem");
    let mut defined_by_inst = vec![true; p.value_count()];
    for v in (0..p.blocks.len() as u32).flat_map(|b| p.params(b)) {
        defined_by_inst[v.0 as usize] = false;
    }
    let kinds: Vec<SpillKind> = (0..p.value_count())
        .map(|v| match v {
            _ if v % 5 == 0 && defined_by_inst[v] => SpillKind::Remat,
            _ if v % 7 == 0 && some_stay => SpillKind::No,
            _ => SpillKind::Store,
        })
        .collect();
    for (share, all) in [(2, false), (1, true)] {
        let limits: Vec<u32> = p.files.iter().map(|f| f.budget.len() / share).collect();
        let plan = plan_spills(p, &live, &limits, &kinds, (all, u64::MAX)).expect("no bound");
        bounded(name, p, (&live, &limits, &kinds, all), &plan);
        let q = apply(p, &live, &plan);
        if let Err(e) = check_spills(p, &q) {
            panic!("{name}: {e}");
        }
        match allocate(&q, Options { check: true, fragment: all }) {
            Ok(_) => {}
            Err(Error::OutOfRegisters(e)) => {
                let pinned = e.inst.is_some_and(|i| {
                    let fixed = |o: &Operand| !matches!(o.constraint, Constraint::Any) || o.role == Role::EarlyDef;
                    q.operands(i).iter().any(fixed) || !q.clobbers(i).is_empty()
                });
                // An instruction may be too much by itself; so may values that cannot be spilled.
                let own = widest_instruction(p, e.file);
                assert!(pinned || some_stay || own * 2 > e.limit, "{name}: {e}, the widest instruction wants {own}");
            }
            Err(e) => panic!("{name}: {e}"),
        }
    }
}

/// What became of a problem: how often it was solved, and how often registers ran out.
pub struct Judged {
    pub solved: u32,
    pub full: u32,
}

/// Makes a problem of bytes, solves it, spilled and whole, and looks at everything that the allocator says.
///
/// # Panics
/// Where a checker finds the answer wrong, and where the allocator gives up with room to spare.
pub fn judge(u: &mut Unstructured<'_>, f: &Family) -> Result<Judged> {
    let p = problem(u, f)?;
    spilled(f.name, &p, false);
    spilled(f.name, &p, true);
    let mut out = Judged { solved: 0, full: 0 };
    for fragment in [false, true] {
        match allocate(&p, Options { check: true, fragment }) {
            Ok(a) => {
                out.solved += 1;
                for c in &a.copies {
                    for (id, file) in p.files.iter().enumerate() {
                        let none = UnitSet::EMPTY;
                        let caps = MoveCaps { widths: &[(4, 4), (2, 2)] };
                        // Sequences check themselves; with and without scratch.
                        sequence(id as u8, file, caps, &c.moves, &c.free[id]);
                        sequence(id as u8, file, caps, &c.moves, &none);
                    }
                }
            }
            Err(Error::OutOfRegisters(e)) => {
                out.full += 1;
                // A fixed place in the middle of a segment may leave no room for a long run.
                let pinned = e.inst.is_some_and(|i| {
                    let fixed = |o: &Operand| matches!(o.constraint, Constraint::Fixed(_));
                    p.operands(i).iter().any(fixed) || !p.clobbers(i).is_empty()
                });
                assert!(pinned || e.demand * 2 > e.limit, "{}: gave up with room to spare: {e}", f.name);
            }
            Err(e) => panic!("{}: {e}", f.name),
        }
    }
    Ok(out)
}

/// The work of the fuzz target on one input: its first byte chooses the shape of the files.
pub fn registers(data: &[u8]) {
    let Some((&first, rest)) = data.split_first() else { return };
    let family = match first % 6 {
        0 => valhall(false),
        1 => valhall(true),
        2 => tesla(),
        3 => gcn(),
        4 => vivante(false),
        _ => vivante(true),
    };
    // Too few bytes for a problem are none.
    _ = judge(&mut Unstructured::new(rest), &family);
}
