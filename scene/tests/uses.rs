//! Resources that are used in several ways at once.

use gpucc_scene::model::Held;
use gpucc_scene::read::{Language, parse};
use gpucc_scene::uses::{self, Layouts, Use};

/// Bindings 0 to 9 are read, 10 to 19 written, others not used.
struct ByNumber;

impl Layouts for ByNumber {
    fn used(&self, _: &str, (_, binding): (u32, u32), _: Held) -> Option<Use> {
        match binding {
            0..10 => Some(Use::Read),
            10..20 => Some(Use::Write),
            _ => None,
        }
    }
}

/// The fault of one pass; empty if there is none.
fn of(pass: &str) -> String {
    let text = format!(
        r#"{{"format":"scene-1",
        "textures":{{
            "t":{{"format":"rgba8unorm","size":[4,4,4],"mipLevelCount":2}},
            "z":{{"format":"depth24plus-stencil8","size":[4,4]}},
            "v":{{"format":"rgba8unorm","size":[4,4,4],"dimension":"3d"}} }},
        "buffers":{{"b":{{"size":512}}}},
        "passes":[{pass}]}}"#
    );
    let s = parse(&text, Language::Json).unwrap_or_else(|e| panic!("{e}"));
    uses::check(&s, &ByNumber).map_or_else(|e| e.to_string(), |()| String::new())
}

fn dispatch(bindings: &str) -> String {
    of(&format!(r#"{{"type":"compute","pipeline":"p","dispatch":[1],"bindings":[{bindings}]}}"#))
}

fn draw(attachments: &str, draws: &[&str]) -> String {
    let draws: Vec<String> =
        draws.iter().map(|d| format!(r#"{{"pipeline":"p","draw":{{"vertexCount":3}},{d}}}"#)).collect();
    of(&format!(r#"{{"type":"render",{attachments},"draws":[{}]}}"#, draws.join(",")))
}

#[test]
fn a_dispatch_reads_or_writes() {
    assert_eq!(dispatch(r#"{"binding":0,"buffer":"b"},{"binding":1,"buffer":"b"}"#), "");
    assert_eq!(dispatch(r#"{"binding":10,"buffer":"b","size":256},{"binding":11,"buffer":"b","offset":256}"#), "");
    assert_eq!(
        dispatch(r#"{"binding":10,"buffer":"b"},{"binding":11,"buffer":"b","offset":256}"#),
        "passes[0].bindings[1]: it writes the same part of `b` as `passes[0].bindings[0]`"
    );
    // A buffer is used as a whole, whatever the ranges.
    assert_eq!(
        dispatch(r#"{"binding":0,"buffer":"b","size":256},{"binding":10,"buffer":"b","offset":256}"#),
        "passes[0].bindings[0]: `b` is read here and written as `passes[0].bindings[1]` at the same time"
    );
    // Bindings that the pipeline does not use are ignored.
    assert_eq!(dispatch(r#"{"binding":20,"buffer":"b"},{"binding":10,"buffer":"b"}"#), "");
    // Levels and layers of a texture are apart.
    let level = |n: u32| format!(r#""texture":"t","baseMipLevel":{n},"mipLevelCount":1"#);
    assert_eq!(dispatch(&format!(r#"{{"binding":0,{}}},{{"binding":10,{}}}"#, level(0), level(1))), "");
    assert_eq!(
        dispatch(&format!(r#"{{"binding":0,"texture":"t"}},{{"binding":10,{}}}"#, level(1))),
        "passes[0].bindings[0]: `t` is read here and written as `passes[0].bindings[1]` at the same time"
    );
}

#[test]
fn a_pass_of_draws_is_one_scope() {
    let to = |layer: u32| format!(r#""colorAttachments":[{{"texture":"t","arrayLayer":{layer}}}]"#);
    let read = r#""bindings":[{"binding":0,"texture":"t","dimension":"2d","baseArrayLayer":1}]"#;
    assert_eq!(draw(&to(0), &[read]), "");
    assert_eq!(
        draw(&to(1), &[r#""bindings":[]"#, read]),
        "passes[0].draws[1].bindings[0]: `t` is read here and an attachment as `passes[0].colorAttachments[0]` at the same time"
    );
    assert_eq!(draw(&to(1), &[r#""bindings":[{"binding":20,"texture":"t"}]"#]), "");
    // Writes of one draw and reads of another meet.
    let write = r#""bindings":[{"binding":10,"buffer":"b"}]"#;
    let vertices = r#""vertexBuffers":[{"buffer":"b"}]"#;
    assert_eq!(
        draw(&to(0), &[write, vertices]),
        "passes[0].draws[1].vertexBuffers[0]: `b` is read here and written as `passes[0].draws[0].bindings[0]` at the same time"
    );
    assert_eq!(draw(&to(0), &[write, write]), "");
    // A slice stands for its level.
    assert_eq!(
        draw(
            r#""colorAttachments":[{"texture":"v","depthSlice":3}]"#,
            &[r#""bindings":[{"binding":0,"texture":"v"}]"#]
        ),
        "passes[0].draws[0].bindings[0]: `v` is read here and an attachment as `passes[0].colorAttachments[0]` at the same time"
    );
}

#[test]
fn depth_that_is_only_read_may_be_sampled() {
    let depth = r#""bindings":[{"binding":0,"texture":"z","aspect":"depth-only"}]"#;
    let stencil = r#""bindings":[{"binding":0,"texture":"z","aspect":"stencil-only"}]"#;
    let to = r#""depthStencilAttachment":{"texture":"z","depthReadOnly":true}"#;
    assert_eq!(draw(to, &[depth]), "");
    assert_eq!(
        draw(to, &[stencil]),
        "passes[0].draws[0].bindings[0]: `z` is read here and an attachment as `passes[0].depthStencilAttachment` at the same time"
    );
}
