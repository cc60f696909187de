//! Invocations that run together: registers, divergence, control flow, memory instructions.

use gpucc_isa::fail_if;
use gpucc_sim::trace::File;
use gpucc_sim::{
    By, RunState, SplitMix64, Trap, TrapKind,
    lanes::{self, Words, lanes},
    trap::{bad_register, misaligned},
};

use super::alu;
use super::decode::{Neg, Operand, Place, Pre};
use super::launch::{LANES, LaunchState, Run, UNITS};
use crate::BYTES;
use crate::modifiers::Type;
use crate::rows::Op;

/// One value for each lane.
pub(crate) type Lanes = [u32; LANES];
/// One bit for each lane.
pub(crate) type Mask = u32;

/// Return addresses a lane can hold: the depth is unknown (7.6), this is our reading.
const CALL_DEPTH: usize = 16;

/// Lanes at one place of the program.
#[derive(Clone, Copy)]
struct Set {
    pc: u32,
    mask: Mask,
}

/// A group of up to [`LANES`] invocations with neighbouring local indices.
#[derive(Clone)]
pub(crate) struct Group {
    first: u32,
    /// Values by register * 4 + component.
    regs: Vec<Lanes>,
    /// Lanes that were written, by register * 4 + component.
    written: Vec<Mask>,
    a0: [[i32; LANES]; 4],
    a0_written: [Mask; 4],
    current: Set,
    /// Diverged lanes, in no order.
    others: Vec<Set>,
    /// Lanes that wait at a barrier, and where.
    waiting: Set,
    /// All lanes wait, and this was reported: the next run continues behind the barrier.
    arrived: bool,
    ended: Mask,
    stacks: Vec<Vec<u32>>,
    /// Run the lanes that are furthest instead of those that are behind; of fragments, the quad.
    ahead: bool,
    /// Lanes read those of their quad, so they must meet again.
    has_quads: bool,
    /// Lanes of fragments whose outputs count, i0.x, and lanes of quads of which one read another that was off.
    live: Mask,
    facing: Lanes,
    open: Mask,
}

impl Group {
    pub fn new(first: u32, temps: usize) -> Group {
        Group {
            first,
            regs: vec![[0; LANES]; temps * 4],
            written: vec![0; temps * 4],
            a0: [[0; LANES]; 4],
            a0_written: [0; 4],
            current: Set { pc: 0, mask: 0 },
            others: Vec::new(),
            waiting: Set { pc: 0, mask: 0 },
            arrived: false,
            ended: 0,
            stacks: vec![Vec::new(); LANES],
            ahead: false,
            has_quads: false,
            live: !0,
            facing: [0; LANES],
            open: 0,
        }
    }

    /// Back to the start, nothing written.
    pub fn start(&mut self, launch: &LaunchState, total: u32, garbage: Option<&mut SplitMix64>) {
        let n = (total - self.first).min(LANES as u32);
        self.start_lanes(launch, (1 << n) - 1, garbage);
    }

    /// Back to the start with these lanes.
    pub fn start_lanes(&mut self, launch: &LaunchState, mask: Mask, garbage: Option<&mut SplitMix64>) {
        self.written.fill(0);
        self.a0_written = [0; 4];
        self.current = Set { pc: 0, mask };
        self.others.clear();
        self.waiting = Set { pc: 0, mask: 0 };
        self.arrived = false;
        self.ended = 0;
        for s in &mut self.stacks {
            s.clear();
        }
        if let Some(g) = garbage {
            self.ahead = g.below(2) == 1;
            for r in self.regs.iter_mut().take(launch.temps * 4) {
                r.fill_with(|| g.next_u32());
            }
        }
    }

    /// Puts a word into a component of a lane.
    pub fn put(&mut self, reg: usize, comp: usize, lane: usize, word: u32) {
        let at = reg * 4 + comp;
        self.regs[at][lane] = word;
        self.written[at] |= 1 << lane;
    }

    /// Puts i0.x of a lane.
    pub fn put_internal(&mut self, lane: usize, word: u32) {
        self.facing[lane] = word;
    }

