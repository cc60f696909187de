//! Memory order: what atomics, barriers and the operands of accesses say about when others see memory.
//!
//! naga's reader drops most of it. [`declare_shared`] makes decorations of variables from what it would not read, and is conservative: one
//! access that others see at once makes all accesses to its variable so. [`Orders`] keeps scope and semantics of each atomic and barrier by
//! the byte at which naga says that it begins, and puts them into the IR: an ordered atomic is a relaxed one between two fences.

use super::binary::{Binary, Inst};
use super::types::{RewriteCx, id};
use gpucc_ir::{Attr, Barrier, Function, InstData, MemFlags, Order};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Decoration, MemoryAccess, MemorySemantics, Op, Scope, StorageClass};
use rustc_hash::{FxHashMap, FxHashSet};

/// What one atomic or barrier says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ordered {
    /// The scope of execution, of a barrier that waits.
    exec: Option<u32>,
    scope: u32,
    semantics: MemorySemantics,
}

impl Ordered {
    /// Reads an instruction, if it is an atomic or a barrier.
    pub fn of(cx: &RewriteCx, inst: &Inst) -> Option<Ordered> {
        let value = |n: usize| inst.id(n).and_then(|v| cx.bits(v)).map(|v| v as u32);
        let (exec, at) = match inst.op() {
            Op::ControlBarrier => (Some(value(0)?), 1),
            Op::MemoryBarrier => (None, 0),
            _ if inst.class_name().starts_with("Atomic") => (None, 1),
            _ => return None,
        };
        let mut semantics = value(at + 1)?;
        if inst.op() == Op::AtomicCompareExchange {
            // Whichever way it goes.
            semantics |= value(at + 2)?;
        }
        Some(Ordered { exec, scope: value(at)?, semantics: MemorySemantics::from_bits_truncate(semantics) })
    }

    fn acquires(self) -> bool {
        use MemorySemantics as S;
        self.semantics.intersects(S::ACQUIRE | S::ACQUIRE_RELEASE | S::SEQUENTIALLY_CONSISTENT)
    }

    fn releases(self) -> bool {
        use MemorySemantics as S;
        self.semantics.intersects(S::RELEASE | S::ACQUIRE_RELEASE | S::SEQUENTIALLY_CONSISTENT)
    }

    /// The fence of this order; none if it orders nothing between invocations.
    fn fence(self, order: Order) -> Option<Barrier> {
        use MemorySemantics as S;
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

    /// The whole of an instruction that is a barrier; none if it does nothing.
    fn barrier(self) -> Option<Barrier> {
        let order = match (self.acquires(), self.releases()) {
            (true, false) => Order::Acquire,
            (false, true) => Order::Release,
            _ => Order::AcqRel,
        };
        let Some(exec) = self.exec else {
            return self.fence(order).filter(|_| self.acquires() || self.releases());
        };
        let exec = match exec == Scope::Subgroup as u32 {
            true => gpucc_ir::Scope::Subgroup,
            false => gpucc_ir::Scope::Workgroup,
        };
        let ordered = self.fence(Order::AcqRel).unwrap_or(Barrier::wait(exec));
        Some(Barrier { exec, ..ordered })
    }
}

/// Of each atomic and barrier what it says, by its byte.
#[derive(Debug, Default)]
pub struct Orders(FxHashMap<u32, Ordered>);

impl Orders {
    /// From a module that is ready, where `starts` are the bytes of all its instructions.
    pub fn new(cx: &RewriteCx, module: &Binary, starts: &[(u32, u32, Op)]) -> Orders {
        let all = module.head.iter().chain(&module.body).zip(starts);
        Orders(all.filter_map(|(inst, start)| Some((start.0, Ordered::of(cx, inst)?))).collect())
    }

