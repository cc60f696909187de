//! Numbers that scale a vector are multiplied with each other first, and those that scale a factor of a dot product last.
//!
//! ```text
//! v3 = fmul v0, (splat v1)                v5 = fmul v1, v2
//! v4 = fmul v3, (splat v2)       ==>      v4 = fmul v0, (splat v5)
//!
//! v3 = fmul v0, (splat v1)                v5 = fdot v0, v9
//! v4 = fdot v3, v9               ==>      v4 = fmul v5, v1
//! ```
//!
//! A colour times several lights is such, and so is a direction that becomes a unit vector for one product. WGSL allows that products are
//! grouped in another way, whatever overflows then. The summands of a dot product are rounded once less and the sum once more, so that it is as close as
//! before. Fires where fewer products are left, inside of a block; in a loop only where each product that goes has an operand made in the same
//! block, for others are made in front of it.
//!
//! Needs: a target of scalars, dot products that it writes as sums; the licences of the source, `contract` and `nsz`. Keeps: the CFG.

use std::rc::Rc;

use crate::rewrite::{self, Rewrite};
use crate::{OpSet, PassCx};
use gpucc_ir::analysis::Uses;
use gpucc_ir::{Block, Builder, Const, EntitySet, FpFlags, Function, Inst, Op, Scalar, SecondaryMap, Value, ValueDef};
use smallvec::SmallVec;

/// Factors of a product that are looked at.
const MOST: usize = 16;

/// Regroups products of vectors with numbers.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    if !cx.caps.scalar || !cx.caps.expand.has(Op::FDot) || !cx.has_any(f, OpSet::of(&[Op::FMul])) {
        return;
    }
    if !f.insts_in_order().any(|(_, i)| is_candidate(f, i)) {
        return;
    }
    let structure = cx.structure(f);
    let facts = Facts {
        uses: cx.uses(f),
        home: f.inst_blocks(),
        loops: f.layout.iter().copied().filter(|&b| structure.loop_of(b).is_some()).collect(),
    };
    let dotted: EntitySet<Value> = f
        .insts_in_order()
        .map(|(_, i)| &f.insts[i])
        .filter(|d| d.op == Op::FDot)
        .flat_map(|d| [d.args[0], d.args[1]])
        .filter(|&v| facts.goes_to_dots(f, v))
        .collect();
    rewrite::run(f, |b, i| {
        let d = &b.func.insts[i];
        match d.op {
            Op::FMul if product(b.func, d.result()).is_some() => {
                let v = d.result();
                if dotted.contains(v) || facts.is_taken_in(b.func, v) {
                    return Rewrite::Keep;
                }
                let p = facts.factors(b.func, v);
                let (n, scales) = (b.func.ty(v).lanes() as usize, p.scales.len());
                let after = n * (p.vectors.len() - usize::from(scales == 0)) + scales.saturating_sub(1);
                if p.vectors.is_empty() || after >= n * p.products || !cx.change() {
                    return Rewrite::Keep;
                }
                let vector = p.vector(b);
                let scale = p.scale(b);
                let scale = b.splat(scale, n as u32);
                Rewrite::Value(b.fmul(vector, scale))
            }
            Op::FDot => {
                let args = [d.args[0], d.args[1]];
                let Some(k) = args.iter().position(|&a| dotted.contains(a)).filter(|_| cx.change()) else {
                    return Rewrite::Keep;
                };
                let p = facts.factors(b.func, args[k]);
                let vector = p.vector(b);
                let sum = b.fdot(vector, args[1 - k]);
                let scale = p.scale(b);
                Rewrite::Value(b.fmul(sum, scale))
            }
            _ => Rewrite::Keep,
        }
    });
}

/// The product of a vector that may be grouped in another way.
fn product(f: &Function, v: Value) -> Option<Inst> {
    let i = f.def_inst(v)?;
    let d = &f.insts[i];
    let ty = f.ty(v);
    (d.op == Op::FMul && d.fp.has(FpFlags::LOOSE) && ty.is_vector() && ty.scalar() == Scalar::F32).then_some(i)
}

/// The number of which all lanes of a vector are.
fn scale(f: &Function, v: Value) -> Option<Scale> {
    match f.def_op(v, Op::Splat) {
        Some(d) => Some(Scale::Number(d.args[0])),
        None => f.const_bits(v).map(Scale::Bits),
    }
}

