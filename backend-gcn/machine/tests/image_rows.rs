//! Every image row executed on each generation that has it. Expected values are worked out from sections 12.1 to 12.5 of the ISA
//! reference: order of address registers, level of detail, packing of results.

use crate::image_kit::{BASE, Outcome, Reg, Shot, all, by, f, pyramid};
use crate::rows::{Found, op};
use gpucc_gcn_machine::Op;
use gpucc_gcn_machine::build::rows_of;

/// Marks the rows of a mnemonic as executed, if the result is right.
fn judge(found: &mut Found, shot: &Shot, right: impl FnOnce(&Outcome) -> Result<(), String>) {
    let result = shot.run().map_err(|t| t.to_string()).and_then(|o| right(&o));
    match result {
        Ok(()) => found.mark(&shot.name, shot.generation),
        Err(e) => found.failures.push(format!("gfx{} {} {}: {e}", 6 + shot.generation, shot.name, shot.flags)),
    }
}

fn same(what: &str, have: &[u32], want: &[u32]) -> Result<(), String> {
    if have == want { Ok(()) } else { Err(format!("{what}: {have:x?}, expected {want:x?}")) }
}

pub fn images(found: &mut Found) {
    for g in 0..3 {
        for o in Op::ALL.iter().filter(|o| !rows_of(**o, g).is_empty()) {
            let name = o.name();
            if name.starts_with("image_sample") {
                sample(found, g, name);
            } else if name.starts_with("image_gather4") {
                gather(found, g, name);
            }
        }
        loads(found, g);
        stores(found, g);
        queries(found, g);
        for (name, data, old, new) in ATOMICS {
            if !rows_of(op(name), g).is_empty() {
                atomic(found, g, name, data, *old, *new);
            }
        }
    }
}

/// Quads in which s goes up by half of the texture (two texels of level 0) to the right and t by a quarter downwards: the
/// longer way is two texels, so that lambda is log2 2 = 1.
fn s(lane: usize) -> f32 {
    0.125 + 0.5 * (lane & 1) as f32
}
fn t(lane: usize) -> f32 {
    0.125 + 0.25 * (lane >> 1 & 1) as f32
}

/// The address of a name with suffixes, its level, and its offset in x. `reference` is what is compared.
fn address(name: &str, reference: f32) -> (Vec<Reg>, usize, i32) {
    let has = |w: &str| name.split('_').skip(2).any(|p| p == w);
    let mut v = Vec::new();
    if has("o") {
        // x 1, y -1: bits 5:0 and 13:8.
        v.push(all(0x3f01));
    }
    if has("b") {
        v.push(f(1.0));
    }
    if has("c") {
        v.push(f(reference));
    }
    let gradients = has("d") || has("cd");
    if gradients {
        // d/dh of x and y, then d/dv: an eighth and a half; half of four texels is two, lambda 1.
        v.extend([f(0.125), f(0.0), f(0.0), f(0.5)]);
    }
    v.extend([by(|l| s(l).to_bits()), by(|l| t(l).to_bits())]);
    if has("l") {
        v.push(f(2.0));
    }
    if has("cl") {
        v.push(f(2.0));
    }
    let level = match () {
        () if has("lz") => 0,
        // Given, or implicit 1 and a bias of 1, or at least 2.
        () if has("l") || has("b") || has("cl") => 2,
        () => 1,
    };
    (v, level, i32::from(has("o")))
}

/// Texel of the pyramid nearest to a lane's coordinates, with an offset of (o, -o) inside the edges.
fn texel(level: usize, lane: usize, o: i32) -> f32 {
    let n = 4 >> level;
    let at = |c: f32, o: i32| ((c * n as f32).floor() as i32 + o).clamp(0, n - 1);
    (100 * level as i32 + 10 * at(t(lane), -o) + at(s(lane), o)) as f32
}

fn sample(found: &mut Found, g: u8, name: &str) {
    let (words, texels) = pyramid();
    let compares = name.split('_').any(|w| w == "c");
    // Lane 3 is compared from both sides: reference LESS texel.
    let (_, level, o) = address(name, 0.0);
    let want = texel(level, 3, o);
    let references: &[f32] = if compares { &[-0.5, 0.5] } else { &[0.0] };
    for r in references {
        let mut shot = Shot::new(g, name, "dmask:0x1", words, &texels).at(&address(name, want + r).0);
        shot.sampler[0] |= 1 << 12;
        judge(found, &shot, |out| {
            if compares {
                return same("compared", &out.v[0][3..4], &[f32::to_bits(if *r < 0.0 { 1.0 } else { 0.0 })]);
            }
            let want: Vec<u32> = (0..64).map(|l| texel(level, l, o).to_bits()).collect();
            same("texels", &out.v[0], &want)
        });
    }
}

