//! Memory, atomics and inputs of vertices and primitives.

use super::*;

pub fn memory_cases(t: &mut Cases) {
    // Extension by type; local memory.
    let kinds: [(&str, fn(u32) -> u32); 5] = [
        ("u8", |v| v & 0xff),
        ("s8", |v| v as i8 as u32),
        ("u16", |v| v & 0xffff),
        ("s16", |v| v as i16 as u32),
        ("b32", |v| v),
    ];
    for (ty, f) in kinds {
        t.long(format!("st {ty} l[0x8] $r1\nld {ty} $r12 l[0x8]"), move |i| exp(f(i.r[1])));
        t.long(format!("ld {ty} $r12 g0[$r0]"), move |i| exp(f(i.r[1])));
        t.long(format!("st {ty} g2[$r10] $r2\nld b32 $r12 g2[$r10]"), move |i| {
            exp(if ty.ends_with('8') {
                i.r[2] & 0xff
            } else if ty.ends_with("16") {
                lo(i.r[2])
            } else {
                i.r[2]
            })
        });
    }
    t.long("st b64 l[0x8] $r2d\nld b64 $r12d l[0x8]", |i| Exp { dst: i.r[2..4].to_vec(), flags: None });
    t.long("st b64 g2[$r10] $r2d\nld b64 $r12d g2[$r10]", |i| Exp { dst: i.r[2..4].to_vec(), flags: None });
    t.long("st b128 l[0x10] $r4q\nld b128 $r12q l[0x10]", |i| Exp { dst: i.r[4..8].to_vec(), flags: None });
    t.long("st b128 g2[$r10] $r4q\nld b128 $r12q g2[$r10]", |i| Exp { dst: i.r[4..8].to_vec(), flags: None });
    // Constant memory.
    t.long("ld $r12 u8 c0[0x41]", |_| exp(0x83));
    t.long("ld $r12l u16 c0[$a1+0x2]", |i| half(i, (0x8182, 0)));
    t.long("ld $r12 s16 c0[0x44]", |_| exp(0xffff_8001));
    t.long("ld $r12 b32 c0[$a1+0x4]", |_| exp(C0[1]));
    t.long("ld $r12 b32 c0[$a1++0x4]\nmov $r13 $a1", |_| Exp { dst: vec![C0[0], 0x44], flags: None });
    t.short("add b32 $r12 $r1 c0[0x40]", |i| exp(i.r[1].wrapping_add(C0[0])));
    t.short("add b16 $r12l $r1l c0[$a1+0x2]", |i| half(i, (lo(i.r[1]).wrapping_add(0x8182), 0)));
    t.long("add b32 $r12 $r1 c0[$a1+0x4]", |i| exp(i.r[1].wrapping_add(C0[1])));
    t.long("and b32 $r12 $r1 c0[0x44]", |i| exp(i.r[1] & C0[1]));
    // Shared memory holds words of lane 31.
    t.long("ld $r12 u8 s[0x41]", |i| exp(i.all[31][1] >> 8 & 0xff));
    t.long("ld $r12l u16 s[$a1+0x2]", |i| half(i, (hi(i.all[31][1]), 0)));
    t.long("ld $r12 s16 s[0x46]", |i| exp(hi(i.all[31][2]) as i16 as u32));
    t.long("ld $r12 b32 s[$a1+0xc]", |i| exp(i.all[31][4]));
    t.short("add b32 $r12 u8 s[$a1+0x1] $r1", |i| exp((i.all[31][1] >> 8 & 0xff).wrapping_add(i.r[1])));
    t.long("add b32 $r12 s16 s[$a1+0x2] $r1", |i| exp((hi(i.all[31][1]) as i16 as u32).wrapping_add(i.r[1])));
    t.long("mov b32 $r12 b32 s[0x44]", |i| exp(i.all[31][2]));
    t.long("mov b32 $r12 b32 s[$a1++0xfffffffffffffffc]\nmov $r13 $a1", |i| Exp {
        dst: vec![i.all[31][1], 0x3c],
        flags: None,
    });
    t.short("mov b32 $r12 u16 s[0x2]", |_| exp(32));
    t.long("st b8 s[0x50] $r1l\nst b8 s[0x51] $r1\nst b16 s[0x52] $r2h\nld $r12 b32 s[0x50]", |i| {
        let a = i.all[31][1] & 0xff;
        exp(a | a << 8 | i.all[31][2] & 0xffff_0000)
    });
    t.long("st b32 s[$a1+0x10] $r3\nld $r12 b32 s[0x50]", |i| exp(i.all[31][3]));
    // Without `ld` from s[].
    t.long("st b8 s[0x50] $r1\nst b8 s[0x51] $r1l\nst b16 s[0x52] $r2h\nmov b32 $r12 b32 s[0x50]", |i| {
        let a = i.all[31][1] & 0xff;
        exp(a | a << 8 | i.all[31][2] & 0xffff_0000)
    });
    t.long("st b32 s[$a1+0x10] $r3\nmov b32 $r12 b32 s[0x50]", |i| exp(i.all[31][3]));
    // Address registers, special registers, votes.
    t.long("shl $a2 $r1 0x3\nmov $r12 $a2", |i| exp(i.r[1] << 3 & 0xffff));
    t.long("add $a2 $a1 0xfff0\nmov $r12 $a2", |_| exp(0x30));
    t.long("mov $r12 $physid", |i| exp(i.lane as u32));
    t.long("mov $r12 $sr2", |_| exp(0));
    t.long("(never) vote any $c2\nmov $r12 $c2", |_| exp(1));
    t.long("vote any $c2\nmov $r12 $c2", |_| exp(2));
    t.long("(s $c0) vote any $c2\nmov $r12 $c2", |i| exp(if i.all.iter().any(|r| r[7] & 2 != 0) { 2 } else { 1 }));
    t.long("(s $c0) vote all $c2\nmov $r12 $c2", |i| exp(if i.all.iter().all(|r| r[7] & 2 != 0) { 2 } else { 1 }));
    t.long("vote all $c2\nmov $r12 $c2", |_| exp(2));
    // Lane mask of a mov: lanes of each quad.
    t.long("(l02) mov b32 $r12 $r1", |i| exp(if i.lane & 1 == 0 { i.r[1] } else { i.r[6] }));
}

