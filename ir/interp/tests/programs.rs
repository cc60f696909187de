//! Whole programs with results worked out by hand or by independent Rust.

use gpucc_interp::{OracleProgram, Profile, Tolerance, compare};
use gpucc_ir::text::parse_module;
use gpucc_sim::{BEHIND, BoundBuffer, Dispatch, Races, RunOptions, SplitMix64, Trap, TrapKind};

fn program(text: &str) -> OracleProgram {
    let m = parse_module(text).unwrap_or_else(|e| panic!("{e}"));
    OracleProgram::new(&m, "main").unwrap_or_else(|e| panic!("{e}"))
}

fn lanes(n: u32) -> Profile {
    Profile { subgroup_size: n, ..Profile::default() }
}

/// Runs with several subgroup sizes and orders; all must agree.
fn run(text: &str, d: &Dispatch) -> Result<Dispatch, Trap> {
    let p = program(text).strict();
    let mut results = Vec::new();
    for size in [1, 4, 16, 32, 64] {
        for perturb in [None, Some(7), Some(8)] {
            let mut d = d.clone();
            let options = RunOptions { perturb, ..RunOptions::default() };
            let r = p.run(&mut d, &options, &lanes(size));
            results.push(r.map(|_| d));
        }
    }
    for r in &results[1..] {
        match (r, &results[0]) {
            (Ok(a), Ok(b)) => assert_eq!(a, b),
            (Err(a), Err(b)) => assert_eq!(a.kind, b.kind, "{a} / {b}"),
            (a, b) => panic!("{a:?} / {b:?}"),
        }
    }
    results.swap_remove(0)
}

const COLLATZ: &str = r#"
res0 "data" group 0 binding 0 storage_rw size 4 stride 4
entry "main" compute func0 size 32,1,1
func0 "main" {
block0:
  v0: i32x3 = sysval global_invocation_id
  v1: i32 = extract v0, lane 0
  v2: i32 = buffer_length res0
  v3: i32 = shl v1, 2:i32
  v4: b1 = icmp.ult v3, v2
  br v4, block1, block9 merge block9
block1:
  v5: i32 = load res0[0 + v3] align 4
  jump block2(v5, 0:i32)
block2(v6: i32, v7: i32) loop merge block8 continue block7:
  v8: b1 = icmp.ule v6, 1:i32
  br v8, block8, block3
block3:
  v9: i32 = and v6, 1:i32
  v10: b1 = icmp.eq v9, 0:i32
  br v10, block4, block5 merge block6
block4:
  v11: i32 = ushr v6, 1:i32
  jump block6(v11)
block5:
  v12: i32 = imul v6, 3:i32
  v13: i32 = iadd v12, 1:i32
  jump block6(v13)
block6(v14: i32):
  jump block7
block7:
  v15: i32 = iadd v7, 1:i32
  jump block2(v14, v15)
block8:
  store v7, res0[0 + v3] align 4
  jump block9
block9:
  ret
}
"#;

fn collatz(mut n: u32) -> u32 {
    let mut steps = 0;
    while n > 1 {
        n = if n.is_multiple_of(2) { n / 2 } else { n.wrapping_mul(3).wrapping_add(1) };
        steps += 1;
    }
    steps
}

#[test]
fn divergent_loops_meet_again() {
    let input: Vec<u32> = (0..70).map(|i| i * 7 + 1).collect();
    let want: Vec<u32> = input.iter().map(|&n| collatz(n)).collect();
    let d = run(COLLATZ, &Dispatch::new([3, 1, 1]).with_u32(0, 0, &input)).unwrap();
    assert_eq!(d.words(0, 0).unwrap(), want);
}

#[test]
fn parameters_swap_on_the_back_edge() {
    // Fibonacci by (a, b) -> (b, a + b): the edge reads what it writes.
    let text = r#"
res0 "o" group 0 binding 0 storage_rw size 4 stride 4
entry "main" compute func0 size 8,1,1
func0 "main" {
block0:
  v0: i32 = sysval local_invocation_index
  jump block1(0:i32, 1:i32, 0:i32)
block1(v1: i32, v2: i32, v3: i32) loop merge block3 continue block2:
  v4: b1 = icmp.eq v3, v0
  br v4, block3, block2
block2:
  v5: i32 = iadd v1, v2
  v6: i32 = iadd v3, 1:i32
  jump block1(v2, v5, v6)
block3:
  v7: i32 = shl v0, 2:i32
  store v1, res0[0 + v7] align 4
  ret
}
"#;
    let d = run(text, &Dispatch::new([1, 1, 1]).with_u32(0, 0, &[9; 8])).unwrap();
    assert_eq!(d.words(0, 0).unwrap(), [0, 1, 1, 2, 3, 5, 8, 13]);
}

