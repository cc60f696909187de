//! Image instructions beyond their rows: dimensions, formats, packing, quads, descriptors. Numbers from section 12 of the ISA
//! reference and the examples of the graphics reference.

use crate::image_kit::{BASE, Shot, all, by, f, linear, nearest, pyramid};

/// T# of an image of r32uint texels whose rows are 64 bytes: TYPE, width, height, and words 4 and 5.
fn r32uint(kind: u32, w: u32, h: u32, word4: u32, word5: u32) -> [u32; 8] {
    [
        BASE,
        0x1040_0000,
        0x4000_0000 | (h - 1) << 14 | (w - 1),
        kind << 28 | 0x0080_0204,
        0x0001_e000 | word4,
        word5,
        0,
        0,
    ]
}

/// Words that count up, so that a texel tells its place.
fn counting(words: u32) -> Vec<u8> {
    (0..words).flat_map(u32::to_le_bytes).collect()
}

fn load(g: u8, flags: &str, words: [u32; 8], texels: &[u8], at: &[u32]) -> u32 {
    let at: Vec<_> = at.iter().map(|&w| all(w)).collect();
    Shot::new(g, "image_load", &format!("dmask:0x1 unorm {flags}"), words, texels).at(&at).first()[0]
}

#[test]
fn loads_of_each_dimension_find_their_texel() {
    let t = counting(64 * 13);
    for g in 0..3 {
        // 1D: 4 texels.
        assert_eq!(load(g, "", r32uint(8, 4, 1, 0, 0), &t, &[3]), 3);
        assert_eq!(load(g, "", r32uint(8, 4, 1, 0, 0), &t, &[4]), 0);
        // 1D array of 3: a layer of 16 texels takes 64 bytes, rounded up to 256.
        assert_eq!(load(g, "da", r32uint(12, 4, 1, 2, 2 << 13), &t, &[3, 2]), 2 * 64 + 3);
        // 2D array of 5, view of layers 1 to 3: the shader counts from 0, layer 3 is out of range.
        let array = r32uint(13, 4, 4, 4, 1 | 3 << 13);
        assert_eq!(load(g, "da", array, &t, &[1, 2, 0]), 64 + 2 * 16 + 1);
        assert_eq!(load(g, "da", array, &t, &[1, 2, 2]), 3 * 64 + 2 * 16 + 1);
        assert_eq!(load(g, "da", array, &t, &[1, 2, 3]), 0);
        assert_eq!(load(g, "da", array, &t, &[1, 2, u32::MAX]), 0);
        // Without da the first layer of the view.
        assert_eq!(load(g, "", array, &t, &[1, 2]), 64 + 2 * 16 + 1);
        // 3D 4x4x3, with and without da.
        let volume = r32uint(10, 4, 4, 2, 0);
        for flags in ["", "da"] {
            assert_eq!(load(g, flags, volume, &t, &[1, 2, 2]), 2 * 64 + 2 * 16 + 1);
            assert_eq!(load(g, flags, volume, &t, &[1, 2, 3]), 0);
        }
        // Cube array of two cubes: a load counts layers.
        let cube = r32uint(11, 4, 4, 1, 11 << 13);
        assert_eq!(load(g, "da", cube, &t, &[1, 2, 7]), 7 * 64 + 2 * 16 + 1);
        // 4 samples of 4x4: those of a pixel lie together, x y sample; an array of two adds the slice before.
        let samples = [BASE, 0x1040_0000, 0x4000_c003, 0xe082_0204, 0x0001_e000, 0, 0, 0];
        assert_eq!(load(g, "", samples, &t, &[1, 2, 3]), (2 * 16 + 1) * 4 + 3);
        assert_eq!(load(g, "", samples, &t, &[1, 2, 4]), 0);
        let array = [BASE, 0x1040_0000, 0x4000_c003, 0xf082_0204, 0x0001_e001, 1 << 13, 0, 0];
        assert_eq!(load(g, "da", array, &t, &[1, 2, 1, 3]), 4 * 64 + (2 * 16 + 1) * 4 + 3);
        // A null descriptor gives zeros.
        assert_eq!(load(g, "", [0; 8], &t, &[1, 2]), 0);
    }
}

