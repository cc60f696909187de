//! Random machine functions of the toy target give the same outputs before and after allocation, under all switches.

use crate::toy::{F, Machine, Op, P, R, Toy, preg};
#[allow(dead_code, reason = "each test uses its part of the machine")]
use gpucc_mir::{
    AllocError, AllocOptions, BlockId, Class, Def, MEdge, MFunc, MInst, Pressure, Pseudo, Regs, Target, Use, VReg,
    allocate, allocate_if, copy_prop, dce, fold_moves, print, schedule_after, schedule_before, thread_jumps,
};

/// A small generator of its own, so that a failing seed can be replayed anywhere.
struct Rng(u64);

impl Rng {
    fn next(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n
    }
    fn chance(&mut self, n: usize) -> bool {
        self.next(n) == 0
    }
}

struct Gen<'a> {
    rng: Rng,
    mf: MFunc<Toy>,
    t: &'a Toy,
    at: BlockId,
    scope: Vec<VReg>,
    depth: u8,
    left: usize,
}

impl Gen<'_> {
    fn emit(&mut self, i: MInst<Toy>) {
        let b = self.at;
        self.mf.list(b).push(i);
    }
    fn fresh(&mut self, c: Class) -> VReg {
        self.mf.vreg(c)
    }
    fn pick(&mut self, c: Class) -> VReg {
        let fits: Vec<VReg> = self.scope.iter().copied().filter(|&v| self.mf.class(v) == c).collect();
        if fits.is_empty() {
            let v = self.fresh(c);
            if c == R {
                let k = self.rng.next(1000) as u32;
                self.emit(MInst::new(Op::Li).def(v).imm(k));
            } else if c == P {
                let (a, b) = (self.pick(R), self.pick(R));
                self.emit(MInst::collect(v, [Use::reg(a), Use::reg(b)]));
            } else {
                let (a, b) = (self.pick(R), self.pick(R));
                self.emit(MInst::new(Op::Lt).def(v).arg(a).arg(b));
            }
            self.scope.push(v);
            return v;
        }
        let recent = fits.len().saturating_sub(8);
        let from = if self.rng.chance(3) { 0 } else { recent };
        fits[from + self.rng.next(fits.len() - from)]
    }
    fn block(&mut self) -> BlockId {
        let b = self.mf.block();
        self.mf.at(b).runs = 1 << (3 * self.depth);
        b
    }
    fn inst(&mut self) {
        self.left = self.left.saturating_sub(1);
        let d;
        match self.rng.next(16) {
            0 => {
                d = self.fresh(R);
                let k = self.rng.next(1 << 20) as u32;
                self.emit(MInst::new(Op::Li).def(d).imm(k));
            }
            1 => {
                let (a, b, c) = (self.pick(R), self.pick(R), self.pick(R));
                d = self.fresh(R);
                self.emit(MInst::new(Op::Mac).def(Def::reg(d).tied(0)).arg(a).arg(b).arg(c));
            }
            2 => {
                let (a, b) = (self.pick(R), self.pick(R));
                d = self.fresh(R);
                self.emit(MInst::new(Op::Early).def(Def::reg(d).early()).arg(a).arg(b));
            }
            3 => {
                let (a, b) = (self.pick(P), self.pick(P));
                d = self.fresh(P);
                self.emit(MInst::new(Op::Add64).def(d).arg(a).arg(b));
            }
            4 => {
                let (a, b) = (self.pick(R), self.pick(R));
                d = self.fresh(F);
                self.emit(MInst::new(Op::Lt).def(d).arg(a).arg(b));
            }
            5 => {
                let (f, a, b) = (self.pick(F), self.pick(R), self.pick(R));
                d = self.fresh(R);
                // The condition is read from f0, as some machines have it.
                let f = if self.rng.chance(2) { Use::reg(f).at(preg(1, 0)) } else { Use::reg(f) };
                self.emit(MInst::new(Op::Sel).def(d).arg(f).arg(a).arg(b));
            }
            6 => {
                let a = self.pick(R);
                self.emit(MInst::new(Op::Out).arg(a));
                return;
            }
            7 => {
                let p = self.pick(P);
                let (a, b) = (self.fresh(R), self.fresh(R));
                self.emit(MInst::split(&[a, b], p));
                self.scope.push(a);
                d = b;
            }
            8 => {
                let a = self.pick(R);
                d = self.fresh(P);
                let k = Use::imm(self.rng.next(50) as u32);
                let srcs = if self.rng.chance(2) { [Use::reg(a), k] } else { [k, Use::reg(a)] };
                self.emit(MInst::collect(d, srcs));
            }
            9 => {
                let p = self.pick(P);
                let b = self.pick(R);
                d = self.fresh(R);
                let half = self.rng.next(2) as u8;
                self.emit(MInst::new(Op::Xor).def(d).arg(Use::reg(p).part(half, 1)).arg(b));
            }
            10 if self.rng.chance(3) => {
                self.emit(MInst::new(Op::Call));
                return;
            }
            11 => {
                let (a, b) = (self.pick(R), self.pick(R));
                let (x, y) = (self.fresh(R), self.fresh(R));
                self.emit(MInst::pseudo(Pseudo::Copy).def(x).def(y).arg(b).arg(a));
                self.scope.push(x);
                d = y;
            }
            12 => {
                let (a, b) = (self.pick(R), self.pick(R));
                d = self.fresh(R);
                let place = preg(0, self.rng.next(4) as u16);
                self.emit(MInst::new(Op::Mul).def(Def::reg(d).at(place)).arg(a).arg(b));
            }
            13 | 14 => {
                // Two spaces of four words; an access may also hide which one it is.
                let space = 1 + self.rng.next(2) as u32;
                let address = 2048 + 4 * space + self.rng.next(4) as u32;
                let said = if self.rng.chance(4) { 0 } else { space };
                if self.rng.chance(2) {
                    let a = self.pick(R);
                    self.emit(MInst::new(Op::St).arg(a).imm(address).imm(said));
                    return;
                }
                d = self.fresh(R);
                self.emit(MInst::new(Op::Ld).def(d).imm(address).imm(said));
            }
            _ => {
                let (a, b) = (self.pick(R), self.pick(R));
                d = self.fresh(R);
                self.emit(MInst::new(Op::Add).def(d).arg(a).arg(b));
            }
        }
        self.scope.push(d);
    }
    fn straight(&mut self) {
        for _ in 0..self.rng.next(8) {
            self.inst();
        }
    }
    fn args(&mut self, params: &[Class]) -> Vec<VReg> {
        params.iter().map(|&c| self.pick(c)).collect()
    }
    fn params(&mut self) -> Vec<Class> {
        (0..self.rng.next(4)).map(|_| if self.rng.chance(4) { P } else { R }).collect()
    }
    fn enter(&mut self, b: BlockId, classes: &[Class]) -> Vec<VReg> {
        let vs: Vec<VReg> = classes.iter().map(|&c| self.mf.vreg(c)).collect();
        self.mf.at(b).params = vs.clone().into();
        vs
    }
    fn go(&mut self, to: BlockId, args: Vec<VReg>) {
        let jump = self.t.jump(to);
        self.emit(jump);
        let b = self.at;
        self.mf.at(b).succs = smallvec::smallvec![MEdge { to, args: args.into() }];
    }
    fn body(&mut self, level: usize) {
        self.straight();
        for _ in 0..self.rng.next(3) {
            if level == 0 || self.left == 0 {
                break;
            }
            if self.rng.chance(2) {
                self.diamond(level - 1)
            } else {
                self.looped(level - 1)
            }
            self.straight();
        }
    }
    fn diamond(&mut self, level: usize) {
        let head = self.at;
        let classes = self.params();
        let f = self.pick(F);
        let scope = self.scope.len();
        let then = self.block();
        self.at = then;
        self.body(level);
        let (then_end, then_args) = (self.at, self.args(&classes));
        self.scope.truncate(scope);
        let other = if self.rng.chance(3) { None } else { Some(self.block()) };
        let mut other_end = None;
        if let Some(o) = other {
            self.at = o;
            self.body(level);
            let args = self.args(&classes);
            other_end = Some((self.at, args));
            self.scope.truncate(scope);
        }
        // Without the second arm the edge from the head to the merge is critical, for `split_critical_edges`.
        self.at = head;
        let direct = if other.is_none() { self.args(&classes) } else { Vec::new() };
        let merge = self.block();
        self.emit(MInst::new(Op::Br).arg(f).arg(then));
        let jump = self.t.jump(other.unwrap_or(merge));
        self.emit(jump);
        self.mf.at(head).succs = smallvec::smallvec![
            MEdge::to(then),
            MEdge { to: other.unwrap_or(merge), args: if other.is_none() { direct.into() } else { Regs::new() } },
        ];
        self.at = then_end;
        self.go(merge, then_args);
        if let Some((end, args)) = other_end {
            self.at = end;
            self.go(merge, args);
        }
        let vs = self.enter(merge, &classes);
        self.scope.truncate(scope);
        self.scope.extend(vs);
        self.at = merge;
    }
    /// A loop over a counter; permutes its parameters, so that cycles of copies arise.
    fn looped(&mut self, level: usize) {
        let mut classes = self.params();
        classes.extend([R, R, R]);
        let args = self.args(&classes);
        let counter = self.fresh(R);
        self.emit(MInst::new(Op::Li).def(counter).imm(0));
        self.depth += 1;
        let header = self.block();
        self.go(header, [args, vec![counter]].concat());
        let vs = self.enter(header, &[classes.clone(), vec![R]].concat());
        self.at = header;
        self.scope.extend(&vs);
        self.body(level);
        let n = vs.len();
        let (one, count, limit, f) = (self.fresh(R), self.fresh(R), self.fresh(R), self.fresh(F));
        let k = 1 + self.rng.next(4) as u32;
        self.emit(MInst::new(Op::Li).def(one).imm(1));
        self.emit(MInst::new(Op::Add).def(count).arg(vs[n - 1]).arg(one));
        self.emit(MInst::new(Op::Li).def(limit).imm(k));
        self.emit(MInst::new(Op::Lt).def(f).arg(count).arg(limit));
        let mut back: Vec<VReg> = Vec::new();
        for (k, &c) in classes.iter().enumerate() {
            let same: Vec<VReg> = vs[..n - 1].iter().copied().filter(|&v| self.mf.class(v) == c).collect();
            let next = same[(k + 1) % same.len()];
            back.push(if self.rng.chance(3) { self.pick(c) } else { next });
        }
        back.push(count);
        self.depth -= 1;
        let exit = self.block();
        self.emit(MInst::new(Op::Br).arg(f).arg(header));
        let jump = self.t.jump(exit);
        self.emit(jump);
        let latch = self.at;
        self.mf.at(latch).succs = smallvec::smallvec![MEdge { to: header, args: back.into() }, MEdge::to(exit)];
        self.at = exit;
    }
}

