//! Statements, memory and calls: results against values worked out by hand or by Rust.

use crate::common::{module, outputs, run, run_module};
use gpucc_frontend_naga::{Input, Lang, Options, Stage, lower, parse};
use gpucc_ir::{MemFlags, Op};
use gpucc_sim::Dispatch;

const MAIN: &str = "@compute @workgroup_size(1) fn main()";

#[test]
fn switches() {
    let source = format!(
        "fn f(x: u32) -> u32 {{
            var r = 0u;
            switch x {{
                case 1u, 3u: {{ r = 10u; }}
                default: {{ r = 20u; if x == 9u {{ break; }} r += 1u; }}
                case 5u: {{ return 50u; }}
                case 6u: {{ switch r {{ case 0u: {{ r = 60u; break; }} default: {{}} }} r += 1u; }}
            }}
            return r;
        }}
        fn g(x: i32) -> u32 {{ switch x {{ case -1, default: {{ return 7u; }} case 2: {{ return 8u; }} }} }}
        {MAIN} {{
            for (var i = 0u; i < 10u; i++) {{ o[i] = f(i); }}
            o[10] = g(-1); o[11] = g(2); o[12] = g(5);
        }}"
    );
    assert_eq!(outputs(&source, 13), [21, 10, 21, 10, 21, 50, 61, 21, 21, 20, 7, 8, 7]);
}

#[test]
fn loops() {
    let source = format!(
        "fn sum(n: u32) -> u32 {{
            var s = 0u; var i = 0u;
            loop {{
                if i % 3u == 1u {{ continue; }}
                if i > 100u {{ return 12345u; }}
                s += i;
                continuing {{ i += 1u; let stop = i >= n; break if stop; }}
            }}
            return s;
        }}
        fn nested(n: u32) -> u32 {{
            var count = 0u;
            for (var i = 0u; i < n; i++) {{
                for (var j = 0u; ; j++) {{
                    if j > i {{ break; }}
                    switch j {{ case 2u: {{ continue; }} case 4u: {{ break; }} default: {{ count += 10u; }} }}
                    count += 1u;
                    if count > 150u {{ return count * 1000u + i * 10u + j; }}
                }}
            }}
            return count;
        }}
        fn while_loop(n: u32) -> u32 {{ var x = n; var c = 0u; while x != 1u {{ x = select(x / 2u, 3u * x + 1u, x % 2u == 1u); c++; }} return c; }}
        {MAIN} {{
            o[0] = sum(7u); o[1] = sum(1u); o[2] = sum(1000u);
            o[3] = nested(3u); o[4] = nested(20u); o[5] = while_loop(27u);
            // Re-initialised in each iteration; the other one is not.
            var kept = 0u;
            for (var i = 0u; i < 4u; i++) {{ var fresh: u32; fresh += i; kept += fresh; o[6] = fresh; }}
            o[7] = kept;
            loop {{ o[8] += 1u; if o[8] == 3u {{ return; }} }}
        }}"
    );
    let nested = |n: u32| {
        let mut count = 0;
        for i in 0..n {
            for j in 0.. {
                if j > i {
                    break;
                }
                match j {
                    2 => continue,
                    4 => {}
                    _ => count += 10,
                }
                count += 1;
                if count > 150 {
                    return count * 1000 + i * 10 + j;
                }
            }
        }
        count
    };
    let want = [2 + 3 + 5 + 6, 0, 12345, nested(3), nested(20), 111, 3, 6, 3];
    assert_eq!(outputs(&source, 9), want);
}

