//! Rows of vertex and fragment programs, in draws of one triangle on 4 x 4 pixels. Expected values are worked out from sections 10, 16
//! and 17 of the reference.
//!
//! The corners of the triangle are (0, 0), (8, 0) and (0, 8) on the screen, so that what the vertices give is a plane over the
//! target: at the centre of pixel (x, y) a component that is the corner's x is x + 0.5.

use gpucc_container::{
    Container, Entry, InterfaceRow, IoPlace, Meta, Preload, Program as Part, ProgramRole, Source, Stage, flags,
};
use gpucc_isa::stage;
use gpucc_pipeline::{Compare, DepthStencil, Pipeline, Target};
use gpucc_sim::draw::{Draw, Merger, Raster, Surface, Targets, Vertices, draw as rasterise};
use gpucc_sim::raster::{Topology, Viewport};
use gpucc_sim::texture::Format;
use gpucc_sim::{Dispatch, DrawDevice, Resident, RunOptions, Trap, TrapKind};
use gpucc_valhall_machine::{abi, assemble, draw};

/// Values of r0..r3 before a fragment program ends.
pub const TEXTS: &[&str] = &[
    SMOOTH,
    BY_REGISTER,
    SPECIAL,
    HALVES,
    HALVES_BY_REGISTER,
    FLAT,
    TILE,
    DISCARDED,
    DESCRIBED,
    DESCRIBED_BY_HANDLE,
    DESCRIBED_FLAT,
    DESCRIBED_HALVES,
    FUSED,
    FUSED_NARROW,
    FUSED_BY_HANDLE,
    FUSED_GATHER,
    FUSED_GATHER_BY_HANDLE,
];
/// Texts of vertex programs.
pub const VERTEX_TEXTS: &[&str] = &[POSITIONS, VARYINGS, ADDRESSES, ADDRESSES_BY_HANDLE, LAYERED];
/// Ends of fragment programs.
pub const ENDS: &[&str] = &[COLOUR, COLOUR_HALVES, DEPTH, STORED];

/// r0 = x, r1 = y, r2 = half the x over 8, r3 = 1/w of 0.5.
const CORNERS: &str = "
    IADD_IMM.i32 r4, 0x0, #0x41000000
    IADD_IMM.i32 r5, 0x0, #0x1
    IADD_IMM.i32 r6, 0x0, #0x2
    IADD_IMM.i32 r7, 0x0, #0x3f000000
    CSEL.u32.eq r0, r60, r5, r4, 0x0
    CSEL.u32.eq r1, r60, r6, r4, 0x0
    CSEL.u32.eq r2, r60, r5, r7, 0x0
    MOV.i32 r3, r7
";
const POSITIONS: &str = "
    LEA_BUF_IMM.slot0.wait0 @r8:r9, r59, table:0xD, index:0x0
    STORE.i128.istream.slot0.end @r0:r1:r2:r3, r8, offset:0
";
/// Location 0 has x, y, 100 + x and 1. Location 1 has 7 plus the number of the vertex, and halves of x + 1 and y + 1.
const VARYINGS: &str = "
    FADD_IMM.f32 r2, r0, #0x42C80000
    IADD_IMM.i32 r3, 0x0, #0x3f800000
    IADD_IMM.i32 r10, r60, #0x7
    FADD.f32 r12, r0, r3
    FADD.f32 r13, r1, r3
    V2F32_TO_V2F16 r11, r12, r13
    LEA_BUF_IMM.slot0.wait0 @r8:r9, r59, table:0xD, index:0x0
    STORE.i128.estream.slot0 @r0:r1:r2:r3, r8, offset:0
    STORE.i64.estream.slot1.end @r10:r11, r8, offset:16
";
/// The layer is one more than the number of the vertex, a byte of the extension.
const LAYERED: &str = "
    LEA_BUF_IMM.slot0.wait0 @r8:r9, r59, table:0xD, index:0x0
    STORE.i128.istream.slot0.wait0 @r0:r1:r2:r3, r8, offset:0
    IADD_IMM.i32 r10, r59, #0x4
    LEA_BUF_IMM.slot0.wait0 @r8:r9, r10, table:0xD, index:0x0
    IADD_IMM.i32 r12, r60, #0x1
    STORE.i8.istream.slot0.end @r12, r8, offset:2
