//! Texture messages and texels of images, on descriptors written word by word (`isa/graphics-valhall.md`, section b).

use gpucc_sim::{Device, Dispatch, Resident, RunOptions, Trap, TrapKind};
use gpucc_valhall_machine::run_on;

use super::common::{Program, expect_trap};

/// Text of programs that between them execute each row; `rows` asks for them.
pub const TEXTS: &[&str] = &[
    FETCH,
    SINGLE,
    GATHER,
    GRADIENT,
    LEVEL,
    LOAD,
    LOAD_HANDLE,
    STORE,
    STORE_HANDLE,
    ATOMIC,
    ATTRIBUTE,
    ATTRIBUTE_HANDLE,
];

const PLACES: u64 = 0x20_0000_0000;
const fn place(n: u64) -> u64 {
    PLACES + n * 0x10_0000
}

/// Words of memory: tables, descriptors, planes and texels of one launch.
#[derive(Clone)]
struct Kit {
    /// Words of table 1: a texture, an image, two samplers.
    table: [[u32; 8]; 4],
    /// The plane of each.
    planes: [[u32; 8]; 2],
    texels: [Vec<u32>; 2],
    /// Descriptors of table 0.
    own: Vec<[u32; 8]>,
}

/// 4 x 4 texels of rgba8unorm, red 16 times the number of the texel, and of r32uint, whose value is that number; both in rows.
fn kit() -> Kit {
    let plane = |clump: u32, at: u64| [clump << 24 | 0x21a, 256, at as u32, (at >> 32) as u32, 64, 0, 256, 0x0003_0003];
    let texture = |w0: u32, at: u64| [w0, 0x0003_0003, 0x0000_0688, 0, at as u32, (at >> 32) as u32, 0, 0];
    let row =
        |of: fn(u32) -> u32| (0..64u32).map(|k| if k % 16 < 4 { of(4 * (k / 16) + k % 16) } else { 0xdead }).collect();
    Kit {
        table: [
            texture(0x2ec0_0022, place(4)),
            texture(0x2140_4022, place(4) + 32),
            // Nearest, and linear with repetition in s.
            [0x1a89_9901, 0x1fff_0000, 0, 0, 0, 0, 0, 0],
            [0xc2a8_9901, 0x1fff_0000, 0, 0, 0, 0, 0, 0],
        ],
        planes: [plane(2, place(5)), plane(2, place(6))],
        texels: [row(|n| (16 * n) | 0xff00_0000), row(|n| n)],
        own: vec![[0x02a9_9901, 0, 0, 0, 0, 0, 0, 0]],
    }
}

fn bytes(words: impl IntoIterator<Item = u32>) -> Vec<u8> {
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

impl Kit {
    fn device(&self) -> Device {
        let mut device = Device::default();
        let mut put = |n: u64, bytes: Vec<u8>, writable: bool| {
            device.residents.push(Resident {
                name: format!("memory {n}"),
                address: place(n),
                bytes: bytes.into(),
                writable,
                resource: None,
            });
        };
        let table = |n: u64, size: u32| [place(n) as u32, (place(n) >> 32) as u32 | 1 << 24, size, 0];
        put(1, bytes(table(2, 32 * self.own.len() as u32).into_iter().chain(table(3, 128))), false);
        put(2, bytes(self.own.concat()), false);
        put(3, bytes(self.table.concat()), false);
        put(4, bytes(self.planes.concat()), false);
        put(5, bytes(self.texels[0].clone()), false);
        put(6, bytes(self.texels[1].clone()), true);
        device.tables.push((0, place(1) | 2));
        device
    }

    /// The words that a program leaves in the first words of binding 1, and the texels of the image.
    fn run(&self, text: &str) -> Result<(Vec<u32>, Vec<u32>), Trap> {
        let mut device = self.device();
        let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0]).with_u32(0, 1, &[0xDEAD_BEEF; 4]);
        let p = Program::new(text);
        run_on(&p.container, None, &mut d, &mut device, &RunOptions::default())?;
        let image = device.residents[5].bytes.chunks_exact(4).map(|c| u32::from_le_bytes(c.try_into().unwrap()));
        Ok((d.words(0, 1).unwrap(), image.collect()))
    }

    fn words(&self, text: &str) -> Vec<u32> {
        self.run(text).unwrap_or_else(|t| panic!("{t}\n{text}")).0
    }
}

