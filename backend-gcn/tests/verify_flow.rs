//! Tests of `backend-gcn/src/flow/verify_flow.rs`, and of the plans that `flow` makes.

use gpucc_gcn::flow::verify_flow::verify;
use gpucc_gcn::flow::{Plan, Waiting, plan};
use gpucc_ir::analysis::{DomTree, Uniformity};

use crate::common::{compile, options};

/// Loops with exits of all kinds, and one without an exit in a branch that nobody takes.
const SOURCE: &str = "#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) buffer O { int o[]; };
layout(set = 0, binding = 1) uniform N { int never; };
void main() {
    uint i = gl_LocalInvocationIndex;
    int b = o[i];
    while (b <= 5) {
        if (int(i & 3u) <= b) {
            if (b == 1) { if (never != 0) { for (;;) { } } o[i] = b; break; }
            b = b + 1;
            continue;
        }
        if (o[i + 64u] == b) { o[i] = 9; return; }
        int c = b + o[i + 128u];
        if (c == 1) { b = b + 2; continue; }
        if (c == 2 || c == 3) { o[i + 64u] = 1; }
        o[i] = 7;
        break;
    }
    o[i] += 1;
}";

/// A loop that some lanes never leave, in two uniform ones: where the others wait, the wave would end if none came, although EXEC is saved
/// for a block behind. Some always come.
const ENDLESS: &str = "#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) uniform P { uint a; uint b; };
layout(set = 0, binding = 5, std430) buffer Z { uint zeros[]; };
void main() {
    uint x = gl_GlobalInvocationID.x;
    for (;;) {
        if (b == 9u) {
            uint r = 0u;
            for (;;) {
                if (a == 1u) {
                    if (a == 2u) { r = 1u; break; }
                    if (x > 4000u) { for (;;) { if (b == 0u) { continue; } } }
                }
            }
            if (r == zeros[x]) { continue; }
        }
    }
}";

/// A module of GLSL: WGSL has no loops that nothing leaves.
fn glsl(source: &str) -> gpucc_ir::Module {
    let lang = gpucc_frontend_naga::Lang::Glsl(gpucc_frontend_naga::Stage::Compute);
    let parsed =
        gpucc_frontend_naga::parse(gpucc_frontend_naga::Input::text(source), lang).unwrap_or_else(|e| panic!("{e:?}"));
    gpucc_frontend_naga::lower(&parsed, &gpucc_frontend_naga::Options::default()).unwrap_or_else(|e| panic!("{e:?}"))
}

/// The plan of selection at a level.
fn planned(source: &str, level: u8) -> Plan {
    let out = compile(&glsl(source), 2, &options(level));
    let f = &out.ir.funcs[out.ir.entries[0].func];
    let dom = DomTree::new(f);
    plan(f, &dom, &Uniformity::within(&out.ir, f, &dom))
}

#[test]
fn plans_are_right() {
    for level in 0..4 {
        assert_eq!(verify(&planned(SOURCE, level)), Ok(()), "-O{level}");
        assert_eq!(verify(&planned(ENDLESS, level)), Ok(()), "-O{level}");
    }
}

/// Lanes of a block that no path leads to are added to no mask.
#[test]
fn nothing_leaves_a_dead_block() {
    let p = planned(SOURCE, 0);
    let dead: Vec<usize> = (0..p.blocks.len()).filter(|&k| p.blocks[k].dead).collect();
    assert!(!dead.is_empty());
    for k in dead {
        assert!(p.blocks[k].edges.is_empty());
        let mut wrong = p.clone();
        wrong.blocks[k].edges.clone_from(&p.blocks[0].edges);
        assert!(verify(&wrong).is_err());
    }
}

/// Each beginning of a mask is needed, and each is where it must be.
#[test]
fn what_is_planned_wrongly_is_found() {
    let p = planned(SOURCE, 0);
    let mut changes = 0;
    let mut wrong = |change: &dyn Fn(&mut Plan)| {
        let mut w = p.clone();
        change(&mut w);
        assert!(verify(&w).is_err(), "the {changes}th change is not found");
        changes += 1;
    };
    for (k, b) in p.blocks.iter().enumerate() {
        for n in 0..b.clear.len() {
            // Never, and once for all turns of the loops around.
            wrong(&|w| w.blocks[k].clear.retain(|&x| x != b.clear[n]));
            if p.loops.around(b.clear[n]).next().is_some() {
                wrong(&|w| {
                    let x = w.blocks[k].clear.remove(n);
                    w.blocks[0].clear.push(x);
                });
            }
        }
        for n in 0..b.edges.len() {
            // A count that was never begun is added to.
            if b.edges[n].first && p.blocks[b.edges[n].to].waiting == Waiting::Collected {
                wrong(&|w| w.blocks[k].edges[n].first = false);
            }
        }
        if b.waiting == Waiting::Collected && b.arrives {
            wrong(&|w| w.blocks[k].arrives = false);
        }
        if let Waiting::Saved(d) = b.waiting {
            wrong(&|w| {
                w.blocks[k].waiting = Waiting::Collected;
                w.blocks[d].clear.clear();
            });
        }
    }
    assert!(changes > 5, "{changes} changes");
}