#[test]
fn levels_lie_behind_each_other() {
    // r32uint 20x6, three levels, pitch 32: 32x6 texels are 768 bytes; level 1 has rows of 16 (10 and 3 used): 192 bytes, 256 with
    // what rounds it up; level 2 behind it.
    let mut words = r32uint(9, 20, 6, 0, 0);
    words[3] |= 0x0202_0000;
    words[4] = 31 << 13;
    let t = counting(192 + 64 + 64);
    for g in 0..3 {
        let at = |x: u32, y: u32, l: u32| {
            let at = [all(x), all(y), all(l)];
            Shot::new(g, "image_load_mip", "dmask:0x1 unorm", words, &t).at(&at).first()[0]
        };
        assert_eq!(at(19, 5, 0), 5 * 32 + 19);
        assert_eq!(at(9, 2, 1), 192 + 2 * 16 + 9);
        assert_eq!(at(10, 2, 1), 0);
        assert_eq!(at(4, 0, 2), 192 + 64 + 4);
        // A view of levels 1 to 2: level 0 of the view is level 1.
        let mut view = words;
        view[3] |= 0x1000;
        let at = [all(9), all(2), all(0)];
        let shot = Shot::new(g, "image_load_mip", "dmask:0x1 unorm", view, &t).at(&at);
        assert_eq!(shot.first()[0], 192 + 2 * 16 + 9);
        let size = Shot::new(g, "image_get_resinfo", "dmask:0xf", view, &t).at(&[all(1)]).width(4);
        assert_eq!(size.first(), [5, 1, 1, 2]);
    }
}

#[test]
fn components_are_selected_and_packed() {
    let texel = [1u8, 2, 3, 4];
    // rgba8uint and bgra8: DST_SEL 6, 5, 4, 7.
    let words = [BASE, 0x10a0_0000, 0x4000_0000, 0x9080_0fac, 0x0001_e000, 0, 0, 0];
    let mut bgra = words;
    bgra[3] = 0x9080_0f2e;
    for g in 0..3 {
        let load = |flags: &str, words, width| {
            Shot::new(g, "image_load", flags, words, &texel).at(&[all(0), all(0)]).width(width).first()
        };
        assert_eq!(load("dmask:0xf unorm", words, 4), [1, 2, 3, 4]);
        assert_eq!(load("dmask:0xf unorm", bgra, 4), [3, 2, 1, 4]);
        // DMASK 0xA gives green, then alpha, and leaves the other registers alone.
        assert_eq!(load("dmask:0xa unorm", words, 2), [2, 4, 0, 0]);
        // The status of TFE comes behind the data.
        let shot = Shot::new(g, "image_load", "dmask:0x5 unorm tfe", words, &texel).at(&[all(0), all(0)]).width(3);
        let mut shot = shot;
        shot.data = vec![all(9), all(9), all(9), all(9)];
        assert_eq!(shot.first(), [1, 3, 0, 9]);
        // A store puts each component where a load would take it from.
        let mut store = Shot::new(g, "image_store", "dmask:0xf unorm", bgra, &texel).at(&[all(0), all(0)]).width(4);
        store = store.data(&[all(30), all(20), all(10), all(40)]);
        store.exec = 1;
        assert_eq!(store.run().unwrap().texels, [10, 20, 30, 40]);
    }
}

