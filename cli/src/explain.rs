//! `gpucc explain`: what a shader became, line by line, as text or as a page.

mod html;
pub mod json;
mod model;
mod text;

use gpucc::Options;
use gpucc_ir::Diagnostic;

use crate::args::{Explain, Messages};
use crate::{Failure, files, input, stats};
pub use model::Page;
use model::{Column, Problem};

/// The command that makes the same again, as a person would write it.
fn command(args: &Explain, targets: &[gpucc::Target]) -> String {
    let front = &args.front;
    let names: Vec<String> = targets.iter().map(ToString::to_string).collect();
    let input = args.input.display();
    let mut out = format!("gpucc explain {input} --target {}", names.join(","));
    for given in front.list() {
        for value in given.values() {
            let blank = if value.is_empty() { "" } else { " " };
            out += &format!(" {}{blank}{value}", given.option);
        }
    }
    out
}

/// Messages as the page has them.
fn problems(list: &[Diagnostic], report: &crate::report::Reporter) -> Vec<Problem> {
    list.iter().map(|d| Problem::new(&report.json(d, None))).collect()
}

/// The explanation of a shader, and what kept it from code on some target. Messages are shown.
///
/// # Errors
/// Usage and I/O.
pub fn explained(args: &Explain, messages: &Messages) -> Result<(Page, Vec<Diagnostic>), Failure> {
    let targets = input::targets(args.target.as_deref())?;
    let mut page = Page { command: command(args, &targets), ..Page::default() };
    let shader = match input::attempt(&args.input, &args.front, messages)? {
        Ok(shader) => shader,
        Err((list, report)) => {
            page.read(report.source());
            page.problems = problems(&list, &report);
            return Ok((page, list));
        }
    };
    page.read(shader.report.source());
    let mut wrong = Vec::new();
    for entry in &shader.module.entries {
        for &target in &targets {
            let mut codegen = stats::codegen(&shader.module, entry, None, &args.front);
            codegen.by_line = true;
            codegen.time_passes = true;
            let done = gpucc::compile_entry(&shader.module, &entry.name, &Options { target, codegen });
            let mut row = stats::row(&page.name, &entry.name, entry.stage.kind().name(), target);
            row.take(done.as_ref().map(|a| &a.outputs()[0]), true);
            if let Err(d) = &done {
                (row.line, row.column) = shader.report.own_place(d).unzip();
                shader.report.show(std::slice::from_ref(d), Some(&row.target));
            }
            page.columns.push(Column::new(row, done.as_ref().ok()));
            wrong.extend(done.err());
        }
    }
    Ok((page, wrong))
}

/// `gpucc explain INPUT --target T[,T] [--html OUT.html]`.
///
/// # Errors
/// Usage and I/O; 1, 3 or 70 where the shader is wrong, a target refuses it, or the compiler has a bug. The page is written all the same.
pub fn main(args: &Explain, messages: &Messages) -> Result<(), Failure> {
    input::targets(args.target.as_deref())?;
    if let Some(out) = &args.html {
        files::distinct(std::slice::from_ref(out), std::slice::from_ref(&args.input))?;
    }
    let (page, wrong) = explained(args, messages)?;
    match &args.html {
        Some(out) => files::write(out, html::page(&page).as_bytes())?,
        // Messages are on standard error already.
        None if page.problems.is_empty() || args.json => {}
        None => return Err(crate::failure(&wrong)),
    }
    if args.json {
        files::stdout(format!("{}\n", json::page(&page)).as_bytes())?;
    } else if args.html.is_none() {
        files::stdout(text::page(&page).as_bytes())?;
    }
    if wrong.is_empty() { Ok(()) } else { Err(crate::failure(&wrong)) }
}
