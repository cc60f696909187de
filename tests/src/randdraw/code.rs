//! Statements and expressions of GLSL over integers. Every result is fixed by the language: shifts stay in their range, floats are exact.

use super::rng::Rng;

/// A texture that a shader may read.
#[derive(Clone)]
pub(super) struct Texture {
    pub(super) binding: u32,
    pub(super) format: &'static str,
    pub(super) size: [u32; 2],
    pub(super) layers: u32,
    pub(super) levels: u32,
    pub(super) is_linear: bool,
    pub(super) wrap: &'static str,
    pub(super) bytes: Vec<u8>,
}

impl Texture {
    pub(super) fn is_integer(&self) -> bool {
        self.format.ends_with("int")
    }

    /// Its declaration.
    pub(super) fn declared(&self) -> String {
        let kind = match () {
            () if self.format.ends_with("uint") => "u",
            () if self.format.ends_with("sint") => "i",
            () => "",
        };
        let array = if self.layers > 1 { "Array" } else { "" };
        format!("layout(set = 0, binding = {0}) uniform {kind}sampler2D{array} t{0};", self.binding)
    }
}

/// The names that statements use.
pub(super) struct Code<'r> {
    pub(super) rng: &'r mut Rng,
    /// Integer expressions without effects.
    pub(super) reads: Vec<String>,
    /// Names of integers.
    pub(super) known: Vec<String>,
    /// Those that may be assigned to.
    pub(super) own: Vec<String>,
    pub(super) textures: Vec<Texture>,
    /// Whether all lanes of a quad are here.
    pub(super) is_uniform: bool,
    pub(super) is_fragment: bool,
    pub(super) has_helper: bool,
    pub(super) names: u32,
}

