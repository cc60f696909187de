//! Words of descriptors that texture queries read; the driver part fills them in (`docs/abi-vivante.md`, 10).

use gpucc_ir::{Function, Module, Op, Res, TexArg, TexLod, TexOperands, TexWhat, Value};

use crate::uniforms::{Key, Word, Words};

/// Words of a texture's descriptor that queries read.
pub mod fact {
    pub const SIZE: u16 = 0;
    pub const LAYERS: u16 = 3;
    pub const LEVELS: u16 = 4;
    pub const SAMPLES: u16 = 5;
    pub const LAST_LEVEL: u16 = 6;
}

/// Names an element of a resource.
pub fn key(module: &Module, r: Res, element: u32) -> Key {
    let d = &module.resources[r];
    (d.group, d.binding, d.variant, element.min(d.count.max(1) - 1))
}

/// So many words of its descriptor.
pub fn facts(module: &Module, req: &TexOperands, element: u32, first: u16, count: u32) -> Words {
    let key = key(module, req.tex.texture, element);
    (0..count as u16).map(|k| Word::Texture(key, first + k)).collect()
}

/// The words that answer a query without a level, of a texture that is known.
pub fn known(f: &Function, module: &Module, v: Value) -> Option<Words> {
    let d = &f.insts[f.def_inst(v)?];
    let Op::TexQuery = d.op else { return None };
    let req = TexOperands::of(d)?;
    if level_of(f, &req).is_some() {
        return None;
    }
    let element = req.get(TexArg::TextureIndex).map_or(Some(0), |v| f.const_bits(v).map(|k| k as u32))?;
    Some(facts(module, &req, element, first_fact(&req), f.ty(v).lanes()))
}

/// The level whose size is asked, if that is not the first.
pub fn level_of(f: &Function, req: &TexOperands) -> Option<Value> {
    let desc = req.tex.desc;
    let level = req.get(TexArg::Level).filter(|_| desc.what() == TexWhat::Size && desc.lod() == TexLod::Level)?;
    (f.const_bits(level) != Some(0)).then_some(level)
}

/// The first word of the answer to a query.
pub fn first_fact(req: &TexOperands) -> u16 {
    match req.tex.desc.what() {
        TexWhat::Layers => fact::LAYERS,
        TexWhat::Levels => fact::LEVELS,
        TexWhat::Samples => fact::SAMPLES,
        _ => fact::SIZE,
    }
}