/// Texture 0 of table 1 with sampler 2: `1 << 27 | 0 << 16 | 1 << 11 | 2`; sampler 3.
const FETCH: &str = "
    IADD_IMM.i32 r0, 0x0, #0x1
    IADD_IMM.i32 r1, 0x0, #0x2
    IADD_IMM.i32 r2, 0x0, #0x8000000
    IADD_IMM.i32 r3, 0x0, #0x0
    TEX_FETCH.slot0.f.32.2d.wait0 @r4:r5:r6:r7, @r0:r1, r2
    STORE.i128.slot0.end @r4:r5:r6:r7, u4, offset:0
";
const SINGLE: &str = "
    IADD_IMM.i32 r0, 0x0, #0x3e800000
    IADD_IMM.i32 r1, 0x0, #0x3f000000
    IADD_IMM.i32 r2, 0x0, #0x8000803
    IADD_IMM.i32 r3, 0x0, #0x0
    TEX_SINGLE.slot0.f.32.r.2d.zero.wait0 @r4, @r0:r1, r2
    STORE.i32.slot0.end @r4, u4, offset:0
";
const GATHER: &str = "
    IADD_IMM.i32 r0, 0x0, #0x3f000000
    IADD_IMM.i32 r1, 0x0, #0x3f000000
    IADD_IMM.i32 r2, 0x0, #0x8000803
    IADD_IMM.i32 r3, 0x0, #0x0
    TEX_GATHER.slot0.f.32.2d.gather4_r.wait0 @r4:r5:r6:r7, @r0:r1, r2
    STORE.i128.slot0.end @r4:r5:r6:r7, u4, offset:0
";
/// Derivatives of a quarter in s and t: one texel.
const GRADIENT: &str = "
    IADD_IMM.i32 r0, 0x0, #0x3e800000
    IADD_IMM.i32 r1, 0x0, #0x0
    IADD_IMM.i32 r2, 0x0, #0x0
    IADD_IMM.i32 r3, 0x0, #0x3e800000
    IADD_IMM.i32 r8, 0x0, #0x8000802
    IADD_IMM.i32 r9, 0x0, #0x0
    TEX_GRADIENT.slot0.f.32.rg.2d.lod_bias_disable.lod_clamp_disable.derivative_enable.wait0 @r12:r13, @r0:r1:r2:r3, r8
    IADD_IMM.i32 r10, 0x0, #0x3ec00000
    IADD_IMM.i32 r11, 0x0, #0x3ec00000
    TEX_SINGLE.slot0.f.32.r.2d.grdesc.wait0 @r4, @r10:r11:r12:r13, r8
    STORE.i32.slot0.end @r4, u4, offset:0
";
/// A level in its word: 1.5 of one level.
const LEVEL: &str = "
    IADD_IMM.i32 r0, 0x0, #0x3ec00000
    IADD_IMM.i32 r1, 0x0, #0x3ec00000
    IADD_IMM.i32 r2, 0x0, #0x180
    IADD_IMM.i32 r8, 0x0, #0x1000002
    IADD_IMM.i32 r9, 0x0, #0x1000000
    TEX_SINGLE.slot0.f.16.rg.2d.wide_indices.explicit.wait0 @r4, @r0:r1:r2, r8
    STORE.i32.slot0.end @r4, u4, offset:0
";
const LOAD: &str = "
    IADD_IMM.i32 r0, 0x0, #0x20003
    LD_TEX_IMM.v2.u32.slot0.wait0 @r4:r5, r0, 0x0, index:0x1, table:0x1
    STORE.i64.slot0.end @r4:r5, u4, offset:0
";
const LOAD_HANDLE: &str = "
    IADD_IMM.i32 r0, 0x0, #0x20004
    IADD_IMM.i32 r1, 0x0, #0x1000001
    LD_TEX.u32.slot0.wait0 @r4, r0, 0x0, r1
    STORE.i32.slot0.end @r4, u4, offset:0
";
const STORE: &str = "
    IADD_IMM.i32 r0, 0x0, #0x10002
    IADD_IMM.i32 r8, 0x0, #0x1234
    LEA_TEX_IMM.slot0.wait0 @r4:r5:r6, r0, 0x0, table:0x1, index:0x1
    ST_CVT.slot0.auto.end @r8, r4, r6, offset:0x0
";
const STORE_HANDLE: &str = "
    IADD_IMM.i32 r0, 0x0, #0x10004
    IADD_IMM.i32 r1, 0x0, #0x1000001
    IADD_IMM.i32 r8, 0x0, #0x1234
    LEA_TEX.slot0.wait0 @r4:r5:r6, r0, 0x0, r1
    ST_CVT.slot0.u32.end @r8, r4, r6, offset:0x0
