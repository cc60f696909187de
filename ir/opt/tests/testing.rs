//! Helpers of pass tests: text in, text out, verified on both sides.

use gpucc_ir::text::{module_text, parse_module};
use gpucc_ir::verify::verify_module;
use gpucc_ir::{Const, Func, Function, Module, Op, SecondaryMap, Value, eval};
use gpucc_opt::{Caps, PassCx};

/// Resources and variables that test functions may name.
pub const HEAD: &str = r#"module robust on
res0 "a" group 0 binding 0 storage_ro size 4 stride 4
res1 "o" group 0 binding 1 storage_rw size 4 stride 4
res2 "u" group 0 binding 2 uniform size 64 stride 0
global0 "w" workgroup size 256 align 4
"#;

pub fn parse(text: &str) -> Module {
    let text = if text.contains("module robust") { text.to_string() } else { format!("{HEAD}{text}") };
    let m = parse_module(&text).unwrap_or_else(|e| panic!("{}\n{text}", e.message));
    check(&m);
    m
}

pub fn check(m: &Module) {
    if let Err(e) = verify_module(m) {
        let e: Vec<String> = e.iter().map(|f| f.to_string()).collect();
        panic!("{}\n{}", e.join("\n"), module_text(m));
    }
}

/// Runs a pass over each function; gives the functions' text with values numbered anew, and the number of changes.
pub fn run(pass: impl Fn(&mut Function, &mut PassCx<'_>), text: &str) -> (String, u64) {
    let mut m = parse(text);
    let surroundings = m.clone();
    let mut changes = 0;
    for f in m.funcs.keys().collect::<Vec<Func>>() {
        let mut cx = PassCx::new(&surroundings, &Caps::FULL);
        pass(&mut m.funcs[f], &mut cx);
        changes += cx.changes();
    }
    check(&m);
    // Twice through the text numbers everything in order of appearance.
    let m = parse_module(&module_text(&m)).unwrap_or_else(|e| panic!("{}", e.message));
    let text: Vec<String> = m.funcs.values().map(|f| f.to_string()).collect();
    (text.join("\n"), changes)
}

/// Runs a pass over one function, with what a target is told to have; gives the number of changes. Without fuel it makes none, and with
/// fuel for one it makes one.
pub fn changes(pass: impl Fn(&mut Function, &mut PassCx<'_>), f: &mut Function, caps: &Caps) -> u64 {
    let m = Module::default();
    let with = |f: &mut Function, fuel: u64| {
        let mut cx = PassCx::with_fuel(&m, caps, fuel);
        pass(f, &mut cx);
        cx.changes()
    };
    let mut same = f.clone();
    assert_eq!((with(&mut same, 0), same.to_string()), (0, f.to_string()), "without fuel");
    let one = with(&mut f.clone(), 1);
    let all = with(f, u64::MAX);
    assert_eq!(one, all.min(1), "with fuel for one change");
    all
}

/// The text after a pass.
pub fn opt(pass: impl Fn(&mut Function, &mut PassCx<'_>), text: &str) -> String {
    run(pass, text).0
}

/// The pass must find nothing to do.
pub fn unchanged(pass: impl Fn(&mut Function, &mut PassCx<'_>), text: &str) {
    let (after, n) = run(pass, text);
    let before = run(|_, _| {}, text).0;
    assert_eq!(n, 0, "{after}");
    assert_eq!(after, before);
}

/// The values that a function of one block computes from its parameters.
pub fn evaluate(f: &Function, params: &[Const]) -> Vec<Const> {
    let mut vals: SecondaryMap<Value, Option<Const>> = SecondaryMap::with_default(None);
    for (&p, c) in f.params().iter().zip(params) {
        vals[p] = Some(c.clone());
    }
    for (_, i) in f.insts_in_order() {
        let d = &f.insts[i];
        let get = |v: Value| f.as_const(v).cloned().or_else(|| vals[v].clone()).unwrap_or_else(|| panic!("{v}\n{f}"));
        let a: Vec<Const> = d.args.iter().map(|&v| get(v)).collect();
        if d.op == Op::Ret {
            return a;
        }
        let refs: Vec<&Const> = a.iter().collect();
        let r = eval::apply(d.op, &d.attr, f.ty(d.result()), &refs);
        vals[d.result()] = Some(r.unwrap_or_else(|| panic!("{} is not evaluated", d.op)));
    }
    panic!("no return\n{f}")
}
