//! A reader of little-endian fields, and what can be wrong with bytes.

use std::fmt;

use crate::VERSION_MAJOR;

/// Why bytes are no container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// The first bytes are not [`MAGIC`](crate::MAGIC).
    NotAContainer,
    /// A major version this reader does not know.
    Version(u16),
    /// The file or a section ends too early.
    Truncated(String),
    /// A field holds what no writer puts there.
    Invalid(String),
    /// A section that every entry needs is missing.
    Missing(String),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::NotAContainer => f.write_str("it does not begin with its magic"),
            ReadError::Version(v) => {
                write!(f, "container version {v} is not supported, this reader knows {VERSION_MAJOR}")
            }
            ReadError::Truncated(what) => write!(f, "container is cut off: {what}"),
            ReadError::Invalid(what) => write!(f, "container is damaged: {what}"),
            ReadError::Missing(what) => write!(f, "container is incomplete: {what}"),
        }
    }
}

impl std::error::Error for ReadError {}

pub(crate) struct Bytes<'a> {
    pub(crate) data: &'a [u8],
    pub(crate) what: &'static str,
}

impl<'a> Bytes<'a> {
    pub(crate) fn take(&mut self, n: usize) -> Result<&'a [u8], ReadError> {
        let (head, rest) = self.data.split_at_checked(n).ok_or_else(|| ReadError::Truncated(self.what.to_owned()))?;
        self.data = rest;
        Ok(head)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, ReadError> {
        Ok(self.take(1)?[0])
    }

    pub(crate) fn u16(&mut self) -> Result<u16, ReadError> {
        let b = self.take(2)?;
        Ok(u16::from_le_bytes([b[0], b[1]]))
    }

    pub(crate) fn u32(&mut self) -> Result<u32, ReadError> {
        let b = self.take(4)?;
        Ok(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    }

    pub(crate) fn u64(&mut self) -> Result<u64, ReadError> {
        Ok(u64::from(self.u32()?) | u64::from(self.u32()?) << 32)
    }

    pub(crate) fn text(&mut self) -> Result<String, ReadError> {
        let n = self.u32()? as usize;
        let bytes = self.take(n)?;
        self.take(n.wrapping_neg() % 4)?;
        let s = std::str::from_utf8(bytes).map_err(|_| self.invalid("text is not UTF-8"))?;
        Ok(s.to_owned())
    }

    pub(crate) fn invalid(&self, why: impl fmt::Display) -> ReadError {
        ReadError::Invalid(format!("{}: {why}", self.what))
    }

    /// A name in a field of 16 bytes.
    pub(crate) fn name16(&mut self) -> Result<String, ReadError> {
        let field = self.take(16)?;
        let n = field.iter().position(|&c| c == 0).ok_or_else(|| self.invalid("name has no end"))?;
        let s = std::str::from_utf8(&field[..n]).map_err(|_| self.invalid("name is not UTF-8"))?;
        Ok(s.to_owned())
    }

    /// All that is left.
    pub(crate) fn rest(&mut self) -> Result<Vec<u8>, ReadError> {
        Ok(std::mem::take(&mut self.data).to_vec())
    }

    /// Splits into records of `size` bytes.
    pub(crate) fn records(&self, size: usize) -> Result<impl Iterator<Item = Bytes<'a>> + use<'a>, ReadError> {
        if !self.data.len().is_multiple_of(size) {
            return Err(self.invalid(format_args!("{} bytes are no multiple of {size}", self.data.len())));
        }
        let what = self.what;
        Ok(self.data.chunks_exact(size).map(move |data| Bytes { data, what }))
    }
}

/// Appends a name in a field of 16 bytes, of which the last is 0.
pub(crate) fn put_name16(name: &str, out: &mut Vec<u8>) {
    let mut field = [0; 16];
    let n = name.len().min(15);
    field[..n].copy_from_slice(&name.as_bytes()[..n]);
    out.extend_from_slice(&field);
}
