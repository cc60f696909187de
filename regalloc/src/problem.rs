//! The input of the allocator: files, shapes, values, blocks and instructions. No ISA, no IR.

use core::fmt;
use core::ops::Range;

use crate::lists::CsrLists;
use crate::units::{MAX_UNITS, Placement, UnitSet};

/// Index of a register file.
pub type FileId = u8;
/// Index of a block. Block 0 is the entry.
pub type BlockId = u32;
/// Index of an instruction in [`Problem::insts`].
pub type InstId = u32;

/// A value: something that wants registers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(pub u32);

impl Value {
    /// Stands for no value: an edge argument of a parameter that lives on the other control-flow graph.
    pub const NONE: Value = Value(u32::MAX);

    /// Whether it is [`Value::NONE`].
    pub const fn is_none(self) -> bool {
        self.0 == u32::MAX
    }

    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() { write!(f, "-") } else { write!(f, "%{}", self.0) }
    }
}

/// The control-flow graph along which the values of a file live.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cfg {
    /// The program's own: each lane follows one path.
    Logical,
    /// The wave's: both arms of a divergent branch run one after the other.
    Linear,
}

/// A register file: its units, rows and budget.
#[derive(Clone, Copy, Debug)]
pub struct RegFile {
    /// Name of the file, for messages.
    pub name: &'static str,
    /// Number of units (the smallest addressable pieces), at most [`MAX_UNITS`].
    pub units: u16,
    /// Units in a row that no value may straddle; 0 when the file has no rows.
    pub row: u16,
    /// Where its values live.
    pub cfg: Cfg,
    /// The units that may be given out: any set, not only a prefix.
    pub budget: UnitSet,
    /// Whether a move between two places that read and write the same units reads all of them first and may
    /// permute lanes (a swizzled row move). Only for files with rows.
    pub row_moves: bool,
}

impl RegFile {
    /// A file of `units` units without rows, all of them in the budget.
    pub const fn new(name: &'static str, units: u16, cfg: Cfg) -> RegFile {
        assert!(units <= MAX_UNITS);
        RegFile { name, units, row: 0, cfg, budget: UnitSet::first(units), row_moves: false }
    }

    /// Gives the file rows of `row` units, moved lane by lane with a swizzle.
    #[must_use]
    pub const fn rows(mut self, row: u16) -> RegFile {
        assert!(row > 0 && row <= Placement::LANES && self.units.is_multiple_of(row));
        self.row = row;
        self.row_moves = true;
        self
    }

    /// Sets the units that values may be put in.
    #[must_use]
    pub const fn budget(mut self, budget: UnitSet) -> RegFile {
        self.budget = budget;
        self
    }
}

/// Where a value of some shape may lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Where {
    /// Units in a row, the first at a multiple of this.
    Run(u16),
    /// Units in a row, the first in this set.
    Starts(UnitSet),
    /// Any units of one row of the file, in ascending order.
    Row,
    /// One of these sets of lanes of one row.
    Lanes(&'static [u32]),
}

/// Size and legal placements of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Number of units that a value takes.
    pub units: u16,
    /// Units that a copy must move together (a 32-bit register of two 16-bit units has 2).
    pub granule: u16,
    /// Placements that are legal for the units.
    pub place: Where,
}

impl Shape {
    /// `units` units in a row, starting anywhere.
    pub const fn run(units: u16) -> Shape {
        Shape { units, granule: 1, place: Where::Run(1) }
    }

    /// `units` units in a row, the first at a multiple of `align`.
    pub const fn aligned(units: u16, align: u16) -> Shape {
        Shape { units, granule: 1, place: Where::Run(align) }
    }

    /// `units` units in a row from one of `starts`.
    pub const fn starts(units: u16, starts: UnitSet) -> Shape {
        Shape { units, granule: 1, place: Where::Starts(starts) }
    }

    /// Any `units` units of one row.
    pub const fn row(units: u16) -> Shape {
        Shape { units, granule: 1, place: Where::Row }
    }

    /// One of the given sets of lanes of one row; all must have `units` bits.
    pub const fn lanes(units: u16, lanes: &'static [u32]) -> Shape {
        Shape { units, granule: 1, place: Where::Lanes(lanes) }
    }

