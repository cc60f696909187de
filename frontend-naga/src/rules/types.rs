//! Types that are none: atomic floats, pointers to what memory cannot hold, atomics that nothing may write, `bitcast` between sizes; names for
//! textures, offsets in cubes, and loops that nothing leaves.

use crate::report;
use crate::shadow::Types;
use gpucc_ir::{Diagnostic, Span};
use naga::{
    AddressSpace, Block, Expression, Function, Handle, ImageDimension, Module, ScalarKind, Statement, StorageAccess,
    Type, TypeInner,
};

/// Checks all rules about types; the diagnostics of those broken.
pub fn check(module: &Module, source: &str) -> Vec<Diagnostic> {
    let mut list = Vec::new();
    declared(module, source, &mut list);
    let types = if source.contains("bitcast") { Types::new(module).ok() } else { None };
    for (handle, function) in module.functions.iter() {
        in_function(module, function, source, &mut list);
        casts(module, function, types.as_ref().and_then(|t| t.function(handle)), source, &mut list);
    }
    for (n, entry) in module.entry_points.iter().enumerate() {
        in_function(module, &entry.function, source, &mut list);
        casts(module, &entry.function, types.as_ref().and_then(|t| t.entry(n)), source, &mut list);
    }
    list
}

fn wrong(at: Span, message: &str) -> Diagnostic {
    Diagnostic::invalid("validation", message).at(at, "here")
}

/// Types and variables.
fn declared(module: &Module, source: &str, list: &mut Vec<Diagnostic>) {
    // Types come behind those that they are made of.
    let mut atomic: Vec<bool> = Vec::with_capacity(module.types.len());
    let mut truth: Vec<bool> = Vec::with_capacity(module.types.len());
    for (handle, ty) in module.types.iter() {
        let any = |known: &[bool]| match &ty.inner {
            TypeInner::Array { base, .. } | TypeInner::BindingArray { base, .. } => known[base.index()],
            TypeInner::Struct { members, .. } => members.iter().any(|m| known[m.ty.index()]),
            _ => false,
        };
        let is_atomic = matches!(ty.inner, TypeInner::Atomic(_)) || any(&atomic);
        let scalar = match ty.inner {
            TypeInner::Scalar(s) | TypeInner::Vector { scalar: s, .. } => Some(s.kind),
            _ => None,
        };
        let is_truth = scalar == Some(ScalarKind::Bool) || any(&truth);
        match ty.inner {
            TypeInner::Atomic(s) if s.kind == ScalarKind::Float => {
                list.push(wrong(place(module, handle, source, "atomic"), "an atomic is an `i32` or a `u32`"));
            }
            TypeInner::Pointer { base, space } => {
                let host = matches!(space, AddressSpace::Storage { .. } | AddressSpace::Uniform);
                let reads = match space {
                    AddressSpace::Storage { access } => access.contains(StorageAccess::LOAD),
                    _ => true,
                };
                if host && truth.get(base.index()) == Some(&true) {
                    let message = "this pointer is to a `bool`, which buffers do not hold";
                    list.push(wrong(place(module, handle, source, "ptr"), message));
                } else if !reads {
                    let message = "a pointer to storage has the access `read` or `read_write`";
                    list.push(wrong(place(module, handle, source, "ptr"), message));
                }
            }
            _ => {}
        }
        atomic.push(is_atomic);
        truth.push(is_truth);
    }
    for (handle, global) in module.global_variables.iter() {
        let reads_only = match global.space {
            AddressSpace::Storage { access } => !access.contains(StorageAccess::STORE),
            _ => false,
        };
        if reads_only && atomic[global.ty.index()] {
            let at = report::span(module.global_variables.get_span(handle));
            list.push(wrong(at, "atomics in storage need the access `read_write`"));
        }
    }
}

/// Where a type is written: its own place, or the first type of that name.
fn place(module: &Module, handle: Handle<Type>, source: &str, word: &str) -> Span {
    let own = report::span(module.types.get_span(handle));
    let is_type = |at: &usize| source[at + word.len()..].trim_start().starts_with('<');
    match source.match_indices(word).map(|m| m.0).find(is_type) {
        Some(at) if !own.is_known() => Span::new(at as u32, (at + word.len()) as u32),
        _ => own,
    }
}

