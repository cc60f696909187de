//! Addresses of finished code, and islands for branches that do not reach.
//!
//! Needs: instructions of known sizes, in order. Keeps: all of them, in that order. A branch that does not reach its block
//! goes to an island instead: unconditional jumps between two other instructions, which control that comes from above
//! jumps over. An island costs no register and no flag, so it can stand anywhere. Several branches to one block share
//! its jumps.
//!
//! One walk in the order of the code: a jump to a block is put where the first one that still waits for it would else get
//! out of reach. It fires only on code that is longer than a branch reaches.

use std::collections::VecDeque;

/// How far branches reach: bytes between the end of a branch and its target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reach {
    /// Bytes that a branch reaches towards the start of the code.
    pub back: u32,
    /// Bytes that a branch reaches towards the end of the code.
    pub ahead: u32,
    /// Bytes of an unconditional jump.
    pub jump: u32,
}

impl Reach {
    /// Whether a branch that ends at `end` reaches `to`.
    fn holds(&self, end: u32, to: u32) -> bool {
        if to >= end { to - end <= self.ahead } else { end - to <= self.back }
    }
}

/// One instruction as this step sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Size of the instruction in bytes.
    pub bytes: u32,
    /// The block that it branches to.
    pub to: Option<u32>,
    /// Whether control can continue behind it.
    pub falls: bool,
}

/// Jumps between two instructions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Island {
    /// The number of the instruction behind it.
    pub before: usize,
    /// Address where it begins, in bytes.
    pub at: u32,
    /// Where its jumps go, in order.
    pub jumps: Vec<u32>,
}

/// Addresses of blocks and islands, and branches that take detours.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Placed {
    /// Address of each block.
    pub blocks: Vec<u32>,
    /// Bytes of the code in all, islands included.
    pub size: u32,
    /// Islands in the order of the code.
    pub islands: Vec<Island>,
    /// Branches that do not go to their block itself: the number of the instruction, and the address that it goes to. In
    /// the order of the code.
    pub detours: Vec<(usize, u32)>,
}

/// Finds addresses for the instructions of the blocks. Nothing if so many branches wait at once that the jumps for them
/// get out of reach of each other.
pub fn place<B>(blocks: impl Iterator<Item = B> + Clone, reach: Reach) -> Option<Placed>
where
    B: IntoIterator<Item = Piece>,
{
    let plain = without_islands(blocks.clone());
    if plain.branches.iter().all(|b| reach.holds(b.end, plain.placed.blocks[b.to as usize])) {
        return Some(plain.placed);
    }
    // Most branches of long code are short ones: only those are followed that islands may take out of reach. Where that
    // was too few, all are.
    [4, 1].into_iter().find_map(|share| {
        let limit = Reach { back: reach.back / 4 * (share - 1), ahead: reach.ahead / 4 * (share - 1), ..reach };
        Walk::new(&plain, reach, limit).run(blocks.clone())
    })
}

/// A branch and where it ends.
struct Branch {
    item: usize,
    end: u32,
    to: u32,
}

/// Code as it would lie without islands.
struct Plain {
    placed: Placed,
    branches: Vec<Branch>,
    /// The largest instruction.
    largest: u32,
}

fn without_islands<B: IntoIterator<Item = Piece>>(blocks: impl Iterator<Item = B>) -> Plain {
    let mut out = Plain { placed: Placed::default(), branches: Vec::new(), largest: 0 };
    let (mut pc, mut item) = (0u32, 0);
    for block in blocks {
        out.placed.blocks.push(pc);
        for p in block {
            pc = pc.saturating_add(p.bytes);
            out.largest = out.largest.max(p.bytes);
            out.branches.extend(p.to.map(|to| Branch { item, end: pc, to }));
            item += 1;
        }
    }
    out.placed.size = pc;
    out
}

/// Who waits for a block that comes later.
enum User {
    Item(usize),
    /// A jump of an island: both numbers.
    Jump(usize, usize),
}

/// The facts about a block while the code is walked.
#[derive(Default)]
struct Label {
    /// Whether it has been passed.
    passed: bool,
    /// Where branches back to it go: itself, or a jump that leads to it.
    at: u32,
    /// The last branch back to it that is followed.
    last: Option<usize>,
    /// The branches ahead to it that are followed and do not know yet where to go.
    users: Vec<User>,
}

struct Walk<'a> {
    plain: &'a Plain,
    reach: Reach,
    labels: Vec<Label>,
    /// Whether each branch is followed, by its number.
    follow: Vec<bool>,
    /// Blocks that branches wait for, with the last address at which a jump can stand for the first of them; earlier ones first.
    ahead: VecDeque<(u32, u32)>,
    /// Blocks that branches go back to, in the same way.
    back: VecDeque<(u32, u32)>,
    out: Placed,
    pc: u32,
}