    /// Sets the granule of copies.
    #[must_use]
    pub const fn granule(mut self, granule: u16) -> Shape {
        assert!(granule > 0 && self.units.is_multiple_of(granule));
        self.granule = granule;
        self
    }

    /// Whether `p` is a legal placement in `file`, budget aside.
    pub fn allows(&self, file: &RegFile, p: Placement) -> bool {
        if p.is_none() || p.len() != self.units || p.end() > file.units {
            return false;
        }
        let last = p.unit(p.len() - 1);
        if file.row > 0 && p.base() / file.row != last / file.row {
            return false;
        }
        match self.place {
            Where::Run(a) => p.is_run() && p.base().is_multiple_of(a),
            Where::Starts(s) => p.is_run() && s.contains(p.base()),
            Where::Row => file.row > 0,
            Where::Lanes(l) => file.row > 0 && l.contains(&p.lanes(file.row)),
        }
    }

    /// All legal placements whose units are all in `free`, lowest first.
    pub fn placements(&self, file: &RegFile, free: &UnitSet) -> Vec<Placement> {
        let mut out = Vec::new();
        match self.place {
            Where::Run(_) | Where::Starts(_) => {
                let starts = self.legal_starts(file).intersect(&free.runs(self.units));
                out.extend(starts.iter().map(|s| Placement::run(s, self.units)));
            }
            Where::Row | Where::Lanes(_) => {
                for row in 0..file.units / file.row {
                    self.in_row(file, row, |p| {
                        if free.has_all(p) {
                            out.push(p);
                        }
                        true
                    });
                }
            }
        }
        out
    }

    /// Start positions of runs that lie inside the file and inside a row.
    pub(crate) fn legal_starts(&self, file: &RegFile) -> UnitSet {
        let limit = (file.units + 1).saturating_sub(self.units);
        let s = match self.place {
            Where::Run(a) => UnitSet::steps(0, limit, a),
            Where::Starts(s) => s.intersect(&UnitSet::first(limit)),
            Where::Row | Where::Lanes(_) => return UnitSet::EMPTY,
        };
        if file.row == 0 {
            return s;
        }
        s.iter().filter(|u| u % file.row + self.units <= file.row).collect()
    }

    /// Calls `f` with the placements in one row until it returns false.
    pub(crate) fn in_row(&self, file: &RegFile, row: u16, mut f: impl FnMut(Placement) -> bool) {
        let base = row * file.row;
        match self.place {
            Where::Lanes(l) => {
                for &m in l {
                    if !f(Placement::mask(base, m)) {
                        return;
                    }
                }
            }
            _ => {
                for m in 1..1u32 << file.row {
                    if m.count_ones() == self.units as u32 && !f(Placement::mask(base, m)) {
                        return;
                    }
                }
            }
        }
    }
}

/// File and shape of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ValueInfo {
    /// Register file that the value lives in.
    pub file: FileId,
    /// Number of units, and legal placements.
    pub shape: Shape,
}

/// The use of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Read before anything is written.
    Use,
    /// Written after all uses have been read.
    Def,
    /// Written before all uses have been read: shares no unit with any use.
    EarlyDef,
}

/// The other demands of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Constraint {
    /// Any placement of the value's shape.
    #[default]
    Any,
    /// Exactly here. Need not be in the budget.
    Fixed(Placement),
    /// The same place as the use with this index among the instruction's operands, for a definition.
    Tied(u8),
}

/// One operand: a value that is read or written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operand {
    /// The value that is read or written.
    pub value: Value,
    /// Whether and when it is read or written.
    pub role: Role,
    /// Demands on the place beyond the shape.
    pub constraint: Constraint,
}

impl Operand {
    /// A use of a value in any legal place.
    pub const fn read(value: Value) -> Operand {
        Operand { value, role: Role::Use, constraint: Constraint::Any }
    }
    /// A definition of a value in any legal place.
    pub const fn write(value: Value) -> Operand {
        Operand { value, role: Role::Def, constraint: Constraint::Any }
    }
    /// A definition written early.
    pub const fn early(value: Value) -> Operand {
        Operand { value, role: Role::EarlyDef, constraint: Constraint::Any }
    }
    /// Demands this place for the operand.
    #[must_use]
    pub const fn at(mut self, p: Placement) -> Operand {
        self.constraint = Constraint::Fixed(p);
        self
    }
    /// Demands the place of use operand `index`.
    #[must_use]
    pub const fn tied(mut self, index: u8) -> Operand {
        self.constraint = Constraint::Tied(index);
        self
    }
}

