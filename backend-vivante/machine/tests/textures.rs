//! Every texture instruction on each chip that has it, with operands where the chip wants them (reference 11), on each kind of
//! texture; derivatives. Texels are numbers that say where they lie, so expected values follow from the coordinates.

use std::collections::BTreeSet;

use gpucc_sim::TrapKind;
use gpucc_vivante_machine::Op;

use crate::kit::{GC2000, GC3000, GC7000, SIZE, Shot, Texture, ops, sample};

fn f(v: [f32; 4]) -> [u32; 4] {
    v.map(f32::to_bits)
}

fn number(n: f32) -> [u32; 4] {
    f([n, -n, 0.0, 1.0])
}

/// A texel that an instruction finds.
struct Case {
    /// Chips that have it in this form.
    chips: &'static [u8],
    text: &'static str,
    inputs: Vec<[u32; 4]>,
    texture: Texture,
    want: [u32; 4],
}

const BEFORE_HALTI5: &[u8] = &[GC2000, GC3000];
const ALL: &[u8] = &[GC2000, GC3000, GC7000];

fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    let mut at = |chips, text, inputs: &[[f32; 4]], texture: &Texture, want| {
        let inputs = inputs.iter().map(|v| f(*v)).collect();
        all.push(Case { chips, text, inputs, texture: texture.clone(), want });
    };
    let flat = Texture::numbers(2, false, 1);
    let array = Texture::numbers(3, true, 3);
    let volume = Texture::numbers(3, false, 4);
    let cube = Texture::numbers(5, false, 6);
    let shadow = Texture::shadow();
    // The level is in src0.w before HALTI5 and in src1.x from there on. Level 2 has two by two texels: column 0, row 1.
    at(BEFORE_HALTI5, "texldl t10, tex0.xyzw, t1.xyzw, void, void", &[[0.3, 0.8, 9.0, 2.0]], &flat, number(210.0));
    let halti5 = "texldl t10, tex0.xyzw, t1.xyzw, t2.xxxx, void";
    at(&[GC7000], halti5, &[[0.3, 0.8, 9.0, 9.0], [2.0; 4]], &flat, number(210.0));
    at(&[GC7000], "texldl t10, tex0.xyzw, t1.xyzw, 0.000000, void", &[[0.3, 0.8, 9.0, 9.0]], &flat, number(62.0));
    // Which component of the texel goes where.
    let swizzled = "texldl t10, tex0.wyxx, t1.xyzw, void, void";
    at(BEFORE_HALTI5, swizzled, &[[0.3, 0.8, 9.0, 2.0]], &flat, f([1.0, -210.0, 210.0, 210.0]));
    // Layers, slices (two at level 1), faces: +x has s = (1 - z) / 2 and t = (1 - y) / 2, -y has s = (1 + x) / 2 and t = (1 - z) / 2.
    for (texture, coordinate, level, want) in [
        (&array, [0.3, 0.8, 2.0], 1.0, 2131.0),
        (&volume, [0.3, 0.8, 0.6], 0.0, 2062.0),
        (&volume, [0.3, 0.8, 0.6], 1.0, 1131.0),
        (&cube, [1.0, 0.2, -0.3], 0.0, 35.0),
        (&cube, [0.3, -1.0, 0.2], 0.0, 3035.0),
    ] {
        let [x, y, z] = coordinate;
        at(BEFORE_HALTI5, "texldl t10, tex0.xyzw, t1.xyzw, void, void", &[[x, y, z, level]], texture, number(want));
        at(&[GC7000], halti5, &[[x, y, z, 9.0], [level; 4]], texture, number(want));
    }
    // Gradients are coordinates of neighbours; half a texture is four texels, level 2, an eighth is one.
    let gradients = [[0.3, 0.8, 9.0, 9.0], [0.8, 0.8, 9.0, 9.0], [0.3, 0.925, 9.0, 9.0]];
    at(ALL, "texldd t10, tex0.xyzw, t1.xyzw, t2.xyzw, t3.xyzw", &gradients, &flat, number(210.0));
    // Depths are 1000 (10 y + x) of 65535: at (2, 6) 62000. The reference is compared with it, not the reverse.
    let reference = |n: f32| [n / 65535.0; 4];
    for (n, passes) in [(61999.5, 1.0), (62000.5, 0.0)] {
        let (want, r) = (f([passes; 4]), reference(n));
        at(&[GC3000], "texldl t10, tex0.xyzw, t1.xyzw, void, t2.xxxx", &[[0.3, 0.8, 9.0, 0.0], r], &shadow, want);
        let c = [0.3, 0.8, 9.0, 9.0];
        at(&[GC7000], "texldl t10, tex0.xyzw, t1.xyzw, t3.xxxx, t2.xxxx", &[c, r, [0.0; 4]], &shadow, want);
        at(&[GC7000], "texldlpcf t10, tex0.xyzw, t1.xyzw, t3.xxxx, t2.xxxx", &[c, r, [0.0; 4]], &shadow, want);
        let c = [0.3, 0.8, 9.0, r[0]];
        let near = [[0.301, 0.8, 9.0, 9.0], [0.3, 0.801, 9.0, 9.0]];
        at(&[GC7000], "texldgpcf t10, tex0.xyzw, t1.xyzw, t2.xyzw, t3.xyzw", &[c, near[0], near[1]], &shadow, want);
    }
    // The footprint of (0.3, 0.8) has the columns 1 and 2 and the rows 5 and 6: x is (0, 1), y (1, 1), z (1, 0), w (0, 0).
    let c = [[0.3, 0.8, 9.0, 9.0]];
    at(&[GC7000], "tg4 t10, tex0.xyzw, t1.xyzw, 0, void", &c, &flat, f([61.0, 62.0, 52.0, 51.0]));
    at(&[GC7000], "tg4 t10, tex0.xyzw, t1.xyzw, 1, void", &c, &flat, f([-61.0, -62.0, -52.0, -51.0]));
    // Integer coordinates, layer and slice among them; the level is a float.
    for (texture, texel, level, want) in [
        (&flat, [5, 6, 99, 99], 0.0, 65.0),
        (&flat, [3, 2, 99, 99], 1.0, 123.0),
        (&array, [5, 6, 2, 99], 0.0, 2065.0),
        (&volume, [1, 3, 1, 99], 1.0, 1131.0),
    ] {
        let text = "txf t10, tex0.xyzw, t1.xyzw, t2.xxxx, 4352";
        let inputs = vec![texel, f([level; 4])];
        all.push(Case { chips: &[GC7000], text, inputs, texture: texture.clone(), want: number(want) });
    }
    all
}

