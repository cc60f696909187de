//! Selects operations between the lanes of a warp.

use gpucc_ir::{Diagnostic, Inst, Op};
use gpucc_mir::Use;

use super::{Isel, IselCx, b00};
use crate::builders as build;
use crate::inst::Among;

/// The modifier of 16 lanes.
const WARP: u8 = 3;

impl Isel<'_> {
    /// Ballots and reads of other lanes.
    pub(super) fn subgroup(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let out = cx.result(i, 0).to_vec();
        match d.op {
            Op::Ballot => {
                let c = self.int(cx, d.args[0]);
                let c = self.in_register(cx, c);
                self.push(cx, build::Wmask.with((Among(WARP),), [c.into()]).def(out[0]));
                for &r in &out[1..] {
                    self.push(cx, build::MovI32.on([Use::imm(0)]).def(r));
                }
            }
            Op::LaneRead => {
                let (v, lane) = (self.int(cx, d.args[0]), self.int(cx, d.args[1]));
                let (v, lane) = (self.in_register(cx, v), self.in_register(cx, lane));
                self.push(cx, build::ClperI32.with((Among(WARP),), [v.into(), b00(lane.into())]).def(out[0]));
            }
            _ => return Err(cx.unknown(i)),
        }
        Ok(())
    }
}
