//! Control flow, emit, nop (reference sections 4.7, 4.8 and 5).

use super::*;
use crate::types::{ANY, NVA3, SM11, Space};
use gpucc_isa::stage::{FS, GS};

const TARGET: &[S] = &[OperandSpec::new("target", Field::split(&[(11, 16), (46, 6)]), Kind::Target, Role::Label)];
const LIM: &[S] = &[flag("lim", 38, "lim")];
const EVENT: &[S] = &[imm("imm", f(10, 4), Kind::Num)];
const CADDR: &[S] = &[mod_("cidx", f(54, 4), Kind::Cidx), use_("mem", f(9, 16), Kind::Mem(Space::Const, 1))];
const BAR: &[S] = &[
    flag("inc", 25, "inc"),
    flag("wait", 26, "wait"),
    imm("id", f(21, 4), Kind::Bar),
    imm("count", Field::split(&[(9, 12), (46, 1)]), Kind::BarCount),
];

const fn flow(effects: Effects) -> Does {
    does(effects, Unit::Flow, 4, Ty::None, Ty::None)
}

/// Reads the outputs, and orders those before and behind it.
const OUTPUT: Effects = Effects::atomic(1).at(Memory::Output as u16);
/// Lanes act together.
const TOGETHER: Effects = KEPT.convergent();
/// Also of a call: other code may do anything.
const BARRIER: Effects = Effects::barrier();

/// Rows of the flow class that are no control. Columns: see [`long!`](super).
pub const ROWS: &[R] = long! {
    Emit    ANY (0x0fff_fffc, 0xf000_0200, 0xe000_0000, 0xc000_0000) "emit" [] flow(OUTPUT) "output a vertex" "4.7" .stages(GS);
    Restart ANY (0x0fff_fffc, 0xf000_0400, 0xe000_0000, 0xc000_0000) "restart" [] flow(OUTPUT) "begin a new primitive" "4.7" .stages(GS);
    Nop     ANY (0x0fff_fffc, 0xf000_0000, 0xe000_0004, 0xe000_0000) "nop" [] flow(KEPT) "nothing" "4.7";
    PmEvent ANY (0, 0xf000_0000, 0xe000_0004, 0xe000_0004)           "pmevent {imm}" [EVENT] flow(KEPT) "performance counter event" "4.7";
};

/// Everything about the flow of control. Columns: opcode, generations, primary opcode, predicate, text, operands, effects, meaning.
pub const CONTROL: &[R] = control! {
    Discard ANY   0 PREDICATE "discard" [] TOGETHER "mark fragments dead" .stages(FS);
    Bra     ANY   1 PREDICATE "bra {target}" [TARGET] BRANCH "branch";
    Call    ANY   2 NO_SLOTS  "call {lim}{target}" [TARGET LIM] BARRIER "call a function";
    Ret     ANY   3 PREDICATE "ret" [] BRANCH "return from a function";
    PreBrk  ANY   4 NO_SLOTS  "breakaddr {target}" [TARGET] TOGETHER "push the address where break goes";
    Brk     ANY   5 PREDICATE "break" [] BRANCH "leave the loop";
    QuadOn  ANY   6 NO_SLOTS  "quadon" [] TOGETHER "enable all lanes of the quads";
    QuadPop ANY   7 NO_SLOTS  "quadpop" [] TOGETHER "undo quadon";
    Bar     ANY   8 NO_SLOTS  "bar {inc}{wait}{id} {count}" [BAR] BARRIER "barrier";
    Trap    ANY   9 NO_SLOTS  "trap" [] BRANCH "end the program with an error";
    JoinAt  ANY  10 NO_SLOTS  "joinat {target}" [TARGET] TOGETHER "push the address where the sides of a branch join";
    Brkpt   SM11 11 PREDICATE "brkpt" [] KEPT "breakpoint; no effect";
    BraC    NVA3 12 NO_SLOTS  "bra {lim}{mem}" [A CADDR LIM] BRANCH "branch to an address from a constant space";
    PreRet  NVA3 13 NO_SLOTS  "preret {lim}{target}" [TARGET LIM] TOGETHER "push the address where return goes";
};
