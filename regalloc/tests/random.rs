//! Random problems of the four register-file shapes: what the allocator answers satisfies the checker, and it answers
//! whenever there is room to spare.

use crate::problems::{Family, gcn, judge, registers, tesla, valhall, vivante};

fn run(f: &Family) {
    let (mut solved, mut full) = (0, 0);
    arbtest::arbtest(|u| {
        let judged = judge(u, f)?;
        (solved, full) = (solved + judged.solved, full + judged.full);
        Ok(())
    })
    .budget_ms(1_500)
    .size_min(300)
    .size_max(4_000);
    assert!(solved > 0, "{}: nothing solved", f.name);
    println!("{}: {solved} solved, {full} out of registers", f.name);
}

#[test]
fn random_valhall() {
    run(&valhall(false));
}

#[test]
fn random_valhall_with_gap() {
    run(&valhall(true));
}

#[test]
fn random_tesla() {
    run(&tesla());
}

#[test]
fn random_gcn() {
    run(&gcn());
}

#[test]
fn random_vivante() {
    run(&vivante(false));
    // Places beside those of others may be behind the end of the file.
    run(&vivante(true));
}

/// The fuzz target takes what is too short, and an input for each shape.
#[test]
fn the_fuzz_target_takes_any_bytes() {
    registers(&[]);
    for shape in 0..6 {
        registers(&[shape]);
        let noise = (0..600u32).map(|k| (k.wrapping_mul(0x9e37_79b9) >> 13) as u8);
        registers(&std::iter::once(shape).chain(noise).collect::<Vec<_>>());
    }
}
