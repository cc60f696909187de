//! `GLSL.std.450`.

use super::cx::Lowered;
use super::func::FuncCx;
use crate::module::Inst;
use crate::types::Kind;
use crate::value::Val;
use gpucc_frontend_common::Memory;
use gpucc_ir as ir;
use ir::{Refusal, Scalar, Type, Value};
use rspirv::spirv::GlslStd450Op as G;

/// A set with the least, the greatest and the middle one of three values.
const TRINARY: &str = "SPV_AMD_shader_trinary_minmax";

impl FuncCx<'_, '_> {
    /// The name of an instruction of an extended set.
    pub fn extended_name(&self, inst: &Inst) -> String {
        let o = self.m.m.operands(inst);
        match self.m.m.set(o[0]) {
            Ok(()) => G::from_u32(o[1]).map_or_else(|| format!("{} of GLSL.std.450", o[1]), |g| format!("{g:?}")),
            Err(Some(set)) => format!("{} of {set}", o[1]),
            Err(None) => o[1].to_string(),
        }
    }

    /// An instruction of an extended set; none of what cannot be compiled.
    pub fn extended(&mut self, inst: &Inst) -> Lowered<Option<Val>> {
        let m = self.m.m;
        let o = m.operands(inst);
        match m.set(o[0]) {
            Ok(()) => {}
            Err(Some(TRINARY)) => return self.of_three(o[1], &o[2..]),
            Err(Some(name)) => {
                let name = format!("`OpExtInstImport \"{name}\"`");
                return Err(gpucc_frontend_common::report::unsupported(Refusal::Spirv, &name, self.span()));
            }
            Err(None) => return self.wrong(format!("%{} is no set of instructions", o[0])),
        }
        let Some(op) = G::from_u32(o[1]) else { return Ok(None) };
        let args = &o[2..];
        if args.len() != arity(op) {
            return self.wrong(format!("{op:?} has {} operands", args.len()));
        }
        match op {
            G::IMix => return Ok(None),
            G::InterpolateAtCentroid | G::InterpolateAtSample | G::InterpolateAtOffset => {
                return self.interpolated(op, args[0], args.get(1).copied()).map(Some);
            }
            G::Modf | G::Frexp => return self.two_results(inst, op).map(Some),
            G::ModfStruct | G::FrexpStruct => return self.result_struct(inst, op).map(Some),
            G::Determinant | G::MatrixInverse => return self.square(op, args[0]).map(Some),
            _ => {}
        }
        let mut values = Vec::new();
        for &a in args {
            values.push(self.one(a)?);
        }
        let ty = self.result_leaf(inst)?;
        let value = match self.packing(op, &values)? {
            Some(v) => v,
            None => match self.floats(op, &values)? {
                // Of what moves bits, or chooses, the results count too.
                Some(v) => self.flush(v),
                None => match self.words(op, &values, ty)? {
                    Some(v) => v,
                    None => return Ok(None),
                },
            },
        };
        Ok(Some(Val::One(value)))
    }

    /// An instruction of [`TRINARY`]: 1 to 3 are the least, 4 to 6 the greatest, 7 to 9 the middle one of three floats, unsigned or signed
    /// integers.
    fn of_three(&mut self, number: u32, args: &[u32]) -> Lowered<Option<Val>> {
        let &[x, y, z] = args else { return self.wrong(format!("it has {} operands", args.len())) };
        let a = [self.one(x)?, self.one(y)?, self.one(z)?];
        let kind = number.wrapping_sub(1);
        self.alike(&a, if kind.is_multiple_of(3) { Type::is_float } else { Type::is_int })?;
        let [x, y, z] = a;
        let mut b = self.b();
        let mut pair = |least: bool, x, y| match (kind % 3, least) {
            (0, true) => b.fmin(x, y),
            (0, false) => b.fmax(x, y),
            (1, true) => b.umin(x, y),
            (1, false) => b.umax(x, y),
            (_, true) => b.smin(x, y),
            (_, false) => b.smax(x, y),
        };
        let value = match kind / 3 {
            which @ 0..2 => {
                let first = pair(which == 0, x, y);
                pair(which == 0, first, z)
            }
            2 => {
                let (low, high) = (pair(true, x, y), pair(false, x, y));
                let below = pair(true, high, z);
                pair(false, low, below)
            }
            _ => return Ok(None),
        };
        Ok(Some(Val::One(self.flush(value))))
    }