#[test]
fn pointers_as_arguments() {
    let source = format!(
        "struct S {{ a: array<vec3<u32>, 4>, b: u32 }}
        var<private> p: S;
        fn bump(x: ptr<function, u32>, y: ptr<function, u32>) -> u32 {{
            for (var i = 0u; i < 10u; i++) {{
                for (var j = 0u; j < 10u; j++) {{
                    *x += 1u;
                    if *x == 25u {{ *y = i * 10u + j; return 1u; }}
                }}
            }}
            return 2u;
        }}
        fn lane(v: ptr<private, array<vec3<u32>, 4>>, i: u32) -> u32 {{
            (*v)[i].y = 7u;
            if i > 2u {{ return 99u; }}
            return (*v)[i].y + (*v)[i].x;
        }}
        fn whole(s: ptr<private, S>) {{ (*s).b = 5u; let q = &(*s).a[1]; (*q).z = 8u; *q = (*q).zyx; }}
        fn twice(x: ptr<function, u32>) {{ var y = 0u; let a = bump(x, &y); if a == 2u {{ return; }} *x = y + 1000u; }}
        {MAIN} {{
            var a = 0u; var b = 0u;
            o[0] = bump(&a, &b); o[1] = a; o[2] = b;
            o[3] = bump(&a, &b); o[4] = a;
            p.a[2].x = 3u;
            o[5] = lane(&p.a, 2u); o[6] = lane(&p.a, 3u); o[7] = p.a[2].y;
            whole(&p); o[8] = p.b; o[9] = p.a[1].x;
            var c = 0u; twice(&c); o[10] = c;
            var m = array<u32, 3>(1u, 2u, 3u); let k = o[8] - 4u; let ref_k = &m[k]; *ref_k = 77u; o[11] = m[1];
        }}"
    );
    // bump: 25 increments, the last with i = 2, j = 4; then 100 more without meeting 25.
    assert_eq!(outputs(&source, 12), [1, 25, 24, 2, 125, 10, 99, 7, 5, 8, 1024, 77]);
}

#[test]
fn values_indexed_at_run_time() {
    let source = format!(
        "const TABLE = array<u32, 9>(3u, 1u, 4u, 1u, 5u, 9u, 2u, 6u, 5u);
        fn make(x: u32) -> array<vec2<u32>, 6> {{ return array<vec2<u32>, 6>(vec2(x), vec2(x + 1u), vec2(x + 2u), vec2(x + 3u), vec2(4u, x), vec2(x + 5u)); }}
        {MAIN} {{
            for (var i = 0u; i < 9u; i++) {{ o[i] = TABLE[i]; }}
            let i = o[1];
            let v = vec4(10u, 20u, 30u, o[0]); o[9] = v[i + 1u]; o[10] = v[i];
            let m = mat3x2(1.0, 2.0, 3.0, 4.0, 5.0, 6.0); o[11] = u32(m[i + 1u][i]);
            let a = make(100u); o[12] = a[i + 3u].y; o[13] = a[i].x;
            var w = vec3(1u, 2u, 3u); w[i] = 9u; w[i + 1u] += 5u; o[14] = w.x * 100u + w.y * 10u + w.z;
            let s = array<u32, 3>(o[0], o[1], o[2]); o[15] = s[i + 1u];
        }}"
    );
    assert_eq!(outputs(&source, 16), [3, 1, 4, 1, 5, 9, 2, 6, 5, 30, 20, 6, 100, 101, 198, 4]);
}

