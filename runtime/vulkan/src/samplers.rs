//! Shaders for samplers that no chip, or not every chip, has: with coordinates in texels, and moved by texels of a level above 0.
//!
//! What a sampler is shows when it is bound. A pipeline that meets such a sampler is compiled again with its coordinates in code.

use std::collections::BTreeMap;

use gpucc_ir::{
    Attr, Builder, Const, Inst, IntCc, Module, Op, Res, ResourceKind, TexArg, TexDim, TexLod, TexOperands, TexWhat,
    Type,
};
use gpucc_opt::rewrite::{self, Rewrite};
use gpucc_pipeline::Filter;
use gpucc_sim::texture::Sampler as Sampling;

use crate::fail::{Done, Fail};

/// A sampler as pipelines see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampler {
    /// What machines have of it.
    pub sampling: Sampling,
    /// Whether coordinates are texels.
    pub texels: bool,
}

/// How the coordinates of samples by a sampler are written in code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum How {
    /// They are texels.
    Texels,
    /// Samples at level 0 read this level, and offsets are its texels.
    Level(u32),
}

/// How for the sampler of a group and a binding.
pub type Special = (u32, u32, How);

impl Sampler {
    /// What code has to do for a sampler; `moves` says that a sample at level 0 by it has an offset that the chip does not add.
    ///
    /// # Errors
    /// Offsets are those of two levels that are mixed.
    pub fn special(&self, moves: bool) -> Done<Option<How>> {
        let s = &self.sampling;
        let level = s.lod_bias.max(s.lod_min).min(s.lod_max).max(0.0);
        match s.mip {
            _ if self.texels => Ok(Some(How::Texels)),
            _ if !moves || level <= 0.0 => Ok(None),
            Filter::Linear if level.fract() != 0.0 => {
                Err(Fail::lacks(format!("an offset in texels of two levels that are mixed (level {level})")))
            }
            // Halves belong to the level below.
            _ => Ok(Some((level - 0.5).ceil() as u32).filter(|l| *l > 0).map(How::Level)),
        }
    }
}

/// The sampler of a sample, and its operands.
fn sample(b: &Builder<'_>, i: Inst) -> Option<(Res, TexOperands)> {
    let d = &b.func.insts[i];
    let (Op::Sample | Op::Tex, Attr::Tex(tex)) = (d.op, &d.attr) else { return None };
    let sampler = tex.sampler.filter(|_| tex.desc.samples())?;
    Some((sampler, TexOperands::of(d)?))
}

/// Whether an offset moves a sample at level 0.
fn is_moved(of: &TexOperands) -> bool {
    let desc = of.tex.desc;
    desc.what() == TexWhat::Sample
        && desc.lod() == TexLod::Zero
        && desc.offset() != [0; 3]
        && desc.dim() != TexDim::Cube
}

/// The samplers by whose samples at level 0 an offset moves, by group and binding.
pub fn moving(m: &Module) -> Vec<(u32, u32)> {
    let mut list = Vec::new();
    for f in m.funcs.values() {
        for (_, i) in f.insts_in_order() {
            let d = &f.insts[i];
            let Attr::Tex(tex) = &d.attr else { continue };
            if let (Some(s), Some(of), true) = (tex.sampler, TexOperands::of(d), tex.desc.samples())
                && is_moved(&of)
            {
                list.push((m.resources[s].group, m.resources[s].binding));
            }
        }
    }
    list.sort_unstable();
    list.dedup();
    list
}

/// Writes the coordinates of samples by these samplers in code.
pub fn rewrite(m: &mut Module, list: &[Special]) {
    let is_sampler = |k| matches!(k, ResourceKind::Sampler { .. });
    let of = |group, binding| list.iter().find(|s| (s.0, s.1) == (group, binding)).map(|s| s.2);
    let samplers = m.resources.iter().filter(|(_, r)| is_sampler(r.kind));
    let samplers: BTreeMap<Res, How> = samplers.filter_map(|(k, r)| Some((k, of(r.group, r.binding)?))).collect();
    for f in m.funcs.values_mut() {
        // What is written anew is visited again.
        let mut done: Vec<Inst> = Vec::new();
        rewrite::run(f, |b: &mut Builder<'_>, i| {
            let found = sample(b, i).filter(|_| !done.contains(&i));
            let Some((how, mut of)) = found.and_then(|(s, of)| Some((*samplers.get(&s)?, of))) else {
                return Rewrite::Keep;
            };
            let ty = b.func.ty(b.func.insts[i].result());
            if (how == How::Texels || is_moved(&of)) && coordinates(b, &mut of, how).is_some() {
                let made = of.emit(b, of.sampling(), ty);
                done.extend(made.and_then(|v| b.func.def_inst(v)));
                return made.map_or(Rewrite::Keep, Rewrite::Value);
            }
            Rewrite::Keep
        });
    }
}

/// Writes the coordinates of a sample.
fn coordinates(b: &mut Builder<'_>, of: &mut TexOperands, how: How) -> Option<()> {
    let c = of.get(TexArg::Coords)?;
    let lanes = b.func.ty(c).lanes();
    let level = match how {
        How::Texels => None,
        How::Level(level) => {
            // A view may have fewer levels.
            let levels = of.query(b, TexWhat::Levels, None);
            let one = b.func.iconst(Type::I32, 1);
            let last = b.isub(levels, one);
            let level = b.func.iconst(Type::I32, level.into());
            let inside = b.icmp(IntCc::Ult, level, last);
            Some(b.select(inside, level, last))
        }
    };
    let size = of.query(b, TexWhat::Size, level);
    let size = b.u2f(size, Type::F32.with_lanes(lanes));
    let c = match how {
        How::Texels => b.fdiv(c, size),
        How::Level(_) => {
            let by = of.tex.desc.offset();
            let by: Vec<u64> = by.iter().take(lanes as usize).map(|&o| u64::from((o as f32).to_bits())).collect();
            let by = b.func.constant(Const::new(Type::F32.with_lanes(lanes), &by));
            let by = b.fdiv(by, size);
            of.tex.desc = of.tex.desc.with_offset([0; 3]);
            b.fadd(c, by)
        }
    };
    of.set(TexArg::Coords, c);
    Some(())
}
