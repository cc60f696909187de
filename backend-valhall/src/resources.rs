//! Numbers, handles and addresses of the bound buffers.

use gpucc_container::Source;
use gpucc_ir::{Attr, Function, InstData, Module, Op, Place, Res, ResourceData, ResourceKind, Sysval};

/// Numbers of the bindings of a module.
pub struct Resources {
    slots: Vec<u32>,
}

impl Resources {
    /// Numbers the bindings of each group from 0 in order of binding number, whether the entry point uses them or not. Each element of an
    /// array has a number.
    pub fn new(m: &Module) -> Resources {
        // A buffer, a texture and a sampler may share a binding.
        let class = |kind: ResourceKind| match kind {
            k if k.is_buffer() => 0,
            ResourceKind::Sampler { .. } => 2,
            _ => 1,
        };
        // So may textures of several kinds, which are descriptors each.
        let alike = |r: &ResourceData, o: &ResourceData| {
            (o.group, o.binding, o.variant, o.kind) == (r.group, r.binding, r.variant, r.kind)
        };
        let kind = |r: &ResourceData| match class(r.kind) {
            0 => 0,
            _ => m.resources.values().position(|o| alike(r, o)).unwrap_or(0),
        };
        let key = |r: &ResourceData| (r.group, r.binding, class(r.kind), r.variant, kind(r));
        let keys: Vec<_> = m.resources.values().map(key).collect();
        let counts = m.resources.values().map(|r| r.count.max(1));
        let mut all: Vec<_> = keys.iter().copied().zip(counts.map(std::cmp::Reverse)).collect();
        all.sort_unstable();
        all.dedup_by_key(|x| x.0);
        let slots = keys.iter().map(|key| {
            let before = all.iter().filter(|(k, _)| k.0 == key.0 && k < key);
            before.map(|x| x.1.0).sum()
        });
        Resources { slots: slots.collect() }
    }

    /// Number of the binding in its group.
    pub fn slot(&self, r: Res) -> u32 {
        self.slots[r.0 as usize]
    }

    /// The buffer of LD_BUFFER: table and index.
    pub fn handle(&self, m: &Module, r: Res) -> u32 {
        (m.resources[r].group + 1) << 24 | self.slot(r)
    }

    /// Low and high word of the address.
    pub fn address(&self, m: &Module, r: Res) -> (Source, Source) {
        let (group, binding) = (m.resources[r].group, m.resources[r].binding);
        (Source::BufferAddressLo { group, binding }, Source::BufferAddressHi { group, binding })
    }

    /// Bytes of the binding.
    pub fn size(&self, m: &Module, r: Res) -> Source {
        Source::BufferSize { group: m.resources[r].group, binding: m.resources[r].binding }
    }
}

/// The uniform word of a component of a value that the draw sets.
pub fn word_of_draw(s: Sysval, k: u16) -> Option<Source> {
    Some(match s {
        Sysval::FirstVertex => Source::FirstVertex,
        Sysval::FirstInstance => Source::FirstInstance,
        Sysval::ViewportScale => Source::Viewport(k),
        Sysval::ViewportOffset => Source::Viewport(3 + k),
        Sysval::BlendConstant => Source::BlendConstant(k),
        _ => return None,
    })
}

/// First word of the immediate data that an instruction loads at a constant offset.
pub fn immediate(m: &Module, d: &InstData) -> Option<u32> {
    let (Op::Load, Attr::Mem(a), None) = (d.op, &d.attr, d.dyn_offset()) else { return None };
    let Place::Buffer(r) = a.place else { return None };
    let r = &m.resources[r];
    let here = r.kind == ResourceKind::Immediates && a.offset.is_multiple_of(4) && a.offset < r.min_size;
    here.then_some(a.offset / 4)
}

/// How many words of the immediate data such instructions load.
pub fn immediate_words(m: &Module, f: &Function) -> usize {
    let mut words: Vec<u32> = Vec::new();
    for (_, i) in f.insts_in_order() {
        let d = &f.insts[i];
        if let Some(first) = immediate(m, d) {
            words.extend(first..first + f.ty(d.result()).lanes());
        }
    }
    words.sort_unstable();
    words.dedup();
    words.len()
}
