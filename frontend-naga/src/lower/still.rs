//! Whether a large aggregate that was loaded can stay in its variable: nothing writes the variable while the value is used.
//!
//! ```text
//! let s = t;  o = s[i];           // `s` is read in `t`
//! let s = t;  t[0] = 1;  o = s[i];  // `s` is a copy
//! ```
//!
//! A value of naga lives in the block that its `Emit` stands in, and in the continuing block of a loop whose body that is.
//! Only variables of the function are looked at: a global may be written by a call, memory by another invocation.

use super::func::FuncCx;
use naga::{Arena, Block, Expression, Function, Handle, LocalVariable, Statement};

/// Statements and expressions that one question looks at; behind that the answer is no. Keeps the sum of all questions linear.
const REACH: usize = 4096;

/// The uses of a value and the writes to a variable.
struct Search<'m> {
    expressions: &'m Arena<Expression>,
    value: Handle<Expression>,
    variable: Handle<LocalVariable>,
    left: usize,
}

/// What statements do with the value and the variable.
#[derive(Clone, Copy, Default)]
struct Found {
    uses: bool,
    writes: bool,
}

impl Found {
    fn and(self, other: Found) -> Found {
        Found { uses: self.uses || other.uses, writes: self.writes || other.writes }
    }
}

/// The variable of the function that a pointer points into.
fn variable(expressions: &Arena<Expression>, mut pointer: Handle<Expression>) -> Option<Handle<LocalVariable>> {
    loop {
        pointer = match expressions[pointer] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => base,
            Expression::LocalVariable(h) => return Some(h),
            _ => return None,
        }
    }
}

impl Search<'_> {
    /// Whether an expression is the value or a part of it.
    fn is_of(&self, mut expression: Handle<Expression>) -> bool {
        while expression.index() > self.value.index() {
            expression = match self.expressions[expression] {
                Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => base,
                _ => return false,
            };
        }
        expression == self.value
    }

    fn points_there(&self, pointer: Handle<Expression>) -> bool {
        variable(self.expressions, pointer) == Some(self.variable)
    }

    fn block(&mut self, block: &[Statement]) -> Option<Found> {
        block.iter().try_fold(Found::default(), |found, s| Some(found.and(self.statement(s)?)))
    }

    /// What a statement does; `None` if there is too much to look at.
    fn statement(&mut self, statement: &Statement) -> Option<Found> {
        self.left = self.left.checked_sub(1)?;
        let use_of = |uses: bool| Found { uses, writes: false };
        Some(match *statement {
            Statement::Emit(ref range) => {
                let mut uses = false;
                for handle in range.clone() {
                    self.left = self.left.checked_sub(1)?;
                    uses |= match self.expressions[handle] {
                        Expression::Compose { ref components, .. } => components.iter().any(|&c| self.is_of(c)),
                        _ => handle != self.value && self.is_of(handle),
                    };
                }
                use_of(uses)
            }
            Statement::Block(ref block) => self.block(block)?,
            Statement::If { ref accept, ref reject, .. } => self.block(accept)?.and(self.block(reject)?),
            Statement::Switch { ref cases, .. } => {
                cases.iter().try_fold(Found::default(), |found, c| Some(found.and(self.block(&c.body)?)))?
            }
            Statement::Loop { ref body, ref continuing, .. } => self.block(body)?.and(self.block(continuing)?),
            Statement::Return { value } => use_of(value.is_some_and(|v| self.is_of(v))),
            Statement::Store { pointer, value } => {
                Found { uses: self.is_of(value), writes: self.points_there(pointer) }
            }
            Statement::Atomic { pointer, .. } => Found { uses: false, writes: self.points_there(pointer) },
            Statement::Call { ref arguments, .. } => Found {
                uses: arguments.iter().any(|&a| self.is_of(a)),
                writes: arguments.iter().any(|&a| self.points_there(a)),
            },
            Statement::RayQuery { .. } | Statement::RayPipelineFunction(_) | Statement::CooperativeStore { .. } => {
                return None;
            }
            _ => Found::default(),
        })
    }

    /// Whether the value is never used behind a write. `rest` runs first, then `again`.
    fn holds(&mut self, rest: &[Statement], again: &[&Block]) -> Option<bool> {
        let mut written = false;
        for statement in rest {
            let found = self.statement(statement)?;
            // A store reads what it stores before it writes, and so that it stays the same: a type is no part of itself.
            let is_store = matches!(statement, Statement::Store { .. });
            if found.uses && (written || (found.writes && !is_store)) {
                return Some(false);
            }
            written |= found.writes;
        }
        for &block in again {
            let found = self.block(block)?;
            if found.uses && (written || found.writes) {
                return Some(false);
            }
        }
        Some(true)
    }
}

impl<'m> FuncCx<'_, 'm> {
    /// Whether what is loaded by the expression `value`, in front of the statements `rest`, can be read where it lies.
    pub fn is_still(&mut self, value: Handle<Expression>, pointer: Handle<Expression>, rest: &[Statement]) -> bool {
        let outer = self.current().outer_loops;
        let function: &'m Function = self.current().function;
        let Some(variable) = variable(&function.expressions, pointer) else { return false };
        let again: Vec<&Block> = self.loops[outer..].iter().map(|open| open.continuing).collect();
        let mut search = Search { expressions: &function.expressions, value, variable, left: REACH };
        search.holds(rest, &again) == Some(true)
    }

    /// How many `return` statements a function has.
    pub fn returns(block: &Block) -> usize {
        let count = |statement: &Statement| match statement {
            Statement::Return { .. } => 1,
            Statement::Block(b) => Self::returns(b),
            Statement::If { accept, reject, .. } => Self::returns(accept) + Self::returns(reject),
            Statement::Switch { cases, .. } => cases.iter().map(|c| Self::returns(&c.body)).sum(),
            Statement::Loop { body, .. } => Self::returns(body),
            _ => 0,
        };
        block.iter().map(count).sum()
    }
}
