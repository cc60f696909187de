//! Selects inputs and outputs of vertex and fragment programs: attributes, parameters, system values, derivatives, discards, exports.

use gpucc_gcn_machine::Op;
use gpucc_ir::{Axis, Deriv, Diagnostic, Inst, IoAt, IoSlot, Sysval};
use gpucc_mir::{Def, MInst, PReg, Src, Use, VReg};
use gpucc_pipeline::{Code, StepMode, VertexFormat};

use super::{Isel, IselCx};
use crate::builders as build;
use crate::inst::{
    Attribute, Compressed, Done, Enabled, EndsDeadWave, ExportTo, FILE_S, FILE_V, Idxen, Lanes, Long, Offset, Once,
    Param, Readonly, S2, S4, Typed, U, V, Vm, exec, op, run_class, with,
};
use crate::interface::io::{self, Colour, VERTEX_GROUP, distances, first_distances};

/// The number of the sample in the word of item 13: first bit and width.
const SAMPLE: [u32; 2] = [8, 4];
/// The layer of the attachments in it.
const LAYER: [u32; 2] = [16, 13];

/// An export: the number of its target, the sources that are used, and their values.
struct Export {
    target: u32,
    enabled: u32,
    compressed: bool,
    values: Vec<U>,
}

/// Data and number format of an attribute that is not of 32-bit components.
fn buffer_format(format: VertexFormat) -> (u8, u8) {
    let (code, bits, count) = format.row();
    let data = match (bits, count) {
        (8, 1) => 1,
        (16, 1) => 2,
        (8, 2) => 3,
        (16, 2) => 5,
        (10, _) => 9,
        (8, _) => 10,
        _ => 12,
    };
    let number = match code {
        Code::Unorm | Code::Srgb => 0,
        Code::Snorm => 1,
        Code::Uint => 4,
        Code::Sint => 5,
        Code::Float => 7,
    };
    (data, number)
}

/// Lanes of a quad that each of its lanes reads, two bits each.
fn lanes_of(d: Deriv) -> [u8; 2] {
    let of = |l: [u8; 4]| l[0] | l[1] << 2 | l[2] << 4 | l[3] << 6;
    match (d.axis, d.fine) {
        (Axis::X, true) => [of([0, 0, 2, 2]), of([1, 1, 3, 3])],
        (Axis::X, false) => [of([0; 4]), of([1; 4])],
        (Axis::Y, true) => [of([0, 1, 0, 1]), of([2, 3, 2, 3])],
        (Axis::Y, false) => [of([0; 4]), of([2; 4])],
    }
}

