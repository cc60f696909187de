use gpucc_ir::analysis::*;
use gpucc_ir::entity::Entity;
use gpucc_ir::inst::{Block, Value};
use gpucc_ir::text::{parse_function, parse_module};
use gpucc_ir::verify::{Property, verify_module, verify_property};

/// Small deterministic generator for graphs.
struct Rng(u64);
impl Rng {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// Any graph at all: dominators do not need structure.
fn random_graph(r: &mut Rng) -> gpucc_ir::Function {
    use std::fmt::Write;
    let n = 2 + r.below(12);
    let mut t = String::from("func0 \"g\" {\n");
    for b in 0..n {
        let mut pick = || 1 + r.below(n - 1);
        let (x, y, k) = (pick(), pick(), pick());
        let _ = match k % 4 {
            0 => writeln!(t, "block{b}:\n  ret"),
            1 => writeln!(t, "block{b}:\n  jump block{x}"),
            _ => writeln!(t, "block{b}:\n  br true:b1, block{x}, block{y}"),
        };
    }
    t.push('}');
    parse_function(&t).unwrap()
}

#[test]
fn dominators_agree_with_petgraph_and_with_the_definition() {
    use petgraph::algo::dominators::simple_fast;
    use petgraph::graph::{DiGraph, NodeIndex};
    let mut r = Rng(1);
    for _ in 0..400 {
        let f = random_graph(&mut r);
        let dom = DomTree::new(&f);
        let mut g = DiGraph::<(), ()>::new();
        f.layout.iter().for_each(|_| {
            g.add_node(());
        });
        for &b in &f.layout {
            for s in f.succs(b) {
                g.add_edge(NodeIndex::new(b.index()), NodeIndex::new(s.index()), ());
            }
        }
        let want = simple_fast(&g, NodeIndex::new(0));
        for &b in &f.layout {
            let w = want.immediate_dominator(NodeIndex::new(b.index())).map(|n| Block::new(n.index()));
            assert_eq!(dom.idom(b), w, "{f}");
        }
        // a dominates b: without a, the entry does not reach b.
        for &a in &f.layout {
            let mut seen = vec![false; f.blocks.len()];
            let mut work = if a == f.entry() { vec![] } else { vec![f.entry()] };
            while let Some(b) = work.pop() {
                if b != a && !seen[b.index()] {
                    seen[b.index()] = true;
                    work.extend(f.succs(b));
                }
            }
            for &b in &f.layout {
                let want = dom.is_reachable(a) && dom.is_reachable(b) && !seen[b.index()];
                assert_eq!(dom.dominates(a, b), want, "{a} {b}\n{f}");
            }
        }
        // a postdominates b: without a, b reaches no exit. Only where exits are real.
        let pdom = PostDomTree::new(&f);
        let live = reachable(&f);
        let exits = |avoid: Option<Block>, from: Block| {
            let mut seen = vec![false; f.blocks.len()];
            let mut work = vec![from];
            while let Some(b) = work.pop() {
                if Some(b) != avoid && !seen[b.index()] {
                    seen[b.index()] = true;
                    if f.succs(b).is_empty() {
                        return true;
                    }
                    work.extend(f.succs(b));
                }
            }
            false
        };
        if f.layout.iter().all(|&b| !live.contains(b) || exits(None, b)) {
            for a in live.iter() {
                for b in live.iter() {
                    assert_eq!(pdom.postdominates(a, b), !exits(Some(a), b), "{a} {b}\n{f}");
                }
            }
        }
    }
}

const LOOPS: &str = r#"module robust on
res0 "a" group 0 binding 0 storage_ro size 4 stride 4
res1 "o" group 0 binding 1 storage_rw size 4 stride 4
entry "main" compute func0 size 64,1,1
func0 "main" {
block0:
  v0: i32 = sysval local_invocation_index
  v1: i32x3 = sysval workgroup_id
  v2: i32 = extract v1, lane 0
  v3: i32 = load res0[0 + v2] align 4
  v4: i32 = load res1[0 + v2] align 4
  jump block1(0:i32)
block1(v5: i32) loop merge block9 continue block4:
  v6: i32 = iadd v5, v3
  v7: b1 = icmp.ult v5, v0
  br v7, block2, block9
block2:
  v8: b1 = icmp.ult v2, 5:i32
  br v8, block3(1:i32), block3(2:i32) merge block3
block3(v9: i32):
  jump block4
block4:
  v10: i32 = iadd v5, 1:i32
  jump block1(v10)
block9:
  v11: b1 = icmp.eq v0, 3:i32
  br v11, block10(7:i32), block10(8:i32) merge block10
block10(v12: i32):
  v13: i32 = iadd v6, v12
  store v13, res1[0 + v2] align 4
  ret
}
"#;

#[test]
fn uniformity_follows_data_control_and_time() {
    let m = parse_module(LOOPS).unwrap();
    verify_module(&m).unwrap_or_else(|e| panic!("{}", e[0]));
    let f = m.funcs.values().next().unwrap();
    let u = Uniformity::new(&m, f);
    let want = [
        (0, Variance::Divergent),
        (2, Variance::Workgroup),
        (3, Variance::Workgroup),
        (4, Variance::Divergent), // written memory
        (5, Variance::Launch),    // lanes go round together
        (6, Variance::Divergent), // leaves the loop at different times
        (7, Variance::Divergent),
        (8, Variance::Workgroup),
        (9, Variance::Launch), // decided by a uniform branch, constants on the edges
        (10, Variance::Launch),
        (12, Variance::Divergent), // decided by a divergent branch
    ];
    // Values are numbered in order of definition, with parameters of later blocks behind: look them up by text.
    let text = f.to_string();
    for (n, w) in want {
        assert!(text.contains(&format!("v{n}")));
        assert_eq!(u.of(Value(n)), w, "v{n}\n{text}");
    }
    assert!(u.divergent_block(Block(2)) && !u.divergent_block(Block(6)), "{text}");
}

/// A value that a loop carries, on an edge behind the loop that lanes leave at different times: each keeps its own.
#[test]
fn a_value_that_an_edge_behind_its_loop_carries_is_divergent() {
    let m = parse_module(
        r#"res0 "out" group 0 binding 0 storage_rw size 4 stride 4
entry "main" compute func0 size 64,1,1
func0 "main" {
block0:
  v0: i32 = sysval local_invocation_index
  jump block1(0:i32)
block1(v1: i32) loop merge block3 continue block2:
  v2: b1 = icmp.ult v1, v0
  br v2, block2, block3
block2:
  v3: i32 = iadd v1, 1:i32
  jump block1(v3)
block3:
  v4: b1 = icmp.eq v0, 5:i32
  br v4, block5(7:i32), block4 merge block5
block4:
  jump block5(v1)
block5(v5: i32):
  store v5, res0[0] align 4
  ret
}"#,
    )
    .unwrap();
    let f = m.funcs.values().next().unwrap();
    let u = Uniformity::new(&m, f);
    assert!(u.is_divergent(Value(1)), "{f}");
}

#[test]
fn structure_and_order() {
    let m = parse_module(LOOPS).unwrap();
    let f = m.funcs.values().next().unwrap();
    let dom = DomTree::new(f);
    let s = Structure::new(f, &dom);
    let depths: Vec<u32> = f.layout.iter().map(|&b| s.loop_depth(b)).collect();
    assert_eq!(depths, [0, 1, 1, 1, 1, 0, 0]);
    assert_eq!(s.constructs.len(), 3);
    assert_eq!(structured_order(f), f.layout);
    verify_property(f, Property::Ordered).unwrap();
    let mut g = f.clone();
    g.layout[1..].reverse();
    assert!(verify_property(&g, Property::Ordered).is_err());
    assert!(sort_layout(&mut g));
    assert_eq!(g.layout, f.layout);
    assert!(!sort_layout(&mut g));
}

#[test]
fn a_loop_that_never_repeats_becomes_a_block_construct() {
    let mut m = parse_module(
        r#"func0 "f" {
block0:
  jump block1
block1 loop merge block3 continue block2:
  br true:b1, block3, block4
block2:
  jump block1
block3:
  ret
block4:
  jump block3
}"#,
    )
    .unwrap();
    let f = m.funcs.values_mut().next().unwrap();
    assert!(sort_layout(f));
    verify_module(&m).unwrap_or_else(|e| panic!("{}\n{m}", e[0]));
    assert!(m.to_string().contains("jump block5 merge block3"), "{m}");
}

