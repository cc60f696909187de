//! Tests of features of Vulkan shaders that WebGPU lacks, a scene each (`tests/vulkan/forms`), with values that were worked out by hand, on the
//! oracle, behind passes, and on each generation that draws.

use std::path::PathBuf;

use gpucc::Target;
use gpucc_ir::Stage;
use gpucc_scene::cases::{Body, Case, Expected};
use gpucc_scene::compare::Compare;
use gpucc_scene::read;
use gpucc_tests::cases::Verdict;
use gpucc_tests::exec::{self, For, On};
use gpucc_tests::shared::workspace;
use gpucc_tests::{gfx, predict};
use rayon::prelude::*;

use crate::draws::drawing;

/// Bytes of an output: its name and its texels, row by row.
type Outputs = Vec<(&'static str, Vec<u8>)>;

/// The texels of a picture of four columns: of column and row.
fn picture<const N: usize>(rows: u32, texel: impl Fn(u32, u32) -> [u32; N]) -> Vec<u8> {
    let places = (0..rows).flat_map(|y| (0..4).map(move |x| (x, y)));
    places.flat_map(|(x, y)| texel(x, y)).map(|v| v as u8).collect()
}

/// A form and its values.
type Form = (&'static str, Outputs);

/// A form with one picture.
fn one<const N: usize>(name: &'static str, rows: u32, texel: impl Fn(u32, u32) -> [u32; N]) -> Form {
    (name, vec![("picture", picture(rows, texel))])
}

/// Another output.
trait And {
    fn and<const N: usize>(self, name: &'static str, rows: u32, texel: impl Fn(u32, u32) -> [u32; N]) -> Self;
}

impl And for Form {
    fn and<const N: usize>(mut self, name: &'static str, rows: u32, texel: impl Fn(u32, u32) -> [u32; N]) -> Self {
        self.1.push((name, picture(rows, texel)));
        self
    }
}

/// Texel `u` of texture `t` of an array.
fn texel(t: u32, u: u32) -> [u32; 4] {
    [t, u, 10 * t + u, 1]
}

/// The forms and their values.
fn forms() -> Vec<Form> {
    let number = |x: u32, y: u32| x + 4 * y;
    let points = |x, y| match (x, y) {
        (0, 0) => [1, 0, 0, 1],
        (2, 2) => [2, 0, 0, 1],
        (3, 1) => [3, 0, 0, 1],
        _ => [0; 4],
    };
    // 16 fragments add 1; the greatest of 10 x + y; one bit for each column; 3 ^ 6 ^ 9, as the other products cancel; the least of 7 and
    // more; without one bit for each row; 5 once, and how many found what.
    let counts = [16u32, 33, 15, 12, 7, 0xffff_fff0, 5, 1 + 15 * 16].map(u32::to_le_bytes).concat();
    let place = picture(4, |x, y| [x, y, 0, 0]);
    vec![
        one("input", 4, |x, y| [0, 1, 2, 3].map(|c| 2 * (number(x, y) + c) + 3 * number(x, y))),
        one("input_samples", 4, |x, y| [0, 1, 2, 3].map(|s| 4 * number(x, y) + s)),
        one("texels", 4, |x, y| [number(x, y).pow(2) + 1, 16, [2, 6][x as usize & 1], [4, 8][x as usize & 1]]),
        // The second component falls from 15 to 6, then from 165.
        one("rows", 4, |x, y| {
            let k = number(x, y);
            [if k < 10 { k } else { k + 6 }, if k < 10 { 15 - k } else { 175 - k }, 16, 3 * k]
        }),
        // The lower triangle begins with the first vertex, the upper one with the second.
        one("indices", 2, |x, y| [if y == 1 { 2 } else { 3 }, 3 + x, 0, 77]),
        one("bases", 2, |x, y| [2, 3, if y == 1 { 0 } else { 1 }, x]),
        one("point", 4, points),
        // Four layers below one another: the first is no attachment. Behind two instances, on the first and third attachment, one is seen.
        one("layers", 16, |x, y| match y / 4 {
            0 => [0; 4],
            2 => [1, 1, 2, x],
            k => [k - 1, (k - 1) / 2, 1, x],
        }),
        // k, 7, 1, 1; twice that; twice that, with k, 0, 1, 1 added, also where a second instance does it again.
        one("same_pass", 4, |x, y| [5 * number(x, y), 28, 5, 5]).and("seen", 4, |x, y| [2 * number(x, y), 14, 2, 2]),
        // Eighths of depth: half of each range.
        one("viewports", 4, |x, y| match (x, y) {
            (0 | 1, 0 | 1) => [0, x, 4, 1],
            (_, 0 | 1) => [1, x, 6, 1],
            (1 | 2, _) => [2, x, 2, 1],
            _ => [0; 4],
        }),
        // The lower half is clipped; the first layer is drawn by the second viewport, on the right, the second one by the first.
        one("choices", 8, |x, y| match (y / 4, y % 4, x) {
            (_, 2 | 3, _) | (0, _, 0 | 1) => [0; 4],
            (layer, ..) => [layer, 1 - layer, 7, x],
        }),
        // Of four pixels the middles are at 1, 3, 5 and 7 eighths, of two at 2 and 6.
        one("points", 4, |x, y| match (x, y) {
            (2 | 3, 0 | 1) => [4 * (x - 2) + 2, 4 * y + 2, 2, 1],
            _ => [2 * x + 1, 2 * y + 1, 1, 1],
        }),
        one("mask", 4, |x, y| [0, 1, 2, 3].map(|s| (number(x, y) >> s & 1) * (number(x, y) + 16))),
        // In sixteenths of a pixel the samples are at 6 2, 14 6, 2 10 and 10 14, one alone at 8 8: columns and 16 rows.
        one("places", 4, |_, _| [0x26, 0x6e, 0xa2, 0xea]),
        one("places_text", 4, |_, _| [0x26, 0x6e, 0xa2, 0xea]),
        one("middles", 4, |_, _| [0x88]),
        one("one_sample", 4, |x, y| if (x + y) & 1 == 1 { [5, 2 * x + 1, y, 1] } else { [9; 4] }),
        one("sample", 4, |x, _| [0, 1, 2, 3].map(|s| 4 * x + s)),
        ("atomics", vec![("picture", place), ("counts", counts)]),
        // Numbers in base 4 from the farthest on: 2, 3, 1 at three, two and one quarters; 2 is on the left.
        one("lists", 4, |x, _| if x < 2 { [45, 3, 1, 75] } else { [13, 2, 1, 50] }),
        // Sixteenths of the depth of the last of three draws.
        one("early", 4, |_, _| [5, 1, 2, 3]),
        one("nowhere", 4, |_, _| [1, 2, 3, 4]),
        one("formats", 4, |x, y| [number(x, y) + 1, 1, 1, 2]).and("given", 4, |x, y| [x, y, 3, 4]).and(
            "counts",
            4,
            |x, y| [2 * number(x, y), 0, 0, 0],
        ),
        one("buffers", 4, |x, _| [11, 22, 40 + x, 5]),
        one("textures", 4, |x, y| [x, y, 10 * x + y, 1]),
        // At 0.5 and a quarter of twice the column; the other one is negative on the left.
        one("distances", 2, |x, _| if x < 2 { [0; 4] } else { [2 * x + 3, [7, 17][x as usize - 2], 7, 1] }),
        one("between", 4, |x, y| {
            [2 * x + 1, 2 * x + 7, if x & 1 == 0 { 40 } else { 7 - 2 * y }, 13 + 27 + 2 * x + 1 - 4]
        }),
        one("demoted", 4, |x, _| if x & 1 == 0 { [x, 2 * x + 4, 0, 1] } else { [9; 4] }),
        // Over w, and 1/w, are linear: of 4 rows the value is 8 s / (4 - s) at s a quarter of 6.5, 4.5, 2.5 and 0.5.
        one("elsewhere", 4, |x, y| [[88, 50, 24, 4][y as usize], 2 * x, 2 * x + 1, 1]),
        one("combined", 2, |_, _| [51, 52, 53, 54]),
        one("elements", 4, |x, y| texel(x & 1, y))
            // Beyond the edge: even rows repeat, odd rows clamp.
            .and("second", 4, |x, y| texel(1 - (x & 1), if y & 1 == 0 { y } else { 3 })),
        one("outputs", 4, |x, y| [x, y, 1, 2]).and("second", 4, |_, _| [11, 12]).and("last", 4, |_, _| [33]),
    ]
}

/// Inputs at samples: h sixteenths of a pixel above the lower edge, over w, `near` is 8 h / (128 - h).
fn at_samples(samples: u32) -> Vec<u8> {
    let place = |k: u32| if samples == 1 { [8, 8] } else { [[6, 2], [14, 6], [2, 10], [10, 14]][k as usize] };
    picture(4, |x, y| {
        let above = |k: u32| 64 - 16 * y - place(k)[1];
        // Rounded, of fractions.
        let times = |n: u32, of: &[u32]| {
            let sum: f64 = of.iter().map(|&k| 8.0 * f64::from(above(k)) / f64::from(128 - above(k))).sum();
            (f64::from(n) * sum).round() as u32
        };
        let twice = if x > 1 { times(10, &[x, 3 - x]) } else { times(10, &[x]) };
        [times(20, &[x]), 16 * x + place(x)[0], times(20, &[2]), twice]
    })
}

/// Forms of interfaces that were not drawn at first, and their values.
fn interfaces() -> Vec<Form> {
    // 20 x over w, where 1/w is 1 - (x + 3 y) / 32, in sixteenths of a pixel; and the place, of a part of the pixel.
    let over_w = |x: u32, y: u32| (2 * 640 * x + 512 - x - 3 * y) / (2 * (512 - x - 3 * y));
    let inside = |part: (u32, u32), x: u32, y: u32| {
        let (x, y) = (16 * x + part.0, 16 * y + part.1);
        [over_w(x, y), x, y]
    };
    // The upper rows begin in the first column right of its first sample, which leaves the second at 14 6. The lower ones end in the last
    // column, right of the third sample at 2 10 alone.
    let centroid = |x: u32, y: u32| {
        let part = match (x, y) {
            (0, 0 | 1) => (14, 6),
            (3, 2 | 3) => (2, 10),
            _ => (8, 8),
        };
        let [v, column, row] = inside(part, x, y);
        [inside((8, 8), x, y)[0], v, column, row]
    };
    let (right, left) = (|x: u32, y: u32| y < 2 || x < 3, |x: u32, y: u32| y > 1 || x > 0);
    let drawn = |is: &dyn Fn(u32, u32) -> bool, texel: &dyn Fn(u32, u32) -> [u32; 4]| {
        picture(4, |x, y| if is(x, y) { texel(x, y) } else { [0; 4] })
    };
    // The vertices of each sample's program have the numbers 7 to 12.
    let of = |part: (u32, u32)| {
        move |x: u32, y: u32| {
            let [v, column, row] = inside(part, x, y);
            [v, column, row, if y < 2 { 7 } else { 10 }]
        }
    };
    // The line between the triangles goes down by half a pixel for each to the right. The lower one begins with the first vertex.
    let vertex = |x: u32, y: u32| u32::from(2 * y < x);
    let minus = |n: u32| n.wrapping_neg();
    let up = |y: u32| if y == 0 { 6 } else { 2 };
    vec![
        ("centroid", vec![("picture", drawn(&right, &centroid)), ("second", drawn(&left, &centroid))]),
        ("belongs", vec![("picture", drawn(&right, &of((14, 6)))), ("second", drawn(&left, &of((2, 10))))]),
        one("integers", 2, |x, y| {
            let k = vertex(x, y);
            [10 + k, 20 + k, 40 + k, 2 * x + 1]
        })
        .and("second", 2, |x, y| [minus(vertex(x, y)), minus(5 * vertex(x, y)), vertex(x, y), up(y)]),
        one("attributes", 2, |x, y| [2 * x + 1, 3, 9, up(y)])
            .and("second", 2, |x, y| [5 * vertex(x, y), minus(5 * vertex(x, y)), 14 + 2 * x, 123]),
        ("at_samples", vec![("picture", at_samples(4)), ("second", at_samples(4))]),
        ("at_one_sample", vec![("picture", at_samples(1))]),
        // Along s eighths, 48 s / (24 - 2 s) with w of 1 and 3 at the ends.
        one("declared", 2, |x, _| [[2, 6, 2, 6], [8, 18, 8, 18], [17, 30, 17, 30], [34, 42, 34, 42]][x as usize]).and(
            "second",
            2,
            |x, y| [vertex(x, y), 7 - 2 * x, 8, 1],
        ),
        one("views", 4, |x, _| [0, 0, 5, x]),
    ]
}

/// Texel of an array: `x` and `y` are taken around.
fn around(x: i32, y: i32) -> u32 {
    ((y & 3) * 4 + (x & 3)) as u32
}

/// The values of images without a format: what is read, what was read twice, and four numbers that are stored.
fn unsaid() -> Outputs {
    let places = || (0..4u32).flat_map(|y| (0..4u32).map(move |x| (x, y)));
    let numbered = |texel: &dyn Fn(u32) -> Vec<u8>| places().flat_map(|(x, y)| texel(x + 4 * y)).collect::<Vec<u8>>();
    let stored = |texel: &dyn Fn([u32; 4]) -> Vec<u8>| places().flat_map(|(x, y)| texel([x, y, 30, 40])).collect();
    vec![
        ("picture", numbered(&|k| [k, 2 * k, 3 * k, 255].map(|v| v as u8).to_vec())),
        ("second", numbered(&|k| vec![k as u8, 0, 0, 1])),
        ("last", numbered(&|_| vec![2, 4, 1, 8])),
        ("fractions", numbered(&|k| [2 * k, 4 * k, 6 * k, 255].map(|v| v as u8).to_vec())),
        ("floats", numbered(&|k| (2.0 * k as f32).to_le_bytes().to_vec())),
        // 2, 4, 1 and 8.
        ("halves", numbered(&|_| [0x4000u16, 0x4400, 0x3c00, 0x4800].map(u16::to_le_bytes).concat())),
        ("bytes", stored(&|v| v.map(|v| v as u8).to_vec())),
        ("words", stored(&|v| v[0].to_le_bytes().to_vec())),
        ("shorts", stored(&|v| v.map(|v| (v as u16).to_le_bytes()).concat())),
    ]
}

/// Forms of images that were not drawn at first, and their values.
fn images() -> Vec<Form> {
    // Levels of steps of one texel, four, 64 and a half: of four levels the last is the third. Twice as far along one axis.
    let asked =
        |x: u32, y: u32| [[0, 0, 1, 1], [2, 2, 3, 3], [3, 6, 3, 7], [0, -1, 0, 0]][(x / 2 + y / 2 * 2) as usize];
    // Texels that are farther than the reference, of both levels.
    let first = |x: u32, y: u32| (x + y / 2) & 1;
    let second = |x: u32, y: u32| (x + y + 1) & 1;
    let at_level = |x: u32, y: u32| if y & 1 == 0 { first(x, y) } else { second(x / 2, y / 2) };
    let right = |x: u32, y: u32| if y & 1 == 0 { first((x + 1).min(3), y) } else { second(1, y / 2) };
    let left = |x: u32, y: u32| if y & 1 == 0 { first(x.saturating_sub(1), y) } else { second(0, y / 2) };
    let by_quad = |x: u32, y: u32| if x < 2 { first(x, y) } else { second(1, y.min(1)) };
    let by = [[0, 0], [2, 0], [-1, 1], [1, -2]];
    let far = [[-3, 2], [0, 3], [3, 0], [0, -1]];
    let four = [[0, 1], [1, 1], [1, 0], [0, 0]];
    let moved = |x: u32, y: u32, by: [i32; 2]| (x as i32 + by[0], y as i32 + by[1]);
    let number = |x, y, by| {
        let (x, y) = moved(x, y, by);
        around(x, y)
    };
    let farther = |x, y, by| {
        let (x, y) = moved(x, y, by);
        u32::from((5 * (x & 3) + 3 * (y & 3)) % 4 < 2)
    };
    let words = |layers: u32, texel: &dyn Fn(u32, u32, u32) -> u32| -> Vec<u8> {
        let places = (0..layers).flat_map(|z| (0..4).map(move |k| (k & 1, k >> 1, z)));
        places.flat_map(|(x, y, z)| texel(x, y, z).to_le_bytes()).collect()
    };
    vec![
        one("asked", 4, |x, y| asked(x, y).map(|v| v as u32)),
        // Depths of a quarter, a half, three quarters and one, in eighths.
        one("compared", 4, |x, _| [2 * x + 2, u32::from(x > 0), 2 * x + 2 + if x > 1 { 100 } else { 0 }, 8]),
        one("depths", 4, |x, y| [at_level(x, y), at_level(x, y), right(x, y), at_level(x, y) + 2 * left(x, y)]).and(
            "second",
            4,
            |x, y| [by_quad(x, y), second(x / 2, y / 2), first(x, y), first(x, y)],
        ),
        // The four around a corner: the lower left one is the first, then counterclockwise. Above and left of the edge is the edge.
        one("depth_layers", 4, |x, y| {
            let at = |x: u32, y: u32| first(x, y) ^ 1;
            let (left, up) = (x.saturating_sub(1), y.saturating_sub(1));
            let four = at(left, y) + 2 * at(x, y) + 4 * at(x, up) + 8 * at(left, up);
            [at_level(x, y) ^ (y / 2), first(x, y) ^ 1 ^ (y / 2), four, 1]
        }),
        one("gathers", 4, |x, y| by.map(|by| 100 + number(x, y, by)))
            .and("second", 4, |x, y| by.map(|by| farther(x, y, by)))
            .and("last", 4, |x, y| [0, 1, 2, 3].map(|k| 16 + number(x, y, far[k]) + number(x + 1, y, four[k]))),
        (
            "cubes",
            vec![
                ("to", words(6, &|x, y, z| 100 * (11 - z) + 10 * y + x)),
                // Of three cubes with edges of two texels.
                ("last", words(18, &|x, _, z| if z / 6 == x { 22_322 } else { 0 })),
            ],
        ),
        // Of the four texels around a corner the lower left one is the first, then counterclockwise. The level is one less than what is in it.
        one("moved", 4, |x, y| {
            let four = [[0, 1], [1, 1], [1, 0], [0, 0]];
            four.map(|[right, down]| number(x, y, [x as i32 - 1 + right, 2 - y as i32 + down]))
        })
        .and("second", 4, |x, _| [x.min(2) + 1, 2, x.clamp(1, 2) + 1, 7]),
        // Places in texels; then those across the middle, and the pixel's own by way of them.
        one("rect", 4, |x, y| [x + 4 * y, 15 - x - 4 * y, 5, 4])
            .and("second", 4, |x, y| [31 - x - 4 * y, 16 + x + 4 * y, 15 - x - 4 * y, 4]),
        ("unsaid", unsaid()),
        one("held", 4, |x, _| [1 + x, 0x15 + x, 10 + x, 255]),
    ]
}

/// Where forms are refused: families or targets, and the code. The first row of a form and a target counts.
const REFUSED: &[(&str, &str, &str)] = &[
    ("asked moved", "tesla:nv50 tesla:nv84 tesla:nva0", "level-queries"),
    ("atomics", "tesla:nv50 vivante:gc2000", "image-atomics"),
    ("atomics formats unsaid", "tesla", "storage-textures"),
    ("belongs places places_text sample sprite_samples", "tesla:nv50 tesla:nv84 tesla:nva0 vivante", "sample-shading"),
    ("buffers texels", "tesla", "storage-buffers"),
    ("centroid", "vivante", "centroids"),
    ("choices layers", "tesla vivante", "layers"),
    ("choices viewports", "valhall", "viewports"),
    ("corners corners_text ends", "tesla valhall vivante", "per-vertex-inputs"),
    ("cull", "valhall vivante", "cull-distances"),
    ("depth_layers", "tesla", "texel-comparisons"),
    ("lists", "tesla:nv50 vivante:gc2000", "atomics"),
    ("lists", "tesla", "storage-buffers"),
    ("mask", "tesla:nv50 tesla:nv84 tesla:nva0 vivante", "sample-masks"),
    ("mask", "tesla:nva3", "covered-samples"),
    ("numbered", "vivante", "primitive-index"),
    ("stencils", "tesla vivante", "stencil-export"),
    ("unsaid", "vivante", "storage-formats"),
    ("viewports", "tesla vivante", "viewports"),
];

/// The corners of two triangles, with w of 1 on the left and 3 on the right.
fn corners() -> Outputs {
    // From the left in eighths, from above in quarters. The lower triangle begins with the vertex on its right angle, the upper one with the
    // lower right one: theirs are 0, 1, 2 and 1, 3, 2.
    let order = |x: u32, y: u32| if 2 * y < x { [1, 3, 2] } else { [0, 1, 2] };
    let shares = |x: u32, y: u32| {
        let (s, t) = (2 * x + 1, 2 * y + 1);
        if 2 * y < x { [2 * t, s - 2 * t, 8 - s] } else { [2 * t - s, s, 8 - 2 * t] }
    };
    // Those of the vertices on the left, with w of 1, count three times as much.
    let over_w = |x: u32, y: u32| {
        let weights = [0, 1, 2].map(|k| shares(x, y)[k] * if order(x, y)[k] & 1 == 0 { 3 } else { 1 });
        let sum: u32 = weights.iter().sum();
        weights.map(|w| (2 * 200 * w + sum) / (2 * sum))
    };
    vec![
        (
            "picture",
            picture(2, |x, y| {
                let [a, b, c] = order(x, y).map(|v| v + 10);
                [a, b, c, [a, b, c][x as usize % 3]]
            }),
        ),
        (
            "second",
            picture(2, |x, y| {
                let [a, b, c] = shares(x, y);
                [a, b, c, 2 * x + 1]
            }),
        ),
        (
            "last",
            picture(2, |x, y| {
                let [a, b, c] = over_w(x, y);
                [a, b, c, order(x, y)[x as usize % 3] + 7]
            }),
        ),
    ]
}

/// What tells the vertices of a primitive and primitives apart.
fn vertices() -> Vec<Form> {
    vec![
        ("corners", corners()),
        ("corners_text", corners()),
        one("ends", 2, |x, y| if y == 0 { [10, 11, 16 * (7 - 2 * x) + 2 * x + 1, 0] } else { [10 + x, 0, 128, 0] }),
        // The diagonal of a column goes from above on the left to below on the right.
        one("numbered", 4, |x, y| if y < 2 { [2 * x + 2, 2 * x + 1, 7, 1] } else { [2 * x + 1, 2 * x, 7, 1] }).and(
            "second",
            4,
            |x, y| match (x, y) {
                (3, 0 | 1) => [2, 9, 7, 1],
                (3, _) => [1, 6, 7, 1],
                (0, 0 | 1) => [4, 3, 7, 1],
                (0, _) => [3, 0, 7, 1],
                _ => [0; 4],
            },
        ),
        // The column is stored. Where it is the row it goes up, and the depth is a quarter.
        one("stencils", 4, |x, y| {
            let stored = x + u32::from(x == y);
            [
                u32::from(x == y),
                u32::from(y < stored && x & 1 == 0),
                u32::from(matches!((x, y), (1 | 2, 1) | (3, 2))),
                0,
            ]
        })
        .and("stencil", 4, |x, y| [x + u32::from(x == y)]),
    ]
}

/// Points, cull distances and arrays.
fn primitives() -> Vec<Form> {
    let number = |x: u32, y: u32| x + 4 * y;
    vec![
        // The diagonal of a column of two triangles goes from below on the right to above on the left.
        one("cull", 4, |x, y| match (x, y) {
            (0, _) | (1, 2 | 3) => [0; 4],
            _ => [x + 1, 1, 2, 3],
        }),
        // 3 k + n at k = 7 n; k, k + n at n + 1 and n.
        one("arrays", 4, |x, y| {
            let n = number(x, y);
            [3 * ((7 * n) & 63) + n, 200, 99, 3 * n + 1]
        }),
        // Of three pixels the middles are at 1, 3 and 5 sixths: 4 times that is 0, 2 and 3.
        one("sizes", 4, |x, y| match (x, y) {
            (0, 0) => [2, 2, 7, 1],
            (1.., 1..) => [[0, 2, 3][x as usize - 1], [0, 2, 3][y as usize - 1], 7, 1],
            _ => [0; 4],
        }),
        // The corners of four pixels are 3 eighths times the root of 2 from the middle, more than a half; those of two pixels a quarter times it.
        one("sprites", 4, |x, y| match (x, y) {
            (2 | 3, 0 | 1) => [8 * (x - 2) + 4, 8 * y + 4, 5, 2],
            (0 | 3, 0 | 3) => [0; 4],
            _ => [4 * x + 2, 4 * y + 2, 1, 1],
        }),
        // Sixty-fourths of a point: sixteen for each pixel, and 6, 14, 2 and 10 of its samples.
        one("sprite_samples", 4, |x, _| [0, 1, 2, 3].map(|s| 16 * x + [6, 14, 2, 10][s as usize] + 64 * s)),
    ]
}

fn folder() -> PathBuf {
    workspace().join("tests/vulkan/forms")
}

fn case(name: &str, outputs: Outputs) -> Case {
    let text = std::fs::read_to_string(folder().join(format!("{name}.toml"))).expect("a scene");
    let scene = read::parse(&text, read::Language::Toml).unwrap_or_else(|e| panic!("{name}: {e}"));
    let expect =
        outputs.into_iter().map(|(name, bytes)| Expected { name: name.into(), bytes, compare: Compare::exact() });
    let (requires, body) = (Vec::new(), Body::Scene(Box::new(scene)));
    Case { id: name.into(), group: "vulkan".into(), requires, body, expect: expect.collect() }
}

fn listed(name: &str, target: Target) -> Option<&'static str> {
    let is = |on: &str| on == target.family() || on == target.to_string();
    let found = REFUSED.iter().find(|(names, on, _)| names.split(' ').any(|n| n == name) && on.split(' ').any(is));
    found.map(|(.., code)| *code)
}

#[test]
fn forms_have_their_values() {
    let targets = drawing::drawing("all:all");
    let forms: Vec<_> = [forms(), primitives(), vertices(), interfaces(), images()].into_iter().flatten().collect();
    let files = std::fs::read_dir(folder()).expect("the folder").flatten();
    let scenes = files.filter(|f| f.path().extension().is_some_and(|e| e == "toml")).count();
    assert_eq!(scenes, forms.len(), "each scene has its values");
    let wrong: Vec<String> = forms
        .into_par_iter()
        .flat_map_iter(|(name, outputs)| {
            let case = case(name, outputs);
            let mut wrong = Vec::new();
            let ready = match gfx::ready(&case, &folder()) {
                Ok(r) => r,
                Err(v) => return vec![format!("{name}: {v:?}")],
            };
            for on in [On::Interp, On::Passes(For::Minimal), On::Passes(For::Rich)] {
                for level in [0, 2] {
                    match gfx::draw(&case, &ready, gfx::place(on, level), Some(7)) {
                        Verdict::Passed => {}
                        v => wrong.push(format!("{name} on {on} -O{level}: {v:?}")),
                    }
                }
            }
            for &t in &targets {
                for level in [0, 2] {
                    match (gfx::draw(&case, &ready, gfx::place(exec::on(t), level), Some(7)), listed(name, t)) {
                        (Verdict::Passed, None) => {}
                        (Verdict::Refused(codes, _), Some(code))
                            if codes.iter().all(|c| c.name() == code && predict::documented(exec::on(t), *c)) => {}
                        (v, listed) => wrong.push(format!("{name} on {t} -O{level}, listed by {listed:?}: {v:?}")),
                    }
                }
            }
            wrong
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The number of a primitive and what tells its vertices apart come over from the half on a machine and to it.
#[test]
fn numbers_come_over_between_two_places() {
    let wanted = ["indices", "layers", "numbered", "corners", "corners_text", "ends"];
    let forms: Vec<_> = [forms(), vertices()].into_iter().flatten().filter(|f| wanted.contains(&f.0)).collect();
    assert_eq!(forms.len(), wanted.len());
    let targets = drawing::drawing("all:all");
    let mut drawn = 0;
    for (name, outputs) in forms {
        let case = case(name, outputs);
        let ready = gfx::ready(&case, &folder()).unwrap_or_else(|v| panic!("{name}: {v:?}"));
        for &t in targets.iter().filter(|t| listed(name, **t).is_none()) {
            for on in [Stage::Vertex, Stage::Fragment] {
                let place = gfx::mixed(gfx::place(exec::on(t), 2), on);
                let got = gfx::draw(&case, &ready, place, Some(7));
                assert!(matches!(got, Verdict::Passed), "{name}, {on:?} on {t}: {got:?}");
                drawn += 1;
            }
        }
    }
    assert!(drawn > 40, "{drawn}");
}

/// The table of `docs/drawing.md`: a row names scenes of the folder, and each refusal of the list above stands in a row of its scene.
#[test]
fn rows_have_scenes() {
    let doc = std::fs::read_to_string(workspace().join("docs/drawing.md")).expect("the page");
    let part = doc.split("\n## ").find(|p| p.starts_with("What WebGPU lacks")).expect("the table");
    let quoted = |cell: &str| cell.split('`').skip(1).step_by(2).map(String::from).collect::<Vec<_>>();
    let targets = drawing::drawing("all:all");
    /// Of one row: scenes, and the codes with the chips that are beside them.
    type Row = (Vec<String>, Vec<(String, Vec<String>)>);
    let rows: Vec<Row> = part
        .lines()
        .filter(|l| l.starts_with("| "))
        .skip(1)
        .map(|l| {
            let cells: Vec<&str> = l.split('|').map(str::trim).collect();
            let codes = cells[3].split(';').filter_map(|c| c.split_once(':'));
            let codes = codes.flat_map(|(codes, chips)| {
                let chips: Vec<String> = chips.split(',').map(|c| c.trim().to_string()).collect();
                quoted(codes).into_iter().map(move |c| (c, chips.clone()))
            });
            (quoted(cells[2]), codes.collect())
        })
        .collect();
    assert!(rows.len() > 15, "{}", rows.len());
    let on = |chip: &str, t: &Target| chip == t.family() || t.to_string().ends_with(&format!(":{chip}"));
    for (scenes, codes) in &rows {
        for scene in scenes {
            assert!(folder().join(format!("{scene}.toml")).is_file(), "{scene} is no scene");
        }
        for (code, chips) in codes.iter().filter(|_| !scenes.is_empty()) {
            for t in targets.iter().filter(|t| chips.iter().any(|c| on(c, t))) {
                assert!(scenes.iter().any(|s| listed(s, *t).is_some()), "{scenes:?}: {code} on {t} is no refusal");
            }
        }
    }
    for (name, code) in REFUSED.iter().flat_map(|(names, _, code)| names.split(' ').map(move |n| (n, code))) {
        for t in targets.iter().filter(|t| listed(name, **t) == Some(code)) {
            let stands = rows.iter().any(|(scenes, codes)| {
                scenes.iter().any(|s| s == name)
                    && codes.iter().any(|(c, chips)| c == code && chips.iter().any(|chip| on(chip, t)))
            });
            assert!(stands, "{name}: {code} on {t} stands in no row");
        }
    }
}
