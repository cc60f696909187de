//! Copies of memory that programs run on, kept from one dispatch or draw to the next: a large buffer is copied once for a list, not for each command.
//!
//! The host may write mapped memory between lists, and while a list waits for an event. So a copy is good for one stretch between these; later its
//! room alone is used again. What other commands write is seen by the number of writes that memory counts.

use std::sync::{Arc, Weak};

use gpucc_device::{Lender, Taken, refill};
use gpucc_sim::texture::Image as Texels;

use crate::memory::{Image, Memory};

/// Bytes from which on a copy is kept.
const LEAST: usize = 4096;
/// Bytes that all copies may take. What is beyond is not kept.
const MOST: usize = 512 << 20;

/// Most copies: each is looked at when one is taken.
const COUNT: usize = 64;

/// A copy that no program has at the moment.
#[derive(Debug)]
struct Copy {
    memory: Weak<Memory>,
    at: usize,
    /// Writes that the memory had seen.
    writes: u64,
    /// The stretch that it is of.
    stretch: u64,
    bytes: Vec<u8>,
    /// Room for a second copy.
    spare: Vec<u8>,
}

/// The copies of a device.
#[derive(Debug, Default)]
pub struct Copies {
    list: Vec<Copy>,
    stretch: u64,
}

impl Copies {
    /// Begins a stretch: the host may have written.
    pub fn begin(&mut self) {
        self.stretch += 1;
        // What two stretches did not use is not wanted any more.
        let least = self.stretch.saturating_sub(2);
        self.list.retain(|c| c.memory.strong_count() > 0 && c.stretch >= least);
    }

    /// Tells copies of a memory that a program changed bytes of a part of it, before and after which memory had counted these writes.
    fn wrote(&mut self, memory: &Arc<Memory>, (before, after): (u64, u64), at: usize, (old, new): (&[u8], &[u8])) {
        let of = |c: &&mut Copy| std::ptr::eq(c.memory.as_ptr(), Arc::as_ptr(memory)) && c.writes == before;
        for c in self.list.iter_mut().filter(of) {
            let (from, to) = (at.max(c.at), (at + old.len()).min(c.at + c.bytes.len()));
            if from < to {
                let own = &mut c.bytes[from - c.at..to - c.at];
                for (own, (o, n)) in own.iter_mut().zip(old[from - at..to - at].iter().zip(&new[from - at..to - at])) {
                    if o != n {
                        *own = *n;
                    }
                }
            }
            c.writes = after;
        }
    }
}

impl Lender for Copies {
    type Memory = Arc<Memory>;
    type Image = Arc<Image>;

    fn memory_id(memory: &Arc<Memory>) -> usize {
        Arc::as_ptr(memory) as usize
    }

    fn image_id(image: &Arc<Image>) -> usize {
        Arc::as_ptr(image) as usize
    }

    fn put(&mut self, memory: &Arc<Memory>, at: usize, old: &[u8], new: &[u8]) {
        let before = memory.bytes.writes();
        if memory.bytes.put_changed(at, old, new) {
            self.wrote(memory, (before, memory.bytes.writes()), at, (old, new));
        }
    }

    fn texels(image: &Arc<Image>) -> Texels {
        image.take()
    }

    fn give(image: &Arc<Image>, texels: Texels) {
        image.give(texels);
    }

    fn take(&mut self, memory: &Arc<Memory>, at: usize, size: usize) -> Taken {
        let is = |c: &Copy| c.at == at && c.bytes.len() == size && std::ptr::eq(c.memory.as_ptr(), Arc::as_ptr(memory));
        let Some(k) = self.list.iter().rposition(is) else {
            return Taken { bytes: memory.bytes.get(at, size), spare: Vec::new() };
        };
        let Copy { mut bytes, spare, writes, stretch, .. } = self.list.swap_remove(k);
        if (writes, stretch) != (memory.bytes.writes(), self.stretch) {
            memory.bytes.with(at, size, |own| refill(&mut bytes, own));
        }
        Taken { bytes, spare }
    }

    fn keep(&mut self, memory: &Arc<Memory>, at: usize, taken: Taken) {
        let room = |c: &Copy| c.bytes.capacity() + c.spare.capacity();
        let own = taken.bytes.capacity() + taken.spare.capacity();
        if taken.bytes.len() < LEAST || self.list.iter().map(room).sum::<usize>() + own > MOST {
            return;
        }
        if self.list.len() >= COUNT {
            self.list.remove(0);
        }
        let (memory, writes) = (Arc::downgrade(memory), memory.bytes.writes());
        let Taken { bytes, spare } = taken;
        self.list.push(Copy { memory, at, writes, stretch: self.stretch, bytes, spare });
    }
}
