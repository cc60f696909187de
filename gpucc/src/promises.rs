//! Checks the promises of an IR file. Passes rely on promises, so those of an untrusted file are checked first.

use gpucc_ir::analysis::{DomTree, Structure, UpperBounds};
use gpucc_ir::{Func, Function, Inst, MemFlags, Module, Place};

/// Takes `in_bounds` from accesses that no bound of their offset shows to be inside: they are clamped as others are. Takes
/// `uniform` from loads at an offset that is no constant. Code that the frontend made keeps the first; the second is for speed.
pub(crate) fn check(module: &mut Module) {
    let size = module.entries.iter().fold([1; 3], |most: [u32; 3], e| {
        let own = e.workgroup_size().unwrap_or([1; 3]);
        [0, 1, 2].map(|k| most[k].max(own[k]))
    });
    for k in module.funcs.keys().collect::<Vec<Func>>() {
        let wrong = unproven(module, &module.funcs[k], size);
        let f = &mut module.funcs[k];
        for i in wrong {
            without(f, i, MemFlags::IN_BOUNDS);
        }
        for i in f.insts_in_order().map(|(_, i)| i).collect::<Vec<Inst>>() {
            if f.insts[i].dyn_offset().is_some_and(|v| f.as_const(v).is_none()) {
                without(f, i, MemFlags::UNIFORM);
            }
        }
    }
}

fn without(f: &mut Function, i: Inst, flag: MemFlags) {
    if let Some(m) = f.insts[i].mem_mut() {
        m.flags = m.flags.without(flag);
    }
}

/// The accesses of a function that claim more than can be seen.
fn unproven(module: &Module, f: &Function, size: [u32; 3]) -> Vec<Inst> {
    let claims = |i: &Inst| f.insts[*i].mem().is_some_and(|m| m.flags.has(MemFlags::IN_BOUNDS));
    let list: Vec<Inst> = f.insts_in_order().map(|(_, i)| i).filter(claims).collect();
    if list.is_empty() {
        return list;
    }
    let (preds, dom) = (f.preds(), DomTree::new(f));
    let s = Structure::new(f, &dom);
    let mut bounds = UpperBounds::new(f, size, &preds, &dom, &s);
    let mut beyond = |i: &Inst| {
        let d = &f.insts[*i];
        let Some(m) = d.mem() else { return false };
        let room = module.place_size(f, m.place).unwrap_or_else(|| match m.place {
            Place::Buffer(r) => module.resources[r].min_size,
            _ => 0,
        });
        let most = d.dyn_offset().map_or(0, |v| bounds.of(v));
        most + u64::from(m.offset) + u64::from(f.access_bytes(*i)) > u64::from(room)
    };
    list.into_iter().filter(|i| beyond(i)).collect()
}
