//! Buffers on the command line: `zero:BYTES`, lists of numbers, several of them one behind the other, and the text of a dump.

use std::fmt::Write as _;
use std::path::Path;

use gpucc_ir::Scalar;

use crate::{Failure, files};

/// How people write a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Unsigned.
    U32,
    /// Signed.
    I32,
    /// A float.
    F32,
    /// Two floats, the one in the low half first.
    F16,
    /// Hexadecimal.
    Hex,
}

impl Kind {
    /// The one of that name.
    pub fn named(name: &str) -> Option<Kind> {
        Some(match name {
            "u32" => Kind::U32,
            "i32" => Kind::I32,
            "f32" => Kind::F32,
            "f16" => Kind::F16,
            "hex" => Kind::Hex,
            _ => return None,
        })
    }

    /// How to write what a shader accesses as this, if it is a float.
    pub fn of(scalar: Option<Scalar>) -> Kind {
        match scalar {
            Some(Scalar::F32) => Kind::F32,
            Some(Scalar::F16) => Kind::F16,
            _ => Kind::U32,
        }
    }
}

/// The bytes of a buffer and how they were written.
#[derive(Clone, Debug, Default)]
pub struct Spec {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// End in bytes of each part, and its kind; none for zeros and files.
    parts: Vec<(usize, Option<Kind>)>,
}

impl Spec {
    /// How the word at a byte offset was written, if as numbers.
    pub fn kind(&self, offset: usize) -> Option<Kind> {
        self.parts.get(self.parts.partition_point(|p| p.0 <= offset))?.1
    }
}

/// The numbers of a list, each as bytes.
fn list<const N: usize>(what: &str, text: &str, number: impl Fn(&str) -> Option<[u8; N]>) -> Result<Vec<u8>, Failure> {
    let mut out = Vec::new();
    for item in text.split(',').map(str::trim).filter(|s| !s.is_empty()) {
        out.extend(number(item).ok_or_else(|| Failure::Usage(format!("`{item}` is not a valid {what}")))?);
    }
    Ok(out)
}

fn integer(item: &str, range: std::ops::RangeInclusive<i64>) -> Option<[u8; 4]> {
    let (neg, digits) = item.strip_prefix('-').map_or((false, item), |d| (true, d));
    let v = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(h) => i64::from_str_radix(h, 16).ok()?,
        None => digits.parse().ok()?,
    };
    let v = if neg { -v } else { v };
    range.contains(&v).then_some((v as u32).to_le_bytes())
}

/// A list of numbers; nothing for another kind.
fn numbers(kind: &str, text: &str) -> Option<Result<(Vec<u8>, Kind), Failure>> {
    let (bytes, kind) = match kind {
        "f32" => (list(kind, text, |s| Some(s.parse::<f32>().ok()?.to_le_bytes())), Kind::F32),
        "f16" => (list(kind, text, |s| Some(half::f16::from_f64(s.parse::<f64>().ok()?).to_le_bytes())), Kind::F16),
        "u32" => (list(kind, text, |s| integer(s, 0..=i64::from(u32::MAX))), Kind::U32),
        "i32" => (list(kind, text, |s| integer(s, i64::from(i32::MIN)..=i64::from(i32::MAX))), Kind::I32),
        _ => return None,
    };
    Some(bytes.map(|b| (b, kind)))
}

/// The parts of a specification: `+` before a kind begins another one.
fn parts(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut from = 0;
    for (at, _) in text.match_indices('+') {
        let next = &text[at + 1..];
        if ["zero:", "f32:", "f16:", "u32:", "i32:"].iter().any(|k| next.starts_with(k)) {
            out.push(&text[from..at]);
            from = at + 1;
        }
    }
    out.push(&text[from..]);
    out
}

/// Largest buffer.
const MOST: usize = files::MAX_BUFFER;