impl Code<'_> {
    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("n{}", self.names)
    }

    fn leaf(&mut self) -> String {
        match self.rng.below(20) {
            0..=8 if !self.known.is_empty() => self.rng.of(&self.known),
            0..=14 => self.rng.of(&self.reads),
            _ => {
                let n = self.rng.between(-1000, 1000);
                let n = self.rng.of(&[0, 1, 2, 3, 7, -1, -5, 100, 65535, 0x7fff_ffff, n]);
                if n < 0 { format!("({n})") } else { n.to_string() }
            }
        }
    }

    pub(super) fn small(&mut self, mask: u32) -> String {
        format!("({} & {mask})", self.value(1))
    }

    pub(super) fn value(&mut self, depth: u32) -> String {
        if depth == 0 || self.rng.percent(20) {
            return self.leaf();
        }
        let a = self.value(depth - 1);
        match self.rng.below(12) {
            0..=4 => {
                let sign = self.rng.pick(&["+", "-", "*", "^", "&", "|"]);
                format!("({a} {sign} {})", self.value(depth - 1))
            }
            5 => {
                let sign = self.rng.pick(&["<<", ">>"]);
                format!("({a} {sign} {})", self.small(31))
            }
            6 => format!("({} ? {a} : {})", self.truth(depth - 1), self.value(depth - 1)),
            7 => format!("{}({a}, {})", self.rng.pick(&["min", "max"]), self.value(depth - 1)),
            8 => {
                let f = self.rng.pick(&["bitCount", "findMSB", "findLSB", "bitfieldReverse", "abs", "sign", "~"]);
                format!("{f}({a})")
            }
            9 => match self.rng.below(4) {
                0 => format!("int(uint({a}) / uint({} | 1))", self.small(255)),
                1 => format!("int(uint({a}) % uint({} | 1))", self.small(255)),
                _ => format!("bitfieldExtract({a}, {}, {})", self.rng.below(16), 1 + self.rng.below(16)),
            },
            10 => self.floats(),
            _ => {
                let rest: Vec<String> = (0..3).map(|_| self.leaf()).collect();
                let list = format!("ivec4({a}, {})", rest.join(", "));
                match self.rng.below(3) {
                    0 => format!("{list}[{}]", self.small(3)),
                    _ => format!("{list}.{}", self.rng.pick(&["x", "y", "z", "w"])),
                }
            }
        }
    }

    pub(super) fn truth(&mut self, depth: u32) -> String {
        let sign = self.rng.pick(&["<", ">", "==", "!=", "<=", ">="]);
        let one = format!("({} {sign} {})", self.value(depth), self.value(depth));
        match self.rng.below(8) {
            0 => format!("!{one}"),
            1 => format!("({one} && {} > 3)", self.value(depth)),
            2 => format!("({one} || {} < 9)", self.value(depth)),
            _ => one,
        }
    }

    /// An integer by floats that are exact.
    fn floats(&mut self) -> String {
        let [a, b, c] = [(); 3].map(|()| format!("float({})", self.small(63)));
        match self.rng.below(10) {
            0 => format!("int({a} * 0.25 + {b} * {c})"),
            1 => format!("int(max({a}, {b} - {c}) * 4.0)"),
            2 => format!("int(floor({a} * 0.375) + fract({b} * 0.25) * 8.0)"),
            3 => format!("int(dot(vec3({a}, {b}, 1.0), vec3({c}, 2.0, -3.0)))"),
            4 => format!("int(mix({a}, {b}, 0.5) * 2.0)"),
            5 => format!("int(mod({a}, 8.0) + step({b}, {c}))"),
            6 => format!("int((mat2({a}, 1.0, {b}, 2.0) * vec2({c}, 3.0)).x)"),
            7 => format!("int(clamp({a}, 7.0, 21.0) + roundEven({b} * 0.5))"),
            8 => format!("int(trunc({a} * 0.75) - sign({b} - {c}))"),
            _ => format!("int(ldexp({a}, 3))"),
        }
    }

    /// Statements that make an integer of a texture, and its name.
    fn sampled(&mut self) -> Option<(String, String)> {
        if self.textures.is_empty() {
            return None;
        }
        let (t, name) = (self.rng.of(&self.textures), self.fresh());
        let at = format!("t{}", t.binding);
        let lod = self.rng.below(t.levels as usize) as u32;
        let [w, h] = t.size.map(|n| (n >> lod).max(1));
        let mut ways = vec!["fetch", "fetch", "size"];
        if !t.is_integer() {
            ways.extend(["level", "level", "gather"]);
            if t.levels == 1 && self.is_uniform && self.is_fragment {
                ways.extend(["implicit", "offset"]);
            }
            if t.layers == 1 {
                ways.push("proj");
            }
        }
        let way = self.rng.of(&ways);
        let part = self.rng.pick(&["x", "y", "z", "w"]);
        let value = match way {
            "size" => {
                let last = if t.layers > 1 { "z" } else { "y" };
                let part = self.rng.pick(&["x", "y", last]);
                let what = match self.rng.below(4) {
                    0 => format!("textureQueryLevels({at})"),
                    _ => format!("textureSize({at}, {lod}).{part}"),
                };
                return Some((format!("int {name} = {what};"), name));
            }
            "fetch" => {
                let layer = if t.layers > 1 { format!(", {}", self.small(t.layers - 1)) } else { String::new() };
                let n = if t.layers > 1 { 3 } else { 2 };
                format!("texelFetch({at}, ivec{n}({}, {}{layer}), {lod})", self.small(w - 1), self.small(h - 1))
            }
            _ => {
                // The middles of texels, or the places between two of them where they are filtered.
                let (step, shift) = match way {
                    "gather" => ("1.0", "0.0"),
                    _ if t.is_linear => ("0.25", "0.0"),
                    _ => ("1.0", "0.5"),
                };
                let side = if way == "gather" { t.size } else { [w, h] };
                let [u, v] = side.map(|n| format!("(float({} - 5) * {step} + {shift}) / {n}.0", self.small(15)));
                let layer = if t.layers > 1 { format!(", float({})", self.small(3)) } else { String::new() };
                let place = format!("vec{}({u}, {v}{layer})", if t.layers > 1 { 3 } else { 2 });
                match way {
                    "level" => format!("textureLod({at}, {place}, {lod}.0)"),
                    "implicit" => format!("texture({at}, {place})"),
                    "offset" => {
                        let [x, y] = [(); 2].map(|()| self.rng.between(-2, 2));
                        format!("textureOffset({at}, {place}, ivec2({x}, {y}))")
                    }
                    "gather" => {
                        let few = t.format.starts_with("r8") || t.format.starts_with("r3");
                        let lane = if few { 0 } else { self.rng.below(4) };
                        format!("textureGather({at}, {place}, {lane})")
                    }
                    _ => format!("textureProjLod({at}, vec3({place} * 2.0, 2.0), {lod}.0)"),
                }
            }
        };
        if t.is_integer() {
            return Some((format!("int {name} = int({value}.{part});"), name));
        }
        let scale = match t.format {
            "r32float" => 1,
            _ if t.is_linear && way != "fetch" => 16,
            _ => 255,
        };
        Some((format!("int {name} = int(floor({value}.{part} * {scale}.0 + 0.5));"), name))
    }

    pub(super) fn assign(&mut self) -> String {
        let to = self.rng.of(&self.own);
        format!("{to} = {};", self.value(2))
    }

    fn block(&mut self, depth: u32, count: usize) -> Vec<String> {
        let kept = std::mem::replace(&mut self.is_uniform, false);
        let lines = self.statements(depth, count);
        self.is_uniform = kept;
        lines
    }

    fn some(&mut self) -> usize {
        1 + self.rng.below(2)
    }

    pub(super) fn statements(&mut self, depth: u32, count: usize) -> Vec<String> {
        let mut out = Vec::new();
        for _ in 0..count {
            self.statement(depth, &mut out);
        }
        out.into_iter().map(|line| format!("    {line}")).collect()
    }

    fn statement(&mut self, depth: u32, out: &mut Vec<String>) {
        let to = self.rng.of(&self.own);
        match self.rng.below(14) {
            0..=2 => match self.sampled() {
                Some((line, name)) => {
                    out.push(line);
                    let sign = self.rng.pick(&["+", "^", ""]);
                    out.push(format!("{to} {sign}= {name};"));
                }
                None => out.push(self.assign()),
            },
            3 => {
                let name = self.fresh();
                let (a, n) = (self.small(0xff_ffff), 1 + self.rng.below(99));
                out.push(format!("precise float {name} = float({a}) * 1.00000047 + {n}.3;"));
                out.push(format!("{to} ^= floatBitsToInt({name});"));
            }
            // Lavapipe's helpers read 0 from storage, so that what comes from there has other derivatives at the edges of triangles.
            4 if self.is_uniform && self.is_fragment && !self.reads.iter().any(|r| r.starts_with("held.n[")) => {
                let f = self.rng.pick(&["dFdxFine", "dFdyFine", "fwidthFine"]);
                out.push(format!("{to} += int({f}(float({})));", self.small(1023)));
            }
            5 if self.has_helper => {
                let (sign, from) = (self.rng.pick(&["", "+"]), self.rng.of(&self.own));
                out.push(format!("{to} {sign}= helper({from}, {});", self.value(2)));
            }
            6 | 7 if depth > 0 => {
                let (c, n) = (self.truth(2), self.some());
                out.push(format!("if ({c}) {{"));
                out.extend(self.block(depth - 1, n));
                if self.rng.percent(60) {
                    let n = self.some();
                    out.push("} else {".into());
                    out.extend(self.block(depth - 1, n));
                }
                out.push("}".into());
            }
            8 | 9 if depth > 0 => self.turns(depth, out),
            10 if depth > 0 => {
                out.push(format!("switch ({}) {{", self.small(3)));
                let first = self.rng.below(2);
                for case in first..first + 1 + self.rng.below(3) {
                    out.push(format!("case {case}:"));
                    out.extend(self.block(0, 1));
                    if self.rng.percent(60) {
                        out.push("break;".into());
                    }
                }
                out.push("default:".into());
                out.push(self.assign());
                out.push("}".into());
            }
            11 => {
                // An array with an index.
                let name = self.fresh();
                let [a, b, c] = [(); 3].map(|()| self.leaf());
                out.push(format!("int {name}[4] = int[](1, {a}, {b}, {c});"));
                out.push(format!("{name}[{}] = {};", self.small(3), self.value(1)));
                out.push(format!("{to} += {name}[{}];", self.small(3)));
            }
            _ => out.push(self.assign()),
        }
    }

    /// A loop of some kind.
    fn turns(&mut self, depth: u32, out: &mut Vec<String>) {
        let k = self.fresh();
        let few = (1 + self.rng.below(5)).to_string();
        let most = if self.rng.percent(50) { few } else { self.small(7) };
        let kind = self.rng.below(4);
        match kind {
            0 | 1 => out.push(format!("for (int {k} = 0; {k} < {most}; ++{k}) {{")),
            2 => {
                out.push(format!("int {k} = 0;"));
                out.push(format!("do {{ {k}++;"));
            }
            _ => {
                out.push(format!("int {k} = 0;"));
                out.push(format!("while ({k}++ < {most}) {{"));
            }
        }
        self.known.push(k.clone());
        let n = self.some();
        let body = self.block(depth - 1, n);
        out.extend(body);
        if self.rng.percent(50) {
            let way = self.rng.pick(&["break", "continue"]);
            out.push(format!("if ({}) {way};", self.truth(1)));
        }
        out.push(self.assign());
        self.known.retain(|n| *n != k);
        out.push(if kind == 2 { format!("}} while ({k} < 4);") } else { "}".into() });
    }
}
