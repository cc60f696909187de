//! The state of lowering one module.

use super::data::{Given, Global, HandleVar, IoVar, Role, Tree};
use super::licences::Licences;
use crate::module::{Inst, Module, SpecConstant};
use crate::plan::Plan;
use crate::types::{Kind, Ty, Types};
use gpucc_frontend_common::{Tables, limits, report};
use gpucc_ir as ir;
use gpucc_pipeline::Format;
use rspirv::spirv::StorageClass;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

pub use gpucc_frontend_common::Lowered;

/// The state of lowering one module.
pub struct ModuleCx<'m> {
    /// The module that is lowered.
    pub m: &'m Module,
    /// Types of the module.
    pub types: Types<'m>,
    /// Values of constants, by instruction.
    pub consts: Vec<Option<Rc<Tree>>>,
    /// Variables in memory, by instruction.
    pub globals: Vec<Option<Global>>,
    /// Variables of images and samplers.
    pub handles: Vec<HandleVar>,
    /// The resources that they are, by what they are asked as.
    pub roles: FxHashMap<(usize, Role), ir::Res>,
    /// Inputs and outputs of stages.
    pub io: Vec<IoVar>,
    /// The module of the IR that is made.
    pub out: ir::Module,
    /// Licences of float arithmetic.
    pub fp: Licences,
    /// Widths of floats of which some entry point makes zeros of denormals, as a set of bits.
    pub flushed: u32,
    /// Those of which some entry point rounds toward zero.
    pub cut: u32,
    /// Whether nothing is contracted, in expansions of functions either: a position is to be that of other programs.
    pub exact: bool,
    /// Plans of functions, by id.
    pub plans: FxHashMap<u32, Rc<Plan>>,
    /// Functions lowered on their own, by id.
    pub funcs: FxHashMap<u32, ir::Func>,
    /// Functions lowered in place of their calls.
    pub inlined: FxHashSet<u32>,
    /// Functions that read inputs or write outputs, themselves or through others.
    pub inlined_io: FxHashSet<u32>,
    /// Constant tables by content.
    pub tables: Tables,
    /// Values that are given to constants, by id; of several the last counts.
    pub given: FxHashMap<u32, (SpecConstant, Given)>,
    /// The operand that names a variable: of access chains into it the first index.
    pub accesses: FxHashMap<u32, Vec<Option<u32>>>,
    /// Formats of storage images that say none, by group and binding.
    pub formats: Vec<((u32, u32), Format)>,
    /// Functions that are called.
    pub called: FxHashSet<u32>,
    /// Inputs and outputs by id.
    pub io_by_id: FxHashMap<u32, usize>,
    /// The memory of all workgroup variables that say where their members lie: they lie over one another.
    pub workgroup_block: Option<ir::Global>,
    /// Whether lanes are asked whether they were demoted.
    pub asks_for_helpers: bool,
    /// Whether lanes end in front of operations between lanes.
    pub ends_lanes: bool,
    /// Whether inputs are asked for elsewhere than they are declared to be.
    pub asks_elsewhere: bool,
    /// Whether an input may belong to a sample.
    pub has_sample_inputs: bool,
    /// The workgroup size, where a constant of the module is it.
    pub workgroup_size: Option<[u32; 3]>,
    /// Instructions lowered in place of calls so far.
    pub in_place: u64,
    /// IR instructions of the functions that are finished.
    pub instructions: u64,
    /// Parts of values moved around so far.
    pub work: u64,
}

impl<'m> ModuleCx<'m> {
    /// The plan of a function.
    pub fn plan(&self, id: u32) -> Option<Rc<Plan>> {
        self.plans.get(&id).cloned()
    }

    /// The function that was lowered on its own.
    pub fn func(&self, id: u32) -> Option<ir::Func> {
        self.funcs.get(&id).copied()
    }

    /// The pointee of a pointer type's id.
    pub fn pointee(&self, ty: Ty, inst: &Inst) -> Lowered<(StorageClass, Ty)> {
        match *self.types.kind(ty) {
            Kind::Pointer(class, to) => Ok((class, self.types.of(to, inst)?)),
            _ => Err(self.m.wrong(inst, "its type is no pointer")),
        }
    }

    /// Counts work that a small module may ask for over and over.
    pub fn count(&mut self, n: u64) -> Lowered<()> {
        self.work = self.work.saturating_add(n);
        if self.work > limits::CONSTANT_COPIES.max * 16 {
            return Err(report::limit(&limits::INSTRUCTIONS));
        }
        Ok(())
    }
}
