//! Machine passes over texts: one file `mir/PASS.mir` for each pass of a family, with code that it changes, a line `---`, and code
//! that it must leave alone. What it makes of the first is a reviewed snapshot. Lines `; run: ..` of a part name passes that come
//! before: both texts are of the code behind them.

/// The tests of a family's machine passes, in the module that includes this file.
macro_rules! machine_passes {
    ($family:ty, $backend:path) => {
        #[test]
        fn passes_change_what_they_should() {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/mir");
            support::check::<$family>(folder.as_ref(), |name, text| insta::assert_snapshot!(name, text));
        }

        #[test]
        fn faults_have_a_place() {
            support::check_faults::<$family>();
        }

        #[test]
        fn dumps_read_back_and_fuel_stops_one_pass() {
            support::check_dumps_and_fuel::<$family>(&$backend);
        }

        #[test]
        fn each_pass_has_a_dump_a_time_and_fuel() {
            support::check_passes::<$family>(&$backend);
        }

        /// Whatever the passes may leave is selected, and each machine pass's text reads back.
        #[test]
        fn schedules_every_instruction() {
            let failures = gpucc_driver::prepared_cases::<$family>();
            assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
        }
    };
}

use std::collections::BTreeSet;
use std::path::Path;

use gpucc_driver::{Backend, CodegenOptions, Family, run_text};
use gpucc_frontend_naga as frontend;

/// Checks the files of a family; `snapshot` is told the text of before and after.
pub fn check<F: Family>(folder: &Path, mut snapshot: impl FnMut(&str, &str)) {
    let mut failures = Vec::new();
    let mut names: BTreeSet<String> =
        F::PASSES.iter().filter(|p| !p.is_completion).map(|p| p.name.to_string()).collect();
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the folder").map(|f| f.expect("an entry").path()).collect();
    files.sort();
    for path in files {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if !names.remove(&name) {
            failures.push(format!("{name}.mir is for no pass of {}", F::NAME));
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a text");
        let Some((fires, stays)) = text.split_once("\n---\n") else {
            failures.push(format!("{name}.mir has no second part behind a line `---`"));
            continue;
        };
        for (part, changes) in [(fires, true), (stays, false)] {
            // Without the pass: the text as the printer has it. Comments come first, so the pass runs behind those named there.
            let plain = format!("{part}\n");
            let run = plain.replacen("\nmir ", &format!("\n; run: {name}\nmir "), 1);
            match (run_text::<F>(&plain), run_text::<F>(&run)) {
                (Ok(before), Ok(after)) => {
                    if (before != after) != changes {
                        let what = if changes { "changes nothing" } else { "changes what it must leave alone" };
                        failures.push(format!("{name} {what}:\n{before}\n{after}"));
                    } else if changes {
                        snapshot(&name, &format!("{before}\n==>\n\n{after}"));
                    }
                }
                (Err(e), _) | (_, Err(e)) => failures.push(format!("{name}.mir: {e}\n{plain}")),
            }
        }
    }
    failures.extend(names.into_iter().map(|n| format!("there is no {n}.mir")));
    assert!(failures.is_empty(), "{}: {} failures:\n{}", F::NAME, failures.len(), failures.join("\n"));
}

/// Faults of a text have their place, and what does not exist is answered with what does.
pub fn check_faults<F: Family>() {
    let mut names: Vec<&str> = Vec::new();
    for p in F::PASSES {
        if !names.contains(&p.name) {
            names.push(p.name);
        }
    }
    let code = "mir f vregs 1 {\nb0:\n  p_logical_start\n}\n";
    let nope = code.replace("p_logical_start", "nope");
    let none = format!("no machine pass `nope`; available: {}", names.join(", "));
    let generations = format!("no generation `nope`; available: {}", F::GENERATIONS.join(", "));
    for (text, wanted) in [
        (format!("; a line of words\n; run: machine-dce, nope\n{code}"), format!("2:21: {none}")),
        (format!("; generation: nope\n{code}"), format!("1:15: {generations}")),
        (format!("; level: 4\n{code}"), "1:10: a level is 0 to 3".into()),
        (format!("; constants: 0x1, 0x2 3\n{code}"), "1:23: `3` is not a number `0x..`".into()),
        (format!("; constants: 0x1,, 0x2\n{code}"), "1:18: a constant has one to four words".into()),
        (format!("; rows: 64\n{code}"), "1:9: rows are 0 to 63".into()),
        (format!("; spills: some\n{code}"), "1:11: `all` is wanted".into()),
        (format!("; run: machine-dce\n{nope}"), "4:3: there is no instruction `nope`".into()),
        (code.replace("p_logical_start", "p_copy %1"), "3:10: %1 is not below `vregs 1`".into()),
    ] {
        assert_eq!(run_text::<F>(&text).map_err(|e| e.to_string()), Err(wanted), "{}: {text}", F::NAME);
    }
}

/// Each pass of a family, on the IR and behind selection, has a dump and a row of times, and those that may be left out change nothing
/// where they have no fuel.
pub fn check_passes<F: Family>(backend: &dyn Backend) {
    let lang = frontend::Lang::Wgsl;
    let parsed = frontend::parse(frontend::Input::text(SHADER), lang).unwrap_or_else(|e| panic!("{e:?}"));
    let module = frontend::lower(&parsed, &frontend::Options::default()).unwrap_or_else(|e| panic!("{e:?}"));
    let compile = |o: CodegenOptions| {
        let o = CodegenOptions { verify: true, time_passes: true, ..o };
        backend.compile(&module, "main", F::DEFAULT_GENERATION, &o).unwrap_or_else(|d| panic!("{}: {d}", F::NAME))
    };
    let optional = F::IR_PASSES.iter().filter(|p| p.optional).map(|p| p.pass.name);
    let optional: BTreeSet<&str> = optional.chain(F::PASSES.iter().filter(|p| p.optional).map(|p| p.name)).collect();
    let names = backend.passes();
    for p in F::IR_PASSES {
        assert!(names.contains(&p.pass.name), "{}: {} is in no list", F::NAME, p.pass.name);
    }
    let all = compile(CodegenOptions { dump_after: vec!["all".into()], ..CodegenOptions::default() });
    for name in names {
        assert!(all.dumps.iter().any(|d| d.0 == name), "{}: no dump behind {name}", F::NAME);
        assert!(all.times.iter().any(|t| t.pass == name), "{}: no time of {name}", F::NAME);
        if optional.contains(name) {
            let none = CodegenOptions { fuel: 0, fuel_of: Some(name.into()), ..CodegenOptions::default() };
            let changes: u64 = compile(none).times.iter().filter(|t| t.pass == name).map(|t| t.changes).sum();
            assert_eq!(changes, 0, "{}: {name} without fuel", F::NAME);
        }
    }
}

/// A shader with a loop and a branch.
const SHADER: &str = "
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    var s = p.y;
    for (var k = 0u; k < p.x; k = k + 1u) { s = s * 5u + y[g.x * p.z + k]; }
    if (s > 7u) { y[g.x] = s; } else { y[g.x + 1u] = s ^ 3u; }
}";

