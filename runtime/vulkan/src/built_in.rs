//! Built-in values that the driver gives: the number of a view, the number of an indirect draw, and workgroups that do not begin at 0. The
//! compiler takes all of these as 0. Here their loads become loads of a uniform buffer at a binding that no application has.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::fail::{Done, Fail};

/// Group and binding of the buffer.
pub const BINDING: (u32, u32) = (0, 0xfff0);

/// Values of built-ins that a command gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// Number of the view that is drawn.
    pub view: u32,
    /// Number of a draw in an indirect one.
    pub draw: u32,
    /// Number of the first workgroup, in x, y and z.
    pub group: [u32; 3],
    /// Number of the first invocation, in x, y and z.
    pub invocation: [u32; 3],
}

impl Values {
    /// The bytes of the buffer: members begin where `Given` says.
    pub fn bytes(&self) -> Vec<u8> {
        let ([a, b, c], [x, y, z]) = (self.group, self.invocation);
        [self.view, self.draw, 0, 0, a, b, c, 0, x, y, z, 0].iter().flat_map(|w| w.to_le_bytes()).collect()
    }
}

/// A built-in value: its number, where it lies in the buffer, and whether it is added to what the machine has.
struct Given {
    built_in: u32,
    offset: u32,
    added: bool,
}

const VIEW: Given = Given { built_in: 4440, offset: 0, added: false };
const DRAW: Given = Given { built_in: 4426, offset: 4, added: false };
const GROUP: Given = Given { built_in: 26, offset: 16, added: true };
const INVOCATION: Given = Given { built_in: 28, offset: 32, added: true };

/// Opcodes, and the numbers of what decorations and types name.
pub(crate) mod op {
    pub const ENTRY_POINT: u32 = 15;
    pub const TYPE_INT: u32 = 21;
    pub const TYPE_STRUCT: u32 = 30;
    pub const TYPE_POINTER: u32 = 32;
    pub const CONSTANT: u32 = 43;
    pub const FUNCTION: u32 = 54;
    pub const FUNCTION_CALL: u32 = 57;
    pub const VARIABLE: u32 = 59;
    pub const LOAD: u32 = 61;
    pub const COPY_MEMORY: u32 = 63;
    pub const COPY_MEMORY_SIZED: u32 = 64;
    pub const ACCESS_CHAIN: u32 = 65;
    pub const IN_BOUNDS_ACCESS_CHAIN: u32 = 66;
    pub const DECORATE: u32 = 71;
    pub const MEMBER_DECORATE: u32 = 72;
    pub const COPY_OBJECT: u32 = 83;
    pub const ADD: u32 = 128;

    pub const BLOCK: u32 = 2;
    pub const BUILT_IN: u32 = 11;
    pub const BINDING: u32 = 33;
    pub const DESCRIPTOR_SET: u32 = 34;
    pub const OFFSET: u32 = 35;
    pub const UNIFORM: u32 = 2;
}

/// Words of the header; the fourth is the bound of ids.
pub(crate) const HEADER: usize = 5;
/// First version in which entry points name all variables that they use.
const NAMES_ALL: u32 = 0x1_0400;

/// The instructions: opcode and all words.
pub(crate) fn instructions(words: &[u32]) -> impl Iterator<Item = (u32, &[u32])> {
    let mut at = HEADER;
    std::iter::from_fn(move || {
        let first = *words.get(at)?;
        let n = (first >> 16) as usize;
        let all = words.get(at..at + n).filter(|_| n > 0)?;
        at += n;
        Some((first & 0xffff, all))
    })
}

pub(crate) fn put(out: &mut Vec<u32>, code: u32, operands: &[u32]) {
    out.push((operands.len() as u32 + 1) << 16 | code);
    out.extend(operands);
}

/// A variable of a built-in value.
#[derive(Clone, Copy)]
struct Variable {
    id: u32,
    /// The type of the value.
    ty: u32,
    given: &'static Given,
    /// Number of its member.
    member: u32,
}

/// A load that becomes one of the buffer.
struct Load {
    from: Variable,
    /// Components that an access chain chose.
    indices: Vec<u32>,
}

/// The module while it is changed.
struct Edit {
    words: Vec<u32>,
    variables: Vec<Variable>,
    /// The type of members' numbers.
    int: u32,
    /// Pointers into access chains of the variables.
    chains: BTreeMap<u32, (Variable, Vec<u32>)>,
    next: u32,
}

