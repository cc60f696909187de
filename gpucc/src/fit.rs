//! Whether an entry point fits the state of a pipeline.

use gpucc_ir::{Diagnostic, EntryPoint, IoAt, StageInfo};
use gpucc_pipeline::{Base, Pipeline};

pub(crate) fn wrong(message: String) -> Diagnostic {
    Diagnostic::invalid("pipeline", message)
}

/// That the attributes and targets of a pipeline are what an entry point reads and gives. A compute entry fits every pipeline; an output
/// without a target is dropped.
///
/// # Errors
/// Class `Invalid`: the first one that is not there or is of another type.
pub fn fits(e: &EntryPoint, p: &Pipeline) -> Result<(), Diagnostic> {
    let (slots, is_vertex) = match &e.stage {
        StageInfo::Vertex(io) => (&io.inputs, true),
        StageInfo::Fragment { io, .. } => (&io.outputs, false),
        StageInfo::Compute { .. } => return Ok(()),
    };
    for s in slots {
        let IoAt::Location { number, .. } = s.at else { continue };
        let wrong = |text: String| wrong(text).at(if s.span.is_known() { s.span } else { e.span }, "");
        let base = if is_vertex {
            let attributes = p.vertex.iter().flatten().flat_map(|b| &b.attributes);
            let found = attributes.filter(|a| a.location == u32::from(number)).map(|a| a.format.base()).next();
            let missing = || wrong(format!("`{}` reads location {number}, and no vertex buffer has it", e.name));
            Some(found.ok_or_else(missing)?)
        } else {
            p.targets.get(usize::from(number)).and_then(|t| t.as_ref()).map(|t| t.format.base())
        };
        let Some(base) = base else { continue };
        if s.ty.is_float() != (base == Base::Float) {
            let (has, wants) = if s.ty.is_float() { ("integers", "floats") } else { ("floats", "integers") };
            return Err(wrong(format!("location {number} of `{}` has {wants}, that of the pipeline {has}", e.name)));
        }
    }
    Ok(())
}
