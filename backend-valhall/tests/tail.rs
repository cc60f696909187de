//! The last passes one by one. Those on encoded code over small texts of machine code: what each makes of code that it is for, and that
//! it leaves other code alone. All in a whole program: code without one of them does the same, each has something to do, and fuel bounds
//! those on encoded code.

use crate::common::{compile, module, options, oracle, run};
use gpucc_driver::{CodegenOptions, Family, Output};
use gpucc_isa::TextCx;
use gpucc_mir::{Form, parse, verify};
use gpucc_sim::Dispatch;
use gpucc_valhall::encode::encode;
use gpucc_valhall::encoded::Code;
use gpucc_valhall::inst::Valhall;
use gpucc_valhall::{
    ValhallFamily, drop_fallthrough, end_helpers, fold_flow, hoist_waits, keep_positions, last_uses, reconverge, waits,
};

/// Runs a pass of the family's list by its name.
fn step(pass: &str, code: &mut Code, fuel: u64) -> u64 {
    match pass {
        "reconverge" => reconverge::run(code),
        "drop-fallthrough" => drop_fallthrough::run(code, fuel),
        "keep-positions" => keep_positions::run(code, fuel),
        "end-helpers" => end_helpers::run(code, fuel),
        "hoist-waits" => hoist_waits::run(code, fuel),
        "waits" => waits::run(code),
        "fold-flow" => fold_flow::run(code, fuel),
        "last-uses" => last_uses::run(code, fuel),
        _ => panic!("no test knows {pass}"),
    }
}

/// Encodes the blocks of a function in the text of machine code.
fn encoded(blocks: &str) -> Code {
    let target = Valhall::new(true);
    let text = format!("mir f vregs 0 {{\n{}\n}}\n", blocks.replace("; ", "\n  ").trim());
    let code = parse(&text, &target).unwrap_or_else(|e| panic!("{e}\n{text}"));
    verify(&code, &target, Form::Physical).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let code = encode(code).unwrap_or_else(|d| panic!("{d}\n{text}"));
    code.verify(&TextCx::new(1)).unwrap_or_else(|e| panic!("{e}\n{}", code.print(&TextCx::new(1))));
    code
}

/// The text of what passes make of it, a block a line, and how much the last of them did. The verifier runs behind each.
fn pass(passes: &str, blocks: &str, fuel: u64) -> (String, u64) {
    let mut code = encoded(blocks);
    let (mut changes, mut before) = (0, String::new());
    for p in passes.split(", ") {
        before = code.print(&TextCx::new(1));
        changes = step(p, &mut code, fuel);
        code.verify(&TextCx::new(1)).unwrap_or_else(|e| panic!("after {p}: {e}\n{}", code.print(&TextCx::new(1))));
    }
    let text = code.print(&TextCx::new(1));
    assert!(changes == 0 || text != before, "{changes} changes of nothing:\n{text}");
    let body = text.lines().filter(|l| !l.starts_with("encoded") && *l != "}");
    (body.map(|l| l.strip_prefix(' ').map_or(format!("\n{l}"), |l| format!("{l};"))).collect(), changes)
}

/// The last of some passes must change what the others made of a text, so often and to this.
#[track_caller]
fn fires(passes: &str, blocks: &str, changes: u64, wanted: &str) {
    let (text, did) = pass(passes, blocks, u64::MAX);
    assert_eq!((text.trim(), did), (wanted.trim(), changes));
}

/// The last of some passes must leave what the others made of a text as it is.
#[track_caller]
fn stays(passes: &str, blocks: &str) {
    let (before, last) = passes.rsplit_once(", ").unwrap_or(("", passes));
    let (text, did) = pass(passes, blocks, u64::MAX);
    assert_eq!(did, 0, "{last}: {text}");
    if !before.is_empty() {
        assert_eq!(text, pass(before, blocks, u64::MAX).0);
    }
}

/// Lanes that skip a block meet those that do not behind it.
const SKIPS: &str = "
b0 -> b1, b2:; Branch r0, b2; Jump b1
b1 -> b2:; r1 = Op(MovI32) r0; Jump b2
b2:; End";