fn program(t: &Toy, seed: u64, size: usize) -> MFunc<Toy> {
    let mut g =
        Gen { rng: Rng(seed), mf: MFunc::new("random"), t, at: BlockId(0), scope: vec![], depth: 0, left: size };
    g.at = g.block();
    let (a, b) = (g.fresh(R), g.fresh(R));
    let start = MInst::pseudo(Pseudo::Start).def(Def::reg(a).at(preg(0, 2))).def(Def::reg(b).at(preg(0, 3)));
    g.emit(start);
    g.scope.extend([a, b]);
    while g.left > 0 {
        g.body(3);
        g.inst();
    }
    let live: Vec<VReg> = g.scope.iter().rev().copied().filter(|&v| g.mf.class(v) == R).take(6).collect();
    for v in live {
        g.emit(MInst::new(Op::Out).arg(v));
    }
    g.emit(MInst::new(Op::End));
    g.mf
}

const LIMIT: usize = 20_000;

fn outputs(t: &Toy, mf: &MFunc<Toy>, limit: usize) -> Vec<u32> {
    let mut m = Machine::new(t, mf);
    m.preload(&[17, 400_000]);
    if let Err(e) = m.run(mf, limit) {
        panic!("{e}\n{}", print(mf, t));
    }
    m.out
}

