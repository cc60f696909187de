//! Every texture format in every use that it has, on every generation: the machine gives what the oracle gives, or the target refuses the use by a
//! code of the list. What a driver part lacks is never told as a fault of the scene.

use gpucc_pipeline::{Base, Code, Format, Layout};
use gpucc_render::compare::{self, Against};
use gpucc_render::{Programs, frame};
use gpucc_tests::exec;
use gpucc_tests::gfx;

/// A use of a texture with its format.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Use {
    /// A texel is fetched.
    Fetched,
    /// It is sampled, with a filter where the format has one.
    Sampled,
    /// A fragment writes it.
    Target,
    /// A fragment blends with it.
    Blended,
    /// A fragment writes four samples, whose mean is kept.
    Resolved,
    /// A compute shader stores to it.
    Stored,
    /// A compute shader loads from it as a storage texture.
    Loaded,
    /// A compute shader loads from it, and stores to it.
    Changed,
    /// Depth or stencil are tested and stored.
    Tested,
}

impl Use {
    const ALL: [Use; 9] = [
        Use::Fetched,
        Use::Sampled,
        Use::Target,
        Use::Blended,
        Use::Resolved,
        Use::Stored,
        Use::Loaded,
        Use::Changed,
        Use::Tested,
    ];

    fn is_of(self, f: Format) -> bool {
        let depth = f.has_depth() || f.has_stencil();
        match self {
            Use::Fetched => true,
            Use::Sampled => matches!(f.base(), Base::Float | Base::Depth),
            Use::Target => f.renderable() && !depth,
            Use::Blended => f.renderable() && f.blendable(),
            Use::Resolved => f.renderable() && f.multisampled() && f.resolvable() && !depth,
            Use::Stored => f.storage_write(),
            Use::Loaded => f.storage_read(),
            Use::Changed => f.storage_read_write(),
            Use::Tested => depth,
        }
    }
}

/// Texels of 2 x 2: finite floats, any codes.
fn contents(f: Format) -> String {
    if f.has_depth() || f.has_stencil() {
        return String::new();
    }
    let one = match f.layout() {
        Layout::Array(Code::Float, 16) => "0034 00b8 003a 0030",
        Layout::Array(Code::Float, _) => "0000803e 000000bf 0000403f 0000803f",
        Layout::Rg11b10 | Layout::Rgb9e5 => "c0031e78 80c31d70",
        _ => "17c280fe 3b7f0190 e4215c81 00ffa57d",
    };
    let hex = one.replace(' ', "").repeat(4);
    format!(", contents = {{ hex = \"{}\" }}", &hex[..8 * f.bytes() as usize])
}

const TRIANGLE: &str = "@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
  return vec4(select(-1.0, 3.0, i == 1u), select(-1.0, 3.0, i == 2u), 0.5, 1.0);
}
";

/// What a vector of the format's components becomes in a picture of unsigned fractions.
fn shown(f: Format, value: &str) -> String {
    match f.base() {
        Base::Uint | Base::Stencil => format!("vec4<f32>({value} & vec4<u32>(255)) / 255.0"),
        Base::Sint => format!("vec4<f32>({value} & vec4<i32>(255)) / 255.0"),
        _ => format!("{value} * 0.5 + 0.25"),
    }
}

fn component(f: Format) -> &'static str {
    match f.base() {
        Base::Uint | Base::Stencil => "u32",
        Base::Sint => "i32",
        _ => "f32",
    }
}

