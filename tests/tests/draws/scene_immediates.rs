//! Immediate data of dispatches and draws: each has its own, for all stages.

use gpucc_scene::cases::{Body, Case, Expected};
use gpucc_scene::compare::Compare;
use gpucc_scene::read;
use gpucc_tests::cases::Verdict;
use gpucc_tests::exec::{self, On};
use gpucc_tests::gfx;

use crate::draws::drawing;

const DISPATCHES: &str = include_str!("immediates_of_dispatches.toml");

/// The left and the right column of a 2 x 1 picture, each by a draw: the vertex program reads where, the fragment program which colour,
/// by an index that is not known before.
const DRAWS: &str = include_str!("immediates_of_draws.toml");

fn case(id: &str, text: &str, bytes: Vec<u8>) -> Case {
    let scene = read::parse(text, read::Language::Toml).unwrap_or_else(|e| panic!("{e}"));
    let expect = vec![Expected { name: "o".into(), bytes, compare: Compare::exact() }];
    Case { id: id.into(), group: "immediates".into(), requires: Vec::new(), body: Body::Scene(Box::new(scene)), expect }
}

fn passes(case: &Case, on: impl IntoIterator<Item = On>) {
    let ready = gfx::ready(case, std::path::Path::new("")).unwrap_or_else(|v| panic!("{v:?}"));
    for on in std::iter::once(On::Interp).chain(on) {
        for level in [0, 2] {
            let v = gfx::draw(case, &ready, gfx::place(on, level), Some(3));
            assert!(matches!(v, Verdict::Passed), "{} on {on} -O{level}: {v:?}", case.id);
        }
    }
}

#[test]
fn each_dispatch_has_its_own() {
    // (-2 + 5) * 10 and 7 * 2.
    let want = [0u32, 14, 0, 30].map(u32::to_le_bytes).concat();
    passes(&case("dispatches", DISPATCHES, want), exec::targets("all:all").into_iter().map(exec::on));
}

#[test]
fn each_draw_has_its_own_for_both_stages() {
    let want = vec![5, 6, 7, 8, 11, 12, 13, 14];
    passes(&case("draws", DRAWS, want), drawing::drawing("all:all").into_iter().map(exec::on));
}

/// A missing key is told before anything runs; a wrong value as a value of its key.
#[test]
fn missing_data_is_told() {
    let said = |text: &str| match gfx::ready(&case("x", text, Vec::new()), std::path::Path::new("")) {
        Err(v) => format!("{v:?}"),
        Ok(_) => panic!("it is ready"),
    };
    let text = DRAWS.replace(
        "immediates = { data = [ { f32 = [0.0] }, { u32 = [0, 0, 0, 11, 12, 13, 14, 15, 16, 17, 18] } ] }",
        "",
    );
    let why = said(&text);
    assert!(why.contains("passes[0].draws[1].immediates") && why.contains("`vs` uses 48 bytes"), "{why}");
    let why = said(&DISPATCHES.replace("immediates = { u32 = [1, 7, 0, 2] }", "immediates = { u32 = [1, 7, 0] }"));
    assert!(why.contains("passes[1].immediates") && why.contains("12 are given"), "{why}");
    for (data, message) in [
        ("{ u32 = [1], f32 = [1] }", "exactly one of"),
        ("{ hex = \"123\" }", "odd"),
        ("{ data = [ { data = [] } ] }", "of its own"),
        ("{ size = 4 }", "unknown field `size`"),
    ] {
        let text = DISPATCHES.replace("{ u32 = [1, 7, 0, 2] }", data);
        let why = read::parse(&text, read::Language::Toml).expect_err("it is wrong").to_string();
        assert!(why.contains(message) && why.contains("passes[1].immediates"), "{why}");
    }
}