/// A pixel's column and row, and what it is.
type Picture = fn(u32, u32) -> [u32; 4];

/// Samples whose level comes from the quad, and derivatives. Coordinates go up by a quarter of the texture a pixel: two texels,
/// level 1, which has four by four.
fn pictures() -> Vec<(&'static [u8], &'static str, Texture, Picture)> {
    let flat = Texture::numbers(2, false, 1);
    let plain: Picture = |i, j| number((100 + 10 * j + i) as f32);
    let biased: Picture = |i, j| number((200 + 10 * (j / 2) + i / 2) as f32);
    let shadow: Picture = |i, j| f([if 10 * j + i >= 17 { 1.0 } else { 0.0 }; 4]);
    let steady: Picture = |i, j| f([0.25, 0.0, j as f32 + 0.5, i as f32 + 0.5]);
    vec![
        (ALL, "texld t10, tex0.xyzw, t1.xyzw, void, void", flat.clone(), plain),
        // A bias of 1.
        (BEFORE_HALTI5, "texldb t10, tex0.xyzw, t1.xyzw, void, void", flat.clone(), biased),
        (&[GC7000], "texldb t10, tex0.xyzw, t1.xyzw, t1.wwww, void", flat.clone(), biased),
        // Less or equal with 16500 of 65535.
        (&[GC3000, GC7000], "texld t10, tex0.xyzw, t1.xyzw, void, u0.xxxx", Texture::shadow(), shadow),
        // Of t1.x by x and by y; of the product of column and row by x the row, by y the column.
        (
            ALL,
            "mul t2.x___, t0.xxxx, t0.yyyy, void
            dsx t10.x___, t1.xxxx, void, t1.xxxx
            dsy t10._y__, t1.xxxx, void, t1.xxxx
            dsx t10.__z_, t2.xxxx, void, t2.xxxx
            dsy t10.___w, t2.xxxx, void, t2.xxxx",
            flat,
            steady,
        ),
    ]
}

