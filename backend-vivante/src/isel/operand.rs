//! Operands: constants, uniforms, and values seen through swizzles and signs.

use gpucc_ir::{Attr, Op, Sysval, Value};
use gpucc_mir::{Select, Use};
use smallvec::{SmallVec, smallvec};

use super::{Fold, Isel, PROMOTED};
use crate::inst::{SrcMods, Vivante};
use crate::launch;
use crate::query;
use crate::uniforms::{Word, Words, uniform};
use gpucc_opt::clamp_indices;

/// Where the components of an operand come from.
pub struct Source {
    /// The value that is read.
    pub value: Value,
    /// Component of it for each lane.
    pub swz: [u8; 4],
    abs: bool,
    neg: bool,
}

impl Source {
    /// Its signs, with these components.
    fn mods(&self, swz: [u8; 4]) -> SrcMods {
        SrcMods { swz, abs: self.abs, neg: self.neg, indexed: false }
    }
}

/// Swizzle of the first components in order, the last of them in the other lanes.
pub fn leading(lanes: u32) -> [u8; 4] {
    [0, 1, 2, 3].map(|k: u8| k.min(lanes as u8 - 1))
}

impl Isel<'_> {
    /// An operand whose lane `i` is lane `i` of `v`, or the scalar `v` in every lane.
    pub fn operand(&mut self, cx: &mut Select<'_, Vivante>, v: Value, fold: Fold) -> Use<Vivante> {
        let lanes = cx.f.ty(v).lanes();
        self.operand_lanes(cx, v, leading(lanes), lanes as usize, fold)
    }

    /// An operand that is lane `k` of `v` (or the scalar `v`) in every lane.
    pub fn operand_lane(&mut self, cx: &mut Select<'_, Vivante>, v: Value, k: u32, fold: Fold) -> Use<Vivante> {
        let k = if cx.f.ty(v).lanes() == 1 { 0 } else { k as u8 };
        self.operand_lanes(cx, v, [k; 4], 1, fold)
    }

    pub fn operand_lanes(
        &mut self,
        cx: &mut Select<'_, Vivante>,
        v: Value,
        swz: [u8; 4],
        count: usize,
        fold: Fold,
    ) -> Use<Vivante> {
        let s = self.trace(cx, v, swz, count, fold);
        if let Some(bits) = constant_bits(cx, &s, count) {
            return self.constant_operand(&bits, s.abs, s.neg, fold);
        }
        if let Some(words) = self.uniform_words(cx, s.value) {
            let last = words.len() as u8 - 1;
            return uniform(self.uniforms.slot(words)).mods(s.mods(s.swz.map(|c| c.min(last))));
        }
        if let Some(u) = self.composed_words(cx, &s, count) {
            return u;
        }
        let reg = cx.reg(s.value);
        Use::reg(reg).mods(s.mods(s.swz))
    }

    /// A vector put together from constants and uniform words, as one uniform operand.
    fn composed_words(&mut self, cx: &mut Select<'_, Vivante>, s: &Source, count: usize) -> Option<Use<Vivante>> {
        cx.f.def_op(s.value, Op::Compose)?;
        let mut words = Words::new();
        let mut swz = [0; 4];
        for (c, &from) in swz.iter_mut().zip(&s.swz).take(count) {
            let one = self.trace(cx, s.value, [from; 4], 1, Fold::None);
            let word = match constant_bits(cx, &one, 1) {
                Some(bits) => Word::Const(bits[0]),
                None => {
                    let all = self.uniform_words(cx, one.value)?;
                    all[usize::from(one.swz[0]).min(all.len() - 1)]
                }
            };
            *c = words.iter().position(|&w| w == word).unwrap_or_else(|| {
                words.push(word);
                words.len() - 1
            }) as u8;
        }
        let last = swz[count - 1];
        swz[count..].fill(last);
        Some(uniform(self.uniforms.slot(words)).mods(s.mods(swz)))
    }

    /// Follows a value through what an operand can do by itself.
    pub fn trace(&self, cx: &Select<'_, Vivante>, v: Value, swz: [u8; 4], count: usize, fold: Fold) -> Source {
        let mut s = Source { value: v, swz, abs: false, neg: false };
        let mut fold = fold;
        // Long chains of inserts are legal IR: a bound keeps this linear.
        for _ in 0..64 {
            let Some(i) = cx.f.def_inst(s.value) else { break };
            let d = &cx.f.insts[i];
            let used = &s.swz[..count];
            match d.op {
                Op::Splat => {
                    s.value = d.args[0];
                    s.swz = [0; 4];
                }
                Op::Extract => {
                    let Attr::Lane(k) = d.attr else { break };
                    s.value = d.args[0];
                    s.swz = [k; 4];
                }
                Op::Shuffle => {
                    let Attr::Lanes(l) = &d.attr else { break };
                    let from: SmallVec<[u8; 4]> = used.iter().map(|&c| l[usize::from(c)]).collect();
                    let second = from[0] >= 4;
                    if from.iter().any(|&f| (f >= 4) != second) {
                        break;
                    }
                    s.value = d.args[usize::from(second)];
                    s.swz = core::array::from_fn(|k| from[k.min(count - 1)] & 3);
                }
                Op::Compose => {
                    let first = d.args[usize::from(used[0])];
                    if used.iter().any(|&c| d.args[usize::from(c)] != first) {
                        break;
                    }
                    s.value = first;
                    s.swz = [0; 4];
                }
                Op::Insert => {
                    let Attr::Lane(k) = d.attr else { break };
                    if used.iter().all(|&c| c == k) {
                        s.value = d.args[1];
                        s.swz = [0; 4];
                    } else if used.iter().all(|&c| c != k) {
                        s.value = d.args[0];
                    } else {
                        break;
                    }
                }
                Op::Bitcast => {
                    let from = cx.f.ty(d.args[0]);
                    if from.lanes() != cx.f.ty(s.value).lanes() || from.bits() != 32 {
                        break;
                    }
                    s.value = d.args[0];
                    // A sign found below belongs to another type: only the bits may be folded on.
                    if fold == Fold::Int || !from.is_float() {
                        fold = Fold::None;
                    }
                }
                Op::FNeg if fold == Fold::Float => {
                    s.neg ^= !s.abs;
                    s.value = d.args[0];
                }
                Op::FAbs if fold == Fold::Float => {
                    s.abs = true;
                    s.value = d.args[0];
                }
                Op::INeg if fold == Fold::Int => {
                    s.neg = !s.neg;
                    s.value = d.args[0];
                }
                _ => break,
            }
        }
        s
    }

    /// An operand of these bits by lane.
    pub fn constant_operand(&mut self, bits: &[u32], abs: bool, neg: bool, fold: Fold) -> Use<Vivante> {
        let bits: SmallVec<[u32; 4]> = bits
            .iter()
            .map(|&b| {
                let b = if abs { b & 0x7fff_ffff } else { b };
                match (neg, fold) {
                    (false, _) => b,
                    (true, Fold::Int) => b.wrapping_neg(),
                    (true, _) => b ^ 0x8000_0000,
                }
            })
            .collect();
        if bits.iter().all(|&b| b == bits[0]) {
            return self.literal(bits[0]);
        }
        let mut words = Words::new();
        let mut swz = [0; 4];
        for (k, s) in swz.iter_mut().enumerate() {
            let w = Word::Const(bits[k.min(bits.len() - 1)]);
            let at = words.iter().position(|&x| x == w).unwrap_or_else(|| {
                words.push(w);
                words.len() - 1
            });
            *s = at as u8;
        }
        uniform(self.uniforms.slot(words)).mods(SrcMods::swizzle(swz))
    }

    /// The uniform words that hold a value: launch parameters, and uniform buffers at constant offsets.
    pub fn uniform_words(&mut self, cx: &Select<'_, Vivante>, v: Value) -> Option<Words> {
        let d = &cx.f.insts[cx.f.def_inst(v)?];
        if let Some(words) = self.steps.computed(v) {
            return Some(words.clone());
        }
        let limit = |s: &Self, (r, k): (gpucc_ir::Res, u32), shift| {
            let r = &s.module.resources[r];
            Some(smallvec![Word::Limit(r.group, r.binding, k, shift)])
        };
        match (d.op, &d.attr) {
            (Op::ISub | Op::IAdd, _) => limit(self, clamp_indices::length_less(cx.f, v)?, 0),
            (Op::UShr, _) => {
                let shift = cx.f.const_bits(d.args[1])? as u32 & 31;
                limit(self, clamp_indices::length_less(cx.f, d.args[0])?, shift)
            }
            (Op::TexQuery, _) => query::known(cx.f, self.module, v),
            (Op::BufferLength, Attr::Res(r)) => {
                let r = &self.module.resources[*r];
                Some(smallvec![Word::Size(r.group, r.binding)])
            }
            (Op::Sysval, Attr::Sysval(Sysval::NumWorkgroups)) => {
                Some(smallvec![Word::Groups(0), Word::Groups(1), Word::Groups(2)])
            }
            (Op::Load, _) => {
                if let Some(words) = self.tables.known(cx.f, d) {
                    return Some(words.into_iter().map(Word::Const).collect());
                }
                let words = launch::contents(cx.f, self.module, v, d)?;
                // A rough count is enough: it only has to keep the file from overflowing.
                if self.promoted >= PROMOTED {
                    return None;
                }
                self.promoted += 1;
                Some(words)
            }
            _ => None,
        }
    }
}

/// Bits of the lanes when the source is a constant (or undefined).
fn constant_bits(cx: &Select<'_, Vivante>, s: &Source, count: usize) -> Option<SmallVec<[u32; 4]>> {
    if cx.f.is_undef(s.value) {
        return Some(smallvec![0]);
    }
    let c = cx.f.as_const(s.value)?;
    let bits = |k: u8| {
        let b = c.bits[usize::from(k)] as u32;
        if c.ty.is_bool() { if b != 0 { u32::MAX } else { 0 } } else { b }
    };
    Some(s.swz[..count].iter().map(|&k| bits(k)).collect())
}
