//! Bindings of a shader alone by what the shader uses: for SPIR-V, whose numbers a compiler has chosen.

use gpucc::frontend::Lang;
use gpucc::glsl;
use gpucc_ir::{ResourceKind, Stage, TexDim};
use gpucc_scene::model::{Binding, BindingResource, Buffer, BufferRange, Data, Held, Pass, TextureView};
use gpucc_scene::{Scene, SceneError};

use crate::loose::{self, Picture};
use crate::shaders::Shaders;
use crate::used::{InScene, Used};

/// Bytes of a runtime-sized array that nobody fills.
const OPEN_BYTES: u64 = 1024;

/// Binds what the fragment shader of a scene with one draw uses and the scene binds otherwise.
///
/// A uniform buffer that fits the frame gets it, any other buffer zeros; 2D textures get the channels, one after another; samplers
/// get the sampler. What there is nothing for stays unbound: the check of the scene says so.
///
/// # Errors
/// A uniform outside of blocks whose name says no value.
pub(crate) fn bind(scene: &mut Scene, shaders: &Shaders) -> Result<(), SceneError> {
    let Some(fragment) = shaders.entries.iter().find(|e| e.stage == Stage::Fragment) else { return Ok(()) };
    // Bodies of several passes are bound as they are made.
    let [Pass::Render { draws, .. }] = &scene.passes[..] else { return Ok(()) };
    let Some(draw) = draws.first() else { return Ok(()) };
    let source = &shaders.sources[fragment.source];
    let spirv = source.glsl.as_ref().and_then(|g| g.spirv());
    if source.lang != Lang::Spirv && spirv.is_none() {
        return Ok(());
    }
    if fragment.used.iter().all(|u| draw.bindings.iter().any(|b| u.is_bound_by(b) && fits(u, b))) {
        return Ok(());
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
    let (mut bindings, mut zeros, mut next) = (Vec::new(), Vec::new(), 0usize);
    for u in &fragment.used {
        let is_loose = u.group == glsl::LOOSE_GROUP && Some(u.binding) == glsl::loose_binding(source.lang);
        let resource = match u.kind {
            ResourceKind::Uniform if is_loose && spirv.is_some() => {
                let members = source.glsl.as_ref().map(|g| g.loose_uniforms()).unwrap_or_default();
                let words = loose::of_picture(&members, &picture(scene), u.min_size).map_err(|m| {
                    let text = format!("nothing gives the uniform `{}` a value", m.name);
                    SceneError::new(format!("shaders.{}", gpucc_scene::alone::SHADER), text)
                })?;
                let buffer = Buffer {
                    size: Some(u64::from(u.min_size).next_multiple_of(16)),
                    data: vec![Data::U32(words)],
                    frame: false,
                    follows: loose::follows(&members),
                };
                zeros.push(("uniforms".to_string(), buffer));
                Some(BindingResource::Buffer(BufferRange { buffer: "uniforms".into(), offset: 0, size: None }))
            }
            ResourceKind::Uniform if u.min_size <= FRAME_BYTES => frame.clone(),
            ResourceKind::Uniform | ResourceKind::StorageRead | ResourceKind::StorageReadWrite => {
                let name = format!("zeros{}", zeros.len());
                let size = u64::from(u.min_size).max(OPEN_BYTES).next_multiple_of(16);
                zeros.push((name.clone(), Buffer { size: Some(size), ..Buffer::default() }));
                Some(BindingResource::Buffer(BufferRange { buffer: name, offset: 0, size: None }))
            }
            ResourceKind::Texture { dim: TexDim::D2, arrayed: false, multisampled: false, .. } => {
                // By its name, or else the next.
                let named = u.name.strip_prefix("iChannel").and_then(|k| k.parse::<usize>().ok());
                let k = named.filter(|k| *k < channels.len()).unwrap_or(next);
                next += usize::from(named.is_none());
                channels.get(k % channels.len().max(1)).cloned().map(BindingResource::Texture)
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
    Ok(())
}

/// What the frame of a scene of a shader alone says: see [`gpucc_scene::alone::frame`].
fn picture(scene: &Scene) -> Picture {
    let words = match scene.buffers.get("frame").map(|b| b.data.as_slice()) {
        Some([Data::U32(words)]) => words.as_slice(),
        _ => &[],
    };
    let word = |k: usize| words.get(k).copied().unwrap_or(0);
    let float = |k| f32::from_bits(word(k));
    Picture { size: [float(0), float(1)], time: float(3), mouse: [float(4), float(5)], frame: word(9) }
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
