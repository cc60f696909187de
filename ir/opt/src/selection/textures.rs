//! Cases of texture instructions: every descriptor that `lower_tex` and `lower_fetch` may leave.

use gpucc_ir::{
    AtomicOp, ImageAccess, Op, Refusal, ResourceKind, Stage, TexArg, TexClass, TexDesc, TexDim, TexLayer, TexLod,
    TexWhat, Type,
};
use gpucc_pipeline::Format;

use super::draft::{Case, Draft, Kind};
use super::{texture_fits, unwritten};
use crate::caps::Caps;
use crate::lower_tex::compares_by_quad;
use crate::support::Chip;

/// Adds them for a stage.
pub(super) fn cases(out: &mut Vec<Case>, stage: Stage, caps: &Caps, chip: &Chip<'_>) {
    if chip.refuses(stage, Refusal::Textures) {
        return;
    }
    let mut all: Vec<Of> = Vec::new();
    let mut add = |kind: ResourceKind, desc: TexDesc, op: Op| {
        let by_quad = stage == Stage::Fragment && compares_by_quad(&desc, caps.sampler);
        let written = texture_fits(&desc, caps) && unwritten(&desc, caps).is_none() && !by_quad;
        if written && desc.fits(op) && !chip.refuses_texture(stage, kind, (op, &desc)) {
            all.push(Of { kind, desc, op });
        }
    };
    for kind in textures() {
        sampled(kind, stage, caps, &mut add);
    }
    for kind in images() {
        stored(kind, &mut add);
    }
    let module = Module { stage, caps };
    // A fragment gives eight colours. A chip that keeps vectors whole may have as few as four texture units, and make two of its four
    // targets of each vector.
    let most = if caps.scalar { 8 } else { 1 };
    for of in all.chunk_by(Of::shares) {
        let mut uses: Vec<Use> = of.iter().flat_map(Of::uses).collect();
        while !uses.is_empty() {
            let rest = uses.split_off(uses.len().min(most));
            out.push(module.case(of[0].kind, &uses));
            uses = rest;
        }
    }
}

/// A sampled texture of each dimension and class.
fn textures() -> Vec<ResourceKind> {
    use TexDim::{Cube, D1, D2, D3};
    let shapes = [(D1, false), (D1, true), (D2, false), (D2, true), (D3, false), (Cube, false), (Cube, true)];
    let mut list = Vec::new();
    for (dim, arrayed) in shapes {
        for class in [TexClass::Float, TexClass::Sint, TexClass::Uint, TexClass::Depth] {
            let depth = class == TexClass::Depth;
            if !(depth && matches!(dim, D1 | D3)) {
                list.push(ResourceKind::Texture { dim, arrayed, multisampled: false, class });
            }
            if (dim, arrayed) == (D2, false) {
                list.push(ResourceKind::Texture { dim, arrayed, multisampled: true, class });
            }
        }
    }
    list.push(ResourceKind::Texture { dim: D2, arrayed: false, multisampled: false, class: TexClass::External });
    list
}

/// A storage texture of each format and use.
fn images() -> Vec<ResourceKind> {
    use TexDim::{D1, D2, D3};
    let mut list = Vec::new();
    for (dim, arrayed) in [(D1, false), (D2, false), (D2, true), (D3, false)] {
        // One of each number of words in every shape, all formats in one.
        let shapes = [Format::R32Uint, Format::Rg32Float, Format::Rgba8Unorm, Format::Rgba32Sint];
        let formats = if (dim, arrayed) == (D2, false) { Format::ALL } else { &shapes[..] };
        for &format in formats {
            let accesses = [
                (ImageAccess::Read, format.storage_read()),
                (ImageAccess::Write, format.storage_write()),
                (ImageAccess::ReadWrite, format.storage_read_write()),
                (ImageAccess::Atomic, matches!(format, Format::R32Uint | Format::R32Sint)),
            ];
            for (access, _) in accesses.into_iter().filter(|a| a.1) {
                list.push(ResourceKind::StorageTexture { dim, arrayed, format, access });
            }
        }
    }
    list
}