#[test]
fn formats_decode_as_the_tables_say() {
    let cases: [(u32, u32, u32, [f32; 4]); 12] = [
        // 9/0: rgb10a2unorm; 6/7: rg11b10ufloat (1.0 is 3c0, 3c0, 1e0); 34/7: rgb9e5 (1, 2, 0.5 with exponent 17).
        (0x00900000, 0xc00f_fc00, 0xfac, [0.0, 1.0, 0.0, 1.0]),
        (0x1c600000, 0x3c0 | 0x3c0 << 11 | 0x1e0 << 22, 0x3ac, [1.0, 1.0, 1.0, 1.0]),
        (0x1e200000, 0x80 | 0x100 << 9 | 0x40 << 18 | 17 << 27, 0x3ac, [1.0, 2.0, 0.5, 1.0]),
        // 10/9: sRGB code 255 is 1, alpha is linear: 51 / 255.
        (0x24a00000, 0x3300_00ff, 0xfac, [1.0, 0.0, 0.0, 0.2]),
        // 10/1: snorm 0x80 and 0x81 are both -1; 10/2 and 10/3 scaled.
        (0x04a00000, 0x7f00_8180, 0xfac, [-1.0, -1.0, 0.0, 1.0]),
        (0x08a00000, 0xff00_0180, 0xfac, [128.0, 1.0, 0.0, 255.0]),
        (0x0ca00000, 0xff00_0180, 0xfac, [-128.0, 1.0, 0.0, -1.0]),
        // 5/7: two halves, 1.5 and -2.
        (0x1c500000, 0xc000_3e00, 0x22c, [1.5, -2.0, 0.0, 1.0]),
        // 16/0: 5_6_5 from the low bits: 31, 0, 31. 19/0: 4_4_4_4. 20/0: 24 bits of depth below 8 of stencil.
        (0x01000000, 0xf81f, 0x3ac, [1.0, 0.0, 1.0, 1.0]),
        (0x01300000, 0xf0f3, 0xfac, [0.2, 1.0, 0.0, 1.0]),
        (0x01400000, 0x55ff_ffff, 0x204, [1.0, 0.0, 0.0, 1.0]),
        // 18/0: 5_5_5_1, alpha in the lowest bit; selected as it lies.
        (0x01200000, 0xf801, 0xfac, [1.0, 0.0, 0.0, 1.0]),
    ];
    for (word1, texel, select, want) in cases {
        // 16-bit texels have 32 in a row of 64 bytes.
        let pitch = if matches!(word1 >> 20 & 63, 16 | 18 | 19) { 31 } else { 15 };
        let words = [BASE, word1, 0x4000_0000, 0x9080_0000 | select, pitch << 13, 0, 0, 0];
        for g in 0..3 {
            let shot = Shot::new(g, "image_load", "dmask:0xf unorm", words, &u32::to_le_bytes(texel));
            assert_eq!(shot.at(&[all(0), all(0)]).width(4).floats(), want, "{word1:x} on gfx{}", 6 + g);
        }
    }
}

#[test]
fn halves_are_unpacked_on_gfx8() {
    let words = [BASE, 0x00a0_0000, 0x4000_0000, 0x9080_0fac, 0x0001_e000, 0, 0, 0];
    let texel = [255, 0, 51, 255];
    let shot = Shot::new(2, "image_load", "dmask:0xf unorm d16", words, &texel).at(&[all(0), all(0)]).width(4);
    assert_eq!(shot.first(), [0x3c00, 0, 0x3266, 0x3c00]);
    let mut shot = Shot::new(2, "image_store", "dmask:0xf unorm d16", words, &texel).at(&[all(0), all(0)]).width(4);
    shot = shot.data(&[all(0x3c00), all(0x3800), all(0), all(0x3c00)]);
    shot.exec = 1;
    assert_eq!(shot.run().unwrap().texels, [255, 128, 0, 255]);
}

#[test]
fn linear_filters_have_eight_bits() {
    let (words, texels) = pyramid();
    for g in 0..3 {
        let at = |x: f32, y: f32, level: f32| {
            let mut shot = Shot::new(g, "image_sample_l", "dmask:0x1", words, &texels).at(&[f(x), f(y), f(level)]);
            shot.sampler = linear(g);
            shot.floats()[0]
        };
        // u = 0.5 * 4 - 0.5 = 1.5: between texels 1 and 2; the same downwards: 10 * 1.5 + 1.5.
        assert_eq!(at(0.5, 0.5, 0.0), 16.5);
        // A weight of 1/512 rounds to even, 0 of 256.
        assert_eq!(at(0.375 + 1.0 / 2048.0, 0.375, 0.0), 11.0);
        assert_eq!(at(0.375 + 3.0 / 2048.0, 0.375, 0.0), 11.0 + 2.0 / 256.0);
        // Between levels: texel 0 of level 0 repeats around; 1.5 levels in the middle of level 1 and 2.
        assert_eq!(at(0.5, 0.5, 1.5), 0.5 * (100.0 + 5.5) + 0.5 * 200.0);
    }
}