    /// Lanes that are no helpers when fragments begin.
    pub fn begin_fragments(&mut self, live: Mask) {
        (self.live, self.open, self.has_quads) = (live, 0, true);
    }

    /// Lanes whose outputs count.
    pub fn live(&self) -> Mask {
        self.live
    }

    /// Whether lanes come from the last to the first where order is free.
    pub(super) fn ahead(&self) -> bool {
        self.ahead
    }

    /// Lanes of which one read another that was off.
    pub fn open(&self) -> Mask {
        self.open
    }

    /// The program's result in a component of a lane.
    pub fn output(&self, reg: usize, comp: usize, lane: usize) -> Result<u32, Trap> {
        let at = reg * 4 + comp;
        if self.written[at] >> lane & 1 == 0 {
            let name = ['x', 'y', 'z', 'w'][comp & 3];
            let what = format!("output t{reg}.{name} was never written");
            return Err(Trap::new(TrapKind::UndefinedRead, what).in_lane(lane as u32));
        }
        Ok(self.regs[at][lane])
    }

    /// A component of an operand in all lanes of the quads of a mask, for the differences of their lanes. Lanes that are off give what
    /// their registers hold.
    pub(super) fn in_quads(
        &mut self,
        o: &Operand,
        lane: usize,
        launch: &LaunchState,
        mask: Mask,
    ) -> Result<Lanes, Trap> {
        let quads = (0..4).fold(0, |m, k| m | (mask >> k & 0x1111));
        let whole = quads * 0xf;
        self.source(o, lane, launch, mask)?;
        if o.place == Place::Temp && o.amode == 0 {
            let at = usize::from(o.reg) * 4 + usize::from(o.comp[lane]);
            let kept = self.written[at];
            // A value from before the lane went another way, or none at all.
            if whole & !mask != 0 {
                self.open |= whole;
            }
            self.written[at] |= whole;
            let v = self.source(o, lane, launch, whole);
            self.written[at] = kept;
            return v;
        }
        self.source(o, lane, launch, mask)
    }

    /// DSX and DSY: second lane of the row or column less the first.
    fn derivative(&mut self, pre: &Pre, launch: &LaunchState, mask: Mask) -> Result<(), Trap> {
        let step = if pre.op == Op::Dsx { 1 } else { 2 };
        for c in 0..4 {
            if pre.mask >> c & 1 == 0 {
                continue;
            }
            let v = self.in_quads(&pre.src[0], c, launch, mask)?;
            let mut d = [0; LANES];
            for (i, d) in d.iter_mut().enumerate() {
                let (first, second) = (i & !step, i | step);
                let [a, b] = [first, second].map(|k| f32::from_bits(v[k]));
                *d = gpucc_num::f32::add(pre.mode, b, -a).to_bits();
            }
            if pre.sat {
                d.iter_mut().for_each(|x| *x = gpucc_num::f32::saturate(f32::from_bits(*x), 0.0).to_bits());
            }
            self.write(pre, c, &d, mask, !0)?;
        }
        Ok(())
    }

    /// Takes lanes out of those whose outputs count, by any component.
    fn kill(&mut self, pre: &Pre, launch: &LaunchState, mask: Mask) -> Result<(), Trap> {
        if pre.op == Op::Texkill {
            self.live &= !mask;
            return Ok(());
        }
        let mut gone = 0;
        for c in 0..4 {
            let a = self.source(&pre.src[0], c, launch, mask)?;
            let b =
                if pre.src[1].place == Place::None { [0; LANES] } else { self.source(&pre.src[1], c, launch, mask)? };
            gone |= alu::test(pre.cond, pre.ty, &a, &b);
        }
        self.live &= !(gone & mask);
        Ok(())
    }

    /// Writes one component of an id vector; `value` gives it for a local index.
    pub fn preload(&mut self, reg: u16, lane: u8, value: impl Fn(u32) -> Result<u32, Trap>) -> Result<(), Trap> {
        let at = usize::from(reg) * 4 + usize::from(lane);
        for i in 0..LANES {
            self.regs[at][i] = value(self.first + i as u32)?;
        }
        self.written[at] = !0;
        Ok(())
    }

