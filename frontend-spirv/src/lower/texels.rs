//! Texel buffers whose format the module gives: storage buffers of their texels, each of whole words.

use super::cx::{Lowered, ModuleCx};
use super::func::FuncCx;
use crate::types::{ImageTy, Ty};
use crate::value::{Handle, Ptr, Val};
use gpucc_frontend_common::{Memory, report, resource};
use gpucc_ir as ir;
use ir::{MemFlags, Place, Refusal, Res, Scalar, Span, Type, Value};
use rspirv::spirv::{Dim, ImageFormat as F};
use std::rc::Rc;

/// How the components of a texel lie in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packing {
    /// A word each.
    Words(Scalar),
    /// A byte each, as parts of one.
    Unorm8,
    /// A byte each, as signed parts of one.
    Snorm8,
    /// A byte each, integers; whether signed.
    Bytes(bool),
    /// Two halves of a word, as parts of one.
    Unorm16,
    /// Two halves of a word, as signed parts of one.
    Snorm16,
    /// Two halves of a word, floats.
    Half,
    /// Two halves of a word, integers; whether signed.
    Shorts(bool),
}

/// The packing of a format and its components; none of what is less than a word.
fn packing(format: F) -> Option<(Packing, u32)> {
    use Packing as P;
    Some(match format {
        F::R32f => (P::Words(Scalar::F32), 1),
        F::Rg32f => (P::Words(Scalar::F32), 2),
        F::Rgba32f => (P::Words(Scalar::F32), 4),
        F::R32i | F::R32ui => (P::Words(Scalar::I32), 1),
        F::Rg32i | F::Rg32ui => (P::Words(Scalar::I32), 2),
        F::Rgba32i | F::Rgba32ui => (P::Words(Scalar::I32), 4),
        F::Rgba8 => (P::Unorm8, 4),
        F::Rgba8Snorm => (P::Snorm8, 4),
        F::Rgba8i => (P::Bytes(true), 4),
        F::Rgba8ui => (P::Bytes(false), 4),
        F::Rg16 => (P::Unorm16, 2),
        F::Rgba16 => (P::Unorm16, 4),
        F::Rg16Snorm => (P::Snorm16, 2),
        F::Rgba16Snorm => (P::Snorm16, 4),
        F::Rg16f => (P::Half, 2),
        F::Rgba16f => (P::Half, 4),
        F::Rg16i => (P::Shorts(true), 2),
        F::Rgba16i => (P::Shorts(true), 4),
        F::Rg16ui => (P::Shorts(false), 2),
        F::Rgba16ui => (P::Shorts(false), 4),
        _ => return None,
    })
}

impl Packing {
    /// Words of a texel of so many components.
    fn words(self, components: u32) -> u32 {
        match self {
            Packing::Words(_) => components,
            Packing::Unorm8 | Packing::Snorm8 | Packing::Bytes(_) => 1,
            _ => components / 2,
        }
    }

    /// The type of a component.
    fn lane(self) -> Type {
        match self {
            Packing::Words(s) => Type::new(s, 1),
            Packing::Bytes(_) | Packing::Shorts(_) => Type::I32,
            _ => Type::F32,
        }
    }
}

/// Where a texel lies.
struct At {
    ptr: Ptr,
    packing: Packing,
    components: u32,
}

impl ModuleCx<'_> {
    /// The buffer that a variable of texel buffers is, if it is one.
    pub fn texel_buffer(
        &mut self,
        ty: ImageTy,
        at: (u32, u32),
        writable: bool,
        (name, span): (String, Span),
    ) -> Lowered<Res> {
        let Some((packing, components)) = packing(ty.format) else {
            let name = match ty.format {
                F::Unknown => "`OpTypeImage Buffer` without a format".to_string(),
                format => format!("`OpTypeImage Buffer` of the format {format:?}"),
            };
            return Err(report::unsupported(Refusal::TexelBuffers, &name, span));
        };
        let bytes = packing.words(components) * 4;
        let kind = match ty.storage && writable {
            true => ir::ResourceKind::StorageReadWrite,
            false => ir::ResourceKind::StorageRead,
        };
        let data = resource(name, at, kind, 1, span);
        Ok(self.resource(ir::ResourceData { min_size: bytes, stride: bytes, ..data }))
    }
}

