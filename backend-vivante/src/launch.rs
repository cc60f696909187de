//! Moves computations that are the same for all invocations to the launch, which does them once.
//!
//! ```text
//! v1 = load light                          u0.xyz = words of light, normalised by the launch
//! v2 = fdot v1, v1
//! v3 = frsqrt v2                    ==>
//! v4 = fmul v1, splat v3
//! v5 = fdot n, v4                          v5 = fdot n, u0.xyz
//! ```
//!
//! The driver writes the words of uniform buffers and of descriptors into registers one by one; where operations on nothing but such words
//! and constants are between, it writes their result (`docs/abi-vivante.md`, 3). Each step rounds as the chip's instruction does, so that
//! results stay what they were, and no operation has effects or traps, so that it does not matter which path asks for it.
//!
//! Needs: any IR that selection reads. Keeps: all of it; selection asks for words where it would ask for a register.

use gpucc_container::{LaunchOp, LaunchStep, Source};
use gpucc_ir::{
    Attr, FloatCc, FpFlags, Function, InstData, IntCc, Module, Op, Place, Scalar, SecondaryMap, Space, Sysval,
};
use gpucc_ir::{Type, Value};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use smallvec::{SmallVec, smallvec};

use crate::query;
use crate::uniforms::{Word, Words};

/// Steps of a program, at most: a launch should stay short.
const MOST: usize = 1024;

/// A step with its operands: words of the launch, or earlier steps.
type Row = (LaunchOp, SmallVec<[Word; 3]>);

/// The steps of a function, and the words that values are.
#[derive(Default)]
pub struct Steps {
    rows: IndexSet<Row, FxBuildHasher>,
    /// One more than the number of a value's words.
    of: SecondaryMap<Value, u32>,
    words: Vec<Words>,
}

impl Steps {
    /// Looks at a function.
    pub fn new(f: &Function, module: &Module) -> Steps {
        let mut s = Steps::default();
        for (_, i) in f.insts_in_order() {
            let d = &f.insts[i];
            let Some(v) = d.results.first() else { continue };
            if d.results.len() != 1 || !is_word(f.ty(v)) || s.rows.len() > MOST {
                continue;
            }
            if let Some(words) = s.made(f, module, v, d) {
                s.words.push(words);
                s.of[v] = s.words.len() as u32;
            }
        }
        s
    }

    fn all(&self, v: Value) -> Option<&Words> {
        self.words.get((self.of[v] as usize).checked_sub(1)?)
    }

    /// Whether the launch knows a value.
    pub fn knows(&self, v: Value) -> bool {
        self.all(v).is_some()
    }

    /// The words that a value is, if the launch computes one of them. Truth values are masks.
    pub fn computed(&self, v: Value) -> Option<&Words> {
        self.all(v).filter(|words| words.iter().any(|w| matches!(w, Word::Computed(_))))
    }

    /// The word of a lane; of a scalar the one that it has.
    fn lane(&self, f: &Function, v: Value, k: usize) -> Option<Word> {
        if let Some(c) = f.as_const(v) {
            let bits = *c.bits.get(k).or_else(|| c.bits.first())? as u32;
            let is = if c.ty.is_bool() && bits != 0 { u32::MAX } else { bits };
            return is_word(c.ty).then_some(Word::Const(is));
        }
        let words = self.all(v)?;
        words.get(k).or_else(|| words.first()).copied()
    }

    fn step(&mut self, op: LaunchOp, operands: &[Word]) -> Word {
        Word::Computed(self.rows.insert_full((op, operands.into())).0 as u32)
    }

