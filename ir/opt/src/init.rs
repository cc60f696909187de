//! Turns initialisation of memory into stores.
//!
//! - `workgroup`: at the start of an entry point, its invocations together zero the workgroup variables that it uses, then
//!   wait for each other. In modules that are not robust only those with an initialiser of their own (the caller promises zeros otherwise).
//! - `variables`: each `var_init` becomes stores; private variables get theirs at the start of the entry point.
//!
//! Both write a short run of vector stores, or a loop for large variables. A large initialiser that is not zero is copied from a variable that nobody
//! else writes: families keep that where constants lie. Needs: no calls (run after `inline`); run `variables`
//! after `sroa` and `mem2reg`, which remove most of them without a store. Keeps: structure.

use crate::PassCx;
use gpucc_ir::{
    Attr, Barrier, Block, Builder, Const, Edge, EntitySet, Function, Global, Init, Inst, IntCc, Local, Mem, MemFlags,
    Module, Op, Place, Scalar, Scope, SecondaryMap, Space, Sysval, Type, Value, VarData,
};

/// Stores that are written one after the other before a loop is made of them; half as many of 16 bytes.
const STRAIGHT: u32 = 16;

/// Bytes of an initialiser from which a variable that is written gets it by a loop.
const TABLE: u32 = 512;

/// Places that the function accesses.
fn used(f: &Function, module: &Module, space: Space) -> Vec<Global> {
    let mut list: Vec<Global> = Vec::new();
    for (_, i) in f.insts_in_order() {
        if let Some(Place::Global(g)) = f.insts[i].place()
            && module.globals[g].space == space
            && !list.contains(&g)
        {
            list.push(g);
        }
    }
    list.sort();
    list
}

/// Puts an empty block in front of the entry block; gives the new and the old one.
pub(crate) fn prologue(f: &mut Function) -> (Block, Block) {
    let old = f.entry();
    let new = f.make_block();
    f.layout.insert(0, new);
    (new, old)
}

/// Removes a `var_init` of a workgroup variable that comes before any other access to it: what one invocation zeroes
/// here (naga's SPIR-V does that) all have zeroed already.
fn cleared_again(module: &Module, f: &mut Function, zeroed: &[Global]) {
    let mut pos: SecondaryMap<Block, usize> = SecondaryMap::new();
    for (k, &b) in f.layout.iter().enumerate() {
        pos[b] = k;
    }
    // Where the last loop around each position ends.
    let mut ends = vec![0; f.layout.len()];
    for (k, &b) in f.layout.iter().enumerate() {
        for &to in f.succs(b).iter() {
            let head: &mut usize = &mut ends[pos[to].min(k)];
            *head = if pos[to] <= k { (*head).max(k + 1) } else { *head };
        }
    }
    let mut seen: Vec<Global> = Vec::new();
    let mut inside = 0;
    for (k, b) in f.layout.clone().into_iter().enumerate() {
        inside = inside.max(ends[k]);
        let mut list = std::mem::take(&mut f.blocks[b].insts);
        list.retain(|&mut i| {
            let d = &f.insts[i];
            let Some(Place::Global(g)) = d.place().filter(|&p| module.space(p) == Space::Workgroup) else {
                return true;
            };
            if !zeroed.contains(&g) {
                return true;
            }
            let first = !seen.contains(&g);
            if first {
                seen.push(g);
            }
            d.op != Op::VarInit || !first || k < inside
        });
        f.blocks[b].insts = list;
    }
}

/// The bytes of one store that zeroes a variable: as many as give each invocation the fewest stores.
fn unit(var: &VarData, lanes: u32, wide: bool) -> u32 {
    let fits = |bytes: &u32| {
        let whole = var.size.is_multiple_of(*bytes);
        whole && (wide || *bytes == 16 && var.align >= 16 && var.size / 16 >= lanes)
    };
    let stores = |bytes: &u32| (var.size.div_ceil(*bytes).div_ceil(lanes), *bytes);
    [8, 16].into_iter().filter(fits).chain([4]).min_by_key(stores).unwrap_or(4)
}