impl Isel<'_> {
    /// The vector register that the hardware fills.
    fn launch_vgpr(&mut self, cx: &mut IselCx<'_>, n: u32) -> U {
        if let Some(f) = self.launch_inputs.vgprs.iter().find(|f| f.0 == n) {
            return Use::reg(f.1);
        }
        let r = cx.temp(V);
        self.launch_inputs.vgprs.push((n, r));
        Use::reg(r)
    }

    /// Definitions of those registers, and what is made of them, at the start of the program.
    pub(super) fn launch(&mut self, cx: &mut IselCx<'_>, start: &mut MInst<crate::inst::Gcn>) {
        let elements = self.launch_inputs.element_index;
        let numbers: Vec<Option<U>> = (0..2).map(|k| elements[k as usize].map(|_| self.launch_vgpr(cx, k))).collect();
        for &(n, r) in &self.launch_inputs.vgprs {
            start.defs.push(Def::reg(r).at(PReg::new(FILE_V, n as u16, 1)));
        }
        self.pending_element_index = numbers;
    }

    /// Adds the base to vertex and instance index, once at the start of the program.
    pub(super) fn emit_element_indices(&mut self, cx: &mut IselCx<'_>) {
        let numbers = std::mem::take(&mut self.pending_element_index);
        for (k, n) in numbers.into_iter().enumerate() {
            if let (Some(n), Some(to)) = (n, self.launch_inputs.element_index[k]) {
                let first = Use::preg(PReg::new(FILE_S, self.fixed.first[k] as u16, 1));
                self.add(cx, to, first, n);
            }
        }
    }

    /// The number of the element that an attribute is fetched from.
    fn element(&mut self, cx: &mut IselCx<'_>, step: StepMode) -> VReg {
        *self.launch_inputs.element_index[usize::from(step == StepMode::Instance)].get_or_insert_with(|| cx.temp(V))
    }

    /// An attribute of a vertex, or a parameter of a fragment.
    pub(super) fn input(&mut self, cx: &mut IselCx<'_>, i: Inst, n: u16) -> Result<(), Diagnostic> {
        let Some(interface) = self.module.entries[0].interface() else { return Err(cx.unknown(i)) };
        let Some(slot) = interface.inputs.get(usize::from(n)) else { return Err(cx.unknown(i)) };
        let out = cx.result(i, 0);
        if !self.io.is_fragment {
            return match self.io.fetched(slot, interface, self.pipeline) {
                Some(f) => {
                    self.fetch_attribute(cx, f, &out);
                    Ok(())
                }
                None => Err(cx.unknown(i)),
            };
        }
        if let (IoAt::Barycentric, Some(first)) = (slot.at, self.io.coordinates(slot)) {
            for (k, &r) in (0..).zip(out.iter()) {
                let v = self.launch_vgpr(cx, first + k);
                cx.emit(MInst::copy(r, v));
            }
            return Ok(());
        }
        let Some(attribute) = self.io.attributes[usize::from(n)] else { return Err(cx.unknown(i)) };
        for (k, &r) in out.iter().enumerate() {
            self.parameter(cx, slot, attribute as u16 | (k as u16) << 6, r);
        }
        Ok(())
    }

    fn parameter(&mut self, cx: &mut IselCx<'_>, slot: &IoSlot, attribute: u16, to: VReg) {
        let mods = (Attribute(attribute),);
        let Some(first) = self.io.coordinates(slot) else {
            // Of vertex 0, or the one that the source names.
            let vertex = [2, 0, 1][slot.interp.mode.vertex().unwrap_or(0)];
            cx.emit(build::VInterpMovF32.with((Attribute(attribute), Param(vertex)), []).def(to));
            return;
        };
        let (x, y) = (self.launch_vgpr(cx, first), self.launch_vgpr(cx, first + 1));
        let half = cx.temp(V);
        cx.emit(build::VInterpP1F32.with(mods, [x]).def(half));
        cx.emit(build::VInterpP2F32.with(mods, [half.into(), y]).def(Def::reg(to).tied(0)));
    }

    fn fetch_attribute(&mut self, cx: &mut IselCx<'_>, f: io::Fetched, out: &[VReg]) {
        let index = self.element(cx, f.step);
        let table = self.preloaded_descriptor(cx, VERTEX_GROUP, 16 * f.place, S4);
        let format = f.attribute.format;
        let there = (format.components() as usize).min(out.len());
        let offset = f.attribute.offset as u32;
        let (_, bits, _) = format.row();
        let fetch = |cx: &mut IselCx<'_>, o: Op, to: &[VReg], offset: u32, how: u8| {
            let mods = (Idxen(true), Offset(offset), Typed(how), Readonly(true));
            let inst = with(op(o).arg(index).arg(table), mods);
            if let [one] = to {
                cx.emit(inst.def(*one));
                return;
            }
            let run = cx.temp(run_class(to.len()));
            cx.emit(inst.def(run));
            cx.emit(MInst::split(to, run));
        };
        let words = |n: usize| match n {
            1 => Op::BufferLoadDword,
            2 => Op::BufferLoadDwordx2,
            3 => Op::BufferLoadDwordx3,
            _ => Op::BufferLoadDwordx4,
        };
        if bits == 32 {
            // gfx6 has no load of three words.
            let first = if there == 3 && self.generation == 0 { 2 } else { there };
            fetch(cx, words(first), &out[..first], offset, 0);
            if first < there {
                fetch(cx, words(there - first), &out[first..there], offset + 4 * first as u32, 0);
            }
        } else {
            let (data, number) = buffer_format(format);
            // Blue is first in memory.
            let is_bgra = format == VertexFormat::Unorm8x4Bgra;
            let n = if is_bgra && there > 0 { there.max(3) } else { there };
            let o = match n {
                1 => Op::TbufferLoadFormatX,
                2 => Op::TbufferLoadFormatXy,
                3 => Op::TbufferLoadFormatXyz,
                _ => Op::TbufferLoadFormatXyzw,
            };
            let to: Vec<VReg> = (0..n)
                .map(|k| {
                    let from = if is_bgra && k < 3 { 2 - k } else { k };
                    out.get(from).filter(|_| from < there).copied().unwrap_or_else(|| cx.temp(V))
                })
                .collect();
            fetch(cx, o, &to, offset, data | number << 4);
        }
        for (k, &r) in out.iter().enumerate().skip(there) {
            let one = if format.base() == gpucc_pipeline::Base::Float { 1f32.to_bits() } else { 1 };
            cx.emit(build::VMovB32.on([Use::imm(if k == 3 { one } else { 0 })]).def(r));
        }
    }

    /// A system value of a vertex or a fragment.
    pub(super) fn stage_sysval(&mut self, cx: &mut IselCx<'_>, i: Inst, s: Sysval) -> Result<(), Diagnostic> {
        let out = cx.result(i, 0);
        let item = |me: &Self, bit: u32| me.io.item(bit);
        match s {
            Sysval::RawVertexIndex | Sysval::RawInstanceIndex => {
                let v = self.launch_vgpr(cx, u32::from(s == Sysval::RawInstanceIndex));
                cx.emit(MInst::copy(out[0], v));
            }
            Sysval::RawPrimitiveIndex => {
                let v = self.launch_vgpr(cx, 2);
                cx.emit(MInst::copy(out[0], v));
            }
            Sysval::FirstVertex | Sysval::FirstInstance => {
                let r = self.fixed.first[usize::from(s == Sysval::FirstInstance)];
                cx.emit(build::VMovB32.on([Use::preg(PReg::new(FILE_S, r as u16, 1))]).def(out[0]));
            }
            Sysval::FragCoord => {
                for (k, &r) in out.iter().enumerate() {
                    match item(self, 8 + k as u32) {
                        None => cx.emit(build::VMovB32.on([Use::imm(0)]).def(r)),
                        Some(n) => {
                            let v = self.launch_vgpr(cx, n);
                            cx.emit(if k == 3 { build::VRcpF32.on([v]).def(r) } else { MInst::copy(r, v) });
                        }
                    }
                }
            }
            Sysval::FrontFacing => {
                let Some(n) = item(self, 12) else { return Err(cx.unknown(i)) };
                let v = self.launch_vgpr(cx, n);
                self.set_bool(cx, out[0], |me, cx, to| {
                    me.valu(cx, build::VCmpLtF32.with((Long(true),), [Use::imm(0), v]).def(to));
                });
            }
            Sysval::SampleIndex => {
                let Some(v) = self.ancillary(cx, SAMPLE) else { return Err(cx.unknown(i)) };
                cx.emit(MInst::copy(out[0], v));
            }
            Sysval::Layer => {
                let Some(v) = self.ancillary(cx, LAYER) else { return Err(cx.unknown(i)) };
                cx.emit(MInst::copy(out[0], v));
            }
            Sysval::SampleMask => {
                let Some(n) = item(self, 14) else { return Err(cx.unknown(i)) };
                let v = self.launch_vgpr(cx, n);
                if !self.io.per_sample() {
                    cx.emit(MInst::copy(out[0], v));
                    return Ok(());
                }
                // The hardware has the whole pixel's; an invocation stands for one sample.
                let Some(at) = self.ancillary(cx, SAMPLE) else { return Err(cx.unknown(i)) };
                let bit = cx.temp(V);
                self.valu(cx, build::VLshlrevB32.on([at, Use::imm(1)]).def(bit));
                self.valu(cx, build::VAndB32.on([v, bit.into()]).def(out[0]));
            }
            _ => return Err(cx.unknown(i)),
        }
        Ok(())
    }

    /// A field of the word of item 13: its first bit and its width.
    fn ancillary(&mut self, cx: &mut IselCx<'_>, [first, width]: [u32; 2]) -> Option<U> {
        let n = self.io.item(13)?;
        let v = self.launch_vgpr(cx, n);
        let at = cx.temp(V);
        self.valu(cx, build::VBfeU32.on([v, Use::imm(first), Use::imm(width)]).def(at));
        Some(Use::reg(at))
    }

    /// Removes lanes from the live mask.
    pub(super) fn demote(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let Some(live) = self.fixed.live else { return Err(cx.unknown(i)) };
        let live = PReg::new(FILE_S, live as u16, 2);
        let v = cx.data(i).args[0];
        let all = cx.f.const_bits(v) == Some(1);
        // Comparisons of this block are false where lanes are off.
        let compared = self.peek(cx, v).is_some_and(|d| d.op == gpucc_ir::Op::FCmp);
        let here = if all {
            exec()
        } else {
            let gone = self.mask(cx, v);
            if compared {
                gone
            } else {
                // Bits of another mask for lanes that are off mean nothing.
                let here = cx.temp(S2);
                cx.emit(build::SAndB64.on([gone, exec()]).def(here));
                Use::reg(here)
            }
        };
        let inst = build::SAndn2B64.on([Use::preg(live), here]).def(Def::preg(live));
        cx.emit(with(inst, (EndsDeadWave(true),)));
        Ok(())
    }

    /// The difference of two lanes of the quad.
    pub(super) fn derivative(&mut self, cx: &mut IselCx<'_>, i: Inst, d: Deriv) {
        let out = cx.result(i, 0);
        let of = self.all_lanes(cx, cx.data(i).args[0]);
        for (&r, x) in out.iter().zip(of) {
            let x = self.in_vector(cx, x);
            self.difference(cx, r, x, lanes_of(d));
        }
    }

    fn difference(&mut self, cx: &mut IselCx<'_>, to: VReg, x: U, [first, second]: [u8; 2]) {
        let from = cx.temp(V);
        // Coarse differences along both axes begin at the same lane.
        self.images.once = true;
        if self.generation == 2 {
            cx.emit(build::VMovB32.with((Lanes(first.into()), Once(true)), [x]).def(from));
            cx.emit(build::VSubF32.with((Lanes(second.into()),), [x, from.into()]).def(to));
            return;
        }
        let minuend = cx.temp(V);
        for (r, lanes) in [(from, first), (minuend, second)] {
            let mods = (Offset(0x8000 | u32::from(lanes)), Readonly(true), Once(true));
            cx.emit(build::DsSwizzleB32.with(mods, [x]).def(r));
        }
        self.valu(cx, build::VSubF32.on([minuend.into(), from.into()]).def(to));
    }

    /// The results of an entry point leave.
    pub(super) fn outputs(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let Some(interface) = self.module.entries[0].interface() else { return Ok(()) };
        let args: Vec<gpucc_ir::Value> = cx.data(i).args.iter().copied().collect();
        if args.len() != interface.outputs.len() {
            return Err(cx.unknown(i));
        }
        let mut list: Vec<Vec<U>> = Vec::new();
        for &v in &args {
            let mut parts = Vec::new();
            for u in self.all_lanes(cx, v) {
                parts.push(if matches!(u.src, Src::Imm(_)) { u } else { self.in_vector(cx, u) });
            }
            list.push(parts);
        }
        let slots: Vec<(&IoSlot, Vec<U>)> = interface.outputs.iter().zip(list).collect();
        let exports = if self.io.is_fragment {
            self.fragment_exports(cx, &slots, &io::colours(interface))
        } else {
            vertex_exports(&slots, interface)
        };
        // The last one of a kind says so; positions come first.
        let last = |list: &[Export]| match self.io.is_fragment {
            true => list.len() - 1,
            false => list.iter().rposition(|e| e.target < 32).unwrap_or(0),
        };
        let done = last(&exports);
        for (k, e) in exports.into_iter().enumerate() {
            let mut inst = op(Op::Exp);
            for u in e.values {
                let u = self.in_vector(cx, u);
                inst = inst.arg(u);
            }
            let (done, vm) = (Done(k == done), Vm(k == done && self.io.is_fragment));
            cx.emit(with(
                inst,
                (ExportTo(e.target as u8), Enabled(e.enabled as u8), Compressed(e.compressed), done, vm),
            ));
        }
        Ok(())
    }

    /// Lanes of a value as operands; what nothing defines is 0.
    fn all_lanes(&mut self, cx: &mut IselCx<'_>, v: gpucc_ir::Value) -> Vec<U> {
        let n = cx.f.ty(v).lanes() as usize;
        if cx.f.is_undef(v) {
            return vec![Use::imm(0); n];
        }
        self.lanes(cx, v).into_iter().collect()
    }

    fn fragment_exports(&mut self, cx: &mut IselCx<'_>, slots: &[(&IoSlot, Vec<U>)], colours: &[usize]) -> Vec<Export> {
        let find = |at: IoAt| slots.iter().find(|s| s.0.at == at).map(|s| s.1[0]);
        let mut list = Vec::new();
        match (find(IoAt::FragDepth), find(IoAt::FragStencil), find(IoAt::SampleMask)) {
            (None, None, None) => {}
            (Some(depth), stencil, mask) => {
                let enabled = 1 | u32::from(stencil.is_some()) << 1 | u32::from(mask.is_some()) << 2;
                let values = [Some(depth), stencil, mask].into_iter().flatten().collect();
                list.push(Export { target: 8, enabled, compressed: false, values });
            }
            (None, stencil, mask) => {
                // The stencil value is in bits 23:16 of the first source, the mask in the second one; gfx6 wants the first one always.
                let first = match stencil {
                    Some(v) => {
                        let v = self.in_vector(cx, v);
                        let high = cx.temp(V);
                        self.valu(cx, build::VLshlrevB32.on([Use::imm(16), v]).def(high));
                        Some((Use::reg(high), 3))
                    }
                    None => (self.generation == 0).then_some((Use::imm(0), 1)),
                };
                let sources = first.into_iter().chain(mask.map(|m| (m, 12)));
                let (values, enabled): (Vec<U>, Vec<u32>) = sources.unzip();
                let enabled = enabled.iter().sum();
                list.push(Export { target: 8, enabled, compressed: true, values });
            }
        }
        let present = colours.iter().filter_map(|&k| Some((&slots[k], io::colour(slots[k].0, self.pipeline)?)));
        for (number, ((slot, values), c)) in (0..).zip(present) {
            let values = colour_values(&c, slot, values);
            list.push(Export { target: number, enabled: c.enabled, compressed: c.compressed, values });
        }
        if list.is_empty() {
            list.push(Export { target: 9, enabled: 0, compressed: false, values: Vec::new() });
        }
        list
    }
}