#[test]
fn point_sampling_truncates_or_rounds() {
    let (words, texels) = pyramid();
    // u = 1.9995: truncated it is texel 1, rounded to 1/256 texel 2.
    for (bit, want) in [(1 << 27, 1.0), (0, 2.0)] {
        let mut shot = Shot::new(2, "image_sample_lz", "dmask:0x1", words, &texels).at(&[f(1.9995 / 4.0), f(0.0)]);
        shot.sampler[0] = shot.sampler[0] & !(1 << 27) | bit;
        assert_eq!(shot.floats()[0], want);
    }
}

#[test]
fn layers_round_to_even_and_stay_inside_the_view() {
    let t = counting(64 * 5);
    // 2D array of 5, view of layers 1 to 3.
    let array = r32uint(13, 4, 4, 4, 1 | 3 << 13);
    for g in 0..3 {
        for (slice, layer) in [(0.5, 1), (1.5, 3), (-3.0, 1), (9.0, 3), (f32::NAN, 1)] {
            let at = [f(0.0), f(0.0), f(slice)];
            let shot = Shot::new(g, "image_sample_lz", "dmask:0x1 da", array, &t).at(&at);
            assert_eq!(shot.first()[0], 64 * layer, "{slice}");
        }
    }
}

#[test]
fn cubes_take_face_coordinates_from_1_to_2() {
    // Two cubes of 4x4.
    let cube = r32uint(11, 4, 4, 1, 11 << 13);
    let t = counting(64 * 12);
    for g in 0..3 {
        for (s, t_, face, want) in
            [(1.0, 1.0, 0.0, 0), (1.99, 1.3, 3.0, 3 * 64 + 16 + 3), (1.5, 1.5, 8.0 + 4.0, 10 * 64 + 34)]
        {
            let at = [f(s), f(t_), f(face)];
            let shot = Shot::new(g, "image_sample_lz", "dmask:0x1 da", cube, &t).at(&at);
            assert_eq!(shot.first()[0], want);
        }
        let shot = Shot::new(g, "image_sample_lz", "dmask:0x1", cube, &t).at(&[f(1.0), f(1.0)]);
        assert!(shot.trap().contains("da"));
    }
}

#[test]
fn coordinates_may_be_texels() {
    let (words, texels) = pyramid();
    for g in 0..3 {
        let at = [f(2.5), f(1.5)];
        let shot = Shot::new(g, "image_sample_lz", "dmask:0x1 unorm", words, &texels).at(&at);
        assert_eq!(shot.floats()[0], 12.0);
        let mut shot = Shot::new(g, "image_sample_lz", "dmask:0x1", words, &texels).at(&at);
        shot.sampler[0] |= 1 << 15;
        assert_eq!(shot.floats()[0], 12.0);
    }
}

#[test]
fn gathers_of_integers_lack_the_half_texel() {
    let t = counting(64);
    let words = r32uint(9, 4, 4, 0, 0);
    for g in 0..3 {
        // u = v = 1.25: floats would begin at texel 0, integers begin at 1.
        let at = [f(1.25 / 4.0), f(1.25 / 4.0)];
        let shot = Shot::new(g, "image_gather4_lz", "dmask:0x1", words, &t).at(&at).width(4);
        assert_eq!(shot.first(), [33, 34, 18, 17]);
    }
}

#[test]
fn gathers_near_a_border_depend_on_truncation() {
    let (words, texels) = pyramid();
    // u - 0.5 = 1 - 1/1024 is 0 truncated, 1 rounded to 1/256.
    for (bit, want) in [(1 << 27, 1.0), (0, 2.0)] {
        let at = [f((1.5 - 1.0 / 1024.0) / 4.0), f(0.375)];
        let mut shot = Shot::new(2, "image_gather4_lz", "dmask:0x1", words, &texels).at(&at).width(4);
        shot.sampler[0] = shot.sampler[0] & !(1 << 27) | bit;
        assert_eq!(shot.floats()[2], 10.0 + want);
    }
}

