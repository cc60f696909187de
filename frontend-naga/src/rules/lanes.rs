//! Numbers of lanes that are the same for a subgroup: the distance of `subgroupShuffleUp` and `subgroupShuffleDown`, and the mask of
//! `subgroupShuffleXor`.
//!
//! Values that come from an invocation's own number, from an input or from memory that may be written differ. What a variable holds is not
//! looked at.

use crate::report;
use gpucc_ir::Diagnostic;
use naga::{
    AddressSpace, Binding, Block, BuiltIn, Expression, Function, GatherMode, Handle, Module, Statement, StorageAccess,
    TypeInner,
};

/// The first number that differs.
pub fn check(module: &Module, source: &str) -> Option<Diagnostic> {
    // A severity of its own is a wish to have it otherwise.
    if !source.contains("subgroupShuffle") || source.contains("subgroup_uniformity)") {
        return None;
    }
    let functions = module.functions.iter().map(|(_, f)| (f, false));
    let entries = module.entry_points.iter().map(|e| (&e.function, true));
    functions.chain(entries).find_map(|(f, is_entry)| {
        let differs = differing(module, f, is_entry);
        in_block(&f.body, &mut |index| differs[index.index()]).map(|index| {
            let at = report::span(f.expressions.get_span(index));
            let message = "this number of lanes differs between the lanes of a subgroup";
            Diagnostic::invalid("subgroup-uniformity", message)
                .at(at, "here")
                .note("`diagnostic(off, subgroup_uniformity);` allows it; what a lane gets then is not defined")
        })
    })
}

fn in_block(block: &Block, differs: &mut dyn FnMut(Handle<Expression>) -> bool) -> Option<Handle<Expression>> {
    block.iter().find_map(|s| match s {
        Statement::Block(inner) => in_block(inner, differs),
        Statement::If { accept, reject, .. } => in_block(accept, differs).or_else(|| in_block(reject, differs)),
        Statement::Switch { cases, .. } => cases.iter().find_map(|c| in_block(&c.body, differs)),
        Statement::Loop { body, continuing, .. } => in_block(body, differs).or_else(|| in_block(continuing, differs)),
        Statement::SubgroupGather {
            mode: GatherMode::ShuffleUp(n) | GatherMode::ShuffleDown(n) | GatherMode::ShuffleXor(n),
            ..
        } => differs(*n).then_some(*n),
        _ => None,
    })
}

/// Whether each expression of a function is known to differ between lanes. Operands stand before what they are operands of.
fn differing(module: &Module, f: &Function, is_entry: bool) -> Vec<bool> {
    let mut known: Vec<bool> = Vec::with_capacity(f.expressions.len());
    for (_, e) in f.expressions.iter() {
        let of = |h: &Handle<Expression>| known.get(h.index()) == Some(&true);
        let differs = match e {
            Expression::FunctionArgument(n) => is_entry && argument(&f.arguments[*n as usize].binding),
            Expression::AccessIndex { base, index } => of(base) || is_entry && member(module, f, *base, *index),
            Expression::Access { base, index } => of(base) || of(index),
            Expression::Splat { value, .. } => of(value),
            Expression::Swizzle { vector, .. } => of(vector),
            Expression::Compose { components, .. } => components.iter().any(of),
            Expression::Unary { expr, .. } | Expression::As { expr, .. } => of(expr),
            Expression::Binary { left, right, .. } => of(left) || of(right),
            Expression::Select { condition, accept, reject } => of(condition) || of(accept) || of(reject),
            Expression::Math { arg, arg1, .. } => of(arg) || arg1.as_ref().is_some_and(of),
            Expression::Load { pointer } => of(pointer) || writable(module, f, *pointer),
            Expression::AtomicResult { .. } => true,
            _ => false,
        };
        known.push(differs);
    }
    known
}

/// Whether an input of an entry point differs between lanes.
fn argument(binding: &Option<Binding>) -> bool {
    match binding {
        Some(Binding::Location { .. }) => true,
        Some(Binding::BuiltIn(b)) => matches!(
            b,
            BuiltIn::LocalInvocationId
                | BuiltIn::LocalInvocationIndex
                | BuiltIn::GlobalInvocationId
                | BuiltIn::SubgroupInvocationId
                | BuiltIn::Position { .. }
                | BuiltIn::VertexIndex
        ),
        None => false,
    }
}

/// The same of a member of an input that is a structure.
fn member(module: &Module, f: &Function, base: Handle<Expression>, index: u32) -> bool {
    let Expression::FunctionArgument(n) = f.expressions[base] else { return false };
    match &module.types[f.arguments[n as usize].ty].inner {
        TypeInner::Struct { members, .. } => members.get(index as usize).is_some_and(|m| argument(&m.binding)),
        _ => false,
    }
}

/// Whether a pointer is into memory that the shader may write.
fn writable(module: &Module, f: &Function, mut pointer: Handle<Expression>) -> bool {
    loop {
        match f.expressions[pointer] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => pointer = base,
            Expression::GlobalVariable(g) => {
                return match module.global_variables[g].space {
                    AddressSpace::Storage { access } => access.contains(StorageAccess::STORE),
                    _ => false,
                };
            }
            _ => return false,
        }
    }
}
