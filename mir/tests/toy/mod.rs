//! A toy machine: one file of 32-bit registers, pairs, a flag file, and an interpreter that runs machine functions
//! before and after allocation. Registers never written are poison: reading one is a failure.

use gpucc_mir::{
    BlockId, Cfg, Class, ClassInfo, CopyCx, InstInfo, MFunc, MInst, MoveCaps, MoveSide, Opcode, PReg, Pseudo, Reg,
    RegFile, Shape, SpillCx, SpillSlot, SpillTo, Src, Target, Use, VReg,
};
use smallvec::SmallVec;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    /// d = imm
    Li,
    /// d = a + b
    Add,
    /// d = a * b
    Mul,
    /// d = a ^ b
    Xor,
    /// d (tied to a) = a + b * c
    Mac,
    /// early d = a - b - a: would be wrong if d overlapped b
    Early,
    /// 64-bit d = a + b
    Add64,
    /// flag f = a < b
    Lt,
    /// d = f ? a : b
    Sel,
    /// output a
    Out,
    /// clobbers r0 and r1
    Call,
    Mov,
    Mov2,
    Swap,
    MovFlag,
    /// spill memory
    St,
    Ld,
    /// nonzero flag goes to the label
    Br,
    Jmp,
    End,
}

const ALL: [Op; 20] = {
    use Op::*;
    [Li, Add, Mul, Xor, Mac, Early, Add64, Lt, Sel, Out, Call, Mov, Mov2, Swap, MovFlag, St, Ld, Br, Jmp, End]
};

pub struct Toy {
    pub files: Vec<RegFile>,
    pub classes: Vec<ClassInfo>,
    /// Whether parts of runs are given back.
    pub gives: bool,
}

pub const R: Class = Class(0);
pub const P: Class = Class(1);
pub const F: Class = Class(2);

impl Toy {
    pub fn new(regs: u16) -> Toy {
        Toy {
            files: vec![RegFile::new("r", regs, Cfg::Logical), RegFile::new("f", 3, Cfg::Logical)],
            classes: vec![
                ClassInfo { name: "r", file: 0, shape: Shape::run(1) },
                ClassInfo { name: "p", file: 0, shape: Shape::aligned(2, 2) },
                ClassInfo { name: "f", file: 1, shape: Shape::run(1) },
            ],
            gives: false,
        }
    }
}

pub fn preg(file: u8, unit: u16) -> PReg {
    PReg::new(file, unit, 1)
}

impl Target for Toy {
    type Op = Op;
    type Mods = ();
    type SrcMods = ();
    type Uses = [Use<Self>; 3];

    fn files(&self) -> &[RegFile] {
        &self.files
    }
    fn classes(&self) -> &[ClassInfo] {
        &self.classes
    }
    fn info(&self, inst: &MInst<Self>) -> InstInfo {
        let Some(op) = inst.target_op() else { return InstInfo::pure(1) };
        InstInfo {
            side_effect: matches!(op, Op::Out | Op::Call),
            terminator: matches!(op, Op::Br | Op::Jmp | Op::End),
            reads: op == Op::Ld,
            writes: op == Op::St,
            // An extra operand names the space; spill code has none.
            space: match (op, inst.uses.last().map(|u| u.src)) {
                (Op::St, Some(Src::Imm(s))) if inst.uses.len() == 3 => s as u16,
                (Op::Ld, Some(Src::Imm(s))) if inst.uses.len() == 2 => s as u16,
                _ => 0,
            },
            ..InstInfo::pure(if op == Op::Mul { 4 } else { 1 })
        }
    }
    fn gives_back(&self, class: Class) -> bool {
        self.gives && class == R
    }
    fn clobbers(&self, inst: &MInst<Self>, out: &mut SmallVec<[PReg; 4]>) {
        if inst.target_op() == Some(Op::Call) {
            out.push(preg(0, 0));
            out.push(preg(0, 1));
        }
    }
    fn move_caps(&self, file: u8) -> MoveCaps {
        MoveCaps { widths: if file == 0 { &[(2, 2)] } else { &[] } }
    }
    fn emit_move(&self, cx: &mut CopyCx<'_, Self>, dst: MoveSide<'_>, src: MoveSide<'_>) {
        let op = match (dst.file, src.file, dst.units.len()) {
            (0, 0, 1) => Op::Mov,
            (0, 0, 2) => Op::Mov2,
            _ => Op::MovFlag,
        };
        cx.push(MInst::new(op).def(gpucc_mir::Def::preg(dst.preg())).arg(Use::preg(src.preg())));
    }
    fn emit_swap(&self, cx: &mut CopyCx<'_, Self>, a: MoveSide<'_>, b: MoveSide<'_>) {
        for (&x, &y) in a.units.iter().zip(b.units) {
            let (x, y) = (preg(a.file, x), preg(a.file, y));
            cx.push(
                MInst::new(Op::Swap)
                    .def(gpucc_mir::Def::preg(x))
                    .def(gpucc_mir::Def::preg(y))
                    .arg(Use::preg(x))
                    .arg(Use::preg(y)),
            );
        }
    }
    fn emit_set(&self, cx: &mut CopyCx<'_, Self>, dst: MoveSide<'_>, src: &Use<Self>) {
        for &u in dst.units {
            cx.push(MInst::new(Op::Li).def(gpucc_mir::Def::preg(preg(dst.file, u))).arg(*src));
        }
    }
    fn spill_to(&self, class: Class) -> SpillTo {
        if class == F { SpillTo::Class(R) } else { SpillTo::Memory }
    }
    fn emit_spill(&self, cx: &mut SpillCx<'_, Self>, slot: SpillSlot, v: VReg) {
        cx.push(MInst::new(Op::St).arg(v).imm(slot.word));
    }
    fn emit_reload(&self, cx: &mut SpillCx<'_, Self>, slot: SpillSlot, v: VReg) {
        cx.push(MInst::new(Op::Ld).def(v).imm(slot.word));
    }
    fn can_remat(&self, inst: &MInst<Self>) -> bool {
        inst.target_op() == Some(Op::Li)
    }
    fn as_move(&self, inst: &MInst<Self>) -> Option<(PReg, PReg)> {
        if inst.target_op() != Some(Op::Mov) {
            return None;
        }
        Some((inst.defs[0].phys()?, inst.uses[0].phys()?))
    }
    fn op_name(&self, op: Op) -> String {
        format!("{op:?}").to_lowercase()
    }
    fn ops(&self) -> Vec<Op> {
        ALL.to_vec()
    }
    fn jump(&self, to: BlockId) -> MInst<Self> {
        MInst::new(Op::Jmp).arg(to)
    }
    fn is_jump(&self, inst: &MInst<Self>) -> bool {
        inst.target_op() == Some(Op::Jmp)
    }
}

