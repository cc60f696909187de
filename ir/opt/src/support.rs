//! Refuses what a target lacks, before selection sees it.
//!
//! Asked of the one function that [`crate::prepare`] leaves, so that what an optimiser removes is no reason to refuse. Which
//! codes a generation refuses is the backend's data ([`Unsupported`]); how each shows in the IR is said here, once for all targets. What
//! depends on the code that is made (memory, registers, length) is the backend's own to find. After this, an op that
//! selection does not know is a bug of the compiler.

use gpucc_ir::{
    AtomicOp, Attr, Block, Diagnostic, Function, Inst, Module, Op, Refusal, ResourceKind, Scalar, Span, Stage, Sysval,
    Unsupported,
};

/// Who asks.
#[derive(Clone, Copy, Debug)]
pub struct Chip<'a> {
    /// The family's name.
    pub family: &'a str,
    /// The generation's name.
    pub generation: &'a str,
    /// What the family's generations refuse.
    pub unsupported: &'a [Unsupported],
}

impl Chip<'_> {
    fn lack(&self, code: Refusal) -> Option<&Unsupported> {
        Unsupported::find(self.unsupported, self.generation, code)
    }

    /// Whether the generation refuses what has this code.
    pub fn refuses(&self, code: Refusal) -> bool {
        self.lack(code).is_some()
    }

    fn refuse(&self, lack: &Unsupported, span: Span) -> Diagnostic {
        self.refuse_what(lack, lack.code.what(), span)
    }

    fn refuse_what(&self, lack: &Unsupported, what: &str, span: Span) -> Diagnostic {
        let message = format!("{}:{} does not support {what}", self.family, self.generation);
        Diagnostic::unsupported(lack.code, message).at(span, "used here").note(lack.why)
    }
}

/// Refuses the first thing of a prepared module that the target lacks.
///
/// # Errors
/// `Unsupported`, with code, target and span.
pub fn check(m: &Module, t: &Chip<'_>) -> Result<(), Diagnostic> {
    let e = &m.entries[0];
    if e.stage.kind() != Stage::Compute
        && let Some(l) = t.lack(Refusal::Stage)
    {
        return Err(t.refuse(l, e.span));
    }
    let size = e.workgroup_size().unwrap_or([1; 3]).iter().fold(1u64, |n, &s| n.saturating_mul(u64::from(s)));
    if let Some(most) = t.lack(Refusal::WorkgroupSize).and_then(|l| l.most).filter(|&most| size > most) {
        let (family, generation) = (t.family, t.generation);
        let message =
            format!("{family}:{generation} has workgroups of at most {most} invocations, this one has {size}");
        return Err(Diagnostic::unsupported(Refusal::WorkgroupSize, message).at(e.span, "this entry point"));
    }
    if let Some(most) = t.lack(Refusal::BindGroup).and_then(|l| l.most)
        && let Some((_, r)) =
            m.resources.iter().find(|(_, r)| r.kind != ResourceKind::Immediates && u64::from(r.group) > most)
    {
        let (family, generation, group) = (t.family, t.generation, r.group);
        let message = format!("{family}:{generation} has bind groups 0 to {most}, this is in group {group}");
        let span = if r.span.is_known() { r.span } else { e.span };
        return Err(Diagnostic::unsupported(Refusal::BindGroup, message).at(span, "this buffer"));
    }
    let f = &m.funcs[e.func];
    for (b, i) in f.insts_in_order() {
        let d = &f.insts[i];
        let mut found = match (d.op, &d.attr) {
            (_, Attr::Tex(_) | Attr::TexAtomic(..)) => t.lack(Refusal::Textures),
            (Op::Atomic | Op::CmpXchg, _) => t.lack(Refusal::Atomics),
            (Op::Sysval, Attr::Sysval(Sysval::SubgroupSize | Sysval::SubgroupInvocationId)) => {
                t.lack(Refusal::SubgroupLanes)
            }
            (Op::Sysval, Attr::Sysval(Sysval::PrimitiveIndex)) => t.lack(Refusal::PrimitiveIndex),
            (Op::Sysval, Attr::Sysval(Sysval::SubgroupId | Sysval::NumSubgroups)) => t.lack(Refusal::SubgroupIds),
            _ => None,
        };
        let mut value = |v| {
            found = found.or_else(|| match f.ty(v).scalar() {
                Scalar::B1 | Scalar::I32 | Scalar::F32 => None,
                Scalar::F16 => t.lack(Refusal::F16),
                Scalar::I8 | Scalar::I16 => t.lack(Refusal::NarrowIntegers),
                Scalar::I64 | Scalar::F64 => t.lack(Refusal::WideTypes),
            });
        };
        d.results.iter().for_each(&mut value);
        d.for_each_use(&mut value);
        if let Some(l) = found {
            let span = m.span(d.loc);
            let span = if span.is_known() { span } else { e.span };
            if l.code == Refusal::Atomics && part_of_word(f, b, i) {
                let what = "stores of less than a word: they need an atomic access to the word";
                return Err(t.refuse_what(l, what, span));
            }
            return Err(t.refuse(l, span));
        }
    }
    Ok(())
}

/// Whether an atomic is the first of the two that a store of a byte or half of a word became: one clears it, one sets it, and
/// both are of the same place in the source.
fn part_of_word(f: &Function, b: Block, first: Inst) -> bool {
    let is = |i: Inst, op: AtomicOp| matches!(&f.insts[i].attr, Attr::Atomic(o, _) if *o == op);
    let mut behind = f.blocks[b].insts.iter().skip_while(|i| **i != first).skip(1);
    let next = behind.find(|i| matches!(f.insts[**i].op, Op::Atomic | Op::CmpXchg));
    is(first, AtomicOp::And) && next.is_some_and(|n| is(*n, AtomicOp::Or) && f.insts[*n].loc == f.insts[first].loc)
}
