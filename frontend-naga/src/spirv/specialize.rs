//! Specialisation: values for the constants that have an id, and the arithmetic on them done, so that naga sees none of it.

use super::binary::{Binary, Inst};
use super::types::{Type, declared, malformed, number, unsupported};
use gpucc_ir::Diagnostic;
use indexmap::IndexMap;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{BuiltIn, Decoration, Op};
use rustc_hash::{FxBuildHasher, FxHashMap};

/// A constant that can be given a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecConstant {
    /// The result id.
    pub id: u32,
    /// Its `SpecId`.
    pub number: u32,
    /// Its name, if it has one.
    pub name: Option<String>,
}

/// Lists the constants with a `SpecId`, in the order of the module.
pub fn constants(module: &Binary) -> Vec<SpecConstant> {
    let mut numbers: IndexMap<u32, u32, FxBuildHasher> = IndexMap::default();
    let mut names: FxHashMap<u32, &str> = FxHashMap::default();
    for inst in &module.head {
        match (inst.op(), inst.inst.operands.as_slice()) {
            (Op::Decorate, [id, Operand::Decoration(Decoration::SpecId), Operand::LiteralBit32(n)]) => {
                numbers.extend(id.id_ref_any().map(|id| (id, *n)));
            }
            (Op::Name, [id, Operand::LiteralString(name)]) if !name.is_empty() => {
                names.extend(id.id_ref_any().map(|id| (id, name.as_str())));
            }
            _ => {}
        }
    }
    let spec = |op| matches!(op, Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse);
    let found = module.head.iter().filter(|i| spec(i.op())).filter_map(|i| {
        let id = i.inst.result_id?;
        Some(SpecConstant { id, number: *numbers.get(&id)?, name: names.get(&id).map(|n| (*n).to_string()) })
    });
    found.collect()
}

/// A constant value.
#[derive(Debug, Clone, PartialEq)]
enum Value {
    Scalar(u64),
    Composite(Vec<Value>),
}

/// Scalars of a constant whose parts are known.
const KNOWN: usize = 256;

impl Value {
    fn scalars(&self) -> usize {
        match self {
            Value::Scalar(_) => 1,
            Value::Composite(parts) => parts.iter().map(Value::scalars).sum(),
        }
    }
}

struct Folder {
    types: FxHashMap<u32, Type>,
    values: FxHashMap<u32, (u32, Value)>,
    made: FxHashMap<(u32, u64), u32>,
    out: Vec<Inst>,
    bound: u32,
}

/// Gives constants their values: those of `given` by `SpecId`, their own otherwise.
///
/// # Errors
/// A value that the constant's type does not have, or an operation that no constant can have.
pub fn specialize(module: &mut Binary, given: &[(u32, f64)]) -> Result<(), Diagnostic> {
    let constants: FxHashMap<u32, SpecConstant> = constants(module).into_iter().map(|c| (c.id, c)).collect();
    let head = std::mem::take(&mut module.head);
    let mut f = Folder {
        types: FxHashMap::default(),
        values: FxHashMap::default(),
        made: FxHashMap::default(),
        out: Vec::with_capacity(head.len()),
        bound: module.header.bound,
    };
    for mut inst in head {
        let result = inst.inst.result_id.unwrap_or(0);
        if let Some(ty) = declared(&inst) {
            f.types.insert(result, ty);
        }
        let ty = inst.inst.result_type.unwrap_or(0);
        // The last of several values for a constant counts.
        let constant = constants.get(&result);
        let value = constant.and_then(|c| given.iter().rev().find(|g| g.0 == c.number).map(|g| (c, g.1)));
        match inst.op() {
            Op::Decorate if matches!(inst.inst.operands.get(1), Some(Operand::Decoration(Decoration::SpecId))) => {
                continue;
            }
            Op::SpecConstantTrue | Op::SpecConstantFalse => {
                let set = value.map_or(inst.op() == Op::SpecConstantTrue, |v| v.1 != 0.0);
                f.scalar(ty, result, u64::from(set), inst.place);
                continue;
            }
            Op::SpecConstant => {
                let own = match inst.inst.operands.first() {
                    Some(&Operand::LiteralBit32(x)) => u64::from(x),
                    Some(&Operand::LiteralBit64(x)) => x,
                    _ => 0,
                };
                let bits = match value {
                    Some((constant, x)) => f.given(ty, constant, x)?,
                    None => own,
                };
                f.scalar(ty, result, bits, inst.place);
                continue;
            }
            Op::SpecConstantComposite => {
                inst.inst = Instruction::new(Op::ConstantComposite, Some(ty), Some(result), inst.inst.operands);
            }
            Op::SpecConstantOp => {
                let value = f.fold(&inst)?;
                f.write(ty, Some(result), &value, inst.place)?;
                continue;
            }
            _ => {}
        }
        f.know(&inst);
        f.out.push(inst);
    }
    module.head = std::mem::take(&mut f.out);
    module.header.bound = f.bound;
    Ok(())
}

