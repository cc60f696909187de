//! WGSL's rule on aliases: a function gets no two ways to one variable, by pointers or by its name, if it writes through one of them.
//!
//! naga does not look at it. Functions are looked at callees first, so that what a call accesses is known.

use naga::{AddressSpace, Arena, Block, Expression, Function, GlobalVariable, Handle, Module, Statement, TypeInner};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

use crate::edits::blanked;
use crate::report;
use gpucc_ir::{Diagnostic, Span};

/// Where a variable is read first and where it is written first.
#[derive(Clone, Copy, Debug, Default)]
struct Access {
    read: Option<Span>,
    written: Option<Span>,
}

impl Access {
    fn add(&mut self, other: Access, at: Span) {
        self.read = self.read.or(other.read.map(|_| at));
        self.written = self.written.or(other.written.map(|_| at));
    }

    /// Where the second access of two stands, of which one writes.
    fn conflict(self, other: Access) -> Option<Span> {
        match self {
            Access { written: Some(_), .. } => other.written.or(other.read),
            Access { read: Some(_), .. } => other.written,
            _ => None,
        }
    }
}

/// Accesses of a function.
#[derive(Debug, Default)]
struct Summary {
    parameters: BTreeMap<u32, Access>,
    variables: BTreeMap<usize, Access>,
}

/// The variable that a pointer points into.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Root {
    Parameter(u32),
    Global(Handle<GlobalVariable>),
    Local(Handle<naga::LocalVariable>),
}

/// Looks at all calls with pointers.
///
/// # Errors
/// A call that breaks the rule.
pub fn check(module: &Module, source: &str) -> Result<(), Vec<Diagnostic>> {
    let is_pointer = |ty: Handle<naga::Type>| {
        matches!(module.types[ty].inner, TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. })
    };
    if !module.functions.iter().any(|(_, f)| f.arguments.iter().any(|a| is_pointer(a.ty))) {
        return Ok(());
    }
    let mut done: FxHashMap<Handle<Function>, Summary> = FxHashMap::default();
    let mut found = Vec::new();
    for (handle, function) in module.functions.iter() {
        let summary = summary((module, source), function, &done, &mut found);
        done.insert(handle, summary);
    }
    for entry in &module.entry_points {
        summary((module, source), &entry.function, &done, &mut found);
    }
    if found.is_empty() { Ok(()) } else { Err(found) }
}

fn summary(
    (module, source): (&Module, &str),
    function: &Function,
    done: &FxHashMap<Handle<Function>, Summary>,
    found: &mut Vec<Diagnostic>,
) -> Summary {
    let mut cx = Cx { module, source, function, done, found, own: Summary::default() };
    for (handle, expression) in function.expressions.iter() {
        if let Expression::Load { pointer } = *expression {
            let at = report::span(function.expressions.get_span(handle));
            cx.access(pointer, Access { read: Some(at), written: None }, at);
        }
    }
    cx.block(&function.body);
    cx.own
}

struct Cx<'a> {
    module: &'a Module,
    source: &'a str,
    function: &'a Function,
    done: &'a FxHashMap<Handle<Function>, Summary>,
    found: &'a mut Vec<Diagnostic>,
    own: Summary,
}

/// The variable that a pointer points into, if the expression is one.
fn root(expressions: &Arena<Expression>, mut pointer: Handle<Expression>) -> Option<Root> {
    loop {
        pointer = match expressions[pointer] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => base,
            Expression::FunctionArgument(n) => return Some(Root::Parameter(n)),
            Expression::GlobalVariable(h) => return Some(Root::Global(h)),
            Expression::LocalVariable(h) => return Some(Root::Local(h)),
            _ => return None,
        }
    }
}

