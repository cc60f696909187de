//! Carries floats of 16 bits from block to block as halves, two in a register.
//!
//! ```text
//! %3 = F16ToF32 %2.h0                        %3 = F16ToF32 %2.h0
//! %5 = F16ToF32 %2.h1                        %5 = F16ToF32 %2.h1
//! b0 -> b1(%3, %5)                     ==>   b0 -> b1(%2)
//! b1(%0, %1):                                b1(%7):
//!   %6 = FmaF32 %0, %1, 0x0.neg                %0 = F16ToF32 %7.h0
//!   ..                                         %1 = F16ToF32 %7.h1
//!                                              %6 = FmaF32 %0, %1, 0x0.neg
//! ```
//!
//! Selection knows only floats of 32 bits ([`crate::halves`]), so what a loop or a merge hands on would be widened before the edge and
//! rounded again behind it. A parameter is a half where each edge gives it one: a half that was widened, another such parameter, a
//! constant that is a half, a minimum, maximum, limit or selection of such. And an instruction that computes with halves must take it. Parameters
//! next to each other share a register, since they mostly are components of a vector. An edge whose two halves lie elsewhere gets an
//! instruction that puts them together. Chosen floats are rounded for that, which changes nothing, so that `halves` computes them as
//! halves.
//!
//! Needs: each virtual register defined once; comes in front of `halves`. Keeps: blocks and edges.

use std::collections::BTreeMap;

use gpucc_mir::{BlockId, Def, MFunc, MInst, Pseudo, Src, Use, VReg};
use gpucc_valhall_machine::Op;

use crate::builders as build;
use crate::halves::{Half, as_half, chooses, on_halves, result, rounded, swizzle, whole, widened};
use crate::inst::{R, SrcMods, VOp, Valhall};
use crate::uniforms::Uniforms;

type I = MInst<Valhall>;

/// Returns how many parameters are halves now.
pub fn run(mf: &mut MFunc<Valhall>, uniforms: &Uniforms) -> u64 {
    if mf.blocks.iter().all(|b| b.params.is_empty()) || !mf.code.iter().flatten().any(|i| rounded(i).is_some()) {
        return 0;
    }
    let mut pass = Pass::new(mf);
    pass.drop_others(mf, uniforms);
    pass.drop_unwanted(mf);
    if !pass.places.iter().any(Option::is_some) {
        return 0;
    }
    pass.place(mf);
    pass.rewrite(mf)
}

/// A register that an edge gives, and how a half is in it.
#[derive(Clone, Copy)]
enum Given {
    /// Half of a register.
    Half(Half),
    /// Zeros, or nothing that matters, in both halves.
    Whole,
    /// A constant that is a half, as a float.
    Constant,
    /// One of its operands, as a float.
    Chosen,
    /// One of two registers, by a comparison.
    Selected,
}

struct Pass {
    /// What registers give as halves, by register.
    given: Vec<Option<Given>>,
    /// The places among the parameters of their blocks of those that can be halves, by register.
    places: Vec<Option<usize>>,
    /// The place of the parameter that shares a new register with one, which is its upper half.
    upper: Vec<Option<usize>>,
    /// The half of a new parameter that such a parameter is.
    half: Vec<Option<Half>>,
    /// The block in which a register is defined, and behind how many of its instructions.
    defined: Vec<(u32, u32)>,
}

