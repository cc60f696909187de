//! Bindings of a shader alone by what the shader uses: for SPIR-V, whose numbers a compiler has chosen.

use gpucc::frontend::Lang;
use gpucc_ir::{ResourceKind, Stage, TexDim};
use gpucc_scene::Scene;
use gpucc_scene::model::{Binding, BindingResource, Buffer, BufferRange, Held, Pass, TextureView};

use crate::shaders::Shaders;
use crate::used::Used;

/// Bytes of a runtime-sized array that nobody fills.
const OPEN_BYTES: u64 = 1024;

/// Binds what the fragment shader of a scene with one draw uses and the scene binds otherwise.
///
/// A uniform buffer that fits the frame gets it, any other buffer zeros; 2D textures get the channels, one after another; samplers
/// get the sampler. What there is nothing for stays unbound: the check of the scene says so.
pub(crate) fn bind(scene: &mut Scene, shaders: &Shaders) {
    let Some(fragment) = shaders.entries.iter().find(|e| e.stage == Stage::Fragment) else { return };
    let Some(Pass::Render { draws, .. }) = scene.passes.first() else { return };
    let Some(draw) = draws.first() else { return };
    if shaders.sources[fragment.source].lang != Lang::Spirv {
        return;
    }
    if fragment.used.iter().all(|u| draw.bindings.iter().any(|b| u.is_bound_by(b) && fits(u, b))) {
        return;
    }
    let texture = draw.bindings.iter().filter(|b| matches!(b.resource, BindingResource::Texture(_)));
    let channels: Vec<TextureView> = texture
        .filter_map(|b| match &b.resource {
            BindingResource::Texture(view) => Some(view.clone()),
            _ => None,
        })
        .collect();
    let of =
        |is: fn(&BindingResource) -> bool| draw.bindings.iter().find(|b| is(&b.resource)).map(|b| b.resource.clone());
    let frame = of(|r| matches!(r, BindingResource::Buffer(_)));
    let sampler = of(|r| r.held() == Held::Sampler);
    let (mut bindings, mut zeros, mut next) = (Vec::new(), Vec::new(), 0);
    for u in &fragment.used {
        let resource = match u.kind {
            ResourceKind::Uniform if u.min_size <= FRAME_BYTES => frame.clone(),
            ResourceKind::Uniform | ResourceKind::StorageRead | ResourceKind::StorageReadWrite => {
                let name = format!("zeros{}", zeros.len());
                let size = u64::from(u.min_size).max(OPEN_BYTES).next_multiple_of(16);
                zeros.push((name.clone(), Buffer { size: Some(size), data: Vec::new() }));
                Some(BindingResource::Buffer(BufferRange { buffer: name, offset: 0, size: None }))
            }
            ResourceKind::Texture { dim: TexDim::D2, arrayed: false, multisampled: false, .. } => {
                next += 1;
                channels.get((next - 1) % channels.len().max(1)).cloned().map(BindingResource::Texture)
            }
            ResourceKind::Sampler { comparison: false } => sampler.clone(),
            _ => None,
        };
        let (binding, element) = u.place();
        bindings.extend(resource.map(|resource| Binding { group: u.group, binding, element, resource }));
    }
    for (name, buffer) in zeros {
        scene.buffers.insert(name, buffer);
    }
    if let Some(Pass::Render { draws, .. }) = scene.passes.first_mut()
        && let Some(draw) = draws.first_mut()
    {
        draw.bindings = bindings;
    }
}

/// Bytes of the frame, see [`gpucc_scene::alone::frame`].
const FRAME_BYTES: u32 = 64;

/// Whether a binding is of the kind that is used.
fn fits(u: &Used, b: &Binding) -> bool {
    match u.kind {
        ResourceKind::Uniform => matches!(b.resource, BindingResource::Buffer(_)) && u.min_size <= FRAME_BYTES,
        ResourceKind::StorageRead | ResourceKind::StorageReadWrite => false,
        ResourceKind::Texture { .. } | ResourceKind::StorageTexture { .. } => {
            matches!(b.resource, BindingResource::Texture(_))
        }
        _ => true,
    }
}
