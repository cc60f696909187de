//! Choosing places: one value at a time, or all values around an instruction at once.

use smallvec::SmallVec;

use crate::problem::{RegFile, Shape, ValueInfo, Where};
use crate::units::{Placement, UnitSet};

/// A file with what the chooser caches about it.
pub(crate) struct Chooser {
    pub(crate) file: RegFile,
    /// One more than the highest unit handed out so far.
    high: u16,
    /// Choose badly on purpose (stress).
    worst: bool,
    /// Distinct shapes seen with their legal starts.
    shapes: Vec<(Shape, UnitSet)>,
}

impl Chooser {
    pub(crate) fn new(file: RegFile, worst: bool) -> Chooser {
        Chooser { file, high: 0, worst, shapes: Vec::new() }
    }

    fn starts(&mut self, shape: &Shape) -> UnitSet {
        if let Some((_, s)) = self.shapes.iter().find(|(s, _)| s == shape) {
            return *s;
        }
        let s = shape.legal_starts(&self.file);
        self.shapes.push((*shape, s));
        s
    }

    /// Notes that `p` is in use, for the preference of low units.
    pub(crate) fn note(&mut self, p: Placement) {
        self.high = self.high.max(p.end());
    }

    /// A place for `shape` in `free`: at `affinity` if that is possible, outside `avoid` if that is.
    pub(crate) fn pick(
        &mut self,
        shape: &Shape,
        free: &UnitSet,
        avoid: &UnitSet,
        affinity: Option<i32>,
    ) -> Option<Placement> {
        let n = shape.units;
        let affinity = affinity.filter(|&w| w >= 0 && w < self.file.units as i32).map(|w| w as u16);
        if matches!(shape.place, Where::Row | Where::Lanes(_)) {
            return self.pick_in_rows(shape, free, avoid, affinity);
        }
        let starts = self.starts(shape);
        let all = starts.intersect(&free.runs(n));
        if let Some(w) = affinity
            && all.contains(w)
        {
            return Some(Placement::run(w, n));
        }
        let preferred = starts.intersect(&free.minus(avoid).runs(n));
        let cand = if preferred.is_empty() { all } else { preferred };
        if self.worst {
            let spacious = cand.intersect(&free.up(1)).intersect(&free.down(n));
            let at = spacious.highest().or(cand.highest())?;
            return Some(Placement::run(at, n));
        }
        let below = cand.intersect(&UnitSet::first((self.high + 1).saturating_sub(n)));
        let (left, right) = (below.minus(&free.up(1)), below.minus(&free.down(n)));
        let snug = left.intersect(&right);
        let at = snug.lowest().or(left.union(&right).lowest()).or(below.lowest()).or(cand.lowest())?;
        Some(Placement::run(at, n))
    }

    /// The lowest run of a shape in `free`.
    fn lowest(&mut self, shape: &Shape, free: &UnitSet) -> Option<Placement> {
        let starts = self.starts(shape).intersect(&free.runs(shape.units));
        starts.lowest().map(|at| Placement::run(at, shape.units))
    }

    fn pick_in_rows(
        &mut self,
        shape: &Shape,
        free: &UnitSet,
        avoid: &UnitSet,
        affinity: Option<u16>,
    ) -> Option<Placement> {
        let (row, file) = (self.file.row, self.file);
        let full = (1u32 << row) - 1;
        if let Some(w) = affinity {
            let mut found = None;
            shape.in_row(&file, w / row, |p| {
                if free.has_all(p) && (found.is_none() || p.base() == w) {
                    found = Some(p);
                }
                !found.is_some_and(|f: Placement| f.base() == w && f.is_run())
            });
            if found.is_some_and(|p| p.base() == w) {
                return found;
            }
        }
        let mut best: Option<(u32, Placement)> = None;
        for r in 0..file.units / row {
            let lanes = (free.down(r * row).word() as u32) & full;
            let count = lanes.count_ones();
            if count < shape.units as u32 {
                continue;
            }
            let rude = (avoid.down(r * row).word() as u32) & full & lanes != 0;
            let fit = if self.worst { 32 - count } else { count };
            let untouched = r * row >= self.high;
            let score = fit + if rude { 64 } else { 0 } + if untouched && !self.worst { 32 } else { 0 };
            if best.is_some_and(|(s, _)| s <= score) {
                continue;
            }
            shape.in_row(&file, r, |p| {
                let ok = free.has_all(p);
                if ok {
                    best = Some((score, p));
                }
                !ok
            });
        }
        best.map(|(_, p)| p)
    }
}

/// Something that wants a place around one instruction: a live value, a copy of one, or a definition.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) info: ValueInfo,
    /// Occupies its place when the uses are read.
    pub(crate) before: bool,
    /// Occupies its place when the definitions have been written.
    pub(crate) after: bool,
    /// The only place that will do.
    pub(crate) fixed: Option<Placement>,
    /// Where the value is now.
    pub(crate) current: Option<Placement>,
    /// Where it would suit.
    pub(crate) affinity: Option<i32>,
    /// The answer.
    pub(crate) place: Placement,
}

