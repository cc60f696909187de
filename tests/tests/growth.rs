//! Work grows with the program and no faster, seen without a clock: the passes and analyses count the blocks that they
//! visit and the words of the maps that they fill (`gpucc_ir::trace::work`), and a program ten times as long may cost at
//! most twelve times as much.

use gpucc_ir::analysis::Uniformity;
use gpucc_ir::trace;
use gpucc_opt::{Caps, Options, prepare};
use gpucc_tests::exec;
use gpucc_tests::scaling::SHAPES;

#[test]
fn ten_times_the_operations_cost_at_most_twelve_times_the_work() {
    let mut wrong = Vec::new();
    for shape in SHAPES {
        let work = |n: usize| {
            let m = exec::lower(&shape.source(n), "main", &[]).unwrap_or_else(|e| panic!("{}: {e}", shape.name()));
            let caps = Caps { scalar: true, select_array_bytes: 256, merge_access: 16, ..Caps::FULL };
            let options = Options { verify: false, ..Options::default() };
            let start = trace::worked();
            let (m, _) = prepare(&m, "main", &caps, &options).unwrap_or_else(|e| panic!("{}: {e}", shape.name()));
            let f = &m.funcs[m.entries[0].func];
            let _ = Uniformity::new(&m, f);
            (trace::worked() - start, f.insts_in_order().count())
        };
        let ((small, few), (large, many)) = (work(600), work(6000));
        eprintln!("{}: {few} instructions cost {small}, {many} cost {large}", shape.name());
        if large > 12 * small.max(1) {
            wrong.push(format!("{}: {small} at 600 operations, {large} at 6000", shape.name()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
