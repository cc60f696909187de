//! Draws: vertex and fragment entries, quads, helpers. Expected values are the worked cases of the texturing reference, or worked
//! out by hand beside the test.

use gpucc_interp::{OracleProgram, Pair, Profile, draw};
use gpucc_ir::Stage;
use gpucc_ir::text::parse_module;
use gpucc_ir::verify::verify_module;
use gpucc_pipeline::{
    Blend, BlendComponent, BlendFactor, CullMode, DepthBias, DepthStencil, FrontFace, StepMode, Target,
    VertexAttribute, VertexBuffer, VertexFormat,
};
use gpucc_sim::draw::{Draw, Merger, Raster, Surface, Targets, VertexData, Vertices};
use gpucc_sim::raster::{Rect, Topology, Viewport};
use gpucc_sim::texture::{Codec, Compare, Dim, Filter, Format, Image, Sampler};
use gpucc_sim::{Dispatch, RunOptions, RunReport, SplitMix64, Trap, TrapKind};

const VERTEX: &str = r#"entry "main" vertex func0 {
  in0 "p" location 0 f32x4
  in1 "v" location 1 f32x4
  out0 "" position f32x4
  out1 "v" location 0 f32x4
}
"#;

const PASS_ON: &str = r#"
func0 "vs" -> f32x4, f32x4 {
block0:
  v0: f32x4 = input in0
  v1: f32x4 = input in1
  ret v0, v1
}
"#;

/// A draw of triangles.
struct Scene {
    vertex: OracleProgram,
    fragment: OracleProgram,
    size: (u32, u32),
    samples: u32,
    /// Position and varying of each vertex.
    vertices: Vec<([f32; 4], [f32; 4])>,
    merger: Merger,
    bindings: Dispatch,
    limit: u64,
    cores: usize,
    profile: Profile,
}

/// Clip position of a place on a target of `size`.
fn at(x: f64, y: f64, z: f64, w: f64, size: (u32, u32)) -> [f32; 4] {
    let (sx, sy) = (f64::from(size.0), f64::from(size.1));
    [(x / sx * 2.0 - 1.0) * w, (1.0 - y / sy * 2.0) * w, z * w, w].map(|c| c as f32)
}

impl Scene {
    /// A module with vertex entry `main` and fragment entry `main`, on a target of 4 x 4 floats that one triangle covers.
    fn of(text: &str) -> Scene {
        let mut s = Scene::lenient(text);
        (s.vertex, s.fragment) = (s.vertex.strict(), s.fragment.strict());
        s
    }

