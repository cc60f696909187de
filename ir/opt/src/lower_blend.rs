//! Writes blend equations that a target lacks ([`Blending`]) as arithmetic on what the colour target holds.
//!
//! | input | output |
//! |---|---|
//! | a colour that the pipeline blends | the blended colour, of `target_load` and `blend_constant`; the output is `blended` |
//! | the second source of a blend | gone, once the first target blends by code |
//! | a mask of samples by the alpha of a colour that is blended | the output `sample_mask` |
//!
//! Write masks and the conversion to the format stay fixed function; so do targets that are not blended, which all integer
//! ones are. An entry with `target_load` runs once for each sample. With several samples, one that would then do something
//! else stays as it is: one that writes memory, or reads the mask of samples or the depth.
//!
//! Needs: one return, the pipeline in `PassCx::around`. Keeps: the CFG. Changes the interface of the entry point in `PassCx::entry`.

use gpucc_ir::{
    Attr, Builder, FloatCc, Function, Interface, IoAt, Op, OpAttrs, SecondaryMap, Space, Stage, Sysval, Touched, Type,
    Value, Where,
};
use gpucc_pipeline::{Blend, BlendComponent, BlendFactor, BlendOperation, Pipeline, Target};

use crate::caps::Blending;
use crate::context::Returned;
use crate::cx::PassCx;

/// Writes blending that the target lacks into fragment entries.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    let (Some(context), caps) = (cx.context, cx.caps.io.blending) else { return };
    let Some(mut entry) = cx.entry.take() else { return };
    if entry.stage.kind() == Stage::Fragment
        && let Some(io) = entry.interface_mut()
    {
        let n = blend(f, cx, io, &context.pipeline, caps);
        cx.must_change(n);
    }
    cx.entry = Some(entry);
}

/// The target of a colour, if it is blended by code.
fn lacking(at: IoAt, p: &Pipeline, caps: Blending) -> Option<(u8, &Target, &Blend)> {
    let IoAt::Location { number, blend_src: 0 } = at else { return None };
    let target = p.targets.get(usize::from(number))?.as_ref()?;
    let blend = target.blend.as_ref().filter(|b| target.write != 0 && !caps.has(b))?;
    Some((number, target, blend))
}

fn blend(f: &mut Function, cx: &PassCx<'_>, io: &mut Interface, p: &Pipeline, caps: Blending) -> u64 {
    let wanted = |s: &gpucc_ir::IoSlot| !s.blended && lacking(s.at, p, caps).is_some();
    if !io.outputs.iter().any(wanted) || (p.samples > 1 && !may_run_for_each_sample(f, cx, io)) {
        return 0;
    }
    let Some((mut b, mut results)) = Returned::take(f, io) else { return 0 };
    let second = io.outputs.iter().position(|s| matches!(s.at, IoAt::Location { blend_src: 1, .. }));
    let second = second.map(|k| results.args[k]);
    let mut n = 0;
    for k in 0..io.outputs.len() {
        let Some((number, target, blend)) = lacking(io.outputs[k].at, p, caps).filter(|_| wanted(&io.outputs[k]))
        else {
            continue;
        };
        if number == 0 {
            results.alpha_to_coverage(&mut b, io, p);
        }
        let value = Inputs::new(&mut b, (number, target), results.args[k], second).blend(&mut b, blend);
        results.args[k] = value;
        let slot = &mut io.outputs[k];
        slot.ty = b.func.ty(value);
        slot.blended = true;
        n += 1;
    }
    // Only the first target has two sources.
    let first = io.outputs.iter().any(|s| s.at == IoAt::location(0) && s.blended);
    if let Some(k) = io.outputs.iter().position(|s| matches!(s.at, IoAt::Location { blend_src: 1, .. }))
        && first
    {
        io.outputs.remove(k);
        results.args.remove(k);
    }
    results.put(b, io);
    n
}