fn check(t: &Toy, seed: u64, options: &AllocOptions, clean: bool) -> Result<(), AllocError> {
    let mut mf = program(t, seed, 60);
    let want = outputs(t, &mf, LIMIT);
    if clean {
        copy_prop(&mut mf, t);
        dce(&mut mf, t);
    }
    mf.split_critical_edges(t);
    if !seed.is_multiple_of(3) {
        let limits: Vec<u32> = t.files.iter().map(|f| f.budget.len()).collect();
        let before = print(&mf, t);
        let facts = Pressure::new(&mf, t).expect("valid");
        let schedule = schedule_before(&mut mf, t, &facts, &limits);
        assert_eq!(outputs(t, &mf, LIMIT), want, "seed {seed} after scheduling\n{}", print(&mf, t));
        assert_eq!(schedule.changed() > 0, print(&mf, t) != before, "seed {seed}");
        let kept = facts.reordered(&mf, t).expect("valid").pressure();
        assert_eq!(kept, Pressure::new(&mf, t).expect("valid").pressure(), "seed {seed}");
        let mut back = mf.clone();
        schedule.undo(&mut back);
        assert_eq!(print(&back, t), before, "seed {seed}: undone");
    }
    let dump = print(&mf, t);
    allocate(&mut mf, t, options)?;
    if seed.is_multiple_of(2) {
        fold_moves(&mut mf, t);
    }
    // Copies make it longer: what it managed in the same steps is a prefix, and with many more steps all of it.
    let have = outputs(t, &mf, LIMIT * 20);
    if seed % 3 != 1 {
        schedule_after(&mut mf, t);
        assert_eq!(outputs(t, &mf, LIMIT * 20)[..want.len()], want[..], "seed {seed} after scheduling");
    }
    thread_jumps(&mut mf, t);
    assert_eq!(outputs(t, &mf, LIMIT * 20)[..want.len()], want[..], "seed {seed} after layout");
    let n = want.len().min(have.len());
    assert!(have.len() >= want.len(), "seed {seed}: {} outputs instead of {}", have.len(), want.len());
    assert_eq!(have[..n], want[..n], "seed {seed}\n{dump}\n{}", print(&mf, t));
    Ok(())
}

