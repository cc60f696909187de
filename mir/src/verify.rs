//! The rules of machine code, checked after each pass in tests.
//!
//! Always:
//! - there is a list of instructions for each block, and each edge leads to a block;
//! - each block that a terminator names is a successor on one of the graphs;
//! - physical registers, demanded places and parts lie within their file or register;
//! - an instruction of the target has the operands that its row asks for ([`Target::check`]).
//!
//! With virtual registers ([`Form::Virtual`]):
//! - terminators come last in their block;
//! - each is defined once (parameters included), of a class that exists, and on every path to a use along its graph;
//! - an edge has as many arguments as its target has parameters, of the same file and size, [`VReg::NONE`] for those of the other
//!   graph alone;
//! - a tie names a use of the same size in the same file.
//!
//! After allocation ([`Form::Physical`]): no virtual registers, no shared pseudo-instructions, no parameters.

use gpucc_regalloc::{Cfg, FileId};

use crate::func::{MFunc, is_terminator};
use crate::inst::{BlockId, MInst, Opcode, PReg, Reg, Src, Target, VReg};
use crate::print::print_inst;

/// The state of registers at this point of a pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Virtual, but for reserved ones.
    Virtual,
    /// Physical.
    Physical,
}

/// Whether an instruction has as many operands of a kind as it must, for [`Target::check`].
///
/// # Errors
/// How many there are, and how many there must be.
pub fn check_count(what: &str, found: usize, least: usize, most: usize) -> Result<(), String> {
    match () {
        () if found < least => Err(format!("{found} {what} instead of {least}")),
        () if found > most => Err(format!("{found} {what} instead of {most}")),
        () => Ok(()),
    }
}

/// Checks a function.
///
/// # Errors
/// The first broken rule, with block and instruction.
pub fn verify<T: Target>(mf: &MFunc<T>, t: &T, form: Form) -> Result<(), String> {
    let v = Verifier { mf, t };
    v.blocks(form)?;
    let (mut uses, mut defs) = (Vec::new(), Vec::new());
    for b in mf.block_ids() {
        let mut terminators = 0;
        for i in &mf.code[b.0 as usize] {
            let at = |e: String| format!("{b:?}: `{}`: {e}", print_inst(mf, t, i));
            if is_terminator(t, i) {
                terminators += 1;
                let block = &mf.blocks[b.0 as usize];
                if let Some(l) = i.labels().find(|l| block.all_succs().all(|e| e.to != *l)) {
                    return Err(at(format!("{l:?} is not a successor")));
                }
            } else if form == Form::Virtual && terminators > 0 && i.target_op().is_some() {
                return Err(at("comes after a terminator".into()));
            }
            v.operands(i, form, (&mut uses, &mut defs)).map_err(at)?;
            if i.target_op().is_some() {
                t.check(i).map_err(at)?;
                t.check_registers(i, &uses, &defs).map_err(at)?;
            }
        }
    }
    if form == Form::Virtual { v.definitions() } else { Ok(()) }
}

/// File and size of a register.
type Placed = (FileId, u16);

struct Verifier<'a, T: Target> {
    mf: &'a MFunc<T>,
    t: &'a T,
}

