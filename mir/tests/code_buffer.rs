//! Lists of instructions that are handed out when the blocks are known.

use crate::toy::{Op, Toy};
#[allow(dead_code, reason = "each test uses its part of the machine")]
use gpucc_mir::{BlockId, CodeBuffer, MEdge, MFunc, MInst, Src};

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

fn written(lists: &[Vec<u32>]) -> CodeBuffer<Toy> {
    let mut parts = CodeBuffer::new(lists.len());
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

/// Blocks that the target added find their place, critical edges get blocks, and all labels follow.
#[test]
fn code_is_handed_out_to_blocks_in_their_order() {
    let t = Toy::new(8);
    let mut f: MFunc<Toy> = MFunc::new("f");
    let b: Vec<BlockId> = (0..4).map(|_| f.block()).collect();
    let jump = |to: BlockId| MInst::new(Op::Jmp).arg(to);
    // 0 goes to 1 or 2, 1 goes to 2 by the added 3: the edge from 0 to 2 is critical. What is apart are 0, 1 and 2.
    let mut parts = CodeBuffer::new(3);
    for list in [vec![MInst::new(Op::End)], vec![number(1), jump(b[3])], vec![MInst::new(Op::Br).arg(b[1]), jump(b[2])]]
    {
        parts.extend(list);
        parts.close();
    }
    *f.list(b[3]) = vec![number(3), jump(b[2])];
    f.at(b[0]).succs = [b[1], b[2]].map(MEdge::to).into_iter().collect();
    f.at(b[1]).succs = [MEdge::to(b[3])].into_iter().collect();
    f.at(b[3]).succs = [MEdge::to(b[2])].into_iter().collect();
    let mut seen = Vec::new();
    parts.distribute(&mut f, &[b[0], b[1], b[3], b[2]], &t, |f, new, old| {
        seen.push((new.0, old.0, f.code[new.0 as usize].len()));
    });
    assert_eq!(seen, [(0, 0, 2), (1, 1, 2), (2, 3, 2), (4, 2, 1)], "each with its code, but for the one on the edge");
    let to = |list: &[MInst<Toy>]| gpucc_mir::labels(list).map(|l| l.0).collect::<Vec<_>>();
    assert_eq!(f.code.iter().map(|l| to(l)).collect::<Vec<_>>(), [vec![1, 3], vec![2], vec![4], vec![4], vec![]]);
    let succs = |b: &gpucc_mir::MBlock| b.succs.iter().map(|e| e.to.0).collect::<Vec<_>>();
    assert_eq!(f.blocks.iter().map(succs).collect::<Vec<_>>(), [vec![1, 3], vec![2], vec![4], vec![4], vec![]]);
    assert_eq!((numbers(&f.code[1][..1]), numbers(&f.code[2][..1])), (vec![1], vec![3]));
}

/// Where no edge is critical no block comes.
#[test]
fn code_is_handed_out_as_it_is() {
    let t = Toy::new(8);
    let mut f: MFunc<Toy> = MFunc::new("f");
    let b: Vec<BlockId> = (0..3).map(|_| f.block()).collect();
    let mut parts = CodeBuffer::new(3);
    for list in [vec![number(2)], vec![number(1)], vec![MInst::new(Op::Br).arg(b[1]), MInst::new(Op::Jmp).arg(b[2])]] {
        parts.extend(list);
        parts.close();
    }
    f.at(b[0]).succs = [b[1], b[2]].map(MEdge::to).into_iter().collect();
    parts.distribute(&mut f, &b, &t, |_, new, old| assert_eq!(new, old));
    assert_eq!(gpucc_mir::labels(&f.code[0]).collect::<Vec<_>>(), [b[1], b[2]]);
    assert_eq!((f.blocks.len(), numbers(&f.code[1]), numbers(&f.code[2])), (3, vec![1], vec![2]));
}
