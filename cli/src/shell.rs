//! `gpucc completions` and `gpucc man`: what shells and `man` read, made from the command's own options.

use clap::CommandFactory;

use crate::args::{Cli, Completions, Man};
use crate::{Failure, files};

/// `gpucc completions SHELL`.
///
/// # Errors
/// Standard output cannot be written.
pub fn completions(args: &Completions) -> Result<(), Failure> {
    let mut out = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "gpucc", &mut out);
    files::stdout(&out)
}

/// A page as `man` reads it.
fn page(command: clap::Command) -> Result<Vec<u8>, Failure> {
    let mut out = Vec::new();
    let done = clap_mangen::Man::new(command).render(&mut out);
    done.map(|()| out).map_err(|e| Failure::Bug(e.to_string()))
}

/// `gpucc man [-o DIR]`.
///
/// # Errors
/// A file or standard output cannot be written.
pub fn man(args: &Man) -> Result<(), Failure> {
    let Some(folder) = &args.output else { return files::stdout(&page(Cli::command())?) };
    clap_mangen::generate_to(Cli::command(), folder)
        .map_err(|e| Failure::Io(format!("cannot write to `{}`: {e}", folder.display())))
}