    /// The words of a result.
    fn made(&mut self, f: &Function, module: &Module, v: Value, d: &InstData) -> Option<Words> {
        let lanes = f.ty(v).lanes() as usize;
        let a = &d.args;
        if let Some(words) = given(f, module, v, d) {
            return Some(words);
        }
        match (d.op, &d.attr) {
            (Op::Splat, _) => (0..lanes).map(|_| self.lane(f, a[0], 0)).collect(),
            (Op::Extract, Attr::Lane(k)) => Some(smallvec![self.lane(f, a[0], usize::from(*k))?]),
            (Op::Shuffle, Attr::Lanes(l)) => {
                l.iter().map(|&k| self.lane(f, a[usize::from(k >= 4)], usize::from(k & 3))).collect()
            }
            (Op::Compose, _) => a.iter().map(|&x| self.lane(f, x, 0)).collect(),
            (Op::Insert, Attr::Lane(k)) => (0..lanes)
                .map(|n| if n == usize::from(*k) { self.lane(f, a[1], 0) } else { self.lane(f, a[0], n) })
                .collect(),
            (Op::Bitcast, _) => {
                let from = f.ty(a[0]);
                let same = from.lanes() as usize == lanes && is_word(from);
                (0..lanes).map(|k| self.lane(f, a[0], k).filter(|_| same)).collect()
            }
            (Op::FDot, _) => {
                let mut sum = None;
                for k in 0..f.ty(a[0]).lanes() as usize {
                    let factors = [self.lane(f, a[0], k)?, self.lane(f, a[1], k)?];
                    let p = self.step(LaunchOp::FMul, &factors);
                    sum = Some(sum.map_or(p, |s| self.step(LaunchOp::FAdd, &[s, p])));
                }
                Some(smallvec![sum?])
            }
            _ => {
                // Half of a vector is not begun.
                let operands: SmallVec<[Words; 4]> =
                    (0..lanes).map(|k| a.iter().map(|&x| self.lane(f, x, k)).collect()).collect::<Option<_>>()?;
                let of = f.ty(*a.first()?);
                operands.iter().map(|x| self.operation(d, of, x)).collect()
            }
        }
    }