#[test]
fn reconverge() {
    let wanted = "
b0 -> b2, b1: BRANCHZ.reconverge r0, b2; BRANCHZ.eq.reconverge 0x0, b1;
b1 -> b2: MOV.i32 r1, r0; BRANCHZ.eq.reconverge 0x0, b2;
b2: NOP.end;";
    fires("reconverge", SKIPS, 3, wanted);
    // Lanes that are left behind come along before the others jump on.
    let wanted = "
b0 -> b2, b1: BRANCHZ.reconverge r0, b2; BRANCHZ.eq.reconverge 0x0, b1;
b1: NOP.end;
b2: NOP.end;";
    let crossed = "
b0 -> b1, b2:; Branch r0, b2; Jump b1
b1:; End
b2:; End";
    fires("reconverge", crossed, 2, wanted);
    // All lanes go the same way, or all that began come along.
    stays("reconverge", &crossed.replace("Branch", "Branch {uniform=1}").replace("Jump", "Jump {together=1}"));
    stays("reconverge", "b0 -> b1:; Jump {together=1} b1\nb1:; End");
}

#[test]
fn drop_fallthrough() {
    let wanted = "
b0 -> b2, b1: BRANCHZ.reconverge r0, b2;
b1 -> b2: MOV.i32 r1, r0; NOP.reconverge;
b2: NOP.end;";
    fires("reconverge, drop-fallthrough", SKIPS, 2, wanted);
    let (text, did) = pass("reconverge, drop-fallthrough", SKIPS, 1);
    assert_eq!((text.matches("BRANCHZ.eq").count(), did), (1, 1), "{text}");
    // To another block, or on a condition.
    stays("drop-fallthrough", "b0 -> b2:; Jump b2\nb1:; End\nb2 -> b1:; Jump b1");
    stays("drop-fallthrough", "b0 -> b1, b2:; Branch r0, b1; Jump b2\nb1:; End\nb2:; End");
}

#[test]
fn keep_positions() {
    let wanted = "
b0: LD_VAR_BUF_IMM.f32.slot0.src_flat32.center.store @r0, r61, index:0x0; LD_VAR_BUF_IMM.f32.slot0.src_flat32.center.retrieve @r1, r61, index:0x4; NOP.end;";
    let two = "b0:; r0 = Op(LdVarBufImmF32) r61; r1 = Op(LdVarBufImmF32) {index=4} r61; End";
    fires("keep-positions", two, 1, wanted);
    assert_eq!(pass("keep-positions", two, 0).1, 0);
    // They need no wait for each other.
    assert!(!pass("keep-positions, waits", two, u64::MAX).0.contains("wait"));
    assert!(pass("waits", two, u64::MAX).0.contains("store.wait0"));
    // Kept on each way, in each round.
    let both = "b0 -> b1, b2:; r0 = Op(LdVarBufImmF32) r61; Branch r1, b1; Jump b2
b1 -> b2:; r2 = Op(LdVarBufImmF32) r61; Jump b2
b2 -> b2, b3:; r3 = Op(LdVarBufImmF32) r61; Branch r1, b2; Jump b3
b3:; End";
    assert_eq!(pass("keep-positions", both, u64::MAX).1, 2);
    // Another kind, on one of two ways, and lost.
    stays("keep-positions", &two.replace("{index=4}", "{sample=1}"));
    stays(
        "keep-positions",
        &both
            .replace("r0 = Op(LdVarBufImmF32) r61; ", "")
            .replace("b2 -> b2, b3", "b2 -> b3, b3")
            .replace("Branch r1, b2;", "Branch r1, b3;"),
    );
    let lost = "r2 = Op(LdVarSpecial) {regfmt=2, update=3, index=2} r61";
    stays("keep-positions", &two.replace("; r1", &format!("; {lost}; r1")));
}

