//! Pointers to any memory as arguments (WGSL's `unrestricted_pointer_parameters`), and images that are written.
//!
//! naga's validator has no place for them: it is shown a module in which such a parameter is a variable of the same type, and calls do not
//! give it. Lowering puts functions that get pointers in the place of their calls.

use naga::{
    AddressSpace, Expression, Function, GlobalVariable, Handle, ImageClass, MemoryDecorations, Module, ResourceBinding,
    Span, Statement, StorageAccess, TypeInner,
};

/// A group that no module has.
const GROUP: u32 = u32::MAX;

/// Hides them; whether there was any.
pub fn hide(module: &mut Module) -> bool {
    let mut removed: Vec<Vec<usize>> = Vec::with_capacity(module.functions.len());
    for (_, function) in module.functions.iter_mut() {
        let mut list = Vec::new();
        let mut stands = vec![None; function.arguments.len()];
        for (n, argument) in function.arguments.iter().enumerate() {
            let (base, space) = match module.types[argument.ty].inner {
                TypeInner::Pointer { base, space } => (base, space),
                // Images that are written.
                TypeInner::Image { class: ImageClass::Storage { .. }, .. } => (argument.ty, AddressSpace::Handle),
                _ => continue,
            };
            let space = match space {
                AddressSpace::Handle => space,
                AddressSpace::Storage { .. } | AddressSpace::WorkGroup => space,
                // Layouts are those of the variable that a call gives.
                AddressSpace::Uniform | AddressSpace::Immediate => {
                    AddressSpace::Storage { access: StorageAccess::LOAD }
                }
                _ => continue,
            };
            let bound = matches!(space, AddressSpace::Storage { .. } | AddressSpace::Handle);
            let binding = ResourceBinding { group: GROUP, binding: module.global_variables.len() as u32 };
            let variable = GlobalVariable {
                name: None,
                space,
                binding: bound.then_some(binding),
                ty: base,
                init: None,
                memory_decorations: MemoryDecorations::empty(),
            };
            stands[n] = Some(module.global_variables.append(variable, Span::UNDEFINED));
            list.push(n);
        }
        if !list.is_empty() {
            replace(function, &stands);
        }
        removed.push(list);
    }
    if removed.iter().all(Vec::is_empty) {
        return false;
    }
    let functions = module.functions.iter_mut().map(|(_, f)| f);
    for function in functions.chain(module.entry_points.iter_mut().map(|e| &mut e.function)) {
        calls(&mut function.body, &removed);
    }
    true
}

/// Makes variables of parameters.
fn replace(function: &mut Function, stands: &[Option<Handle<GlobalVariable>>]) {
    for (_, expression) in function.expressions.iter_mut() {
        if let Expression::FunctionArgument(n) = *expression {
            let n = n as usize;
            let before = stands[..n].iter().filter(|s| s.is_none()).count() as u32;
            *expression = match stands[n] {
                Some(variable) => Expression::GlobalVariable(variable),
                None => Expression::FunctionArgument(before),
            };
        }
    }
    let mut keeps = stands.iter().map(Option::is_none);
    function.arguments.retain(|_| keeps.next().unwrap_or(true));
}

fn calls(block: &mut naga::Block, removed: &[Vec<usize>]) {
    for statement in block.iter_mut() {
        match statement {
            Statement::Block(inner) => calls(inner, removed),
            Statement::If { accept, reject, .. } => {
                calls(accept, removed);
                calls(reject, removed);
            }
            Statement::Switch { cases, .. } => cases.iter_mut().for_each(|c| calls(&mut c.body, removed)),
            Statement::Loop { body, continuing, .. } => {
                calls(body, removed);
                calls(continuing, removed);
            }
            Statement::Call { function, arguments, .. } => {
                let gone = &removed[function.index()];
                let mut n = 0;
                arguments.retain(|_| {
                    n += 1;
                    !gone.contains(&(n - 1))
                });
            }
            _ => {}
        }
    }
}