#[test]
fn implicit_levels_read_whole_quads() {
    let (words, texels) = pyramid();
    let at = [by(|l| (0.5 * (l & 1) as f32).to_bits()), by(|_| 0)];
    for g in 0..3 {
        // Lane 0 alone samples; its level comes from lane 1: two texels further, level 1.
        let mut shot = Shot::new(g, "image_sample", "dmask:0x1", words, &texels).at(&at);
        shot.exec = 1;
        let out = shot.run().unwrap();
        assert_eq!((f32::from_bits(out.v[0][0]), out.v[0][1]), (100.0, 0));
        // A lane of the quad that left before may hold anything; one that samples may not.
        shot.written = 0b1101;
        assert!(shot.run().is_ok());
        shot.written = 0b1110;
        let said = shot.trap();
        assert!(said.contains("never written") && said.contains("lane 0"), "{said}");
        // Quads without an active lane do not matter, nor do other lanes where the level is given.
        shot.written = 0b1111;
        assert!(shot.run().is_ok());
        shot.name = "image_sample_lz".into();
        shot.written = 1;
        assert!(shot.run().is_ok());
    }
}

/// The level of detail of section 2.7 of the texturing reference, for `image_get_lod`: that which is taken, and lambda before
/// clamps.
#[test]
fn levels_of_detail_are_answered() {
    let (words, texels) = pyramid();
    // Steps to the right and downwards in texels of level 0 (4x4), least and greatest level of the sampler in 1/256, and what
    // comes of it: rho is the longer step, lambda its logarithm, of which 8 bits behind the point are taken inside the three levels.
    type Case = ([f32; 2], [f32; 2], [u32; 2], [f32; 2]);
    let whole = [0, 15 << 8];
    let cases: [Case; 10] = [
        ([2.0, 0.0], [0.0, 1.0], whole, [1.0, 1.0]),
        ([0.5, 0.0], [0.0, 2.0], whole, [1.0, 1.0]),
        // 1.5, 2: the root of the sum of squares is 2.5, log2 1.3219281, 338.4 of 256.
        ([1.5, 2.0], [0.0, 1.0], whole, [338.0 / 256.0, 1.321_928_1]),
        ([0.25, 0.0], [0.0, 0.25], whole, [0.0, -2.0]),
        ([16.0, 0.0], [0.0, 1.0], whole, [2.0, 4.0]),
        ([-2.0, 0.0], [0.0, 1.0], [384, 15 << 8], [1.5, 1.0]),
        ([4.0, 0.0], [0.0, 1.0], [0, 64], [0.25, 2.0]),
        // Beyond the last level, whatever the sampler allows.
        ([2.0, 0.0], [0.0, 1.0], [3 << 8, 15 << 8], [2.0, 1.0]),
        ([0.0, 0.0], [0.0, 0.0], whole, [0.0, f32::NEG_INFINITY]),
        ([f32::NAN, 0.0], [0.0, 1.0], whole, [0.0, f32::NEG_INFINITY]),
    ];
    for g in 0..3 {
        for (dx, dy, [least, greatest], want) in cases {
            let coordinate = |k: usize| {
                by(move |l| {
                    let right = if l & 1 == 1 { dx[k] } else { 0.0 };
                    let down = if l >> 1 & 1 == 1 { dy[k] } else { 0.0 };
                    ((right + down) / 4.0).to_bits()
                })
            };
            let at = [coordinate(0), coordinate(1)];
            let mut shot = Shot::new(g, "image_get_lod", "dmask:0x3", words, &texels).at(&at).width(2);
            shot.sampler = linear(g);
            shot.sampler[1] = least | greatest << 12;
            let out = shot.run().unwrap();
            for lane in 0..64 {
                assert_eq!([0, 1].map(|k| f32::from_bits(out.v[k][lane])), want, "gfx{} {dx:?} {dy:?}", 6 + g);
            }
        }
        // Each component alone; a sampler that takes the nearest level takes a whole one: 1.3219 is nearest to 1.
        let at = [by(|l| (0.375 * (l & 1) as f32).to_bits()), by(|l| (0.5 * (l & 1) as f32).to_bits())];
        for (dmask, want) in [("dmask:0x1", 1.0), ("dmask:0x2", 1.321_928_1f32)] {
            let mut shot = Shot::new(g, "image_get_lod", dmask, words, &texels).at(&at);
            // MIP_FILTER point.
            shot.sampler[2] = linear(g)[2] & !(3 << 26) | 1 << 26;
            assert_eq!(shot.floats()[0], want, "gfx{} {dmask}", 6 + g);
        }
        // Neither slice nor face counts: level 1 in each layer of an array, and on a face of a cube, whose size is that of a face.
        let t = counting(64 * 6);
        for (kind, flags, last) in [(13u32, "dmask:0x2 da", 5u32 << 13), (11, "dmask:0x2 da", 5 << 13)] {
            let word4 = if kind == 11 { 0 } else { 5 };
            let base = if kind == 11 { 1.0 } else { 0.0 };
            let x = by(move |l| (base + 0.5 * (l & 1) as f32).to_bits());
            let at = [x, f(base), by(|l| ((l & 3) as f32).to_bits())];
            let shot = Shot::new(g, "image_get_lod", flags, r32uint(kind, 4, 4, word4, last), &t).at(&at);
            assert_eq!(shot.floats()[0], 1.0, "gfx{} {kind}", 6 + g);
        }
        // 1D: one coordinate. 3D: three, and the third is the longest way.
        let line = Shot::new(g, "image_get_lod", "dmask:0x2", r32uint(8, 4, 1, 0, 0), &t);
        assert_eq!(line.at(&[by(|l| (0.5 * (l & 1) as f32).to_bits())]).floats()[0], 1.0);
        let third = by(|l| (0.5 * (l >> 1 & 1) as f32).to_bits());
        let volume = Shot::new(g, "image_get_lod", "dmask:0x2", r32uint(10, 4, 4, 3, 0), &t);
        assert_eq!(volume.at(&[f(0.0), f(0.0), third]).floats()[0], 1.0);
    }
}