/// Zeroes workgroup variables of `entry`'s function: all of them if the module says that we do, otherwise those with an initialiser of their own.
/// Gives the number of variables zeroed.
pub fn workgroup(cx: &PassCx<'_>, f: &mut Function, size: [u32; 3]) -> u64 {
    let module = cx.module;
    let mut list = used(f, module, Space::Workgroup);
    list.retain(|&g| module.options.zeroes_workgroup_memory() || matches!(module.globals[g].init, Init::Bytes(_)));
    if list.is_empty() {
        return 0;
    }
    cleared_again(module, f, &list);
    let (block, old) = prologue(f);
    // More invocations than 32 bits count are refused later.
    let lanes = gpucc_ir::invocations(size).max(1);
    let mut b = Builder::new(f, block);
    let index = if lanes == 1 { b.func.iconst(Type::I32, 0) } else { b.sysval(Sysval::LocalInvocationIndex) };
    for &g in &list {
        let var = &module.globals[g];
        let bytes = unit(var, lanes, cx.caps.wide_workgroup);
        let ty = Type::I32.with_lanes(bytes / 4);
        let count = var.size.div_ceil(bytes).div_ceil(lanes);
        let unit = b.func.iconst(Type::I32, i64::from(bytes));
        let first = b.imul(index, unit);
        let last = b.func.iconst(Type::I32, i64::from(var.size.saturating_sub(bytes)));
        let step = bytes.saturating_mul(lanes);
        // Past the end the last unit is zeroed once more: cheaper than a branch, and all write the same value.
        let exact = var.size.is_multiple_of(step);
        let zero = b.func.zero(ty);
        let store = |b: &mut Builder<'_>, at: Value| {
            let at = if exact { at } else { b.umin(at, last) };
            let mem = Mem::new(Place::Global(g), 0, bytes).flags(MemFlags::IN_BOUNDS);
            b.store(zero, mem, Some(at));
        };
        if count <= STRAIGHT / if bytes == 16 { 2 } else { 1 } {
            for k in 0..count {
                let by = b.func.iconst(Type::I32, i64::from(k * step));
                let at = if k == 0 { first } else { b.iadd(first, by) };
                store(&mut b, at);
            }
        } else {
            repeat(&mut b, first, step, count.saturating_mul(step), store);
        }
    }
    b.barrier(Barrier { workgroup: true, ..Barrier::wait(Scope::Workgroup) });
    b.jump(old, &[]);
    list.len() as u64
}

/// A loop over `at = first, first + step, ...`, `total / step` times. Continues behind the loop.
fn repeat(b: &mut Builder<'_>, first: Value, step: u32, total: u32, body: impl Fn(&mut Builder<'_>, Value)) {
    let (head, cont, done) = (b.func.make_block(), b.func.make_block(), b.func.make_block());
    let here = b.func.layout.iter().position(|&x| x == b.block).map_or(b.func.layout.len(), |p| p + 1);
    for (n, x) in [head, cont, done].into_iter().enumerate() {
        b.func.layout.insert(here + n, x);
    }
    // The counter runs apart from the address, whose start differs by invocation: the branch stays uniform.
    let at = b.func.add_param(head, Type::I32);
    let n = b.func.add_param(head, Type::I32);
    let (zero, step_v, total_v) = (
        b.func.iconst(Type::I32, 0),
        b.func.iconst(Type::I32, i64::from(step)),
        b.func.iconst(Type::I32, i64::from(total)),
    );
    b.jump(head, &[first, zero]);
    b.set_loop(head, done, cont);
    b.switch_to(head);
    let more = b.icmp(IntCc::Ult, n, total_v);
    b.br(more, Edge::to(cont), Edge::to(done), None);
    b.switch_to(cont);
    body(b, at);
    let (at2, n2) = (b.iadd(at, step_v), b.iadd(n, step_v));
    b.jump(head, &[at2, n2]);
    b.switch_to(done);
}

/// Turns private variables' initialisers and every `var_init` into stores. Gives the number of variables written.
pub fn variables(module: &Module, f: &mut Function, is_entry: bool) -> u64 {
    let mut changes = 0;
    if is_entry {
        let list = used(f, module, Space::Private);
        if !list.is_empty() {
            let (block, old) = prologue(f);
            let mut b = Builder::new(f, block);
            for &g in &list {
                let init = module.globals[g].init.clone();
                write(&mut b, Place::Global(g), module.globals[g].size, module.globals[g].align, &init);
                changes += 1;
            }
            b.jump(old, &[]);
        }
    }
    let mut tables: Vec<(Local, Local)> = Vec::new();
    let copied = copied(f);
    let mut old = Vec::new();
    for block in f.layout.clone() {
        let mut at = block;
        f.take_insts(block, &mut old);
        for &i in &old {
            let place = match (&f.insts[i].op, &f.insts[i].attr) {
                (Op::VarInit, Attr::Place(p)) => *p,
                _ => {
                    f.blocks[at].insts.push(i);
                    continue;
                }
            };
            let (size, align, init) = match place {
                Place::Local(l) => (f.locals[l].size, f.locals[l].align, f.locals[l].init.clone()),
                Place::Global(g) => (module.globals[g].size, module.globals[g].align, module.globals[g].init.clone()),
                Place::Buffer(_) | Place::Address => continue,
            };
            let loc = f.insts[i].loc;
            let table = match place {
                Place::Local(l) if copied.contains(l) => Some(table(f, l, &mut tables)),
                _ => None,
            };
            let mut b = Builder::new(f, at);
            b.loc = loc;
            match table {
                Some(table) => copy(&mut b, place, table, size, &init),
                None => write(&mut b, place, size, align, &init),
            }
            at = b.block;
            changes += 1;
        }
    }
    let entry = f.entry();
    for &(_, t) in &tables {
        let VarData { size, align, init, .. } = f.locals[t].clone();
        write(&mut Builder::before(f, entry, 0), Place::Local(t), size, align, &init);
    }
    changes
}

