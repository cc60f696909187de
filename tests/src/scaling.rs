//! Shaders of any size for measuring how compile time grows: one shape each, about `n` operations.

use std::fmt::Write;

/// The parts of a generated shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One block of arithmetic.
    Line,
    /// Small branches one after the other, half of them with stores.
    Ifs,
    /// Small loops one after the other, with trip counts that lanes disagree about.
    Loops,
    /// Small loops with trip counts that are the same for all lanes.
    UniformLoops,
    /// One loop that lanes leave at different times, with everything else inside.
    LongLoop,
    /// Sixteen variables that branches change in turn.
    Phis,
    /// Values from the beginning that are needed now and then until the end.
    LongLives,
    /// Small loops over a private array with run-time indices.
    ArrayLoops,
    /// A private array as long as the shader, with constant and run-time indices.
    BigArray,
    /// Loops of four turns, which are unrolled.
    Unrolled,
    /// Calls of small functions.
    Calls,
    /// One `switch`, whose selector is the same for all lanes.
    UniformSwitch,
    /// One chain of `else if`, on which lanes disagree.
    ElseIfs,
    /// Branches that lanes leave for the end of all of them.
    Exits,
}

/// All shapes.
pub const SHAPES: [Shape; 14] = [
    Shape::Line,
    Shape::Ifs,
    Shape::Loops,
    Shape::UniformLoops,
    Shape::LongLoop,
    Shape::Phis,
    Shape::LongLives,
    Shape::ArrayLoops,
    Shape::BigArray,
    Shape::Unrolled,
    Shape::Calls,
    Shape::UniformSwitch,
    Shape::ElseIfs,
    Shape::Exits,
];