pub fn atomic_cases(t: &mut Cases) {
    // Section 4.6: memory is $r2 before, the operand is $r1.
    let ops: [(&str, fn(u32, u32) -> u32); 12] = [
        ("add u32", |o, s| o.wrapping_add(s)),
        ("add s32", |o, s| o.wrapping_add(s)),
        ("inc u32", |o, s| if o.wrapping_add(1) > s { 0 } else { o.wrapping_add(1) }),
        ("dec u32", |o, s| if o.wrapping_sub(1) > s { s } else { o.wrapping_sub(1) }),
        ("max u32", |o, s| if o > s { o } else { s }),
        ("max s32", |o, s| if o as i32 > s as i32 { o } else { s }),
        ("min u32", |o, s| if o < s { o } else { s }),
        ("min s32", |o, s| if (o as i32) < s as i32 { o } else { s }),
        ("and b32", |o, s| o & s),
        ("or b32", |o, s| o | s),
        ("xor b32", |o, s| o ^ s),
        ("exch", |_, s| s),
    ];
    for (name, f) in ops {
        let text = if name == "exch" { "exch b32".into() } else { format!("ld {name}") };
        t.long(format!("st b32 g2[$r10] $r2\n{text} $r12 g2[$r10] $r1\nld b32 $r13 g2[$r10]"), move |i| Exp {
            dst: vec![i.r[2], f(i.r[2], i.r[1])],
            flags: None,
        });
        if name != "exch" {
            t.long(format!("st b32 g2[$r10] $r2\nred {name} g2[$r10] $r1\nld b32 $r12 g2[$r10]"), move |i| {
                exp(f(i.r[2], i.r[1]))
            });
        }
    }
    let same: fn(&mut SplitMix64) -> u32 = |rng| rng.below(2) as u32;
    t.on("nva3", true, "st b32 g2[$r10] $r2\ncas b32 $r12 g2[$r10] $r1 $r3\nld b32 $r13 g2[$r10]", Some(same), |i| {
        Exp { dst: vec![i.r[2], if i.r[2] == i.r[1] { i.r[3] } else { i.r[2] }], flags: None }
    });
    let v = |i: &In, r: usize| u64::from(i.r[r]) | u64::from(i.r[r + 1]) << 32;
    let four = |a: u64, b: u64| Exp { dst: vec![a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32], flags: None };
    let around = |op: &str| format!("st b64 g2[$r10] $r2d\n{op}\nld b64 $r14d g2[$r10]");
    t.long(around("ld add u64 $r12d g2[$r10] $r4d"), move |i| four(v(i, 2), v(i, 2).wrapping_add(v(i, 4))));
    t.long(around("exch b64 $r12d g2[$r10] $r4d"), move |i| four(v(i, 2), v(i, 4)));
    t.on("nva3", true, around("cas b64 $r12d g2[$r10] $r4d $r6d"), Some(same), move |i| {
        four(v(i, 2), if v(i, 2) == v(i, 4) { v(i, 6) } else { v(i, 2) })
    });
    t.long("st b64 g2[$r10] $r2d\nred add u64 g2[$r10] $r4d\nld b64 $r12d g2[$r10]", move |i| {
        wide(v(i, 2).wrapping_add(v(i, 4)))
    });
}

/// Inputs of vertices and primitives as operands (2.4): a[] in vertex and geometry programs, p[] in geometry programs.
pub fn input_cases(t: &mut Cases) {
    t.long("ld b32 $r12 a[0x4]", |i| exp(i.r[1]));
    t.long("ld b32 $r12 a[$a1+0x8]", |i| exp(i.r[2]));
    t.long("mov b32 $r12 a[0xc]", |i| exp(i.r[3]));
    t.short("mov b32 $r12 a[0xc]", |i| exp(i.r[3]));
    t.short("mov b16 $r12l a[0x4]", |i| half(i, (lo(i.r[1]), 0)));
    t.short("add b32 $r12 a[0x4] $r2", |i| exp(i.r[1].wrapping_add(i.r[2])));
    t.long("add b32 $r12 a[0x4] c0[$a1+0x4]", |i| exp(i.r[1].wrapping_add(C0[1])));
    t.long("sub b32 $c1 $r12 a[0x8] $r3", |i| exf(ref_add(1, i.r[2], i.r[3], false, false, 32)));
    t.short("mul $r12 s24 a[0x4] $r2", |i| exp(mul24(i.r[1], i.r[2], true, false)));
    t.long("mov b32 $r12 p[0x4]", |i| exp(i.r[1]));
    t.short("mov b32 $r12 p[0x4]", |i| exp(i.r[1]));
    t.long("mov b32 $r12 p[$a1+0x8]", |i| exp(i.r[2]));
    t.short("add b32 $r12 p[$a1+0xc] $r2", |i| exp(i.r[3].wrapping_add(i.r[2])));
    t.long("add b32 $c1 $r12 p[$a1+0xc] $r2", |i| exf(ref_add(0, i.r[3], i.r[2], false, false, 32)));
    t.short("add b32 $r12 p[0x4] 0x80000001", |i| exp(i.r[1].wrapping_add(0x8000_0001)));
    t.of(GS);
}