";
/// The x of a position comes from an attribute, whose address the instruction gives. The third word is the format.
const ADDRESSES: &str = "
    LEA_ATTR_IMM.slot0.wait0 @r10:r11:r12, r60, r61, table:0x0, index:0x0
    LOAD.i32.unsigned.slot0.wait0 @r0, r10, offset:0
    LEA_BUF_IMM.slot0.wait0 @r8:r9, r59, table:0xD, index:0x0
    STORE.i128.istream.slot0.end @r0:r1:r2:r3, r8, offset:0
";
const ADDRESSES_BY_HANDLE: &str = "
    IADD_IMM.i32 r13, 0x0, #0x0
    LEA_ATTR.slot0.wait0 @r10:r11:r12, r60, r61, r13
    LOAD.i32.unsigned.slot0.wait0 @r0, r10, offset:0
    LEA_BUF_IMM.slot0.wait0 @r8:r9, r59, table:0xD, index:0x0
    STORE.i128.istream.slot0.end @r0:r1:r2:r3, r8, offset:0
";

const SMOOTH: &str = "LD_VAR_BUF_IMM.f32.slot0.v4.src_f32.center.store.wait0 @r0:r1:r2:r3, r61, index:0x0";
const BY_REGISTER: &str = "
    MOV.i32 r3, 0x0
    MOV.i32 r2, 0x0
    IADD_IMM.i32 r8, 0x0, #0x4
    LD_VAR_BUF.f32.slot0.v2.src_f32.center.store.wait0 @r0:r1, r61, r8
";
const SPECIAL: &str = "
    MOV.i32 r3, 0x0
    MOV.i32 r2, 0x0
    LD_VAR_SPECIAL.f32.center.clobber.slot0.wait0 @r0, r61, index:0x2
    LD_VAR_SPECIAL.f32.center.clobber.slot0.wait0 @r1, r61, index:0x3
";
const HALVES: &str = "
    LD_VAR_BUF_IMM.f16.slot0.v4.src_f32.center.store.wait0 @r8:r9, r61, index:0x0
    F16_TO_F32 r0, r8.h0
    F16_TO_F32 r1, r8.h1
    F16_TO_F32 r2, r9.h0
    F16_TO_F32 r3, r9.h1
";
const HALVES_BY_REGISTER: &str = "
    IADD_IMM.i32 r10, 0x0, #0x14
    LD_VAR_BUF.f16.slot0.v2.src_f16.center.store.wait0 @r8, r61, r10
    LD_VAR_BUF.f16.slot0.v2.src_flat16.center.store.wait0 @r9, r61, r10
    F16_TO_F32 r0, r8.h0
    F16_TO_F32 r1, r8.h1
    F16_TO_F32 r2, r9.h0
    F16_TO_F32 r3, r9.h1
";
const FLAT: &str = "
    LD_VAR_BUF_IMM.f32.slot0.src_flat32.center.store.wait0 @r0, r61, index:0x10
    U32_TO_F32 r0, r0
    MOV.i32 r1, 0x0
    MOV.i32 r2, 0x0
    MOV.i32 r3, 0x0
";
/// The current pixel of target 0.
const TILE: &str = "
    IADD_IMM.i32.wait r8, 0x0, #0xff000000
    LD_TILE.v4.f32.slot0.wait0 @r0:r1:r2:r3, r8, r60, blend_descriptor_0.w1
";
/// Two columns of the four are left alone.
const DISCARDED: &str = "
    LD_VAR_BUF_IMM.f32.slot0.v4.src_f32.center.store.wait0 @r0:r1:r2:r3, r61, index:0x0
    IADD_IMM.i32 r8, 0x0, #0x40000000
    DISCARD.f32.gt r0, r8
";