impl<'a> Walk<'a> {
    /// Follows branches that go further than `limit` without islands.
    fn new(plain: &'a Plain, reach: Reach, limit: Reach) -> Walk<'a> {
        let mut labels: Vec<Label> = Vec::new();
        labels.resize_with(plain.placed.blocks.len(), Label::default);
        let mut follow = Vec::with_capacity(plain.branches.len());
        for b in &plain.branches {
            let to = plain.placed.blocks[b.to as usize];
            let far = !limit.holds(b.end, to) || limit.ahead == 0;
            if far && to < b.end {
                labels[b.to as usize].last = Some(b.item);
            }
            follow.push(far);
        }
        let (ahead, back) = (VecDeque::new(), VecDeque::new());
        Walk { plain, reach, labels, follow, ahead, back, out: Placed::default(), pc: 0 }
    }

    fn run<B: IntoIterator<Item = Piece>>(mut self, blocks: impl Iterator<Item = B>) -> Option<Placed> {
        let (mut item, mut branch) = (0, 0);
        let mut falls = true;
        for (b, block) in blocks.enumerate() {
            let mut first = true;
            for p in block {
                if self.is_due(item, falls) {
                    self.island(item, falls)?;
                }
                if std::mem::take(&mut first) {
                    self.begin(b);
                }
                self.pc = self.pc.checked_add(p.bytes)?;
                falls = p.falls;
                if let Some(to) = p.to {
                    if self.follow[branch] {
                        self.branch(item, to);
                    }
                    branch += 1;
                }
                item += 1;
            }
            if first {
                self.begin(b);
                falls = true;
            }
        }
        self.out.size = self.pc;
        self.out.detours.sort_unstable();
        self.reaches(item).then_some(self.out)
    }

    /// A block begins here.
    fn begin(&mut self, b: usize) {
        let at = self.pc;
        self.out.blocks.push(at);
        let label = &mut self.labels[b];
        (label.passed, label.at) = (true, at);
        for u in std::mem::take(&mut label.users) {
            if let User::Jump(i, k) = u {
                self.out.islands[i].jumps[k] = at;
            }
        }
        if label.last.is_some() {
            self.back.push_back((b as u32, at.saturating_add(self.reach.back)));
        }
    }

    /// A branch that is followed was just passed.
    fn branch(&mut self, item: usize, to: u32) {
        let label = &mut self.labels[to as usize];
        if !label.passed {
            if label.users.is_empty() {
                self.ahead.push_back((to, self.pc.saturating_add(self.reach.ahead)));
            }
            label.users.push(User::Item(item));
        } else if label.at != self.out.blocks[to as usize] && !self.reach.holds(self.pc, self.out.blocks[to as usize]) {
            self.out.detours.push((item, label.at));
        }
    }

    /// Whether an island has to stand in front of an instruction, since there is no room behind it; or is better here
    /// than further down, since control does not come past.
    fn is_due(&mut self, item: usize, falls: bool) -> bool {
        while self.ahead.pop_front_if(|w| self.labels[w.0 as usize].passed).is_some() {}
        while self.back.pop_front_if(|w| self.labels[w.0 as usize].last.is_none_or(|l| l < item)).is_some() {}
        let first = self.ahead.front().into_iter().chain(self.back.front()).map(|w| w.1).min();
        let Some(first) = first else { return false };
        let jumps = (self.ahead.len() + self.back.len() + 2) as u32;
        let early = if falls { 0 } else { self.reach.ahead.min(self.reach.back) / 8 };
        let room = self.plain.largest.saturating_add(jumps.saturating_mul(self.reach.jump)).saturating_add(early);
        self.pc.saturating_add(room) > first
    }

    /// Puts jumps for all that wait since long.
    fn island(&mut self, item: usize, falls: bool) -> Option<()> {
        let at = self.pc;
        let jump = self.reach.jump;
        let number = self.out.islands.len();
        self.out.islands.push(Island { before: item, at, jumps: Vec::new() });
        if falls {
            // Over what follows; the address is known when it is complete.
            self.out.islands[number].jumps.push(0);
            self.pc += jump;
        }
        let late = |reach: u32| at.saturating_add(reach / 2);
        while let Some((b, limit)) = self.ahead.pop_front_if(|w| w.1 < late(self.reach.ahead)) {
            let label = &mut self.labels[b as usize];
            if label.passed {
                continue;
            }
            if self.pc > limit {
                return None;
            }
            for u in std::mem::take(&mut label.users) {
                match u {
                    User::Item(i) => self.out.detours.push((i, self.pc)),
                    User::Jump(i, k) => self.out.islands[i].jumps[k] = self.pc,
                }
            }
            label.users.push(User::Jump(number, self.out.islands[number].jumps.len()));
            self.out.islands[number].jumps.push(0);
            self.pc += jump;
            self.ahead.push_back((b, self.pc.saturating_add(self.reach.ahead)));
        }
        while let Some((b, limit)) = self.back.pop_front_if(|w| w.1 < late(self.reach.back)) {
            let label = &mut self.labels[b as usize];
            if label.last.is_none_or(|l| l < item) {
                continue;
            }
            if self.pc + jump > limit {
                return None;
            }
            self.out.islands[number].jumps.push(label.at);
            label.at = self.pc;
            self.pc += jump;
            self.back.push_back((b, label.at.saturating_add(self.reach.back)));
        }
        if falls {
            self.out.islands[number].jumps[0] = self.pc;
        }
        // One that helps nobody would be followed by others that do not.
        (self.pc > at + if falls { jump } else { 0 }).then_some(())
    }

    /// Whether everything reaches where it goes.
    fn reaches(&self, items: usize) -> bool {
        let mut islands = self.out.islands.iter().peekable();
        let mut detours = self.out.detours.iter().peekable();
        let mut added = 0u32;
        let islands_reach = self.out.islands.iter().all(|i| {
            let ends = (1..).map(|k| i.at + k * self.reach.jump);
            i.jumps.iter().zip(ends).all(|(&to, end)| self.reach.holds(end, to))
        });
        let branches = self.plain.branches.iter().all(|b| {
            while let Some(i) = islands.next_if(|i| i.before <= b.item) {
                added += i.jumps.len() as u32 * self.reach.jump;
            }
            let detour = detours.next_if(|d| d.0 == b.item).map(|d| d.1);
            self.reach.holds(b.end + added, detour.unwrap_or(self.out.blocks[b.to as usize]))
        });
        debug_assert!(!branches || detours.next().is_none(), "a detour of what is not a branch, of {items}");
        islands_reach && branches
    }
}
