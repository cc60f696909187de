//! Selects inputs and outputs of vertex and fragment programs: attributes, varyings, system values, derivatives, discards, positions,
//! colours.
//!
//! A vertex entry is two programs, of which one stores the position and the other the varyings of a record (reference, section 16). A
//! fragment program tests coverage once, then emits depth, then gives each colour in r0..r3 (section 17).

use gpucc_container::{ProgramRole, Source};
use gpucc_ir::{Attr, Axis, Deriv, Diagnostic, Inst, IoAt, IoSlot, Op as Ir, Sysval, Value, Where};
use gpucc_mir::{Def, MInst, PReg, Use, VReg};
use gpucc_pipeline::{Base, VertexFormat};
use gpucc_valhall_machine::abi;
use gpucc_valhall_machine::operand::{ATEST_DATUM, BLEND_DESCRIPTOR_0, LANE_ID, Special};
use gpucc_valhall_machine::{Condition, MemoryAccess, RegFormat, ResultType, SamplePlace, SourceFormat, Update};

use super::{Isel, IselCx, U, b00, no_uniforms};
use crate::builders as build;
use crate::inst::{
    Across, Among, At, Depth, FILE_R, Format, From, Hint, If, InSpace, Index, Offset, Position, R, R2, R4, Readonly,
    SPACE_RECORDS, Says, SrcMods, Stencil, Table, special,
};
use crate::resources::word_of_draw;

/// Registers that fragment programs are given, and give coverage in.
const PRIMITIVE: u8 = 57;
const FACING: u8 = 58;
const PIXEL: u8 = 59;
const COVERAGE: u8 = 60;
const SAMPLE: u8 = 61;
const LAYER: u8 = 62;
/// The special varying that is the place in a point.
const POINT: u8 = 0;
/// Registers that vertex programs are given.
const RECORD: u8 = 59;
const VERTEX: u8 = 60;
const INSTANCE: u8 = 61;

/// Bytes that one instruction reaches with an offset of its own.
const NEAR: u32 = 256;
/// A pixel of LD_TILE: the current one.
const CURRENT: u32 = 0xff00_0000;

/// A register by its number.
fn register(n: u8, count: u16) -> PReg {
    PReg::new(FILE_R, n.into(), count)
}

/// Half of a register, as 16-bit sources name it.
fn half(u: U, high: bool) -> U {
    u.mods(SrcMods::swizzled(if high { 3 } else { 0 }))
}

/// The draw's state for a colour target, as a program sees it.
fn blend_descriptor(target: u8) -> Special {
    Special { byte: BLEND_DESCRIPTOR_0.byte + 2 * target, ..BLEND_DESCRIPTOR_0 }
}

/// Whether no attribute has the format: code finishes the word.
pub(crate) fn is_fetched_as_a_word(format: VertexFormat) -> bool {
    format == VertexFormat::Snorm10_10_10_2
}

