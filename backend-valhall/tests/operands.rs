//! The verifier of machine code refuses an operand, a modifier or a register that the row of the opcode does not take.

use gpucc_valhall::ValhallFamily;

/// The verifier's message about an instruction among registers %0 to %2, %3 (a pair), %4 (a run of three) and %5 (an even register).
fn fault(inst: &str) -> String {
    let text = format!(
        "; run: machine-copy-prop
mir f vregs 12 {{
b0 -> b1:
  %0:r@r60 = p_start
  %1:r = Op(IaddU32) %0, 0x1000000
  %2:r = Op(IaddU32) %0, u[1]
  %3:r2 = Op(IaddU64) u[0], u[2]
  %4:r3 = p_collect %0, %1, %2
  %5:re = Op(MovI32) %0
  {inst}
  Jump b1
b1:
  End
}}
"
    );
    gpucc_driver::run_text::<ValhallFamily>(&text).err().map_or_else(String::new, |e| e.to_string())
}

#[test]
fn right_instructions_pass() {
    for inst in [
        "%7:r = Op(FaddF32) {clamp=3} %0{neg=1, abs=1, swizzle=2}, 0x3f800000{neg=1}",
        "%7:r = Op(CselU32) {cmp=4} %0, u[0], 0x0, %1",
        "%7:r = Op(IcmpOrU32) {cmp=3, result_type=2} %0{swizzle=3}, u[0], 0x0",
        "%7:r = Op(LshiftOrI32) %0, 0x3020100{swizzle=6}, %1{not=1}",
        "%7:r = Op(MovI32) u[5090]",
        "%7:r2 = Op(IaddU64) u[4582], %5{swizzle=8}",
        "%7:r2 = Op(IaddU64) %3, %3",
        "%7:r2 = Op(ShaddxS64) {shift=2} u[0], %5{swizzle=8}",
        "%7:r3 = Op(LoadI96) {offset=12, unsigned=1, space=2} %3",
        "%7:r = Op(LoadI8) {unsigned=1, load_lane=1} %3",
        "%7:r4 = Op(LdBufferI128) {unsigned=1, readonly=1} %0, u[7]",
        "Op(StoreI96) {memory_access=3, key=1} %4, u[0]",
        "Op(Atom1ReturnI32) {atom_one=1} %3",
        "%7:r = Op(Atom1ReturnI32) {atom_one=1} %3",
        "%7:r = Op(AtomReturnI32) {atom_opc=15, compare=1} %3, u[0]",
        "Op(Barrier) {slot=7}",
        "Fence",
        "Branch {eq=1, uniform=1} %0, b1",
        "Branch 0x0, b1",
    ] {
        assert_eq!(fault(inst), "", "{inst}");
    }
}

#[test]
fn wrong_operands_are_refused() {
    for (inst, why) in [
        // Number of operands and definitions.
        ("%7:r = Op(IaddU32) %0", "1 operands instead of 2"),
        ("%7:r = Op(IaddU32) %0, %1, %2", "3 operands instead of 2"),
        ("Op(StoreI32) %3", "1 operands instead of 2"),
        ("Op(IaddU32) %0, %1", "0 definitions instead of 1"),
        ("%7:r = Op(StoreI32) %0, %3", "1 definitions instead of 0"),
        ("Op(AtomReturnI32) %0, %3", "0 definitions instead of 1"),
        ("Fence %0", "1 operands instead of 0"),
        ("Branch b1", "1 operands instead of 2"),
        ("%7:r = Fence", "1 definitions instead of 0"),
        // Kinds of operands.
        ("%7:r = Op(IaddU32) %0, 0x7", "operand 1: 0x7 is not a word of the table"),
        ("%7:r = Op(IaddU32) b1, %0", "operand 0: a label is no source"),
        ("%7:r = Op(IaddU32) %0, u[128]", "operand 1: there is no uniform word 128"),
        ("%7:r = Op(IaddU32) %0, u[4320]", "operand 1 names nothing"),
        ("%7:r = Op(FaddF32) %0, u[5090]", "operand 1 cannot be lane_id: it is a float"),
        ("%7:r2 = Op(IaddU64) u[4583], u[2]", "operand 0 cannot be the high word of workgroup_local_pointer"),
        ("Op(StoreI32) 0x0, %3", "operand 0 is a run of registers"),
        ("Branch %0, %1", "operand 1 is no block"),
        ("Branch u[12], 0x0", "operand 1 is no block"),
        ("Op(Branchz) %0", "branches are `Jump` and `Branch` here"),
        // Modifiers of operands.
        ("%7:r = Op(IaddU32) %0{neg=1}, %1", "operand 0 has no such modifier"),
        ("%7:r = Op(MovI32) %0{swizzle=2}", "operand 0 has no such modifier"),
        ("%7:r = Op(FaddF32) %0{not=1}, %1", "operand 0 has no such modifier"),
        ("%7:r = Op(LshiftOrI32) %0, %1{swizzle=2}, %2", "operand 1 has no such modifier"),
        ("Op(StoreI32) %0{neg=1}, %3", "operand 0 is a run of registers"),
        ("Branch %0{neg=1}, b1", "operand 0 has no such modifier"),
    ] {
        let said = fault(inst);
        assert!(said.contains(why), "{inst}: {said}");
    }
}

