//! Colouring: one walk over the blocks in order, each value placed at its definition.
//!
//! Where no place is free, a parallel copy before the instruction moves live values out of the way; where the
//! predecessors of a block leave a value in different places, parallel copies on the edges bring it to one.

use smallvec::SmallVec;

use crate::hint::Groups;
use crate::lists::CsrLists;
use crate::live::Liveness;
use crate::pack::{Chooser, Item, solve};
use crate::problem::{BlockId, Cfg, Constraint, Error, FileId, InstId, Operand, OutOfRegisters, Problem, Role, Value};
use crate::units::{MAX_UNITS, Placement, UnitSet};

/// Where a parallel copy goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum At {
    /// Right before an instruction.
    Before(InstId),
    /// At the end of a block, before its terminators; for files on the logical graph before its `logical_end`, if it
    /// has one.
    End(BlockId, Cfg),
    /// The start of a block.
    Start(BlockId, Cfg),
}

/// One piece of a parallel copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    /// Register file of both places.
    pub file: FileId,
    /// Places that are written.
    pub dst: Placement,
    /// Places that are read.
    pub src: Placement,
    /// Units that must move together.
    pub granule: u16,
}

/// Moves that happen at once: all reads before all writes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParallelCopy {
    /// The place in the code where it is inserted.
    pub at: At,
    /// Its moves, which happen all at once.
    pub moves: Vec<Move>,
    /// Units of each file's budget that hold nothing while it happens.
    pub free: Vec<UnitSet>,
}

/// The places of all operands, and the copies between them.
#[derive(Clone, Debug, Default)]
pub struct Allocation {
    /// Place of every operand of [`Problem::operands`].
    pub operands: Vec<Placement>,
    /// Places of live-in values and live parameters at the start of each block.
    pub entry: CsrLists<(Value, Placement)>,
    /// Parallel copies to insert, in program order of the blocks they go to.
    pub copies: Vec<ParallelCopy>,
    /// The instructions with `report_free`.
    pub reports: Vec<InstId>,
    /// Units that hold nothing while they happen: as many sets for each as there are files.
    pub free: Vec<UnitSet>,
}

struct FileState {
    chooser: Chooser,
    occupied: UnitSet,
    /// Value in each occupied unit.
    owner: Vec<Value>,
    /// Room that an anchored group still waits for.
    reserved: UnitSet,
}

struct Colour<'a> {
    p: &'a Problem,
    live: &'a Liveness,
    files: Vec<FileState>,
    /// Place of each value that is live here.
    at: Vec<Placement>,
    groups: Groups,
    /// Parameter that each value is passed to over a back edge, whose place is known by then.
    back_param: Vec<Value>,
    /// Place of each parameter at the start of its block.
    param_at: Vec<Placement>,
    /// Places of values at the end of some block, while they are looked at.
    scratch: Vec<Placement>,
    /// Live-out values of finished blocks.
    exit: CsrLists<(Value, Placement)>,
    /// Units occupied at the logical end of finished blocks, per file.
    logical_end: Vec<Option<Vec<UnitSet>>>,
    wants: Wants,
    out: Allocation,
}

/// Places of a block that values still to be made must lie in.
#[derive(Default)]
struct Wants {
    /// The instruction that makes each such value, with its file and place; in the order of the code.
    list: Vec<(InstId, FileId, Placement)>,
    /// The last instruction of the block that reads each value; the largest number of what lives on.
    last_use: Vec<InstId>,
    /// The instruction whose operands are being placed.
    now: InstId,
}