    /// Runs until all lanes wait at one barrier, all ended, or the turn is over.
    pub fn run(&mut self, launch: &LaunchState, run: &mut Run, time_slice: u32) -> Result<RunState, Trap> {
        let count = launch.program.insts.len() as u32;
        if std::mem::take(&mut self.arrived) {
            // Everybody arrived: continue behind the barrier. After a mere time slice some lanes wait and others still run.
            self.current = Set { pc: self.waiting.pc + 1, mask: self.waiting.mask };
            self.waiting.mask = 0;
        }
        for _ in 0..time_slice {
            if !self.others.is_empty() || self.current.mask == 0 {
                self.choose();
            }
            if self.current.mask == 0 {
                return self.stop(launch);
            }
            let Set { pc, mask } = self.current;
            if pc >= count {
                self.end(mask, launch)?;
                continue;
            }
            let pre = &launch.program.insts[pc as usize];
            let lanes = mask.count_ones();
            let done = run.counts.steps.charge(lanes).and_then(|()| {
                run.counts.report.count(lanes);
                // One vec4 instruction a cycle (reference, section 14).
                run.counts.report.busy[0] += 64;
                run.counts.classes[pre.class as usize] += 1;
                if let Some(trace) = run.counts.steps.trace() {
                    let file = File { name: "t", parts: 4, lanes: LANES, words: self.regs.as_flattened() };
                    trace.look(u64::from(pc) * BYTES as u64, mask.into(), &[file]);
                }
                self.step(pre, launch, run)
            });
            if let Err(t) = done {
                return Err(t.at(u64::from(pc) * BYTES as u64, || launch.program.text(pc)));
            }
        }
        self.ahead = !self.ahead;
        Ok(RunState::Yield)
    }

    /// Merges lanes that meet and picks those that run next.
    fn choose(&mut self) {
        if self.current.mask != 0 {
            self.others.push(self.current);
        }
        let Some((best, among)) = self.next_place() else { return };
        let mut mask = 0;
        self.others.retain_mut(|s| {
            if s.pc == best {
                mask |= s.mask & among;
                s.mask &= !among;
            }
            s.mask != 0
        });
        self.current = Set { pc: best, mask };
    }

    /// Where lanes run next, and lanes of which those that are there run.
    ///
    /// Inside of a quad the lanes that are behind run first, always: that is how lanes meet again before they read each other. So a turn
    /// of those that are ahead is a turn of the quad whose last lanes are furthest.
    fn next_place(&self) -> Option<(u32, Mask)> {
        let lowest = |quad: Mask| self.others.iter().filter(|s| s.mask & quad != 0).map(|s| s.pc).min();
        match (self.ahead, self.has_quads) {
            (false, _) => Some((lowest(!0)?, !0)),
            (true, false) => Some((self.others.iter().map(|s| s.pc).max()?, !0)),
            (true, true) => {
                let quads = (0..LANES).step_by(4).map(|first| 0xf << first);
                let places = || quads.clone().filter_map(|quad| Some((lowest(quad)?, quad)));
                let best = places().map(|(pc, _)| pc).max()?;
                Some((best, places().filter(|p| p.0 == best).fold(0, |m, p| m | p.1)))
            }
        }
    }

    fn stop(&mut self, launch: &LaunchState) -> Result<RunState, Trap> {
        if self.waiting.mask == 0 {
            return Ok(RunState::Done);
        }
        if self.ended != 0 {
            let pc = self.waiting.pc;
            return Err(Trap::new(TrapKind::Barrier, "some invocations ended, others wait at a barrier")
                .at(u64::from(pc) * BYTES as u64, || launch.program.text(pc)));
        }
        self.arrived = true;
        Ok(RunState::Barrier(u64::from(self.waiting.pc) * BYTES as u64))
    }