/// Whether a product or a dot product has a scaled operand.
fn is_candidate(f: &Function, i: Inst) -> bool {
    let d = &f.insts[i];
    matches!(d.op, Op::FMul | Op::FDot)
        && f.ty(d.args[0]).is_vector()
        && d.args.iter().any(|&a| product(f, a).is_some())
}

/// A number that scales a vector.
#[derive(Clone, Copy)]
enum Scale {
    Number(Value),
    Bits(u64),
}

/// The factors of a product.
#[derive(Default)]
struct Factors {
    vectors: SmallVec<[Value; 4]>,
    scales: SmallVec<[Scale; 4]>,
    /// Products of vectors that it was made of.
    products: usize,
}

impl Factors {
    /// The product of the vectors, of which there is one at least.
    fn vector(&self, b: &mut Builder<'_>) -> Value {
        self.vectors[1..].iter().fold(self.vectors[0], |x, &y| b.fmul(x, y))
    }
    /// The product of the numbers, of which there is one at least.
    fn scale(&self, b: &mut Builder<'_>) -> Value {
        let ty = b.func.ty(self.vectors[0]).lane();
        let number = |b: &mut Builder<'_>, s: Scale| match s {
            Scale::Number(v) => v,
            Scale::Bits(bits) => b.func.constant(Const::new(ty, &[bits])),
        };
        let first = number(b, self.scales[0]);
        self.scales[1..].iter().fold(first, |x, &s| {
            let y = number(b, s);
            b.fmul(x, y)
        })
    }
}

/// Facts about the function, from before the first change.
struct Facts {
    uses: Rc<Uses>,
    home: SecondaryMap<Inst, Option<Block>>,
    loops: EntitySet<Block>,
}

impl Facts {
    fn home(&self, f: &Function, v: Value) -> Option<Block> {
        match f.values[v].def {
            ValueDef::Inst(i, _) => self.home[i],
            ValueDef::Param(b, _) => Some(b),
            _ => None,
        }
    }
    /// Whether only a product of the same block reads a product, which takes it in.
    fn is_taken_in(&self, f: &Function, v: Value) -> bool {
        let [u] = self.uses.of(v) else { return false };
        let taker = &f.insts[u.inst];
        let takes = taker.op == Op::FMul && product(f, taker.result()).is_some();
        takes && self.home(f, v) == Some(u.block) && self.may_go(f, v, u.block)
    }
    /// Whether a product is made as often as what reads it in this block.
    fn may_go(&self, f: &Function, v: Value, b: Block) -> bool {
        let here = |a: &Value| {
            let a = f.def_op(*a, Op::Splat).map_or(*a, |s| s.args[0]);
            self.home(f, a) == Some(b)
        };
        !self.loops.contains(b) || product(f, v).is_some_and(|i| f.insts[i].args.iter().any(here))
    }
    /// The factors of a product with those that it takes in.
    fn factors(&self, f: &Function, v: Value) -> Factors {
        let mut p = Factors::default();
        let mut work: SmallVec<[Value; 8]> = SmallVec::from_slice(&[v]);
        while let Some(x) = work.pop() {
            let whole = x == v || p.products < MOST && self.is_taken_in(f, x);
            match product(f, x).filter(|_| whole) {
                Some(i) => {
                    p.products += 1;
                    work.extend(f.insts[i].args.iter().rev().copied());
                }
                None => match scale(f, x) {
                    Some(s) => p.scales.push(s),
                    None => p.vectors.push(x),
                },
            }
        }
        p
    }
    /// Whether only dot products of the same block read a scaled vector, so few that each is scaled in its place.
    fn goes_to_dots(&self, f: &Function, v: Value) -> bool {
        let (all, home) = (self.uses.of(v), self.home(f, v));
        let dot = |u: &gpucc_ir::analysis::Use| {
            let d = &f.insts[u.inst];
            let licensed = d.op == Op::FDot && d.fp.has(FpFlags::LOOSE) && d.args[0] != d.args[1];
            licensed && home == Some(u.block) && self.may_go(f, v, u.block)
        };
        if product(f, v).is_none() || !all.iter().all(dot) {
            return false;
        }
        let p = self.factors(f, v);
        let (n, scales) = (f.ty(v).lanes() as usize, p.scales.len());
        scales > 0 && !p.vectors.is_empty() && n * (p.vectors.len() - 1) + scales - 1 + all.len() < n * p.products
    }
}
