//! Values of uniforms outside of blocks, by their names: those that viewers of GLSL and engines give.

use gpucc::glsl::{Member, Shape};

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

/// The values of a member that has one of the names of a picture, and a type that fits.
fn known(m: &Member, p: &Picture) -> Option<Vec<f32>> {
    let Shape { rows, columns: 1, elements: 0, is_other: false, .. } = m.shape else { return None };
    let [w, h] = p.size;
    let values: Vec<f32> = match plain(&m.name).as_str() {
        "time" | "globaltime" | "elapsedtime" | "seconds" | "now" => vec![p.time],
        "resolution" | "viewport" | "viewportsize" | "screensize" | "rendersize" | "res" if rows > 1 => {
            vec![w, h, 1.0, 1.0]
        }
        "mouse" | "mousepos" | "mouseposition" if rows > 1 => vec![p.mouse[0], p.mouse[1], 0.0, 0.0],
        "frame" | "framecount" | "frameindex" => vec![p.frame as f32],
        "timedelta" | "deltatime" | "dt" => vec![1.0 / 60.0],
        "framerate" | "fps" => vec![60.0],
        "date" if rows == 4 => vec![0.0; 4],
        _ => return None,
    };
    let rows = rows as usize;
    (values.len() >= rows).then(|| values[..rows].to_vec())
}

fn put(words: &mut [u32], m: &Member, values: &[f32]) {
    for (k, v) in values.iter().enumerate() {
        if let Some(word) = words.get_mut(m.offset as usize / 4 + k) {
            *word = if m.shape.is_float { v.to_bits() } else { *v as i32 as u32 };
        }
    }
}