fn gather(found: &mut Found, g: u8, name: &str) {
    let (words, texels) = pyramid();
    let (_, level, o) = address(name, 0.0);
    let n = 4 >> level;
    // Around lane 0: u = 0.125 n - 0.5 + o rounds down to x0, the same for y.
    let first = |o: i32| (0.125 * n as f32 - 0.5).floor() as i32 + o;
    let at = |x: i32, y: i32| (100 * level as i32 + 10 * y.clamp(0, n - 1) + x.clamp(0, n - 1)) as f32;
    let (x, y) = (first(o), first(-o));
    let four = [at(x, y + 1), at(x + 1, y + 1), at(x + 1, y), at(x, y)];
    let compares = name.split('_').any(|w| w == "c");
    // Level 2 has one texel, so that all four are equal; compare below and above it.
    for r in [-0.5, 0.5f32] {
        let mut shot = Shot::new(g, name, "dmask:0x1", words, &texels).at(&address(name, four[1] + r).0).width(4);
        shot.sampler[0] |= 1 << 12;
        judge(found, &shot, |out| {
            let want = four.map(|t| if compares { f32::from(u8::from(four[1] + r < t)) } else { t });
            let have: Vec<u32> = (0..4).map(|k| out.v[k][0]).collect();
            same("gathered", &have, &want.map(f32::to_bits))
        });
    }
}

/// rgba8unorm, 4x2, two levels of rows of 64 bytes: level 1 (2x1) lies 256 bytes behind level 0.
fn bytes() -> ([u32; 8], Vec<u8>) {
    let words = [BASE, 0x00a0_0000, 0x4000_4003, 0x9281_0fac, 0x0001_e000, 0, 0, 0];
    let mut texels = vec![0; 512];
    // Texel (2, 1) of level 0, and (1, 0) of level 1.
    texels[64 + 8..64 + 12].copy_from_slice(&[0, 51, 255, 128]);
    texels[256 + 4..256 + 8].copy_from_slice(&[255, 0, 51, 0x81]);
    (words, texels)
}

fn loads(found: &mut Found, g: u8) {
    let (words, texels) = bytes();
    let one = |found: &mut Found, name: &str, at: &[u32], want: &[u32]| {
        let at: Vec<_> = at.iter().map(|&w| all(w)).collect();
        let width = if name.contains("pck") { 1 } else { 4 };
        let flags = if width == 1 { "dmask:0x1 unorm" } else { "dmask:0xf unorm" };
        let shot = Shot::new(g, name, flags, words, &texels).at(&at).width(width);
        judge(found, &shot, |out| {
            let have: Vec<u32> = (0..width as usize).map(|k| out.v[k][63]).collect();
            same("texel", &have, want)
        });
    };
    // 51 / 255 = 0.2, 128 / 255 = 0.50196081.
    let fractions = [0.0, 0.2, 1.0, 0.501_960_8f32].map(f32::to_bits);
    one(found, "image_load", &[2, 1], &fractions);
    one(found, "image_load", &[4, 1], &[0; 4]);
    let fractions = [1.0, 0.0, 0.2, 0.505_882_4f32].map(f32::to_bits);
    one(found, "image_load_mip", &[1, 0, 1], &fractions);
    one(found, "image_load_mip", &[1, 0, 2], &[0; 4]);
    // Without conversion: the word as it lies there.
    one(found, "image_load_pck", &[2, 1], &[0x80ff_3300]);
    one(found, "image_load_mip_pck", &[1, 0, 1], &[0x8133_00ff]);
    one(found, "image_load_pck_sgn", &[2, 1], &[0x80ff_3300]);
    one(found, "image_load_mip_pck_sgn", &[1, 0, 1], &[0x8133_00ff]);
}

