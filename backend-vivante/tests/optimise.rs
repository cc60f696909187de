//! Each optimisation of this backend where it must show, and where it must not. All results are compared with the oracle's.

use crate::common::{check, compile, module, options};
use gpucc_driver::Backend;
use gpucc_sim::Dispatch;
use gpucc_vivante::VIVANTE;

const GC2000: usize = 0;
const GC3000: usize = 1;
const GC7000: usize = 2;

/// Two buffers of 64 words: input at binding 0, output at 1.
fn dispatch() -> Dispatch {
    let floats: Vec<f32> = (0..64).map(|i| ((i * 7) % 23) as f32 * 0.25 - 2.0).collect();
    Dispatch::new([1, 1, 1]).with_f32(0, 0, &floats).with_f32(0, 1, &[0.0; 64])
}

fn ints() -> Dispatch {
    let bytes = |f: fn(u32) -> u32| (0..64).flat_map(|i| f(i).to_le_bytes()).collect::<Vec<u8>>();
    Dispatch::new([1, 1, 1]).with(0, 0, bytes(|i| (i * 11) % 9)).with(0, 1, bytes(|_| 0))
}

/// The listing at -O2, after the results were compared at every level.
fn listing(wgsl: &str, d: &Dispatch, g: usize) -> String {
    check(wgsl, d, &[g]);
    VIVANTE.listing(&compile(&module(wgsl), g, &options(2)), g)
}

fn count(text: &str, what: &str) -> usize {
    text.lines().filter(|l| l.contains(what)).count()
}

const HEAD: &str = "
@group(0) @binding(0) var<storage, read> a: array<u32, 64>;
@group(0) @binding(1) var<storage, read_write> b: array<u32, 64>;
";

const FLOATS: &str = "
@group(0) @binding(0) var<storage, read> a: array<f32, 64>;
@group(0) @binding(1) var<storage, read_write> b: array<f32, 64>;
";

#[test]
fn scalars_are_packed() {
    let text = format!(
        "{HEAD} @compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {{
        let x = a[i];
        let p = (x + 3u) ^ 0x55u; let q = (x + 5u) ^ 0x33u; let r = (x + 9u) ^ 0x0fu; let s = (x + 17u) ^ 0x71u;
        b[i * 4u] = p; b[i * 4u + 1u] = q; b[i * 4u + 2u] = r; b[i * 4u + 3u] = s; }}"
    );
    for g in [GC3000, GC7000] {
        let t = listing(&text, &ints(), g);
        assert_eq!(count(&t, "    xor.u32"), 1, "{t}");
        assert_eq!(count(&t, "    mov "), 0, "{t}");
    }
    // The integer unit of gc2000 computes one component.
    let t = listing(&text, &ints(), GC2000);
    assert_eq!(count(&t, "    xor.u32"), 4, "{t}");
}

/// Three counters of a loop of which one goes its own way: a group of them gains less than an instruction, and all the same the loop passes
/// one vector on.
#[test]
fn counters_of_a_loop_stay_one_vector() {
    let text = format!(
        "{FLOATS} @compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {{
        let end = a[i] + 3.0;
        var radius = 0.5; var total = 1.0; var angle = 0.0; var sum = 0.0;
        loop {{
            if radius >= end {{ break; }}
            sum += (end - (radius - 0.5)) / (radius + 0.5) / total * angle;
            total += 1.0;
            radius += 0.75 / radius;
            angle += 2.5;
        }}
        b[i] = sum / total; }}"
    );
    for g in [GC3000, GC7000] {
        let t = listing(&text, &dispatch(), g);
        let first = t.lines().position(|l| l.contains("    branch")).unwrap_or(0);
        let last = t.lines().collect::<Vec<_>>().iter().rposition(|l| l.contains("    branch")).unwrap_or(0);
        let turn: String = t.lines().skip(first).take(last - first).map(|l| format!("{l}\n")).collect();
        // Two before the first turn, and what brings the one that went its own way back in.
        assert!(count(&turn, "    mov ") <= 4, "{t}");
    }
}

#[test]
fn what_depends_is_not_packed() {
    let text = format!(
        "{HEAD} @compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {{
        var x = a[i];
        x = x ^ (x >> 1u); x = x ^ (x >> 2u); x = x ^ (x >> 4u);
        b[i] = x; }}"
    );
    let t = listing(&text, &ints(), GC7000);
    assert_eq!(count(&t, "    xor.u32"), 3, "{t}");
}

