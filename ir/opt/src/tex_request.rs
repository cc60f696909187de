//! A texture instruction taken apart, for the passes that ask for something else in its place.

use gpucc_ir::{Builder, InstData, Op, Tex, TexArg, TexDesc, TexLod, TexWhat, Type, Value};
use smallvec::SmallVec;

/// A texture instruction: what is asked, and the operands by what they are.
#[derive(Clone)]
pub(crate) struct TexRequest {
    pub tex: Tex,
    pub args: SmallVec<[(TexArg, Value); 8]>,
}

impl TexRequest {
    /// Of an instruction with this attribute.
    pub fn new(d: &InstData, tex: Tex) -> TexRequest {
        TexRequest { tex, args: tex.desc.args().into_iter().zip(d.args.iter().copied()).collect() }
    }
    pub fn get(&self, arg: TexArg) -> Option<Value> {
        self.args.iter().find(|a| a.0 == arg).map(|a| a.1)
    }
    pub fn set(&mut self, arg: TexArg, v: Value) {
        match self.args.iter_mut().find(|a| a.0 == arg) {
            Some(a) => a.1 = v,
            None => self.args.push((arg, v)),
        }
    }
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
}
