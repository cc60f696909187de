//! Random compute programs of GLSL: 16 invocations, which read integers at 0:0 and leave four each at 0:1.

use super::code::Code;
use super::rng::Rng;

/// Invocations, and words that they read.
pub const INVOCATIONS: usize = 16;
/// Integers at 0:0.
pub const INPUTS: usize = 64;

/// The text of a seed.
pub fn text(seed: u64) -> String {
    let rng = &mut Rng::new(seed ^ 0x0c0d_e000_0000);
    let shares = rng.percent(40);
    let mut code = Code {
        rng,
        reads: vec!["x".into()],
        known: vec!["y".into()],
        own: vec!["x".into()],
        textures: Vec::new(),
        is_uniform: true,
        is_fragment: false,
        has_helper: false,
        names: 0,
    };
    let [truth, first, last] = [code.truth(1), code.value(2), code.value(2)];
    let mut out = format!(
        "#version 450\nlayout(local_size_x = {INVOCATIONS}) in;\nlayout(std430, set = 0, binding = 0) readonly buffer I {{ int held[]; }} given;\n\
         layout(std430, set = 0, binding = 1) buffer O {{ ivec4 made[]; }} left;\nstruct Part {{ int n; vec2 f[2]; ivec3 v; }};\n\
         shared int between[{INVOCATIONS}];\nint global = 3;\n\
         int helper(inout int x, int y) {{\n    global += 1;\n    if ({truth}) return x;\n    x = {first};\n    return {last};\n}}\n"
    );
    let fixed = [
        "id",
        "given.held[id]",
        "given.held[id + 16]",
        "given.held[given.held[id] & 63]",
        "part.n",
        "part.v.y",
        "global",
    ];
    code.reads = fixed.map(String::from).to_vec();
    code.reads
        .extend(["int(part.f[1].x * 4.0)", "int(part.f[id & 1].y * 2.0)", "given.held.length()"].map(String::from));
    let letters = || ["a", "b", "c", "d"].map(String::from).to_vec();
    (code.known, code.own, code.has_helper) = (letters(), letters(), true);
    out += "void main() {\n    int id = int(gl_LocalInvocationIndex);\n";
    out += "    Part part = Part(given.held[id + 32], vec2[](vec2(0.25, 3.0), vec2(float(id), 2.5)), ivec3(id, 7, -id));\n";
    for n in letters() {
        let from = code.rng.of(&code.reads);
        out += &format!("    int {n} = {from};\n");
    }
    let many = 2 + code.rng.below(4);
    out += &(code.statements(2, many).join("\n") + "\n");
    if shares {
        let n = 1 + code.rng.below(15);
        out += &format!("    between[id] = a;\n    barrier();\n    b ^= between[(id + {n}) & 15];\n    barrier();\n");
    }
    let member = code.rng.of(&["part.n = b;", "part.v.xz = ivec2(c, d);", "part.f[id & 1] = vec2(c & 15, 0.5);"]);
    out += &format!("    {member}\n");
    let many = 1 + code.rng.below(3);
    out += &(code.statements(1, many).join("\n") + "\n");
    out + "    left.made[id] = ivec4(a, b ^ part.n, c + global, d);\n}\n"
}

/// The integers of a seed.
pub fn inputs(seed: u64) -> Vec<u32> {
    let rng = &mut Rng::new(seed);
    (0..INPUTS).map(|_| if rng.percent(50) { rng.word() } else { rng.below(100) as u32 }).collect()
}
