//! Inputs and outputs of entry points: built-in values, attributes, varyings, targets.

use super::Lowered;
use super::func::FuncCx;
use super::types;
use super::value::Val;
use crate::report;
use gpucc_frontend_common::{Memory, Shapes};
use gpucc_ir as ir;
use ir::{Diagnostic, Interface, Interp, IoAt, IoSlot, Mode, Refusal, Scalar, Span, Sysval, Type, Value, Where};
use naga::{Binding, BuiltIn, Handle, ShaderStage};

/// Interface of the entry that is lowered.
pub struct Stage {
    /// The stage of the entry.
    pub kind: ShaderStage,
    /// Invocations of a workgroup in x, y and z, for compute.
    pub workgroup_size: [u32; 3],
    /// The parts met so far.
    pub io: Interface,
    /// Whether it runs for each sample: an input is of the sample, or its number is one.
    pub per_sample: bool,
    /// The output that each leaf of the result is; none of what no later stage sees.
    pub outputs: Vec<usize>,
}

/// The error of SPIR-V alone: what reads WGSL and GLSL asks for a place.
fn no_place(what: &str) -> Diagnostic {
    Diagnostic::invalid(
        "validation",
        format!("an {what} of the entry point has neither a location nor a built-in value"),
    )
}

impl FuncCx<'_, '_> {
    /// The value of an entry's parameter.
    pub fn entry_argument(&mut self, argument: &naga::FunctionArgument, stage: &mut Stage) -> Lowered<Val> {
        let source = self.m.source;
        let name = argument.name.clone().unwrap_or_default();
        match (&argument.binding, &source.types[argument.ty].inner) {
            (Some(binding), _) => self.input(binding, argument.ty, name, stage),
            (None, naga::TypeInner::Struct { members, .. }) => {
                let part = |member: &naga::StructMember| match &member.binding {
                    Some(b) => self.input(b, member.ty, member.name.clone().unwrap_or_default(), stage),
                    None => Err(no_place("input")),
                };
                Ok(Val::parts(members.iter().map(part).collect::<Lowered<_>>()?))
            }
            _ => Err(no_place("input")),
        }
    }

    fn input(&mut self, binding: &Binding, ty: Handle<naga::Type>, name: String, stage: &mut Stage) -> Lowered<Val> {
        match *binding {
            Binding::BuiltIn(builtin) => self.built_in(builtin, stage),
            Binding::Location { location, interpolation, sampling, per_primitive, .. } => {
                let each = interpolation == Some(naga::Interpolation::PerVertex);
                let ty = match self.m.source.types[ty].inner {
                    naga::TypeInner::Array { base, .. } if each => base,
                    _ => ty,
                };
                let Some(leaf) = types::leaf(self.ty(ty, Span::UNKNOWN)?) else {
                    return self.unsupported(Refusal::StageInputs, "matrices and arrays as inputs of a stage");
                };
                if stage.kind == ShaderStage::Compute {
                    return self.unsupported(Refusal::StageInputs, "inputs of compute by location");
                }
                if per_primitive {
                    return self.unsupported(Refusal::StageInputs, "inputs for each primitive");
                }
                let fragment = stage.kind == ShaderStage::Fragment;
                let interp = if fragment { interp(interpolation, sampling, leaf) } else { Interp::default() };
                let at = self.location(location, 0)?;
                let mut read = |interp: Interp| {
                    let slot = IoSlot { name: name.clone(), interp, ..IoSlot::new(at, word(leaf)) };
                    let n = stage.io.inputs.len() as u16;
                    let value = self.b().input(n, slot.ty);
                    stage.io.inputs.push(slot);
                    Val::One(self.narrowed(value, leaf))
                };
                if each {
                    let vertices = Mode::VERTICES.map(|mode| read(Interp { mode, at: Where::Center }));
                    return Ok(Val::parts(vertices.into()));
                }
                Ok(read(interp))
            }
        }
    }

    /// A location that fits the interface.
    fn location(&self, location: u32, blend_src: u32) -> Lowered<IoAt> {
        match (u8::try_from(location), u8::try_from(blend_src)) {
            (Ok(number), Ok(blend_src)) => Ok(IoAt::Location { number, blend_src }),
            _ => self.unsupported(Refusal::StageInputs, "locations above 255"),
        }
    }

    /// A word of the interface as a value of the program.
    fn narrowed(&mut self, value: Value, leaf: Type) -> Value {
        if leaf.scalar() == Scalar::F16 { self.b().f2f(value, leaf) } else { value }
    }