#[test]
fn end_helpers() {
    let quad = "b0:; r1 = Op(Wmask) r0; r2 = Op(MovI32) r1; End";
    let (text, did) = pass("end-helpers", quad, u64::MAX);
    assert!(did == 1 && text.contains(".discard r1, r0"), "{text}");
    assert_eq!(pass("end-helpers", quad, 0).1, 0);
    // The first without a flow; the end of the program keeps its own.
    let (text, did) = pass("waits, fold-flow, end-helpers", &quad.replace("r1; End", "r1; r3 = Op(MovI32) r1; End"), 9);
    assert!(did == 1 && text.contains(".discard r1, r0") && text.contains("MOV.i32.end"), "{text}");
    // On each way on which nobody needs them, and in no round of a loop that does.
    let way = "b0 -> b1, b2:; Branch r0, b2; Jump b1
b1 -> b2:; r1 = Op(Wmask) r0; Jump b2
b2:; r2 = Op(MovI32) r0; End";
    let (text, did) = pass("end-helpers", way, u64::MAX);
    assert!(did == 2 && text.contains("MOV.i32.discard"), "{text}");
    let round = "b0 -> b0, b1:; r1 = Op(Wmask) r0; Branch r0, b0; Jump b1\nb1:; r2 = Op(MovI32) r0; End";
    let (text, did) = pass("end-helpers", round, u64::MAX);
    assert!(did == 1 && text.contains("MOV.i32.discard"), "{text}");
    // Discarded lanes are helpers; before others need them they continue.
    let gone = "b0:; Op(DiscardF32) r0, r1; r2 = Op(MovI32) r0; End";
    let (text, did) = pass("end-helpers", gone, u64::MAX);
    assert!(did == 1 && text.contains(".discard r0, r1"), "{text}");
    let (text, did) = pass("end-helpers", &gone.replace("Op(MovI32) r0", "Op(Wmask) r0"), u64::MAX);
    assert!(did == 1 && !text.contains(".discard r0, r1"), "{text}");
    // Nothing across lanes, and no lanes that end.
    stays("end-helpers", "b0:; r2 = Op(MovI32) r0; End");
}

/// A loop whose first instruction needs what was loaded before it.
const LOOP: &str = "
b0 -> b1:; r0 = Op(LoadI32) u[0]; Jump b1
b1 -> b1, b2:; r1 = Op(IaddU32) r0, r1; Branch r1, b1; Jump b2
b2:; End";

#[test]
fn hoist_waits() {
    let wanted = "
b0 -> b1: LOAD.i32.slot0 @r0, u0, offset:0 {reads 0}; NOP.wait0; BRANCHZ.eq 0x0, b1;
b1 -> b1, b2: IADD.u32 r1, r0, r1; BRANCHZ r1, b1; BRANCHZ.eq 0x0, b2;
b2: NOP.end;";
    fires("hoist-waits", LOOP, 1, wanted);
    assert_eq!(pass("hoist-waits", LOOP, 0).1, 0);
    // The rounds leave something outstanding themselves; the first instruction needs nothing; there is no loop.
    stays("hoist-waits", &LOOP.replace("; Branch", "; r0 = Op(LoadI32) u[2]; Branch"));
    stays("hoist-waits", &LOOP.replace("(IaddU32) r0, r1", "(IaddU32) r1, r1"));
    stays("hoist-waits", &LOOP.replace("r1, b1", "r1, b2").replace("-> b1, b2", "-> b2, b2"));
}

#[test]
fn waits() {
    let wanted = "b0: LOAD.i32.slot0.wait0 @r0, u0, offset:0 {reads 0}; IADD.u32 r1, r0, r0; NOP.end;";
    fires("waits", "b0:; r0 = Op(LoadI32) u[0]; r1 = Op(IaddU32) r0, r0; End", 1, wanted);
    // With nothing before it in its block that could wait.
    let wanted = "
b0 -> b1: LOAD.i32.slot0 @r0, u0, offset:0 {reads 0}; BRANCHZ.eq 0x0, b1;
b1: NOP.wait0; IADD.u32 r1, r0, r0; NOP.end;";
    let apart = "b0 -> b1:; r0 = Op(LoadI32) u[0]; Jump b1\nb1:; r1 = Op(IaddU32) r0, r0; End";
    fires("waits", apart, 1, wanted);
    // A wait that was moved in front of a loop is carried; the loop has none.
    let (text, did) = pass("hoist-waits, waits", LOOP, u64::MAX);
    assert!(did == 1 && text.contains("LOAD.i32.slot0.wait0") && !text.contains("NOP.wait"), "{text}");
    // A fence waits for what is outstanding alone, and for nothing where nothing is.
    let fence = "b0:; Op(StoreI32) {slot=2} r0, u[0]; Fence; r1 = Op(MovI32) r2; Fence; End";
    let wanted = "b0: STORE.i32.slot2.wait2 @r0, u0, offset:0 {writes 0, staged r0}; MOV.i32 r1, r2; NOP.end;";
    fires("waits", fence, 1, wanted);
    // Nothing depends on the load; accesses of one base do not overlap; data is read when its register is read again.
    stays("waits", "b0:; r0 = Op(LoadI32) u[0]; r1 = Op(IaddU32) r2, r2; End");
    let keys =
        "b0:; Op(StoreI32) {slot=2, space=2, key=17} r0, u[0]; r1 = Op(LoadI32) {space=2, key=33, offset=4} u[0]; End";
    let (text, did) = pass("waits", keys, u64::MAX);
    assert!(did == 0 && !text.contains("wait"), "{text}");
    assert_eq!(pass("waits", &keys.replace("key=33", "key=17"), u64::MAX).1, 1);
}

