//! Targets, blending, depth and stencil of a random pipeline.

use gpucc_scene::compare::{Compare, Kind, Type};
use serde_json::{Value, json};

use super::rng::Rng;

/// The class of a target's components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Uint,
    Sint,
    Unorm,
    Snorm,
    Float,
}

/// A format of targets: its name, class, components, and the bits of one.
pub(super) type Shape = (&'static str, Class, usize, u32);

/// Formats of at most 64 bits.
const SMALL: &[Shape] = &[
    ("rgba8uint", Class::Uint, 4, 8),
    ("rgba8sint", Class::Sint, 4, 8),
    ("rg8uint", Class::Uint, 2, 8),
    ("r8uint", Class::Uint, 1, 8),
    ("rgba16uint", Class::Uint, 4, 16),
    ("rgba16sint", Class::Sint, 4, 16),
    ("rg16uint", Class::Uint, 2, 16),
    ("r16sint", Class::Sint, 1, 16),
    ("r32uint", Class::Uint, 1, 32),
    ("r32sint", Class::Sint, 1, 32),
    ("rg32uint", Class::Uint, 2, 32),
    ("rgba8unorm", Class::Unorm, 4, 8),
    ("rgba8unorm", Class::Unorm, 4, 8),
    ("bgra8unorm", Class::Unorm, 4, 8),
    ("rgba8unorm-srgb", Class::Unorm, 4, 8),
    ("rg8unorm", Class::Unorm, 2, 8),
    ("r8unorm", Class::Unorm, 1, 8),
    ("rgb10a2unorm", Class::Unorm, 4, 10),
    ("rgba8snorm", Class::Snorm, 4, 8),
    ("rgba16float", Class::Float, 4, 16),
    ("rg16float", Class::Float, 2, 16),
    ("r16float", Class::Float, 1, 16),
    ("r32float", Class::Float, 1, 32),
    ("rg32float", Class::Float, 2, 32),
];
/// Formats of 128 bits, and some that fewer chips draw to.
const LARGE: &[Shape] = &[
    ("rgba32uint", Class::Uint, 4, 32),
    ("rgba32sint", Class::Sint, 4, 32),
    ("rgba32float", Class::Float, 4, 32),
    ("rgb10a2uint", Class::Uint, 4, 10),
    ("rg11b10ufloat", Class::Float, 3, 11),
    ("rgba16unorm", Class::Unorm, 4, 16),
];

/// A target.
pub(super) struct Target {
    pub(super) shape: Shape,
    pub(super) is_blended: bool,
    pub(super) is_resolved: bool,
}

impl Target {
    pub(super) fn new(rng: &mut Rng, is_small: bool) -> Target {
        let shape = if is_small || rng.percent(60) { rng.of(SMALL) } else { rng.of(LARGE) };
        let (name, class, ..) = shape;
        let blends = matches!(class, Class::Unorm | Class::Float) && !name.contains("32") && name != "rgba16unorm";
        // Codes of two and of five bits are rounded by much.
        let is_rough = matches!(name, "rg11b10ufloat" | "rgb10a2unorm");
        Target { shape, is_blended: blends && !is_rough && rng.percent(45), is_resolved: false }
    }

    pub(super) fn is_integer(&self) -> bool {
        matches!(self.shape.1, Class::Uint | Class::Sint)
    }

    /// Whether WebGPU resolves it.
    pub(super) fn resolves(&self) -> bool {
        matches!(
            self.shape.0,
            "rgba8unorm" | "bgra8unorm" | "rgba8unorm-srgb" | "rg8unorm" | "r8unorm" | "rgb10a2unorm"
        ) || matches!(self.shape.0, "rgba16float" | "rg16float" | "r16float")
    }

    /// The type of the shader's output.
    pub(super) fn declared(&self) -> String {
        let (_, class, lanes, _) = self.shape;
        let [one, many] = match class {
            Class::Uint => ["uint", "uvec"],
            Class::Sint => ["int", "ivec"],
            _ => ["float", "vec"],
        };
        if lanes == 1 { one.into() } else { format!("{many}{lanes}") }
    }

    /// What the shader writes: a value of four integers that the format holds.
    pub(super) fn value(&self, of: &str) -> String {
        let (name, class, lanes, bits) = self.shape;
        let cut = ["x", "xy", "xyz", "xyzw"][lanes - 1];
        let all = match (class, bits) {
            (Class::Uint, 32) => format!("uvec4({of})"),
            (Class::Uint, 10) => format!("(uvec4({of}) & uvec4(1023u, 1023u, 1023u, 3u))"),
            (Class::Uint, n) => format!("(uvec4({of}) & {}u)", (1u64 << n) - 1),
            (Class::Sint, 32) => of.to_string(),
            (Class::Sint, n) => format!("(({of} & {}) - {})", (1u64 << n) - 1, 1u64 << (n - 1)),
            (Class::Unorm, 10) => {
                format!("(vec4({of} & ivec4(1023, 1023, 1023, 3)) / vec4(1023.0, 1023.0, 1023.0, 3.0))")
            }
            (Class::Unorm, n) => format!("(vec4({of} & {0}) / {0}.0)", (1u64 << n) - 1),
            (Class::Snorm, _) => format!("(vec4(({of} & 127) - 64) / 127.0)"),
            // Factors of a blend are parts of one.
            (Class::Float, _) if self.is_blended => format!("(vec4({of} & ivec4(15, 15, 15, 3)) * 0.25)"),
            (Class::Float, _) if name == "rg11b10ufloat" => format!("(vec4({of} & 31) * 0.5)"),
            (Class::Float, 16) => format!("(vec4({of} & 255) * 0.25 - 8.0)"),
            (Class::Float, _) => format!("(vec4({of} & 4095) * 0.125 - 100.0)"),
        };
        format!("{all}.{cut}")
    }

    /// The type of its components, and the comparison: what is drawn without a blend is exact, but for curves of colours.
    pub(super) fn compare(&self) -> Compare {
        let (name, class, _, bits) = self.shape;
        let near = |ty, abs, rel| Compare { kind: Kind::Near { ty, abs, rel }, pixel: 1, share: 0.0 };
        let mixed = self.is_blended || self.is_resolved;
        match (class, bits) {
            (Class::Uint | Class::Sint, _) => Compare::exact(),
            (Class::Unorm, 10) if mixed => near(Type::Rgb10a2, 3.0, 0.0),
            (Class::Unorm, 8) if name.ends_with("srgb") => near(Type::U8, if mixed { 4.0 } else { 1.0 }, 0.0),
            (Class::Unorm, 8) if mixed => near(Type::U8, 3.0, 0.0),
            (Class::Unorm, 16) => near(Type::U16, 1.0, 0.0),
            (Class::Float, 16) if mixed => near(Type::F16, 0.05, 0.01),
            _ => Compare::exact(),
        }
    }

    /// How it is written.
    pub(super) fn state(&self, rng: &mut Rng) -> Value {
        let mut t = json!({"format": self.shape.0});
        if rng.percent(25) {
            t["writeMask"] = json!(1 + rng.below(15));
        }
        if self.is_blended {
            t["blend"] = json!({"color": self.blend(rng), "alpha": self.blend(rng)});
        }
        t
    }

    fn blend(&self, rng: &mut Rng) -> Value {
        let is_float = self.shape.1 == Class::Float;
        let operation = rng.pick(&["add", "add", "add", "subtract", "reverse-subtract", "min", "max"]);
        if matches!(operation, "min" | "max") {
            return json!({"operation": operation, "srcFactor": "one", "dstFactor": "one"});
        }
        let mut factors = vec!["zero", "one", "one", "constant", "one-minus-constant"];
        let has_alpha = self.shape.2 == 4;
        if has_alpha {
            factors.extend(["src-alpha", "one-minus-src-alpha"]);
        }
        if !is_float {
            factors.extend(["src", "one-minus-src", "dst", "one-minus-dst"]);
        }
        if has_alpha && !is_float {
            factors.extend(["dst-alpha", "one-minus-dst-alpha", "src-alpha-saturated"]);
        }
        let source = rng.of(&factors);
        factors.retain(|f| *f != "src-alpha-saturated");
        json!({"operation": operation, "srcFactor": source, "dstFactor": rng.of(&factors)})
    }
}

/// Depth and stencil of a pass.
pub(super) struct Deep {
    pub(super) format: &'static str,
    pub(super) has_depth: bool,
    pub(super) has_stencil: bool,
    /// Sixteenths.
    pub(super) cleared: u32,
    pub(super) stencil: u32,
}

impl Deep {
    pub(super) fn new(rng: &mut Rng, is_small: bool) -> Deep {
        let all = [
            "depth16unorm",
            "depth24plus-stencil8",
            "depth24plus",
            "stencil8",
            "depth32float",
            "depth32float-stencil8",
        ];
        let format = all[rng.below(if is_small { 3 } else { all.len() })];
        Deep {
            format,
            has_depth: format.starts_with("depth"),
            has_stencil: format.contains("stencil"),
            cleared: rng.of(&[16, 16, 0, 8]),
            stencil: rng.below(256) as u32,
        }
    }

    /// The state of a pipeline.
    pub(super) fn state(&self, rng: &mut Rng) -> Value {
        let mut s = json!({"format": self.format});
        const COMPARES: &[&str] =
            &["less", "less-equal", "greater", "greater-equal", "not-equal", "equal", "always", "never"];
        if self.has_depth {
            // Against what is cleared some must pass.
            let usual = if self.cleared < 8 { "greater" } else { "less" };
            let compare = if rng.percent(65) { usual } else { rng.pick(&COMPARES[..7]) };
            s["depthCompare"] = json!(compare);
            s["depthWriteEnabled"] = json!(rng.percent(75));
        }
        if self.has_stencil {
            for face in ["stencilFront", "stencilBack"] {
                let ops = [
                    "keep",
                    "zero",
                    "replace",
                    "invert",
                    "increment-clamp",
                    "decrement-clamp",
                    "increment-wrap",
                    "decrement-wrap",
                ];
                let compare = if rng.percent(50) { "always" } else { rng.pick(COMPARES) };
                s[face] = json!({"compare": compare, "failOp": rng.of(&ops), "depthFailOp": rng.of(&ops), "passOp": rng.of(&ops)});
            }
            if rng.percent(40) {
                s["stencilReadMask"] = json!(rng.below(256));
                s["stencilWriteMask"] = json!(rng.below(256));
            }
        }
        s
    }
}
