//! Resources and how they are accessed, as declarations say it.

use crate::value::Lowered;
use gpucc_ir as ir;
use ir::{Diagnostic, MemFlags, Refusal, ResourceData, ResourceKind, Span};

/// A resource at a group and binding, of which no bytes are known.
pub fn resource(name: String, at: (u32, u32), kind: ResourceKind, count: u32, span: Span) -> ResourceData {
    let ((group, binding), variant) = (at, ir::Variant::Whole);
    ResourceData { name, group, binding, kind, min_size: 0, stride: 0, count, variant, span }
}

/// A group and binding that a source gives to a resource.
///
/// # Errors
/// The place that stands for immediate data.
pub fn place(at: (u32, u32), span: Span) -> Lowered<(u32, u32)> {
    if at != ir::IMMEDIATES {
        return Ok(at);
    }
    let message = format!("group {} binding {} stands for immediate data", at.0, at.1);
    Err(Diagnostic::unsupported(Refusal::BindGroup, message).at(span, "this buffer"))
}

/// The flags of accesses to what is declared so.
pub fn access_flags(coherent: bool, volatile: bool) -> MemFlags {
    let flags = if coherent { MemFlags::COHERENT } else { MemFlags::NONE };
    if volatile { flags.with(MemFlags::VOLATILE) } else { flags }
}
