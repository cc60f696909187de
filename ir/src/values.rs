//! A short list of values in 16 bytes: operands, results, arguments of an edge.
//!
//! Instructions are what a compilation has most of, and passes walk over all of them: their size is what those walks cost
//! once a function no longer fits the cache. Almost all lists have at most three entries, which lie in the instruction;
//! longer ones lie elsewhere.

use crate::ids::Value;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};
use thin_vec::ThinVec;

/// How many values lie in the list itself.
const FEW: usize = 3;

/// A list of values that reads and writes as a slice.
#[derive(Clone)]
pub struct Values(Repr);

#[derive(Clone)]
enum Repr {
    /// So many of these; the rest is anything.
    Few(u8, [Value; FEW]),
    /// One pointer, since a vector of three words would be larger than the other variant.
    Many(ThinVec<Value>),
}

impl Values {
    /// A list without any value.
    #[inline]
    pub const fn new() -> Values {
        Values(Repr::Few(0, [Value(0); FEW]))
    }
    /// A list of these.
    #[inline]
    pub fn from_slice(list: &[Value]) -> Values {
        if list.len() > FEW {
            return Values(Repr::Many(list.into()));
        }
        let mut few = [Value(0); FEW];
        few[..list.len()].copy_from_slice(list);
        Values(Repr::Few(list.len() as u8, few))
    }
    /// Appends a value to the list.
    #[inline]
    pub fn push(&mut self, v: Value) {
        match &mut self.0 {
            Repr::Few(n, few) if usize::from(*n) < FEW => {
                few[usize::from(*n)] = v;
                *n += 1;
            }
            Repr::Few(_, few) => {
                let mut many = ThinVec::with_capacity(2 * FEW);
                many.extend_from_slice(few);
                many.push(v);
                self.0 = Repr::Many(many);
            }
            Repr::Many(list) => list.push(v),
        }
    }
    /// Removes the last value.
    pub fn pop(&mut self) -> Option<Value> {
        match &mut self.0 {
            Repr::Few(0, _) => None,
            Repr::Few(n, few) => {
                *n -= 1;
                Some(few[usize::from(*n)])
            }
            Repr::Many(list) => list.pop(),
        }
    }
    /// Removes the value at a place and closes the gap.
    ///
    /// # Panics
    /// If there is none.
    pub fn remove(&mut self, at: usize) -> Value {
        let v = self[at];
        self.copy_within(at + 1.., at);
        self.pop();
        v
    }
    /// Removes all values from the list.
    pub fn clear(&mut self) {
        self.truncate(0);
    }
    /// Keeps the first `n` values.
    pub fn truncate(&mut self, n: usize) {
        match &mut self.0 {
            Repr::Few(have, _) => *have = (*have).min(n.min(FEW) as u8),
            Repr::Many(list) => list.truncate(n),
        }
    }
    /// Keeps the values for which `keep` is true.
    pub fn retain(&mut self, mut keep: impl FnMut(Value) -> bool) {
        let mut n = 0;
        for k in 0..self.len() {
            let v = self[k];
            if keep(v) {
                self[n] = v;
                n += 1;
            }
        }
        self.truncate(n);
    }
}

impl Deref for Values {
    type Target = [Value];
    #[inline]
    fn deref(&self) -> &[Value] {
        match &self.0 {
            Repr::Few(n, few) => &few[..usize::from(*n)],
            Repr::Many(list) => list,
        }
    }
}

impl DerefMut for Values {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Value] {
        match &mut self.0 {
            Repr::Few(n, few) => &mut few[..usize::from(*n)],
            Repr::Many(list) => list,
        }
    }
}

impl Default for Values {
    fn default() -> Values {
        Values::new()
    }
}

impl PartialEq for Values {
    fn eq(&self, o: &Values) -> bool {
        **self == **o
    }
}

impl Eq for Values {}

impl Hash for Values {
    fn hash<H: Hasher>(&self, h: &mut H) {
        (**self).hash(h);
    }
}

impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Extend<Value> for Values {
    fn extend<I: IntoIterator<Item = Value>>(&mut self, list: I) {
        list.into_iter().for_each(|v| self.push(v));
    }
}

impl FromIterator<Value> for Values {
    fn from_iter<I: IntoIterator<Item = Value>>(list: I) -> Values {
        let mut v = Values::new();
        v.extend(list);
        v
    }
}

impl<'a> IntoIterator for &'a Values {
    type Item = &'a Value;
    type IntoIter = std::slice::Iter<'a, Value>;
    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a mut Values {
    type Item = &'a mut Value;
    type IntoIter = std::slice::IterMut<'a, Value>;
    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}
