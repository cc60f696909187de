//! Takes inputs that nobody reads out of the interface of a stage, and components that nobody reads off the others; of a vertex
//! entry in a pipeline also outputs that the fragment entry does not have, and components that its input does not have.
//!
//! Targets pay for each component that travels between stages, and for each attribute that is fetched.
//!
//! Needs: one return where outputs go. Keeps: the CFG. Inputs are numbered anew; changes the interface of the entry point in `PassCx::entry`.

use gpucc_ir::{Attr, Function, Inst, Interface, IoAt, IoSlot, Op, SecondaryMap, StageInfo, Type, Value};

use crate::context::{PipelineContext, Returned};
use crate::cx::PassCx;

/// Removes inputs, outputs and components that no stage reads.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    let Some(mut entry) = cx.entry.take() else { return };
    if let (StageInfo::Vertex(io), Some(context)) = (&mut entry.stage, cx.context)
        && io.outputs.iter().any(|s| fitting(s, context) != Some(s.ty))
        && cx.change()
    {
        outputs(f, io, context);
    }
    if let Some(io) = entry.interface_mut().filter(|io| !io.inputs.is_empty()) {
        let read = components(f, io.inputs.len());
        let shrinks = |(s, &n): (&IoSlot, &u32)| n < s.ty.lanes();
        if io.inputs.iter().zip(&read).any(shrinks) && cx.change() {
            narrow(f, &read);
            // The new number of each input.
            let mut number = Vec::with_capacity(read.len());
            let mut kept = 0;
            for &n in &read {
                number.push(kept);
                kept += u16::from(n > 0);
            }
            for i in inputs(f) {
                if let Attr::Input(n) = &mut f.insts[i].attr {
                    *n = number[usize::from(*n)];
                }
            }
            let mut all = read.iter();
            io.inputs.retain_mut(|s| {
                let n = all.next().copied().unwrap_or(0).min(s.ty.lanes());
                s.ty = s.ty.with_lanes(n.max(1));
                n > 0
            });
        }
    }
    cx.entry = Some(entry);
}

/// The remainder of the type of a vertex' output; nothing of one that no fragment reads.
fn fitting(slot: &IoSlot, context: &PipelineContext) -> Option<Type> {
    if !matches!(slot.at, IoAt::Location { .. }) {
        return Some(slot.ty);
    }
    let Some(StageInfo::Fragment { io, .. }) = &context.other else { return None };
    let input = io.inputs.iter().find(|i| i.at == slot.at)?;
    Some(slot.ty.with_lanes(input.ty.lanes().min(slot.ty.lanes())))
}

/// Takes away outputs, and components of them, that do not travel.
fn outputs(f: &mut Function, io: &mut Interface, context: &PipelineContext) {
    let Some((mut b, mut returned)) = Returned::take(f, io) else { return };
    for k in (0..io.outputs.len()).rev() {
        let slot = &mut io.outputs[k];
        match fitting(slot, context) {
            None => {
                io.outputs.remove(k);
                returned.args.remove(k);
            }
            Some(ty) if ty != slot.ty => {
                let value = returned.args[k];
                let lanes: Vec<Value> = (0..ty.lanes()).map(|lane| b.extract(value, lane)).collect();
                returned.args[k] = if let [one] = lanes[..] { one } else { b.compose(&lanes) };
                slot.ty = ty;
            }
            Some(_) => {}
        }
    }
    returned.put(b, io);
}

/// The instructions that read inputs.
fn inputs(f: &Function) -> Vec<Inst> {
    f.insts_in_order().map(|x| x.1).filter(|&i| f.insts[i].op == Op::Input).collect()
}

/// How many components of each input are read, counted from the first; 0 of those that nobody reads.
fn components(f: &Function, slots: usize) -> Vec<u32> {
    let mut slot: SecondaryMap<Value, Option<usize>> = SecondaryMap::with_default(None);
    for i in inputs(f) {
        if let Attr::Input(n) = f.insts[i].attr {
            slot[f.insts[i].result()] = Some(usize::from(n));
        }
    }
    let mut read = vec![0; slots];
    for (_, i) in f.insts_in_order() {
        let d = &f.insts[i];
        d.for_each_use(|v| {
            let Some(n) = slot[v].filter(|&n| n < slots) else { return };
            let lanes = match (d.op, &d.attr) {
                (Op::Extract, Attr::Lane(l)) => u32::from(*l) + 1,
                _ => f.ty(v).lanes(),
            };
            read[n] = read[n].max(lanes);
        });
    }
    read
}

/// Gives the values of inputs the lanes that are read; what nobody reads goes.
fn narrow(f: &mut Function, read: &[u32]) {
    let mut one: SecondaryMap<Value, Option<Value>> = SecondaryMap::with_default(None);
    for i in inputs(f) {
        let Attr::Input(n) = f.insts[i].attr else { continue };
        let v = f.insts[i].result();
        let (lanes, ty) = (read[usize::from(n)], f.ty(v));
        if lanes > 0 && lanes < ty.lanes() {
            f.values[v].ty = ty.with_lanes(lanes);
            if lanes == 1 {
                one[v] = Some(v);
            }
        }
    }
    // A scalar is its own lane 0.
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::with_default(None);
    let mut old = Vec::new();
    for block in f.layout.clone() {
        f.take_insts(block, &mut old);
        for &i in &old {
            let d = &f.insts[i];
            let gone = match (d.op, &d.attr) {
                (Op::Input, Attr::Input(n)) => read[usize::from(*n)] == 0,
                (Op::Extract, _) if one[d.args[0]].is_some() => {
                    map[d.result()] = Some(d.args[0]);
                    true
                }
                _ => false,
            };
            if !gone {
                f.blocks[block].insts.push(i);
            }
        }
    }
    f.replace_uses(&map);
}
