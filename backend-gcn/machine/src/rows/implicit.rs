//! Named sets of state that instructions touch without an operand field.

use gpucc_isa::Implicit;

const fn r(name: &'static str) -> Implicit {
    Implicit::read(name)
}
const fn w(name: &'static str) -> Implicit {
    Implicit::write(name)
}
const fn b(name: &'static str) -> Implicit {
    Implicit::both(name)
}

pub(crate) const NONE: &[Implicit] = &[];
pub(crate) const SCC_W: &[Implicit] = &[w("scc")];
pub(crate) const SCC_R: &[Implicit] = &[r("scc")];
pub(crate) const SCC_RW: &[Implicit] = &[b("scc")];
pub(crate) const SAVEEXEC: &[Implicit] = &[b("exec"), w("scc")];
pub(crate) const VCC_R: &[Implicit] = &[r("vcc")];
pub(crate) const EXEC_R: &[Implicit] = &[r("exec")];
pub(crate) const M0_R: &[Implicit] = &[r("m0")];
pub(crate) const M0_W: &[Implicit] = &[b("m0")];
pub(crate) const EXEC_M0: &[Implicit] = &[r("exec"), r("m0")];
pub(crate) const EXEC_VCC_R: &[Implicit] = &[r("exec"), r("vcc")];
pub(crate) const EXEC_VCC_W: &[Implicit] = &[r("exec"), w("vcc")];
pub(crate) const EXEC_VCC_RW: &[Implicit] = &[r("exec"), b("vcc")];
pub(crate) const EXEC_RW: &[Implicit] = &[b("exec")];
pub(crate) const EXEC_RW_VCC_W: &[Implicit] = &[b("exec"), w("vcc")];

/// Implicit state of a vector instruction in its 32-bit, SDWA or DPP form and in its VOP3 form.
#[derive(Clone, Copy)]
pub(crate) struct Vector {
    pub short: &'static [Implicit],
    pub long: &'static [Implicit],
}

/// Sets by class of vector instruction.
pub(crate) mod v {
    use super::*;
    pub(crate) const NONE: Vector = Vector { short: super::NONE, long: super::NONE };
    pub(crate) const EXEC_R: Vector = Vector { short: super::EXEC_R, long: super::EXEC_R };
    pub(crate) const EXEC_M0: Vector = Vector { short: super::EXEC_M0, long: super::EXEC_M0 };
    pub(crate) const EXEC_VCC_R: Vector = Vector { short: super::EXEC_VCC_R, long: super::EXEC_VCC_R };
    pub(crate) const CARRY_I: Vector = Vector { short: super::EXEC_VCC_R, long: super::EXEC_R };
    pub(crate) const CARRY_O: Vector = Vector { short: super::EXEC_VCC_W, long: super::EXEC_R };
    pub(crate) const CARRY_IO: Vector = Vector { short: super::EXEC_VCC_RW, long: super::EXEC_R };
    pub(crate) const CMP: Vector = Vector { short: super::EXEC_VCC_W, long: super::EXEC_R };
    pub(crate) const CMPX: Vector = Vector { short: super::EXEC_RW_VCC_W, long: super::EXEC_RW };
}
