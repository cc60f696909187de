//! What a module says of types, members and variables.

use std::collections::BTreeMap;

use gpucc_ir::DepthLayout;

use crate::module::code::*;
use crate::module::string;

const DEPTH_GREATER: u32 = 14;
const DEPTH_LESS: u32 = 15;
const DEPTH_UNCHANGED: u32 = 16;

/// The parts of a module that are asked here.
#[derive(Default)]
pub struct Tables<'a> {
    /// Names of members, by type and member.
    pub names: BTreeMap<(u32, u32), String>,
    /// Values of member decorations, by type, member and decoration.
    pub members: BTreeMap<(u32, u32, u32), u32>,
    /// Values of decorations, by id and decoration.
    pub ids: BTreeMap<(u32, u32), u32>,
    /// Instruction and operands of each type, by id.
    pub types: BTreeMap<u32, (u16, &'a [u32])>,
    /// First words of constants, by id.
    pub constants: BTreeMap<u32, u32>,
    /// Type, id and storage class of variables.
    pub variables: Vec<(u32, u32, u32)>,
    /// Names of entry points, by function.
    pub entries: BTreeMap<u32, String>,
    /// Promises about depths, by function.
    pub depths: Vec<(u32, DepthLayout)>,
}

impl<'a> Tables<'a> {
    /// Those of some instructions.
    pub fn new(list: &[(u16, &'a [u32])]) -> Tables<'a> {
        let mut t = Tables::default();
        for &(code, o) in list {
            match (code, o) {
                (MEMBER_NAME, [id, member, name @ ..]) => {
                    t.names.insert((*id, *member), string(name).map_or_else(String::new, |s| s.0));
                }
                (ENTRY_POINT, [_, id, name @ ..]) => {
                    t.entries.insert(*id, string(name).map_or_else(String::new, |s| s.0));
                }
                (EXECUTION_MODE, [id, DEPTH_GREATER, ..]) => t.depths.push((*id, DepthLayout::Greater)),
                (EXECUTION_MODE, [id, DEPTH_LESS, ..]) => t.depths.push((*id, DepthLayout::Less)),
                (EXECUTION_MODE, [id, DEPTH_UNCHANGED, ..]) => t.depths.push((*id, DepthLayout::Unchanged)),
                (MEMBER_DECORATE, [id, member, what, n]) => {
                    t.members.insert((*id, *member, *what), *n);
                }
                (DECORATE, [id, what, n]) => {
                    t.ids.insert((*id, *what), *n);
                }
                (TYPE_BOOL..=TYPE_POINTER, [id, rest @ ..]) => {
                    t.types.insert(*id, (code, rest));
                }
                (CONSTANT, [_, id, n, ..]) => {
                    t.constants.insert(*id, *n);
                }
                (VARIABLE, [ty, id, storage, ..]) => t.variables.push((*ty, *id, *storage)),
                _ => {}
            }
        }
        t
    }

    /// The instruction of a type and its operands; nothing of what is no type.
    pub fn ty(&self, ty: u32) -> (u16, &'a [u32]) {
        self.types.get(&ty).copied().unwrap_or((0, &[]))
    }
}