#[test]
fn allocation_keeps_meaning() {
    let t = Toy::new(40);
    for seed in 0..300 {
        for (fragment, tight) in [(false, false), (true, false), (false, true)] {
            let o = AllocOptions { fragment, tight, ..AllocOptions::default() };
            if let Err(e) = check(&t, seed, &o, seed % 2 == 0) {
                panic!("seed {seed}: {e}");
            }
        }
    }
}

/// `x = a * b; out y...`: products first, so that their latency is hidden; with two registers less, one after the other.
#[test]
fn scheduling_hides_latency_within_limits() {
    let t = Toy::new(16);
    let mut mf = MFunc::new("products");
    let b = mf.block();
    let v: Vec<VReg> = (0..10).map(|_| mf.vreg(R)).collect();
    let start = MInst::pseudo(Pseudo::Start).def(Def::reg(v[0]).at(preg(0, 2))).def(Def::reg(v[1]).at(preg(0, 3)));
    mf.list(b).push(start);
    for k in 0..4 {
        mf.list(b).push(MInst::new(Op::Mul).def(v[2 + 2 * k]).arg(v[0]).arg(v[1]));
        mf.list(b).push(MInst::new(Op::Add).def(v[3 + 2 * k]).arg(v[2 + 2 * k]).imm(1));
        mf.list(b).push(MInst::new(Op::Out).arg(v[3 + 2 * k]));
    }
    mf.list(b).push(MInst::new(Op::End));
    let ops = |mf: &MFunc<Toy>| -> Vec<Op> { mf.code[0].iter().filter_map(|i| i.target_op()).collect() };
    let original = ops(&mf);
    let mut roomy = mf.clone();
    let facts = Pressure::new(&roomy, &t).expect("valid");
    schedule_before(&mut roomy, &t, &facts, &[16, 3]);
    // Between a product and its use lie other products.
    let at = |o: Op| ops(&roomy).iter().position(|&x| x == o).expect("there");
    assert!(at(Op::Add) >= at(Op::Mul) + 3, "{}", print(&roomy, &t));
    let mut tight = mf.clone();
    let facts = Pressure::new(&tight, &t).expect("valid");
    schedule_before(&mut tight, &t, &facts, &[3, 3]);
    assert_eq!(ops(&tight), original, "{}", print(&tight, &t));
}

/// With memory to spill to, eight registers do for any program whose parameters fit.
#[test]
fn spilling_keeps_meaning() {
    for regs in [10, 12, 16, 24] {
        let t = Toy::new(regs);
        for seed in 0..150 {
            for (fragment, spill_all) in [(false, false), (true, false), (false, true)] {
                let o = AllocOptions { fragment, spill_all, ..AllocOptions::default() };
                check(&t, seed, &o, seed % 2 == 0).unwrap_or_else(|e| panic!("seed {seed}, {regs} registers: {e}"));
            }
        }
    }
}

/// Spilling that would cost more than is allowed is given up and leaves the function as it was; what is allowed changes nothing else. The
/// facts serve again.
#[test]
fn spilling_within_bounds() {
    let t = Toy::new(10);
    let mut given_up = 0;
    for seed in 0..60 {
        let mut mf = program(&t, seed, 60);
        mf.split_critical_edges(&t);
        let mut facts = Pressure::new(&mf, &t).expect("valid");
        let mut how = |most_spills: Option<u64>| {
            let mut own = mf.clone();
            let o = AllocOptions { most_spills, ..AllocOptions::default() };
            let answer = allocate_if(&mut own, &t, &mut facts, &o, |_, _| true).expect("memory to spill to");
            (answer.map(|a| a.spill_cost), print(&own, &t))
        };
        let free = how(None);
        let cost = free.0.expect("no bound");
        assert_eq!(how(Some(cost)), free, "seed {seed}: {cost} are allowed");
        if cost > 0 {
            let less = how(Some(cost - 1));
            assert_eq!(less, (None, print(&mf, &t)), "seed {seed}: {cost} are more than allowed");
            given_up += 1;
            assert_eq!(how(None), free, "seed {seed}: the facts are as they were");
        }
    }
    assert!(given_up > 20, "{given_up} of 60 spill");
}
