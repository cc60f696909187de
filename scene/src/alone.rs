//! A fragment shader alone: the scene that draws it on one triangle.
//!
//! Everything the shader may declare is bound; what it does not use is ignored, as in every scene. Types of bindings
//! are checked where the shader is compiled.

use gpucc_pipeline::{Filter, Format};
use gpucc_sim::texture::Wrap;

use crate::Scene;
use crate::model::{
    Binding, BindingResource, Buffer, BufferRange, Call, ColorAttachment, Contents, Data, Draw, Fill, Fragment,
    Generator, Immediates, LoadOp, Names, Output, OutputSource, Pass, Pattern, Pipeline, Render, Sampler, Shader,
    StoreOp, Target, Texture, TextureView, Vertex,
};
use crate::moment::Moment;

/// Name of the only output, the picture.
pub const OUTPUT: &str = "picture";
/// Name of the pipeline.
pub const PIPELINE: &str = "picture";
/// Name of the given shader.
pub const SHADER: &str = "fragment";

/// The vertex shader: corners (-1, -1), (3, -1), (-1, 3), and `uv` from 0 to 1 over the picture, down in y.
pub const VERTEX: &str = "\
struct Corner { @builtin(position) position: vec4<f32>, @location(0) uv: vec2<f32> }
@vertex fn main(@builtin(vertex_index) index: u32) -> Corner {
    let at = vec2<f32>(f32(index & 1u), f32(index >> 1u));
    return Corner(vec4<f32>(at * 4.0 - 1.0, 0.0, 1.0), vec2<f32>(at.x * 2.0, 1.0 - at.y * 2.0));
}
";

/// The options of the command line about the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Seconds.
    pub time: f64,
    /// Place of the mouse in pixels from the upper left.
    pub mouse: [f64; 2],
    /// Name of the fragment function; the only one if it is left out.
    pub entry: Option<String>,
    /// Immediate data, if the shader reads some.
    pub immediates: Option<Immediates>,
}

impl Default for Options {
    fn default() -> Self {
        Options { size: [640, 360], time: 0.0, mouse: [0.0; 2], entry: None, immediates: None }
    }
}

impl Options {
    /// The options of a list of arguments: `--size WxH`, `--time SECONDS`, `--mouse X,Y`, `--entry NAME`.
    ///
    /// # Errors
    /// An argument that is none of these.
    pub fn parse(args: &[String]) -> Result<Options, String> {
        let mut out = Options::default();
        let mut rest = args.iter();
        while let Some(key) = rest.next() {
            let value = rest.next().ok_or_else(|| format!("`{key}` needs a value"))?;
            let form = match key.as_str() {
                "--size" => "WxH in pixels, like 640x360",
                "--time" => "seconds, like 1.5",
                _ => "X,Y in pixels, like 320,180",
            };
            let wrong = || format!("`{value}` is not a value of `{key}`, which takes {form}");
            match key.as_str() {
                "--size" => out.size = pair(value, 'x').ok_or_else(wrong)?,
                "--time" => out.time = value.parse().map_err(|_| wrong())?,
                "--mouse" => out.mouse = pair(value, ',').ok_or_else(wrong)?,
                "--entry" => out.entry = Some(value.clone()),
                _ => return Err(format!("unknown argument `{key}`")),
            }
        }
        Ok(out)
    }
}

/// Two values with a sign between them, as in `640x360` and `8,9`.
pub fn pair<T: std::str::FromStr>(text: &str, sign: char) -> Option<[T; 2]> {
    let (a, b) = text.split_once(sign)?;
    Some([a.trim().parse().ok()?, b.trim().parse().ok()?])
}

/// The words of the uniform buffer: see [`Moment::words`].
pub fn frame(o: &Options) -> [u32; 16] {
    Moment { mouse: o.mouse, ..Moment::at(o.time) }.words(o.size)
}

fn names<T>(list: Vec<(String, T)>) -> Names<T> {
    Names::new(list).unwrap_or_default()
}