/// The bytes of a buffer specification.
///
/// # Errors
/// A usage failure for malformed numbers, an I/O failure for unreadable files.
pub fn spec(text: &str) -> Result<Spec, Failure> {
    let mut out = Spec::default();
    let all = parts(text);
    for &part in &all {
        let (bytes, kind) = match part.split_once(':') {
            Some(("zero", n)) => {
                let n: usize = n.trim().parse().map_err(|_| Failure::Usage(format!("`{n}` is not a size in bytes")))?;
                if n > MOST {
                    return Err(Failure::Usage(format!("a buffer of {n} bytes is beyond the limit of {MOST}")));
                }
                (vec![0; n], None)
            }
            Some((kind, l)) if let Some(done) = numbers(kind, l) => done.map(|(b, k)| (b, Some(k)))?,
            // A misspelt kind is taken for a file.
            _ if part != "-" && !Path::new(part).exists() => {
                return Err(Failure::Io(format!(
                    "`{part}` is neither a file nor one of zero:BYTES, f32:1,2.5,..., f16:1,..., u32:1,2,... and i32:-1,2,..."
                )));
            }
            _ => (files::read(Path::new(part))?, None),
        };
        out.bytes.extend(bytes);
        out.parts.push((out.bytes.len(), kind));
        if out.bytes.len() > MOST {
            return Err(Failure::Usage(format!("a buffer of more than {MOST} bytes is beyond the limit")));
        }
    }
    Ok(out)
}

/// The files that a buffer specification reads.
pub fn files(text: &str) -> Vec<std::path::PathBuf> {
    let is_list = |p: &&str| p.split_once(':').is_some_and(|(k, l)| k == "zero" || numbers(k, l).is_some());
    parts(text).into_iter().filter(|p| !is_list(p)).map(Into::into).collect()
}

/// Words as a list of numbers; `kind` tells for each byte offset how.
pub fn text(bytes: &[u8], kind: impl Fn(usize) -> Kind) -> String {
    let mut out = String::new();
    for (i, w) in bytes.chunks(4).enumerate() {
        if i > 0 {
            out.push(',');
        }
        let Ok(b) = <[u8; 4]>::try_from(w) else {
            let half = <[u8; 2]>::try_from(w).ok().filter(|_| kind(4 * i) == Kind::F16);
            let _ = match half {
                Some(b) => write!(out, "{:?}", half::f16::from_le_bytes(b).to_f32()),
                None => write!(out, "{w:02x?}"),
            };
            continue;
        };
        let _ = match kind(4 * i) {
            Kind::F32 => write!(out, "{:?}", f32::from_le_bytes(b)),
            Kind::F16 => {
                let [x, y] = [[b[0], b[1]], [b[2], b[3]]].map(|b| half::f16::from_le_bytes(b).to_f32());
                write!(out, "{x:?},{y:?}")
            }
            Kind::I32 => write!(out, "{}", i32::from_le_bytes(b)),
            Kind::Hex => write!(out, "{:#010x}", u32::from_le_bytes(b)),
            Kind::U32 => write!(out, "{}", u32::from_le_bytes(b)),
        };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::binding;

    #[test]
    fn specifications() {
        assert_eq!(spec("zero:3").ok().map(|s| s.bytes), Some(vec![0; 3]));
        assert_eq!(spec("u32:1, 0x10").ok().map(|s| s.bytes), Some(vec![1, 0, 0, 0, 16, 0, 0, 0]));
        assert_eq!(spec("i32:-1").ok().map(|s| s.bytes), Some(vec![255; 4]));
        assert_eq!(spec("f32:1.0").ok().map(|s| s.bytes), Some(vec![0, 0, 0x80, 0x3f]));
        assert!(matches!(spec("u32:-1"), Err(Failure::Usage(_))));
        assert!(matches!(spec("u32:x"), Err(Failure::Usage(_))));
        assert!(matches!(spec("no such file"), Err(Failure::Io(_))));
        assert!(matches!(binding("0=zero:1"), Err(Failure::Usage(_))));
        assert_eq!(binding("1:2=zero:4").ok(), Some((1, 2, "zero:4")));
    }

    #[test]
    fn parts_of_several_kinds_follow_each_other() {
        let s = spec("u32:7,0x10+f32:1e+2,-0.5+zero:4+f16:1,2").expect("well formed");
        let words: Vec<u32> = s.bytes.chunks(4).map(|w| u32::from_le_bytes(w.try_into().expect("words"))).collect();
        assert_eq!(words, [7, 16, 0x42c8_0000, 0xbf00_0000, 0, 0x4000_3c00]);
        let own = |at: usize| s.kind(at).unwrap_or(Kind::Hex);
        assert_eq!(text(&s.bytes, own), "7,16,100.0,-0.5,0x00000000,1.0,2.0");
        assert_eq!(s.kind(24), None);
    }

    #[test]
    fn what_is_no_number_is_named() {
        for (wrong, name) in
            [("u32:1,-1", "`-1` is not a valid u32"), ("f16:x", "`x` is not a valid f16"), ("u32:1+f32:y", "`y`")]
        {
            let Err(Failure::Usage(text)) = spec(wrong) else { panic!("{wrong}") };
            assert!(text.contains(name), "{text}");
        }
    }
}