    /// The same, where what was never written may be read.
    fn lenient(text: &str) -> Scene {
        let m = parse_module(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        verify_module(&m).unwrap_or_else(|e| panic!("{}\n{text}", e[0]));
        let [vertex, fragment] = [Stage::Vertex, Stage::Fragment]
            .map(|s| OracleProgram::at(&m, "main", s).unwrap_or_else(|e| panic!("{e}")));
        let size = (4, 4);
        let all = [(-1.0, -1.0), (300.0, -1.0), (-1.0, 300.0)];
        Scene {
            vertex,
            fragment,
            size,
            samples: 1,
            vertices: all.map(|(x, y)| (at(x, y, 0.5, 1.0, size), [0.0; 4])).to_vec(),
            merger: Merger {
                targets: vec![Some(Target::new(Format::Rgba32Float))],
                constant: [0.0; 4],
                depth: None,
                reference: 0,
                back: None,
                sample_mask: u32::MAX,
                alpha_to_coverage: false,
            },
            bindings: Dispatch::default(),
            limit: 100_000_000,
            cores: 1,
            profile: Profile::default(),
        }
    }

    /// The same with this interface and body of the fragment entry.
    fn with(resources: &str, io: &str, results: &str, body: &str) -> Scene {
        let results = if results.is_empty() { String::new() } else { format!(" -> {results}") };
        Scene::of(&format!(
            "module robust on\n{resources}\n{VERTEX}entry \"main\" fragment func1 {{\n{io}\n}}\n{PASS_ON}\n\
             func1 \"fs\"{results} {{\n{body}\n}}\n"
        ))
    }

    /// One colour out.
    fn colour(resources: &str, body: &str) -> Scene {
        Scene::with(resources, "  out0 \"c\" location 0 f32x4", "f32x4", body)
    }

    fn triangle(mut self, list: [(f64, f64); 3]) -> Scene {
        self.vertices = list.map(|(x, y)| (at(x, y, 0.5, 1.0, self.size), [0.0; 4])).to_vec();
        self
    }

    fn targets(&self) -> Targets {
        let surface = |f| Surface::new(f, self.size.0, self.size.1, self.samples);
        let colour = self.merger.targets.iter().map(|t| t.as_ref().map(|t| surface(t.format))).collect();
        Targets::new(colour, self.merger.depth.map(|d| surface(d.format)))
    }

    fn try_draw(&self, targets: &mut Targets, seed: Option<u64>) -> Result<(RunReport, Dispatch), Trap> {
        let bytes: Vec<u8> =
            self.vertices.iter().flat_map(|(p, v)| p.iter().chain(v)).flat_map(|w| w.to_le_bytes()).collect();
        let attribute =
            |location| VertexAttribute { location, format: VertexFormat::Float32x4, offset: 16 * u64::from(location) };
        let layout = VertexBuffer { stride: 32, step: StepMode::Vertex, attributes: vec![attribute(0), attribute(1)] };
        let (width, height) = self.size;
        let d = Draw {
            vertices: Vertices::new(Topology::TriangleList, self.vertices.len() as u32),
            raster: Raster {
                viewport: Viewport {
                    x: 0.0,
                    y: 0.0,
                    width: width as f32,
                    height: height as f32,
                    min_depth: 0.0,
                    max_depth: 1.0,
                },
                scissor: Rect::of([0, 0, width, height]),
                cull: CullMode::None,
                front_face: FrontFace::Ccw,
                unclipped_depth: false,
                bias: DepthBias::default(),
                samples: self.samples,
            },
            viewports: Vec::new(),
            merger: self.merger.clone(),
            seed,
        };
        let mut bindings = self.bindings.clone();
        let buffers = [Some(VertexData { layout: &layout, bytes: &bytes })];
        let options = RunOptions { step_limit: self.limit, perturb: seed, cores: self.cores, ..RunOptions::default() };
        let pair = Pair { vertex: &self.vertex, fragment: Some(&self.fragment) };
        let report = draw(pair, &d, &buffers, &mut bindings, targets, &options, &self.profile)?;
        Ok((report, bindings))
    }

    /// Draws in several orders; all must agree.
    fn draw(&self) -> (Targets, Dispatch) {
        let mut first: Option<(Targets, Dispatch)> = None;
        for seed in [None, Some(3), Some(4)] {
            let mut targets = self.targets();
            let (_, bindings) = self.try_draw(&mut targets, seed).unwrap_or_else(|t| panic!("{t}"));
            match &first {
                None => first = Some((targets, bindings)),
                Some(f) => assert_eq!((&targets, &bindings), (&f.0, &f.1), "{seed:?}"),
            }
        }
        first.expect("it was drawn")
    }

    /// The pixels of the quad at the upper left, or sample 0 of them.
    fn quad(&self) -> [[f32; 4]; 4] {
        let (t, _) = self.draw();
        [0, 1, 2, 3].map(|k| pixel(&t, k & 1, k >> 1))
    }
}

fn pixel(t: &Targets, x: u32, y: u32) -> [f32; 4] {
    let s = t.colour[0].as_ref().expect("a target");
    s.format.decode(s.sample(x, y, 0)).map(f32::from_bits)
}

fn lit(t: &Targets) -> Vec<(u32, u32)> {
    let s = t.colour[0].as_ref().expect("a target");
    let all = (0..s.rows).flat_map(|y| (0..s.width).map(move |x| (x, y)));
    all.filter(|&(x, y)| s.sample(x, y, 0).iter().any(|b| *b != 0)).collect()
}

/// Pixels of the upper left quad as lanes: v9 is the lane's number, 4 and more elsewhere; v8 four times that.
const LANE: &str = "  v0: f32x4 = sysval frag_coord\n  v1: f32 = extract v0, lane 0\n  v2: f32 = extract v0, lane 1\n  \
                    v3: i32 = f2s_full v1\n  v4: i32 = f2s_full v2\n  v5: i32 = shl v4, 1:i32\n  \
                    v6: i32 = iadd v3, v5\n  v7: i32 = umin v6, 7:i32\n  v8: i32 = shl v7, 2:i32\n  \
                    v9: i32 = bitcast v7\n";

const SMALL: [(f64, f64); 3] = [(-1.0, -1.0), (4.0, -1.0), (-1.0, 4.0)];

/// A target of one quad; values by lane come from a buffer.
fn one_quad(values: [f32; 4], resources: &str, body: &str) -> Scene {
    let resources = format!("res0 \"values\" group 0 binding 0 storage_ro size 16 stride 0\n{resources}");
    let body = format!("block0:\n{LANE}  v10: f32 = load res0[0 + v8] align 4\n{body}");
    let mut s = Scene::colour(&resources, &body);
    s.size = (2, 2);
    s = s.triangle([(-1.0, -1.0), (40.0, -1.0), (-1.0, 40.0)]);
    s.bindings = Dispatch::default().with_f32(0, 0, &values);
    s
}

/// Cases 90, 98, 99, 100: coverage, weights, all modes, depth, position.
#[test]
fn a_triangle_with_varyings_and_a_depth_test() {
    let io = "  in0 \"v\" location 0 f32x4\n  out0 \"c\" location 0 f32x4";
    let mut s = Scene::with("", io, "f32x4", "block0:\n  v0: f32x4 = input in0\n  ret v0");
    let size = s.size;
    let corners = [(0.0, 0.0, 0.0, 1.0), (4.0, 0.0, 0.5, 2.0), (0.0, 4.0, 1.0, 4.0)];
    s.vertices = (0..3)
        .map(|k| {
            let (x, y, z, w) = corners[k];
            (at(x, y, z, w, size), [k as f32, 1.0, 0.0, 1.0])
        })
        .collect();
    let (t, _) = s.draw();
    assert_eq!(lit(&t), [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (0, 2)]);
    assert_eq!(pixel(&t, 1, 0), [f32::from_bits(0x3eb2_1643), 1.0, 0.0, 1.0]);
    let modes = |mode: &str| {
        let io = format!("  in0 \"v\" location 0 {mode} f32x2\n  out0 \"c\" location 0 f32x4");
        let body = "block0:\n  v0: f32x2 = input in0\n  v1: f32 = extract v0, lane 0\n  v2: f32x4 = sysval frag_coord\n  \
                    v3: f32x4 = insert v2, v1, lane 0\n  ret v3";
        let other = Scene { vertices: s.vertices.clone(), ..Scene::with("", &io, "f32x4", body) };
        pixel(&other.draw().0, 1, 0)
    };
    assert_eq!(modes("linear center"), [0.625, 0.5, 0.3125, 23.0 / 32.0]);
    assert_eq!(modes("flat center")[0], 0.0);
    assert_eq!(modes("over_w center")[0], 0.25, "1/4 = 3/8 * 1/2 + 1/8 * 2/4");

    // A near triangle, then a far one: it stays behind.
    s.merger.depth = Some(DepthStencil {
        depth_compare: Compare::Less,
        depth_write: true,
        ..DepthStencil::new(Format::Depth32Float)
    });
    let place = |z, v| SMALL.map(|(x, y)| (at(x, y, z, 1.0, size), [v; 4]));
    s.vertices = [place(0.25, 1.0), place(0.5, 2.0), place(0.125, 3.0), place(0.25, 4.0)].concat();
    let mut t = s.targets();
    t.depth.as_mut().expect("a depth").clear_depth(1.0);
    s.try_draw(&mut t, None).unwrap_or_else(|t| panic!("{t}"));
    assert_eq!(pixel(&t, 0, 0), [3.0; 4]);
    assert_eq!(t.depth.expect("a depth").sample(0, 0, 0), 0.125f32.to_le_bytes());
}

/// Cases 82 to 84.
#[test]
fn derivatives_are_fine_or_coarse() {
    let of = |axis: &str, kind: &str| {
        let body = format!("  v11: f32 = derivative v10, {axis}{kind}\n  v12: f32x4 = splat v11\n  ret v12");
        one_quad([1.0, 3.0, 10.0, 20.0], "", &body).quad().map(|p| p[0])
    };
    assert_eq!(of("x", " fine"), [2.0, 2.0, 10.0, 10.0]);
    assert_eq!(of("y", " fine"), [9.0, 17.0, 9.0, 17.0]);
    assert_eq!(of("x", " coarse"), [2.0; 4]);
    assert_eq!(of("y", " coarse"), [9.0; 4]);
    let s = Scene::colour(
        "",
        "block0:\n  v0: f32x4 = sysval frag_coord\n  v1: f32x4 = derivative v0, x fine\n  \
         v2: f32x4 = derivative v0, y fine\n  v3: f32x4 = shuffle v1, v2, lanes 0 1 4 5\n  ret v3",
    );
    assert_eq!(pixel(&s.draw().0, 3, 2), [1.0, 0.0, 0.0, 1.0]);
    // Case 101, and in a quad of which one lane is covered the helpers extrapolate.
    let io = "  in0 \"v\" location 0 linear center f32\n  out0 \"c\" location 0 f32x4";
    let mut s = Scene::with(
        "",
        io,
        "f32x4",
        "block0:\n  v0: f32 = input in0\n  v1: f32 = derivative v0, x fine\n  v2: f32 = derivative v0, y fine\n  \
         v3: f32x4 = compose v1, v2, v0, v0\n  ret v3",
    );
    let size = s.size;
    s.vertices =
        [(0.0, 0.0, 0.0), (4.0, 0.0, 4.0), (0.0, 4.0, 8.0)].map(|(x, y, v)| (at(x, y, 0.5, 1.0, size), [v; 4])).into();
    let (t, _) = s.draw();
    for (x, y) in lit(&t) {
        assert_eq!(pixel(&t, x, y)[..3], [1.0, 2.0, (x as f32 + 0.5) + 2.0 * (y as f32 + 0.5)]);
    }
}

/// Case 86, and rules 1, 3 and 4.
#[test]
fn helpers_change_nothing_but_their_own_memory() {
    let resources = "res0 \"b\" group 0 binding 0 storage_rw size 32 stride 0\n\
                     res1 \"i\" group 0 binding 1 image 1d \"r32uint\" atomic\n\
                     global0 \"own\" private size 4 align 4";
    // The word of each lane is stored to: a lane adds 1 to the sum, swaps another, counts in an image, and stores.
    let body = format!(
        "block0:\n{LANE}  v10: i32 = atomic.add 1:i32, res0[16] align 4\n  \
         v11: i32 = cmpxchg 0:i32, 7:i32, res0[20] align 4\n  store 1:i32, res0[0 + v8] align 4\n  \
         v12: i32 = image_atomic.add 1:i32, 0:i32, tex res1 atomic 1d\n  \
         image_store [5, 0, 0, 0]:i32x4, v7, tex res1 store 1d\n  store v7, global0[0] align 4\n  \
         v14: i32 = load global0[0] align 4\n  v15: f32 = s2f v14\n  v16: f32 = derivative v15, x fine\n  \
         v17: i32 = iadd v10, v12\n  v18: i32 = iadd v11, v17\n  v19: f32 = s2f v18\n  \
         v20: f32 = derivative v19, y fine\n  v21: f32x4 = compose v16, v20, 1.0:f32, 1.0:f32\n  ret v21"
    );
    let mut s = Scene::colour(resources, &body).triangle([(0.0, 0.0), (1.2, 0.0), (0.0, 1.2)]);
    // Old values: 100 in the sum, nothing to swap, 50 in the image.
    s.bindings = Dispatch::default().with_u32(0, 0, &[0, 0, 0, 0, 100, 9, 0, 0]).with_texture(
        0,
        1,
        Image::new(Format::R32Uint, false, [8, 1, 1], 1, 1),
        Dim::D1,
    );
    s.bindings.images[0].bytes[0] = 50;
    let (t, d) = s.draw();
    assert_eq!(lit(&t), [(0, 0)]);
    // Helpers read back what they stored to their own memory: 1 - 0. Their atomics gave 0: 0 - (100 + 50 + 9).
    assert_eq!(pixel(&t, 0, 0), [1.0, -159.0, 1.0, 1.0]);
    assert_eq!(d.words(0, 0).expect("the buffer"), [1, 0, 0, 0, 101, 9, 0, 0]);
    // The lane counted to 51, then stored 5.
    assert_eq!(d.images[0].bytes[..8], [5, 0, 0, 0, 0, 0, 0, 0]);
}

/// Case 87, and rules 2, 5 and 7.
#[test]
fn a_discarded_lane_runs_on() {
    let body = "  v11: b1 = icmp.eq v9, 1:i32\n  store 1:i32, res1[0 + v8] align 4\n  demote v11\n  \
                store 1:i32, res1[16 + v8] align 4\n  v12: f32 = derivative v10, x fine\n  \
                v13: f32x4 = compose v12, v10, v10, v10\n  ret v13";
    let mut s = one_quad([1.0, 3.0, 10.0, 20.0], "res1 \"o\" group 0 binding 1 storage_rw size 32 stride 0", body);
    s.bindings = s.bindings.with_u32(0, 1, &[0; 8]);
    s.merger.depth = Some(DepthStencil { depth_write: true, ..DepthStencil::new(Format::Depth32Float) });
    let (t, d) = s.draw();
    assert_eq!([0, 1, 2, 3].map(|k| pixel(&t, k & 1, k >> 1)[0]), [2.0, 0.0, 10.0, 10.0]);
    assert_eq!(pixel(&t, 1, 0), [0.0; 4]);
    assert_eq!(t.depth.as_ref().expect("a depth").sample(1, 0, 0), [0; 4]);
    assert_eq!(t.depth.as_ref().expect("a depth").sample(0, 0, 0), 0.5f32.to_le_bytes());
    assert_eq!(d.words(0, 1).expect("the buffer"), [1, 1, 1, 1, 1, 0, 1, 1]);
    assert!(!t.is_open(0, 0));

    // In a loop each lane goes round as often as its own value says, discarded or not.
    let body = "  v11: b1 = icmp.eq v9, 1:i32\n  demote v11\n  v12: i32 = f2s_full v10\n  jump block1(0:i32)\n\
                block1(v13: i32) loop merge block3 continue block2:\n  v14: b1 = icmp.eq v13, v12\n  \
                br v14, block3, block2\nblock2:\n  v15: i32 = iadd v13, 1:i32\n  jump block1(v15)\n\
                block3:\n  v16: f32 = s2f v13\n  v17: f32 = derivative v16, x fine\n  v18: f32x4 = splat v17\n  ret v18";
    assert_eq!(one_quad([1.0, 3.0, 10.0, 20.0], "", body).quad().map(|p| p[0]), [2.0, 0.0, 10.0, 10.0]);
}

/// Rule 6: a quad of helpers ends, in whatever function its lanes are, and the others continue.
#[test]
fn a_quad_without_a_live_lane_ends() {
    // The right half of the target is discarded in a callee, and would stay there for ever.
    let text = format!(
        "module robust on\n{}entry \"main\" fragment func2 {{\n  out0 \"c\" location 0 f32x4\n}}\n{PASS_ON}\n\
         func1 \"callee\" {{\nblock0(v0: b1):\n  demote v0\n  br v0, block1, block4 merge block4\n\
         block1:\n  jump block2\nblock2 loop merge block5 continue block3:\n  jump block3\nblock3:\n  jump block2\nblock5:\n  jump block4\n\
         block4:\n  ret\n}}\n\n\
         func2 \"fs\" -> f32x4 {{\nblock0:\n  v0: f32x4 = sysval frag_coord\n  v1: f32 = extract v0, lane 0\n  \
         v2: b1 = fcmp.ogt v1, 2.0:f32\n  br v2, block1, block2 merge block3\nblock1:\n  call func1, v2\n  jump block3\n\
         block2:\n  call func1, v2\n  jump block3\nblock3:\n  ret [1.0, 1.0, 1.0, 1.0]:f32x4\n}}\n",
        VERTEX
    );
    let s = Scene::of(&text);
    let (t, _) = s.draw();
    assert_eq!(lit(&t), [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2), (0, 3), (1, 3)]);
}

