//! A warp: registers, masks, control stack, and the flow of control (reference section 5).

use super::decode::{Dst, Src};
use gpucc_isa::fail_if;
use gpucc_sim::{SplitMix64, Trap, TrapKind, trap::out_of_bounds};

/// One value a lane.
pub type Lanes = [u32; 32];

/// Kind of a stack entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The other side of a branch.
    Branch,
    /// A call; also pushed by preret.
    Call,
    /// Where break goes.
    Break,
    /// Lanes before quadon.
    Quad,
    /// Where sides join.
    JoinAt,
}

impl Entry {
    fn name(self) -> &'static str {
        match self {
            Entry::Branch => "branch",
            Entry::Call => "call",
            Entry::Break => "breakaddr",
            Entry::Quad => "quadon",
            Entry::JoinAt => "joinat",
        }
    }
}

/// State of one warp.
#[derive(Clone)]
pub struct Warp {
    pub id: u32,
    pub pc: u32,
    /// Lanes that execute, a bit each.
    pub active: u32,
    /// Lanes that ran `break` and wait for their breakaddr entry.
    pub broken: u32,
    /// Lanes that ran `ret`.
    pub returned: u32,
    /// Lanes that ended (or never existed).
    pub exited: u32,
    pub stack: Vec<(Entry, u32, u32)>,
    pub limit: usize,
    /// Registers, each of 32 lanes.
    pub regs: Vec<Lanes>,
    /// Lanes in which the low and high half of a register was written.
    pub known: Vec<[u32; 2]>,
    pub flags: [[u8; 32]; 4],
    pub flags_known: [u32; 4],
    pub areg: [[u16; 32]; 5],
    pub areg_known: [u32; 5],
    /// l[] of all lanes, one after the other.
    pub local: Vec<u8>,
    pub local_known: Vec<bool>,
    pub local_size: u32,
    /// Loads of a fence that it has done, one behind the other.
    pub fence: u32,
    /// Counted by the barrier at which it waits.
    pub arrived: bool,
    pub done: bool,
    /// Chooses sides of branches when the run is perturbed.
    pub rng: Option<SplitMix64>,
    /// The inputs and outputs of a vertex or fragment program; nothing of a compute program.
    pub io: Io,
}

/// The inputs that a vertex, geometry or fragment program gets from the hardware, and the outputs that it gives to it.
#[derive(Clone, Debug, Default)]
pub struct Io {
    /// Words of a[], the attributes of vertices.
    pub a: Vec<Lanes>,
    /// p[] of each lane, which is a primitive.
    pub p: Vec<Lanes>,
    /// v[]: in the middle of the pixel, and at a point that the primitive covers or at the sample. Nothing where no vertex gave it.
    pub v: Vec<Option<[Lanes; 2]>>,
    /// Words of v[] from here on are flat.
    pub flat: usize,
    /// Lanes whose primitive shows its front.
    pub front: u32,
    /// o[], and the lanes that wrote each word.
    pub o: Vec<(Lanes, u32)>,
    /// Fragments that do not count: helpers, and those that were discarded.
    pub invisible: u32,
    /// Whether the state says that fragments are discarded.
    pub discards: bool,
    /// The sample of each lane.
    pub sample: Lanes,
    /// The vertices and ends of primitives that a geometry program gave, in their order.
    pub emitted: Vec<Emitted>,
}

/// Something that a geometry program gives.
#[derive(Clone, Debug)]
pub struct Emitted {
    /// The primitives that it is for.
    pub lanes: u32,
    /// o[] of a vertex, and the lanes that wrote each word; nothing where a new primitive begins.
    pub vertex: Option<Vec<(Lanes, u32)>>,
}

fn unbalanced(message: String) -> Trap {
    Trap::new(TrapKind::Unbalanced, message)
}

/// Lowest lane of a mask.
pub fn first(mask: u32) -> u32 {
    mask.trailing_zeros()
}

