//! The grammar's enumerations: everything in them is read, harmless for a reason, or refused by a code.

use gpucc_frontend_spirv::tables::{self, Verdict};
use rspirv::spirv::{Decoration, ExecutionMode, StorageClass};

#[test]
fn every_instruction_has_a_verdict() {
    let (mut read, mut refused) = (0, 0);
    for inst in rspirv::grammar::INSTRUCTION_TABLE.iter() {
        match tables::instruction(inst.opcode) {
            Verdict::Read => read += 1,
            Verdict::Harmless(why) => assert!(!why.is_empty(), "{}", inst.opname),
            Verdict::Refused(_) => refused += 1,
        }
    }
    assert!(read > 200 && refused > 300, "{read} are read, {refused} refused");
}

#[test]
fn every_decoration_mode_and_class_has_a_verdict() {
    let mut counts = [0; 3];
    let mut count = |v: Verdict| {
        counts[match v {
            Verdict::Read => 0,
            Verdict::Harmless(_) => 1,
            Verdict::Refused(_) => 2,
        }] += 1;
    };
    (0..8192).filter_map(Decoration::from_u32).for_each(|d| count(tables::decoration(d)));
    (0..8192).filter_map(ExecutionMode::from_u32).for_each(|m| count(tables::mode(m)));
    assert!(counts.iter().all(|&n| n > 10), "{counts:?}");
    let known = (0..8192).filter_map(StorageClass::from_u32).filter(|c| tables::refused_class(*c).is_none()).count();
    assert_eq!(known, 10);
}
