//! The verifier of machine code refuses an operand, a modifier or a register that no row of the opcode takes.

use gpucc_gcn::GcnFamily;

/// The verifier's message about an instruction among registers %0 and %1 (vectors), %2 and %3 (scalars), %4 (a mask), %5 (a V#), %6 (a
/// T#) and %7 (two vectors).
fn fault(inst: &str) -> String {
    let text = format!(
        "; run: machine-copy-prop
mir f vregs 12 {{
b0 -> b1:
  %0:v@v0 = p_start
  %1:v = I(VMovB32) 0x1
  %2:s = I(SMovB32) 0x1
  %3:s = I(SMovB32) 0x2
  %4:mask = I(VCmpEqU32) {{long=1}} %0, %1
  %5:s4 = I(SLoadDwordx4) {{readonly=1}}
  %6:s8 = I(SLoadDwordx8) {{readonly=1}}
  %7:v2 = p_collect %0, %1
  {inst}
  Jump b1
b1:
  End
}}
"
    );
    gpucc_driver::run_text::<GcnFamily>(&text).err().map_or_else(String::new, |e| e.to_string())
}

#[test]
fn right_instructions_pass() {
    for inst in [
        "%8:v = I(VAddF32) %0, %1",
        "%8:v = I(VAddF32) %2, %1",
        "%8:v = I(VAddF32) {long=1} %0, %2",
        "%8:v = I(VAddF32) {clamp=1} %0{neg=1}, %1{abs=1}",
        "%8:v = I(VAddF32) 0x12345678, %1",
        "%8:v = I(VMadF32) {long=1} %0, %2, %2",
        "%8:v = I(VMadmkF32) {k=305419896} %0, %1",
        "%8:v = I(VCndmaskB32) {long=1} 0x0, 0x1, %4",
        "%8:v = I(VMovB32) {dpp_ctrl=0} %0",
        "%8:s = I(VReadfirstlaneB32) %0",
        "%8:s = I(VReadlaneB32) %0, 0x3",
        "%8:s = I(SAddU32) %2, 0x12345678",
        "%8:mask = I(SAndB64) %4, %4",
        "%8:s = I(SBufferLoadDword) {sbase=4, offset=16, readonly=1}",
        "%8:s = I(SBufferLoadDword) {sbase=4, readonly=1} %2",
        "%8:v2 = I(BufferLoadDwordx2) {srsrc=2, offset=16}",
        "%8:v2 = I(BufferLoadDwordx2) {srsrc=2, offen=1, glc=1} %0",
        "%8:v2 = I(TbufferLoadFormatXy) {format=43, idxen=1} %0, %5",
        "I(BufferStoreDword) {soffset=3} %1",
        "%8:v=#0 = I(BufferAtomicAdd) {srsrc=2, offen=1, glc=1} %0, %1",
        "%8:v2 = I(DsRead2B32) {offset=3} %0",
        "I(DsWrite2B32) {offset=3} %0, %1, %1",
        "%8:v2 = I(ImageLoad) {dmask=5, unorm=1, readonly=1} %7, %6",
        "%8:v = I(ImageSample) {dmask=4} %7, %6, %5",
        "I(ImageStore) {dmask=3, unorm=1, image=1} %7, %7, %6",
        "%8:v = I(VInterpP1F32) {attr=1} %0",
        "I(Exp) {tgt=12, en=5, done=1} %0, %1",
        "I(Exp) {tgt=0, en=15, compr=1} %0, %1",
        "%8:s = Choose(SCmpEqU32) %2, 0x1, %3, 0x0",
        "I(SBarrier) {sync=1}",
    ] {
        assert_eq!(fault(inst), "", "{inst}");
    }
}

