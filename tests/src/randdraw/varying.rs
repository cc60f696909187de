//! What goes from vertices to fragments: values of tables or of vertex buffers, in any shape that an interface may have.

use std::fmt::Write as _;

use super::geometry::Mode;
use super::rng::Rng;

/// What a value is rounded by, behind its interpolation.
const SCALE: f64 = 16.0;

/// A varying.
pub(super) struct Varying {
    name: String,
    location: u32,
    mode: Mode,
    is_integer: bool,
    lanes: usize,
    /// Columns of a matrix or elements of an array; 1 of everything else.
    parts: usize,
    is_matrix: bool,
    /// Whether its lanes 0 and 1 and its lanes 2 and 3 are variables at one location.
    is_split: bool,
    /// Whether samples have their own values.
    per_sample: bool,
    /// Values of each vertex, in quarters.
    quarters: Vec<Vec<i64>>,
    /// Bytes of the vertex buffer in which they lie, if they do: number of the attribute.
    pub(super) attribute: Option<Attribute>,
}

/// An attribute of a vertex buffer.
#[derive(Clone)]
pub(super) struct Attribute {
    pub(super) location: u32,
    pub(super) format: &'static str,
    /// The buffer: 0 and 1 are of vertices, 2 of instances.
    pub(super) buffer: usize,
    pub(super) elements: Vec<Vec<u8>>,
}

impl Varying {
    /// One at a location of which the next is free too.
    pub(super) fn new(rng: &mut Rng, location: u32, vertices: usize, may_be_linear: bool, samples: u32) -> Varying {
        let is_integer = rng.percent(20);
        let mode = match rng.below(10) {
            _ if is_integer => Mode::Flat,
            0 => Mode::Flat,
            1..=3 if may_be_linear => Mode::Linear,
            _ => Mode::Smooth,
        };
        let mut lanes = 1 + rng.below(4);
        let shape = rng.below(10);
        let is_matrix = shape == 0 && !is_integer && lanes > 1;
        let parts = if is_matrix || shape == 1 { 2 } else { 1 };
        let is_split = shape == 2;
        if is_split {
            lanes = 4;
        }
        let most = if is_integer { 1 << 20 } else { 16 };
        let one = |rng: &mut Rng| (0..lanes * parts).map(|_| rng.between(-most, most)).collect();
        let quarters = (0..vertices).map(|_| one(rng)).collect();
        let per_sample = samples > 1 && mode != Mode::Flat && rng.percent(15);
        let name = format!("v{location}");
        Varying {
            name,
            location,
            mode,
            is_integer,
            lanes,
            parts,
            is_matrix,
            is_split,
            per_sample,
            quarters,
            attribute: None,
        }
    }

    pub(super) fn is_per_sample(&self) -> bool {
        self.per_sample
    }

    /// Puts the values of the first part into a vertex buffer.
    pub(super) fn by_attribute(&mut self, rng: &mut Rng, location: u32) {
        if self.is_integer || self.parts > 1 || self.is_split {
            return;
        }
        let lanes = self.lanes;
        let formats: &[&'static str] = match lanes {
            1 => &["float32", "sint16x2"],
            2 => &["float32x2", "float16x2", "sint8x2", "sint16x2"],
            3 => &["float32x3", "sint8x4"],
            _ => &["float32x4", "float16x4", "sint8x4", "sint16x4"],
        };
        let format = rng.of(formats);
        let held = format.rsplit_once('x').map_or(1, |(_, n)| n.parse().unwrap_or(1));
        let element = |q: &Vec<i64>| {
            let lane = |k: usize| q.get(k).copied().unwrap_or(0);
            (0..held).flat_map(|k| bytes(format, lane(k))).collect()
        };
        let elements = self.quarters.iter().map(element).collect();
        self.attribute = Some(Attribute { location, format, buffer: rng.below(2), elements });
    }

    /// What is rounded of a vertex.
    pub(super) fn values(&self, vertex: usize) -> Vec<(Mode, f64)> {
        if self.mode == Mode::Flat {
            return Vec::new();
        }
        self.quarters[vertex].iter().map(|q| (self.mode, *q as f64 / 4.0 * SCALE)).collect()
    }

    fn ty(&self) -> String {
        let [one, many] = if self.is_integer { ["int", "ivec"] } else { ["float", "vec"] };
        match self.lanes {
            n if self.is_matrix => format!("mat2x{n}"),
            1 => one.into(),
            n => format!("{many}{n}"),
        }
    }

    /// The declarations, for one of the two sides.
    pub(super) fn declared(&self, side: &str) -> String {
        let mode = match self.mode {
            Mode::Flat => "flat ",
            Mode::Linear => "noperspective ",
            Mode::Smooth => "",
        };
        let sample = if self.per_sample { "sample " } else { "" };
        let (at, name, ty) = (self.location, &self.name, self.ty());
        if self.is_split {
            let ty = if self.is_integer { "ivec2" } else { "vec2" };
            return format!(
                "layout(location = {at}) {mode}{sample}{side}{ty} {name}a;\nlayout(location = {at}, component = 2) {mode}{sample}{side}{ty} {name}b;\n"
            );
        }
        let array = if self.parts > 1 && !self.is_matrix { "[2]" } else { "" };
        format!("layout(location = {at}) {mode}{sample}{side}{ty} {name}{array};\n")
    }