    /// One lane of an operation.
    fn operation(&mut self, d: &InstData, of: Type, x: &[Word]) -> Option<Word> {
        let not = |s: &mut Self, w: Word| s.step(LaunchOp::Not, &[w]);
        let step = match (d.op, &d.attr) {
            (Op::FAdd, _) => LaunchOp::FAdd,
            (Op::FSub, _) => LaunchOp::FSub,
            (Op::FMul, _) => LaunchOp::FMul,
            (Op::FDiv, _) => LaunchOp::FDiv,
            (Op::FMin | Op::FMax, _) => {
                let step = if d.op == Op::FMin { LaunchOp::FMin } else { LaunchOp::FMax };
                let is_number = |w: Word| matches!(w, Word::Const(bits) if !f32::from_bits(bits).is_nan());
                // A NaN gives the first operand: the constant, or one that is no NaN where the other is a number.
                let [x, y] = match *x {
                    [x, y] if is_number(y) => [y, x],
                    [x, y] if is_number(x) || d.fp.has(FpFlags::LOOSE) => [x, y],
                    [x, y] => {
                        let is = self.step(LaunchOp::FEq, &[x, x]);
                        [self.step(LaunchOp::Select, &[is, x, y]), y]
                    }
                    _ => return None,
                };
                return Some(self.step(step, &[x, y]));
            }
            (Op::FSat, _) => LaunchOp::FSat,
            (Op::FFloor, _) => LaunchOp::FFloor,
            (Op::FCeil, _) => LaunchOp::FCeil,
            (Op::FTrunc, _) => LaunchOp::FTrunc,
            (Op::FFract, _) => LaunchOp::FFract,
            (Op::FSign, _) => LaunchOp::FSign,
            (Op::FRcp, _) => LaunchOp::FRcp,
            (Op::FRsqrt, _) => LaunchOp::FRsqrt,
            (Op::FSqrt, _) => LaunchOp::FSqrt,
            (Op::FExp2, _) => LaunchOp::FExp2,
            (Op::FLog2, _) => LaunchOp::FLog2,
            (Op::FSin | Op::FCos, _) => {
                let turns = Word::Const(core::f32::consts::FRAC_2_PI.to_bits());
                let turns = self.step(LaunchOp::FMul, &[x[0], turns]);
                return Some(self.step(if d.op == Op::FSin { LaunchOp::FSin } else { LaunchOp::FCos }, &[turns]));
            }
            (Op::FNeg, _) => return Some(self.step(LaunchOp::Xor, &[x[0], Word::Const(1 << 31)])),
            (Op::FAbs, _) => return Some(self.step(LaunchOp::And, &[x[0], Word::Const(u32::MAX >> 1)])),
            (Op::INeg, _) => return Some(self.step(LaunchOp::ISub, &[Word::Const(0), x[0]])),
            (Op::S2F, _) => LaunchOp::S2F,
            (Op::U2F, _) => LaunchOp::U2F,
            (Op::F2S, _) => LaunchOp::F2S,
            (Op::F2U, _) => LaunchOp::F2U,
            (Op::IAdd, _) => LaunchOp::IAdd,
            (Op::ISub, _) => LaunchOp::ISub,
            (Op::IMul, _) => LaunchOp::IMul,
            (Op::UMulHi, _) => LaunchOp::UMulHi,
            (Op::SMulHi, _) => LaunchOp::SMulHi,
            (Op::SMin, _) => LaunchOp::SMin,
            (Op::SMax, _) => LaunchOp::SMax,
            (Op::UMin, _) => LaunchOp::UMin,
            (Op::UMax, _) => LaunchOp::UMax,
            (Op::And, _) => LaunchOp::And,
            (Op::Or, _) => LaunchOp::Or,
            (Op::Xor, _) => LaunchOp::Xor,
            (Op::Not, _) => LaunchOp::Not,
            (Op::Shl, _) => LaunchOp::Shl,
            (Op::UShr, _) => LaunchOp::UShr,
            (Op::SShr, _) => LaunchOp::SShr,
            (Op::Select, _) => LaunchOp::Select,
            (Op::FCmp, Attr::FloatCc(cc)) => {
                let (step, swap, opposite) = match cc {
                    FloatCc::Oeq => (LaunchOp::FEq, false, false),
                    FloatCc::Une => (LaunchOp::FEq, false, true),
                    FloatCc::Olt => (LaunchOp::FLt, false, false),
                    FloatCc::Ogt => (LaunchOp::FLt, true, false),
                    FloatCc::Ole => (LaunchOp::FLe, false, false),
                    FloatCc::Oge => (LaunchOp::FLe, true, false),
                    FloatCc::Uge => (LaunchOp::FLt, false, true),
                    FloatCc::Ule => (LaunchOp::FLt, true, true),
                    FloatCc::Ugt => (LaunchOp::FLe, false, true),
                    FloatCc::Ult => (LaunchOp::FLe, true, true),
                    FloatCc::One | FloatCc::Ueq | FloatCc::Ord | FloatCc::Uno => return None,
                };
                let w = self.step(step, &if swap { [x[1], x[0]] } else { [x[0], x[1]] });
                return Some(if opposite { not(self, w) } else { w });
            }
            (Op::ICmp, Attr::IntCc(cc)) if !of.is_bool() => {
                let (step, swap, opposite) = match cc {
                    IntCc::Eq => (LaunchOp::IEq, false, false),
                    IntCc::Ne => (LaunchOp::IEq, false, true),
                    IntCc::Slt => (LaunchOp::SLt, false, false),
                    IntCc::Sgt => (LaunchOp::SLt, true, false),
                    IntCc::Sge => (LaunchOp::SLt, false, true),
                    IntCc::Sle => (LaunchOp::SLt, true, true),
                    IntCc::Ult => (LaunchOp::ULt, false, false),
                    IntCc::Ugt => (LaunchOp::ULt, true, false),
                    IntCc::Uge => (LaunchOp::ULt, false, true),
                    IntCc::Ule => (LaunchOp::ULt, true, true),
                };
                let w = self.step(step, &if swap { [x[1], x[0]] } else { [x[0], x[1]] });
                return Some(if opposite { not(self, w) } else { w });
            }
            _ => return None,
        };
        (step.operands() == x.len()).then(|| self.step(step, x))
    }

