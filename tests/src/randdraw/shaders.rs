//! The texts of both stages.

use std::fmt::Write as _;

use super::code::{Code, Texture};
use super::rng::Rng;
use super::state::Target;
use super::varying::{Attribute, INTEGERS, Varying};

/// What both stages may read.
pub(super) struct Resources {
    pub(super) textures: Vec<Texture>,
    /// Words of the uniform block, if there is one: `ivec4`, `int`, `vec2` of quarters, three `ivec4`, of which the last two are elements.
    pub(super) uniform: Option<Vec<u32>>,
    /// Words of the storage buffer.
    pub(super) storage: Option<Vec<u32>>,
    /// Words of the push constants.
    pub(super) push: Option<[u32; 4]>,
    pub(super) special: Option<i32>,
    /// Whether vertices read them too.
    pub(super) in_vertices: bool,
}

/// Binding of the uniform block and of the storage buffer.
pub(super) const UNIFORM: u32 = 6;
pub(super) const STORAGE: u32 = 7;

impl Resources {
    pub(super) fn new(rng: &mut Rng) -> Resources {
        let mut textures = Vec::new();
        for binding in 0..[0, 1, 1, 2, 0][rng.below(5)] {
            textures.push(texture(rng, binding));
        }
        let words = |rng: &mut Rng, n: usize| (0..n).map(|_| rng.word()).collect::<Vec<u32>>();
        let uniform = rng.percent(40).then(|| {
            let mut all = words(rng, 20);
            // The two floats.
            for k in [6, 7] {
                all[k] = (rng.between(-64, 64) as f32 / 4.0).to_bits();
            }
            all
        });
        Resources {
            textures,
            uniform,
            storage: rng.percent(12).then(|| words(rng, 8)),
            push: rng.percent(20).then(|| [(); 4].map(|()| rng.word())),
            special: rng.percent(15).then(|| rng.between(-99, 99) as i32),
            in_vertices: rng.percent(30),
        }
    }

    fn declared(&self) -> String {
        let mut out: String = self.textures.iter().map(|t| t.declared() + "\n").collect();
        if self.uniform.is_some() {
            let _ = writeln!(
                out,
                "layout(set = 0, binding = {UNIFORM}, std140) uniform U {{ ivec4 u0; int u1; vec2 u2; ivec4 u3; int u4[2]; }} u;"
            );
        }
        if self.storage.is_some() {
            let _ =
                writeln!(out, "layout(set = 0, binding = {STORAGE}, std430) readonly buffer B {{ int n[]; }} held;");
        }
        if self.push.is_some() {
            out += "layout(push_constant) uniform P { int p0; ivec2 p1; } push;\n";
        }
        if self.special.is_some() {
            out += "layout(constant_id = 7) const int special = 5;\n";
        }
        out
    }

    fn reads(&self) -> Vec<String> {
        let mut out: Vec<&str> = Vec::new();
        if self.uniform.is_some() {
            out.extend([
                "u.u0.x",
                "u.u0.w",
                "u.u1",
                "int(u.u2.x * 4.0)",
                "int(u.u2.y * 4.0)",
                "u.u3.y",
                "u.u4[0]",
                "u.u4[1]",
            ]);
        }
        if self.storage.is_some() {
            out.extend(["held.n[0]", "held.n[3]", "held.n[held.n[1] & 7]", "held.n.length()"]);
        }
        if self.push.is_some() {
            out.extend(["push.p0", "push.p1.x", "push.p1.y"]);
        }
        if self.special.is_some() {
            out.extend(["special", "(special * 3)"]);
        }
        out.into_iter().map(String::from).collect()
    }
}

fn texture(rng: &mut Rng, binding: u32) -> Texture {
    let format = rng.pick(&["rgba8unorm", "rgba8unorm", "r8unorm", "rgba8uint", "rgba8sint", "r32uint", "r32float"]);
    let is_linear = format.ends_with("unorm") && rng.percent(50);
    let size = [rng.of(&[2, 4]), rng.of(&[2, 4, 8])];
    let (layers, levels) = (rng.of(&[1, 1, 1, 2]), rng.of(&[1, 1, 2]));
    let texels: u32 = (0..levels).map(|l| (size[0] >> l).max(1) * (size[1] >> l).max(1) * layers).sum();
    let mut bytes = Vec::new();
    for _ in 0..texels {
        match format {
            "r32float" => bytes.extend((rng.between(-40, 40) as f32).to_le_bytes()),
            "r32uint" => bytes.extend(rng.word().to_le_bytes()),
            _ => {
                for _ in 0..if format == "r8unorm" { 1 } else { 4 } {
                    let all = rng.below(256) as u8;
                    bytes.push(if is_linear { 255 * (all & 1) } else { all });
                }
            }
        }
    }
    let wrap = rng.pick(&["repeat", "mirror-repeat", "clamp-to-edge"]);
    Texture { binding, format, size, layers, levels, is_linear, wrap, bytes }
}

