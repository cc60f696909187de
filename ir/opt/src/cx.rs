//! The context of a pass: its input besides the function.

use crate::{BindingFacts, Caps, OpSet, PipelineContext};
use gpucc_ir::analysis::{DomTree, Structure, Uses, sort_layout, structured_order};
use gpucc_ir::{
    Block, CsrLists, EntitySet, EntryPoint, FloatModes, Function, Module, Res, Scalar, Stage, StageInfo, Value,
};
use std::cell::Cell;
use std::rc::Rc;

/// The facts about the graph, as long as no pass changes it.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    dom: Option<Rc<DomTree>>,
    structure: Option<Rc<Structure>>,
    preds: Option<Rc<CsrLists<Block, Block>>>,
    /// Buffers that nothing stored to when it was asked: no pass stores where the program does not.
    readonly: Option<Rc<EntitySet<Res>>>,
}

/// The facts about instructions, as long as no pass changes anything.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    uses: Option<Rc<Uses>>,
    ops: Option<OpSet>,
    /// Scalars of values, a bit each.
    scalars: Option<u16>,
    /// Changes of the pass when these were asked.
    at: u64,
}

/// The surroundings of a pass: module, target, change count, fuel.
pub struct PassCx<'a> {
    /// Resources, variables and options. Its functions are not those being rewritten.
    pub module: &'a Module,
    /// The abilities of the target.
    pub caps: &'a Caps,
    /// The pipeline around the entry point, if there is one and it is known.
    pub context: Option<&'a PipelineContext>,
    /// Facts about the resources that will be bound.
    pub bound: &'a BindingFacts,
    /// The stage of the entry point as the source has it.
    pub source: Option<&'a StageInfo>,
    /// The workgroup size of the entry point; as large as can be if unknown.
    pub workgroup_size: [u32; 3],
    /// The entry point, which passes may give another interface.
    pub entry: Option<EntryPoint>,
    /// Whether the layout is known to be the structured order: passes that change the graph leave it false or sort again.
    pub(crate) sorted: bool,
    pub(crate) graph: Graph,
    pub(crate) kept: Kept,
    /// Said by a pass that changed blocks and edges, but no operand of an instruction.
    pub(crate) graph_alone: bool,
    /// Said by a pass that only put equal values for each other, where no rule asks whether two values are the same.
    pub(crate) apart: bool,
    /// See [`PassCx::hangs_on_target`].
    own: Cell<bool>,
    changes: u64,
    fuel: u64,
}