#[test]
fn liveness_by_hand() {
    let m = parse_module(LOOPS).unwrap();
    let f = m.funcs.values().next().unwrap();
    let l = Liveness::new(f);
    let names = |s: &gpucc_ir::EntitySet<Value>| s.iter().map(|v| v.to_string()).collect::<Vec<_>>().join(" ");
    assert_eq!(names(l.live_in(f.layout[1])), "v0 v2 v3");
    assert_eq!(names(l.live_in(f.layout[5])), "v0 v2 v6");
    assert_eq!(names(l.live_out(f.layout[3])), "v0 v2 v3 v5");
    let u = Uses::new(f);
    assert_eq!(u.count(Value(2)), 4);
}

#[test]
fn a_loop_that_never_ends_keeps_an_empty_merge() {
    let mut m = parse_module(
        "func0 \"f\" {\nblock0:\n  jump block1\nblock1 loop merge block3 continue block2:\n  br true:b1, block2, block2\n\
         block2:\n  jump block1\nblock3:\n  v0: i32 = ineg 1:i32\n  jump block4\nblock4:\n  ret\n}",
    )
    .unwrap();
    let f = m.funcs.values_mut().next().unwrap();
    assert!(sort_layout(f));
    assert_eq!(f.layout.len(), 4);
    assert!(!sort_layout(f));
    verify_property(f, Property::Ordered).unwrap();
    verify_module(&m).unwrap_or_else(|e| panic!("{}\n{m}", e[0]));
    assert!(m.to_string().contains("block3:\n  unreachable"), "{m}");
}

