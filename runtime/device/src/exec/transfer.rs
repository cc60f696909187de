//! Copies, fills and updates of buffers.

use crate::memory::Buffer;

/// The first words of a buffer, if it has so many.
pub fn words<const N: usize>(buffer: &Buffer) -> Option<[u32; N]> {
    buffer.memory().with(|all| {
        let bytes = all.get(buffer.place())?.get(..4 * N)?;
        Some(std::array::from_fn(|k| u32::from_le_bytes([0, 1, 2, 3].map(|b| bytes[4 * k + b]))))
    })
}

/// Copies as many bytes as the smaller buffer has. Ranges of one memory may overlap.
pub fn copy(from: &Buffer, to: &Buffer) {
    let size = from.size().min(to.size());
    let (source, target) = (from.part(0, size).place(), to.part(0, size).place());
    if from.memory() == to.memory() {
        from.memory().with(|all| all.copy_within(source, target.start));
        return;
    }
    // One after the other: no two commands of a device run at once, and a host access waits.
    let bytes = from.memory().with(|all| all[source].to_vec());
    to.memory().with(|all| all[target].copy_from_slice(&bytes));
}

/// Writes a word everywhere.
pub fn fill(buffer: &Buffer, word: u32) {
    let bytes = word.to_le_bytes();
    buffer.memory().with(|all| all[buffer.place()].chunks_exact_mut(4).for_each(|w| w.copy_from_slice(&bytes)));
}

/// Writes bytes to the start of a buffer.
pub fn update(buffer: &Buffer, bytes: &[u8]) {
    let place = buffer.part(0, bytes.len() as u64).place();
    buffer.memory().with(|all| {
        let size = place.len();
        all[place].copy_from_slice(&bytes[..size]);
    });
}