impl Isel<'_> {
    /// An attribute of a vertex, or a varying of a fragment.
    pub(super) fn input(&mut self, cx: &mut IselCx<'_>, i: Inst, n: u16) -> Result<(), Diagnostic> {
        let slot = self.module.entries[0].interface().and_then(|io| io.inputs.get(usize::from(n)));
        let Some((slot, IoAt::Location { number, .. })) = slot.map(|s| (s, s.at)) else { return Err(cx.unknown(i)) };
        let out = cx.result(i, 0).to_vec();
        if self.is_fragment {
            self.varying(cx, slot, number, &out);
            return Ok(());
        }
        self.attribute(cx, (n, slot), number, &out);
        Ok(())
    }

    fn attribute(&mut self, cx: &mut IselCx<'_>, (n, slot): (u16, &IoSlot), number: u8, out: &[VReg]) {
        let vertex = self.preloaded(cx, VERTEX, Source::Family(abi::VERTEX));
        // One operand counts, by what the element belongs to.
        let known = self.pipeline.and_then(|p| p.attribute(number.into()));
        let instance = match known.map(|a| a.1.step) {
            Some(gpucc_pipeline::StepMode::Vertex) => Use::imm(0),
            _ => self.instance(cx),
        };
        if known.is_some_and(|a| is_fetched_as_a_word(a.2.format)) {
            let mods = (super::tex::vector(1), Format(RegFormat::Auto), Index(n as u8), Table(0), Readonly(true));
            let word = cx.temp(super::R);
            self.push(cx, build::LdAttrImm.with(mods, [vertex.into(), instance]).def(word));
            out.iter().enumerate().for_each(|(k, &r)| self.signed_fraction(cx, word.into(), k as u32, r));
            return;
        }
        let format = Format(if slot.ty.is_float() { RegFormat::F32 } else { RegFormat::Auto });
        let mods = (super::tex::vector(out.len()), format, Index(n as u8), Table(0), Readonly(true));
        self.returns(cx, out, build::LdAttrImm.with(mods, [vertex.into(), instance]));
    }

    /// A component of snorm10-10-10-2: the code over 511, rounded once, and no less than -1.
    fn signed_fraction(&mut self, cx: &mut IselCx<'_>, word: U, k: u32, r: VReg) {
        let (bits, above) = if k < 3 { (10, 22 - 10 * k) } else { (2, 0) };
        let mut code = word;
        if above > 0 {
            let by = self.word(cx, above);
            code = Use::reg(self.make(cx, Self::left(build::LshiftOrI32, code, by, Use::imm(0))));
        }
        let by = self.word(cx, 32 - bits);
        let code = self.make(cx, Self::right(build::RshiftOrI32, true, code, by, Use::imm(0)));
        let mut value: U = Use::reg(self.make(cx, build::S32ToF32.on([code.into()])));
        if k < 3 {
            let inverse = self.word(cx, (1.0_f32 / 511.0).to_bits());
            let first = self.make(cx, build::FmaF32.on([value, inverse, super::math::minus_zero()]));
            let most = self.word(cx, (-511.0_f32).to_bits());
            let rest = self.make(cx, build::FmaF32.on([first.into(), most, value]));
            value = Use::reg(self.make(cx, build::FmaF32.on([rest.into(), inverse, first.into()])));
        }
        let least = self.word(cx, (-1.0_f32).to_bits());
        self.push(cx, build::FmaxF32.on([value, least]).def(r));
    }

    /// Number of the instance with the first one, which the register has not.
    fn instance(&mut self, cx: &mut IselCx<'_>) -> U {
        let instance = self.preloaded(cx, INSTANCE, Source::InstanceIndex);
        match self.uniforms.word(Source::FirstInstance) {
            Some(n) => Use::reg(self.make(cx, build::IaddU32.on([instance.into(), Use::uniform(n)]))),
            None => Use::reg(instance),
        }
    }

    fn varying(&mut self, cx: &mut IselCx<'_>, slot: &IoSlot, number: u8, out: &[VReg]) {
        let sample = self.preloaded(cx, SAMPLE, Source::Family(abi::SAMPLE));
        let from = From(if slot.is_flat() { SourceFormat::Flat32 } else { SourceFormat::F32 });
        let at = At(match slot.interp.at {
            _ if slot.is_flat() => SamplePlace::Center,
            Where::Center => SamplePlace::Center,
            Where::Centroid => SamplePlace::Centroid,
            Where::Sample => SamplePlace::Sample,
        });
        let byte = abi::SLOT * u32::from(number);
        let (size, position) = (super::tex::vector(out.len()), Position(Update::Store));
        let inst = if byte < NEAR {
            build::LdVarBufImmF32.with((size, from, at, position, Index(byte as u8)), [sample.into()])
        } else {
            let byte = self.word(cx, byte);
            build::LdVarBufF32.with((size, from, at, position), [sample.into(), byte])
        };
        self.returns(cx, out, inst);
    }

    /// A system value of a vertex or a fragment.
    pub(super) fn stage_sysval(&mut self, cx: &mut IselCx<'_>, i: Inst, s: Sysval) -> Result<(), Diagnostic> {
        let out = cx.result(i, 0).to_vec();
        match s {
            Sysval::VertexIndex => {
                let v = self.preloaded(cx, VERTEX, Source::Family(abi::VERTEX));
                cx.emit(MInst::copy(out[0], v));
            }
            Sysval::RawInstanceIndex => {
                let v = self.preloaded(cx, INSTANCE, Source::InstanceIndex);
                cx.emit(MInst::copy(out[0], v));
            }
            _ if word_of_draw(s, 0).is_some() => {
                for (k, &r) in (0..).zip(&out) {
                    let word = word_of_draw(s, k).and_then(|source| self.uniforms.word(source));
                    let n = word.ok_or_else(|| no_uniforms("a value of the draw"))?;
                    self.push(cx, build::MovI32.on([Use::uniform(n)]).def(r));
                }
            }
            Sysval::Pixel => {
                for (k, &r) in out.iter().enumerate() {
                    let x = self.half_of_pixel(cx, k == 1);
                    self.push(cx, build::U16ToU32.on([x]).def(r));
                }
            }
            Sysval::FragZ | Sysval::FragInvW => {
                let sample = self.preloaded(cx, SAMPLE, Source::Family(abi::SAMPLE));
                let depth = s == Sysval::FragZ;
                let at = if depth && self.per_sample { SamplePlace::Sample } else { SamplePlace::Center };
                let mods = (Format(RegFormat::F32), At(at), Position(Update::Clobber), Index(2 + u8::from(depth)));
                self.push(cx, build::LdVarSpecial.with(mods, [sample.into()]).def(out[0]));
            }
            Sysval::PointCoord => {
                let sample = self.preloaded(cx, SAMPLE, Source::Family(abi::SAMPLE));
                let at = if self.per_sample { SamplePlace::Sample } else { SamplePlace::Center };
                let mods =
                    (super::tex::vector(2), Format(RegFormat::F32), At(at), Position(Update::Clobber), Index(POINT));
                self.returns(cx, &out, build::LdVarSpecial.with(mods, [sample.into()]));
            }
            Sysval::FrontFacing => {
                let v = self.preloaded(cx, FACING, Source::Family(abi::FACING));
                let mods = (If(Condition::Eq), Says(ResultType::M1));
                self.push(cx, build::IcmpOrU32.with(mods, [v.into(), Use::imm(0), Use::imm(0)]).def(out[0]));
            }
            Sysval::SampleIndex => {
                let v = self.sample_index(cx);
                cx.emit(MInst::copy(out[0], v));
            }
            Sysval::SampleMask => {
                let v = self.preloaded(cx, SAMPLE, Source::Family(abi::SAMPLE));
                self.push(cx, build::U16ToU32.on([half(v.into(), false)]).def(out[0]));
            }
            Sysval::PrimitiveIndex => {
                let v = self.preloaded(cx, PRIMITIVE, Source::Family(abi::PRIMITIVE));
                cx.emit(MInst::copy(out[0], v));
            }
            Sysval::Layer => {
                let v = self.preloaded(cx, LAYER, Source::Family(abi::LAYER));
                cx.emit(MInst::copy(out[0], v));
            }
            _ => return Err(cx.unknown(i)),
        }
        Ok(())
    }

    /// The lane that is read of the place of the pixel, if a value is that.
    pub(super) fn is_pixel(&self, cx: &IselCx<'_>, v: Value) -> Option<u8> {
        let d = cx.peek(v).filter(|d| d.op == Ir::Extract)?;
        let (Attr::Lane(k), Some(of)) = (&d.attr, cx.f.def_op(d.args[0], Ir::Sysval)) else { return None };
        (of.attr == Attr::Sysval(Sysval::Pixel)).then_some(*k)
    }

    /// Column or row of the pixel, as 16 bits.
    pub(super) fn half_of_pixel(&mut self, cx: &mut IselCx<'_>, row: bool) -> U {
        let v = self.preloaded(cx, PIXEL, Source::Family(abi::PIXEL));
        half(v.into(), row)
    }

    /// The number of the sample: bits above it may be anything.
    fn sample_index(&mut self, cx: &mut IselCx<'_>) -> U {
        let v = self.preloaded(cx, SAMPLE, Source::Family(abi::SAMPLE));
        let (shift, mask) = (self.word(cx, 16), self.word(cx, 31));
        Use::reg(self.make(cx, build::RshiftAndI32.on([v.into(), b00(shift), mask])))
    }

    /// Lanes stop being live where a comparison holds.
    pub(super) fn demote(&mut self, cx: &mut IselCx<'_>, i: Inst) {
        let v = cx.data(i).args[0];
        if self.constant_bits(cx, v).is_some_and(|b| b != 0) {
            cx.emit(build::DiscardF32.with((If(Condition::Eq),), [Use::imm(0), Use::imm(0)]));
            return;
        }
        if let Some(d) = cx.peek(v).filter(|d| d.op == Ir::FCmp)
            && let Attr::FloatCc(cc) = d.attr
            && let (cond, false) = super::alu::float_cond(cc)
        {
            let (x, y) = (self.float(cx, d.args[0]), self.float(cx, d.args[1]));
            cx.emit(build::DiscardF32.with((If(cond),), [x, y]));
            return;
        }
        // All ones are no number, which is not equal to zero.
        let v = self.int(cx, v);
        cx.emit(build::DiscardF32.with((If(Condition::Ne),), [v, Use::imm(0)]));
    }

    /// The difference of two lanes of the quad. Where nothing asks for its sign, that to the neighbour.
    pub(super) fn derivative(&mut self, cx: &mut IselCx<'_>, i: Inst, d: Deriv) {
        let out = cx.result(i, 0).to_vec();
        let step = if d.axis == Axis::X { 1 } else { 2 };
        if d.fine && self.signless.contains(cx.data(i).result()) {
            let of = self.lanes(cx, cx.data(i).args[0]);
            for (&r, x) in out.iter().zip(of) {
                let x = self.in_register(cx, x);
                let other = Use::imm(0x0302_0100).mods(SrcMods::swizzled(4 + step as u8));
                let other = self.make(cx, build::ClperI32.with((Among(1), Across(1)), [x.into(), other]));
                let minus = Use::reg(x).mods(SrcMods { neg: true, ..SrcMods::default() });
                self.push(cx, build::FaddF32.on([other.into(), minus]).def(r));
            }
            return;
        }
        // The lane that is subtracted, and the other one.
        let lanes: [U; 2] = if d.fine {
            let lane = Use::reg(self.make(cx, build::MovI32.on([special(LANE_ID, 0)])));
            let mask = self.word(cx, 3 - step);
            let first = self.make(cx, build::LshiftAndI32.on([lane, b00(Use::imm(0)), mask]));
            let second = build::IaddImmI32.with((crate::inst::Constant(step),), [first.into()]);
            [b00(first.into()), b00(self.make(cx, second).into())]
        } else {
            // A word of the table has lanes 0 to 3 as bytes.
            let byte = |n: u32| Use::imm(0x0302_0100).mods(SrcMods::swizzled(4 + n as u8));
            [byte(0), byte(step)]
        };
        let of = self.lanes(cx, cx.data(i).args[0]);
        for (&r, x) in out.iter().zip(of) {
            let x = Use::reg(self.in_register(cx, x));
            let [a, b] = lanes.map(|l| self.make(cx, build::ClperI32.with((Among(1),), [x, l])));
            let minus = Use::reg(a).mods(SrcMods { neg: true, ..SrcMods::default() });
            self.push(cx, build::FaddF32.on([b.into(), minus]).def(r));
        }
    }

    /// The contents of a colour target.
    pub(super) fn target_load(&mut self, cx: &mut IselCx<'_>, i: Inst, target: u8) {
        let out = cx.result(i, 0).to_vec();
        let coverage = self.preloaded(cx, COVERAGE, Source::Family(abi::COVERAGE));
        let word = CURRENT | u32::from(target) << 8;
        let pixel = if self.per_sample {
            let sample = self.sample_index(cx);
            let word = self.word(cx, word);
            Use::reg(self.make(cx, build::LshiftOrI32.on([sample, b00(Use::imm(0)), word])))
        } else {
            self.word(cx, word)
        };
        let format = self.colour_format(target, cx.f.ty(cx.data(i).result()).is_float());
        let mods = (super::tex::vector(out.len()), Format(format));
        let conversion = special(blend_descriptor(target), 1);
        let pixel = Use::reg(self.in_register(cx, pixel));
        self.returns(cx, &out, build::LdTile.with(mods, [pixel, coverage.into(), conversion]));
    }

    /// How a colour lies in registers.
    fn colour_format(&self, target: u8, float: bool) -> RegFormat {
        let base = self.pipeline.and_then(|p| p.targets.get(usize::from(target))?.as_ref()).map(|t| t.format.base());
        match base {
            _ if float => RegFormat::F32,
            Some(Base::Sint) => RegFormat::S32,
            _ => RegFormat::U32,
        }
    }

    /// The results of an entry point leave.
    pub(super) fn outputs(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let Some(interface) = self.module.entries[0].interface() else { return Ok(()) };
        let args: Vec<Value> = cx.data(i).args.iter().copied().collect();
        if args.len() != interface.outputs.len() {
            return Err(cx.unknown(i));
        }
        let list: Vec<(&IoSlot, Value)> = interface.outputs.iter().zip(args).collect();
        if self.is_fragment {
            self.fragment_outputs(cx, &list)
        } else {
            self.record(cx, &list);
            Ok(())
        }
    }

    /// Lanes of a value in plain operands; what nothing defines is 0.
    fn plain_lanes(&mut self, cx: &mut IselCx<'_>, v: Value) -> Vec<U> {
        let n = cx.f.ty(v).lanes() as usize;
        if cx.f.is_undef(v) {
            return vec![Use::imm(0); n];
        }
        let lanes = self.lanes(cx, v);
        lanes
            .into_iter()
            .map(|u| if u.mods == SrcMods::default() { u } else { self.in_register(cx, u).into() })
            .collect()
    }

    /// Position or varyings of a vertex.
    fn record(&mut self, cx: &mut IselCx<'_>, list: &[(&IoSlot, Value)]) {
        let record = self.preloaded(cx, RECORD, Source::Family(abi::RECORD));
        let base = cx.temp(R2);
        self.push(cx, build::LeaBufImm.with((Table(abi::RECORDS), Index(0)), [record.into()]).def(base));
        let hint = if self.role == ProgramRole::Varying { MemoryAccess::Estream } else { MemoryAccess::Istream };
        let mut position = None;
        let (mut size, mut layer) = (None, None);
        for (slot, v) in list {
            let lanes = self.plain_lanes(cx, *v);
            let at = match slot.at {
                IoAt::Location { number, .. } => abi::SLOT * u32::from(number),
                IoAt::Position => {
                    position = Some(lanes);
                    continue;
                }
                IoAt::PointSize => {
                    size = lanes.first().copied();
                    continue;
                }
                IoAt::Layer => {
                    layer = lanes.first().copied();
                    continue;
                }
                _ => continue,
            };
            self.put(cx, base, at, &lanes, hint);
        }
        if self.role != ProgramRole::Varying {
            let lanes = position.unwrap_or_else(|| vec![Use::imm(0); 4]);
            self.put(cx, base, 0, &lanes, hint);
            if size.is_some() || layer.is_some() {
                self.extension(cx, record.into(), (size, layer), hint);
            }
        }
    }

    /// The record's extension: the size of a point is a half at its start, the layer a byte behind it.
    fn extension(&mut self, cx: &mut IselCx<'_>, record: U, (size, layer): (Option<U>, Option<U>), hint: MemoryAccess) {
        let number = self.make(cx, build::IaddImmI32.with((crate::inst::Constant(abi::EXTENSION),), [record]));
        let base = cx.temp(R2);
        self.push(cx, build::LeaBufImm.with((Table(abi::RECORDS), Index(0)), [number.into()]).def(base));
        let mods = |byte: u32| (Offset(byte as u16), Hint(hint), InSpace(SPACE_RECORDS));
        if let Some(size) = size {
            let half = Use::reg(self.make(cx, build::V2f32ToV2f16.on([size, size])));
            let run = self.staging(cx, &[half]);
            self.push(cx, build::StoreI16.with(mods(0), [run.into(), base.into()]));
        }
        if let Some(layer) = layer {
            // A number that is no layer stays one where there are fewer than a byte counts.
            let last = self.word(cx, abi::MOST_LAYERS - 1);
            let layer = Use::reg(self.make(cx, build::CselU32.with((If(Condition::Lt),), [layer, last, layer, last])));
            let run = self.staging(cx, &[layer]);
            self.push(cx, build::StoreI8.with(mods(abi::EXTENSION_LAYER), [run.into(), base.into()]));
        }
    }

    fn put(&mut self, cx: &mut IselCx<'_>, base: VReg, at: u32, lanes: &[U], hint: MemoryAccess) {
        let run = self.staging(cx, lanes);
        let mods = (Offset(at as u16), Hint(hint), InSpace(SPACE_RECORDS));
        self.push(cx, build::stores(lanes.len()).with(mods, [run.into(), base.into()]));
    }

    /// Coverage, depth and colours of a fragment.
    fn fragment_outputs(&mut self, cx: &mut IselCx<'_>, list: &[(&IoSlot, Value)]) -> Result<(), Diagnostic> {
        let find = |at: IoAt| list.iter().find(|s| s.0.at == at).map(|s| s.1);
        // Colours that have a target, the lowest first.
        let mut colours: Vec<(u8, &IoSlot, Value)> = Vec::new();
        for (slot, v) in list {
            let IoAt::Location { number, blend_src: 0 } = slot.at else { continue };
            let there = self.pipeline.is_none_or(|p| p.targets.get(usize::from(number)).is_some_and(Option::is_some));
            if there && number < gpucc_ir::COLOUR_TARGETS {
                colours.push((number, slot, *v));
            }
        }
        colours.sort_by_key(|c| c.0);
        let mut values: Vec<(u8, RegFormat, Vec<U>)> = Vec::new();
        for (number, slot, v) in colours {
            let mut lanes = self.plain_lanes(cx, v);
            let float = slot.ty.is_float();
            let one = if float { 1f32.to_bits() } else { 1 };
            while lanes.len() < 4 {
                let missing = if lanes.len() == 3 { one } else { 0 };
                lanes.push(self.word(cx, missing));
            }
            values.push((number, self.colour_format(number, float), lanes));
        }
        self.preloaded(cx, SAMPLE, Source::Family(abi::SAMPLE));
        let mut coverage = self.preloaded(cx, COVERAGE, Source::Family(abi::COVERAGE));
        if let Some(mask) = find(IoAt::SampleMask) {
            let mask = self.int(cx, mask);
            coverage = self.make(cx, build::LshiftAndI32.on([coverage.into(), b00(Use::imm(0)), mask]));
        }
        let alpha = match values.first() {
            Some((0, RegFormat::F32, lanes)) => lanes[3],
            Some(_) => Use::imm(0),
            None => Use::imm(0),
        };
        let datum = special(ATEST_DATUM, 0);
        let alpha =
            if matches!(alpha.src, gpucc_mir::Src::Uniform(_)) { self.in_register(cx, alpha).into() } else { alpha };
        let at = register(COVERAGE, 1);
        let tested = cx.temp(R);
        let inst = build::Atest.on([Use::reg(coverage).at(at), alpha, datum]);
        self.push(cx, inst.def(Def::reg(tested).at(at)));
        let mut coverage = tested;
        let (depth, stencil) = (find(IoAt::FragDepth), find(IoAt::FragStencil));
        if depth.is_some() || stencil.is_some() {
            let mods = (Depth(depth.is_some()), Stencil(stencil.is_some()));
            let [depth, stencil] = [depth, stencil].map(|v| {
                v.map_or(Use::imm(0), |v| {
                    let v = self.int(cx, v);
                    Use::reg(self.in_register(cx, v))
                })
            });
            let emitted = cx.temp(R);
            let inst = build::ZsEmit.with(mods, [depth, stencil, Use::reg(coverage).at(at)]);
            self.push(cx, inst.def(Def::reg(emitted).at(at)));
            coverage = emitted;
        }
        for (number, format, lanes) in values {
            let run = cx.temp(R4);
            cx.emit(MInst::collect(run, lanes));
            let mods = (super::tex::vector(4), Format(format));
            let descriptor = special(blend_descriptor(number), 0);
            let colour = Use::reg(run).at(register(0, 4));
            cx.emit(build::Blend.with(mods, [colour, descriptor, Use::reg(coverage).at(at)]));
        }
        Ok(())
    }
}
