//! Variables and interfaces that a stage does not have: workgroup memory outside of compute shaders, writable buffers and images in vertex
//! shaders, inputs and outputs by location in compute shaders.

use crate::report;
use gpucc_ir::{Diagnostic, Span};
use naga::{
    AddressSpace, Binding, Block, EntryPoint, Expression, Function, GlobalVariable, Handle, ImageClass, Module,
    ShaderStage, Statement, StorageAccess, TypeInner,
};
use std::collections::BTreeMap;

/// Variables with the places where they are named first.
type Uses = BTreeMap<usize, (Handle<GlobalVariable>, Span)>;

/// All breaches of entry points.
pub fn check(module: &Module, source: &str) -> Vec<Diagnostic> {
    let mut list: Vec<Diagnostic> = Vec::new();
    let others = |e: &EntryPoint| e.stage == ShaderStage::Vertex || e.stage == ShaderStage::Fragment;
    // Functions come behind those that they call.
    let mut uses: Vec<Uses> = Vec::new();
    if module.entry_points.iter().any(others) {
        for (_, function) in module.functions.iter() {
            uses.push(of_function(function, &uses));
        }
    }
    for entry in &module.entry_points {
        if others(entry) {
            for (variable, at) in of_function(&entry.function, &uses).values() {
                let found = forbidden(module, entry.stage, *variable);
                let Some(what) = found else { continue };
                let declared = report::span(module.global_variables.get_span(*variable));
                let at = if at.is_known() { *at } else { declared };
                let stage = if entry.stage == ShaderStage::Vertex { "vertex" } else { "fragment" };
                let message = format!("the {stage} entry point `{}` reaches {what}", entry.name);
                let d = Diagnostic::invalid("validation", message).at(at, "used here");
                list.extend(Some(d).filter(|d| !list.contains(d)));
            }
        } else if entry.stage == ShaderStage::Compute {
            list.extend(located(module, entry, source));
        }
    }
    list
}

fn of_function(function: &Function, callees: &[Uses]) -> Uses {
    let mut all = Uses::new();
    for (handle, expression) in function.expressions.iter() {
        if let Expression::GlobalVariable(g) = *expression {
            let at = report::span(function.expressions.get_span(handle));
            all.entry(g.index()).or_insert((g, at));
        }
    }
    calls(&function.body, &mut |callee| {
        for (&n, &used) in callees.get(callee.index()).into_iter().flatten() {
            all.entry(n).or_insert(used);
        }
    });
    all
}

fn calls(block: &Block, each: &mut dyn FnMut(Handle<Function>)) {
    for statement in block.iter() {
        match statement {
            Statement::Call { function, .. } => each(*function),
            Statement::Block(inner) => calls(inner, each),
            Statement::If { accept, reject, .. } => {
                calls(accept, each);
                calls(reject, each);
            }
            Statement::Switch { cases, .. } => cases.iter().for_each(|c| calls(&c.body, each)),
            Statement::Loop { body, continuing, .. } => {
                calls(body, each);
                calls(continuing, each);
            }
            _ => {}
        }
    }
}

/// The kind of a variable that a stage does not have.
fn forbidden(module: &Module, stage: ShaderStage, variable: Handle<GlobalVariable>) -> Option<&'static str> {
    let global = &module.global_variables[variable];
    let writes = |access: StorageAccess| access.contains(StorageAccess::STORE) && stage == ShaderStage::Vertex;
    let image = match module.types[global.ty].inner {
        TypeInner::BindingArray { base, .. } => &module.types[base].inner,
        ref inner => inner,
    };
    match (global.space, image) {
        (AddressSpace::WorkGroup, _) => Some("workgroup memory, which compute shaders alone have"),
        (AddressSpace::Storage { access }, _) if writes(access) => {
            Some("a storage buffer that can be written, which vertex shaders do not have")
        }
        (_, &TypeInner::Image { class: ImageClass::Storage { access, .. }, .. }) if writes(access) => {
            Some("a storage texture that can be written, which vertex shaders do not have")
        }
        _ => None,
    }
}

/// An input or output by location of a compute entry point.
fn located(module: &Module, entry: &EntryPoint, source: &str) -> Option<Diagnostic> {
    let is_location = |b: &Option<Binding>| matches!(b, Some(Binding::Location { .. }));
    let has = |binding: &Option<Binding>, ty: Handle<naga::Type>| {
        is_location(binding)
            || match &module.types[ty].inner {
                TypeInner::Struct { members, .. } => members.iter().any(|m| is_location(&m.binding)),
                _ => false,
            }
    };
    let what = if entry.function.arguments.iter().any(|a| has(&a.binding, a.ty)) {
        "input by location"
    } else if entry.function.result.is_some() {
        "output"
    } else {
        return None;
    };
    let head = source.match_indices(entry.name.as_str()).find(|(at, _)| {
        let before = source[..*at].trim_end();
        before.ends_with("fn") && source[at + entry.name.len()..].trim_start().starts_with('(')
    });
    let at = head.map_or(Span::UNKNOWN, |(at, name)| Span::new(at as u32, (at + name.len()) as u32));
    let message = format!("the compute entry point `{}` has an {what}, which compute shaders do not have", entry.name);
    Some(Diagnostic::invalid("validation", message).at(at, "here"))
}