impl Folder {
    fn know(&mut self, inst: &Inst) {
        let (Some(id), Some(ty)) = (inst.inst.result_id, inst.inst.result_type) else { return };
        let value = match inst.op() {
            Op::ConstantTrue => Value::Scalar(1),
            Op::ConstantFalse => Value::Scalar(0),
            Op::Constant => match inst.inst.operands.first() {
                Some(&Operand::LiteralBit32(x)) => Value::Scalar(x.into()),
                Some(&Operand::LiteralBit64(x)) => Value::Scalar(x),
                _ => return,
            },
            Op::ConstantComposite => {
                let parts: Option<Vec<&Value>> = inst.ids(0).iter().map(|p| self.values.get(p).map(|v| &v.1)).collect();
                // Arithmetic is on vectors; larger values would only be copied.
                match parts {
                    Some(parts) if parts.iter().map(|p| p.scalars()).sum::<usize>() <= KNOWN => {
                        Value::Composite(parts.into_iter().cloned().collect())
                    }
                    _ => return,
                }
            }
            Op::ConstantNull | Op::Undef => match self.zero(ty) {
                Some(zero) => zero,
                None => return,
            },
            _ => return,
        };
        if let Value::Scalar(x) = value {
            self.made.entry((ty, x)).or_insert(id);
        }
        self.values.insert(id, (ty, value));
    }

    /// Zero of a type that arithmetic on constants can have.
    fn zero(&self, ty: u32) -> Option<Value> {
        match *self.types.get(&ty)? {
            Type::Bool | Type::Int(..) | Type::Float(_) => Some(Value::Scalar(0)),
            Type::Vector(of, n) => Some(Value::Composite(vec![self.zero(of)?; n as usize])),
            _ => None,
        }
    }

    /// The bits of a value from outside, as WebGPU converts it.
    fn given(&self, ty: u32, constant: &SpecConstant, x: f64) -> Result<u64, Diagnostic> {
        let name = constant.name.clone().unwrap_or_else(|| constant.number.to_string());
        let bad = |what: &str| {
            Err(Diagnostic::invalid("override", format!("{x} is not a value of override `{name}`: {what}")))
        };
        if !x.is_finite() {
            return bad("it must be finite");
        }
        let whole = x.trunc();
        match self.types.get(&ty) {
            Some(Type::Int(32, true)) if (-2_147_483_648.0..=2_147_483_647.0).contains(&whole) => {
                Ok(u64::from(whole as i32 as u32))
            }
            Some(Type::Int(32, false)) if (0.0..=4_294_967_295.0).contains(&whole) => Ok(u64::from(whole as u32)),
            Some(&Type::Int(width @ (8 | 16), signed)) => {
                let half = f64::from(1u32 << (width - 1));
                let range = if signed { -half..half } else { 0.0..2.0 * half };
                // The word holds the sign above the lane.
                if range.contains(&whole) {
                    Ok(u64::from(whole as i32 as u32))
                } else {
                    bad("its type does not have it")
                }
            }
            Some(Type::Int(64, true)) if whole.abs() < 9.2e18 => Ok(whole as i64 as u64),
            Some(Type::Int(64, false)) if (0.0..1.8e19).contains(&whole) => Ok(whole as u64),
            Some(Type::Float(32)) if (x as f32).is_finite() => Ok(u64::from((x as f32).to_bits())),
            Some(Type::Float(64)) => Ok(x.to_bits()),
            Some(Type::Float(16)) if x.abs() < 65520.0 => {
                Ok(u64::from(gpucc_num::convert::f64_to_f16(gpucc_num::Round::Nearest, x)))
            }
            Some(Type::Int(..) | Type::Float(_)) => bad("its type does not have it"),
            _ => bad("its type takes no value"),
        }
    }

