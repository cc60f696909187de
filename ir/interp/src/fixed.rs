//! Loads and stores of all lanes at one constant offset: variables of functions, uniforms. In a program as the source has it that is most
//! of memory. The place is looked up once instead of once for each lane.
//!
//! Accesses that need a check of each lane (a race, bytes that nobody wrote, a bool, an access out of bounds) are left to `memory`.

use gpucc_ir::Scalar;
use gpucc_sim::AllocId;

use crate::memory::{Common, Found, LaneMemory, locate, read};
use crate::program::{DMem, DPlace};

/// The bytes of an access: offset in its place, size of a component, components.
type Span = (usize, usize, usize);

/// The span of an access that is inside and aligned in every lane.
fn span(common: &mut Common, m: &DMem) -> Option<Span> {
    let scalar = m.ty.scalar();
    if m.dynamic.is_some() || m.index.is_some() || scalar == Scalar::B1 {
        return None;
    }
    match locate(common, m, 0, true) {
        Ok(Some(Found { offset, strays: false, .. })) => {
            Some((offset, scalar.mem_bytes() as usize, m.ty.lanes() as usize))
        }
        _ => None,
    }
}

/// Loads into the rows from `dst` on, if every lane reads at the same offset and nothing else has to be looked at.
pub(crate) fn load(
    common: &mut Common,
    own: &mut LaneMemory,
    m: &DMem,
    (file, stride): (&mut [u64], usize),
    active: &[u32],
    dst: u32,
) -> bool {
    let Some((offset, size, n)) = span(common, m) else { return false };
    if let Some((b, base, apart)) = own.bytes(m.place) {
        let at = |l: u32| l as usize * apart + base + offset;
        if active.iter().any(|&l| b.written[at(l)..at(l) + n * size].contains(&false)) {
            return false;
        }
        for i in 0..n {
            let row = &mut file[(dst as usize + i) * stride..][..stride];
            for &l in active {
                row[l as usize] = read(&b.data, at(l) + i * size, size);
            }
        }
        return true;
    }
    let DPlace::Buffer(buffer) = m.place else { return false };
    if common.races.watches(AllocId(buffer)) {
        return false;
    }
    let data = &common.buffers[buffer as usize].data;
    for i in 0..n {
        let word = read(data, offset + i * size, size);
        let row = &mut file[(dst as usize + i) * stride..][..stride];
        active.iter().for_each(|&l| row[l as usize] = word);
    }
    true
}

/// Stores the rows from `src` on in memory that is a lane's own, if every lane writes at the same offset.
pub(crate) fn store(
    common: &mut Common,
    own: &mut LaneMemory,
    m: &DMem,
    (file, stride): (&[u64], usize),
    active: &[u32],
    src: u32,
) -> bool {
    let Some((offset, size, n)) = span(common, m) else { return false };
    let Some((b, base, apart)) = own.bytes(m.place) else { return false };
    for &l in active {
        let at = l as usize * apart + base + offset;
        for i in 0..n {
            let word = file[(src as usize + i) * stride + l as usize].to_le_bytes();
            b.data[at + i * size..][..size].copy_from_slice(&word[..size]);
        }
        b.written[at..at + n * size].fill(true);
    }
    true
}
