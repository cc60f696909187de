//! The verifier of machine code refuses an operand, a modifier or a register that no row of the opcode takes.

use gpucc_tesla::TeslaFamily;

/// The verifier's message about an instruction among registers %0 to %3 (general), %4 (a pair), %5 (flags) and %6 (an address).
fn fault(inst: &str) -> String {
    let text = format!(
        "; run: machine-copy-prop
mir f vregs 12 {{
b0 -> b1:
  %0:r@r0 = p_start
  %1:r = M(Add) %0, 0x1
  %2:r = M(Add) %0, 0x2
  %3:r = M(Add) %0, 0x3
  %4:rd = p_collect %0, %1
  %5:c = M(Set) {{cond=1}} %0, %1
  %6:a = M(ShlToA) %0, 0x2
  {inst}
  M(Bra) b1
b1:
  Exit
}}
"
    );
    gpucc_driver::run_text::<TeslaFamily>(&text).err().map_or_else(String::new, |e| e.to_string())
}

#[test]
fn right_instructions_pass() {
    for inst in [
        "%7:r = M(Add) %0, %1",
        "%7:r = M(Add) %0, u[0]",
        "%7:r = M(Add) u[2147549196], 0x5",
        "%7:r = M(Mov) u[3221422084], %6",
        "%7:r = M(Add) {pred=5} %0, %1, %5",
        "%7:r = M(MadU16) {addop=3} %0{half=1}, %1{half=2}, %2, %5",
        "%7:r = M(Fadd) %0{neg=1}, %1",
        "%7:r = M(CvtFF) {ty=13, src=14, half=1} %0",
        "%7:r = M(CvtFF) {ty=13, src=14, half=2} %0, %1",
        "%7:r = M(MovFromC) %5",
        "%7:r = M(MovFromA) %6",
        "%7:r, %8:c = M(And) %0, %1",
        "M(StG) {space=3, ty=11} %0, %4",
        "M(StS) {offset=32} %0, %6",
        "M(Bra) {pred=5, divergent=1} b1, %5",
        "%7:r, %8:r, %9:c = Lock(Op(Add,false)) {offset=32} %0, %6",
    ] {
        assert_eq!(fault(inst), "", "{inst}");
    }
}

#[test]
fn wrong_operands_are_refused() {
    for (inst, why) in [
        // Number of operands and definitions.
        ("%7:r = M(Add) %0", "1 operands instead of 2"),
        ("%7:r = M(Add) %0, %1, %6, %2", "4 operands instead of 3"),
        ("%7:r = M(Set) {cond=1, pred=5} %0, %1", "2 operands instead of 3"),
        ("M(Add) %0, %1", "0 definitions instead of 1"),
        ("%7:r = M(StG) %0, %1", "1 definitions instead of 0"),
        ("%7:r = Lock(Exchange) %0", "1 definitions instead of 3"),
        ("JoinAt {id=1} %0", "1 operands instead of 0"),
        // Kinds of operands.
        ("%7:r = M(Add) 0x5, %1", "no form takes operand 0"),
        ("%7:r = M(Fset) {cond=1} %0, 0x5", "no form takes operand 1"),
        ("%7:r = M(Add) b1, %1", "no form takes operand 0"),
        ("%7:r = M(Add) u[0], %1", "no form takes operand 0"),
        ("%7:r = M(Add) %0, u[2147549196]", "no form takes operand 1"),
        ("M(StG) %0, u[0]", "no form takes operand 1"),
        ("M(Bra) %0", "no form takes operand 0"),
        ("%7:r = M(LdC) %0", "no form takes operand 0"),
        ("%7:r = M(Add) u[2147549196], u[0]", ""),
        ("%7:r = M(And) %0{not=1}, 0x5", ""),
        ("%7:r = M(And) %0, 0x5{not=1}", "no form takes operand 1"),
        // Modifiers of operands.
        ("%7:r = M(Fadd) %0{abs=1}, %1", "no form takes operand 0"),
        ("%7:r = M(Add) %0{neg=1}, %1", "no form takes operand 0"),
        ("%7:r = M(Add) %0{half=1}, %1", "no form takes operand 0"),
        ("%7:r = M(MadU16) %0, %1{half=1}, %2", "no form takes operand 0"),
        ("%7:r = M(Add) {pred=5} %0, %1, %5{neg=1}", "behind the sources come plain registers alone"),
        ("%7:r = M(Add) {pred=5} %0, %1, 0x5", "behind the sources come plain registers alone"),
        // Modifiers of instructions.
        ("%7:r = M(Add) {cond=1} %0, %1", "there is no modifier `cond`"),
        ("%7:r = M(Fadd) {ty=14} %0, %1", "there is no modifier `ty`"),
        ("M(StG) {offset=4} %0, %1", "there is no modifier `offset`"),
        ("LoopExit {divergent=1}", "there is no modifier `divergent`"),
        ("%7:r = M(Add) {ty=14} %0, %1", "no form of F32"),
        ("%7:r = M(CvtFF) {ty=13, src=14} %0", "no form of F16"),
        ("%7:r = M(CvtFF) {ty=14, src=3, half=1} %0", "no form of F32"),
        // Both have a form, but not one together: there are no flags for a form with an immediate.
        ("%7:r = M(Add) {pred=5} %0, 0x5, %5", "no form has these operands and modifiers together"),
    ] {
        let said = fault(inst);
        assert!(said.contains(why) && said.is_empty() == why.is_empty(), "{inst}: {said}");
    }
}

#[test]
fn wrong_registers_are_refused() {
    for (inst, why) in [
        ("%7:r = M(Add) %0, %5", "operand 1 cannot be 1 of file c"),
        ("%7:r = M(Add) %6, %0", "operand 0 cannot be 1 of file a"),
        ("%7:r = M(Add) %0, %4", "operand 1 cannot be 2 of file r"),
        ("M(StG) %0, %4", "operand 1 cannot be 2 of file r"),
        ("M(StG) {ty=11} %0, %1", "operand 1 cannot be 1 of file r"),
        ("%7:r, %8:r, %9:c = Lock(Op(Add,false)) %5", "operand 0 cannot be 1 of file c"),
        ("%7:r = M(Add) {pred=5} %0, %1, %2", "0 flag registers behind the sources"),
        ("%7:r = M(Add) {pred=5} %0, %1, %6", "0 flag registers behind the sources"),
        ("%7:r = M(Mov) u[3221422084], %5", "1 flag registers behind the sources"),
        ("%7:r = M(Mov) u[3221422084], %4", "no operand behind the sources can be 2 of file r"),
        ("%7:c = M(LdG) %0", "definition 0 cannot be 1 of file c"),
        ("%7:r = M(ShlToA) %0, 0x2", "definition 0 cannot be 1 of file r"),
        ("%7:rd = M(Add) %0, %1", "definition 0 cannot be 2 of file r"),
        ("%7:r, %8:r = M(Add) %0, %1", "definition 1 cannot be 1 of file r"),
        ("%7:r, %8:c, %9:r = Lock(Exchange) %0", "definition 1 cannot be 1 of file c"),
    ] {
        let said = fault(inst);
        assert!(said.contains(why), "{inst}: {said}");
    }
}