/// A wish: `part` should lie `offset` units after the first unit of `whole`.
///
/// Collects, splits and copies are wishes between their operands. The allocator adds those of block parameters and of
/// tied and fixed operands itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hint {
    /// The value that should lie inside.
    pub part: Value,
    /// The value that it belongs to.
    pub whole: Value,
    /// Distance in units; negative when `part` begins first.
    pub offset: i16,
}

/// One instruction: its operands, and what the allocator has to know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inst {
    /// Where its operands begin; they end where those of the next one begin.
    operands: u32,
    /// Where the units that it overwrites besides the definitions begin, likewise.
    clobbers: u32,
    /// Operands that it reads: they come before those that it writes.
    uses: u16,
    /// Whether the units free at it are wanted in [`Allocation::free`](crate::Allocation::free), because it will
    /// become moves that may need scratch.
    pub report_free: bool,
}

/// The role of an instruction that spilling inserted, for [`check_spills`](crate::check_spills).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpillCode {
    /// Puts a value into spill memory.
    Store(Value, Slot),
    /// Takes a value out of spill memory; defines it unless it goes to a helper register on the path to other memory.
    Load(Value, Slot),
    /// Computes the value that it defines again.
    Again,
    /// Helps others: addresses, and loads or stores of which another instruction stands for the whole.
    Aux,
}

/// A place in spill memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Slot {
    /// Memory: the file whose values it holds, or any other number.
    pub space: u8,
    /// First word of the slot in its memory.
    pub word: u32,
    /// Words: one for each unit of the value.
    pub units: u16,
}

/// An edge with one argument per parameter of its target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge<'a> {
    /// Block that the edge leads to.
    pub to: BlockId,
    /// Arguments; ignored for parameters in files that live on the other graph (put [`Value::NONE`]).
    pub args: &'a [Value],
}

/// An edge, and its arguments among all.
#[derive(Clone, Debug)]
struct Way {
    to: BlockId,
    args: Range<u32>,
}

/// One block. What it names lies in lists that all blocks share: there may be as many blocks as instructions, so that their size is
/// what walks over the graph cost.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Its instructions in [`Problem::insts`].
    pub insts: Range<u32>,
    params: Range<u32>,
    /// Successors on each graph.
    ways: [Range<u32>; 2],
    /// Instruction before which copies of logical files for the outgoing edge go; the end of `insts` if `None`, minus
    /// the terminators of [`Block::terminators`].
    pub logical_end: Option<InstId>,
    /// Number of terminators at the end of `insts`.
    pub terminators: u32,
}

/// The whole question.
///
/// Blocks come in an order in which every block but the entry has a predecessor before it on each graph that reaches
/// it, and in which definitions come before their uses (reverse post-order of a structured program, on both graphs).
/// No edge goes from a block with several successors to a block with several predecessors on the same graph.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    /// Register files, by the numbers that values name.
    pub files: Vec<RegFile>,
    /// The different files and shapes of values.
    kinds: Vec<ValueInfo>,
    /// Which of them each value has: few kinds, for many values that are asked for theirs at every step.
    values: Vec<u16>,
    /// Blocks; 0 is the entry and has no parameters.
    pub blocks: Vec<Block>,
    /// Instructions, block by block.
    pub insts: Vec<Inst>,
    /// The roles of instructions that spilling put there, in their order.
    spill: Vec<(InstId, SpillCode)>,
    /// Operands, instruction by instruction.
    pub operands: Vec<Operand>,
    /// Clobbered places, instruction by instruction.
    pub clobbers: Vec<(FileId, Placement)>,
    /// Edges, those of one block and graph together.
    ways: Vec<Way>,
    /// Parameters of blocks and arguments of edges.
    passed: Vec<Value>,
    /// Wishes, the most important first.
    pub hints: Vec<Hint>,
}

impl Problem {
    /// A problem over these files.
    pub fn new(files: &[RegFile]) -> Problem {
        Problem { files: files.to_vec(), ..Problem::default() }
    }

    /// The number of a kind of values, for [`value_of`](Problem::value_of).
    pub fn kind(&mut self, file: FileId, shape: Shape) -> u16 {
        let info = ValueInfo { file, shape };
        let known = self.kinds.iter().position(|k| *k == info);
        known.unwrap_or_else(|| {
            self.kinds.push(info);
            self.kinds.len() - 1
        }) as u16
    }