/// Rule 8.
#[test]
fn a_derivative_of_an_inactive_lane_is_open() {
    let body = "  v11: b1 = icmp.ne v9, 3:i32\n  br v11, block1, block2 merge block2(7.0:f32)\n\
                block1:\n  v12: f32 = derivative v10, x fine\n  jump block2(v12)\nblock2(v13: f32):\n  \
                v14: f32x4 = splat v13\n  ret v14";
    let body =
        body.replace("br v11, block1, block2 merge block2(7.0:f32)", "br v11, block1, block2(7.0:f32) merge block2");
    let s = one_quad([1.0, 3.0, 10.0, 20.0], "", &body);
    let (t, _) = s.draw();
    assert_eq!([0, 1, 2, 3].map(|k| pixel(&t, k & 1, k >> 1)[0]), [2.0, 2.0, 0.0, 7.0]);
    assert!(t.is_open(0, 0) && t.is_open(1, 1));
    // Where the lane that is off is not read, nothing is open.
    let s = one_quad([1.0, 3.0, 10.0, 20.0], "", &body.replace("fine", "coarse"));
    let (t, _) = s.draw();
    assert_eq!([0, 1, 2, 3].map(|k| pixel(&t, k & 1, k >> 1)[0]), [2.0, 2.0, 2.0, 7.0]);
    assert!(!t.is_open(0, 0));
}

