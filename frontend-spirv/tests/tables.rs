//! The grammar's enumerations: everything in them is read, harmless for a reason, or refused by a code.

use gpucc_frontend_spirv::tables::{self, Verdict};
use rspirv::spirv::{
    Decoration, ExecutionMode, FPFastMathMode, FunctionControl, ImageOperands, LoopControl, MemoryAccess,
    MemorySemantics, Op, SelectionControl, StorageClass,
};

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
    assert_eq!(known, 11);
}

/// Each bit of each set that the grammar knows: none is passed over without a reason, and those that it does not know are refused.
#[test]
fn every_bit_of_operands_has_a_verdict() {
    type Set = (&'static str, u32, fn(u32) -> Verdict, [usize; 2]);
    let sets: [Set; 7] = [
        (
            "image operands",
            ImageOperands::all().bits(),
            |b| tables::image_operand(ImageOperands::from_bits_retain(b)),
            [8, 1],
        ),
        (
            "memory access",
            MemoryAccess::all().bits(),
            |b| tables::memory_access(MemoryAccess::from_bits_retain(b)),
            [4, 0],
        ),
        (
            "semantics",
            MemorySemantics::all().bits(),
            |b| tables::semantics(MemorySemantics::from_bits_retain(b)),
            [9, 0],
        ),
        ("fast math", FPFastMathMode::all().bits(), |b| tables::fast_math(FPFastMathMode::from_bits_retain(b)), [2, 0]),
        ("function control", FunctionControl::all().bits(), tables::function_control, [0, 0]),
        ("loop control", LoopControl::all().bits(), tables::loop_control, [0, 0]),
        ("selection control", SelectionControl::all().bits(), tables::selection_control, [0, 0]),
    ];
    for (name, all, verdict, counts) in sets {
        let (mut read, mut refused) = (0, 0);
        for bit in (0..32).map(|k| 1u32 << k) {
            match verdict(bit) {
                Verdict::Read if all & bit != 0 => read += 1,
                Verdict::Harmless(why) if all & bit != 0 => assert!(!why.is_empty(), "{name} {bit:#x}"),
                Verdict::Refused(_) => refused += usize::from(all & bit != 0),
                other => panic!("{name} {bit:#x} is unknown to the grammar, and {other:?}"),
            }
        }
        assert_eq!([read, refused], counts, "{name}");
    }
    assert!(tables::refused_bits(Op::Load, &[7, 1 << 20]).is_some());
    assert!(tables::refused_bits(Op::LoopMerge, &[7, 8, 1]).is_none());
}