    /// A new value of a kind.
    pub fn value_of(&mut self, kind: u16) -> Value {
        self.values.push(kind);
        Value(self.values.len() as u32 - 1)
    }

    /// A new value of a file and shape.
    pub fn value(&mut self, file: FileId, shape: Shape) -> Value {
        let kind = self.kind(file, shape);
        self.value_of(kind)
    }

    /// Number of values, operands or not.
    pub fn value_count(&self) -> usize {
        self.values.len()
    }

    /// Another problem's files, values and wishes without its blocks.
    #[must_use]
    pub fn without_blocks(&self) -> Problem {
        Problem {
            files: self.files.clone(),
            kinds: self.kinds.clone(),
            values: self.values.clone(),
            hints: self.hints.clone(),
            ..Problem::default()
        }
    }

    /// Makes room for so many values, blocks, instructions and operands.
    pub fn reserve(&mut self, values: usize, blocks: usize, insts: usize, operands: usize) {
        self.values.reserve(values);
        self.blocks.reserve(blocks);
        self.insts.reserve(insts);
        self.operands.reserve(operands);
    }

    /// Begins a block; instructions pushed from now on are its own.
    pub fn begin_block(&mut self, params: &[Value]) -> BlockId {
        let at = self.insts.len() as u32;
        let params = self.pass(params.iter().copied());
        self.blocks.push(Block { params, insts: at..at, ..Block::default() });
        self.blocks.len() as u32 - 1
    }

    fn pass(&mut self, values: impl IntoIterator<Item = Value>) -> Range<u32> {
        let from = self.passed.len() as u32;
        self.passed.extend(values);
        from..self.passed.len() as u32
    }

    /// Says where a block goes in one of the graphs, and what it passes there. The linear graph has the same edges unless other
    /// ones are set, after the logical ones.
    pub fn set_succs<A: IntoIterator<Item = Value>>(
        &mut self,
        b: BlockId,
        cfg: Cfg,
        edges: impl IntoIterator<Item = (BlockId, A)>,
    ) {
        let from = self.ways.len() as u32;
        for (to, args) in edges {
            let args = self.pass(args);
            self.ways.push(Way { to, args });
        }
        let all = from..self.ways.len() as u32;
        let ways = &mut self.blocks[b as usize].ways;
        match cfg {
            Cfg::Logical => *ways = [all.clone(), all],
            Cfg::Linear => ways[1] = all,
        }
    }

    /// Parameters of a block.
    pub fn params(&self, b: BlockId) -> &[Value] {
        let Range { start, end } = self.blocks[b as usize].params;
        &self.passed[start as usize..end as usize]
    }