    fn built_in(&mut self, builtin: BuiltIn, stage: &mut Stage) -> Lowered<Val> {
        let sysval = match builtin {
            BuiltIn::GlobalInvocationId => Sysval::GlobalInvocationId,
            BuiltIn::LocalInvocationId => Sysval::LocalInvocationId,
            BuiltIn::LocalInvocationIndex => Sysval::LocalInvocationIndex,
            BuiltIn::WorkGroupId => Sysval::WorkgroupId,
            BuiltIn::NumWorkGroups => Sysval::NumWorkgroups,
            BuiltIn::SubgroupSize => Sysval::SubgroupSize,
            BuiltIn::SubgroupInvocationId => Sysval::SubgroupInvocationId,
            BuiltIn::SubgroupId => Sysval::SubgroupId,
            BuiltIn::NumSubgroups => Sysval::NumSubgroups,
            BuiltIn::VertexIndex => Sysval::VertexIndex,
            BuiltIn::InstanceIndex => Sysval::InstanceIndex,
            BuiltIn::Position { .. } => Sysval::FragCoord,
            BuiltIn::FrontFacing => Sysval::FrontFacing,
            BuiltIn::SampleIndex => Sysval::SampleIndex,
            BuiltIn::SampleMask => Sysval::SampleMask,
            BuiltIn::PrimitiveIndex => Sysval::PrimitiveIndex,
            BuiltIn::PointCoord => Sysval::PointCoord,
            BuiltIn::WorkGroupSize => {
                let bits = stage.workgroup_size.map(u64::from);
                return Ok(Val::One(self.f.constant(ir::Const::new(Type::I32.with_lanes(3), &bits))));
            }
            BuiltIn::Barycentric { perspective } => {
                let mode = if perspective { Mode::Perspective } else { Mode::Linear };
                return Ok(Val::One(self.barycentric(&mut stage.io, Interp { mode, at: Where::Center })));
            }
            other => {
                let what = format!("the built-in input {other:?}");
                return Err(report::unsupported(Refusal::StageInputs, &what, Span::UNKNOWN));
            }
        };
        let value = self.b().sysval(sysval);
        // That of GLSL is at the sample, that of WGSL in the middle of the pixel.
        let moved = sysval == Sysval::FragCoord && stage.per_sample && self.m.parsed.lang != crate::Lang::Wgsl;
        Ok(Val::One(if moved { gpucc_frontend_common::at_sample(&mut self.b(), value) } else { value }))
    }

    /// Reads the outputs off the result of an entry: slots, and which leaf of the value is which.
    pub fn declare_outputs(&mut self, result: &naga::FunctionResult, stage: &mut Stage) -> Lowered<()> {
        let source = self.m.source;
        match (&result.binding, &source.types[result.ty].inner) {
            (Some(binding), _) => self.output(binding, result.ty, String::new(), stage),
            (None, naga::TypeInner::Struct { members, .. }) => members.iter().try_for_each(|m| match &m.binding {
                Some(b) => self.output(b, m.ty, m.name.clone().unwrap_or_default(), stage),
                None => Err(no_place("output")),
            }),
            _ => Err(no_place("output")),
        }?;
        self.f.ret = stage.io.outputs.iter().map(|s| s.ty).collect();
        self.point_size = stage.io.outputs.iter().position(|s| s.at == IoAt::PointSize);
        Ok(())
    }

    fn output(&mut self, binding: &Binding, ty: Handle<naga::Type>, name: String, stage: &mut Stage) -> Lowered<()> {
        let shape = self.ty(ty, Span::UNKNOWN)?;
        let leaf = types::leaf(shape);
        let at = match *binding {
            Binding::Location { location, blend_src, interpolation, sampling, .. } => {
                let Some(leaf) = leaf else {
                    return self.unsupported(Refusal::StageInputs, "matrices and arrays as outputs of a stage");
                };
                let vertex = stage.kind == ShaderStage::Vertex;
                let interp = if vertex { interp(interpolation, sampling, leaf) } else { Interp::default() };
                let at = self.location(location, blend_src.unwrap_or(0))?;
                if !vertex && location >= u32::from(ir::COLOUR_TARGETS) {
                    return self.unsupported(Refusal::StageInputs, "more than 8 colour targets");
                }
                stage.outputs.push(stage.io.outputs.len());
                stage.io.outputs.push(IoSlot { name, interp, ..IoSlot::new(at, word(leaf)) });
                return Ok(());
            }
            Binding::BuiltIn(BuiltIn::Position { .. }) => IoAt::Position,
            Binding::BuiltIn(BuiltIn::FragDepth) => IoAt::FragDepth,
            Binding::BuiltIn(BuiltIn::SampleMask) => IoAt::SampleMask,
            Binding::BuiltIn(BuiltIn::ClipDistances) => {
                for n in 0..self.m.types.parts(shape) {
                    stage.outputs.push(stage.io.outputs.len());
                    stage.io.outputs.push(IoSlot::new(IoAt::ClipDistance(n as u8), Type::F32));
                }
                return Ok(());
            }
            Binding::BuiltIn(BuiltIn::PointSize) => IoAt::PointSize,
            Binding::BuiltIn(other) => {
                let what = format!("the built-in output {other:?}");
                return self.unsupported(Refusal::StageInputs, &what);
            }
        };
        let Some(leaf) = leaf else { return self.broken("a built-in output of many values") };
        stage.outputs.push(stage.io.outputs.len());
        stage.io.outputs.push(IoSlot { name, ..IoSlot::new(at, word(leaf)) });
        Ok(())
    }

