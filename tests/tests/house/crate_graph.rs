//! The crate graph proves the project's claim: machines see bytes and metadata only, no backend knows another, shared
//! crates know no target. Read from `cargo metadata`, so that a new edge in a manifest fails here.

use std::collections::BTreeMap;
use std::process::Command;

use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;
use petgraph::visit::Bfs;

/// Crates of ours that each crate of ours may depend on (normal dependencies, transitively).
fn edges() -> Vec<(String, Vec<String>)> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let out = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(gpucc_tests::shared::workspace())
        .output()
        .expect("cargo metadata runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let meta: serde_json::Value = serde_json::from_slice(&out.stdout).expect("cargo metadata prints JSON");
    let mut list = Vec::new();
    for p in meta["packages"].as_array().expect("packages") {
        let deps = p["dependencies"].as_array().expect("dependencies").iter();
        let deps = deps.filter(|d| d["kind"].is_null()).filter_map(|d| d["name"].as_str()).map(String::from);
        list.push((p["name"].as_str().expect("name").to_string(), deps.collect()));
    }
    list
}

/// The crates and what each depends on, as a graph.
fn graph(edges: &[(String, Vec<String>)]) -> DiGraph<&str, ()> {
    let mut graph = DiGraph::new();
    let mut nodes = BTreeMap::new();
    for (name, deps) in edges {
        for d in deps {
            let [from, to] = [name, d].map(|n| *nodes.entry(n.as_str()).or_insert_with(|| graph.add_node(n.as_str())));
            graph.add_edge(from, to, ());
        }
    }
    graph
}

/// The crates that one reaches.
fn reach(edges: &[(String, Vec<String>)], from: &str) -> Vec<String> {
    let graph = graph(edges);
    let Some(start) = graph.node_indices().find(|n| graph[*n] == from) else { return Vec::new() };
    let mut walk = Bfs::new(&graph, start);
    let reached = std::iter::from_fn(|| walk.next(&graph)).filter(|n| *n != start);
    reached.map(|n| graph[n].to_string()).collect()
}

#[test]
fn crates_form_no_circle() {
    let edges = edges();
    let graph = graph(&edges);
    let circles: Vec<Vec<&str>> = tarjan_scc(&graph)
        .into_iter()
        .filter(|group| group.len() > 1)
        .map(|group| group.into_iter().map(|n| graph[n]).collect())
        .collect();
    assert!(circles.is_empty(), "{circles:?}");
}

/// The families, in the order of targets.
fn families() -> Vec<&'static str> {
    gpucc_machines::MACHINES.iter().map(|m| m.family).collect()
}

