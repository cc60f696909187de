//! Every file under `tests/filetests`, on the oracle and on every target. The oracle first: a target is judged by the
//! expectation in the file, too, never by the oracle.

use gpucc::{CodegenOptions, Target};
use gpucc_sim::RunOptions;
use gpucc_tests::exec::{self, On, Problem};
use gpucc_tests::filetest::{Expect, FileTest};
use gpucc_tests::predict::{self, Tally};
use std::path::{Path, PathBuf};

fn files() -> Vec<(PathBuf, FileTest)> {
    let mut list = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("folder of file tests") {
            let path = entry.expect("entry of the folder").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|x| x == "gir") {
                let text = std::fs::read_to_string(&path).expect("file test");
                let test = FileTest::parse(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
                list.push((path, test));
            }
        }
    }
    list.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(list.len() > 20, "only {} file tests were found", list.len());
    list
}

#[test]
fn oracle() {
    let failures: Vec<String> = files()
        .iter()
        .filter_map(|(path, test)| test.on_oracle().err().map(|e| format!("{}: {e}", path.display())))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn targets() {
    let mut failures = Vec::new();
    let mut runs = 0;
    let mut refused = Tally::default();
    for (path, test) in files().iter().filter(|(_, t)| t.targets) {
        for target in Target::parse_list("all").expect("the list of all targets") {
            for opt_level in [0, 2] {
                let codegen = CodegenOptions { opt_level, ..CodegenOptions::default() };
                for run in test.runs.iter().filter(|r| matches!(r.expect, Expect::Buffers(_))) {
                    let mut d = run.dispatch.clone();
                    let options = RunOptions { perturb: Some(1), ..RunOptions::default() };
                    let got = exec::run(&test.module, &test.entry, On::Machine(target), &codegen, &mut d, &options);
                    runs += 1;
                    let got = match got {
                        Err(Problem::Refused(codes, why)) => {
                            let on = On::Machine(target);
                            let name =
                                path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap_or(path).display().to_string();
                            let predicted = predict::predicted(on, &name, &codes, &why);
                            refused.add(on, &codes, predicted);
                            if predicted {
                                continue;
                            }
                            Err(Problem::Refused(codes, why).to_string())
                        }
                        other => other.map(|_| ()).map_err(|p| p.to_string()),
                    };
                    if let Err(e) = test.judge(run, &d, got, false) {
                        failures.push(format!("{} on {target} -O{opt_level}: {e}", path.display()));
                    }
                }
            }
        }
    }
    println!("{runs} runs\n{refused}");
    assert!(failures.is_empty(), "{} of {runs} runs failed:\n{}", failures.len(), failures.join("\n"));
}