/// Texels of a row of a texel buffer that is sampled and says no format: it is a texture of two dimensions, so that the machine reads the format.
/// A buffer of fewer texels is one row; one of more is whole rows.
const ROW: u32 = 4096;

impl ImageTy {
    /// Whether it is a texel buffer that is a texture of rows.
    pub fn is_rows(&self) -> bool {
        self.dim == Dim::DimBuffer && !self.storage && self.format == F::Unknown
    }
}

impl FuncCx<'_, '_> {
    /// Column and row of a texel in a texture of rows. One that is not there is in none.
    pub fn in_rows(&mut self, at: Value) -> Lowered<Value> {
        let at = self.lanes_of(at, 0, 1)?;
        let (mask, shift) = (self.code.f.iconst(Type::I32, i64::from(ROW) - 1), ROW.trailing_zeros());
        let shift = self.code.f.iconst(Type::I32, shift.into());
        let (x, y) = (self.b().and(at, mask), self.b().ushr(at, shift));
        Ok(self.code.compose(&[x, y]))
    }

    /// How many texels a texture of rows has.
    pub fn count_rows(&mut self, extent: Value) -> Value {
        let (x, y) = (self.code.extract(extent, 0), self.code.extract(extent, 1));
        self.b().imul(x, y)
    }

    /// The buffer that an image is, if it is one.
    pub fn buffer_of(&self, image: &Handle) -> Option<Rc<[Place]>> {
        self.m.handles[image.variable].buffers.clone()
    }

    /// The memory of an image, or the choice of several; its type is not known.
    fn texels(&mut self, image: &Handle) -> Lowered<Ptr> {
        let Some(places) = self.buffer_of(image) else { return self.broken("a texel of no buffer") };
        let (place, choice) = self.chosen(&places, image.index);
        let mut flags = self.m.handles[image.variable].flags;
        if !places.iter().any(|p| matches!(*p, Place::Buffer(r) if self.m.out.resources[r].kind.is_writable())) {
            flags = flags.with(MemFlags::READONLY);
        }
        Ok(Ptr { choice, host: true, flags, reach: None, ..Ptr::new(place, image.ty, 4) })
    }

    fn texel_at(&mut self, image: &Handle, coordinate: u32) -> Lowered<At> {
        let ty = self.image_ty(image)?;
        let Some((packing, components)) = packing(ty.format) else { return self.broken("a texel without a format") };
        let index = self.word(coordinate)?;
        let index = self.lanes_of(index, 0, 1)?;
        let bytes = packing.words(components) * 4;
        let stride = self.code.f.iconst(Type::I32, bytes.into());
        let dynamic = self.b().imul(index, stride);
        let ptr = Ptr { dynamic: Some(dynamic), align: bytes, ..self.texels(image)? };
        Ok(At { ptr, packing, components })
    }

