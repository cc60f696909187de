//! Values of uniforms by their names: those that viewers of GLSL and engines give.

use gpucc::glsl::{Member, Shape};
use gpucc_scene::moment::{Follows, Moment, Value};

/// What the names of a picture stand for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Picture {
    /// Width and height in pixels.
    pub size: [f32; 2],
    /// Seconds.
    pub time: f32,
    /// The mouse in pixels from the upper left.
    pub mouse: [f32; 2],
    /// Number of the frame.
    pub frame: u32,
}

/// The words of a block with these members, as the frame of a picture gives them.
///
/// # Errors
/// The first member that nobody gives a value.
pub fn of_picture<'m>(members: &'m [Member], picture: &Picture, bytes: u32) -> Result<Vec<u32>, &'m Member> {
    let mut words = vec![0; bytes.div_ceil(4) as usize];
    for m in members {
        let values = known(m, picture).ok_or(m)?;
        put(&mut words, m, &values);
    }
    Ok(words)
}

/// The letters of a name, without the `u` or `i` that many put in front.
fn plain(name: &str) -> String {
    let all: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    // `u_time`, `uTime`, `iTime`; `us` stays.
    let marked =
        name.starts_with(['u', 'i', '_']) && name[1..].starts_with(|c: char| c == '_' || c.is_ascii_uppercase());
    if marked { all[usize::from(!name.starts_with('_'))..].to_string() } else { all }
}

/// The value of the moment that a member has by its name, if its type fits.
fn value(m: &Member) -> Option<Value> {
    let Shape { rows, columns: 1, elements: 0, is_other: false, .. } = m.shape else { return None };
    let value = match plain(&m.name).as_str() {
        "time" | "globaltime" | "elapsedtime" | "seconds" | "now" => Value::Time,
        "resolution" | "viewport" | "viewportsize" | "screensize" | "rendersize" | "res" if rows > 1 => {
            Value::Resolution
        }
        "mouse" | "mousepos" | "mouseposition" if rows > 1 => Value::Mouse,
        "frame" | "framecount" | "frameindex" => Value::Frame,
        "timedelta" | "deltatime" | "dt" => Value::TimeDelta,
        "framerate" | "fps" => Value::FrameRate,
        _ => return None,
    };
    (value.lanes() >= rows).then_some(value)
}

/// The members of a block that follow the moment, by their names.
pub fn follows(members: &[Member]) -> Vec<Follows> {
    let one = |m: &Member| {
        let (value, components, integer) = (value(m)?, m.shape.rows, !m.shape.is_float);
        Some(Follows { value, offset: m.offset, components, integer })
    };
    members.iter().filter_map(one).collect()
}

/// The values of a member that has one of the names of a picture, and a type that fits.
fn known(m: &Member, p: &Picture) -> Option<Vec<f32>> {
    let rows = m.shape.rows as usize;
    let Some(value) = value(m) else {
        let is_date = plain(&m.name) == "date" && rows == 4 && m.shape.columns == 1 && m.shape.elements == 0;
        return (is_date && !m.shape.is_other).then(|| vec![0.0; 4]);
    };
    let size = p.size.map(|n| n as u32);
    let numbers =
        Moment { time: f64::from(p.time), frame: p.frame, mouse: p.mouse.map(f64::from), ..Moment::default() }
            .numbers(value, size);
    Some(numbers[..rows].iter().map(|n| *n as f32).collect())
}

fn put(words: &mut [u32], m: &Member, values: &[f32]) {
    for (k, v) in values.iter().enumerate() {
        if let Some(word) = words.get_mut(m.offset as usize / 4 + k) {
            *word = if m.shape.is_float { v.to_bits() } else { *v as i32 as u32 };
        }
    }
}

/// The words of a block of a made scene: values by the names of members, in the given of several tries.
pub fn made(members: &[Member], size: [u32; 2], bytes: u32, attempt: u32) -> Vec<u32> {
    let size = size.map(|n| n as f32);
    let picture = Picture { size, time: 1.0, mouse: [size[0] / 2.0, size[1] / 2.0], frame: 60 };
    let mut words = vec![0; bytes.div_ceil(4) as usize];
    for (n, m) in members.iter().enumerate() {
        if m.shape.is_other {
            continue;
        }
        match known(m, &picture) {
            Some(values) => put(&mut words, m, &values),
            None => {
                let rows = m.shape.rows.max(1);
                // Columns of matrices and elements of most arrays begin at words of four.
                let pad = if m.shape.columns > 1 || m.shape.elements > 0 { 4 } else { rows };
                let column = if m.shape.columns > 1 && rows == 2 { 2 } else { pad };
                for k in 0..m.shape.columns * m.shape.elements.max(1) {
                    let at = Member { offset: m.offset + k * column * 4, ..m.clone() };
                    put(&mut words, &at, &guess(m, k % m.shape.columns, n as u32, attempt));
                }
            }
        }
    }
    words
}

/// The values of a column of a member that has no name of a picture.
fn guess(m: &Member, column: u32, number: u32, attempt: u32) -> Vec<f32> {
    let name = plain(&m.name);
    let has = |parts: &[&str]| parts.iter().any(|p| name.contains(p));
    let rows = m.shape.rows as usize;
    if m.shape.columns > 1 {
        let own = |row: usize| matrix(column as usize, row, attempt, has(&["proj", "mvp", "vp", "clip", "camera"]));
        return (0..rows).map(own).collect();
    }
    if !m.shape.is_float {
        let many = has(&["count", "num", "steps", "samples", "iter", "octaves", "size", "width", "height"]);
        return vec![if many { 4.0 } else { f32::from(attempt > 0) }; rows];
    }
    if has(&["color", "colour", "tint", "albedo", "ambient", "diffuse"]) && attempt == 0 {
        return vec![1.0; rows];
    }
    if has(&["dir", "normal", "forward"]) && rows >= 3 {
        return vec![0.3, 0.4, 0.866, 0.0][..rows].to_vec();
    }
    if has(&["pos", "eye", "camera", "origin"]) && rows >= 3 {
        return vec![0.5, 0.5, 2.0, 1.0][..rows].to_vec();
    }
    match attempt {
        0 | 1 => vec![1.0; rows],
        2 => vec![0.5; rows],
        _ => (0..rows as u32).map(|k| noise(attempt, number * 4 + k)).collect(),
    }
}

/// An element of a matrix: the identity, and in later tries of one that projects a gentle perspective in which all places of the grid lie in front.
pub fn matrix(column: usize, row: usize, attempt: u32, projects: bool) -> f32 {
    match (column, row) {
        (2, 2) if projects && attempt > 0 => 0.5,
        (2, 3) if projects && attempt > 0 => 0.5,
        _ => f32::from(u8::from(column == row)),
    }
}

/// A number from 0 to 1 of a seed.
pub fn noise(seed: u32, number: u32) -> f32 {
    let mut n = seed.wrapping_mul(0x9e37_79b9) ^ number.wrapping_mul(0x85eb_ca6b);
    n ^= n >> 16;
    n = n.wrapping_mul(0x7feb_352d);
    n ^= n >> 15;
    (n % 1000) as f32 / 1000.0
}
