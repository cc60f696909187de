//! Tests of `gpucc/src/errors.rs`.

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::{Diagnostic, Errors, Options, Span, Target};

fn errors(text: &str) -> Errors {
    Errors(frontend::load(text.as_bytes(), Lang::Wgsl, &FrontOptions::default()).expect_err("it is wrong"))
}

#[test]
fn a_message_has_its_line() {
    let text = "@compute @workgroup_size(1)\nfn main() {\n\tlet ü = 1;\n\tlet b = foo + ü; }\n";
    let located = errors(text).with_source(text);
    // Both control characters and letters of several bytes take a column.
    let expected = "error[parse]: no definition in scope for identifier: `foo`\n \
                    --> line 4:10\n  |\n4 |  let b = foo + ü; }\n  |          ^^^ unknown identifier";
    assert_eq!(located.to_string(), expected);
    let place = located.position(located.errors.0[0].labels[0].span).expect("a place");
    assert_eq!((place.file, place.line, place.column), ("", 4, 10));
    // Without a text the sentence is all.
    assert_eq!(errors(text).to_string(), "error[parse]: no definition in scope for identifier: `foo`");
    // Errors of later steps have a place, too.
    let text = "@group(0) @binding(0) var<storage, read_write> b: atomic<u32>;\n\
                @compute @workgroup_size(1) fn main() { atomicAdd(&b, 1u); }";
    let shader = frontend::load(text.as_bytes(), Lang::Wgsl, &FrontOptions::default()).expect("it is right");
    let options = Options::new(Target::parse("tesla:nv50").expect("a target"));
    let refused = gpucc::compile(&shader.module, &options).expect_err("nv50 has no atomics");
    let said = Errors::from(refused).with_source(text).to_string();
    assert!(said.contains("\n2 | @compute") && said.contains("^^^^^^^^^"), "{said}");
}

#[test]
fn places_in_several_files() {
    let d = Diagnostic::invalid("x", "wrong").at(Span::new(16, 20), "here").at(Span::new(4, 7), "").note("and so on");
    let files = [("a.h", "one\ntwo"), ("b.comp", "three\r\n four\n")].map(|(n, t)| (n.to_string(), t.to_string()));
    let said = Errors::from(d).with_files(files.to_vec()).to_string();
    let expected = "error[x]: wrong\n --> b.comp:2:2\n  |\n2 |  four\n  |  ^^^^ here\n \
                    --> a.h:2:1\n  |\n2 | two\n  | ^^^\n  note: and so on";
    assert_eq!(said, expected);
}

/// Spans that are nowhere, or whose ends are inside of characters; lines that nobody can read.
#[test]
fn no_span_and_no_text_is_too_strange() {
    let text = format!("é{}\u{202e}x\n\n", "a".repeat(1_000_000));
    for (start, end) in [(0, 0), (1, 2), (0, 1), (0, u32::MAX), (999_999, 1_000_001), (u32::MAX - 1, u32::MAX)] {
        let d = Diagnostic::internal("x", "wrong").at(Span::new(start, end), "here");
        let said = Errors::from(d).with_source(&text).to_string();
        assert!(said.starts_with("bug[x]: wrong") && said.len() < 400 && !said.contains('\u{202e}'), "{said}");
    }
    let end = text.len() as u32;
    let d = Diagnostic::invalid("x", "wrong").at(Span::new(end, end + 1), "the end");
    assert!(Errors::from(d).with_source(&text).to_string().contains("--> line 3:1"));
    let located = Errors(Vec::new()).with_files(Vec::new());
    assert_eq!((located.position(Span::new(0, 1)), located.to_string()), (None, String::new()));
}

/// A body of ShaderToy is a fragment shader to the library as it is to the command.
#[test]
fn bodies_of_shadertoy_are_read() {
    let body = "void mainImage(out vec4 c, in vec2 p) { c = vec4(p / iResolution.xy, 0.5 + 0.5 * sin(iTime), 1.0); }\n";
    let loaded = gpucc::frontend::load(
        body.as_bytes(),
        gpucc::frontend::Lang::GlslFragment,
        &gpucc::frontend::FrontOptions::default(),
    );
    let module = loaded.unwrap_or_else(|list| panic!("{}", gpucc::Errors(list))).module;
    assert_eq!(module.entries.len(), 1);
    for target in gpucc::Target::parse_list("all").expect("targets") {
        gpucc::compile(&module, &gpucc::Options::new(target)).unwrap_or_else(|d| panic!("{target}: {d}"));
    }
}