/// Runs all; what was executed and was right.
pub fn rows() -> BTreeSet<(Op, u8)> {
    let (mut seen, mut failures) = (BTreeSet::new(), Vec::new());
    for c in cases() {
        for &g in c.chips {
            match sample(g, c.text, &c.inputs, &c.texture) {
                Ok(got) if got == c.want => seen.extend(ops(c.text, g).into_iter().map(|o| (o, g))),
                Ok(got) => {
                    let (got, want) = (got.map(f32::from_bits), c.want.map(f32::from_bits));
                    failures.push(format!("chip {g}: {}: {got:?}, not {want:?}", c.text));
                }
                Err(t) => failures.push(format!("chip {g}: {}: {t}", c.text)),
            }
        }
    }
    for (chips, text, texture, want) in pictures() {
        for &g in chips {
            let u = vec![[(16500.0 / 65535.0f32).to_bits(), 0, 0, 0]];
            let shot = Shot { texture: Some(&texture), u, ..Shot::new(g, text) };
            let all: Vec<[u32; 4]> = (0..SIZE * SIZE).map(|k| want(k % SIZE, k / SIZE)).collect();
            match shot.draw() {
                Ok(got) if got == all => seen.extend(ops(text, g).into_iter().map(|o| (o, g))),
                Ok(got) => {
                    let float = |v: &[[u32; 4]]| v.iter().map(|p| p.map(f32::from_bits)).collect::<Vec<_>>();
                    failures.push(format!("chip {g}: {text}:\n{:?}, not\n{:?}", float(&got), float(&all)));
                }
                Err(t) => failures.push(format!("chip {g}: {text}: {t}")),
            }
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    seen
}

#[test]
fn texture_instructions_find_their_texels() {
    assert!(!rows().is_empty());
}

/// Vertex programs have units of their own, from 8 on gc2000 and from 16 on the others, and give the level themselves.
#[test]
fn vertex_programs_sample() {
    let flat = Texture::numbers(2, false, 1);
    for g in GC2000..=GC7000 {
        let number = if g == GC2000 { 8 } else { 16 };
        let level = if g == GC7000 { "t1.wwww" } else { "void" };
        let vertex = format!("texldl t1, tex{number}.xyzw, t1.xyzw, {level}, void");
        let body = "mov t10, void, void, t1.xyzw";
        let fixed = Some([0.3, 0.8, 0.0, 2.0]);
        let shot = Shot { vertex: &vertex, texture: Some(&flat), in_vertex: true, fixed, ..Shot::new(g, body) };
        for pixel in shot.draw().unwrap_or_else(|t| panic!("{t}")) {
            let near =
                pixel.map(f32::from_bits).iter().zip([210.0, -210.0, 0.0, 1.0]).all(|(a, b)| (a - b).abs() < 1e-3);
            assert!(near, "{pixel:x?}");
        }
        // A unit of the fragment program's is not theirs.
        let wrong = vertex.replace(&format!("tex{number}"), "tex0");
        let t = Shot { vertex: &wrong, ..shot }.draw().unwrap_err();
        assert_eq!(t.kind, TrapKind::BadRegister, "{t}");
    }
}

/// The triangle goes counter-clockwise with row 0 on top: i0.x is zero.
#[test]
fn facing_is_an_internal_register() {
    for g in GC2000..=GC7000 {
        let shot = Shot { u: vec![[1, 2, 0, 0]], ..Shot::new(g, "select.nz.u32 t10, i0.xxxx, u0.xxxx, u0.yyyy") };
        assert_eq!(shot.draw().unwrap_or_else(|t| panic!("{t}")), vec![[2; 4]; 16]);
    }
}

/// Operands where a chip does not look for them, and units that compare without a reference.
#[test]
fn operands_in_wrong_places_trap() {
    let (flat, shadow) = (Texture::numbers(2, false, 1), Texture::shadow());
    let c = [f([0.3, 0.8, 0.0, 0.0]); 3];
    let kind = |g, text: &str, t: &Texture| sample(g, text, &c, t).unwrap_err().kind;
    let in_w = "texldl t10, tex0.xyzw, t1.xyzw, void, void";
    let in_src1 = "texldl t10, tex0.xyzw, t1.xyzw, t2.xxxx, void";
    assert_eq!(kind(GC7000, in_w, &flat), TrapKind::Unsupported);
    assert_eq!(kind(GC2000, in_src1, &flat), TrapKind::Unsupported);
    assert_eq!(kind(GC3000, in_w, &shadow), TrapKind::Reserved);
    assert_eq!(kind(GC3000, "texldl t10, tex0.xyzw, t1.xyzw, void, t2.xxxx", &flat), TrapKind::Reserved);
    assert_eq!(kind(GC2000, "texldl t10, tex0.xyzw, t1.xyzw, void, t2.xxxx", &flat), TrapKind::Reserved);
    assert_eq!(kind(GC7000, "txf t10, tex0.xyzw, t1.xyzw, t2.xxxx, 4351", &flat), TrapKind::Unsupported);
    assert_eq!(kind(GC7000, "tg4 t10, tex0.xyzw, t1.xyzw, 4, void", &flat), TrapKind::Unsupported);
    for g in GC2000..=GC7000 {
        // Nobody knows a quad in a compute program.
        assert_eq!(kind(g, "texld t10, tex0.xyzw, t1.xyzw, void, void", &flat), TrapKind::Unsupported);
        // The coordinates that count must be there.
        assert_eq!(kind(g, "texldd t10, tex0.xyzw, t9.xyzw, t1.xyzw, t1.xyzw", &flat), TrapKind::UndefinedRead);
    }
}