impl Wants {
    /// Looks a block up.
    fn enter(&mut self, p: &Problem, live: &Liveness, groups: &mut Groups, b: BlockId) {
        self.list.clear();
        let insts = p.blocks[b as usize].insts.clone();
        let fixed = |o: &Operand| o.role == Role::Use && matches!(o.constraint, Constraint::Fixed(_));
        if !insts.clone().any(|i| p.operands(i).iter().any(fixed)) {
            return;
        }
        self.last_use.resize(p.value_count(), 0);
        for i in insts {
            for o in p.operands(i) {
                let (file, units) = (p.file(o.value), p.shape(o.value).units);
                if o.role == Role::Use {
                    self.last_use[o.value.index()] = i;
                } else if let Some(base) = groups.fixed(o.value)
                    && base + units <= p.files[usize::from(file)].units
                {
                    self.list.push((i, file, Placement::run(base, units)));
                }
            }
        }
        live.for_live_out(p, b, |v| self.last_use[v.index()] = InstId::MAX);
        // A run that is taken apart stays where it is as long as one of its parts.
        for i in p.blocks[b as usize].insts.clone().rev() {
            let operands = p.operands(i);
            let (uses, defs) = operands.split_at(operands.partition_point(|o| o.role == Role::Use));
            for (whole, part) in uses.iter().flat_map(|u| defs.iter().map(move |d| (u.value, d.value))) {
                let end = self.last_use[part.index()];
                if p.shape(part).units < p.shape(whole).units
                    && end > self.last_use[whole.index()]
                    && groups.distance(part, whole).is_some()
                {
                    self.last_use[whole.index()] = end;
                }
            }
        }
    }

    /// Adds the places that others need before a value, made now, is read for the last time.
    fn add(&self, p: &Problem, v: Value, avoid: &mut UnitSet) {
        if self.list.last().is_none_or(|w| w.0 <= self.now) {
            return;
        }
        let (from, end, file) = (self.list.partition_point(|w| w.0 <= self.now), self.last_use[v.index()], p.file(v));
        for w in self.list[from..].iter().take_while(|w| w.0 < end).filter(|w| w.1 == file) {
            avoid.add(w.2);
        }
    }
}

/// Colours `p`. With `worst`, places are chosen as badly as possible.
///
/// # Errors
/// When registers run out or the problem is malformed.
pub fn colour(p: &Problem, live: &Liveness, worst: bool) -> Result<Allocation, Error> {
    let n = p.value_count();
    let mut back_param = vec![Value::NONE; n];
    for b in 0..p.blocks.len() as BlockId {
        for cfg in [Cfg::Logical, Cfg::Linear] {
            for e in p.succs(b, cfg).filter(|e| e.to <= b) {
                for (&arg, &param) in e.args.iter().zip(p.params(e.to)) {
                    if p.cfg(param) == cfg && !arg.is_none() {
                        back_param[arg.index()] = param;
                    }
                }
            }
        }
    }
    let files = p.files.iter().map(|&f| FileState {
        chooser: Chooser::new(f, worst),
        occupied: UnitSet::EMPTY,
        owner: vec![Value::NONE; f.units as usize],
        reserved: UnitSet::EMPTY,
    });
    let mut c = Colour {
        p,
        live,
        files: files.collect(),
        at: vec![Placement::NONE; n],
        groups: Groups::new(p),
        back_param,
        param_at: vec![Placement::NONE; n],
        scratch: vec![Placement::NONE; n],
        exit: CsrLists::default(),
        logical_end: vec![None; p.blocks.len()],
        wants: Wants::default(),
        out: Allocation { operands: vec![Placement::NONE; p.operands.len()], ..Allocation::default() },
    };
    let mut stamp = vec![u32::MAX; n];
    for b in 0..p.blocks.len() as BlockId {
        c.enter(b)?;
        c.wants.enter(p, live, &mut c.groups, b);
        let block = &p.blocks[b as usize];
        for i in block.insts.clone() {
            if block.logical_end == Some(i) {
                c.logical_end[b as usize] = Some(c.files.iter().map(|f| f.occupied).collect());
            }
            c.wants.now = i;
            c.inst(b, i)?;
        }
        let mut exit: SmallVec<[_; 64]> = SmallVec::new();
        live.for_live_out(p, b, |v| {
            if stamp[v.index()] != b {
                stamp[v.index()] = b;
                exit.push((v, c.at[v.index()]));
            }
        });
        c.exit.push(exit);
    }
    c.edges();
    Ok(c.out)
}

