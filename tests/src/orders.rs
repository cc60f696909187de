//! Lists in another order. Locations, bindings and names say what belongs to what; the order of declarations says nothing, so tests
//! declare in any.

use gpucc_ir::{Attr, Interface, Module, Op, StageInfo};
use gpucc_render::PreparedScene;
use gpucc_scene::Scene;
use gpucc_scene::model::{Names, Pass, Pipeline};
use gpucc_sim::SplitMix64;

/// Puts a list into a random order.
pub fn shuffle<T>(list: &mut [T], rng: &mut SplitMix64) {
    for k in (1..list.len()).rev() {
        list.swap(k, rng.below(k as u64 + 1) as usize);
    }
}

/// The source of a list: the old place for each new one.
fn places(len: usize, rng: &mut SplitMix64) -> Vec<usize> {
    let mut list: Vec<usize> = (0..len).collect();
    shuffle(&mut list, rng);
    list
}

/// Attributes of vertex buffers and bindings of draws in another order.
///
/// # Panics
/// Never: names of pipelines stay.
pub fn scene(scene: &mut Scene, rng: &mut SplitMix64) {
    for pass in &mut scene.passes {
        match pass {
            Pass::Compute { bindings, .. } => shuffle(bindings, rng),
            Pass::Render { draws, .. } => draws.iter_mut().for_each(|d| shuffle(&mut d.bindings, rng)),
        }
    }
    let mut pipelines: Vec<(String, Pipeline)> =
        scene.pipelines.iter().map(|(name, p)| (name.into(), p.clone())).collect();
    for (_, p) in &mut pipelines {
        if let Pipeline::Render(r) = p {
            r.vertex.buffers.iter_mut().flatten().for_each(|b| shuffle(&mut b.attributes, rng));
        }
    }
    scene.pipelines = Names::new(pipelines).expect("names occur once");
}

/// Inputs and outputs of the stages in another order.
pub fn stages(ready: &mut PreparedScene, rng: &mut SplitMix64) {
    for e in &mut ready.shaders.entries {
        module(&mut e.module, rng);
        let other = e.context.as_mut().and_then(|a| a.other.as_mut());
        if let Some(StageInfo::Vertex(io) | StageInfo::Fragment { io, .. }) = other {
            shuffle(&mut io.inputs, rng);
            shuffle(&mut io.outputs, rng);
        }
    }
}

/// The same of one module.
pub fn module(m: &mut Module, rng: &mut SplitMix64) {
    for e in &mut m.entries {
        let (StageInfo::Vertex(io) | StageInfo::Fragment { io, .. }) = &mut e.stage else { continue };
        let (inputs, outputs) = (places(io.inputs.len(), rng), places(io.outputs.len(), rng));
        let old: Interface = io.clone();
        io.inputs = inputs.iter().map(|&k| old.inputs[k].clone()).collect();
        io.outputs = outputs.iter().map(|&k| old.outputs[k].clone()).collect();
        let f = &mut m.funcs[e.func];
        f.ret = io.outputs.iter().map(|s| s.ty).collect();
        for d in f.insts.values_mut() {
            if let Attr::Input(n) = &mut d.attr {
                *n = inputs.iter().position(|&k| k == usize::from(*n)).unwrap_or_default() as u16;
            }
            if d.op == Op::Ret {
                let args = d.args.clone();
                d.args.iter_mut().zip(&outputs).for_each(|(a, &k)| *a = args[k]);
            }
        }
    }
}
