//! What the rewriting of a module knows of it: types, constants, the types of values; and how it makes more of each.

use super::binary::{Binary, Inst};
use super::matrix::Matrices;
use crate::guard::limits;
use crate::report;
use gpucc_ir::{Diagnostic, Refusal};
use indexmap::IndexMap;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op, StorageClass};
use rustc_hash::{FxBuildHasher, FxHashSet};

/// A type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Type {
    /// `OpTypeBool`.
    Bool,
    /// Bits, and whether it is signed.
    Int(u32, bool),
    /// Bits.
    Float(u32),
    /// The type of its lanes, and how many.
    Vector(u32, u32),
    /// The type of its columns, and how many.
    Matrix(u32, u32),
    /// Element and the id of the length.
    Array(u32, u32),
    /// Element.
    RuntimeArray(u32),
    /// Members.
    Struct(Vec<u32>),
    /// Where, and to what.
    Pointer(StorageClass, u32),
    /// Anything else.
    Other,
}

/// What a constant is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Constant {
    /// Bits of a scalar.
    Scalar(u64),
    /// Parts.
    Composite(Vec<u32>),
    /// Zero of any type, or undefined.
    Null,
}

/// The state of rewriting.
#[derive(Debug)]
pub struct RewriteCx {
    /// First free id.
    pub bound: u32,
    /// Types by id.
    pub types: IndexMap<u32, Type, FxBuildHasher>,
    /// Constants by id, with their types.
    pub constants: IndexMap<u32, (u32, Constant), FxBuildHasher>,
    /// The type of each value.
    values: Vec<u32>,
    made: IndexMap<Type, u32, FxBuildHasher>,
    made_constants: IndexMap<(u32, u64), u32, FxBuildHasher>,
    /// Types and constants that were made, to stand before the first function.
    pub globals: Vec<Inst>,
    /// What has been rewritten.
    pub out: Vec<Inst>,
    /// The place of what is being rewritten.
    pub place: u32,
    /// Matrices that are arrays of lines now.
    pub matrices: Matrices,
    /// Pointers to components of vectors.
    pub in_vectors: FxHashSet<u32>,
    /// The id of `GLSL.std.450`, and whether the module has to be given its declaration.
    pub extensions: (u32, bool),
}

/// An operand that is an id.
pub fn id(id: u32) -> Operand {
    Operand::IdRef(id)
}

/// An operand that is a number.
pub fn number(n: u32) -> Operand {
    Operand::LiteralBit32(n)
}

/// A type from the instruction that declares it.
pub fn declared(inst: &Inst) -> Option<Type> {
    Some(match inst.op() {
        Op::TypeBool => Type::Bool,
        Op::TypeInt => Type::Int(inst.literal(0)?, inst.literal(1)? != 0),
        Op::TypeFloat => Type::Float(inst.literal(0)?),
        Op::TypeVector => Type::Vector(inst.id(0)?, inst.literal(1)?),
        Op::TypeMatrix => Type::Matrix(inst.id(0)?, inst.literal(1)?),
        Op::TypeArray => Type::Array(inst.id(0)?, inst.id(1)?),
        Op::TypeRuntimeArray => Type::RuntimeArray(inst.id(0)?),
        Op::TypeStruct => Type::Struct(inst.ids(0)),
        Op::TypePointer => match inst.inst.operands.first() {
            Some(&Operand::StorageClass(class)) => Type::Pointer(class, inst.id(1)?),
            _ => return None,
        },
        op if op.is_type() => Type::Other,
        _ => return None,
    })
}

impl RewriteCx {
    /// Reads the types and constants of a module.
    pub fn new(module: &Binary) -> RewriteCx {
        let mut cx = RewriteCx::empty(module);
        module.head.iter().for_each(|inst| cx.declare(inst));
        for inst in &module.body {
            cx.know(inst);
        }
        cx
    }

    /// Knows nothing of the module but which ids are free.
    pub fn empty(module: &Binary) -> RewriteCx {
        let bound = module.header.bound.min(limits::SPIRV_IDS.max as u32);
        RewriteCx {
            bound,
            types: IndexMap::default(),
            constants: IndexMap::default(),
            values: vec![0; bound as usize],
            made: IndexMap::default(),
            made_constants: IndexMap::default(),
            globals: Vec::new(),
            out: Vec::new(),
            place: 0,
            matrices: Matrices::default(),
            in_vectors: FxHashSet::default(),
            extensions: (0, false),
        }
    }