    fn end(&mut self, mask: Mask, launch: &LaunchState) -> Result<(), Trap> {
        for i in lanes(mask) {
            if !self.stacks[i].is_empty() {
                let pc = self.current.pc;
                return Err(Trap::new(TrapKind::Unbalanced, "the program ends inside a call")
                    .at(u64::from(pc) * BYTES as u64, || launch.program.text(pc))
                    .in_lane(self.first + i as u32));
            }
        }
        self.ended |= mask;
        self.current.mask = 0;
        Ok(())
    }

    #[inline]
    fn step(&mut self, pre: &Pre, launch: &LaunchState, run: &mut Run) -> Result<(), Trap> {
        fail_if!(pre.fault != 0, launch.program.fault(pre));
        let Set { pc, mask } = self.current;
        match pre.op {
            Op::Nop => {}
            Op::Branch => {
                self.current.pc = pre.target;
                return Ok(());
            }
            Op::BranchUnary | Op::BranchBinary | Op::BranchAny => {
                let taken = self.branch(pre, launch, mask)?;
                if taken == mask {
                    self.current.pc = pre.target;
                } else {
                    if taken != 0 {
                        self.others.push(Set { pc: pre.target, mask: taken });
                    }
                    self.current = Set { pc: pc + 1, mask: mask & !taken };
                }
                return Ok(());
            }
            Op::Call => {
                for i in lanes(mask) {
                    if self.stacks[i].len() == CALL_DEPTH {
                        return Err(
                            Trap::new(TrapKind::Unbalanced, "call stack overflow").in_lane(self.first + i as u32)
                        );
                    }
                    self.stacks[i].push(pc + 1);
                }
                self.current.pc = pre.target;
                return Ok(());
            }
            Op::Ret => {
                for i in lanes(mask) {
                    let Some(to) = self.stacks[i].pop() else {
                        return Err(
                            Trap::new(TrapKind::Unbalanced, "return without a call").in_lane(self.first + i as u32)
                        );
                    };
                    self.others.push(Set { pc: to, mask: 1 << i });
                }
                self.current.mask = 0;
                return Ok(());
            }
            Op::Barrier => {
                if self.waiting.mask != 0 && self.waiting.pc != pc {
                    return Err(Trap::new(
                        TrapKind::Barrier,
                        format!("other invocations wait at the barrier at 0x{:x}", self.waiting.pc as usize * BYTES),
                    ));
                }
                self.waiting = Set { pc, mask: self.waiting.mask | mask };
                self.current.mask = 0;
                return Ok(());
            }
            Op::Texkill | Op::TexkillUnary | Op::TexkillBinary => self.kill(pre, launch, mask)?,
            Op::Dsx | Op::Dsy => self.derivative(pre, launch, mask)?,
            Op::Load => self.load(pre, launch, run, mask)?,
            Op::Store => self.store(pre, launch, run, mask)?,
            Op::ImgLoad | Op::ImgStore => self.image(pre, launch, run, mask)?,
            Op::AtomicAdd
            | Op::AtomicXchg
            | Op::AtomicCmpXchg
            | Op::AtomicMin
            | Op::AtomicMax
            | Op::AtomicOr
            | Op::AtomicAnd
            | Op::AtomicXor => self.atomic(pre, launch, run, mask)?,
            Op::Movar | Op::MovarVoid | Op::Movai | Op::MovaiVoid => self.write_a0(pre, launch, mask)?,
            Op::Texld | Op::Texldb | Op::Texldd | Op::Texldl | Op::Texldlpcf | Op::Texldgpcf | Op::Txf | Op::Tg4 => {
                self.texture(pre, launch, run, mask)?
            }
            _ => self.alu(pre, launch, mask)?,
        }
        self.current.pc = pc + 1;
        Ok(())
    }