impl Cx<'_> {
    fn access(&mut self, pointer: Handle<Expression>, access: Access, at: Span) {
        match root(&self.function.expressions, pointer) {
            Some(Root::Parameter(n)) => self.own.parameters.entry(n).or_default().add(access, at),
            Some(Root::Global(h)) if self.module.global_variables[h].space != AddressSpace::Handle => {
                self.own.variables.entry(h.index()).or_default().add(access, at);
            }
            _ => {}
        }
    }

    fn block(&mut self, block: &Block) {
        for (statement, span) in block.span_iter() {
            let at = report::span(*span);
            let (read, written) = (Some(at), Some(at));
            match statement {
                Statement::Block(inner) => self.block(inner),
                Statement::If { accept, reject, .. } => {
                    self.block(accept);
                    self.block(reject);
                }
                Statement::Switch { cases, .. } => cases.iter().for_each(|c| self.block(&c.body)),
                Statement::Loop { body, continuing, .. } => {
                    self.block(body);
                    self.block(continuing);
                }
                Statement::Store { pointer, .. } => self.access(*pointer, Access { read: None, written }, at),
                Statement::Atomic { pointer, .. } => self.access(*pointer, Access { read, written }, at),
                Statement::WorkGroupUniformLoad { pointer, .. } => {
                    self.access(*pointer, Access { read, written: None }, at);
                }
                Statement::Call { function, arguments, .. } => self.call(*function, arguments, at),
                _ => {}
            }
        }
    }

    fn call(&mut self, callee: Handle<Function>, arguments: &[Handle<Expression>], at: Span) {
        let Some(summary) = self.done.get(&callee) else { return };
        // Pointers to variables have the place of the declaration.
        let places = argument_places(self.source, at, arguments.len());
        let place = |n: usize| places.get(n).copied().unwrap_or(at);
        let name = self.module.functions[callee].name.clone().unwrap_or_default();
        let given: Vec<(usize, Root, Access)> = arguments
            .iter()
            .enumerate()
            .filter_map(|(n, &a)| {
                let access = *summary.parameters.get(&(n as u32))?;
                Some((n, root(&self.function.expressions, a)?, access))
            })
            .collect();
        for (k, &(n, root, access)) in given.iter().enumerate() {
            let other = given[..k].iter().find(|o| o.1 == root && o.2.conflict(access).is_some());
            if let Some(&(m, ..)) = other {
                let message = format!(
                    "two arguments of `{name}` point to {}, and the function writes through one of them",
                    self.named(root)
                );
                let d = Diagnostic::invalid("aliasing", message);
                self.found.push(d.at(place(n), "this argument").at(place(m), "and this one"));
            } else if let Root::Global(h) = root
                && let Some(own) = summary.variables.get(&h.index())
                && let Some(there) = access.conflict(*own)
            {
                let variable = self.named(root);
                let what = if own.written == Some(there) { "writes" } else { "reads" };
                let message =
                    format!("an argument of `{name}` points to {variable}, which the function {what} by its name");
                let d = Diagnostic::invalid("aliasing", message);
                self.found.push(d.at(place(n), "this argument").at(there, format!("here it {what} {variable}")));
            }
        }
        let variables: Vec<(usize, Access)> = summary.variables.iter().map(|(h, a)| (*h, *a)).collect();
        for (h, access) in variables {
            self.own.variables.entry(h).or_default().add(access, at);
        }
        for (n, _, access) in given {
            self.access(arguments[n], access, at);
        }
    }

    fn named(&self, root: Root) -> String {
        let name = match root {
            Root::Parameter(n) => self.function.arguments[n as usize].name.as_deref(),
            Root::Global(h) => self.module.global_variables[h].name.as_deref(),
            Root::Local(h) => self.function.local_variables[h].name.as_deref(),
        };
        name.map_or("one variable".into(), |n| format!("`{n}`"))
    }
}

/// The places of the arguments of a call, if the text there has so many.
fn argument_places(source: &str, call: Span, count: usize) -> Vec<Span> {
    let Some(text) = source.get(call.start as usize..call.end as usize) else { return Vec::new() };
    let text = blanked(text);
    let Some(open) = text.find('(') else { return Vec::new() };
    let (mut list, mut depth, mut first) = (Vec::new(), 0i32, open + 1);
    let mut add = |from: usize, to: usize| {
        let part = &text[from..to];
        let start = from + part.len() - part.trim_start().len();
        if !part.trim().is_empty() {
            let place = |n: usize| call.start + n as u32;
            list.push(Span::new(place(start), place(start + part.trim().len())));
        }
    };
    for (n, c) in text.char_indices().skip_while(|(n, _)| *n < open) {
        depth += i32::from(matches!(c, '(' | '[')) - i32::from(matches!(c, ')' | ']'));
        if depth == 0 || depth == 1 && c == ',' {
            add(first, n);
            first = n + 1;
        }
        if depth == 0 {
            break;
        }
    }
    if list.len() == count { list } else { Vec::new() }
}