#[test]
fn fold_flow() {
    fires("fold-flow", "b0:; r1 = Op(MovI32) r2; End", 1, "b0: MOV.i32.end r1, r2;");
    let wanted = "
b0 -> b2, b1: BRANCHZ.reconverge r0, b2;
b1 -> b2: MOV.i32.reconverge r1, r0;
b2: NOP.end;";
    fires("reconverge, drop-fallthrough, waits, fold-flow", SKIPS, 1, wanted);
    // The end waits by itself.
    let waiting = LOOP.replace("Jump b1\nb1", "r1 = Op(MovI32) r0; Jump b1\nb1");
    let (text, did) = pass("reconverge, drop-fallthrough, waits, fold-flow", &waiting, 0);
    assert!(did == 0 && text.contains("NOP.end"), "{text}");
    let ends = "b0:; Op(StoreI32) {slot=2} r0, u[0]; Fence; End";
    fires("waits, fold-flow", ends, 1, "b0: STORE.i32.slot2.end @r0, u0, offset:0 {writes 0, staged r0};");
    // A barrier waits for everything, a wait is carried already, or there is nothing before it.
    stays("fold-flow", "b0:; Op(Barrier) {slot=7}; End");
    let carried = SKIPS.replace("Op(MovI32) r0; Jump", "Op(LoadI32) u[0]; Fence; Jump");
    stays("reconverge, drop-fallthrough, waits, fold-flow", &carried);
    stays("fold-flow", "b0:; End");
}

#[test]
fn last_uses() {
    let code = "b0:; r1 = Op(IaddU32) r0, r2; r3 = Op(IaddU32) r0, r1; End";
    fires("last-uses", code, 3, "b0: IADD.u32 r1, r0, ^r2; IADD.u32 r3, ^r0, ^r1; NOP.end;");
    assert_eq!(pass("last-uses", code, 2).1, 2);
    // Read again, there or in the next round.
    stays(
        "last-uses",
        "b0 -> b0, b1:; r1 = Op(MovI32) r0; Branch r0, b0; Jump b1\nb1:; r2 = Op(MovI32) r0; Op(StoreI32) r0, u[0]; End",
    );
    // A message may still have to read the register.
    let staged = "b0:; Op(StoreI32) {slot=2} r0, u[0]; r1 = Op(MovI32) r0; End";
    stays("waits, last-uses", staged);
    assert_eq!(pass("waits, last-uses", &staged.replace("; r1", "; Fence; r1"), u64::MAX).1, 1);
}

/// Loops in loops that lanes leave at different times, messages of all kinds, blocks that only jump.
const SHADER: &str = "
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
var<workgroup> sum: atomic<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    var x = a[i];
    var n = 0u;
    while (x != 1u && n < 40u) {
        if ((x & 1u) == 1u) { x = x * 3u + 1u; } else { x = x / 2u; }
        var k = x & 7u;
        loop { if (k > 9u) { break; } k += 2u; o[i] += a[k]; }
        n = n + 1u;
    }
    atomicAdd(&sum, n);
    workgroupBarrier();
    o[i] += n * 3u + atomicLoad(&sum) + a[(i ^ 5u) % 64u] * a[(i + 7u) % 64u];
}";

/// Its data.
fn dispatch() -> Dispatch {
    let a: Vec<u32> = (0..64).map(|i| i % 23 + 1).collect();
    Dispatch::new([1, 1, 1]).with_u32(0, 0, &a).with_u32(0, 1, &[0; 64])
}

/// Passes that are for fragment programs.
const OF_FRAGMENTS: [&str; 2] = ["keep-positions", "end-helpers"];

/// Two varyings, a derivative, and what is left to do for lanes that are drawn.
const FRAGMENT: &str = "
@fragment
fn main(@location(0) a: vec4<f32>, @location(1) b: vec4<f32>) -> @location(0) vec4<f32> {
    return sqrt(a * dpdx(b.x) + b);
}";

