//! Branches, jumps and the end of the program.

use gpucc_ir::{Attr, Inst, IntCc, Op, Value};
use gpucc_mir::BlockId;

use super::{Isel, IselCx, MI};
use crate::builders as build;
use crate::inst::{IfZero, Together, Uniform};

impl Isel<'_> {
    /// The end of a block.
    pub(super) fn end(&mut self, cx: &mut IselCx<'_>, i: Inst) {
        let d = cx.data(i);
        match &d.attr {
            Attr::Branch(b) => {
                let then = cx.edge(b.then());
                let Some(other) = b.other() else {
                    cx.emit(self.jump(cx, then.to));
                    cx.set_succs(gpucc_mir::Cfg::Logical, [then]);
                    return;
                };
                let other = cx.edge(other);
                let (to, els) = (then.to, other.to);
                cx.set_succs(gpucc_mir::Cfg::Logical, [then, other]);
                self.branch(cx, d.args[0], to);
                cx.emit(self.jump(cx, els));
            }
            _ => {
                cx.set_succs(gpucc_mir::Cfg::Logical, []);
                cx.emit(build::End.on([]));
            }
        }
    }

    /// Branches to `to` if the boolean is true.
    fn branch(&mut self, cx: &mut IselCx<'_>, cond: Value, to: BlockId) {
        let (mut v, mut eq) = (cond, false);
        // A test against zero is what the branch does by itself.
        while let Some(d) = cx.peek(v) {
            match (&d.op, &d.attr) {
                (Op::Not, _) => {
                    eq = !eq;
                    v = d.args[0];
                }
                (Op::ICmp, Attr::IntCc(cc @ (IntCc::Eq | IntCc::Ne)))
                    if self.constant_bits(cx, d.args[1]) == Some(0) =>
                {
                    if *cc == IntCc::Eq {
                        eq = !eq;
                    }
                    v = d.args[0];
                    if !cx.f.ty(v).is_bool() {
                        break;
                    }
                }
                _ => break,
            }
        }
        let u = self.int(cx, v);
        let uniform = !self.uniformity.is_divergent(cond);
        cx.emit(build::Branch.with((IfZero(eq), Uniform(uniform)), [u, to.into()]));
    }

    /// Goes to a block, and notes whether all lanes of the workgroup leave this one together.
    fn jump(&self, cx: &IselCx<'_>, to: BlockId) -> MI {
        let together = !self.uniformity.divergent_block(cx.current());
        build::Jump.with((Together(together),), [to.into()])
    }
}
