//! Matrices in buffers whose layout naga has no type for: in rows, or with columns further apart than their size asks.
//!
//! Such a member of a struct becomes an array of vectors, one for each line (a column, or a row) in memory, with the
//! matrix's stride. A struct's values hold the array, too; every other value is the matrix as before, so loads, stores
//! and what takes structs apart convert. In a matrix by rows a pointer to a column is none to memory: it is kept as the
//! matrix's pointer and an index, and loads and stores through it go element by element.

use super::binary::{Binary, Inst};
use super::types::{RewriteCx, Type, id, malformed, number, unsupported};
use gpucc_ir::Diagnostic;
use indexmap::IndexMap;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Decoration, Op, StorageClass};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// A matrix as lines, or an array of such.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// The matrix type and whether its lines are rows.
    Lines(u32, bool),
    /// The array type that it stands for, and what its elements are now.
    Array(u32, u32),
}

/// A pointer to a column of a matrix by rows: a pointer to the matrix, its lines' type, and the column.
#[derive(Debug, Clone, Copy)]
struct Column {
    lines: u32,
    ty: u32,
    index: u32,
}

/// What is known of matrices in lines.
#[derive(Debug, Default)]
pub struct Matrices {
    shapes: IndexMap<u32, Shape, FxBuildHasher>,
    /// Structs and arrays with such a part, at any depth.
    holding: FxHashSet<u32>,
    columns: FxHashMap<u32, Column>,
}

/// Elements of an array of matrices that is copied as a whole.
const ELEMENTS: u32 = 1 << 12;

type Layouts = FxHashMap<(u32, u32), (Option<u32>, bool)>;

/// Replaces the members that need it, in the declarations.
///
/// # Errors
/// A constant of a type that is changed, or a layout in which matrices overlap.
pub fn declare(module: &mut Binary) -> Result<Matrices, Diagnostic> {
    let mut matrices = Matrices::default();
    let mut layouts: Layouts = FxHashMap::default();
    for inst in &module.head {
        if let (Op::MemberDecorate, [of, Operand::LiteralBit32(member), Operand::Decoration(what), rest @ ..]) =
            (inst.op(), inst.inst.operands.as_slice())
        {
            let entry = layouts.entry((of.id_ref_any().unwrap_or(0), *member)).or_insert((None, false));
            match (what, rest) {
                (Decoration::MatrixStride, [Operand::LiteralBit32(n)]) => entry.0 = Some(*n),
                (Decoration::RowMajor, _) => entry.1 = true,
                _ => {}
            }
        }
    }
    if layouts.values().all(|l| l.0.is_none()) {
        return Ok(matrices);
    }
    // What is declared so far: a declaration uses only earlier ones.
    let mut cx = RewriteCx::empty(module);
    let strides = strides(module);
    let mut annotations = Vec::new();
    let mut head = Vec::with_capacity(module.head.len());
    for mut inst in std::mem::take(&mut module.head) {
        let result = inst.inst.result_id.unwrap_or(0);
        let ty = inst.inst.result_type.unwrap_or(0);
        if inst.op() == Op::TypeStruct {
            for (n, operand) in inst.inst.operands.iter_mut().enumerate() {
                let Some(&(Some(stride), by_rows)) = layouts.get(&(result, n as u32)) else { continue };
                let member = operand.id_ref_any().unwrap_or(0);
                let new = replaced(&mut cx, &mut matrices, (member, stride, by_rows), &strides, &mut annotations)?;
                *operand = id(new.map_or(member, |n| n.0));
            }
            head.append(&mut cx.globals);
        } else if inst.op() == Op::ConstantComposite && matrices.holding.contains(&ty) {
            return Err(unsupported("OpConstantComposite of a struct with matrices"));
        }
        cx.declare(&inst);
        if matches!(inst.op(), Op::TypeStruct | Op::TypeArray | Op::TypeRuntimeArray)
            && inst.ids(0).iter().any(|p| matrices.shapes.contains_key(p) || matrices.holding.contains(p))
        {
            matrices.holding.insert(result);
        }
        head.push(inst);
    }
    let before = head.iter().position(|i| i.op().is_type()).unwrap_or(head.len());
    head.splice(before..before, annotations);
    // What the annotations say of members that are matrices no more.
    let gone = |i: &Inst| {
        let kind = i.inst.operands.get(2);
        i.op() == Op::MemberDecorate
            && matches!(
                kind,
                Some(Operand::Decoration(Decoration::RowMajor | Decoration::ColMajor | Decoration::MatrixStride))
            )
    };
    if !matrices.shapes.is_empty() {
        head.retain(|i| !gone(i));
    }
    module.head = head;
    module.header.bound = cx.bound;
    Ok(matrices)
}

