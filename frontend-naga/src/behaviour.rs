//! Functions that end in a loop which nothing leaves.
//!
//! naga's reader of WGSL writes a return without a value behind such a loop. WGSL's behaviour analysis says that nothing gets there: the
//! return gets a value of the type.

use naga::{Block, Expression, Function, Module, Span, Statement};

/// The events at the end of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ends {
    next: bool,
    breaks: bool,
}

/// Gives the returns behind endless loops a value.
pub fn returns(module: &mut Module) {
    let functions = module.functions.iter_mut().map(|(_, f)| f);
    for function in functions.chain(module.entry_points.iter_mut().map(|e| &mut e.function)) {
        let Function { body, result: Some(result), expressions, .. } = function else { continue };
        let mut zero = None;
        let mut value =
            || *zero.get_or_insert_with(|| expressions.append(Expression::ZeroValue(result.ty), Span::UNDEFINED));
        at_the_end(body, &mut value);
    }
}

/// Looks at the places at which the reader writes returns.
fn at_the_end(block: &mut Block, value: &mut dyn FnMut() -> naga::Handle<Expression>) {
    let written = match block.span_iter().last() {
        Some((Statement::Return { value: None }, span)) => *span == Span::UNDEFINED,
        _ => false,
    };
    if written {
        let before = block.len() - 1;
        if !of_statements(block.iter().take(before)).next
            && let Some(Statement::Return { value: none }) = block.last_mut()
        {
            *none = Some(value());
        }
        return;
    }
    match block.last_mut() {
        Some(Statement::Block(inner)) => at_the_end(inner, value),
        Some(Statement::If { accept, reject, .. }) => {
            at_the_end(accept, value);
            at_the_end(reject, value);
        }
        Some(Statement::Switch { cases, .. }) => cases.iter_mut().for_each(|c| at_the_end(&mut c.body, value)),
        _ => {}
    }
}

/// Ends of statements one after the other: those behind one that does not end say nothing.
fn of_statements<'a>(statements: impl Iterator<Item = &'a Statement>) -> Ends {
    let mut all = Ends { next: true, breaks: false };
    for statement in statements {
        let one = of_statement(statement);
        all.breaks |= one.breaks;
        if !one.next {
            all.next = false;
            break;
        }
    }
    all
}

fn of_statement(statement: &Statement) -> Ends {
    match statement {
        Statement::Return { .. } | Statement::Continue => Ends { next: false, breaks: false },
        Statement::Break => Ends { next: false, breaks: true },
        Statement::Block(block) => of_statements(block.iter()),
        Statement::If { accept, reject, .. } => {
            let (a, b) = (of_statements(accept.iter()), of_statements(reject.iter()));
            Ends { next: a.next || b.next, breaks: a.breaks || b.breaks }
        }
        Statement::Switch { cases, .. } => {
            let ends = cases.iter().map(|c| of_statements(c.body.iter()));
            Ends { next: cases.is_empty() || ends.fold(false, |next, e| next || e.next || e.breaks), breaks: false }
        }
        Statement::Loop { body, continuing, break_if } => {
            let leaves =
                break_if.is_some() || of_statements(body.iter()).breaks || of_statements(continuing.iter()).breaks;
            Ends { next: leaves, breaks: false }
        }
        _ => Ends { next: true, breaks: false },
    }
}