";
const ATOMIC: &str = "
    IADD_IMM.i32 r0, 0x0, #0x10001
    IADD_IMM.i32 r8, 0x0, #0x10
    LEA_TEX_IMM.slot0.wait0 @r4:r5:r6, r0, 0x0, table:0x1, index:0x1
    ATOM_RETURN.i32.slot0.aadd.wait0 @r9, @r8, r4, offset:0x0
    STORE.i32.slot0.end @r9, u4, offset:0
";

/// Of vertex 2, and by a handle of instance 1.
const ATTRIBUTE: &str = "
    IADD_IMM.i32 r0, 0x0, #0x2
    LD_ATTR_IMM.v4.f32.slot0.wait0 @r4:r5:r6:r7, r0, 0x0, index:0x0, table:0x0
    STORE.i128.slot0.end @r4:r5:r6:r7, u4, offset:0
";
const ATTRIBUTE_HANDLE: &str = "
    IADD_IMM.i32 r0, 0x0, #0x9
    IADD_IMM.i32 r1, 0x0, #0x1
    LD_ATTR.v2.auto.slot0.wait0 @r4:r5, r0, r1, r1
    STORE.i64.slot0.end @r4:r5, u4, offset:0
";

fn unorm(code: u32) -> u32 {
    (code as f32 / 255.0).to_bits()
}

#[test]
fn texels_are_fetched_sampled_and_gathered() {
    let k = kit();
    // Texel (1, 2) is the ninth.
    assert_eq!(k.words(FETCH), [unorm(144), 0, 0, 1f32.to_bits()]);
    // Outside all is zero.
    let outside = FETCH.replacen("#0x1\n", "#0x4\n", 1);
    assert_eq!(k.words(&outside), [0; 4]);
    // Halfway between texels 4 and 5, and 8 and 9.
    let sum: f64 = [64, 80, 128, 144].map(|c| f64::from(f32::from_bits(unorm(c)))).iter().sum();
    assert_eq!(f32::from_bits(k.words(SINGLE)[0]), (sum / 4.0) as f32);
    // In raster order: texels (1, 1), (2, 1), (1, 2), (2, 2).
    assert_eq!(k.words(GATHER), [80, 96, 144, 160].map(unorm));
    // One texel a pixel: level 0.
    assert_eq!(k.words(GRADIENT)[0], unorm(80));
    // Two halves of a register: red and green.
    assert_eq!(k.words(LEVEL)[0], 0x3505);
}

#[test]
fn a_compare_function_is_the_other_way_round() {
    let mut k = kit();
    // `texel FUNC reference` with 1, less.
    k.table[2][1] |= 1 << 13;
    let text = |reference: f32| {
        format!(
            "IADD_IMM.i32 r0, 0x0, #0x3ec00000
            IADD_IMM.i32 r1, 0x0, #0x3ec00000
            IADD_IMM.i32 r2, 0x0, #{:#x}
            IADD_IMM.i32 r4, 0x0, #0x8000802
            IADD_IMM.i32 r5, 0x0, #0x0
            TEX_SINGLE.slot0.f.32.r.2d.shadow.zero.wait0 @r6, @r0:r1:r2, r4
            STORE.i32.slot0.end @r6, u4, offset:0",
            reference.to_bits()
        )
    };
    assert_eq!(k.words(&text(0.5))[0], 1f32.to_bits());
    assert_eq!(k.words(&text(0.25))[0], 0);
}

#[test]
fn texels_are_loaded_and_stored_by_the_load_store_unit() {
    let k = kit();
    assert_eq!(k.words(LOAD)[..2], [11, 0]);
    assert_eq!(k.words(LOAD_HANDLE)[0], 0);
    let image = |text: &str| k.run(text).unwrap_or_else(|t| panic!("{t}")).1;
    assert_eq!(image(STORE)[18], 0x1234);
    // Outside nothing is stored.
    assert_eq!(image(STORE_HANDLE), k.texels[1]);
    let (old, texels) = k.run(ATOMIC).unwrap();
    // Sixteen lanes add 16 each.
    assert_eq!((old[0], texels[17]), (5 + 15 * 16, 5 + 256));
}

