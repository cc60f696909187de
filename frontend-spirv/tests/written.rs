//! SPIR-V: modules written by naga's own writer give the results that the WGSL gives, and damaged ones are refused.

use crate::common::{lower, run_module};
use crate::hostile::damaged;
use gpucc_frontend_naga as naga_in;
use gpucc_ir::Module;
use gpucc_ir::{Class, ResourceKind};
use gpucc_sim::Dispatch;
use naga::back::spv;

fn binary(source: &str) -> Vec<u8> {
    let module = naga::front::wgsl::parse_str(source).expect("valid WGSL");
    let all = naga::valid::Capabilities::all();
    let info = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), all).validate(&module).expect("valid");
    let flags = spv::WriterFlags::DEBUG | spv::Options::default().flags;
    let options = spv::Options { lang_version: (1, 3), flags, ..spv::Options::default() };
    let words = spv::write_vec(&module, &info, &options, None).expect("writable");
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

const SOURCE: &str = "
    struct Counts { a: array<atomic<u32>, 3>, b: u32 }
    var<workgroup> counts: Counts;
    @group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
    @group(0) @binding(1) var<storage, read_write> o: array<vec4<f32>>;
    fn classify(x: f32) -> u32 {
        var n = 0u;
        for (var i = 0u; i < 10u; i++) { if f32(i) > x { return n; } if i == 3u { continue; } n += 1u; }
        switch n { case 0u, 1u: { return 50u; } default: { return n; } }
    }
    @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
        let v = a[id.x];
        let both = (v > vec4(0.0)) & (v < vec4(5.0));
        let either = (v > vec4(5.0)) | (v < vec4(0.0));
        let split = modf(v); let parts = frexp(v.x);
        let picked = select(split.whole, split.fract, both);
        atomicAdd(&counts.a[id.x % 3u], 1u);
        workgroupBarrier();
        let m = mat2x3(v.xyz, v.yzw);
        o[id.x] = vec4(picked.x + parts.fract, f32(parts.exp) + f32(classify(v.y)), (transpose(m) * v.xyz).y,
                       f32(atomicLoad(&counts.a[id.x % 3u]))) + select(vec4(0.0), vec4(1.0), either);
    }";

#[test]
fn gives_what_wgsl_gives() {
    let input: Vec<f32> = (0..16).map(|i| i as f32 * 0.75 - 3.0).collect();
    let run = |module: Module| {
        let mut dispatch = Dispatch::new([1, 1, 1]).with_f32(0, 0, &input).with_f32(0, 1, &[0.0; 16]);
        run_module(&module, &mut dispatch);
        dispatch.words(0, 1).expect("bound above")
    };
    let spirv = binary(SOURCE);
    let wgsl = naga_in::parse(naga_in::Input::text(SOURCE), naga_in::Lang::Wgsl);
    let wgsl = wgsl.and_then(|p| naga_in::lower(&p, &naga_in::Options::default()));
    let result = run(wgsl.expect("WGSL"));
    assert_eq!(run(lower(&spirv).expect("SPIR-V")), result);
    let swapped: Vec<u8> = spirv.chunks(4).flat_map(|w| w.iter().rev().copied().collect::<Vec<_>>()).collect();
    assert_eq!(run(lower(&swapped).expect("SPIR-V")), result, "big-endian");
    assert_ne!(result, vec![0; 16]);
}

#[test]
fn damaged_modules_are_refused() {
    let [read, refused] = damaged("written", &binary(SOURCE), 5, 1500);
    assert!(read > 10 && refused > 100, "{read} read, {refused} refused");
}

