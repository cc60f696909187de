//! Members of buffers and promises about depths, as a module of SPIR-V has them.

use gpucc_ir::{Declared, IMMEDIATES, Member};

use crate::module::code::*;
use crate::module::{instructions, words};
use crate::tables::Tables;

/// Members of one buffer at most.
const MOST: usize = 4096;
/// Structures inside each other at most.
const DEEPEST: u32 = 32;

impl Tables<'_> {
    /// The name of a type without members.
    fn text(&self, ty: u32, depth: u32) -> String {
        let of = |ty| if depth > DEEPEST { String::new() } else { self.text(ty, depth + 1) };
        match self.ty(ty) {
            (TYPE_BOOL, _) => "bool".into(),
            (TYPE_INT, [bits, signed, ..]) => format!("{}{bits}", if *signed == 0 { "u" } else { "i" }),
            (TYPE_FLOAT, [bits, ..]) => format!("f{bits}"),
            (TYPE_VECTOR, [ty, n]) => format!("vec{n}<{}>", of(*ty)),
            (TYPE_MATRIX, [column, n]) => match self.ty(*column) {
                (TYPE_VECTOR, [ty, rows]) => format!("mat{n}x{rows}<{}>", of(*ty)),
                _ => "struct".into(),
            },
            (TYPE_ARRAY, [ty, n]) => format!("array<{}, {}>", of(*ty), self.constants.get(n).copied().unwrap_or(0)),
            (TYPE_RUNTIME_ARRAY, [ty]) => format!("array<{}>", of(*ty)),
            _ => "struct".into(),
        }
    }

    /// Bytes of a type without members; `stride` is that of a matrix's columns.
    fn size(&self, ty: u32, stride: u32, depth: u32) -> u32 {
        let of = |ty| if depth > DEEPEST { 0 } else { self.size(ty, stride, depth + 1) };
        match self.ty(ty) {
            (TYPE_INT | TYPE_FLOAT, [bits, ..]) => bits / 8,
            (TYPE_VECTOR, [ty, n]) => n.saturating_mul(of(*ty)),
            (TYPE_MATRIX, [column, n]) => n.saturating_mul(if stride == 0 { of(*column) } else { stride }),
            (TYPE_ARRAY, [_, n]) => {
                let n = self.constants.get(n).copied().unwrap_or(0);
                n.saturating_mul(self.ids.get(&(ty, ARRAY_STRIDE)).copied().unwrap_or(0))
            }
            _ => 0,
        }
    }

    /// Adds the members of a type to those of a buffer, of which `at` has all that lies around it.
    fn add(&self, ty: u32, matrix: u32, at: &Member, depth: u32, out: &mut Vec<Member>) {
        if out.len() >= MOST || depth > DEEPEST {
            return;
        }
        match self.ty(ty) {
            (TYPE_STRUCT, members) => {
                for (k, &m) in members.iter().enumerate() {
                    let k = k as u32;
                    let of = |what| self.members.get(&(ty, k, what)).copied().unwrap_or(0);
                    let own = self.names.get(&(ty, k)).map_or("_", String::as_str);
                    let dot = if at.name.is_empty() { "" } else { "." };
                    let name = format!("{}{dot}{own}", at.name);
                    let inner = Member { name, offset: at.offset.saturating_add(of(OFFSET)), ..at.clone() };
                    self.add(m, of(MATRIX_STRIDE), &inner, depth + 1, out);
                }
            }
            (TYPE_ARRAY | TYPE_RUNTIME_ARRAY, [of, n @ ..]) if at.stride == 0 => {
                let sign = if self.ty(*of).0 == TYPE_STRUCT { "[]" } else { "" };
                let inner = Member {
                    name: format!("{}{sign}", at.name),
                    count: n.first().and_then(|n| self.constants.get(n)).copied().unwrap_or(0),
                    stride: self.ids.get(&(ty, ARRAY_STRIDE)).copied().unwrap_or(0),
                    ..at.clone()
                };
                self.add(*of, matrix, &inner, depth + 1, out);
            }
            _ => out.push(Member { ty: self.text(ty, 0), size: self.size(ty, matrix, 0), ..at.clone() }),
        }
    }
}

/// The members of the buffers of a module, and what its entry points promise about depths. Of bytes that are no module there are none.
pub fn declared(spirv: &[u8]) -> Declared {
    let all = words(spirv);
    let Some(list) = instructions(&all) else { return Declared::default() };
    let t = Tables::new(&list);
    let mut members = Vec::new();
    for &(ty, id, storage) in &t.variables {
        let (TYPE_POINTER, [_, to]) = t.ty(ty) else { continue };
        // Of an array of buffers each is made the same.
        let to = match t.ty(*to) {
            (TYPE_ARRAY | TYPE_RUNTIME_ARRAY, [of, ..]) => *of,
            _ => *to,
        };
        let of = |what| t.ids.get(&(id, what)).copied().unwrap_or(0);
        let (group, binding) = match storage {
            UNIFORM | STORAGE_BUFFER => (of(SET), of(BINDING)),
            PUSH_CONSTANT => IMMEDIATES,
            _ => continue,
        };
        if t.ty(to).0 == TYPE_STRUCT {
            let mut own = Vec::new();
            t.add(to, 0, &Member { group, binding, count: 1, ..Member::default() }, 0, &mut own);
            members.extend(own);
        }
    }
    let depths = t.depths.iter().filter_map(|(id, layout)| Some((t.entries.get(id)?.clone(), *layout)));
    Declared { members, depths: depths.collect() }
}