type Word = Option<u32>;

/// Registers by name before allocation, by unit after it.
pub struct Machine<'a> {
    t: &'a Toy,
    virt: Vec<SmallVec<[Word; 2]>>,
    phys: Vec<Vec<Word>>,
    memory: Vec<Word>,
    pub out: Vec<u32>,
    pub steps: usize,
}

impl<'a> Machine<'a> {
    pub fn new(t: &'a Toy, mf: &MFunc<Toy>) -> Self {
        let virt = mf.classes.iter().map(|c| SmallVec::from_elem(None, t.classes[c.0 as usize].shape.units as usize));
        Machine {
            t,
            virt: virt.collect(),
            phys: t.files.iter().map(|f| vec![None; f.units as usize]).collect(),
            // Below: spill memory, poison until written.
            memory: (0..4096).map(|a| (a >= 2048).then_some(a)).collect(),
            out: Vec::new(),
            steps: 0,
        }
    }

    /// The registers that the hardware preloads: the given values in r2, r3, ...
    pub fn preload(&mut self, values: &[u32]) {
        for (k, &v) in values.iter().enumerate() {
            self.phys[0][2 + k] = Some(v);
        }
    }

    fn read(&self, u: &Use<Toy>) -> SmallVec<[Word; 2]> {
        let all: SmallVec<[Word; 2]> = match u.src {
            Src::Imm(v) => SmallVec::from_slice(&[Some(v)]),
            Src::Reg(Reg::V(v)) => self.virt[v.0 as usize].clone(),
            Src::Reg(Reg::P(p)) => p.place.units().map(|i| self.phys[p.file as usize][i as usize]).collect(),
            _ => SmallVec::new(),
        };
        match u.part_read() {
            Some((f, n)) => all[f as usize..(f + n) as usize].into(),
            None => all,
        }
    }

    fn write(&mut self, d: Reg, words: &[Word]) {
        match d {
            Reg::V(v) => self.virt[v.0 as usize] = words.into(),
            Reg::P(p) => {
                for (i, &w) in p.place.units().zip(words) {
                    self.phys[p.file as usize][i as usize] = w;
                }
            }
        }
    }

    fn size(&self, mf: &MFunc<Toy>, d: Reg) -> usize {
        match d {
            Reg::V(v) => self.t.classes[mf.class(v).0 as usize].shape.units as usize,
            Reg::P(p) => p.place.len() as usize,
        }
    }