#[test]
fn results_are_poison_until_waited_for() {
    let (words, texels) = pyramid();
    let mut shot = Shot::new(2, "image_sample_lz", "dmask:0x1", words, &texels).at(&[f(0.0), f(0.0)]);
    shot.before_wait = "v_add_f32_e32 v21, v20, v20\n".into();
    assert!(shot.trap().starts_with("poison"));
    // gfx6 reads the data of stores late.
    for g in 0..3 {
        let (words, texels) = pyramid();
        let mut shot = Shot::new(g, "image_store", "dmask:0x1 unorm", words, &texels).at(&[all(0), all(0)]);
        shot.data = vec![f(1.0)];
        shot.exec = 1;
        shot.before_wait = "v_mov_b32_e32 v20, 0\n".into();
        if g == 0 { assert!(shot.trap().contains("expcnt")) } else { assert!(shot.run().is_ok()) }
    }
}

#[test]
fn null_descriptors_and_small_descriptors() {
    let (words, texels) = pyramid();
    for g in 0..3 {
        let at = [f(0.9), f(0.9)];
        let shot = Shot::new(g, "image_sample_lz", "dmask:0x1", [0; 8], &texels).at(&at);
        assert_eq!(shot.first()[0], 0);
        // Four words alone: the pitch is the width, rounded up to 64 bytes. What lies behind is not looked at.
        let mut small = words;
        small[3] = 0x9080_0204;
        small[4..].fill(u32::MAX);
        let shot = Shot::new(g, "image_sample_lz", "dmask:0x1 r128", small, &texels).at(&at);
        assert_eq!(shot.floats()[0], 33.0);
    }
}

