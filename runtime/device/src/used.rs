//! The bindings that entry points use.

use gpucc_ir::{
    Attr, Func, Function, InstData, Module, Op, Place, Res, ResourceKind, Stage, Sysval, TexArg, TexDesc, TexLayer,
    TexWhat, Value, Variant,
};

/// A binding that an entry point uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Used {
    /// The name in the source.
    pub name: String,
    /// Bind group of the resource.
    pub group: u32,
    /// Binding in its group.
    pub binding: u32,
    /// The kind: buffer, texture or sampler.
    pub kind: ResourceKind,
    /// Whether it is an image of which the format says no more than the base of its texels.
    pub is_any_format: bool,
    /// Least bytes of a buffer.
    pub min_size: u32,
    /// Elements of an array of bindings; 1 of a single one.
    pub count: u32,
    /// Whether a sampler reads it, other than for comparison.
    pub is_sampled: bool,
    /// Whether it is a texture that is read at the fragment's own pixel alone, as input attachments are.
    pub is_own: bool,
    /// The accesses of the code to it, whatever its declaration allows.
    pub accesses: Accesses,
}

/// Kinds of accesses to memory and images.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accesses {
    /// Stores and atomics write it.
    pub writes: bool,
    /// Whether atomics change it.
    pub atomics: bool,
}

impl Accesses {
    fn of(op: Op) -> Accesses {
        let atomics = matches!(op, Op::Atomic | Op::CmpXchg | Op::ImageAtomic);
        Accesses { writes: atomics || matches!(op, Op::Store | Op::ImageStore), atomics }
    }

    fn or(self, other: Accesses) -> Accesses {
        Accesses { writes: self.writes | other.writes, atomics: self.atomics | other.atomics }
    }
}

impl Used {
    /// The bindings that the entry points of a module use, by group and number; whether code is ever reached does not count.
    pub fn of(module: &Module) -> Vec<Used> {
        Used::from(module, module.entries.iter().map(|e| e.func).collect())
    }

    /// The bindings that one entry point uses.
    pub fn of_entry(module: &Module, name: &str, stage: Stage) -> Vec<Used> {
        let own = module.entries.iter().filter(|e| e.name == name && e.stage.kind() == stage);
        Used::from(module, own.map(|e| e.func).collect())
    }

    /// The bindings that functions and those that they call use.
    fn from(module: &Module, mut wanted: Vec<Func>) -> Vec<Used> {
        let mut found: Vec<(Res, bool, bool, Accesses)> = Vec::new();
        let mut add = |res: Res, is_sampled: bool, is_own: bool, op: Op| {
            let accesses = Accesses::of(op);
            match found.iter_mut().find(|f| f.0 == res) {
                Some(f) => (f.1, f.2, f.3) = (f.1 | is_sampled, f.2 & is_own, f.3.or(accesses)),
                None => found.push((res, is_sampled, is_own, accesses)),
            }
        };
        let mut at = 0;
        while let Some(&func) = wanted.get(at) {
            at += 1;
            let f = &module.funcs[func];
            for (_, i) in f.insts_in_order() {
                let inst = &f.insts[i];
                match &inst.attr {
                    Attr::Call(callee) if !wanted.contains(callee) => wanted.push(*callee),
                    Attr::Res(res) => add(*res, false, false, inst.op),
                    _ => {}
                }
                if let Some(Place::Buffer(res)) = inst.place() {
                    add(res, false, false, inst.op);
                }
                if let Some(t) = inst.tex() {
                    let asks = matches!(t.desc.what(), TexWhat::Sample | TexWhat::Gather | TexWhat::Lod);
                    add(t.texture, asks && !t.desc.shadow(), is_own(f, inst, t.desc), inst.op);
                    if let Some(sampler) = t.sampler {
                        add(sampler, false, false, inst.op);
                    }
                }
            }
        }
        let of = |(res, is_sampled, is_own, accesses): (Res, bool, bool, Accesses)| {
            let r = &module.resources[res];
            let (name, group, binding, kind) = (r.name.clone(), r.group, r.binding, r.kind);
            let is_any_format = r.variant == Variant::AnyFormat;
            let (min_size, count) = (r.min_size, r.count);
            Used { name, group, binding, kind, is_any_format, min_size, count, is_sampled, is_own, accesses }
        };
        let mut list: Vec<Used> = found.into_iter().map(of).collect();
        list.sort_by_key(|u| (u.group, u.binding));
        list
    }

