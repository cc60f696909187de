//! Code common to the execution tests: a container from a listing.
#![allow(dead_code, reason = "each test uses its part")]

use gpucc_container::{Access, Container, Entry, Meta, Preload, Resource, ResourceKind, Source, Stage};
use gpucc_isa::stage::CS;
use gpucc_sim::{Dispatch, RunOptions, RunReport, Trap};
use gpucc_tesla_machine::{assemble, generation, run};

/// An entry with `$r0` preloaded and storage buffers (0, i) as gi.
pub fn container(generation: &str, code: Vec<u8>, size: [u32; 3], buffers: u32) -> Container {
    let buffer = |i| Resource::new(ResourceKind::Storage, Access::ReadWrite, (0, i), i);
    let resources = (0..buffers).map(|i| Resource { min_size: 4, ..buffer(i) }).collect();
    let meta = Meta {
        workgroup_size: size,
        subgroup_size: 32,
        registers: vec![(0, 64)],
        shared_bytes: 0x400,
        scratch_bytes: 64,
        family_words: vec![0x40, 16],
        ..Meta::default()
    };
    let entry = Entry {
        name: "main".into(),
        stage: Stage::Compute,
        code,
        meta,
        resources,
        preloads: vec![Preload { file: 0, lane: 0, index: 0, source: Source::Family(0) }],
        ..Entry::default()
    };
    Container::of("tesla", generation, vec![entry])
}

/// Assembles with long forms everywhere, so that nothing needs to be paired.
pub fn code(gen_name: &str, listing: &str) -> Vec<u8> {
    let g = generation(gen_name).unwrap();
    assemble(listing, g, CS, true).unwrap_or_else(|e| panic!("{}\n{listing}", e[0]))
}

/// Runs a listing on nva3 with one workgroup of `n` invocations.
pub fn play(listing: &str, n: u32, buffers: &[&[u32]]) -> Result<Vec<Vec<u32>>, Trap> {
    play_on("nva3", listing, [n, 1, 1], [1, 1, 1], buffers, None).map(|r| r.0)
}

/// Runs a listing.
pub fn play_on(
    gen_name: &str,
    listing: &str,
    size: [u32; 3],
    grid: [u32; 3],
    buffers: &[&[u32]],
    perturb: Option<u64>,
) -> Result<(Vec<Vec<u32>>, RunReport), Trap> {
    let c = container(gen_name, code(gen_name, listing), size, buffers.len() as u32);
    play_container(&c, grid, buffers, perturb)
}

/// Runs a container.
pub fn play_container(
    c: &Container,
    grid: [u32; 3],
    buffers: &[&[u32]],
    perturb: Option<u64>,
) -> Result<(Vec<Vec<u32>>, RunReport), Trap> {
    let mut d = Dispatch::new(grid);
    for (i, b) in buffers.iter().enumerate() {
        d = d.with_u32(0, i as u32, b);
    }
    let report = run(c, None, &mut d, &RunOptions { step_limit: 50_000_000, perturb, ..RunOptions::default() })?;
    Ok(((0..buffers.len()).map(|i| d.words(0, i as u32).unwrap()).collect(), report))
}
