//! The contract between the passes and selection: which instructions [`crate::prepare`] may leave for a target of given
//! [`Caps`].
//!
//! Passes after `legalise` and `scalarise` make instructions of their own (a wide load whose lanes are permuted, a choice
//! between booleans), so that what selection must know is more than what sources happen to contain. [`cases`] makes one small
//! prepared module of each such instruction and kind of operand, in each stage, and every backend has a test that it selects all of
//! them; [`check`] holds a module to the contract, as [`crate::prepare`] does at its end where it verifies.
//!
//! An instruction that no pass can write for the target stays as it is ([`crate::lower_tex::unwritten`]); [`crate::support`] refuses it by
//! its code.

mod cases;
mod draft;
mod drawing;
mod textures;

use gpucc_ir::{
    Attr, Diagnostic, Form, Function, Inst, Interface, IoAt, Mode, Module, Op, Position, Scalar, Stage, Sysval,
    TexCube, TexDesc, TexDim, TexLayer, TexLod, TexWhat,
};

use crate::caps::{Blending, Caps, CubeGradients, IoCaps, LayerForm};
use crate::lower_indices::divergent;
use crate::lower_tex::{has_gather, unwritten};

pub use cases::cases;
pub use draft::Case;

/// Whether a target of these capabilities gets this instruction. Lanes that are not of 32 bits are not asked about here: what
/// lacks them refuses them.
fn may_reach_selection(m: &Module, i: Inst, caps: &Caps) -> bool {
    let f = &m.funcs[m.entries[0].func];
    let d = &f.insts[i];
    match &d.attr {
        Attr::Tex(t) | Attr::TexAtomic(_, t) => return texture_fits(&t.desc, caps),
        Attr::Sysval(s) => return sysval_fits(*s, m.entries[0].stage.kind(), caps),
        Attr::Target(_) => return caps.io.blending != Blending::Fixed,
        _ => {}
    }
    is_legal(f, i, caps)
}

/// The same of arithmetic.
fn is_legal(f: &Function, i: Inst, caps: &Caps) -> bool {
    let d = &f.insts[i];
    let mut types = d.args.iter().copied().chain(d.results).map(|v| f.ty(v));
    if types.clone().any(|t| !matches!(t.scalar(), Scalar::B1 | Scalar::I32 | Scalar::F32)) {
        return true;
    }
    let expanded = caps.expand.has(d.op)
        && match d.op {
            Op::UBitExtract | Op::SBitExtract => {
                !caps.bit_field || d.args[1..].iter().any(|&v| f.const_bits(v).is_none())
            }
            Op::FShr => !caps.funnel,
            Op::BitSel => !caps.bit_select,
            Op::Not => !f.ty(d.result()).is_bool(),
            _ => true,
        };
    let split = caps.scalar && (d.op.is_lanewise() || d.op == Op::Bitcast) && types.any(|t| t.is_vector());
    !(expanded || split || matches!(d.op, Op::Call | Op::VarInit))
}

/// Whether a texture instruction has the form that the capabilities name, or is one of [`unwritten`].
fn texture_fits(desc: &TexDesc, caps: &Caps) -> bool {
    let (tex, fetch) = (&caps.tex, &caps.fetch);
    if desc.what() == TexWhat::Fetch {
        let is_single = !desc.multisampled();
        return (fetch.fetch || !is_single)
            && (fetch.offset || desc.offset() == [0; 3])
            && (fetch.samples || is_single);
    }
    if !desc.samples() || unwritten(desc, caps).is_some() {
        return true;
    }
    let layer = match tex.layer {
        LayerForm::Integer => true,
        LayerForm::Float => matches!(desc.layer(), TexLayer::None | TexLayer::Float),
        LayerForm::Small => matches!(desc.layer(), TexLayer::None | TexLayer::Unsigned),
    };
    let is_cube = desc.dim() == TexDim::Cube;
    let faced = is_cube && matches!(tex.cube, TexCube::Faced | TexCube::FacedPlusOne);
    let level = match desc.lod() {
        TexLod::Gradients if is_cube => tex.cube_gradients != CubeGradients::Level,
        TexLod::Gradients => tex.gradients,
        TexLod::Implicit | TexLod::Bias => !faced || tex.cube_levels || desc.what() != TexWhat::Sample,
        TexLod::Zero | TexLod::Level => true,
    };
    let form = if is_cube { tex.cube } else { TexCube::Direction };
    let gather = desc.what() != TexWhat::Gather || has_gather(desc, tex.gather);
    let compared = !desc.shadow() || desc.lod() != TexLod::Gradients || caps.sampler.compare_gradients;
    layer && level && compared && desc.cube() == form && gather && (tex.base_clamp || !desc.base_clamp())
}

