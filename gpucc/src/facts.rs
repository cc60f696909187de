//! Facts of the source that go into a container beside the code: names, promises, and the bytes of buffers that are touched.

use gpucc_container::{self as container, Entry, Facts, ResourceKind};
use gpucc_driver::Output;
use gpucc_ir::{Attr, Module, Place};

/// The facts of an entry that was compiled of a module; nothing where there are none.
pub(crate) fn of(module: &Module, out: &Output) -> Option<Box<Facts>> {
    let entry = &out.entry;
    let declared = module.declared.depths.iter().find(|d| d.0 == entry.name).map(|d| d.1);
    let facts = Facts {
        depth: declared.map_or(container::DepthLayout::Any, |d| match d {
            gpucc_ir::DepthLayout::Any => container::DepthLayout::Any,
            gpucc_ir::DepthLayout::Greater => container::DepthLayout::Greater,
            gpucc_ir::DepthLayout::Less => container::DepthLayout::Less,
            gpucc_ir::DepthLayout::Unchanged => container::DepthLayout::Unchanged,
        }),
        slots: slots(module, entry),
        members: members(module, entry),
        ranges: ranges(&out.ir, entry),
        reads: reads(&out.ir),
    };
    (facts != Facts::default()).then(|| Box::new(facts))
}

/// Names of inputs and outputs. What lowering added has none.
fn slots(module: &Module, entry: &Entry) -> Vec<(u32, String)> {
    let point = module.entries.iter().find(|e| e.name == entry.name);
    let Some(io) = point.and_then(|e| e.interface()) else { return Vec::new() };
    let name = |(n, r): (usize, &container::InterfaceRow)| {
        let list = if r.output { &io.outputs } else { &io.inputs };
        let slot = list.iter().find(|s| s.at == r.at && !s.name.is_empty())?;
        Some((n as u32, slot.name.clone()))
    };
    entry.interface.iter().enumerate().filter_map(name).collect()
}

/// Members of the buffers that the entry uses.
fn members(module: &Module, entry: &Entry) -> Vec<container::Member> {
    let mut out = Vec::new();
    for (n, r) in entry.resources.iter().enumerate().filter(|(_, r)| r.kind.is_buffer()) {
        // Elements of an array of buffers are rows of their own, made the same.
        let binding = if r.kind == ResourceKind::Immediates { r.binding } else { r.binding & 0xffff };
        let own = module.declared.members.iter().filter(|m| (m.group, m.binding) == (r.group, binding));
        out.extend(own.map(|m| container::Member {
            resource: n as u32,
            name: m.name.clone(),
            ty: m.ty.clone(),
            offset: m.offset,
            size: m.size,
            count: m.count,
            stride: m.stride,
        }));
    }
    out
}

/// Values of the launch and the rasteriser that the code reads, in the order of their list.
fn reads(ir: &Module) -> Vec<String> {
    let mut found = Vec::new();
    for (_, f) in ir.funcs.iter() {
        for (_, i) in f.insts_in_order() {
            if let Attr::Sysval(v) = f.insts[i].attr {
                found.push(v);
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found.iter().map(|v| v.name().to_string()).collect()
}

/// Bytes of buffers that the code touches: of the IR that selection read.
fn ranges(ir: &Module, entry: &Entry) -> Vec<(u32, u32, u32)> {
    let mut found: Vec<Option<(u32, u32)>> = vec![None; entry.resources.len()];
    let row = |group, binding| {
        entry.resources.iter().position(|r| r.kind.is_buffer() && (r.group, r.binding) == (group, binding))
    };
    for (_, f) in ir.funcs.iter() {
        for (_, i) in f.insts_in_order() {
            let d = &f.insts[i];
            let (Some(m), Some(Place::Buffer(r))) = (d.mem(), d.place()) else { continue };
            let r = &ir.resources[r];
            let Some(row) = row(r.group, r.binding) else { continue };
            let end = if d.dyn_offset().is_some() { u32::MAX } else { m.offset.saturating_add(f.access_bytes(i)) };
            let (first, last) = found[row].unwrap_or((m.offset, end));
            found[row] = Some((first.min(m.offset), last.max(end)));
        }
    }
    let some = |(n, r): (usize, Option<(u32, u32)>)| r.map(|(first, end)| (n as u32, first, end));
    found.into_iter().enumerate().filter_map(some).collect()
}
