//! Parallel copies to sequences of moves and swaps.

use std::collections::BTreeSet;

use smallvec::SmallVec;

use crate::colour::Move;
use crate::problem::{FileId, RegFile};
use crate::units::{Placement, UnitSet};

/// Units of one file, by component.
pub type Units = SmallVec<[u16; 4]>;

/// The abilities of one move instruction of a file.
#[derive(Clone, Copy, Debug)]
pub struct MoveCaps {
    /// `(units, alignment)` of runs that one instruction moves, the widest first. Runs that fit none are moved granule
    /// by granule. Ignored by files with `row_moves`.
    pub widths: &'static [(u16, u16)],
}

/// One step of a sequence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// `dst[i] = src[i]` for all `i`, all reads before all writes.
    Move {
        /// Written units.
        dst: Units,
        /// Read units.
        src: Units,
    },
    /// Exchanges `a[i]` and `b[i]` for all `i`.
    Swap {
        /// One side.
        a: Units,
        /// The other.
        b: Units,
    },
}

struct Piece {
    dst: Units,
    src: Units,
    granule: u16,
    done: bool,
}

/// Sequences the moves of `file`. Units in `free` may be overwritten to break cycles; where none fits, swaps do it.
pub fn sequence(id: FileId, file: &RegFile, caps: MoveCaps, moves: &[Move], free: &UnitSet) -> Vec<Step> {
    let pieces = pieces(file, caps, moves.iter().filter(|m| m.file == id));
    let (mut read, mut written) = (UnitSet::EMPTY, UnitSet::EMPTY);
    for p in &pieces {
        p.src.iter().for_each(|&u| read.insert(u));
        p.dst.iter().for_each(|&u| written.insert(u));
    }
    let scratch = free.minus(&read).minus(&written);
    let steps = if read.intersect(&written).is_empty() {
        in_order(pieces)
    } else {
        let mut s = Sequencer::new(file, pieces);
        s.run(&scratch);
        s.steps
    };
    if cfg!(debug_assertions) {
        assert_same(moves.iter().filter(|m| m.file == id), &steps, &scratch);
    }
    steps
}

/// The steps of pieces of which none reads what another one writes: by what they write, as a [`Sequencer`] takes those that are ready.
fn in_order(mut pieces: Vec<Piece>) -> Vec<Step> {
    pieces.sort_by_key(|p| p.dst[0]);
    pieces.into_iter().map(|p| Step::Move { dst: p.dst, src: p.src }).collect()
}

/// The parts of moves that one instruction moves each.
fn pieces<'m>(file: &RegFile, caps: MoveCaps, moves: impl Iterator<Item = &'m Move>) -> Vec<Piece> {
    let mut small: Vec<Piece> = Vec::new();
    for m in moves {
        let n = m.granule.max(1);
        let mut at = 0;
        while at < m.dst.len() {
            let (dst, src) = (m.dst.part(at, n), m.src.part(at, n));
            at += n;
            if dst != src {
                small.push(Piece { dst: dst.units().collect(), src: src.units().collect(), granule: n, done: false });
            }
        }
    }
    small.sort_by_key(|p| p.dst[0]);
    if file.row_moves { group_rows(file, small) } else { group_runs(caps, small) }
}

/// Panics when `steps` do something else than `moves`, `scratch` aside.
fn assert_same<'a>(moves: impl Iterator<Item = &'a Move> + Clone, steps: &[Step], scratch: &UnitSet) {
    let mut want: Vec<u16> = (0..crate::MAX_UNITS).collect();
    let mut dead = *scratch;
    let mut written = UnitSet::EMPTY;
    for m in moves.clone() {
        written.add(m.dst);
        for (d, s) in m.dst.units().zip(m.src.units()) {
            want[d as usize] = s;
        }
    }
    // A source of which some unit is overwritten is dead as a whole; others must survive.
    for m in moves {
        let n = m.granule.max(1);
        for at in (0..m.src.len()).step_by(n as usize) {
            let src = m.src.part(at, n);
            if written.has_any(src) {
                dead = dead.union(&src.set().minus(&written));
            }
        }
    }
    let mut have: Vec<u16> = (0..crate::MAX_UNITS).collect();
    for step in steps {
        match step {
            Step::Move { dst, src } => {
                let read: Units = src.iter().map(|&u| have[u as usize]).collect();
                for (&d, v) in dst.iter().zip(read) {
                    have[d as usize] = v;
                }
            }
            Step::Swap { a, b } => {
                for (&x, &y) in a.iter().zip(b) {
                    have.swap(x as usize, y as usize);
                }
            }
        }
    }
    for (u, (h, w)) in have.iter().zip(&want).enumerate() {
        assert!(h == w || dead.contains(u as u16), "unit {u} holds what {h} held instead of {w}: {steps:?}");
    }
}