#[test]
fn forbidden_edges_do_not_exist() {
    let edges = edges();
    let mut wrong = Vec::new();
    let mut forbid = |from: &str, to: &str, why: &str| {
        if reach(&edges, from).iter().any(|d| d == to) {
            wrong.push(format!("{from} depends on {to}: {why}"));
        }
    };
    for f in families() {
        let machine = format!("gpucc-{f}-machine");
        for compiler in [
            "gpucc-ir",
            "gpucc-opt",
            "gpucc-mir",
            "gpucc-regalloc",
            "gpucc-frontend-naga",
            "gpucc-frontend-spirv",
            "gpucc",
        ] {
            forbid(&machine, compiler, "machines see bytes and metadata only");
        }
        forbid(&machine, &format!("gpucc-{f}"), "a machine shares nothing with its compiler");
        forbid(&machine, &format!("gpucc-{f}-driver"), "a machine shares nothing with the driver part");
        forbid(&format!("gpucc-{f}"), &format!("gpucc-{f}-driver"), "a compiler shares nothing with the driver part");
        for other in families().into_iter().filter(|o| *o != f) {
            forbid(&machine, &format!("gpucc-{other}-machine"), "no family knows another");
            forbid(&format!("gpucc-{f}"), &format!("gpucc-{other}"), "no backend knows another");
            forbid(&format!("gpucc-{f}"), &format!("gpucc-{other}-machine"), "no backend knows another");
        }
        for shared in [
            "gpucc-ir",
            "gpucc-opt",
            "gpucc-interp",
            "gpucc-isa",
            "gpucc-sim",
            "gpucc-scene",
            "gpucc-num",
            "gpucc-regalloc",
            "gpucc-mir",
            "gpucc-driver",
            "gpucc-drivers",
            "gpucc-container",
            "gpucc-frontend-naga",
            "gpucc-frontend-spirv",
            "gpucc-frontend-common",
        ] {
            forbid(shared, &format!("gpucc-{f}"), "shared crates know no target");
            forbid(shared, &machine, "shared crates know no target");
        }
    }
    for own in ["gpucc-ir", "gpucc-isa", "gpucc-opt", "gpucc-mir"] {
        forbid("gpucc-regalloc", own, "the allocator knows no IR and no ISA");
    }
    for compiler in ["gpucc-ir", "gpucc-opt", "gpucc-mir", "gpucc-frontend-naga", "gpucc-frontend-spirv", "gpucc"] {
        forbid("gpucc-scene", compiler, "what a scene alone decides needs no compiled shader");
    }
    forbid("gpucc-frontend-spirv", "gpucc-frontend-naga", "SPIR-V is read without naga");
    for (name, _) in edges.iter().filter(|(name, _)| name.starts_with("gpucc") && name != "gpucc-vulkan") {
        forbid(name, "gpucc-vulkan", "the driver is a library for the loader, and nothing of ours calls it");
    }
    forbid("gpucc-vulkan", "gpucc-render", "the driver knows no scenes");
    // A driver part and a machine, or a compiler, share the container and memory, not code. A profile speaks of the IR's ops, and shares
    // no arithmetic with the machine.
    let ours = |name: &str| {
        let mut all = reach(&edges, name);
        all.retain(|d| d.starts_with("gpucc") && d != "gpucc-features");
        all.sort();
        all
    };
    const SHARED: [&str; 4] = ["gpucc-container", "gpucc-num", "gpucc-pipeline", "gpucc-sim"];
    assert_eq!(ours("gpucc-drivers"), SHARED, "driver parts know no more");
    for f in families() {
        let mut found = ours(&format!("gpucc-{f}-driver"));
        found.retain(|d| d != "gpucc-drivers");
        assert_eq!(found, SHARED, "the driver part of {f} knows neither compiler nor machine");
        let known = ["gpucc-interp", "gpucc-ir", "gpucc-num", "gpucc-pipeline", "gpucc-container", "gpucc-sim"];
        let other = ours(&format!("gpucc-{f}-profile")).into_iter().find(|d| !known.contains(&d.as_str()));
        assert_eq!(other, None, "the profile of {f} knows neither compiler nor machine");
    }
    for own in ["gpucc-isa", "gpucc-num", "gpucc-container", "gpucc-pipeline"] {
        for (name, _) in &edges {
            // Plain data that the container carries.
            let leaf = own == "gpucc-container" && name == "gpucc-pipeline";
            if name.starts_with("gpucc") && !leaf {
                forbid(own, name, "this crate depends on nothing of ours");
            }
        }
    }
    for (name, deps) in &edges {
        if name != "gpucc-frontend-naga" && deps.iter().any(|d| d == "naga") {
            wrong.push(format!("{name} depends on naga: only the frontend may"));
        }
        let library =
            !["gpucc-features", "gpucc-cli", "gpucc-tests", "gpucc-kit", "gpucc-tools", "gpucc-bench", "xtask"]
                .contains(&name.as_str());
        for tool in ["clap", "rayon", "codespan-reporting"] {
            if library && deps.iter().any(|d| d == tool) {
                wrong.push(format!("{name} depends on {tool}: libraries do not"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