    /// The outputs, of the leaves of an entry's result.
    pub fn outputs(&mut self, leaves: &[Value]) -> Lowered<Vec<Value>> {
        let Some(map) = self.outputs.clone() else { return Ok(leaves.to_vec()) };
        if map.len() != leaves.len() {
            return self.broken("a result with other leaves than outputs");
        }
        let mut values: Vec<Option<Value>> = vec![None; self.f.ret.len()];
        for (&to, &leaf) in map.iter().zip(leaves) {
            let ty = self.f.ret[to];
            // A size of points that nobody gives is 1.
            let size = self.point_size == Some(to);
            let leaf = if size && self.is_one(leaf) { self.f.fconst(ty, 1.0) } else { leaf };
            let same = self.f.ty(leaf) == ty;
            values[to] = Some(if same { leaf } else { self.b().f2f(leaf, ty) });
        }
        match values.into_iter().collect::<Option<Vec<_>>>() {
            Some(values) => Ok(values),
            None => self.broken("an output without a value"),
        }
    }

    /// Whether a float is 1 or not defined: itself, or all that is stored to the variable that it is loaded from.
    fn is_one(&self, v: Value) -> bool {
        let one = |f: &ir::Function, v: Value| {
            f.is_undef(v) || f.as_const(v).is_some_and(|c| c.uniform_bits() == Some(u64::from(1f32.to_bits())))
        };
        let Some(load) = self.f.def_inst(v).map(|i| &self.f.insts[i]).filter(|d| d.op == ir::Op::Load) else {
            return one(&self.f, v);
        };
        let Some(from) = load.mem().filter(|_| load.dyn_offset().is_none()) else { return false };
        let functions = self.m.out.funcs.iter().map(|(_, f)| f).chain([&self.f]);
        let global = !matches!(from.place, ir::Place::Local(_));
        functions.filter(|f| global || std::ptr::eq(*f, &self.f)).all(|f| {
            f.insts_in_order().map(|(_, i)| &f.insts[i]).filter(|d| d.op == ir::Op::Store).all(|d| {
                let other = d.mem().is_none_or(|m| m.place != from.place);
                let apart = d.mem().is_some_and(|m| m.offset != from.offset) && d.dyn_offset().is_none();
                other || apart || one(f, d.args[0])
            })
        })
    }

    /// `discard`: the lane becomes a helper and continues.
    pub fn kill(&mut self) {
        let always = self.f.bconst(true);
        self.b().demote(always);
    }
}

/// The type in which a leaf travels between stages: halves as floats.
fn word(leaf: Type) -> Type {
    if leaf.scalar() == Scalar::F16 { leaf.with_scalar(Scalar::F32) } else { leaf }
}

fn interp(mode: Option<naga::Interpolation>, at: Option<naga::Sampling>, leaf: Type) -> Interp {
    let mode = match mode {
        _ if !leaf.is_float() => Mode::Flat,
        Some(naga::Interpolation::Flat) => Mode::Flat,
        Some(naga::Interpolation::Linear) => Mode::Linear,
        _ => Mode::Perspective,
    };
    let at = match at {
        _ if mode == Mode::Flat => Where::Center,
        Some(naga::Sampling::Centroid) => Where::Centroid,
        Some(naga::Sampling::Sample) => Where::Sample,
        _ => Where::Center,
    };
    Interp { mode, at }
}

impl Stage {
    /// The state for lowering an entry point, with no slot met yet.
    pub fn new(entry: &naga::EntryPoint, types: &naga::UniqueArena<naga::Type>) -> Stage {
        let io = Interface::default();
        let is_sample = |b: &Binding| {
            let sampled = matches!(b, Binding::Location { sampling: Some(naga::Sampling::Sample), .. });
            sampled || matches!(b, Binding::BuiltIn(BuiltIn::SampleIndex))
        };
        let per_sample = entry.function.arguments.iter().any(|a| match (&a.binding, &types[a.ty].inner) {
            (Some(b), _) => is_sample(b),
            (None, naga::TypeInner::Struct { members, .. }) => {
                members.iter().filter_map(|m| m.binding.as_ref()).any(is_sample)
            }
            _ => false,
        });
        Stage { kind: entry.stage, workgroup_size: entry.workgroup_size, io, per_sample, outputs: Vec::new() }
    }

    /// The stage with its interface, as the IR has it.
    pub fn info(self, entry: &naga::EntryPoint) -> ir::StageInfo {
        match entry.stage {
            ShaderStage::Vertex => ir::StageInfo::Vertex(self.io),
            ShaderStage::Fragment => {
                let early_depth = matches!(entry.early_depth_test, Some(naga::ir::EarlyDepthTest::Force));
                ir::StageInfo::Fragment { io: self.io, early_depth }
            }
            _ => ir::StageInfo::Compute { workgroup_size: self.workgroup_size, subgroups: ir::Subgroups::ANY },
        }
    }
}
