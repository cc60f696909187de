//! Graphics cases of the shared folder on the interpreter: a few of each group.

use gpucc_scene::cases::{Body, Case};
use gpucc_tests::cases::Verdict;
use gpucc_tests::exec::{For, On};
use gpucc_tests::{gfx, shared};

/// Each group's cases, every n-th of them.
fn sample(most: usize) -> Vec<Case> {
    let Some(folder) = shared::find("conformance/gfx") else { return Vec::new() };
    let files = gfx::files(&folder).expect("the folder of cases");
    let of = |f: &std::path::PathBuf| {
        let cases = gfx::read(f).expect("a file of cases");
        let step = cases.len().div_ceil(most).max(1);
        cases.into_iter().step_by(step).collect::<Vec<_>>()
    };
    files.iter().flat_map(of).collect()
}

#[test]
fn a_few_cases_of_each_group_give_the_recorded_bytes() {
    let cases = sample(4);
    let jobs = [(On::Interp, 0), (On::Interp, 2), (On::Passes(For::Poor), 2), (On::Passes(For::Poorest), 2)];
    let places: Vec<_> = jobs.iter().map(|&(on, level)| gfx::place(on, level)).collect();
    let mut wrong = Vec::new();
    for case in &cases {
        for ((on, level), v) in jobs.iter().zip(gfx::judge(case, &places, Some(1))) {
            match v {
                Verdict::Passed => {}
                Verdict::Failed(why) | Verdict::Refused(_, why) => {
                    wrong.push(format!("{on} -O{level} {}: {why}", case.id));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_wrong_byte_is_a_failure() {
    for mut case in sample(1) {
        let Body::Scene(_) = &case.body else { continue };
        let e = &mut case.expect[0];
        e.compare = gpucc_scene::compare::Compare::exact();
        e.bytes.push(0);
        let v = gfx::judge(&case, &[gfx::place(On::Interp, 2)], None);
        assert!(matches!(v.as_slice(), [Verdict::Failed(_)]), "{}: {v:?}", case.id);
    }
}