const REVERSE: &str = r#"module robust off
res0 "o" group 0 binding 0 storage_rw size 256 stride 0
global0 "tile" workgroup size 256 align 4
entry "main" compute func0 size 64,1,1
func0 "main" {
block0:
  v0: i32 = sysval local_invocation_index
  v1: i32 = shl v0, 2:i32
  v2: i32 = load res0[0 + v1] align 4
  store v2, global0[0 + v1] align 4
  barrier workgroup workgroup
  v3: i32 = isub 252:i32, v1
  v4: i32 = load global0[0 + v3] align 4
  store v4, res0[0 + v1] align 4
  ret
}
"#;

#[test]
fn barriers_and_workgroup_memory() {
    let input: Vec<u32> = (0..64).collect();
    let want: Vec<u32> = (0..64).rev().collect();
    let d = run(REVERSE, &Dispatch::new([1, 1, 1]).with_u32(0, 0, &input)).unwrap();
    assert_eq!(d.words(0, 0).unwrap(), want);
    // Without the barrier a subgroup of 16 reads what the others have not written yet.
    let text = REVERSE.replace("  barrier workgroup workgroup\n", "");
    let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &input);
    let t = program(&text).strict().run(&mut d, &RunOptions::default(), &lanes(16)).unwrap_err();
    assert_eq!(t.kind, TrapKind::UndefinedRead);
    assert!(t.to_string().contains("load global0[0 + v3]"), "{t}");
    // Not strict, it is a note; it is a race as well.
    let quiet = RunOptions { races: Races::Off, ..RunOptions::default() };
    let o = program(&text).run(&mut d, &quiet, &lanes(16)).unwrap();
    assert!(o.report.notes[0].contains("never written"), "{:?}", o.report.notes);
    let t = program(&text).run(&mut d, &RunOptions::default(), &lanes(16)).unwrap_err();
    let said = t.to_string();
    assert!(t.kind == TrapKind::Race && said.contains("load global0") && said.contains("store v2, global0"), "{said}");
}

#[test]
fn barriers_that_not_all_reach() {
    let text = |cond: &str| {
        format!(
            r#"
entry "main" compute func0 size 64,1,1
func0 "main" {{
block0:
  v0: i32 = sysval local_invocation_index
  v1: b1 = icmp.ult v0, {cond}:i32
  br v1, block1, block2 merge block2
block1:
  barrier workgroup workgroup
  jump block2
block2:
  ret
}}
"#
        )
    };
    let go = |cond, size| {
        let mut d = Dispatch::new([1, 1, 1]);
        program(&text(cond)).run(&mut d, &RunOptions::default(), &lanes(size)).map(|o| o.report.barriers)
    };
    assert_eq!(go("64", 16), Ok(1));
    assert!(go("8", 16).unwrap_err().message.contains("8 of 16 lanes"));
    assert!(go("16", 16).unwrap_err().message.contains("have ended"));
}

#[test]
fn calls_return_to_the_lanes_that_called() {
    // pick(x) returns early for odd x; called twice, once by half the lanes only.
    let text = r#"
res0 "o" group 0 binding 0 storage_rw size 4 stride 4
entry "main" compute func1 size 8,1,1
func0 "pick" -> i32, i32 {
  local0 "t" size 4 align 4
block0(v0: i32):
  v1: i32 = and v0, 1:i32
  v2: b1 = icmp.ne v1, 0:i32
  br v2, block1, block2 merge block2
block1:
  ret v0, 100:i32
block2:
  var_init local0
  v3: i32 = load local0[0] align 4
  v4: i32 = iadd v3, v0
  store v4, local0[0] align 4
  v5: i32 = load local0[0] align 4
  v6: i32 = imul v5, 10:i32
  ret v6, 200:i32
}
func1 "main" {
block0:
  v0: i32 = sysval local_invocation_index
  v1: i32 = shl v0, 2:i32
  v2: i32, v3: i32 = call func0, v0
  v4: i32 = iadd v2, v3
  v5: b1 = icmp.ult v0, 3:i32
  br v5, block1, block2(v4) merge block2
block1:
  v6: i32, v7: i32 = call func0, v4
  v8: i32 = isub v6, v7
  jump block2(v8)
block2(v9: i32):
  store v9, res0[0 + v1] align 4
  ret
}
"#;
    let pick = |x: u32| if x % 2 == 1 { (x, 100) } else { (x * 10, 200) };
    let want: Vec<u32> = (0..8)
        .map(|i| {
            let (a, b) = pick(i);
            if i < 3 {
                let (c, d) = pick(a + b);
                c.wrapping_sub(d)
            } else {
                a + b
            }
        })
        .collect();
    let d = run(text, &Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0; 8])).unwrap();
    assert_eq!(d.words(0, 0).unwrap(), want);
}