/// Whether it shows nowhere that an entry runs for each sample instead of each pixel.
fn may_run_for_each_sample(f: &Function, cx: &PassCx<'_>, io: &Interface) -> bool {
    let reads = |v: Sysval| f.insts_in_order().any(|(_, i)| f.insts[i].attr == Attr::Sysval(v));
    if reads(Sysval::SampleIndex)
        || reads(Sysval::SamplePosition)
        || io.inputs.iter().any(|s| s.interp.at == Where::Sample)
    {
        return true;
    }
    let writes = |(_, i): (_, gpucc_ir::Inst)| {
        let d = &f.insts[i];
        d.op.has(OpAttrs::writes)
            && match d.touches() {
                Some(Touched::Place(p)) => !matches!(cx.module.space(p), Space::Function | Space::Private),
                Some(Touched::Helpers | Touched::Target) | None => false,
                Some(Touched::Image(_) | Touched::Everything) => true,
            }
    };
    !(reads(Sysval::SampleMask) || reads_depth(f) || f.insts_in_order().any(writes))
}

/// Whether more of a fragment's position is read than its pixel.
fn reads_depth(f: &Function) -> bool {
    let mut position: SecondaryMap<Value, bool> = SecondaryMap::with_default(false);
    for (_, i) in f.insts_in_order().filter(|(_, i)| f.insts[*i].attr == Attr::Sysval(Sysval::FragCoord)) {
        position[f.insts[i].result()] = true;
    }
    f.insts_in_order().any(|(_, i)| {
        let d = &f.insts[i];
        let plane = matches!((d.op, &d.attr), (Op::Extract, Attr::Lane(0 | 1)));
        let mut read = false;
        d.for_each_use(|v| read |= position[v]);
        read && !plane
    })
}

/// The operands that an equation reads, component by component.
struct Inputs<'p> {
    number: u8,
    target: &'p Target,
    /// The colour as the program gives it.
    plain: [Value; 4],
    src: [Value; 4],
    src1: [Value; 4],
    dst: Option<[Value; 4]>,
    constant: Option<[Value; 4]>,
}

