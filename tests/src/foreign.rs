//! Machine code of other compilers with known results: one launch description a line (`gpucc_machines::launch`), with
//! the checks of conformance cases.

pub use gpucc_machines::Launch;
use gpucc_sim::{Dispatch, RunOptions, RunReport};
use serde::Deserialize;

use crate::cases::{self, Check};

/// The other parts of a line besides the launch.
#[derive(Deserialize)]
struct Expectation {
    checks: Vec<Check>,
}

/// Runs the program of one line under hardware's rules and holds its checks.
///
/// # Errors
/// The name of the case, as far as the line can be read, and why it fails.
pub fn judge(line: &str, options: &RunOptions) -> Result<(Launch, RunReport), (String, String)> {
    let launch = Launch::read(line.as_bytes()).map_err(|e| {
        let id = serde_json::from_str::<serde_json::Value>(line).ok();
        (id.and_then(|v| v["id"].as_str().map(String::from)).unwrap_or_default(), e)
    })?;
    let fail = |e: String| (launch.id.clone(), e);
    let expected: Expectation = serde_json::from_str(line).map_err(|e| fail(format!("`checks`: {e}")))?;
    let mut dispatch = launch.dispatch.clone();
    let report = launch.run(&mut dispatch, options).map_err(|t| fail(format!("trap: {t}")))?;
    cases::hold(&expected.checks, &dispatch).map_err(fail)?;
    Ok((launch, report))
}

/// Holds the checks of one line on what any code left.
///
/// # Errors
/// The first place that is not accepted; a line that cannot be read.
pub fn hold(line: &str, after: &Dispatch) -> Result<(), String> {
    let expected: Expectation = serde_json::from_str(line).map_err(|e| format!("`checks`: {e}"))?;
    cases::hold(&expected.checks, after)
}
