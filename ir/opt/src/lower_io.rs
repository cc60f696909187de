//! Writes what stages get and give with what a target's get and give ([`IoCaps`]).
//!
//! | input | output | capability |
//! |---|---|---|
//! | index of a vertex or an instance | the number without its base, plus the base | `whole_indices` |
//! | position with z in 0..w | z = 2 z - w, and the interface says so | `negative_depth` |
//! | output that is linear on the screen | times w, with perspective | `linear` |
//! | input that is linear on the screen | with perspective, times 1 / w | `linear` |
//! | input with perspective | input over w, divided by 1 / w | `perspective` |
//! | position of a fragment | middle of its pixel, depth, 1 / w | `frag_coord` |
//!
//! Both stages of a pipeline are lowered with the same capabilities: an output that is linear must meet an input that is.
//!
//! Needs: one return. Keeps: the CFG. Changes the interface of the entry point in `Cx::entry`.

use gpucc_ir::{
    Attr, Builder, Function, Inst, Interface, IoAt, IoSlot, Mode, Op, Position, SideMap, Stage, Sysval, Type, Value,
};

use crate::caps::IoCaps;
use crate::cx::Cx;

/// Runs the pass.
pub fn run(f: &mut Function, cx: &mut Cx<'_>) {
    let caps = cx.caps.io;
    let Some(mut entry) = cx.entry.take() else { return };
    let stage = entry.stage.kind();
    if caps != IoCaps::FULL
        && let Some(io) = entry.interface_mut()
    {
        let mut n = walk(f, |b, i| value(b, i, io, &caps, stage));
        if stage == Stage::Vertex {
            n += outputs(f, io, &caps);
        }
        modes(io, &caps, stage);
        cx.must_change(n);
    }
    cx.entry = Some(entry);
}

/// Visits every instruction once; what `replace` gives takes the place of its result.
fn walk(f: &mut Function, mut replace: impl FnMut(&mut Builder<'_>, Inst) -> Option<Value>) -> u64 {
    let mut map: SideMap<Value, Option<Value>> = SideMap::with_default(None);
    let (mut old, mut n) = (Vec::new(), 0);
    for block in f.layout.clone() {
        f.take_insts(block, &mut old);
        for &i in &old {
            match replace(&mut Builder::like(f, block, i), i) {
                Some(v) => {
                    map[f.insts[i].result()] = Some(v);
                    n += 1;
                }
                None => f.blocks[block].insts.push(i),
            }
        }
    }
    f.replace_uses(&map);
    n
}

/// What an instruction that reads an index, a position or an input becomes.
fn value(b: &mut Builder<'_>, i: Inst, io: &Interface, caps: &IoCaps, stage: Stage) -> Option<Value> {
    match b.func.insts[i].attr {
        Attr::Sysval(Sysval::VertexIndex) if !caps.whole_indices => {
            let (raw, first) = (b.sysval(Sysval::RawVertexIndex), b.sysval(Sysval::FirstVertex));
            Some(b.iadd(raw, first))
        }
        Attr::Sysval(Sysval::InstanceIndex) if !caps.whole_indices => {
            let (raw, first) = (b.sysval(Sysval::RawInstanceIndex), b.sysval(Sysval::FirstInstance));
            Some(b.iadd(raw, first))
        }
        Attr::Sysval(Sysval::FragCoord) if !caps.frag_coord => {
            let pixel = b.sysval(Sysval::Pixel);
            let pixel = b.u2f(pixel, Type::F32.with_lanes(2));
            let half = b.func.fconst(Type::F32, 0.5);
            let [x, y] = [0, 1].map(|k| b.extract(pixel, k));
            let (x, y) = (b.fadd(x, half), b.fadd(y, half));
            let (z, w) = (b.sysval(Sysval::FragZ), b.sysval(Sysval::FragInvW));
            Some(b.compose(&[x, y, z, w]))
        }
        Attr::Input(n) if stage == Stage::Fragment => {
            let slot = io.inputs.get(usize::from(n))?;
            let linear = slot.interp.mode == Mode::Linear && !caps.linear;
            let over_w = !caps.perspective && (linear || slot.interp.mode == Mode::Perspective);
            (over_w || linear).then(|| input(b, (n, slot.ty), over_w, linear))
        }
        _ => None,
    }
}

/// An input as a target gives it, and what makes it what the program asks for.
fn input(b: &mut Builder<'_>, (n, ty): (u16, Type), over_w: bool, linear: bool) -> Value {
    let v = b.input(n, ty);
    // Over w and linear at once: the value came times w, so dividing by w gave what is asked for.
    if over_w && linear {
        return v;
    }
    let inverse = b.sysval(Sysval::FragInvW);
    let factor = if over_w { b.frcp(inverse) } else { inverse };
    let factor = b.splat(factor, ty.lanes());
    b.fmul(v, factor)
}

/// What a vertex gives: the position's depth, and what is linear on the screen times w.
fn outputs(f: &mut Function, io: &Interface, caps: &IoCaps) -> u64 {
    let Some(at) = io.outputs.iter().position(|s| s.at == IoAt::Position) else { return 0 };
    let rets: Vec<_> = f.insts_in_order().filter(|(_, i)| f.insts[*i].op == Op::Ret).collect();
    let mut n = 0;
    for (block, i) in rets {
        let mut args = f.insts[i].args.clone();
        if args.len() != io.outputs.len() {
            continue;
        }
        f.blocks[block].insts.pop();
        let mut b = Builder::like(f, block, i);
        let position = args[at];
        let w = b.extract(position, 3);
        if !caps.linear {
            for (k, s) in io.outputs.iter().enumerate().filter(|(_, s)| is_linear(s)) {
                let factor = b.splat(w, s.ty.lanes());
                args[k] = b.fmul(args[k], factor);
                n += 1;
            }
        }
        if caps.negative_depth && io.position == Position::Clip {
            let z = b.extract(position, 2);
            let twice = b.fadd(z, z);
            let z = b.fsub(twice, w);
            args[at] = b.insert(position, z, 2);
            n += 1;
        }
        f.insts[i].args = args;
        f.blocks[block].insts.push(i);
    }
    n
}

fn is_linear(slot: &IoSlot) -> bool {
    matches!(slot.at, IoAt::Location { .. }) && slot.interp.mode == Mode::Linear
}

/// What the interface says from now on.
fn modes(io: &mut Interface, caps: &IoCaps, stage: Stage) {
    if stage == Stage::Vertex && caps.negative_depth {
        io.position = Position::ClipNegative;
    }
    let slots = if stage == Stage::Vertex { &mut io.outputs } else { &mut io.inputs };
    for slot in slots.iter_mut().filter(|s| matches!(s.at, IoAt::Location { .. })) {
        let mode = &mut slot.interp.mode;
        if *mode == Mode::Linear && !caps.linear {
            *mode = Mode::Perspective;
        }
        if *mode == Mode::Perspective && !caps.perspective && stage == Stage::Fragment {
            *mode = Mode::OverW;
        }
    }
}
