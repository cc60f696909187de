//! The verifier of plans (`flow`): the wave is followed along all its ways, and what each mask of waiting lanes may hold is looked at.
//!
//! A mask is *stale* before it begins and from when its lanes are taken until it begins again; it *holds* lanes from when the first are
//! sent until they are taken. Then this holds of every plan:
//!
//! - No lane leaves a block that no path leads to: it has no edges, so that no mask is gathered over them.
//! - Lanes are added to no stale mask, and none is taken: lanes that had left would run again.
//! - No mask that holds lanes begins again, and none holds lanes where the wave ends: these lanes would be lost.
//! - A block whose mask replaces EXEC is reached by no active lane but those that wait.
//!
//! A saved EXEC is a mask that begins at the end of its block. Lanes of it that nobody sent are active, have ended, or wait elsewhere.

use crate::flow::{EdgeKind, Plan, Waiting, WaveExit};

/// Words of all states together, above which a function is not looked at.
const MOST: usize = 1 << 16;

/// The possible values of each mask, at one place: a bit for each mask.
struct States {
    /// Words of a row.
    width: usize,
    stale: Vec<u64>,
    holds: Vec<u64>,
    /// Whether the wave comes here, and whether lanes may be active.
    seen: Vec<bool>,
    active: Vec<bool>,
}

/// A state that is propagated to the successors.
#[derive(Clone, Default)]
struct State {
    stale: Vec<u64>,
    holds: Vec<u64>,
}

impl State {
    fn is(list: &[u64], mask: usize) -> bool {
        list[mask / 64] >> (mask % 64) & 1 == 1
    }

    fn set(list: &mut [u64], mask: usize, on: bool) {
        let bit = 1 << (mask % 64);
        list[mask / 64] = if on { list[mask / 64] | bit } else { list[mask / 64] & !bit };
    }

    /// The mask begins.
    fn begin(&mut self, mask: usize, at: usize, to: usize) -> Result<(), String> {
        if State::is(&self.holds, mask) {
            return Err(format!("block {at} begins the mask of block {to}, which holds lanes"));
        }
        State::set(&mut self.stale, mask, false);
        Ok(())
    }

    /// Lanes are added to it.
    fn send(&mut self, mask: usize, at: usize, to: usize) -> Result<(), String> {
        if State::is(&self.stale, mask) {
            return Err(format!("block {at} adds lanes to the mask of block {to}, which was taken or never began"));
        }
        State::set(&mut self.holds, mask, true);
        Ok(())
    }

    /// Its lanes continue.
    fn take(&mut self, mask: usize, at: usize) -> Result<(), String> {
        if State::is(&self.stale, mask) {
            return Err(format!(
                "block {at} takes the lanes of its mask, which were taken before or never began to wait"
            ));
        }
        State::set(&mut self.stale, mask, true);
        State::set(&mut self.holds, mask, false);
        Ok(())
    }
}

impl States {
    fn row(&self, node: usize) -> std::ops::Range<usize> {
        node * self.width..(node + 1) * self.width
    }

    /// The wave may come to a node in this state; says whether that is new.
    fn join(&mut self, node: usize, s: &State, active: bool) -> bool {
        let row = self.row(node);
        let mut new = !std::mem::replace(&mut self.seen[node], true) || active && !self.active[node];
        self.active[node] |= active;
        for (list, from) in [(&mut self.stale, &s.stale), (&mut self.holds, &s.holds)] {
            for (to, from) in list[row.clone()].iter_mut().zip(from) {
                new |= from & !*to != 0;
                *to |= from;
            }
        }
        new
    }
}

/// A plan with the numbers of its masks.
struct Verifier<'a> {
    plan: &'a Plan,
    /// The mask of each block in which lanes wait.
    masks: Vec<Option<usize>>,
    /// The masks that are what was saved at each block.
    saved: Vec<Vec<usize>>,
    count: usize,
}

/// Where a node leads, and whether lanes are active on the way.
type Ways = Vec<(usize, bool)>;