#[test]
fn multiply_adds_are_packed_whole() {
    let text = format!(
        "{FLOATS} @compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {{
        let x = a[i]; let y = a[i + 16u]; let z = a[i + 32u]; let w = a[i + 48u];
        b[i] = x * 2.5 + y; b[i + 16u] = y * 3.5 + z; b[i + 32u] = z * 4.5 + w; b[i + 48u] = w * 5.5 + x; }}"
    );
    let t = listing(&text, &dispatch(), GC7000);
    assert_eq!(count(&t, "    mad "), 1, "{t}");
    assert_eq!(count(&t, "    mul "), 0, "{t}");
}

#[test]
fn scalar_parameters_become_vectors() {
    let text = format!(
        "{FLOATS} @compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {{
        var x = a[i]; var y = a[i + 16u]; var z = a[i + 32u]; var w = a[i + 48u];
        for (var k = 0u; k < 9u + u32(a[0] > 100.0); k++) {{
            x = x * 1.5 + 0.5; y = y * 1.25 + 0.25; z = z * 0.75 + 0.125; w = w * 0.5 + 2.0;
        }}
        b[i] = x; b[i + 16u] = y; b[i + 32u] = z; b[i + 48u] = w; }}"
    );
    let t = listing(&text, &dispatch(), GC7000);
    assert_eq!(count(&t, "    mad "), 1, "{t}");
    // The loop passes the vector on where it is.
    let rest: Vec<&str> = t.lines().skip_while(|l| !l.contains("    mad ")).collect();
    assert!(!rest.iter().any(|l| l.contains("    mov ")), "{t}");
}

#[test]
fn indexed_variables_live_in_temporaries() {
    let text = format!(
        "{HEAD} @compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {{
        var s: array<u32, 9>;
        for (var k = 0u; k < 16u; k++) {{ s[a[k] % 9u] += k; }}
        b[i] = s[a[i] % 9u] + s[(i * 5u) % 9u]; }}"
    );
    for g in [GC2000, GC3000, GC7000] {
        let t = listing(&text, &ints(), g);
        assert!(count(&t, "    movai") >= 3, "{t}");
        assert_eq!(count(&t, "    store"), 1, "{t}");
        assert!(t.contains("[a.x]"), "{t}");
    }
}

#[test]
fn large_indexed_variables_stay_in_memory() {
    let text = format!(
        "{HEAD} @compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {{
        var s: array<u32, 200>;
        for (var k = 0u; k < 16u; k++) {{ s[a[k] * 20u] += k; }}
        b[i] = s[a[i] * 20u]; }}"
    );
    let t = listing(&text, &ints(), GC3000);
    assert_eq!(count(&t, "    movai"), 0, "{t}");
    assert!(count(&t, "    store") > 1, "{t}");
}

#[test]
fn structures_share_rows() {
    let text = format!(
        "struct P {{ k: u32, v: u32 }} {HEAD} @compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {{
        var s: array<P, 6>; var m: array<vec2<u32>, 6>;
        for (var k = 0u; k < 12u; k++) {{ let j = a[k] % 6u; s[j] = P(s[j].v + 1u, k); m[j] += vec2(k, i); }}
        let j = a[i] % 6u;
        b[i] = s[j].k * 100u + s[j].v; b[i + 16u] = m[j].x; b[i + 32u] = m[j].y; }}"
    );
    let out = compile(&module(&text), GC3000, &options(2));
    let regs = out.stats.iter().find(|s| s.0 == "registers").map(|s| s.1).unwrap();
    let t = listing(&text, &ints(), GC3000);
    assert!(t.contains("[a."), "{t}");
    // Six rows hold both.
    assert!(regs <= 12, "{regs} {t}");
}

#[test]
fn conditions_become_branches() {
    let text = format!(
        "{HEAD} @compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {{
        if a[i] > 3u || a[i + 16u] == 2u {{ b[i] = atomicless(i); }} }}
        fn atomicless(i: u32) -> u32 {{ var n = i; for (var k = 0u; k < a[i]; k++) {{ n = n * 3u + k; }} return n; }}"
    );
    for g in [GC2000, GC3000, GC7000] {
        let t = listing(&text, &ints(), g);
        assert_eq!(count(&t, "    or.u32"), 0, "{t}");
        assert_eq!(count(&t, "    cmp"), 0, "{t}");
    }
}

#[test]
fn conditions_that_are_values_stay() {
    let text = format!(
        "{HEAD} @compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {{
        let c = a[i] > 3u || a[i + 16u] == 2u;
        b[i] = u32(c); }}"
    );
    let t = listing(&text, &ints(), GC3000);
    assert!(count(&t, "    branch") == 0, "{t}");
}

