//! Names that a wrong one may stand for: misspelt (`rgba8unrom`), cut (`rgba8`) or too short (`float3`).

use gpucc_pipeline::{Format, FormatError, VertexFormat};

/// The most names that are offered.
const MOST: usize = 5;

/// `; did you mean ...?`, or nothing where no name is like the wrong one.
pub fn meant<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> String {
    let list: Vec<String> = near(wrong, names).iter().map(|n| format!("`{n}`")).collect();
    match list.split_last() {
        None => String::new(),
        Some((one, [])) => format!("; did you mean {one}?"),
        Some((last, others)) => format!("; did you mean {} or {last}?", others.join(", ")),
    }
}

/// The texture format of a name.
///
/// # Errors
/// A sentence with the names that are like it.
pub fn format(name: &str) -> Result<Format, String> {
    let meant = || meant(name, Format::ALL.iter().map(|f| f.name()));
    Format::parse(name).map_err(|e| match e {
        FormatError::Unknown(_) => format!("{e}{}", meant()),
        FormatError::Compressed(_) => e.to_string(),
    })
}

/// The vertex format of a name.
///
/// # Errors
/// As [`format()`].
pub fn vertex_format(name: &str) -> Result<VertexFormat, String> {
    let meant = || meant(name, VertexFormat::ALL.iter().map(|f| f.name()));
    VertexFormat::parse(name).ok_or_else(|| format!("`{name}` is not a vertex format{}", meant()))
}

/// The names that are like a wrong one, in their order: those of the first of three ways of which there are some.
fn near<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    // A longer name is like none. The distance takes the product of both lengths.
    const LONGEST: usize = 64;
    if wrong.is_empty() || wrong.len() > LONGEST {
        return Vec::new();
    }
    let wrong = wrong.to_lowercase();
    let names: Vec<(&str, usize)> = names.map(|n| (n, distance(&wrong, &n.to_lowercase()))).collect();
    let least = names.iter().map(|(_, d)| *d).min().unwrap_or_default();
    let last = wrong.chars().next_back().filter(char::is_ascii_digit);
    let ways = [
        // With the number at the end, but letters and numbers in between left out: `float3` is `float32x3`, not `float32`.
        pick(&names, |n, d| d > 1 && last.is_some() && n.chars().next_back() == last && is_part(&wrong, n)),
        pick(&names, |n, d| d == least && d <= 2 && d < n.chars().count()),
        pick(&names, |n, _| n.starts_with(&wrong)),
    ];
    ways.into_iter().find(|l| !l.is_empty()).unwrap_or_default()
}

/// The names, by themselves and their distances, that are wanted.
fn pick<'a>(names: &[(&'a str, usize)], is_wanted: impl Fn(&str, usize) -> bool) -> Vec<&'a str> {
    names.iter().filter(|(n, d)| is_wanted(n, *d)).map(|(n, _)| *n).take(MOST).collect()
}

/// Whether the characters of `part` occur in `whole` in this order, the first one first.
fn is_part(part: &str, whole: &str) -> bool {
    let mut rest = whole.chars();
    part.chars().next() == whole.chars().next() && part.chars().all(|c| rest.any(|w| w == c))
}

/// How many letters are to be put in, taken out or changed to make one text of the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let changed = corner + usize::from(x != *y);
            corner = row[j + 1];
            row[j + 1] = changed.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
