//! Halves computed in 32 bits are what the oracle computes in 16, bit for bit where an op is exact.

use std::collections::BTreeMap;

use gpucc_interp as interp;
use gpucc_ir::Module;
use gpucc_opt::{Caps, Options, PartCaps, prepare};
use gpucc_sim::Dispatch;

const LANES: u32 = 64;

fn module(body: &str) -> Module {
    let text = format!(
        "module robust off\nres0 \"a\" group 0 binding 0 storage_ro size 4 stride 4\nres1 \"o\" group 0 binding 1 storage_rw size 4 stride 4\n\
         global0 \"w\" workgroup size 130 align 2\nentry \"main\" compute func0 size {LANES},1,1\nfunc0 \"main\" {{\n  local0 \"l\" size 10 align 2\nblock0:\n  \
         v900: i32x3 = sysval global_invocation_id\n  v901: i32 = extract v900, lane 0\n  v0: i32 = shl v901, 3:i32\n  \
         v1: f16 = load res0[0 + v0] align 2\n  v2: f16 = load res0[2 + v0] align 2\n  v3: f16 = load res0[4 + v0] align 2\n\
         {body}  ret\n}}\n"
    );
    gpucc_ir::text::parse_module(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn run(m: &Module, data: &[u8]) -> Vec<u8> {
    let groups = data.len() as u32 / 8 / LANES;
    let mut d = Dispatch::new([groups, 1, 1]).with(0, 0, data.to_vec()).with(0, 1, vec![0xa5; data.len()]);
    interp::run(m, "main", &mut d, &interp::Options::default()).unwrap_or_else(|e| panic!("{e}\n{m}"));
    d.buffer(0, 1).expect("the output").bytes.clone()
}

/// The outputs of modules. Several ways often end in the same text: that is run once.
struct Runs<'a> {
    data: &'a [u8],
    known: BTreeMap<String, Vec<u8>>,
}

impl Runs<'_> {
    fn of(&mut self, m: &Module) -> &[u8] {
        self.known.entry(m.to_string()).or_insert_with(|| run(m, self.data))
    }
}

/// Runs it with halves and without, with and without optimisation; gives both outputs.
fn both(body: &str, data: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let m = module(body);
    let mut runs = Runs { data, known: BTreeMap::new() };
    let ways = [(PartCaps::NONE, 0), (PartCaps::NONE, 2), (PartCaps::SHARED, 0), (PartCaps::SHARED, 2)];
    let plain = runs.of(&narrowed(&m, ways[0].0, ways[0].1)).to_vec();
    assert!(ways[1..].iter().all(|&(parts, level)| runs.of(&narrowed(&m, parts, level)) == plain), "{body}");
    for (parts, level) in ways {
        let halves = runs.of(&with_single_halves(&m, parts, level));
        let same = |(x, y): (&[u8], &[u8])| {
            let [x, y] = [x, y].map(|h| u16::from_le_bytes([h[0], h[1]]));
            x == y || is_nan(x) && is_nan(y)
        };
        assert!(halves == plain || halves.chunks(2).zip(plain.chunks(2)).all(same), "{body}");
    }
    (runs.of(&m).to_vec(), plain)
}

/// The same for a target that computes with single halves: ops that it has not are computed in 32 bits.
fn with_single_halves(m: &Module, parts: PartCaps, level: u8) -> Module {
    let caps = Caps { narrow: false, halves: true, parts, ..Caps::FULL };
    let options = Options { level, verify: true, ..Options::default() };
    let (n, _) = prepare(m, "main", &caps, &options).unwrap_or_else(|e| panic!("{e}\n{m}"));
    let text = n.to_string();
    let ops =
        ["fdiv", "fsqrt", "frcp", "fexp2", "flog2", "fsin", "fcos", "fldexp", "fdot", "frem", "= load ", "s2f", "u2f"];
    for line in text.lines().filter(|l| l.contains(": f16")) {
        assert!(!ops.iter().any(|o| line.contains(o)), "{line}\n{text}");
    }
    n
}

