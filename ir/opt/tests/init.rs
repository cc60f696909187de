//! Tests of `ir/opt/src/init.rs`.

use crate::testing::parse;
use gpucc_opt::{Caps, PassCx, init};

/// The stores that zero a workgroup variable of some bytes, by their types: `lanes` invocations, with wide accesses or not.
fn stores(bytes: u32, lanes: u32, wide: bool) -> Vec<String> {
    let mut m = parse(&format!(
        "module robust on\nglobal0 \"w\" workgroup size {bytes} align 8\nfunc0 \"f\" {{\nblock0:\n  v0: i32 = load global0[0] align 4\n  ret\n}}"
    ));
    let surroundings = m.clone();
    let caps = Caps { wide_workgroup: wide, ..Caps::FULL };
    let f = m.funcs.values_mut().next().expect("a function");
    assert_eq!(init::workgroup(&PassCx::new(&surroundings, &caps), f, [lanes, 1, 1]), 1);
    crate::testing::check(&m);
    let text = gpucc_ir::text::module_text(&m);
    text.lines().filter(|l| l.contains("store")).map(|l| l.trim().to_string()).collect()
}

/// 2048 bytes by 64 invocations are two stores of 16 bytes each, or eight words.
#[test]
fn wide_stores_zero_what_they_can() {
    let wide = stores(2048, 64, true);
    assert_eq!((wide.len(), wide[0].contains("align 16")), (2, true), "{wide:?}");
    assert_eq!(stores(2048, 64, false).len(), 8);
}

/// Where one word for each invocation is all there is, it stays a word; two are one store of 8 bytes.
#[test]
fn no_wider_than_gives_fewer_stores() {
    let one = stores(256, 64, true);
    assert_eq!((one.len(), one[0].contains("align 4")), (1, true), "{one:?}");
    let two = stores(512, 64, true);
    assert_eq!((two.len(), two[0].contains("align 8")), (1, true), "{two:?}");
    // 12 bytes are no multiple of 8.
    let odd = stores(12, 1, true);
    assert_eq!((odd.len(), odd[0].contains("align 4")), (3, true), "{odd:?}");
}