/// Location 0 by its descriptor; the second has three components, so that the fourth is 1.
const DESCRIBED: &str = "LD_VAR_IMM.slot0.v4.f32.center.store.wait0 @r0:r1:r2:r3, r61, table:0x0, index:0x0";
const DESCRIBED_BY_HANDLE: &str = "
    IADD_IMM.i32 r8, 0x0, #0x1
    LD_VAR.slot0.v4.f32.center.store.wait0 @r0:r1:r2:r3, r61, r8
";
/// The integer and one of the halves of location 1.
const DESCRIBED_FLAT: &str = "
    IADD_IMM.i32 r8, 0x0, #0x2
    LD_VAR_FLAT.slot0.u32.wait0 @r0, r8
    LD_VAR_FLAT_IMM.slot1.v2.f16.wait1 @r9, table:0x0, index:0x3
    U32_TO_F32 r0, r0
    F16_TO_F32 r1, r9.h0
    F16_TO_F32 r2, r9.h1
    MOV.i32 r3, 0x0
";
/// Halves of memory as floats, and floats of memory as halves.
const DESCRIBED_HALVES: &str = "
    LD_VAR_IMM.slot0.v2.f32.center.store.wait0 @r0:r1, r61, table:0x0, index:0x3
    LD_VAR_IMM.slot1.v2.f16.center.retrieve.wait1 @r9, r61, table:0x0, index:0x0
    F16_TO_F32 r2, r9.h0
    F16_TO_F32 r3, r9.h1
";
/// Texture 4 with sampler 5, whose coordinates are in texels: `4 << 16 | 5`. Places are location 0.
const FUSED: &str = "
    IADD_IMM.i32 r8, 0x0, #0x40005
    IADD_IMM.i32 r9, 0x0, #0x0
    IADD_IMM.i32 r10, 0x0, #0x0
    VAR_TEX_BUF_SINGLE.slot0.center_store.f.32.2d.zero.wait0 @r0:r1:r2:r3, r8, r10
";
/// Red and green as halves of one register.
const FUSED_NARROW: &str = "
    IADD_IMM.i32 r8, 0x0, #0x40005
    IADD_IMM.i32 r9, 0x0, #0x0
    IADD_IMM.i32 r10, 0x0, #0x0
    VAR_TEX_BUF_SINGLE.slot0.center_store.f.16.2d.zero.wait0 @r11, r8, r10
    F16_TO_F32 r0, r11.h0
    F16_TO_F32 r1, r11.h1
    MOV.i32 r2, 0x0
    MOV.i32 r3, 0x0
";
/// The level comes from the differences in the quad.
const FUSED_BY_HANDLE: &str = "
    IADD_IMM.i32 r8, 0x0, #0x40005
    IADD_IMM.i32 r9, 0x0, #0x0
    IADD_IMM.i32 r10, 0x0, #0x1
    VAR_TEX_SINGLE.slot0.center_clobber.f.32.2d.computed.wait0 @r0:r1:r2:r3, r8, r10
";
const FUSED_GATHER: &str = "
    IADD_IMM.i32 r8, 0x0, #0x40005
    IADD_IMM.i32 r9, 0x0, #0x0
    IADD_IMM.i32 r10, 0x0, #0x0
    LD_VAR_BUF_IMM.f32.slot0.src_f32.center.store.wait0 @r0, r61, index:0x0
    VAR_TEX_BUF_GATHER.slot0.retrieve.f.32.2d.gather4_r.wait0 @r0:r1:r2:r3, r8, r10
";
const FUSED_GATHER_BY_HANDLE: &str = "
    IADD_IMM.i32 r8, 0x0, #0x40005
    IADD_IMM.i32 r9, 0x0, #0x0
    IADD_IMM.i32 r10, 0x0, #0x0
    VAR_TEX_GATHER.slot0.center_store.f.32.2d.gather4_r.wait0 @r0:r1:r2:r3, r8, r10
";

/// The colour goes to the current pixel of target 0 itself.
const STORED: &str = "
    IADD_IMM.i32.wait0126 r8, 0x0, #0xff000000
    ATEST.wait @r60, r60, 0x3F800000, atest_datum.w0
    ST_TILE.v4.f32.slot0.end @r0:r1:r2:r3, r8, r60, blend_descriptor_0.w1