/// Suites of draws compare the pictures.
#[test]
fn those_of_fragments_change_them() {
    let m = module(FRAGMENT);
    for level in [0, 2] {
        let whole = compile(&m, 1, &options(level));
        for pass in OF_FRAGMENTS {
            let without = compile(&m, 1, &CodegenOptions { skip_passes: vec![pass.into()], ..options(level) });
            assert!(whole.entry.code != without.entry.code, "{pass} changes nothing");
        }
    }
}

/// The names of the passes on machine code and those on encoded code that may be left out.
fn optional() -> impl Iterator<Item = &'static str> {
    let tail = ValhallFamily::TAIL.iter().filter(|p| p.optional).map(|p| p.name).filter(|p| !OF_FRAGMENTS.contains(p));
    ["thread-jumps", "invert-branches", "assign-slots"].into_iter().chain(tail)
}

#[test]
fn each_can_be_left_out() {
    let m = module(SHADER);
    let d = dispatch();
    let want = oracle(&m, &d);
    for pass in optional() {
        let mut other = 0;
        for level in [0, 2] {
            let whole = compile(&m, 1, &options(level));
            let o = CodegenOptions { skip_passes: vec![pass.into()], verify: true, ..options(level) };
            let without = compile(&m, 1, &o);
            for out in [&whole, &without] {
                let got = run(out, 1, &d, Some(3)).unwrap_or_else(|t| panic!("-O{level} without {pass}: {t}"));
                assert_eq!(got.buffers[1].bytes, want.buffers[1].bytes, "-O{level} without {pass}");
            }
            other += usize::from(whole.entry.code != without.entry.code);
        }
        assert!(other > 0, "{pass} changes nothing");
    }
}

fn changes(out: &Output, pass: &str) -> u64 {
    out.times.iter().filter(|t| t.pass == pass).map(|t| t.changes).sum()
}

#[test]
fn each_stops_without_fuel() {
    let m = module(SHADER);
    let d = dispatch();
    let want = oracle(&m, &d);
    let given = CodegenOptions { time_passes: true, verify: true, ..options(2) };
    let whole = compile(&m, 1, &given);
    for pass in ValhallFamily::TAIL.iter().filter(|p| p.optional).map(|p| p.name) {
        let n = changes(&whole, pass);
        for fuel in [0, 1, n / 2, n] {
            let o = CodegenOptions { fuel, fuel_of: Some(pass.into()), ..given.clone() };
            let out = compile(&m, 1, &o);
            assert_eq!(changes(&out, pass), fuel.min(n), "{pass} with {fuel} of {n}");
            let got = run(&out, 1, &d, Some(3)).unwrap_or_else(|t| panic!("{pass} with {fuel} of {n}: {t}"));
            assert_eq!(got.buffers[1].bytes, want.buffers[1].bytes, "{pass} with {fuel} of {n}");
            assert!(fuel < n || out.entry.code == whole.entry.code, "{pass} with {fuel} of {n}");
        }
    }
}

/// Instructions that cannot be left out are not, whatever is asked for.
#[test]
fn what_code_needs_takes_no_fuel() {
    let m = module(SHADER);
    let code = |o: &CodegenOptions| compile(&m, 1, o).entry.code;
    let whole = code(&options(2));
    for pass in ValhallFamily::TAIL.iter().filter(|p| !p.optional).map(|p| p.name) {
        assert_eq!(code(&CodegenOptions { fuel: 0, fuel_of: Some(pass.into()), ..options(2) }), whole, "{pass}");
        assert_eq!(code(&CodegenOptions { skip_passes: vec![pass.into()], ..options(2) }), whole, "{pass}");
    }
}

/// A branch that always goes to its block, though it is none that says so, has instructions behind it.
#[test]
fn conditions_may_be_constants() {
    let mut code = encoded("b0 -> b1, b2:; Branch {eq=1} 0x0, b2; Jump b1\nb1:; End\nb2:; End");
    assert!(
        code.print(&TextCx::new(1)).contains("BRANCHZ.eq 0x0, b2\n  BRANCHZ.eq 0x0, b1\n"),
        "{}",
        code.print(&TextCx::new(1))
    );
    // Behind the jump, which is the same word, there is nothing.
    code.blocks[0].insts.swap(0, 1);
    assert_eq!(code.verify(&TextCx::new(1)), Err("b0: `BRANCHZ.eq 0x0, b2`: control does not get here".into()));
}