/// The questions that a sampled texture answers.
fn sampled(kind: ResourceKind, stage: Stage, caps: &Caps, add: &mut impl FnMut(ResourceKind, TexDesc, Op)) {
    let ResourceKind::Texture { dim, arrayed, multisampled, class } = kind else { return };
    let layers: &[TexLayer] =
        if arrayed { &[TexLayer::Signed, TexLayer::Unsigned, TexLayer::Float] } else { &[TexLayer::None] };
    let new = |what| TexDesc::new(what, dim).with_multisampled(multisampled);
    let cube = |d: TexDesc| if dim == TexDim::Cube { d.with_cube(caps.tex.cube) } else { d };
    let axes = if dim == TexDim::Cube { 0 } else { dim.axes() as usize };
    let offset: [i32; 3] = std::array::from_fn(|k| if k < axes { [1, -2, 7][k] } else { 0 });
    let both = |d: TexDesc| std::iter::once(d).chain((axes > 0).then(|| d.with_offset(offset)));
    let depth = class == TexClass::Depth;
    for &layer in layers {
        if !multisampled {
            for lod in TexLod::ALL.iter().copied() {
                let implicit = matches!(lod, TexLod::Implicit | TexLod::Bias);
                let op = if implicit { Op::Sample } else { Op::Tex };
                if implicit && stage != Stage::Fragment {
                    continue;
                }
                for shadow in [false, true].into_iter().filter(|s| depth || !s) {
                    let d = cube(new(TexWhat::Sample).with_layer(layer).with_shadow(shadow).with_lod(lod));
                    both(d).for_each(|d| add(kind, d, op));
                }
                if lod == TexLod::Implicit {
                    add(kind, cube(new(TexWhat::Lod).with_layer(layer).with_lod(lod)), op);
                }
            }
            if matches!(dim, TexDim::D2 | TexDim::Cube) {
                for component in if depth { 0..1 } else { 0..4 } {
                    for shadow in [false, true].into_iter().filter(|s| depth || !s) {
                        let d = new(TexWhat::Gather).with_layer(layer).with_shadow(shadow).with_component(component);
                        both(cube(d)).for_each(|d| add(kind, d, Op::Tex));
                    }
                }
            }
        }
        if dim != TexDim::Cube && layer != TexLayer::Float {
            for lod in [TexLod::Zero, TexLod::Level] {
                if !(multisampled && lod == TexLod::Level) {
                    let d = new(TexWhat::Fetch).with_layer(layer).with_lod(lod);
                    both(d).for_each(|d| add(kind, d, Op::Tex));
                }
            }
        }
    }
    if class == TexClass::External {
        add(kind, new(TexWhat::Sample).with_base_clamp(true), Op::Tex);
    }
    add(kind, new(TexWhat::Size), Op::TexQuery);
    if multisampled {
        add(kind, new(TexWhat::Samples), Op::TexQuery);
    } else {
        add(kind, new(TexWhat::Size).with_lod(TexLod::Level), Op::TexQuery);
        add(kind, new(TexWhat::Levels), Op::TexQuery);
    }
    if arrayed {
        add(kind, new(TexWhat::Layers), Op::TexQuery);
    }
}

/// The questions that a storage texture answers.
fn stored(kind: ResourceKind, add: &mut impl FnMut(ResourceKind, TexDesc, Op)) {
    let ResourceKind::StorageTexture { dim, arrayed, access, .. } = kind else { return };
    let layers: &[TexLayer] = if arrayed { &[TexLayer::Signed, TexLayer::Unsigned] } else { &[TexLayer::None] };
    for &layer in layers {
        let new = |what| TexDesc::new(what, dim).with_layer(layer);
        if access != ImageAccess::Write {
            add(kind, new(TexWhat::Load), Op::ImageLoad);
        }
        if access.writes() {
            add(kind, new(TexWhat::Store), Op::ImageStore);
        }
        if access == ImageAccess::Atomic {
            for compares in [false, true] {
                add(kind, new(TexWhat::Atomic).with_shadow(compares), Op::ImageAtomic);
            }
        }
    }
    add(kind, TexDesc::new(TexWhat::Size, dim), Op::TexQuery);
    if arrayed {
        add(kind, TexDesc::new(TexWhat::Layers, dim), Op::TexQuery);
    }
}

/// A question to a resource.
struct Of {
    kind: ResourceKind,
    desc: TexDesc,
    op: Op,
}

/// An instruction of a question.
struct Use {
    op: Op,
    /// Name of an atomic operation.
    atomic: &'static str,
    desc: TexDesc,
    /// The kind of its operands.
    from: Kind,
    /// The lanes of its result that are read, by bits.
    lanes: u8,
}

impl Of {
    /// Whether two are asked of one resource by one sampler.
    fn shares(&self, other: &Of) -> bool {
        let sampler = |o: &Of| (o.desc.samples(), o.desc.shadow());
        self.kind == other.kind && sampler(self) == sampler(other)
    }

    /// With operands that differ between invocations, and constant ones; of an array with one element for all lanes, too. Of atomics
    /// each operation.
    fn uses(&self) -> Vec<Use> {
        let (desc, op) = (self.desc, self.op);
        let one = |desc, from, lanes| Use { op, atomic: AtomicOp::ALL[0].name(), desc, from, lanes };
        let mut list = vec![one(desc, Kind::Lanes, 15), one(desc, Kind::Const, 1)];
        if desc.what() == TexWhat::Atomic {
            list.clear();
            for a in AtomicOp::ALL.iter().filter(|a| !desc.shadow() || **a == AtomicOp::Exchange) {
                list.push(Use { atomic: a.name(), ..one(desc, Kind::Const, 1) });
                list.extend([15, 0].map(|lanes| Use { atomic: a.name(), ..one(desc, Kind::Lanes, lanes) }));
            }
        } else if desc.what() == TexWhat::Sample && desc.offset() == [0; 3] && desc.lod() != TexLod::Gradients {
            for (texture, sampler) in [(true, false), (true, true)] {
                let desc = desc.with_texture_indexed(texture).with_sampler_indexed(sampler);
                list.push(one(desc, Kind::Lanes, 2));
            }
        } else if desc.offset() == [0; 3] {
            list.push(one(desc.with_texture_indexed(true), Kind::Group, 15));
        }
        list
    }
}