#[test]
fn switches_fall_to_their_edges() {
    let text = r#"
res0 "o" group 0 binding 0 storage_rw size 4 stride 4
entry "main" compute func0 size 8,1,1
func0 "main" {
block0:
  v0: i32 = sysval local_invocation_index
  v1: i32 = shl v0, 2:i32
  v2: i32 = isub v0, 2:i32
  switch v2, 1: block1, 4294967295: block1, 3: block3(7:i32), default: block2 merge block3
block1:
  jump block3(v0)
block2:
  jump block3(99:i32)
block3(v3: i32):
  store v3, res0[0 + v1] align 4
  ret
}
"#;
    let d = run(text, &Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0; 8])).unwrap();
    assert_eq!(d.words(0, 0).unwrap(), [99, 1, 99, 3, 99, 7, 99, 99]);
}

#[test]
fn atomics_from_everywhere_add_up() {
    let text = r#"
res0 "o" group 0 binding 0 storage_rw size 12 stride 0
global0 "n" workgroup size 4 align 4
entry "main" compute func0 size 40,1,1
func0 "main" {
block0:
  v0: i32 = sysval local_invocation_index
  v1: i32 = atomic.add 1:i32, global0[0] align 4
  v2: i32 = atomic.smax v0, res0[4] align 4
  barrier workgroup workgroup
  v3: b1 = icmp.eq v0, 0:i32
  br v3, block1, block2 merge block2
block1:
  v4: i32 = load global0[0] align 4 {atomic}
  v5: i32 = atomic.add v4, res0[0] align 4
  v6: i32 = cmpxchg -5:i32, 3:i32, res0[8] align 4
  jump block2
block2:
  ret
}
"#;
    let d = run(text, &Dispatch::new([5, 2, 1]).with_u32(0, 0, &[0, 0x8000_0000, -5_i32 as u32])).unwrap();
    assert_eq!(d.words(0, 0).unwrap(), [400, 39, 3]);
}

#[test]
fn private_memory_and_initialisers() {
    let text = r#"
res0 "o" group 0 binding 0 storage_rw size 8 stride 8
global0 "p" private size 4 align 4 init x05000000
entry "main" compute func0 size 6,1,1
func0 "main" {
  local0 "x" size 8 align 8 init x0100000002000000
block0:
  v0: i32 = sysval local_invocation_index
  v1: i32 = load global0[0] align 4
  v2: i32 = iadd v1, v0
  store v2, global0[0] align 4
  var_init local0
  v3: i32 = load local0[4] align 4
  store v3, local0[0] align 4
  v4: i32 = load global0[0] align 4
  v5: i32 = load local0[0] align 4
  v6: i32 = shl v0, 3:i32
  v7: i32x2 = compose v4, v5
  store v7, res0[0 + v6] align 8
  ret
}
"#;
    let d = run(text, &Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0; 12])).unwrap();
    assert_eq!(d.words(0, 0).unwrap(), [5, 2, 6, 2, 7, 2, 8, 2, 9, 2, 10, 2]);
}

/// A bool in memory is 0 or 1.
#[test]
fn bools_in_memory() {
    let text = |init: &str| {
        format!(
            r#"module robust on
res0 "o" group 0 binding 0 storage_rw size 4 stride 4
global0 "g" private size 4 align 4 init x{init}
entry "main" compute func0 size 1,1,1
func0 "main" {{
block0:
  v0: b1 = load global0[0] align 4 {{in_bounds}}
  v1: i32 = select v0, 7:i32, 8:i32
  store v1, res0[0] align 4
  ret
}}
"#
        )
    };
    let d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0]);
    assert_eq!(run(&text("01000000"), &d).unwrap().words(0, 0).unwrap(), [7]);
    assert_eq!(run(&text("00000000"), &d).unwrap().words(0, 0).unwrap(), [8]);
    let t = run(&text("00001000"), &d).unwrap_err();
    assert!(t.kind == TrapKind::UndefinedRead && t.to_string().contains("0x100000"), "{t}");
}

