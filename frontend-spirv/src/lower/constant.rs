//! Constants: their values, of specialisation constants those that are given, and operations on them, which are lowered like all others
//! and computed at once.

use super::cx::{Lowered, ModuleCx};
use super::data::{Given, Tree};
use super::func::FuncCx;
use crate::module::{Inst, SpecConstant};
use crate::types::{Kind, Ty};
use crate::value::Val;
use gpucc_frontend_common::limits;
use gpucc_ir as ir;
use ir::{Diagnostic, Refusal, Scalar};
use rspirv::spirv::Op;
use std::rc::Rc;

impl ModuleCx<'_> {
    /// The value of a constant's instruction.
    pub fn constant(&mut self, inst: &Inst) -> Lowered<Tree> {
        let m = self.m;
        if inst.ty == 0 {
            return Err(m.wrong(inst, "it stands outside of all functions"));
        }
        let ty = self.types.of(inst.ty, inst)?;
        let o = m.operands(inst);
        let leaf = self.types.leaf(ty);
        match inst.op {
            Op::ConstantTrue | Op::ConstantFalse | Op::SpecConstantTrue | Op::SpecConstantFalse => {
                if leaf != Some(ir::Type::B1) {
                    return Err(m.wrong(inst, "its type is not bool"));
                }
                let own = u64::from(matches!(inst.op, Op::ConstantTrue | Op::SpecConstantTrue));
                let given = self.given_to(inst).map(|(_, given)| match given {
                    Given::Number(x) => u64::from(x != 0.0),
                    Given::Bits(bits) => u64::from(bits != 0),
                });
                Ok(Tree::Leaf(ir::Const::new(ir::Type::B1, &[given.unwrap_or(own)])))
            }
            Op::Constant | Op::SpecConstant => {
                let scalar = match leaf {
                    Some(t) if !t.is_vector() && !t.is_bool() => t,
                    _ => return Err(m.wrong(inst, "its type is no number")),
                };
                let words = if scalar.bits() == 64 { 2 } else { 1 };
                if o.len() != words {
                    return Err(m.wrong(inst, format!("its value has {} words, its type {words}", o.len())));
                }
                let own = o.iter().rev().fold(0u64, |n, &w| n << 32 | u64::from(w));
                let bits = match self.given_to(inst) {
                    Some((constant, Given::Number(x))) => self.given(ty, &constant, x)?,
                    Some((_, Given::Bits(bits))) => bits & scalar.scalar().mask(),
                    None => own,
                };
                Ok(Tree::Leaf(ir::Const::new(scalar, &[bits])))
            }
            Op::ConstantNull | Op::Undef => match (leaf, self.types.kind(ty)) {
                (Some(leaf), _) => Ok(Tree::Leaf(ir::Const::new(leaf, &[0]))),
                (None, Kind::Matrix(..) | Kind::Array(..) | Kind::Struct(_)) => Ok(Tree::Zero(ty)),
                _ if inst.op == Op::Undef => Ok(Tree::Zero(ty)),
                _ => Err(m.missing(Refusal::Spirv, inst, "of a pointer or an opaque type")),
            },
            Op::ConstantComposite | Op::SpecConstantComposite => self.composite(inst, ty),
            Op::SpecConstantOp => self.operation(inst),
            Op::ConstantSampler => Ok(Tree::Sampler),
            _ => Err(m.wrong(inst, "it stands outside of all functions")),
        }
    }

    fn composite(&mut self, inst: &Inst, ty: Ty) -> Lowered<Tree> {
        let m = self.m;
        let o = m.operands(inst);
        if !self.types.is_composite(ty) {
            return Err(m.wrong(inst, "its type has no parts"));
        }
        if o.len() != self.types.parts(ty) as usize {
            return Err(m.wrong(inst, format!("it has {} parts, its type {}", o.len(), self.types.parts(ty))));
        }
        let mut parts = Vec::with_capacity(o.len());
        for (k, &id) in o.iter().enumerate() {
            let part = self.tree(id, inst)?;
            let want = self.types.part(ty, k as u32);
            let have = m.def(id).and_then(|d| self.types.find(m.insts[d].ty));
            let leaf = |ty: Option<Ty>| ty.and_then(|ty| self.types.leaf(ty));
            // The validator lets integers of the other sign pass.
            if want != have && (leaf(want).is_none() || leaf(want) != leaf(have)) {
                return Err(m.wrong(inst, format!("%{id} has another type than its part {k}")));
            }
            parts.push(part);
        }
        let Some(leaf) = self.types.leaf(ty) else { return Ok(Tree::Parts(parts)) };
        let bits: Vec<u64> = parts.iter().map(|p| p.whole().unwrap_or(0)).collect();
        Ok(Tree::Leaf(ir::Const::new(leaf, &bits)))
    }

    /// The value of a constant's id.
    pub fn tree(&self, id: u32, inst: &Inst) -> Lowered<Rc<Tree>> {
        let found = self.m.def(id).and_then(|d| self.consts.get(d).cloned().flatten());
        found.ok_or_else(|| self.m.wrong(inst, format!("%{id} is no constant that stands before it")))
    }

    /// Lowers an operation into a function of its own, and computes what that does.
    fn operation(&mut self, inst: &Inst) -> Lowered<Tree> {
        let m = self.m;
        let o = m.operands(inst);
        let op = o.first().and_then(|&n| Op::from_u32(n));
        let refused = || {
            let name = op.map_or_else(|| o.first().map_or(String::new(), u32::to_string), |op| format!("{op:?}"));
            m.missing(Refusal::Spirv, inst, name)
        };
        let Some(op) = op.filter(|op| crate::tables::is_constant_op(*op)) else { return Err(refused()) };
        let inner = m.inner(inst, op).ok_or_else(|| m.wrong(inst, "its operands do not fit its operation"))?;
        let ty = self.types.of(inst.ty, inst)?;
        let mut cx = FuncCx::scratch(self);
        let value = cx.pure(&inner)?;
        let Some(value) = value else { return Err(refused()) };
        let value = cx.checked(&inner, value)?;
        cx.fold(&value, ty).ok_or_else(refused)
    }

    fn given_to(&self, inst: &Inst) -> Option<(SpecConstant, Given)> {
        self.given.get(&inst.id).cloned()
    }

    /// The bits of a value from outside, as WebGPU converts it.
    fn given(&self, ty: Ty, constant: &SpecConstant, x: f64) -> Lowered<u64> {
        let name = constant.name.clone().unwrap_or_else(|| constant.number.to_string());
        let bad = |what: &str| {
            Err(Diagnostic::invalid("override", format!("{x} is not a value of override `{name}`: {what}")))
        };
        if !x.is_finite() {
            return bad("it must be finite");
        }
        let whole = x.trunc();
        match *self.types.kind(ty) {
            Kind::Int(Scalar::I64, true) if whole.abs() < 9.2e18 => Ok(whole as i64 as u64),
            Kind::Int(Scalar::I64, false) if (0.0..1.8e19).contains(&whole) => Ok(whole as u64),
            Kind::Int(s, signed) if s != Scalar::I64 => {
                let half = (1u64 << (s.bits() - 1)) as f64;
                let range = if signed { -half..half } else { 0.0..2.0 * half };
                if range.contains(&whole) { Ok(whole as i64 as u64) } else { bad("its type does not have it") }
            }
            Kind::Float(Scalar::F32) if (x as f32).is_finite() => Ok(u64::from((x as f32).to_bits())),
            Kind::Float(Scalar::F64) => Ok(x.to_bits()),
            Kind::Float(Scalar::F16) if x.abs() < 65520.0 => {
                Ok(u64::from(gpucc_num::convert::f64_to_f16(gpucc_num::Round::Nearest, x)))
            }
            _ => bad("its type does not have it"),
        }
    }

    /// The memory image of a constant in our own layout.
    pub fn bytes(&mut self, tree: &Tree, ty: Ty, inst: &Inst) -> Lowered<Vec<u8>> {
        let size = self.types.get(ty).own.size;
        if u64::from(size) > limits::VARIABLE_BYTES.max {
            return Err(super::variable::too_large(Refusal::PrivateMemory, self.m.span(inst)));
        }
        self.count(u64::from(size) / 16)?;
        let mut bytes = vec![0; size as usize];
        tree.write(&self.types, ty, 0, &mut bytes);
        Ok(bytes)
    }
}

