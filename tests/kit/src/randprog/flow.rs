//! Loops, switches, and jumps out of them; branches that nobody takes, with loops in them that never end.

use super::{Generator, Jumps, Kind, Ty};

/// Values that a selector can have.
const VALUES: u32 = 8;

impl Generator {
    pub(super) fn jump(&mut self, ret: Option<Ty>) {
        let c = self.expr(Ty::B, 2);
        match (self.jumps, ret) {
            (Jumps::Loop | Jumps::SwitchInLoop, _) if self.pick(3) != 0 => {
                let jump = self.one(&["break", "continue"]);
                self.line(&format!("if {c} {{ {jump}; }}"));
            }
            (Jumps::Switch, _) if self.pick(2) == 0 => self.line(&format!("if {c} {{ break; }}")),
            (_, Some(t)) => {
                let e = self.expr(t, 2);
                self.line(&format!("if {c} {{ return {e}; }}"));
            }
            _ => {}
        }
    }

    /// The body of one round of a loop; `switched` starts with a switch.
    fn round(&mut self, depth: u32, ret: Option<Ty>, switched: bool, counter: &str) {
        let scope = self.scope.len();
        let outer = std::mem::replace(&mut self.jumps, Jumps::Loop);
        self.rounds.push(counter.into());
        self.declare(Ty::U, counter.into(), false);
        self.indent += 1;
        if switched {
            self.switch(depth, ret);
        }
        if !switched || self.pick(2) == 0 {
            self.statements(depth - 1, ret);
        }
        self.indent -= 1;
        self.rounds.pop();
        self.jumps = outer;
        self.scope.truncate(scope);
    }

    /// A loop of at most seven rounds.
    pub(super) fn a_loop(&mut self, depth: u32, ret: Option<Ty>, switched: bool) {
        let (i, n) = (self.name("at"), 1 + self.pick(6));
        let bound = if self.pick(2) == 0 { format!("{n}u") } else { format!("({} & 7u)", self.expr(Ty::U, 1)) };
        let limit = self.name("n");
        self.line(&format!("let {limit} = {bound};"));
        match self.pick(5) {
            0 | 1 => {
                self.line(&format!("for (var {i} = 0u; {i} < {limit}; {i}++) {{"));
                self.round(depth, ret, switched, &i);
                self.line("}");
            }
            2 => {
                // The count goes first, so that `continue` cannot skip it.
                self.line(&format!("var {i} = 0u;"));
                self.line(&format!("while {i} < {limit} {{"));
                self.line(&format!("    {i} += 1u;"));
                self.round(depth, ret, switched, &i);
                self.line("}");
            }
            3 => {
                // `do { .. } while (false)`: a loop without a way back, out of which jumps lead.
                self.line(&format!("var {i} = {limit};"));
                self.line("loop {");
                self.round(depth, ret, switched, &i);
                self.line(&format!("    continuing {{ {i}++; break if true; }}"));
                self.line("}");
            }
            _ => {
                self.line(&format!("var {i} = 0u;"));
                self.line("loop {");
                self.round(depth, ret, switched, &i);
                self.line("    continuing {");
                self.line(&format!("        {i}++;"));
                self.line(&format!("        break if {i} >= {limit};"));
                self.line("    }");
                self.line("}");
            }
        }
    }

    /// A number below [`VALUES`]: the same for all invocations, or not, or one after the other in the rounds of a loop.
    fn selector(&mut self) -> String {
        let base = match self.pick(4) {
            0 => "params.a".into(),
            1 => format!("(me + {})", self.leaf(Ty::U)),
            _ => self.expr(Ty::U, 2),
        };
        match self.rounds.last().cloned() {
            Some(i) if self.pick(2) == 0 => format!("(({base} + {i}) & {}u)", VALUES - 1),
            _ => format!("({base} & {}u)", VALUES - 1),
        }
    }

    /// A switch with up to eight values, some of which share a case; the default is anywhere.
    pub(super) fn switch(&mut self, depth: u32, ret: Option<Ty>) {
        let jumps = match self.jumps {
            Jumps::Loop | Jumps::SwitchInLoop => Jumps::SwitchInLoop,
            _ => Jumps::Switch,
        };
        let s = self.selector();
        // Dense, with negative values, far apart.
        let kind = self.pick(4);
        let value = |k: u32| match kind {
            0 => format!("{}", k as i32 - 3),
            1 => format!("{}u", k * 1_000_003),
            _ => format!("{k}u"),
        };
        let s = match kind {
            0 => format!("i32{s} - 3"),
            1 => format!("{s} * 1000003u"),
            _ => s,
        };
        let mut values: Vec<u32> = (0..VALUES).collect();
        for k in (1..VALUES).rev() {
            let other = self.pick(k + 1) as usize;
            values.swap(k as usize, other);
        }
        values.truncate(1 + self.pick(VALUES) as usize);
        let mut groups: Vec<Vec<String>> = Vec::new();
        while !values.is_empty() {
            let n = (1 + self.pick(4) as usize).min(values.len());
            groups.push(values.drain(..n).map(value).collect());
        }
        if self.pick(2) == 0 {
            let at = self.pick(groups.len() as u32) as usize;
            let place = self.pick(groups[at].len() as u32 + 1) as usize;
            groups[at].insert(place, "default".into());
        } else {
            let at = self.pick(groups.len() as u32 + 1) as usize;
            groups.insert(at, vec!["default".into()]);
        }
        self.line(&format!("switch {s} {{"));
        self.indent += 1;
        for g in groups {
            let list = g.join(", ");
            self.line(&if list == "default" { "default: {".into() } else { format!("case {list}: {{") });
            self.case(depth - 1, ret, jumps);
            self.line("}");
        }
        self.indent -= 1;
        self.line("}");
    }