/// Numbers of the resources of a module, alone and in an array.
struct ResourceNumbers {
    texture: [u32; 2],
    sampler: [u32; 2],
}

/// The modules of a stage.
struct Module<'a> {
    stage: Stage,
    caps: &'a Caps,
}

impl Module<'_> {
    /// One of several instructions, since a module costs more than an instruction.
    fn case(&self, kind: ResourceKind, uses: &[Use]) -> Case {
        let mut c = Draft::of(self.stage, &self.caps.io);
        let (resource, texel) = text(kind);
        // Numbers without gaps, behind the resources of every module.
        let mut next = 3;
        let mut add = |what: &str, count: &str, used: fn(TexDesc) -> bool| {
            let number = next;
            if uses.iter().any(|u| used(u.desc)) {
                let item = format!("res{number} \"r{number}\" group 1 binding {number} {what}{count}\n");
                c.resources.push_str(&item);
                next += 1;
            }
            number
        };
        let sampler = format!("sampler{}", if uses.iter().any(|u| u.desc.shadow()) { " comparison" } else { "" });
        let numbers = ResourceNumbers {
            texture: [
                add(&resource, "", |d| !d.texture_indexed()),
                add(&resource, " count 2", |d| d.texture_indexed()),
            ],
            sampler: [
                add(&sampler, "", |d| d.samples() && !d.sampler_indexed()),
                add(&sampler, " count 2", |d| d.samples() && d.sampler_indexed()),
            ],
        };
        let mut name = format!("{resource} {}", self.stage);
        for one in uses {
            let text = self.instruction(&mut c, &numbers, texel, one);
            name.push_str(&format!(", {text}, lanes {} {}", one.lanes, ['d', 'u', 'c'][one.from as usize]));
        }
        c.case(name)
    }

    /// Appends an instruction; gives its text.
    fn instruction(&self, c: &mut Draft, numbers: &ResourceNumbers, texel: Type, one: &Use) -> String {
        let &Use { desc, lanes, .. } = one;
        let scalar = self.caps.scalar;
        let whole = if desc.what() == TexWhat::Atomic { texel.with_lanes(1) } else { texel.with_lanes(4) };
        let mut args = String::new();
        for (n, arg) in (0..).zip(desc.args()) {
            // The element is one for all lanes.
            let kind = if matches!(arg, TexArg::TextureIndex | TexArg::SamplerIndex) { Kind::Group } else { one.from };
            let v = c.operand(desc.arg_type(arg).unwrap_or(whole), kind, n, scalar);
            args.push_str(&v);
            args.push_str(", ");
        }
        let texture = numbers.texture[usize::from(desc.texture_indexed())];
        let sampler = match numbers.sampler[usize::from(desc.sampler_indexed())] {
            s if desc.samples() => format!(" sampler res{s}"),
            _ => String::new(),
        };
        let op = match one.op {
            Op::ImageAtomic => format!("image_atomic.{}", one.atomic),
            op => op.name().to_owned(),
        };
        let text = format!("{op} {args}tex res{texture}{sampler} {desc}");
        let result = if desc.what() == TexWhat::Atomic { Some(whole) } else { desc.result_type(texel) };
        match result {
            None => c.effect(&text),
            Some(ty) => {
                let v = c.value(ty, &text);
                if lanes == 15 || !ty.is_vector() && lanes != 0 {
                    c.sink(&v, ty, scalar);
                } else if lanes != 0 {
                    let lane = lanes.trailing_zeros();
                    let one = c.value(ty.with_lanes(1), &format!("extract {v}, lane {lane}"));
                    c.sink(&one, ty.with_lanes(1), scalar);
                }
            }
        }
        text
    }
}

/// A resource as text, and the lane of its texels.
fn text(kind: ResourceKind) -> (String, Type) {
    let array = |a: bool| if a { " array" } else { "" };
    let text = match kind {
        ResourceKind::Texture { dim, arrayed, multisampled, class } => {
            let samples = if multisampled { " multisampled" } else { "" };
            format!("texture {dim}{}{samples} {class}", array(arrayed))
        }
        ResourceKind::StorageTexture { dim, arrayed, format, access } => {
            format!("image {dim}{} \"{}\" {access}", array(arrayed), format.name())
        }
        _ => String::new(),
    };
    (text, kind.texels().map_or(Type::I32, |t| t.3))
}