";
const COLOUR: &str = "
    NOP.wait0126
    ATEST.wait @r60, r60, 0x3F800000, atest_datum.w0
    BLEND.slot0.v4.f32.end @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x0
";
/// The same four as halves, and alpha as one.
const COLOUR_HALVES: &str = "
    V2F32_TO_V2F16 r0, r0, r1
    V2F32_TO_V2F16 r1, r2, r3
    NOP.wait0126
    ATEST.wait @r60, r60, r1.h1, atest_datum.w0
    BLEND.slot0.v4.f16.end @r0:r1, blend_descriptor_0.w0, r60, target:0x0
";
/// The depth is 1/8.
const DEPTH: &str = "
    IADD_IMM.i32 r8, 0x0, #0x3e000000
    NOP.wait0126
    ATEST.wait0126 @r60, r60, 0x3F800000, atest_datum.w0
    ZS_EMIT.z.slot0.wait @r60, r8, 0x0, r60
    BLEND.slot0.v4.f32.end @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x0
";

fn code(text: &str, bit: u8) -> Vec<u8> {
    assemble(text, 1, bit, false).unwrap_or_else(|e| panic!("{}\n{text}", e[0]))
}

fn loads(list: &[(u16, Source)]) -> Vec<Preload> {
    list.iter().map(|&(index, source)| Preload { file: 0, lane: 0, index, source }).collect()
}

fn container(entry: Entry) -> Container {
    Container { family: "valhall".into(), generation: "v10".into(), entries: vec![entry], ..Container::default() }
}

fn meta(flags: u32) -> Meta {
    Meta { subgroup_size: 16, registers: vec![(0, 64)], family_words: vec![0], flags, ..Meta::default() }
}

/// Programs of positions and of varyings.
fn vertex(positions: &str) -> Container {
    let preloads =
        loads(&[(59, Source::Family(abi::RECORD)), (60, Source::Family(abi::VERTEX)), (61, Source::InstanceIndex)]);
    let mut entry = Entry { name: "vs".into(), stage: Stage::Vertex, meta: meta(0), ..Entry::default() };
    for (role, text) in [(ProgramRole::Position, positions), (ProgramRole::Varying, VARYINGS)] {
        let own = code(&format!("{CORNERS}{text}"), stage::VS);
        entry.programs.push(Part {
            role,
            offset: entry.code.len() as u32,
            size: own.len() as u32,
            registers: vec![(0, 64)],
            family_words: vec![0],
            preloads: preloads.clone(),
            ..Part::default()
        });
        entry.code.extend(own);
    }
    for number in 0..2 {
        entry.interface.push(InterfaceRow {
            output: true,
            at: IoPlace::Location { number, blend_src: 0 },
            components: 15,
            file: abi::FILE_VARYING,
            index: number.into(),
            ..InterfaceRow::default()
        });
    }
    container(entry)
}

fn fragment(text: &str, flags: u32) -> Container {
    let preloads = loads(&[(60, Source::Family(abi::COVERAGE)), (61, Source::Family(abi::SAMPLE))]);
    let (stage, code) = (Stage::Fragment, code(text, stage::FS));
    container(Entry { name: "fs".into(), stage, code, preloads, meta: meta(flags), ..Entry::default() })
}

/// The colour is the layer of the attachments.
fn of_layer() -> Container {
    let red = "U32_TO_F32 r0, r62\nMOV.i32 r1, 0x0\nMOV.i32 r2, 0x0\nMOV.i32 r3, 0x0\n";
    let mut c = fragment(&format!("{red}{COLOUR}"), 0);
    c.entries[0].preloads.extend(loads(&[(62, Source::Family(abi::LAYER))]));
    c
}

const MEMORY: u64 = 0x20_0000_0000;

