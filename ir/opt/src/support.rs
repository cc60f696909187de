//! Refuses what a target lacks, before selection sees it.
//!
//! Asked of the one function that [`crate::prepare`] leaves, so that what an optimiser removes is no reason to refuse. Which
//! codes a generation refuses is the backend's data ([`Unsupported`]); how each shows in the IR is said here, once for all targets. What
//! depends on the code that is made (memory, registers, length) is the backend's own to find. What lowering could not write with
//! the target's capabilities is refused here too, by its code. After this, an op that selection does not know is a bug of the
//! compiler.

use gpucc_ir::{
    AtomicOp, Attr, Block, Denormals, Diagnostic, EntryPoint, FloatModes, Function, Inst, InstData, IoAt, IoSlot,
    Module, Op, Place, Refusal, Res, ResourceKind, Rounding, Scalar, Span, Stage, StageInfo, Subgroups, Sysval, Tex,
    TexDesc, TexDim, TexWhat, Unsupported, Variant, Where,
};
use gpucc_pipeline::{Pipeline, SamplerFacts};

use crate::bound::BindingFacts;
use crate::caps::{Caps, IoCaps};
use crate::lower_tex::unwritten;

/// The chip for which something is asked: family, generation, refusals.
#[derive(Clone, Copy, Debug)]
pub struct Chip<'a> {
    /// Name of the family, such as `gcn`.
    pub family: &'a str,
    /// Name of the generation, such as `gfx8`.
    pub generation: &'a str,
    /// The refusals of the family's generations.
    pub unsupported: &'a [Unsupported],
}

impl<'a> Chip<'a> {
    fn lack(&self, stage: Stage, code: Refusal) -> Option<&'a Unsupported> {
        Unsupported::find_in(self.unsupported, self.generation, stage, code)
    }

    /// Whether the generation refuses what has this code in entry points of a stage.
    pub fn refuses(&self, stage: Stage, code: Refusal) -> bool {
        self.lack(stage, code).is_some()
    }

    /// Whether it refuses a value of the launch.
    pub(crate) fn refuses_sysval(&self, stage: Stage, s: Sysval) -> bool {
        sysval(s).iter().flatten().any(|&code| self.refuses(stage, code))
    }

    /// Whether it refuses an op on a texture of a kind.
    pub(crate) fn refuses_texture(&self, stage: Stage, kind: ResourceKind, (op, desc): (Op, &TexDesc)) -> bool {
        let edges = crosses_edges(kind, desc).then_some(Refusal::CubeEdges);
        texture(kind, op).iter().chain([&edges]).flatten().any(|&code| self.refuses(stage, code))
    }

    fn message(&self, lack: &Unsupported, stage: Stage, what: &str) -> String {
        let place = if lack.stages.is_empty() { String::new() } else { format!(" in {stage} entry points") };
        format!("{}:{} does not support {what}{place}", self.family, self.generation)
    }
}

/// The code of a value of the launch.
fn sysval(s: Sysval) -> [Option<Refusal>; 2] {
    let code = match s {
        Sysval::SubgroupSize | Sysval::SubgroupInvocationId => Refusal::SubgroupLanes,
        Sysval::PrimitiveIndex => Refusal::PrimitiveIndex,
        Sysval::SampleIndex | Sysval::SamplePosition => Refusal::SampleShading,
        Sysval::SampleMask => return [Some(Refusal::CoveredSamples), Some(Refusal::SampleMasks)],
        _ => return [None; 2],
    };
    [Some(code), None]
}

/// The codes of an op on a texture.
fn texture(kind: ResourceKind, op: Op) -> [Option<Refusal>; 4] {
    match kind {
        ResourceKind::Texture { dim, arrayed, multisampled, .. } => [
            (dim == TexDim::Cube && arrayed).then_some(Refusal::CubeArrays),
            (multisampled && arrayed).then_some(Refusal::MultisampledArrays),
            multisampled.then_some(Refusal::MultisampledTextures),
            Some(Refusal::Textures),
        ],
        _ => [
            None,
            (op == Op::ImageAtomic).then_some(Refusal::ImageAtomics),
            Some(Refusal::StorageTextures),
            Some(Refusal::Textures),
        ],
    }
}