#[test]
fn bounds() {
    let text = |robust: &str, flags: &str| {
        format!(
            r#"module robust {robust}
res0 "o" group 0 binding 0 storage_rw size 4 stride 4
entry "main" compute func0 size 1,1,1
func0 "main" {{
block0:
  v0: i32 = load res0[8] align 4 {flags}
  v1: i32 = iadd v0, 5:i32
  store v1, res0[0] align 4
  store v1, res0[12] align 4 {flags}
  ret
}}
"#
        )
    };
    let d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[7, 7]);
    assert_eq!(run(&text("on", ""), &d).unwrap().words(0, 0).unwrap(), [5, 7]);
    let t = run(&text("off", ""), &d).unwrap_err();
    assert_eq!(t.kind, TrapKind::OutOfBounds);
    assert!(t.to_string().contains("offset 8 of 8 bytes"), "{t}");
    assert!(t.to_string().contains("v0: i32 = load res0[8] align 4"), "{t}");
    // Even in a robust module an access that claims to be inside is held to it.
    assert_eq!(run(&text("on", "{in_bounds}"), &d).unwrap_err().kind, TrapKind::OutOfBounds);
    let odd = text("off", "").replace("res0[8]", "res0[2]");
    assert_eq!(run(&odd, &d).unwrap_err().kind, TrapKind::Misaligned);
    // Its claimed alignment holds out of bounds too.
    let far = text("on", "").replace("res0[8]", "res0[42]");
    assert_eq!(run(&far, &d).unwrap_err().kind, TrapKind::Misaligned);
    // The sum of both offsets does not wrap.
    let sum = text("on", "{in_bounds}").replace("res0[8]", "res0[8 + -4:i32]");
    assert_eq!(run(&sum, &d).unwrap_err().kind, TrapKind::OutOfBounds);
}

/// Where words may reach behind a buffer, loads and atomics of the last word do, but nothing behind the buffer changes.
#[test]
fn words_that_are_inside_in_part() {
    let text = |access: &str| {
        format!(
            r#"module robust off
res0 "o" group 0 binding 0 storage_rw size 2 stride 2
res1 "out" group 0 binding 1 storage_rw size 4 stride 4
entry "main" compute func0 size 1,1,1
func0 "main" {{
block0:
  v0: i32 = {access}
  store v0, res1[0] align 4
  ret
}}
"#
        )
    };
    let run = |access: &str, words_behind: bool| {
        let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 1, &[0]);
        d.buffers.push(BoundBuffer { group: 0, binding: 0, bytes: vec![1, 2, 3, 4, 5, 6], writable: true });
        let profile = Profile { words_behind, ..Profile::default() };
        let done = program(&text(access)).run(&mut d, &RunOptions::default(), &profile);
        done.map(|_| (d.words(0, 1).unwrap()[0], d.buffers[1].bytes.clone())).map_err(|t| t.kind)
    };
    let behind = u32::from_le_bytes([5, 6, BEHIND, BEHIND]);
    assert_eq!(run("load res0[4] align 4", true), Ok((behind, vec![1, 2, 3, 4, 5, 6])));
    assert_eq!(run("atomic.and -65536:i32, res0[4] align 4", true), Ok((behind, vec![1, 2, 3, 4, 0, 0])));
    assert_eq!(run("atomic.add 65536:i32, res0[4] align 4", true), Err(TrapKind::OutOfBounds));
    assert_eq!(run("load res0[8] align 4", true), Err(TrapKind::OutOfBounds));
    assert_eq!(run("load res0[4] align 4", false), Err(TrapKind::OutOfBounds));
    assert_eq!(run("atomic.and -65536:i32, res0[4] align 4", false), Err(TrapKind::OutOfBounds));
}

#[test]
fn endless_loops_end() {
    let text = r#"
entry "main" compute func0 size 64,1,1
func0 "main" {
block0:
  jump block1
block1 loop merge block3 continue block2:
  jump block2
block2:
  jump block1
block3:
  ret
}
"#;
    let p = program(text);
    let options = RunOptions { step_limit: 100_000, ..RunOptions::default() };
    let t = p.run(&mut Dispatch::new([1, 1, 1]), &options, &lanes(32)).unwrap_err();
    assert_eq!(t.kind, TrapKind::StepLimit);
    assert!(t.to_string().contains("jump block"), "{t}");
    assert_eq!(t.workgroup, Some([0, 0, 0]));
}