/// Blend descriptors, program descriptors, and for the vertex program a table with an attribute of one float and its buffer.
fn device() -> DrawDevice {
    let mut device = DrawDevice::default();
    let mut put = |n: u64, words: &[u32]| {
        let bytes = words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>().into();
        let address = MEMORY + 0x10_0000 * n;
        let name = format!("memory {n}");
        device.device.residents.push(Resident { name, address, bytes, writable: false, resource: None });
        [address as u32, (address >> 32) as u32]
    };
    // rgba32float, opaque.
    let blend = put(0, &[0x0000_0a00, 0xf012_2122, 0x0000_0019, 0x000b_f000]);
    let [low, high] = put(1, &[0, 8f32.to_bits(), 0]);
    let own = put(2, &[0x29c0_4115, 0, 0, 1, 4, 0, 0, 0, 0x19, 12, low, high, 0, 0, 0, 0]);
    let tables = put(3, &[own[0], own[1] | 1 << 24, 64, 0]);
    // Of the fragment program: varyings, a texture, a sampler.
    let texels: Vec<u32> = (0..16).map(|n| (n as f32).to_bits()).collect();
    let [low, high] = put(4, &texels);
    let [low, high] = put(5, &[0x0200_021a, 64, low, high, 16, 0, 64, 0x0003_0003]);
    let varying = |format: u32, byte: u32| [0x65 | format << 10, 61, 1024 + byte, 0, 48 << 16 | 32, 0, 0, 0];
    let of_fragment = [
        varying(0xbf << 12, 0),
        varying(0xb7 << 12 | 16, 0),
        varying(0x85 << 12 | 16, 16),
        varying(0xcf << 12 | 16, 20),
        [0x29c0_4022, 0x0003_0003, 0x0000_0688, 0, low, high, 0, 0],
        // Nearest, in texels.
        [0x1889_9901, 0x1fff_0000, 0, 0, 0, 0, 0, 0],
    ];
    let own = put(6, &of_fragment.concat());
    let fragment_tables = put(7, &[own[0], own[1] | 1 << 24, 32 * of_fragment.len() as u32, 0]);
    let mut word = |space, register, value| device.registers.set(space, register, value, u32::MAX);
    word(0, 50, blend[0] | 1);
    word(0, 51, blend[1]);
    for (pointer, words) in [
        (abi::POSITION_PROGRAM, [0x138, 0x3800]),
        (abi::VARYING_PROGRAM, [0x038, 0x3800]),
        (abi::FRAGMENT_PROGRAM, [0x128, 0x3000]),
    ] {
        word(abi::PROGRAM_SPACE, abi::program_word(pointer, 0), words[0]);
        word(abi::PROGRAM_SPACE, abi::program_word(pointer, 1), words[1]);
    }
    for (at, [low, high]) in [tables, fragment_tables].into_iter().enumerate() {
        device.tables[at].push((0, u64::from(high) << 32 | u64::from(low) | 1));
    }
    device
}

/// Contents of a target before the draw.
const BEFORE: [f32; 4] = [0.25, 0.5, 0.75, 1.0];

fn run(programs: (&Container, &Container), device: &mut DrawDevice) -> Result<Targets, Trap> {
    run_on(programs, device, 1)
}

/// Draws on so many layers.
fn run_on(programs: (&Container, &Container), device: &mut DrawDevice, layers: usize) -> Result<Targets, Trap> {
    let depth =
        DepthStencil { depth_write: true, depth_compare: Compare::Always, ..DepthStencil::new(Format::Depth32Float) };
    let target = Target::new(Format::Rgba32Float);
    let state = Pipeline { targets: vec![Some(target)], depth: Some(depth), ..Pipeline::default() };
    let viewport = Viewport { x: 0.0, y: 0.0, width: 4.0, height: 4.0, min_depth: 0.0, max_depth: 1.0 };
    let job = Draw {
        vertices: Vertices::new(Topology::TriangleList, 3),
        raster: Raster::of(&state, viewport, [0, 0, 4, 4]),
        viewports: Vec::new(),
        merger: Merger::of(&state, [0.0; 4], 0),
        seed: None,
    };
    let mut colour = Surface::new(Format::Rgba32Float, 4, 4, 1);
    colour.clear(BEFORE.map(f32::to_bits));
    let layer = Targets::new(vec![Some(colour)], Some(Surface::new(Format::Depth32Float, 4, 4, 1)));
    let mut targets = layer.clone().with_layers(vec![layer; layers - 1]);
    let options = RunOptions::default();
    let (vertex, fragment) = (programs.0, Some(programs.1));
    draw((vertex, fragment), &job, &mut Dispatch::new([1, 1, 1]), device, &options, &mut |stages| {
        rasterise(&job, stages, &mut targets)
    })?;
    Ok(targets)
}