/// Whether what an instruction filters may lie on two faces of a cube.
fn crosses_edges(kind: ResourceKind, desc: &TexDesc) -> bool {
    matches!(kind, ResourceKind::Texture { dim: TexDim::Cube, .. }) && desc.what() == TexWhat::Sample
}

/// The part that is looked at.
struct Check<'a> {
    m: &'a Module,
    t: &'a Chip<'a>,
    caps: &'a Caps,
    e: &'a EntryPoint,
    bound: &'a BindingFacts,
    stage: Stage,
}

/// Refuses the first thing of a prepared module that the target lacks. A part of what it lacks as a whole is named before the whole.
///
/// `pipeline` is the one around a vertex or fragment entry, `bound` what is known of textures and samplers.
///
/// # Errors
/// `Unsupported`, with code, target and span; `Internal` where lowering left what the capabilities do not have and the list of
/// what is refused lacks its code.
pub fn check(
    m: &Module,
    t: &Chip<'_>,
    caps: &Caps,
    pipeline: Option<&Pipeline>,
    bound: &BindingFacts,
) -> Result<(), Diagnostic> {
    let e = &m.entries[0];
    let c = Check { m, t, caps, e, bound, stage: e.stage.kind() };
    c.workgroup()?;
    c.subgroups()?;
    c.float_modes()?;
    c.groups()?;
    c.interface(pipeline)?;
    c.function(&m.funcs[e.func])?;
    c.lack(Refusal::Stage).filter(|_| c.stage != Stage::Compute).map_or(Ok(()), |l| Err(c.refuse(l, e.span)))
}

