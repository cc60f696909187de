//! Vectors in memory: loaded with their lanes in any order, stored whole and by lanes.

use super::expr::LANES;
use super::{Generator, SCALARS, Ty};

/// Vectors in buffers: what kind of lanes, how many, the name, elements of an array (0: none), whether it is the invocation's own.
const PLACES: [(u8, u8, &str, u32, bool); 14] = [
    (0, 4, "params.v", 0, false),
    (0, 3, "source.trios", 8, false),
    (0, 2, "source.duos", 8, false),
    (0, 3, "cells[me].b", 0, true),
    (0, 4, "cells[me].q", 2, true),
    (1, 4, "source.quads", 8, false),
    (1, 3, "params.w", 0, false),
    (1, 4, "cells[me].a", 0, true),
    (1, 2, "cells[me].c", 0, true),
    (1, 3, "cells[me].t", 2, true),
    (2, 3, "source.floats", 4, false),
    (2, 2, "params.h", 0, false),
    (2, 3, "cells[me].f", 0, true),
    (2, 4, "cells[me].g", 0, true),
];

impl Generator {
    /// `n` lanes of a vector of `from`: backwards, the first, or any.
    pub(super) fn swizzle(&mut self, from: u8, n: u8) -> String {
        let names = if self.pick(3) == 0 { ["r", "g", "b", "a"] } else { LANES };
        let lanes: Vec<u8> = match self.pick(4) {
            0 if n <= from => (from - n..from).rev().collect(),
            1 if n <= from => (0..n).collect(),
            _ => (0..n).map(|_| self.pick(u32::from(from)) as u8).collect(),
        };
        lanes.into_iter().map(|k| names[usize::from(k)]).collect()
    }

    /// A vector in a buffer.
    fn place(&mut self, own: bool, kind: Option<u8>) -> (u8, u8, String) {
        let fits: Vec<_> = PLACES.iter().filter(|p| (p.4 || !own) && kind.is_none_or(|k| k == p.0)).collect();
        let &(k, lanes, name, elements, _) = fits[self.pick(fits.len() as u32) as usize];
        if elements == 0 {
            return (k, lanes, name.into());
        }
        let index = match self.pick(3) {
            0 => format!("{}", self.pick(elements)),
            1 => format!("{} & {}u", self.leaf(Ty::U), elements - 1),
            _ => self.leaf(Ty::U),
        };
        (k, lanes, format!("{name}[{index}]"))
    }

    /// A vector from a buffer, mostly with its lanes moved.
    pub(super) fn loaded(&mut self, k: u8, n: u8) -> String {
        let (_, from, name) = self.place(false, Some(k));
        if from == n && self.pick(3) == 0 { name } else { format!("{name}.{}", self.swizzle(from, n)) }
    }

    /// A store to a vector of the invocation's own in a buffer.
    pub(super) fn vector_store(&mut self) {
        if self.pick(5) == 0 {
            let (array, n) = self.one(&[("q", 4), ("t", 3)]);
            let (to, lanes) = (self.pick(2), self.swizzle(n, n));
            self.line(&format!("cells[me].{array}[{to}] = cells[me].{array}[{}].{lanes};", 1 - to));
            return;
        }
        let (k, n, name) = self.place(true, None);
        if self.pick(4) == 0 {
            let e = self.expr(Ty::V(k, n), 2);
            self.line(&format!("{name} = {e};"));
        } else {
            self.vector_update(&name, k, n);
        }
    }

    /// Changes a vector: its lanes move, or one of them, known or not, is stored.
    pub(super) fn vector_update(&mut self, name: &str, k: u8, n: u8) {
        let scalar = SCALARS[k as usize];
        match self.pick(5) {
            0 => {
                let lanes = self.swizzle(n, n);
                self.line(&format!("{name} = {name}.{lanes};"));
            }
            1 => {
                let e = self.loaded(k, n);
                self.line(&format!("{name} = {e};"));
            }
            2 => {
                let (i, e) = (self.expr(Ty::U, 1), self.expr(scalar, 2));
                self.line(&format!("{name}[{i} % {n}u] = {e};"));
            }
            3 if k < 2 => {
                let (lane, op) = (self.pick(u32::from(n)), self.one(&["+", "-", "*", "^", "&", "|"]));
                let e = self.expr(scalar, 2);
                self.line(&format!("{name}.{} {op}= {e};", LANES[lane as usize]));
            }
            _ => {
                let (lane, e) = (self.pick(u32::from(n)), self.expr(scalar, 2));
                let names = if self.pick(3) == 0 { ["r", "g", "b", "a"] } else { LANES };
                self.line(&format!("{name}.{} = {e};", names[lane as usize]));
            }
        }
    }
}
