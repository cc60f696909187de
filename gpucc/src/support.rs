//! `docs/support.md`: what is refused, made from the list of codes and what each backend says of them.

use std::fmt::Write;

use gpucc_driver::Backend;
use gpucc_ir::Stage;
use gpucc_ir::refusal::{Kind, Refusal, Unsupported};

use gpucc_frontend_spirv::capabilities::Verdict;

use crate::backends;

/// The family's answer about a code, as a cell of the table.
fn cell(b: &dyn Backend, code: Refusal) -> String {
    let rows: Vec<&Unsupported> = b.unsupported().iter().filter(|l| l.code == code).collect();
    let refused = |c: &Refusal| b.unsupported().iter().any(|l| l.code == *c);
    let rest = code.whole().filter(refused).map_or_else(|| "runs".into(), |c| format!("as `{c}`"));
    if rows.is_empty() {
        return rest;
    }
    let one = |l: &&Unsupported| {
        let mut place = if l.on.is_empty() { String::new() } else { format!(" on {}", l.on.join(", ")) };
        if !l.stages.is_empty() {
            let names: Vec<&str> = l.stages.iter().map(|s| s.name()).collect();
            let _ = write!(place, " in {} entry points", names.join(" and "));
        }
        let what = if code.kind() == Kind::Feature || code == Refusal::Atomics { "refused" } else { "limit" };
        format!("{what}{place}: {}", l.why)
    };
    let mut text = rows.iter().map(one).collect::<Vec<_>>().join("; ");
    let whole = |g: &&str| Stage::ALL.iter().all(|&s| rows.iter().any(|l| l.is_on(g) && l.is_in(s)));
    if !b.generations().iter().all(whole) {
        let _ = write!(text, "; else {rest}");
    }
    text
}

/// The page of refusals, as `cargo xtask docs` writes it.
pub fn page() -> String {
    let mut o = String::from(
        "# What is refused, where, and why\n\nMade by `cargo xtask docs` from the list of codes (`ir/src/refusal.rs`) and from what each \
         backend says of them (`UNSUPPORTED`); `tests/tests/house/support.rs` holds every cell that a shader can try. A refusal is exit code 3, with a message that names code, \
         target and place, and nothing is written. Everything else that is right compiles: an op that selection does not know is a bug of the \
         compiler (exit code 70). `interp` is the interpreter of the IR; its runs have 16 MiB for variables.\n",
    );
    let sections = [
        ("Features of the language and of the command", &[Kind::Feature][..], ""),
        (
            "Limits of a chip",
            &[Kind::Chip, Kind::Capacity][..],
            "A limit is the most that there may be; above it the shader is refused. Where registers run out, values go to memory of the \
             invocation or to lanes of other registers, as the page of the family's ABI says; a chip that has neither refuses the shader.\n\n",
        ),
    ];
    for (title, kinds, text) in sections {
        let _ = write!(o, "\n## {title}\n\n{text}| code | what the shader has or wants | interp |");
        for b in backends() {
            let _ = write!(o, " {} |", b.family());
        }
        o.push_str("\n|---|---|---|");
        backends().iter().for_each(|_| o.push_str("---|"));
        o.push('\n');
        for &code in Refusal::ALL.iter().filter(|c| kinds.contains(&c.kind())) {
            let _ = write!(o, "| `{code}` | {} |", code.what());
            match code.everywhere() {
                Some(why) => {
                    let _ = write!(o, " refused: {why} |");
                    backends().iter().for_each(|_| o.push_str(" refused |"));
                }
                None => {
                    o.push_str(" runs |");
                    for &b in backends() {
                        let _ = write!(o, " {} |", cell(b, code));
                    }
                }
            }
            o.push('\n');
        }
    }
    o.push_str(
        "\n## SPIR-V by capability\n\nA module is judged by its instructions, not by what it declares. `runs`: it is lowered to IR, and the tables above say \
         what becomes of it on a target. `tests/tests/house/spirv_support.rs` holds each row. An instruction that has no counterpart is refused by its \
         name, with the code of what it belongs to.\n\n| capability | a module that needs it |\n|---|---|\n",
    );
    rows(&mut o, gpucc_frontend_spirv::capabilities::ROWS);
    o.push_str(
        "\n## SPIR-V of draws by form\n\nThe same of what vertex and fragment shaders have. Scenes with values that were worked out by hand are in \
         `tests/vulkan/forms`, programs in the style of what ships in `tests/vulkan`.\n\n| form | a module that has it |\n|---|---|\n",
    );
    rows(&mut o, gpucc_frontend_spirv::capabilities::GRAPHICS);
    o.push_str(
        "\nThe programs in `examples/` run on every generation at every level, but for `histogram.wgsl`, which wants `atomics`. Limits of the \
         frontend on size and nesting of the source are in [frontend.md](frontend.md).\n",
    );
    o
}

/// Rows of a table of SPIR-V.
fn rows(o: &mut String, list: &[gpucc_frontend_spirv::capabilities::Row]) {
    for (name, verdict) in list {
        let _ = match verdict {
            Verdict::Runs => writeln!(o, "| {name} | runs |"),
            Verdict::Refused(code) => writeln!(o, "| {name} | refused: `{}` |", code.name()),
        };
    }
}
