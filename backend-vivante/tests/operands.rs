//! The verifier of machine code refuses an operand, a modifier or a register that the row of the opcode does not take.

use gpucc_vivante::VivanteFamily;

/// The verifier's message about an instruction among %0 and %1 (a component each), %2 (four) and %3 (a component of the address
/// register).
fn fault(inst: &str) -> String {
    let text = format!(
        "; run: machine-copy-prop
mir f vregs 12 {{
b0 -> b1:
  %0:v1@t0.x = p_start
  %1:v1 = M(Add) {{ty=1}} %0{{swz=0}}, 0x1
  %2:v4 = p_collect %0, %1, %0, %1
  %3:a = M(Movai) {{ty=1}} %0{{swz=0}}
  {inst}
  M(Branch) b1
b1:
  End
}}
"
    );
    gpucc_driver::run_text::<VivanteFamily>(&text).err().map_or_else(String::new, |e| e.to_string())
}

#[test]
fn right_instructions_pass() {
    for inst in [
        "%7:v4 = M(Mad) {sat=1} %2{neg=1, abs=1}, %0{swz=0}, 0x3f800000",
        "%7:v1 = M(Select) {cond=1} %0, u[0], %1",
        "%7:v1 = M(Mov) %0{indexed=1}, %3",
        "%7:v1 = M(Mov) {indexed=1} %0, %3",
        "%7:r2 = M(Load) {ty=6, shift=2} u[0]{swz=0}, %1{swz=0}",
        "M(Store) {ty=6, lanes=4} u[0]{swz=0}, %0{swz=0}, %2",
        "M(BranchBinary) {ty=6, cond=2} %1{swz=0}, %0{swz=0}, b1",
        "M(Barrier)",
        "%7:v1 = M(AtomicAdd) {ty=6} u[0]{swz=0}, 0x0, %0",
    ] {
        assert_eq!(fault(inst), "", "{inst}");
    }
}

#[test]
fn wrong_operands_are_refused() {
    for (inst, why) in [
        ("%7:v1 = M(Add) %0", "1 operands instead of 2"),
        ("%7:v1 = M(Mov) %0, %1", "2 operands instead of 1"),
        ("M(Store) {ty=6, lanes=1} %0, %1", "2 operands instead of 3"),
        ("%7:v1 = M(Mov) %0{indexed=1}", "1 operands instead of 2"),
        ("M(Branch)", "0 operands instead of 1"),
        ("M(Add) %0, %1", "0 definitions instead of 1"),
        ("%7:v1 = M(Store) {ty=6, lanes=1} %0, %1, %0", "1 definitions instead of 0"),
        ("%7:v1 = M(Add) %0, b1", "operand 1 is a label"),
        ("M(BranchBinary) {ty=6, cond=2} %0, %1, %0", "operand 2 is no block"),
        ("M(Branch) u[0]", "operand 0 is no block"),
        ("%7:v1 = M(Add) %0, 0x1{neg=1}", "operand 1 is an immediate, which has no modifiers"),
        ("%7:v1 = M(Mov) u[0]{indexed=1}, %3", "operand 0 is a uniform, which has no index"),
        ("%7:v1 = M(Load) {ty=6} %0{neg=1}, %1", "operand 0 has no sign"),
        ("%7:v1 = M(Mov) %0{swz=4}", "operand 0 has no component 4"),
    ] {
        let said = fault(inst);
        assert!(said.contains(why), "{inst}: {said}");
    }
}

#[test]
fn wrong_modifiers_are_refused() {
    for (inst, why) in [
        ("%7:v1 = M(Load) {ty=6, cond=1} %0, %1", "there is no modifier `cond`"),
        ("%7:v1 = M(Add) {lanes=1} %0, %1", "there is no modifier `lanes`"),
        ("M(Branch) {indexed=1} b1, %3", "there is no modifier `indexed`"),
        ("End {ty=1}", "there is no modifier `ty`"),
        ("%7:v1 = M(Rcp) {ty=6} %0", "has no meaning on U32"),
    ] {
        let said = fault(inst);
        assert!(said.contains(why), "{inst}: {said}");
    }
}

#[test]
fn wrong_registers_are_refused() {
    for (inst, why) in [
        ("%7:v1 = M(Add) %0, %3", "operand 1 is an address register"),
        ("%7:v1 = M(Mov) %0{indexed=1}, %1", "operand 1 is no address register"),
        ("%7:v1 = M(Mov) %0{indexed=1}, u[0]", "operand 1 is no address register"),
        ("%7:v1 = M(Movai) {ty=1} %0", "definition 0 is of the other file"),
        ("%7:a = M(Mov) %0", "definition 0 is of the other file"),
    ] {
        let said = fault(inst);
        assert!(said.contains(why), "{inst}: {said}");
    }
}
