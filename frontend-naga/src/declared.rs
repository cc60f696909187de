//! Members of buffers and promises about depths, as naga's module has them.

use gpucc_ir::{Declared, DepthLayout, IMMEDIATES, Member};
use naga::{AddressSpace, ArraySize, ConservativeDepth, EarlyDepthTest, Handle, ScalarKind, Type, TypeInner};

use crate::Parsed;

/// Members of one buffer at most: a structure of many arrays of structures has more leaves than anybody asks for.
const MOST: usize = 4096;
/// Structures inside each other at most.
const DEEPEST: u32 = 32;

/// The array around a member.
#[derive(Clone, Copy)]
struct Array {
    count: u32,
    stride: u32,
}

struct Walk<'a> {
    module: &'a naga::Module,
    place: (u32, u32),
    out: Vec<Member>,
}

fn scalar(s: naga::Scalar) -> String {
    match s.kind {
        ScalarKind::Bool => "bool".into(),
        ScalarKind::Sint => format!("i{}", 8 * s.width),
        ScalarKind::Float => format!("f{}", 8 * s.width),
        _ => format!("u{}", 8 * s.width),
    }
}

impl Walk<'_> {
    /// The name of a type without members.
    fn text(&self, ty: Handle<Type>) -> String {
        match &self.module.types[ty].inner {
            TypeInner::Scalar(s) => scalar(*s),
            TypeInner::Vector { size, scalar: s } => format!("vec{}<{}>", *size as u8, scalar(*s)),
            TypeInner::Matrix { columns, rows, scalar: s } => {
                format!("mat{}x{}<{}>", *columns as u8, *rows as u8, scalar(*s))
            }
            TypeInner::Atomic(s) => format!("atomic<{}>", scalar(*s)),
            TypeInner::Array { base, size, .. } => match size {
                ArraySize::Constant(n) => format!("array<{}, {n}>", self.text(*base)),
                _ => format!("array<{}>", self.text(*base)),
            },
            _ => "struct".into(),
        }
    }

    fn add(&mut self, ty: Handle<Type>, name: String, offset: u32, around: Option<Array>, depth: u32) {
        if self.out.len() >= MOST || depth > DEEPEST {
            return;
        }
        match &self.module.types[ty].inner {
            TypeInner::Struct { members, .. } => {
                for m in members {
                    let dot = if name.is_empty() { "" } else { "." };
                    let own = m.name.as_deref().unwrap_or("_");
                    self.add(m.ty, format!("{name}{dot}{own}"), offset.saturating_add(m.offset), around, depth + 1);
                }
            }
            TypeInner::Array { base, size, stride } if around.is_none() => {
                let count = if let ArraySize::Constant(n) = size { n.get() } else { 0 };
                let of_structs = matches!(self.module.types[*base].inner, TypeInner::Struct { .. });
                let name = if of_structs { format!("{name}[]") } else { name };
                self.add(*base, name, offset, Some(Array { count, stride: *stride }), depth + 1);
            }
            inner => {
                let (group, binding) = self.place;
                let size = inner.size(self.module.to_ctx());
                let (count, stride) = around.map_or((1, 0), |a| (a.count, a.stride));
                self.out.push(Member { group, binding, name, ty: self.text(ty), offset, size, count, stride });
            }
        }
    }
}

impl Parsed {
    /// The members of its buffers, and what its entry points promise about depths.
    pub fn declared(&self) -> Declared {
        let mut members = Vec::new();
        for (_, v) in self.module.global_variables.iter() {
            let place = match (v.space, &v.binding) {
                (AddressSpace::Uniform | AddressSpace::Storage { .. }, Some(b)) => (b.group, b.binding),
                (AddressSpace::Immediate, _) => IMMEDIATES,
                _ => continue,
            };
            let mut walk = Walk { module: &self.module, place, out: Vec::new() };
            walk.add(v.ty, String::new(), 0, None, 0);
            members.extend(walk.out);
        }
        let layout = |e: &naga::EntryPoint| {
            let EarlyDepthTest::Allow { conservative } = e.early_depth_test? else { return None };
            let layout = match conservative {
                ConservativeDepth::GreaterEqual => DepthLayout::Greater,
                ConservativeDepth::LessEqual => DepthLayout::Less,
                ConservativeDepth::Unchanged => DepthLayout::Unchanged,
            };
            Some((e.name.clone(), layout))
        };
        Declared { members, depths: self.module.entry_points.iter().filter_map(layout).collect() }
    }
}
