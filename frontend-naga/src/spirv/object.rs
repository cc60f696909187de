//! What the source calls the things that an instruction is about, for messages.

use super::binary::{Binary, Inst};
use rspirv::dr::Operand;
use rspirv::spirv::Op;
use rustc_hash::FxHashMap;

/// Instructions on the way from one to the name of what it uses.
const FAR: u32 = 6;

struct Objects<'a> {
    names: FxHashMap<u32, &'a str>,
    made_by: FxHashMap<u32, &'a Inst>,
}

impl<'a> Objects<'a> {
    fn new(module: &'a Binary) -> Objects<'a> {
        let (mut names, mut made_by) = (FxHashMap::default(), FxHashMap::default());
        for inst in module.head.iter().chain(&module.body) {
            if let (Op::Name, [id, Operand::LiteralString(name)]) = (inst.op(), inst.inst.operands.as_slice())
                && !name.is_empty()
            {
                names.extend(id.id_ref_any().map(|id| (id, name.as_str())));
            }
            made_by.extend(inst.inst.result_id.map(|id| (id, inst)));
        }
        Objects { names, made_by }
    }

    /// The name of a value, or of the first thing that it is made of and that has one.
    fn of(&self, id: u32, left: u32) -> Option<&'a str> {
        if let Some(name) = self.names.get(&id) {
            return Some(name);
        }
        let inst = self.made_by.get(&id).filter(|i| left > 0 && !i.op().is_type())?;
        inst.ids(0).into_iter().find_map(|part| self.of(part, left - 1))
    }

    /// Whether a type is another one or is made of it.
    fn has(&self, ty: u32, part: u32, left: u32) -> bool {
        ty == part
            || left > 0
                && self
                    .made_by
                    .get(&ty)
                    .is_some_and(|i| i.ids(0).into_iter().any(|below| self.has(below, part, left - 1)))
    }
}

/// What the source calls the thing that an instruction is about: the result, or the first of the operands that has a name. Of a type it is
/// the first variable with that type in it.
pub fn name<'a>(module: &'a Binary, inst: &Inst) -> Option<&'a str> {
    let objects = Objects::new(module);
    let own = inst.inst.result_id.and_then(|id| objects.names.get(&id).copied());
    if inst.op().is_type() {
        let part = inst.inst.result_id?;
        let variables = module.head.iter().filter(|i| i.op() == Op::Variable);
        let mut with = variables.filter(|i| i.inst.result_type.is_some_and(|ty| objects.has(ty, part, FAR)));
        return with.find_map(|i| objects.names.get(&i.inst.result_id?).copied()).or(own);
    }
    own.or_else(|| inst.ids(0).into_iter().find_map(|id| objects.of(id, FAR)))
}

/// The instruction of a module that does this and has this result, or without a result these operands first.
pub fn find<'a>(module: &'a Binary, op: Op, words: &[u32]) -> Option<&'a Inst> {
    let own = |i: &&Inst| match (i.inst.result_id, i.inst.result_type) {
        (Some(id), Some(_)) => words.get(1) == Some(&id),
        (Some(id), None) => words.first() == Some(&id),
        _ => i.id(0).as_ref() == words.first(),
    };
    module.head.iter().chain(&module.body).filter(|i| i.op() == op).find(own)
}