#[test]
fn buffers_and_layout() {
    let source = "
        struct Inner { m: mat2x3<f32>, k: array<vec3<u32>, 2>, h: vec2<u32> }
        struct U { x: u32, inner: Inner, scale: f32 }
        struct R { head: vec3<u32>, tail: u32, items: array<Item> }
        struct Item { a: u32, @align(16) b: vec2<f32> }
        @group(0) @binding(0) var<uniform> u: U;
        @group(0) @binding(1) var<storage, read_write> r: R;
        @group(0) @binding(2) var<storage, read_write> o: array<f32>;
        @compute @workgroup_size(1) fn main() {
            let inner = u.inner; let i = u.x;
            o[0] = inner.m[i].y; o[1] = f32(inner.k[1].z); o[2] = f32(inner.h.y); o[3] = u.scale;
            o[4] = f32(arrayLength(&r.items));
            r.head = vec3(1u, 2u, 3u);
            r.items[1] = Item(5u, vec2(1.5, 2.5));
            let copy = r.items[1]; r.items[i + 1u] = copy; r.items[2].b.x += 1.0;
            o[5] = f32(arrayLength(&o));
        }";
    // U: x at 0; inner at 16: m columns at 16 and 32, k at 48 and 64, h at 80; size of Inner 80; scale at 96.
    let mut uniform = vec![0u32; 28];
    uniform[0] = 1;
    for (i, v) in [(4, 1.0f32), (5, 2.0), (8, 3.0), (9, 4.0), (10, 5.0), (24, 9.5)] {
        uniform[i] = v.to_bits();
    }
    (uniform[12], uniform[18], uniform[20], uniform[21]) = (100, 42, 7, 8);
    let storage = vec![0xaaaa_aaaau32; 4 + 3 * 8 + 7];
    let mut dispatch =
        Dispatch::new([1, 1, 1]).with_u32(0, 0, &uniform).with_u32(0, 1, &storage).with_f32(0, 2, &[0.0; 6]);
    run(source, &mut dispatch);
    assert_eq!(dispatch.floats(0, 2).expect("bound"), [4.0, 42.0, 8.0, 9.5, 3.0, 6.0]);
    let r = dispatch.words(0, 1).expect("bound");
    assert_eq!(r[..4], [1, 2, 3, 0xaaaa_aaaa], "a vec3 store leaves the fourth word alone");
    let item = |n: usize| &r[4 + 8 * n..][..8];
    let pad = 0xaaaa_aaaa;
    let b = |x: f32| x.to_bits();
    assert_eq!(item(1), [5, pad, pad, pad, b(1.5), b(2.5), pad, pad]);
    assert_eq!(item(2), [5, pad, pad, pad, b(2.5), b(2.5), pad, pad]);
}

#[test]
fn short_circuit_and_order() {
    let source = format!(
        "var<private> n: u32;
        fn tick(r: bool) -> bool {{ n += 1u; return r; }}
        fn count() -> u32 {{ n += 1u; return n; }}
        {MAIN} {{
            let a = tick(false) && tick(true); o[0] = n;
            let b = tick(true) || tick(true); o[1] = n;
            let c = (tick(true) && tick(false)) || tick(b); o[2] = n + 10u * u32(c);
            let v = vec3(count(), count(), count()); o[3] = v.x * 100u + v.y * 10u + v.z;
            var i = 0u; let p = &o[4u + i]; i = 1u; *p = count();
            o[5] = u32(a) + u32(any(vec2(a, b)));
        }}"
    );
    assert_eq!(outputs(&source, 6), [1, 2, 15, 678, 9, 1]);
}

#[test]
fn workgroup_memory() {
    let source = "
        var<workgroup> tile: array<u32, 64>;
        var<workgroup> total: atomic<u32>;
        var<workgroup> flag: u32;
        @group(0) @binding(0) var<storage, read_write> o: array<atomic<i32>>;
        @compute @workgroup_size(8, 8) fn main(
            @builtin(local_invocation_index) i: u32, @builtin(local_invocation_id) l: vec3u, @builtin(workgroup_id) w: vec3u,
            @builtin(global_invocation_id) g: vec3u, @builtin(num_workgroups) n: vec3u
        ) {
            let before = tile[i];
            workgroupBarrier();
            tile[63u - i] = i + before;
            atomicAdd(&total, l.x + 8u * l.y);
            workgroupBarrier();
            if i == 0u { flag = tile[0] + n.x; }
            let f = workgroupUniformLoad(&flag);
            let old = atomicAdd(&o[0], i32(tile[i]));
            atomicMax(&o[1], i32(f)); atomicMin(&o[2], -i32(g.x)); atomicSub(&o[3], 2); atomicOr(&o[4], 1 << l.x);
            atomicAnd(&o[5], ~(1 << (w.x + 2))); atomicXor(&o[6], 3);
            let r = atomicCompareExchangeWeak(&o[7], 0, 5);
            if r.exchanged { atomicAdd(&o[8], 1); } else { atomicAdd(&o[9], r.old_value); }
            if i == 5u && w.x == 1u { atomicStore(&o[10], i32(atomicLoad(&total))); atomicExchange(&o[11], 77); }
        }";
    let mut dispatch = Dispatch::new([2, 1, 1]).with_u32(0, 0, &[0, 0, 0, 0, 0, u32::MAX, 0, 0, 0, 0, 0, 0]);
    run(source, &mut dispatch);
    let want = [2 * 2016, 65, -15, -256, 255, !0b1100, 0, 5, 1, 127 * 5, 2016, 77];
    assert_eq!(dispatch.words(0, 0).expect("bound"), want.map(|v: i32| v as u32));
}