fn stores(found: &mut Found, g: u8) {
    let (words, texels) = bytes();
    let colour = [f(1.0), f(0.2), f(-1.0), f(0.5)];
    let raw = [all(0x1234_5678)];
    // 0.5 * 255 = 127.5, to even: 128.
    let unorm = [255, 51, 0, 128];
    let packed = [0x78, 0x56, 0x34, 0x12];
    type Case<'a> = (&'a str, &'a [u32], &'a [Reg], usize, [u8; 4]);
    let cases: [Case; 4] = [
        ("image_store", &[3, 1], &colour, 64 + 12, unorm),
        ("image_store_mip", &[1, 0, 1], &colour, 256 + 4, unorm),
        ("image_store_pck", &[3, 1], &raw, 64 + 12, packed),
        ("image_store_mip_pck", &[1, 0, 1], &raw, 256 + 4, packed),
    ];
    for (name, at, data, place, want) in cases {
        let at: Vec<_> = at.iter().map(|&w| all(w)).collect();
        let width = data.len() as u32;
        let flags = if width == 1 { "dmask:0x1 unorm" } else { "dmask:0xf unorm" };
        let mut shot = Shot::new(g, name, flags, words, &texels).at(&at).data(data).width(width);
        // One lane, since invocations must not race.
        shot.exec = 1;
        judge(found, &shot, |out| {
            let mut all = texels.clone();
            all[place..place + 4].copy_from_slice(&want);
            if out.texels == all { Ok(()) } else { Err(format!("{:x?}", &out.texels[place..place + 4])) }
        });
    }
}

fn queries(found: &mut Found, g: u8) {
    let (words, texels) = bytes();
    let shot = Shot::new(g, "image_get_resinfo", "dmask:0xf unorm", words, &texels).at(&[all(1)]).width(4);
    judge(found, &shot, |out| same("size", &[0, 1, 2, 3].map(|k| out.v[k][5]), &[2, 1, 1, 2]));
    let (words, texels) = pyramid();
    let (at, ..) = address("image_get_lod", 0.0);
    let shot = Shot::new(g, "image_get_lod", "dmask:0x3", words, &texels).at(&at).width(2);
    judge(found, &shot, |out| same("level", &[out.v[0][6], out.v[1][6]], &[f32::to_bits(1.0); 2]));
}

/// Mnemonic, data registers, texel before and after.
const ATOMICS: &[(&str, &[u32], u32, u32)] = &[
    ("image_atomic_swap", &[7], 5, 7),
    ("image_atomic_cmpswap", &[9, 5], 5, 9),
    ("image_atomic_add", &[7], 0xffff_ffff, 6),
    ("image_atomic_sub", &[7], 5, 0xffff_fffe),
    ("image_atomic_rsub", &[7], 5, 2),
    ("image_atomic_smin", &[0xffff_fff0], 5, 0xffff_fff0),
    ("image_atomic_umin", &[0xffff_fff0], 5, 5),
    ("image_atomic_smax", &[0xffff_fff0], 5, 5),
    ("image_atomic_umax", &[0xffff_fff0], 5, 0xffff_fff0),
    ("image_atomic_and", &[0x0ff0], 0x00ff, 0x00f0),
    ("image_atomic_or", &[0x0ff0], 0x00ff, 0x0fff),
    ("image_atomic_xor", &[0x0ff0], 0x00ff, 0x0f0f),
    // Wraps to 0 at or above the data; below it counts up.
    ("image_atomic_inc", &[7], 7, 0),
    // At 0 or above the data it becomes the data.
    ("image_atomic_dec", &[7], 0, 7),
    ("image_atomic_fcmpswap", &[0x4000_0000, 0x3f80_0000], 0x3f80_0000, 0x4000_0000),
    ("image_atomic_fmin", &[0x4000_0000], 0xbf80_0000, 0xbf80_0000),
    ("image_atomic_fmax", &[0x4000_0000], 0xbf80_0000, 0x4000_0000),
];

fn atomic(found: &mut Found, g: u8, name: &str, data: &[u32], old: u32, new: u32) {
    // r32uint, 4x4, one level.
    let words = [BASE, 0x1040_0000, 0x4000_c003, 0x9080_0204, 0x0001_e000, 0, 0, 0];
    let mut texels = vec![0; 256];
    texels[128 + 4..128 + 8].copy_from_slice(&old.to_le_bytes());
    let data: Vec<_> = data.iter().map(|&w| all(w)).collect();
    let dmask = if data.len() == 2 { 3 } else { 1 };
    for (flags, returned) in [("glc", old), ("", data[0][0])] {
        let flags = format!("dmask:{dmask:#x} unorm {flags}");
        let at = [all(1), all(2)];
        let mut shot = Shot::new(g, name, &flags, words, &texels).at(&at).data(&data).width(data.len() as u32);
        shot.exec = 1;
        judge(found, &shot, |out| {
            same("returned", &out.v[0][..1], &[returned])?;
            same("texel", &[u32::from_le_bytes(out.texels[132..136].try_into().unwrap())], &[new])
        });
    }
}
