//! The pipeline of a random fragment program: at which locations its words leave, and what travels from vertex buffers through the
//! vertex stage to it. Locations have holes, and every list of declarations has an order of its own.

use std::fmt::Write as _;
use std::ops::Range;

use gpucc_sim::SplitMix64;

/// Locations that are chosen from.
const LOCATIONS: u32 = 8;

/// A colour target.
#[derive(Clone, Debug)]
pub struct Target {
    /// Its location.
    pub location: u32,
    /// Which of the four words of a pixel it holds: one, two or four.
    pub words: Range<u32>,
}

/// A number that a vertex buffer holds for all vertices.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Location of the attribute.
    pub location: u32,
    /// The buffer it lies in.
    pub buffer: u32,
    /// The number.
    pub value: u32,
    /// Where the vertex stage hands it on.
    varying: u32,
}

/// The pipeline of a seed.
#[derive(Clone, Debug)]
pub struct Pipeline {
    /// Targets in the order of declaration.
    pub targets: Vec<Target>,
    /// Attributes in the order of declaration.
    pub attributes: Vec<Attribute>,
    /// Varyings in the orders in which the stages declare them, by number of the attribute.
    orders: [Vec<usize>; 2],
}

fn shuffle<T>(list: &mut [T], rng: &mut SplitMix64) {
    for k in (1..list.len()).rev() {
        list.swap(k, rng.below(k as u64 + 1) as usize);
    }
}

fn locations(rng: &mut SplitMix64) -> Vec<u32> {
    let mut list: Vec<u32> = (0..LOCATIONS).collect();
    shuffle(&mut list, rng);
    list
}

/// Members of a structure; a position among them has any place.
fn members(lines: &[String], position: bool, place: usize) -> String {
    let mut list = lines.to_vec();
    if position {
        list.insert(place % (lines.len() + 1), "@builtin(position) at: vec4<f32>".into());
    }
    list.join(", ")
}

impl Pipeline {
    /// The pipeline of a seed.
    pub fn new(seed: u64) -> Pipeline {
        let mut rng = SplitMix64::new(seed ^ 0x1d4a7);
        let mut sizes: Vec<u32> = [vec![4], vec![2, 2], vec![1, 1, 2], vec![1; 4]][rng.below(4) as usize].clone();
        shuffle(&mut sizes, &mut rng);
        let mut first = 0;
        let mut targets: Vec<Target> = Vec::new();
        for (n, location) in sizes.into_iter().zip(locations(&mut rng)) {
            targets.push(Target { location, words: first..first + n });
            first += n;
        }
        shuffle(&mut targets, &mut rng);
        let places = locations(&mut rng).into_iter().zip(locations(&mut rng));
        let attributes: Vec<Attribute> = places
            .take(rng.below(5) as usize)
            .map(|(location, varying)| Attribute {
                location,
                buffer: rng.below(3) as u32,
                value: rng.next_u32(),
                varying,
            })
            .collect();
        let mut order = || {
            let mut list: Vec<usize> = (0..attributes.len()).collect();
            shuffle(&mut list, &mut rng);
            list
        };
        let orders = [order(), order()];
        Pipeline { targets, attributes, orders }
    }

    fn varyings(&self, stage: usize) -> String {
        let line = |&k: &usize| format!("@location({}) @interpolate(flat) got{k}: u32", self.attributes[k].varying);
        let lines: Vec<String> = self.orders[stage].iter().map(line).collect();
        members(&lines, true, self.orders[stage].first().copied().unwrap_or_default())
    }

    /// Types of what the stages hand on, and the vertex stage: a triangle over the whole picture.
    pub fn vertex(&self) -> String {
        let mut out = format!("struct Varyings {{ {} }}\n", self.varyings(0));
        let colour = |t: &Target| match t.words.len() {
            1 => format!("@location({}) c{}: u32", t.location, t.location),
            n => format!("@location({}) c{}: vec{n}<u32>", t.location, t.location),
        };
        let colours: Vec<String> = self.targets.iter().map(colour).collect();
        let _ = writeln!(out, "struct Colours {{ {} }}", members(&colours, false, 0));
        let inputs = self.attributes.iter().enumerate().map(|(k, a)| format!("@location({}) a{k}: u32, ", a.location));
        let inputs: String = inputs.collect();
        let handed: String = (0..self.attributes.len()).map(|k| format!(" v.got{k} = a{k};")).collect();
        let _ = writeln!(
            out,
            "@vertex fn vs({inputs}@builtin(vertex_index) i: u32) -> Varyings {{\n    var v: Varyings;\n    \
             v.at = vec4<f32>(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0, 0.0, 1.0);{handed}\n    return v;\n}}"
        );
        out
    }

    /// The head of the fragment stage.
    pub fn fragment(&self) -> String {
        format!("@fragment fn fs({}) -> Colours {{", self.varyings(1))
    }

    /// A term that is 0 if what the fragment stage reads is what lies in the buffers.
    pub fn nothing(&self) -> String {
        let term = |(k, a): (usize, &Attribute)| format!(" + (got{k} ^ {}u)", a.value);
        self.attributes.iter().enumerate().map(term).collect()
    }

    /// The form in which a pixel's words leave.
    pub fn colours(&self) -> String {
        let one = |t: &Target| {
            let lanes: String = "xyzw"[t.words.start as usize..t.words.end as usize].into();
            format!("pixel.{lanes}")
        };
        let list: Vec<String> = self.targets.iter().map(one).collect();
        format!("Colours({})", list.join(", "))
    }
}
