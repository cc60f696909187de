//! naga's errors, panics and our limits as [`Diagnostic`]s.

use crate::guard::scan::Exceeded;
pub use gpucc_frontend_common::report::{broke, contradiction, guarded, limit, unsupported};
use gpucc_ir::{Diagnostic, Refusal, Span};
use std::error::Error;

/// A naga span as ours; naga marks unknown places with `0..0` too.
pub fn span(span: naga::Span) -> Span {
    span.to_range().map_or(Span::UNKNOWN, |range| Span::new(range.start as u32, range.end as u32))
}

/// The message of an error and all its causes.
fn chain(error: &dyn Error) -> Vec<String> {
    let mut causes = Vec::new();
    let mut source = error.source();
    while let Some(cause) = source {
        causes.push(cause.to_string());
        source = cause.source();
    }
    causes
}

/// A limit that the source exceeds.
pub fn exceeded(found: &Exceeded) -> Diagnostic {
    let span = Span::new(found.span.start as u32, found.span.end as u32);
    let diagnostic = limit(&found.limit);
    if span.is_known() { diagnostic.at(span, "here the limit is passed") } else { diagnostic }
}

/// A WGSL parse error with all its labels.
pub fn wgsl(error: &naga::front::wgsl::ParseError) -> Diagnostic {
    let mut diagnostic = Diagnostic::invalid("parse", error.message());
    for (at, text) in error.labels() {
        diagnostic = diagnostic.at(span(at), text);
    }
    error.notes().fold(diagnostic, |diagnostic, note| diagnostic.note(note))
}

/// GLSL parse errors, one diagnostic each.
pub fn glsl(errors: &naga::front::glsl::ParseErrors) -> Vec<Diagnostic> {
    let report = |error: &naga::front::glsl::Error| {
        Diagnostic::invalid("parse", crate::spelled::message(&error.kind)).at(span(error.meta), "")
    };
    errors.errors.iter().map(report).collect()
}

/// A SPIR-V parse error.
pub fn spirv(error: &naga::front::spv::Error) -> Diagnostic {
    use naga::front::spv::Error as E;
    let unsupported = |text: String| self::unsupported(Refusal::Spirv, &text, Span::UNKNOWN);
    let diagnostic = match error {
        E::UnsupportedInstruction(_, op) => unsupported(format!("`Op{op:?}`")),
        E::AtomicUpgradeError(_) => unsupported("an atomic operation on memory that a function was given".to_string()),
        E::UnsupportedExtInst(_)
        | E::UnsupportedType(_)
        | E::UnsupportedBuiltIn(_)
        | E::UnsupportedControlFlow(_)
        | E::UnsupportedImageDim(_)
        | E::UnsupportedImageFormat(_)
        | E::UnsupportedRuntimeArrayStorageClass
        | E::UnsupportedMatrixStride { .. }
        | E::UnsupportedGroupOperation(_)
        | E::InvalidStorageImageWithoutFormat
        | E::NonBindingArrayOfImageOrSamplers => unsupported(error.to_string()),
        _ => Diagnostic::invalid("parse", error.to_string()),
    };
    chain(error).into_iter().fold(diagnostic, Diagnostic::note)
}

/// A validation error: the innermost cause is the sentence, the outer ones say where.
pub fn validation(error: &naga::WithSpan<naga::valid::ValidationError>) -> Diagnostic {
    let mut causes = chain(error.as_inner());
    let outer = error.as_inner().to_string();
    let message = match causes.pop() {
        Some(inner) => {
            causes.insert(0, outer);
            inner
        }
        None => outer,
    };
    let mut diagnostic = Diagnostic::invalid("validation", message);
    for (at, text) in error.spans() {
        diagnostic = diagnostic.at(span(*at), text.clone());
    }
    causes.into_iter().fold(diagnostic, Diagnostic::note)
}

/// Whether the error is about where members and elements lie.
pub fn is_layout(error: &naga::valid::ValidationError) -> bool {
    use naga::valid::{GlobalVariableError as G, TypeError as T, ValidationError as E};
    match error {
        E::Type { source, .. } => {
            matches!(source, T::InvalidArrayStride { .. } | T::MemberOverlap { .. } | T::MemberOutOfBounds { .. })
        }
        E::GlobalVariable { source, .. } => matches!(source, G::Alignment(..)),
        _ => false,
    }
}

/// Whether the error is about what an operation between lanes of a subgroup takes.
pub fn is_lanes(error: &naga::valid::ValidationError) -> bool {
    use naga::valid::{EntryPointError as P, FunctionError as F, ValidationError as E};
    let function = |e: &F| matches!(e, F::InvalidSubgroup(naga::valid::SubgroupError::InvalidOperand(_)));
    match error {
        E::Function { source, .. } => function(source),
        E::EntryPoint { source: P::Function(source), .. } => function(source),
        _ => false,
    }
}

/// naga itself gave up in a way it should not.
pub fn panicked(step: &str, text: &str) -> Diagnostic {
    Diagnostic::invalid("frontend-panic", format!("naga cannot {step} this input: it stopped at an internal check"))
        .note(text.lines().next().unwrap_or("").to_string())
}

/// The line and column of a byte, both from 1; the column counts characters.
pub fn line_column(source: &str, offset: u32) -> (usize, usize) {
    let mut at = (offset as usize).min(source.len());
    while !source.is_char_boundary(at) {
        at -= 1;
    }
    let before = &source[..at];
    let line_start = before.rfind('\n').map_or(0, |n| n + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}