/// `ArrayStride` of arrays.
fn strides(module: &Binary) -> FxHashMap<u32, u32> {
    let mut strides = FxHashMap::default();
    for inst in &module.head {
        if let (Op::Decorate, [of, Operand::Decoration(Decoration::ArrayStride), Operand::LiteralBit32(n)]) =
            (inst.op(), inst.inst.operands.as_slice())
        {
            strides.insert(of.id_ref_any().unwrap_or(0), *n);
        }
    }
    strides
}

/// The type that a member has instead and its bytes, if it needs another.
fn replaced(
    cx: &mut RewriteCx,
    matrices: &mut Matrices,
    (ty, stride, by_rows): (u32, u32, bool),
    strides: &FxHashMap<u32, u32>,
    annotations: &mut Vec<Inst>,
) -> Result<Option<(u32, u64)>, Diagnostic> {
    let decorate = |annotations: &mut Vec<Inst>, of: u32, stride: u32| {
        let operands = vec![id(of), Operand::Decoration(Decoration::ArrayStride), number(stride)];
        annotations.push(Inst { inst: Instruction::new(Op::Decorate, None, None, operands), place: 0 });
    };
    match *cx.ty(ty) {
        Type::Matrix(column, columns) => {
            let Some((scalar, rows)) = cx.lanes(column) else { return Ok(None) };
            let Type::Float(width) = *cx.ty(scalar) else { return Ok(None) };
            let width = width / 8;
            if !by_rows && stride == if rows == 2 { 2 } else { 4 } * width {
                return Ok(None);
            }
            let (line, lines) = if by_rows { (cx.lanes_of(scalar, columns), rows) } else { (column, columns) };
            let lanes = if by_rows { columns } else { rows };
            if stride < lanes * width {
                return Err(malformed(format!("a MatrixStride of {stride} lets the lines of a matrix overlap")));
            }
            let uint = cx.int(false);
            let length = cx.constant(uint, lines);
            let array = cx.fresh();
            cx.global(Op::TypeArray, None, array, vec![id(line), id(length)]);
            decorate(annotations, array, stride);
            matrices.shapes.insert(array, Shape::Lines(ty, by_rows));
            Ok(Some((array, u64::from(stride) * u64::from(lines))))
        }
        Type::Array(of, _) | Type::RuntimeArray(of) => {
            let inner = replaced(cx, matrices, (of, stride, by_rows), strides, annotations)?;
            let Some((new, bytes)) = inner else { return Ok(None) };
            let array = cx.fresh();
            let (op, operands) = match *cx.ty(ty) {
                Type::Array(_, length) => (Op::TypeArray, vec![id(new), id(length)]),
                _ => (Op::TypeRuntimeArray, vec![id(new)]),
            };
            cx.global(op, None, array, operands);
            let stride = strides.get(&ty).copied().unwrap_or(0);
            if u64::from(stride) < bytes {
                return Err(malformed(format!("an ArrayStride of {stride} lets matrices of {bytes} bytes overlap")));
            }
            decorate(annotations, array, stride);
            matrices.shapes.insert(array, Shape::Array(ty, new));
            Ok(Some((array, u64::from(stride) * u64::from(cx.length(ty).unwrap_or(1)))))
        }
        _ => Ok(None),
    }
}