/// Variables with large initialisers that are not zero and that something writes.
fn copied(f: &Function) -> EntitySet<Local> {
    let large = |l: Local| f.locals[l].size >= TABLE && matches!(f.locals[l].init, Init::Bytes(_));
    let written = |i: Inst| match (&f.insts[i].attr, f.insts[i].op) {
        (Attr::Mem(_), Op::Load) => None,
        (Attr::Mem(Mem { place: Place::Local(l), .. }) | Attr::Atomic(_, Mem { place: Place::Local(l), .. }), _) => {
            Some(*l)
        }
        _ => None,
    };
    f.insts_in_order().filter_map(|(_, i)| written(i)).filter(|&l| large(l)).collect()
}

/// The variable that keeps the initialiser of another one.
fn table(f: &mut Function, of: Local, tables: &mut Vec<(Local, Local)>) -> Local {
    if let Some(t) = tables.iter().find(|t| t.0 == of) {
        return t.1;
    }
    // Both are copied by vectors.
    f.locals[of].align = f.locals[of].align.max(16);
    let t = f.locals.push(f.locals[of].clone());
    tables.push((of, t));
    t
}

/// Copies a table to a variable. Continues in another block.
fn copy(b: &mut Builder<'_>, place: Place, table: Local, size: u32, init: &Init) {
    let first = b.func.iconst(Type::I32, 0);
    let whole = size / 16 * 16;
    repeat(b, first, 16, whole, |b, at| {
        let mem = |place: Place| Mem::new(place, 0, 16).flags(MemFlags::IN_BOUNDS);
        let v = b.load(Type::I32.with_lanes(4), mem(Place::Local(table)), Some(at));
        b.store(v, mem(place), Some(at));
    });
    tail(b, place, whole, size, init);
}

/// Stores an initialiser. May continue in another block.
pub(crate) fn write(b: &mut Builder<'_>, place: Place, size: u32, align: u32, init: &Init) {
    let mem = |offset: u32, align: u32| Mem::new(place, offset, align).flags(MemFlags::IN_BOUNDS);
    let wide = if align >= 16 { 16 } else { 4 };
    if matches!(init, Init::Zero) && size / wide > STRAIGHT {
        let ty = if wide == 16 { Type::I32.with_lanes(4) } else { Type::I32 };
        let zero = b.func.zero(ty);
        let first = b.func.iconst(Type::I32, 0);
        let whole = size / wide * wide;
        repeat(b, first, wide, whole, |b, at| {
            b.store(zero, mem(0, wide), Some(at));
        });
        tail(b, place, whole, size, init);
        return;
    }
    tail(b, place, 0, size, init);
}

/// Stores bytes `from..size`, four lanes of words at a time.
fn tail(b: &mut Builder<'_>, place: Place, from: u32, size: u32, init: &Init) {
    let byte = |k: u32| match init {
        Init::Zero => 0u8,
        Init::Bytes(v) => v.get(k as usize).copied().unwrap_or(0),
    };
    let word = |k: u32, n: u32| (0..n).fold(0u64, |w, j| w | u64::from(byte(k + j)) << (8 * j));
    let mut k = from;
    while k < size {
        let left = size - k;
        let (ty, lanes) = match left {
            0 => break,
            1 => (Scalar::I8, 1),
            2 | 3 => (Scalar::I16, 1),
            _ => (Scalar::I32, (left / 4).min(4)),
        };
        let ty = Type::new(ty, lanes);
        let bytes = ty.bits() / 8;
        let bits: Vec<u64> = (0..lanes).map(|l| word(k + l * bytes, bytes)).collect();
        let c = b.func.constant(Const::new(ty, &bits));
        let align = if k.is_multiple_of(4) { bytes.min(4) } else { 1 << k.trailing_zeros().min(2) };
        b.store(c, Mem::new(place, k, align).flags(MemFlags::IN_BOUNDS), None);
        k += ty.mem_bytes();
    }
}