/// Occupancy at the two moments of an instruction.
#[derive(Clone, Copy)]
struct Room {
    before: UnitSet,
    after: UnitSet,
}

impl Room {
    fn taken(&self, i: &Item) -> UnitSet {
        let mut t = UnitSet::EMPTY;
        if i.before {
            t = t.union(&self.before);
        }
        if i.after {
            t = t.union(&self.after);
        }
        t
    }
    fn take(&mut self, i: &Item, p: Placement) {
        if i.before {
            self.before.add(p);
        }
        if i.after {
            self.after.add(p);
        }
    }
}

/// Places all items; moves as little as it manages to. `after` is taken after the instruction by clobbers.
/// False when no order that it tries works.
pub(crate) fn solve(c: &mut Chooser, items: &mut [Item], after: UnitSet) -> bool {
    let mut room = Room { before: UnitSet::EMPTY, after };
    for i in items.iter_mut() {
        i.place = Placement::NONE;
        if let Some(p) = i.fixed {
            if room.taken(i).has_any(p) {
                return false;
            }
            room.take(i, p);
            i.place = p;
        }
    }
    let fixed: Vec<Placement> = items.iter().map(|i| i.place).collect();
    let mut by_size: Vec<usize> = (0..items.len()).filter(|&k| fixed[k].is_none()).collect();
    by_size.sort_by_key(|&k| core::cmp::Reverse((weight(&items[k].info.shape), items[k].before && items[k].after)));
    for attempt in 0..4 {
        for (i, &p) in items.iter_mut().zip(&fixed) {
            i.place = p;
        }
        if attempt_once(c, items, room, &by_size, attempt) {
            return true;
        }
    }
    false
}

/// Size for ordering: alignment counts, since an aligned value is as hard to place as a longer one.
pub(crate) fn weight(s: &Shape) -> u16 {
    match s.place {
        Where::Run(a) => s.units.max(a),
        Where::Starts(_) => s.units * 2,
        Where::Row => s.units,
        Where::Lanes(_) => s.units,
    }
}

fn attempt_once(c: &mut Chooser, items: &mut [Item], mut room: Room, by_size: &[usize], attempt: u32) -> bool {
    let budget = c.file.budget;
    let none = UnitSet::EMPTY;
    if attempt == 1 {
        // New items push live ones out of the cheapest window. What is where: live values lie apart.
        let mut holder = vec![usize::MAX; usize::from(c.file.units)];
        for (k, i) in items.iter().enumerate() {
            for u in i.current.iter().flat_map(Placement::units) {
                holder[usize::from(u)] = k;
            }
        }
        for &k in by_size {
            if items[k].current.is_some() {
                continue;
            }
            let free = budget.minus(&room.taken(&items[k]));
            let hit = |o: &Item| o.place.is_none() && (o.before && items[k].before || o.after && items[k].after);
            // A unit for each that is taken, and one for each value that goes.
            let cost = |p: Placement| -> u32 {
                let mut sum = 0;
                let mut gone: SmallVec<[usize; 8]> = SmallVec::new();
                for u in p.units() {
                    let at = holder[usize::from(u)];
                    if items.get(at).is_some_and(hit) {
                        sum += 1;
                        if !gone.contains(&at) {
                            gone.push(at);
                            sum += 1;
                        }
                    }
                }
                sum
            };
            let shape = items[k].info.shape;
            let Some(best) = shape.placements(&c.file, &free).into_iter().min_by_key(|&p| cost(p)) else {
                return false;
            };
            room.take(&items[k], best);
            items[k].place = best;
        }
    }
    if attempt <= 1 {
        for &k in by_size {
            if let Some(p) = items[k].current
                && items[k].place.is_none()
                && !room.taken(&items[k]).has_any(p)
            {
                room.take(&items[k], p);
                items[k].place = p;
            }
        }
    }
    // The last attempts pack from nothing: first what occupies both moments, so that it is compact, or by size alone.
    let mut order = by_size.to_vec();
    if attempt == 2 {
        order.sort_by_key(|&k| !(items[k].before && items[k].after));
    }
    for k in order {
        if !items[k].place.is_none() {
            continue;
        }
        let free = budget.minus(&room.taken(&items[k]));
        let shape = items[k].info.shape;
        let place = if attempt >= 2 {
            match shape.place {
                Where::Row | Where::Lanes(_) => c.pick(&shape, &free, &none, None),
                _ => c.lowest(&shape, &free),
            }
        } else {
            c.pick(&shape, &free, &none, items[k].affinity)
        };
        let Some(p) = place else { return false };
        room.take(&items[k], p);
        items[k].place = p;
    }
    true
}