    fn branch(&self, pre: &Pre, launch: &LaunchState, mask: Mask) -> Result<Mask, Trap> {
        let comps = if pre.op == Op::BranchAny { 4 } else { 1 };
        let mut taken = 0;
        for c in 0..comps {
            let a = self.source(&pre.src[0], c, launch, mask)?;
            let b =
                if pre.src[1].place == Place::None { [0; LANES] } else { self.source(&pre.src[1], c, launch, mask)? };
            taken |= alu::test(pre.cond, pre.ty, &a, &b);
        }
        Ok(taken & mask)
    }

    fn alu(&mut self, pre: &Pre, launch: &LaunchState, mask: Mask) -> Result<(), Trap> {
        let plain = !pre.scalar && !matches!(pre.op, Op::Dst | Op::Litp);
        if plain && pre.mask.count_ones() == 1 && !pre.sat {
            let c = pre.mask.trailing_zeros() as usize;
            let (values, defined) = alu::lane_wise(self, pre, c, launch, mask)?;
            return self.write(pre, c, &values, mask, defined);
        }
        let mut results = [([0; LANES], 0); 4];
        if pre.scalar {
            let one = alu::across(self, pre, launch, mask)?;
            results = [one; 4];
            if pre.pair {
                results = alu::split_pair(pre, one, launch.seed);
            }
        } else if matches!(pre.op, Op::Dst | Op::Litp) {
            results = alu::lighting(self, pre, launch, mask)?;
        } else {
            for (c, r) in results.iter_mut().enumerate() {
                if pre.mask >> c & 1 == 1 {
                    *r = alu::lane_wise(self, pre, c, launch, mask)?;
                }
            }
        }
        for (c, (values, defined)) in results.iter_mut().enumerate() {
            if pre.mask >> c & 1 == 1 {
                if pre.sat {
                    for v in values.iter_mut() {
                        *v = gpucc_num::f32::saturate(f32::from_bits(*v), 0.0).to_bits();
                    }
                }
                self.write(pre, c, values, mask, *defined)?;
            }
        }
        Ok(())
    }

    /// Reads one lane of an operand for the active lanes.
    #[inline]
    pub fn source(&self, o: &Operand, lane: usize, launch: &LaunchState, mask: Mask) -> Result<Lanes, Trap> {
        let comp = usize::from(o.comp[lane]);
        let mut v = match o.place {
            Place::Immediate => return Ok([o.value; LANES]),
            Place::Internal if comp == 1 => {
                return Err(Trap::new(TrapKind::UndefinedRead, "i0.y is not known"));
            }
            Place::Internal => {
                if comp == 0 {
                    self.facing
                } else {
                    [0; LANES]
                }
            }
            Place::None => return Ok([0; LANES]),
            Place::Temp if o.amode == 0 => {
                let at = usize::from(o.reg) * 4 + comp;
                if self.written[at] & mask != mask {
                    return Err(self.undefined(usize::from(o.reg), comp, mask & !self.written[at]));
                }
                self.regs[at]
            }
            Place::Uniform if o.amode == 0 => {
                let at = usize::from(o.reg) * 4 + comp;
                fail_if!(!launch.defined[at], undefined_uniform(usize::from(o.reg), comp));
                [launch.uniforms[at]; LANES]
            }
            Place::Temp | Place::Uniform => self.indexed(o, comp, launch, mask)?,
        };
        if o.abs {
            for x in &mut v {
                *x &= 0x7fff_ffff;
            }
        }
        match o.neg {
            Neg::No => {}
            Neg::Sign => v.iter_mut().for_each(|x| *x ^= 0x8000_0000),
            Neg::Integer => v.iter_mut().for_each(|x| *x = x.wrapping_neg()),
        }
        Ok(v)
    }

    #[cold]
    fn undefined(&self, reg: usize, comp: usize, lanes: Mask) -> Trap {
        let name = ['x', 'y', 'z', 'w'][comp & 3];
        Trap::new(TrapKind::UndefinedRead, format!("t{reg}.{name} was never written"))
            .in_lane(self.first + lanes.trailing_zeros())
    }

