//! Code common to the runners and the suites over all families. Code that needs no back end is in `gpucc-kit`.

pub mod damage;
pub mod drawreduce;
pub mod drawrun;
pub mod everywhere;
pub mod exec;
pub mod foreign;
pub mod gfx;
pub mod heap;
pub mod mesh;
pub mod orders;
pub mod pairs;
pub mod randdraw;
pub mod randfs;
pub mod scaling;
pub mod textrun;

use std::process::ExitCode;

pub use gpucc_kit::{cases, examples, filetest, predict, randprog, shared};

/// The end of a runner: whether all passed, or why nothing could be run.
pub fn ended(result: Result<bool, String>) -> ExitCode {
    match result {
        Ok(passed) => ExitCode::from(u8::from(!passed)),
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::from(2)
        }
    }
}

/// Starts the threads of a runner, with room for deep recursion.
///
/// # Errors
/// The system has no room for them.
pub fn start_threads() -> Result<(), String> {
    let made = rayon::ThreadPoolBuilder::new().stack_size(64 << 20).build_global();
    made.map_err(|e| format!("cannot start threads: {e}"))
}
