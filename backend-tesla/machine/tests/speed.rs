//! Speed of the machine; run with `--ignored --nocapture`, in release for the figure that counts.

#[test]
#[ignore = "a measurement"]
fn lane_instructions_per_second() {
    let listing = "
    and b32 $r1 $r0 0xffff
    shl b32 $r1 $r1 0x2
    mov b32 $r2 0x0
    mov b32 $r3 0x7530
    mov b32 $r5 0x3f800000
    mov b32 $r6 0x3f000000
    mov b32 $r7 0x1
    breakaddr Lexit
Lhead:
    set $c0 # ge u32 $r2 $r3
    (lg $c0) break
    add f32 $r5 (mul $r5 $r6) $r6
    add b32 $r2 $r2 $r7
    xor b32 $r8 $r2 $r1
    add rn f32 $r5 $r5 $r6
    ld b32 $r9 g0[$r1]
    add $r8 (mul u24 $r2 $r7) $r8
    bra Lhead
Lexit:
    st b32 g0[$r1] $r5
    exit nop
";
    let c = crate::common::container("nva3", crate::common::code("nva3", listing), [256, 1, 1], 1);
    let mut d = gpucc_sim::Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0; 256]);
    let start = std::time::Instant::now();
    let report = gpucc_tesla_machine::run(&c, None, &mut d, &gpucc_sim::RunOptions::default()).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{} lane instructions in {seconds:.2} s: {:.1} million a second",
        report.lane_instructions,
        report.lane_instructions as f64 / seconds / 1e6
    );
}