#[test]
fn overrides() {
    let source = "
        override size: u32 = 4u; @id(7) override factor: f32; override on = false;
        var<workgroup> shared_words: array<u32, size * 2u>;
        @group(0) @binding(0) var<storage, read_write> o: array<f32>;
        @compute @workgroup_size(size) fn main(@builtin(local_invocation_index) i: u32) {
            shared_words[i + size] = i; workgroupBarrier();
            o[i] = f32(shared_words[2u * size - 1u - i]) * factor + select(0.0, 100.0, on);
        }";
    let parsed = parse(Input::text(source), Lang::Wgsl).expect("valid");
    let names: Vec<_> = parsed.overrides().into_iter().map(|o| (o.name, o.id, o.has_default)).collect();
    assert_eq!(names[1], (Some("factor".into()), Some(7), false));
    let with = |overrides: &[(&str, f64)]| Options {
        overrides: overrides.iter().map(|(n, v)| (n.to_string(), *v)).collect(),
        ..Options::default()
    };
    for factor in ["7", "factor"] {
        let module = lower(&parsed, &with(&[(factor, 0.5), ("size", 3.0), ("on", 1.0)])).expect("lowers");
        assert_eq!(module.entries[0].workgroup_size(), Some([3, 1, 1]));
        let mut dispatch = Dispatch::new([1, 1, 1]).with_f32(0, 0, &[0.0; 3]);
        run_module(&module, &mut dispatch);
        assert_eq!(dispatch.floats(0, 0).expect("bound"), [101.0, 100.5, 100.0]);
    }
    let code = |overrides: &[(&str, f64)]| lower(&parsed, &with(overrides)).expect_err("refused")[0].clone();
    assert!(code(&[]).message.contains("no default"), "{}", code(&[]));
    let unknown = code(&[("sizes", 1.0)]);
    assert!(unknown.notes[0].contains("`size`") && unknown.notes[0].contains("`factor` (id 7)"), "{unknown}");
    assert_eq!(code(&[("7", 1.0), ("size", 0.0)]).code, "override");
    assert_eq!(code(&[("7", 1.0), ("size", -1.0)]).code, "override");
}