#[test]
fn float_conditions_keep_their_sense() {
    // `!(x < y)` is no single condition of the chip where a NaN may be.
    let text = format!(
        "{FLOATS} @compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {{
        let n = sqrt(a[i]);
        if n < 1.0 && a[i + 16u] < 0.5 {{ b[i] = 1.0; for (var k = 0; k < i32(a[3]); k++) {{ b[i] += 2.0; }} }} }}"
    );
    for g in [GC2000, GC3000, GC7000] {
        check(&text, &Dispatch::new([1, 1, 1]).with_f32(0, 0, &[0.25; 64]).with_f32(0, 1, &[0.0; 64]), &[g]);
    }
}

#[test]
fn any_of_lanes_is_one_branch() {
    let text = format!(
        "{HEAD} @compute @workgroup_size(4, 4) fn main(@builtin(local_invocation_id) l: vec3<u32>) {{
        if any(l.xy >= vec2(a[0] + 3u, a[1] + 2u)) {{ return; }}
        b[l.y * 4u + l.x] = a[l.x]; }}"
    );
    let t = listing(&text, &ints(), GC7000);
    assert_eq!(count(&t, "    branch_any"), 1, "{t}");
    // The older chips have no such branch.
    let t = listing(&text, &ints(), GC3000);
    assert_eq!(count(&t, "    branch_any"), 0, "{t}");
}

#[test]
fn equal_edges_are_one() {
    let text = format!(
        "{HEAD} @compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {{
        var r = 1u; var q = i;
        switch a[i] {{ case 1u, 3u, 5u: {{ r = 7u; q = 2u; }} case 2u: {{ r = 9u; }} case 4u: {{ r = 7u; q = 2u; }} default: {{}} }}
        for (var k = 0u; k < r; k++) {{ q = q * 5u + r; }}
        b[i] = q; }}"
    );
    for g in [GC2000, GC3000, GC7000] {
        let t = listing(&text, &ints(), g);
        assert!(count(&t, "    mov ") <= 7, "{t}");
    }
}

#[test]
fn on_chip_addresses_take_constants() {
    let text = format!(
        "var<workgroup> w: array<u32, 64>; {HEAD}
        @compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {{
        w[i] = a[i]; workgroupBarrier();
        let j = (i * 3u) & 15u;
        b[i] = w[j] * 2u + w[j + 1u] * 3u + w[j + 2u] * 5u + w[j + 3u]; }}"
    );
    let m = module(&text);
    let out = compile(&m, GC7000, &options(2));
    let t = VIVANTE.listing(&out, GC7000);
    // Neither the index nor the offset is computed for the other elements.
    assert!(count(&t, "    add.s32") <= 1, "{t}");
    listing(&text, &ints(), GC7000);
}

#[test]
fn ids_cost_what_they_must() {
    let text = format!(
        "{HEAD} @compute @workgroup_size(4, 2) fn main(@builtin(local_invocation_id) l: vec3<u32>,
            @builtin(workgroup_id) w: vec3<u32>, @builtin(global_invocation_id) g: vec3<u32>) {{
        b[g.y * 8u + g.x] = l.x + l.y * 16u + w.x * 256u + a[g.x]; }}"
    );
    let d = Dispatch { grid: [2, 2, 1], ..ints() };
    let t = listing(&text, &d, GC3000);
    // The local id is a mask of the global one.
    assert_eq!(count(&t, "    and.u32"), 1, "{t}");
    // Sizes that are no power of two: the global id is multiplied.
    let odd = text.replace("workgroup_size(4, 2)", "workgroup_size(3, 2)");
    let t = listing(&odd, &d, GC3000);
    assert_eq!(count(&t, "    and.u32"), 0, "{t}");
    assert!(count(&t, "    imadlo0") >= 2, "{t}");
}

#[test]
fn elements_at_constant_places_are_operands() {
    let text = format!(
        "{HEAD} @compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {{
        var s: array<u32, 9>; let x = a[i];
        s[x % 9u] = 7u; s[2] = x * 5u + 1u;
        let y = s[2] ^ s[(x + 3u) % 9u];
        s[(x + 1u) % 9u] = y;
        b[i] = s[2] + y; }}"
    );
    for g in [GC3000, GC7000] {
        let t = listing(&text, &ints(), g);
        // Nine zeros, three indexed accesses, one element that is an operand besides; and lanes brought together once.
        assert!(count(&t, "    mov ") <= 14, "{t}");
        // The last read comes after an indexed write, which may have changed the element: the sum reads the element itself.
        let lines: Vec<&str> = t.lines().collect();
        let store = lines.iter().position(|l| l.contains("    store")).unwrap();
        assert!(lines[store - 1].contains("    add.s32") && lines[store - 2].contains("[a.x]"), "{t}");
    }
}