/// Rewrites an instruction; whether it did.
///
/// # Errors
/// What cannot be converted.
pub fn rewrite(cx: &mut RewriteCx, inst: &Inst) -> Result<bool, Diagnostic> {
    if cx.matrices.shapes.is_empty() {
        return Ok(false);
    }
    let (ty, result) = (inst.inst.result_type.unwrap_or(0), inst.inst.result_id.unwrap_or(0));
    match inst.op() {
        Op::AccessChain | Op::InBoundsAccessChain => chain(cx, inst, result),
        Op::Load => {
            let Some(pointer) = inst.id(0) else { return Ok(false) };
            if !special(cx, pointer) {
                return Ok(false);
            }
            load(cx, pointer, Some(result))?;
            Ok(true)
        }
        Op::Store => {
            let (Some(pointer), Some(value)) = (inst.id(0), inst.id(1)) else { return Ok(false) };
            if !special(cx, pointer) {
                return Ok(false);
            }
            store(cx, pointer, value)?;
            Ok(true)
        }
        Op::CopyMemory => {
            let (Some(to), Some(from)) = (inst.id(0), inst.id(1)) else { return Ok(false) };
            if !special(cx, to) && !special(cx, from) {
                return Ok(false);
            }
            let value = load(cx, from, None)?;
            store(cx, to, value)?;
            Ok(true)
        }
        Op::CompositeExtract => {
            let Some(value) = inst.id(0) else { return Ok(false) };
            if !cx.type_of(value).is_some_and(|t| holds(cx, t)) {
                return Ok(false);
            }
            let path: Vec<u32> = (1..inst.inst.operands.len()).filter_map(|n| inst.literal(n)).collect();
            let part = extract(cx, value, ty, &path)?;
            cx.emit_as(Op::CopyObject, ty, result, vec![id(part)]);
            Ok(true)
        }
        Op::CompositeConstruct if holds(cx, ty) => {
            construct(cx, ty, result, &inst.ids(0))?;
            Ok(true)
        }
        Op::CompositeInsert if holds(cx, ty) => Err(unsupported("OpCompositeInsert of a struct with matrices by rows")),
        Op::FunctionCall => {
            let special = inst.ids(1).into_iter().any(|a| special(cx, a));
            if special { Err(unsupported("OpFunctionCall with a pointer to a matrix by rows")) } else { Ok(false) }
        }
        _ => Ok(false),
    }
}

/// Whether the type holds matrices in lines as a member, at any depth.
fn holds(cx: &RewriteCx, ty: u32) -> bool {
    cx.matrices.shapes.contains_key(&ty) || cx.matrices.holding.contains(&ty)
}

/// Whether a pointer is to lines, or to a column that is none in memory.
fn special(cx: &RewriteCx, pointer: u32) -> bool {
    cx.matrices.columns.contains_key(&pointer)
        || cx.pointee(pointer).is_some_and(|p| cx.matrices.shapes.contains_key(&p.1))
}

fn chain_to(cx: &mut RewriteCx, class: StorageClass, to: u32, base: u32, indices: &[u32], result: Option<u32>) -> u32 {
    let ty = cx.type_id(Type::Pointer(class, to));
    let operands = std::iter::once(id(base)).chain(indices.iter().map(|&i| id(i))).collect();
    let result = result.unwrap_or_else(|| cx.fresh());
    cx.emit_as(Op::AccessChain, ty, result, operands);
    result
}

fn chain(cx: &mut RewriteCx, inst: &Inst, result: u32) -> Result<bool, Diagnostic> {
    let Some(base) = inst.id(0) else { return Ok(false) };
    let indices = inst.ids(1);
    if let Some(&column) = cx.matrices.columns.get(&base) {
        let (Some(&row), Some((class, _))) = (indices.first(), cx.pointee(column.lines)) else { return Ok(false) };
        let scalar = cx.part(column.ty, 0).and_then(|line| cx.part(line, 0));
        let scalar = scalar.ok_or_else(|| malformed("a matrix without elements"))?;
        chain_to(cx, class, scalar, column.lines, &[row, column.index], Some(result));
        return Ok(true);
    }
    let Some((class, mut ty)) = cx.pointee(base) else { return Ok(false) };
    for (n, &index) in indices.iter().enumerate() {
        if let Some(&Shape::Lines(_, true)) = cx.matrices.shapes.get(&ty) {
            let line = cx.part(ty, 0).ok_or_else(|| malformed("a matrix without lines"))?;
            if let Some(&row) = indices.get(n + 1) {
                let scalar = cx.part(line, 0).ok_or_else(|| malformed("a matrix without elements"))?;
                let path: Vec<u32> = indices[..n].iter().copied().chain([row, index]).collect();
                chain_to(cx, class, scalar, base, &path, Some(result));
            } else {
                let lines = if n == 0 { base } else { chain_to(cx, class, ty, base, &indices[..n], None) };
                cx.matrices.columns.insert(result, Column { lines, ty, index });
            }
            return Ok(true);
        }
        let constant = cx.bits(index).map_or(0, |n| n as u32);
        let Some(next) = cx.part(ty, constant) else { return Ok(false) };
        ty = next;
    }
    // The result's type names what the pointer points to now.
    if cx.matrices.shapes.contains_key(&ty) {
        chain_to(cx, class, ty, base, &indices, Some(result));
        return Ok(true);
    }
    Ok(false)
}