    /// The register of each lane for an operand that a0 indexes.
    fn index(&self, base: u16, amode: u8, limit: usize, lane: usize) -> Result<usize, Trap> {
        let comp = usize::from(amode - 1);
        let at = self.first + lane as u32;
        if self.a0_written[comp] >> lane & 1 == 0 {
            let name = ['x', 'y', 'z', 'w'][comp & 3];
            return Err(Trap::new(TrapKind::UndefinedRead, format!("a0.{name} was never written")).in_lane(at));
        }
        let reg = i64::from(base) + i64::from(self.a0[comp][lane]);
        usize::try_from(reg)
            .ok()
            .filter(|&r| r < limit)
            .ok_or_else(|| bad_register(format!("a0 selects register {reg} of {limit}")).in_lane(at))
    }

    fn indexed(&self, o: &Operand, comp: usize, launch: &LaunchState, mask: Mask) -> Result<Lanes, Trap> {
        let temp = o.place == Place::Temp;
        let limit = if temp { launch.temps } else { launch.uniforms.len() / 4 };
        let mut v = [0; LANES];
        for i in lanes(mask) {
            let reg = self.index(o.reg, o.amode, limit, i)?;
            let at = reg * 4 + comp;
            v[i] = if temp {
                fail_if!(self.written[at] >> i & 1 == 0, self.undefined(reg, comp, 1 << i));
                self.regs[at][i]
            } else {
                fail_if!(!launch.defined[at], undefined_uniform(reg, comp));
                launch.uniforms[at]
            };
        }
        Ok(v)
    }

    /// Writes one component of the destination; lanes outside of `defined` become undefined.
    #[inline]
    pub(super) fn write(&mut self, pre: &Pre, comp: usize, v: &Lanes, mask: Mask, defined: Mask) -> Result<(), Trap> {
        if pre.damode != 0 {
            for i in lanes(mask) {
                let limit = self.regs.len() / 4;
                let at = self.index(pre.dst, pre.damode, limit, i)? * 4 + comp;
                self.regs[at][i] = v[i];
                self.written[at] = self.written[at] & !(1 << i) | defined & 1 << i;
            }
            return Ok(());
        }
        let at = usize::from(pre.dst) * 4 + comp;
        let r = &mut self.regs[at];
        if mask == alu::ALL {
            *r = *v;
        } else {
            for i in 0..LANES {
                r[i] = if mask >> i & 1 == 1 { v[i] } else { r[i] };
            }
        }
        self.written[at] = self.written[at] & !mask | defined & mask;
        Ok(())
    }

    fn write_a0(&mut self, pre: &Pre, launch: &LaunchState, mask: Mask) -> Result<(), Trap> {
        let float = matches!(pre.op, Op::Movar | Op::MovarVoid);
        for c in 0..4 {
            if pre.mask >> c & 1 == 0 {
                continue;
            }
            let v = self.source(&pre.src[2], c, launch, mask)?;
            for i in lanes(mask) {
                let mut known = true;
                self.a0[c][i] = if float {
                    // Rounding of fractions is unknown (4.5): such an index is undefined.
                    let x = f32::from_bits(v[i]);
                    known = x.abs() < 1e6 && gpucc_num::f32::trunc(x) == x;
                    x as i32
                } else {
                    v[i] as i32
                };
                self.a0_written[c] = self.a0_written[c] & !(1 << i) | u32::from(known) << i;
            }
        }
        Ok(())
    }

    /// Addresses of a memory instruction: src0.x + (src1.x << shift).
    fn addresses(&self, pre: &Pre, launch: &LaunchState, mask: Mask) -> Result<Lanes, Trap> {
        let base = self.source(&pre.src[0], 0, launch, mask)?;
        let offset = self.source(&pre.src[1], 0, launch, mask)?;
        let mut v = [0; LANES];
        for i in 0..LANES {
            v[i] = base[i].wrapping_add(offset[i] << pre.shift);
        }
        Ok(v)
    }

    /// Number of a lane in its workgroup.
    pub(super) fn lane_number(&self, lane: usize) -> u32 {
        self.first + lane as u32
    }

