//! Tests of `backend-X/profile`.

use gpucc_sim::SplitMix64;
use gpucc_tesla_machine::math as tesla;
use gpucc_tesla_profile::sfu;

/// Two programs from one reference: the machine's and the profile's give the same bits.
#[test]
fn tesla_approximations_are_the_references() {
    let mut random = SplitMix64::new(1);
    let special = [0, 1 << 31, 1, 0x007f_ffff, 0x0080_0000, 0x3f80_0000, 0x7f7f_ffff, 0x7f80_0000, 0xff80_0000];
    let near = (0..4096u32).map(|n| 0x3f80_0000 - 2048 + n);
    let list: Vec<u32> = special
        .into_iter()
        .chain([0x7fc0_0000, 0xbf80_0000, 0x4000_0000, 0xc2fe_0000, 0x42fe_0000, 0x4300_0000])
        .chain(near)
        // Any bits, and arguments of everyday size.
        .chain((0..400_000).map(|n| match random.next_u32() {
            x if n % 2 == 0 => x,
            x => x & 0x83ff_ffff | 0x3c00_0000,
        }))
        .collect();
    for pair in list.windows(3) {
        let &[x, y, z] = pair else { continue };
        let same = |what: &str, ours: u32, machine: u32| {
            let nan = f32::from_bits(ours).is_nan() && f32::from_bits(machine).is_nan();
            assert!(ours == machine || nan, "{what} of {x:#x} {y:#x} {z:#x}: {ours:#x}, the machine {machine:#x}");
        };
        same("rcp", sfu::rcp(x), tesla::rcp(x));
        same("rsqrt", sfu::rsqrt(x), tesla::rsqrt(x));
        same("lg2", sfu::lg2(x), tesla::lg2(x));
        same("preex2", sfu::preex2(x), tesla::preex2(x));
        same("presin", sfu::presin(x), tesla::presin(x));
        same("ex2", sfu::ex2(sfu::preex2(x)), tesla::ex2(tesla::preex2(x)));
        same("sin", sfu::sin(sfu::presin(x)), tesla::sin(tesla::presin(x)));
        same("cos", sfu::cos(sfu::presin(x)), tesla::cos(tesla::presin(x)));
        let [a, b, c] = [x, y, z].map(f32::from_bits);
        same("mad", sfu::mad(a, b, c).to_bits(), tesla::mad(x, y, z, false));
    }
}

/// Names of generations stand in the machine; the profile knows each by its name, and no other.
#[test]
fn every_generation_has_a_profile() {
    for m in gpucc_machines::MACHINES {
        for g in 0..m.generations.len() {
            assert!((m.profile)(g).subgroup_size > 0, "{} {}", m.family, m.generations[g]);
        }
    }
    for strange in ["", "gfx9", "nv40", "v11", "gc880", "GFX8"] {
        assert!(gpucc_gcn_profile::profile(strange).is_none(), "{strange}");
        assert!(gpucc_tesla_profile::profile(strange).is_none(), "{strange}");
        assert!(gpucc_valhall_profile::profile(strange).is_none(), "{strange}");
        assert!(gpucc_vivante_profile::profile(strange).is_none(), "{strange}");
    }
}
