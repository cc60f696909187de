//! What naga's SPIR-V reader leaves in a form that its own validator refuses, put right.

use crate::spirv::decorations::Sampled;
use naga::{
    AddressSpace, Arena, ArraySize, BinaryOperator, Binding, Block, Expression, Function, Handle, Interpolation,
    Literal, MathFunction, MemoryDecorations, Module, PredeclaredType, Sampling, Scalar, ShaderStage, Span, Statement,
    Type, TypeInner, UniqueArena, VectorSize,
};
use rspirv::spirv::ExecutionModel;

/// Repairs a module that was read from SPIR-V:
///
/// - `OpLogicalAnd` and `OpLogicalOr` are allowed on vectors and evaluate both sides: that is what naga's `And` and
///   `InclusiveOr` of bools are, while its logical operators take scalars only;
/// - `Coherent` and `Volatile` of images and other variables that are no storage buffers are allowed and say nothing to us;
/// - zero stored to a whole variable with atomics inside is stored part by part;
/// - a gather of a depth texture gives four lanes, which the reader makes a vector of four of;
/// - the result types of `modf` and `frexp` are looked up by name, and the reader does not declare them.
pub fn spirv(module: &mut Module) {
    for (_, global) in module.global_variables.iter_mut() {
        if !matches!(global.space, AddressSpace::Storage { .. }) {
            global.memory_decorations = MemoryDecorations::empty();
        }
    }
    let mut splits = false;
    let functions = module.functions.iter_mut().map(|(_, f)| f);
    for function in functions.chain(module.entry_points.iter_mut().map(|e| &mut e.function)) {
        let gathers: Vec<_> =
            function.expressions.iter().filter_map(|(h, e)| Some((h, gathered(function, e)?))).collect();
        for (splat, gather) in gathers {
            function.expressions[splat] = gather;
        }
        for (_, expression) in function.expressions.iter_mut() {
            match expression {
                Expression::Binary { op: op @ BinaryOperator::LogicalAnd, .. } => *op = BinaryOperator::And,
                Expression::Binary { op: op @ BinaryOperator::LogicalOr, .. } => *op = BinaryOperator::InclusiveOr,
                Expression::Math { fun: MathFunction::Modf | MathFunction::Frexp, .. } => splits = true,
                _ => {}
            }
        }
    }
    split_zero_stores(module);
    if splits {
        let sizes = [None, Some(VectorSize::Bi), Some(VectorSize::Tri), Some(VectorSize::Quad)];
        for size in sizes {
            for scalar in [Scalar::F32, Scalar::F16] {
                module.generate_predeclared_type(PredeclaredType::ModfResult { size, scalar });
                module.generate_predeclared_type(PredeclaredType::FrexpResult { size, scalar });
            }
        }
    }
}

/// The gather of which an expression is a vector of four; the expression becomes a second one, and nobody asks for the first.
fn gathered(function: &Function, expression: &Expression) -> Option<Expression> {
    let Expression::Splat { value, .. } = *expression else { return None };
    let of = &function.expressions[value];
    matches!(of, Expression::ImageSample { gather: Some(_), .. }).then(|| of.clone())
}

/// Says of inputs and outputs where they are interpolated: the reader forgets it of those that do not say how.
pub fn sampling(module: &mut Module, list: &[Sampled]) {
    for (model, name, location, at) in list {
        let stage = if *model == ExecutionModel::Vertex { ShaderStage::Vertex } else { ShaderStage::Fragment };
        for entry in module.entry_points.iter_mut().filter(|e| e.stage == stage && e.name == *name) {
            let Function { arguments, result, expressions, .. } = &mut entry.function;
            let given = arguments.iter_mut().map(|a| (&mut a.binding, &mut a.ty));
            let made = result.iter_mut().map(|r| (&mut r.binding, &mut r.ty));
            let sides = given.map(|g| (ShaderStage::Fragment, g)).chain(made.map(|m| (ShaderStage::Vertex, m)));
            for (_, (binding, ty)) in sides.filter(|s| s.0 == stage) {
                match binding {
                    Some(binding) => interpolate(binding, *location, *at),
                    None => {
                        let new = interpolated(&mut module.types, *ty, *location, *at);
                        for (_, expression) in expressions.iter_mut() {
                            match expression {
                                Expression::Compose { ty: of, .. } if of == ty => *of = new,
                                _ => {}
                            }
                        }
                        *ty = new;
                    }
                }
            }
        }
    }
}

fn interpolate(binding: &mut Binding, wanted: u32, at: Sampling) {
    if let Binding::Location { location, interpolation: Some(Interpolation::Perspective), sampling, .. } = binding
        && *location == wanted
    {
        *sampling = Some(at);
    }
}

/// The type with what is interpolated at one location said.
fn interpolated(types: &mut UniqueArena<Type>, ty: Handle<Type>, location: u32, at: Sampling) -> Handle<Type> {
    let mut changed = types[ty].clone();
    let TypeInner::Struct { members, .. } = &mut changed.inner else { return ty };
    members.iter_mut().filter_map(|m| m.binding.as_mut()).for_each(|b| interpolate(b, location, at));
    types.insert(changed, Span::UNDEFINED)
}

