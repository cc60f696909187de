//! Modules stand in the order of their texts, and a wrong one between others is told.

use gpucc_glsl::{Source, compile};

/// Whether a module has a name, as `OpName` holds it.
fn names(module: &[u8], name: &str) -> bool {
    module.windows(name.len()).any(|w| w == name.as_bytes())
}

#[test]
fn modules_have_the_order_of_their_texts() {
    let text = |name: &str, body: &str| {
        format!("#version 450\nlayout(location = 0) out vec4 {name};\nvoid main() {{ {body} }}\n")
    };
    let sources = [
        Source { stage: "frag", text: text("first", "first = vec4(1.0);") },
        Source { stage: "frag", text: text("wrong", "nothing = 3;") },
        Source { stage: "vert", text: text("last", "last = vec4(2.0); gl_Position = last;") },
    ];
    let Some(modules) = compile("vulkan1.2", &sources).expect("files") else {
        eprintln!("skipped: there is neither `glslc` nor `glslangValidator`");
        return;
    };
    assert_eq!(modules.len(), 3);
    assert!(modules[0].as_ref().is_ok_and(|m| names(m, "first") && !names(m, "last")));
    assert!(modules[1].as_ref().is_err_and(|e| e.contains("nothing")), "{:?}", modules[1]);
    assert!(modules[2].as_ref().is_ok_and(|m| names(m, "last") && !names(m, "first")));
}