impl<T: Target> Verifier<'_, T> {
    fn shape(&self, v: VReg) -> Option<(u8, u16)> {
        let class = self.mf.classes.get(v.0 as usize)?;
        let info = self.t.classes().get(class.0 as usize)?;
        Some((info.file, info.shape.units))
    }

    fn cfg(&self, v: VReg) -> Cfg {
        self.shape(v).map_or(Cfg::Logical, |s| self.t.files()[s.0 as usize].cfg)
    }

    fn blocks(&self, form: Form) -> Result<(), String> {
        let mf = self.mf;
        if mf.code.len() != mf.blocks.len() {
            return Err(format!("{} blocks, code of {}", mf.blocks.len(), mf.code.len()));
        }
        if form == Form::Virtual
            && let Some(v) = (0..mf.classes.len() as u32).find(|&v| self.shape(VReg(v)).is_none())
        {
            return Err(format!("%{v} has no class of the target"));
        }
        for (b, block) in mf.blocks.iter().enumerate() {
            if form == Form::Physical && !block.params.is_empty() {
                return Err(format!("b{b} has parameters after allocation"));
            }
            for cfg in [Cfg::Logical, Cfg::Linear] {
                for e in block.succs(cfg) {
                    let Some(to) = mf.blocks.get(e.to.0 as usize) else {
                        return Err(format!("b{b} goes to {:?}, which does not exist", e.to));
                    };
                    if form == Form::Virtual {
                        self.edge(cfg, &e.args, &to.params).map_err(|why| format!("b{b} to {:?}: {why}", e.to))?;
                    }
                }
            }
        }
        Ok(())
    }

    fn edge(&self, cfg: Cfg, args: &[VReg], params: &[VReg]) -> Result<(), String> {
        if args.len() != params.len() {
            return Err(format!("{} arguments for {} parameters", args.len(), params.len()));
        }
        for (&a, &p) in args.iter().zip(params) {
            if self.cfg(p) != cfg {
                continue;
            }
            if a.is_none() || self.shape(a).is_none() || self.shape(a) != self.shape(p) {
                return Err(format!("{a:?} does not fit {p:?}"));
            }
        }
        Ok(())
    }

    fn reg(&self, r: Reg, form: Form) -> Result<(u8, u16), String> {
        match r {
            Reg::V(v) if form == Form::Physical => Err(format!("{v:?} is virtual")),
            Reg::V(v) => self.shape(v).ok_or_else(|| format!("{v:?} is unknown")),
            Reg::P(p) => self.fits(p).map(|()| (p.file, p.place.len())),
        }
    }

    fn fits(&self, p: PReg) -> Result<(), String> {
        let Some(file) = self.t.files().get(p.file as usize) else { return Err(format!("no file {}", p.file)) };
        match p.place.end() {
            1.. if p.place.end() <= file.units => Ok(()),
            _ => Err(format!("{}{:?} is outside of its file", file.name, p.place)),
        }
    }

    /// Checks operands, and puts files and sizes of what is read and written into the lists.
    fn operands(
        &self,
        i: &MInst<T>,
        form: Form,
        (uses, defs): (&mut Vec<Option<Placed>>, &mut Vec<Placed>),
    ) -> Result<(), String> {
        uses.clear();
        defs.clear();
        if form == Form::Physical
            && let Opcode::Pseudo(p) = i.op
        {
            return Err(format!("{p:?} is left after allocation"));
        }
        for u in &i.uses {
            let Src::Reg(r) = u.src else {
                uses.push(None);
                continue;
            };
            let (file, units) = self.reg(r, form)?;
            if let Some((first, count)) = u.part_read()
                && u16::from(first) + u16::from(count) > units
            {
                return Err(format!("reads {first}+{count} of {units} units"));
            }
            if let Some(place) = u.fixed() {
                self.fits(PReg { file, place })?;
            }
            uses.push(Some((file, units)));
        }
        for d in &i.defs {
            let own = self.reg(d.reg, form)?;
            defs.push(own);
            if let Some(place) = d.fixed() {
                self.fits(PReg { file: own.0, place })?;
            }
            if let Some(k) = d.tied_to()
                && uses.get(k as usize).copied().flatten() != Some(own)
            {
                return Err(format!("a tie to use {k}, which is of another kind"));
            }
        }
        for (u, read) in i.uses.iter().zip(uses) {
            if let (Some(read), Some((_, count))) = (read, u.part_read()) {
                read.1 = count.into();
            }
        }
        Ok(())
    }

    /// One definition for each, and one on every path to a use.
    fn definitions(&self) -> Result<(), String> {
        let mf = self.mf;
        let mut home: Vec<Option<u32>> = vec![None; mf.classes.len()];
        let mut define = |v: VReg, b: usize| match home[v.0 as usize].replace(b as u32) {
            Some(_) => Err(format!("b{b}: {v:?} is defined twice")),
            None => Ok(()),
        };
        for (b, block) in mf.blocks.iter().enumerate() {
            for &v in &block.params {
                define(v, b)?;
            }
            for v in mf.code[b].iter().flat_map(MInst::vreg_defs) {
                define(v, b)?;
            }
        }
        // Uses before a definition in their block, or without one there, ask all predecessors.
        let mut required: Vec<(VReg, u32)> = Vec::new();
        let mut seen = vec![u32::MAX; mf.classes.len()];
        for (b, block) in mf.blocks.iter().enumerate() {
            let b = b as u32;
            let mut require = |v: VReg, seen: &mut [u32]| {
                if seen[v.0 as usize] != b {
                    required.push((v, b));
                }
            };
            block.params.iter().for_each(|v| seen[v.0 as usize] = b);
            for i in &mf.code[b as usize] {
                i.vreg_uses().for_each(|v| require(v, &mut seen));
                i.vreg_defs().for_each(|v| seen[v.0 as usize] = b);
            }
            for (cfg, e) in
                [Cfg::Logical, Cfg::Linear].iter().flat_map(|c| block.succs(*c).iter().map(move |e| (*c, e)))
            {
                let params = &mf.blocks[e.to.0 as usize].params;
                let counts = |(a, p): &(&VReg, &VReg)| !a.is_none() && self.cfg(**p) == cfg;
                e.args.iter().zip(params).filter(counts).for_each(|(a, _)| require(*a, &mut seen));
            }
        }
        required.sort_unstable_by_key(|a| (a.0, a.1));
        required.dedup();
        let preds = [self.preds(Cfg::Logical), self.preds(Cfg::Linear)];
        let mut reached = vec![VReg::NONE; mf.blocks.len()];
        let mut todo: Vec<u32> = Vec::new();
        for same in required.chunk_by(|a, b| a.0 == b.0) {
            let v = same[0].0;
            todo.extend(same.iter().map(|a| a.1));
            let preds = &preds[self.cfg(v) as usize];
            while let Some(b) = todo.pop() {
                if std::mem::replace(&mut reached[b as usize], v) == v {
                    continue;
                }
                if b == 0 {
                    return Err(format!("{v:?} is used, but not defined on every path"));
                }
                todo.extend(preds[b as usize].iter().map(|p| p.0).filter(|&p| home[v.0 as usize] != Some(p)));
            }
        }
        Ok(())
    }

    fn preds(&self, cfg: Cfg) -> Vec<Vec<BlockId>> {
        let mut out = vec![Vec::new(); self.mf.blocks.len()];
        for b in self.mf.block_ids() {
            for e in self.mf.blocks[b.0 as usize].succs(cfg) {
                out[e.to.0 as usize].push(b);
            }
        }
        out
    }
}