    /// The computations that these uniform words need, and the number of each step among them.
    pub fn finish(&self, used: impl Iterator<Item = Word>) -> Launch {
        let mut wanted = vec![false; self.rows.len()];
        for w in used {
            if let Word::Computed(n) = w {
                wanted[n as usize] = true;
            }
        }
        for n in (0..wanted.len()).rev().filter(|&n| wanted[n]).collect::<Vec<_>>() {
            self.want(n, &mut wanted);
        }
        let mut launch = Launch { steps: Vec::new(), number_of: vec![0; wanted.len()] };
        for n in (0..wanted.len()).filter(|&n| wanted[n]) {
            let (op, operands) = &self.rows[n];
            let operands = operands.iter().map(|&w| launch.source(w, 0)).collect();
            launch.number_of[n] = launch.steps.len() as u32;
            launch.steps.push(LaunchStep { op: *op, operands });
        }
        launch
    }

    /// Marks what a step reads, and what that reads.
    fn want(&self, n: usize, wanted: &mut [bool]) {
        let mut list = vec![n];
        while let Some(n) = list.pop() {
            for w in &self.rows[n].1 {
                if let Word::Computed(m) = w
                    && !std::mem::replace(&mut wanted[*m as usize], true)
                {
                    list.push(*m as usize);
                }
            }
        }
    }
}

/// The computations of the launch for one program.
pub struct Launch {
    /// Computations in the order in which they are done.
    pub steps: Vec<LaunchStep>,
    /// The number of each step of the function.
    number_of: Vec<u32>,
}

impl Launch {
    /// Where a word comes from; derived sizes become computations, each once.
    pub fn source(&mut self, word: Word, scratch_bytes: u32) -> Source {
        match word {
            Word::Computed(n) => Source::Step(self.number_of[n as usize]),
            Word::Limit(group, binding, less, shift) => {
                let operands = vec![Source::BufferSize { group, binding }, Source::Const(less), Source::Const(shift)];
                let step = LaunchStep { op: LaunchOp::Limit, operands };
                let at = self.steps.iter().position(|s| *s == step).unwrap_or_else(|| {
                    self.steps.push(step);
                    self.steps.len() - 1
                });
                Source::Step(at as u32)
            }
            word => word.given(scratch_bytes),
        }
    }
}

/// Whether lanes are words, or truth values.
fn is_word(t: Type) -> bool {
    matches!(t.scalar(), Scalar::I32 | Scalar::F32 | Scalar::B1)
}

/// Words that the driver knows: of buffers that nobody writes, of textures, and the size of the grid.
fn given(f: &Function, module: &Module, v: Value, d: &InstData) -> Option<Words> {
    match (d.op, &d.attr) {
        (Op::Sysval, Attr::Sysval(Sysval::NumWorkgroups)) => Some((0..3).map(Word::Groups).collect()),
        (Op::Load, _) => contents(f, module, v, d),
        (Op::TexQuery, _) => query::known(f, module, v),
        _ => None,
    }
}

/// The words of a uniform buffer that a load at a known place reads.
pub fn contents(f: &Function, module: &Module, v: Value, d: &InstData) -> Option<Words> {
    let Place::Buffer(r) = d.mem()?.place else { return None };
    let (m, r) = (d.mem()?, &module.resources[r]);
    let ty = f.ty(v);
    let end = m.offset.checked_add(ty.mem_bytes())?;
    let plain = matches!(ty, t if t.lane() == Type::I32 || t.lane() == Type::F32);
    let inside = end <= r.min_size && m.offset.is_multiple_of(4) && end / 4 <= u32::from(u16::MAX);
    if r.kind.space() != Space::Uniform || !plain || !inside || d.dyn_offset().is_some() {
        return None;
    }
    Some((0..ty.lanes()).map(|k| Word::Content(r.group, r.binding, (m.offset / 4 + k) as u16)).collect())
}