    /// The texture unit that an instruction names in a lane.
    pub(super) fn unit_of(&self, pre: &Pre, lane: usize) -> Result<usize, Trap> {
        if pre.unit_amode == 0 {
            return Ok(usize::from(pre.unit));
        }
        self.index(pre.unit.into(), pre.unit_amode, UNITS, lane)
    }

    /// A lane of this group, at its instruction.
    pub(super) fn by(&self, lane: usize) -> By {
        By { lane: self.first + lane as u32, pc: self.current.pc * BYTES as u32 }
    }

    pub(super) fn aligned(&self, address: u32, size: u32, lane: usize) -> Result<(), Trap> {
        if address.is_multiple_of(size) {
            return Ok(());
        }
        Err(misaligned(format!("address 0x{address:x} is not a multiple of {size}")).in_lane(self.first + lane as u32))
    }

    fn load(&mut self, pre: &Pre, launch: &LaunchState, run: &mut Run, mask: Mask) -> Result<(), Trap> {
        let addresses = self.addresses(pre, launch, mask)?;
        let size = pre.ty.bytes();
        let elements = pre.mask.count_ones();
        let mut out = [[0; LANES]; 4];
        let together = self.load_lanes(pre, run, (&addresses, mask), &mut out)?;
        for i in lanes(if together { 0 } else { mask }) {
            self.aligned(addresses[i], size, i)?;
            let mut bytes = [0; 16];
            let n = (size * elements) as usize;
            let by = self.by(i);
            run.world.load(addresses[i], pre.local, &mut bytes[..n], by).map_err(|t| t.in_lane(by.lane))?;
            for (v, b) in out.iter_mut().zip(bytes[..n].chunks_exact(size as usize)) {
                v[i] = match pre.ty {
                    Type::U8 => u32::from(b[0]),
                    Type::S8 => b[0] as i8 as u32,
                    Type::U16 => u32::from(u16::from_le_bytes([b[0], b[1]])),
                    Type::S16 => i16::from_le_bytes([b[0], b[1]]) as u32,
                    _ => u32::from_le_bytes([b[0], b[1], b[2], b[3]]),
                };
                if pre.ty == Type::F32 && !pre.denorm {
                    v[i] = gpucc_num::f32::flush(f32::from_bits(v[i])).to_bits();
                }
            }
        }
        let first = pre.mask.trailing_zeros() as usize;
        for (k, v) in out.iter().enumerate().take(elements as usize) {
            self.write(pre, first + k, v, mask, !0)?;
        }
        Ok(())
    }

    fn store(&mut self, pre: &Pre, launch: &LaunchState, run: &mut Run, mask: Mask) -> Result<(), Trap> {
        let addresses = self.addresses(pre, launch, mask)?;
        let size = pre.ty.bytes() as usize;
        let elements = pre.mask.count_ones() as usize;
        let mut values = [[0; LANES]; 4];
        for (k, v) in values.iter_mut().enumerate().take(elements) {
            *v = self.source(&pre.src[2], k, launch, mask)?;
            if pre.ty == Type::F32 && !pre.denorm {
                for x in v.iter_mut() {
                    *x = gpucc_num::f32::flush(f32::from_bits(*x)).to_bits();
                }
            }
        }
        let mask = if launch.fragment && pre.skphp { mask & self.live } else { mask };
        let together = self.store_lanes(pre, run, (&addresses, mask), &values)?;
        for i in ordered(if together { 0 } else { mask }, self.ahead) {
            self.aligned(addresses[i], size as u32, i)?;
            let mut bytes = [0; 16];
            for k in 0..elements {
                bytes[k * size..(k + 1) * size].copy_from_slice(&values[k][i].to_le_bytes()[..size]);
            }
            let n = elements * size;
            let by = self.by(i);
            run.world.store(addresses[i], pre.local, &bytes[..n], by).map_err(|t| t.in_lane(by.lane))?;
        }
        Ok(())
    }

