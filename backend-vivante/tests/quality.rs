//! Tests of code quality in listings, of refusals, and of the machine on damaged code.

use crate::common::{compile, container, module, options, run};
use gpucc_driver::{Backend, CodegenOptions};
use gpucc_ir::Class;
use gpucc_isa::{Isa, stage};
use gpucc_sim::{Dispatch, RunOptions, TrapKind};
use gpucc_vivante::VIVANTE;
use gpucc_vivante_machine as machine;

const AXPY: &str = "
struct P { a: vec4<f32>, n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> y: array<vec4<f32>>;
@compute @workgroup_size(16) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < p.n { y[id.x] = p.a * x[id.x].wzyx + y[id.x]; }
}";

fn dispatch() -> Dispatch {
    let floats = |seed: u32| -> Vec<f32> { (0..64).map(|i| ((i * seed) % 37) as f32 * 0.25 - 4.0).collect() };
    Dispatch::new([1, 1, 1])
        .with(
            0,
            0,
            [1.0_f32, 2.0, -0.5, 4.0]
                .iter()
                .flat_map(|f| f.to_le_bytes())
                .chain([15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
                .collect(),
        )
        .with_f32(0, 1, &floats(7))
        .with_f32(0, 2, &floats(11))
}

#[test]
fn vectors_stay_vectors() {
    for g in 0..3 {
        let m = module(AXPY);
        let out = compile(&m, g, &options(2));
        let text = VIVANTE.listing(&out, g);
        let mads: Vec<&str> = text.lines().filter(|l| l.contains("    mad ")).collect();
        // One multiply-add for four components: no write mask is printed for all of them; the swizzle is free.
        assert_eq!(mads.len(), 1, "{text}");
        assert!(mads[0].contains(".wzyx"), "{text}");
        assert!(!mads[0].contains("_,"), "{text}");
        assert!(!text.contains("    mov "), "{text}");
        assert!(text.lines().filter(|l| l.contains("    load")).count() == 2, "{text}");
        let got = run(&out, g, &dispatch(), None).unwrap();
        assert_eq!(got, crate::common::oracle(&m, &dispatch()), "{text}");
    }
}

/// Replaces source 1 of the first load (an offset) by a uniform of another register.
#[test]
fn two_uniforms_are_noticed() {
    let out = compile(&module(AXPY), 1, &options(2));
    let mut c = container(&out, 1);
    let e = &mut c.entries[0];
    let uniforms = e.meta.registers_of(machine::abi::FILE_UNIFORM);
    assert!(uniforms > 1);
    let mut changed = false;
    for chunk in e.code.chunks_exact_mut(16) {
        let mut w = [0; 4];
        for (w, b) in w.iter_mut().zip(chunk.chunks_exact(4)) {
            *w = u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        }
        let mut inst = machine::decode_word(w, 1, stage::CS).unwrap();
        if inst.op() == machine::Op::Load && !changed {
            let base = machine::operand::Source::new(inst.get("src0").unwrap());
            assert!(base.is_uniform());
            let other = u32::from(base.reg == 0);
            inst.set("src1", machine::operand::uniform(other, machine::broadcast(0)));
            let words = machine::encode(&inst, 1).unwrap();
            for (b, w) in chunk.chunks_exact_mut(4).zip(words) {
                b.copy_from_slice(&w.to_le_bytes());
            }
            changed = true;
        }
    }
    assert!(changed);
    let t = machine::run(&c, None, &mut dispatch(), &RunOptions::default()).unwrap_err();
    assert!(t.to_string().contains("reads two uniforms"), "{t}");
}

#[test]
fn zeroed_code_and_missing_preloads_trap() {
    let out = compile(&module(AXPY), 1, &options(2));
    let mut c = container(&out, 1);
    c.entries[0].code.fill(0);
    let t = machine::run(&c, None, &mut dispatch(), &RunOptions::default()).unwrap_err();
    assert_eq!(t.kind, TrapKind::Undecodable);
    let mut c = container(&out, 1);
    c.entries[0].preloads.retain(|p| p.file != machine::abi::FILE_TEMP);
    let t = machine::run(&c, None, &mut dispatch(), &RunOptions::default()).unwrap_err();
    assert_eq!(t.kind, TrapKind::UndefinedRead);
}

#[test]
fn what_a_chip_lacks_is_refused_by_name() {
    let atomic = "@group(0) @binding(0) var<storage, read_write> a: atomic<u32>;
        @compute @workgroup_size(1) fn main() { atomicAdd(&a, 1u); }";
    let m = module(atomic);
    let d = VIVANTE.compile(&m, "main", 0, &options(2)).unwrap_err();
    assert_eq!((d.class, d.code), (Class::Unsupported, "atomics"));
    assert!(d.message.contains("vivante:gc2000") && d.labels[0].span.is_known(), "{d}");
    assert!(VIVANTE.compile(&m, "main", 1, &options(2)).is_ok());

    let large = "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
        @compute @workgroup_size(64, 32) fn main(@builtin(local_invocation_index) i: u32) { a[i] = i; }";
    let d = VIVANTE.compile(&module(large), "main", 1, &options(2)).unwrap_err();
    assert_eq!((d.class, d.code), (Class::Unsupported, "workgroup-size"));
    assert!(d.message.contains("1024") && d.message.contains("2048"), "{d}");
}

#[test]
fn stress_switches_change_nothing() {
    let m = module(AXPY);
    let want = crate::common::oracle(&m, &dispatch());
    for g in 0..3 {
        for (tight, fragment, spill_all) in
            [(true, false, false), (false, true, false), (false, false, true), (true, true, true)]
        {
            let o = CodegenOptions { tight, fragment, spill_all, ..options(2) };
            let out = compile(&m, g, &o);
            assert_eq!(run(&out, g, &dispatch(), Some(3)).unwrap(), want);
        }
    }
}

#[test]
fn the_same_bytes_every_time() {
    for g in 0..3 {
        let a = compile(&module(AXPY), g, &options(2));
        let b = compile(&module(AXPY), g, &options(2));
        assert_eq!(container(&a, g).write(), container(&b, g).write());
    }
    assert_eq!(VIVANTE.generations(), machine::Vivante::GENERATIONS);
}

/// Unguarded code may name an element far behind its array; that is code that is never to run, not a fault of the compiler.
#[test]
fn an_index_beyond_the_file_without_guards() {
    let source = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
        @compute @workgroup_size(1) fn main() {
            var a: array<u32, 5>;
            a[o[0]] = 3u;
            var k = 60u;
            while k < 62u { a[k * 9u] = k; k += 1u; }
            o[1] = a[o[2]];
        }";
    let parsed = gpucc_frontend_naga::parse(gpucc_frontend_naga::Input::text(source), gpucc_frontend_naga::Lang::Wgsl)
        .unwrap_or_else(|e| panic!("{e:?}"));
    let front = gpucc_frontend_naga::Options { robust: false, ..gpucc_frontend_naga::Options::default() };
    let m = gpucc_frontend_naga::lower(&parsed, &front).unwrap_or_else(|e| panic!("{e:?}"));
    for generation in 0..3 {
        for level in 0..=3 {
            compile(&m, generation, &options(level));
        }
    }
}