    /// Learns what an instruction outside of functions declares.
    pub fn declare(&mut self, inst: &Inst) {
        self.know(inst);
        if inst.op() == Op::ExtInstImport {
            self.extensions.0 = inst.inst.result_id.unwrap_or(0);
        }
        let Some(result) = inst.inst.result_id else { return };
        if let Some(ty) = declared(inst) {
            let scalar =
                matches!(ty, Type::Bool | Type::Int(..) | Type::Float(_) | Type::Vector(..) | Type::Matrix(..));
            if scalar || matches!(ty, Type::Pointer(..)) {
                self.made.entry(ty.clone()).or_insert(result);
            }
            self.types.insert(result, ty);
            return;
        }
        let Some(ty) = inst.inst.result_type else { return };
        let constant = match inst.op() {
            Op::ConstantTrue => Constant::Scalar(1),
            Op::ConstantFalse => Constant::Scalar(0),
            Op::Constant => match inst.inst.operands.first() {
                Some(&Operand::LiteralBit32(x)) => Constant::Scalar(u64::from(x)),
                Some(&Operand::LiteralBit64(x)) => Constant::Scalar(x),
                _ => return,
            },
            Op::ConstantComposite => Constant::Composite(inst.ids(0)),
            Op::ConstantNull | Op::Undef => Constant::Null,
            _ => return,
        };
        if let Constant::Scalar(x) = constant {
            self.made_constants.entry((ty, x)).or_insert(result);
        }
        self.constants.insert(result, (ty, constant));
    }

    fn know(&mut self, inst: &Inst) {
        if let (Some(result), Some(ty)) = (inst.inst.result_id, inst.inst.result_type)
            && let Some(known) = self.values.get_mut(result as usize)
        {
            *known = ty;
        }
    }

    /// The type of a value.
    pub fn type_of(&self, value: u32) -> Option<u32> {
        self.values.get(value as usize).copied().filter(|&ty| ty != 0)
    }

    /// What a type is.
    pub fn ty(&self, ty: u32) -> &Type {
        self.types.get(&ty).unwrap_or(&Type::Other)
    }

    /// What a pointer points to, with its storage class.
    pub fn pointee(&self, pointer: u32) -> Option<(StorageClass, u32)> {
        match *self.ty(self.type_of(pointer)?) {
            Type::Pointer(class, to) => Some((class, to)),
            _ => None,
        }
    }

    /// The scalar of a scalar or vector type, and the number of lanes.
    pub fn lanes(&self, ty: u32) -> Option<(u32, u32)> {
        match *self.ty(ty) {
            Type::Bool | Type::Int(..) | Type::Float(_) => Some((ty, 1)),
            Type::Vector(of, n) => Some((of, n)),
            _ => None,
        }
    }

    /// The bits of a scalar constant.
    pub fn bits(&self, value: u32) -> Option<u64> {
        match self.constants.get(&value)?.1 {
            Constant::Scalar(x) => Some(x),
            Constant::Null => Some(0),
            Constant::Composite(_) => None,
        }
    }

    /// How many elements an array has.
    pub fn length(&self, ty: u32) -> Option<u32> {
        match *self.ty(ty) {
            Type::Array(_, length) => self.bits(length).and_then(|n| u32::try_from(n).ok()),
            Type::Struct(ref members) => Some(members.len() as u32),
            Type::Vector(_, n) | Type::Matrix(_, n) => Some(n),
            _ => None,
        }
    }

    /// The type of a part of a type.
    pub fn part(&self, ty: u32, index: u32) -> Option<u32> {
        match *self.ty(ty) {
            Type::Vector(of, _) | Type::Matrix(of, _) | Type::Array(of, _) | Type::RuntimeArray(of) => Some(of),
            Type::Struct(ref members) => members.get(index as usize).copied(),
            _ => None,
        }
    }

    /// An id that is not used yet.
    pub fn fresh(&mut self) -> u32 {
        self.bound += 1;
        self.bound - 1
    }

    /// Says what type a value has that is not written as a result yet.
    pub fn set_type(&mut self, value: u32, ty: u32) {
        if self.values.len() <= value as usize {
            self.values.resize(value as usize + 1, 0);
        }
        self.values[value as usize] = ty;
    }

    /// A declaration that is to stand before the functions.
    pub fn global(&mut self, op: Op, ty: Option<u32>, result: u32, operands: Vec<Operand>) {
        let inst = Inst { inst: Instruction::new(op, ty, Some(result), operands), place: 0 };
        if let Some(ty) = ty {
            self.set_type(result, ty);
        }
        self.declare(&inst);
        self.globals.push(inst);
    }

