//! Questions to textures: their descriptors, and operands in the order that these ask for.

use crate::Memory;
use crate::value::Lowered;
use gpucc_ir as ir;
use ir::{Const, Op, Tex, TexArg, TexDesc, TexDim, TexWhat, Type, Value};

/// A question, and the operands that are known of it.
pub type Question = (TexDesc, Vec<(TexArg, Value)>);

/// A question to a texture, with the indices of arrays of textures and of samplers.
pub fn question(what: TexWhat, dim: TexDim, multisampled: bool, indices: [Option<Value>; 2]) -> Question {
    let [texture, sampler] = indices;
    let desc = TexDesc::new(what, dim)
        .with_multisampled(multisampled)
        .with_texture_indexed(texture.is_some())
        .with_sampler_indexed(sampler.is_some());
    let texture = texture.map(|v| (TexArg::TextureIndex, v));
    let sampler = sampler.map(|v| (TexArg::SamplerIndex, v));
    (desc, texture.into_iter().chain(sampler).collect())
}

/// A constant offset in texels; none if a part of it is not from -8 to 7.
pub fn texel_offset(c: &Const) -> Option<[i32; 3]> {
    let unused = 64 - c.ty.bits();
    let mut parts = [0; 3];
    for (to, &b) in parts.iter_mut().zip(&c.bits) {
        *to = ((b << unused) as i64 >> unused) as i32;
    }
    parts.iter().all(|p| (-8..8).contains(p)).then_some(parts)
}

/// A function that asks textures.
///
/// # Errors
/// Operands that are not there, or do not fit the texture.
pub trait Textures: Memory {
    /// The operands that a descriptor asks for, in its order.
    fn tex_operands(&self, desc: TexDesc, given: &[(TexArg, Value)]) -> Lowered<Vec<Value>> {
        let mut list = Vec::new();
        for arg in desc.args() {
            match given.iter().find(|g| g.0 == arg) {
                Some(&(_, v)) if desc.arg_type(arg).is_none_or(|want| self.f.ty(v) == want) => list.push(v),
                Some(_) => return self.misfit(&format!("its {} does not fit the image", arg.name())),
                None => return self.misfit(&format!("it has no {}", arg.name())),
            }
        }
        Ok(list)
    }

    /// Asks a texture; the result is what the texture's texels are.
    fn ask(&mut self, op: Op, given: &[(TexArg, Value)], tex: Tex) -> Lowered<Value> {
        let args = self.tex_operands(tex.desc, given)?;
        let lane = self.out().resources[tex.texture].kind.texels().map_or(Type::F32, |t| t.3);
        let Some(ty) = tex.desc.result_type(lane) else { return self.broken("a texture function without a result") };
        Ok(self.b().tex(op, &args, tex, ty))
    }
}

impl<M: Memory> Textures for M {}