    /// Puts them into the IR; `at` gives the byte of the instruction that an instruction of the IR comes from.
    pub fn apply(&self, f: &mut Function, at: impl Fn(&InstData) -> Option<u32>) {
        if self.0.is_empty() {
            return;
        }
        let mut old = Vec::new();
        for b in f.layout.clone() {
            f.take_insts(b, &mut old);
            for i in old.drain(..) {
                let d = &f.insts[i];
                let atomic = matches!(d.attr, Attr::Atomic(..) | Attr::TexAtomic(..))
                    || d.mem().is_some_and(|m| m.flags.has(MemFlags::ATOMIC))
                    || d.op == gpucc_ir::Op::CmpXchg;
                let barrier = matches!(d.attr, Attr::Barrier(_));
                let found = if atomic || barrier { at(d).and_then(|at| self.0.get(&at)) } else { None };
                let Some(&o) = found else {
                    f.blocks[b].insts.push(i);
                    continue;
                };
                if barrier {
                    if let Some(new) = o.barrier() {
                        f.insts[i].attr = Attr::Barrier(new);
                        f.blocks[b].insts.push(i);
                    }
                    continue;
                }
                if o.semantics.contains(MemorySemantics::VOLATILE)
                    && let Some(m) = f.insts[i].mem_mut()
                {
                    m.flags = m.flags.with(MemFlags::VOLATILE);
                }
                let loc = f.insts[i].loc;
                let fence = |f: &mut Function, order: Order| {
                    let Some(fence) = o.fence(order) else { return };
                    let new = InstData::new(gpucc_ir::Op::Barrier, &[], Attr::Barrier(fence)).at(loc);
                    let new = f.make_inst(new, &[]);
                    f.blocks[b].insts.push(new);
                };
                if o.releases() {
                    fence(f, Order::Release);
                }
                f.blocks[b].insts.push(i);
                if o.acquires() {
                    fence(f, Order::Acquire);
                }
            }
        }
    }
}

/// Decorates variables as `Coherent` or `Volatile` whose members are, or that an access reaches which says so itself.
pub fn declare_shared(module: &mut Binary) {
    let found = shared(module);
    if found.is_empty() {
        return;
    }
    let first = module.head.iter().position(|i| i.op().is_annotation() || i.op().is_type());
    let at = first.unwrap_or(module.head.len());
    let decorate = |&(variable, what): &(u32, Decoration)| {
        let operands = vec![id(variable), Operand::Decoration(what)];
        Inst { inst: Instruction::new(Op::Decorate, None, None, operands), place: 0 }
    };
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_unstable_by_key(|f| (f.0, f.1 as u32));
    module.head.splice(at..at, found.iter().map(decorate));
}

fn shared(module: &Binary) -> FxHashSet<(u32, Decoration)> {
    let mut found: FxHashSet<(u32, Decoration)> = FxHashSet::default();
    // Of types that are or hold a struct with such members; declared before what they are parts of.
    let mut types: FxHashMap<u32, (bool, bool)> = FxHashMap::default();
    let mut variables: FxHashSet<u32> = FxHashSet::default();
    for inst in &module.head {
        if let (Op::MemberDecorate, Some(ty), Some(Operand::Decoration(d))) =
            (inst.op(), inst.id(0), inst.inst.operands.get(2))
        {
            let t = types.entry(ty).or_default();
            t.0 |= *d == Decoration::Coherent;
            t.1 |= *d == Decoration::Volatile;
        }
    }
    for inst in &module.head {
        match (inst.op(), inst.inst.result_id) {
            (op, Some(result)) if op.is_type() => {
                let parts = inst.ids(0).into_iter().filter_map(|p| types.get(&p).copied());
                let of = parts.fold((false, false), |a, b| (a.0 || b.0, a.1 || b.1));
                if of != (false, false) {
                    let t = types.entry(result).or_default();
                    *t = (t.0 || of.0, t.1 || of.1);
                }
            }
            (Op::Variable, Some(result)) => {
                let class = inst.inst.operands.first();
                if let Some(Operand::StorageClass(StorageClass::StorageBuffer | StorageClass::Uniform)) = class {
                    variables.insert(result);
                    let of = inst.inst.result_type.and_then(|t| types.get(&t)).copied().unwrap_or_default();
                    found.extend(of.0.then_some((result, Decoration::Coherent)));
                    found.extend(of.1.then_some((result, Decoration::Volatile)));
                }
            }
            _ => {}
        }
    }
    // Everything else that a pointer can begin at here, which others do not see at once or for which the word means nothing.
    let all = module.head.iter().chain(&module.body).filter(|i| i.op() == Op::Variable);
    let others: FxHashSet<u32> = all.filter_map(|i| i.inst.result_id).filter(|v| !variables.contains(v)).collect();
    // Where a pointer that is a parameter of a function leads nobody knows here: to any of them.
    let mut any = (false, false);
    let mut roots: FxHashMap<u32, u32> = FxHashMap::default();
    for inst in &module.body {
        let derived =
            matches!(inst.op(), Op::AccessChain | Op::InBoundsAccessChain | Op::CopyObject | Op::PtrAccessChain);
        if let (true, Some(result), Some(base)) = (derived, inst.inst.result_id, inst.id(0)) {
            roots.insert(result, roots.get(&base).copied().unwrap_or(base));
        }
        let (mut coherent, mut volatile) = (false, false);
        for o in &inst.inst.operands {
            if let Operand::MemoryAccess(m) = o {
                volatile |= m.contains(MemoryAccess::VOLATILE);
                let seen = MemoryAccess::MAKE_POINTER_AVAILABLE | MemoryAccess::MAKE_POINTER_VISIBLE;
                coherent |= m.intersects(seen);
            }
        }
        if !coherent && !volatile {
            continue;
        }
        let pointers = if inst.op() == Op::CopyMemory { 0..2 } else { 0..1 };
        for pointer in pointers.filter_map(|n| inst.id(n)) {
            let root = roots.get(&pointer).copied().unwrap_or(pointer);
            if others.contains(&root) {
                continue;
            }
            let known = variables.contains(&root);
            any.0 |= coherent && !known;
            any.1 |= volatile && !known;
            if known {
                found.extend(coherent.then_some((root, Decoration::Coherent)));
                found.extend(volatile.then_some((root, Decoration::Volatile)));
            }
        }
    }
    for &v in &variables {
        found.extend(any.0.then_some((v, Decoration::Coherent)));
        found.extend(any.1.then_some((v, Decoration::Volatile)));
    }
    found
}