#[test]
fn atomics_of_64_bits_and_out_of_range() {
    // rg32uint: 11/4.
    let words = [BASE, 0x10b0_0000, 0x4000_0001, 0x9080_022c, 0x0000_e000, 0, 0, 0];
    let texels: Vec<u8> = [1u64, 5].iter().flat_map(|w| w.to_le_bytes()).collect();
    for g in 0..3 {
        let mut shot = Shot::new(g, "image_atomic_add", "dmask:0x3 unorm glc", words, &texels).at(&[all(1), all(0)]);
        shot = shot.width(2).data(&[all(0xffff_ffff), all(1)]);
        shot.exec = 1;
        let out = shot.run().unwrap();
        assert_eq!((out.v[0][0], out.v[1][0]), (5, 0));
        assert_eq!(u64::from_le_bytes(out.texels[8..16].try_into().unwrap()), 5 + 0x1_ffff_ffff);
        shot.address = vec![all(2), all(0)];
        let out = shot.run().unwrap();
        assert_eq!((out.v[0][0], out.texels), (0, texels.clone()));
        shot.flags = "dmask:0x1 unorm glc".into();
        shot.width = 1;
        assert!(shot.trap().contains("texels of 8"));
    }
}

#[test]
fn reserved_fields_are_named() {
    let (words, texels) = pyramid();
    let texture = |g: u8, word: usize, bits: u32| {
        let mut words = words;
        words[word] ^= bits;
        Shot::new(g, "image_sample_lz", "dmask:0x1", words, &texels).at(&[f(0.0), f(0.0)]).trap()
    };
    for g in 0..3 {
        for (word, bits, name) in [
            // 4/7 to 0/7; 4/7 to 4/15.
            (1, 4 << 20, "DATA_FORMAT"),
            (1, 8 << 26, "NUM_FORMAT"),
            (2, 1 << 31, "INTERLACED"),
            // 4 to 2.
            (3, 6, "DST_SEL_X"),
            (3, 3 << 12, "BASE_LEVEL"),
            (3, 1 << 16, "LAST_LEVEL"),
            (3, 1 << 21, "TILING_INDEX"),
            (3, 1 << 27, "ATC"),
            (3, 8 << 28, "TYPE"),
            (4, 1, "DEPTH"),
            (4, 8 << 13, "PITCH"),
            (4, 1 << 27, "word 4"),
            (5, 1, "BASE_ARRAY"),
            (5, 1 << 13, "LAST_ARRAY"),
            (5, 1 << 26, "word 5"),
            (6, 1, "MIN_LOD_WARN"),
            (6, 1 << 20, "LOD_HDW_CNT_EN"),
            (6, 1 << 21, if g == 2 { "COMPRESSION_EN" } else { "word 6" }),
            (7, 1, if g == 2 { "META_DATA_ADDRESS" } else { "word 7" }),
        ] {
            let said = texture(g, word, bits);
            assert!(said.contains(name), "{name}: {said}");
        }
        for (word, bits, name) in [
            (0, 6, "CLAMP_X"),
            (0, 1 << 9, "MAX_ANISO_RATIO"),
            (0, 1 << 19, "MC_COORD_TRUNC"),
            (0, 1 << 29, "FILTER_MODE"),
            (2, 1 << 14, "LOD_BIAS_SEC"),
            (2, 1 << 24, "Z_FILTER"),
            (2, 1 << 27, "MIP_FILTER"),
            (2, 1 << 30, "FILTER_PREC_FIX"),
            (3, 1, "BORDER_COLOR_PTR"),
            (3, 1 << 12, "word 3"),
        ] {
            let mut shot = Shot::new(g, "image_sample_lz", "dmask:0x1", words, &texels).at(&[f(0.0), f(0.0)]);
            shot.sampler = nearest(g);
            shot.sampler[word] ^= bits;
            let said = shot.trap();
            assert!(said.contains(name), "{name}: {said}");
        }
    }
    // On gfx6 MTYPE does not exist.
    assert!(texture(0, 1, 1 << 30).contains("MTYPE"));
    assert!(texture(2, 1, 1 << 30).contains("MTYPE"));
}