impl Pass {
    fn new(mf: &MFunc<Valhall>) -> Pass {
        let n = mf.classes.len();
        let (mut given, mut places, mut defined) = (vec![None; n], vec![None; n], vec![(u32::MAX, 0); n]);
        for (b, insts) in mf.code.iter().enumerate() {
            for (k, i) in insts.iter().enumerate() {
                i.vreg_defs().for_each(|v| defined[v.0 as usize] = (b as u32, k as u32 + 1));
                let Some(d) = result(i).filter(|&d| mf.class(d) == R) else { continue };
                let is_constant = i.target_op() == Some(VOp::Op(Op::MovI32)) && i.uses[0].vreg().is_none();
                given[d.0 as usize] = match widened(i) {
                    Some(half) => Some(Given::Half(half)),
                    None if i.is(Pseudo::Undef) || is_constant && i.uses[0] == Use::imm(0) => Some(Given::Whole),
                    None if is_constant => Some(Given::Constant),
                    None if selects(i) => Some(Given::Selected),
                    None => chooses(i).then_some(Given::Chosen),
                };
            }
        }
        for block in &mf.blocks {
            for (place, &p) in block.params.iter().enumerate().filter(|(_, p)| mf.class(**p) == R) {
                places[p.0 as usize] = Some(place);
            }
        }
        Pass { given, places, upper: vec![None; n], half: vec![None; n], defined }
    }

    /// Leaves the parameters to which each edge gives a half, and one of them at least a half that was computed.
    fn drop_others(&mut self, mf: &MFunc<Valhall>, uniforms: &Uniforms) {
        self.drop_given_others(mf, uniforms);
        let mut computed = vec![false; self.places.len()];
        loop {
            let mut changed = false;
            for (p, a) in edges(mf).filter(|(p, _)| self.places[p.0 as usize].is_some()) {
                let here = matches!(self.given[a.0 as usize], Some(Given::Half(_) | Given::Chosen | Given::Selected));
                changed |= (here || computed[a.0 as usize]) && !std::mem::replace(&mut computed[p.0 as usize], true);
            }
            if !changed {
                break;
            }
        }
        (0..computed.len()).filter(|&p| !computed[p]).for_each(|p| self.places[p] = None);
        self.drop_given_others(mf, uniforms);
    }

    /// Drops parameters and choices, until each edge and each operand gives those that are left a half.
    fn drop_given_others(&mut self, mf: &MFunc<Valhall>, uniforms: &Uniforms) {
        let is_constant = |u: &Use<Valhall>| {
            let bits = match u.src {
                Src::Imm(bits) => Some(bits),
                Src::Uniform(n) => uniforms.constant(n),
                _ => None,
            };
            u.mods.swizzle().is_none() && !u.mods.not && bits.is_some_and(|b| as_half(b).is_some())
        };
        loop {
            let mut changed = false;
            for i in mf.code.iter().flatten() {
                let Some(d) = result(i) else { continue };
                let is_half = match self.given[d.0 as usize] {
                    Some(Given::Constant) => is_constant(&i.uses[0]),
                    Some(Given::Selected) => i.uses[2..].iter().all(|u| u.vreg().is_some_and(|v| self.is_half(v))),
                    Some(Given::Chosen) => i.uses.iter().all(|u| match u.vreg() {
                        Some(v) => u.mods.swizzle().is_none() && u.part_read().is_none() && self.is_half(v),
                        None => is_constant(u),
                    }),
                    _ => true,
                };
                changed |= !is_half && self.given[d.0 as usize].take().is_some();
            }
            for (p, a) in edges(mf) {
                changed |= !self.is_half(a) && self.places[p.0 as usize].take().is_some();
            }
            if !changed {
                break;
            }
        }
    }

    /// Whether a register holds a half, as far as is known.
    fn is_half(&self, v: VReg) -> bool {
        !v.is_none() && (self.given[v.0 as usize].is_some() || self.places[v.0 as usize].is_some())
    }