    fn fresh(&mut self) -> u32 {
        self.bound += 1;
        self.bound - 1
    }

    fn scalar(&mut self, ty: u32, result: u32, bits: u64, place: u32) {
        let (op, operands) = match self.types.get(&ty) {
            Some(Type::Bool) if bits != 0 => (Op::ConstantTrue, vec![]),
            Some(Type::Bool) => (Op::ConstantFalse, vec![]),
            Some(Type::Int(64, _) | Type::Float(64)) => (Op::Constant, vec![Operand::LiteralBit64(bits)]),
            _ => (Op::Constant, vec![number(bits as u32)]),
        };
        let inst = Inst { inst: Instruction::new(op, Some(ty), Some(result), operands), place };
        self.know(&inst);
        self.out.push(inst);
    }

    /// Declares a constant of this value.
    fn write(&mut self, ty: u32, result: Option<u32>, value: &Value, place: u32) -> Result<u32, Diagnostic> {
        match value {
            Value::Scalar(bits) => {
                if let (None, Some(&known)) = (result, self.made.get(&(ty, *bits))) {
                    return Ok(known);
                }
                let id = result.unwrap_or_else(|| self.fresh());
                self.scalar(ty, id, *bits, place);
                Ok(id)
            }
            Value::Composite(parts) => {
                let part = |n: usize| match self.types.get(&ty)? {
                    Type::Vector(of, _) | Type::Matrix(of, _) | Type::Array(of, _) => Some(*of),
                    Type::Struct(members) => members.get(n).copied(),
                    _ => None,
                };
                let types: Option<Vec<u32>> = (0..parts.len()).map(part).collect();
                let types = types.ok_or_else(|| malformed("a constant has a type that it cannot have"))?;
                let mut operands = Vec::with_capacity(parts.len());
                for (part, ty) in parts.iter().zip(types) {
                    operands.push(Operand::IdRef(self.write(ty, None, part, place)?));
                }
                let id = result.unwrap_or_else(|| self.fresh());
                let inst = Instruction::new(Op::ConstantComposite, Some(ty), Some(id), operands);
                let inst = Inst { inst, place };
                self.know(&inst);
                self.out.push(inst);
                Ok(id)
            }
        }
    }

    fn fold(&self, inst: &Inst) -> Result<Value, Diagnostic> {
        let Some(&Operand::LiteralSpecConstantOpInteger(op)) = inst.inst.operands.first() else {
            return Err(malformed("`OpSpecConstantOp` without an operation"));
        };
        let refused = || unsupported(&format!("OpSpecConstantOp {op:?}"));
        let rest = &inst.inst.operands[1..];
        let values: Vec<&(u32, Value)> =
            rest.iter().filter_map(Operand::id_ref_any).filter_map(|id| self.values.get(&id)).collect();
        let numbers: Vec<u32> = rest
            .iter()
            .filter_map(|o| match o {
                Operand::LiteralBit32(n) => Some(*n),
                _ => None,
            })
            .collect();
        let ids = rest.iter().filter(|o| o.id_ref_any().is_some()).count();
        let ty = inst.inst.result_type.unwrap_or(0);
        if ids != values.len() || ids == 0 {
            return Err(refused());
        }
        match op {
            Op::CompositeExtract => {
                numbers.iter().try_fold(values[0].1.clone(), |v, &n| part(&v, n)).ok_or_else(refused)
            }
            Op::CompositeInsert if values.len() == 2 => {
                insert(&values[1].1, &values[0].1, &numbers).ok_or_else(refused)
            }
            Op::VectorShuffle if values.len() == 2 => {
                let (Value::Composite(a), Value::Composite(b)) = (&values[0].1, &values[1].1) else {
                    return Err(refused());
                };
                let lane = |&n: &u32| {
                    let n = if n == u32::MAX { 0 } else { n as usize };
                    a.iter().chain(b).nth(n).cloned()
                };
                numbers.iter().map(lane).collect::<Option<_>>().map(Value::Composite).ok_or_else(refused)
            }
            Op::Select if values.len() == 3 => select(&values[0].1, &values[1].1, &values[2].1).ok_or_else(refused),
            _ => {
                let shape = self.scalar_of(values[0].0).zip(self.scalar_of(ty));
                let (from, to) = shape.ok_or_else(refused)?;
                let operands: Vec<&Value> = values.iter().map(|v| &v.1).collect();
                lanes(op, (from, to), &operands).ok_or_else(refused)
            }
        }
    }