fn in_function(module: &Module, function: &Function, source: &str, list: &mut Vec<Diagnostic>) {
    let handle_type = |image: Handle<Expression>| match function.expressions[image] {
        Expression::GlobalVariable(g) => Some(&module.types[module.global_variables[g].ty].inner),
        Expression::FunctionArgument(n) => Some(&module.types[function.arguments[n as usize].ty].inner),
        _ => None,
    };
    for (handle, expression) in function.expressions.iter() {
        if let Expression::ImageSample { image, offset: Some(_), .. } = *expression
            && let Some(TypeInner::Image { dim: ImageDimension::Cube, .. }) = handle_type(image)
        {
            let at = report::span(function.expressions.get_span(handle));
            list.push(wrong(at, "samples of a cube have no offset"));
        }
    }
    for (&handle, name) in &function.named_expressions {
        let own_name = match function.expressions[handle] {
            Expression::FunctionArgument(n) => function.arguments[n as usize].name.as_ref() == Some(name),
            _ => false,
        };
        let is_handle = matches!(handle_type(handle), Some(TypeInner::Image { .. } | TypeInner::Sampler { .. }));
        // naga names values that `_` takes, too.
        if is_handle
            && !own_name
            && let Some(at) = named(source, name)
        {
            list.push(wrong(at, "a texture or a sampler is no value that `let` can name"));
        }
    }
    loops(&function.body, list);
}

/// Where `let` gives a name.
fn named(source: &str, name: &str) -> Option<Span> {
    let found = source.match_indices("let ").find(|(at, _)| {
        let rest = source[at + 4..].trim_start();
        rest.strip_prefix(name).is_some_and(|r| !r.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    })?;
    let at = source[found.0 + 4..].find(name)? + found.0 + 4;
    Some(Span::new(at as u32, (at + name.len()) as u32))
}

/// Loops without a way out.
fn loops(block: &Block, list: &mut Vec<Diagnostic>) {
    for (statement, span) in block.span_iter() {
        match statement {
            Statement::Block(inner) => loops(inner, list),
            Statement::If { accept, reject, .. } => {
                loops(accept, list);
                loops(reject, list);
            }
            Statement::Switch { cases, .. } => cases.iter().for_each(|c| loops(&c.body, list)),
            Statement::Loop { body, continuing, break_if } => {
                if break_if.is_none() && !leaves(body, true) && !leaves(continuing, true) {
                    list.push(wrong(report::span(*span), "nothing leaves this loop"));
                }
                loops(body, list);
                loops(continuing, list);
            }
            _ => {}
        }
    }
}

/// Whether a block has a way out of the loop around it: a return, or a `break` of that loop.
fn leaves(block: &Block, breaks: bool) -> bool {
    block.iter().any(|s| match s {
        Statement::Return { .. } => true,
        Statement::Break => breaks,
        Statement::Block(inner) => leaves(inner, breaks),
        Statement::If { accept, reject, .. } => leaves(accept, breaks) || leaves(reject, breaks),
        Statement::Switch { cases, .. } => cases.iter().any(|c| leaves(&c.body, false)),
        Statement::Loop { body, continuing, .. } => leaves(body, false) || leaves(continuing, false),
        _ => false,
    })
}

/// Casts of bits to a type of another size, which naga takes for casts to the type of its lanes.
fn casts(
    module: &Module,
    function: &Function,
    types: Option<&naga::front::Typifier>,
    source: &str,
    list: &mut Vec<Diagnostic>,
) {
    let Some(types) = types else { return };
    for (handle, expression) in function.expressions.iter() {
        let Expression::As { convert: None, .. } = expression else { continue };
        let span = report::span(function.expressions.get_span(handle));
        let text = source.get(span.start as usize..span.end as usize).unwrap_or_default();
        let Some(wanted) = cast_lanes(text) else { continue };
        let got = match *types.get(handle, &module.types) {
            TypeInner::Scalar(_) => 1,
            TypeInner::Vector { size, .. } => size as usize,
            _ => continue,
        };
        if got != wanted {
            list.push(wrong(span, "`bitcast` is between types of the same size"));
        }
    }
}

/// The lanes of the type of a cast that a text is, where the type is written out and has lanes of 32 bits.
fn cast_lanes(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("bitcast")?.trim_start().strip_prefix('<')?.trim_start();
    if rest.starts_with("f32") || rest.starts_with("i32") || rest.starts_with("u32") {
        return Some(1);
    }
    let (lanes, kind) = rest.strip_prefix("vec")?.split_at_checked(1)?;
    let kind = kind.trim_start_matches(['<', ' ']);
    kind.starts_with(['f', 'i', 'u']).then(|| lanes.parse().ok()).flatten().filter(|_| !kind.starts_with("f16"))
}