/// A loop of 100 iterations with the test at its top, in it one of 4 with the test at its bottom and one that a value bounds.
const TURNS: &str = r#"res0 "b" group 0 binding 0 storage_rw size 4 stride 4
entry "main" compute func0 size 1,1,1

func0 "main" {
block0:
  v0: i32 = sysval local_invocation_index
  jump block1(0:i32)
block1(v1: i32) loop merge block9 continue block8:
  v2: b1 = icmp.ult v1, 100:i32
  br v2, block2, block9
block2:
  jump block3(8:i32)
block3(v3: i32) loop merge block4 continue block3:
  store v3, res0[0] align 4
  v4: i32 = isub v3, 2:i32
  v5: b1 = icmp.ugt v4, 0:i32
  br v5, block3(v4), block4
block4:
  jump block5(0:i32)
block5(v6: i32) loop merge block7 continue block6:
  v7: b1 = icmp.ult v6, v0
  br v7, block6, block7
block6:
  v8: i32 = iadd v6, 1:i32
  jump block5(v8)
block7:
  jump block8
block8:
  v9: i32 = iadd v1, 1:i32
  jump block1(v9)
block9:
  ret
}"#;

#[test]
fn blocks_run_as_often_as_constants_say() {
    let m = parse_module(TURNS).unwrap_or_else(|e| panic!("{e}"));
    let f = m.funcs.values().next().unwrap();
    let times = gpucc_ir::analysis::trips::runs(f);
    let list: Vec<u64> = f.layout.iter().map(|&b| times[b]).collect();
    // The unbounded loop has 8 iterations by rule.
    assert_eq!(list, [1, 100, 100, 400, 100, 800, 800, 100, 100, 1], "{f}");
    let m = parse_module(LOOPS).unwrap();
    let f = m.funcs.values().next().unwrap();
    assert_eq!(f.layout.iter().map(|&b| gpucc_ir::analysis::trips::runs(f)[b]).max(), Some(8));
}