    /// Successors of a block on one of the graphs.
    pub fn succs(&self, b: BlockId, cfg: Cfg) -> impl ExactSizeIterator<Item = Edge<'_>> + Clone {
        let Range { start, end } = self.blocks[b as usize].ways[cfg as usize];
        let edge = |w: &Way| Edge { to: w.to, args: &self.passed[w.args.start as usize..w.args.end as usize] };
        self.ways[start as usize..end as usize].iter().map(edge)
    }

    /// Appends an instruction to the block begun last. What it reads stands before what it writes.
    ///
    /// # Panics
    /// Before the first [`begin_block`](Problem::begin_block).
    pub fn push(&mut self, operands: &[Operand], clobbers: &[(FileId, Placement)]) -> InstId {
        let o = self.operands.len() as u32;
        self.operands.extend_from_slice(operands);
        let c = self.clobbers.len() as u32;
        self.clobbers.extend_from_slice(clobbers);
        let uses = operands.iter().take_while(|o| o.role == Role::Use).count();
        debug_assert!(operands[uses..].iter().all(|o| o.role != Role::Use), "a use behind a definition");
        self.insts.push(Inst { operands: o, clobbers: c, uses: uses as u16, report_free: false });
        let end = self.insts.len() as u32;
        match self.blocks.last_mut() {
            Some(b) => b.insts.end = end,
            None => panic!("instruction outside a block"),
        }
        end - 1
    }

    /// Operands of an instruction.
    pub fn operands(&self, i: InstId) -> &[Operand] {
        let end = self.insts.get(i as usize + 1).map_or(self.operands.len(), |n| n.operands as usize);
        &self.operands[self.first_operand(i)..end]
    }

    /// What an instruction reads, and what it writes.
    pub fn uses_and_defs(&self, i: InstId) -> (&[Operand], &[Operand]) {
        self.operands(i).split_at(usize::from(self.insts[i as usize].uses))
    }

    /// Index of the first operand of an instruction in [`Problem::operands`].
    pub fn first_operand(&self, i: InstId) -> usize {
        self.insts[i as usize].operands as usize
    }

    /// Says what an instruction does for spilling. Instructions in order, each once.
    pub fn set_spill(&mut self, i: InstId, code: SpillCode) {
        debug_assert!(self.spill.last().is_none_or(|l| l.0 < i));
        self.spill.push((i, code));
    }

    /// Forgets what instructions do for spilling.
    pub fn forget_spills(&mut self) {
        self.spill.clear();
    }

    /// The role of an instruction in spilling, if that put it there.
    pub fn spill(&self, i: InstId) -> Option<SpillCode> {
        self.spill.binary_search_by_key(&i, |s| s.0).ok().map(|k| self.spill[k].1)
    }

    /// Clobbered places of an instruction.
    pub fn clobbers(&self, i: InstId) -> &[(FileId, Placement)] {
        let end = self.insts.get(i as usize + 1).map_or(self.clobbers.len(), |n| n.clobbers as usize);
        &self.clobbers[self.insts[i as usize].clobbers as usize..end]
    }

    /// File and shape of a value.
    pub fn info(&self, v: Value) -> &ValueInfo {
        &self.kinds[self.values[v.index()] as usize]
    }

    /// The different files and shapes of values.
    pub fn kinds(&self) -> &[ValueInfo] {
        &self.kinds
    }

    /// File of a value.
    pub fn file(&self, v: Value) -> FileId {
        self.info(v).file
    }

    /// Graph on which a value lives.
    pub fn cfg(&self, v: Value) -> Cfg {
        self.files[self.file(v) as usize].cfg
    }

    /// Shape of a value.
    pub fn shape(&self, v: Value) -> &Shape {
        &self.info(v).shape
    }

    /// Units that a value may cost with its alignment: values whose weights sum to no more than a file (or segments of
    /// it that are multiples of the largest) can all be placed at once, the heaviest first.
    pub fn weight(&self, v: Value) -> u32 {
        let row = self.files[self.file(v) as usize].row;
        let shape = self.shape(v);
        let units = match shape.place {
            Where::Run(align) => shape.units.next_multiple_of(align),
            Where::Starts(_) | Where::Row | Where::Lanes(_) => shape.units,
        };
        // Two values of more than half a row never share one.
        u32::from(if row > 0 && units * 2 > row { row } else { units })
    }

    /// Predecessors of every block on one graph, in ascending order.
    pub fn preds(&self, cfg: Cfg) -> CsrLists<BlockId> {
        CsrLists::new(self.blocks.len(), 0, |put| {
            for b in 0..self.blocks.len() as BlockId {
                self.succs(b, cfg).for_each(|e| put(e.to as usize, b));
            }
        })
    }
}

/// The program needs more registers than the budget has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutOfRegisters {
    /// The file that ran out.
    pub file: FileId,
    /// Name of that file.
    pub name: &'static str,
    /// Instruction at the peak; `None` at the entry of a block.
    pub inst: Option<InstId>,
    /// Block of the peak.
    pub block: BlockId,
    /// Units live at once at the peak.
    pub demand: u32,
    /// Units in the budget.
    pub limit: u32,
}

impl fmt::Display for OutOfRegisters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "out of registers: {} units of {} are needed at once, {} can be used",
            self.demand, self.name, self.limit
        )?;
        if self.demand <= self.limit {
            write!(f, " (no arrangement fits)")?;
        }
        Ok(())
    }
}

/// Why an allocation failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Error {
    /// Too few registers.
    OutOfRegisters(OutOfRegisters),
    /// The problem contradicts itself or the rules of [`Problem`]: a bug of the caller.
    Invalid(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::OutOfRegisters(e) => e.fmt(f),
            Error::Invalid(s) => write!(f, "malformed allocation problem: {s}"),
        }
    }
}

impl core::error::Error for Error {}