    /// Names of the lanes.
    fn lane_names(&self, prefix: &str) -> Vec<String> {
        let name = format!("{prefix}{}", self.name);
        let mut out = Vec::new();
        for part in 0..self.parts {
            for lane in 0..self.lanes {
                let lane_name = ["x", "y", "z", "w"][lane];
                out.push(match () {
                    () if self.is_split => format!("{name}{}.{}", ["a", "b"][lane / 2], ["x", "y"][lane % 2]),
                    () if self.parts > 1 && self.lanes == 1 => format!("{name}[{part}]"),
                    () if self.parts > 1 => format!("{name}[{part}].{lane_name}"),
                    () if self.lanes == 1 => name.clone(),
                    () => format!("{name}.{lane_name}"),
                });
            }
        }
        out
    }

    /// Integers that a fragment makes of it.
    pub(super) fn reads(&self, prefix: &str) -> Vec<String> {
        let read = |name: String| match (self.is_integer, self.mode) {
            (true, _) => name,
            (false, Mode::Flat) => format!("int({name} * 4.0)"),
            (false, _) => format!("int(floor({name} * {SCALE}.0 + 0.5))"),
        };
        self.lane_names(prefix).into_iter().map(read).collect()
    }

    /// The statements of a vertex that give it its values.
    pub(super) fn given(&self, prefix: &str) -> String {
        let mut out = String::new();
        if let Some(a) = &self.attribute {
            let cut = ["x", "xy", "xyz", "xyzw"][self.lanes - 1];
            let cut = if a.format == "float32" { String::new() } else { format!(".{cut}") };
            let from = format!("i{}{cut}", a.location);
            let value = if a.format.starts_with("float") { from } else { format!("{}({from}) * 0.25", self.ty()) };
            let _ = writeln!(out, "    {prefix}{} = {value};", self.name);
            return out;
        }
        for (k, name) in self.lane_names(prefix).iter().enumerate() {
            let each: Vec<String> = self.quarters.iter().map(|q| self.literal(q[k])).collect();
            let ty = if self.is_integer { "int" } else { "float" };
            let _ = writeln!(out, "    {name} = {ty}[]({})[gl_VertexIndex];", each.join(", "));
        }
        out
    }

    fn literal(&self, quarters: i64) -> String {
        if self.is_integer { quarters.to_string() } else { format!("{:?}", quarters as f64 / 4.0) }
    }
}

/// A value of quarters in a format of vertex buffers: an integer holds the quarters.
fn bytes(format: &str, quarters: i64) -> Vec<u8> {
    let value = quarters as f32 / 4.0;
    match format {
        f if f.starts_with("float32") => value.to_le_bytes().to_vec(),
        f if f.starts_with("float16") => half(value).to_le_bytes().to_vec(),
        f if f.starts_with("sint8") => vec![quarters as i8 as u8],
        _ => (quarters as i16).to_le_bytes().to_vec(),
    }
}

/// A half that holds a small number of quarters.
fn half(value: f32) -> u16 {
    if value == 0.0 {
        return 0;
    }
    let bits = value.to_bits();
    let exponent = ((bits >> 23 & 0xff) as i32 - 127 + 15) as u16;
    (bits >> 16 & 0x8000) as u16 | exponent << 10 | (bits >> 13 & 0x3ff) as u16
}

/// Attributes of integers, by any bytes: the format, bytes of an element, the type in the shader, and what makes four integers of it.
pub(super) const INTEGERS: &[(&str, usize, &str, &str)] = &[
    ("uint8x4", 4, "uvec4", "ivec4(@)"),
    ("uint8x2", 2, "uvec2", "ivec4(@, 1, 2)"),
    ("sint8x4", 4, "ivec4", "@"),
    ("uint16x2", 4, "uvec2", "ivec4(@, 1, 2)"),
    ("uint16x4", 8, "uvec4", "ivec4(@)"),
    ("sint16x2", 4, "ivec2", "ivec4(@, 1, 2)"),
    ("sint16x4", 8, "ivec4", "@"),
    ("uint32", 4, "uint", "ivec4(@, 1, 2, 3)"),
    ("uint32x2", 8, "uvec2", "ivec4(@, 1, 2)"),
    ("uint32x4", 16, "uvec4", "ivec4(@)"),
    ("sint32x3", 12, "ivec3", "ivec4(@, 1)"),
    ("sint32x4", 16, "ivec4", "@"),
    ("unorm8x4", 4, "vec4", "ivec4(floor(@ * 255.0 + 0.5))"),
    ("unorm8x4-bgra", 4, "vec4", "ivec4(floor(@ * 255.0 + 0.5))"),
    ("snorm8x4", 4, "vec4", "ivec4(floor(@ * 127.0 + 0.5))"),
    ("unorm16x2", 4, "vec2", "ivec4(floor(@ * 65535.0 + 0.5), 1, 2)"),
    ("snorm16x4", 8, "vec4", "ivec4(floor(@ * 32767.0 + 0.5))"),
    ("unorm10-10-10-2", 4, "vec4", "ivec4(floor(@ * vec4(1023.0, 1023.0, 1023.0, 3.0) + 0.5))"),
    ("snorm10-10-10-2", 4, "vec4", "ivec4(floor(@ * vec4(511.0, 511.0, 511.0, 1.0) + 0.5))"),
];