#[test]
fn glsl_compute() {
    let source = "#version 450
        layout(local_size_x = 4) in;
        layout(std430, binding = 0) buffer B { uint o[]; };
        layout(std430, binding = 1) readonly buffer U { vec4 v[2]; mat2 m; } u;
        shared uint words[4];
        void swap(inout uint a, inout uint b) { uint t = a; a = b; b = t; if (a > b) return; a += 100u; }
        uint pick(uint x) { uint r = 0u; switch (x) { case 0u: r += 1u; case 1u: r += 10u; break; case 2u: case 3u: r += 100u; default: r += 1000u; } return r; }
        void main() {
            uint i = gl_LocalInvocationIndex;
            words[3u - i] = i * 3u; barrier();
            uint a = words[i]; uint b = i; swap(a, b);
            o[i] = a; o[4u + i] = pick(i);
            if (i == 0u) { o[8] = uint(u.v[1].z); o[9] = uint((u.m * vec2(1.0, 2.0)).y); o[10] = uint(determinant(inverse(u.m)) * 100.0); o[11] = gl_WorkGroupSize.x; }
        }";
    let module = module(source.as_bytes(), Lang::Glsl(Stage::Compute), &Options::default());
    let uniform = [0., 0., 0., 0., 0., 0., 6., 0., 1., 2., 3., 4.];
    let mut dispatch = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0; 12]).with_f32(0, 1, &uniform);
    run_module(&module, &mut dispatch);
    // words = 9, 6, 3, 0; a and b are swapped, and a gains 100 where it is the smaller one.
    // det(m) = -2, of the inverse -0.5; a negative float becomes 0 as uint.
    assert_eq!(dispatch.words(0, 0).expect("bound"), [100, 101, 102, 3, 11, 10, 1100, 1100, 6, 10, 0, 4]);
}

#[test]
fn whole_loads_of_read_only_memory_stay_where_they_are() {
    let source = "
        struct U { a: array<vec4<f32>, 256>, i: u32 }
        @group(0) @binding(0) var<uniform> u: U;
        @group(0) @binding(1) var<storage, read_write> o: array<f32>;
        @compute @workgroup_size(1) fn main() { let all = u; o[0] = all.a[all.i].y; }";
    let module = module(source.as_bytes(), Lang::Wgsl, &Options::default());
    let function = &module.funcs[module.entries[0].func];
    let loads = function.insts_in_order().filter(|(_, i)| function.insts[*i].op == Op::Load).count();
    assert_eq!(loads, 2);
}

#[test]
fn accesses_that_are_known_to_fit_say_so() {
    let source = format!("{MAIN} {{ var a: array<u32, 8>; a[o[0]] = 1u; a[3] = 2u; o[1] = a[o[2]]; }}");
    let source = format!("@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n{source}");
    for robust in [true, false] {
        let module = module(source.as_bytes(), Lang::Wgsl, &Options { robust, ..Options::default() });
        let function = &module.funcs[module.entries[0].func];
        let local = |m: &&gpucc_ir::Mem| matches!(m.place, gpucc_ir::Place::Local(_));
        let mems: Vec<_> =
            function.insts_in_order().filter_map(|(_, i)| function.insts[i].mem()).filter(local).collect();
        let known: Vec<_> = mems.iter().map(|m| m.flags.has(MemFlags::IN_BOUNDS)).collect();
        assert_eq!(known, [robust, true, robust]);
    }
}

#[test]
fn refusals_name_the_feature_and_its_place() {
    let cases = [(
        "@group(0) @binding(0) var t: texture_storage_2d<r64uint, atomic>;",
        "textureAtomicMax(t, vec2(0), 1lu);",
        "64-bit texels",
    )];
    for (globals, statement, feature) in cases {
        let source = format!("{globals}\n{MAIN} {{\n  {statement}\n}}");
        let parsed = parse(Input::text(&source), Lang::Wgsl).expect("naga accepts it");
        let refusal = lower(&parsed, &Options::default()).expect_err("not lowered")[0].clone();
        assert_eq!(refusal.class, gpucc_ir::Class::Unsupported);
        assert!(refusal.message.contains(feature), "{refusal}");
        assert!(refusal.labels[0].span.is_known(), "{refusal}");
    }
}

/// By logarithms the powers of a negative number would be NaN.
#[test]
fn whole_powers_by_pow() {
    for (n, value) in [(2, 9.0), (3, -27.0), (4, 81.0), (5, -243.0), (6, 729.0), (8, 6561.0)] {
        let source =
            format!("{MAIN} {{ var x = -3.0; if o[3] == 1u {{ x = 5.0; }} o[0] = bitcast<u32>(pow(x, {n}.0)); }}");
        assert_eq!(f32::from_bits(outputs(&source, 4)[0]), value, "pow(x, {n})");
    }
}