/// The remainder of halves for such a target.
fn narrowed(m: &Module, parts: PartCaps, level: u8) -> Module {
    let caps = Caps { narrow: false, halves: false, parts, ..Caps::FULL };
    let options = Options { level, verify: true, ..Options::default() };
    let (n, _) = prepare(m, "main", &caps, &options).unwrap_or_else(|e| panic!("{e}\n{m}"));
    let text = n.to_string();
    assert!(!text.contains(": f16"), "{text}");
    let own = ["= load ", "= trunc "];
    for line in text.lines().filter(|l| l.contains(": i16") || l.contains(": i8")) {
        assert!(parts == PartCaps::SHARED && own.iter().any(|o| line.contains(o)), "{line}\n{text}");
    }
    n
}

/// Four halves for each invocation: each value of 16 bits once, the others random, with some that are special.
fn data() -> Vec<u8> {
    let mut seed = 0x1234_5678_9abc_def1u64;
    let mut next = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 40) as u16
    };
    let special = [0u16, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00];
    let mut out = Vec::new();
    for k in 0..=u16::MAX {
        for v in [k, next(), next(), next()] {
            let v = if next() % 5 == 0 { special[usize::from(v) % special.len()] } else { v };
            out.extend_from_slice(&v.to_le_bytes());
        }
        let at = out.len() - 8;
        out[at..at + 2].copy_from_slice(&k.to_le_bytes());
    }
    out
}

fn is_nan(h: u16) -> bool {
    h & 0x7fff > 0x7c00
}

/// Both store the same halves; any NaN is as good as another.
fn same_halves(body: &str, data: &[u8]) {
    let (with, without) = both(body, data);
    for (k, (a, b)) in with.chunks(2).zip(without.chunks(2)).enumerate() {
        let (a, b) = (u16::from_le_bytes([a[0], a[1]]), u16::from_le_bytes([b[0], b[1]]));
        let input = &data[k / 4 * 8..k / 4 * 8 + 8];
        assert!(a == b || is_nan(a) && is_nan(b), "{body}{input:02x?}: {a:#06x} with halves, {b:#06x} without");
    }
}

#[test]
fn exact_ops_agree_on_all_values() {
    let data = data();
    for op in ["fneg", "fabs", "fsign", "fsat", "ffloor", "fceil", "ftrunc", "fround_even", "ffract"] {
        same_halves(&format!("  v5: f16 = {op} v1\n  store v5, res1[0 + v0] align 2\n"), &data);
    }
    for op in ["fadd", "fsub", "fmul", "fmin", "fmax"] {
        same_halves(&format!("  v5: f16 = {op} v1, v2\n  store v5, res1[2 + v0] align 2\n"), &data);
    }
    same_halves("  v5: f16 = fma v1, v2, v3\n  store v5, res1[4 + v0] align 2\n", &data);
}

/// Sums that lie near a half of the last place, on both sides of it.
#[test]
fn fma_rounds_once() {
    let mut data = Vec::new();
    for k in 0..4096u16 {
        let a = 0x3c00 | k & 0x3ff;
        let b = 0x0c00 | (k >> 2) & 3 | if k & 1 == 0 { 0x8000 } else { 0 };
        for v in [a, b, 0x3c00 | (k >> 1) & 3, 0u16] {
            data.extend_from_slice(&v.to_le_bytes());
        }
    }
    same_halves("  v5: f16 = fma v2, v3, v1\n  store v5, res1[0 + v0] align 2\n", &data);
    same_halves("  v5: f16 = fma v1, v2, v3\n  store v5, res1[0 + v0] align 2\n", &data);
}

/// The payload of a NaN is nobody's promise, so its bits are not asked for.
fn without_nans(mut data: Vec<u8>) -> Vec<u8> {
    data.chunks_mut(2).filter(|h| is_nan(u16::from_le_bytes([h[0], h[1]]))).for_each(|h| h[1] &= 0x83);
    data
}