#[test]
fn wrong_modifiers_are_refused() {
    for (inst, why) in [
        ("%7:r = Op(IaddU32) {cmp=1} %0, %1", "there is no modifier `cmp`"),
        ("%7:r = Op(LshiftOrI32) {signed=1} %0, 0x0{swizzle=4}, 0x0", "there is no modifier `signed`"),
        ("%7:r = Op(LoadI32) {constant=1} %3", "there is no modifier `constant`"),
        ("%7:r = Op(LdBufferI32) {offset=4} %0, %1", "there is no modifier `offset`"),
        ("%7:r = Op(LdBufferI32) {key=4} %0, %1", "there is no modifier `key`"),
        ("%7:r = Op(IaddU32) {space=1} %0, %1", "there is no modifier `space`"),
        ("Branch {together=1} %0, b1", "there is no modifier `together`"),
        ("Jump {uniform=1} b1", "there is no modifier `uniform`"),
        ("Fence {slot=1}", "there is no modifier `slot`"),
        ("%7:r = Op(CselU32) {cmp=8} %0, %0, %0, %0", "cmp"),
        ("Op(Barrier) {slot=4}", "slot"),
        ("%7:r = Op(IaddU32) {@space=1} %0, %1", "@"),
    ] {
        let said = fault(inst);
        assert!(said.contains(why), "{inst}: {said}");
    }
}

#[test]
fn wrong_registers_are_refused() {
    for (inst, why) in [
        ("%7:r = Op(IaddU32) %0, %3", "operand 1 cannot be 2 of file r"),
        ("%7:r2 = Op(IaddU64) %0, %3", "operand 0 cannot be 1 of file r"),
        ("%7:r2 = Op(IaddU64) %3, %3{swizzle=8}", "operand 1 cannot be 2 of file r"),
        ("%7:r2 = Op(IaddU32) %0, %1", "definition 0 cannot be 2 of file r"),
        ("%7:r = Op(IaddU64) %3, %3", "definition 0 cannot be 1 of file r"),
        ("%7:r2 = Op(LoadI32) %3", "definition 0 cannot be 2 of file r"),
        ("%7:r = Op(LoadI64) %3", "definition 0 cannot be 1 of file r"),
        ("%7:r = Op(LoadI32) %0", "operand 0 cannot be 1 of file r"),
        ("Op(StoreI64) %0, %3", "operand 0 cannot be 1 of file r"),
        ("Op(StoreI96) %3, %3", "operand 0 cannot be 2 of file r"),
        ("%7:r = Op(AtomReturnI32) {atom_opc=15, compare=1} %0, u[0]", "operand 0 cannot be 1 of file r"),
        ("%7:r2 = Op(AtomReturnI32) %0, u[0]", "definition 0 cannot be 2 of file r"),
        ("Branch %3, b1", "operand 0 cannot be 2 of file r"),
    ] {
        let said = fault(inst);
        assert!(said.contains(why), "{inst}: {said}");
    }
}
