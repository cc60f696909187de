//! Functions that are given pointers to workgroup or storage memory: naga takes none, and follows an atomic to its variable
//! inside of one function only.
//!
//! Such a function is written anew for each variable, or part of one, that a call gives it: the parameter becomes a chain into
//! the variable, and what is no constant among the indices becomes a parameter.

use super::binary::{Binary, Inst};
use super::types::{Type, declared, id, unsupported};
use crate::guard::limits;
use crate::report;
use gpucc_ir::Diagnostic;
use indexmap::IndexMap;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op, StorageClass};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// Most instructions of all copies.
const MOST: usize = 1 << 18;
/// Most indices of a place.
const DEEPEST: usize = 64;

/// An index of a chain: a constant, or a value of this type.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Index {
    Constant(u32),
    Value(u32),
}

/// A function and, for each of its parameters that are memory, the variable and the indices.
type Key = (u32, Vec<(u32, Vec<Index>)>);

struct Given {
    functions: FxHashMap<u32, Vec<Inst>>,
    /// Ids outside of functions: values, variables among them, and types of pointers to shared memory.
    values: FxHashSet<u32>,
    variables: FxHashSet<u32>,
    shared: FxHashSet<u32>,
    /// Copies that were asked for, with the id of each, in the order in which they are written.
    copies: IndexMap<Key, u32, FxBuildHasher>,
    signatures: IndexMap<Vec<u32>, u32, FxBuildHasher>,
    /// Ids of copies by those of what they were copied from.
    renamed: Vec<(u32, u32)>,
    bound: u32,
    size: usize,
}

fn chain(op: Op) -> bool {
    matches!(op, Op::AccessChain | Op::InBoundsAccessChain | Op::CopyObject)
}

/// Rewrites the module if there is such a function.
///
/// # Errors
/// A pointer that is no variable and no part of one, and more copies than are written.
pub fn specialise(module: &mut Binary) -> Result<(), Diagnostic> {
    let mut g = Given {
        functions: FxHashMap::default(),
        values: FxHashSet::default(),
        variables: FxHashSet::default(),
        shared: FxHashSet::default(),
        copies: IndexMap::default(),
        signatures: IndexMap::default(),
        renamed: Vec::new(),
        bound: module.header.bound,
        size: 0,
    };
    for inst in &module.head {
        let Some(result) = inst.inst.result_id else { continue };
        match declared(inst) {
            Some(Type::Pointer(StorageClass::Workgroup | StorageClass::StorageBuffer | StorageClass::Uniform, _)) => {
                g.shared.insert(result);
            }
            Some(_) => {}
            None => {
                g.values.insert(result);
                if inst.op() == Op::Variable {
                    g.variables.insert(result);
                }
            }
        }
    }
    if g.memory(&module.body).is_empty() {
        return Ok(());
    }
    let mut order = Vec::new();
    for function in functions(std::mem::take(&mut module.body)) {
        let name = function[0].inst.result_id.unwrap_or(0);
        if g.memory(&function).is_empty() {
            order.push(name);
        }
        g.functions.insert(name, function);
    }
    let mut body = Vec::new();
    for name in order {
        let function = g.functions.get(&name).cloned().unwrap_or_default();
        body.append(&mut g.calls(function).map_err(|d| placed(module, d))?);
    }
    let mut made = 0;
    while let Some((key, &result)) = g.copies.get_index(made) {
        let key = key.clone();
        let function = g.copy(&key, result)?;
        body.append(&mut g.calls(function).map_err(|d| placed(module, d))?);
        made += 1;
    }
    module.body = body;
    for (signature, result) in &g.signatures {
        let inst = Instruction::new(Op::TypeFunction, None, Some(*result), signature.iter().map(|&t| id(t)).collect());
        module.head.push(Inst { inst, place: 0 });
    }
    let mut copied: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for (from, to) in g.renamed {
        copied.entry(from).or_default().push(to);
    }
    let mut decorations = Vec::new();
    for inst in module.head.iter().filter(|i| i.op() == Op::Decorate) {
        for &to in inst.id(0).and_then(|target| copied.get(&target)).into_iter().flatten() {
            let mut copy = inst.clone();
            copy.inst.operands[0] = id(to);
            decorations.push(copy);
        }
    }
    if let Some(last) = module.head.iter().rposition(|i| i.op() == Op::Decorate) {
        module.head.splice(last + 1..last + 1, decorations);
    }
    module.header.bound = g.bound;
    if u64::from(g.bound) > limits::SPIRV_IDS.max {
        return Err(report::limit(&limits::SPIRV_IDS));
    }
    Ok(())
}

/// An error with its place.
fn placed(module: &Binary, (mut diagnostic, place): (Diagnostic, u32)) -> Diagnostic {
    diagnostic.labels.iter_mut().for_each(|l| l.span = module.places.span(place));
    diagnostic
}

/// The functions of a body.
fn functions(body: Vec<Inst>) -> Vec<Vec<Inst>> {
    let mut list: Vec<Vec<Inst>> = Vec::new();
    for inst in body {
        if inst.op() == Op::Function || list.is_empty() {
            list.push(Vec::new());
        }
        if let Some(last) = list.last_mut() {
            last.push(inst);
        }
    }
    list
}

impl Given {
    fn fresh(&mut self) -> u32 {
        self.bound += 1;
        self.bound - 1
    }

    /// Positions of a function's parameters that are shared memory.
    fn memory(&self, function: &[Inst]) -> Vec<usize> {
        let parameters = function.iter().filter(|i| i.op() == Op::FunctionParameter);
        let shared = |i: &Inst| i.inst.result_type.is_some_and(|t| self.shared.contains(&t));
        parameters.enumerate().filter(|(_, i)| shared(i)).map(|(n, _)| n).collect()
    }