impl Warp {
    /// Registers of a warp whose lanes `exists` run.
    pub fn new(
        id: u32,
        exists: u32,
        registers: usize,
        local_size: u32,
        limit: usize,
        seed: Option<SplitMix64>,
    ) -> Warp {
        let mut regs = vec![[0xcccc_cccc; 32]; registers];
        let mut rng = seed;
        if let Some(rng) = &mut rng {
            for r in &mut regs {
                r.iter_mut().for_each(|v| *v = rng.next_u32());
            }
        }
        Warp {
            id,
            pc: 0,
            active: exists,
            broken: 0,
            returned: 0,
            exited: !exists,
            stack: Vec::new(),
            limit,
            regs,
            known: vec![[0; 2]; registers],
            flags: [[0; 32]; 4],
            flags_known: [0; 4],
            areg: [[0; 32]; 5],
            areg_known: [!0, 0, 0, 0, 0],
            local: vec![0; local_size as usize * 32],
            local_known: vec![false; local_size as usize * 32],
            fence: 0,
            local_size,
            arrived: false,
            done: exists == 0,
            rng,
            io: Io::default(),
        }
    }

    fn runnable(&self) -> u32 {
        !(self.broken | self.returned | self.exited)
    }

    /// Pushes an entry on the control stack; a trap if it is full.
    pub fn push(&mut self, kind: Entry, pc: u32, mask: u32) -> Result<(), Trap> {
        if self.stack.len() >= self.limit {
            return Err(unbalanced(format!("control stack overflow: all {} entries are in use", self.limit)));
        }
        self.stack.push((kind, pc, mask));
        Ok(())
    }

    /// A branch taken by lanes `taken` of the active ones. A seed picks the side that runs first, unless there are lanes of `locked`,
    /// which hold a lock, on the side that is taken: the others may spin until they unlock it (section 7.6), and have to come after.
    pub fn branch(&mut self, taken: u32, target: u32, next: u32, locked: u32) -> Result<(), Trap> {
        if taken == 0 {
            self.pc = next;
        } else if taken == self.active {
            self.pc = target;
        } else {
            let other = self.active & !taken;
            let swap = self.rng.as_mut().is_some_and(|r| r.below(2) == 1) && taken & locked == 0;
            let (now, pc, later, later_pc) =
                if swap { (other, next, taken, target) } else { (taken, target, other, next) };
            self.push(Entry::Branch, later_pc, later)?;
            self.active = now;
            self.pc = pc;
        }
        Ok(())
    }

    /// The join modifier of the instruction at the current address. Says whether the instruction runs now. With `named` the joinat has to
    /// name this address.
    pub fn join(&mut self, named: bool) -> Result<bool, Trap> {
        loop {
            match self.stack.pop() {
                None => return Err(unbalanced("join with an empty control stack".into())),
                Some((Entry::Branch, pc, mask)) => {
                    self.active = mask & self.runnable();
                    if self.active != 0 {
                        self.pc = pc;
                        return Ok(false);
                    }
                }
                Some((Entry::JoinAt, pc, mask)) => {
                    fail_if!(named && pc != self.pc, unbalanced(format!("join of a joinat that names 0x{pc:x}")));
                    self.active = mask & self.runnable();
                    if self.active == 0 {
                        self.unwind()?;
                        return Ok(false);
                    }
                    return Ok(true);
                }
                Some((kind, ..)) => return Err(unbalanced(format!("join finds a {} entry", kind.name()))),
            }
        }
    }

    /// Takes `lanes` out of the flow, as break, ret or exit do, and continues with the lanes that are left.
    pub fn leave(&mut self, lanes: u32, how: Entry, next: u32) -> Result<(), Trap> {
        match how {
            Entry::Break => {
                if lanes != 0 && !self.stack.iter().any(|e| e.0 == Entry::Break) {
                    return Err(unbalanced("break without breakaddr".into()));
                }
                self.broken |= lanes;
            }
            Entry::Call => {
                if lanes != 0 && !self.stack.iter().any(|e| e.0 == Entry::Call) {
                    return Err(unbalanced("ret without call".into()));
                }
                self.returned |= lanes;
            }
            _ => self.exited |= lanes,
        }
        self.active &= !lanes;
        self.pc = next;
        if self.active == 0 { self.unwind() } else { Ok(()) }
    }