impl Edit {
    fn new(code: &[u8], wanted: &[&'static Given]) -> Option<Edit> {
        let words: Vec<u32> = code.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
        let mut variables: Vec<Variable> = Vec::new();
        let mut chains = BTreeMap::new();
        let mut int = None;
        let mut decorated: BTreeMap<u32, &'static Given> = BTreeMap::new();
        let mut pointees: BTreeMap<u32, u32> = BTreeMap::new();
        for (code, w) in instructions(&words) {
            match (code, w) {
                (op::DECORATE, &[_, id, op::BUILT_IN, number]) => {
                    decorated.extend(wanted.iter().find(|g| g.built_in == number).map(|g| (id, *g)));
                }
                (op::TYPE_INT, &[_, id, 32, _]) if int.is_none() => int = Some(id),
                (op::TYPE_POINTER, &[_, id, _, ty]) => drop(pointees.insert(id, ty)),
                (op::VARIABLE, &[_, pointer, id, ..]) => {
                    if let (Some(given), Some(&ty)) = (decorated.get(&id), pointees.get(&pointer)) {
                        variables.push(Variable { id, ty, given, member: variables.len() as u32 });
                    }
                }
                (op::ACCESS_CHAIN | op::IN_BOUNDS_ACCESS_CHAIN, [_, _, id, base, indices @ ..]) => {
                    if let Some(v) = variables.iter().find(|v| v.id == *base) {
                        chains.insert(*id, (*v, indices.to_vec()));
                    }
                }
                _ => {}
            }
        }
        let next = *words.get(3)?;
        (!variables.is_empty()).then_some(Edit { words, variables, int: int?, chains, next })
    }

    fn id(&mut self) -> u32 {
        self.next = self.next.saturating_add(1);
        self.next - 1
    }

    fn load_of(&self, pointer: u32) -> Option<Load> {
        let whole = self.variables.iter().find(|v| v.id == pointer).map(|v| Load { from: *v, indices: Vec::new() });
        whole.or_else(|| self.chains.get(&pointer).map(|(v, i)| Load { from: *v, indices: i.clone() }))
    }

    /// Whether an instruction hands the variable itself on, where its loads cannot be seen.
    fn hands_on(&self, code: u32, w: &[u32]) -> bool {
        let moves = matches!(code, op::FUNCTION_CALL | op::COPY_MEMORY | op::COPY_MEMORY_SIZED | op::COPY_OBJECT);
        moves && w[1..].iter().any(|id| self.load_of(*id).is_some())
    }

    fn run(mut self) -> Done<Vec<u32>> {
        let words = std::mem::take(&mut self.words);
        let (block, pointer, buffer) = (self.id(), self.id(), self.id());
        let members: Vec<u32> = (0..self.variables.len()).map(|_| self.id()).collect();
        // A pointer for each type that is loaded.
        let mut pointers: BTreeMap<u32, u32> = BTreeMap::new();
        for (code, w) in instructions(&words) {
            if self.hands_on(code, w) {
                return Err(Fail::lacks("a pointer to a built-in value of the driver is handed on"));
            }
            if let (op::LOAD, &[_, ty, _, from, ..]) = (code, w)
                && self.load_of(from).is_some()
                && !pointers.contains_key(&ty)
            {
                let id = self.id();
                pointers.insert(ty, id);
            }
        }
        let mut out = words[..HEADER].to_vec();
        let (mut decorated, mut declared) = (false, false);
        for (code, w) in instructions(&words) {
            if matches!(code, op::DECORATE | op::MEMBER_DECORATE) && !std::mem::replace(&mut decorated, true) {
                put(&mut out, op::DECORATE, &[block, op::BLOCK]);
                put(&mut out, op::DECORATE, &[buffer, op::DESCRIPTOR_SET, BINDING.0]);
                put(&mut out, op::DECORATE, &[buffer, op::BINDING, BINDING.1]);
                for v in &self.variables {
                    put(&mut out, op::MEMBER_DECORATE, &[block, v.member, op::OFFSET, v.given.offset]);
                }
            }
            if code == op::FUNCTION && !std::mem::replace(&mut declared, true) {
                let types = self.variables.iter().map(|v| v.ty);
                put(&mut out, op::TYPE_STRUCT, &std::iter::once(block).chain(types).collect::<Vec<_>>());
                put(&mut out, op::TYPE_POINTER, &[pointer, op::UNIFORM, block]);
                put(&mut out, op::VARIABLE, &[pointer, buffer, op::UNIFORM]);
                for (v, id) in self.variables.iter().zip(&members) {
                    put(&mut out, op::CONSTANT, &[self.int, *id, v.member]);
                }
                for (ty, id) in &pointers {
                    put(&mut out, op::TYPE_POINTER, &[*id, op::UNIFORM, *ty]);
                }
            }
            match (code, w) {
                (op::ENTRY_POINT, [_, all @ ..]) if words[1] >= NAMES_ALL => {
                    let all: Vec<u32> = all.iter().copied().chain([buffer]).collect();
                    put(&mut out, code, &all);
                }
                (op::LOAD, &[first, ty, result, from, ref rest @ ..]) if self.load_of(from).is_some() => {
                    let Some(load) = self.load_of(from) else { continue };
                    let (place, own) = (self.id(), self.id());
                    let mut chain = vec![pointers[&ty], place, buffer, members[load.from.member as usize]];
                    chain.extend(&load.indices);
                    put(&mut out, op::ACCESS_CHAIN, &chain);
                    if load.from.given.added {
                        let machine = self.id();
                        put(&mut out, op::LOAD, &[ty, own, place]);
                        out.extend([first, ty, machine, from].iter().chain(rest));
                        put(&mut out, op::ADD, &[ty, result, machine, own]);
                    } else {
                        put(&mut out, op::LOAD, &[ty, result, place]);
                    }
                }
                _ => out.extend(w),
            }
        }
        out[3] = self.next;
        Ok(out)
    }
}

/// The module, with loads of the buffer where it loads one of the values. `moved` says whether dispatches may begin elsewhere than at workgroup 0.
///
/// # Errors
/// The module does something else with them than to load them.
pub fn given(code: &[u8], moved: bool) -> Done<Cow<'_, [u8]>> {
    let wanted: &[&'static Given] = if moved { &[&VIEW, &DRAW, &GROUP, &INVOCATION] } else { &[&VIEW, &DRAW] };
    match Edit::new(code, wanted) {
        None => Ok(Cow::Borrowed(code)),
        Some(edit) => Ok(Cow::Owned(edit.run()?.iter().flat_map(|w| w.to_le_bytes()).collect())),
    }
}