    /// A case: statements, and maybe a way out for everyone who comes to its end.
    fn case(&mut self, depth: u32, ret: Option<Ty>, jumps: Jumps) {
        if self.pick(8) != 0 {
            self.block(depth, ret, jumps);
        }
        let in_loop = jumps == Jumps::SwitchInLoop;
        match (self.pick(10), ret) {
            (0 | 1, _) => self.line("    break;"),
            (2 | 3, _) if in_loop => self.line("    continue;"),
            (4, Some(t)) => {
                let e = self.expr(t, 2);
                self.line(&format!("    return {e};"));
            }
            _ => {}
        }
    }

    /// The end of an invocation of the entry point. As a fragment it may be discarded, and continue as a helper, without any effect;
    /// nothing has gone into its colours yet.
    pub(super) fn ending(&mut self) -> String {
        match (self.pick(3), self.kind) {
            (0 | 1, Kind::Fragment) => "discard;".into(),
            (_, Kind::Fragment) => format!("return {};", self.pipeline.colours()),
            _ => "return;".into(),
        }
    }

    /// Some invocations leave the function here.
    pub(super) fn leave_early(&mut self, ret: Option<Ty>) {
        if ret.is_none() && self.may_leave {
            let (c, end) = (self.expr(Ty::B, 2), self.ending());
            self.line(&format!("if {c} {{ {end} }}"));
        } else {
            self.jump(ret);
        }
    }

    /// A condition that no invocation meets: the same for all of them or not, and known to the compiler or not.
    fn never(&mut self) -> String {
        let c = match self.pick(6) {
            0 | 1 => "params.a > 15u".into(),
            2 | 3 => format!("zeros[{}] != 0u", self.expr(Ty::U, 1)),
            4 => "me > 4000u".into(),
            _ => "false".into(),
        };
        match self.pick(4) {
            0 => format!("{c} && ({})", self.expr(Ty::B, 2)),
            1 => format!("({}) && {c}", self.expr(Ty::B, 2)),
            _ => c,
        }
    }

    /// A branch that nobody takes, and maybe what everybody does instead.
    pub(super) fn untaken(&mut self, depth: u32, ret: Option<Ty>) {
        let (c, jumps) = (self.never(), self.jumps);
        self.line(&format!("if {c} {{"));
        if self.pick(3) == 0 {
            self.block(depth - 1, ret, jumps);
        }
        self.indent += 1;
        self.no_return(depth, ret);
        self.indent -= 1;
        if self.pick(3) == 0 {
            self.line("} else {");
            self.block(depth - 1, ret, jumps);
        }
        self.line("}");
    }

    /// Most programs that do not come to their end.
    fn no_return(&mut self, depth: u32, ret: Option<Ty>) {
        let discard = if self.kind == Kind::Fragment { "discard; " } else { "" };
        match self.pick(if depth == 0 { 6 } else { 10 }) {
            0 => self.line("while true { }"),
            1 => self.line(&format!("while true {{ {discard}}}")),
            2 => {
                let c = self.expr(Ty::B, 2);
                self.line(&format!("loop {{ {discard}continuing {{ break if {c}; }} }}"));
            }
            3 => {
                let c = self.expr(Ty::B, 2);
                self.line(&format!("while true {{ if {c} {{ {discard}continue; }} }}"));
            }
            4 => match (self.jumps, ret) {
                (Jumps::Loop | Jumps::SwitchInLoop, _) => {
                    let jump = self.one(&["break", "continue"]);
                    self.line(&format!("{jump};"));
                }
                (_, Some(t)) => {
                    let e = self.expr(t, 1);
                    self.line(&format!("return {e};"));
                }
                (_, None) if self.may_leave => {
                    let end = self.ending();
                    self.line(&end);
                }
                _ => self.line("while true { }"),
            },
            5 => {
                self.line("while true { }");
                self.assignment();
            }
            k => {
                self.line("while true {");
                if k < 9 {
                    self.block(depth - 1, ret, Jumps::Nothing);
                }
                if k > 7 {
                    let outer = std::mem::replace(&mut self.jumps, Jumps::Nothing);
                    self.indent += 1;
                    self.no_return(depth - 1, ret);
                    self.indent -= 1;
                    self.jumps = outer;
                }
                self.line("}");
            }
        }
    }
}
