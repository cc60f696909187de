//! What the compiler made of the last texts. A command asks for a stage again for each scene that it tries, and each start of the compiler takes a
//! fifth of a second, however short the text is.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use crate::process::{self, Done, Job};
use crate::stage::Stage;
use crate::text::Failed;

/// Texts that are kept.
const MOST: usize = 16;
/// Bytes that a text and its module may have together to be kept.
const BYTES: usize = 1 << 20;

/// All that an answer depends on.
#[derive(PartialEq)]
struct Asked {
    text: String,
    stage: Stage,
    environment: &'static str,
    defines: Vec<(String, String)>,
}

impl Asked {
    /// The question; none where the answer depends on other files, which may change. A directive may be broken over lines by a `\`.
    fn of(job: &Job<'_>, environment: &'static str) -> Option<Asked> {
        let is_alone = !job.text.contains("include") && !job.text.contains('\\');
        is_alone.then(|| Asked {
            text: job.text.into(),
            stage: job.stage,
            environment,
            defines: job.around.defines.clone(),
        })
    }
}

/// The last answers, the newest at the end.
static KEPT: Mutex<VecDeque<(Asked, Done)>> = Mutex::new(VecDeque::new());

/// Compiles for an environment such as `vulkan1.1`, or gives what came of it before. A process that did not end by itself is started again.
pub fn run(job: &Job<'_>, environment: &'static str) -> Result<Done, Failed> {
    let Some(asked) = Asked::of(job, environment) else { return process::run(job, environment) };
    let known = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, done)) = known.iter().find(|k| k.0 == asked) {
        return Ok(done.clone());
    }
    drop(known);
    let done = process::run(job, environment)?;
    let size = match &done {
        Done::Module { words, .. } => words.len(),
        Done::Said(said) => said.len(),
        Done::Ended(_) => return Ok(done),
    };
    if asked.text.len() + size <= BYTES {
        let mut known = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() == MOST {
            known.pop_front();
        }
        known.push_back((asked, done.clone()));
    }
    Ok(done)
}