impl Verifier<'_> {
    /// Where the wave arrives at a block.
    fn entry(&self, p: usize) -> usize {
        2 * p + usize::from(self.plan.blocks[p].waiting != Waiting::Collected)
    }

    /// The arrival at a block in which lanes wait.
    fn arrive(&self, p: usize, s: &mut State, active: bool) -> Result<Ways, String> {
        let b = &self.plan.blocks[p];
        if active && !b.arrives {
            return Err(format!("lanes arrive at block {p}, whose mask replaces them"));
        }
        if let Some(m) = self.masks[p] {
            s.take(m, p)?;
        }
        let on = (2 * p + 1, true);
        Ok(match b.skip_to {
            Some(w) => vec![on, (self.entry(w), false)],
            None => {
                // The wave ends where no lane came: what the block's own lanes would leave is not asked.
                self.over(p, s)?;
                vec![on]
            }
        })
    }

    fn over(&self, p: usize, s: &State) -> Result<(), String> {
        let held = (0..self.masks.len()).find(|&x| self.masks[x].is_some_and(|m| State::is(&s.holds, m)));
        held.map_or(Ok(()), |x| Err(format!("the wave ends at block {p} while lanes wait for block {x}")))
    }

    /// The block itself.
    fn run(&self, p: usize, s: &mut State) -> Result<Ways, String> {
        let b = &self.plan.blocks[p];
        if b.dead {
            return Err(format!("the wave comes to block {p}, to which no path leads"));
        }
        if let (Waiting::Saved(_), Some(m)) = (b.waiting, self.masks[p]) {
            s.take(m, p)?;
        }
        for &x in &b.clear {
            if let Some(m) = self.masks[x] {
                s.begin(m, p, x)?;
            }
        }
        for &m in &self.saved[p] {
            let x = self.masks.iter().position(|k| *k == Some(m)).unwrap_or(p);
            s.begin(m, p, x)?;
        }
        for e in b.edges.iter().filter(|e| e.how == EdgeKind::Park) {
            let Some(m) = self.masks[e.to] else {
                return Err(format!("lanes of block {p} wait for {} for ever", e.to));
            };
            if e.first && self.plan.blocks[e.to].waiting == Waiting::Collected {
                s.begin(m, p, e.to)?;
            }
            s.send(m, p, e.to)?;
        }
        let all_wait = b.edges.iter().all(|e| e.how == EdgeKind::Park);
        Ok(match self.plan.out(p) {
            WaveExit::End => {
                self.over(p, s)?;
                Vec::new()
            }
            WaveExit::One(w) => vec![(self.entry(w), !all_wait)],
            WaveExit::Cond(t, e) => vec![(self.entry(t), true), (self.entry(e), true)],
            WaveExit::Active(t, Some(w)) => vec![(self.entry(t), true), (self.entry(w), false)],
            WaveExit::Active(t, None) => {
                // Forwards it continues without lanes.
                if t <= p {
                    self.over(p, s)?;
                }
                vec![(self.entry(t), true)]
            }
        })
    }
}

/// Looks at a plan.
///
/// # Errors
/// The fault, and where.
pub fn verify(plan: &Plan) -> Result<(), String> {
    let n = plan.blocks.len();
    let mut v = Verifier { plan, masks: vec![None; n], saved: vec![Vec::new(); n], count: 0 };
    for (p, b) in plan.blocks.iter().enumerate() {
        if b.dead && !b.edges.is_empty() {
            return Err(format!("lanes leave block {p}, to which no path leads"));
        }
        if b.waiting == Waiting::Nobody {
            continue;
        }
        v.masks[p] = Some(v.count);
        if let Waiting::Saved(d) = b.waiting {
            v.saved[d].push(v.count);
        }
        v.count += 1;
    }
    let width = v.count.div_ceil(64);
    if n == 0 || 4 * n * width > MOST {
        return Ok(());
    }
    let rows = || vec![0; 2 * n * width];
    let nodes = || vec![false; 2 * n];
    let mut all = States { width, stale: rows(), holds: rows(), seen: nodes(), active: nodes() };
    let start = v.entry(0);
    all.join(start, &State { stale: vec![u64::MAX; width], holds: vec![0; width] }, true);
    let mut again: Vec<bool> = nodes();
    again[start] = true;
    // In the order of the layout, and once more for each loop around.
    let mut any = true;
    let mut s = State::default();
    while std::mem::take(&mut any) {
        for node in 0..2 * n {
            if !std::mem::take(&mut again[node]) {
                continue;
            }
            s.stale.clear();
            s.stale.extend_from_slice(&all.stale[all.row(node)]);
            s.holds.clear();
            s.holds.extend_from_slice(&all.holds[all.row(node)]);
            let p = node / 2;
            let ways = if node % 2 == 1 { v.run(p, &mut s)? } else { v.arrive(p, &mut s, all.active[node])? };
            for (to, active) in ways {
                if all.join(to, &s, active) {
                    again[to] = true;
                    any |= to <= node;
                }
            }
        }
    }
    Ok(())
}
