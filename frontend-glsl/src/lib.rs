//! GLSL to SPIR-V by the reference compiler, `glslangValidator`, in a process of its own: a text that makes it fail, run on or ask for memory
//! without end fails alone.
//!
//! [`read`] takes every version from 110 and ES 100 on. What Vulkan's GLSL has not (old words, loose uniforms, places that nobody chose) is
//! brought into its form first, line by line, so that every message and every place in the module is of the author's text.

mod blocks;
mod declared;
mod kept;
mod link;
mod messages;
mod module;
mod old;
mod process;
mod stage;
mod tables;
mod text;
mod toy;
mod words;

use gpucc_ir::{Diagnostic, SourceFile};

pub use blocks::{Block, Member, Shape, blocks, loose_uniforms};
pub use declared::declared;
pub use link::link;
pub use process::{PROGRAM, has_compiler, macro_name};
pub use stage::Stage;
pub use text::{Around, Failed, LOOSE_GROUP, loose_binding};
pub use toy::{Channel, Toy, Wrapped, shadertoy};

/// Compiles a text. The module carries it, its name and the files that it includes, so that places in it are the author's.
///
/// # Errors
/// There is no compiler, or what it says: an error of the author is [`gpucc_ir::Class::Invalid`], a form that the way over SPIR-V lacks is a
/// refusal by the code `parser`.
pub fn read(text: &str, stage: Stage, around: &Around) -> Result<Vec<u8>, Failed> {
    let said = |d: Diagnostic| Failed::Said(vec![d], vec![SourceFile::new(around.name.clone(), text)]);
    if let Some(at) = text.find('\0') {
        let at = gpucc_ir::Span::new(at as u32, at as u32 + 1);
        return Err(said(Diagnostic::invalid("parse", "the source has a character with the number 0").at(at, "here")));
    }
    if let Some(d) = old::fixed_function(text) {
        return Err(said(d));
    }
    let wrapped = if stage == Stage::Fragment { shadertoy(text) } else { None };
    if stage == Stage::Fragment
        && let Some(d) = toy::elsewhere(text)
    {
        return Err(said(d));
    }
    let given = wrapped.map_or_else(|| old::modern(text, stage), |w| w.numbered(&around.toy));
    let job = process::Job { text: &given, stage, around };
    // The older environment first: modules for it say less that nobody asked for. Still older ones take arrays apart that lie otherwise in a
    // block than in a variable, in a time that grows with the square of their length.
    let done = match kept::run(&job, "vulkan1.2")? {
        process::Done::Said(said) if !messages::is_of_language(&said) => kept::run(&job, "vulkan1.3")?,
        done => done,
    };
    match done {
        process::Done::Module { words, place } => {
            module::of_author(&words, &place, &around.name, text).ok_or_else(|| {
                said(Diagnostic::internal("glsl", "the reference compiler wrote something that is no module"))
            })
        }
        process::Done::Said(said) => Err(messages::failed(&said, text, &around.name)),
        process::Done::Ended(why) => Err(said(messages::ended(&why))),
    }
}
