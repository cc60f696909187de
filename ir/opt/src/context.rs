//! The pipeline context of an entry point, as passes may use it.

use gpucc_ir::{
    Attr, Builder, EntryPoint, FloatModes, Function, Inst, Interface, Interp, IoAt, IoSlot, Module, Op, SecondaryMap,
    Span, StageInfo, Sysval, Type, Value, Values,
};
use gpucc_pipeline::Pipeline;
use smallvec::SmallVec;

/// A render pipeline around one of its entry points. Without it, what a pass would have to know is left as it is. What is bound is
/// known apart from it ([`crate::BindingFacts`]), of compute entries too.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PipelineContext {
    /// State of the pipeline.
    pub pipeline: Pipeline,
    /// The other stage, as the source has it; none of a vertex entry in a pipeline without fragment entry.
    pub other: Option<StageInfo>,
}

impl PipelineContext {
    /// A context of the pipeline's state, without the other stage.
    pub fn new(pipeline: Pipeline) -> PipelineContext {
        PipelineContext { pipeline, other: None }
    }
}

/// Locations that no value between two stages has, the lowest first: where what lowering sends from one to the other travels. Both
/// stages are looked at as the source has them, so each of them, lowered alone, comes to the same locations. The lowest, since targets
/// count slots from 0 and have few.
pub fn free_locations(own: &StageInfo, context: &PipelineContext) -> Vec<u8> {
    let mut taken = [false; 1 << u8::BITS];
    for stage in [Some(own), context.other.as_ref()].into_iter().flatten() {
        let slots = match stage {
            StageInfo::Vertex(io) => &io.outputs,
            StageInfo::Fragment { io, .. } => &io.inputs,
            StageInfo::Compute { .. } => continue,
        };
        for slot in slots {
            if let IoAt::Location { number, .. } = slot.at {
                taken[usize::from(number)] = true;
            }
        }
    }
    (0..=u8::MAX).filter(|&n| !taken[usize::from(n)]).collect()
}

/// A stage as the other one sees it: with the number of the primitive among its inputs, if it reads that. An input that a fragment program declares and never reads is left out: the vertex program need not
/// give it.
pub fn stage_as_read(module: &Module, entry: &EntryPoint) -> StageInfo {
    let mut stage = entry.stage.clone();
    if let StageInfo::Fragment { io, .. } = &mut stage {
        let f = &module.funcs[entry.func];
        let mut used = SecondaryMap::with_default(false);
        for (_, i) in f.insts_in_order() {
            f.insts[i].for_each_use(|v| used[v] = true);
        }
        let mut reads = vec![false; io.inputs.len()];
        for (_, i) in f.insts_in_order() {
            if let (Op::Input, Attr::Input(n)) = (f.insts[i].op, &f.insts[i].attr) {
                reads[usize::from(*n)] |= used[f.insts[i].result()];
            }
        }
        let mut all = reads.into_iter();
        io.inputs.retain(|_| all.next().unwrap_or(true));
        // Vertices may have to hand it on.
        let number =
            |f: &Function| f.insts_in_order().any(|(_, i)| f.insts[i].attr == Attr::Sysval(Sysval::PrimitiveIndex));
        if module.funcs.values().any(number) {
            io.inputs.push(IoSlot { interp: Interp::FLAT, ..IoSlot::new(IoAt::PrimitiveIndex, Type::I32) });
        }
    }
    stage
}

/// A module whose only entry point is a fragment program without inputs and outputs: what stands behind a vertex program whose
/// clip distances `lower_io` leaves to fragments, where the pipeline has none.
pub fn empty_fragment(name: &str) -> Module {
    let mut module = Module::default();
    let mut f = Function::default();
    f.name = name.into();
    let block = f.add_block();
    Builder::new(&mut f, block).ret(&[]);
    let func = module.funcs.push(f);
    let stage = StageInfo::Fragment { io: Interface::default(), early_depth: false };
    module.entries.push(EntryPoint { name: name.into(), stage, func, modes: FloatModes::ANY, span: Span::UNKNOWN });
    module
}

/// The return of an entry function, taken out while its operands change.
pub(crate) struct Returned {
    ret: Inst,
    /// The returned values, in the order of the outputs.
    pub args: SmallVec<[Value; 4]>,
}

impl Returned {
    /// Takes the return out of its block. `None` of a function that never returns.
    pub fn take<'f>(f: &'f mut Function, io: &Interface) -> Option<(Builder<'f>, Returned)> {
        let (block, ret) = f.insts_in_order().find(|(_, i)| f.insts[*i].op == Op::Ret)?;
        let args: SmallVec<[Value; 4]> = f.insts[ret].args.iter().copied().collect();
        if args.len() != io.outputs.len() {
            return None;
        }
        f.blocks[block].insts.pop();
        Some((Builder::like(f, block, ret), Returned { ret, args }))
    }

    /// Puts it back with other operands, which the outputs fit.
    pub fn put(self, b: Builder<'_>, io: &Interface) {
        let Builder { func, block, .. } = b;
        func.insts[self.ret].args = Values::from_slice(&self.args);
        func.blocks[block].insts.push(self.ret);
        func.ret = io.outputs.iter().map(|s| s.ty).collect();
    }

    /// Lets a fragment give no samples but those of a mask.
    pub fn mask(&mut self, b: &mut Builder<'_>, io: &mut Interface, mask: Value) {
        match io.outputs.iter().position(|s| s.at == IoAt::SampleMask) {
            Some(k) => self.args[k] = b.and(self.args[k], mask),
            None => {
                io.outputs.push(IoSlot::new(IoAt::SampleMask, Type::I32));
                self.args.push(mask);
            }
        }
    }

    /// Where alpha of the first colour makes a mask of samples: writes that mask, since the colour or the mask will be another.
    pub fn alpha_to_coverage(&mut self, b: &mut Builder<'_>, io: &mut Interface, p: &Pipeline) {
        if !p.alpha_to_coverage || io.outputs.iter().any(|s| s.at == IoAt::SampleMask) {
            return;
        }
        let first = io.outputs.iter().position(|s| s.at == IoAt::location(0));
        let alpha = match first.map(|k| (self.args[k], io.outputs[k].ty)) {
            Some((colour, ty)) if ty.lanes() == 4 => b.extract(colour, 3),
            Some(_) => b.func.fconst(Type::F32, 1.0),
            None => b.func.fconst(Type::F32, 0.0),
        };
        let (samples, half) = (b.func.fconst(Type::F32, f32::from(p.samples)), b.func.fconst(Type::F32, 0.5));
        let alpha = b.fsat(alpha);
        let count = b.fmul(alpha, samples);
        let count = b.fadd(count, half);
        let count = b.f2u(count, Type::I32);
        let one = b.func.iconst(Type::I32, 1);
        let above = b.shl(one, count);
        let mask = b.isub(above, one);
        self.mask(b, io, mask);
    }
}
