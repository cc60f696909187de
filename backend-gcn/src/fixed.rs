//! Scalar registers that hold one thing for the whole program, and the constant words that fill them.
//!
//! s[0:1] point to the root block; the system values follow as the hardware loads them; then come descriptors and counts that the
//! program's first instructions load from the root block.

use gpucc_container::{Preload, Source};
use gpucc_gcn_machine::abi;
use gpucc_ir::{Attr, Function, Module, Place, Res, SideMap, Space, Sysval};

/// The layout of those registers.
#[derive(Clone, Debug, Default)]
pub struct Fixed {
    /// Registers of the workgroup id.
    pub workgroup_id: [u32; 3],
    /// Which of them the hardware loads.
    pub wants_id: [bool; 3],
    /// Register of the wave's scratch offset.
    pub scratch_offset: Option<u32>,
    /// First register of the scratch descriptor.
    pub scratch: u32,
    /// Register for larger offsets of spill code.
    pub far: u32,
    /// Registers of the workgroup counts.
    pub num_workgroups: [u32; 3],
    /// `(first register, words)` of each load from the root block, in order of its words.
    pub loads: Vec<(u32, u32)>,
    /// What the words of the root block are.
    pub words: Vec<Source>,
    /// First register that can be given out.
    pub end: u32,
    /// Whether workgroup memory is used: M0 must be set.
    pub uses_lds: bool,
    descriptors: SideMap<Res, Option<u32>>,
}

impl Fixed {
    /// What `f` needs; with `spills`, what spilling to scratch needs besides.
    pub fn new(m: &Module, f: &Function, spills: bool) -> Fixed {
        let mut x = Fixed { descriptors: SideMap::with_default(None), ..Fixed::default() };
        let (mut counts, mut scratch) = (false, spills);
        let mut used: Vec<Res> = Vec::new();
        for (_, i) in f.insts_in_order() {
            let place = match &f.insts[i].attr {
                Attr::Mem(a) | Attr::Atomic(_, a) => Some(a.place),
                Attr::Res(r) => Some(Place::Buffer(*r)),
                Attr::Sysval(Sysval::WorkgroupId | Sysval::GlobalInvocationId) => {
                    x.wants_id = [true; 3];
                    None
                }
                Attr::Sysval(Sysval::NumWorkgroups) => {
                    counts = true;
                    None
                }
                _ => None,
            };
            match place {
                Some(Place::Buffer(r)) if !used.contains(&r) => used.push(r),
                Some(Place::Buffer(_)) | None => {}
                Some(p) if m.space(p) == Space::Workgroup => x.uses_lds = true,
                Some(_) => scratch = true,
            }
        }
        used.sort();
        let mut next = 2;
        for c in 0..3 {
            if x.wants_id[c] {
                x.workgroup_id[c] = next;
                next += 1;
            }
        }
        if scratch {
            x.scratch_offset = Some(next);
            next += 1;
        }
        next = next.next_multiple_of(4);
        for r in used {
            let d = &m.resources[r];
            x.descriptors.set(r, Some(next));
            x.loads.push((next, 4));
            for word in 0..4 {
                x.words.push(Source::DescriptorWord { group: d.group, binding: d.binding, word });
            }
            next += 4;
        }
        if scratch {
            x.scratch = next;
            x.loads.push((next, 4));
            x.words.extend((0..4).map(|w| Source::Family(abi::FAMILY_SCRATCH + w)));
            next += 4;
        }
        if counts {
            for c in 0..3u16 {
                x.num_workgroups[c as usize] = next;
                x.loads.push((next, 1));
                x.words.push(Source::NumWorkgroups(c));
                next += 1;
            }
        }
        if spills {
            x.far = next;
            next += 1;
        }
        x.end = next;
        x
    }

    /// First register of a buffer's descriptor.
    pub fn descriptor(&self, r: Res) -> u32 {
        self.descriptors[r].unwrap_or(0)
    }

    /// Rows of the container: user data, system values, root block.
    pub fn preloads(&self) -> Vec<Preload> {
        let s = |index: u32, source| Preload { file: abi::FILE_SGPR, lane: 0, index: index as u16, source };
        let mut list = vec![s(0, Source::TableAddressLo(0)), s(1, Source::TableAddressHi(0))];
        for c in 0..3u16 {
            if self.wants_id[c as usize] {
                list.push(s(self.workgroup_id[c as usize], Source::WorkgroupId(c)));
            }
        }
        if let Some(r) = self.scratch_offset {
            list.push(s(r, Source::ScratchBase));
        }
        let word = |(n, w): (usize, &Source)| Preload { file: abi::FILE_ROOT, lane: 0, index: n as u16, source: *w };
        list.extend(self.words.iter().enumerate().map(word));
        list
    }
}