/// The tree of a graph that is given by its edges is that of the function.
#[test]
fn dominators_of_any_graph() {
    let mut r = Rng(3);
    for _ in 0..100 {
        let f = random_graph(&mut r);
        assert_eq!(DomTree::of(f.blocks.len(), f.entry(), &f.all_succs()), DomTree::new(&f));
    }
}

/// The inputs and the position that a fragment program reads, and its other effects.
#[test]
fn what_a_stage_uses() {
    let module = |body: &str| {
        parse_module(&format!(
            "module robust off\nres0 \"o\" group 0 binding 0 storage_rw size 4 stride 4\nentry \"fs\" fragment func0 {{\n  \
             in0 \"\" location 0 perspective center f32\n  in1 \"\" location 1 perspective center f32\n  out0 \"\" location 0 f32\n}}\n\
             func0 \"fs\" -> f32 {{\n  local0 \"l\" size 4 align 4\nblock0:\n{body}}}\n"
        ))
        .unwrap()
    };
    let used = |body: &str| {
        let m = module(body);
        let e = &m.entries[0];
        StageUse::new(&m, &m.funcs[e.func], &e.stage)
    };
    let plain = used("  v0: f32 = input in1\n  ret v0\n");
    assert_eq!(plain.inputs, [false, true]);
    assert!(!(plain.demotes || plain.writes_memory || plain.reads_targets || plain.per_sample || plain.needs_quads));
    let place = used("  v0: f32x4 = sysval frag_coord\n  v1: f32 = extract v0, lane 2\n  ret v1\n");
    assert!(
        place.sysvals.contains(&gpucc_ir::Sysval::FragCoord) && !place.sysvals.contains(&gpucc_ir::Sysval::SampleIndex)
    );
    assert_eq!(place.frag_coord, 4);
    let local = used("  store 1.0:f32, local0[0] align 4\n  ret 1.0:f32\n");
    let shared = used("  store 1.0:f32, res0[0] align 4\n  demote true:b1\n  ret 1.0:f32\n");
    assert!(!local.writes_memory && shared.writes_memory && shared.demotes);
    let slope = used("  v0: f32 = input in0\n  v1: f32 = derivative v0, x fine\n  ret v1\n");
    assert!(slope.needs_quads && !slope.per_sample);
    let target = used("  v0: f32x4 = target_load target0\n  v1: f32 = extract v0, lane 0\n  ret v1\n");
    assert!(target.reads_targets && target.per_sample);
}

/// Votes, ballots and what one lane says are the same in a subgroup, and not in a workgroup.
#[test]
fn lanes_of_a_subgroup_agree() {
    let m = parse_module(
        "entry \"main\" compute func0 size 64,1,1\nfunc0 \"main\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  \
         v1: b1 = icmp.ult v0, 5:i32\n  v2: b1 = any v1\n  v3: i32x4 = ballot v1\n  v4: i32 = extract v3, lane 0\n  \
         v5: i32 = lane_read v0, v4\n  v6: i32 = lane_read v0, v0\n  v7: i32 = reduce v0, iadd all\n  \
         v8: i32 = reduce v0, iadd all of 4\n  v9: i32 = reduce v0, iadd inclusive\n  br v2, block1, block2 merge block2\n\
         block1:\n  jump block2\nblock2:\n  ret\n}\n",
    )
    .unwrap();
    verify_module(&m).unwrap_or_else(|e| panic!("{}", e[0]));
    let f = &m.funcs[gpucc_ir::Func(0)];
    let (subgroups, workgroups) = (Uniformity::new(&m, f), Uniformity::of_workgroups(&m, f));
    let results: Vec<_> = f.insts_in_order().flat_map(|(_, i)| f.insts[i].results.iter()).collect();
    for (k, agreed) in [(2, true), (3, true), (4, true), (5, true), (6, false), (7, true), (8, false), (9, false)] {
        let want = if agreed { Variance::Subgroup } else { Variance::Divergent };
        assert_eq!((subgroups.of(results[k]), workgroups.of(results[k])), (want, Variance::Divergent), "v{k}");
    }
    let inside = f.layout[1];
    assert!(!subgroups.divergent_block(inside) && workgroups.divergent_block(inside));
}