/// Shaders, pipeline, and the pass behind the one that fills depth and stencil: the texture `t` is read into the picture.
fn read(f: Format, how: Use) -> (String, String) {
    let depth = f.base() == Base::Depth;
    let ty = if depth { "texture_depth_2d".into() } else { format!("texture_2d<{}>", component(f)) };
    let value = match (how, depth) {
        (Use::Fetched, false) => "textureLoad(t, vec2<i32>(p.xy), 0)",
        (Use::Fetched, true) => "vec4(textureLoad(t, vec2<i32>(p.xy), 0))",
        (_, false) => "textureSampleLevel(t, s, p.xy * 0.375, 0.0)",
        (_, true) => "vec4(textureSampleLevel(t, s, p.xy * 0.375, 0))",
    };
    let sampler = if how == Use::Sampled { "@group(0) @binding(1) var s: sampler;" } else { "" };
    let shader = format!(
        "{TRIANGLE}@group(0) @binding(0) var t: {ty};
{sampler}
@fragment fn fs(@builtin(position) p: vec4<f32>) -> @location(0) vec4<f32> {{ return {}; }}",
        shown(f, value)
    );
    let filter = if f.filterable() && !depth { "magFilter = \"linear\", minFilter = \"linear\"" } else { "" };
    let (samplers, bound) = match how {
        Use::Sampled => (format!("[samplers]\ns = {{ {filter} }}\n"), ", { group = 0, binding = 1, sampler = \"s\" }"),
        _ => (String::new(), ""),
    };
    let aspect = match (f.has_depth(), f.has_stencil()) {
        (true, true) => ", aspect = \"depth-only\"",
        _ => "",
    };
    let rest = format!(
        r#"{samplers}[pipelines.p]
vertex = {{ shader = "s" }}
fragment = {{ shader = "s", targets = [{{ format = "rgba8unorm" }}] }}
{fill}[[passes]]
type = "render"
colorAttachments = [{{ texture = "picture" }}]
[[passes.draws]]
pipeline = "p"
draw = {{ vertexCount = 3 }}
bindings = [{{ group = 0, binding = 0, texture = "t"{aspect} }}{bound}]
[[outputs]]
name = "picture"
texture = "picture"
"#,
        fill = filled(f, "")
    );
    (shader, rest)
}

/// A pass that clears depth and stencil, and draws.
fn filled(f: Format, draws: &str) -> String {
    if !f.has_depth() && !f.has_stencil() {
        return String::new();
    }
    let mut keys = vec!["texture = \"t\""];
    if f.has_depth() {
        keys.extend(["depthLoadOp = \"clear\"", "depthStoreOp = \"store\"", "depthClearValue = 0.625"]);
    }
    if f.has_stencil() {
        keys.extend(["stencilLoadOp = \"clear\"", "stencilStoreOp = \"store\"", "stencilClearValue = 77"]);
    }
    format!("[[passes]]\ntype = \"render\"\ndepthStencilAttachment = {{ {} }}\n{draws}", keys.join(", "))
}

fn written(f: Format, how: Use) -> (String, String) {
    let (name, ty) = (f.name(), component(f));
    let value = match f.base() {
        Base::Uint => "vec4<u32>(3, 70, 1, 2)",
        Base::Sint => "vec4<i32>(-3, 70, 1, -2)",
        _ => "vec4<f32>(0.25, 0.5, 0.75, 0.5)",
    };
    let shader = format!("{TRIANGLE}@fragment fn fs() -> @location(0) vec4<{ty}> {{ return {value}; }}");
    let equation = "{ srcFactor = \"src-alpha\", dstFactor = \"one-minus-src-alpha\" }";
    // Formats without an alpha of their own have 1 there.
    let blend = match how {
        Use::Blended => format!(", blend = {{ color = {equation}, alpha = {equation} }}"),
        _ => String::new(),
    };
    let (samples, attachment, rows) = match how {
        Use::Resolved => (
            "multisample = { count = 4 }\n",
            "texture = \"many\", resolveTarget = { texture = \"t\" }",
            format!("[textures.many]\nformat = \"{name}\"\nsize = [2, 2]\nsampleCount = 4\n"),
        ),
        _ => ("", "texture = \"t\", loadOp = \"load\"", String::new()),
    };
    // A big triangle whose edge goes through the picture, where samples differ.
    let shader =
        if how == Use::Resolved { shader.replace("i == 1u), select", "i == 1u) + 0.6, select") } else { shader };
    let rest = format!(
        r#"{rows}[pipelines.p]
vertex = {{ shader = "s" }}
{samples}[pipelines.p.fragment]
shader = "s"
targets = [{{ format = "{name}"{blend} }}]
[[passes]]
type = "render"
colorAttachments = [{{ {attachment} }}]
[[passes.draws]]
pipeline = "p"
draw = {{ vertexCount = 3 }}
[[outputs]]
name = "t"
texture = "t"
"#
    );
    (shader, rest)
}