/// The scene that draws a fragment shader.
pub fn scene(shader: Shader, options: &Options) -> Scene {
    let [w, h] = options.size;
    let texture = |size, levels, contents| Texture {
        format: Format::Rgba8Unorm,
        size,
        dimension: Default::default(),
        mip_level_count: levels,
        sample_count: 1,
        view_formats: Vec::new(),
        contents,
    };
    let mut textures = vec![("picture".to_string(), texture([w, h, 1], 1, Vec::new()))];
    let bind = |binding, resource| Binding { group: 0, binding, element: 0, resource };
    let mut bindings = vec![
        bind(0, BindingResource::Buffer(BufferRange { buffer: "frame".into(), offset: 0, size: None })),
        bind(1, BindingResource::Sampler("channel".into())),
    ];
    for k in 0..4 {
        let pattern = Pattern::Noise { seed: k + 1 };
        let fill = Fill::Generator(Generator { pattern, alpha: None, box_mips: true });
        let name = format!("channel{k}");
        textures
            .push((name.clone(), texture([64, 64, 1], 7, vec![Contents { mip_level: None, array_layer: None, fill }])));
        bindings.push(bind(2 + k, BindingResource::Texture(TextureView { texture: name, ..Default::default() })));
        // Bodies of ShaderToy have each texture and its sampler in one.
        bindings.push(bind(2 + k, BindingResource::Sampler("channel".into())));
    }
    let sampler = Sampler {
        address_mode_u: Wrap::Repeat,
        address_mode_v: Wrap::Repeat,
        address_mode_w: Wrap::Repeat,
        mag_filter: Filter::Linear,
        min_filter: Filter::Linear,
        mipmap_filter: Filter::Linear,
        ..Default::default()
    };
    let fragment = Fragment {
        shader: SHADER.into(),
        entry_point: options.entry.clone(),
        constants: Names::default(),
        targets: vec![Some(Target { format: Format::Rgba8Unorm, blend: None, write_mask: 15 })],
    };
    let vertex = Vertex { shader: "vertex".into(), ..Default::default() };
    let pipeline = Render { vertex, fragment: Some(fragment), ..Default::default() };
    let attachment = ColorAttachment {
        texture: "picture".into(),
        mip_level: 0,
        array_layer: 0,
        array_layer_count: 1,
        depth_slice: None,
        format: None,
        resolve_target: None,
        load_op: LoadOp::Clear,
        store_op: StoreOp::Store,
        clear_value: [0.0, 0.0, 0.0, 1.0],
    };
    let draw = Draw {
        pipeline: PIPELINE.into(),
        bindings,
        immediates: options.immediates.clone(),
        vertex_buffers: Vec::new(),
        index_buffer: None,
        call: Call::Draw { vertex_count: 3, instance_count: 1, first_vertex: 0, first_instance: 0 },
        viewport: None,
        viewports: Vec::new(),
        scissor: None,
        scissors: Vec::new(),
        blend_constant: [0.0; 4],
        stencil_reference: 0,
        y_down: false,
    };
    let source = OutputSource::Texture {
        texture: "picture".into(),
        mip_level: 0,
        array_layer: None,
        aspect: Default::default(),
    };
    Scene {
        shaders: names(vec![(SHADER.into(), shader), ("vertex".into(), Shader::Wgsl(VERTEX.into()))]),
        textures: names(textures),
        samplers: names(vec![("channel".into(), sampler)]),
        buffers: names(vec![(
            "frame".into(),
            Buffer { size: Some(64), data: vec![Data::U32(frame(options).to_vec())], frame: true, follows: Vec::new() },
        )]),
        pipelines: names(vec![(PIPELINE.into(), Pipeline::Render(Box::new(pipeline)))]),
        passes: vec![Pass::Render {
            color_attachments: vec![Some(attachment)],
            depth_stencil_attachment: None,
            draws: vec![draw],
        }],
        outputs: vec![Output { name: OUTPUT.into(), source }],
        ..Default::default()
    }
}