/// The dump behind a machine pass reads back as the same text, those of the tail are dumped too, and a pass without fuel is left
/// out and nothing else.
pub fn check_dumps_and_fuel<F: Family>(backend: &dyn Backend) {
    let lang = frontend::Lang::Wgsl;
    let parsed = frontend::parse(frontend::Input::text(SHADER), lang).unwrap_or_else(|e| panic!("{e:?}"));
    let module = frontend::lower(&parsed, &frontend::Options::default()).unwrap_or_else(|e| panic!("{e:?}"));
    let all = CodegenOptions { dump_after: vec!["all".into()], verify: true, ..CodegenOptions::default() };
    let dumps = |o: &CodegenOptions| {
        let generation = F::DEFAULT_GENERATION;
        let out = backend.compile(&module, "main", generation, o).unwrap_or_else(|d| panic!("{}: {d}", F::NAME));
        let isel = out.dumps.iter().position(|d| d.0 == "isel").expect("selection has a dump");
        out.dumps[isel..].to_vec()
    };
    let whole = dumps(&all);
    let names: Vec<&str> = whole.iter().map(|d| d.0.as_str()).collect();
    let wanted = F::PASSES.iter().filter(|p| p.level <= all.opt_level).map(|p| p.name);
    let machine: Vec<_> = ["isel"].into_iter().chain(wanted).collect();
    let tail = F::TAIL.iter().filter(|p| p.level <= all.opt_level).map(|p| p.name);
    let encoded = ["encode"].into_iter().chain(tail);
    assert_eq!(names, machine.iter().copied().chain(encoded).collect::<Vec<_>>());
    let incomplete = usize::from(F::PASSES[0].is_completion);
    for (name, text) in &whole[incomplete..machine.len()] {
        assert_eq!(run_text::<F>(text).as_ref(), Ok(text), "{}: after {name}", F::NAME);
    }
    let optional = F::PASSES.iter().filter(|p| p.optional).map(|p| p.name);
    for pass in optional.chain(F::TAIL.iter().filter(|p| p.optional).map(|p| p.name)) {
        let without = dumps(&CodegenOptions { fuel: 0, fuel_of: Some(pass.into()), ..all.clone() });
        let left: Vec<&str> = without.iter().map(|d| d.0.as_str()).collect();
        let others: Vec<&str> = names.iter().copied().filter(|n| *n != pass).collect();
        assert_eq!(left, others, "{} without {pass}", F::NAME);
        // Code before it works as ever.
        let first = names.iter().position(|n| *n == pass).unwrap_or(names.len());
        assert_eq!(without[..first], whole[..first], "{} before {pass}", F::NAME);
    }
}
