//! Machine passes over texts of code, without a shader: what `.mir` tests are made of.
//!
//! ```text
//! ; run: local-cse, machine-dce
//! ; generation: v10
//! ; level: 2
//! ; constants: 0x3f800000, 0x40490fdb
//! mir f vregs 3 {
//! ..
//! }
//! ```
//!
//! Comment lines in front of the function say what to run and, where it is not the default, for which generation and at which
//! level; constants become the first words of the family's table of uniforms, in this order.

use gpucc_ir::text::parse_module;
use gpucc_mir::{AllocStats, Form, MFunc, ParseError, parse, print, verify};

use crate::backend::CodegenOptions;
use crate::family::{Cx, Family, Job};

/// The module around a text: an entry point that does nothing.
const EMPTY: &str = "entry \"main\" compute func0 size 64,1,1\nfunc0 \"main\" {\nblock0:\n  ret\n}\n";

/// What the comments in front of a function ask for.
struct Head<'a> {
    passes: Vec<(usize, &'a str)>,
    generation: u8,
    level: u8,
    constants: Vec<u32>,
}

fn fault(line: usize, message: String) -> ParseError {
    ParseError { line, column: 1, message }
}

fn head<F: Family>(text: &str) -> Result<Head<'_>, ParseError> {
    let mut head =
        Head { passes: Vec::new(), generation: F::DEFAULT_GENERATION as u8, level: 3, constants: Vec::new() };
    for (n, line) in text.lines().enumerate().take_while(|l| !l.1.starts_with("mir")) {
        let Some((key, value)) = line.strip_prefix(';').and_then(|l| l.split_once(':')) else { continue };
        let items = value.split(',').map(str::trim);
        match key.trim() {
            "run" => head.passes.extend(items.map(|i| (n + 1, i))),
            "generation" => {
                let found = F::GENERATIONS.iter().position(|g| *g == value.trim());
                let all = || format!("no generation `{}`; there are {}", value.trim(), F::GENERATIONS.join(", "));
                head.generation = found.ok_or_else(|| fault(n + 1, all()))? as u8;
            }
            "level" => {
                let level = value.trim().parse().map_err(|_| fault(n + 1, "a level is 0 to 3".into()));
                head.level = level?;
            }
            "constants" => {
                for i in items {
                    let bits = i.strip_prefix("0x").and_then(|d| u32::from_str_radix(d, 16).ok());
                    head.constants.push(bits.ok_or_else(|| fault(n + 1, format!("`{i}` is no number `0x..`")))?);
                }
            }
            _ => {}
        }
    }
    Ok(head)
}

/// Runs the passes that a text asks for and gives the code they leave. The verifier runs before them and after each.
///
/// # Errors
/// A fault of the text, a pass that does not exist (those there are are listed), or what a pass refuses, each with its line.
pub fn run_text<F: Family>(text: &str) -> Result<String, ParseError> {
    let head = head::<F>(text)?;
    let module = parse_module(EMPTY).map_err(|d| fault(1, d.to_string()))?;
    let options = CodegenOptions { opt_level: head.level, verify: true, ..CodegenOptions::default() };
    let job = Job {
        module: &module,
        generation: head.generation,
        options: &options,
        strategy: F::first(head.generation, &options),
    };
    let (target, state) = F::bare(&job, &head.constants);
    let mut cx = Cx { job, target, state, alloc: AllocStats::default() };
    let mut code = parse(text, &cx.target)?;
    let mut form = Form::Virtual;
    let physical =
        |mf: &MFunc<F::Target>| mf.code.iter().flatten().all(|i| i.vreg_defs().chain(i.vreg_uses()).next().is_none());
    if physical(&code) {
        form = Form::Physical;
    }
    let last = text.lines().count();
    let check = |code: &MFunc<F::Target>, cx: &Cx<'_, F>, form, when: &str| {
        verify(code, &cx.target, form).map_err(|e| fault(last, format!("{when}: {e}")))
    };
    check(&code, &cx, form, "before the first pass")?;
    for (line, name) in head.passes {
        let Some(pass) = F::PASSES.iter().find(|p| p.name == name) else {
            let all: Vec<&str> = F::PASSES.iter().map(|p| p.name).collect();
            return Err(fault(line, format!("no machine pass `{name}`; there are {}", all.join(", "))));
        };
        pass.run(&mut code, &mut cx).map_err(|s| fault(line, s.refused.to_string()))?;
        form = pass.form;
        check(&code, &cx, form, name)?;
    }
    Ok(print(&code, &cx.target))
}
