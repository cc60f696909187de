//! Lanes of a mask, and plain loads and stores of words by the lanes of a subgroup, one instruction at a time.
//!
//! Contract of loads and stores: what is loaded, stored, noted and found is what [`Memory`] and [`RaceCheck`] say lane after lane, from the
//! lowest. Where that asks for more than whole words inside of one allocation, nothing is done, and the caller goes lane by lane. A machine
//! in which something else watches its accesses (caches, weak memory, a turned order of lanes) asks that first.

use crate::memory::{AllocId, LanesMut, Memory};
use crate::race::{By, RaceCheck};
use crate::trap::Trap;

/// Numbers of the lanes of a mask, from the lowest.
#[inline]
pub fn lanes(mask: impl Into<u64>) -> impl Iterator<Item = usize> {
    let mut rest = mask.into();
    core::iter::from_fn(move || (rest != 0).then(|| next(&mut rest)))
}

/// Something for the lanes of a mask at least, of `N`: for all of them where more than `few` are on, so that the compiler can take several
/// at once.
#[inline(always)]
pub fn at_least<const N: usize>(mask: impl Into<u64>, few: u32, mut each: impl FnMut(usize)) {
    let mask = mask.into();
    if mask.count_ones() > few {
        (0..N).for_each(each);
    } else {
        lanes(mask).for_each(&mut each);
    }
}

/// The lanes of an instruction, and where their words lie.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    /// The allocation of all words.
    pub id: AllocId,
    /// Address where the allocation begins.
    pub base: u64,
    /// Its bytes that lanes may touch, from there on.
    pub bytes: u64,
    /// Address of the first byte of each lane, by its number.
    pub addresses: &'a [u64],
    /// The lanes, a bit each.
    pub lanes: u64,
    /// Words of each lane, one behind the other.
    pub words: usize,
    /// Lane 0, at the instruction.
    pub by: By,
}

impl Words<'_> {
    /// Offset of the first byte of a lane in the allocation; far outside for one before it.
    #[inline]
    fn offset(&self, lane: usize) -> u64 {
        self.addresses[lane].wrapping_sub(self.base)
    }

    /// Where the last word ends, if all are aligned and inside.
    #[inline]
    fn end(&self) -> Option<u64> {
        let mut rest = self.lanes;
        let (mut most, mut low) = (0, 0);
        while rest != 0 {
            let at = self.offset(next(&mut rest));
            (most, low) = (most.max(at), low | at);
        }
        let end = most.checked_add(4 * self.words as u64)?;
        (low.is_multiple_of(4) && end <= self.bytes).then_some(end)
    }

    /// The lines of `size` bytes that the words of the lanes lie in, without those that the lane before has named already.
    #[inline]
    pub fn each_line(&self, size: u64, mut each: impl FnMut(u64)) {
        let (mut rest, mut seen) = (self.lanes, u64::MAX);
        while rest != 0 {
            let first = self.offset(next(&mut rest));
            let last = first.wrapping_add(4 * self.words as u64 - 1);
            for line in [first / size, last / size] {
                if line != seen {
                    each(line);
                    seen = line;
                }
            }
        }
    }
}

/// The next lane of a mask, taken out.
#[inline]
fn next(rest: &mut u64) -> usize {
    let lane = rest.trailing_zeros() as usize;
    *rest &= *rest - 1;
    lane
}

fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|b| b.first_chunk()).map_or(0, |b| u32::from_le_bytes(*b))
}

/// Loads the words of all lanes: `put` gets lane, number of the word, and word. Gives whether it did.
///
/// # Errors
/// A race, with its lane.
#[inline]
pub fn load(
    memory: &Memory,
    races: &mut RaceCheck,
    w: &Words<'_>,
    mut put: impl FnMut(usize, usize, u32),
) -> Result<bool, (usize, Trap)> {
    let Some(lanes) = w.end().and_then(|end| memory.lanes(w.id, end)) else { return Ok(false) };
    let Some(plain) = races.plain(w.id, w.by.pc) else { return Ok(false) };
    if let Some(written) = lanes.written {
        let mut rest = w.lanes;
        while rest != 0 {
            let at = w.offset(next(&mut rest)) as usize;
            if !written[at..at + 4 * w.words].iter().fold(true, |all, w| all & w) {
                return Ok(false);
            }
        }
    }
    if let Some(mut plain) = plain {
        let mut rest = w.lanes;
        while rest != 0 {
            let lane = next(&mut rest);
            plain.load(w.by.lane + lane as u32, w.offset(lane), w.words).map_err(|t| (lane, t))?;
        }
    }
    let mut rest = w.lanes;
    while rest != 0 {
        let lane = next(&mut rest);
        let at = w.offset(lane) as usize;
        if let Some(touched) = lanes.touched {
            touched.load(at..at + 4 * w.words, lanes.group);
        }
        for k in 0..w.words {
            put(lane, k, word(lanes.bytes, at + 4 * k));
        }
    }
    Ok(true)
}

/// Stores the words of all lanes, which `get` gives by lane and number of the word. Gives whether it did.
///
/// # Errors
/// A race, with its lane.
#[inline]
pub fn store(
    memory: &mut Memory,
    races: &mut RaceCheck,
    w: &Words<'_>,
    get: impl Fn(usize, usize) -> u32,
) -> Result<bool, (usize, Trap)> {
    let Some(lanes) = w.end().and_then(|end| memory.lanes_mut(w.id, end)) else { return Ok(false) };
    let Some(mut plain) = races.plain(w.id, w.by.pc) else { return Ok(false) };
    let LanesMut { bytes, mut written, touched, group } = lanes;
    let mut rest = w.lanes;
    while rest != 0 {
        let lane = next(&mut rest);
        let first = w.offset(lane) as usize;
        for k in 0..w.words {
            let (at, new) = (first + 4 * k, get(lane, k));
            if let Some(plain) = &mut plain {
                let changes = word(bytes, at) != new;
                plain.store(w.by.lane + lane as u32, at as u64, changes).map_err(|t| (lane, t))?;
            }
            if let Some(to) = bytes.get_mut(at..).and_then(|b| b.first_chunk_mut()) {
                *to = new.to_le_bytes();
            }
        }
        if let Some(written) = &mut written {
            written[first..first + 4 * w.words].fill(true);
        }
        if let Some(touched) = touched {
            touched.store(first..first + 4 * w.words, group);
        }
    }
    Ok(true)
}
