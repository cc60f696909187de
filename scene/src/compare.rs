//! How an output is compared with the bytes that are expected.

use gpucc_pipeline::Format;
use gpucc_sim::texture::Codec;

/// The type of an output's components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the words of the format")]
pub enum Type {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    F16,
    F32,
    /// Four codes from the lowest bit of a word.
    Rgb10a2,
    /// Three values of a word.
    Rg11b10,
}

crate::model::de::words! {
    Type { "u8" U8 "i8" I8 "u16" U16 "i16" I16 "u32" U32 "i32" I32 "f16" F16 "f32" F32 "rgb10a2" Rgb10a2
           "rg11b10" Rg11b10 }
}

impl Type {
    /// Bytes of a component, or of a packed word, and the components in it.
    fn shape(self) -> (usize, usize) {
        match self {
            Type::U8 | Type::I8 => (1, 1),
            Type::U16 | Type::I16 | Type::F16 => (2, 1),
            Type::U32 | Type::I32 | Type::F32 => (4, 1),
            Type::Rgb10a2 => (4, 4),
            Type::Rg11b10 => (4, 3),
        }
    }

    /// A component; every value is exact in 64 bits.
    fn component(self, bytes: &[u8], at: usize) -> f64 {
        let (size, per) = self.shape();
        let part = &bytes[at / per * size..][..size];
        let word = part.iter().rev().fold(0u32, |w, &b| w << 8 | u32::from(b));
        let float = |f: Format, k: usize| f64::from(f32::from_bits(f.decode(part)[k]));
        match self {
            Type::U8 | Type::U16 | Type::U32 => f64::from(word),
            Type::I8 => f64::from(word as i8),
            Type::I16 => f64::from(word as i16),
            Type::I32 => f64::from(word as i32),
            Type::F16 => float(Format::R16Float, 0),
            Type::F32 => f64::from(f32::from_bits(word)),
            Type::Rgb10a2 => f64::from(word >> (10 * (at % 4)) & if at % 4 == 3 { 3 } else { 0x3ff }),
            Type::Rg11b10 => float(Format::Rg11b10Ufloat, at % 3),
        }
    }
}

/// A way to compare two outputs.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// The same bytes, with a mask only where its bits are set.
    Exact {
        /// The mask.
        mask: Option<Vec<u8>>,
    },
    /// Every component within `abs + rel * |want|`; NaN matches NaN.
    Near {
        /// Components.
        ty: Type,
        /// Absolute part.
        abs: f64,
        /// Part relative to what is expected.
        rel: f64,
    },
    /// Every component from `lo` to `hi`; where `lo` is greater, anything.
    Range {
        /// Components.
        ty: Type,
        /// Least values.
        lo: Vec<u8>,
        /// Greatest values.
        hi: Vec<u8>,
    },
}

/// A comparison with the part of the pixels that may differ in any way.
#[derive(Clone, Debug, PartialEq)]
pub struct Compare {
    /// The comparison of a component.
    pub kind: Kind,
    /// Components of a pixel.
    pub pixel: usize,
    /// Part of the pixels that may differ.
    pub share: f64,
}

impl Compare {
    /// A comparison that asks for the same bytes.
    pub fn exact() -> Compare {
        Compare { kind: Kind::Exact { mask: None }, pixel: 1, share: 0.0 }
    }

    /// Compares.
    ///
    /// # Errors
    /// The first difference, if more differs than may.
    pub fn check(&self, want: &[u8], got: &[u8]) -> Result<(), Difference> {
        if want.len() != got.len() {
            return Err(Difference::Length { want: want.len(), got: got.len() });
        }
        match &self.kind {
            Kind::Exact { .. } if want == got => Ok(()),
            Kind::Exact { mask } => {
                let of = |k: usize| mask.as_ref().map_or(0xff, |m| m.get(k).copied().unwrap_or(0));
                self.components(want.len(), |k| {
                    ((want[k] ^ got[k]) & of(k) != 0).then(|| (format!("{:#04x}", got[k]), format!("{:#04x}", want[k])))
                })
            }
            Kind::Near { ty, abs, rel } => {
                let count = count(*ty, want.len())?;
                self.components(count, |k| {
                    let (w, g) = (ty.component(want, k), ty.component(got, k));
                    let is_right = w == g || w.is_nan() && g.is_nan() || (g - w).abs() <= abs + rel * w.abs();
                    (!is_right).then(|| (g.to_string(), w.to_string()))
                })
            }
            Kind::Range { ty, lo, hi } => {
                let count = count(*ty, want.len())?;
                for side in [lo, hi] {
                    if side.len() != want.len() {
                        return Err(Difference::Length { want: side.len(), got: got.len() });
                    }
                }
                self.components(count, |k| {
                    let (l, h, g) = (ty.component(lo, k), ty.component(hi, k), ty.component(got, k));
                    let is_nan = g.is_nan() && (l.is_nan() || h.is_nan());
                    let is_right = l > h || (l <= g && g <= h) || is_nan;
                    (!is_right).then(|| (g.to_string(), format!("{l} to {h}")))
                })
            }
        }
    }

    /// Asks for each component whether it is wrong, and counts pixels.
    fn components(
        &self,
        count: usize,
        mut wrong: impl FnMut(usize) -> Option<(String, String)>,
    ) -> Result<(), Difference> {
        let per = self.pixel.max(1);
        let pixels = count.div_ceil(per);
        let (mut first, mut bad) = (None, 0usize);
        for pixel in 0..pixels {
            let range = pixel * per..((pixel + 1) * per).min(count);
            if let Some((k, (got, want))) = range.into_iter().find_map(|k| wrong(k).map(|texts| (k, texts))) {
                bad += 1;
                first.get_or_insert((pixel, k % per, got, want));
            }
        }
        match first {
            Some((pixel, component, got, want)) if bad as f64 > self.share * pixels as f64 => {
                Err(Difference::Value { pixel, component, got, want, bad, pixels, share: self.share })
            }
            _ => Ok(()),
        }
    }
}

fn count(ty: Type, bytes: usize) -> Result<usize, Difference> {
    let (size, per) = ty.shape();
    if bytes.is_multiple_of(size) { Ok(bytes / size * per) } else { Err(Difference::Torn { bytes, size }) }
}

/// How an output differs from what is expected.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// Another number of bytes.
    Length {
        /// Bytes expected.
        want: usize,
        /// Bytes there.
        got: usize,
    },
    /// Bytes that are no whole components.
    Torn {
        /// Bytes there.
        bytes: usize,
        /// Bytes of a component.
        size: usize,
    },
    /// A component.
    Value {
        /// The first pixel that differs.
        pixel: usize,
        /// The component in it.
        component: usize,
        /// Its value.
        got: String,
        /// The expectation.
        want: String,
        /// Pixels that differ.
        bad: usize,
        /// All pixels.
        pixels: usize,
        /// Part of them that may differ.
        share: f64,
    },
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Difference::Length { want, got } => write!(f, "{got} bytes where {want} are expected"),
            Difference::Torn { bytes, size } => write!(f, "{bytes} bytes are no whole components of {size} bytes"),
            Difference::Value { pixel, component, got, want, bad, pixels, share } => {
                write!(f, "pixel {pixel}, component {component}: {got} where {want} is expected")?;
                write!(f, "; {bad} of {pixels} pixels differ")?;
                if *share > 0.0 { write!(f, ", {share} of them may") } else { Ok(()) }
            }
        }
    }
}

impl std::error::Error for Difference {}
