//! Fragments and vertices with arrays at an index, as pictures of test collections have them, on every chip that draws: sorts, searches, heaps, sieves,
//! matrices, structures, colours, flags, and more words than fit into registers. Nobody refuses them but gc2000: without optimisation its memory for instructions is
//! short, and it has no other memory than registers.

use std::collections::BTreeSet;

use gpucc_render::PreparedScene;
use gpucc_tests::exec::{self, On};
use rayon::prelude::*;

use super::once_drawn::prepared;
use super::one_draw::{self, OneDraw};

/// A triangle over the whole picture, for a fragment alone.
const WHOLE: &str = "@vertex fn vs(@builtin(vertex_index) n: u32) -> @builtin(position) vec4f {
    return vec4f(f32(n & 1u) * 4.0 - 1.0, f32(n >> 1u) * 4.0 - 1.0, 0.5, 1.0); }";

/// The picture at a place.
fn drawn(ready: &PreparedScene, on: On, level: u8) -> Vec<u8> {
    one_draw::drawn(ready, on, level).unwrap_or_else(|f| panic!("{on} -O{level}: {f}"))
}

#[test]
fn arrays_at_an_index_are_drawn_everywhere() {
    let tests = gpucc_tests::shared::workspace().join("backend-vivante/tests");
    let mut list = Vec::new();
    for (folder, with) in [("fragments", WHOLE), ("vertices", "")] {
        for entry in std::fs::read_dir(tests.join(folder)).expect("the shaders").flatten() {
            let text = std::fs::read_to_string(entry.path()).expect("a shader");
            list.push((entry.file_name().to_string_lossy().into_owned(), format!("{text}\n{with}")));
        }
    }
    list.sort();
    assert!(list.len() >= 24, "{}", list.len());
    let targets = crate::draws::drawing::pictures("all:all");
    list.par_iter().for_each(|(name, text)| {
        let ready = prepared(&OneDraw { wgsl: text.clone(), ..OneDraw::default() }.text());
        let want = drawn(&ready, On::Interp, 0);
        let pixels: BTreeSet<&[u8]> = want.chunks_exact(4).collect();
        assert!(pixels.len() > 3, "{name}: the picture shows little");
        for &t in &targets {
            // Without optimisation some are longer than gc2000's memory for instructions, and one always is; two need other memory.
            let levels: &[u8] = match t.to_string() == "vivante:gc2000" {
                true if ["crowd.wgsl", "maze.wgsl", "threes.wgsl"].contains(&name.as_str()) => &[],
                true => &[2],
                false => &[0, 2],
            };
            for &level in levels {
                let got = drawn(&ready, exec::on(t), level);
                // Roundings may differ by a step of the format, what an array holds does by more.
                let far = got.iter().zip(&want).position(|(a, b)| a.abs_diff(*b) > 1);
                assert!(far.is_none(), "{name} on {t} -O{level}: byte {far:?}\n{got:?}\n{want:?}");
            }
        }
    });
}