impl Shape {
    /// A name for tables and command lines.
    pub fn name(self) -> &'static str {
        match self {
            Shape::Line => "line",
            Shape::Ifs => "ifs",
            Shape::Loops => "loops",
            Shape::UniformLoops => "uniform-loops",
            Shape::LongLoop => "long-loop",
            Shape::Phis => "phis",
            Shape::LongLives => "long-lives",
            Shape::ArrayLoops => "array-loops",
            Shape::BigArray => "big-array",
            Shape::Unrolled => "unrolled",
            Shape::Calls => "calls",
            Shape::UniformSwitch => "uniform-switch",
            Shape::ElseIfs => "else-ifs",
            Shape::Exits => "exits",
        }
    }

    /// Statement `k` and the number of operations it stands for.
    fn statement(self, k: usize, o: &mut String) -> usize {
        let c = (k as u32).wrapping_mul(2_654_435_761) >> 8 | 1;
        let bit = 1_u32 << (k % 23);
        match self {
            Shape::Line => {
                let _ = writeln!(o, "  x = (x ^ y) * {c}u + z; y = y + x;");
                4
            }
            Shape::ElseIfs => {
                let _ = write!(o, "{}if (y0 == {k}u) {{ x = (x ^ y) * {c}u; }}", if k == 0 { "  " } else { " else " });
                3
            }
            Shape::Exits => {
                let _ = writeln!(
                    o,
                    "  if ((x & {bit}u) != 0u) {{ if (y == {k}u) {{ break; }} x = (x ^ y) * {c}u; }} else {{ y = y + a[x & 63u]; }}"
                );
                7
            }
            Shape::Ifs if k.is_multiple_of(2) => {
                let _ = writeln!(o, "  if ((x & {bit}u) != 0u) {{ x = (x ^ y) * {c}u; }} else {{ y = y + x; }}");
                5
            }
            Shape::Ifs => {
                let _ = writeln!(o, "  if ((x & {bit}u) != 0u) {{ a[x & 63u] = y; x = x + {c}u; }}");
                5
            }
            Shape::Loops => {
                let _ = writeln!(o, "  for (var i = 0u; i < (x & 7u); i++) {{ x = (x ^ i) * {c}u; y = y + x; }}");
                7
            }
            Shape::UniformLoops => {
                let _ = writeln!(o, "  for (var i = 0u; i < u.n; i++) {{ x = (x ^ i) * {c}u; y = y + x; }}");
                7
            }
            Shape::LongLoop => {
                let _ = writeln!(o, "    if ((x & {bit}u) == y) {{ a[y & 63u] = x; }} x = (x ^ y) * {c}u;");
                6
            }
            Shape::Phis => {
                let v = |n: usize| format!("v{}", n % 16);
                let (p, q, r, s) = (v(k), v(k * 3 + 1), v(k * 5 + 2), v(k * 7 + 3));
                let _ = writeln!(
                    o,
                    "  if ((x & {bit}u) != 0u) {{ {p} = {q} + {c}u; a[x & 63u] = {s}; }} else {{ {r} = {s} ^ {q}; a[{q} & 63u] = x; }}"
                );
                8
            }
            Shape::LongLives => {
                let _ = writeln!(o, "  x = (x ^ v{}) * {c}u + z; y = y + x;", k % 16);
                4
            }
            Shape::ArrayLoops => {
                let _ = writeln!(o, "  for (var i = 0u; i < (x & 7u); i++) {{ p[(x + i) & 7u] = y; y = y + p[i]; }}");
                8
            }
            Shape::BigArray => {
                let _ = writeln!(o, "  p[{k}u] = x; x = x + p[y % {}u]; y = (y ^ x) * {c}u;", k + 1);
                6
            }
            Shape::Unrolled => {
                let _ = writeln!(o, "  for (var i = 0u; i < 4u; i++) {{ x = (x ^ i) * {c}u; y = y + x; }}");
                12
            }
            Shape::Calls => {
                let _ = writeln!(o, "  x = g{}(x, y); y = y + x;", k % 4);
                5
            }
            Shape::UniformSwitch => {
                let _ = writeln!(o, "    case {k}u: {{ x = (x ^ y) * {c}u; }}");
                5
            }
        }
    }

    /// A compute shader `main` of about `n` operations, in functions of at most 16,000 each where the shape allows it.
    pub fn source(self, n: usize) -> String {
        let mut o = String::from(
            "struct U { n: u32 }\n@group(0) @binding(0) var<storage, read_write> a: array<u32>;\n\
             @group(0) @binding(1) var<uniform> u: U;\n",
        );
        for g in 0..4 {
            let _ =
                writeln!(o, "fn g{g}(x: u32, y: u32) -> u32 {{ if (x > y) {{ return x * y + {g}u; }} return y - x; }}");
        }
        let (before, after) = match self {
            Shape::LongLoop => ("  while (x < y) {\n", "  }\n"),
            Shape::Exits => ("  loop {\n", "  break; }\n"),
            Shape::UniformSwitch => ("  switch u.n {\n", "    default: {}\n  }\n"),
            _ => ("", ""),
        };
        let whole = !before.is_empty();
        let mut parts = 0;
        let (mut ops, mut k) = (0, 0);
        let mut body = String::new();
        let mut lines = String::new();
        let array = n / 6 + 1;
        if self == Shape::BigArray {
            let _ = writeln!(o, "var<private> p: array<u32, {array}>;");
        }
        if self == Shape::ArrayLoops {
            let _ = writeln!(o, "var<private> p: array<u32, 8>;");
        }
        if matches!(self, Shape::Phis | Shape::LongLives) {
            for v in 0..16 {
                let _ = writeln!(o, "var<private> v{v}: u32;");
            }
        }
        while ops < n {
            let mut part = 0;
            while ops < n && (whole || part < 16_000) {
                let m = self.statement(k, &mut lines);
                part += m;
                ops += m;
                k += 1;
            }
            let _ = writeln!(
                o,
                "fn part{parts}(x0: u32, y0: u32, z: u32) -> vec2<u32> {{\n  var x = x0; var y = y0;\n{before}{lines}{after}  return vec2<u32>(x, y);\n}}",
            );
            let _ = writeln!(body, "  r = part{parts}(r.x, r.y, id.z);");
            lines.clear();
            parts += 1;
        }
        o.push_str("@compute @workgroup_size(64)\nfn main(@builtin(global_invocation_id) id: vec3<u32>) {\n");
        o.push_str("  var r = vec2<u32>(a[id.x], a[id.x + 1u]);\n");
        if matches!(self, Shape::Phis | Shape::LongLives) {
            for v in 0..16 {
                let _ = writeln!(o, "  v{v} = a[id.x + {v}u];");
            }
        }
        o.push_str(&body);
        if matches!(self, Shape::Phis | Shape::LongLives) {
            for v in 0..16 {
                let _ = writeln!(o, "  r.x = r.x ^ v{v};");
            }
        }
        o.push_str("  a[id.x] = r.x; a[id.x + 1u] = r.y;\n}\n");
        o
    }
}