/// A device whose fragment programs run on whole quads where the flags say so.
fn device_for(flags: u32) -> DrawDevice {
    let mut device = device();
    if flags & flags::DERIVATIVES != 0 {
        let word = abi::program_word(abi::FRAGMENT_PROGRAM, 0);
        device.registers.set(abi::PROGRAM_SPACE, word, 0x1000_0128, u32::MAX);
    }
    device
}

/// The colours of a draw, by what they should be in a pixel whose centre is given.
fn check(programs: (&Container, &Container), what: &str, wanted: &dyn Fn(f32, f32) -> [f32; 4]) -> Targets {
    let flags = programs.1.entries[0].meta.flags;
    let targets = run(programs, &mut device_for(flags)).unwrap_or_else(|t| panic!("{t}\n{what}"));
    let colour = targets.colour[0].as_ref().unwrap();
    for (x, y) in (0..4).flat_map(|y| (0..4).map(move |x| (x, y))) {
        let got = colour.texel([x, y], 0).map(f32::from_bits);
        assert_eq!(got, wanted(x as f32 + 0.5, y as f32 + 0.5), "pixel {x}, {y}\n{what}");
    }
    targets
}

/// The colour that the texts write to the pixel with this centre.
type Wanted = fn(f32, f32) -> [f32; 4];

#[test]
fn fragment_rows() {
    // The number of a texel, the fragment's and its neighbours' up to the edge.
    fn texel(x: f32, y: f32) -> f32 {
        4.0 * (y - 0.5).min(3.0) + (x - 0.5).min(3.0)
    }
    let gathered: Wanted = |x, y| [texel(x, y), texel(x + 1.0, y), texel(x, y + 1.0), texel(x + 1.0, y + 1.0)];
    let cases: [(&str, u32, Wanted); 17] = [
        (SMOOTH, 0, |x, y| [x, y, 100.0 + x, 1.0]),
        (BY_REGISTER, 0, |x, y| [y, 100.0 + x, 0.0, 0.0]),
        (SPECIAL, 0, |x, _| [0.5, x / 16.0, 0.0, 0.0]),
        (HALVES, 0, |x, y| [x, y, 100.0 + x, 1.0]),
        (HALVES_BY_REGISTER, 0, |x, y| [x + 1.0, y + 1.0, 1.0, 1.0]),
        (FLAT, 0, |_, _| [7.0, 0.0, 0.0, 0.0]),
        (TILE, flags::READS_TARGETS, |_, _| BEFORE),
        (DISCARDED, flags::DISCARD, |x, y| if x > 2.0 { BEFORE } else { [x, y, 100.0 + x, 1.0] }),
        (DESCRIBED, 0, |x, y| [x, y, 100.0 + x, 1.0]),
        (DESCRIBED_BY_HANDLE, 0, |x, y| [x, y, 100.0 + x, 1.0]),
        (DESCRIBED_FLAT, 0, |_, _| [7.0, 1.0, 1.0, 0.0]),
        (DESCRIBED_HALVES, 0, |x, y| [x + 1.0, y + 1.0, x, y]),
        (FUSED, 0, |x, y| [texel(x, y), 0.0, 0.0, 1.0]),
        (FUSED_NARROW, 0, |x, y| [texel(x, y), 0.0, 0.0, 0.0]),
        (FUSED_BY_HANDLE, flags::DERIVATIVES, |x, y| [texel(x, y), 0.0, 0.0, 1.0]),
        (FUSED_GATHER, 0, gathered),
        (FUSED_GATHER_BY_HANDLE, 0, gathered),
    ];
    for (text, flags, wanted) in cases {
        check((&vertex(POSITIONS), &fragment(&format!("{text}{COLOUR}"), flags)), text, &wanted);
    }
}

