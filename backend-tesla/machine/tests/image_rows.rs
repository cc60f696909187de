//! Every texture row on each generation and in each program type. Expected values are worked out from section 6 of the reference and
//! from `graphics-tesla.md` 2 and 3: order of arguments, packing of results, level of detail, words of descriptors.

use crate::common::container;
use crate::rows::{Found, words};
use gpucc_isa::Isa;
use gpucc_isa::stage::{CS, FS, GS, VS};
use gpucc_sim::{Device, Dispatch, Resident, RunOptions, Trap};
use gpucc_tesla_machine::{Lanes, Shade, Tesla, run_on, shade};

/// Where texels lie, and the tables behind them.
const BASE: u64 = 0x20_0000_0000;
const TABLES: u64 = BASE + 0x10_0000;

/// Kinds of textures: three levels of 4x4, 2x2 and 1x1, texel 100 level + 10 y + x; a cube and two cubes of 4x4, texel
/// 1000 face + 10 y + x.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Flat,
    Cube,
    Cubes,
}

impl Kind {
    /// r32float in tiles of 64 bytes x 4 rows, so that each level of these sizes has 256 bytes.
    fn tic(self, nv50: bool) -> [u32; 8] {
        let (target, depth, levels) = match self {
            Kind::Flat => (1, 1, 3),
            Kind::Cube => (3, 1, 1),
            Kind::Cubes => (8, 2, 1),
        };
        let last = levels - 1;
        [
            0x380b_ffcf,
            BASE as u32,
            0xd000_1000 | target << 14 | (BASE >> 32) as u32,
            0x0030_0000,
            0x8000_0004,
            last << 28 | depth << 16 | 4,
            0x0300_0000,
            if nv50 { 0 } else { last << 4 },
        ]
    }

    fn bytes(self) -> Vec<u8> {
        let parts: Vec<(u32, u32)> = match self {
            Kind::Flat => vec![(0, 4), (100, 2), (200, 1)],
            Kind::Cube => (0..6).map(|f| (1000 * f, 4)).collect(),
            Kind::Cubes => (0..12).map(|f| (1000 * f, 4)).collect(),
        };
        let mut bytes = vec![0; 256 * parts.len()];
        for (k, (first, n)) in parts.into_iter().enumerate() {
            for (x, y) in (0..n).flat_map(|y| (0..n).map(move |x| (x, y))) {
                let at = 256 * k + 64 * y as usize + 4 * x as usize;
                bytes[at..at + 4].copy_from_slice(&((first + 10 * y + x) as f32).to_le_bytes());
            }
        }
        bytes
    }
}

/// Clamped to edges, nearest texels of the nearest level.
const TSC: [u32; 8] = [0x0002_6092, 0x0000_0091, 0x00f0_0000, 0, 0, 0, 0, 0];

/// Coordinates in a quad: to the right by two texels of four, downwards by one: lambda is 1 (the longer way, log2 of 2).
fn s(lane: usize) -> f32 {
    0.125 + 0.5 * (lane & 1) as f32
}
fn t(lane: usize) -> f32 {
    0.125 + 0.25 * (lane >> 1 & 1) as f32
}

fn lanes(of: impl Fn(usize) -> f32) -> Lanes {
    std::array::from_fn(|l| of(l).to_bits())
}

/// Texel of the levels that is nearest to a lane's coordinates.
fn texel(level: usize, lane: usize) -> f32 {
    let n = (4 >> level) as f32;
    100.0 * level as f32 + 10.0 * (t(lane) * n).floor() + (s(lane) * n).floor()
}

/// The direction to (s, t) of a face, its largest component 1.
fn direction(face: usize, s: f32, t: f32) -> [f32; 3] {
    let (a, b) = (2.0 * s - 1.0, 2.0 * t - 1.0);
    match face {
        0 => [1.0, -b, -a],
        1 => [-1.0, -b, a],
        2 => [a, 1.0, b],
        3 => [a, -1.0, -b],
        4 => [a, -b, 1.0],
        _ => [-a, -b, -1.0],
    }
}

