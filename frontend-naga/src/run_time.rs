//! Hides run-time expressions that naga's validator takes for constant ones: a `let` in WGSL, and every value of SPIR-V.
//!
//! A division by zero and a shift by too much are errors in constant expressions. At run time they have a meaning (`x / 0` is `x`, shifts are
//! taken modulo the width) or may stand in code that never runs. The validator is
//! shown a module in which they are hidden behind expressions of the same types; what is lowered is the module itself.

use naga::front::Typifier;
use naga::proc::ResolveContext;
use naga::{BinaryOperator, Expression, Function, Handle, Literal, Module, Span, TypeInner};
use rustc_hash::FxHashSet;

use crate::shadow::Types;

/// Hides them; whether there was any. In a module of which `all` is run time nothing has to have a name.
pub fn hide(module: &mut Module, all: bool) -> bool {
    let Ok(types) = Types::new(module) else { return false };
    let mut changes = Vec::new();
    for (handle, function) in module.functions.iter() {
        if let Some(types) = types.function(handle) {
            changes.push(found(module, function, types, all));
        }
    }
    for (n, entry) in module.entry_points.iter().enumerate() {
        if let Some(types) = types.entry(n) {
            changes.push(found(module, &entry.function, types, all));
        }
    }
    let functions = module.functions.iter_mut().map(|(_, f)| f);
    let functions = functions.chain(module.entry_points.iter_mut().map(|e| &mut e.function));
    let mut any = false;
    for (function, changes) in functions.zip(changes) {
        for (handle, expression) in changes {
            function.expressions[handle] = expression;
            any = true;
        }
    }
    any
}

/// Brings indices by constants into bounds, as lowering takes them for places that exist: all of them, or those whose text in `source` has a
/// name in it. Returns whether there was any.
pub fn clamp(module: &mut Module, all: bool, source: &str) -> bool {
    let mut any = false;
    let handles: Vec<Handle<Function>> = module.functions.iter().map(|f| f.0).collect();
    for handle in handles {
        let mut function = std::mem::take(&mut module.functions[handle]);
        any |= clamp_in(module, &mut function, all, source);
        module.functions[handle] = function;
    }
    for n in 0..module.entry_points.len() {
        let mut function = std::mem::take(&mut module.entry_points[n].function);
        any |= clamp_in(module, &mut function, all, source);
        module.entry_points[n].function = function;
    }
    any
}

/// The same of one function. An expression has a type only if those before it are right: they are looked at in order.
fn clamp_in(module: &Module, function: &mut Function, all: bool, source: &str) -> bool {
    let mut any = false;
    let mut types = Typifier::new();
    let handles: Vec<Handle<Expression>> = function.expressions.iter().map(|e| e.0).collect();
    for handle in handles {
        let search = Search { module, function, named: None };
        let place = match function.expressions[handle] {
            Expression::AccessIndex { base, index } => Some((base, i128::from(index))),
            Expression::Access { base, index } => search.number(index).map(|n| (base, n)),
            _ => None,
        };
        if let Some((base, number)) = place {
            let most = length(module, types.get(base, &module.types)).map_or(i128::MAX, i128::from) - 1;
            let index = number.clamp(0, most);
            let named = || all || has_name(function, source, function.expressions.get_span(handle));
            if index != number
                && named()
                && let Ok(index) = u32::try_from(index)
            {
                function.expressions[handle] = Expression::AccessIndex { base, index };
                any = true;
            }
        }
        let cx = ResolveContext::with_locals(module, &function.local_variables, &function.arguments);
        if types.grow(handle, &function.expressions, &cx).is_err() {
            break;
        }
    }
    any
}

/// Whether the last index in a piece of the source names a value of the function: it is no constant expression.
fn has_name(function: &Function, source: &str, span: Span) -> bool {
    let text = span.to_range().and_then(|r| source.get(r)).unwrap_or_default();
    let Some(end) = text.rfind(']') else { return false };
    let mut depth = 0;
    let begin = text[..=end].char_indices().rev().find(|&(_, c)| {
        depth += i32::from(c == ']') - i32::from(c == '[');
        depth == 0
    });
    let inside = begin.map_or("", |(at, _)| &text[at + 1..end]);
    let words = inside.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.into_iter().any(|w| function.named_expressions.values().any(|n| n == w))
}

