//! What the compiler made of the last texts. A command asks for a stage again for each scene that it tries, many scenes have a stage in common, and
//! each start of the compiler takes a fifth of a second, however short the text is.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use crate::process::{self, Done, Job};
use crate::stage::Stage;
use crate::text::Failed;

/// Texts that are kept.
const MOST: usize = 256;
/// Bytes that texts and their modules may have together to be kept.
const BYTES: usize = 1 << 24;
/// Bytes that one text and its module may have together to be kept.
const EACH: usize = 1 << 20;

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

/// The last answers.
struct Kept {
    /// Questions with their answers and bytes, the newest at the end.
    list: VecDeque<(Asked, Done, usize)>,
    /// The sum of the bytes.
    bytes: usize,
}

impl Kept {
    /// The answer to a question, which becomes the newest.
    fn answer(&mut self, asked: &Asked) -> Option<Done> {
        let at = self.list.iter().position(|k| k.0 == *asked)?;
        let known = self.list.remove(at)?;
        let done = known.1.clone();
        self.list.push_back(known);
        Some(done)
    }

    fn add(&mut self, asked: Asked, done: Done, bytes: usize) {
        self.list.push_back((asked, done, bytes));
        self.bytes += bytes;
        while self.list.len() > MOST || self.bytes > BYTES {
            let Some(oldest) = self.list.pop_front() else { return };
            self.bytes -= oldest.2;
        }
    }
}

static KEPT: Mutex<Kept> = Mutex::new(Kept { list: VecDeque::new(), bytes: 0 });

/// Compiles for an environment such as `vulkan1.1`, or gives what came of it before. A process that did not end by itself is started again.
pub fn run(job: &Job<'_>, environment: &'static str) -> Result<Done, Failed> {
    let Some(asked) = Asked::of(job, environment) else { return process::run(job, environment) };
    if let Some(done) = KEPT.lock().unwrap_or_else(PoisonError::into_inner).answer(&asked) {
        return Ok(done);
    }
    let done = process::run(job, environment)?;
    let size = match &done {
        Done::Module { words, .. } => words.len(),
        Done::Said(said) => said.len(),
        Done::Ended(_) => return Ok(done),
    };
    let bytes = asked.text.len() + size;
    if bytes <= EACH {
        KEPT.lock().unwrap_or_else(PoisonError::into_inner).add(asked, done.clone(), bytes);
    }
    Ok(done)
}
