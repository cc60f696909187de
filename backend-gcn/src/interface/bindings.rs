//! Tables of bind groups: where the descriptors of textures, samplers and images lie (`docs/abi-gcn.md`, section 2.1).

use gpucc_ir::{Function, Module, Res, ResourceKind, SecondaryMap};

/// Bytes of a T#, of a T# with that of its FMASK, and of an S# or V#.
pub const IMAGE: u32 = 32;
/// Bytes of a T# with the T# of the FMASK behind it.
pub const TEXTURE: u32 = 64;
/// An S# or a V#.
pub const QUAD: u32 = 16;

/// The tables of what an entry point uses.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    offsets: SecondaryMap<Res, u32>,
    /// Bind groups with textures, samplers or images, ascending.
    pub groups: Vec<u32>,
}

/// Bytes of one element of a resource in its table.
pub fn size(kind: ResourceKind) -> u32 {
    match kind {
        ResourceKind::Texture { .. } => TEXTURE,
        ResourceKind::StorageTexture { .. } => IMAGE,
        _ => QUAD,
    }
}

impl Bindings {
    /// The tables of `f`.
    pub fn new(m: &Module, f: &Function) -> Bindings {
        let mut out = Bindings::default();
        let mut used: SecondaryMap<Res, bool> = SecondaryMap::new();
        for (_, i) in f.insts_in_order() {
            for r in f.insts[i].resources() {
                used[r] = true;
                if !m.resources[r].kind.is_buffer() {
                    out.groups.push(m.resources[r].group);
                }
            }
        }
        out.groups.sort_unstable();
        out.groups.dedup();
        for &group in &out.groups {
            let of_group = m.resources.iter().filter(|(r, d)| used[*r] && d.group == group);
            // A buffer, a texture and a sampler may share a number.
            let class = |kind: ResourceKind| match kind {
                k if k.is_buffer() => 0,
                ResourceKind::Sampler { .. } => 2,
                _ => 1,
            };
            let mut list: Vec<(u32, u8, Res)> = of_group
                .filter(|(_, d)| d.kind != ResourceKind::Immediates)
                .map(|(r, d)| (d.binding, class(d.kind), r))
                .collect();
            list.sort_unstable();
            let wide = |r: Res| size(m.resources[r].kind) >= IMAGE;
            // First those of the alignment that the last binding does not have.
            let last = list.last().is_some_and(|l| wide(l.2));
            list.sort_by_key(|l| wide(l.2) == last);
            let mut at: u32 = 0;
            for (_, _, r) in list {
                at = at.next_multiple_of(if wide(r) { IMAGE } else { QUAD });
                out.offsets[r] = at;
                at += size(m.resources[r].kind) * m.resources[r].count.max(1);
            }
        }
        out
    }

    /// Where the first element of a resource lies in the table of its group.
    pub fn at(&self, r: Res) -> u32 {
        self.offsets[r]
    }
}