/// Gives the workgroup variables their zeros back that the source asks for: they hold whether or not the module is robust. The validator
/// has no such thing, so this comes after it.
pub fn zeroed(module: &mut Module, list: &[bool]) {
    let workgroup = module.global_variables.iter_mut().filter(|(_, g)| g.space == AddressSpace::WorkGroup);
    for (_, (_, global)) in list.iter().zip(workgroup).filter(|(zero, _)| **zero) {
        let zero = Expression::ZeroValue(global.ty);
        global.init = Some(module.global_expressions.append(zero, Span::UNDEFINED));
    }
}

/// Zero stored to whole workgroup variables, as some writers do at the start of an entry point.
///
/// SPIR-V has no atomic types: the reader turns the types of variables with atomic accesses into such, and a store of
/// all zeros to the whole variable no longer fits. It is taken apart into stores of the parts.
fn split_zero_stores(module: &mut Module) {
    let (mut functions, mut entry_points) = (module.functions.take(), std::mem::take(&mut module.entry_points));
    let bodies = functions.iter_mut().map(|(_, f)| f).chain(entry_points.iter_mut().map(|e| &mut e.function));
    for function in bodies {
        split_in_block(module, &mut function.expressions, &mut function.body);
    }
    module.functions = functions;
    module.entry_points = entry_points;
}

fn split_in_block(module: &Module, expressions: &mut Arena<Expression>, block: &mut Block) {
    let mut out = Block::with_capacity(block.len());
    for (mut statement, span) in std::mem::take(block).span_into_iter() {
        match &mut statement {
            Statement::Block(b) => split_in_block(module, expressions, b),
            Statement::If { accept, reject, .. } => {
                split_in_block(module, expressions, accept);
                split_in_block(module, expressions, reject);
            }
            Statement::Switch { cases, .. } => {
                cases.iter_mut().for_each(|c| split_in_block(module, expressions, &mut c.body));
            }
            Statement::Loop { body, continuing, .. } => {
                split_in_block(module, expressions, body);
                split_in_block(module, expressions, continuing);
            }
            &mut Statement::Store { pointer, value } => {
                if let Expression::GlobalVariable(global) = expressions[pointer]
                    && let ty = module.global_variables[global].ty
                    && has_atomics(module, ty)
                    && !matches!(module.types[ty].inner, TypeInner::Atomic(_))
                    && is_zero(module, expressions, value)
                {
                    store_zero(module, expressions, &mut out, pointer, ty, span);
                    continue;
                }
            }
            _ => {}
        }
        out.push(statement, span);
    }
    *block = out;
}

fn has_atomics(module: &Module, ty: Handle<Type>) -> bool {
    match &module.types[ty].inner {
        TypeInner::Atomic(_) => true,
        TypeInner::Array { base, .. } => has_atomics(module, *base),
        TypeInner::Struct { members, .. } => members.iter().any(|m| has_atomics(module, m.ty)),
        _ => false,
    }
}

fn is_zero(module: &Module, expressions: &Arena<Expression>, value: Handle<Expression>) -> bool {
    match expressions[value] {
        Expression::ZeroValue(_) => true,
        Expression::Constant(constant) => {
            let init = module.constants[constant].init;
            matches!(module.global_expressions[init], Expression::ZeroValue(_))
        }
        _ => false,
    }
}

/// Stores zero through `pointer`, part by part where a part holds atomics.
fn store_zero(
    module: &Module,
    expressions: &mut Arena<Expression>,
    out: &mut Block,
    pointer: Handle<Expression>,
    ty: Handle<Type>,
    span: Span,
) {
    /// More parts than this are left to the validator.
    const MOST: u32 = 1 << 14;
    let parts: Vec<Handle<Type>> = match &module.types[ty].inner {
        TypeInner::Array { base, size: ArraySize::Constant(n), .. }
            if n.get() <= MOST && has_atomics(module, *base) =>
        {
            vec![*base; n.get() as usize]
        }
        TypeInner::Struct { members, .. } if has_atomics(module, ty) => members.iter().map(|m| m.ty).collect(),
        inner => {
            let zero = match inner {
                TypeInner::Atomic(scalar) => Literal::zero(*scalar).map(Expression::Literal),
                _ => None,
            };
            let value = expressions.append(zero.unwrap_or(Expression::ZeroValue(ty)), span);
            out.push(Statement::Store { pointer, value }, span);
            return;
        }
    };
    for (index, part) in parts.into_iter().enumerate() {
        let before = expressions.len();
        let element = expressions.append(Expression::AccessIndex { base: pointer, index: index as u32 }, span);
        out.push(Statement::Emit(expressions.range_from(before)), span);
        store_zero(module, expressions, out, element, part, span);
    }
}