    /// The id of a scalar, vector, matrix or pointer type.
    pub fn type_id(&mut self, ty: Type) -> u32 {
        if let Some(&known) = self.made.get(&ty) {
            return known;
        }
        let result = self.fresh();
        let (op, operands) = match ty {
            Type::Bool => (Op::TypeBool, vec![]),
            Type::Int(width, signed) => (Op::TypeInt, vec![number(width), number(signed.into())]),
            Type::Float(width) => (Op::TypeFloat, vec![number(width)]),
            Type::Vector(of, n) => (Op::TypeVector, vec![id(of), number(n)]),
            Type::Matrix(of, n) => (Op::TypeMatrix, vec![id(of), number(n)]),
            Type::Pointer(class, to) => (Op::TypePointer, vec![Operand::StorageClass(class), id(to)]),
            // Nothing asks for one of these: they have decorations.
            Type::Array(..) | Type::RuntimeArray(_) | Type::Struct(_) | Type::Other => (Op::TypeVoid, vec![]),
        };
        self.global(op, None, result, operands);
        result
    }

    /// `ty` with so many lanes; one is the scalar.
    pub fn lanes_of(&mut self, scalar: u32, n: u32) -> u32 {
        if n == 1 { scalar } else { self.type_id(Type::Vector(scalar, n)) }
    }

    /// The id of `GLSL.std.450`.
    pub fn glsl(&mut self) -> u32 {
        if self.extensions.0 == 0 {
            self.extensions = (self.fresh(), true);
        }
        self.extensions.0
    }

    /// The integer type of 32 bits.
    pub fn int(&mut self, signed: bool) -> u32 {
        self.type_id(Type::Int(32, signed))
    }

    /// A scalar constant of 32 bits.
    pub fn constant(&mut self, ty: u32, bits: u32) -> u32 {
        if let Some(&known) = self.made_constants.get(&(ty, u64::from(bits))) {
            return known;
        }
        let result = self.fresh();
        match self.ty(ty) {
            Type::Bool => {
                let op = if bits == 0 { Op::ConstantFalse } else { Op::ConstantTrue };
                self.global(op, Some(ty), result, vec![]);
            }
            _ => self.global(Op::Constant, Some(ty), result, vec![number(bits)]),
        }
        result
    }

    /// A constant in every lane of a scalar or vector type.
    pub fn splat(&mut self, ty: u32, bits: u32) -> u32 {
        let Some((scalar, n)) = self.lanes(ty) else { return self.constant(ty, bits) };
        let one = self.constant(scalar, bits);
        if n == 1 {
            return one;
        }
        if let Some(&known) = self.made_constants.get(&(ty, u64::from(bits))) {
            return known;
        }
        let result = self.fresh();
        self.global(Op::ConstantComposite, Some(ty), result, vec![id(one); n as usize]);
        self.made_constants.insert((ty, u64::from(bits)), result);
        result
    }

    /// Writes an instruction with a new result.
    pub fn emit(&mut self, op: Op, ty: u32, operands: Vec<Operand>) -> u32 {
        let result = self.fresh();
        self.emit_as(op, ty, result, operands);
        result
    }

    /// Writes an instruction with this result.
    pub fn emit_as(&mut self, op: Op, ty: u32, result: u32, operands: Vec<Operand>) {
        self.set_type(result, ty);
        self.push(Instruction::new(op, Some(ty), Some(result), operands));
    }

    /// Writes an instruction.
    pub fn push(&mut self, inst: Instruction) {
        self.out.push(Inst { inst, place: self.place });
    }

    /// A part of a value.
    pub fn extract(&mut self, value: u32, ty: u32, path: &[u32]) -> u32 {
        let operands = std::iter::once(id(value)).chain(path.iter().map(|&n| number(n))).collect();
        self.emit(Op::CompositeExtract, ty, operands)
    }

    /// A value of parts.
    pub fn construct(&mut self, ty: u32, parts: &[u32]) -> u32 {
        self.emit(Op::CompositeConstruct, ty, parts.iter().map(|&p| id(p)).collect())
    }
}

/// What refuses a module that is right: the name is that of an instruction.
pub fn unsupported(name: &str) -> Diagnostic {
    missing(Refusal::Spirv, name)
}

/// As [`unsupported`] where there is a code for what the instruction belongs to.
pub fn missing(code: Refusal, name: &str) -> Diagnostic {
    report::unsupported(code, &format!("`{name}`"), gpucc_ir::Span::UNKNOWN)
}

/// What refuses words that no writer should make.
pub fn malformed(text: impl Into<String>) -> Diagnostic {
    Diagnostic::invalid("parse", text)
}