    /// The scalar of a scalar or vector type.
    fn scalar_of(&self, ty: u32) -> Option<&Type> {
        match self.types.get(&ty)? {
            Type::Vector(of, _) => self.types.get(of),
            other => Some(other),
        }
    }
}

fn part(value: &Value, n: u32) -> Option<Value> {
    match value {
        Value::Composite(parts) => parts.get(n as usize).cloned(),
        Value::Scalar(_) => None,
    }
}

fn insert(whole: &Value, object: &Value, path: &[u32]) -> Option<Value> {
    let Some((&first, rest)) = path.split_first() else { return Some(object.clone()) };
    let Value::Composite(parts) = whole else { return None };
    let mut parts = parts.clone();
    let place = parts.get_mut(first as usize)?;
    *place = insert(place, object, rest)?;
    Some(Value::Composite(parts))
}

fn select(which: &Value, yes: &Value, no: &Value) -> Option<Value> {
    match (which, yes, no) {
        (Value::Scalar(which), yes, no) => Some(if *which != 0 { yes.clone() } else { no.clone() }),
        (Value::Composite(w), Value::Composite(y), Value::Composite(n)) if w.len() == y.len() && w.len() == n.len() => {
            w.iter()
                .zip(y.iter().zip(n))
                .map(|(w, (y, n))| select(w, y, n))
                .collect::<Option<_>>()
                .map(Value::Composite)
        }
        _ => None,
    }
}

/// An operation lane by lane.
fn lanes(op: Op, types: (&Type, &Type), operands: &[&Value]) -> Option<Value> {
    match operands[0] {
        Value::Scalar(_) => {
            let bits = |v: &&Value| match v {
                Value::Scalar(x) => Some(*x),
                Value::Composite(_) => None,
            };
            let bits: Vec<u64> = operands.iter().map(bits).collect::<Option<_>>()?;
            one(op, types, &bits).map(Value::Scalar)
        }
        Value::Composite(parts) => {
            let lane = |n: usize| {
                let parts: Vec<Value> = operands.iter().map(|v| part(v, n as u32)).collect::<Option<_>>()?;
                lanes(op, types, &parts.iter().collect::<Vec<_>>())
            };
            (0..parts.len()).map(lane).collect::<Option<_>>().map(Value::Composite)
        }
    }
}

