//! GCN's draws under a change of their machine code: helpers that are cut, EXEC that comes back over a discard. Inputs,
//! outputs and register words in the container.

use gpucc::{CodegenOptions, Options, Target};
use gpucc_container::{Container, IoPlace, Stage, flags};
use gpucc_pipeline::{Pipeline, Target as Colour};
use gpucc_sim::draw::{Draw, Merger, Raster, Surface, Targets, Vertices};
use gpucc_sim::raster::{Topology, Viewport};
use gpucc_sim::texture::Format;
use gpucc_sim::{Dispatch, RunOptions, Trap};
use gpucc_tests::exec;

/// Width and height of the target.
const SIZE: u32 = 16;

/// Lower left, lower right, upper left: of 16 x 16 pixels those are covered whose column is less than their row.
const VERTICES: &str = "
    struct V { @builtin(position) p: vec4f, @location(0) x: f32 }
    @vertex fn vs(@builtin(vertex_index) i: u32) -> V {
        var p = array<vec2f, 3>(vec2f(-1, -1), vec2f(1, -1), vec2f(-1, 1));
        return V(vec4f(p[i], 0, 1), p[i].x);
    }";

const SLOPE: &str = "@fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(dpdx(v.x) * 4.0, 0, 0, 1); }";

const COUNTED: &str = "
    @group(0) @binding(0) var<storage, read_write> n: atomic<u32>;
    @fragment fn fs(v: V) -> @location(0) vec4f {
        if (v.p.x < 8.0) { discard; }
        let slope = dpdx(v.x) * 4.0;
        atomicAdd(&n, 1u);
        return vec4f(slope, 0, 0, 1);
    }";

fn compile(fragment: &str, entry: &str, target: Target, opt_level: u8) -> Container {
    let module = exec::lower(&format!("{VERTICES}{fragment}"), entry, &[]).expect("it lowers");
    let codegen = CodegenOptions { opt_level, ..CodegenOptions::default() };
    gpucc::compile_entry(&module, entry, &Options { target, codegen }).expect("it compiles").container().clone()
}

/// Red of each pixel, and the counter.
fn draw(vertex: &Container, fragment: &Container) -> Result<(Vec<u8>, u32), Trap> {
    let pipeline = Pipeline { targets: vec![Some(Colour::new(Format::Rgba8Unorm))], ..Pipeline::default() };
    let size = SIZE as f32;
    let viewport = Viewport { x: 0.0, y: 0.0, width: size, height: size, min_depth: 0.0, max_depth: 1.0 };
    let draw = Draw {
        vertices: Vertices::new(Topology::TriangleList, 3),
        raster: Raster::of(&pipeline, viewport, [0, 0, SIZE, SIZE]),
        merger: Merger::of(&pipeline, [0.0; 4], 0),
        seed: None,
    };
    let mut targets = Targets::new(vec![Some(Surface::new(Format::Rgba8Unorm, SIZE, SIZE, 1))], None);
    let mut bound = Dispatch::new([1; 3]).with_u32(0, 0, &[0]);
    let programs = (vertex, Some(fragment));
    gpucc_machines::draw(programs, &pipeline, &draw, &[], &mut bound, &mut targets, &RunOptions::default())?;
    let surface = targets.colour[0].as_ref().expect("a target");
    let red = (0..SIZE * SIZE).map(|k| surface.sample(k % SIZE, k / SIZE, 0)[0]).collect();
    Ok((red, bound.words(0, 0).expect("the counter")[0]))
}

/// Half of red where pixels are covered and in these columns.
fn expected(from: u32) -> Vec<u8> {
    (0..SIZE * SIZE).map(|k| if k % SIZE >= from && k % SIZE < k / SIZE { 128 } else { 0 }).collect()
}

/// x slopes by 2 / 16 a pixel. An unorm of half may be 127 or 128.
fn is_near(got: &[u8], want: &[u8]) -> bool {
    got.iter().zip(want).all(|(g, w)| g.abs_diff(*w) <= 1)
}

fn gcn() -> Vec<Target> {
    exec::targets("all:all").into_iter().filter(|t| t.family() == "gcn").collect()
}

/// The program with words that are changed, and how many were.
fn changed(c: &Container, change: impl Fn(u32) -> Option<u32>) -> (Container, usize) {
    let mut c = c.clone();
    let mut n = 0;
    for word in c.entries[0].code.chunks_exact_mut(4) {
        let old = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        if let Some(new) = change(old) {
            word.copy_from_slice(&new.to_le_bytes());
            n += 1;
        }
    }
    (c, n)
}

