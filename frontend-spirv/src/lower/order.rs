//! Memory order: what atomics, barriers and accesses say about when others see memory. An ordered atomic is a relaxed one between two
//! fences.

use super::cx::Lowered;
use super::func::FuncCx;
use crate::module::Inst;
use gpucc_frontend_common::access_flags;
use gpucc_ir as ir;
use ir::{Barrier, MemFlags, Order, Refusal};
use rspirv::spirv::{MemoryAccess, MemorySemantics as S, Op, Scope};

/// Scope and semantics of an atomic or a barrier.
#[derive(Debug, Clone, Copy)]
pub struct Ordered {
    scope: u32,
    semantics: S,
}

impl Ordered {
    fn acquires(self) -> bool {
        self.semantics.intersects(S::ACQUIRE | S::ACQUIRE_RELEASE | S::SEQUENTIALLY_CONSISTENT)
    }

    fn releases(self) -> bool {
        self.semantics.intersects(S::RELEASE | S::ACQUIRE_RELEASE | S::SEQUENTIALLY_CONSISTENT)
    }

    /// Whether the access happens exactly as written.
    pub fn is_volatile(self) -> bool {
        self.semantics.contains(S::VOLATILE)
    }

    /// The fence of this order; none if it orders nothing between invocations.
    fn fence(self, order: Order) -> Option<Barrier> {
        if self.scope == Scope::Invocation as u32 {
            return None;
        }
        let storage = self.semantics.intersects(S::UNIFORM_MEMORY | S::ATOMIC_COUNTER_MEMORY);
        let texture = self.semantics.contains(S::IMAGE_MEMORY);
        let workgroup = self.semantics.contains(S::WORKGROUP_MEMORY);
        let near = self.scope == Scope::Workgroup as u32 || self.scope == Scope::Subgroup as u32;
        let device = !near && (storage || texture);
        let b = Barrier { device, workgroup, storage, texture, ..Barrier::fence(order) };
        b.orders().then_some(b)
    }
}

impl FuncCx<'_, '_> {
    /// The order of an atomic: its scope, and its semantics, of a compare and exchange both of them.
    pub fn ordered(&mut self, inst: &Inst) -> Lowered<Ordered> {
        let o = self.m.m.operands(inst);
        let scope = self.number(o[1])? as u32;
        let mut semantics = self.number(o[2])? as u32;
        if inst.op == Op::AtomicCompareExchange {
            // Whichever way it goes.
            semantics |= self.number(o[3])? as u32;
        }
        Ok(Ordered { scope, semantics: self.semantics(semantics)? })
    }

    /// Semantics of which every bit is known.
    fn semantics(&self, bits: u32) -> Lowered<S> {
        match S::from_bits(bits) {
            Some(semantics) => Ok(semantics),
            None => self.missing(Refusal::Spirv, format!("with the semantics {bits:#x}")),
        }
    }

    /// The barrier before an ordered atomic.
    pub fn release(&mut self, o: Ordered) {
        if let Some(fence) = o.fence(Order::Release).filter(|_| o.releases()) {
            self.b().barrier(fence);
        }
    }

    /// The instructions behind it.
    pub fn acquire(&mut self, o: Ordered) {
        if let Some(fence) = o.fence(Order::Acquire).filter(|_| o.acquires()) {
            self.b().barrier(fence);
        }
    }

    /// Lowers an `OpControlBarrier` or `OpMemoryBarrier`.
    pub fn barrier(&mut self, inst: &Inst) -> Lowered<()> {
        let o = self.m.m.operands(inst);
        let waits = inst.op == Op::ControlBarrier;
        let at = usize::from(waits);
        let scope = self.number(o[at])? as u32;
        let semantics = self.number(o[at + 1])? as u32;
        let semantics = self.semantics(semantics)?;
        let own = Ordered { scope, semantics };
        if !waits {
            let order = match (own.acquires(), own.releases()) {
                (true, false) => Order::Acquire,
                (false, true) => Order::Release,
                _ => Order::AcqRel,
            };
            if let Some(fence) = own.fence(order).filter(|_| own.acquires() || own.releases()) {
                self.b().barrier(fence);
            }
            return Ok(());
        }
        let exec = match Scope::from_u32(self.number(o[0])? as u32) {
            Some(Scope::Subgroup) => ir::Scope::Subgroup,
            Some(Scope::Workgroup) => ir::Scope::Workgroup,
            // Nobody waits for oneself.
            Some(Scope::Invocation) => ir::Scope::None,
            Some(other) => return self.missing(Refusal::Spirv, format!("{other:?}")),
            None => return self.wrong("there is no such scope"),
        };
        let ordered = own.fence(Order::AcqRel).unwrap_or(Barrier::wait(exec));
        if exec != ir::Scope::None || ordered.orders() {
            self.b().barrier(Barrier { exec, ..ordered });
        }
        Ok(())
    }

    /// The operands of an access.
    pub fn access_flags(&self, operands: &[u32]) -> MemFlags {
        let set = MemoryAccess::from_bits_truncate(operands.first().copied().unwrap_or(0));
        let others = MemoryAccess::MAKE_POINTER_AVAILABLE | MemoryAccess::MAKE_POINTER_VISIBLE;
        access_flags(set.intersects(others), set.contains(MemoryAccess::VOLATILE))
    }
}
