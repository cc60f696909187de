//! Instruction selection: IR to machine IR.
//!
//! `reg_banks` says which values the scalar unit computes and which booleans are lane masks; everything else is done by the
//! vector unit, a boolean then being 0 or 1 in a vector register.

mod address;
mod alu;
mod bools;
mod control;
mod double;
mod io;
mod memory;
mod operand;
mod subgroup;
mod sum;
mod tex;

use gpucc_gcn_machine::Op;
use gpucc_ir::analysis::{LanesRead, Uniformity};
use gpucc_ir::{Attr, Diagnostic, Function, Inst, Module, Op as Ir, Place, Scalar, SecondaryMap, Value};
use gpucc_mir::{Cfg, Class, Def, Lower, MEdges, MInst, PReg, Pseudo, Repr, Select, Use, VReg};
use gpucc_pipeline::Pipeline;

use crate::builders as build;
use crate::flow::reg_banks::{RegBank, RegBanks};
use crate::flow::{Plan, WaveExit};
use crate::inst::{Acquires, FILE_S, FILE_V, GOp, Gcn, MI, Once, S, S2, S4, Sync, U, V, V2, op, with};
use crate::interface::bindings::Bindings;
use crate::interface::io::Io;
use crate::interface::launch_registers::{BufferDescriptor, LaunchRegisters, ROOT};
use crate::ops::scalar_compare;
use gpucc_driver::Tables;

pub(crate) type IselCx<'f> = Select<'f, Gcn>;

/// The state of selection.
pub struct Isel<'m> {
    pub module: &'m Module,
    pub generation: u8,
    pub workgroup_size: [u32; 3],
    pub plan: &'m Plan,
    pub fixed: &'m LaunchRegisters,
    pub reg_banks: RegBanks<'m>,
    /// Byte offset of each variable in its memory.
    pub places: &'m dyn Fn(Place) -> u32,
    /// Constant tables behind the code.
    pub tables: &'m Tables,
    /// Registers of the local id that were asked for.
    pub ids: [Option<VReg>; 3],
    home: SecondaryMap<Inst, Option<gpucc_ir::Block>>,
    /// The mask in which the carry of a sum is wanted, if anyone asked for it.
    carries: SecondaryMap<Inst, VReg>,
    /// The longest axis of a direction with its sign, if anyone asked for it: users take the magnitude as a modifier.
    axes: SecondaryMap<Value, VReg>,
    images: Images<'m>,
    /// Inputs and outputs, and the pipeline that they belong to.
    pub io: &'m Io,
    pub pipeline: Option<&'m Pipeline>,
    launch_inputs: LaunchInputs,
    pending_element_index: Vec<Option<U>>,
}

/// The findings before selection.
pub struct Known<'m> {
    /// How a wave runs the function.
    pub plan: &'m Plan,
    /// The values that are the same in all lanes.
    pub uniform: &'m Uniformity,
    /// The contents of scalar registers for the whole program.
    pub fixed: &'m LaunchRegisters,
    /// Tables of bind groups.
    pub bindings: &'m Bindings,
    /// Constant tables behind the code.
    pub tables: &'m Tables,
    /// Places of inputs and outputs.
    pub io: &'m Io,
    /// The pipeline of a vertex or fragment entry.
    pub pipeline: Option<&'m Pipeline>,
}

/// Integer and float constants as 32 register bits.
fn bits_of(f: &Function, v: Value) -> Option<u32> {
    f.const_bits(v).map(|b| b as u32)
}
/// The state of selection for textures.
struct Images<'m> {
    bindings: &'m Bindings,
    /// Lanes of results that are read.
    read: LanesRead,
    /// Descriptors that the program's first instructions load: `(bind group, byte in its table, register)`.
    loaded: Vec<(u32, u32, VReg)>,
    /// Whether something is marked as computed once ([`Once`]).
    once: bool,
}

impl<'m> Images<'m> {
    fn new(f: &Function, bindings: &'m Bindings) -> Images<'m> {
        let read = if bindings.groups.is_empty() { LanesRead::default() } else { LanesRead::new(f) };
        Images { bindings, read, loaded: Vec::new(), once: false }
    }
}

/// Registers that the hardware fills before the program begins, as selection asks for them.
#[derive(Default)]
struct LaunchInputs {
    /// Vector registers by number, with the value that each holds.
    vgprs: Vec<(u32, VReg)>,
    /// Vertex and instance index, with the base added.
    element_index: [Option<VReg>; 2],
}

impl<'m> Isel<'m> {
    pub fn new(
        module: &'m Module,
        f: &'m Function,
        generation: u8,
        workgroup_size: [u32; 3],
        known: &Known<'m>,
        places: &'m dyn Fn(Place) -> u32,
    ) -> Isel<'m> {
        let &Known { plan, uniform, fixed, bindings, tables, io, pipeline } = known;
        Isel {
            module,
            generation,
            workgroup_size,
            plan,
            fixed,
            reg_banks: RegBanks::new(module, f, plan, uniform, generation),
            places,
            tables,
            ids: [None; 3],
            home: f.inst_blocks(),
            carries: SecondaryMap::with_default(VReg::NONE),
            axes: SecondaryMap::with_default(VReg::NONE),
            images: Images::new(f, bindings),
            io,
            pipeline,
            launch_inputs: LaunchInputs::default(),
            pending_element_index: Vec::new(),
        }
    }