#[test]
fn colours_are_halves() {
    let program = fragment(&format!("{SMOOTH}{COLOUR_HALVES}"), 0);
    check((&vertex(POSITIONS), &program), COLOUR_HALVES, &|x, y| [x, y, 100.0 + x, 1.0]);
}

#[test]
fn colours_are_stored() {
    let program = fragment(&format!("{SMOOTH}{STORED}"), 0);
    check((&vertex(POSITIONS), &program), STORED, &|x, y| [x, y, 100.0 + x, 1.0]);
}

/// One change of a text or of a word of the fragment program's table, and what the trap says.
#[test]
fn what_has_no_meaning_traps() {
    let plain = |text: &str, end: &str| format!("{text}{end}");
    let described = plain(DESCRIBED, COLOUR);
    let fused = plain(FUSED, COLOUR);
    let stored = plain(SMOOTH, STORED);
    let cases = [
        (described.replace("index:0x0", "index:0x4"), "type 2, not 5"),
        (described.replace("index:0x0", "index:0x2"), "not interpolated"),
        (described.replace(".f32", ".u32"), "register format"),
        (fused.replace(".2d", ".3d"), "other operands"),
        (fused.replace(".2d", ".2d.shadow"), "other operands"),
        (fused.replace(".zero", ".explicit"), "operand for the level"),
        (fused.replace(".f.32", ".f.32.32"), "two widths"),
        (fused.replace("center_store", "explicit_store"), "sample and update mode"),
        (fused.replace("center_store", "retrieve"), "is kept"),
        (fused.replace("@r0:r1:r2:r3", "@r0:r1:r2:r3:r4"), "registers"),
        (fused.replace("r10, 0x0, #0x0", "r10, 0x0, #0x1c"), "no vertex stored"),
        (fused.replace(".wait0 @r0:r1:r2:r3, r8, r10", " @r0:r1:r2:r3, r8, r10\nMOV.i32 r3, r0"), "slot 0"),
        (described.replace("target:0x0", "target:0x2"), "skips nothing"),
        (described.replace("BLEND.slot0.v4.f32", "BLEND.slot0.v4.f16"), "two of halves"),
        (described.replace("blend_descriptor_0", "blend_descriptor_3"), "no blend descriptor 3"),
        (stored.replace("ATEST.wait @r60", "ATEST.wait0 @r60"), "wait for all"),
        (stored.replace("#0xff000000", "#0xff000001"), "another sample"),
        (stored.replace("#0xff000000", "#0x00000000"), "another pixel"),
        (stored.replace("#0xff000000", "#0xff000100"), "target 1"),
        (stored.replace("blend_descriptor_0.w1", "blend_descriptor_0.w0"), "conversion"),
        (stored.replace("ST_TILE.v4.f32.slot0.end @r0:r1:r2:r3", "ST_TILE.v2.f32.slot0.end @r0:r1"), "four registers"),
    ];
    for (text, what) in cases {
        let trap = run((&vertex(POSITIONS), &fragment(&text, 0)), &mut device()).map(|_| ()).expect_err(&text);
        assert!(trap.to_string().contains(what), "{trap}, not {what}\n{text}");
    }
    // Words of the first descriptor: another kind, a reserved bit, a table, an offset before the varyings, other strides.
    for (byte, bit, what) in [
        (0, 4, "ATTRIBUTE_TYPE"),
        (1, 0, "word 0"),
        (4, 0, "TABLE"),
        (9, 2, "OFFSET"),
        (16, 2, "strides"),
        (18, 2, "strides"),
    ] {
        let mut device = device();
        device.device.residents[6].bytes[byte] ^= 1 << bit;
        let trap = run((&vertex(POSITIONS), &fragment(&described, 0)), &mut device).map(|_| ()).expect_err(what);
        assert!(trap.to_string().contains(what), "{trap}, not {what}");
    }
}

#[test]
fn depth_is_emitted() {
    let program = fragment(&format!("{SMOOTH}{DEPTH}"), flags::WRITES_DEPTH);
    let targets = check((&vertex(POSITIONS), &program), DEPTH, &|x, y| [x, y, 100.0 + x, 1.0]);
    let depth = targets.depth.unwrap();
    assert!((0..4).all(|k| f32::from_bits(depth.texel([k, 3 - k], 0)[0]) == 0.125));
}