impl Check<'_> {
    fn lack(&self, code: Refusal) -> Option<&Unsupported> {
        self.t.lack(self.stage, code)
    }

    fn refuse(&self, lack: &Unsupported, span: Span) -> Diagnostic {
        self.refuse_what(lack, lack.code.what(), span)
    }

    fn refuse_what(&self, lack: &Unsupported, what: &str, span: Span) -> Diagnostic {
        let span = if span.is_known() { span } else { self.e.span };
        let message = self.t.message(lack, self.stage, what);
        Diagnostic::unsupported(lack.code, message).at(span, "used here").note(lack.why)
    }

    /// Things that capabilities say are not there and no pass has written: refused by their codes.
    fn left(&self, code: Refusal, span: Span) -> Diagnostic {
        match self.lack(code) {
            Some(l) => self.refuse(l, span),
            None => {
                let (family, generation) = (self.t.family, self.t.generation);
                let message = format!("the capabilities of {family}:{generation} lack {}", code.what());
                Diagnostic::internal("support", message).at(span, "used here").note(format!("no row says `{code}`"))
            }
        }
    }

    fn workgroup(&self) -> Result<(), Diagnostic> {
        let (e, t) = (self.e, self.t);
        let size = e.workgroup_size().unwrap_or([1; 3]).iter().fold(1u64, |n, &s| n.saturating_mul(u64::from(s)));
        if let Some(most) = self.lack(Refusal::WorkgroupSize).and_then(|l| l.most).filter(|&most| size > most) {
            let (family, generation) = (t.family, t.generation);
            let message =
                format!("{family}:{generation} has workgroups of at most {most} invocations, this one has {size}");
            return Err(Diagnostic::unsupported(Refusal::WorkgroupSize, message).at(e.span, "this entry point"));
        }
        Ok(())
    }

    fn subgroups(&self) -> Result<(), Diagnostic> {
        let (e, lanes) = (self.e, self.caps.subgroup);
        let invocations = e.workgroup_size().map_or(0, gpucc_ir::invocations);
        let wanted = e.subgroups();
        if lanes == 0 || wanted.take(lanes, invocations) {
            return Ok(());
        }
        let (family, generation) = (self.t.family, self.t.generation);
        let has = format!("{family}:{generation} has subgroups of {lanes} lanes");
        let asked = match wanted {
            Subgroups { size: Some(n), .. } if n != lanes => format!("this entry point asks for {n}"),
            Subgroups { count, .. } => {
                let count = count.unwrap_or_default();
                format!("so {invocations} invocations are {}, not {count}", invocations.div_ceil(lanes))
            }
        };
        let code = Refusal::SubgroupSize;
        if self.lack(code).is_none() {
            return Err(self.left(code, e.span));
        }
        Err(Diagnostic::unsupported(code, format!("{has}, {asked}")).at(e.span, "this entry point"))
    }

    /// What the entry point asks of its floats. Those of widths that it has not are gone by now.
    fn float_modes(&self) -> Result<(), Diagnostic> {
        let (e, caps) = (self.e, self.caps);
        let f64 = e.modes.f64;
        let f = &self.m.funcs[e.func];
        let needs_plain = |i: Inst| {
            let d = &f.insts[i];
            caps.floats.plain64.has(d.op) && d.args.iter().any(|&v| f.ty(v).scalar() == Scalar::F64)
        };
        let plain = (f64.flushes() || f64.cuts()) && f.insts_in_order().any(|(_, i)| needs_plain(i));
        let lacks = caps.floats.lacks(e.modes, caps.halves).or_else(|| plain.then_some((Scalar::F64, f64)));
        let Some((scalar, mode)) = lacks else { return self.quantised() };
        let asked = match (mode.denormals, mode.rounding) {
            (Denormals::Preserve, Rounding::Zero) => "keeps denormals and rounds toward zero",
            (Denormals::Flush, Rounding::Zero) => "makes zeros of denormals and rounds toward zero",
            (Denormals::Any, Rounding::Zero) => "rounds toward zero",
            (Denormals::Preserve, _) => "keeps denormals",
            (Denormals::Flush, _) => "makes zeros of denormals",
            (Denormals::Any, _) => "does otherwise than that on halves",
        };
        let what = format!("arithmetic on {} that {asked}", scalar.name());
        match self.lack(Refusal::FloatModes) {
            Some(l) => Err(self.refuse_what(l, &what, e.span)),
            None => Err(self.left(Refusal::FloatModes, e.span)),
        }
    }

    /// Rounding a float to 16 bits in place takes no mode; where it would, it cannot be beside one.
    fn quantised(&self) -> Result<(), Diagnostic> {
        let FloatModes { f16, f32, f64 } = self.e.modes;
        let halves = self.caps.floats.alike && [f16, f64].iter().any(|m| m.flushes() || m.cuts());
        if !halves && (self.caps.halves || !f32.cuts()) {
            return Ok(());
        }
        let f = &self.m.funcs[self.e.func];
        match f.insts_in_order().find(|(_, i)| f.insts[*i].op == Op::FQuant16) {
            Some((_, i)) => Err(self.left(Refusal::FloatModes, self.m.span(f.insts[i].loc))),
            None => Ok(()),
        }
    }

    fn groups(&self) -> Result<(), Diagnostic> {
        let (m, t) = (self.m, self.t);
        if let Some(most) = self.lack(Refusal::BindGroup).and_then(|l| l.most)
            && let Some((_, r)) =
                m.resources.iter().find(|(_, r)| r.kind != ResourceKind::Immediates && u64::from(r.group) > most)
        {
            let (family, generation, group) = (t.family, t.generation, r.group);
            let message = format!("{family}:{generation} has bind groups 0 to {most}, this is in group {group}");
            let span = if r.span.is_known() { r.span } else { self.e.span };
            return Err(Diagnostic::unsupported(Refusal::BindGroup, message).at(span, "this buffer"));
        }
        Ok(())
    }

    /// The inputs and outputs of a vertex or fragment entry, and the state that its pipeline asks for.
    fn interface(&self, pipeline: Option<&Pipeline>) -> Result<(), Diagnostic> {
        let Some(io) = self.e.interface() else { return Ok(()) };
        let fragment = self.stage == Stage::Fragment;
        let refused = |code: Refusal, s: Option<&IoSlot>| match (s, self.lack(code)) {
            (Some(s), Some(l)) => Err(self.refuse(l, s.span)),
            _ => Ok(()),
        };
        if let Some(s) = io.inputs.iter().find(|s| matches!(s.at, IoAt::ClipDistance(_))) {
            let what = "clip distances that are read without the vertex entry point that gives them";
            let message = format!("{what} cannot be compiled by this version");
            return Err(Diagnostic::unsupported(Refusal::StageInputs, message).at(s.span, "here"));
        }
        let output = |is: &dyn Fn(IoAt) -> bool| io.outputs.iter().find(|s| is(s.at));
        refused(Refusal::SampleShading, io.inputs.iter().find(|s| fragment && s.interp.at == Where::Sample))?;
        refused(Refusal::SampleMasks, output(&|at| at == IoAt::SampleMask))?;
        refused(Refusal::StencilExport, output(&|at| at == IoAt::FragStencil))?;
        refused(Refusal::PerVertexInputs, io.inputs.iter().find(|s| fragment && s.tells_vertices()))?;
        refused(Refusal::DualSource, output(&|at| matches!(at, IoAt::Location { blend_src: 1, .. })))?;
        if let Some(s) = output(&|at| matches!(at, IoAt::ClipDistance(_))).filter(|_| !self.caps.io.clip_distances) {
            return Err(self.left(Refusal::ClipDistances, s.span));
        }
        refused(Refusal::CullDistances, output(&|at| matches!(at, IoAt::CullDistance(_))))?;
        refused(Refusal::Layers, output(&|at| at == IoAt::Layer))?;
        refused(Refusal::Viewports, output(&|at| at == IoAt::ViewportIndex))?;
        let Some(p) = pipeline else { return Ok(()) };
        let centroid = |s: &&IoSlot| fragment && p.samples > 1 && s.interp.at == Where::Centroid;
        refused(Refusal::Centroids, io.inputs.iter().find(centroid))?;
        let caps = &self.caps.io;
        let formats = p.targets.iter().flatten().map(|t| t.format).chain(p.depth.map(|d| d.format));
        if let Some(format) = formats.into_iter().find(|f| !caps.targets.has(*f)) {
            let at = self.left(Refusal::TargetFormats, self.e.span);
            return Err(at.note(format!("a target is {}", format.name())));
        }
        if fragment && !blends(&self.e.stage, p, caps) {
            return Err(self.left(Refusal::BlendEquations, self.e.span));
        }
        Ok(())
    }

    fn function(&self, f: &Function) -> Result<(), Diagnostic> {
        for (b, i) in f.insts_in_order() {
            let d = &f.insts[i];
            if let Some(code) = d.tex().and_then(|t| unwritten(&t.desc, self.caps)) {
                return Err(self.left(code, self.m.span(d.loc)));
            }
            if matches!(d.attr, Attr::Sysval(Sysval::ViewportIndex)) && !self.caps.io.viewport_index {
                let what = "the number of a viewport that is read without the vertex entry point that chooses it";
                let message = format!("{what} cannot be compiled by this version");
                return Err(Diagnostic::unsupported(Refusal::StageInputs, message).at(self.m.span(d.loc), "here"));
            }
            let Some(l) = self.instruction(f, d) else { continue };
            let span = self.m.span(d.loc);
            if l.code == Refusal::Atomics && part_of_word(f, b, i) {
                let what = "stores of less than a word: they need an atomic access to the word";
                return Err(self.refuse_what(l, what, span));
            }
            return Err(self.refuse(l, span));
        }
        Ok(())
    }

    /// The refusals of an instruction.
    fn instruction(&self, f: &Function, d: &InstData) -> Option<&Unsupported> {
        let wide = matches!(d.op, Op::Atomic | Op::CmpXchg) && f.ty(d.args[0]).total_bits() != 32;
        let mut found = match (d.op, &d.attr) {
            _ if wide => self.lack(Refusal::WideAtomics),
            (op, Attr::Tex(t) | Attr::TexAtomic(_, t)) => {
                let r = &self.m.resources[t.texture];
                let unsaid = (r.variant == Variant::AnyFormat).then_some(Refusal::StorageFormats);
                let lack = texture(r.kind, op).into_iter().chain([unsaid]).flatten().find_map(|code| self.lack(code));
                lack.or_else(|| self.lack(Refusal::CubeEdges).filter(|_| self.may_cross_edges(t)))
            }
            (Op::Sysval, Attr::Sysval(s)) => sysval(*s).into_iter().flatten().find_map(|code| self.lack(code)),
            (op, _) if d.resources().any(|r| self.is_storage(r)) => {
                let atomic = if matches!(op, Op::Atomic | Op::CmpXchg) { self.lack(Refusal::Atomics) } else { None };
                atomic.or_else(|| self.lack(Refusal::StorageBuffers))
            }
            _ if d.place() == Some(Place::Address) => self.lack(Refusal::PhysicalAddresses),
            (Op::FExp2 | Op::FLog2 | Op::FSin | Op::FCos, _) if f.ty(d.args[0]).scalar() == Scalar::F64 => {
                self.lack(Refusal::WideFunctions)
            }
            (Op::Any | Op::Ballot | Op::LaneRead | Op::Reduce, _) => self.lack(Refusal::Subgroups),
            (Op::Atomic | Op::CmpXchg, _) => self.lack(Refusal::Atomics),
            _ => None,
        };
        let mut value = |v| {
            found = found.or_else(|| match f.ty(v).scalar() {
                Scalar::B1 | Scalar::I32 | Scalar::F32 => None,
                Scalar::F16 => self.lack(Refusal::F16),
                Scalar::I8 | Scalar::I16 => self.lack(Refusal::NarrowIntegers),
                Scalar::I64 | Scalar::F64 => self.lack(Refusal::WideTypes),
            });
        };
        d.results.iter().for_each(&mut value);
        d.for_each_use(&mut value);
        found
    }

    /// Whether an instruction filters a cube, as far as is known.
    fn may_cross_edges(&self, t: &Tex) -> bool {
        let Some(sampler) = t.sampler.filter(|_| crosses_edges(self.m.resources[t.texture].kind, &t.desc)) else {
            return false;
        };
        let s = &self.m.resources[sampler];
        let nearest =
            |f: &SamplerFacts| (f.group, f.binding, f.filter) == (s.group, s.binding, gpucc_pipeline::Filter::Nearest);
        !self.bound.samplers.iter().any(nearest)
    }

    fn is_storage(&self, r: Res) -> bool {
        matches!(self.m.resources[r].kind, ResourceKind::StorageRead | ResourceKind::StorageReadWrite)
    }
}

