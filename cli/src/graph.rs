//! `--emit dot`: the control flow of each entry point as optimisation leaves it, with what lives where.
//!
//! A block shows the values that live when it begins, and before each instruction how many live behind it: where that number peaks,
//! registers are needed.

use std::fmt::Write as _;

use gpucc_ir::analysis::Liveness;
use gpucc_ir::entity::{EntitySet, SecondaryMap};
use gpucc_ir::{Block, Function, Module, Value, ValueDef, text};
use petgraph::dot::{Config, Dot};
use petgraph::graph::{DiGraph, NodeIndex};

/// Text inside of quotes; lines end at the left.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '\n' => out.push_str("\\l"),
            c if c.is_control() => out.push('?'),
            c => out.push(c),
        }
    }
    out
}

/// How many values live behind each instruction of a block, in its order.
fn counts(f: &Function, live: &Liveness, b: Block) -> Vec<usize> {
    let mut now: EntitySet<Value> = live.live_out(b).clone();
    let mut out = Vec::new();
    for &i in f.blocks[b].insts.iter().rev() {
        out.push(now.iter().count());
        for r in f.insts[i].results {
            now.remove(r);
        }
        f.insts[i].for_each_use(|v| {
            if matches!(f.values[v].def, ValueDef::Inst(..) | ValueDef::Param(..)) {
                now.insert(v);
            }
        });
    }
    out.reverse();
    out
}

/// A block as it is shown.
fn block(f: &Function, live: &Liveness, b: Block) -> String {
    let params: Vec<String> = f.blocks[b].params.iter().map(ToString::to_string).collect();
    let there: Vec<String> = live.live_in(b).iter().map(|v| v.to_string()).collect();
    let mut out = format!("{b}({})\n", params.join(", "));
    if !there.is_empty() {
        let _ = writeln!(out, "live: {}", there.join(", "));
    }
    for (&i, n) in f.blocks[b].insts.iter().zip(counts(f, live, b)) {
        let _ = writeln!(out, "{n:>3}  {}", text::inst_text(f, i));
    }
    out
}

/// The graphs of all entry points of a module.
pub fn dot(module: &Module) -> String {
    let mut out = String::new();
    for e in &module.entries {
        let f = &module.funcs[e.func];
        let live = Liveness::new(f);
        let mut graph: DiGraph<Block, &str> = DiGraph::new();
        let mut nodes: SecondaryMap<Block, NodeIndex> = SecondaryMap::new();
        for &b in &f.layout {
            nodes[b] = graph.add_node(b);
        }
        for &b in &f.layout {
            let next = f.succs(b);
            for (k, &to) in next.iter().enumerate() {
                let label = if next.len() == 2 { ["true", "false"][k] } else { "" };
                graph.add_edge(nodes[b], nodes[to], label);
            }
        }
        let of_edge = |_: &DiGraph<Block, &str>, e: petgraph::graph::EdgeReference<'_, &str>| match *e.weight() {
            "" => String::new(),
            word => format!("label = \"{word}\" "),
        };
        let of_node = |_: &DiGraph<Block, &str>, n: (NodeIndex, &Block)| {
            format!("label = \"{}\" ", quoted(&block(f, &live, *n.1)))
        };
        let config = [Config::NodeNoLabel, Config::EdgeNoLabel, Config::GraphContentOnly];
        let shown = Dot::with_attr_getters(&graph, &config, &of_edge, &of_node);
        let _ = write!(
            out,
            "digraph \"{}\" {{\n    node [shape = box, fontname = monospace]\n{shown:?}}}\n",
            quoted(&e.name)
        );
    }
    out
}