impl<'p> Inputs<'p> {
    fn new(b: &mut Builder<'_>, (number, target): (u8, &'p Target), src: Value, second: Option<Value>) -> Inputs<'p> {
        let plain = components(b, src);
        let src = plain.map(|v| clamp(b, target, v));
        let src1 = match second {
            Some(v) => components(b, v).map(|v| clamp(b, target, v)),
            None => [b.func.fconst(Type::F32, 0.0); 4],
        };
        Inputs { number, target, plain, src, src1, dst: None, constant: None }
    }

    fn dst(&mut self, b: &mut Builder<'_>) -> [Value; 4] {
        let number = self.number;
        *self.dst.get_or_insert_with(|| {
            let v = b.target_load(number, Type::F32.with_lanes(4));
            components(b, v)
        })
    }

    fn constant(&mut self, b: &mut Builder<'_>) -> [Value; 4] {
        let target = self.target;
        *self.constant.get_or_insert_with(|| {
            let v = b.sysval(Sysval::BlendConstant);
            components(b, v).map(|v| clamp(b, target, v))
        })
    }

    /// A factor; `None` is one.
    fn factor(&mut self, b: &mut Builder<'_>, f: BlendFactor, k: usize) -> Option<Value> {
        use BlendFactor as F;
        let v = match f {
            F::Zero => b.func.fconst(Type::F32, 0.0),
            F::One => return None,
            F::SrcAlphaSaturated if k == 3 => return None,
            F::Src | F::OneMinusSrc => self.src[k],
            F::SrcAlpha | F::OneMinusSrcAlpha => self.src[3],
            F::Dst | F::OneMinusDst => self.dst(b)[k],
            F::DstAlpha | F::OneMinusDstAlpha => self.dst(b)[3],
            F::SrcAlphaSaturated => {
                let dst = self.dst(b)[3];
                let rest = from_one(b, dst);
                b.fmin(self.src[3], rest)
            }
            F::Constant | F::OneMinusConstant => self.constant(b)[k],
            F::Src1 | F::OneMinusSrc1 => self.src1[k],
            F::Src1Alpha | F::OneMinusSrc1Alpha => self.src1[3],
        };
        Some(match f {
            F::OneMinusSrc
            | F::OneMinusSrcAlpha
            | F::OneMinusDst
            | F::OneMinusDstAlpha
            | F::OneMinusConstant
            | F::OneMinusSrc1
            | F::OneMinusSrc1Alpha => {
                let rest = from_one(b, v);
                // 1 less a negative number is more than a signed fraction holds.
                match self.target.format.normalised() {
                    Some((low, _)) if low < 0.0 => {
                        let one = b.func.fconst(Type::F32, 1.0);
                        b.fmin(rest, one)
                    }
                    _ => rest,
                }
            }
            _ => v,
        })
    }

    /// A value times its factor; the factor zero drops what is not finite, and needs no value.
    fn term(&mut self, b: &mut Builder<'_>, f: BlendFactor, k: usize, of_dst: bool) -> Value {
        if f == BlendFactor::Zero {
            return b.func.fconst(Type::F32, 0.0);
        }
        let value = if of_dst { self.dst(b)[k] } else { self.src[k] };
        match self.factor(b, f, k) {
            Some(factor) => b.fmul(value, factor),
            None => value,
        }
    }

    fn component(&mut self, b: &mut Builder<'_>, c: &BlendComponent, k: usize) -> Value {
        let operation = c.operation;
        if matches!(operation, BlendOperation::Min | BlendOperation::Max) {
            let (s, d) = (self.src[k], self.dst(b)[k]);
            return if operation == BlendOperation::Min { b.fmin(s, d) } else { b.fmax(s, d) };
        }
        let (s, d) = (self.term(b, c.src, k, false), self.term(b, c.dst, k, true));
        match operation {
            BlendOperation::Subtract => b.fsub(s, d),
            BlendOperation::ReverseSubtract => b.fsub(d, s),
            _ => b.fadd(s, d),
        }
    }

    /// The colour that the target gets; components that it does not write are anything.
    fn blend(mut self, b: &mut Builder<'_>, blend: &Blend) -> Value {
        let stored = self.target.format.components() as usize;
        let mut lanes = self.plain;
        for k in (0..stored).filter(|k| self.target.write >> k & 1 != 0) {
            lanes[k] = self.component(b, if k == 3 { &blend.alpha } else { &blend.color }, k);
        }
        b.compose(&lanes)
    }
}

fn from_one(b: &mut Builder<'_>, v: Value) -> Value {
    let one = b.func.fconst(Type::F32, 1.0);
    b.fsub(one, v)
}

/// Four components; those that are missing are 0, 0, 1.
fn components(b: &mut Builder<'_>, v: Value) -> [Value; 4] {
    let lanes = b.func.ty(v).lanes();
    [0, 1, 2, 3].map(|k| match (lanes, k) {
        (1, 0) => v,
        _ if k < lanes => b.extract(v, k),
        _ => b.func.fconst(Type::F32, if k == 3 { 1.0 } else { 0.0 }),
    })
}

/// The operand of fractions: their range, and 0 for NaN.
fn clamp(b: &mut Builder<'_>, target: &Target, v: Value) -> Value {
    match target.format.normalised() {
        None => v,
        Some((0.0, _)) => b.fsat(v),
        Some((low, high)) => {
            let [low, high] = [low, high].map(|x| b.func.fconst(Type::F32, x as f32));
            let near = b.fmax(v, low);
            let near = b.fmin(near, high);
            let is_nan = b.fcmp(FloatCc::Une, v, v);
            let zero = b.func.fconst(Type::F32, 0.0);
            b.select(is_nan, zero, near)
        }
    }
}