const TEXTURE: &str = "res1 \"t\" group 0 binding 1 texture 2d float\nres2 \"s\" group 0 binding 2 sampler";

/// A texture whose texels hold the number of their level.
fn levels(size: u32, layers: u32) -> Image {
    let mut image = Image::new(Format::R32Float, false, [size, size, layers], size.ilog2() + 1, 1);
    for level in 0..image.levels {
        let range = image.level_start(level)..image.level_start(level + 1);
        image.bytes[range].chunks_exact_mut(4).for_each(|b| b.copy_from_slice(&(level as f32).to_le_bytes()));
    }
    image
}

/// Case 81, with bias, clamps and a lane that is off.
#[test]
fn a_level_is_chosen_for_the_quad() {
    let sampled = |desc: &str, more: &str, dim, image: Image, s: Sampler| {
        let texture = if dim == Dim::Cube { TEXTURE.replace("2d", "cube") } else { TEXTURE.into() };
        let coords = match dim {
            Dim::Cube => "  v11: f32x3 = compose v10, 0.0:f32, 1.0:f32",
            _ => "  v11: f32x2 = compose v10, 0.5:f32",
        };
        let body = format!("{coords}\n  v12: f32x4 = sample v11{more}, tex res1 sampler res2 {desc}\n  ret v12");
        let mut scene = one_quad([0.0, 0.125, 0.25, 0.5], &texture, &body);
        scene.bindings = scene.bindings.with_texture(0, 1, image, dim).with_sampler(0, 2, s);
        scene
    };
    let s = Sampler { mip: Filter::Linear, ..Sampler::default() };
    let of = |desc: &str, more: &str, s| sampled(desc, more, Dim::D2, levels(64, 1), s).quad().map(|p| p[0]);
    assert_eq!(of("sample 2d implicit", "", s), [4.0; 4]);
    assert_eq!(of("sample 2d bias", ", 0.5:f32", s), [4.5; 4]);
    assert_eq!(of("sample 2d bias", ", -20.0:f32", s), [0.0; 4]);
    assert_eq!(
        of("sample 2d bias", ", v10", s),
        [4.0, 4.125, 4.25, 4.5],
        "one base for the quad, a bias for each lane"
    );
    assert_eq!(of("sample 2d implicit", "", Sampler { lod_max: 2.5, ..s }), [2.5; 4]);
    // Case 80: d/dx = (1/8, 0, 0) at (0, 0, 1): ds/dx = 1/16 on a face of 64 is 4 texels; d/dy = 1/4, so 8 texels.
    let cube = sampled("sample cube implicit", "", Dim::Cube, levels(64, 6), s);
    assert_eq!(cube.quad()[0][0], 3.0);

    // To (2, 0, 1), which is (1, 0, 1/2) when it is divided: ds/dx is 1, or the half of it.
    let mut cube = sampled("sample cube implicit", "", Dim::Cube, levels(64, 6), s);
    let d = Dispatch::default().with_f32(0, 0, &[0.0, 2.0, 0.0, 0.0]);
    cube.bindings = d.with_texture(0, 1, levels(64, 6), Dim::Cube).with_sampler(0, 2, s);
    assert_eq!(cube.quad()[0][0], 6.0);
    cube.profile.divided_cubes = true;
    assert_eq!(cube.quad()[0][0], 5.0);

    // Coordinates with a face: lane 1 is in the middle of +X, the others of +Z. From (0, 0, 1) to (1, 0, 0) s changes by a half, 32 texels.
    let texture = TEXTURE.replace("2d", "cube");
    let body = "  v11: f32x3 = compose 0.5:f32, 0.5:f32, v10\n  \
                v12: f32x4 = sample v11, tex res1 sampler res2 sample cube implicit faced\n  ret v12";
    let mut faced = one_quad([4.0, 0.0, 4.0, 4.0], &texture, body);
    faced.bindings = faced.bindings.with_texture(0, 1, levels(64, 6), Dim::Cube).with_sampler(0, 2, s);
    assert_eq!(faced.quad().map(|p| p[0]), [5.0; 4]);

    // The level that would be used, and as computed.
    let body = "  v11: f32x2 = compose v10, 0.5:f32\n  v12: f32x2 = sample v11, tex res1 sampler res2 lod 2d implicit\n  \
                v13: f32x4 = shuffle v12, v12, lanes 0 1 0 1\n  ret v13";
    let mut scene = one_quad([0.0, 0.125, 0.25, 0.5], TEXTURE, body);
    let d = scene.bindings.clone().with_texture(0, 1, levels(64, 1), Dim::D2);
    scene.bindings = d.with_sampler(0, 2, Sampler { lod_max: 2.5, ..s });
    assert_eq!(scene.quad(), [[2.5, 4.0, 2.5, 4.0]; 4]);

    // Lane 2 is off.
    let body = "  v11: f32x2 = compose v10, 0.5:f32\n  v14: b1 = icmp.ne v9, 2:i32\n  \
                br v14, block1, block2([9.0, 0.0, 0.0, 0.0]:f32x4) merge block2\nblock1:\n  \
                v12: f32x4 = sample v11, tex res1 sampler res2 sample 2d implicit\n  jump block2(v12)\n\
                block2(v13: f32x4):\n  ret v13";
    let mut scene = one_quad([0.0, 0.125, 0.25, 0.5], TEXTURE, body);
    scene.bindings = scene.bindings.clone().with_texture(0, 1, levels(64, 1), Dim::D2).with_sampler(0, 2, s);
    let (t, _) = scene.draw();
    assert_eq!([0, 1, 2, 3].map(|k| pixel(&t, k & 1, k >> 1)[0]), [0.0, 0.0, 9.0, 0.0]);
    assert!(t.is_open(0, 0));
}

