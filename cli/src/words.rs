//! Buffers on the command line: `zero:BYTES`, lists of numbers and of addresses, several of them one behind the other, and the text of a dump.

use std::fmt::Write as _;
use std::path::Path;

use gpucc_ir::Scalar;
use gpucc_sim::Dispatch;

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
    /// The bytes of all parts.
    pub bytes: Vec<u8>,
    /// End in bytes of each part, and its kind; none for zeros, files and addresses.
    parts: Vec<(usize, Option<Kind>)>,
    /// Where addresses stand in it.
    pub addresses: Vec<Address>,
}

/// An address in a buffer: 8 bytes, the lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// Offset of the first byte.
    at: usize,
    /// Group and binding of the buffer that it leads to.
    to: (u32, u32),
    /// Bytes from the beginning of that buffer.
    offset: u64,
}

impl Address {
    /// `G:B` or `G:B+BYTES`.
    fn parse(text: &str) -> Result<Address, Failure> {
        let bad = || Failure::Usage(format!("`{text}` is no address: expected GROUP:BINDING or GROUP:BINDING+BYTES"));
        let (place, offset) = match text.split_once('+') {
            Some((place, n)) => (place, n.trim().parse().map_err(|_| bad())?),
            None => (text, 0),
        };
        let (group, binding, _) = files::binding(&format!("{}=", place.trim())).map_err(|_| bad())?;
        Ok(Address { at: 0, to: (group, binding), offset })
    }
}

/// Writes addresses into a buffer that is bound, or into immediate data; the buffers that they lead to get some.
///
/// # Errors
/// A usage failure where such a buffer is not given.
pub fn link(dispatch: &mut Dispatch, (group, binding): (u32, u32), addresses: &[Address]) -> Result<(), Failure> {
    for a in addresses {
        let to = dispatch.index_of(a.to.0, a.to.1).ok_or_else(|| {
            let binding = gpucc_ir::binding_text(a.to.1);
            Failure::Usage(format!("addr:{}:{binding}: no such buffer is given with --buf", a.to.0))
        })?;
        let first = dispatch.give_address(to).map_err(|t| Failure::Usage(t.message))?;
        let bytes = first.wrapping_add(a.offset).to_le_bytes();
        if let Some(b) = dispatch.buffer_mut(group, binding) {
            b.bytes[a.at..a.at + 8].copy_from_slice(&bytes);
        }
    }
    Ok(())
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
        if ["zero:", "f32:", "f16:", "u32:", "i32:", "addr:"].iter().any(|k| next.starts_with(k)) {
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
    spec_within(text, MOST)
}

/// As [`spec`], of at most so many bytes.
///
/// # Errors
/// As [`spec`].
pub fn spec_within(text: &str, most: usize) -> Result<Spec, Failure> {
    let mut out = Spec::default();
    let all = parts(text);
    for &part in &all {
        let (bytes, kind) = match part.split_once(':') {
            Some(("zero", n)) => {
                let n: usize = n.trim().parse().map_err(|_| Failure::Usage(format!("`{n}` is not a size in bytes")))?;
                if n > most {
                    return Err(Failure::Usage(format!("a buffer of {n} bytes is beyond the limit of {most}")));
                }
                (vec![0; n], None)
            }
            Some(("addr", list)) => {
                let list = list.split(',').map(str::trim).filter(|s| !s.is_empty());
                let first = out.addresses.len();
                for text in list {
                    let at = out.bytes.len() + 8 * (out.addresses.len() - first);
                    out.addresses.push(Address { at, ..Address::parse(text)? });
                }
                (vec![0; 8 * (out.addresses.len() - first)], None)
            }
            Some((kind, l)) if let Some(done) = numbers(kind, l) => done.map(|(b, k)| (b, Some(k)))?,
            // A misspelt kind is taken for a file.
            _ if part != "-" && !Path::new(part).exists() => {
                return Err(Failure::Io(format!(
                    "`{part}` is neither a file nor one of zero:BYTES, f32:1,2.5,..., f16:1,..., u32:1,2,..., i32:-1,2,... and addr:0:1,0:2+16,..."
                )));
            }
            _ => (files::read(Path::new(part))?, None),
        };
        out.bytes.extend(bytes);
        out.parts.push((out.bytes.len(), kind));
        if out.bytes.len() > most {
            return Err(Failure::Usage(format!("a buffer of more than {most} bytes is beyond the limit")));
        }
    }
    Ok(out)
}

/// As [`spec`], where nothing has an address.
///
/// # Errors
/// As [`spec`]; a usage failure for addresses.
pub fn plain(text: &str) -> Result<Vec<u8>, Failure> {
    let spec = spec(text)?;
    match spec.addresses.is_empty() {
        true => Ok(spec.bytes),
        false => Err(Failure::Usage(format!("`{text}`: addresses are for `run`"))),
    }
}

/// The files that a buffer specification reads.
pub fn files(text: &str) -> Vec<std::path::PathBuf> {
    let is_list =
        |p: &&str| p.split_once(':').is_some_and(|(k, l)| ["zero", "addr"].contains(&k) || numbers(k, l).is_some());
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
    fn addresses_stand_where_they_are_written() {
        let s = spec("u32:7,8+addr:0:1,0:2+16,0:1[3]+u32:5").expect("well formed");
        assert_eq!(s.bytes.len(), 36);
        let element = gpucc_ir::element_binding(1, 3).expect("small numbers");
        let want = [(8, (0, 1), 0), (16, (0, 2), 16), (24, (0, element), 0)];
        assert_eq!(s.addresses, want.map(|(at, to, offset)| Address { at, to, offset }));
        let mut d = Dispatch::new([1; 3]).with(0, 0, s.bytes.clone()).with(0, 1, vec![0; 4]).with(0, 2, vec![0; 32]);
        assert!(matches!(link(&mut d, (0, 0), &s.addresses), Err(Failure::Usage(t)) if t.contains("0:1[3]")));
        link(&mut d, (0, 0), &s.addresses[..2]).expect("both are there");
        let word = |at: usize| u64::from_le_bytes(d.buffers[0].bytes[at..at + 8].try_into().expect("8 bytes"));
        assert_eq!((Some(word(8)), Some(word(16) - 16)), (d.address(1), d.address(2)));
        assert_ne!(word(8) >> 32, word(16) >> 32);
        for wrong in ["addr:1", "addr:x:1", "addr:0:1+x", "addr:0:1+-4"] {
            assert!(matches!(spec(wrong), Err(Failure::Usage(_))), "{wrong}");
        }
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