impl FuncCx<'_, '_> {
    /// The results of instructions on constants.
    fn fold(&mut self, value: &Val, ty: Ty) -> Option<Tree> {
        let block = self.code.block;
        let mut map: rustc_hash::FxHashMap<ir::Value, ir::Value> = rustc_hash::FxHashMap::default();
        let insts = self.code.f.blocks[block].insts.clone();
        for i in insts {
            self.code.f.insts[i].map_uses(|v| map.get(&v).copied().unwrap_or(v));
            let c = ir::eval::fold_inst(&self.code.f, i)?;
            let result = self.code.f.insts[i].result();
            let c = self.code.f.constant(c);
            map.insert(result, c);
        }
        self.folded(value, ty, &map)
    }

    fn folded(&self, value: &Val, ty: Ty, map: &rustc_hash::FxHashMap<ir::Value, ir::Value>) -> Option<Tree> {
        match value {
            Val::One(v) => self.code.f.as_const(map.get(v).copied().unwrap_or(*v)).cloned().map(Tree::Leaf),
            Val::Parts(parts) => {
                let mut list = Vec::new();
                for (k, p) in parts.iter().enumerate() {
                    list.push(Rc::new(self.folded(p, self.m.types.part(ty, k as u32)?, map)?));
                }
                Some(Tree::Parts(list))
            }
            _ => None,
        }
    }
}
