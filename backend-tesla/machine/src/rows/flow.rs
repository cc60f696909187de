//! Control flow, emit, nop (reference sections 4.7, 4.8 and 5).

use super::*;
use crate::types::{ANY, NVA3, SM11, Space};
use gpucc_isa::stage::{FS, GS};

const SEC: u32 = 0xe000_0000;
const TARGET: &[S] = &[OperandSpec::new("target", Field::split(&[(11, 16), (46, 6)]), Kind::Target, Role::Label)];
const LIM: &[S] = &[flag("lim", 38, "lim")];

const fn flow(effects: Effects) -> Does {
    does(effects, Unit::Flow, 4, Ty::None, Ty::None)
}

/// Reads the outputs, and orders those before and behind it.
const OUTPUT: Effects = Effects::atomic(1).at(Memory::Output as u16);
/// Lanes act together.
const TOGETHER: Effects = Effects::kept().convergent();
/// Other code, which may do anything.
const CALL: Effects = Effects::barrier();

/// Everything about the flow of control.
pub const ROWS: &[R] = &[
    long!(
        Op::Emit,
        "emit",
        ANY,
        (0x0fff_fffc, 0xf000_0200, SEC, 0xc000_0000),
        [PRE],
        flow(OUTPUT),
        "output a vertex",
        "4.7"
    )
    .stages(GS),
    long!(
        Op::Restart,
        "restart",
        ANY,
        (0x0fff_fffc, 0xf000_0400, SEC, 0xc000_0000),
        [PRE],
        flow(OUTPUT),
        "begin a new primitive",
        "4.7"
    )
    .stages(GS),
    long!(
        Op::Nop,
        "nop",
        ANY,
        (0x0fff_fffc, 0xf000_0000, SEC | 4, 0xe000_0000),
        [PRE],
        flow(Effects::kept()),
        "nothing",
        "4.7"
    ),
    long!(
        Op::PmEvent,
        "pmevent {imm}",
        ANY,
        (0, 0xf000_0000, SEC | 4, 0xe000_0004),
        [PRE, &[imm("imm", f(10, 4), Kind::Num)]],
        flow(Effects::kept()),
        "performance counter event",
        "4.7"
    ),
    control!(Op::Discard, "discard", ANY, 0, true, [NO_SLOTS], TOGETHER, "mark fragments dead").stages(FS),
    control!(Op::Bra, "bra {target}", ANY, 1, true, [TARGET], Effects::branch(), "branch"),
    control!(Op::Call, "call {lim}{target}", ANY, 2, false, [TARGET, LIM], CALL, "call a function"),
    control!(Op::Ret, "ret", ANY, 3, true, [NO_SLOTS], Effects::branch(), "return from a function"),
    control!(Op::PreBrk, "breakaddr {target}", ANY, 4, false, [TARGET], TOGETHER, "push the address where break goes"),
    control!(Op::Brk, "break", ANY, 5, true, [NO_SLOTS], Effects::branch(), "leave the loop"),
    control!(Op::QuadOn, "quadon", ANY, 6, false, [NO_SLOTS], TOGETHER, "enable all lanes of the quads"),
    control!(Op::QuadPop, "quadpop", ANY, 7, false, [NO_SLOTS], TOGETHER, "undo quadon"),
    control!(
        Op::Bar,
        "bar {inc}{wait}{id} {count}",
        ANY,
        8,
        false,
        [&[
            flag("inc", 25, "inc"),
            flag("wait", 26, "wait"),
            imm("id", f(21, 4), Kind::Bar),
            imm("count", Field::split(&[(9, 12), (46, 1)]), Kind::BarCount)
        ]],
        Effects::barrier(),
        "barrier"
    ),
    control!(Op::Trap, "trap", ANY, 9, false, [NO_SLOTS], TRAP, "end the program with an error"),
    control!(
        Op::JoinAt,
        "joinat {target}",
        ANY,
        0xa,
        false,
        [TARGET],
        TOGETHER,
        "push the address where the sides of a branch join"
    ),
    control!(Op::Brkpt, "brkpt", SM11, 0xb, true, [NO_SLOTS], Effects::kept(), "breakpoint; no effect"),
    control!(
        Op::BraC,
        "bra {lim}{mem}",
        NVA3,
        0xc,
        false,
        [A, &[mod_("cidx", f(54, 4), Kind::Cidx), use_("mem", f(9, 16), Kind::Mem(Space::Const, 1))], LIM],
        Effects::branch(),
        "branch to an address from a constant space"
    ),
    control!(
        Op::PreRet,
        "preret {lim}{target}",
        NVA3,
        0xd,
        false,
        [TARGET, LIM],
        TOGETHER,
        "push the address where return goes"
    ),
];
