//! Texels in simulated memory: a layout says where they lie, a closure reads words, another decodes.

use std::cell::RefCell;

use super::format::Texel;
use super::sample::{TexelAt, Texels};
use crate::trap::{Trap, unsupported};

/// Words of a texel of `bytes` bytes, at most 16: the byte each begins at, and how many it has.
pub fn texel_words(bytes: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..bytes.div_ceil(4)).map(move |k| (4 * k, (bytes - 4 * k).min(4)))
}

/// Texels of a view in simulated memory.
pub struct MemoryTexels<A, L, D> {
    address: A,
    bytes: u32,
    load: RefCell<L>,
    decode: D,
}

impl<A, L, D> MemoryTexels<A, L, D>
where
    A: Fn(TexelAt) -> u64,
    L: FnMut(u64, u32) -> Result<u64, Trap>,
    D: Fn(u128) -> Texel,
{
    /// Texels of `bytes` bytes, at most 16. `address` is that of a texel in range, `load` reads up to four bytes at an
    /// address, `decode` makes of a texel's bytes what the shader gets.
    pub fn new(address: A, bytes: u32, load: L, decode: D) -> Self {
        MemoryTexels { address, bytes, load: RefCell::new(load), decode }
    }

    /// The bytes of a texel.
    ///
    /// # Errors
    /// Memory that cannot be read.
    pub fn raw(&self, at: TexelAt) -> Result<u128, Trap> {
        let address = (self.address)(at);
        let mut load = self.load.borrow_mut();
        texel_words(self.bytes).try_fold(0, |raw, (byte, size)| {
            let word = (*load)(address.wrapping_add(byte.into()), size)?;
            Ok(raw | u128::from(word) << (8 * byte))
        })
    }
}

impl<A, L, D> Texels for MemoryTexels<A, L, D>
where
    A: Fn(TexelAt) -> u64,
    L: FnMut(u64, u32) -> Result<u64, Trap>,
    D: Fn(u128) -> Texel,
{
    fn texel(&self, at: TexelAt) -> Result<Texel, Trap> {
        Ok((self.decode)(self.raw(at)?))
    }
}

/// Texels of a view whose sizes alone count.
pub struct NoTexels;

impl Texels for NoTexels {
    fn texel(&self, _: TexelAt) -> Result<Texel, Trap> {
        Err(unsupported("texels of a view that has none"))
    }
}