/// The face that a lane looks at: one for the quad.
fn face(lane: usize) -> usize {
    lane / 4 % 6
}

fn axis(k: usize) -> Lanes {
    lanes(|l| direction(face(l), s(l), t(l))[k])
}

/// Arguments from `$r12` on, in a place; what is in `$r12` and up.
fn run(
    text: &str,
    long: bool,
    kind: Kind,
    args: &[Lanes],
    place: (u8, u8),
    found: &mut Found,
) -> Result<Vec<Lanes>, Trap> {
    let mut code = words(text, place, long).unwrap_or_else(|| panic!("{text}"));
    found.mark(&code, place.0, place.1);
    if code.len() == 1 {
        code.push(0x1000_8000 | 11 << 2 | 1 << 9); // mov b32 $r11 $r1
    }
    let tables: Vec<u8> = kind.tic(place.0 == 0).iter().chain(&TSC).flat_map(|w| w.to_le_bytes()).collect();
    if place.1 == CS {
        return run_compute(&code, &tables, kind, args, place.0);
    }
    code.extend([0xf000_0001, 0xe000_0781]);
    let mut r: Vec<(u8, Lanes)> = vec![(1, [0; 32])];
    r.extend(args.iter().zip(12..).map(|(a, k)| (k, *a)));
    let start = Shade {
        stage: place.1,
        lanes: !0,
        registers: 32,
        r,
        memory: vec![(BASE, kind.bytes()), (TABLES, tables)],
        tables: [Some(TABLES), Some(TABLES + 32)],
        ..Shade::default()
    };
    let code: Vec<u8> = code.iter().flat_map(|w| w.to_le_bytes()).collect();
    let out = shade(&code, place.0, &start, &RunOptions::default())?;
    Ok(out.r[12..16].iter().map(|r| r.0).collect())
}

/// The same in a compute program, which loads its arguments from g0[] and stores what it has to g1[].
fn run_compute(one: &[u32], tables: &[u8], kind: Kind, args: &[Lanes], g: u8) -> Result<Vec<Lanes>, Trap> {
    let name = Tesla::GENERATIONS[usize::from(g)];
    let mut before = String::from("and b32 $r9 $r0 0x1f\nshl b32 $r9 $r9 0x2\nmov b32 $r1 $r9\nmov b32 $r8 $r9\n");
    let mut after = String::new();
    for k in 12..16 {
        before += &format!("ld b32 $r{k} g0[$r9]\nadd b32 $r9 $r9 0x80\n");
        after += &format!("st b32 g1[$r8] $r{k}\nadd b32 $r8 $r8 0x80\n");
    }
    let mut code = crate::common::code(name, &before);
    code.extend(one.iter().flat_map(|w| w.to_le_bytes()));
    code.extend(crate::common::code(name, &format!("{after}exit nop")));
    let c = container(name, code, [32, 1, 1], 2);
    let mut input: Vec<u32> = args.iter().flatten().copied().collect();
    input.resize(4 * 32, 0);
    let mut d = Dispatch::new([1; 3]).with_u32(0, 0, &input).with_u32(0, 1, &[0; 4 * 32]);
    let resident = |address, bytes: &[u8]| Resident { address, bytes: bytes.to_vec().into(), ..Resident::default() };
    let mut device = Device {
        residents: vec![resident(BASE, &kind.bytes()), resident(TABLES, tables)],
        tables: vec![(0, TABLES), (1, TABLES + 32)],
        ..Device::default()
    };
    run_on(&c, None, &mut d, &mut device, &RunOptions::default())?;
    let words = d.words(0, 1).unwrap();
    Ok(words.chunks(32).map(|w| w.try_into().unwrap()).collect())
}

/// The runs of one place, which are compared.
struct Place<'a> {
    place: (u8, u8),
    found: &'a mut Found,
}

