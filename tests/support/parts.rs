//! Bytes and halves in memory, on any family that accesses them alone.

use crate::common::{BACKEND, NAMES, compile, options, run};
use gpucc_driver::Backend as _;
use gpucc_sim::Dispatch;

/// `o[i] = x[i]` for a type; with a barrier between, through workgroup memory, too.
fn copy(ty: &str, bytes: u32, shared: bool) -> gpucc_ir::Module {
    let through = if shared {
        format!(
            "  store v3, global0[0 + v2] align {bytes}\n  barrier workgroup workgroup\n  v4: {ty} = load global0[0 + v2] align {bytes}\n"
        )
    } else {
        String::new()
    };
    let last = if shared { "v4" } else { "v3" };
    let text = format!(
        "res0 \"a\" group 0 binding 0 storage_ro size 4 stride {bytes}\nres1 \"o\" group 0 binding 1 storage_rw size 4 stride {bytes}\n\
         global0 \"w\" workgroup size 512 align 4\nentry \"main\" compute func0 size 64,1,1\nfunc0 \"main\" {{\nblock0:\n  \
         v1: i32 = sysval local_invocation_index\n  v2: i32 = imul v1, {bytes}:i32\n  v3: {ty} = load res0[0 + v2] align {bytes}\n\
         {through}  store {last}, res1[0 + v2] align {bytes}\n  ret\n}}\n"
    );
    gpucc_ir::text::parse_module(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn lines(text: &str, words: &[&str]) -> usize {
    text.lines().filter(|l| words.iter().any(|w| l.contains(w))).count()
}

/// A copy is a load and a store of that size, no more instructions than for words, and copies all bits. What a listing calls such
/// accesses, and atomic ones, is given.
pub fn copies_are_a_load_and_a_store(loads: &[&str], stores: &[&str], atomics: &[&str]) {
    for (g, name) in NAMES.iter().enumerate() {
        for shared in [false, true] {
            let words = compile(&copy("i32", 4, shared), g, &options(2)).stats;
            let count = |stats: &[(String, u64)]| stats.iter().find(|s| s.0 == "instructions").map(|s| s.1);
            for (ty, bytes) in [("f16", 2), ("i16", 2), ("i8", 1)] {
                let out = compile(&copy(ty, bytes, shared), g, &options(2));
                let text = BACKEND.listing(&out, g);
                let found = (lines(&text, loads), lines(&text, stores));
                let each = 1 + usize::from(shared);
                assert!(found == (each, each) && lines(&text, atomics) == 0, "{ty} on {name}\n{text}");
                // Zeros of workgroup memory are not counted.
                assert!(shared || count(&out.stats) <= count(&words), "{ty} on {name}\n{text}");
                let input: Vec<u8> = (0..64 * bytes).map(|k| (k * 37 + 11) as u8 | u8::from(k % 2 == 1) << 7).collect();
                let d = Dispatch::new([1, 1, 1]).with(0, 0, input.clone()).with(0, 1, vec![0xa5; input.len()]);
                for seed in [None, Some(1), Some(2)] {
                    let done = run(&out, g, &d, seed).unwrap_or_else(|e| panic!("{ty} on {name}: {e}\n{text}"));
                    assert!(done.buffer(0, 1).is_some_and(|b| b.bytes == input), "{ty} on {name}\n{text}");
                }
            }
        }
    }
}
