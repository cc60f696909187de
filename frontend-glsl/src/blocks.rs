//! Blocks of a module, and the one that loose uniforms came into.

use crate::module::code::*;
use crate::module::{instructions, words};
use crate::stage::Stage;
use crate::tables::Tables;
use crate::text::{LOOSE_GROUP, loose_binding};

/// A uniform outside of blocks, as a member of the block that it came into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Name of the member in the source.
    pub name: String,
    /// Where it begins in the block, in bytes.
    pub offset: u32,
    /// The shape of its type.
    pub shape: Shape,
}

/// The shape of a member's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Whether its scalars are floats; else they are integers, booleans among them.
    pub is_float: bool,
    /// Rows of a matrix, components of a vector; 1 of a scalar.
    pub rows: u32,
    /// Columns of a matrix; 1 of everything else.
    pub columns: u32,
    /// Elements of an array; 0 if it is none.
    pub elements: u32,
    /// Whether it is something else, such as a structure.
    pub is_other: bool,
}

/// A block of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Group and binding; none of push constants.
    pub place: Option<(u32, u32)>,
    /// Its members, in order of their offsets.
    pub members: Vec<Member>,
}

/// The blocks of a module, of which a variable may be an array.
pub fn blocks(bytes: &[u8]) -> Vec<Block> {
    let all = words(bytes);
    let Some(list) = instructions(&all) else { return Vec::new() };
    let t = Tables::new(&list);
    let block = |&(ty, id, storage): &(u32, u32, u32)| {
        let (TYPE_POINTER, [_, to]) = t.ty(ty) else { return None };
        let to = if let (TYPE_ARRAY, [of, _]) = t.ty(*to) { *of } else { *to };
        let (TYPE_STRUCT, members) = t.ty(to) else { return None };
        let member = |(k, &ty): (u32, &u32)| {
            let name = t.names.get(&(to, k)).cloned().unwrap_or_default();
            Some(Member { name, offset: *t.members.get(&(to, k, OFFSET))?, shape: shape(&t, ty) })
        };
        let mut members: Vec<Member> = (0..).zip(members).filter_map(member).collect();
        members.sort_by_key(|m| m.offset);
        let of = |what| t.ids.get(&(id, what)).copied().unwrap_or(0);
        Some(Block { place: (storage != PUSH_CONSTANT).then(|| (of(SET), of(BINDING))), members })
    };
    t.variables.iter().filter_map(block).filter(|b| !b.members.is_empty()).collect()
}

/// The uniforms outside of blocks of a module that [`crate::read`] made of a stage, in order of their offsets.
pub fn loose_uniforms(bytes: &[u8], stage: Stage) -> Vec<Member> {
    let place = Some((LOOSE_GROUP, loose_binding(stage)));
    blocks(bytes).into_iter().find(|b| b.place == place).map(|b| b.members).unwrap_or_default()
}

fn shape(t: &Tables<'_>, ty: u32) -> Shape {
    let other = Shape { is_float: false, rows: 1, columns: 1, elements: 0, is_other: true };
    match t.ty(ty) {
        (TYPE_FLOAT, [32, ..]) => Shape { is_float: true, is_other: false, ..other },
        (TYPE_INT, [32, ..]) => Shape { is_other: false, ..other },
        (TYPE_VECTOR, [of, n]) => Shape { rows: *n, ..shape(t, *of) },
        (TYPE_MATRIX, [of, n]) => Shape { columns: *n, ..shape(t, *of) },
        (TYPE_ARRAY, [of, n]) => Shape { elements: t.constants.get(n).copied().unwrap_or(0), ..shape(t, *of) },
        _ => other,
    }
}
