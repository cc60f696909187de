//! Dynamic indexing of small function variables becomes selects between constant elements.
//!
//! ```text
//! v1 = load local0[0 + v0]      ==>      a = load local0[0]; b = load local0[4]; ..
//!                                        v1 = select v0 == 4, b, a ..
//! ```
//!
//! What is left are accesses at constant offsets, which `mem2reg` turns into values. An offset beyond the variable picks
//! its last element (a robust module allows that; otherwise the program must not do it).
//!
//! Needs: nothing. Keeps: the CFG. Leaves alone: variables above `Caps::select_array_bytes`, more than [`MOST`] elements per
//! access, volatile and atomic accesses.

use crate::Cx;
use gpucc_ir::analysis::UpperBounds;
use gpucc_ir::{Block, Builder, EntitySet, Function, Inst, IntCc, Local, Mem, Op, Place, SideMap, Type, Value};

/// The most elements that one access may choose between.
pub const MOST: u32 = 32;

/// The elements that an access chooses between: first offset, distance, number.
type Elements = (u32, u32, u32);

/// Runs the pass.
pub fn run(f: &mut Function, cx: &mut Cx<'_>) {
    let mut good: EntitySet<Local> =
        f.locals.keys().filter(|&l| f.locals[l].size <= cx.caps.select_array_bytes).collect();
    let mut plans: SideMap<Inst, Option<Elements>> = SideMap::with_default(None);
    // Bytes that accesses reach, by variable: first, end, whether as booleans.
    let mut reach: SideMap<Local, Vec<(u32, u32, bool)>> = SideMap::new();
    let mut dynamic = false;
    {
        let mut u = UpperBounds::new(f, cx.workgroup_size);
        for (_, i) in f.insts_in_order() {
            let d = &f.insts[i];
            let Some(m) = d.mem() else { continue };
            let Place::Local(l) = m.place else { continue };
            if !good.contains(l) {
                continue;
            }
            let bytes = f.access_bytes(i);
            let plan = match d.dyn_offset() {
                None => Some((m.offset, 1, 1)),
                Some(v) => {
                    dynamic = true;
                    elements(f, i, m, v, f.locals[l].size, u.of(v))
                }
            };
            match plan {
                Some((first, step, n)) if matches!(d.op, Op::Load | Op::Store) && m.flags.is_plain() => {
                    let ty = if d.op == Op::Load { f.ty(d.result()) } else { f.ty(d.args[0]) };
                    reach[l].push((first, first + (n - 1) * step + bytes, ty.is_bool()));
                    plans[i] = plan.filter(|_| d.dyn_offset().is_some());
                }
                _ => {
                    good.remove(l);
                }
            }
        }
    }
    if !dynamic {
        return;
    }
    // Reading a word as a boolean and writing it back would lose its bits.
    for l in f.locals.keys() {
        let r = &reach[l];
        let clash = |x: &(u32, u32, bool)| r.iter().any(|y| x.2 != y.2 && x.0 < y.1 && y.0 < x.1);
        if r.iter().any(clash) {
            good.remove(l);
        }
    }
    let mut map: SideMap<Value, Option<Value>> = SideMap::with_default(None);
    for b in f.layout.clone() {
        for i in std::mem::take(&mut f.blocks[b].insts) {
            let d = &f.insts[i];
            let of = d.mem().copied().filter(|m| matches!(m.place, Place::Local(l) if good.contains(l)));
            match (of, d.dyn_offset(), plans[i]) {
                (Some(m), Some(v), Some(e)) if cx.change() => choose(f, b, i, m, v, e, &mut map),
                _ => f.blocks[b].insts.push(i),
            }
        }
    }
    f.replace_uses(&map);
}

/// The elements that an access can reach whose dynamic offset is at most `top`.
fn elements(f: &Function, i: Inst, m: &Mem, dynamic: Value, size: u32, top: u64) -> Option<Elements> {
    let bytes = f.access_bytes(i);
    let by_align = if m.offset.is_multiple_of(m.align) { m.align } else { 1 };
    let step = multiple(f, dynamic, 8).max(by_align);
    let room = size.checked_sub(m.offset.checked_add(bytes)?)?;
    let n = u32::try_from(top / u64::from(step)).unwrap_or(u32::MAX).min(room / step) + 1;
    (step > 0 && n <= MOST).then_some((m.offset, step, n))
}