    /// No lane is active: continue whatever the stack says.
    fn unwind(&mut self) -> Result<(), Trap> {
        while let Some(&(kind, pc, mask)) = self.stack.last() {
            match kind {
                Entry::Branch => {
                    self.stack.pop();
                    self.active = mask & self.runnable();
                }
                Entry::JoinAt => {
                    self.active = mask & self.runnable();
                    if self.active == 0 {
                        self.stack.pop();
                    }
                }
                Entry::Break => {
                    self.stack.pop();
                    self.broken &= !mask;
                    self.active = mask & self.runnable();
                }
                Entry::Call => {
                    self.stack.pop();
                    self.returned &= !mask;
                    self.active = mask & self.runnable();
                }
                Entry::Quad => return Err(unbalanced("lanes end between quadon and quadpop".into())),
            }
            if self.active != 0 {
                self.pc = pc;
                return Ok(());
            }
        }
        if self.broken != 0 || self.returned != 0 {
            return Err(unbalanced("lanes wait for a breakaddr or call entry that is gone".into()));
        }
        self.done = true;
        Ok(())
    }

    /// Lanes of `mask` in which a source was never written.
    #[inline]
    pub fn unknown(&self, src: Src, mask: u32) -> u32 {
        match src {
            Src::R32(r) => mask & !(self.known[r as usize][0] & self.known[r as usize][1]),
            Src::R16(r, high) => mask & !self.known[r as usize][usize::from(high)],
            Src::R64(r) => self.unknown(Src::R32(r), mask) | self.unknown(Src::R32(r + 1), mask),
            _ => 0,
        }
    }

    /// Writes a 32-bit register.
    #[inline]
    pub fn write(&mut self, r: u8, values: &Lanes, mask: u32) {
        let reg = &mut self.regs[r as usize];
        if mask == !0 {
            *reg = *values;
        } else {
            for (l, (to, from)) in reg.iter_mut().zip(values).enumerate() {
                *to = if mask >> l & 1 == 1 { *from } else { *to };
            }
        }
        let known = &mut self.known[r as usize];
        known[0] |= mask;
        known[1] |= mask;
    }

    /// Writes a half register.
    #[inline]
    pub fn write_half(&mut self, r: u8, high: bool, values: &Lanes, mask: u32) {
        let reg = &mut self.regs[r as usize];
        for (l, (to, v)) in reg.iter_mut().zip(values).enumerate() {
            let new = if high { *to & 0xffff | v << 16 } else { *to & !0xffff | v & 0xffff };
            *to = if mask >> l & 1 == 1 { new } else { *to };
        }
        self.known[r as usize][usize::from(high)] |= mask;
    }

    /// Writes a word of o[].
    pub fn write_out(&mut self, n: usize, values: &Lanes, mask: u32) -> Result<(), Trap> {
        let count = self.io.o.len();
        let Some((word, known)) = self.io.o.get_mut(n) else {
            return Err(out_of_bounds(format!("o[{:#x}], there are {count} words", 4 * n)));
        };
        for l in (0..32).filter(|l| mask >> l & 1 == 1) {
            word[l] = values[l];
        }
        *known |= mask;
        Ok(())
    }

    /// Makes a destination undefined.
    pub fn forget(&mut self, dst: Dst, mask: u32) {
        match dst {
            Dst::R32(r, _) => self.known[r as usize].iter_mut().for_each(|k| *k &= !mask),
            Dst::R16(r, high) => self.known[r as usize][usize::from(high)] &= !mask,
            Dst::Out(n) => {
                if let Some(o) = self.io.o.get_mut(usize::from(n)) {
                    o.1 &= !mask;
                }
            }
            Dst::None | Dst::Ignored => {}
        }
    }

    /// Makes halves of a destination undefined, each in its own lanes.
    pub fn forget_halves(&mut self, dst: Dst, lanes: [u32; 2]) {
        match dst {
            Dst::R32(r, _) => self.known[r as usize].iter_mut().zip(lanes).for_each(|(k, l)| *k &= !l),
            Dst::R16(r, high) => self.known[r as usize][usize::from(high)] &= !lanes[0],
            Dst::Out(_) => self.forget(dst, lanes[0] | lanes[1]),
            Dst::None | Dst::Ignored => {}
        }
    }

    /// Writes a flag register.
    pub fn write_flags(&mut self, c: u8, values: &[u8; 32], mask: u32) {
        for (l, (to, from)) in self.flags[c as usize].iter_mut().zip(values).enumerate() {
            *to = if mask >> l & 1 == 1 { from & 0xf } else { *to };
        }
        self.flags_known[c as usize] |= mask;
    }
}