/// Pointers to the elements of a column.
fn elements(cx: &mut RewriteCx, column: Column) -> Result<(u32, Vec<u32>), Diagnostic> {
    let class = cx.pointee(column.lines).map(|p| p.0);
    let scalar = cx.part(column.ty, 0).and_then(|line| cx.part(line, 0));
    let (Some(class), Some(scalar), Some(rows)) = (class, scalar, cx.length(column.ty)) else {
        return Err(malformed("a pointer into a matrix without elements"));
    };
    let uint = cx.int(false);
    let pointer = |cx: &mut RewriteCx, row: u32| {
        let row = cx.constant(uint, row);
        chain_to(cx, class, scalar, column.lines, &[row, column.index], None)
    };
    Ok((scalar, (0..rows).map(|row| pointer(cx, row)).collect()))
}

fn load(cx: &mut RewriteCx, pointer: u32, result: Option<u32>) -> Result<u32, Diagnostic> {
    if let Some(&column) = cx.matrices.columns.get(&pointer) {
        let (scalar, pointers) = elements(cx, column)?;
        let parts: Vec<u32> = pointers.into_iter().map(|p| cx.emit(Op::Load, scalar, vec![id(p)])).collect();
        let ty = cx.lanes_of(scalar, parts.len() as u32);
        let result = result.unwrap_or_else(|| cx.fresh());
        cx.emit_as(Op::CompositeConstruct, ty, result, parts.into_iter().map(id).collect());
        return Ok(result);
    }
    let Some((_, ty)) = cx.pointee(pointer) else { return Err(malformed(format!("%{pointer} is not a pointer"))) };
    if !cx.matrices.shapes.contains_key(&ty) {
        return Ok(cx.emit(Op::Load, ty, vec![id(pointer)]));
    }
    let value = cx.emit(Op::Load, ty, vec![id(pointer)]);
    let value = from_lines(cx, value, ty)?;
    if let Some(result) = result {
        let ty = cx.type_of(value).unwrap_or(0);
        cx.emit_as(Op::CopyObject, ty, result, vec![id(value)]);
    }
    Ok(value)
}

fn store(cx: &mut RewriteCx, pointer: u32, value: u32) -> Result<(), Diagnostic> {
    let put = |cx: &mut RewriteCx, p: u32, v: u32| cx.push(Instruction::new(Op::Store, None, None, vec![id(p), id(v)]));
    if let Some(&column) = cx.matrices.columns.get(&pointer) {
        let (scalar, pointers) = elements(cx, column)?;
        for (row, pointer) in pointers.into_iter().enumerate() {
            let part = cx.extract(value, scalar, &[row as u32]);
            put(cx, pointer, part);
        }
        return Ok(());
    }
    let Some((_, ty)) = cx.pointee(pointer) else { return Err(malformed(format!("%{pointer} is not a pointer"))) };
    let value = if cx.matrices.shapes.contains_key(&ty) { to_lines(cx, value, ty)? } else { value };
    put(cx, pointer, value);
    Ok(())
}

/// The type of the matrix whose columns are the lines.
fn transposed(cx: &mut RewriteCx, lines: u32) -> Option<(u32, u32, u32)> {
    let (line, n) = (cx.part(lines, 0)?, cx.length(lines)?);
    Some((cx.type_id(Type::Matrix(line, n)), line, n))
}