/// Whether lowering leaves a value of the launch.
fn sysval_fits(s: Sysval, stage: Stage, caps: &Caps) -> bool {
    let io = &caps.io;
    match s {
        // `lower_subgroups` writes them; size and lane only where invocations are no lanes of the hardware.
        Sysval::NumSubgroups | Sysval::SubgroupId => caps.subgroup == 0,
        // In other stages they are refused by their code there.
        Sysval::SubgroupSize | Sysval::SubgroupInvocationId => {
            caps.lockstep || caps.subgroup == 0 || stage != Stage::Compute
        }
        Sysval::VertexIndex => io.vertex_index_includes_base,
        Sysval::RawVertexIndex => !io.vertex_index_includes_base,
        Sysval::InstanceIndex => io.instance_index_includes_base,
        Sysval::RawInstanceIndex => !io.instance_index_includes_base,
        Sysval::PrimitiveIndex => io.primitive_index,
        Sysval::RawPrimitiveIndex => !io.primitive_index,
        Sysval::FragCoord => io.frag_coord,
        Sysval::SamplePosition | Sysval::SampleCount => io.sample_position,
        Sysval::Layer => io.layers,
        // Without its vertex it is refused.
        Sysval::ViewportIndex => io.viewports,
        Sysval::Pixel | Sysval::FragZ => !io.frag_coord,
        Sysval::FragInvW => !(io.frag_coord && io.perspective && io.linear && io.clip_distances),
        Sysval::BlendConstant => io.blending != Blending::Fixed,
        Sysval::ViewportScale | Sysval::ViewportOffset => io.window_positions,
        Sysval::PointCoord => io.point_coord,
        _ => true,
    }
}

/// Whether what a stage gets and gives has the form that the capabilities name. Clip distances that stay are refused by their code.
fn interface_fits(io: &Interface, stage: Stage, caps: &IoCaps) -> bool {
    let interpolated = if stage == Stage::Vertex { &io.outputs } else { &io.inputs };
    let travels = |at: IoAt| matches!(at, IoAt::Location { .. });
    let mode = |m: Mode| match m {
        Mode::Perspective => caps.perspective || stage == Stage::Vertex,
        Mode::Linear => caps.linear,
        // Refused by their code where there are none.
        Mode::Flat | Mode::Vertex0 | Mode::Vertex1 | Mode::Vertex2 => true,
        Mode::OverW => !caps.perspective && stage == Stage::Fragment,
    };
    let position = match io.position {
        Position::Clip => !(caps.window_positions || caps.negative_depth),
        Position::ClipNegative => caps.negative_depth && !caps.window_positions,
        Position::Window => caps.window_positions,
    };
    interpolated.iter().all(|s| !travels(s.at) || mode(s.interp.mode))
        && io.outputs.iter().all(|s| s.form == Form::Plain || caps.packed_colours)
        && (stage != Stage::Vertex || position)
        && (caps.compact_targets || !io.compact_targets)
}

/// Holds a prepared module to the contract.
///
/// # Errors
/// `Internal`, with the first instruction that no pass may leave.
pub fn check(m: &Module, caps: &Caps) -> Result<(), Diagnostic> {
    let (e, left) = (&m.entries[0], "the passes leave what the target lacks");
    let f = &m.funcs[e.func];
    if let Some(io) = e.interface()
        && !interface_fits(io, e.stage.kind(), &caps.io)
    {
        return Err(Diagnostic::internal("selection", left).note(format!("{io:?}")));
    }
    if !caps.tex.lane_index
        && let Some(i) = divergent(m, f).iter().next()
    {
        return Err(Diagnostic::internal("selection", left).note(gpucc_ir::text::inst_text(f, i)));
    }
    match f.insts_in_order().find(|(_, i)| !may_reach_selection(m, *i, caps)) {
        None => Ok(()),
        Some((_, i)) => Err(Diagnostic::internal("selection", left).note(gpucc_ir::text::inst_text(f, i))),
    }
}
