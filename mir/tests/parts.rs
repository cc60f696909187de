//! Lists of instructions that are handed out when the blocks are known.

#[allow(dead_code, reason = "each test uses its part of the machine")]
mod toy;

use gpucc_mir::{MInst, Parts, Src};
use toy::{Op, Toy};

/// An instruction that shows which one it is.
fn number(k: u32) -> MInst<Toy> {
    let mut i = MInst::new(Op::Out);
    i.uses.push(gpucc_mir::Use::imm(k));
    i
}

fn numbers(list: &[MInst<Toy>]) -> Vec<u32> {
    list.iter().map(|i| if let Src::Imm(k) = i.uses[0].src { k } else { panic!("{i:?}") }).collect()
}

/// Lists of many lengths, some empty, some longer than what is kept together; all numbers follow each other.
fn lists() -> Vec<Vec<u32>> {
    let mut next = 0..;
    [0, 3, 0, 511, 1, 2, 2000, 0, 0, 7, 513, 512, 1, 0].map(|n| next.by_ref().take(n).collect()).into()
}

fn written(lists: &[Vec<u32>]) -> Parts<Toy> {
    let mut parts = Parts::new(lists.len());
    for list in lists {
        parts.extend(list.iter().map(|&k| number(k)));
        parts.close();
    }
    parts
}

#[test]
fn lists_come_in_order() {
    let all: Vec<Vec<u32>> = written(&lists()).in_order().map(|l| numbers(&l)).collect();
    assert_eq!(all, lists());
}

#[test]
fn lists_come_from_the_last_on() {
    let mut parts = written(&lists());
    for (n, list) in lists().into_iter().enumerate().rev() {
        let taken: Vec<_> = if n % 2 == 0 { parts.take_last() } else { parts.drain_last().collect() };
        assert_eq!(numbers(&taken), list, "list {n}");
        assert_eq!(taken.len(), list.len());
    }
    assert!(parts.take_last().is_empty(), "no more");
}

#[test]
fn only_the_list_that_is_written_is_open() {
    let mut parts = written(&[vec![1, 2], vec![]]);
    assert!(parts.pop().is_none() && parts.open().is_empty());
    parts.push(number(5));
    parts.push(number(6));
    assert_eq!(numbers(parts.open()), [5, 6]);
    assert_eq!(parts.pop().map(|i| numbers(&[i])), Some(vec![6]));
    parts.close();
    let all: Vec<Vec<u32>> = parts.in_order().map(|l| numbers(&l)).collect();
    assert_eq!(all, [vec![1, 2], vec![], vec![5]]);
}
