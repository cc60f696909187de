//! The fetch of attributes: vertex elements and streams (`graphics-vivante.md` 2.1).

use gpucc_isa::fail_if;
use gpucc_num::convert::f16_to_f32;
use gpucc_sim::texture::Texel;
use gpucc_sim::texture::format::{from_snorm, from_unorm};
use gpucc_sim::{Registers, Trap, TrapKind};

use super::memory::DeviceMemory;
use super::registers::reg::SPACE;
use crate::{GC2000, GC7000};

gpucc_sim::words! {
    /// A vertex element; END and LAST are in a word of their own from HALTI5 on.
    struct ElementWords[1] = "vertex element" {
        TYPE kind: 0[0..4];
        ENDIAN endian: 0[4..6];
        SIGNED signed: 0[6..7];
        LAST last: 0[7..8];
        STREAM stream: 0[8..12];
        COMPONENTS components: 0[12..14];
        NORMALISE normalise: 0[14..16];
        OFFSET offset: 0[16..24];
        END end: 0[24..32];
    }
}

gpucc_sim::words! {
    /// The second word of an element from HALTI5 on.
    struct EndWord[1] = "end of a vertex element", the rest reserved {
        END end: 0[0..8];
        LAST last: 0[11..12];
    }
}

/// An attribute as it is fetched.
#[derive(Clone, Debug)]
pub(super) struct Attribute {
    /// The temporary that it goes to.
    pub register: usize,
    kind: u32,
    signed: bool,
    normalise: bool,
    components: usize,
    address: u32,
    stride: u32,
    /// Instances that share an element; 0 counts vertices.
    divisor: u32,
    /// The addend for each instance where each is a draw of its own (gc2000).
    each: u32,
    /// The value that fills w.
    fill: u32,
}

fn reserved(field: &str, value: u32) -> Trap {
    Trap::new(TrapKind::Reserved, format!("vertex element field {field} has the value {value:#x}"))
}

impl Attribute {
    /// Element `n` of the state words.
    pub(super) fn read(r: &Registers, generation: u8, n: u32, register: usize) -> Result<Attribute, Trap> {
        let get = |address: u32| r.get(SPACE, address + 4 * n);
        let halti5 = generation == GC7000;
        let e = ElementWords([get(if halti5 { 0x17800 } else { 0x0600 })]);
        let (end, last) = if halti5 {
            let second = EndWord([get(0x17a80)]);
            second.reserved()?;
            fail_if!(e.last() != 0 || e.end() != 0, reserved("END", e.end()));
            (second.end(), second.last())
        } else {
            (e.end(), e.last())
        };
        fail_if!(e.endian() != 0, reserved("ENDIAN", e.endian()));
        let components = if e.components() == 0 { 4 } else { e.components() };
        let bytes = match e.kind() {
            0 | 1 | 14 => components,
            2 | 3 | 9 | 15 => 2 * components,
            6 | 7 if components == 4 => 4,
            8 => 4 * components,
            k => return Err(reserved("TYPE", k)),
        };
        fail_if!(last != 1 || end != e.offset() + bytes, reserved("END", end));
        let plain = matches!(e.kind(), 8 | 9 | 14 | 15);
        fail_if!(e.normalise() != u32::from(!plain), reserved("NORMALISE", e.normalise()));
        fail_if!(e.signed() == 1 && !matches!(e.kind(), 14 | 15), reserved("SIGNED", 1));
        let stream = |of: u32| r.get(SPACE, of + 4 * e.stream());
        let (address, stride, divisor, each) = match generation {
            GC2000 => (stream(0x0680), stream(0x06a0), 0, stream(0x06c0)),
            _ => (stream(0x14600), stream(0x14640), stream(0x14680), 0),
        };
        let fill = get(if halti5 { 0x17a00 } else { 0x0780 });
        fail_if!(fill != 1 && fill != 1f32.to_bits(), reserved("SCALE", fill));
        Ok(Attribute {
            register,
            kind: e.kind(),
            signed: e.signed() == 1,
            normalise: e.normalise() == 1,
            components: components as usize,
            address: address.wrapping_add(e.offset()),
            stride,
            divisor,
            each,
            fill,
        })
    }

    /// The four words of a vertex.
    pub(super) fn fetch(&self, space: &DeviceMemory, vertex: u32, instance: u32, first: u32) -> Result<Texel, Trap> {
        let element = match self.divisor {
            0 => vertex,
            d => first.wrapping_add(instance.wrapping_sub(first) / d),
        };
        let moved = self.address.wrapping_add(instance.wrapping_mul(self.each));
        let at = moved.wrapping_add(element.wrapping_mul(self.stride));
        let mut out = [0, 0, 0, self.fill];
        let size = match self.kind {
            0 | 1 | 14 => 1,
            2 | 3 | 9 | 15 => 2,
            _ => 4,
        };
        if matches!(self.kind, 6 | 7) {
            let w = space.peek(at, 4);
            for (k, (low, bits)) in [(0, 10), (10, 10), (20, 10), (30, 2)].into_iter().enumerate() {
                let code = w >> low & ((1 << bits) - 1);
                out[k] = if self.kind == 7 { from_unorm(code, bits) } else { from_snorm(code, bits) }.to_bits();
            }
            return Ok(out);
        }
        for (k, o) in out.iter_mut().enumerate().take(self.components) {
            let code = space.peek(at.wrapping_add(k as u32 * size), size);
            let bits = 8 * size;
            *o = match (self.kind, self.normalise) {
                (0 | 2, true) => from_snorm(code, bits).to_bits(),
                (1 | 3, true) => from_unorm(code, bits).to_bits(),
                (9, _) => f16_to_f32(code as u16).to_bits(),
                (14 | 15, _) if self.signed => ((code << (32 - bits)) as i32 >> (32 - bits)) as u32,
                _ => code,
            };
        }
        Ok(out)
    }
}
