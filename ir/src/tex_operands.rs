//! A texture instruction taken apart: what is asked, and the operands by what they are.

use crate::builder::Builder;
use crate::inst::{InstData, Value};
use crate::module::{Module, ResourceKind, TexClass};
use crate::ops::Op;
use crate::tex::{Tex, TexArg, TexDesc, TexDim, TexLayer, TexLod, TexWhat};
use crate::types::Type;
use smallvec::SmallVec;

/// The question of a texture instruction, and its operands. Passes change it and emit another instruction; selection reads it.
#[derive(Clone, Debug)]
pub struct TexOperands {
    /// The questions to each texture.
    pub tex: Tex,
    args: SmallVec<[(TexArg, Value); 8]>,
}

impl TexOperands {
    /// The operands of a texture instruction; `None` of any other.
    pub fn of(d: &InstData) -> Option<TexOperands> {
        let tex = *d.tex()?;
        Some(TexOperands { tex, args: tex.desc.args().into_iter().zip(d.args.iter().copied()).collect() })
    }
    /// An operand, if the instruction has it.
    pub fn get(&self, arg: TexArg) -> Option<Value> {
        self.args.iter().find(|a| a.0 == arg).map(|a| a.1)
    }
    /// Gives it an operand. Whether there is one says the descriptor.
    pub fn set(&mut self, arg: TexArg, v: Value) {
        match self.args.iter_mut().find(|a| a.0 == arg) {
            Some(a) => a.1 = v,
            None => self.args.push((arg, v)),
        }
    }
    /// Removes these operands where the instruction has them.
    pub fn remove(&mut self, args: &[TexArg]) {
        self.args.retain(|a| !args.contains(&a.0));
    }
    /// The instruction, with operands in the order of the descriptor. `None` if one is missing.
    pub fn emit(&self, b: &mut Builder<'_>, op: Op, ty: Type) -> Option<Value> {
        let list: Option<SmallVec<[Value; 8]>> = self.tex.desc.args().into_iter().map(|a| self.get(a)).collect();
        Some(b.tex(op, &list?, self.tex, ty))
    }
    /// The op of a sample or a gather: whether its level comes from the quad.
    pub fn sampling(&self) -> Op {
        match self.tex.desc.lod() {
            TexLod::Implicit | TexLod::Bias => Op::Sample,
            TexLod::Zero | TexLod::Level | TexLod::Gradients => Op::Tex,
        }
    }
    /// A number of the texture; the extent has as many lanes as its dimension.
    pub fn query(&self, b: &mut Builder<'_>, what: TexWhat, level: Option<Value>) -> Value {
        let desc = self.tex.desc;
        let mut query = TexDesc::new(what, desc.dim())
            .with_multisampled(desc.multisampled())
            .with_texture_indexed(desc.texture_indexed());
        if level.is_some() {
            query = query.with_lod(TexLod::Level);
        }
        let args: SmallVec<[Value; 2]> = level.into_iter().chain(self.get(TexArg::TextureIndex)).collect();
        let lanes = if what == TexWhat::Size { desc.dim().extent() } else { 1 };
        b.tex(Op::TexQuery, &args, Tex::new(self.tex.texture, query), Type::I32.with_lanes(lanes))
    }
    /// Whether the texture has layers or faces, and the instruction names one of them.
    pub fn has_layers(&self, m: &Module) -> bool {
        let cube = matches!(m.resources[self.tex.texture].kind, ResourceKind::Texture { dim: TexDim::Cube, .. });
        cube || self.tex.desc.layer() != TexLayer::None
    }
    /// The type of a sampled texture's texels.
    pub fn texel_class(&self, m: &Module) -> Option<TexClass> {
        match m.resources[self.tex.texture].kind {
            ResourceKind::Texture { class, .. } => Some(class),
            _ => None,
        }
    }
}