#[test]
fn slopes_need_helpers() {
    for target in gcn() {
        for level in [0, 2] {
            let (v, f) = (compile(SLOPE, "vs", target, level), compile(SLOPE, "fs", target, level));
            assert_ne!(f.entries[0].meta.flags & flags::DERIVATIVES, 0);
            let (red, _) = draw(&v, &f).unwrap_or_else(|t| panic!("{target}: {t}"));
            assert!(is_near(&red, &expected(0)), "{target} -O{level}: {red:?}");
            // s_wqm_b64 exec, exec becomes s_mov_b64 exec, exec.
            let (wqm, mov) =
                if target.generation() == "gfx8" { (0xbefe_077e, 0xbefe_017e) } else { (0xbefe_0a7e, 0xbefe_047e) };
            let (cut, n) = changed(&f, |w| (w == wqm).then_some(mov));
            assert_eq!(n, 1, "{target}");
            match draw(&v, &cut) {
                Err(_) => {}
                Ok((red, _)) => assert!(!is_near(&red, &expected(0)), "{target}: nobody misses helpers"),
            }
        }
    }
}

#[test]
fn what_is_discarded_stays_so() {
    for target in gcn() {
        for level in [0, 2] {
            let (v, f) = (compile(COUNTED, "vs", target, level), compile(COUNTED, "fs", target, level));
            assert_ne!(f.entries[0].meta.flags & flags::DISCARD, 0);
            let (red, n) = draw(&v, &f).unwrap_or_else(|t| panic!("{target}: {t}"));
            assert!(is_near(&red, &expected(8)), "{target} -O{level}: {red:?}");
            assert_eq!(n, 28, "{target} -O{level}");
            // s_and_b64 exec, exec, s[..] becomes s_mov_b64 exec, exec.
            let (and, mov) = if target.generation() == "gfx8" { (0x86fe, 0xbefe_017e) } else { (0x87fe, 0xbefe_047e) };
            let (back, k) = changed(&f, |w| (w >> 16 == and && w & 0xff == 0x7e && w & 0xff00 < 0x6a00).then_some(mov));
            assert!(k > 0, "{target}: EXEC is never cut to what is live");
            match draw(&v, &back) {
                Err(_) => {}
                Ok((red, n)) => {
                    assert!(n != 28 && !is_near(&red, &expected(8)), "{target}: nobody misses live lanes, {n}");
                }
            }
        }
    }
}

#[test]
fn containers_say_where_inputs_and_outputs_are() {
    for target in gcn() {
        let (v, f) = (compile(COUNTED, "vs", target, 2), compile(COUNTED, "fs", target, 2));
        for c in [&v, &f] {
            assert_eq!(&Container::read(&c.write()).expect("it reads back"), c);
        }
        let (v, f) = (&v.entries[0], &f.entries[0]);
        assert_eq!((v.stage, f.stage), (Stage::Vertex, Stage::Fragment));
        let location = IoPlace::Location { number: 0, blend_src: 0 };
        let rows = |e: &gpucc_container::Entry| {
            e.interface.iter().map(|r| (r.output, r.at, r.components, r.index)).collect::<Vec<_>>()
        };
        assert_eq!(rows(v), [(true, IoPlace::Position, 15, 12), (true, location, 1, 0)]);
        assert_eq!(rows(f), [(false, location, 1, 0), (true, location, 3, 0)]);
        // SPI_PS_INPUT_ENA: PERSP_CENTER and POS_X; SPI_SHADER_COL_FORMAT: FP16_ABGR; CB_SHADER_MASK;
        // DB_SHADER_CONTROL: KILL_ENABLE, late Z, EXEC_ON_HIER_FAIL and EXEC_ON_NOOP. SPI_SHADER_POS_FORMAT.
        let word = |e: &gpucc_container::Entry, r: u32| e.state.iter().find(|w| w.register == r).map(|w| w.value);
        let of_fragment = [0x286cc, 0x28714, 0x2823c, 0x2880c].map(|r| word(f, r));
        assert_eq!(of_fragment, [Some(0x102), Some(4), Some(15), Some(0x640)]);
        assert_eq!([0x286c4, 0x2870c, 0x2881c].map(|r| word(v, r)), [Some(0), Some(4), Some(0)]);
    }
}
