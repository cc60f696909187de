//! The same scene with a picture of another size.

use crate::model::{BindingResource, Pass};
use crate::{Scene, moment};

/// Gives the picture of a scene another size. Textures that have its proportions and no contents of their own grow or shrink with it, as do
/// viewports and scissors of the draws to them; all others stay. Shaders learn the size from a buffer with `frame = true`, from the texture,
/// or not at all.
///
/// # Errors
/// A scene without a picture; a picture larger than the scene's where dispatches, whose grids are fixed, use what would grow.
pub fn resize(scene: &mut Scene, [to_w, to_h]: [u32; 2]) -> Result<(), String> {
    let [w, h] = moment::presented_size(scene);
    if w == 0 || h == 0 {
        return Err("the scene has no picture".into());
    }
    let grows = to_w > w || to_h > h;
    let scaled = |n: u32, to: u32, of: u32| (u64::from(n) * u64::from(to)).div_ceil(u64::from(of)) as u32;
    let is_like = |s: [u32; 3]| u64::from(s[0]) * u64::from(h) == u64::from(s[1]) * u64::from(w);
    let mut names: Vec<String> = Vec::new();
    for k in 0..scene.textures.len() {
        let Some((name, t)) = scene.textures.at(k) else { continue };
        if t.contents.is_empty() && is_like(t.size) {
            names.push(name.into());
        }
        let is_changed = names.last().is_some_and(|n| n == name);
        if let Some(t) = scene.textures.at_mut(k).filter(|_| is_changed) {
            t.size = [scaled(t.size[0], to_w, w).max(1), scaled(t.size[1], to_h, h).max(1), t.size[2]];
            let levels = t.size[0].max(t.size[1]).ilog2() + 1;
            t.mip_level_count = t.mip_level_count.min(levels);
        }
    }
    let is_changed = |name: &String| names.contains(name);
    for (k, pass) in scene.passes.iter_mut().enumerate() {
        match pass {
            Pass::Compute { bindings, .. } => {
                let uses = |b: &crate::model::Binding| match &b.resource {
                    BindingResource::Texture(t) => is_changed(&t.texture),
                    _ => false,
                };
                if grows && bindings.iter().any(uses) {
                    return Err(format!("the dispatch of passes[{k}] is made for a picture of {w}x{h} at most"));
                }
            }
            Pass::Render { color_attachments, depth_stencil_attachment, draws } => {
                let mut targets = color_attachments.iter().flatten().map(|a| &a.texture);
                if !targets.any(is_changed) && !depth_stencil_attachment.iter().any(|d| is_changed(&d.texture)) {
                    continue;
                }
                let (sx, sy) = (f64::from(to_w) / f64::from(w), f64::from(to_h) / f64::from(h));
                for d in draws {
                    for v in d.viewport.iter_mut().chain(&mut d.viewports) {
                        *v = [v[0] * sx, v[1] * sy, v[2] * sx, v[3] * sy, v[4], v[5]];
                    }
                    for s in d.scissor.iter_mut().chain(&mut d.scissors) {
                        let end = [s[0].saturating_add(s[2]), s[1].saturating_add(s[3])];
                        let [x, y] = [scaled(s[0], to_w, w), scaled(s[1], to_h, h)];
                        *s = [x, y, scaled(end[0], to_w, w) - x, scaled(end[1], to_h, h) - y];
                    }
                }
            }
        }
    }
    Ok(())
}
