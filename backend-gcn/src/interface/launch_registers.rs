//! Scalar registers that hold one thing for the whole program, and the constant words that fill them.
//!
//! Up to 16 words are user data and need no load. If that is not enough, s[0:1] point to the root block and three descriptors are
//! user data; the next ones are loaded by the program's first instructions, and those of all further buffers where selection uses them.
//! Textures and samplers are described by tables of bind groups, whose addresses are here.
//! User data not taken by descriptors holds immediate-data words. Words that do not fit, or are indexed dynamically, are loaded
//! through a descriptor. The system values that the hardware loads follow the user data.

use gpucc_container::{Preload, Source};
use gpucc_gcn_machine::abi;
use smallvec::SmallVec;

use crate::interface::io::{Io, VERTEX_GROUP};
use gpucc_ir::{Attr, Function, Inst, Module, Op, Place, Res, ResourceKind, SecondaryMap, Space, Sysval};

/// The layout of those registers.
#[derive(Clone, Debug, Default)]
pub struct LaunchRegisters {
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
    /// Registers that the hardware fills with user data.
    pub user: u32,
    /// Register and contents of each word of user data.
    pub data: Vec<(u32, Source)>,
    /// First register of the descriptor of the constant tables.
    pub tables: u32,
    /// `(first register, words)` of each load from the root block, in order of its words.
    pub loads: Vec<(u32, u32)>,
    /// The kinds of the words of the root block.
    pub words: Vec<Source>,
    /// First register that can be given out.
    pub end: u32,
    /// First registers of the addresses of bind groups' tables, by group.
    groups: Vec<(u32, u32)>,
    /// Register of PRIM_MASK, if the launch gives it.
    pub prim_mask: Option<u32>,
    /// Whether parameters are read, for which M0 has it.
    pub interpolates: bool,
    /// First register of the lanes that are live; behind it stands a pair for EXEC while others are off.
    pub live: Option<u32>,
    /// Whether whole quads run.
    pub quads: bool,
    /// Registers of base vertex and first instance.
    pub first: [u32; 2],
    /// Whether workgroup memory or FLAT is used: M0 must be set.
    pub uses_lds: bool,
    descriptors: SecondaryMap<Res, Option<BufferDescriptor>>,
    /// Words of the immediate data and their registers.
    immediates: Vec<(u32, u32)>,
}

/// Where a buffer's descriptor is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BufferDescriptor {
    /// Registers from this one on, for the whole program.
    Fixed(u32),
    /// Words of the root block, so many bytes behind its start, of which [`ROOT`] is the number as a table.
    InRoot(u32),
}

/// The root block as a bind group, whose table it is.
pub const ROOT: u32 = u32::MAX;

/// Words of user data that the hardware loads.
const USER_WORDS: usize = 16;

/// The words of immediate data that `f` reads.
#[derive(Default)]
struct Immediates {
    resource: Option<Res>,
    /// Words of each load at a constant offset.
    loads: Vec<core::ops::Range<u32>>,
    /// Whether there are other accesses.
    others: bool,
}

impl Immediates {
    fn new(m: &Module, f: &Function) -> Immediates {
        let mut x = Immediates::default();
        for (_, i) in f.insts_in_order() {
            let d = &f.insts[i];
            match &d.attr {
                Attr::Mem(a) => match a.place {
                    Place::Buffer(r) if m.resources[r].kind == ResourceKind::Immediates => {
                        x.resource = Some(r);
                        match immediate_words(m, f, i) {
                            Some(words) => x.loads.push(words),
                            None => x.others = true,
                        }
                    }
                    _ => {}
                },
                Attr::Res(r) if m.resources[*r].kind == ResourceKind::Immediates => {
                    (x.resource, x.others) = (Some(*r), true);
                }
                _ => {}
            }
        }
        x.loads.sort_by_key(|w| (w.start, w.end));
        x.loads.dedup();
        x
    }

    /// The words of whole loads that so many registers hold, the first ones first, and whether these are all that are read.
    fn fit(&self, room: usize) -> (Vec<u32>, bool) {
        let (mut words, mut all): (Vec<u32>, bool) = (Vec::new(), !self.others);
        for load in &self.loads {
            let new: Vec<u32> = load.clone().filter(|w| !words.contains(w)).collect();
            if words.len() + new.len() <= room {
                words.extend(new);
            } else {
                all = false;
            }
        }
        (words, all)
    }
}