/// How many elements there are, of what has a number that is known and is no structure.
fn length(module: &Module, inner: &TypeInner) -> Option<u32> {
    match *inner {
        TypeInner::Vector { size, .. } | TypeInner::ValuePointer { size: Some(size), .. } => Some(size as u32),
        TypeInner::Matrix { columns, .. } => Some(columns as u32),
        TypeInner::Array { size: naga::ArraySize::Constant(n), .. } => Some(n.get()),
        TypeInner::Pointer { base, .. } => match module.types[base].inner {
            TypeInner::Pointer { .. } => None,
            ref inner => length(module, inner),
        },
        _ => None,
    }
}

struct Search<'a> {
    module: &'a Module,
    function: &'a Function,
    /// Values that have a name; all of them without a set.
    named: Option<FxHashSet<Handle<Expression>>>,
}

/// The expressions of a function that are wrong in a constant expression alone, with others of their types.
fn found(module: &Module, function: &Function, types: &Typifier, all: bool) -> Vec<(Handle<Expression>, Expression)> {
    use BinaryOperator as B;
    let named = (!all).then(|| function.named_expressions.keys().copied().collect());
    let search = Search { module, function, named };
    let mut list = Vec::new();
    for (handle, expression) in function.expressions.iter() {
        match *expression {
            Expression::Binary { op: B::Divide | B::Modulo, left, right } if search.at_run_time(right, &|n| n == 0) => {
                list.push((handle, Expression::Binary { op: B::Add, left, right }));
            }
            Expression::Binary { op: B::ShiftLeft | B::ShiftRight, left, right } => {
                let bits = match types.get(left, &module.types) {
                    TypeInner::Scalar(s) | TypeInner::Vector { scalar: s, .. } => 8 * i128::from(s.width),
                    _ => continue,
                };
                if search.at_run_time(right, &|n| n >= bits) {
                    list.push((handle, Expression::Binary { op: B::And, left, right: left }));
                }
            }
            _ => {}
        }
    }
    list
}

impl Search<'_> {
    /// The integer that a scalar is, if it is a constant.
    fn number(&self, value: Handle<Expression>) -> Option<i128> {
        let mut list = Vec::new();
        self.numbers(value, true, &mut |n, _| list.push(n));
        if let &[one] = list.as_slice() { Some(one) } else { None }
    }

    /// Whether one of the numbers of a value is wrong, and those that are have a name.
    fn at_run_time(&self, value: Handle<Expression>, wrong: &dyn Fn(i128) -> bool) -> bool {
        let (mut any, mut constant) = (false, false);
        self.numbers(value, false, &mut |n, run_time| {
            if wrong(n) {
                any = true;
                constant |= !run_time;
            }
        });
        any && !constant
    }

    /// The integers of a value, and whether each is part of something that has a name.
    fn numbers(&self, value: Handle<Expression>, named: bool, each: &mut dyn FnMut(i128, bool)) {
        let named = named || self.named.as_ref().is_none_or(|n| n.contains(&value));
        match self.function.expressions[value] {
            Expression::Literal(literal) => literal_number(literal).into_iter().for_each(|n| each(n, named)),
            Expression::ZeroValue(_) => each(0, named),
            Expression::Splat { value, .. } => self.numbers(value, named, each),
            Expression::Compose { ref components, .. } => {
                components.iter().for_each(|&part| self.numbers(part, named, each));
            }
            Expression::Constant(c) => self.constant(self.module.constants[c].init, named, each),
            _ => {}
        }
    }

    fn constant(&self, value: Handle<Expression>, named: bool, each: &mut dyn FnMut(i128, bool)) {
        match self.module.global_expressions[value] {
            Expression::Literal(literal) => literal_number(literal).into_iter().for_each(|n| each(n, named)),
            Expression::ZeroValue(_) => each(0, named),
            Expression::Splat { value, .. } => self.constant(value, named, each),
            Expression::Compose { ref components, .. } => {
                components.iter().for_each(|&part| self.constant(part, named, each));
            }
            Expression::Constant(c) => self.constant(self.module.constants[c].init, named, each),
            _ => {}
        }
    }
}

fn literal_number(literal: Literal) -> Option<i128> {
    Some(match literal {
        Literal::U16(n) => n.into(),
        Literal::I16(n) => n.into(),
        Literal::U32(n) => n.into(),
        Literal::I32(n) => n.into(),
        Literal::U64(n) => n.into(),
        Literal::I64(n) | Literal::AbstractInt(n) => n.into(),
        _ => return None,
    })
}