    /// A texel as four components; those that the format lacks are 0, and the last one 1.
    pub fn load_texel(&mut self, image: &Handle, coordinate: u32) -> Lowered<Value> {
        let at = self.texel_at(image, coordinate)?;
        let words = at.packing.words(at.components);
        let scalar = if let Packing::Words(s) = at.packing { s } else { Scalar::I32 };
        let raw = self.load_leaf(&at.ptr, Type::new(scalar, words), MemFlags::NONE)?;
        let list: Vec<Value> = match words {
            1 => vec![raw],
            n => (0..n).map(|k| self.code.extract(raw, k)).collect(),
        };
        let mut lanes = Vec::new();
        for word in list {
            let value = match at.packing {
                Packing::Words(_) => word,
                Packing::Unorm8 => self.b().unpack_unorm4x8(word),
                Packing::Snorm8 => self.b().unpack_snorm4x8(word),
                Packing::Bytes(signed) => self.code.unpack_bytes(word, signed),
                Packing::Unorm16 => self.b().unpack_unorm2x16(word),
                Packing::Snorm16 => self.b().unpack_snorm2x16(word),
                Packing::Half => self.b().unpack_half2x16(word),
                Packing::Shorts(signed) => {
                    let sixteen = self.code.f.iconst(Type::I32, 16);
                    let up = self.b().shl(word, sixteen);
                    let part =
                        |cx: &mut Self, v| if signed { cx.b().sshr(v, sixteen) } else { cx.b().ushr(v, sixteen) };
                    let (low, high) = (part(self, up), part(self, word));
                    self.code.compose(&[low, high])
                }
            };
            let n = self.code.f.ty(value).lanes();
            lanes.extend((0..n).map(|k| if n == 1 { value } else { self.code.extract(value, k) }));
        }
        let lane = at.packing.lane();
        while lanes.len() < 4 {
            let last = lanes.len() == 3;
            lanes.push(match (last, lane.is_float()) {
                (true, true) => self.code.f.fconst(lane, 1.0),
                (true, false) => self.code.f.iconst(lane, 1),
                _ => self.code.f.zero(lane),
            });
        }
        Ok(self.code.compose(&lanes))
    }

    /// Writes a texel of four components.
    pub fn store_texel(&mut self, image: &Handle, coordinate: u32, texel: Value) -> Lowered<()> {
        let at = self.texel_at(image, coordinate)?;
        if self.code.f.ty(texel).lane() != at.packing.lane() {
            return self.wrong("its texel does not fit the image");
        }
        let lanes: Vec<Value> = (0..at.components).map(|k| self.code.extract(texel, k)).collect();
        let per = (at.components / at.packing.words(at.components)) as usize;
        let mut words = Vec::new();
        for part in lanes.chunks(per) {
            let all = self.code.compose(part);
            words.push(match at.packing {
                Packing::Words(_) => part[0],
                Packing::Unorm8 => self.b().pack_unorm4x8(all),
                Packing::Snorm8 => self.b().pack_snorm4x8(all),
                Packing::Unorm16 => self.b().pack_unorm2x16(all),
                Packing::Snorm16 => self.b().pack_snorm2x16(all),
                Packing::Half => self.b().pack_half2x16(all),
                Packing::Bytes(_) | Packing::Shorts(_) => {
                    let bits = 32 / per as u32;
                    self.fields(part, bits)
                }
            });
        }
        let value = self.code.compose(&words);
        self.store_leaf(&at.ptr, value)
    }

    /// A word of the low bits of each part.
    fn fields(&mut self, parts: &[Value], bits: u32) -> Value {
        let mut word = self.code.f.zero(Type::I32);
        for (k, &part) in parts.iter().enumerate() {
            let mask = self.code.f.iconst(Type::I32, (1 << bits) - 1);
            let low = self.b().and(part, mask);
            let by = self.code.f.iconst(Type::I32, i64::from(k as u32 * bits));
            let high = self.b().shl(low, by);
            word = self.b().or(word, high);
        }
        word
    }

    /// How many texels there are.
    pub fn count_texels(&mut self, image: &Handle) -> Lowered<Value> {
        let ty = self.image_ty(image)?;
        let Some((packing, components)) = packing(ty.format) else { return self.broken("a texel without a format") };
        let ptr = self.texels(image)?;
        let bytes = self.length_of(&ptr)?;
        let shift = (packing.words(components) * 4).trailing_zeros();
        let shift = self.code.f.iconst(Type::I32, shift.into());
        Ok(self.b().ushr(bytes, shift))
    }

    /// A pointer to a texel of one word.
    pub fn texel_word(&mut self, image: &Handle, coordinate: u32, to: Ty) -> Lowered<Val> {
        let at = self.texel_at(image, coordinate)?;
        if at.ptr.align != 4 || self.m.types.leaf(to) != Some(at.packing.lane()) {
            return self.wrong("its type does not fit the image");
        }
        Ok(Val::Ptr(Ptr { ty: to, ..at.ptr }.into()))
    }
}