#[test]
fn wrong_operands_are_refused() {
    for (inst, why) in [
        // Number of operands and definitions.
        ("%8:v = I(VAddF32) %0", "1 operands instead of 2"),
        ("%8:v = I(VMovB32) %0, %1", "2 operands instead of 1"),
        ("I(VMovB32) %0", "0 definitions instead of 1"),
        ("%8:v = I(BufferStoreDword) %0", "1 definitions instead of 0"),
        ("%8:v = I(BufferLoadDword) {offen=1}", "0 operands instead of 1"),
        ("%8:v = I(BufferLoadDword) %0", "1 operands instead of 0"),
        ("%8:v = I(BufferLoadDword) {idxen=1} %0", "1 operands instead of 2"),
        ("I(Exp) {en=7} %0, %1", "2 operands instead of 3"),
        ("I(Exp) {en=15, compr=1} %0", "1 operands instead of 2"),
        ("%8:s = Choose(SCmpEqU32) %2, %3, %2", "3 values instead of 4"),
        // Kinds of operands.
        ("%8:v = I(VAddF32) b1, %1", "no form takes operand 0"),
        ("%8:v = I(VAddF32) u[0], %1", "no form takes operand 0"),
        ("%8:v = I(VAddF32) %0, 0x12345678", "no form takes operand 1"),
        ("%8:v = I(VMadmkF32) %0, 0x1", "no form takes operand 1"),
        ("%8:v = I(VAddF32) {clamp=1} 0x12345678, %1", "no form has these operands and modifiers together"),
        ("I(DsWriteB32) %0, 0x1", "no form takes operand 1"),
        ("I(BufferStoreDword) {offen=1} %0, 0x1", "behind the sources come plain registers alone"),
        ("%8:mask = I(SAndB64) 0x0, b1", "no form takes operand 1"),
        ("%8:s = Choose(SAddU32) %2, %3, %2, %3", "compares no scalars"),
        // Modifiers of operands.
        ("%8:v = I(VAndB32) %0{neg=1}, %1", "no form takes operand 0"),
        ("%8:s = I(SAddU32) %2{neg=1}, %3", "no form takes operand 0"),
        ("%8:v = I(VMadmkF32) %0{neg=1}, %1", "no form takes operand 0"),
        ("%8:s = Choose(SCmpEqU32) %2{neg=1}, %3, %2, %3", "a value is a plain register or a constant"),
        // Modifiers of instructions.
        ("%8:v = I(VAndB32) {clamp=1} %0, %1", "there is no modifier `clamp`"),
        ("%8:v = I(VAddF32) {offset=1} %0, %1", "there is no modifier `offset`"),
        ("%8:v = I(VReadfirstlaneB32) {dpp_ctrl=0} %0", "there is no modifier `dpp_ctrl`"),
        ("%8:s = I(SAddU32) {long=1} %2, %3", "there is no modifier `long`"),
        ("%8:v = I(DsReadB32) {glc=1} %0", "there is no modifier `glc`"),
        ("%8:v = I(BufferLoadDword) {dmask=1}", "there is no modifier `dmask`"),
        ("I(Exp) {en=1, glc=1} %0", "there is no modifier `glc`"),
        ("%8:s = Choose(SCmpEqU32) {once=1} %2, %3, %2, %3", "there is no modifier `once`"),
        // Each is there, but no form has both.
        ("%8:v = I(VAddF32) {dpp_ctrl=0, clamp=1} %0, %1", "no form has these operands and modifiers together"),
    ] {
        let said = fault(inst);
        assert!(said.contains(why), "{inst}: {said}");
    }
}

#[test]
fn wrong_registers_are_refused() {
    for (inst, why) in [
        ("%8:v = I(VAddF32) %0, %7", "operand 1 cannot be 2 of file v"),
        ("%8:v = I(VAddF32) %0, %4", "operand 1 cannot be 2 of file s"),
        ("%8:s = I(SAddU32) %0, %2", "operand 0 cannot be 1 of file v"),
        ("%8:mask = I(SAndB64) %4, %2", "operand 1 cannot be 1 of file s"),
        ("%8:v = I(VCndmaskB32) {long=1} %0, %1, %2", "operand 2 cannot be 1 of file s"),
        ("%8:v = I(VMovB32) {dpp_ctrl=0} %2", "operand 0 cannot be 1 of file s"),
        ("I(DsWriteB32) %0, %2", "operand 1 cannot be 1 of file s"),
        ("%8:v = I(BufferLoadDword) {offen=1} %2", "operand 0 cannot be 1 of file s"),
        ("%8:v = I(BufferLoadDword) {idxen=1} %0, %6", "operand 1 cannot be 8 of file s"),
        ("%8:v = I(ImageSample) {dmask=1} %7, %5, %5", "operand 1 cannot be 4 of file s"),
        ("%8:v = I(ImageSample) {dmask=1} %7, %6, %6", "operand 2 cannot be 8 of file s"),
        ("I(ImageStore) {dmask=3} %0, %7, %6", "operand 0 cannot be 1 of file v"),
        ("%8:s = I(SBufferLoadDword) %0", "operand 0 cannot be 1 of file v"),
        ("I(Exp) {en=1} %2", "operand 0 cannot be 1 of file s"),
        ("%8:s = Choose(SCmpEqU32) %0, %3, %2, %3", "no value can be 1 of file v"),
        ("%8:v = I(VMadF32) {long=1} %2, %3, %0", "a vector instruction reads one scalar or literal"),
        ("%8:v = I(VCndmaskB32) {long=1} %2, %1, %4", "a vector instruction reads one scalar or literal"),
        ("%8:s = I(VAddF32) %0, %1", "definition 0 cannot be 1 of file s"),
        ("%8:v2 = I(BufferLoadDword)", "definition 0 cannot be 2 of file v"),
        ("%8:v = I(ImageLoad) {dmask=3} %7, %6", "definition 0 cannot be 1 of file v"),
        ("%8:s = I(VCmpEqU32) {long=1} %0, %1", "definition 0 cannot be 1 of file s"),
    ] {
        let said = fault(inst);
        assert!(said.contains(why), "{inst}: {said}");
    }
}