/// Images keep what the program says that it does with them; buffers that are only written are buffers that may be written.
#[test]
fn access_of_images_and_buffers() {
    let spirv = binary(
        "@group(0) @binding(0) var w: texture_storage_2d<rg11b10ufloat, write>;
         @group(0) @binding(1) var r: texture_storage_2d<rgba8unorm, read>;
         @group(0) @binding(2) var both: texture_storage_2d<r32float, read_write>;
         @group(0) @binding(3) var<storage, read_write> o: array<vec4<f32>>;
         @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {
             textureStore(w, id.xy, textureLoad(r, id.xy) + textureLoad(both, id.xy));
             textureStore(both, id.xy, vec4(1.0));
             o[id.x] = vec4(2.0);
         }",
    );
    let access = |bytes: &[u8]| {
        let m = lower(bytes).unwrap_or_else(|list| panic!("{}", list[0]));
        let of = |r: &gpucc_ir::ResourceData| match r.kind {
            ResourceKind::StorageTexture { access, .. } => (r.binding, access.name()),
            ResourceKind::StorageReadWrite => (r.binding, "buffer"),
            kind => panic!("{kind:?}"),
        };
        let mut list: Vec<_> = m.resources.values().map(of).collect();
        list.sort_unstable();
        list
    };
    let known = [(0, "write"), (1, "read"), (2, "read_write"), (3, "buffer")];
    assert_eq!(access(&spirv), known);
    // The same with the buffer and its member, as glslang decorates `writeonly`.
    let mut words: Vec<u32> = spirv.chunks(4).map(|w| u32::from_le_bytes(w.try_into().expect("4 bytes"))).collect();
    let (mut at, mut variable, mut first) = (5, 0, 0);
    while at < words.len() {
        let (op, count) = (words[at] & 0xffff, (words[at] >> 16) as usize);
        // OpDecorate X Binding 3
        if op == 71 && words[at + 2..at + count] == [33, 3] {
            (variable, first) = (words[at + 1], at);
        }
        at += count;
    }
    assert!(variable != 0);
    words.splice(first..first, [3 << 16 | 71, variable, 25]);
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    assert_eq!(access(&bytes), known);
}

/// A refusal says what the source calls the thing in question: the instruction alone may stand there a hundred times.
#[test]
fn refusals_name_the_object() {
    let source = "@group(0) @binding(0) var<storage, read> speeds: array<u32>;
         @group(0) @binding(1) var<storage, read_write> totals: array<u32>;
         @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) { totals[id.x] = SUM; }";
    let refused = |bytes: &[u8]| {
        let done = lower(bytes);
        let list = done.expect_err("refused");
        assert_eq!(list[0].class, Class::Unsupported, "{}", list[0]);
        (list[0].message.clone(), list[0].notes.first().cloned().unwrap_or_default())
    };
    // The operand is a load through a pointer into it.
    let mut bytes = binary(&source.replace("SUM", "subgroupAdd(speeds[id.x])"));
    let is_add = |c: &[u8]| c == [349_u32 & 0xff, 1, 6, 0].map(|b| b as u8);
    let at = bytes.chunks(4).position(is_add).expect("OpGroupNonUniformIAdd") * 4;
    // A group operation that is not lowered.
    bytes[at + 16] = 6;
    let (message, note) = refused(&bytes);
    assert!(message.starts_with("`OpGroupNonUniformIAdd with this group operation` cannot be compiled"), "{message}");
    assert_eq!(note, "this is about `speeds`");
    // A variable, and the pointer type that it has.
    let plain = binary(&source.replace("SUM", "speeds[id.x]"));
    for op in [59, 32] {
        let mut words: Vec<u32> = plain.chunks(4).map(|w| u32::from_le_bytes(w.try_into().expect("4 bytes"))).collect();
        let mut at = 5;
        while at < words.len() {
            let (this, count) = (words[at] & 0xffff, (words[at] >> 16) as usize);
            // OpVariable T X StorageBuffer, OpTypePointer X StorageBuffer T
            let class = if op == 59 { at + 3 } else { at + 2 };
            if this == op && words[class] == 12 {
                // CallableDataKHR
                words[class] = 5328;
                break;
            }
            at += count;
        }
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let (message, note) = refused(&bytes);
        assert!(message.contains("CallableDataKHR"), "{message}");
        assert!(note == "this is about `speeds`" || note == "this is about `totals`", "{note}");
    }
}

