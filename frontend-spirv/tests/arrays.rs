//! Arrays of bindings: each buffer of an array is a resource of its own, and an index that is known at run time alone is a switch.

use crate::common::lower;
use crate::forms::{glsl, module};
use gpucc_ir::{MemFlags, Op, Place, element_binding};
use gpucc_sim::{Dispatch, RunOptions};

/// A binding with its element, and the words of a buffer there.
type Words<'w> = ((u32, u32, u32), &'w [u32]);

/// Runs a compute shader on buffers by group, binding and element, and looks at what one of them has then.
#[track_caller]
fn check(source: &str, given: &[Words<'_>], at: (u32, u32, u32), expected: &[u32]) {
    let place = |(group, binding, element): (u32, u32, u32)| {
        (group, if binding == 9 { 9 } else { element_binding(binding, element).expect("small numbers") })
    };
    for (k, bytes) in glsl(source, "comp").iter().enumerate() {
        let module = module(bytes, source);
        let mut dispatch = Dispatch::new([1, 1, 1]);
        for (at, words) in given {
            let (group, binding) = place(*at);
            dispatch = dispatch.with_u32(group, binding, words);
        }
        let run = RunOptions { perturb: Some(3), ..RunOptions::default() };
        let options = gpucc_interp::Options { run, ..gpucc_interp::Options::default() };
        if let Err(trap) = gpucc_interp::run(&module, "main", &mut dispatch, &options) {
            panic!("{trap}\n{}", gpucc_ir::text::module_text(&module));
        }
        let (group, binding) = place(at);
        let got = dispatch.words(group, binding).expect("bound");
        assert_eq!(got, expected, "form {k} of\n{source}\n{}", gpucc_ir::text::module_text(&module));
    }
}

/// Loads, lengths, stores and atomics at an index that lanes differ in; an index that is too large is that of the last one.
#[test]
fn buffers_at_any_index() {
    let source = "#version 450
        #extension GL_EXT_nonuniform_qualifier : require
        layout(local_size_x = 4) in;
        layout(std430, set=0, binding=0) buffer B { uint n; uint d[]; } b[3];
        layout(std430, set=0, binding=9) buffer O { uint r[]; } o;
        void main() {
            uint l = gl_LocalInvocationID.x;
            uint k = o.r[l];
            o.r[l] = b[nonuniformEXT(k)].d[1] + 1000u * uint(b[nonuniformEXT(k)].d.length());
            atomicAdd(b[nonuniformEXT(k)].n, l + 1u);
            b[nonuniformEXT(k)].d[0] = 7u + k;
            if (l == 0u) b[1].d[1] = b[0].d[1] + b[2].d[1];
        }";
    let (a, b, c): (&[u32], &[u32], &[u32]) = (&[0, 1, 11], &[0, 2, 12, 0], &[0, 3, 13, 0, 0]);
    let given = [((0, 0, 0), a), ((0, 0, 1), b), ((0, 0, 2), c), ((0, 9, 0), &[2u32, 0, 2, 0][..])];
    check(source, &given, (0, 9, 0), &[4013, 2011, 4013, 2011]);
    check(source, &given, (0, 0, 0), &[6, 7, 11]);
    check(source, &given, (0, 0, 1), &[0, 2, 24, 0]);
    check(source, &given, (0, 0, 2), &[4, 9, 13, 0, 0]);
    let beyond = [((0, 0, 0), a), ((0, 0, 1), b), ((0, 0, 2), c), ((0, 9, 0), &[9u32, 0, 0, 0][..])];
    check(source, &beyond, (0, 9, 0), &[4013, 2011, 2011, 2011]);
}

/// Arrays of arrays are counted row by row; aggregates and matrices are read whole, uniform buffers too; an array goes to a function.
#[test]
fn arrays_of_arrays_and_aggregates() {
    let source = "#version 450
        layout(local_size_x = 1) in;
        layout(std140, set=1, binding=2, row_major) uniform U { mat2 m; uint w[2]; } u[2][2];
        layout(std430, set=0, binding=9) buffer O { uint i, j; uint r[6]; } o;
        struct S { uint w[2]; };
        uint sum(uint i, uint j) { uint w[2] = u[i][j].w; return w[0] * 10u + w[1]; }
        void main() {
            mat2 m = u[o.i][o.j].m;
            o.r[0] = uint(m[1][0]); o.r[1] = uint(m[0][1]);
            o.r[2] = sum(o.i, o.j); o.r[3] = sum(o.j, o.i); o.r[4] = sum(1, 1); o.r[5] = sum(0, o.j);
        }";
    let f = |x: f32| x.to_bits();
    let block = |k: u32| {
        let m = [f(k as f32), f(k as f32 + 20.0), 0, 0, f(k as f32 + 30.0), f(k as f32 + 40.0), 0, 0];
        [&m[..], &[k, 0, 0, 0, k + 1, 0, 0, 0]].concat()
    };
    let (b0, b1, b2, b3) = (block(1), block(3), block(5), block(7));
    let given: [(_, &[u32]); 5] = [
        ((1, 2, 0), &b0),
        ((1, 2, 1), &b1),
        ((1, 2, 2), &b2),
        ((1, 2, 3), &b3),
        ((0, 9, 0), &[1, 0, 0, 0, 0, 0, 0, 0]),
    ];
    check(source, &given, (0, 9, 0), &[1, 0, 25, 35, 56, 34, 78, 12]);
}

/// Arrays of texel buffers; sums of floats in memory.
#[test]
fn texel_buffers_and_sums_of_floats() {
    let source = "#version 450
        #extension GL_EXT_shader_atomic_float : require
        layout(local_size_x = 4) in;
        layout(set=0, binding=0, r32ui) uniform uimageBuffer t[2];
        layout(std430, set=0, binding=9) buffer O { float f; float old; uint r[4]; } o;
        void main() {
            uint l = gl_LocalInvocationID.x;
            o.r[l] = imageLoad(t[l & 1u], int(l)).x + 100u * uint(imageSize(t[l & 1u]));
            float old = atomicAdd(o.f, 0.5);
            if (old == 3.0) o.old = 1.0;
            imageAtomicAdd(t[l & 1u], int(l + 1u) & 1, 1u);
        }";
    let (a, b): (&[u32], &[u32]) = (&[1, 2, 3], &[5, 6, 7, 8]);
    let f = |x: f32| x.to_bits();
    let given: [(_, &[u32]); 3] = [((0, 0, 0), a), ((0, 0, 1), b), ((0, 9, 0), &[f(3.0), 0, 0, 0, 0, 0])];
    check(source, &given, (0, 0, 0), &[1, 4, 3]);
    check(source, &given, (0, 0, 1), &[7, 6, 7, 8]);
    check(source, &given, (0, 9, 0), &[f(5.0), f(1.0), 301, 406, 303, 408]);
}

/// Elements at constant indices need no switch, and a buffer that nobody writes is known to be so.
#[test]
fn constant_indices_cost_nothing() {
    let source = "#version 450
        layout(local_size_x = 1) in;
        layout(std430, set=0, binding=0) readonly buffer B { uint d[4]; } b[3];
        layout(std430, set=0, binding=9) buffer O { uint r; } o;
        void main() { o.r = b[2].d[1] + b[0].d[3]; }";
    for bytes in glsl(source, "comp") {
        let module = lower(&bytes).expect("it is right");
        let f = &module.funcs[module.entries[0].func];
        assert!(f.insts_in_order().all(|(_, i)| f.insts[i].op != Op::Switch));
        let loads: Vec<(u32, bool)> = f
            .insts_in_order()
            .filter_map(|(_, i)| match f.insts[i].mem() {
                Some(mem) if f.insts[i].op == Op::Load => match mem.place {
                    Place::Buffer(r) => Some((module.resources[r].binding, mem.flags.has(MemFlags::READONLY))),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        assert_eq!(loads, [(2 << 16, true), (0, true)]);
        let names: Vec<&str> = module.resources.values().map(|r| r.name.as_str()).collect();
        assert_eq!(names, ["o", "b[0]", "b[1]", "b[2]"]);
    }
}