struct Sequencer {
    pieces: Vec<Piece>,
    /// Pending pieces that read each unit.
    readers: Vec<u16>,
    /// Pending piece that writes each unit.
    writer: Vec<Option<u32>>,
    ready: BTreeSet<(u16, u32)>,
    steps: Vec<Step>,
}

impl Sequencer {
    fn new(file: &RegFile, pieces: Vec<Piece>) -> Self {
        let mut s = Sequencer {
            pieces,
            readers: vec![0; file.units as usize],
            writer: vec![None; file.units as usize],
            ready: BTreeSet::new(),
            steps: Vec::new(),
        };
        for k in 0..s.pieces.len() {
            s.link(k);
        }
        s
    }

    fn link(&mut self, k: usize) {
        for &u in &self.pieces[k].src {
            self.readers[u as usize] += 1;
        }
        for &u in &self.pieces[k].dst {
            self.writer[u as usize] = Some(k as u32);
        }
    }

    fn unlink(&mut self, k: usize) {
        for &u in &self.pieces[k].src {
            self.readers[u as usize] -= 1;
        }
        for &u in &self.pieces[k].dst {
            self.writer[u as usize] = None;
        }
    }

    fn is_ready(&self, k: usize) -> bool {
        let p = &self.pieces[k];
        !p.done && p.dst.iter().all(|u| self.readers[*u as usize] == p.src.contains(u) as u16)
    }

    fn refresh(&mut self, k: usize) {
        if self.is_ready(k) {
            self.ready.insert((self.pieces[k].dst[0], k as u32));
        }
    }

    fn run(&mut self, scratch: &UnitSet) {
        for k in 0..self.pieces.len() {
            self.refresh(k);
        }
        loop {
            while let Some((_, k)) = self.ready.pop_first() {
                let k = k as usize;
                if self.pieces[k].done {
                    continue;
                }
                self.pieces[k].done = true;
                self.unlink(k);
                let (dst, src) = (self.pieces[k].dst.clone(), self.pieces[k].src.clone());
                for &u in &src {
                    if let Some(w) = self.writer[u as usize] {
                        self.refresh(w as usize);
                    }
                }
                self.steps.push(Step::Move { dst, src });
            }
            let Some(first) = self.pieces.iter().position(|p| !p.done) else { return };
            if self.split() {
                continue;
            }
            let widest = self.widest_in_cycle(first);
            if !self.through_scratch(widest, scratch) {
                self.swap(widest);
            }
        }
    }

    /// Splits the pending pieces that were grouped; false when there was none.
    fn split(&mut self) -> bool {
        let mut any = false;
        for k in 0..self.pieces.len() {
            let g = self.pieces[k].granule as usize;
            if self.pieces[k].done || self.pieces[k].dst.len() == g {
                continue;
            }
            any = true;
            self.unlink(k);
            self.pieces[k].done = true;
            let (dst, src) = (self.pieces[k].dst.clone(), self.pieces[k].src.clone());
            for (d, s) in dst.chunks(g).zip(src.chunks(g)) {
                if d != s {
                    self.pieces.push(Piece { dst: d.into(), src: s.into(), granule: g as u16, done: false });
                    self.link(self.pieces.len() - 1);
                }
            }
        }
        if any {
            for k in 0..self.pieces.len() {
                self.refresh(k);
            }
        }
        any
    }