/// Depth, mask, second colour, several samples.
#[test]
fn every_output_goes_where_it_belongs() {
    let io = "  out0 \"c\" location 0 f32x4\n  out1 \"b\" location 0 blend_src 1 f32x4\n  out2 \"d\" frag_depth f32";
    let body = "block0:\n  ret [0.25, 0.25, 0.25, 0.25]:f32x4, [0.5, 0.5, 0.5, 0.5]:f32x4, 0.75:f32";
    let mut s = Scene::with("", io, "f32x4, f32x4, f32", body);
    let component = BlendComponent { src: BlendFactor::Src1, dst: BlendFactor::One, ..BlendComponent::default() };
    s.merger.targets[0].as_mut().expect("a target").blend = Some(Blend { color: component, alpha: component });
    s.merger.depth = Some(DepthStencil { depth_write: true, ..DepthStencil::new(Format::Depth32Float) });
    let (t, _) = s.draw();
    assert_eq!(pixel(&t, 0, 0), [0.125; 4]);
    assert_eq!(t.depth.expect("a depth").sample(3, 3, 0), 0.75f32.to_le_bytes());

    // Once a sample, since its number is read; each writes one more than that, and the mask lets three through.
    let io = "  out0 \"c\" location 0 i32\n  out1 \"m\" sample_mask i32";
    let body = "block0:\n  v0: i32 = sysval sample_index\n  v1: i32 = iadd v0, 1:i32\n  v2: i32 = sysval sample_mask\n  \
                v3: i32 = shl v2, 4:i32\n  v4: i32 = or v1, v3\n  ret v4, 13:i32";
    let mut s = Scene::with("", io, "i32, i32", body);
    s.samples = 4;
    s.merger.targets = vec![Some(Target::new(Format::R8Uint))];
    let (t, _) = s.draw();
    let surface = t.colour[0].as_ref().expect("a target");
    assert_eq!([0, 1, 2, 3].map(|k| surface.sample(2, 1, k)[0]), [0x11, 0, 0x43, 0x84]);

    // Case 102: coverage 0xa of pixel (0, 0) is taken at sample 1.
    let io = "  in0 \"v\" location 0 linear centroid f32x2\n  out0 \"c\" location 0 f32x2";
    let mut s = Scene::with("", io, "f32x2", "block0:\n  v0: f32x2 = input in0\n  ret v0");
    s.samples = 4;
    let size = s.size;
    let corners = [(0.5, 0.0), (4.0, 0.0), (0.5, 8.0)];
    s.vertices = corners.map(|(x, y)| (at(x, y, 0.5, 1.0, size), [x as f32, y as f32, 0.0, 0.0])).into();
    let (t, _) = s.draw();
    let surface = t.colour[0].as_ref().expect("a target");
    let read = |x, sample| surface.format.decode(surface.sample(x, 0, sample)).map(f32::from_bits);
    assert_eq!(read(0, 1)[..2], [0.875, 0.375]);
    assert_eq!(read(0, 0), [0.0; 4], "not covered");
    assert_eq!(read(1, 0)[..2], [1.5, 0.5]);
    assert_eq!(read(1, 0)[3], 1.0, "missing components");
}