#[test]
fn what_a_dispatch_lacks_is_named() {
    let p = program(COLLATZ);
    let t = p.run(&mut Dispatch::new([1, 1, 1]), &RunOptions::default(), &lanes(32)).unwrap_err();
    assert!(t.message.contains("group 0 binding 0 (`data`)"), "{t}");
    let mut d = Dispatch::new([1, 1, 1]).with(0, 0, vec![0; 3]);
    assert!(p.run(&mut d, &RunOptions::default(), &lanes(32)).unwrap_err().message.contains("has 3 bytes"));
    let m = parse_module(COLLATZ).unwrap();
    assert!(OracleProgram::new(&m, "nope").unwrap_err().message.contains("available: main"));
}

#[test]
fn empty_grids_and_odd_workgroups() {
    let mut d = Dispatch::new([0, 5, 1]).with_u32(0, 0, &[7, 7]);
    let o = program(COLLATZ).run(&mut d, &RunOptions::default(), &lanes(32)).unwrap();
    assert_eq!((o.report.instructions, d.words(0, 0).unwrap()), (0, vec![7, 7]));
    let text = r#"
res0 "o" group 0 binding 0 storage_rw size 4 stride 4
entry "main" compute func0 size 3,5,2
func0 "main" {
block0:
  v0: i32x3 = sysval local_invocation_id
  v1: i32x3 = sysval global_invocation_id
  v2: i32 = sysval local_invocation_index
  v3: i32x3 = sysval workgroup_id
  v4: i32 = extract v3, lane 0
  v5: i32 = imul v4, 30:i32
  v6: i32 = iadd v5, v2
  v7: i32 = shl v6, 2:i32
  v8: i32x3 = imul v0, [1, 100, 10000]:i32x3
  v9: i32 = extract v8, lane 0
  v10: i32 = extract v8, lane 1
  v11: i32 = extract v8, lane 2
  v12: i32 = iadd v9, v10
  v13: i32 = iadd v12, v11
  v14: i32 = extract v1, lane 0
  v15: i32 = imul v14, 1000000:i32
  v16: i32 = iadd v13, v15
  store v16, res0[0 + v7] align 4
  ret
}
"#;
    let d = run(text, &Dispatch::new([2, 1, 1]).with_u32(0, 0, &[0; 60])).unwrap();
    let want: Vec<u32> = (0..60)
        .map(|i| {
            let (g, i) = (i / 30, i % 30);
            let (x, y, z) = (i % 3, i / 3 % 5, i / 15);
            x + 100 * y + 10_000 * z + 1_000_000 * (g * 3 + x)
        })
        .collect();
    assert_eq!(d.words(0, 0).unwrap(), want);
}

#[test]
fn float_stores_are_compared_as_floats() {
    let text = r#"
res0 "o" group 0 binding 0 storage_rw size 12 stride 0
entry "main" compute func0 size 1,1,1
func0 "main" {
block0:
  store 1.0:f32, res0[0] align 4
  store 1:i32, res0[4] align 4
  ret
}
"#;
    let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0, 0, 5]);
    let o = program(text).run(&mut d, &RunOptions::default(), &lanes(4)).unwrap();
    let near = Tolerance { ulp: 4, abs: 0.0 };
    let other = |words: &[u32]| Dispatch::new([1, 1, 1]).with_u32(0, 0, words);
    assert_eq!(compare(&o, &d, &other(&[0x3f80_0003, 1, 5]), near), None);
    assert_eq!(compare(&o, &d, &other(&[0x3f80_0000, 2, 5]), near).map(|x| x.offset), Some(4));
    assert_eq!(compare(&o, &d, &other(&[0x3f80_0000, 1, 6]), near).map(|x| x.offset), Some(8));
}

#[test]
fn speed() {
    // A divergent integer loop; the figure is printed for `--nocapture`, the bound is loose for busy hosts.
    let mut rng = SplitMix64::new(3);
    let input: Vec<u32> = (0..4096).map(|_| rng.next_u32() >> 12 | 1).collect();
    let mut d = Dispatch::new([128, 1, 1]).with_u32(0, 0, &input);
    let start = std::time::Instant::now();
    let o = program(COLLATZ).run(&mut d, &RunOptions::default(), &lanes(32)).unwrap();
    let rate = o.report.lane_instructions as f64 / start.elapsed().as_secs_f64() / 1e6;
    println!("{} lane instructions, {rate:.0} M/s", o.report.lane_instructions);
    assert_eq!(d.words(0, 0).unwrap()[17], collatz(input[17]));
    assert!(rate > 1.0);
}