#[test]
fn conversions_agree() {
    let data = without_nans(data());
    for body in [
        "  v5: i32 = f2s v1\n",
        "  v5: i32 = f2u v1\n",
        "  v5: i32 = f2s_full v1\n",
        "  v5: i32 = f2u_full v1\n",
        "  v4: i16 = bitcast v1\n  v5: i32 = sext v4\n",
        "  v4: i16 = bitcast v1\n  v5: i32 = zext v4\n",
        "  v4: b1 = fcmp.olt v1, v2\n  v5: i32 = select v4, 1:i32, 2:i32\n",
        "  v4: b1 = fcmp.une v1, v2\n  v5: i32 = select v4, 1:i32, 2:i32\n",
    ] {
        let (a, b) = both(&format!("{body}  store v5, res1[0 + v0] align 4\n"), &data);
        assert!(a == b, "{body}");
    }
    for body in [
        "  v4: i32 = load res0[0 + v0] align 4\n  v5: f16 = s2f v4\n",
        "  v4: i32 = load res0[0 + v0] align 4\n  v5: f16 = u2f v4\n",
        "  v4: i16 = bitcast v1\n  v6: i32 = sext v4\n  v5: f16 = s2f v6\n",
        "  v4: f32 = load res0[0 + v0] align 4\n  v5: f16 = f2f v4\n",
        "  v4: f32 = f2f v1\n  v6: f32 = fmul v4, 1.5:f32\n  v5: f16 = f2f v6\n",
        "  v4: f16x2 = load res0[0 + v0] align 4\n  v6: i32 = bitcast v4\n  v7: f16x2 = bitcast v6\n  v5: f16 = extract v7, lane 1\n",
        "  v4: b1 = fcmp.ogt v1, v2\n  v5: f16 = select v4, v3, 0x3555:f16\n",
        "  v4: f16x3 = load res0[0 + v0] align 8\n  v6: f16x3 = compose v3, v2, v1\n  v5: f16 = fdot v4, v6\n",
        "  v4: i16 = bitcast v1\n  v6: i16 = bitcast v2\n  v7: i16 = imul v4, v6\n  v8: i16 = isub v7, v4\n  v9: i16 = sshr v8, v6\n  \
         v5: f16 = bitcast v9\n",
        "  v4: i16 = bitcast v1\n  v6: i16 = bitcast v2\n  v7: i16 = smin v4, v6\n  v8: i16 = clz v7\n  v9: i16 = ineg v8\n  \
         v5: f16 = bitcast v9\n",
        // Lanes that are less than a word together, and a word of 64 bits.
        "  v4: i16 = bitcast v1\n  v6: i8 = trunc v4\n  v7: i16 = ushr v4, 8:i16\n  v8: i8 = trunc v7\n  v9: i8x2 = compose v8, v6\n  \
         v10: i16 = bitcast v9\n  v11: i8x2 = bitcast v10\n  v12: i8x2 = shuffle v11, v11, lanes 1 0\n  v13: i16 = bitcast v12\n  \
         v14: i16 = bitcast v9\n  v15: i16 = isub v13, v14\n  v5: f16 = bitcast v15\n",
        "  v4: f16x4 = load res0[0 + v0] align 8\n  v6: i64 = bitcast v4\n  v7: i16x4 = bitcast v6\n  v8: i16 = extract v7, lane 2\n  \
         v5: f16 = bitcast v8\n",
    ] {
        same_halves(&format!("{body}  store v5, res1[6 + v0] align 2\n"), &data);
    }
}

/// Parameters of blocks are halves too, whatever their users make of them.
#[test]
fn parameters_are_what_they_were() {
    let data = without_nans(data());
    let meet = |tail: &str| {
        format!(
            "  v4: b1 = fcmp.olt v1, v2\n  br v4, block1, block2 merge block3\nblock1:\n  v5: f16 = fneg v3\n  jump block3(v5)\nblock2:\n  \
             jump block3(v1)\nblock3(v6: f16):\n{tail}  store v7, res1[0 + v0] align 4\n"
        )
    };
    for tail in [
        "  v7: f32 = f2f v6\n",
        "  v7: i32 = f2s v6\n",
        "  v8: i16 = bitcast v6\n  v7: i32 = sext v8\n",
        "  v8: b1 = fcmp.oge v6, v2\n  v7: i32 = select v8, 3:i32, 4:i32\n",
    ] {
        let (a, b) = both(&meet(tail), &data);
        assert!(a == b, "{tail}");
    }
}