/// A number that the value is known to be a multiple of.
fn multiple(f: &Function, v: Value, depth: u32) -> u32 {
    if let Some(c) = f.const_bits(v) {
        return if c == 0 { 1 << 16 } else { c as u32 };
    }
    let Some(i) = f.def_inst(v) else { return 1 };
    let d = &f.insts[i];
    if depth == 0 {
        return 1;
    }
    let of = |n: usize| multiple(f, d.args[n], depth - 1);
    match d.op {
        // A product wraps modulo 2^32, which only powers of two divide: other strides hold for indices in range.
        Op::IMul => of(0).saturating_mul(of(1)).min(1 << 16),
        Op::Shl => match f.const_bits(d.args[1]) {
            Some(s) if s < 16 => of(0).saturating_mul(1 << s).min(1 << 16),
            _ => 1,
        },
        Op::IAdd | Op::ISub | Op::UMin | Op::UMax => gcd(of(0), of(1)),
        _ => 1,
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn choose(
    f: &mut Function,
    block: Block,
    i: Inst,
    m: Mem,
    dynamic: Value,
    (first, step, n): Elements,
    map: &mut SideMap<Value, Option<Value>>,
) {
    let op = f.insts[i].op;
    let (args, results) = (f.insts[i].args.clone(), f.insts[i].results.clone());
    let ty = if op == Op::Load { f.ty(results[0]) } else { f.ty(args[0]) };
    let mut b = Builder::like(f, block, i);
    // The address of a constant element is as aligned as its offset says, which the variable's own alignment bounds.
    let at = |k: u32| {
        let offset = first + k * step;
        let align = if offset == 0 { m.align } else { m.align.min(1 << offset.trailing_zeros()) };
        Mem { offset, align, ..m }
    };
    let hit = |b: &mut Builder<'_>, k: u32| {
        let c = b.func.iconst(Type::I32, i64::from(k * step));
        // The last element also stands for all offsets beyond it.
        let cc = if k + 1 == n { IntCc::Uge } else { IntCc::Eq };
        b.icmp(cc, dynamic, c)
    };
    if op == Op::Load {
        let mut v = b.load(ty, at(0), None);
        for k in 1..n {
            let e = b.load(ty, at(k), None);
            let c = hit(&mut b, k);
            v = b.select(c, e, v);
        }
        map[results[0]] = Some(v);
        return;
    }
    for k in 0..n {
        let mut v = args[0];
        if n > 1 {
            let old = b.load(ty, at(k), None);
            let c = hit(&mut b, k);
            v = b.select(c, v, old);
        }
        b.store(v, at(k), None);
    }
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::testing::{opt, unchanged};

    #[test]
    fn small_arrays_become_selects() {
        let t = opt(
            run,
            "func0 \"f\" {\n  local0 \"a\" size 12 align 4\nblock0:\n  v0: i32 = sysval local_invocation_index\n  v1: i32 = shl v0, 2:i32\n\
             store 1:i32, local0[0] align 4\n  store v0, local0[0 + v1] align 4\n  v2: i32 = load local0[4 + v1] align 4\n\
             store v2, res1[0] align 4\n  ret\n}",
        );
        assert!(!t.contains("+ v1]"), "{t}");
        // Three stores choose, and the load can reach two elements only.
        assert_eq!(t.matches("select").count(), 4, "{t}");
        assert_eq!(t.matches("icmp.uge v1, 8:i32").count(), 1, "{t}");
        assert_eq!(t.matches("icmp.uge v1, 4:i32").count(), 1, "{t}");
    }

    #[test]
    fn bounds_limit_the_choice() {
        let t = opt(
            run,
            "func0 \"f\" {\n  local0 \"a\" size 60 align 4\nblock0:\n  v0: i32 = load res0[0] align 4\n  v1: i32 = umin v0, 1:i32\n  v2: i32 = shl v1, 2:i32\n\
             store true:b1, local0[4 + v2] align 4\n  store 7:i32, local0[12] align 4\n  ret\n}",
        );
        assert_eq!(t.matches("select").count(), 2, "{t}");
    }

    #[test]
    fn booleans_among_numbers_stay() {
        unchanged(
            run,
            "func0 \"f\" {\n  local0 \"a\" size 60 align 4\nblock0:\n  v0: i32 = load res0[0] align 4\n  v2: i32 = shl v0, 2:i32\n\
             store true:b1, local0[4 + v2] align 4\n  store 7:i32, local0[12] align 4\n  ret\n}",
        );
    }

    #[test]
    fn large_and_volatile_ones_stay() {
        unchanged(
            run,
            "func0 \"f\" {\n  local0 \"a\" size 400 align 4\n  local1 \"b\" size 8 align 4\nblock0:\n  v0: i32 = sysval local_invocation_index\n\
             v1: i32 = shl v0, 2:i32\n  store v0, local0[0 + v1] align 4\n  v2: i32 = load local1[0 + v1] align 4 {volatile}\n\
             v3: i32 = load local0[0] align 4\n  v4: i32 = iadd v2, v3\n  store v4, res1[0] align 4\n  ret\n}",
        );
    }
}
