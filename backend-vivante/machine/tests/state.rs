//! One changed bit of a word that hardware reads changes a picture, or traps: registers of a draw, of a unit, a descriptor, a texel fetch.

use gpucc_sim::TrapKind;

use crate::kit::{Flip, GC2000, GC7000, SIZE, Shot, Texture};

/// Column i reads level i, at coordinates that go from outside of the texture to outside; the varying is added.
fn picture(generation: u8) -> String {
    let level = if generation == GC7000 { "t3.wwww" } else { "void" };
    format!(
        "mad t3.x___, t0.yyyy, u0.xxxx, u0.yyyy
        mad t3._y__, t0.yyyy, -u0.xxxx, u0.wwww
        add t3.___w, t0.xxxx, void, u0.zzzz
        texldl t2, tex0.xyzw, t3.xyzw, {level}, void
        add t10, t2.xyzw, void, t1.xyzw"
    )
}

/// The words that a draw on a chip reads.
fn words(shot: &Shot<'_>) -> Vec<Flip> {
    let registers = shot.registers().into_iter().flat_map(|(a, _)| (0..32).map(move |b| Flip::Register(a, b)));
    let units = (0..32).flat_map(|w| (0..32).map(move |b| Flip::Unit(w, b)));
    let descriptor = (0..64).flat_map(|w| (0..32).map(move |b| Flip::Descriptor(w, b)));
    registers.chain(units).chain(descriptor.filter(|_| shot.generation == GC7000)).collect()
}

#[test]
fn a_changed_bit_of_a_state_word_shows() {
    let texture = Texture::numbers(2, false, 1);
    for g in GC2000..=GC7000 {
        let text = picture(g);
        let u = vec![[0.5, -0.6, -0.5, 1.45].map(f32::to_bits)];
        let plain = Shot { texture: Some(&texture), u, ..Shot::new(g, &text) };
        let want = plain.draw().unwrap_or_else(|t| panic!("{t}"));
        assert_eq!(want.len() as u32, SIZE * SIZE);
        let all = words(&plain);
        let silent: Vec<Flip> = all
            .iter()
            .copied()
            .filter(|&f| Shot { flip: Some(f), ..plain.clone() }.draw().is_ok_and(|have| have == want))
            .collect();
        println!("chip {g}: {} of {} are noticed", all.len() - silent.len(), all.len());
        assert!(10 * silent.len() <= all.len(), "{} of {} changes are silent: {silent:x?}", silent.len(), all.len());
        let of = |list: &[Flip]| list.iter().filter(|f| matches!(f, Flip::Register(..))).count();
        assert!(10 * of(&silent) <= of(&all), "changes of registers are silent: {silent:x?}");
    }
}

#[test]
fn a_changed_bit_of_a_texel_fetch_shows() {
    // Column, row and layer as integers, and levels that differ by component.
    let fetch = "txf t10, tex0.xyzw, t3.xyzw, t4.xxxx, 4352";
    let text = format!(
        "f2i.s32 t3.xy__, t0.xyyy, void, void
        and.u32 t3.__z_, t3.xxxx, void, 1
        add.s32 t3.___w, t3.xxxx, void, 2
        i2f.s32 t4.xy_w, t3.zwwx, void, void
        add t4.__z_, t4.xxxx, void, 1.0
        {fetch}
        add t10, t10.xyzw, void, t1.xyzw"
    );
    let texture = Texture::numbers(3, true, 3);
    let plain = Shot { texture: Some(&texture), ..Shot::new(GC7000, &text) };
    let want = plain.draw().unwrap_or_else(|t| panic!("{t}"));
    let silent: Vec<u32> = (0..128)
        .filter(|&b| Shot { flip: Some(Flip::Code(5, b)), ..plain.clone() }.draw().is_ok_and(|have| have == want))
        .collect();
    println!("{} of 128 are noticed", 128 - silent.len());
    assert!(5 * silent.len() <= 128, "{} of 128 changes are silent: {silent:?}", silent.len());
}

/// Memory of invocations in a damaged container is refused before it is taken, in either stage; the largest that is possible is there.
#[test]
fn memory_of_invocations_is_bounded() {
    for g in GC2000..=GC7000 {
        let plain = Shot::new(g, "mov t10, void, void, t1.xyzw");
        let want = plain.draw().unwrap_or_else(|t| panic!("{t}"));
        for stage in 0..2 {
            let with = |bytes: u32| {
                let mut shot = plain.clone();
                shot.scratch[stage] = bytes;
                shot.draw()
            };
            assert_eq!(with(8192).unwrap_or_else(|t| panic!("{t}")), want);
            for bytes in [8193, 8196, 0x1_0000, 0x0100_0000, u32::MAX - 3, u32::MAX] {
                let t = with(bytes).expect_err("more than 8 KiB");
                let message = format!("{bytes} bytes of scratch in a draw");
                assert!(t.kind == TrapKind::Container && t.message.contains(&message), "{stage} {bytes}: {t}");
            }
        }
    }
}