impl Colour<'_> {
    fn occupy(&mut self, v: Value, place: Placement) {
        let f = &mut self.files[self.p.file(v) as usize];
        f.occupied.add(place);
        f.chooser.note(place);
        for u in place.units() {
            f.owner[u as usize] = v;
        }
        self.at[v.index()] = place;
    }

    fn release(&mut self, v: Value) {
        let place = std::mem::take(&mut self.at[v.index()]);
        self.files[self.p.file(v) as usize].occupied.sub(place);
    }

    /// Live values of a file, by their lowest unit.
    fn live_values(&self, file: FileId) -> Vec<Value> {
        let f = &self.files[file as usize];
        let mut out = Vec::new();
        for u in f.occupied.iter() {
            let v = f.owner[u as usize];
            if self.at[v.index()].base() == u {
                out.push(v);
            }
        }
        out
    }

    fn affinity(&mut self, v: Value) -> Option<i32> {
        let back = self.back_param[v.index()];
        if !back.is_none() && !self.param_at[back.index()].is_none() {
            return Some(self.param_at[back.index()].base() as i32);
        }
        self.groups.affinity(v)
    }

    /// Picks a place for a new value in `free`, by the wishes of its group.
    fn pick(&mut self, v: Value, free: &UnitSet) -> Option<Placement> {
        let file = self.p.file(v) as usize;
        let shape = *self.p.shape(v);
        let mut affinity = self.affinity(v);
        let widest = self.groups.widest(self.p, v);
        if affinity.is_none()
            && let Some((w, distance)) = widest
        {
            let f = &mut self.files[file];
            let room = free.minus(&f.reserved);
            if let Some(place) = f.chooser.pick(self.p.shape(w), &room, &UnitSet::EMPTY, None) {
                let base = place.base() as i32 - distance;
                if base >= 0 {
                    self.groups.anchor(v, base as u16);
                    f.reserved.add(place);
                    affinity = Some(base);
                }
            }
        }
        let f = &mut self.files[file];
        let mut avoid = f.reserved;
        self.wants.add(self.p, v, &mut avoid);
        // Who cannot be where the group wants it does not take the place of another member.
        if let (Some(at), Some((w, distance))) = (affinity, widest)
            && u16::try_from(at).is_ok_and(|at| !free.contains(at))
            && let Ok(base) = u16::try_from(at + distance)
        {
            // Beyond the end of the file there is nobody.
            let units = self.p.shape(w).units.min(MAX_UNITS.saturating_sub(base));
            if units > 0 {
                avoid.add(Placement::run(base, units));
            }
        }
        let place = f.chooser.pick(&shape, free, &avoid, affinity)?;
        if widest.is_none() {
            f.reserved.sub(place);
            self.groups.anchor(v, place.base());
        }
        Some(place)
    }

    fn enter(&mut self, b: BlockId) -> Result<(), Error> {
        for f in &mut self.files {
            f.occupied = UnitSet::EMPTY;
            f.reserved = UnitSet::EMPTY;
        }
        let live = self.live;
        for cfg in [Cfg::Logical, Cfg::Linear] {
            if !self.p.files.iter().any(|f| f.cfg == cfg) {
                continue;
            }
            let first = live.preds(cfg)[b as usize].first().copied().filter(|&q| q < b);
            if let Some(q) = first {
                for &(v, place) in &self.exit[q as usize] {
                    if self.p.cfg(v) == cfg {
                        self.at[v.index()] = place;
                    }
                }
            }
            for &v in &live.live_in[b as usize] {
                if self.p.cfg(v) == cfg {
                    let place = self.at[v.index()];
                    if first.is_none() || place.is_none() {
                        return Err(Error::Invalid(format!("{v:?} lives into block {b} before any predecessor")));
                    }
                    self.occupy(v, place);
                }
            }
        }
        let params: Vec<Value> = self.p.params(b).iter().copied().filter(|v| !live.dead_param[v.index()]).collect();
        if !params.is_empty() {
            self.enter_params(b, &params)?;
        }
        let here = live.live_in[b as usize].iter().chain(&params);
        self.out.entry.push(here.map(|&v| (v, self.at[v.index()])));
        for &v in &params {
            self.param_at[v.index()] = self.at[v.index()];
        }
        Ok(())
    }

    fn enter_params(&mut self, b: BlockId, params: &[Value]) -> Result<(), Error> {
        // Places that arguments have at the end of predecessors, each with how many agree.
        let mut votes: Vec<SmallVec<[(u16, u32); 4]>> = vec![SmallVec::new(); params.len()];
        let all = self.p.params(b);
        for cfg in [Cfg::Logical, Cfg::Linear] {
            for &q in self.live.preds(cfg)[b as usize].iter().filter(|&&q| q < b) {
                let Some(e) = self.p.succs(q, cfg).find(|e| e.to == b) else { continue };
                for &(v, place) in &self.exit[q as usize] {
                    self.scratch[v.index()] = place;
                }
                let live = all.iter().zip(e.args).filter(|(v, _)| !self.live.dead_param[v.index()]);
                for (list, (&v, &arg)) in votes.iter_mut().zip(live) {
                    let place = if arg.is_none() { Placement::NONE } else { self.scratch[arg.index()] };
                    if self.p.cfg(v) != cfg || place.is_none() {
                        continue;
                    }
                    match list.iter_mut().find(|l| l.0 == place.base()) {
                        Some(l) => l.1 += 1,
                        None => list.push((place.base(), 1)),
                    }
                }
                for &(v, _) in &self.exit[q as usize] {
                    self.scratch[v.index()] = Placement::NONE;
                }
            }
        }
        for list in &mut votes {
            list.sort_by_key(|l| core::cmp::Reverse(l.1));
        }
        let mut order: SmallVec<[usize; 8]> = (0..params.len()).collect();
        order.sort_by_key(|&k| core::cmp::Reverse(self.p.shape(params[k]).units));
        let mut done: SmallVec<[Value; 8]> = SmallVec::new();
        let mut failed = false;
        for &k in &order {
            let v = params[k];
            let f = &mut self.files[self.p.file(v) as usize];
            let free = f.chooser.file.budget.minus(&f.occupied);
            let group = self.groups.affinity(v);
            let shape = *self.p.shape(v);
            // Where most arguments are; among equals where the group is, which later arguments aim for.
            let list = &votes[k];
            let most = list.first().map_or(0, |l| l.1);
            let popular = list.iter().take_while(|l| l.1 == most).map(|l| i32::from(l.0));
            let rest = list.iter().skip_while(|l| l.1 == most).map(|l| i32::from(l.0));
            let grouped = group.filter(|&g| most <= 1 || popular.clone().any(|w| w == g));
            let affinities: SmallVec<[i32; 8]> = grouped.into_iter().chain(popular).chain(group).chain(rest).collect();
            let f = &mut self.files[self.p.file(v) as usize];
            let direct = affinities.iter().find_map(|&w| {
                f.chooser.pick(&shape, &free, &UnitSet::EMPTY, Some(w)).filter(|p| i32::from(p.base()) == w)
            });
            let Some(place) = direct.or_else(|| f.chooser.pick(&shape, &free, &UnitSet::EMPTY, group)) else {
                failed = true;
                break;
            };
            self.groups.anchor(v, place.base());
            self.occupy(v, place);
            done.push(v);
        }
        if !failed {
            return Ok(());
        }
        for v in done {
            self.release(v);
        }
        for file in 0..self.files.len() as FileId {
            let mut values = self.live_values(file);
            let old = values.len();
            values.extend(params.iter().copied().filter(|&v| self.p.file(v) == file));
            if old == values.len() {
                continue;
            }
            let mut items: Vec<Item> = values
                .iter()
                .enumerate()
                .map(|(k, &v)| Item {
                    info: *self.p.info(v),
                    before: true,
                    after: true,
                    fixed: None,
                    current: (k < old).then(|| self.at[v.index()]),
                    affinity: None,
                    place: Placement::NONE,
                })
                .collect();
            let f = &mut self.files[file as usize];
            if !solve(&mut f.chooser, &mut items, UnitSet::EMPTY) {
                return Err(self.out_of_registers(file, b, None, &items, UnitSet::EMPTY));
            }
            f.occupied = UnitSet::EMPTY;
            for (v, item) in values.into_iter().zip(items) {
                self.occupy(v, item.place);
            }
        }
        Ok(())
    }

    fn out_of_registers(
        &self,
        file: FileId,
        block: BlockId,
        inst: Option<InstId>,
        items: &[Item],
        after: UnitSet,
    ) -> Error {
        let f = &self.p.files[file as usize];
        let sum = |pred: fn(&Item) -> bool| items.iter().filter(|i| pred(i)).map(|i| i.info.shape.units as u32).sum();
        let before: u32 = sum(|i| i.before);
        let later: u32 = sum(|i| i.after);
        let demand = before.max(later + after.intersect(&f.budget).len());
        Error::OutOfRegisters(OutOfRegisters { file, name: f.name, inst, block, demand, limit: f.budget.len() })
    }

    fn inst(&mut self, b: BlockId, i: InstId) -> Result<(), Error> {
        let ops = self.p.operands(i);
        let base = self.p.first_operand(i);
        let mut touched: SmallVec<[FileId; 4]> = SmallVec::new();
        let mut touch = |f: FileId| {
            if !touched.contains(&f) {
                touched.push(f);
            }
        };
        for o in ops {
            touch(self.p.file(o.value));
        }
        for &(f, _) in self.p.clobbers(i) {
            touch(f);
        }
        let report = self.p.insts[i as usize].report_free;
        // What is occupied before something moves.
        let mut start: Option<SmallVec<[UnitSet; 4]>> = None;
        let mut moves = Vec::new();
        for &file in &touched {
            let take = if report { self.take_over(file, ops, base) } else { None };
            if take.is_none() && self.place_fast(file, i, ops, base)? {
                continue;
            }
            start.get_or_insert_with(|| self.files.iter().map(|f| f.occupied).collect());
            if take.is_some() && self.place_slow(file, b, i, ops, base, &mut moves, take).is_ok() {
                continue;
            }
            if take.is_none() || !self.place_fast(file, i, ops, base)? {
                self.place_slow(file, b, i, ops, base, &mut moves, None)?;
            }
        }
        if report || !moves.is_empty() {
            let mut busy: SmallVec<[UnitSet; 4]> = self.files.iter().map(|f| f.occupied).collect();
            busy.iter_mut().zip(start.iter().flatten()).for_each(|(b, s)| *b = b.union(s));
            for (k, o) in ops.iter().enumerate() {
                busy[self.p.file(o.value) as usize].add(self.out.operands[base + k]);
            }
            let free = self.p.files.iter().zip(&busy).map(|(f, b)| f.budget.minus(b));
            if report {
                self.out.reports.push(i);
                self.out.free.extend(free.clone());
            }
            if !moves.is_empty() {
                let free = free.collect();
                self.out.copies.push(ParallelCopy { at: At::Before(i), moves, free });
            }
        }
        for (k, o) in ops.iter().enumerate() {
            if o.role == Role::Use && self.live.last[base + k] && !self.at[o.value.index()].is_none() {
                self.release(o.value);
            }
        }
        for (k, o) in ops.iter().enumerate() {
            if o.role != Role::Use {
                let place = self.out.operands[base + k];
                self.files[self.p.file(o.value) as usize].chooser.note(place);
                if !self.live.last[base + k] {
                    self.occupy(o.value, place);
                }
            }
        }
        Ok(())
    }

    /// For an instruction that reports what is free, and collects values of which some live on: the place where most of them
    /// already lie, if it is cheaper to move those that live on away than to copy all of them elsewhere.
    fn take_over(&mut self, file: FileId, ops: &[Operand], base: usize) -> Option<Placement> {
        let mut defs = ops.iter().filter(|o| o.role != Role::Use);
        let def = defs.next().filter(|d| d.role == Role::Def && d.constraint == Constraint::Any)?;
        let info = *self.p.info(def.value);
        let uses = || ops.iter().enumerate().filter(|(_, o)| o.role == Role::Use);
        let all_here = uses().all(|(_, o)| self.p.file(o.value) == file && o.constraint == Constraint::Any);
        if defs.next().is_some() || info.file != file || ops.len() < 3 || !all_here {
            return None;
        }
        // Without values that live on, the plain way does it.
        if uses().all(|(k, _)| self.live.last[base + k]) {
            return None;
        }
        let regfile = self.p.files[file as usize];
        let mut best: Option<(i32, Placement)> = None;
        for (_, o) in uses() {
            let Some(offset) = self.groups.distance(o.value, def.value) else { continue };
            let start = self.at[o.value.index()].base() as i32 - offset;
            if start < 0 || start + info.shape.units as i32 > regfile.units as i32 {
                continue;
            }
            let place = Placement::run(start as u16, info.shape.units);
            if !info.shape.allows(&regfile, place) || !regfile.budget.has_all(place) {
                continue;
            }
            // Saved copies less values that must go; anything else in the way rules the place out.
            let (mut gain, mut foreign) = (0, self.files[file as usize].occupied.intersect(&place.set()));
            for (k, u) in uses() {
                let at = self.at[u.value.index()];
                if self.groups.distance(u.value, def.value) == Some(at.base() as i32 - start) {
                    gain += self.live.last[base + k] as i32;
                    foreign.sub(at);
                }
            }
            if foreign.is_empty() && gain > 0 && best.is_none_or(|(g, _)| gain > g) {
                best = Some((gain, place));
            }
        }
        best.map(|(_, place)| place)
    }

    /// Where a part lies in the run that ends at this instruction: there it costs nothing.
    fn in_place(
        &mut self,
        file: FileId,
        ops: &[Operand],
        base: usize,
        part: Value,
        free: &UnitSet,
    ) -> Option<Placement> {
        let [whole, rest @ ..] = ops else { return None };
        let alone =
            rest.iter().all(|o| o.role != Role::Use) && self.live.last[base] && self.p.file(whole.value) == file;
        if whole.role != Role::Use || !alone {
            return None;
        }
        let at = self.at[whole.value.index()];
        let from = u16::try_from(i32::from(at.base()) + self.groups.distance(part, whole.value)?).ok()?;
        let (shape, file) = (self.p.shape(part), &self.p.files[usize::from(file)]);
        // In rows, lanes that belong together are gathered elsewhere.
        let inside = file.row == 0 && at.is_run() && from >= at.base() && from + shape.units <= at.end();
        let place = Placement::run(from, if inside { shape.units } else { return None });
        (shape.allows(file, place) && free.has_all(place)).then_some(place)
    }

    /// Places the operands in `file` without moving anything; false when that is impossible.
    fn place_fast(&mut self, file: FileId, i: InstId, ops: &[Operand], base: usize) -> Result<bool, Error> {
        let before = self.files[file as usize].occupied;
        let mut after = before;
        for (k, o) in ops.iter().enumerate() {
            if o.role != Role::Use || self.p.file(o.value) != file {
                continue;
            }
            let at = self.at[o.value.index()];
            if at.is_none() {
                return Err(Error::Invalid(format!("instruction {i} reads {:?}, which is not live", o.value)));
            }
            if let Constraint::Fixed(want) = o.constraint
                && want != at
            {
                return Ok(false);
            }
            self.out.operands[base + k] = at;
            if self.live.last[base + k] {
                after.sub(at);
            }
        }
        for &(f, place) in self.p.clobbers(i) {
            if f == file {
                if after.has_any(place) {
                    return Ok(false);
                }
                after.add(place);
            }
        }
        let mut rest: SmallVec<[usize; 4]> = SmallVec::new();
        for (k, o) in ops.iter().enumerate() {
            if o.role == Role::Use || self.p.file(o.value) != file {
                continue;
            }
            let place = match o.constraint {
                Constraint::Any => {
                    rest.push(k);
                    continue;
                }
                Constraint::Fixed(place) => {
                    if o.role == Role::EarlyDef && before.has_any(place) {
                        return Ok(false);
                    }
                    place
                }
                Constraint::Tied(t) => {
                    let Some(u) = ops.get(t as usize).filter(|u| u.role == Role::Use) else {
                        return Err(Error::Invalid(format!("instruction {i}: operand {k} is tied to no use")));
                    };
                    let place = self.at[u.value.index()];
                    if !self.live.last[base + t as usize] || self.p.file(u.value) != file {
                        return Ok(false);
                    }
                    place
                }
            };
            if after.has_any(place) {
                return Ok(false);
            }
            after.add(place);
            self.out.operands[base + k] = place;
        }
        rest.sort_by_key(|&k| {
            (ops[k].role != Role::EarlyDef, core::cmp::Reverse(crate::pack::weight(self.p.shape(ops[k].value))))
        });
        let budget = self.p.files[file as usize].budget;
        let taken_apart = self.p.insts[i as usize].report_free;
        for k in rest {
            let mut free = budget.minus(&after);
            if ops[k].role == Role::EarlyDef {
                free = free.minus(&before);
            }
            let stays = if taken_apart { self.in_place(file, ops, base, ops[k].value, &free) } else { None };
            let Some(place) = stays.or_else(|| self.pick(ops[k].value, &free)) else { return Ok(false) };
            after.add(place);
            self.out.operands[base + k] = place;
        }
        Ok(true)
    }

    /// Places the operands in `file`, moving live values as needed; appends the moves. With `take`, the only definition
    /// goes there and uses that lie there are read where they are, also if their values live on elsewhere.
    #[expect(clippy::too_many_arguments, reason = "one step of the walk")]
    fn place_slow(
        &mut self,
        file: FileId,
        b: BlockId,
        i: InstId,
        ops: &[Operand],
        base: usize,
        moves: &mut Vec<Move>,
        take: Option<Placement>,
    ) -> Result<(), Error> {
        let mut clobbered = UnitSet::EMPTY;
        for &(f, place) in self.p.clobbers(i) {
            if f == file {
                clobbered.add(place);
            }
        }
        // Units that a live-through value cannot keep because a definition is fixed there.
        let mut fixed_defs = clobbered;
        for o in ops.iter().filter(|o| o.role != Role::Use && self.p.file(o.value) == file) {
            if let Constraint::Fixed(place) = o.constraint {
                fixed_defs.add(place);
            }
        }
        if let Some(place) = take {
            fixed_defs.add(place);
        }
        let values = self.live_values(file);
        let mut items: Vec<Item> = Vec::with_capacity(values.len() + ops.len());
        // Value whose bits an item holds before the instruction, and the item of each operand.
        let mut source: Vec<Value> = Vec::new();
        let mut item_of: SmallVec<[usize; 8]> = smallvec::smallvec![usize::MAX; ops.len()];
        let blank = |v: Value| Item {
            info: *self.p.info(v),
            before: true,
            after: false,
            fixed: None,
            current: None,
            affinity: None,
            place: Placement::NONE,
        };
        let tied_to =
            |t: usize| ops.iter().position(|o| o.role != Role::Use && o.constraint == Constraint::Tied(t as u8));
        let wanted: SmallVec<[Option<Placement>; 8]> = ops
            .iter()
            .map(|o| match (o.constraint, take) {
                (Constraint::Fixed(p), _) => Some(p),
                (_, Some(place)) if o.role != Role::Use => Some(place),
                (_, Some(place)) => Some(self.at[o.value.index()]).filter(|p| p.overlaps(place)),
                _ => None,
            })
            .collect();
        let fixed_of = |k: usize| wanted[k];
        for &v in &values {
            let uses: SmallVec<[usize; 4]> =
                (0..ops.len()).filter(|&k| ops[k].role == Role::Use && ops[k].value == v).collect();
            let dies = uses.iter().any(|&k| self.live.last[base + k]);
            let main = items.len();
            let mut item = blank(v);
            item.current = Some(self.at[v.index()]);
            item.after = !dies;
            items.push(item);
            source.push(v);
            let (mut pinned, mut tied) = (false, false);
            for k in uses {
                let want = fixed_of(k);
                let def = tied_to(k);
                if want.is_none() && def.is_none() {
                    item_of[k] = main;
                    continue;
                }
                if let Some(want) = want
                    && def.is_none()
                {
                    let known = items.iter().zip(&source).position(|(it, &s)| s == v && it.fixed == Some(want));
                    if let Some(known) = known {
                        item_of[k] = known;
                        continue;
                    }
                    let stays = items[main].current == Some(want) && !fixed_defs.has_any(want);
                    if !pinned && !tied && (dies || stays) {
                        items[main].fixed = Some(want);
                        pinned = true;
                        item_of[k] = main;
                        continue;
                    }
                }
                if let Some(d) = def {
                    item_of[d] = main;
                    if dies && !tied && !pinned {
                        tied = true;
                        items[main].after = true;
                        items[main].fixed = want;
                        item_of[k] = main;
                        continue;
                    }
                }
                let mut copy = blank(v);
                copy.fixed = want;
                copy.after = def.is_some();
                item_of[k] = items.len();
                if let Some(d) = def {
                    item_of[d] = items.len();
                    copy.affinity = self.groups.affinity(ops[d].value);
                }
                items.push(copy);
                source.push(v);
            }
        }
        for (k, o) in ops.iter().enumerate() {
            if o.role == Role::Use || self.p.file(o.value) != file || item_of[k] != usize::MAX {
                continue;
            }
            let mut item = blank(o.value);
            item.before = o.role == Role::EarlyDef;
            item.after = true;
            item.fixed = fixed_of(k);
            item.affinity = self.affinity(o.value);
            item_of[k] = items.len();
            items.push(item);
            source.push(Value::NONE);
        }
        if !solve(&mut self.files[file as usize].chooser, &mut items, clobbered) {
            return Err(self.out_of_registers(file, b, Some(i), &items, clobbered));
        }
        for (item, &v) in items.iter().zip(&source) {
            if !v.is_none() && self.at[v.index()] != item.place {
                let granule = item.info.shape.granule;
                moves.push(Move { file, dst: item.place, src: self.at[v.index()], granule });
            }
        }
        for &v in &values {
            self.release(v);
        }
        for (item, &v) in items.iter().zip(&source) {
            if item.current.is_some() {
                self.occupy(v, item.place);
            }
        }
        for (k, o) in ops.iter().enumerate() {
            if self.p.file(o.value) == file {
                self.out.operands[base + k] = items[item_of[k]].place;
            }
        }
        Ok(())
    }

    fn edges(&mut self) {
        let p = self.p;
        let nfiles = p.files.len();
        let occupancy = |list: &[(Value, Placement)]| -> Vec<UnitSet> {
            let mut sets = vec![UnitSet::EMPTY; nfiles];
            for &(v, place) in list {
                sets[p.file(v) as usize].add(place);
            }
            sets
        };
        for b in 0..p.blocks.len() as BlockId {
            for &(v, place) in &self.exit[b as usize] {
                self.at[v.index()] = place;
            }
            let mut busy: Option<Vec<UnitSet>> = None;
            for cfg in [Cfg::Logical, Cfg::Linear] {
                for e in p.succs(b, cfg) {
                    let params = p.params(e.to);
                    let mut moves = Vec::new();
                    let mut arg = params.iter().zip(e.args).filter(|(q, _)| !self.live.dead_param[q.index()]);
                    let live_in = self.live.live_in[e.to as usize].len();
                    for (k, &(v, dst)) in self.out.entry[e.to as usize].iter().enumerate() {
                        let from = if k < live_in { v } else { arg.next().map_or(v, |(_, &a)| a) };
                        if p.cfg(v) != cfg {
                            continue;
                        }
                        let src = self.at[from.index()];
                        if src != dst {
                            moves.push(Move { file: p.file(v), dst, src, granule: p.shape(v).granule });
                        }
                    }
                    if moves.is_empty() {
                        continue;
                    }
                    let busy = busy.get_or_insert_with(|| {
                        let mut all = occupancy(&self.exit[b as usize]);
                        if let Some(early) = &self.logical_end[b as usize] {
                            for (a, s) in all.iter_mut().zip(early) {
                                *a = a.union(s);
                            }
                        }
                        for cfg in [Cfg::Logical, Cfg::Linear] {
                            for e in p.succs(b, cfg) {
                                for &(v, place) in &self.out.entry[e.to as usize] {
                                    all[p.file(v) as usize].add(place);
                                }
                            }
                        }
                        all
                    });
                    let free = p.files.iter().zip(&*busy).map(|(f, s)| f.budget.minus(s)).collect();
                    let at = if p.succs(b, cfg).len() == 1 { At::End(b, cfg) } else { At::Start(e.to, cfg) };
                    self.out.copies.push(ParallelCopy { at, moves, free });
                }
            }
        }
    }
}
