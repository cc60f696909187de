//! GCN's draws: inputs, outputs and register words in the container, the last export, the pull model.

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::{CodegenOptions, Options, Target};
use gpucc_container::{Container, IoPlace, Preload, Source, Stage};
use gpucc_sim::texture::Format;
use gpucc_tests::exec;

use crate::draws::draw_kit::{SIZE, compile, draw, draw_on, is_near};
use crate::draws::draw_protocol::COUNTED;
use crate::draws::drawing::change_words;

const SILENT: &str = "
    @group(0) @binding(0) var<storage, read_write> n: atomic<u32>;
    @fragment fn fs(v: V) { if (v.p.y < 16.0) { atomicAdd(&n, 1u); } }";

const PLACES: &str = "
    @fragment fn fs(v: V, @builtin(sample_index) s: u32) -> @location(0) vec4f {
        return vec4f(fract(v.p.xy), f32(s) / 3.0, 1);
    }";

fn gcn() -> Vec<Target> {
    exec::targets("all:all").into_iter().filter(|t| t.family() == "gcn").collect()
}

/// The program with words that are changed, and how many were.
fn changed(c: &Container, change: impl Fn(u32) -> Option<u32>) -> (Container, usize) {
    let mut c = c.clone();
    let n = change_words(&mut c.entries[0].code, change);
    (c, n)
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

/// A parameter that the program does not export is a trap, and so is one beyond those that SPI_VS_OUT_CONFIG counts.
#[test]
fn parameters_that_are_not_exported() {
    for target in gcn() {
        let (mut v, f) = (compile(COUNTED, "vs", target, 2), compile(COUNTED, "fs", target, 2));
        let row = v.entries[0].interface.iter_mut().find(|r| matches!(r.at, IoPlace::Location { .. }));
        row.expect("a parameter").index = 14;
        let said = draw(&v, &f).expect_err("there is one parameter").to_string();
        assert!(said.contains("SPI_VS_OUT_CONFIG 0x0: does not fit"), "{target}: {said}");
        set(&mut v, &[(0x286c4, 14 << 1)]);
        let said = draw(&v, &f).expect_err("there is one parameter").to_string();
        assert!(said.contains("was never written"), "{target}: {said}");
    }
}

/// PA_CL_VS_OUT_CNTL and SPI_SHADER_POS_FORMAT fit each other and what is exported: bits 18 and 19 take layer and viewport from the
/// vector of bits 21 and 24, bits 0 to 7 distances from those of bits 22 and 23.
#[test]
fn position_exports_are_what_the_register_words_say() {
    const FORMAT: u32 = 0x2870c;
    const CONTROL: u32 = 0x2881c;
    let (layers, both) = (
        &include_bytes!("../../vulkan/forms/layers.vert.spv")[..],
        &include_bytes!("../../vulkan/forms/choices.vert.spv")[..],
    );
    for target in gcn() {
        let of = |bytes: &[u8]| {
            let module = frontend::load(bytes, Lang::Spirv, &FrontOptions::default()).expect("it loads").module;
            let options = Options { target, codegen: CodegenOptions::default() };
            gpucc::compile_entry(&module, "main", &options).expect("it compiles").container().clone()
        };
        let words = |c: &Container| {
            [FORMAT, CONTROL].map(|r| c.entries[0].state.iter().find(|w| w.register == r).map_or(0, |w| w.value))
        };
        assert_eq!(words(&of(layers)), [0x44, 0x0124_0000], "{target}");
        // The vector, then the distances.
        let c = of(both);
        assert_eq!(words(&c), [0x444, 0x016c_0101], "{target}");
        let rows: Vec<_> = c.entries[0].interface.iter().map(|r| (r.at, r.index, r.lane)).collect();
        for row in [(IoPlace::Layer, 13, 2), (IoPlace::ViewportIndex, 13, 3), (IoPlace::ClipDistance(0), 14, 0)] {
            assert!(rows.contains(&row), "{target}: {rows:?}");
        }
        let (v, f) = (compile(COUNTED, "vs", target, 2), compile(COUNTED, "fs", target, 2));
        let said = |format: u32, control: u32| {
            let mut v = v.clone();
            set(&mut v, &[(FORMAT, format), (CONTROL, control)]);
            draw(&v, &f).expect_err("words that do not fit").to_string()
        };
        for (format, control, why) in [
            (0x44, 0x0124_0000, "ask for export 13"),
            (4, 0x0124_0000, "does not fit 1 position exports"),
            (4, 0x0104_0000, "as a whole"),
            (4, 0x0004_0000, "as a whole"),
            (4, 1 << 16, "as a whole"),
            (4, 1 << 17, "not modelled"),
            (4, 1, "a vector that is off"),
            (0x44, 1 << 22, "ask for export 13"),
        ] {
            let said = said(format, control);
            assert!(said.contains(why), "{target} {format:#x} {control:#x}: {said}");
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
