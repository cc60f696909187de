//! Every row executed. Expected values are worked out from the reference (sections named), not from the machine.

use std::collections::BTreeSet;

use gpucc_container::{Access, Container, Entry, Meta, Preload, Resource, ResourceKind, Source};
use gpucc_sim::{BoundBuffer, Dispatch, RunOptions, Trap, TrapKind};
use gpucc_vivante_machine::{Class, Op, assemble, decode_word, run, table};

const NAMES: [&str; 3] = ["gc2000", "gc3000", "gc7000"];

/// A container around one listing. u0.x is the address of buffer 0:0, u0.y is 0, u0.z its size; `u` follows from u1.
pub fn container(generation: u8, listing: &str, u: &[[u32; 4]], size: [u32; 3], shared: (u32, u32)) -> Container {
    let code = assemble(listing, generation, gpucc_isa::stage::ALL, false)
        .unwrap_or_else(|e| panic!("{listing}\n{}", e.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")));
    let uni = |index: usize, lane: usize, source| Preload { file: 0x80, lane: lane as u8, index: index as u16, source };
    let mut preloads: Vec<Preload> = (0..3)
        .flat_map(|d| {
            [
                Preload { file: 0, lane: d, index: 0, source: Source::LocalId(u16::from(d)) },
                Preload { file: 0, lane: d, index: 1, source: Source::WorkgroupId(u16::from(d)) },
            ]
        })
        .collect();
    preloads.push(uni(0, 0, Source::BufferAddressLo { group: 0, binding: 0 }));
    preloads.push(uni(0, 1, Source::Const(0)));
    preloads.push(uni(0, 2, Source::BufferSize { group: 0, binding: 0 }));
    preloads.push(uni(0, 3, Source::SharedBase));
    for (i, words) in u.iter().enumerate() {
        for (lane, &w) in words.iter().enumerate() {
            preloads.push(uni(i + 1, lane, Source::Const(w)));
        }
    }
    let meta = Meta {
        workgroup_size: size,
        subgroup_size: 1,
        registers: vec![(0, 64), (0x80, u.len() as u16 + 1)],
        shared_bytes: shared.0,
        family_words: vec![shared.1],
        ..Meta::default()
    };
    let resource = Resource::new(ResourceKind::Storage, Access::ReadWrite, (0, 0), 0);
    let entry = Entry { name: "main".into(), code, meta, resources: vec![resource], preloads, ..Entry::default() };
    Container::of("vivante", NAMES[generation as usize], vec![entry])
}

fn launch(c: &Container, grid: [u32; 3], words: &[u32], perturb: Option<u64>) -> Result<Vec<u32>, Trap> {
    let mut d = Dispatch::new(grid).with_u32(0, 0, words);
    let options = RunOptions { step_limit: 50_000_000, perturb, ..RunOptions::default() };
    run(c, None, &mut d, &options)?;
    Ok(d.words(0, 0).unwrap())
}

/// The listing around a body: inputs in t1.., result t10 to memory.
pub fn whole(body: &str, inputs: usize) -> String {
    let mut s = String::new();
    for i in 1..=inputs {
        s += &format!("mov t{i}, void, void, u{i}.xyzw\n");
    }
    s += body;
    s + "\nstore.denorm.u32 mem, u0.xxxx, u0.yyyy, t10.xyzw\n"
}

pub fn eval(generation: u8, body: &str, inputs: &[[u32; 4]]) -> Result<[u32; 4], Trap> {
    let c = container(generation, &whole(body, inputs.len()), inputs, [1, 1, 1], (0, 0));
    let out = launch(&c, [1, 1, 1], &[0xdead_beef; 4], None)?;
    Ok([out[0], out[1], out[2], out[3]])
}

fn f(v: [f32; 4]) -> [u32; 4] {
    v.map(f32::to_bits)
}

/// A denormal.
const DEN: f32 = f32::from_bits(0x0000_1000);

#[derive(Clone)]
struct Case {
    generation: u8,
    body: String,
    inputs: Vec<[u32; 4]>,
    expected: [u32; 4],
}

/// Straight-line cases: one instruction (or what it needs around it) each. A row has the chip, the body, whose lines ` / ` parts, the inputs
/// and what comes out: four words, or one for all lanes.
const CASES: &str = include_str!("cases.txt");

/// A word of a case: what has a point is a float.
fn word(text: &str) -> u32 {
    let plain = text.replace('_', "");
    match plain.as_str() {
        "den" => DEN.to_bits(),
        "-den" => (-DEN).to_bits(),
        "min" => i32::MIN as u32,
        "max" => i32::MAX as u32,
        "inf" | "-inf" | "nan" => plain.parse::<f32>().expect("a float").to_bits(),
        p if p.contains('.') => p.parse::<f32>().unwrap_or_else(|e| panic!("{text}: {e}")).to_bits(),
        p => {
            let (digits, negative) = p.strip_prefix('-').map_or((p, false), |d| (d, true));
            let number = match digits.strip_prefix("0x") {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => digits.parse(),
            };
            let number = number.unwrap_or_else(|e| panic!("{text}: {e}"));
            if negative { number.wrapping_neg() } else { number }
        }
    }
}

/// The four lanes of a row.
fn lanes(text: &str) -> [u32; 4] {
    let words: Vec<u32> = text.split_whitespace().map(word).collect();
    if let [one] = words[..] { [one; 4] } else { words.try_into().unwrap_or_else(|w| panic!("{text}: {w:?}")) }
}

fn cases() -> Vec<Case> {
    let rows = CASES.lines().filter(|l| !l.is_empty() && !l.starts_with("//"));
    let case = |row: &str| {
        let parts: Vec<&str> = row.split(" | ").collect();
        let [chip, body, inputs, expected] = parts[..] else { panic!("{row}") };
        Case {
            generation: chip.parse().expect("a chip"),
            body: body.replace(" / ", "\n"),
            inputs: inputs.split(" ; ").map(lanes).collect(),
            expected: lanes(expected),
        }
    };
    rows.map(case).collect()
}

/// A buffer may end inside a word that is loaded, and inside one that an atomic changes, if what lies behind stays as it was.
#[test]
fn words_may_reach_behind_a_buffer_that_ends_inside_them() {
    let run_on = |name: &str, operand: u32, at: u32, bytes: &[u8]| {
        let body = format!("mov t1.x___, void, void, u1.xxxx\n{name} t10.x___, u0.xxxx, {at}, t1.xxxx");
        let c = container(1, &body, &[[operand, 0, 0, 0]], [1, 1, 1], (0, 0));
        let mut d = Dispatch::new([1, 1, 1]);
        d.buffers.push(BoundBuffer { group: 0, binding: 0, bytes: bytes.to_vec(), writable: true });
        run(&c, None, &mut d, &RunOptions::default()).map(|_| d.buffers.remove(0).bytes).map_err(|t| t.kind)
    };
    let bytes = [1, 2, 3, 4, 5, 6, 7];
    assert_eq!(run_on("atomic_and.skpHp.u32", !0xffff, 4, &bytes), Ok(vec![1, 2, 3, 4, 0, 0, 7]));
    assert_eq!(run_on("atomic_or.skpHp.u32", 0x80_0000, 4, &bytes), Ok(vec![1, 2, 3, 4, 5, 6, 0x87]));
    assert_eq!(run_on("atomic_and.skpHp.u32", 0xff_ffff, 4, &bytes), Err(TrapKind::OutOfBounds));
    assert_eq!(run_on("atomic_add.skpHp.u32", 1 << 24, 4, &bytes), Err(TrapKind::OutOfBounds));
    assert_eq!(run_on("atomic_or.skpHp.u32", 0, 8, &bytes), Err(TrapKind::OutOfBounds));
    assert_eq!(run_on("atomic_or.skpHp.u32", 0, 4, &bytes[..4]), Err(TrapKind::OutOfBounds));
    let load = |mask: &str, size: usize| {
        let body =
            format!("load.denorm.u32 t10.{mask}, u0.xxxx, 0, void\nstore.denorm.u32 mem.x___, u0.xxxx, 0, t10.xxxx");
        let c = container(1, &body, &[], [1, 1, 1], (0, 0));
        let mut d = Dispatch::new([1, 1, 1]);
        d.buffers.push(BoundBuffer { group: 0, binding: 0, bytes: vec![1; size], writable: true });
        run(&c, None, &mut d, &RunOptions::default()).map(|_| ()).map_err(|t| t.kind)
    };
    assert_eq!(load("x___", 4), Ok(()));
    assert_eq!([5, 6, 7, 8].map(|size| load("xy__", size)), [Ok(()); 4]);
    assert_eq!(load("xy__", 4), Err(TrapKind::OutOfBounds));
}

/// Memory after one atomic on the word 20: the old value goes to lane x, memory is read back into y.
fn atomics() -> Vec<(&'static str, [u32; 2], u32)> {
    vec![
        ("atomic_add.skpHp.u32", [5, 0], 25),
        ("atomic_xchg.skpHp.u32", [5, 0], 5),
        ("atomic_cmp_xchg.skpHp.u32", [20, 7], 7),
        ("atomic_cmp_xchg.skpHp.u32", [21, 7], 20),
        ("atomic_min.skpHp.s32", [!0, 0], !0),
        ("atomic_min.skpHp.u32", [!0, 0], 20),
        ("atomic_max.skpHp.s32", [!0, 0], 20),
        ("atomic_max.skpHp.u32", [!0, 0], !0),
        ("atomic_or.skpHp.u32", [3, 0], 23),
        ("atomic_and.skpHp.u32", [6, 0], 4),
        ("atomic_xor.skpHp.u32", [21, 0], 1),
    ]
}

fn atomic_body(name: &str) -> String {
    format!(
        "mov t2.x___, void, void, 20\nmov t2._y__, void, void, 0\nmov t10, void, void, 0\n\
         store.denorm.u32 mem.x___, u0.xxxx, 4, t2.xxxx\n{name} t10.x___, u0.xxxx, 4, t1.xyyy\n\
         load.denorm.u32 t10._y__, u0.xxxx, 4, void"
    )
}

/// Control flow, whole listings, results in the buffer.
const LOOP: &str = "mov t2.x___, void, void, 0
mov t2._y__, void, void, 0
again:
branch.ge.s32 void, t2.xxxx, t1.xxxx, done
add.s32 t2.x___, t2.xxxx, void, 1
add.s32 t2._y__, t2.yyyy, void, t2.xxxx
branch void, void, void, again
done:
mov t10, void, void, t2.yyyy";

const CALL: &str = "mov t10, void, void, 1
branch void, void, void, main
double:
add.s32 t10, t10.xyzw, void, t10.xyzw
ret void, void, void, void
main:
call void, void, void, double
call void, void, void, double
nop t0.____, void, void, void";

/// The same in what every chip has: scalar adds, no immediates.
const CALL0: &str = "mov t10, void, void, t1.xyzw
branch void, void, void, main
double:
add.s32 t10.x___, t10.xxxx, void, t10.xxxx
add.s32 t10._y__, t10.yyyy, void, t10.yyyy
add.s32 t10.__z_, t10.zzzz, void, t10.zzzz
add.s32 t10.___w, t10.wwww, void, t10.wwww
ret void, void, void, void
main:
call void, void, void, double
call void, void, void, double
nop t0.____, void, void, void";

const ANY: &str = "mov t10, void, void, 1
branch_any.gt void, t1.xyzw, t2.xyzw, out
mov t10, void, void, 2
out:
add.s32 t10, t10.xyzw, void, 10";

const UNARY: &str = "mov t10, void, void, 1
branch.nz.u32 void, t1.xxxx, void, out
mov t10, void, void, 2
out:
add.s32 t10, t10.xyzw, void, 10";

/// Whether a chip can run a case of another one: it has the rows, and may use them so.
fn takes(c: &Case, generation: u8) -> bool {
    let check = |b: &[u8]| {
        let mut w = [0; 4];
        for (w, b) in w.iter_mut().zip(b.chunks_exact(4)) {
            *w = u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        }
        decode_word(w, generation, gpucc_isa::stage::ALL)
            .is_ok_and(|i| gpucc_vivante_machine::validate::check(&i, generation).is_ok())
    };
    let code = assemble(&c.body, generation, gpucc_isa::stage::ALL, false);
    // `.rtz` of a logarithm or a sine is a rounding mode on gc2000 and another instruction elsewhere (7.4).
    if generation == 0 && ["log", "sin", "cos"].iter().any(|n| c.body.starts_with(n)) {
        return c.generation == 0;
    }
    c.generation == generation || code.is_ok_and(|code| code.chunks_exact(16).all(check))
}

#[test]
fn straight_lines() {
    let mut failures = Vec::new();
    let each = |c: Case| (0..3).map(move |g| (c.clone(), g)).filter(|(c, g)| takes(c, *g));
    for (c, generation) in cases().into_iter().flat_map(each) {
        match eval(generation, &c.body, &c.inputs) {
            Ok(got) if got == c.expected => {}
            Ok(got) => failures.push(format!(
                "{}: {}\n   got {got:x?} {:?}\n  want {:x?} {:?}",
                NAMES[generation as usize],
                c.body,
                got.map(f32::from_bits),
                c.expected,
                c.expected.map(f32::from_bits)
            )),
            Err(t) => failures.push(format!("{}: {t}", c.body)),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn atomics_change_memory_and_give_the_old_value() {
    for (name, operand, after) in atomics() {
        let got = eval(1, &atomic_body(name), &[[operand[0], operand[1], 0, 0]]).unwrap();
        assert_eq!(got[..2], [20, after], "{name}");
    }
}

#[test]
fn control_flow() {
    for g in 0..3 {
        assert_eq!(eval(g, CALL0, &[[3, 4, 5, 6]]).unwrap(), [12, 16, 20, 24]);
    }
    assert_eq!(eval(1, LOOP, &[[10, 0, 0, 0]]).unwrap(), [55; 4]);
    assert_eq!(eval(1, CALL, &[]).unwrap(), [4; 4]);
    assert_eq!(eval(2, ANY, &[f([1.0, 1.0, 1.0, 3.0]), f([2.0; 4])]).unwrap(), [11; 4]);
    assert_eq!(eval(2, ANY, &[f([1.0, 1.0, 1.0, 1.0]), f([2.0; 4])]).unwrap(), [12; 4]);
    assert_eq!(eval(1, UNARY, &[[1, 0, 0, 0]]).unwrap(), [11; 4]);
    assert_eq!(eval(1, UNARY, &[[0, 0, 0, 0]]).unwrap(), [12; 4]);
}

/// Lanes of different trip counts, ids, an indexed store: out[i] = sum 1..=i for i = group * size + local.
const DIVERGENT: &str = "imadlo0.s32 t2.x___, t1.xxxx, u1.xxxx, t0.xxxx
mov t3.xy__, void, void, u0.yyyy
again:
branch.ge.s32 void, t3.xxxx, t2.xxxx, done
add.s32 t3.x___, t3.xxxx, void, u1.yyyy
add.s32 t3._y__, t3.yyyy, void, t3.xxxx
branch void, void, void, again
done:
store.denorm.u32.ls2 mem.x___, u0.xxxx, t2.xxxx, t3.yyyy";

#[test]
fn divergent_lanes_in_any_order() {
    for generation in 0..3 {
        let c = container(generation, DIVERGENT, &[[48, 1, 0, 0]], [48, 1, 1], (0, 0));
        for perturb in [None, Some(1), Some(2), Some(99)] {
            let out = launch(&c, [3, 1, 1], &[0; 144], perturb).unwrap();
            let want: Vec<u32> = (0..144).map(|i| i * (i + 1) / 2).collect();
            assert_eq!(out, want);
        }
    }
}

/// Each invocation stores its id to workgroup memory, waits, and reads its mirror image.
const MIRROR_BUFFER: &str = "imadlo0.s32 t2.x___, t1.xxxx, u1.xxxx, u1.zzzz
mov t3.x___, void, void, u0.wwww
add.s32 t3.x___, t3.xxxx, void, t2.xxxx
store.denorm.u32.ls2 mem.x___, t3.xxxx, t0.xxxx, t0.xxxx
barrier void, void, void, void
add.s32 t4.x___, u1.yyyy, void, -t0.xxxx
load.denorm.u32.ls2 t5.x___, t3.xxxx, t4.xxxx, void
imadlo0.s32 t6.x___, t1.xxxx, u1.wwww, t0.xxxx
store.denorm.u32.ls2 mem.x___, u0.xxxx, t6.xxxx, t5.xxxx";

const MIRROR_LOCAL: &str = "mov t7.x___, void, void, u1.zzzz
store.denorm.local.u32.ls2 mem.x___, t7.xxxx, t0.xxxx, t0.xxxx
barrier void, void, void, void
add.s32 t4.x___, u1.yyyy, void, -t0.xxxx
load.denorm.local.u32.ls2 t5.x___, t7.xxxx, t4.xxxx, void
imadlo0.s32 t6.x___, t1.xxxx, u1.wwww, t0.xxxx
store.denorm.u32.ls2 mem.x___, u0.xxxx, t6.xxxx, t5.xxxx";

#[test]
fn workgroup_memory_both_ways() {
    // u1: bytes of a slice, last local id, 0, invocations.
    let u = [[160, 39, 0, 40]];
    for (text, mode) in [(MIRROR_BUFFER, 0), (MIRROR_LOCAL, 1)] {
        for generation in 0..3 {
            let c = container(generation, text, &u, [40, 1, 1], (160, mode));
            for perturb in [None, Some(7)] {
                let out = launch(&c, [4, 1, 1], &[0; 160], perturb).unwrap();
                let want: Vec<u32> = (0..160).map(|i| 39 - i % 40).collect();
                assert_eq!(out, want, "{text}");
            }
        }
    }
}

/// Invocation i counts to 3000 * i before the barrier: far beyond one turn of its subgroup.
#[test]
fn lanes_wait_while_others_run_for_long() {
    let text = "mov t3.x___, void, void, u1.zzzz
imadlo0.s32 t2.x___, t0.xxxx, u1.xxxx, u1.zzzz
again:
branch.ge.u32 void, t3.xxxx, t2.xxxx, done
add.s32 t3.x___, t3.xxxx, void, u1.yyyy
branch void, void, void, again
done:
barrier void, void, void, void
imadlo0.s32 t4.x___, t0.xxxx, u1.wwww, u1.zzzz
store.denorm.u32 mem.x___, u0.xxxx, t4.xxxx, t3.xxxx";
    let c = container(1, text, &[[3000, 1, 0, 4]], [6, 1, 1], (0, 0));
    for perturb in [None, Some(1), Some(2), Some(3)] {
        let want: Vec<u32> = (0..6).map(|i| i * 3000).collect();
        assert_eq!(launch(&c, [1, 1, 1], &[0; 6], perturb).unwrap(), want, "{perturb:?}");
    }
}

fn trap_of(generation: u8, body: &str, inputs: &[[u32; 4]]) -> Trap {
    match eval(generation, body, inputs) {
        Err(t) => t,
        Ok(v) => panic!("{body}\nmust trap but gives {v:x?}"),
    }
}

#[test]
fn traps_name_rule_instruction_and_address() {
    use TrapKind::{BadRegister, Barrier, Misaligned, OutOfBounds, StepLimit, Unbalanced, UndefinedRead, Unsupported};
    let u = [[1, 2, 3, 4], [5, 6, 7, 8]];
    let list: &[(u8, &str, TrapKind, &str)] = &[
        (1, "mov t10, void, void, t20.xyzw", UndefinedRead, "t20.x was never written"),
        (1, "mov t20.xy__, void, void, t1.xyzw\nmov t10, void, void, t20.xyzw", UndefinedRead, "t20.z"),
        (1, "add.s32 t10, u1.xyzw, void, u2.xyzw", Unsupported, "reads two uniforms, u1 and u2"),
        (0, "add.s32 t10, u1.xxxx, void, u2.xxxx", Unsupported, "reads two uniforms"),
        (1, "mov t10, void, void, u9.xyzw", BadRegister, "u9"),
        (1, "mov t10, void, void, t1[a.x].xyzw", UndefinedRead, "a0.x was never written"),
        (
            1,
            "movai.s32 t0.x___, void, void, 70\nmov t10, void, void, t1[a.x].xyzw",
            BadRegister,
            "a0 selects register 71",
        ),
        (1, "movar t0.x___, void, void, 0.500000\nmov t10, void, void, t1[a.x].xyzw", UndefinedRead, "a0.x"),
        (2, "movai.s32 t0.x___, void, void, 0\nmov t10, void, void, u1[a.x].xyzw", Unsupported, "not indexed by a0"),
        (1, "load.denorm.u32 t10, u0.xxxx, 4096, void", OutOfBounds, "address"),
        (1, "load.denorm.u32 t10, u0.xxxx, 4, void", OutOfBounds, "16 bytes"),
        (1, "load.denorm.u32 t10.x___, u0.xxxx, 2, void", Misaligned, "multiple of 4"),
        (1, "load.denorm.u32 t10.x_z_, u0.xxxx, 0, void", Unsupported, "contiguous"),
        (1, "store.denorm.u32 mem._y__, u0.xxxx, 0, t1.xyzw", Unsupported, "leading lanes"),
        (1, "load.denorm.local.u32 t10, 0, 0, void", OutOfBounds, "no LOCAL storage"),
        (1, "rcp t10, void, void, t1.xyzw", Unsupported, "broadcast"),
        (0, "and.u32 t10, t1.xyzw, void, t2.xyzw", Unsupported, "broadcast"),
        (1, "log t10.xy__, void, void, t1.xxxx", Unsupported, "fast transcendentals"),
        (1, "log.rtz t10, void, void, t1.xxxx", Unsupported, "two lanes"),
        (0, "sin t1, void, void, t1.xxxx", Unsupported, "must differ"),
        (1, "select.and t10, t1.xyzw, t2.xyzw, t1.xyzw", Unsupported, "`.and` has an unknown meaning"),
        (1, "mul.s32 t10, t1.xyzw, t2.xyzw, void", Unsupported, "no known meaning"),
        (1, "add.sat.s32 t10, t1.xyzw, void, t2.xyzw", Unsupported, "`.sat`"),
        (1, "add.t0 t10, t1.xyzw, void, t2.xyzw", Unsupported, "dual-16"),
        (1, "add t10, th1.xyzw, void, t2.xyzw", Unsupported, "dual-16"),
        (1, "add.u8.pack t10, t1.xyzw, void, t2.xyzw", Unsupported, "pack"),
        (1, "mov t10, void, void, i0.xyzw", UndefinedRead, "fragment"),
        (1, "idiv0.s32 t10, t1.xxxx, 0, void", UndefinedRead, "t10.x"),
        (1, "f2i.s32 t10, 4294967296.0, void, void", UndefinedRead, "t10.x"),
        (1, "here: branch void, void, void, here\nmov t10, void, void, 0", StepLimit, "still running"),
        (1, "mov t10, void, void, 0\nret void, void, void, void", Unbalanced, "without a call"),
        (1, "branch.gt void, t1.xyzw, t2.xyzw, 0\nmov t10, void, void, 0", Unsupported, "broadcast"),
        (1, "branch void, void, void, 9\nmov t10, void, void, 0", TrapKind::FellOffEnd, "beyond the program"),
        (1, ".word 0 0 0 0\nmov t10, void, void, 0", TrapKind::Undecodable, "zeros"),
        (
            1,
            ".word 0x07811001 0x2c401804 0x00000040 0x002a8088\nmov t10, void, void, 0",
            TrapKind::Reserved,
            "reserved bits",
        ),
        (
            0,
            ".word 0x07811033 0x39004804 0x01620440 0x00000000\nmov t10, void, void, t1.xyzw",
            TrapKind::Undecodable,
            "no instruction",
        ),
        (2, "img_load.u32 t10, t1.xyzw, t2.xyzw, void", OutOfBounds, "of an image of 3 by 0"),
        (2, "img_load.u32.pack t10, t1.xyzw, t2.xyzw, void", Unsupported, "convert texels is unknown"),
        (2, "img_load.u8 t10.x___, t1.xyzw, t2.xyzw, void", Unsupported, "no known meaning"),
        (2, "img_load.u32 t10.xyz_, t1.xyzw, t2.xyzw, void", Unsupported, "1, 2 or 4 words"),
        (1, "texldl t10, tex0.xyzw, t1.xyzw, void, void", BadRegister, "texture unit 0 is not set up"),
        (1, "dsx t10, t1.xyzw, void, t1.xyzw", Unsupported, "another stage"),
        (1, "texkill void, void, void, void\nmov t10, void, void, 0", Unsupported, "another stage"),
    ];
    for (generation, body, kind, part) in list {
        let t = trap_of(*generation, body, &u);
        assert_eq!(t.kind, *kind, "{body}: {t}");
        assert!(t.to_string().contains(part), "{body}: {t}");
        if *kind != StepLimit {
            assert!(t.pc.is_some() && t.instruction.is_some(), "{body}: {t}");
        }
    }
    let c =
        container(1, "branch.nz.u32 void, t0.xxxx, void, 2\nbarrier void, void, void, void", &[], [2, 1, 1], (0, 0));
    assert_eq!(launch(&c, [1, 1, 1], &[0; 4], None).unwrap_err().kind, Barrier);
    let c = container(1, "call void, void, void, 1", &[], [1, 1, 1], (0, 0));
    assert_eq!(launch(&c, [1, 1, 1], &[0; 4], None).unwrap_err().kind, Unbalanced);
    // The slice of another workgroup.
    let other = MIRROR_BUFFER.replace("imadlo0.s32 t2.x___, t1.xxxx", "imadlo0.s32 t2.x___, u1.zzzz");
    let c = container(1, &other, &[[160, 39, 0, 40]], [40, 1, 1], (160, 0));
    let t = launch(&c, [2, 1, 1], &[0; 80], None).unwrap_err();
    assert!(t.message.contains("another workgroup"), "{t}");
}

#[test]
fn zeroed_code_traps() {
    let mut c = container(1, LOOP, &[], [1, 1, 1], (0, 0));
    c.entries[0].code.fill(0);
    let t = launch(&c, [1, 1, 1], &[0; 4], None).unwrap_err();
    assert_eq!((t.kind, t.pc), (TrapKind::Undecodable, Some(0)));
}

#[test]
fn containers_are_checked() {
    let good = container(1, "nop t0.____, void, void, void", &[], [1, 1, 1], (0, 0));
    let run_it = |c: &Container| launch(c, [1, 1, 1], &[0; 4], None);
    assert!(run_it(&good).is_ok());
    let change = |f: &dyn Fn(&mut Container)| {
        let mut c = good.clone();
        f(&mut c);
        run_it(&c).unwrap_err().kind
    };
    assert_eq!(change(&|c| c.family = "gcn".into()), TrapKind::Container);
    assert_eq!(change(&|c| c.generation = "gc1".into()), TrapKind::Container);
    assert_eq!(change(&|c| c.entries.clear()), TrapKind::Container);
    assert_eq!(change(&|c| c.entries[0].code.clear()), TrapKind::Container);
    assert_eq!(change(&|c| c.entries[0].code.truncate(7)), TrapKind::Container);
    assert_eq!(change(&|c| c.entries[0].meta.workgroup_size = [2048, 1, 1]), TrapKind::Container);
    assert_eq!(change(&|c| c.entries[0].meta.registers[0].1 = 65), TrapKind::Container);
    assert_eq!(change(&|c| c.entries[0].preloads[0].source = Source::LaneId), TrapKind::Container);
    assert_eq!(change(&|c| c.entries[0].preloads[0].lane = 3), TrapKind::Container);
    assert_eq!(change(&|c| c.entries[0].resources[0].binding = 5), TrapKind::Dispatch);
}

#[test]
fn approximations_move_inside_their_error() {
    let inputs = [f([3.0, 0.3, 0.7, 5.0])];
    for (body, exact) in [
        ("rcp t10, void, void, t1.xxxx", 1.0 / 3.0_f64),
        ("rsq t10, void, void, t1.wwww", 1.0 / 5.0_f64.sqrt()),
        ("exp t10, void, void, t1.yyyy", 2.0_f64.powf(f64::from(0.3_f32))),
        ("log.rtz t3.xy__, void, void, t1.wwww\nmul t10, t3.xxxx, t3.yyyy, void", 5.0_f64.log2()),
    ] {
        let c = container(1, &whole(body, 1), &inputs, [1, 1, 1], (0, 0));
        let mut seen = Vec::new();
        for seed in 0..20 {
            let got = f32::from_bits(launch(&c, [1, 1, 1], &[0; 4], Some(seed)).unwrap()[0]);
            assert!(((f64::from(got) - exact) / exact).abs() < 2.5e-7, "{body}: {got}");
            seen.push(got.to_bits());
        }
        seen.sort_unstable();
        seen.dedup();
        assert!(seen.len() > 1, "{body} never moves");
    }
}

/// Rows whose meaning the reference does not give.
fn unknown() -> Vec<Op> {
    table().rows.iter().filter(|r| r.attrs.class == Class::Unknown).map(|r| r.op).collect()
}

/// They trap by name on every chip that has them.
#[test]
fn what_nobody_knows_traps_by_name() {
    let text = include_str!("../vectors/reference.txt").to_owned() + include_str!("../vectors/sample.txt");
    let mut seen: Vec<Op> = Vec::new();
    for line in text.lines().filter(|l| l.starts_with("0x") && !l.ends_with("invalid")) {
        let words = line.split('\t').next().unwrap();
        let mut raw = [0; 4];
        for (w, t) in raw.iter_mut().zip(words.split_whitespace()) {
            *w = u32::from_str_radix(&t[2..], 16).unwrap();
        }
        let op = decode_word(raw, 2, gpucc_isa::stage::ALL).unwrap().op();
        if !unknown().contains(&op) || seen.contains(&op) {
            continue;
        }
        seen.push(op);
        for g in (0..3).filter(|&g| decode_word(raw, g, gpucc_isa::stage::ALL).is_ok()) {
            let t = trap_of(g, &format!(".word {words}\nmov t10, void, void, t1.xyzw"), &[[0; 4]; 4]);
            assert!(matches!(t.kind, TrapKind::Unsupported | TrapKind::BadRegister), "{line}: {t}");
        }
    }
    let missing: Vec<Op> = unknown().into_iter().filter(|o| !seen.contains(o)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Each row that the reference gives a meaning is executed on each chip that has it, and what came out was compared.
#[test]
fn every_row_is_executed_on_every_chip() {
    let mut seen: BTreeSet<(Op, u8)> = crate::conditions::rows();
    seen.extend(crate::textures::rows());
    for g in 0..3 {
        let mut texts: Vec<String> = cases().into_iter().filter(|c| takes(c, g)).map(|c| c.body).collect();
        if g > 0 {
            texts.extend(atomics().into_iter().map(|a| atomic_body(a.0)));
            texts.extend([LOOP, CALL, UNARY].map(str::to_owned));
        }
        texts.extend((g == 2).then(|| ANY.to_owned()));
        texts.extend([MIRROR_BUFFER.to_owned(), CALL0.to_owned()]);
        seen.extend(texts.iter().flat_map(|t| crate::kit::ops(t, g)).map(|o| (o, g)));
    }
    let known = table().rows.iter().filter(|r| r.attrs.class != Class::Unknown);
    let wanted = known.flat_map(|r| (0..3).filter(|&g| r.attrs.need.generations() >> g & 1 == 1).map(|g| (r.op, g)));
    let missing: Vec<(Op, u8)> = wanted.filter(|w| !seen.contains(w)).collect();
    assert!(missing.is_empty(), "never executed: {missing:?}");
}

#[test]
#[ignore = "a measurement, run with --release --ignored --nocapture"]
fn speed() {
    let text = "mov t2, void, void, u0.yyyy
mov t3, void, void, u1.xyzw
again:
add.s32 t2.x___, t2.xxxx, void, 1
mad t3, t3.xyzw, t3.wzyx, t3.yxzw
mul.sat t3, t3.xyzw, t3.xxxx, void
xor.u32 t4, t3.xyzw, void, t2.xxxx
branch.lt.s32 void, t2.xxxx, 20000, again
store.denorm.u32.ls4 mem, u0.xxxx, t0.xxxx, t3.xyzw";
    let c = container(1, text, &[f([0.1, 0.2, 0.3, 0.4])], [64, 1, 1], (0, 0));
    let mut d = Dispatch::new([4, 1, 1]).with_u32(0, 0, &[0; 1024]);
    let start = std::time::Instant::now();
    let r = run(&c, None, &mut d, &RunOptions { step_limit: u64::MAX, ..RunOptions::default() }).unwrap();
    let s = start.elapsed().as_secs_f64();
    println!("{} lane instructions in {s:.2} s: {:.1} M/s", r.lane_instructions, r.lane_instructions as f64 / s / 1e6);
}

/// Sizes in a damaged container are refused before memory is taken for them, and products of them do not overflow.
#[test]
fn memory_sizes_are_checked_first() {
    let good = container(1, "nop t0.____, void, void, void", &[], [32, 1, 1], (0, 0));
    let with = |shared: u32, scratch: u32, grid: [u32; 3]| {
        let mut c = good.clone();
        (c.entries[0].meta.shared_bytes, c.entries[0].meta.scratch_bytes) = (shared, scratch);
        launch(&c, grid, &[0; 4], Some(1)).map_err(|t| (t.kind, t.message))
    };
    assert!(with(0x4000, 0x4000, [1, 1, 1]).is_ok());
    for (shared, scratch) in [(0, u32::MAX), (0, 0x00e4_0000), (0, 0x1_0010), (0xffff_ff00, 0), (u32::MAX, u32::MAX)] {
        let (kind, message) = with(shared, scratch, [1, 1, 1]).unwrap_err();
        assert!(kind == TrapKind::Container && message.contains("are possible"), "{shared} {scratch}: {message}");
    }
    // 2^16 bytes for each of 2^5 invocations of 2^45 workgroups are 2^66, of 2^44 2^65, of 2^15 2^36.
    for grid in [[32768; 3], [32768, 32768, 16384], [32768, 1, 1]] {
        let (kind, message) = with(0, 0x1_0000, grid).unwrap_err();
        assert!(kind == TrapKind::Dispatch && message.contains("scratch"), "{grid:?}: {message}");
        let (kind, message) = with(0x1_0000, 0, grid.map(|n| n.max(64))).unwrap_err();
        assert!(kind == TrapKind::Dispatch && message.contains("workgroup memory"), "{grid:?}: {message}");
    }
}
