//! Sharing between invocations: atomics, and memory that is exchanged over barriers.

use super::{Generator, Ty};

/// Operations on the shared counters, one for each: their order does not matter.
const UNSIGNED: [&str; 6] = ["atomicAdd", "atomicXor", "atomicMax", "atomicOr", "atomicMin", "atomicAnd"];
const SIGNED: [&str; 3] = ["atomicMax", "atomicMin", "atomicAdd"];

impl Generator {
    /// An atomic operation on a counter of all workgroups.
    pub(super) fn count(&mut self) {
        match self.pick(10) {
            c @ 0..=5 => {
                let e = self.expr(Ty::U, 2);
                self.line(&format!("{}(&counters.u[{c}], {e});", UNSIGNED[c as usize]));
            }
            6 => {
                // Sums and differences do not mind each other.
                let (op, e) = (self.one(&["atomicAdd", "atomicSub"]), self.expr(Ty::U, 2));
                self.line(&format!("{op}(&counters.u[6], {e});"));
            }
            c => {
                let (c, e) = (c - 7, self.expr(Ty::I, 2));
                self.line(&format!("{}(&counters.i[{c}], {e});", SIGNED[c as usize]));
            }
        }
    }

    /// An atomic operation on a word that is the invocation's own; its result is used.
    fn own(&mut self) {
        let place = self.one(&["own[me]", "marks[me & 31u]"]);
        let n = self.name("v");
        let op = self.one(&["Add", "Sub", "Max", "Min", "And", "Or", "Xor", "Exchange", "Store", "Load"]);
        let e = self.expr(Ty::I, 2);
        match op {
            "Load" => self.line(&format!("let {n} = atomicLoad(&{place});")),
            "Store" => {
                self.line(&format!("atomicStore(&{place}, {e});"));
                return;
            }
            _ => self.line(&format!("let {n} = atomic{op}(&{place}, {e});")),
        }
        self.declare(Ty::I, n, false);
    }

    /// Stores and atomics that have one outcome.
    pub(super) fn memory(&mut self) {
        if !self.atomics || self.pick(4) == 0 {
            // Anywhere in and beyond a buffer of zeros: what is read is zero, and nothing but zero is stored.
            let i = self.expr(Ty::U, 2);
            match self.pick(2) {
                0 => self.line(&format!("zeros[{i}] = 0u;")),
                _ => self.line(&format!("state += zeros[{i}];")),
            }
        } else if self.pick(2) == 0 {
            self.count();
        } else {
            self.own();
        }
    }

