//! Ids and layouts that a validator would refuse, and on which what comes after relies: an id has one definition, and a
//! scalar in a buffer lies at a multiple of its size.

use super::binary::{Binary, Inst};
use super::object;
use super::refuse::about;
use super::types::{Type, declared, malformed};
use gpucc_ir::Diagnostic;
use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, Op};
use rustc_hash::FxHashMap;

/// Refuses a module of which an id has two definitions, or in which a scalar has a place that no machine loads from.
///
/// # Errors
/// The first such instruction, with its place.
pub fn check(module: &Binary) -> Result<(), Diagnostic> {
    definitions(module)?;
    let alignments = alignments(module);
    for inst in &module.head {
        let ops = inst.inst.operands.as_slice();
        let id = |o: &Operand| o.id_ref_any().unwrap_or(0);
        let of = |ty: u32| alignments.get(&ty).map_or(1, |t| t.0);
        let (align, what, bytes) = match (inst.op(), ops) {
            (Op::Decorate, [ty, Operand::Decoration(Decoration::ArrayStride), Operand::LiteralBit32(n)]) => {
                (of(id(ty)), "an ArrayStride".to_string(), *n)
            }
            (Op::MemberDecorate, [ty, Operand::LiteralBit32(k), Operand::Decoration(d), Operand::LiteralBit32(n)])
                if matches!(d, Decoration::Offset | Decoration::MatrixStride) =>
            {
                let members = alignments.get(&id(ty)).map_or(&[][..], |t| &t.1);
                let align = members.get(*k as usize).copied().map_or(1, of);
                (align, format!("{} {d:?} of member {k}", if *d == Decoration::Offset { "an" } else { "a" }), *n)
            }
            _ => continue,
        };
        if !bytes.is_multiple_of(align) {
            let text = format!("{what} is {bytes}, no multiple of the {align} bytes of a scalar there");
            return Err(at(module, inst, text));
        }
    }
    Ok(())
}

fn at(module: &Binary, inst: &Inst, text: String) -> Diagnostic {
    about(malformed(text), object::name(module, inst)).at(module.places.span(inst.place), "")
}

/// Each id is defined once.
fn definitions(module: &Binary) -> Result<(), Diagnostic> {
    let mut known = vec![false; module.header.bound as usize];
    for inst in module.head.iter().chain(&module.body) {
        let Some(result) = inst.inst.result_id else { continue };
        // The reader refuses ids that are not below the bound.
        if known.get_mut(result as usize).is_some_and(|known| std::mem::replace(known, true)) {
            return Err(at(module, inst, format!("%{result} is defined twice")));
        }
    }
    Ok(())
}

/// Bytes that the largest scalar of each type takes, and the members of structs.
fn alignments(module: &Binary) -> FxHashMap<u32, (u32, Vec<u32>)> {
    let mut all: FxHashMap<u32, (u32, Vec<u32>)> = FxHashMap::default();
    for inst in &module.head {
        let (Some(result), Some(ty)) = (inst.inst.result_id, declared(inst)) else { continue };
        let of = |t: &u32| all.get(t).map_or(1, |t| t.0);
        let bytes = match &ty {
            Type::Int(bits, _) | Type::Float(bits) => (bits / 8).max(1),
            Type::Vector(t, _) | Type::Matrix(t, _) | Type::Array(t, _) | Type::RuntimeArray(t) => of(t),
            Type::Struct(members) => members.iter().map(of).max().unwrap_or(1),
            Type::Bool | Type::Pointer(..) | Type::Other => 1,
        };
        all.insert(result, (bytes, if let Type::Struct(members) = ty { members } else { Vec::new() }));
    }
    all
}