/// The words of the immediate data that an instruction loads, at a constant offset.
fn immediate_words(m: &Module, f: &Function, i: Inst) -> Option<core::ops::Range<u32>> {
    let d = &f.insts[i];
    let (Op::Load, Attr::Mem(a), None) = (d.op, &d.attr, d.dyn_offset()) else { return None };
    let Place::Buffer(r) = a.place else { return None };
    let whole = m.resources[r].kind == ResourceKind::Immediates
        && a.offset.is_multiple_of(4)
        && a.offset.checked_add(f.access_bytes(i))? <= m.resources[r].min_size.next_multiple_of(4);
    let first = a.offset / 4;
    whole.then(|| first..first + f.ty(d.result()).lanes())
}

impl LaunchRegisters {
    /// The buffers that a function reads or writes, and whether it asks for the number of workgroups, scratch and constant tables.
    fn uses(
        &mut self,
        m: &Module,
        f: &Function,
        spills: bool,
        is_table: &dyn Fn(Place) -> bool,
    ) -> (Vec<Res>, (bool, bool, bool)) {
        let (mut counts, mut scratch, mut tables, mut addresses) = (false, spills, false, false);
        let mut used: Vec<Res> = Vec::new();
        for (_, i) in f.insts_in_order() {
            let place = match &f.insts[i].attr {
                Attr::Mem(a) | Attr::Atomic(_, a) => Some(a.place),
                Attr::Res(r) => Some(Place::Buffer(*r)),
                Attr::Sysval(s) => {
                    let of_group = matches!(s, Sysval::WorkgroupId | Sysval::GlobalInvocationId);
                    self.wants_id = if of_group { [true; 3] } else { self.wants_id };
                    counts |= *s == Sysval::NumWorkgroups;
                    None
                }
                _ => None,
            };
            match place {
                Some(Place::Buffer(r)) if !used.contains(&r) => used.push(r),
                Some(Place::Buffer(_)) | None => {}
                Some(Place::Address) => addresses = true,
                Some(p) if m.space(p) == Space::Workgroup => self.uses_lds = true,
                Some(p) if is_table(p) => tables = true,
                Some(_) => scratch = true,
            }
        }
        // FLAT reads M0, whatever it is: where there are parameters it is set already.
        self.uses_lds |= addresses && !self.interpolates;
        (used, (counts, scratch, tables))
    }