    /// Memory that is written, a barrier, memory that is read; nothing is left unordered behind it.
    pub(super) fn phase(&mut self) {
        // A loop whose count is the same for all invocations.
        let looped = self.pick(4) == 0;
        let scope = self.scope.len();
        if looped {
            let i = self.name("r");
            self.line(&format!("for (var {i} = 0u; {i} < (params.a & 3u); {i}++) {{"));
            self.indent += 1;
        }
        match self.pick(if self.atomics { 11 } else { 9 }) {
            0 => {
                let (e, k) = (self.expr(Ty::U, 2), self.pick(32));
                self.line(&format!("tile[lid] = {e};"));
                self.line("workgroupBarrier();");
                self.line(&format!("x0 = x0 ^ tile[(lid + {k}u) & 31u];"));
            }
            1 => {
                let e = self.expr(Ty::U, 2);
                self.line(&format!("tile[lid] = {e};"));
                self.line("workgroupBarrier();");
                self.line("if lid < 16u { tile[lid] = tile[lid] + tile[lid + 16u]; }");
                self.line("workgroupBarrier();");
                self.line("x0 += tile[lid & 15u];");
            }
            2 => {
                let (e, x, k) = (self.expr(Ty::V(0, 3), 2), self.expr(Ty::I, 2), self.pick(32));
                self.line(&format!("wide[lid] = {e};"));
                self.line(&format!("wide[lid][{}] = {x};", self.names % 3));
                self.line("workgroupBarrier();");
                self.line(&format!("x1 = x1 ^ wide[(lid ^ {k}u) & 31u][lid % 3u];"));
            }
            3 => self.reduction(),
            4 => {
                let (e, k) = (self.expr(Ty::U, 2), self.pick(32));
                self.line(&format!("x0 += exchange({e}, {k}u);"));
            }
            5 => {
                let e = self.expr(Ty::U, 2);
                let k = self.one(&["3u", "31u", "params.a"]);
                self.line(&format!("tile[lid] = {e};"));
                self.line(&format!("x0 ^= workgroupUniformLoad(&tile[{k}]);"));
            }
            6 | 7 => self.moved_vectors(),
            8 => {
                let (e, k, n) = (self.expr(Ty::V(1, 4), 2), self.pick(32), 2 + self.pick(3) as u8);
                let (v, lanes) = (self.name("v"), self.swizzle(4, n));
                self.line(&format!("cells[me].a = {e};"));
                self.line("storageBarrier();");
                self.line(&format!("var {v} = cells[me ^ {k}u].a.{lanes};"));
                self.line("storageBarrier();");
                self.declare(Ty::V(1, n), v, true);
            }
            _ => self.tally(),
        }
        self.line("workgroupBarrier();");
        if looped {
            self.scope.truncate(scope);
            self.indent -= 1;
            self.line("}");
        }
    }

    /// One value of all invocations, by halves.
    fn reduction(&mut self) {
        let (e, s) = (self.expr(Ty::U, 2), self.name("s"));
        let pair = match self.pick(3) {
            0 => format!("max(tile[lid], tile[lid + {s}])"),
            1 => format!("tile[lid] ^ tile[lid + {s}]"),
            _ => format!("tile[lid] * 3u + tile[lid + {s}]"),
        };
        self.line(&format!("tile[lid] = {e};"));
        self.line("workgroupBarrier();");
        self.line(&format!("for (var {s} = 16u; {s} > 0u; {s} >>= 1u) {{"));
        self.line(&format!("    if lid < {s} {{ tile[lid] = {pair}; }}"));
        self.line("    workgroupBarrier();");
        self.line("}");
        self.line("x0 ^= tile[0];");
    }

    /// Vectors in workgroup memory, each in a place of its own, whose lanes move.
    fn moved_vectors(&mut self) {
        let (name, k, n) = self.one(&[("slots", 1, 4), ("wide", 0, 3)]);
        let (e, at) = (self.expr(Ty::V(k, n), 2), self.pick(32));
        // An odd factor: no two invocations meet.
        let place = format!("{name}[(lid * {}u + {at}u) & 31u]", self.one(&[1, 3, 5, 31]));
        self.line(&format!("{place} = {e};"));
        if self.pick(2) == 0 {
            self.vector_update(&place, k, n);
        }
        self.line("workgroupBarrier();");
        let (v, from, m) = (self.name("v"), self.pick(32), 2 + self.pick(3) as u8);
        let lanes = self.swizzle(n, m);
        self.line(&format!("var {v} = {name}[(lid ^ {from}u) & 31u].{lanes};"));
        self.declare(Ty::V(k, m), v, true);
    }

    /// A counter of the workgroup.
    fn tally(&mut self) {
        let c = self.pick(6);
        if c >= 4 {
            self.line(&format!("if lid == 0u {{ atomicStore(&tally[{c}], 0xffffffffu); }}"));
            self.line("workgroupBarrier();");
        }
        let (e, cond) = (self.expr(Ty::U, 2), self.expr(Ty::B, 1));
        self.line(&format!("if {cond} {{ {}(&tally[{c}], {e}); }}", UNSIGNED[c as usize]));
        self.line("workgroupBarrier();");
        self.line(&format!("x0 += atomicLoad(&tally[{c}]);"));
    }
}