impl Place<'_> {
    /// The text with results and arguments in `$r12` and up; the wanted contents of the first registers.
    fn check(&mut self, text: &str, long: bool, kind: Kind, args: &[Lanes], want: &[Lanes]) {
        let have = run(text, long, kind, args, self.place, self.found)
            .unwrap_or_else(|t| panic!("{:?}: {text}: {t}", self.place));
        assert_eq!(have[..want.len()], *want, "{:?}: {text}", self.place);
    }
}

/// Executes the rows.
pub fn rows(found: &mut Found) {
    for g in 0..Tesla::GENERATIONS.len() as u8 {
        for stage in [VS, GS, FS, CS] {
            let gt215 = Tesla::GENERATIONS[usize::from(g)] == "nva3";
            samples(&mut Place { place: (g, stage), found });
            fetches(&mut Place { place: (g, stage), found });
            if gt215 {
                gathers(&mut Place { place: (g, stage), found });
                prepared(&mut Place { place: (g, stage), found });
            }
        }
    }
}

/// Levels from differences, which only fragments have without `deriv`; with a bias; given.
fn samples(p: &mut Place<'_>) {
    let fragments = p.place.1 == FS;
    let (x, y) = (lanes(s), lanes(t));
    let one = |level: usize| lanes(|l| texel(level, l));
    let (zero, ones) = (lanes(|_| 0.0), lanes(|_| 1.0));
    // An r32float texture is red, 0, 0, 1.
    let whole = [one(usize::from(fragments)), zero, zero, ones];
    let regs = "$r12:$r13:$r14:$r15";
    p.check(&format!("texauto all {regs} $t0 $s0 $r12:$r13"), false, Kind::Flat, &[x, y], &whole);
    p.check(&format!("texauto all {regs} $t0 $s0 $r12:$r13 0x0 0x0 0x0"), true, Kind::Flat, &[x, y], &whole);
    p.check("texauto all deriv $r12:#:#:# $t0 $s0 $r12:$r13 0x0 0x0 0x0", true, Kind::Flat, &[x, y], &[one(1)]);
    // Results stand one behind the other: the first and the last component.
    p.check("texauto all $r12:#:#:$r13 $t0 $s0 $r12:$r13 0x0 0x0 0x0", true, Kind::Flat, &[x, y], &[whole[0], ones]);
    p.check(
        "texbias all deriv $r12:#:#:# $t0 $s0 $r12:$r13:$r14 0x0 0x0 0x0",
        true,
        Kind::Flat,
        &[x, y, ones],
        &[one(2)],
    );
    p.check("texlod all $r12:#:#:# $t0 $s0 $r12:$r13:$r14 0x0 0x0 0x0", true, Kind::Flat, &[x, y, ones], &[one(1)]);
    // An offset of one texel in x and y, inside of the edges.
    let moved = lanes(|l| {
        let at = |c: f32| ((c * 4.0).floor() + 1.0).min(3.0);
        10.0 * at(t(l)) + at(s(l))
    });
    p.check("texlod all $r12:#:#:# $t0 $s0 $r12:$r13:$r14 0x1 0x1 0x0", true, Kind::Flat, &[x, y, zero], &[moved]);
    // The cube has one level.
    let cube = lanes(|l| (1000 * face(l)) as f32 + texel(0, l));
    let at = [axis(0), axis(1), axis(2)];
    p.check("texauto cube all $r12:#:#:# $t0 $s0 $r12:$r13:$r14", true, Kind::Cube, &at, &[cube]);
    let at = [at[0], at[1], at[2], ones];
    p.check("texbias cube all $r12:#:#:# $t0 $s0 $r12:$r13:$r14:$r15", true, Kind::Cube, &at, &[cube]);
    p.check("texlod cube all $r12:#:#:# $t0 $s0 $r12:$r13:$r14:$r15", true, Kind::Cube, &at, &[cube]);
}