    /// Leaves those that an instruction on halves takes, and what they are given.
    fn drop_unwanted(&mut self, mf: &MFunc<Valhall>) {
        let mut wanted = vec![false; self.places.len()];
        let mut rounds = vec![false; self.places.len()];
        mf.code.iter().flatten().filter_map(rounded).for_each(|x| rounds[x.0 as usize] = true);
        for i in mf.code.iter().flatten() {
            let takes = on_halves(i).is_some() && result(i).is_some_and(|d| rounds[d.0 as usize]);
            if takes {
                i.vreg_uses().for_each(|v| wanted[v.0 as usize] = true);
            }
        }
        loop {
            let mut changed = false;
            for i in mf.code.iter().flatten() {
                let Some(d) = result(i).filter(|d| wanted[d.0 as usize]) else { continue };
                let uses = match self.given[d.0 as usize] {
                    Some(Given::Chosen) => &i.uses[..],
                    Some(Given::Selected) => &i.uses[2..],
                    _ => continue,
                };
                for v in uses.iter().filter_map(Use::vreg) {
                    changed |= !std::mem::replace(&mut wanted[v.0 as usize], true);
                }
            }
            for (p, a) in edges(mf) {
                if wanted[p.0 as usize] && self.places[p.0 as usize].is_some() {
                    changed |= !std::mem::replace(&mut wanted[a.0 as usize], true);
                }
            }
            if !changed {
                break;
            }
        }
        (0..wanted.len()).filter(|&p| !wanted[p]).for_each(|p| self.places[p] = None);
    }

    /// Gives each parameter a half of a new one.
    fn place(&mut self, mf: &mut MFunc<Valhall>) {
        for b in 0..mf.blocks.len() {
            let list: Vec<VReg> =
                mf.blocks[b].params.iter().copied().filter(|p| self.places[p.0 as usize].is_some()).collect();
            for pair in list.chunks(2) {
                let reg = mf.vreg(R);
                for (p, high) in pair.iter().zip([false, true]) {
                    self.half[p.0 as usize] = Some(Half { reg, high });
                }
                self.upper[pair[0].0 as usize] = pair.get(1).and_then(|p| self.places[p.0 as usize]);
            }
        }
    }

    /// The half that a register is, or will be behind one more instruction; nothing of zeros.
    fn half_of(&mut self, mf: &mut MFunc<Valhall>, v: VReg, new: &mut [Vec<(u32, I)>]) -> Option<Half> {
        if let Some(half) = self.half[v.0 as usize] {
            return Some(half);
        }
        match self.given[v.0 as usize] {
            Some(Given::Half(half)) => Some(half),
            Some(Given::Constant | Given::Chosen) => {
                let (block, at) = self.defined[v.0 as usize];
                let half = Half { reg: mf.vreg(R), high: false };
                let twice = [Use::reg(v), Use::reg(v)];
                new[block as usize].push((at, build::V2f32ToV2f16.on(twice).def(half.reg)));
                self.is_defined(half.reg, (block, at));
                self.half[v.0 as usize] = Some(half);
                Some(half)
            }
            Some(Given::Selected) => {
                let (block, at) = self.defined[v.0 as usize];
                let mut select = mf.code[block as usize][at as usize - 1].clone();
                for k in [2, 3] {
                    let Some(x) = select.uses[k].vreg() else { continue };
                    let reg = self.together(mf, block as usize, (x, None), new);
                    select.uses[k] = Use::reg(reg);
                }
                let half = Half { reg: mf.vreg(R), high: false };
                select.defs = [Def::reg(half.reg)].into_iter().collect();
                new[block as usize].push((at, select));
                self.is_defined(half.reg, (block, at));
                self.half[v.0 as usize] = Some(half);
                Some(half)
            }
            _ => None,
        }
    }

    /// Notes where a new register is defined.
    fn is_defined(&mut self, v: VReg, place: (u32, u32)) {
        self.defined.resize(self.defined.len().max(v.0 as usize + 1), (u32::MAX, 0));
        self.defined[v.0 as usize] = place;
    }