/// Inputs and outputs without `Location` and `BuiltIn` are wrong input, not a bug (found by fuzzing).
#[test]
fn inputs_and_outputs_without_a_place_are_wrong() {
    let plain = binary(
        "struct V { @builtin(position) p: vec4f, @location(0) a: vec2f, @location(1) b: vec2f }
         @vertex fn vs(@location(0) a: vec2f, @location(1) b: vec2f) -> V { return V(vec4f(a, b), a, b); }
         @fragment fn fs(@location(0) a: vec2f, @location(1) b: vec2f) -> @location(0) vec4f { return vec4f(a, b); }",
    );
    let words: Vec<u32> = plain.chunks(4).map(|w| u32::from_le_bytes(w.try_into().expect("4 bytes"))).collect();
    let mut tried = 0;
    for (at, op, count) in instructions(&words) {
        // OpDecorate X Location N is cut out.
        if op == 71 && words[at + 2] == 30 {
            let mut other = words.clone();
            other.drain(at..at + count);
            let bytes: Vec<u8> = other.iter().flat_map(|w| w.to_le_bytes()).collect();
            let done = lower(&bytes);
            let list = done.expect_err("wrong");
            assert_eq!(list[0].class, Class::Invalid, "{}", list[0]);
            tried += 1;
        }
    }
    assert_eq!(tried, 7);
}

/// Instructions of a module: where each begins, its opcode, its words.
fn instructions(words: &[u32]) -> Vec<(usize, u32, usize)> {
    let mut list = Vec::new();
    let mut at = 5;
    while at < words.len() {
        let length = (words[at] >> 16) as usize;
        list.push((at, words[at] & 0xffff, length));
        at += length;
    }
    list
}

/// A scalar that no machine could load from its place, and ids that mean two things: no source makes them, and nothing behind
/// the reader asks again.
#[test]
fn layouts_and_ids_are_checked() {
    let source = "struct Block { m: array<mat2x4<f32>, 2>, x: f32, y: f32 }
        @group(0) @binding(0) var<storage, read_write> b: Block;
        @compute @workgroup_size(1) fn main() { b.y = b.x + b.m[1][1].z; }";
    let bytes = binary(source);
    let words: Vec<u32> = bytes.chunks(4).map(|w| u32::from_le_bytes(w.try_into().expect("four bytes"))).collect();
    let said = |words: &[u32]| {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let module = lower(&bytes);
        let list = module.map_or_else(|list| list, |_| Vec::new());
        list.first().map_or_else(String::new, |d| format!("{:?} {}", d.class, d.message))
    };
    assert_eq!(said(&words), "");
    // Opcode, the word that says which decoration, which, the word of the number, and the number.
    const DECORATE: u32 = 71;
    const MEMBER: u32 = 72;
    for (opcode, kind, decoration, number, old, text) in [
        (MEMBER, 3, 35, 4, 68, "an Offset of member 2 is 70, no multiple of the 4 bytes of a scalar there"),
        (MEMBER, 3, 7, 4, 16, "a MatrixStride of member 0 is 18, no multiple of the 4 bytes"),
        (DECORATE, 2, 6, 3, 32, "an ArrayStride is 34, no multiple of the 4 bytes"),
    ] {
        let mut changed = words.clone();
        let list = instructions(&words);
        let found = |&&(at, op, _): &&(usize, u32, usize)| {
            op == opcode && words[at + kind] == decoration && words[at + number] == old
        };
        let &(at, ..) = list.iter().find(found).expect("the decoration");
        changed[at + number] += 2;
        assert!(said(&changed).starts_with("Invalid") && said(&changed).contains(text), "{}", said(&changed));
    }
    // OpConstant: type, id, value.
    let list = instructions(&words);
    let constants: Vec<usize> = list.iter().filter(|i| i.1 == 43).map(|i| i.0).collect();
    let mut twice = words.clone();
    twice[constants[1] + 2] = twice[constants[0] + 2];
    assert!(said(&twice).contains("is defined twice"), "{}", said(&twice));
}