    /// Refuses operands that have another type than the first one, or are not of its kind.
    fn alike(&self, values: &[Value], fits: fn(Type) -> bool) -> Lowered<Type> {
        let ty = self.code.f.ty(values[0]);
        if !fits(ty) || values.iter().any(|&v| self.code.f.ty(v) != ty) {
            return self.wrong("its operands do not fit");
        }
        Ok(ty)
    }

    fn floats(&mut self, op: G, a: &[Value]) -> Lowered<Option<Value>> {
        use G as O;
        let scalar_last = matches!(op, O::Refract | O::Ldexp);
        let int = matches!(
            op,
            O::SAbs
                | O::SSign
                | O::UMin
                | O::SMin
                | O::UMax
                | O::SMax
                | O::UClamp
                | O::SClamp
                | O::FindILsb
                | O::FindSMsb
                | O::FindUMsb
        );
        if int {
            return Ok(None);
        }
        let ty = self.alike(if scalar_last { &a[..a.len() - 1] } else { a }, Type::is_float)?;
        let x = a[0];
        let c = &mut self.code;
        if matches!(op, O::NMin | O::NMax | O::NClamp) {
            // These say what NaN gives.
            c.fp = super::values::without_contraction(c.fp);
        }
        let f = |g: fn(&mut gpucc_frontend_common::Code, Value) -> Value, c: &mut gpucc_frontend_common::Code| {
            c.in_f32(&[x], |c, a| g(c, a[0]))
        };
        let value = match op {
            O::Round | O::RoundEven => c.b().fround_even(x),
            O::Trunc => c.b().ftrunc(x),
            O::FAbs => c.b().fabs(x),
            O::FSign => c.b().fsign(x),
            O::Floor => c.b().ffloor(x),
            O::Ceil => c.b().fceil(x),
            O::Fract => c.b().ffract(x),
            O::Radians => c.scale(x, 0.017_453_292),
            O::Degrees => c.scale(x, 57.295_78),
            O::Sin => c.b().fsin(x),
            O::Cos => c.b().fcos(x),
            O::Tan => c.in_f32(&[x], |c, a| {
                let (sin, cos) = (c.b().fsin(a[0]), c.b().fcos(a[0]));
                c.b().fdiv(sin, cos)
            }),
            O::Asin => f(gpucc_frontend_common::Code::asin, c),
            O::Acos => f(gpucc_frontend_common::Code::acos, c),
            O::Atan => f(gpucc_frontend_common::Code::atan, c),
            O::Sinh => f(gpucc_frontend_common::Code::sinh, c),
            O::Cosh => f(gpucc_frontend_common::Code::cosh, c),
            O::Tanh => f(gpucc_frontend_common::Code::tanh, c),
            O::Asinh => f(gpucc_frontend_common::Code::asinh, c),
            O::Acosh => f(gpucc_frontend_common::Code::acosh, c),
            O::Atanh => f(gpucc_frontend_common::Code::atanh, c),
            O::Atan2 => c.in_f32(&[x, a[1]], |c, a| c.atan2(a[0], a[1])),
            O::Pow => c.pow(x, a[1]),
            O::Exp => f(gpucc_frontend_common::Code::exp, c),
            O::Log => f(gpucc_frontend_common::Code::log, c),
            O::Exp2 => c.b().fexp2(x),
            O::Log2 => c.b().flog2(x),
            O::Sqrt => c.b().fsqrt(x),
            O::InverseSqrt => c.b().frsqrt(x),
            O::FMin | O::NMin => c.b().fmin(x, a[1]),
            O::FMax | O::NMax => c.b().fmax(x, a[1]),
            O::FClamp | O::NClamp => c.fclamp(x, a[1], a[2]),
            O::FMix => c.mix(x, a[1], a[2]),
            O::Step => c.step(x, a[1]),
            O::SmoothStep => c.smooth_step(x, a[1], a[2]),
            O::Fma => c.mad(x, a[1], a[2]),
            O::Ldexp => return self.ldexp(x, a[1]).map(Some),
            O::Length => c.length(x),
            O::Distance => c.distance(x, a[1]),
            O::Cross if ty.lanes() == 3 => c.cross(x, a[1]),
            O::Cross => return self.wrong("a cross product of other than three components"),
            // Of a scalar: what is its sign, or NaN where there is none.
            O::Normalize if !ty.is_vector() => {
                let length = c.b().fabs(x);
                c.b().fdiv(x, length)
            }
            O::Normalize => c.normalize(x),
            O::FaceForward => c.face_forward(x, a[1], a[2]),
            O::Reflect => c.reflect(x, a[1]),
            O::Refract => {
                let ratio = a[2];
                if c.f.ty(ratio).is_vector() || !c.f.ty(ratio).is_float() {
                    return self.wrong("the ratio of indices is no scalar");
                }
                let to = c.f.ty(x).scalar();
                let ratio = if c.f.ty(ratio).scalar() == to { ratio } else { c.b().f2f(ratio, Type::new(to, 1)) };
                c.refract(x, a[1], ratio)
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    /// The exponent may have any width; the IR's has 32 bits.
    fn ldexp(&mut self, x: Value, exponent: Value) -> Lowered<Value> {
        let (tx, te) = (self.code.f.ty(x), self.code.f.ty(exponent));
        if !te.is_int() || te.lanes() != tx.lanes() {
            return self.wrong("its exponent does not fit");
        }
        let exponent = if te.bits() > 32 {
            // Far out both ends give zero or infinity.
            let (low, high) = (self.code.iconst(exponent, -(1 << 20)), self.code.iconst(exponent, 1 << 20));
            let clamped = self.code.iclamp(true, exponent, low, high);
            self.code.resize(clamped, Scalar::I32, true)
        } else {
            self.code.resize(exponent, Scalar::I32, true)
        };
        Ok(self.b().fldexp(x, exponent))
    }

    fn words(&mut self, op: G, a: &[Value], result: Type) -> Lowered<Option<Value>> {
        use G as O;
        let ty = self.alike(a, Type::is_int)?;
        let x = a[0];
        let c = &mut self.code;
        Ok(Some(match op {
            O::SAbs => c.b().iabs(x),
            O::SSign => c.int_sign(x),
            O::UMin => c.b().umin(x, a[1]),
            O::SMin => c.b().smin(x, a[1]),
            O::UMax => c.b().umax(x, a[1]),
            O::SMax => c.b().smax(x, a[1]),
            O::UClamp => c.iclamp(false, x, a[1], a[2]),
            O::SClamp => c.iclamp(true, x, a[1], a[2]),
            O::FindILsb | O::FindSMsb | O::FindUMsb => {
                let at = match op {
                    O::FindILsb => c.first_trailing_bit(x),
                    _ => c.first_leading_bit(x, op == O::FindSMsb),
                };
                if !result.is_int() || result.lanes() != ty.lanes() {
                    return self.wrong("its type does not fit");
                }
                c.resize(at, result.scalar(), true)
            }
            _ => return Ok(None),
        }))
    }

    fn packing(&mut self, op: G, a: &[Value]) -> Lowered<Option<Value>> {
        use G as O;
        let (f32x2, f32x4) = (Type::F32.with_lanes(2), Type::F32.with_lanes(4));
        let want = match op {
            O::PackSnorm4x8 | O::PackUnorm4x8 => f32x4,
            O::PackSnorm2x16 | O::PackUnorm2x16 | O::PackHalf2x16 => f32x2,
            O::UnpackSnorm4x8 | O::UnpackUnorm4x8 | O::UnpackSnorm2x16 | O::UnpackUnorm2x16 | O::UnpackHalf2x16 => {
                Type::I32
            }
            O::PackDouble2x32 => Type::I32.with_lanes(2),
            O::UnpackDouble2x32 => Type::F64,
            _ => return Ok(None),
        };
        let x = a[0];
        if self.code.f.ty(x) != want {
            return self.wrong("its operand does not fit");
        }
        let mut b = self.code.b();
        Ok(Some(match op {
            O::PackSnorm4x8 => b.pack_snorm4x8(x),
            O::PackUnorm4x8 => b.pack_unorm4x8(x),
            O::PackSnorm2x16 => b.pack_snorm2x16(x),
            O::PackUnorm2x16 => b.pack_unorm2x16(x),
            O::PackHalf2x16 => b.pack_half2x16(x),
            O::UnpackSnorm4x8 => b.unpack_snorm4x8(x),
            O::UnpackUnorm4x8 => b.unpack_unorm4x8(x),
            O::UnpackSnorm2x16 => b.unpack_snorm2x16(x),
            O::UnpackUnorm2x16 => b.unpack_unorm2x16(x),
            O::UnpackHalf2x16 => b.unpack_half2x16(x),
            O::PackDouble2x32 => b.bitcast(x, Type::F64),
            _ => b.bitcast(x, Type::I32.with_lanes(2)),
        }))
    }

    fn square(&mut self, op: G, id: u32) -> Lowered<Val> {
        let columns = self.columns(id)?;
        let done = match op {
            G::Determinant => self.code.determinant(&columns).map(Val::One),
            _ => {
                let inverse = self.code.inverse(&columns);
                inverse.map(|list| Val::parts(list.into_iter().map(Val::One).collect()))
            }
        };
        match done {
            Some(val) => Ok(val),
            None => self.wrong("its operand is no square matrix"),
        }
    }

    /// The fraction, and the whole part or the exponent.
    fn split(&mut self, op: G, x: Value) -> Lowered<(Value, Value)> {
        if !self.code.f.ty(x).is_float() {
            return self.wrong("its operand is no float");
        }
        match op {
            G::Modf | G::ModfStruct => Ok(self.code.modf(x)),
            _ => match self.code.frexp(x) {
                Some(both) => Ok(both),
                None => self.wrong("its operand is no float"),
            },
        }
    }

    /// Stores the second result through a pointer, and gives the first.
    fn two_results(&mut self, inst: &Inst, op: G) -> Lowered<Val> {
        let o = self.m.m.operands(inst);
        let x = self.one(o[2])?;
        let ptr = self.pointer(o[3])?;
        let (fract, second) = self.split(op, x)?;
        let Some(want) = self.m.types.leaf(ptr.ty) else { return self.wrong("its pointer points to something else") };
        let second = self.exponent(second, want)?;
        self.store(&ptr, &Val::One(second))?;
        Ok(Val::One(fract))
    }

    fn exponent(&mut self, second: Value, want: Type) -> Lowered<Value> {
        let have = self.code.f.ty(second);
        if have.lanes() != want.lanes() || have.is_float() != want.is_float() || want.is_bool() {
            return self.wrong("its second result does not fit");
        }
        if have.is_float() {
            return if have == want { Ok(second) } else { self.wrong("its second result does not fit") };
        }
        Ok(self.code.resize(second, want.scalar(), true))
    }

    /// Gives a struct of both results.
    fn result_struct(&mut self, inst: &Inst, op: G) -> Lowered<Val> {
        let o = self.m.m.operands(inst);
        let x = self.one(o[2])?;
        let ty = self.m.types.of(inst.ty, inst)?;
        let members = match self.m.types.kind(ty) {
            Kind::Struct(members) if members.len() == 2 => {
                (self.m.types.leaf(members[0].ty), self.m.types.leaf(members[1].ty))
            }
            _ => (None, None),
        };
        let (Some(first), Some(want)) = members else { return self.wrong("its type is no struct of two members") };
        let (fract, second) = self.split(op, x)?;
        if self.code.f.ty(fract) != first {
            return self.wrong("its first result does not fit");
        }
        let second = self.exponent(second, want)?;
        Ok(Val::parts(vec![Val::One(fract), Val::One(second)]))
    }
}

/// How many operands an instruction has.
fn arity(op: G) -> usize {
    use G as O;
    match op {
        O::Atan2 | O::Pow | O::Modf | O::FMin | O::UMin | O::SMin | O::FMax | O::UMax | O::SMax | O::Step => 2,
        O::Frexp | O::Ldexp | O::Distance | O::Cross | O::Reflect | O::NMin | O::NMax => 2,
        O::InterpolateAtSample | O::InterpolateAtOffset => 2,
        O::FClamp | O::UClamp | O::SClamp | O::FMix | O::IMix | O::SmoothStep | O::Fma => 3,
        O::FaceForward | O::Refract | O::NClamp => 3,
        _ => 1,
    }
}
