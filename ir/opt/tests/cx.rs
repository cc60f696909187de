//! Tests of `ir/opt/src/cx.rs`.

use gpucc_ir::Builder;
use gpucc_ir::text::parse_module;
use gpucc_opt::Caps;
use gpucc_opt::PassCx;
use std::rc::Rc;

#[test]
fn what_is_known_of_a_graph_stays_until_it_is_forgotten() {
    let mut m =
        parse_module("func0 \"f\" {\nblock0:\n  jump block1\nblock1:\n  ret\n}\n").unwrap_or_else(|e| panic!("{e}"));
    let mut f = m.funcs.values_mut().next().map(std::mem::take).expect("one function");
    let mut cx = PassCx::new(&m, &Caps::FULL);
    let (dom, s, preds) = (cx.dom(&f), cx.structure(&f), cx.preds(&f));
    assert!(Rc::ptr_eq(&dom, &cx.dom(&f)) && Rc::ptr_eq(&s, &cx.structure(&f)) && Rc::ptr_eq(&preds, &cx.preds(&f)));
    let last = f.layout[1];
    let new = f.make_block();
    Builder::new(&mut f, new).ret(&[]);
    f.layout.retain(|&b| b != last);
    let entry = f.entry();
    let t = f.terminator(entry);
    f.insts[t].map_targets(|_| new);
    cx.forget_graph();
    assert_eq!(cx.dom(&f).rpo(), [entry, new]);
    assert_eq!(cx.preds(&f)[new], [entry]);
}
