//! Arrays of descriptors without a size get the one of the pipeline's layout: the compiler takes such an array for one of eight elements.
//!
//! Contract: a variable that is an array of buffers, images or samplers without a size, and of which code takes elements alone, becomes an array of as
//! many elements as its binding has. Everything else stays as it is, and so does a module without such variables.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::built_in::{HEADER, instructions, op, put};

/// Storage classes of descriptors: images and samplers, uniform and storage buffers.
const DESCRIPTORS: [u32; 3] = [0, op::UNIFORM, 12];

const TYPE_ARRAY: u32 = 28;
const TYPE_RUNTIME_ARRAY: u32 = 29;

/// A variable that gets a size.
struct Variable {
    class: u32,
    /// The type of an element.
    element: u32,
    count: u32,
}

/// The operands of an instruction that may be pointers and are handed on as a whole.
fn handed_on(code: u32, w: &[u32]) -> &[u32] {
    const STORE: u32 = 62;
    const PTR_ACCESS_CHAIN: u32 = 67;
    const IN_BOUNDS_PTR_ACCESS_CHAIN: u32 = 70;
    const SELECT: u32 = 169;
    const PHI: u32 = 245;
    const RETURN_VALUE: u32 = 254;
    let range = match code {
        op::LOAD | op::COPY_OBJECT | PTR_ACCESS_CHAIN | IN_BOUNDS_PTR_ACCESS_CHAIN => 3..4,
        STORE | op::COPY_MEMORY | op::COPY_MEMORY_SIZED => 1..3,
        op::FUNCTION_CALL | SELECT => 4..w.len(),
        PHI => 3..w.len(),
        RETURN_VALUE => 1..w.len(),
        _ => 0..0,
    };
    w.get(range).unwrap_or_default()
}

/// Arrays without a size, of which only elements are taken, by their ids.
fn arrays(words: &[u32], count: impl Fn(u32, u32) -> Option<u32>) -> BTreeMap<u32, Variable> {
    let mut runtime: BTreeMap<u32, u32> = BTreeMap::new();
    let mut pointers: BTreeMap<u32, u32> = BTreeMap::new();
    let (mut sets, mut bindings) = (BTreeMap::new(), BTreeMap::new());
    let mut found: BTreeMap<u32, Variable> = BTreeMap::new();
    for (code, w) in instructions(words) {
        match (code, w) {
            (op::DECORATE, &[_, id, op::DESCRIPTOR_SET, set]) => drop(sets.insert(id, set)),
            (op::DECORATE, &[_, id, op::BINDING, binding]) => drop(bindings.insert(id, binding)),
            (TYPE_RUNTIME_ARRAY, &[_, id, element]) => drop(runtime.insert(id, element)),
            (op::TYPE_POINTER, &[_, id, _, ty]) => drop(pointers.insert(id, ty)),
            (op::VARIABLE, &[_, pointer, id, class, ..]) if DESCRIPTORS.contains(&class) => {
                let element = pointers.get(&pointer).and_then(|ty| runtime.get(ty));
                let count = sets.get(&id).zip(bindings.get(&id)).and_then(|(s, b)| count(*s, *b)).filter(|n| *n > 0);
                if let Some((&element, count)) = element.zip(count) {
                    found.insert(id, Variable { class, element, count });
                }
            }
            // Whoever has the whole array has its type, too.
            _ => {
                for id in handed_on(code, w) {
                    found.remove(id);
                }
            }
        }
    }
    found
}

/// The module, with sizes where `count` knows the elements of a set and a binding.
pub fn sized(code: &[u8], count: impl Fn(u32, u32) -> Option<u32>) -> Cow<'_, [u8]> {
    let words: Vec<u32> = code.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
    let found = arrays(&words, count);
    let Some(mut next) = words.get(3).copied().filter(|_| !found.is_empty()) else { return Cow::Borrowed(code) };
    let mut id = || {
        next = next.saturating_add(1);
        next - 1
    };
    let mut out = words[..HEADER].to_vec();
    let mut int = None;
    let mut done = BTreeSet::new();
    for (code, w) in instructions(&words) {
        match (code, w) {
            (op::TYPE_INT, &[_, own, 32, 0]) => {
                int.get_or_insert(own);
                // One that stands here already is not declared twice.
                if done.insert(own) {
                    out.extend(w);
                }
            }
            (op::VARIABLE, &[first, _, own, ref rest @ ..]) if found.contains_key(&own) => {
                let v = &found[&own];
                let int = *int.get_or_insert_with(|| {
                    let later = instructions(&words).find(|i| i.0 == op::TYPE_INT && matches!(i.1, [_, _, 32, 0]));
                    let own = later.map_or_else(&mut id, |i| i.1[1]);
                    put(&mut out, op::TYPE_INT, &[own, 32, 0]);
                    done.insert(own);
                    own
                });
                let (size, array, pointer) = (id(), id(), id());
                put(&mut out, op::CONSTANT, &[int, size, v.count]);
                put(&mut out, TYPE_ARRAY, &[array, v.element, size]);
                put(&mut out, op::TYPE_POINTER, &[pointer, v.class, array]);
                out.extend([first, pointer, own].iter().chain(rest));
            }
            _ => out.extend(w),
        }
    }
    out[3] = next;
    Cow::Owned(out.iter().flat_map(|w| w.to_le_bytes()).collect())
}