/// Numbers of vertices, instances and primitives, sides, clip distances, negative depth, and memory that both stages share.
#[test]
fn stages_share_memory_and_count() {
    let text = |position: &str, z: &str| {
        format!(
            "module robust on\nres0 \"b\" group 0 binding 0 storage_rw size 16 stride 0\n\
             entry \"main\" vertex func0 {{\n{position}  in0 \"p\" location 0 f32x4\n  out0 \"\" position f32x4\n  \
             out1 \"n\" location 3 flat center i32x2\n  out2 \"far\" clip_distance 0 f32\n}}\n\
             entry \"main\" fragment func1 {{\n  in0 \"n\" location 3 flat center i32x2\n  out0 \"c\" location 0 f32x4\n}}\n\n\
             func0 \"vs\" -> f32x4, i32x2, f32 {{\nblock0:\n  v0: f32x4 = input in0\n  v1: i32 = sysval vertex_index\n  \
             v2: i32 = sysval instance_index\n  v3: i32x2 = compose v1, v2\n  v4: i32 = atomic.add 1:i32, res0[0] align 4\n  \
             v5: f32x4 = insert v0, {z}:f32, lane 2\n  v6: f32 = extract v0, lane 0\n  ret v5, v3, v6\n}}\n\n\
             func1 \"fs\" -> f32x4 {{\nblock0:\n  v0: i32x2 = input in0\n  v1: i32 = sysval primitive_index\n  \
             v2: b1 = sysval front_facing\n  v3: i32 = select v2, 1:i32, 2:i32\n  v4: i32 = load res0[0] align 4\n  \
             v5: i32 = extract v0, lane 0\n  v6: i32x4 = compose v5, v1, v3, v4\n  v7: f32x4 = s2f v6\n  ret v7\n}}\n"
        )
    };
    // Two triangles, the second the other way round; the left half is clipped away.
    let mut s = Scene::of(&text("", "0.5"));
    let (size, [a, b, c]) = (s.size, SMALL.map(|(x, y)| (2.0 * x, 2.0 * y)));
    let place = |(x, y)| (at(x, y, 0.0, 1.0, size), [0.0; 4]);
    s.vertices = [a, b, c, a, c, b].map(place).to_vec();
    s.bindings = Dispatch::default().with_u32(0, 0, &[0; 4]);
    let mut t = s.targets();
    let (report, d) = s.try_draw(&mut t, None).unwrap_or_else(|t| panic!("{t}"));
    assert_eq!(d.words(0, 0).expect("the buffer")[0], 6, "one for each vertex");
    assert!(report.steps > 1000 && report.subgroups >= 2);
    assert_eq!(pixel(&t, 2, 0), [3.0, 1.0, 1.0, 6.0]);
    assert_eq!(pixel(&t, 1, 0), [0.0; 4]);
    // Depth from -w to w: -0.5 is inside, and at 0.25 of the range.
    let mut s = Scene::of(&text("  position clip_negative\n", "-0.5"));
    s.vertices = [a, b, c].map(place).to_vec();
    s.bindings = Dispatch::default().with_u32(0, 0, &[0; 4]);
    s.merger.depth = Some(DepthStencil { depth_write: true, ..DepthStencil::new(Format::Depth32Float) });
    let (t, _) = s.draw();
    assert_eq!(t.depth.expect("a depth").sample(2, 0, 0), 0.25f32.to_le_bytes());
}