    /// The binding and its first element. Of an array of buffers each element is a resource; an array of textures or samplers is one.
    pub fn place(&self) -> (u32, u32) {
        if self.kind.is_buffer() { (self.binding & 0xffff, self.binding >> 16) } else { (self.binding, 0) }
    }

    /// The binding and all of its elements.
    pub fn elements(&self) -> (u32, std::ops::Range<u32>) {
        let (binding, first) = self.place();
        (binding, if self.kind.is_buffer() { first..first + 1 } else { 0..self.count.max(1) })
    }

    /// What several programs use together: each binding once, written if one of them writes it, with the most elements.
    pub fn together<'a>(all: impl IntoIterator<Item = &'a Used>) -> Vec<&'a Used> {
        let mut list: Vec<&Used> = Vec::new();
        for u in all {
            match list.iter_mut().find(|o| o.is_same(u)) {
                Some(o) if u.kind.is_writable() || o.count < u.count => *o = u,
                Some(_) => {}
                None => list.push(u),
            }
        }
        list
    }

    /// Whether two programs mean one binding.
    fn is_same(&self, other: &Used) -> bool {
        let class = |u: &Used| match u.kind {
            ResourceKind::Sampler { .. } => 0,
            ResourceKind::Texture { .. } | ResourceKind::StorageTexture { .. } => 1,
            _ => 2,
        };
        (self.group, self.binding, class(self)) == (other.group, other.binding, class(other))
    }

    /// The name in messages.
    pub fn shown(&self) -> String {
        let place = format!("group {}, binding {}", self.group, gpucc_ir::binding_text(self.binding));
        if self.name.is_empty() { place } else { format!("`{}` ({place})", self.name) }
    }
}

/// Whether a texel is fetched at the pixel of the fragment, of one layer. Only the form that front ends give an input attachment is known.
fn is_own(f: &Function, inst: &InstData, desc: TexDesc) -> bool {
    if desc.what() != TexWhat::Fetch || desc.offset() != [0; 3] || desc.layer() != TexLayer::None {
        return false;
    }
    let coords = desc.args().iter().position(|a| *a == TexArg::Coords).and_then(|k| inst.args.get(k));
    coords.is_some_and(|&v| [0, 1].into_iter().all(|lane| is_own_coordinate(f, v, lane, false)))
}

/// Whether a lane of a value is column or row of the fragment: by its position in floats, or that as an integer.
fn is_own_coordinate(f: &Function, v: Value, lane: u32, is_float: bool) -> bool {
    let Some(inst) = f.def_inst(v).map(|i| &f.insts[i]) else { return false };
    let is_zero = |v: Value| f.as_const(v).is_some_and(|c| c.uniform_bits() == Some(0));
    match (inst.op, &inst.attr) {
        (Op::Sysval, Attr::Sysval(Sysval::FragCoord)) => is_float,
        (Op::Compose, _) => inst.args.get(lane as usize).is_some_and(|&v| is_own_coordinate(f, v, 0, is_float)),
        (Op::Extract, Attr::Lane(k)) => is_own_coordinate(f, inst.args[0], u32::from(*k), is_float),
        (Op::F2S, _) if !is_float => is_own_coordinate(f, inst.args[0], lane, true),
        (Op::IAdd, _) if is_zero(inst.args[1]) => is_own_coordinate(f, inst.args[0], lane, is_float),
        _ => false,
    }
}
