//! An example as data: inputs, and results to compare with.

use gpucc_sim::{BoundBuffer, Dispatch};

/// One run of an example.
pub struct Example {
    /// File name below `examples/`.
    pub file: &'static str,
    /// Entry point.
    pub entry: &'static str,
    /// Workgroup counts.
    pub grid: [u32; 3],
    /// `(group, binding, contents, writable)`.
    pub buffers: Vec<(u32, u32, Vec<u8>, bool)>,
    /// The expected contents of output buffers.
    pub expected: Vec<Expected>,
}

impl Example {
    /// A run of `main` on buffers of group 0: inputs, and behind them the one that is written, as it is before.
    pub(super) fn new(
        file: &'static str,
        [x, y]: [u32; 2],
        inputs: Vec<Vec<u8>>,
        before: Vec<u8>,
        words: Words,
    ) -> Example {
        let binding = inputs.len() as u32;
        let inputs = (0..).zip(inputs).map(|(k, bytes)| (0, k, bytes, false));
        let buffers = inputs.chain([(0, binding, before, true)]).collect();
        Example { file, entry: "main", grid: [x, y, 1], buffers, expected: vec![Expected { group: 0, binding, words }] }
    }

    /// The dispatch, with fresh buffers.
    pub fn dispatch(&self) -> Dispatch {
        let mut d = Dispatch::new(self.grid);
        for (group, binding, bytes, writable) in &self.buffers {
            d.buffers.push(BoundBuffer { group: *group, binding: *binding, bytes: bytes.clone(), writable: *writable });
        }
        d
    }
}

/// The contents that an output buffer must have.
pub struct Expected {
    /// Bind group.
    pub group: u32,
    /// Binding in the group.
    pub binding: u32,
    /// The words.
    pub words: Words,
}

/// Expected words of a buffer.
pub enum Words {
    /// Exact integers.
    U32(Vec<u32>),
    /// Floats with an absolute and a relative tolerance (WGSL's accuracy for the operations of that example).
    F32 {
        /// Values computed in double precision.
        values: Vec<f64>,
        /// Allowed absolute error.
        abs: f64,
        /// Allowed error relative to the value.
        rel: f64,
    },
}

impl Words {
    /// Compares with the bytes of a buffer.
    ///
    /// # Errors
    /// The first word that differs.
    pub fn check(&self, bytes: &[u8]) -> Result<(), String> {
        let got: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
        match self {
            Words::U32(want) => {
                if want.len() != got.len() {
                    return Err(format!("{} words, expected {}", got.len(), want.len()));
                }
                match want.iter().zip(&got).position(|(w, g)| w != g) {
                    Some(i) => Err(format!("word {i}: {:#x}, expected {:#x}", got[i], want[i])),
                    None => Ok(()),
                }
            }
            Words::F32 { values, abs, rel } => {
                if values.len() != got.len() {
                    return Err(format!("{} words, expected {}", got.len(), values.len()));
                }
                for (i, (w, g)) in values.iter().zip(&got).enumerate() {
                    let g = f64::from(f32::from_bits(*g));
                    if g.is_nan() || (g - w).abs() > abs + rel * w.abs() {
                        return Err(format!("float {i}: {g}, expected {w}"));
                    }
                }
                Ok(())
            }
        }
    }
}

/// Little-endian bytes of words.
pub fn words(w: &[u32]) -> Vec<u8> {
    w.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// Little-endian bytes of floats.
pub fn floats(f: &[f32]) -> Vec<u8> {
    f.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// A fixed stream of test data (xorshift64*), so that inputs are the same on each host.
pub(super) fn stream(seed: u64) -> impl FnMut() -> u32 {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        (x.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }
}