/// Whether hardware does what is left of blending.
fn blends(stage: &StageInfo, p: &Pipeline, caps: &IoCaps) -> bool {
    let StageInfo::Fragment { io, .. } = stage else { return true };
    let mut left = p.clone();
    for s in io.outputs.iter().filter(|s| s.blended) {
        let IoAt::Location { number, .. } = s.at else { continue };
        let number = usize::from(number);
        // Back from the number among the targets to the location.
        let at = if io.compact_targets { p.present(number).map(|t| t.0) } else { Some(number) };
        if let Some(t) = at.and_then(|k| left.targets.get_mut(k)?.as_mut()) {
            t.blend = None;
        }
    }
    let equations = left.targets.iter().flatten().filter(|t| t.write != 0).filter_map(|t| t.blend);
    equations.into_iter().all(|b| caps.blending.has(&b)) && caps.per_target.has(&left)
}

/// Whether an atomic is the first of the two that a store of a byte or half of a word became: one clears it, one sets it, and
/// both are of the same place in the source.
fn part_of_word(f: &Function, b: Block, first: Inst) -> bool {
    let is = |i: Inst, op: AtomicOp| matches!(&f.insts[i].attr, Attr::Atomic(o, _) if *o == op);
    let mut behind = f.blocks[b].insts.iter().skip_while(|i| **i != first).skip(1);
    let next = behind.find(|i| matches!(f.insts[**i].op, Op::Atomic | Op::CmpXchg));
    is(first, AtomicOp::And) && next.is_some_and(|n| is(*n, AtomicOp::Or) && f.insts[*n].loc == f.insts[first].loc)
}