    /// The common part of sine and cosine of one angle.
    fn shared(&mut self, i: MI) -> MI {
        self.images.once = true;
        with(i, (Once(true),))
    }

    /// Whether something is marked as computed once in a block.
    pub fn once(&self) -> bool {
        self.images.once
    }
}

impl Lower<Gcn> for Isel<'_> {
    fn repr(&mut self, f: &Function, v: Value) -> Repr {
        let ty = f.ty(v);
        let class: Class = match self.reg_banks.of(v) {
            _ if ty.scalar() == Scalar::F64 => V2,
            RegBank::Mask => S2,
            RegBank::Scalar => S,
            RegBank::Vector => V,
        };
        Repr { class, count: ty.lanes() as u8 }
    }

    fn inst(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        match (&d.op, &d.attr) {
            (Ir::Sysval, Attr::Sysval(s)) => self.sysval(cx, i, *s),
            (Ir::Load, _) => self.load(cx, i),
            (Ir::Store, _) => self.store(cx, i),
            (Ir::Atomic | Ir::CmpXchg, _) => self.atomic(cx, i),
            (Ir::BufferLength, Attr::Res(r)) => {
                // Word 2 of the descriptor.
                let size = match self.fixed.descriptor(*r) {
                    BufferDescriptor::Fixed(at) => Use::preg(PReg::new(FILE_S, at as u16 + 2, 1)),
                    BufferDescriptor::InRoot(at) => Use::reg(self.preloaded_descriptor(cx, ROOT, at, S4)).part(2, 1),
                };
                let out = cx.result(i, 0)[0];
                let o = if cx.mf.class(out) == S { Op::SMovB32 } else { Op::VMovB32 };
                cx.emit(op(o).def(out).arg(size));
                Ok(())
            }
            (_, Attr::Tex(_) | Attr::TexAtomic(..)) => self.image(cx, i),
            (Ir::CubeCoords, _) => self.cube_coords(cx, i),
            (Ir::Input, Attr::Input(n)) => self.input(cx, i, *n),
            (Ir::Demote, _) => self.demote(cx, i),
            (Ir::Derivative, Attr::Deriv(d)) => {
                self.derivative(cx, i, *d);
                Ok(())
            }
            (Ir::Ballot | Ir::LaneRead, _) => self.subgroup(cx, i),
            (Ir::Barrier, Attr::Barrier(b)) => {
                let wait = b.exec != gpucc_ir::Scope::None;
                cx.emit(build::SBarrier.with((Sync(wait), Acquires(b.acquires_device())), []));
                Ok(())
            }
            _ => self.alu(cx, i),
        }
    }

    fn terminator(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let edges: MEdges = d.edges().into_iter().map(|e| self.edge(cx, e)).collect();
        if d.op == Ir::Ret {
            self.outputs(cx, i)?;
        }
        let mut leave = MInst::new(GOp::Leave(None));
        if d.op == Ir::Br {
            let together = matches!(self.plan.out(cx.current_id().0 as usize), WaveExit::Cond(..));
            // A comparison of scalars decides by SCC; everything else by lanes.
            match self.peek(cx, d.args[0]) {
                Some(c) if together && self.reg_banks.scalar_condition(d.args[0], Some(cx.current())) => {
                    let Attr::IntCc(cc) = c.attr else { return Err(cx.unknown(i)) };
                    leave = MInst::new(GOp::Leave(Some(scalar_compare(cc))));
                    for &v in &c.args {
                        let u = self.any(cx, v);
                        leave = leave.arg(u);
                    }
                    self.one_literal(cx, &mut leave, 0..2);
                }
                _ => {
                    let m = self.mask(cx, d.args[0]);
                    leave = leave.arg(m);
                }
            }
        }
        for e in &edges {
            leave = leave.arg(e.to);
        }
        cx.set_succs(Cfg::Logical, edges);
        cx.emit(leave);
        Ok(())
    }

    fn constant(&mut self, cx: &mut IselCx<'_>, v: Value, into: &[VReg]) -> Result<(), Diagnostic> {
        let Some(c) = cx.f.as_const(v).cloned() else { return Ok(()) };
        for (k, &r) in into.iter().enumerate() {
            if c.ty.scalar() == Scalar::F64 {
                self.double_bits(cx, c.bits[k], r);
                continue;
            }
            cx.emit(build::VMovB32.on([Use::imm(c.bits[k] as u32)]).def(r));
        }
        Ok(())
    }

    fn entry(&mut self, cx: &mut IselCx<'_>) -> Result<(), Diagnostic> {
        let mut start = MInst::pseudo(Pseudo::Start);
        for (c, r) in self.ids.iter().enumerate() {
            if let Some(r) = r {
                start.defs.push(Def::reg(*r).at(PReg::new(FILE_V, c as u16, 1)));
            }
        }
        self.launch(cx, &mut start);
        if !start.defs.is_empty() {
            cx.emit(start);
        }
        self.emit_element_indices(cx);
        self.load_descriptors(cx);
        Ok(())
    }
}