    /// The registers that `f` needs, which reads the tables of some bind groups; with `spills`, those of scratch besides. Of the buffers
    /// whose descriptors are no user data `kept` have theirs in registers for the whole program.
    pub fn new(
        m: &Module,
        f: &Function,
        spills: bool,
        groups: &[u32],
        io: &Io,
        kept: usize,
        is_table: &dyn Fn(Place) -> bool,
    ) -> LaunchRegisters {
        let descriptors = SecondaryMap::with_default(None);
        let mut x = LaunchRegisters { descriptors, quads: io.quads, ..LaunchRegisters::default() };
        let mut groups = groups.to_vec();
        groups.extend(io.vertex_table.then_some(VERTEX_GROUP));
        let firsts = io.first.iter().filter(|f| **f).count();
        let (mut used, (counts, scratch, tables)) = x.uses(m, f, spills, is_table);
        used.sort();
        // Descriptors in the order of their registers: buffers, tables, scratch.
        let mut quads = used.len() + usize::from(tables) + usize::from(scratch);
        let plain = |quads: usize| 4 * quads + 2 * groups.len() + firsts + if counts { 3 } else { 0 };
        // Two words behind the pointer to the root block have no other use.
        let room = |quads: usize| USER_WORDS.checked_sub(plain(quads)).unwrap_or(2);
        let immediates = Immediates::new(m, f);
        let mut words = Vec::new();
        if let Some(r) = immediates.resource {
            let (fit, all) = immediates.fit(room(quads - 1));
            if all {
                used.retain(|u| *u != r);
                quads -= 1;
                words = fit;
            } else {
                words = immediates.fit(room(quads)).0;
            }
        }
        let direct = plain(quads) <= USER_WORDS;
        let (here, first) = if direct { (quads, 0) } else { (quads.min(3), 4) };
        x.user = if direct { plain(quads) as u32 } else { first + 4 * here as u32 };
        if !direct {
            x.data.extend([(0, Source::TableAddressLo(0)), (1, Source::TableAddressHi(0))]);
        }
        for word in words {
            let at = if direct { x.user } else { 2 + x.immediates.len() as u32 };
            x.user += u32::from(direct);
            x.immediates.push((word, at));
            x.data.push((at, Source::Immediate(word)));
        }
        let mut next = x.user;
        for c in 0..3 {
            if x.wants_id[c] {
                x.workgroup_id[c] = next;
                next += 1;
            }
        }
        if io.is_fragment {
            x.prim_mask = Some(next);
            x.interpolates = io.attributes.iter().any(Option::is_some);
            next += 1;
        }
        if scratch {
            x.scratch_offset = Some(next);
            next += 1;
        }
        next = next.next_multiple_of(4);
        let mut quad = 0;
        let mut descriptor = |x: &mut LaunchRegisters, next: &mut u32, word: &dyn Fn(u32) -> Source| {
            let in_data = quad < here;
            let at = if in_data { first + 4 * quad as u32 } else { *next };
            quad += 1;
            if in_data {
                x.data.extend((0..4).map(|w| (at + w, word(w))));
            } else {
                x.loads.push((at, 4));
                x.words.extend((0..4).map(word));
                *next += 4;
            }
            at
        };
        let later = used.split_off(used.len().min(here + kept));
        let word = |r: Res| {
            let d = &m.resources[r];
            move |word: u32| Source::DescriptorWord { group: d.group, binding: d.binding, word: word as _ }
        };
        for r in used {
            let at = descriptor(&mut x, &mut next, &word(r));
            x.descriptors.set(r, Some(BufferDescriptor::Fixed(at)));
        }
        if tables {
            x.tables = descriptor(&mut x, &mut next, &|w| Source::Family(abi::FAMILY_DATA + w));
        }
        if scratch {
            x.scratch = descriptor(&mut x, &mut next, &|w| Source::Family(abi::FAMILY_SCRATCH + w));
        }
        for (k, &group) in groups.iter().enumerate() {
            // Table 0 is the root block.
            let table = group as u16 + 1;
            let address = [Source::TableAddressLo(table), Source::TableAddressHi(table)];
            let at = if direct { 4 * quads as u32 + 2 * k as u32 } else { next };
            x.groups.push((group, at));
            if direct {
                x.data.extend((at..).zip(address));
            } else {
                x.loads.push((at, 2));
                x.words.extend(address);
                next += 2;
            }
        }
        if counts {
            for c in 0..3u16 {
                let at = if direct { (4 * quads + 2 * groups.len()) as u32 + u32::from(c) } else { next };
                x.num_workgroups[c as usize] = at;
                if direct {
                    x.data.push((at, Source::NumWorkgroups(c)));
                } else {
                    x.loads.push((at, 1));
                    x.words.push(Source::NumWorkgroups(c));
                    next += 1;
                }
            }
        }
        for (k, source) in [Source::FirstVertex, Source::FirstInstance].into_iter().enumerate() {
            if !io.first[k] {
                continue;
            }
            let before = u32::from(k == 1 && io.first[0]);
            x.first[k] = if direct { (4 * quads + 2 * groups.len()) as u32 + before } else { next };
            if direct {
                x.data.push((x.first[k], source));
            } else {
                x.loads.push((x.first[k], 1));
                x.words.push(source);
                next += 1;
            }
        }
        for r in later {
            x.descriptors.set(r, Some(BufferDescriptor::InRoot(4 * x.words.len() as u32)));
            x.words.extend((0..4).map(word(r)));
        }
        if io.lives {
            next = next.next_multiple_of(2);
            x.live = Some(next);
            next += 4;
        }
        if spills {
            x.far = next;
            next += 1;
        }
        x.end = next;
        x
    }

    /// The register of each word that a load of immediate data reads, where all are there.
    pub fn immediates(&self, m: &Module, f: &Function, i: Inst) -> Option<SmallVec<[u32; 4]>> {
        let at = |word| self.immediates.iter().find(|w| w.0 == word).map(|w| w.1);
        immediate_words(m, f, i)?.map(at).collect()
    }

    /// First register of the address of a bind group's table.
    pub fn table(&self, group: u32) -> u32 {
        self.groups.iter().find(|g| g.0 == group).map_or(0, |g| g.1)
    }

    /// Where a buffer's descriptor is.
    pub fn descriptor(&self, r: Res) -> BufferDescriptor {
        self.descriptors[r].unwrap_or(BufferDescriptor::Fixed(0))
    }

    /// Rows of the container: user data, system values, root block.
    pub fn preloads(&self) -> Vec<Preload> {
        let s = |index: u32, source| Preload { file: abi::FILE_SGPR, lane: 0, index: index as u16, source };
        let mut list: Vec<Preload> = self.data.iter().map(|&(r, source)| s(r, source)).collect();
        for c in 0..3u16 {
            if self.wants_id[c as usize] {
                list.push(s(self.workgroup_id[c as usize], Source::WorkgroupId(c)));
            }
        }
        if let Some(r) = self.prim_mask {
            list.push(s(r, Source::Family(abi::FAMILY_PRIM_MASK)));
        }
        if let Some(r) = self.scratch_offset {
            list.push(s(r, Source::ScratchBase));
        }
        let word = |(n, w): (usize, &Source)| Preload { file: abi::FILE_ROOT, lane: 0, index: n as u16, source: *w };
        list.extend(self.words.iter().enumerate().map(word));
        list
    }
}