    /// Whole words of lanes that may be accessed as one (`gpucc_sim::lanes`).
    fn words<'a>(&self, pre: &Pre, run: &Run, addresses: &'a [u64; LANES], mask: Mask) -> Option<Words<'a>> {
        let lanes = mask.into();
        let (id, base, bytes) = run.world.locate_first(addresses, lanes, pre.local).filter(|_| pre.ty.bytes() == 4)?;
        let by = By { lane: self.first, ..self.by(0) };
        Some(Words { id, base, bytes, addresses, lanes, words: pre.mask.count_ones() as usize, by })
    }

    fn load_lanes(
        &self,
        pre: &Pre,
        run: &mut Run,
        (addresses, mask): (&Lanes, Mask),
        out: &mut [Lanes; 4],
    ) -> Result<bool, Trap> {
        let addresses = addresses.map(u64::from);
        let Some(w) = self.words(pre, run, &addresses, mask) else { return Ok(false) };
        let flush = pre.ty == Type::F32 && !pre.denorm;
        let put = |lane: usize, k: usize, word: u32| {
            out[k][lane] = if flush { gpucc_num::f32::flush(f32::from_bits(word)).to_bits() } else { word };
        };
        let done = lanes::load(&run.world.memory, &mut run.world.races, &w, put);
        done.map_err(|(lane, t)| t.in_lane(self.first + lane as u32))
    }

    fn store_lanes(
        &self,
        pre: &Pre,
        run: &mut Run,
        (addresses, mask): (&Lanes, Mask),
        values: &[Lanes; 4],
    ) -> Result<bool, Trap> {
        let addresses = addresses.map(u64::from);
        let Some(w) = self.words(pre, run, &addresses, mask).filter(|_| !self.ahead) else { return Ok(false) };
        let done = lanes::store(&mut run.world.memory, &mut run.world.races, &w, |lane, k| values[k][lane]);
        done.map_err(|(lane, t)| t.in_lane(self.first + lane as u32))
    }

    fn atomic(&mut self, pre: &Pre, launch: &LaunchState, run: &mut Run, mask: Mask) -> Result<(), Trap> {
        let addresses = self.addresses(pre, launch, mask)?;
        let x = self.source(&pre.src[2], 0, launch, mask)?;
        let y = if pre.op == Op::AtomicCmpXchg { self.source(&pre.src[2], 1, launch, mask)? } else { [0; LANES] };
        let signed = pre.ty == Type::S32;
        let mut old = [0; LANES];
        let shown = if launch.fragment && pre.skphp { mask & self.live } else { mask };
        for i in ordered(shown, self.ahead) {
            self.aligned(addresses[i], 4, i)?;
            let (x, y) = (x[i], y[i]);
            let op = |m: u32| match pre.op {
                Op::AtomicAdd => m.wrapping_add(x),
                Op::AtomicCmpXchg if m == x => y,
                Op::AtomicCmpXchg => m,
                Op::AtomicMin if signed => (m as i32).min(x as i32) as u32,
                Op::AtomicMin => m.min(x),
                Op::AtomicMax if signed => (m as i32).max(x as i32) as u32,
                Op::AtomicMax => m.max(x),
                Op::AtomicOr => m | x,
                Op::AtomicAnd => m & x,
                Op::AtomicXor => m ^ x,
                _ => x,
            };
            let by = self.by(i);
            old[i] = run.world.atomic(addresses[i], by, op).map_err(|t| t.in_lane(by.lane))?;
        }
        for c in 0..4 {
            if pre.mask >> c & 1 == 1 {
                self.write(pre, c, &old, mask, !0)?;
            }
        }
        Ok(())
    }
}

#[cold]
fn undefined_uniform(reg: usize, comp: usize) -> Trap {
    let name = ['x', 'y', 'z', 'w'][comp & 3];
    Trap::new(TrapKind::UndefinedRead, format!("u{reg}.{name} has no value in the container"))
}

/// Numbers of the set bits, downwards when `down`.
pub(super) fn ordered(mask: Mask, down: bool) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    core::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let i = if down { 31 - rest.leading_zeros() } else { rest.trailing_zeros() };
        rest &= !(1 << i);
        Some(i as usize)
    })
}