fn tested(f: Format) -> (String, String) {
    let shader = format!("{TRIANGLE}@fragment fn fs() {{}}");
    let mut state = vec![format!("format = \"{}\"", f.name())];
    if f.has_depth() {
        state.extend(["depthWriteEnabled = true".into(), "depthCompare = \"less\"".into()]);
    }
    if f.has_stencil() {
        state.push("stencilFront = { compare = \"always\", passOp = \"increment-wrap\" }".into());
    }
    let draws = "[[passes.draws]]\npipeline = \"p\"\ndraw = { vertexCount = 3 }\nscissor = [0, 0, 1, 2]\n";
    let (depth, stencil) = (f.has_depth() && f.depth_bits() != Some(24), f.has_stencil());
    let aspect = |name: &str| match depth && stencil {
        true => format!("aspect = \"{name}-only\"\n"),
        false => String::new(),
    };
    let output = |name: &str| format!("[[outputs]]\nname = \"{name}\"\ntexture = \"t\"\n{}", aspect(name));
    let mut outputs = String::new();
    if depth {
        outputs += &output("depth");
    }
    if stencil {
        let only = if f.has_depth() { "aspect = \"stencil-only\"\n" } else { "" };
        outputs += &format!("[[outputs]]\nname = \"stencil\"\ntexture = \"t\"\n{only}");
    }
    let rest = format!(
        "[pipelines.p]\nvertex = {{ shader = \"s\" }}\nfragment = {{ shader = \"s\", targets = [] }}\n\
         depthStencil = {{ {} }}\n{}{outputs}",
        state.join(", "),
        filled(f, draws)
    );
    (shader, rest)
}

fn stored(f: Format, how: Use) -> (String, String) {
    let (name, ty) = (f.name(), component(f));
    let (access, code) = match how {
        Use::Stored => ("write", format!("textureStore(t, id.xy, vec4<{ty}>({ty}(id.x), 1, 0, 1));")),
        Use::Changed => {
            ("read_write", "let texel = textureLoad(t, id.xy); textureStore(t, id.xy, texel + texel);".into())
        }
        _ => ("read", format!("o[id.x + 2u * id.y] = {};", shown(f, "textureLoad(t, id.xy)"))),
    };
    let (buffer, bound, output) = match how {
        Use::Stored | Use::Changed => ("", "", "texture = \"t\""),
        _ => (
            "@group(0) @binding(1) var<storage, read_write> o: array<vec4<f32>, 4>;",
            ", { group = 0, binding = 1, buffer = \"o\" }",
            "buffer = \"o\"",
        ),
    };
    let shader = format!(
        "@group(0) @binding(0) var t: texture_storage_2d<{name}, {access}>;
{buffer}
@compute @workgroup_size(2, 2) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{ {code} }}"
    );
    let rest = format!(
        r#"[buffers]
o = {{ size = 64 }}
[pipelines.p]
compute = {{ shader = "s" }}
[[passes]]
type = "compute"
pipeline = "p"
dispatch = [1]
bindings = [{{ group = 0, binding = 0, texture = "t" }}{bound}]
[[outputs]]
name = "out"
{output}
"#
    );
    (shader, rest)
}

fn scene(f: Format, how: Use) -> String {
    let (shader, rest) = match how {
        Use::Fetched | Use::Sampled => read(f, how),
        Use::Target | Use::Blended | Use::Resolved => written(f, how),
        Use::Stored | Use::Loaded | Use::Changed => stored(f, how),
        Use::Tested => tested(f),
    };
    format!(
        "format = \"scene-1\"\n[shaders.s]\nwgsl = '''\n{shader}\n'''\n[textures]\n\
         picture = {{ format = \"rgba8unorm\", size = [2, 2] }}\n\
         t = {{ format = \"{}\", size = [2, 2]{} }}\n{rest}",
        f.name(),
        contents(f)
    )
}

#[test]
fn every_texture_format_in_every_use() {
    let (mut wrong, mut runs, mut refused) = (Vec::new(), 0, 0);
    let machines: Vec<_> = crate::draws::drawing::pictures("all:all").into_iter().map(exec::on).collect();
    for &f in Format::ALL {
        for how in Use::ALL.into_iter().filter(|u| u.is_of(f)) {
            let text = scene(f, how);
            let (ready, options) = (crate::draws::once_drawn::prepared(&text), frame::Options::default());
            let scene = &ready.file.scene;
            for &on in &machines {
                let place = gfx::place(on, 2);
                let mut got = ready.resources.clone();
                let made = Programs::new(scene, &ready.shaders, place);
                let done = made.and_then(|p| {
                    frame::run(scene, &ready.shaders, &p, &mut got, &options, &mut || {}).map(|report| (p, report))
                });
                match done {
                    Ok((programs, report)) => {
                        runs += 1;
                        let own = (&programs, place);
                        if let Err(v) = compare::check(&ready, own, (&got, &report), Against::Lowered, &options) {
                            wrong.push(format!("{} {how:?} on {on}: {v:?}", f.name()));
                        }
                    }
                    Err(e) if gfx::is_listed(&e, place) => refused += 1,
                    Err(e) => wrong.push(format!("{} {how:?} on {on}: {e}", f.name())),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(runs > 4 * refused, "{runs} drawn, {refused} refused");
}
