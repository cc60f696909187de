//! Machine passes over texts of code, without a shader: what `.mir` tests are made of.
//!
//! ```text
//! ; run: local-cse, machine-dce
//! ; generation: v10
//! ; level: 2
//! ; constants: 0x3f800000, 0x1 0x2 0x3 0x4
//! ; rows: 2
//! ; spills: all
//! mir f vregs 3 {
//! ..
//! }
//! ```
//!
//! Comment lines in front of the function say what to run and, where it is not the default, for which generation and at which
//! level; constants are the first entries of the family's table of uniforms, in this order, each of one to four words. `rows` are
//! kept from the allocator for indexed variables, where a family has such; with `spills`, every value that can be is spilled.

use gpucc_ir::text::parse_module;
use gpucc_mir::{Form, MFunc, MInst, ParseError, parse, print, verify};

use crate::backend::CodegenOptions;
use crate::family::{AttemptError, CompileCx, Family, Job, Pass, TextFixture};
use crate::pass::machine_names;

/// The module around a text: an entry point that does nothing.
const EMPTY: &str = "entry \"main\" compute func0 size 64,1,1\nfunc0 \"main\" {\nblock0:\n  ret\n}\n";

/// The requests in the comments in front of a function.
struct Head<'a> {
    /// Each pass, and where it is named: a fault without words.
    passes: Vec<(ParseError, &'a str)>,
    generation: u8,
    level: u8,
    spills: bool,
    given: TextFixture,
}

fn fault(line: usize, message: String) -> ParseError {
    ParseError { line, column: 1, message }
}

fn head<F: Family>(text: &str) -> Result<Head<'_>, ParseError> {
    let generation = F::DEFAULT_GENERATION as u8;
    let mut head = Head { passes: Vec::new(), generation, level: 3, spills: false, given: TextFixture::default() };
    for (n, line) in text.lines().enumerate().take_while(|l| !l.1.starts_with("mir")) {
        let Some((key, value)) = line.strip_prefix(';').and_then(|l| l.split_once(':')) else { continue };
        let value = value.trim();
        let place = |part: &str, message: String| {
            let column = part.as_ptr() as usize - line.as_ptr() as usize + 1;
            ParseError { line: n + 1, column, message }
        };
        let items = value.split(',').map(str::trim);
        match key.trim() {
            "run" => head.passes.extend(items.map(|i| (place(i, String::new()), i))),
            "generation" => {
                let found = F::GENERATIONS.iter().position(|g| *g == value);
                let all = || format!("no generation `{value}`; available: {}", F::GENERATIONS.join(", "));
                head.generation = found.ok_or_else(|| place(value, all()))? as u8;
            }
            "level" => {
                let level = value.parse().ok().filter(|l| *l <= 3);
                head.level = level.ok_or_else(|| place(value, "a level is 0 to 3".into()))?;
            }
            "constants" => {
                for i in items {
                    let number = |i: &str| {
                        let bits = i.strip_prefix("0x").and_then(|d| u32::from_str_radix(d, 16).ok());
                        bits.ok_or_else(|| place(i, format!("`{i}` is not a number `0x..`")))
                    };
                    let words = i.split_whitespace().map(number).collect::<Result<Vec<_>, _>>()?;
                    if words.is_empty() || words.len() > 4 {
                        return Err(place(i, "a constant has one to four words".into()));
                    }
                    head.given.constants.push(words);
                }
            }
            "rows" => {
                let rows = value.parse().ok().filter(|r| *r < 64);
                head.given.rows = rows.ok_or_else(|| place(value, "rows are 0 to 63".into()))?;
            }
            "spills" if value == "all" => head.spills = true,
            "spills" => return Err(place(value, "`all` is wanted".into())),
            _ => {}
        }
    }
    Ok(head)
}

/// A program in text form between passes.
struct Walk<'m, F: Family> {
    cx: CompileCx<'m, F>,
    code: MFunc<F::Target>,
    form: Form,
    last: usize,
}

impl<F: Family> Walk<'_, F> {
    fn check(&self, when: &str) -> Result<(), ParseError> {
        verify(&self.code, &self.cx.target, self.form).map_err(|e| fault(self.last, format!("{when}: {e}")))
    }

    fn step(&mut self, pass: &Pass<F>, place: &ParseError) -> Result<(), ParseError> {
        let refused = |s: AttemptError| ParseError { message: s.refused.to_string(), ..place.clone() };
        pass.run(&mut self.code, &mut self.cx).map_err(refused)?;
        self.form = pass.form;
        self.check(pass.name)
    }
}

/// Runs the passes that a text asks for, the verifier before them and after each, and hands the code to `finish`.
fn walk<F: Family, R>(text: &str, finish: impl FnOnce(Walk<'_, F>) -> Result<R, ParseError>) -> Result<R, ParseError> {
    let head = head::<F>(text)?;
    let module = parse_module(EMPTY).map_err(|d| fault(1, d.to_string()))?;
    let options =
        CodegenOptions { opt_level: head.level, verify: true, spill_all: head.spills, ..CodegenOptions::default() };
    let strategy = F::first(head.generation, &options);
    let role = gpucc_container::ProgramRole::Main;
    let source = &module.entries[0].stage;
    let job =
        Job { module: &module, whole: &module, generation: head.generation, options: &options, strategy, source, role };
    let (target, state) = F::bare(&job, &head.given);
    let code = parse(text, &target)?;
    let physical =
        |i: &MInst<F::Target>| i.target_op().is_some() && i.vreg_defs().chain(i.vreg_uses()).next().is_none();
    let all = code.code.iter().flatten().all(physical) && code.blocks.iter().all(|b| b.params.is_empty());
    let form = if all { Form::Physical } else { Form::Virtual };
    let mut w = Walk { cx: CompileCx::new(job, target, state), code, form, last: text.lines().count() };
    w.check("before the first pass")?;
    for (place, name) in head.passes {
        let Some(pass) = F::PASSES.iter().find(|p| p.name == name) else {
            let all = machine_names::<F>().join(", ");
            return Err(ParseError { message: format!("no machine pass `{name}`; available: {all}"), ..place });
        };
        w.step(pass, &place)?;
    }
    finish(w)
}

/// Runs the passes that a text asks for and gives the code they leave. The verifier runs before them and after each.
///
/// # Errors
/// A fault of the text, a pass that does not exist (those there are are listed), or what a pass refuses, each with its place.
pub fn run_text<F: Family>(text: &str) -> Result<String, ParseError> {
    walk::<F, _>(text, |w| Ok(print(&w.code, &w.cx.target)))
}
