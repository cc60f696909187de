//! A branch around nothing but a discard becomes a discard with the branch's condition: the mask of live lanes takes that as it is,
//! and no lane waits.

use gpucc_ir::{Attr, Block, Builder, Edge, Function, Inst, Module, Op};
use gpucc_opt::{Caps, PassCx, simplify_cfg};

/// The block's discard of all lanes, if that and a jump are all that it has.
fn only_discards(f: &Function, b: Block) -> Option<(Inst, Edge)> {
    let block = &f.blocks[b];
    let &[discard, jump] = block.insts.as_slice() else { return None };
    let all = f.insts[discard].op == Op::Demote && f.const_bits(f.insts[discard].args[0]) == Some(1);
    let plain = all && f.insts[jump].op == Op::Jump && block.header.is_none() && block.params.is_empty();
    plain.then(|| f.insts[jump].edges()[0].to_edge()).map(|e| (discard, e))
}

/// Runs over the entry point.
pub fn join(m: &mut Module, caps: &Caps) {
    let func = m.entries[0].func;
    let found: Vec<(Block, Inst, Edge)> = {
        let f = &m.funcs[func];
        let preds = f.preds();
        let of = |&b: &Block| {
            let d = &f.insts[f.terminator(b)];
            let Attr::Branch(branch) = &d.attr else { return None };
            let (then, other) = (branch.then().to_edge(), branch.other()?.to_edge());
            let (discard, to) = only_discards(f, then.block).filter(|_| preds[then.block].len() == 1)?;
            (then.args.is_empty() && to == other).then_some((b, discard, to))
        };
        f.layout.iter().filter_map(of).collect()
    };
    if found.is_empty() {
        return;
    }
    let mut f = m.funcs[func].clone();
    for (b, discard, to) in found {
        let branch = f.terminator(b);
        let (condition, end) = (f.insts[branch].args[0], f.blocks[b].insts.len() - 1);
        let loc = f.insts[discard].loc;
        let mut at = Builder::before(&mut f, b, end);
        at.loc = loc;
        at.demote(condition);
        f.insts[branch].set_edge(0, &to);
    }
    simplify_cfg::run(&mut f, &mut PassCx::new(m, caps));
    m.funcs[func] = f;
}