#[test]
fn what_a_draw_lacks_is_named() {
    let body = "block0:\n  v0: f32x4 = input in0\n  ret v0";
    let scene = |location: &str| {
        let io = format!("  in0 \"v\" location {location}\n  out0 \"c\" location 0 f32x4");
        Scene::with("", &io, "f32x4", body)
    };
    let said = |s: &Scene| {
        let t = s.try_draw(&mut s.targets(), None).expect_err("something is missing");
        assert_eq!(t.kind, TrapKind::Dispatch, "{t}");
        t.message
    };
    assert_eq!(said(&scene("1 f32x4")), "`main` gives nothing at location 1 (`v`)");
    let mut s = scene("0 f32x4");
    std::mem::swap(&mut s.vertex, &mut s.fragment);
    assert_eq!(said(&s), "`main` is a fragment entry where one of stage vertex is needed");
    let mut s = scene("0 f32x4");
    s.vertex = Scene::of(&format!(
        "module robust on\n{}entry \"main\" fragment func0 {{\n  out0 \"\" location 0 f32x4\n  out1 \"\" location 1 f32x4\n}}\n{}",
        VERTEX.replace("location 1", "location 2"),
        PASS_ON.replace("v0: f32x4 = input in0\n  v1: f32x4 = input in1\n", "").replace("ret v0, v1", "ret undef:f32x4, undef:f32x4"),
    ))
    .vertex;
    assert_eq!(said(&s), "no attribute has location 2 (`v`)");
    let s =
        one_quad([0.0; 4], TEXTURE, "  v11: f32x4 = tex [0.5, 0.5]:f32x2, tex res1 sampler res2 sample 2d\n  ret v11");
    assert_eq!(said(&s), "no texture is bound at group 0 binding 1 (`t`)");
    let mut s = one_quad([0.0; 4], "", "  v11: f32x4 = splat v10\n  ret v11");
    s.bindings = Dispatch::default();
    assert_eq!(said(&s), "no buffer is bound at group 0 binding 0 (`values`)");
    // Bound memory comes back, also after a trap, and the limit of steps holds.
    s.bindings = Dispatch::default().with_u32(0, 0, &[0; 4]);
    s.limit = 1100;
    let t = s.try_draw(&mut s.targets(), None).expect_err("too long");
    assert_eq!(t.kind, TrapKind::StepLimit);
}

/// Triangles all over a target of 96 x 80 with depth, that go round a loop as often as their varying says.
fn many(locals: &str, body: &str) -> Scene {
    let text = format!(
        "module robust on\n{VERTEX}entry \"main\" fragment func1 {{\n  in0 \"v\" location 0 f32x4\n  \
         out0 \"c\" location 0 f32x4\n}}\n{PASS_ON}\nfunc1 \"fs\" -> f32x4 {{\n{locals}block0:\n  v0: f32x4 = input in0\n  \
         v1: f32 = extract v0, lane 0\n  v2: i32 = f2s_full v1\n  v3: f32x4 = sysval frag_coord\n  \
         v4: f32 = extract v3, lane 0\n  v5: i32 = f2s_full v4\n  v6: f32 = extract v3, lane 1\n  v7: i32 = f2s_full v6\n  \
         v8: i32 = shl v7, 7:i32\n  v9: i32 = iadd v5, v8\n  jump block1(0:i32)\n\
         block1(v10: i32) loop merge block3 continue block2:\n  v11: b1 = icmp.sge v10, v2\n  br v11, block3, block2\n\
         block2:\n  v12: i32 = iadd v10, 1:i32\n  jump block1(v12)\nblock3:\n{body}}}\n"
    );
    let mut s = Scene::lenient(&text);
    s.size = (96, 80);
    let mut rng = SplitMix64::new(5);
    let mut below = |n: u64| rng.below(n) as f64;
    for _ in 0..700 {
        let (x, y) = (below(96), below(80));
        let around = [(x, y), (x + below(24), y), (x, y + below(24))];
        let (z, w, turns) = (below(100) / 100.0, 1.0 + below(3), below(20) as f32);
        s.vertices.extend(around.map(|(x, y)| (at(x, y, z, w, (96, 80)), [turns, x as f32, y as f32, 1.0])));
    }
    s.merger.depth = Some(DepthStencil {
        depth_write: true,
        depth_compare: Compare::Greater,
        ..DepthStencil::new(Format::Depth32Float)
    });
    s
}