/// Parts of words in memory of each kind, at known and computed places, whole vectors and odd ones.
#[test]
fn memory_keeps_its_layout() {
    let data = data();
    for body in [
        "  v5: f16x3 = compose v1, v2, v3\n  store v5, res1[0 + v0] align 8\n",
        "  v5: f16x4 = load res0[0 + v0] align 8\n  v6: f16x4 = fneg v5\n  store v6, res1[0 + v0] align 8\n",
        "  v5: f16x2 = compose v3, v1\n  store v5, res1[4 + v0] align 4\n",
        // A variable of the invocation, at places that depend on data.
        "  v10: i16 = bitcast v2\n  v11: i32 = zext v10\n  v12: i32 = and v11, 6:i32\n  var_init local0\n  store v1, local0[2 + v12] align 2\n  \
         v13: f16 = load local0[0 + v12] align 2\n  v14: f16 = load local0[2 + v12] align 2\n  store v13, res1[0 + v0] align 2\n  \
         store v14, res1[4 + v0] align 2\n",
        // Neighbours write the halves of a word of workgroup memory.
        "  v10: i32 = sysval local_invocation_index\n  v11: i32 = shl v10, 1:i32\n  store v1, global0[2 + v11] align 2\n  \
         barrier workgroup workgroup\n  v12: i32 = xor v11, 2:i32\n  v13: f16 = load global0[2 + v12] align 2\n  store v13, res1[2 + v0] align 2\n",
    ] {
        same_halves(body, &data);
    }
}

fn count(text: &str, what: &str) -> usize {
    text.matches(what).count()
}

/// Where memory is accessed by parts, a part alone is one access, and nothing is converted that is only copied.
#[test]
fn parts_are_accesses_of_their_size() {
    let text = |body: &str, level| narrowed(&module(body), PartCaps::SHARED, level).to_string();
    for level in [0, 2] {
        let t = text("  store v1, res1[2 + v0] align 2\n", level);
        assert_eq!((count(&t, "i16 = load"), count(&t, "store")), (1, 1), "{t}");
        assert!(!t.contains("atomic") && !t.contains("pack_half") && !t.contains("and"), "{t}");
        // Six bytes are a word and a half.
        let t = text("  v5: f16x3 = compose v1, v2, v3\n  store v5, res1[0 + v0] align 8\n", level);
        assert_eq!((count(&t, "store"), count(&t, "atomic")), (2, 0), "{t}");
        // A computed value is converted once.
        let t = text("  v5: f16 = fneg v1\n  store v5, res1[2 + v0] align 2\n", level);
        assert_eq!((count(&t, "= pack_half"), count(&t, "store")), (1, 1), "{t}");
        // Bytes that lie at even addresses go by two.
        let t = text("  v5: i8x2 = load res0[2 + v0] align 2\n  store v5, res1[4 + v0] align 2\n", level);
        let (loads, bytes) = (count(&t, "i16 = load"), count(&t, "i8 = load"));
        assert_eq!((loads, bytes, count(&t, "store")), (1, 0, 1), "{t}");
    }
}

/// Whole words stay words, also those of parts that nobody writes, and a copy of them is nothing else.
#[test]
fn words_stay_words() {
    let text = |body: &str| narrowed(&module(body), PartCaps::SHARED, 2).to_string();
    let t = text("  v5: f16x4 = load res0[0 + v0] align 8\n  store v5, res1[0 + v0] align 8\n");
    assert_eq!((count(&t, "i32x2 = load"), count(&t, "store"), count(&t, "pack")), (1, 1, 0), "{t}");
    let t = text(
        "  v5: i8 = load res0[1] align 1\n  v6: i8 = load res0[2] align 1\n  v7: i8 = iadd v5, v6\n  store v7, res1[1 + v0] align 1\n",
    );
    assert_eq!((count(&t, "i32 = load"), count(&t, "i8 = load"), count(&t, "store")), (1, 0, 1), "{t}");
}

/// A buffer with an array at its end may end inside a word: only the words that every such buffer has are read for their parts.
#[test]
fn words_that_need_not_be_there_are_not_read() {
    let text = |at: u32| {
        let m = module(&format!("  v5: f16 = load res0[{at}] align 2\n  store v5, res1[4 + v0] align 2\n"));
        narrowed(&m, PartCaps::SHARED, 2).to_string()
    };
    let (inside, behind) = (text(2), text(4));
    assert!(inside.contains("i32 = load res0[0]"), "{inside}");
    assert!(behind.contains("i16 = load res0[4]"), "{behind}");
}

/// Where others write parts of its words, memory is read by exactly the bytes that are asked for.
#[test]
fn loads_beside_stores_of_parts_touch_nothing_else() {
    let m = module("  v5: f16 = load res1[2] align 2\n  store v5, res1[4 + v0] align 2\n");
    for level in [0, 2] {
        let t = narrowed(&m, PartCaps::SHARED, level).to_string();
        assert!(t.contains("i16 = load res1[2]"), "{t}");
    }
}
