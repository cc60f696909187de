//! Facts of textures that queries read; the driver part fills them in (`docs/abi-vivante.md`, 10).

use gpucc_container::TextureFact;
use gpucc_ir::{Function, Module, Op, Res, TexArg, TexLod, TexOperands, TexWhat, Value};

use crate::uniforms::{Key, Word, Words};

/// Names an element of a resource.
pub fn key(module: &Module, r: Res, element: u32) -> Key {
    let d = &module.resources[r];
    (d.group, d.binding, d.variant, element.min(d.count.max(1) - 1))
}

/// Facts of it as words.
pub fn facts(module: &Module, req: &TexOperands, element: u32, asked: &[TextureFact]) -> Words {
    let key = key(module, req.tex.texture, element);
    asked.iter().map(|&fact| Word::Texture(key, fact)).collect()
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
    Some(facts(module, &req, element, answer(&req, f.ty(v).lanes())))
}

/// The level whose size is asked, if that is not the first.
pub fn level_of(f: &Function, req: &TexOperands) -> Option<Value> {
    let desc = req.tex.desc;
    let level = req.get(TexArg::Level).filter(|_| desc.what() == TexWhat::Size && desc.lod() == TexLod::Level)?;
    (f.const_bits(level) != Some(0)).then_some(level)
}

/// The facts that answer a query of so many lanes.
pub fn answer(req: &TexOperands, lanes: u32) -> &'static [TextureFact] {
    match req.tex.desc.what() {
        TexWhat::Layers => &[TextureFact::Layers],
        TexWhat::Levels => &[TextureFact::Levels],
        TexWhat::Samples => &[TextureFact::Samples],
        _ => &TextureFact::SIZE[..lanes as usize],
    }
}