    fn rewrite(&mut self, mf: &mut MFunc<Valhall>) -> u64 {
        let olds: Vec<Vec<VReg>> = mf.blocks.iter().map(|b| b.params.to_vec()).collect();
        // Behind how many of its instructions a block gets which.
        let mut new: Vec<Vec<(u32, I)>> = mf.code.iter().map(|_| Vec::new()).collect();
        let mut count = 0;
        for (b, old) in olds.iter().enumerate() {
            let mut params = Vec::new();
            for &p in old {
                let Some(h) = self.half[p.0 as usize] else {
                    params.push(p);
                    continue;
                };
                if !h.high {
                    params.push(h.reg);
                }
                new[b].push((0, build::F16ToF32.on([whole(h)]).def(p)));
                count += 1;
            }
            mf.blocks[b].params = params.into_iter().collect();
        }
        for b in 0..new.len() {
            let mut made: BTreeMap<(VReg, Option<VReg>), VReg> = BTreeMap::new();
            let mut block = std::mem::take(&mut mf.blocks[b]);
            for edge in block.all_succs_mut() {
                let old = &olds[edge.to.0 as usize];
                let mut args = Vec::new();
                for (k, &p) in old.iter().enumerate() {
                    match self.half[p.0 as usize] {
                        None => args.push(edge.args[k]),
                        Some(h) if h.high => (),
                        Some(_) => {
                            let key = (edge.args[k], self.upper[p.0 as usize].map(|n| edge.args[n]));
                            let reg = match made.get(&key) {
                                Some(&reg) => reg,
                                None => {
                                    let reg = self.together(mf, b, key, &mut new);
                                    made.insert(key, reg);
                                    reg
                                }
                            };
                            args.push(reg);
                        }
                    }
                }
                edge.args = args.into_iter().collect();
            }
            mf.blocks[b] = block;
        }
        for (b, mut list) in new.into_iter().enumerate().filter(|(_, l)| !l.is_empty()) {
            list.sort_by_key(|(k, _)| *k);
            let mut list = list.into_iter().peekable();
            let old = std::mem::take(&mut mf.code[b]);
            let mut insts = Vec::with_capacity(old.len() + list.len());
            for (k, i) in old.into_iter().enumerate() {
                while let Some((_, first)) = list.next_if(|(at, _)| *at as usize <= k) {
                    insts.push(first);
                }
                insts.push(i);
            }
            insts.extend(list.map(|(_, i)| i));
            mf.code[b] = insts;
        }
        count
    }

    /// A register with the halves that an edge gives; what puts them together comes behind the later of them.
    fn together(
        &mut self,
        mf: &mut MFunc<Valhall>,
        block: usize,
        (low, high): (VReg, Option<VReg>),
        new: &mut [Vec<(u32, I)>],
    ) -> VReg {
        let first = self.half_of(mf, low, new);
        let second = high.map(|v| self.half_of(mf, v, new));
        match (first, second) {
            // Zeros, or undefined.
            (None, None | Some(None)) => return low,
            (Some(h), None) if !h.high => return h.reg,
            (Some(x), Some(Some(y))) if x.reg == y.reg && !x.high && y.high => return x.reg,
            _ => (),
        }
        let operand = |v: VReg, half: Option<Half>| match half {
            Some(h) => Use::reg(h.reg).mods(SrcMods::swizzled(swizzle(h.high, h.high))),
            None => Use::reg(v).mods(SrcMods::swizzled(0)),
        };
        let both = [operand(low, first), operand(high.unwrap_or(low), second.unwrap_or(first))];
        let places = both.iter().filter_map(|u| u.vreg()).map(|v| self.defined.get(v.0 as usize).copied());
        let at = places.flatten().filter(|d| d.0 == block as u32).map(|d| d.1).max().unwrap_or(0);
        let reg = mf.vreg(R);
        new[block].push((at, build::MkvecV2i16.on(both).def(reg)));
        reg
    }
}

/// Whether an instruction gives one of its last two operands as it is.
fn selects(i: &I) -> bool {
    let Some(VOp::Op(Op::CselF32 | Op::CselU32 | Op::CselS32)) = i.target_op() else { return false };
    let plain = |u: &Use<Valhall>| u.mods == SrcMods::default() && u.part_read().is_none();
    i.uses.len() == 4 && i.uses[2..].iter().all(plain)
}

/// Parameters, and what edges give them.
fn edges(mf: &MFunc<Valhall>) -> impl Iterator<Item = (VReg, VReg)> + '_ {
    let params = |b: BlockId| &mf.blocks[b.0 as usize].params;
    let all = mf.blocks.iter().flat_map(|b| b.all_succs());
    all.flat_map(move |e| params(e.to).iter().copied().zip(e.args.iter().copied()))
}
