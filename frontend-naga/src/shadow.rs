//! The types of expressions of a module that was validated through its shadow: the same module in which what is right at run time alone
//! is hidden (`run_time.rs`). They are worked out on the module itself.

use gpucc_ir::Diagnostic;
use naga::front::Typifier;
use naga::proc::ResolveContext;
use naga::{Function, Handle, Module};

use crate::report;

/// The types of the expressions of a module that was validated through its shadow.
#[derive(Debug, Default)]
pub struct Types {
    functions: Vec<Typifier>,
    entries: Vec<Typifier>,
}

impl Types {
    /// Works out the types of all expressions.
    ///
    /// # Errors
    /// An expression without a type, which validation excludes.
    pub fn new(module: &Module) -> Result<Types, Diagnostic> {
        let of = |f: &Function| {
            let cx = ResolveContext::with_locals(module, &f.local_variables, &f.arguments);
            let mut types = Typifier::new();
            for (handle, _) in f.expressions.iter() {
                types
                    .grow(handle, &f.expressions, &cx)
                    .map_err(|e| report::contradiction(&e.to_string(), gpucc_ir::Span::UNKNOWN))?;
            }
            Ok(types)
        };
        Ok(Types {
            functions: module.functions.iter().map(|(_, f)| of(f)).collect::<Result<_, _>>()?,
            entries: module.entry_points.iter().map(|e| of(&e.function)).collect::<Result<_, _>>()?,
        })
    }

    /// Those of a function.
    pub fn function(&self, handle: Handle<Function>) -> Option<&Typifier> {
        self.functions.get(handle.index())
    }

    /// Those of an entry point.
    pub fn entry(&self, index: usize) -> Option<&Typifier> {
        self.entries.get(index)
    }
}