/// Threads of draws have no memory of their own: what is indexed lies in temporaries at every level, whatever its elements and however
/// it is cleared.
#[test]
fn variables_of_fragments_are_temporaries() {
    for (ty, n) in [("u32", 9), ("vec2<u32>", 9), ("vec3<u32>", 5), ("vec4<u32>", 9), ("bool", 80)] {
        let text = format!(
            "@fragment fn fs(@location(0) @interpolate(flat) i: u32, @location(1) @interpolate(flat) k: u32) -> @location(0) vec4<u32> {{
            var a: array<{ty}, {n}>; a[i] = {ty}(k); a[i * k] = {ty}(7u); let x = a[k % {n}u]; return vec4<u32>({last}); }}",
            last = match ty {
                "u32" => "x",
                "bool" => "u32(x)",
                _ => "x.yyxx",
            }
        );
        for g in [GC2000, GC3000, GC7000] {
            for level in 0..=3 {
                let out = compile(&module(&text), g, &options(level));
                assert_eq!(out.entry.meta.scratch_bytes, 0);
            }
        }
    }
}

/// A table of constants is read from the container's constant bytes in all stages, also where it is made in a loop: no store, no temporaries.
#[test]
fn tables_of_constants_lie_in_memory() {
    let table: Vec<String> = (0..64).map(|k| format!("{}u", k * k + 3)).collect();
    let table = format!("const t = array<u32, 64>({});", table.join(", "));
    let text = format!(
        "{table} {HEAD} @compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {{
        var s = 0u;
        for (var k = i; k < a[i]; k += 3u) {{ s += t[(a[k % 64u] + k) % 64u] * k; }}
        b[i] = s; }}"
    );
    for g in [GC2000, GC3000, GC7000] {
        let t = listing(&text, &ints(), g);
        assert_eq!((count(&t, "    store"), count(&t, "    movai")), (1, 0), "{t}");
        let out = compile(&module(&text), g, &options(2));
        assert_eq!((out.entry.data.len(), out.entry.meta.scratch_bytes), (256, 0));
    }
    let text = format!(
        "{table} @fragment fn fs(@location(0) @interpolate(flat) i: u32, @location(1) @interpolate(flat) k: u32) -> @location(0) vec4<u32> {{
        var s = vec4<u32>(); for (var n = 0u; n < k; n++) {{ s += t[(i * n) % 64u]; }} return s; }}"
    );
    for g in [GC2000, GC3000, GC7000] {
        let out = compile(&module(&text), g, &options(2));
        assert_eq!(out.entry.data.len(), 256);
        assert!(out.stats.iter().any(|s| s.0 == "array_rows" && s.1 == 0), "{:?}", out.stats);
    }
}

/// Fragments as random pictures and real shaders have them: lists, trees, structures, matrices, flags and tables at an index.
#[test]
fn fragments_with_arrays_have_room() {
    for (name, text) in [
        ("flags", include_str!("fragments/flags.wgsl")),
        ("lists", include_str!("fragments/lists.wgsl")),
        ("matrix", include_str!("fragments/matrix.wgsl")),
        ("sort10", include_str!("fragments/sort10.wgsl")),
        ("sort64", include_str!("fragments/sort64.wgsl")),
        ("table", include_str!("fragments/table.wgsl")),
        ("tree", include_str!("fragments/tree.wgsl")),
        ("vectors", include_str!("fragments/vectors.wgsl")),
    ] {
        for g in [GC2000, GC3000, GC7000] {
            // Without optimisation one of them is longer than gc2000's memory for instructions.
            for &level in if g == GC2000 { &[2][..] } else { &[0, 2] } {
                let out = compile(&module(text), g, &options(level));
                assert_eq!(out.entry.meta.scratch_bytes, 0, "{name}");
            }
        }
    }
}

/// What neither temporaries nor selects can hold lies in memory, of which a thread of a draw takes a piece at its start and gives it back at each end;
/// what fits takes none.
#[test]
fn threads_of_draws_take_memory_where_they_need_it() {
    let fits = include_str!("fragments/words232.wgsl");
    for (text, bytes) in [
        (include_str!("fragments/maze.wgsl"), Some(1024)),
        (include_str!("vertices/maze.wgsl"), Some(1024)),
        (include_str!("fragments/crowd.wgsl"), None),
        (fits, Some(0)),
    ] {
        for g in [GC3000, GC7000] {
            let out = compile(&module(text), g, &options(2));
            let own = out.entry.meta.scratch_bytes;
            assert!(bytes.map_or(own > 0, |b| b == own), "{own}");
            let t = VIVANTE.listing(&out, g);
            let want = if bytes == Some(0) { (0, 0) } else { (1, 2) };
            assert_eq!((count(&t, "    atomic_add"), count(&t, "    atomic_xchg")), want, "{t}");
            // Helpers have pieces, too.
            assert_eq!(count(&t, ".skpHp"), 0, "{t}");
        }
    }
}

