//! Operations between the lanes of a subgroup in fragments. Which pixels share a subgroup differs from chip to chip, so each program asks for
//! what holds whichever they are: sums over all subgroups count the pixels that are covered, and no helper among them; lanes of a quad see
//! each other, helpers too.

use gpucc_ir::{Refusal, Stage};
use gpucc_tests::exec;

use crate::draws::draw_kit::{compile, draw};
use crate::draws::once_drawn::everywhere;
use crate::draws::one_draw::OneDraw;

/// Of the triangle of `draw_kit`: columns below the row, of 16 rows.
const COVERED: u32 = 120;

/// Programs with a counter, and what it holds behind a draw.
const COUNTED: &[(&str, &str, u32)] = &[
    ("a leader adds what all lanes add", "let s = subgroupAdd(1u); if (subgroupElect()) { atomicAdd(&n, s); } return vec4f(1);", COVERED),
    (
        "a leader adds the bits of a ballot, where derivatives keep helpers",
        "let d = dpdx(v.x * v.x); let b = countOneBits(subgroupBallot(true)); let all = b.x + b.y + b.z + b.w;
         if (subgroupElect()) { atomicAdd(&n, all); } return vec4f(d);",
        COVERED,
    ),
    (
        "lanes that are discarded count no more",
        "if (v.p.x < 4.0) { discard; } let d = dpdx(v.x * v.x); let s = subgroupAdd(1u);
         if (subgroupElect()) { atomicAdd(&n, s); } return vec4f(d);",
        // 15 + 14 + 13 + 12 of the first four columns are gone.
        COVERED - 54,
    ),
    (
        "a discard between two counts",
        "let d = dpdx(v.x * v.x); let first = subgroupAdd(1u); if (subgroupElect()) { atomicAdd(&n, first); }
         if (v.p.x < 4.0) { discard; } let then = subgroupAdd(1u); if (subgroupElect()) { atomicAdd(&n, 1000u * then); } return vec4f(d);",
        COVERED + 1000 * (COVERED - 54),
    ),
    (
        "each lane is one behind those before it",
        "let rank = subgroupExclusiveAdd(1u); let last = subgroupInclusiveAdd(1u); let most = subgroupMax(last);
         if (last != rank + 1u) { atomicAdd(&n, 10000u); } if (last == most) { atomicAdd(&n, most); } return vec4f(1);",
        COVERED,
    ),
    (
        "lanes that take another way count apart",
        "var s = 0u; if (v.p.x < 8.0) { s = subgroupAdd(1u); if (subgroupElect()) { atomicAdd(&n, s); } }
         else { s = subgroupAdd(1u); if (subgroupElect()) { atomicAdd(&n, 1000u * s); } } return vec4f(1);",
        // 15 + 14 + ... + 8 are in the first eight columns.
        92 + 1000 * (COVERED - 92),
    ),
];

fn has_lanes(t: gpucc::Target) -> bool {
    let has = |code| !gpucc_tests::predict::documented_in(exec::on(t), Stage::Fragment, code);
    has(Refusal::Subgroups) && has(Refusal::SubgroupLanes)
}

#[test]
fn sums_over_subgroups_count_covered_pixels() {
    let mut ran = 0;
    for target in crate::draws::drawing::drawing("all:all").into_iter().filter(|t| has_lanes(*t)) {
        for opt_level in [0, 2] {
            for (name, body, want) in COUNTED {
                let text = format!(
                    "@group(0) @binding(0) var<storage, read_write> n: atomic<u32>;
                     @fragment fn fs(v: V) -> @location(0) vec4f {{ {body} }}"
                );
                let parts = ["vs", "fs"].map(|entry| compile(&text, entry, target, opt_level));
                let (_, n) =
                    draw(&parts[0], &parts[1]).unwrap_or_else(|t| panic!("{name}: {target} -O{opt_level}: {t}"));
                assert_eq!(n, *want, "{name}: {target} -O{opt_level}");
                ran += 1;
            }
        }
    }
    assert!(ran >= 5 * 2 * COUNTED.len(), "{ran}");
}

/// A triangle over half of a picture of 16 x 16 pixels; red where the condition of the program holds, green where the pixel is drawn.
fn scene(body: &str) -> String {
    let wgsl = format!(
        "@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {{
  var p = array<vec2f, 3>(vec2f(-1, -1), vec2f(1, -1), vec2f(-1, 1));
  return vec4f(p[i], 0.5, 1);
}}
@fragment fn fs(@builtin(position) p: vec4<f32>, @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_size) size: u32) -> @location(0) vec4<f32> {{
  {body}
  return vec4(select(0.0, 1.0, ok), 1.0, 0.0, 1.0);
}}"
    );
    OneDraw { wgsl, picture: ("rgba8unorm", [16, 16]), ..OneDraw::default() }.text()
}

#[test]
fn what_lanes_ask_of_each_other_holds_at_every_pixel() {
    const BODIES: &[&str] = &[
        // The pixel beside, also where it is not covered.
        "let x = u32(p.x); let y = u32(p.y); var ok = quadSwapX(x) == (x ^ 1u) && quadSwapY(y) == (y ^ 1u) && quadSwapX(y) == y;
         ok = ok && quadSwapDiagonal(x + 100u * y) == (x ^ 1u) + 100u * (y ^ 1u);",
        "let x = u32(p.x); let y = u32(p.y); let ok = quadBroadcast(x, 0u) == (x & ~1u) && quadBroadcast(y, 3u) == (y | 1u);",
        "let b = countOneBits(subgroupBallot(true)); let all = b.x + b.y + b.z + b.w;
         let ok = lane < size && all == subgroupAdd(1u) && subgroupMax(lane) >= lane && subgroupMin(lane) <= lane;",
        "let first = subgroupBroadcastFirst(lane); let ok = first == subgroupMin(lane) && subgroupElect() == (first == lane);",
        "let ok = subgroupShuffle(lane * 3u + 1u, lane) == lane * 3u + 1u && subgroupAll(lane < size) && subgroupAny(true)
             && !subgroupAny(p.x >= 16.0);",
        // Every lane that a ballot names has what it has.
        "let b = subgroupBallot(p.x < 8.0); let own = (b[lane / 32u] >> (lane % 32u)) & 1u; let ok = (own == 1u) == (p.x < 8.0);",
        "let s = subgroupAdd(p.x); let low = subgroupMin(p.x); let n = subgroupAdd(1.0); let ok = s >= low * n && s <= subgroupMax(p.x) * n;",
    ];
    for body in BODIES {
        let holds = |at: &str, bytes: &[u8]| {
            for (k, pixel) in bytes.chunks(4).enumerate() {
                let want = if k % 16 < k / 16 { [255, 255, 0] } else { [0; 3] };
                assert_eq!(pixel[..3], want, "{body}\non {at} at {}, {}", k % 16, k / 16);
            }
        };
        // The oracle, three chips of GCN and two of Valhall at two levels.
        let drawn = everywhere(&scene(body), holds);
        assert!(drawn >= 12, "{body}: {drawn}");
    }
}