fn from_lines(cx: &mut RewriteCx, value: u32, ty: u32) -> Result<u32, Diagnostic> {
    match cx.matrices.shapes.get(&ty) {
        None => Ok(value),
        Some(&Shape::Lines(matrix, by_rows)) => {
            let (other, line, n) = transposed(cx, ty).ok_or_else(|| malformed("a matrix without lines"))?;
            let lines: Vec<u32> = (0..n).map(|i| cx.extract(value, line, &[i])).collect();
            if !by_rows {
                return Ok(cx.construct(matrix, &lines));
            }
            let rows = cx.construct(other, &lines);
            Ok(cx.emit(Op::Transpose, matrix, vec![id(rows)]))
        }
        Some(&Shape::Array(array, element)) => {
            let n = cx
                .length(ty)
                .filter(|n| *n <= ELEMENTS)
                .ok_or_else(|| unsupported("OpLoad of a large array of matrices"))?;
            let mut list = Vec::new();
            for i in 0..n {
                let part = cx.extract(value, element, &[i]);
                list.push(from_lines(cx, part, element)?);
            }
            Ok(cx.construct(array, &list))
        }
    }
}

fn to_lines(cx: &mut RewriteCx, value: u32, ty: u32) -> Result<u32, Diagnostic> {
    match cx.matrices.shapes.get(&ty) {
        None => Ok(value),
        Some(&Shape::Lines(_, by_rows)) => {
            let (other, line, n) = transposed(cx, ty).ok_or_else(|| malformed("a matrix without lines"))?;
            let value = if by_rows { cx.emit(Op::Transpose, other, vec![id(value)]) } else { value };
            let lines: Vec<u32> = (0..n).map(|i| cx.extract(value, line, &[i])).collect();
            Ok(cx.construct(ty, &lines))
        }
        Some(&Shape::Array(array, element)) => {
            let n = cx
                .length(ty)
                .filter(|n| *n <= ELEMENTS)
                .ok_or_else(|| unsupported("OpStore of a large array of matrices"))?;
            let old = cx.part(array, 0).ok_or_else(|| malformed("an array without elements"))?;
            let mut list = Vec::new();
            for i in 0..n {
                let part = cx.extract(value, old, &[i]);
                list.push(to_lines(cx, part, element)?);
            }
            Ok(cx.construct(ty, &list))
        }
    }
}

/// A part of a value whose type may hold matrices in lines; `ty` is the type that the program gives the part.
///
/// # Errors
/// A path that leads nowhere, or an array that is too large to be converted.
pub fn extract(cx: &mut RewriteCx, value: u32, ty: u32, path: &[u32]) -> Result<u32, Diagnostic> {
    let mut current = cx.type_of(value).ok_or_else(|| malformed(format!("%{value} has no type")))?;
    for (n, &index) in path.iter().enumerate() {
        if let Some(&Shape::Lines(..)) = cx.matrices.shapes.get(&current) {
            let lines = cx.extract(value, current, &path[..n]);
            let matrix = from_lines(cx, lines, current)?;
            return Ok(cx.extract(matrix, ty, &path[n..]));
        }
        current = cx.part(current, index).ok_or_else(|| malformed("a path into a composite leads nowhere"))?;
    }
    if cx.matrices.shapes.contains_key(&current) {
        let lines = cx.extract(value, current, path);
        return from_lines(cx, lines, current);
    }
    Ok(cx.extract(value, ty, path))
}

/// A composite of parts as the program has them.
///
/// # Errors
/// An array of matrices that is too large to be converted.
pub fn construct(cx: &mut RewriteCx, ty: u32, result: u32, parts: &[u32]) -> Result<(), Diagnostic> {
    let mut list = Vec::with_capacity(parts.len());
    for (n, &part) in parts.iter().enumerate() {
        let member = cx.part(ty, n as u32).unwrap_or(0);
        list.push(id(to_lines(cx, part, member)?));
    }
    cx.emit_as(Op::CompositeConstruct, ty, result, list);
    Ok(())
}
