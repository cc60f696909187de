//! SPIR-V as naga's back end writes it: it is accepted where the WGSL is, and gives what the WGSL gives. Without the `naga`
//! command the tests say that they are skipped.

use std::path::PathBuf;
use std::process::Command;

use gpucc::CodegenOptions;
use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc_glsl::{need, scratch};
use gpucc_ir::{Class, Diagnostic, Module};
use gpucc_sim::{Dispatch, Races, RunOptions};
use gpucc_tests::exec::{self, On, Problem};
use gpucc_tests::shared::workspace;
use gpucc_tests::{cases, examples};
use rayon::prelude::*;

fn report(failures: &[String]) {
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// The examples and the corpus, through naga's own writer: as many entry points as from the WGSL.
#[test]
fn what_naga_writes() {
    need!("naga");
    let mut files: Vec<PathBuf> = Vec::new();
    let mut folders = vec![workspace().join("examples")];
    folders.extend(gpucc_tests::shared::find("corpus/compute"));
    for folder in folders {
        files.extend(std::fs::read_dir(folder).expect("a folder of shaders").flatten().map(|f| f.path()));
    }
    files.retain(|f| f.extension().is_some_and(|x| x == "wgsl"));
    files.sort();
    let failures: Vec<String> = files
        .par_iter()
        .filter_map(|path| {
            let name = path.file_stem()?.to_string_lossy().into_owned();
            let out = scratch(&format!("naga-{name}.spv"));
            let done = Command::new("naga").arg(path).arg(&out).output().ok()?;
            let text = std::fs::read(path).ok()?;
            // Overrides have to be given values first, and naga has its own limits.
            if !done.status.success() {
                return None;
            }
            let wgsl = frontend::load(&text, Lang::Wgsl, &FrontOptions::default());
            let spirv = frontend::load(&std::fs::read(&out).ok()?, Lang::Spirv, &FrontOptions::default());
            match (wgsl, spirv) {
                (Ok(a), Ok(b)) if a.module.entries.len() == b.module.entries.len() => None,
                (Err(_), Err(list)) if list.iter().all(|d| d.class == Class::Unsupported) => None,
                (a, b) => {
                    let say = |r: Result<frontend::Loaded, Vec<Diagnostic>>| match r {
                        Ok(l) => format!("{} entries", l.module.entries.len()),
                        Err(list) => list[0].to_string(),
                    };
                    Some(format!("{name}: WGSL gives {}, SPIR-V {}", say(a), say(b)))
                }
            }
        })
        .collect();
    report(&failures);
}

/// The SPIR-V that naga writes of a shader; nothing where it does not.
fn through_naga(name: &str, wgsl: &str) -> Option<Vec<u8>> {
    let (from, to) = (scratch(&format!("{name}.wgsl")), scratch(&format!("{name}.spv")));
    std::fs::write(&from, wgsl).expect("a file");
    let done = Command::new("naga").arg(&from).arg(&to).output().ok()?;
    if done.status.success() { std::fs::read(&to).ok() } else { None }
}

/// Runs a module in one place and holds what the WGSL is held to. A refusal is the WGSL's, too.
fn held(
    (spirv, wgsl): (&Module, &Module),
    (entry, on, races): (&str, On, Races),
    dispatch: &Dispatch,
    hold: impl Fn(&Dispatch) -> Result<(), String>,
) -> Result<bool, String> {
    let options = RunOptions { races, ..RunOptions::default() };
    let run = |m: &Module| {
        let mut d = dispatch.clone();
        exec::run(m, entry, on, &CodegenOptions::default(), &mut d, &options).map(|_| d)
    };
    match run(spirv) {
        Ok(d) => hold(&d).map(|()| true),
        Err(Problem::Refused(..)) if matches!(run(wgsl), Err(Problem::Refused(..))) => Ok(false),
        Err(p) => Err(p.to_string()),
    }
}

/// The examples, and some of the corpus: what naga writes of them gives what the WGSL gives, on the interpreter and on one
/// machine, a different one from shader to shader.
#[test]
fn what_naga_writes_gives_the_same() {
    need!("naga");
    const STRIDE: usize = 5;
    type Hold = Box<dyn Fn(&Dispatch) -> Result<(), String> + Sync + Send>;
    let mut jobs: Vec<(String, String, String, Dispatch, Races, Hold)> = Vec::new();
    for e in examples::all() {
        let text = std::fs::read_to_string(workspace().join("examples").join(e.file)).expect("an example");
        let dispatch = e.dispatch();
        let hold = move |d: &Dispatch| {
            let buffer = |x: &examples::Expected| d.buffer(x.group, x.binding).map_or(&[][..], |b| &b.bytes);
            e.expected.iter().try_for_each(|x| x.words.check(buffer(x)))
        };
        jobs.push((e.file.into(), e.entry.into(), text, dispatch, Races::Trap, Box::new(hold)));
    }
    if let Some(path) = gpucc_tests::shared::find("conformance/programs.json") {
        let bytes = std::fs::read(path).expect("the cases");
        let all = serde_json::from_slice::<cases::CaseFile>(&bytes).expect("the format of cases").cases;
        // naga writes no module whose constants are still open.
        for case in all.into_iter().filter(|c| c.naga_ok && c.constants.is_empty()).step_by(STRIDE) {
            let (dispatch, races) = (case.dispatch().expect("well-formed buffers"), case.races());
            let (id, entry, text) = (case.id.clone(), case.entry.clone(), case.wgsl.clone());
            let hold = move |d: &Dispatch| cases::hold(&case.checks, d);
            jobs.push((id, entry, text, dispatch, races, Box::new(hold)));
        }
    }
    let machines = exec::targets("all");
    let ran = std::sync::atomic::AtomicUsize::new(0);
    let failures: Vec<String> = jobs
        .par_iter()
        .enumerate()
        .flat_map_iter(|(n, (id, entry, text, dispatch, races, hold))| {
            let Some(bytes) = through_naga(&format!("through{n}"), text) else { return Vec::new() };
            let options = FrontOptions { entry: Some(entry.clone()), ..FrontOptions::default() };
            let wgsl = match frontend::load(text.as_bytes(), Lang::Wgsl, &options) {
                Ok(l) => l.module,
                Err(_) => return Vec::new(),
            };
            let spirv = match frontend::load(&bytes, Lang::Spirv, &options) {
                Ok(l) => l.module,
                Err(list) => return vec![format!("{id}: {}", list[0])],
            };
            let mut failures = Vec::new();
            for on in [On::Interp, exec::on(machines[n % machines.len()])] {
                match held((&spirv, &wgsl), (entry, on, *races), dispatch, hold) {
                    Ok(true) => {
                        ran.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    }
                    Ok(false) => {}
                    Err(why) => failures.push(format!("{id} on {on}: {why}")),
                }
            }
            failures
        })
        .collect();
    report(&failures);
    let ran = ran.into_inner();
    println!("{ran} runs of {} shaders", jobs.len());
    assert!(ran >= jobs.len(), "only {ran} runs of {} shaders", jobs.len());
}