/// The result of a draw, its counts and notes, on so many cores.
fn on_cores(s: &mut Scene, cores: usize, seed: Option<u64>) -> (Targets, Result<RunReport, String>) {
    s.cores = cores;
    let mut t = s.targets();
    let result = s.try_draw(&mut t, seed).map(|(report, _)| report).map_err(|t| format!("{t:?}"));
    (t, result)
}

/// Draws on 1, 2, 3 and 8 cores, plain and in an order that was drawn; gives what the plain run gave.
fn same_on_cores(s: &mut Scene) -> Result<RunReport, String> {
    let mut plain = None;
    for seed in [Some(9), None] {
        let one = on_cores(s, 1, seed);
        for cores in [2, 3, 8] {
            let more = on_cores(s, cores, seed);
            assert_eq!(more.1, one.1, "{cores} cores, {seed:?}");
            assert!(more.0 == one.0, "{cores} cores, {seed:?}: another picture");
        }
        plain = Some(one.1);
    }
    plain.expect("it was drawn")
}

#[test]
fn cores_do_not_show() {
    let mut s = many("", "  v13: f32x4 = fmul v0, v3\n  ret v13\n");
    let report = same_on_cores(&mut s).expect("a picture");
    assert!(report.subgroups > 100, "there are batches to share: {}", report.subgroups);
    // Any limit ends it at the same place with the same words.
    let mut ended = Vec::new();
    for k in 0..12 {
        s.limit = report.steps * k / 11;
        ended.push(same_on_cores(&mut s).is_err());
    }
    assert_eq!(ended.iter().filter(|e| !**e).count(), 1, "all steps are enough, fewer are not: {ended:?}");
}

#[test]
fn the_first_trap_of_a_draw_is_told_on_any_number_of_cores() {
    // Pixel (60, 40) traps, (61, 70) never ends: what comes first in the order of batches counts.
    let trap = "  v13: b1 = icmp.eq v9, 5180:i32\n  br v13, block4, block5 merge block5\nblock4:\n  unreachable\nblock5:\n  \
                jump block6\nblock6 loop merge block8 continue block7:\n  v14: b1 = icmp.ne v9, 9021:i32\n  \
                br v14, block8, block7\nblock7:\n  jump block6\nblock8:\n  ret v0\n";
    let said = same_on_cores(&mut many("", trap)).expect_err("a trap");
    assert!(said.contains("unreachable"), "{said}");
    let endless = trap.replace("5180", "-1");
    let mut s = many("", &endless);
    s.limit = 20_000_000;
    let said = same_on_cores(&mut s).expect_err("it never ends");
    assert!(said.contains("20000000 steps"), "{said}");
    // A register that was never written is told, with the first instructions that met it.
    let read = "  v13: i32 = load local0[0] align 4\n  v14: b1 = icmp.eq v2, 5:i32\n  br v14, block4, block5 merge block5\nblock4:\n  \
                v15: i32 = load local0[4] align 4\n  jump block5\nblock5:\n  ret v0\n";
    let mut s = many("  local0 \"t\" size 8 align 4\n", read);
    let report = same_on_cores(&mut s).expect("a picture");
    assert_eq!(report.notes.len(), 2, "{:?}", report.notes);
    // A batch that needs more than what is tried ahead.
    let mut s = many("", "  v13: f32x4 = fmul v0, v3\n  ret v13\n");
    s.vertices.truncate(12);
    let corners = [(8.0, 8.0), (20.0, 8.0), (8.0, 20.0)];
    s.vertices.splice(3..6, corners.map(|(x, y)| (at(x, y, 0.9, 1.0, (96, 80)), [70_000.0; 4])));
    s.limit = 1 << 30;
    let report = same_on_cores(&mut s).expect("a picture");
    assert!(report.steps > 1 << 24, "{}", report.steps);
}

/// Where words may reach behind a buffer, an atomic of a fragment changes the part of the last word that is there.
#[test]
fn atomics_of_words_that_are_inside_in_part() {
    let mut s = Scene::lenient(&format!(
        "module robust off\nres0 \"o\" group 0 binding 0 storage_rw size 2 stride 2\n{VERTEX}\
         entry \"main\" fragment func1 {{\n  out0 \"c\" location 0 f32x4\n}}\n{PASS_ON}\n\
         func1 \"fs\" -> f32x4 {{\nblock0:\n  v0: i32 = atomic.and -65536:i32, res0[4] align 4\n  \
         v1: f32x4 = splat 1.0:f32\n  ret v1\n}}\n"
    ));
    s.profile = Profile { words_behind: true, ..Profile::default() };
    let bytes = vec![1, 2, 3, 4, 5, 6];
    s.bindings.buffers.push(gpucc_sim::BoundBuffer { group: 0, binding: 0, bytes, writable: true });
    let (_, bindings) = s.draw();
    assert_eq!(bindings.buffers[0].bytes, [1, 2, 3, 4, 0, 0]);
}