/// The parts of a draw that its shaders name.
pub(super) struct Plan {
    pub(super) varyings: Vec<Varying>,
    /// Whether they are members of a block.
    pub(super) in_block: bool,
    /// Whether the vertex stage computes one more, at the last location.
    pub(super) makes: bool,
    pub(super) attributes: Vec<Attribute>,
    pub(super) integers: Vec<Attribute>,
    /// Places of vertices as a table in the text; else attribute 0 has them.
    pub(super) table: Option<Vec<[f64; 4]>>,
    pub(super) shift: [f64; 2],
    pub(super) is_points: bool,
    /// Clip distances of each vertex.
    pub(super) distances: Option<Vec<Vec<f64>>>,
    pub(super) resources: Resources,
    pub(super) targets: Vec<Target>,
    pub(super) early: bool,
    pub(super) writes_depth: bool,
    pub(super) reads_depth: bool,
    pub(super) asks: Asks,
}

/// Inputs that not all families have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Asks {
    Nothing,
    Primitive,
    Sample,
    Mask,
}

/// Location of what the vertex stage computes.
const MADE: u32 = 12;

impl Plan {
    fn prefix(&self) -> &'static str {
        if self.in_block { "s." } else { "" }
    }

    /// The varyings of a side.
    fn interface(&self, side: &str) -> String {
        let mut out = String::new();
        if self.in_block {
            let members: String = self.varyings.iter().map(|v| format!("    {}", v.declared(""))).collect();
            let _ = write!(out, "{side}S {{\n{members}}} s;\n");
        } else {
            out.extend(self.varyings.iter().map(|v| v.declared(side)));
        }
        if self.makes {
            let _ = writeln!(out, "layout(location = {MADE}) flat {side}ivec4 made;");
        }
        out
    }

    /// Statements between `a` to `d`, and the function that they call.
    fn body(&self, rng: &mut Rng, reads: Vec<String>, is_fragment: bool) -> (String, Vec<String>) {
        let textures =
            if is_fragment || self.resources.in_vertices { self.resources.textures.clone() } else { Vec::new() };
        let mut code = Code {
            rng,
            reads: vec!["x".into()],
            known: vec!["y".into()],
            own: vec!["x".into()],
            textures,
            is_uniform: true,
            is_fragment,
            has_helper: false,
            names: 0,
        };
        let [truth, first, last] = [code.truth(1), code.value(2), code.value(2)];
        let helper = format!(
            "int helper(inout int x, int y) {{\n    if ({truth}) return x;\n    x = {first};\n    return {last};\n}}\n"
        );
        let letters = || ["a", "b", "c", "d"].map(String::from).to_vec();
        (code.reads, code.known, code.own, code.has_helper) = (reads, letters(), letters(), true);
        let mut lines: Vec<String> =
            letters().iter().map(|n| format!("    int {n} = {};", code.rng.of(&code.reads))).collect();
        let many = if is_fragment { 2 + code.rng.below(4) } else { 1 + code.rng.below(2) };
        lines.extend(code.statements(2, many));
        if is_fragment && code.rng.percent(22) {
            let gone = if code.rng.percent(25) { "demote" } else { "discard" };
            let n = code.rng.below(8);
            lines.push(format!("    if ({} == {n}) {gone};", code.small(7)));
            code.is_uniform = false;
            lines.extend(code.statements(1, 2));
        }
        (helper, lines)
    }

    pub(super) fn vertex(&self, rng: &mut Rng) -> String {
        let mut out = String::from("#version 450\n");
        let vectors = ["float", "vec2", "vec3", "vec4"];
        for a in &self.attributes {
            let lanes = a.format.rsplit_once('x').map_or(1, |(_, n)| n.parse::<usize>().unwrap_or(1));
            let ty = match a.format {
                f if f.starts_with("float") => vectors[lanes - 1],
                _ => ["int", "ivec2", "ivec3", "ivec4"][lanes - 1],
            };
            let _ = writeln!(out, "layout(location = {0}) in {ty} i{0};", a.location);
        }
        for a in &self.integers {
            let ty = INTEGERS.iter().find(|i| i.0 == a.format).map_or("ivec4", |i| i.2);
            let _ = writeln!(out, "layout(location = {0}) in {ty} i{0};", a.location);
        }
        if self.resources.in_vertices {
            out += &self.resources.declared();
        }
        out += &self.interface("out ");
        if let Some(d) = &self.distances {
            let _ = writeln!(out, "out float gl_ClipDistance[{}];", d[0].len());
        }
        let mut reads: Vec<String> = ["gl_VertexIndex", "gl_InstanceIndex"].map(String::from).to_vec();
        let mut main = String::new();
        for (k, a) in self.integers.iter().enumerate() {
            let made = INTEGERS.iter().find(|i| i.0 == a.format).map_or("@", |i| i.3);
            let _ = writeln!(main, "    ivec4 k{k} = {};", made.replace('@', &format!("i{}", a.location)));
            reads.extend(["x", "y", "z", "w"].map(|l| format!("k{k}.{l}")));
        }
        match &self.table {
            None => main += "    gl_Position = i0;\n",
            Some(places) => {
                let each: Vec<String> =
                    places.iter().map(|p| format!("vec4({:?}, {:?}, {:?}, {:?})", p[0], p[1], p[2], p[3])).collect();
                let _ = writeln!(main, "    gl_Position = vec4[]({})[gl_VertexIndex];", each.join(", "));
            }
        }
        if self.shift != [0.0; 2] {
            let [x, y] = self.shift;
            let _ =
                writeln!(main, "    gl_Position.xy += vec2({x:?}, {y:?}) * float(gl_InstanceIndex) * gl_Position.w;");
        }
        if self.is_points {
            main += "    gl_PointSize = 1.0;\n";
        }
        if let Some(all) = &self.distances {
            for k in 0..all[0].len() {
                let each: Vec<String> = all.iter().map(|d| format!("{:?}", d[k])).collect();
                let _ = writeln!(main, "    gl_ClipDistance[{k}] = float[]({})[gl_VertexIndex];", each.join(", "));
            }
        }
        main.extend(self.varyings.iter().map(|v| v.given(self.prefix())));
        if self.makes {
            if self.resources.in_vertices {
                reads.extend(self.resources.reads());
            }
            let (helper, lines) = self.body(rng, reads, false);
            out += &helper;
            main += &(lines.join("\n") + "\n    made = ivec4(a, b, c, d);\n");
        }
        out + "void main() {\n" + &main + "}\n"
    }

    pub(super) fn fragment(&self, rng: &mut Rng) -> String {
        let mut reads: Vec<String> = self.varyings.iter().flat_map(|v| v.reads(self.prefix())).collect();
        if self.makes {
            reads.extend(["x", "y", "z", "w"].map(|l| format!("made.{l}")));
        }
        reads.extend(["int(gl_FragCoord.x)", "int(gl_FragCoord.y)"].map(String::from));
        if !self.is_points {
            reads.push("int(gl_FrontFacing)".into());
        }
        if self.reads_depth {
            reads.push("int(floor(gl_FragCoord.z * 64.0 + 0.5))".into());
        }
        match self.asks {
            Asks::Nothing => {}
            Asks::Primitive => reads.push("gl_PrimitiveID".into()),
            Asks::Sample => reads.push("gl_SampleID".into()),
            Asks::Mask => reads.push("gl_SampleMaskIn[0]".into()),
        }
        reads.extend(self.resources.reads());
        let (helper, lines) = self.body(rng, reads, true);
        let lines = lines.join("\n");
        let mut out = String::from("#version 450\n");
        if lines.contains(" demote;") {
            out += "#extension GL_EXT_demote_to_helper_invocation : require\n";
        }
        if self.early {
            out += "layout(early_fragment_tests) in;\n";
        }
        out += &self.resources.declared();
        out += &self.interface("in ");
        for (k, t) in self.targets.iter().enumerate() {
            let _ = writeln!(out, "layout(location = {k}) out {} o{k};", t.declared());
        }
        out += &helper;
        out += &format!("void main() {{\n{lines}\n");
        for (k, t) in self.targets.iter().enumerate() {
            let list = ["ivec4(a, b, c, d)", "ivec4(b, c, d, a) ^ 5", "ivec4(d, a + b, b, c)"][k % 3];
            let _ = writeln!(out, "    o{k} = {};", t.value(&format!("({list})")));
        }
        if self.writes_depth {
            out += "    gl_FragDepth = float(a & 15) * 0.0625 + 0.03125;\n";
        }
        out + "}\n"
    }
}