    /// Pending pieces that read what `k` writes and so must go first.
    fn blockers(&self, k: usize) -> impl Iterator<Item = usize> + '_ {
        let dst = &self.pieces[k].dst;
        (0..self.pieces.len())
            .filter(move |&j| j != k && !self.pieces[j].done && self.pieces[j].src.iter().any(|u| dst.contains(u)))
    }

    /// The piece of the largest granule in a knot of pieces that wait only for each other.
    ///
    /// With one granule every pending piece is in such a cycle. With several, a piece may merely wait for one; and a
    /// wide piece of the knot must go before narrow ones tear its source apart.
    fn widest_in_cycle(&self, first: usize) -> usize {
        let pending = |k: &usize| !self.pieces[*k].done;
        let g = self.pieces[first].granule;
        if (first..self.pieces.len()).filter(pending).all(|k| self.pieces[k].granule == g)
            && self.pieces.iter().filter(|p| !p.done).all(|p| p.src.iter().all(|u| self.writer[*u as usize].is_some()))
        {
            return first;
        }
        let reach = |from: usize| {
            let mut seen = BTreeSet::new();
            let mut stack: Vec<usize> = self.blockers(from).collect();
            while let Some(k) = stack.pop() {
                if seen.insert(k) {
                    stack.extend(self.blockers(k));
                }
            }
            seen
        };
        let mut at = first;
        loop {
            let knot = reach(at);
            match knot.iter().find(|&&k| !reach(k).contains(&at)) {
                Some(&k) => at = k,
                None => {
                    let best = knot.iter().copied().max_by_key(|&k| (self.pieces[k].granule, core::cmp::Reverse(k)));
                    return best.unwrap_or(at);
                }
            }
        }
    }

    /// Saves the source of a piece in scratch, so that its writer can go ahead.
    fn through_scratch(&mut self, k: usize, scratch: &UnitSet) -> bool {
        let n = self.pieces[k].granule;
        let unread = |u: u16| (u..u + n).all(|u| self.readers[u as usize] == 0);
        let Some(at) = scratch.runs(n).iter().find(|&u| u % n == 0 && unread(u)) else { return false };
        let place: Units = (at..at + n).collect();
        self.unlink(k);
        let src = std::mem::replace(&mut self.pieces[k].src, place.clone());
        self.link(k);
        self.steps.push(Step::Move { dst: place, src: src.clone() });
        for &u in &src {
            if let Some(w) = self.writer[u as usize] {
                self.refresh(w as usize);
            }
        }
        self.refresh(k);
        true
    }

    fn swap(&mut self, k: usize) {
        let (a, b) = (self.pieces[k].dst.clone(), self.pieces[k].src.clone());
        self.unlink(k);
        self.pieces[k].done = true;
        for j in 0..self.pieces.len() {
            if self.pieces[j].done {
                continue;
            }
            let touches = self.pieces[j].src.iter().any(|u| a.contains(u) || b.contains(u));
            if touches {
                self.unlink(j);
                for u in &mut self.pieces[j].src {
                    if let Some(i) = a.iter().position(|x| x == u) {
                        *u = b[i];
                    } else if let Some(i) = b.iter().position(|x| x == u) {
                        *u = a[i];
                    }
                }
                if self.pieces[j].src == self.pieces[j].dst {
                    self.pieces[j].done = true;
                } else {
                    self.link(j);
                }
            }
        }
        self.steps.push(Step::Swap { a, b });
        for j in 0..self.pieces.len() {
            self.refresh(j);
        }
    }
}

/// One piece per pair of rows.
fn group_rows(file: &RegFile, small: Vec<Piece>) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    let mut sorted = small;
    sorted.sort_by_key(|p| (p.dst[0] / file.row, p.src[0] / file.row, p.dst[0]));
    for p in sorted {
        if let Some(last) = out.last_mut()
            && last.dst[0] / file.row == p.dst[0] / file.row
            && last.src[0] / file.row == p.src[0] / file.row
            && last.granule == p.granule
        {
            last.dst.extend(p.dst);
            last.src.extend(p.src);
            continue;
        }
        out.push(p);
    }
    out
}

/// Pieces as wide as one instruction can move.
fn group_runs(caps: MoveCaps, small: Vec<Piece>) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    let mut at = 0;
    while at < small.len() {
        let (dst, src, granule) = (small[at].dst[0], small[at].src[0], small[at].granule);
        let mut take = 1;
        for &(units, align) in caps.widths {
            let n = (units / granule) as usize;
            if units % granule != 0 || n < 2 || dst % align != 0 || src % align != 0 || at + n > small.len() {
                continue;
            }
            let consecutive = (1..n).all(|i| {
                let p = &small[at + i];
                let step = i as u16 * granule;
                p.granule == granule && p.dst[0] == dst + step && p.src[0] == src + step
            });
            if consecutive {
                take = n;
                break;
            }
        }
        let units = take as u16 * granule;
        let overlap = Placement::run(dst, units).overlaps(Placement::run(src, units));
        if take > 1 && !overlap {
            out.push(Piece {
                dst: (dst..dst + units).collect(),
                src: (src..src + units).collect(),
                granule,
                done: false,
            });
            at += take;
        } else {
            let p = &small[at];
            out.push(Piece { dst: p.dst.clone(), src: p.src.clone(), granule, done: false });
            at += 1;
        }
    }
    out
}