/// An operation on scalars. A quotient by zero, which no value is asked for, is zero.
fn one(op: Op, (from, to): (&Type, &Type), operands: &[u64]) -> Option<u64> {
    let a = *operands.first()?;
    let b = operands.get(1).copied();
    let width = |ty: &Type| match ty {
        Type::Int(width, _) | Type::Float(width) => *width,
        _ => 32,
    };
    let mask = |width: u32, x: u64| if width >= 64 { x } else { x & ((1 << width) - 1) };
    let w = width(from);
    let signed = |x: u64| (x << (64 - w)) as i64 >> (64 - w);
    if let Some(r) = converted(op, (from, to), a) {
        return Some(mask(width(to), r));
    }
    if matches!(from, Type::Float(_)) {
        return None;
    }
    let (u, v) = (mask(w, a), mask(w, b.unwrap_or(0)));
    let (s, t) = (signed(a), signed(b.unwrap_or(0)));
    let truth = |x: bool| Some(u64::from(x));
    let r = match op {
        Op::SConvert => s as u64,
        Op::UConvert => u,
        Op::SNegate => s.wrapping_neg() as u64,
        Op::Not => !u,
        Op::LogicalNot => return truth(u == 0),
        _ if b.is_none() => return None,
        Op::IAdd => u.wrapping_add(v),
        Op::ISub => u.wrapping_sub(v),
        Op::IMul => u.wrapping_mul(v),
        Op::UDiv => u.checked_div(v).unwrap_or(0),
        Op::SDiv => {
            if t == 0 {
                0
            } else {
                s.wrapping_div(t) as u64
            }
        }
        Op::UMod => u.checked_rem(v).unwrap_or(0),
        Op::SRem => {
            if t == 0 {
                0
            } else {
                s.wrapping_rem(t) as u64
            }
        }
        Op::SMod => match t {
            0 => 0,
            _ => {
                let r = s.wrapping_rem(t);
                (if r != 0 && (r < 0) != (t < 0) { r.wrapping_add(t) } else { r }) as u64
            }
        },
        Op::ShiftLeftLogical => u.checked_shl(v as u32).filter(|_| v < 64).unwrap_or(0),
        Op::ShiftRightLogical => u.checked_shr(v as u32).filter(|_| v < 64).unwrap_or(0),
        Op::ShiftRightArithmetic => (s >> v.min(63)) as u64,
        Op::BitwiseOr => u | v,
        Op::BitwiseXor => u ^ v,
        Op::BitwiseAnd => u & v,
        Op::LogicalOr => return truth(u != 0 || v != 0),
        Op::LogicalAnd => return truth(u != 0 && v != 0),
        Op::LogicalEqual | Op::IEqual => return truth(u == v),
        Op::LogicalNotEqual | Op::INotEqual => return truth(u != v),
        Op::UGreaterThan => return truth(u > v),
        Op::SGreaterThan => return truth(s > t),
        Op::UGreaterThanEqual => return truth(u >= v),
        Op::SGreaterThanEqual => return truth(s >= t),
        Op::ULessThan => return truth(u < v),
        Op::SLessThan => return truth(s < t),
        Op::ULessThanEqual => return truth(u <= v),
        Op::SLessThanEqual => return truth(s <= t),
        _ => return None,
    };
    Some(mask(width(to), r))
}

/// A conversion that has a float on one side. A float that the integer type does not have is its nearest.
fn converted(op: Op, types: (&Type, &Type), a: u64) -> Option<u64> {
    use gpucc_num::{Round::Nearest, Round::Zero, convert as c};
    let float = |width: u32| match width {
        16 => Some(c::f16_to_f64(a as u16)),
        32 => Some(f64::from(f32::from_bits(a as u32))),
        64 => Some(f64::from_bits(a)),
        _ => None,
    };
    Some(match (op, types.0, types.1) {
        (Op::FConvert, Type::Float(from), Type::Float(to)) => match to {
            16 => c::f64_to_f16(Nearest, float(*from)?).into(),
            32 => c::f64_to_f32(Nearest, float(*from)?).to_bits().into(),
            64 => float(*from)?.to_bits(),
            _ => return None,
        },
        (Op::ConvertFToS, Type::Float(from), Type::Int(to, _)) => c::f64_to_sint(Zero, float(*from)?, *to) as u64,
        (Op::ConvertFToU, Type::Float(from), Type::Int(to, _)) => c::f64_to_uint(Zero, float(*from)?, *to),
        (Op::ConvertSToF, Type::Int(from, _), Type::Float(to)) => {
            let x = (a << (64 - from)) as i64 >> (64 - from);
            match to {
                16 => c::i64_to_f16(Nearest, x).into(),
                32 => c::i64_to_f32(Nearest, x).to_bits().into(),
                64 => c::i64_to_f64(Nearest, x).to_bits(),
                _ => return None,
            }
        }
        (Op::ConvertUToF, Type::Int(from, _), Type::Float(to)) => {
            let x = a & (u64::MAX >> (64 - from));
            match to {
                16 => c::u64_to_f16(Nearest, x).into(),
                32 => c::u64_to_f32(Nearest, x).to_bits().into(),
                64 => c::u64_to_f64(Nearest, x).to_bits(),
                _ => return None,
            }
        }
        _ => return None,
    })
}

