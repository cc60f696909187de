//! GCN's draws under a change of their machine code: helpers that are cut, EXEC that comes back over a discard. Inputs,
//! outputs and register words in the container.

use gpucc::{CodegenOptions, Options, Target};
use gpucc_container::{Container, IoPlace, Preload, Source, Stage, flags};
use gpucc_machines::drivers::DrawJob;
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

const SILENT: &str = "
    @group(0) @binding(0) var<storage, read_write> n: atomic<u32>;
    @fragment fn fs(v: V) { if (v.p.y < 16.0) { atomicAdd(&n, 1u); } }";

const PLACES: &str = "
    @fragment fn fs(v: V, @builtin(sample_index) s: u32) -> @location(0) vec4f {
        return vec4f(fract(v.p.xy), f32(s) / 3.0, 1);
    }";

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

/// A target of a format with so many samples of a pixel after a draw, and the counter.
fn draw_on((vertex, fragment): (&Container, &Container), format: Format, samples: u8) -> Result<(Surface, u32), Trap> {
    let pipeline = Pipeline { targets: vec![Some(Colour::new(format))], samples, ..Pipeline::default() };
    let size = SIZE as f32;
    let viewport = Viewport { x: 0.0, y: 0.0, width: size, height: size, min_depth: 0.0, max_depth: 1.0 };
    let draw = Draw {
        vertices: Vertices::new(Topology::TriangleList, 3),
        raster: Raster::of(&pipeline, viewport, [0, 0, SIZE, SIZE]),
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
fn draw(vertex: &Container, fragment: &Container) -> Result<(Vec<u8>, u32), Trap> {
    let (surface, n) = draw_on((vertex, fragment), Format::Rgba8Unorm, 1)?;
    let red = (0..SIZE * SIZE).map(|k| surface.sample(k % SIZE, k / SIZE, 0)[0]).collect();
    Ok((red, n))
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
        assert_eq!(rows(f), [(false, location, 1, 0), (true, location, 15, 0)]);
        assert_eq!(f.interface[1].packing, gpucc_container::Packing::Half16);
        // SPI_PS_INPUT_ENA: PERSP_CENTER and POS_X; SPI_SHADER_COL_FORMAT: FP16_ABGR; CB_SHADER_MASK;
        // DB_SHADER_CONTROL: KILL_ENABLE, late Z, EXEC_ON_HIER_FAIL and EXEC_ON_NOOP. SPI_SHADER_POS_FORMAT.
        let word = |e: &gpucc_container::Entry, r: u32| e.state.iter().find(|w| w.register == r).map(|w| w.value);
        let of_fragment = [0x286cc, 0x28714, 0x2823c, 0x2880c].map(|r| word(f, r));
        assert_eq!(of_fragment, [Some(0x102), Some(4), Some(15), Some(0x640)]);
        assert_eq!([0x286c4, 0x2870c, 0x2881c].map(|r| word(v, r)), [Some(0), Some(4), Some(0)]);
    }
}

/// A program without outputs ends in `exp null` with done and vm: its lanes live, and its exports are over.
#[test]
fn what_writes_nothing_ends_in_a_null_export() {
    for target in gcn() {
        for level in [0, 2] {
            let (v, f) = (compile(SILENT, "vs", target, level), compile(SILENT, "fs", target, level));
            let (red, n) = draw(&v, &f).unwrap_or_else(|t| panic!("{target}: {t}"));
            // 15 + 14 + ... pixels. Nothing else is drawn.
            assert_eq!((n, red), (120, vec![0; (SIZE * SIZE) as usize]), "{target} -O{level}");
            // Target 9, no component, done is bit 11, vm is bit 12.
            let format = if target.generation() == "gfx8" { 0xc400 } else { 0xf800 };
            let null = format << 16 | 0x1890u32;
            let trap = |change: &dyn Fn(u32) -> Option<u32>| {
                let (cut, n) = changed(&f, change);
                assert!(n > 0, "{target} -O{level}: no null export");
                draw(&v, &cut).expect_err("an export that is missing").to_string()
            };
            let without = |bit: u32| trap(&|w| (w == null).then_some(w & !bit));
            assert!(without(1 << 11).contains("without a last export"), "{target}");
            assert!(without(1 << 12).contains("without a last export"), "{target}");
            // Both words become s_nop: the second one is 0.
            let code = &f.entries[0].code;
            let at = code.windows(8).position(|b| b[..4] == null.to_le_bytes() && b[4..] == [0; 4]);
            let at = at.unwrap_or_else(|| panic!("{target}: the null export has other words"));
            let mut cut = f.clone();
            for k in [at, at + 4] {
                cut.entries[0].code[k..k + 4].copy_from_slice(&0xbf80_0000u32.to_le_bytes());
            }
            let said = draw(&v, &cut).expect_err("a wave that never ends").to_string();
            assert!(said.contains("without a last export"), "{target}: {said}");
        }
    }
}

/// Sets register words of a program.
fn set(c: &mut Container, words: &[(u32, u32)]) {
    for &(register, value) in words {
        let word = c.entries[0].state.iter_mut().find(|w| w.register == register);
        word.unwrap_or_else(|| panic!("no word {register:#x}")).value = value;
    }
}

/// SPI_BARYC_CNTL.POS_FLOAT_LOCATION: 0 the centre, 1 the centroid, 2 the sample, of which four lie in the standard places.
#[test]
fn positions_are_where_the_register_word_says() {
    const BARYC_CNTL: u32 = 0x286e0;
    let places = [(6, 2), (14, 6), (2, 10), (10, 14)].map(|(x, y)| [x as f32 / 16.0, y as f32 / 16.0]);
    for target in gcn() {
        let (v, mut f) = (compile(PLACES, "vs", target, 2), compile(PLACES, "fs", target, 2));
        for location in 0..3 {
            set(&mut f, &[(BARYC_CNTL, location << 16)]);
            let (surface, _) = draw_on((&v, &f), Format::Rgba8Unorm, 4).unwrap_or_else(|t| panic!("{target}: {t}"));
            for (x, y, s) in (0..SIZE * SIZE * 4).map(|k| (k / 4 % SIZE, k / 4 / SIZE, k as usize % 4)) {
                // On the diagonal samples 2 and 3 are covered, to its left all are.
                let covered = x < y || x == y && s > 1;
                let place = match location {
                    0 => [0.5; 2],
                    1 if x == y => places[2],
                    1 => [0.5; 2],
                    _ => places[s],
                };
                let want = match covered {
                    true => [place[0], place[1], s as f32 / 3.0, 1.0].map(|c| (c * 255.0).round() as u8),
                    false => [0; 4],
                };
                let have = surface.sample(x, y, s as u32);
                assert!(is_near(&have[..4], &want), "{target}, {location}, {x} {y} {s}: {have:?}, not {want:?}");
            }
        }
        // 3 means nothing, and no other field is modelled.
        for word in [3 << 16, 1, 1 << 24] {
            set(&mut f, &[(BARYC_CNTL, word)]);
            let said = draw_on((&v, &f), Format::Rgba8Unorm, 4).err().map(|t| t.to_string());
            assert!(said.is_some_and(|s| s.contains("SPI_BARYC_CNTL")), "{target}: {word:#x}");
        }
    }
}

/// SPI_PS_INPUT_ENA bit 3, the pull model: I/W, J/W and 1/W at the pixel's centre.
#[test]
fn the_pull_model_gives_what_is_divided_by_w() {
    const ENDS: &str = "
        struct V { @builtin(position) p: vec4f, @location(0) x: f32 }
        @vertex fn vs(@builtin(vertex_index) i: u32) -> V {
            var p = array<vec4f, 3>(vec4f(-1, -1, 0, 1), vec4f(2, -2, 0, 2), vec4f(-4, 4, 0, 4));
            return V(p[i], 0);
        }
        @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(v.x, v.p.xyz); }";
    for target in gcn() {
        let of = |entry: &str| {
            let module = exec::lower(ENDS, entry, &[]).expect("it lowers");
            gpucc::compile_entry(&module, entry, &Options { target, codegen: CodegenOptions::default() })
                .expect("it compiles")
                .container()
                .clone()
        };
        let (v, mut f) = (of("vs"), of("fs"));
        let machine = gpucc_machines::find("gcn").expect("the machine");
        let g = machine.generations.iter().position(|g| *g == target.generation()).expect("its generation");
        let text = "exp mrt0 v0, v1, v2, v0 done vm\ns_endpgm";
        let e = &mut f.entries[0];
        e.code = (machine.assemble)(text, g, gpucc_isa::stage::ALL, false).expect("it assembles");
        // Item 3 has three words.
        e.preloads.retain(|p| p.file == 0);
        e.preloads.extend((0..3).map(|k| Preload {
            file: 1,
            lane: 0,
            index: k,
            source: Source::Family(64 + 12 + u32::from(k)),
        }));
        // SPI_PS_INPUT_ENA, SPI_PS_INPUT_ADDR, SPI_SHADER_COL_FORMAT: 32_ABGR.
        set(&mut f, &[(0x286cc, 8), (0x286d0, 8), (0x28714, 9)]);
        let (surface, _) = draw_on((&v, &f), Format::Rgba32Float, 1).unwrap_or_else(|t| panic!("{target}: {t}"));
        for (x, y) in (0..SIZE * SIZE).map(|k| (k % SIZE, k / SIZE)).filter(|(x, y)| x < y) {
            let (i, j) = ((x as f32 + 0.5) / 16.0, 1.0 - (y as f32 + 0.5) / 16.0);
            let want = [i / 2.0, j / 4.0, (1.0 - i - j) + i / 2.0 + j / 4.0];
            let bytes = surface.sample(x, y, 0);
            let have = [0, 4, 8].map(|k| f32::from_le_bytes([bytes[k], bytes[k + 1], bytes[k + 2], bytes[k + 3]]));
            assert!((0..3).all(|k| (have[k] - want[k]).abs() < 1e-6), "{target}, {x} {y}: {have:?}, not {want:?}");
        }
    }
}