/// What takes a piece of memory has one, also where little or nothing is spilled to it.
#[test]
fn pieces_of_memory_are_never_empty() {
    let spill_all = gpucc_driver::CodegenOptions { spill_all: true, ..options(2) };
    for text in [
        "@fragment fn fs() -> @location(0) vec4f { return vec4f(1.0); }",
        "@fragment fn fs(@location(0) x: vec4f) -> @location(0) vec4f { return x * x.wzyx + dpdx(x); }",
        "@vertex fn vs(@location(0) x: vec4f) -> @builtin(position) vec4f { return x * x.wzyx; }",
        include_str!("fragments/words232.wgsl"),
    ] {
        for g in [GC3000, GC7000] {
            let out = compile(&module(text), g, &spill_all);
            let t = VIVANTE.listing(&out, g);
            assert_eq!((count(&t, "    atomic_add"), count(&t, "    atomic_xchg")), (1, 2), "{t}");
            assert!(out.entry.meta.scratch_bytes >= 16, "{t}");
        }
    }
}

/// The address register, which nothing stores, stays where all registers are spilled.
#[test]
fn addresses_are_not_spilled() {
    let text = "enable wgpu_binding_array;
        @group(0) @binding(0) var t: binding_array<texture_2d<f32>, 4>;
        @group(0) @binding(4) var s: sampler;
        @group(0) @binding(5) var<uniform> k: vec4<u32>;
        @group(0) @binding(6) var<storage, read_write> o: array<vec4f>;
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
            o[i] = textureSampleLevel(t[k.x], s, vec2f(0.5), 0.0) + textureSampleLevel(t[k.y], s, o[i].xy, 0.0); }
        @fragment fn fs(@location(0) at: vec2f) -> @location(0) vec4f {
            return textureSampleLevel(t[k.x], s, at, 0.0) + textureSampleLevel(t[k.y], s, at.yx, 0.0); }";
    let o = gpucc_driver::CodegenOptions { spill_all: true, verify: true, ..options(2) };
    for g in [GC3000, GC7000] {
        for entry in ["main", "fs"] {
            let out = VIVANTE.compile(&module(text), entry, g, &o).unwrap_or_else(|d| panic!("{entry}: {d}"));
            assert!(out.entry.meta.scratch_bytes > 0, "{entry}");
        }
    }
}

/// Where vectors of three components fill all registers they are taken apart: each register has room for a component more.
#[test]
fn vectors_of_three_leave_no_components() {
    let text = include_str!("fragments/threes.wgsl");
    for (g, level) in [(GC3000, 0), (GC3000, 2), (GC7000, 0), (GC7000, 2)] {
        let out = compile(&module(text), g, &options(level));
        assert_eq!(out.entry.meta.scratch_bytes, 0);
    }
    // Half as many stay vectors.
    let rest = |l: &&str| !(33..66).any(|k| l.contains(&format!(" v{k} =")) || l.contains(&format!("+ v{k})")));
    let few = text.lines().filter(rest).collect::<Vec<_>>().join("\n").replace("v33.yzx", "v0.yzx");
    let t = VIVANTE.listing(&compile(&module(&few), GC3000, &options(2)), GC3000);
    assert!(count(&t, "xyz_") > 60, "{t}");
}

/// Coordinates with the level beside them serve every sample that reads them; another level is another run.
#[test]
fn one_run_of_coordinates_serves_several_samples() {
    let text = |level: &str| {
        format!(
            "@group(0) @binding(0) var a: texture_2d<f32>;
            @group(0) @binding(1) var b: texture_2d<f32>;
            @group(0) @binding(2) var s: sampler;
            @fragment fn main(@location(0) at: vec2f) -> @location(0) vec4f {{
                let p = at * 3.0 + 1.0;
                return textureSampleLevel(a, s, p, 2.0) + textureSampleLevel(b, s, p, {level}); }}"
        )
    };
    for g in [GC2000, GC3000] {
        for (level, moves) in [("2.0", 1), ("3.0", 2)] {
            let t = VIVANTE.listing(&compile(&module(&text(level)), g, &options(2)), g);
            assert_eq!((count(&t, "    texldl "), count(&t, "    mov ")), (2, moves), "{t}");
        }
    }
}