/// Turns sizes of workgroups that are constants into numbers: `LocalSizeId`, and the built-in `WorkgroupSize`, which
/// counts more than any execution mode. An entry point without a size of its own has 1, 1, 1.
///
/// # Errors
/// A size that is no constant, or zero.
pub fn workgroup_sizes(module: &mut Binary) -> Result<(), Diagnostic> {
    use rspirv::spirv::{ExecutionMode as Mode, ExecutionModel as Model};
    let mut scalars: FxHashMap<u32, u32> = FxHashMap::default();
    let mut composites: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    let mut built_in = None;
    for inst in &module.head {
        match (inst.op(), inst.inst.result_id, inst.inst.operands.as_slice()) {
            (Op::Constant, Some(id), [Operand::LiteralBit32(x)]) => {
                scalars.insert(id, *x);
            }
            (Op::ConstantComposite, Some(id), _) => {
                composites.insert(id, inst.ids(0));
            }
            (
                Op::Decorate,
                _,
                [id, Operand::Decoration(Decoration::BuiltIn), Operand::BuiltIn(BuiltIn::WorkgroupSize)],
            ) => {
                built_in = id.id_ref_any();
            }
            _ => {}
        }
    }
    let numbers = |ids: &[u32]| -> Result<[u32; 3], Diagnostic> {
        let list: Option<Vec<u32>> = ids.iter().map(|id| scalars.get(id).copied()).collect();
        match list.as_deref() {
            Some(&[x, y, z]) => Ok([x, y, z]),
            _ => Err(malformed("the size of a workgroup is not three constants")),
        }
    };
    let built_in = match built_in.and_then(|id| composites.get(&id)) {
        Some(parts) => Some(numbers(parts)?),
        None => None,
    };
    let mut sizes: IndexMap<u32, [u32; 3], FxBuildHasher> = IndexMap::default();
    let mut kept = Vec::with_capacity(module.head.len());
    for inst in module.head.drain(..) {
        let mode = match inst.inst.operands.get(1) {
            Some(Operand::ExecutionMode(mode)) => Some(*mode),
            _ => None,
        };
        match (inst.op(), mode) {
            (Op::ExecutionMode, Some(Mode::LocalSize)) => {
                let list: Vec<u32> = (2..5).filter_map(|n| inst.literal(n)).collect();
                if let (Some(id), &[x, y, z]) = (inst.id(0), list.as_slice()) {
                    sizes.insert(id, [x, y, z]);
                }
            }
            (Op::ExecutionModeId, Some(Mode::LocalSizeId)) => {
                let size = numbers(&inst.ids(2))?;
                sizes.extend(inst.id(0).map(|id| (id, size)));
            }
            (Op::ExecutionMode | Op::ExecutionModeId, Some(Mode::LocalSizeHint | Mode::LocalSizeHintId)) => {}
            _ => kept.push(inst),
        }
    }
    module.head = kept;
    let entries = module.head.iter().filter(|i| i.op() == Op::EntryPoint);
    let compute =
        entries.filter(|i| matches!(i.inst.operands.first(), Some(Operand::ExecutionModel(Model::GLCompute))));
    let mut modes = Vec::new();
    for function in compute.filter_map(|i| i.id(1)) {
        let size = built_in.or_else(|| sizes.get(&function).copied()).unwrap_or([1; 3]);
        if size.contains(&0) {
            return Err(Diagnostic::invalid("validation", format!("the workgroup size {size:?} has a zero in it")));
        }
        let mode = [Operand::IdRef(function), Operand::ExecutionMode(Mode::LocalSize)];
        let operands = mode.into_iter().chain(size.map(Operand::LiteralBit32)).collect();
        modes.push(Inst { inst: Instruction::new(Op::ExecutionMode, None, None, operands), place: 0 });
    }
    let after = module.head.iter().rposition(|i| i.op() == Op::EntryPoint).map_or(0, |at| at + 1);
    module.head.splice(after..after, modes);
    Ok(())
}