/// float32x3 with a stride of 20 bytes, and unsigned integers of each instance; both from a buffer whose words are their numbers.
#[test]
fn attributes_are_read_by_their_descriptors() {
    let mut k = kit();
    k.table[2] = [0x19, 256, place(5) as u32, (place(5) >> 32) as u32, 0, 0, 0, 0];
    k.texels[0] = (0..64).map(|n| (n as f32).to_bits()).collect();
    // Buffers are those of table 1, index 2.
    k.own = vec![
        [0x2dc0_4115, 1, 0, 2, 20, 0, 0, 0],
        [0x2140_4015, 0x41, 4, 2, 8, 0, 0, 0],
        [0x02a9_9901, 0, 0, 0, 0, 0, 0, 0],
    ];
    assert_eq!(k.words(ATTRIBUTE), [10f32, 11.0, 12.0, 1.0].map(f32::to_bits));
    assert_eq!(k.words(ATTRIBUTE_HANDLE)[..2], [3f32.to_bits(), 0]);
    // Outside of the buffer.
    assert_eq!(k.words(&ATTRIBUTE.replace("#0x2", "#0xd")), [0; 4]);
    for (word, bit, what) in [(0, 9, "[9] of word 0"), (1, 7, "FREQUENCY"), (0, 8, "OFFSET_ENABLE"), (1, 8, "word 1")] {
        let mut bad = k.clone();
        bad.own[0][word] ^= 1 << bit;
        expect_trap(bad.run(ATTRIBUTE), TrapKind::Reserved, what);
    }
    let lanes = ATTRIBUTE_HANDLE.replace("r0, r1, r1", "r0, r1, r60");
    expect_trap(k.run(&lanes), TrapKind::Divergence, "different descriptors");
}

#[test]
fn tiles_lie_as_the_reference_says() {
    let mut k = kit();
    k.table[0][2] |= 1 << 12;
    k.planes[0][0] = 0x0200_011a;
    k.planes[0][1] = 1024;
    // Bit 2k of the texel's number is x_k xor y_k, bit 2k + 1 is y_k: (1, 2) is 1 | (1 << 2) | (1 << 3).
    k.texels[0] = (0..256).collect();
    assert_eq!(k.words(FETCH)[0], unorm(13));
}

#[test]
fn reserved_bits_trap_by_name() {
    let bad = |change: &dyn Fn(&mut Kit), text: &str, kind: TrapKind, what: &str| {
        let mut k = kit();
        change(&mut k);
        expect_trap(k.run(text), kind, what);
    };
    use TrapKind::*;
    bad(&|k| k.table[0][0] |= 1 << 6, FETCH, Reserved, "[9:6] of word 0");
    bad(&|k| k.table[0][0] ^= 1, FETCH, Reserved, "type 3");
    bad(&|k| k.table[0][2] |= 7, FETCH, Reserved, "SWIZZLE");
    bad(&|k| k.table[0][7] |= 1 << 16, FETCH, Reserved, "word 7");
    bad(&|k| k.table[0][0] ^= 0xff << 22, FETCH, Reserved, "format");
    bad(
        &|k| k.table[2][0] |= 1 << 29,
        FETCH.replacen("#0x8000000", "#0x8000802", 1).as_str(),
        Reserved,
        "sampler field",
    );
    bad(&|k| k.table[3][0] ^= 0xf << 16, SINGLE, Reserved, "WRAP_S");
    bad(&|k| k.planes[0][0] |= 1 << 12, FETCH, Reserved, "plane field");
    bad(&|k| k.planes[0][0] ^= 1 << 24, FETCH, Reserved, "CLUMP");
    bad(&|k| k.planes[0][1] = 100, FETCH, OutOfBounds, "its last texel");
    bad(&|k| k.planes[0][7] ^= 1, FETCH, Reserved, "EXTENT");
    // The instruction's fields against the descriptor.
    bad(&|_| {}, &FETCH.replace(".f.32", ".u.32"), Reserved, "register type");
    bad(&|_| {}, &FETCH.replace("2d.wait0 @r4:r5:r6:r7, @r0:r1,", "1d.wait0 @r4:r5:r6:r7, @r0,"), Reserved, "D1");
    bad(&|_| {}, &FETCH.replace("@r0:r1,", "@r0,"), Reserved, "staging run");
    bad(&|_| {}, &FETCH.replace("@r4:r5:r6:r7, @r0", "@r4:r5, @r0"), Reserved, "components");
    bad(&|_| {}, &FETCH.replace("#0x8000000", "#0x8000801"), Reserved, "type 2, not 1");
    bad(&|_| {}, &SINGLE.replace(".zero", ".computed"), Unsupported, "implicit");
    bad(
        &|_| {},
        &GRADIENT.replace("IADD_IMM.i32 r10,", "IADD_IMM.i32 r13, 0x0, #0x0\nIADD_IMM.i32 r10,"),
        Reserved,
        "gradient",
    );
    bad(&|_| {}, &LOAD.replace(".u32", ".f32"), Reserved, "register format");
    bad(&|_| {}, &STORE.replace("@r8, r4, r6", "@r8, r4, r8"), Reserved, "format");
    // In flight.
    bad(&|_| {}, &FETCH.replace("2d.wait0", "2d"), Poison, "slot 0");
    bad(&|_| {}, &LOAD.replace("slot0.wait0", "slot0"), Poison, "slot 0");
}
