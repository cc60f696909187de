//! The results of an instruction, in 8 bytes.

use crate::ids::Value;
use std::fmt;
use std::iter::FusedIterator;

/// The results of an instruction: values one after the other, since they are made together with it
/// ([`Function::make_inst`](crate::Function::make_inst)). Most instructions have one or none; a call has as many as its
/// callee returns.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Results {
    first: Value,
    count: u32,
}

impl Results {
    /// The list of no results.
    pub const NONE: Results = Results { first: Value(0), count: 0 };

    /// `count` values from `first` on.
    pub const fn new(first: Value, count: usize) -> Results {
        Results { first, count: count as u32 }
    }
    /// How many there are.
    #[inline]
    pub const fn len(self) -> usize {
        self.count as usize
    }
    /// Whether there are none.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.count == 0
    }
    /// The first, if there are any.
    #[inline]
    pub const fn first(self) -> Option<Value> {
        if self.count == 0 { None } else { Some(self.first) }
    }
    /// The only one, if there is just one.
    #[inline]
    pub const fn single(self) -> Option<Value> {
        if self.count == 1 { Some(self.first) } else { None }
    }
    /// Result number `n`.
    ///
    /// # Panics
    /// If there are not so many.
    #[inline]
    #[track_caller]
    pub fn nth(self, n: usize) -> Value {
        assert!(n < self.len(), "result {n} of {}", self.count);
        Value(self.first.0 + n as u32)
    }
    /// All of them in order.
    #[inline]
    pub const fn iter(self) -> ResultsIter {
        ResultsIter { next: self.first.0, end: self.first.0 + self.count }
    }
}

impl fmt::Debug for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// The results of an instruction in order.
#[derive(Clone, Debug)]
pub struct ResultsIter {
    next: u32,
    end: u32,
}

impl Iterator for ResultsIter {
    type Item = Value;
    #[inline]
    fn next(&mut self) -> Option<Value> {
        (self.next < self.end).then(|| {
            self.next += 1;
            Value(self.next - 1)
        })
    }
    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let n = (self.end - self.next) as usize;
        (n, Some(n))
    }
}

impl ExactSizeIterator for ResultsIter {}
impl FusedIterator for ResultsIter {}

impl IntoIterator for Results {
    type Item = Value;
    type IntoIter = ResultsIter;
    #[inline]
    fn into_iter(self) -> ResultsIter {
        self.iter()
    }
}