/// The contents of the sources of a colour's export.
fn colour_values(c: &Colour, slot: &IoSlot, values: &[U]) -> Vec<U> {
    if c.compressed {
        return values.iter().copied().take(if c.enabled == 3 { 1 } else { 2 }).collect();
    }
    let one = if slot.ty.is_float() { 1f32.to_bits() } else { 1 };
    let get = |k: usize| values.get(k).copied().unwrap_or(Use::imm(if k == 3 { one } else { 0 }));
    (0..4).filter(|k| c.enabled >> k & 1 == 1).map(get).collect()
}

fn vertex_exports(slots: &[(&IoSlot, Vec<U>)], interface: &gpucc_ir::Interface) -> Vec<Export> {
    let find = |at: IoAt| slots.iter().find(|s| s.0.at == at).map(|s| s.1.as_slice());
    let mut list = Vec::new();
    let position = find(IoAt::Position).map_or_else(|| vec![Use::imm(0); 4], <[U]>::to_vec);
    list.push(Export { target: 12, enabled: 15, compressed: false, values: position });
    let beside = [(IoAt::PointSize, 0), (IoAt::Layer, 2), (IoAt::ViewportIndex, 3)];
    let beside: Vec<(U, u32)> = beside.iter().filter_map(|&(at, k)| Some((find(at)?[0], k))).collect();
    if !beside.is_empty() {
        let enabled = beside.iter().fold(0, |m, (_, k)| m | 1 << k);
        let values = beside.into_iter().map(|(v, _)| v).collect();
        list.push(Export { target: 13, enabled, compressed: false, values });
    }
    let (distances, first) = (distances(interface), first_distances(interface));
    for at in (0..distances).step_by(4) {
        let n = (distances - at).min(4);
        // One that is not given is inside.
        let is = |s: &&(&IoSlot, Vec<U>), k: u32| io::distance(s.0.at, interface) == Some(at + k);
        let one = |k: u32| slots.iter().find(|s| is(s, k)).map_or(Use::imm(0), |s| s.1[0]);
        let values = (0..n).map(one).collect();
        list.push(Export { target: first + at / 4, enabled: (1 << n) - 1, compressed: false, values });
    }
    let mut number = 0;
    for (slot, values) in slots {
        if io::travels(slot.at) {
            let enabled = (1 << values.len()) - 1;
            list.push(Export { target: 32 + number, enabled, compressed: false, values: values.clone() });
            number += 1;
        }
    }
    list
}