    /// Makes calls with shared memory calls of copies.
    fn calls(&mut self, function: Vec<Inst>) -> Result<Vec<Inst>, (Diagnostic, u32)> {
        let made: FxHashMap<u32, &Inst> =
            function.iter().filter_map(|i| i.inst.result_id.map(|result| (result, i))).collect();
        let mut out = Vec::with_capacity(function.len());
        for inst in &function {
            let mut inst = inst.clone();
            let callee = inst.id(0).filter(|_| inst.op() == Op::FunctionCall);
            let memory =
                callee.and_then(|c| self.functions.get(&c)).map_or_else(Vec::new, |callee| self.memory(callee));
            if let (Some(callee), false) = (callee, memory.is_empty()) {
                let refused =
                    || (unsupported("OpFunctionCall with a pointer that is not a part of a variable"), inst.place);
                let arguments = inst.ids(1);
                let (mut places, mut values) = (Vec::new(), Vec::new());
                for &n in &memory {
                    let argument = arguments.get(n).copied().ok_or_else(refused)?;
                    places.push(self.place(&made, argument, &mut values).ok_or_else(refused)?);
                }
                let key = (callee, places);
                let copy = match self.copies.get(&key) {
                    Some(&copy) => copy,
                    None => {
                        let copy = self.fresh();
                        self.copies.insert(key, copy);
                        copy
                    }
                };
                let kept = arguments.iter().enumerate().filter(|(n, _)| !memory.contains(n)).map(|(_, &a)| a);
                inst.inst.operands = std::iter::once(copy).chain(kept).chain(values).map(id).collect();
            }
            out.push(inst);
        }
        Ok(out)
    }

    /// The variable and the indices that a pointer stands for; values among the indices are added to `values`.
    fn place(&self, made: &FxHashMap<u32, &Inst>, pointer: u32, values: &mut Vec<u32>) -> Option<(u32, Vec<Index>)> {
        if self.variables.contains(&pointer) {
            return Some((pointer, Vec::new()));
        }
        // From the outermost chain inwards.
        let mut steps = Vec::new();
        let mut at = pointer;
        while !self.variables.contains(&at) {
            let inst = made.get(&at).filter(|i| chain(i.op()) && steps.len() < DEEPEST)?;
            steps.push(inst.ids(1));
            at = inst.id(0)?;
        }
        let mut indices = Vec::new();
        for index in steps.into_iter().rev().flatten() {
            match made.get(&index) {
                Some(inst) => {
                    indices.push(Index::Value(inst.inst.result_type?));
                    values.push(index);
                }
                None => indices.push(Index::Constant(Some(index).filter(|i| self.values.contains(i))?)),
            }
        }
        (indices.len() <= DEEPEST).then_some((at, indices))
    }

    /// A function for these places, with this id.
    fn copy(&mut self, (name, places): &Key, result: u32) -> Result<Vec<Inst>, Diagnostic> {
        let function = self.functions.get(name).cloned().unwrap_or_default();
        let memory = self.memory(&function);
        self.size += function.len();
        if self.size > MOST {
            return Err(unsupported("OpFunctionCall with pointers, in as many ways"));
        }
        let mut names: FxHashMap<u32, u32> = FxHashMap::from_iter([(*name, result)]);
        for old in function.iter().skip(1).filter_map(|i| i.inst.result_id) {
            let new = self.fresh();
            names.insert(old, new);
            self.renamed.push((old, new));
        }
        let mut signature = vec![function[0].inst.result_type.unwrap_or(0)];
        let (mut parameters, mut chains) = (Vec::new(), Vec::new());
        let place = function[0].place;
        let put =
            |op, ty, result, operands| Inst { inst: Instruction::new(op, Some(ty), Some(result), operands), place };
        let mut values = Vec::new();
        for (n, parameter) in function.iter().filter(|i| i.op() == Op::FunctionParameter).enumerate() {
            let (Some(old), Some(ty)) = (parameter.inst.result_id, parameter.inst.result_type) else { continue };
            let Some(at) = memory.iter().position(|&m| m == n) else {
                signature.push(ty);
                parameters.push(put(Op::FunctionParameter, ty, names[&old], vec![]));
                continue;
            };
            let (variable, indices) = &places[at];
            if indices.is_empty() {
                names.insert(old, *variable);
                continue;
            }
            let mut operands = vec![id(*variable)];
            for index in indices {
                operands.push(id(match *index {
                    Index::Constant(c) => c,
                    Index::Value(of) => {
                        let value = self.fresh();
                        values.push((value, of));
                        value
                    }
                }));
            }
            chains.push(put(Op::AccessChain, ty, names[&old], operands));
        }
        for (value, of) in values {
            signature.push(of);
            parameters.push(put(Op::FunctionParameter, of, value, vec![]));
        }
        let ty = match self.signatures.get(&signature) {
            Some(&ty) => ty,
            None => {
                let ty = self.fresh();
                self.signatures.insert(signature, ty);
                ty
            }
        };
        let mut out = Vec::with_capacity(function.len() + 8);
        let mut begun = false;
        for mut inst in function {
            match inst.op() {
                Op::FunctionParameter => continue,
                Op::Label if !parameters.is_empty() => out.append(&mut parameters),
                _ => {}
            }
            if begun && inst.op() != Op::Variable {
                out.append(&mut chains);
            }
            begun |= inst.op() == Op::Label;
            if inst.op() == Op::Function {
                inst.inst.operands[1] = id(ty);
            }
            let renamed = inst.inst.operands.iter_mut().filter_map(Operand::id_ref_any_mut);
            for name in renamed.chain(inst.inst.result_id.as_mut()) {
                *name = names.get(name).copied().unwrap_or(*name);
            }
            out.push(inst);
        }
        Ok(out)
    }
}
