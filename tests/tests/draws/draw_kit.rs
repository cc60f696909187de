//! A triangle drawn by two programs on the machine of their family.

use gpucc::{CodegenOptions, Options, Target};
use gpucc_container::Container;
use gpucc_machines::drivers::DrawJob;
use gpucc_pipeline::{Pipeline, Target as Colour};
use gpucc_sim::draw::{Draw, Merger, Raster, Surface, Targets, Vertices};
use gpucc_sim::raster::{Topology, Viewport};
use gpucc_sim::texture::Format;
use gpucc_sim::{Dispatch, RunOptions, Trap};
use gpucc_tests::exec;

/// Width and height of the target.
pub const SIZE: u32 = 16;

/// Lower left, lower right, upper left: of 16 x 16 pixels those are covered whose column is less than their row.
pub const VERTICES: &str = "
    struct V { @builtin(position) p: vec4f, @location(0) x: f32 }
    @vertex fn vs(@builtin(vertex_index) i: u32) -> V {
        var p = array<vec2f, 3>(vec2f(-1, -1), vec2f(1, -1), vec2f(-1, 1));
        return V(vec4f(p[i], 0, 1), p[i].x);
    }";

/// An entry of these vertices with a fragment program.
pub fn compile(fragment: &str, entry: &str, target: Target, opt_level: u8) -> Container {
    let module = exec::lower(&format!("{VERTICES}{fragment}"), entry, &[]).expect("it lowers");
    let codegen = CodegenOptions { opt_level, ..CodegenOptions::default() };
    gpucc::compile_entry(&module, entry, &Options { target, codegen }).expect("it compiles").container().clone()
}

/// A target of a format with so many samples of a pixel after a draw, and the counter.
pub fn draw_on(
    (vertex, fragment): (&Container, &Container),
    format: Format,
    samples: u8,
) -> Result<(Surface, u32), Trap> {
    let pipeline = Pipeline { targets: vec![Some(Colour::new(format))], samples, ..Pipeline::default() };
    let size = SIZE as f32;
    let viewport = Viewport { x: 0.0, y: 0.0, width: size, height: size, min_depth: 0.0, max_depth: 1.0 };
    let draw = Draw {
        vertices: Vertices::new(Topology::TriangleList, 3),
        raster: Raster::of(&pipeline, viewport, [0, 0, SIZE, SIZE]),
        viewports: Vec::new(),
        merger: Merger::of(&pipeline, [0.0; 4], 0),
        seed: None,
    };
    let mut targets = Targets::new(vec![Some(Surface::new(format, SIZE, SIZE, samples.into()))], None);
    let mut bound = Dispatch::new([1; 3]).with_u32(0, 0, &[0]);
    let programs = (vertex, Some(fragment));
    let job = DrawJob { programs, pipeline: &pipeline, draw: &draw, vertex_buffers: &[] };
    gpucc_machines::draw(&job, &mut bound, &mut targets, &RunOptions::default())?;
    let surface = targets.colour.remove(0).expect("a target");
    Ok((surface, bound.words(0, 0).expect("the counter")[0]))
}

/// Red of each pixel, and the counter.
pub fn draw(vertex: &Container, fragment: &Container) -> Result<(Vec<u8>, u32), Trap> {
    let (surface, n) = draw_on((vertex, fragment), Format::Rgba8Unorm, 1)?;
    let red = (0..SIZE * SIZE).map(|k| surface.sample(k % SIZE, k / SIZE, 0)[0]).collect();
    Ok((red, n))
}

/// Half of red where pixels are covered and in these columns.
pub fn expected(from: u32) -> Vec<u8> {
    (0..SIZE * SIZE).map(|k| if k % SIZE >= from && k % SIZE < k / SIZE { 128 } else { 0 }).collect()
}

/// x slopes by 2 / 16 a pixel. An unorm of half may be 127 or 128.
pub fn is_near(got: &[u8], want: &[u8]) -> bool {
    got.iter().zip(want).all(|(g, w)| g.abs_diff(*w) <= 1)
}