#[test]
fn addresses_of_attributes() {
    for text in [ADDRESSES, ADDRESSES_BY_HANDLE] {
        let program = fragment(&format!("{SMOOTH}{COLOUR}"), 0);
        check((&vertex(text), &program), text, &|x, y| [x, y, 100.0 + x, 1.0]);
    }
}

/// Bits 23:22 of the flags of primitives say an extended record, bit 20 that it has a layer.
#[test]
fn vertices_choose_layers() {
    let device = |flags: u32| {
        let mut device = device();
        device.registers.set(0, abi::PRIMITIVE_FLAGS, flags, u32::MAX);
        device.registers.set(abi::PROGRAM_SPACE, abi::program_word(abi::FRAGMENT_PROGRAM, 1), 0x7000, u32::MAX);
        device
    };
    let programs = (vertex(LAYERED), of_layer());
    let programs = (&programs.0, &programs.1);
    let targets = run_on(programs, &mut device(2 << 22 | 1 << 20), 3).unwrap();
    // The first vertex is the provoking one.
    for (layer, wanted) in [BEFORE, [1.0, 0.0, 0.0, 0.0], BEFORE].into_iter().enumerate() {
        let colour = targets.layer(layer as u32).and_then(|t| t.colour[0].as_ref()).unwrap();
        for (x, y) in (0..4).flat_map(|y| (0..4).map(move |x| (x, y))) {
            assert_eq!(colour.texel([x, y], 0).map(f32::from_bits), wanted, "layer {layer}, pixel {x}, {y}");
        }
    }
    for (flags, layers, what) in [
        (1 << 20, 3, "flags of primitives"),
        (2 << 22, 3, "flags of primitives"),
        (1 << 22 | 1 << 20, 3, "flags of primitives"),
        (0, 3, "no part 4"),
        (2 << 22 | 1 << 20, 257, "at most 256"),
    ] {
        let trap = run_on(programs, &mut device(flags), layers).map(|_| ()).expect_err(what);
        assert!(trap.to_string().contains(what), "{trap}: {what}");
    }
}

#[test]
fn program_descriptors_are_read() {
    let programs = (vertex(POSITIONS), fragment(&format!("{SMOOTH}{COLOUR}"), 0));
    for (pointer, word, value, what) in [
        (abi::FRAGMENT_PROGRAM, 0, 0x138, "STAGE"),
        (abi::FRAGMENT_PROGRAM, 0, 0x028, "COVERAGE"),
        (abi::FRAGMENT_PROGRAM, 0, 0x8000_0128, "number of registers"),
        (abi::FRAGMENT_PROGRAM, 0, 0x4000_0128, "REGISTERS"),
        (abi::FRAGMENT_PROGRAM, 0, 0x1000_0128, "helpers"),
        (abi::FRAGMENT_PROGRAM, 0, 0x0004_0128, "subnormals"),
        (abi::FRAGMENT_PROGRAM, 0, 0x0000_0528, "[15:10]"),
        (abi::FRAGMENT_PROGRAM, 1, 0x2000, "PRELOAD"),
        (abi::FRAGMENT_PROGRAM, 1, 0x3100, "PRELOAD"),
        (abi::POSITION_PROGRAM, 1, 0x3c00, "PRELOAD"),
        (abi::POSITION_PROGRAM, 0, 0x139, "TYPE"),
        (abi::POSITION_PROGRAM, 1, 0x3000, "r59"),
        (abi::VARYING_PROGRAM, 1, 0x1800, "r61"),
    ] {
        let mut device = device();
        device.registers.set(abi::PROGRAM_SPACE, abi::program_word(pointer, word), value, u32::MAX);
        let trap = run((&programs.0, &programs.1), &mut device).map(|_| ()).expect_err(what);
        assert!(trap.to_string().contains(what), "{trap}: {what}");
        assert!(matches!(trap.kind, TrapKind::Reserved | TrapKind::Unsupported | TrapKind::Container), "{trap}");
    }
}