impl<'a> PassCx<'a> {
    /// A context without a limit on changes.
    pub fn new(module: &'a Module, caps: &'a Caps) -> PassCx<'a> {
        PassCx::with_fuel(module, caps, u64::MAX)
    }
    /// Stops rewriting after `fuel` changes; for finding the change that breaks something.
    pub fn with_fuel(module: &'a Module, caps: &'a Caps, fuel: u64) -> PassCx<'a> {
        let graph = Graph::default();
        PassCx {
            module,
            caps,
            context: None,
            bound: const { &BindingFacts::UNKNOWN },
            source: None,
            workgroup_size: [1 << 14; 3],
            entry: None,
            sorted: false,
            graph,
            kept: Kept::default(),
            graph_alone: false,
            apart: false,
            own: Cell::new(false),
            changes: 0,
            fuel,
        }
    }
    /// Whether an optional change may be made, to be asked right before it. Counts it if so.
    pub fn change(&mut self) -> bool {
        let may = self.changes < self.fuel;
        self.changes += u64::from(may);
        may
    }
    /// Said by a pass where what it does may hang on a capability that [`Caps::shared`] does not tell apart.
    pub(crate) fn hangs_on_target(&self) {
        self.own.set(true);
    }
    /// Whether a pass said [`PassCx::hangs_on_target`].
    pub(crate) fn is_own(&self) -> bool {
        self.own.get()
    }
    /// What the entry point asks of its floats.
    pub fn modes(&self) -> FloatModes {
        self.module.entries.first().map_or(FloatModes::ANY, |e| e.modes)
    }
    /// Whether some lanes may be helpers, which store nothing.
    pub fn has_helpers(&self) -> bool {
        self.module.entries.iter().any(|e| e.stage.kind() == Stage::Fragment)
    }
    /// Puts the layout into structured order, unless it is known to be in it.
    pub(crate) fn sort(&mut self, f: &mut Function) {
        if self.sorted {
            debug_assert!(structured_order(f) == f.layout, "a pass said that it keeps the graph");
        } else {
            if sort_layout(f) {
                self.changes += 1;
                self.forget_graph();
            }
            self.sorted = true;
        }
    }
    /// Forgets what is known of the graph; to be called between a change of the graph and the next question about it within a pass.
    pub fn forget_graph(&mut self) {
        self.graph = Graph::default();
    }
    /// The dominator tree of the function.
    pub fn dom(&mut self, f: &Function) -> Rc<DomTree> {
        let right = |dom: &Rc<DomTree>| **dom == DomTree::new(f);
        kept_or(&mut self.graph.dom, || Rc::new(DomTree::new(f)), right, KEEPS_GRAPH).clone()
    }
    /// The constructs of the function: selections and loops.
    pub fn structure(&mut self, f: &Function) -> Rc<Structure> {
        let dom = self.dom(f);
        let right = |s: &Rc<Structure>| s.constructs == Structure::new(f, &dom).constructs;
        kept_or(&mut self.graph.structure, || Rc::new(Structure::new(f, &dom)), right, KEEPS_GRAPH).clone()
    }
    /// The predecessors of its blocks.
    pub fn preds(&mut self, f: &Function) -> Rc<CsrLists<Block, Block>> {
        let right = |preds: &Rc<CsrLists<Block, Block>>| same_lists(f, preds, &f.preds());
        kept_or(&mut self.graph.preds, || Rc::new(f.preds()), right, KEEPS_GRAPH).clone()
    }
    /// What is kept of the instructions, without what a change of this pass made old.
    fn kept(&mut self) -> &mut Kept {
        if self.kept.at != self.changes {
            self.kept = Kept { at: self.changes, ..Kept::default() };
        }
        &mut self.kept
    }
    /// The uses of all values.
    pub fn uses(&mut self, f: &Function) -> Rc<Uses> {
        let right = |uses: &Rc<Uses>| same_uses(f, uses, &Uses::new(f));
        let fault = "a pass changed operands and counted no change";
        kept_or(&mut self.kept().uses, || Rc::new(Uses::new(f)), right, fault).clone()
    }
    /// Whether the function has an instruction of one of these ops.
    pub fn has_any(&mut self, f: &Function, ops: OpSet) -> bool {
        let all = || f.insts_in_order().fold(OpSet::EMPTY, |s, (_, i)| s.with_op(f.insts[i].op));
        let fault = "a pass changed an op and counted no change";
        kept_or(&mut self.kept().ops, all, |&found| found == all(), fault).meets(ops)
    }
    /// Whether a value of the function, or an operand, has one of these scalars in its lanes.
    pub(crate) fn has_scalar(&mut self, f: &Function, scalars: &[Scalar]) -> bool {
        let all = || {
            let mut found = 0;
            for &b in &f.layout {
                let mut note = |v: Value| found |= 1 << f.ty(v).scalar() as u16;
                f.blocks[b].params.iter().for_each(|&v| note(v));
                for &i in &f.blocks[b].insts {
                    let d = &f.insts[i];
                    d.results.iter().for_each(&mut note);
                    d.args.iter().for_each(|&v| note(v));
                }
            }
            found
        };
        let fault = "a pass changed a type and counted no change";
        let found = *kept_or(&mut self.kept().scalars, all, |&found| found == all(), fault);
        scalars.iter().any(|&s| found >> s as u16 & 1 == 1)
    }
    /// What later passes may go on with.
    pub(crate) fn take_kept(&mut self) -> Kept {
        match self.changes {
            0 => std::mem::take(&mut self.kept),
            _ => Kept::default(),
        }
    }
    /// The buffers that nobody writes while the shader runs.
    pub(crate) fn readonly(&mut self, f: &Function) -> Rc<EntitySet<Res>> {
        let m = self.module;
        let now = || Rc::new(crate::readonly::readonly(m, f));
        let right = |list: &Rc<EntitySet<Res>>| {
            let now = now();
            list.iter().all(|r| now.contains(r))
        };
        kept_or(&mut self.graph.readonly, now, right, "a pass stored to a buffer that nothing stored to before").clone()
    }
    /// Counts changes that correctness needs, fuel or not.
    pub fn must_change(&mut self, n: u64) {
        self.changes += n;
    }
    /// How many changes were made so far.
    pub fn changes(&self) -> u64 {
        self.changes
    }
}

const KEEPS_GRAPH: &str = "a pass said that it keeps the graph";

/// The fact that is kept, which debug builds hold against the function; a new one where there is none.
fn kept_or<'k, T>(
    kept: &'k mut Option<T>,
    new: impl FnOnce() -> T,
    right: impl FnOnce(&T) -> bool,
    fault: &str,
) -> &'k T {
    debug_assert!(kept.as_ref().is_none_or(right), "{fault}");
    kept.get_or_insert_with(new)
}

/// Whether two lists of predecessors are the same.
fn same_lists(f: &Function, a: &CsrLists<Block, Block>, b: &CsrLists<Block, Block>) -> bool {
    f.layout.iter().all(|&x| a[x] == b[x])
}

/// Whether two collections of uses are the same.
fn same_uses(f: &Function, a: &Uses, b: &Uses) -> bool {
    f.values.keys().all(|v| a.of(v) == b.of(v))
}
