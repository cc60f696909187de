//! Addresses and islands, on code that is made up: whoever follows the jumps comes where the branch wants to go, no
//! step is longer than a branch reaches, and control that is to continue comes to the next instruction.

use gpucc_mir::{Piece, Placed, Reach, place};

struct Rng(u64);

impl Rng {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}

type Code = Vec<Vec<Piece>>;

/// Blocks of random sizes that branch near and far, forwards and back.
fn code(seed: u64, blocks: u64, far: u64) -> Code {
    let mut r = Rng(seed);
    (0..blocks)
        .map(|b| {
            let mut list: Vec<Piece> =
                (0..r.below(9)).map(|_| Piece { bytes: 4 + 4 * r.below(2) as u32, to: None, falls: true }).collect();
            let span = if r.below(4) == 0 { far } else { 3 };
            let mut to = || (b + r.below(2 * span)).saturating_sub(span).min(blocks - 1) as u32;
            let (yes, no) = (to(), to());
            match r.below(5) {
                0 => list.push(Piece { bytes: 4, to: Some(yes), falls: true }),
                1 => list.push(Piece { bytes: 4, to: Some(yes), falls: false }),
                2 => {
                    list.push(Piece { bytes: 4, to: Some(yes), falls: true });
                    list.push(Piece { bytes: 4, to: Some(no), falls: false });
                }
                3 if r.below(4) == 0 => list.push(Piece { bytes: 4, to: None, falls: false }),
                _ => {}
            }
            list
        })
        .collect()
}

fn placed(code: &Code, reach: Reach) -> Option<Placed> {
    place(code.iter().map(|b| b.iter().copied()), reach)
}

fn check(code: &Code, p: &Placed, reach: Reach) {
    let holds = |end: u32, to: u32| if to >= end { to - end <= reach.ahead } else { end - to <= reach.back };
    // The item at each place: an island's jump, or an instruction.
    let mut jumps: Vec<(u32, u32)> = Vec::new();
    let mut items: Vec<(u32, usize)> = Vec::new();
    let mut ends: Vec<u32> = Vec::new();
    let (mut pc, mut item, mut falls) = (0, 0, true);
    let mut islands = p.islands.iter().peekable();
    for (b, block) in code.iter().enumerate() {
        if block.is_empty() {
            assert_eq!(p.blocks[b], pc);
            falls = true;
        }
        for (k, i) in block.iter().enumerate() {
            while let Some(island) = islands.next_if(|i| i.before == item) {
                assert_eq!(island.at, pc);
                let end = pc + reach.jump * island.jumps.len() as u32;
                if falls {
                    assert_eq!(island.jumps[0], end, "control that comes from above goes past");
                }
                for &to in &island.jumps {
                    assert!(holds(pc + reach.jump, to), "a jump of {island:?}");
                    jumps.push((pc, to));
                    pc += reach.jump;
                }
            }
            if k == 0 {
                assert_eq!(p.blocks[b], pc);
            }
            items.push((pc, item));
            pc += i.bytes;
            ends.push(pc);
            item += 1;
            falls = i.falls;
        }
    }
    assert_eq!(p.size, pc);
    assert!(islands.next().is_none());
    let branches = code.iter().flatten().enumerate().filter_map(|(k, i)| i.to.map(|to| (k, to)));
    for (k, block) in branches {
        let goal = p.blocks[block as usize];
        let mut at = p.detours.iter().find(|d| d.0 == k).map_or(goal, |d| d.1);
        assert!(holds(ends[k], at), "instruction {k} to {at} from {}", ends[k]);
        for _ in 0..1000 {
            if at == goal {
                break;
            }
            at = jumps.iter().find(|j| j.0 == at).expect("a jump of an island").1;
        }
        assert_eq!(at, goal, "instruction {k}");
    }
}

#[test]
fn every_branch_arrives() {
    let (mut with, mut without) = (0, 0);
    for seed in 0..400 {
        let code = code(seed, 40 + seed % 300, 3 + seed % 200);
        for (back, ahead) in [(512, 508), (256, 1020), (1024, 252), (4096, 4092)] {
            let reach = Reach { back, ahead, jump: 4 };
            let Some(p) = placed(&code, reach) else { continue };
            check(&code, &p, reach);
            *if p.islands.is_empty() { &mut without } else { &mut with } += 1;
        }
    }
    assert!(with > 200 && without > 200, "{with} {without}");
}

#[test]
fn what_reaches_is_left_alone() {
    let code = code(7, 100, 50);
    let p = placed(&code, Reach { back: 1 << 17, ahead: 1 << 17, jump: 4 }).expect("it reaches");
    assert!(p.islands.is_empty() && p.detours.is_empty());
    assert_eq!(p.size, code.iter().flatten().map(|i| i.bytes).sum::<u32>());
}

/// A hundred blocks that all go to blocks of their own, far away, past a reach that has no room for as many jumps.
#[test]
fn what_cannot_reach_says_so() {
    let to = |to| Piece { bytes: 4, to: Some(to), falls: true };
    let plain = Piece { bytes: 4, to: None, falls: true };
    let mut code: Code = (0..100).map(|b| vec![to(101 + b)]).collect();
    code.push(vec![plain; 1000]);
    code.extend((0..100).map(|_| vec![plain]));
    let reach = |n| Reach { back: n, ahead: n, jump: 4 };
    assert_eq!(placed(&code, reach(400)), None);
    check(&code, &placed(&code, reach(2000)).expect("there is room"), reach(2000));
}

/// One exact case: the loop's way back and the branch past its body go through one island each.
#[test]
fn a_loop() {
    let plain = Piece { bytes: 4, to: None, falls: true };
    let body = |n: usize, last: Piece| [vec![plain; n], vec![last]].concat();
    let code = vec![
        body(0, Piece { bytes: 4, to: Some(3), falls: true }),
        body(20, plain),
        body(20, Piece { bytes: 4, to: Some(1), falls: false }),
        vec![plain],
    ];
    let reach = Reach { back: 128, ahead: 124, jump: 4 };
    let p = placed(&code, reach).expect("it reaches");
    check(&code, &p, reach);
    assert!(!p.islands.is_empty());
    assert_eq!(p.detours.len(), 2, "{p:?}");
}
