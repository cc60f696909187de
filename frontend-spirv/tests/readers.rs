//! The two readers of SPIR-V give the same results where naga's takes the module: on those that are checked in, and on what glslang makes of
//! the GLSL beside them, plain and behind spirv-opt.

use crate::common::{computes, lower, modules, run};
use gpucc_frontend_naga as naga;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Modules that naga alone reads wrongly: an entry point beside another of the same body, values at labels that a case falls into or that a loop
/// is left from inside of a switch.
const NAGA_IS_WRONG: &[&str] = &["entries", "leaving", "flow", "flow -O"];

/// How many runs of the module's compute entries agree; what does not.
fn compare(name: &str, bytes: &[u8], seeds: std::ops::Range<u64>, wrong: &mut Vec<String>) -> u32 {
    let parsed = naga::parse(naga::Input { bytes }, naga::Lang::Spirv);
    let other = parsed.and_then(|p| naga::lower(&p, &naga::Options::default()));
    let own = match lower(bytes) {
        Ok(own) => own,
        Err(list) => {
            wrong.push(format!("{name}: {} {:?}", list[0], other.as_ref().err().map(|l| l[0].to_string())));
            return 0;
        }
    };
    if let Err(found) = gpucc_ir::verify::verify_module(&own) {
        wrong.push(format!("{name}: {}", found[0]));
        return 0;
    }
    let Ok(other) = other else { return 0 };
    if NAGA_IS_WRONG.contains(&name) {
        return 0;
    }
    let other = &other;
    if computes(&own) != computes(other) {
        wrong.push(format!("{name}: other entry points"));
    }
    let mut compared = 0;
    for entry in computes(&own) {
        for seed in seeds.clone() {
            match (run(&own, &entry, seed), run(other, &entry, seed)) {
                (Ok(a), Ok(b)) if a == b => compared += 1,
                (Err(_), Err(_)) => {}
                (a, b) => {
                    let text =
                        |r: Result<_, String>| r.map_or_else(|e| e, |w: Vec<(u32, u32, Vec<u32>)>| format!("{w:?}"));
                    let (a, b) = (text(a), text(b));
                    let at = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count().saturating_sub(40);
                    let cut = |s: &str| s.get(at..).unwrap_or(s).chars().take(160).collect::<String>();
                    wrong.push(format!("{name} {entry} seed {seed}:\n   {}\n   {}", cut(&a), cut(&b)));
                    break;
                }
            }
        }
    }
    compared
}

/// Runs a tool that writes a file; false without the tool.
fn make(tool: &str, args: &[&str], out: &Path) -> bool {
    let _ = std::fs::remove_file(out);
    let done = Command::new(tool).args(args).arg("-o").arg(out).output();
    done.is_ok_and(|d| d.status.success()) && out.exists()
}

#[test]
fn both_readers_agree() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/spirv");
    let scratch = std::env::temp_dir().join(format!("gpucc-readers-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).expect("a folder for files");
    let mut sources = Vec::new();
    for folder in [folder.clone(), folder.join("real")] {
        sources.extend(std::fs::read_dir(folder).expect("a folder of shaders").flatten().map(|f| f.path()));
    }
    sources.retain(|f| f.extension().is_some_and(|e| e == "comp"));
    sources.sort();
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for (name, bytes) in modules() {
        compared += compare(&name, &bytes, 1..4, &mut wrong);
    }
    let own = compared;
    for source in &sources {
        let name = source.file_stem().expect("a name").to_string_lossy().into_owned();
        let (plain, optimised) = (scratch.join(format!("{name}.spv")), scratch.join(format!("{name}-O.spv")));
        let text = source.to_string_lossy();
        if !make("glslangValidator", &["-V", "--target-env", "vulkan1.2", &text], &plain) {
            continue;
        }
        compared += compare(&name, &std::fs::read(&plain).expect("a module"), 1..2, &mut wrong);
        if make("spirv-opt", &["-O", &plain.to_string_lossy()], &optimised) {
            compared += compare(&format!("{name} -O"), &std::fs::read(&optimised).expect("a module"), 1..2, &mut wrong);
        }
    }
    let _ = std::fs::remove_dir_all(&scratch);
    assert!(wrong.is_empty(), "{} of {} sources:\n{}", wrong.len(), sources.len(), wrong.join("\n"));
    if compared == own {
        eprintln!("skipped: there is no `glslangValidator`");
    } else {
        assert!(compared > 5, "{compared} runs were compared");
    }
}
