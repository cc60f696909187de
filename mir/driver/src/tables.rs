//! Private variables that only ever hold the constants that the entry block stores into them: a family with memory for constants reads
//! them there, and their stores go away.

use gpucc_ir::{Attr, Function, InstData, Module, Op, Place, Space};

/// The tables of a function.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    places: Vec<(Place, u32)>,
    /// Bytes of all tables, one behind the other.
    pub data: Vec<u8>,
}

/// Variables of fewer bytes are as well off in registers and scratch.
const LEAST: u32 = 16;

impl Tables {
    /// Finds the tables of `f`.
    pub fn new(m: &Module, f: &Function) -> Tables {
        let mut found: Vec<(Place, Vec<u8>, bool)> = Vec::new();
        let mut refused: Vec<Place> = Vec::new();
        for (b, i) in f.insts_in_order() {
            let d = &f.insts[i];
            let place = match &d.attr {
                Attr::Mem(a) | Attr::Atomic(_, a) => a.place,
                Attr::Place(p) => *p,
                _ => continue,
            };
            let (Space::Function | Space::Private, Some(size)) = (m.space(place), m.place_size(f, place)) else {
                continue;
            };
            if refused.contains(&place) {
                continue;
            }
            let at = found.iter().position(|x| x.0 == place);
            let whole = size.next_multiple_of(4) as usize;
            let fits = match (&d.op, &d.attr) {
                (Op::Load, Attr::Mem(_)) => {
                    if let Some(k) = at {
                        found[k].2 = true;
                    }
                    at.is_some()
                }
                // Only before any load, where every invocation passes.
                (Op::Store, Attr::Mem(a)) if b == f.entry() && d.dyn_offset().is_none() && size >= LEAST => {
                    let k = at.unwrap_or_else(|| {
                        found.push((place, vec![0; whole], false));
                        found.len() - 1
                    });
                    let (_, bytes, read) = &mut found[k];
                    let ty = f.ty(d.args[0]);
                    let from = a.offset as usize;
                    match f.as_const(d.args[0]) {
                        Some(c) if !*read && ty.bits() == 32 && from + 4 * ty.lanes() as usize <= whole => {
                            for lane in 0..ty.lanes() as usize {
                                let word = (c.bits[lane] as u32).to_le_bytes();
                                bytes[from + 4 * lane..from + 4 * lane + 4].copy_from_slice(&word);
                            }
                            true
                        }
                        _ => false,
                    }
                }
                _ => false,
            };
            if !fits {
                refused.push(place);
                found.retain(|x| x.0 != place);
            }
        }
        let mut t = Tables::default();
        for (place, bytes, _) in found {
            t.data.resize(t.data.len().next_multiple_of(16), 0);
            t.places.push((place, t.data.len() as u32));
            t.data.extend(bytes);
        }
        t
    }

    /// The bytes as little-endian words.
    pub fn words(&self) -> impl Iterator<Item = u32> + '_ {
        self.data.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]))
    }

    /// The words that a load at a known place of a table gives.
    pub fn known(&self, f: &Function, load: &InstData) -> Option<Vec<u32>> {
        let (m, ty) = (load.mem()?, f.ty(load.result()));
        let table = self.at(m.place).filter(|_| ty.bits() == 32)?;
        let by = load.dyn_offset().map_or(Some(0), |v| f.const_bits(v))?;
        let from = usize::try_from(u64::from(table) + u64::from(m.offset) + by).ok()?;
        let bytes = self.data.get(from..from.checked_add(ty.mem_bytes() as usize)?)?;
        Some(bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect())
    }

    /// Where a table begins, if the place is one.
    pub fn at(&self, p: Place) -> Option<u32> {
        self.places.iter().find(|x| x.0 == p).map(|x| x.1)
    }
}
