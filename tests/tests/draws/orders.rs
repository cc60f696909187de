//! Outputs of a fragment stage in every order of declaration, beside targets that differ in all that belongs to a target: format,
//! blending, write mask, and locations that nothing has.

use gpucc_scene::cases::{Body, Case, Expected};
use gpucc_scene::compare::Compare;
use gpucc_scene::read;
use gpucc_tests::cases::Verdict;
use gpucc_tests::exec::{self, On};
use gpucc_tests::{gfx, predict};
use rayon::prelude::*;

/// Members of the structure, what is given for them, and the bytes of a pixel of what they go to.
const OUTPUTS: [(&str, &str, &str, &[u8]); 5] = [
    // Is added to (0, 1, 0, 0).
    ("@location(0) a: vec4<f32>", "vec4<f32>(1.0, 0.0, 0.0, 1.0)", "t0", &[255, 255, 0, 255]),
    ("@location(2) b: vec2<f32>", "vec2<f32>(1.5, -2.0)", "t2", &[0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0]),
    // Red and blue alone are written over 9.
    ("@location(3) c: vec4<u32>", "vec4<u32>(1u, 2u, 3u, 4u)", "t3", &[1, 9, 3, 9]),
    ("@location(5) d: i32", "-7", "t5", &[0xf9, 0xff, 0xff, 0xff]),
    ("@builtin(frag_depth) z: f32", "0.25", "depth", &[0, 0x40]),
];

/// The same for one target with two sources of blending, which are multiplied.
const SOURCES: [(&str, &str, &str, &[u8]); 2] = [
    ("@location(0) @blend_src(0) a: vec4<f32>", "vec4<f32>(1.0, 1.0, 0.0, 1.0)", "t0", &[0, 255, 0, 255]),
    ("@location(0) @blend_src(1) b: vec4<f32>", "vec4<f32>(0.0, 1.0, 1.0, 1.0)", "t0", &[0, 255, 0, 255]),
];

const VERTEX: &str = "@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
    return vec4<f32>(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0, 0.5, 1.0);
}";

const SCENE: &str = include_str!("orders.toml");

const SEVERAL: [&str; 2] = [
    r#"depthStencil = { format = "depth16unorm", depthWriteEnabled = true, depthCompare = "less" }
[pipelines.p.fragment]
shader = "m"
targets = [
    { format = "rgba8unorm", blend = { color = { srcFactor = "one", dstFactor = "one" }, alpha = { srcFactor = "one", dstFactor = "one" } } },
    {},
    { format = "rg32float" },
    { format = "rgba8uint", writeMask = 5 },
    {},
    { format = "r32sint" },
]"#,
    r#"depthStencilAttachment = { texture = "depth" }
colorAttachments = [
    { texture = "t0", clearValue = [0, 1, 0, 0] },
    {},
    { texture = "t2" },
    { texture = "t3", clearValue = [9, 9, 9, 9] },
    {},
    { texture = "t5" },
]"#,
];

const DUAL: [&str; 2] = [
    r#"[pipelines.p.fragment]
shader = "m"
targets = [ { format = "rgba8unorm", blend = { color = { srcFactor = "src1", dstFactor = "zero" }, alpha = { srcFactor = "src1", dstFactor = "zero" } } } ]"#,
    r#"colorAttachments = [ { texture = "t0" } ]"#,
];

/// The case that declares outputs in this order.
fn case(outputs: &[&(&str, &str, &str, &[u8])], [targets, attachments]: [&str; 2]) -> Case {
    let members: Vec<&str> = outputs.iter().map(|o| o.0).collect();
    let values: Vec<&str> = outputs.iter().map(|o| o.1).collect();
    let enable = if members.iter().any(|m| m.contains("blend_src")) { "enable dual_source_blending;\n" } else { "" };
    let shader = format!(
        "{enable}{VERTEX}\nstruct O {{ {} }}\n@fragment fn fs() -> O {{ return O({}); }}",
        members.join(", "),
        values.join(", ")
    );
    let mut text = SCENE.replace("SHADER", &shader).replace("TARGETS", targets).replace("ATTACHMENTS", attachments);
    let mut expect: Vec<Expected> = Vec::new();
    for o in outputs.iter().filter(|o| !o.0.contains("blend_src(1)")) {
        text += &format!("[[outputs]]\nname = \"{}\"\ntexture = \"{}\"\n", o.2, o.2);
        expect.push(Expected { name: o.2.into(), bytes: o.3.repeat(4), compare: Compare::exact() });
    }
    let scene = read::parse(&text, read::Language::Toml).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let id = members.join(", ");
    Case { id, group: "orders".into(), requires: Vec::new(), body: Body::Scene(Box::new(scene)), expect }
}

/// Every order of a list.
fn orders<T>(list: &[T]) -> Vec<Vec<&T>> {
    let mut all: Vec<Vec<&T>> = vec![Vec::new()];
    for one in list {
        let with = |o: &Vec<_>, k: usize| {
            let mut o = o.clone();
            o.insert(k, one);
            o
        };
        all = all.iter().flat_map(|o| (0..=o.len()).map(move |k| with(o, k))).collect();
    }
    all
}

#[test]
fn outputs_may_be_declared_in_any_order() {
    let machines = crate::draws::drawing::pictures("all:all").into_iter().map(exec::on);
    let on: Vec<On> = std::iter::once(On::Interp).chain(machines).collect();
    let all = orders(&OUTPUTS).into_iter().map(|o| case(&o, SEVERAL));
    let cases: Vec<Case> = all.chain(orders(&SOURCES).into_iter().map(|o| case(&o, DUAL))).collect();
    let judge = |(k, case): (usize, &Case)| -> Vec<String> {
        let places: Vec<_> = on.iter().map(|&on| gfx::place(on, (k % 4) as u8)).collect();
        let ready = gfx::ready(case, std::path::Path::new("")).unwrap_or_else(|v| panic!("{}: {v:?}", case.id));
        let wrong = on.iter().zip(&places).filter_map(|(&on, &p)| match gfx::draw(case, &ready, p, Some(7)) {
            Verdict::Passed => None,
            Verdict::Refused(codes, why) if predict::predicted(on, &case.id, &codes, &why) => None,
            v => Some(format!("{p} {}: {v:?}", case.id)),
        });
        wrong.collect()
    };
    let wrong: Vec<String> = cases.par_iter().enumerate().flat_map_iter(judge).collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(cases.len(), 122);
}