/// Texels by integers, zeros outside, and numbers of the texture; what csaa gives is unknown.
fn fetches(p: &mut Place<'_>) {
    let number = |of: &dyn Fn(usize) -> u32| -> Lanes { std::array::from_fn(of) };
    let (x, y) = (number(&|l| l as u32 % 5), number(&|l| l as u32 / 5 % 4));
    let level = number(&|l| l as u32 % 2);
    let want = lanes(|l| {
        let (x, y, n) = (l % 5, l / 5 % 4, 4 >> (l % 2));
        if x < n && y < n { (100 * (l % 2) + 10 * y + x) as f32 } else { 0.0 }
    });
    p.check("texfetch all $r12:$r13:$r14:$r15 $t0 $s0 $r12:$r13:$r14", false, Kind::Flat, &[x, y, level], &[want]);
    let long = "texfetch all $r12:#:#:# $t0 $s0 $r12:$r13:$r14 0x0 0x0 0x0";
    p.check(long, true, Kind::Flat, &[x, y, level], &[want]);
    // Width, height, layers, levels: of level 1, and of one that is not there.
    let level = number(&|l| 1 + 4 * (l as u32 % 2));
    let sizes = [[2, 0], [2, 0], [1, 0], [3, 3]].map(|n: [u32; 2]| number(&|l| n[l % 2]));
    p.check("texsize all $r12:$r13:$r14:$r15 $t0 $s0 $r12", true, Kind::Flat, &[level], &sizes);
    let csaa = "texcsaa all $r12:#:#:# $t0 $s0 $r12:$r13 0x0 0x0 0x0";
    let t = run(csaa, true, Kind::Flat, &[x, y], p.place, p.found).unwrap_err();
    assert!(t.to_string().contains("what it gives is unknown"), "{t}");
}

/// The texels around a place: (0, 1), (1, 1), (1, 0), (0, 0).
fn gathers(p: &mut Place<'_>) {
    let corners = [(0, 1), (1, 1), (1, 0), (0, 0)];
    // In the middle of four texels: column 1 and 2, row of the quad's lane.
    let (x, y) = (lanes(|_| 0.5), lanes(|l| if l & 1 == 0 { 0.25 } else { 0.5 }));
    let want = corners.map(|(dx, dy)| lanes(|l| (10 * (l % 2 + dy) + 1 + dx) as f32));
    let text = "texgather all $r12:$r13:$r14:$r15 $t0 $s0 $r12:$r13 0x0 0x0 0x0";
    p.check(text, true, Kind::Flat, &[x, y], &want);
    let at = [0, 1, 2].map(|k| lanes(|l| direction(face(l), 0.5, 0.5)[k]));
    let want = corners.map(|(dx, dy)| lanes(|l| (1000 * face(l) + 10 * (1 + dy) + 1 + dx) as f32));
    p.check("texgather cube all $r12:$r13:$r14:$r15 $t0 $s0 $r12:$r13:$r14", true, Kind::Cube, &at, &want);
}

/// Coordinates of a cube of an array as those of a layer, and levels in steps of a 256th: clamped to those that are there, and plain.
fn prepared(p: &mut Place<'_>) {
    let at = [axis(0), axis(1), axis(2), [1; 32]];
    let want = [lanes(s), lanes(t), std::array::from_fn(|l| 6 + face(l) as u32)];
    p.check("texprep cube all $r12:$r13:$r14:# $t0 $s0 $r12:$r13:$r14:$r15", true, Kind::Cubes, &at, &want);
    let text = "texquerylod all deriv $r12:$r13:#:# $t0 $s0 $r12:$r13";
    p.check(text, true, Kind::Flat, &[lanes(s), lanes(t)], &[[256; 32]; 2]);
    let text = "texquerylod cube all deriv $r12:$r13:#:# $t0 $s0 $r12:$r13:$r14";
    p.check(text, true, Kind::Cube, &at[..3], &[[0; 32], [256; 32]]);
}
