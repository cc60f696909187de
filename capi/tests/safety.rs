//! Nothing is lost, memory stays flat, threads do not wait or disturb each other. `GPUCC_SOAK` is the number of rounds.

use std::path::Path;
use std::process::Command;

use crate::{build, run, workspace};

fn rounds() -> String {
    std::env::var("GPUCC_SOAK").unwrap_or_else(|_| "160".into())
}

#[test]
fn memory_stays_flat() {
    let Some(program) = build(Path::new("capi/tests/soak.c"), "soak") else { return };
    let (code, out, err) = run(&program, &[&rounds()]);
    assert_eq!(code, Some(0), "{err}");
    // Pages of 4 KiB: allocators settle in the first half.
    let grown: i64 = out.trim().parse().expect("a number");
    assert!(grown < 512, "{grown} pages more");
    std::fs::remove_file(program).expect("the program goes");
}

#[test]
fn two_threads_compile_at_once() {
    let Some(program) = build(Path::new("capi/tests/soak.c"), "threads") else { return };
    let (code, out, err) = run(&program, &[&rounds(), "2"]);
    assert_eq!((code, &*out), (Some(0), ""), "{err}");
    std::fs::remove_file(program).expect("the program goes");
}

/// Under valgrind, where it is installed and `GPUCC_VALGRIND` asks for it: it takes a minute for 200 rounds.
#[test]
fn nothing_is_lost_under_valgrind() {
    if std::env::var_os("GPUCC_VALGRIND").is_none() {
        eprintln!("skipped: GPUCC_VALGRIND is not set");
        return;
    }
    let Some(program) = build(Path::new("capi/tests/soak.c"), "valgrind") else { return };
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite,indirect", "-q"]);
    match valgrind.current_dir(workspace()).arg(&program).arg(rounds()).output() {
        Ok(done) => assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr)),
        Err(_) => eprintln!("skipped: valgrind is not installed"),
    }
    std::fs::remove_file(program).expect("the program goes");
}