    fn pseudo(&mut self, mf: &MFunc<Toy>, i: &MInst<Toy>, p: Pseudo) {
        let reads: Vec<SmallVec<[Word; 2]>> = i.uses.iter().map(|u| self.read(u)).collect();
        match p {
            Pseudo::Copy => {
                for (d, r) in i.defs.iter().zip(reads) {
                    self.write(d.reg, &r);
                }
            }
            Pseudo::Collect => {
                let all: Vec<Word> = reads.into_iter().flatten().collect();
                self.write(i.defs[0].reg, &all);
            }
            Pseudo::Split => {
                let mut at = 0;
                for d in &i.defs {
                    let n = self.size(mf, d.reg);
                    self.write(d.reg, &reads[0][at..at + n]);
                    at += n;
                }
            }
            Pseudo::Undef => {
                for d in &i.defs {
                    let n = self.size(mf, d.reg);
                    self.write(d.reg, &vec![None; n]);
                }
            }
            Pseudo::Start => {
                for d in &i.defs {
                    let p = d.fixed().expect("preloads are fixed");
                    let file = match d.reg {
                        Reg::V(v) => self.t.classes[mf.class(v).0 as usize].file,
                        Reg::P(p) => p.file,
                    };
                    let words: Vec<Word> = p.units().map(|u| self.phys[file as usize][u as usize]).collect();
                    self.write(d.reg, &words);
                }
            }
            Pseudo::LogicalStart | Pseudo::LogicalEnd => {}
        }
    }

    /// Runs to the end or for `limit` steps; the outputs so far.
    pub fn run(&mut self, mf: &MFunc<Toy>, limit: usize) -> Result<(), String> {
        let mut b = 0usize;
        'blocks: loop {
            let block = &mf.blocks[b];
            for i in &mf.code[b] {
                self.steps += 1;
                if self.steps > limit {
                    return Ok(());
                }
                let op = match i.op {
                    Opcode::Pseudo(p) => {
                        self.pseudo(mf, i, p);
                        continue;
                    }
                    Opcode::Op(op) => op,
                };
                let reads: Vec<SmallVec<[Word; 2]>> = i.uses.iter().map(|u| self.read(u)).collect();
                let get = |k: usize, w: usize| -> Result<u32, String> {
                    reads[k][w].ok_or_else(|| format!("{}: poison", gpucc_mir::print_inst(mf, self.t, i)))
                };
                let one = |v: u32| -> Vec<Word> { vec![Some(v)] };
                let result: Vec<Word> = match op {
                    Op::Li => one(get(0, 0)?),
                    Op::Add => one(get(0, 0)?.wrapping_add(get(1, 0)?)),
                    Op::Mul => one(get(0, 0)?.wrapping_mul(get(1, 0)?)),
                    Op::Xor => one(get(0, 0)? ^ get(1, 0)?),
                    Op::Mac => one(get(0, 0)?.wrapping_add(get(1, 0)?.wrapping_mul(get(2, 0)?))),
                    Op::Early => {
                        // Writes first, then reads again: overlap would show.
                        let first = get(0, 0)?;
                        self.write(i.defs[0].reg, &one(first.wrapping_mul(3)));
                        let again = self.read(&i.uses[1])[0].ok_or("poison")?;
                        one(first.wrapping_mul(3).wrapping_sub(again))
                    }
                    Op::Add64 => {
                        let v = |k: usize| -> Result<u64, String> { Ok(get(k, 0)? as u64 | (get(k, 1)? as u64) << 32) };
                        let s = v(0)?.wrapping_add(v(1)?);
                        vec![Some(s as u32), Some((s >> 32) as u32)]
                    }
                    Op::Lt => one((get(0, 0)? < get(1, 0)?) as u32),
                    Op::Sel => one(if get(0, 0)? != 0 { get(1, 0)? } else { get(2, 0)? }),
                    Op::Out => {
                        let v = get(0, 0)?;
                        self.out.push(v);
                        continue;
                    }
                    Op::Call => {
                        self.phys[0][0] = None;
                        self.phys[0][1] = None;
                        continue;
                    }
                    Op::Mov | Op::Mov2 | Op::MovFlag => reads[0].to_vec(),
                    Op::Swap => {
                        self.write(i.defs[0].reg, &reads[1]);
                        self.write(i.defs[1].reg, &reads[0]);
                        continue;
                    }
                    Op::St => {
                        let at = get(1, 0)? as usize;
                        for (k, &w) in reads[0].iter().enumerate() {
                            self.memory[at + k] = w;
                        }
                        continue;
                    }
                    Op::Ld => {
                        let (at, n) = (get(0, 0)? as usize, self.size(mf, i.defs[0].reg));
                        self.memory[at..at + n].to_vec()
                    }
                    Op::Br if get(0, 0)? == 0 => continue,
                    Op::Br | Op::Jmp => {
                        let to = i.labels().next().expect("a label");
                        let e = block.succs.iter().find(|e| e.to == to).ok_or("label of no successor")?;
                        let words: Vec<SmallVec<[Word; 2]>> =
                            e.args.iter().map(|a| self.virt[a.0 as usize].clone()).collect();
                        for (&q, w) in mf.blocks[to.0 as usize].params.iter().zip(words) {
                            self.virt[q.0 as usize] = w;
                        }
                        b = to.0 as usize;
                        continue 'blocks;
                    }
                    Op::End => return Ok(()),
                };
                self.write(i.defs[0].reg, &result);
            }
            return Err(format!("b{b} falls off its end"));
        }
    }
}
