//! The state words of a draw (`graphics-vivante.md` 1): each field that counts, and a trap for each bit that may not be set.

use gpucc_isa::fail_if;
use gpucc_sim::draw::Mode;
use gpucc_sim::{Registers, Trap, trap::bad_container};

/// State words by address (`graphics-vivante.md` 1).
pub mod reg {
    /// Space of all of them.
    pub const SPACE: u16 = 0;
    /// Outputs of the vertex program.
    pub const VS_OUTPUT_COUNT: u32 = 0x0804;
    /// Inputs of it, and whether ids are one.
    pub const VS_INPUT_COUNT: u32 = 0x0808;
    /// Temporaries of the vertex program.
    pub const VS_TEMPS: u32 = 0x080c;
    /// Temporaries of its outputs.
    pub const VS_OUTPUT: u32 = 0x0810;
    /// Temporaries of its inputs.
    pub const VS_INPUT: u32 = 0x0820;
    /// The same from HALTI5 on.
    pub const VS_HALTI5_OUTPUT: u32 = 0x08e0;
    /// The same from HALTI5 on.
    pub const VS_HALTI5_INPUT: u32 = 0x08c0;
    /// Where the numbers of vertex and instance go, from HALTI5 on.
    pub const VS_ID_CONFIG: u32 = 0x07c4;
    /// Number of varyings between the stages.
    pub const VARYINGS: u32 = 0x0a30;
    /// Components of all of them, an even number.
    pub const VARYING_TOTAL: u32 = 0x381c;
    /// RA_CONTROL of the rasteriser: bit 0, and bit 1 where the last varying has at most two components.
    pub const RA_CONTROL: u32 = 0x0e00;
    /// The number of outputs for the stages behind, from HALTI5 on.
    pub const VS_HALTI5_OUTPUT_COUNT: u32 = 0x0870;
    /// The same, of primitive assembly.
    pub const PA_VS_OUTPUT_COUNT: u32 = 0x0aa8;
    /// Where size and coordinate of points are, from HALTI5 on.
    pub const SPECIALS: u32 = 0x3888;
    /// Whether each is left out by the shade model.
    pub const SHADER_ATTRIBUTES: u32 = 0x0a40;
    /// Half the width of points whose vertices do not say it, in pixels.
    pub const POINT_SIZE: u32 = 0x0a1c;
    /// Two bits for each component of the varyings, before HALTI5: 2 and 3 are those of the place in a point.
    pub const COMPONENT_USE: u32 = 0x3828;
    /// PA_CONFIG, with the shade model.
    pub const PA_CONFIG: u32 = 0x0a34;
    /// Components of varyings, before HALTI5.
    pub const VARYING_COMPONENTS: [u32; 2] = [0x3820, 0x3834];
    /// Components of varyings from HALTI5 on.
    pub const HALTI5_VARYING_COMPONENTS: u32 = 0x0a90;
    /// The same for the fragment program.
    pub const PS_VARYING_COMPONENTS: u32 = 0x1080;
    /// How each component is interpolated, from HALTI5 on.
    pub const HALTI5_INTERPOLATION: u32 = 0x38c0;
    /// Temporaries of colours, of targets 0 to 3 and 4 to 7.
    pub const PS_OUTPUT_REG: [u32; 2] = [0x1004, 0x102c];
    /// Inputs of the fragment program, the position among them.
    pub const PS_INPUT_COUNT: u32 = 0x1008;
    /// Temporaries of the fragment program.
    pub const PS_TEMPS: u32 = 0x100c;
    /// Targets, and which are saturated.
    pub const PS_CONTROL: u32 = 0x1010;
    /// How targets take what the program leaves, four bits each.
    pub const PS_OUTPUT_MODE: u32 = 0x1030;
    /// Whether depth is tested before the program.
    pub const RA_EARLY_DEPTH: u32 = 0x0e08;
}

/// State words.
pub(super) struct Words<'a>(pub &'a Registers);

impl Words<'_> {
    pub(super) fn get(&self, register: u32) -> u32 {
        self.0.get(reg::SPACE, register)
    }

    fn byte(&self, first: u32, n: u32) -> usize {
        (self.get(first + n / 4 * 4) >> (8 * (n % 4)) & 0xff) as usize
    }

    /// Bytes of a map; those behind the last one in its word are 0.
    fn map(&self, first: u32, count: u32) -> Result<Vec<usize>, Trap> {
        if let Some(n) = (count..count.next_multiple_of(4)).find(|&n| self.byte(first, n) != 0) {
            return Err(bad_container(format!("entry {n} of the map at {first:#x}, which has {count}")));
        }
        Ok((0..count).map(|n| self.byte(first, n)).collect())
    }

    /// A word of which the others leave no choice.
    fn wants(&self, register: u32, want: u32) -> Result<(), Trap> {
        let have = self.get(register);
        if have == want {
            Ok(())
        } else {
            Err(bad_container(format!("{register:#x} is {have:#x}, the other words say {want:#x}")))
        }
    }

    /// Four bits of a list of them; words lie where `at` says.
    fn nibble(&self, at: impl Fn(u32) -> u32, n: u32) -> u32 {
        self.get(at(n / 8)) >> (4 * (n % 8)) & 15
    }

    /// Those behind the last one in its word are 0.
    fn ends(&self, at: impl Fn(u32) -> u32 + Copy, count: u32) -> Result<(), Trap> {
        if let Some(n) = (count..count.next_multiple_of(8)).find(|&n| self.nibble(at, n) != 0) {
            return Err(bad_container(format!("place {n} of the list at {:#x}, which has {count}", at(0))));
        }
        Ok(())
    }
}

gpucc_sim::words! {
    /// Registers of the vertex program's outputs.
    struct OutputCount[1] = "VS_OUTPUT_COUNT", the rest reserved {
        COUNT count: 0[0..6];
    }
}

gpucc_sim::words! {
    /// Registers of its inputs.
    struct InputCount[1] = "VS_INPUT_COUNT", the rest reserved {
        COUNT count: 0[0..5];
        CHUNKS chunks: 0[8..13];
        IDS ids: 0[31..32];
    }
}

gpucc_sim::words! {
    /// Varyings.
    struct VaryingCount[1] = "0x0A30", the rest reserved {
        COUNT count: 0[8..13];
    }
}

gpucc_sim::words! {
    /// Bits of PA_CONFIG that a driver writes before a draw; culling is set by the draw.
    struct PaConfig[1] = "PA_CONFIG", the rest reserved {
        SIZE size: 0[2..3];
        SPRITE sprite: 0[4..5];
        SHADE shade: 0[16..17];
    }
}

gpucc_sim::words! {
    /// Inputs of the fragment program.
    struct PsInputs[1] = "PS_INPUT_COUNT", the rest reserved {
        COUNT count: 0[0..5];
        ALWAYS always: 0[8..13];
    }
}

gpucc_sim::words! {
    /// Targets.
    struct PsControl[1] = "PS_CONTROL", the rest reserved {
        SATURATE saturate: 0[1..5];
        TARGETS targets: 0[8..11];
    }
}

/// Inputs of a vertex program: the map before HALTI5 has as many entries.
const MOST_INPUTS: u32 = 16;

/// Values that the words of a target must have, by its format.
pub(super) struct Wanted {
    /// The output mode of the target, four bits.
    pub mode: u32,
    /// Whether colours are limited to 0 to 1.
    pub saturates: bool,
}

/// State of a vertex program from the words.
pub(super) struct VertexWords {
    /// Temporaries of the elements of a vertex.
    pub inputs: Vec<usize>,
    /// The temporary with the numbers of vertex and instance.
    pub ids: Option<usize>,
    /// Temporaries of position and varyings.
    pub outputs: Vec<usize>,
    /// The temporary with the size of a point.
    pub size: Option<usize>,
}

impl VertexWords {
    pub(super) fn read(words: &Words<'_>, halti5: bool) -> Result<VertexWords, Trap> {
        let (raw, map) = (words.get(reg::VS_INPUT_COUNT), if halti5 { reg::VS_HALTI5_INPUT } else { reg::VS_INPUT });
        let count = InputCount([raw]);
        count.reserved()?;
        let ids = count.ids() == 1;
        // Without an element the chip hangs (1.1).
        fail_if!(count.count() <= u32::from(ids), bad_container("the vertex program has no element"));
        if count.count() > MOST_INPUTS || count.chunks() != (count.count() + 4).div_ceil(16) {
            return Err(bad_container(format!("VS_INPUT_COUNT {raw:#x}")));
        }
        let mut inputs = words.map(map, count.count())?;
        let ids = if ids { inputs.pop() } else { None };
        if halti5 {
            // Components of the register with the numbers.
            let want = ids.map_or(0, |r| 3 | (4 * r as u32) << 8 | (4 * r as u32 + 1) << 16);
            let have = words.get(reg::VS_ID_CONFIG);
            fail_if!(have != want, bad_container(format!("FE_HALTI5_ID_CONFIG {have:#x}, the inputs say {want:#x}")));
        }
        let outputs = OutputCount([words.get(reg::VS_OUTPUT_COUNT)]);
        outputs.reserved()?;
        if halti5 {
            let n = outputs.count();
            words.wants(reg::VS_HALTI5_OUTPUT_COUNT, n | (n * 16) << 8)?;
            words.wants(reg::PA_VS_OUTPUT_COUNT, n)?;
        }
        let config = PaConfig([words.get(reg::PA_CONFIG)]);
        config.reserved()?;
        let has_size = config.size() == 1;
        if halti5 {
            // Behind all other outputs comes the size of a point; 0 where there is none.
            let want = if has_size { 4 * outputs.count().saturating_sub(1) } else { 0 };
            let special = words.get(reg::SPECIALS);
            if special & 0xffff_80ff != 0x7f7f_0000 | want {
                return Err(bad_container(format!(
                    "SPECIALS {special:#x}, the outputs say {want:#x} for the size of a point"
                )));
            }
        }
        let map = if halti5 { reg::VS_HALTI5_OUTPUT } else { reg::VS_OUTPUT };
        let mut outputs = words.map(map, outputs.count())?;
        let size = if has_size { outputs.pop() } else { None };
        Ok(VertexWords { inputs, ids, outputs, size })
    }
}

/// Temporaries of the targets of a fragment program with so many inputs.
pub(super) fn fragment_words(words: &Words<'_>, given: usize, wanted: &[Wanted]) -> Result<Vec<usize>, Trap> {
    let inputs = PsInputs([words.get(reg::PS_INPUT_COUNT)]);
    inputs.reserved()?;
    if inputs.count() as usize != given || inputs.always() != 31 {
        let (count, always) = (inputs.count(), inputs.always());
        return Err(bad_container(format!("{count} inputs of the fragment program ({always}), the draw has {given}")));
    }
    let control = PsControl([words.get(reg::PS_CONTROL)]);
    control.reserved()?;
    let count = control.targets() + 1;
    fail_if!(
        count as usize != wanted.len().max(1),
        bad_container(format!("{count} targets, the draw has {}", wanted.len()))
    );
    let modes = words.get(reg::PS_OUTPUT_MODE);
    let want = wanted.iter().zip(0..).fold(0, |w, (p, k)| w | p.mode << (4 * k));
    fail_if!(modes != want, bad_container(format!("output modes {modes:#x} for targets that take {want:#x}")));
    let mut colours = Vec::new();
    for n in 0..8 {
        let byte = words.byte(reg::PS_OUTPUT_REG[n as usize / 4], n % 4);
        // The first four have their bit in PS_CONTROL.
        let (t, saturates) =
            if n < 4 { (byte, control.saturate() >> n & 1 == 1) } else { (byte & 0x7f, byte >> 7 == 1) };
        if saturates != wanted.get(n as usize).is_some_and(|w| w.saturates) {
            return Err(bad_container(format!("target {n} is limited to 0 to 1, or should be: {saturates}")));
        }
        // Those that are not there repeat the first.
        if n >= count && colours.first().is_some_and(|&first| first != t) {
            return Err(bad_container(format!("target {n} is not there and has t{t}")));
        }
        colours.push(t);
    }
    colours.truncate(count as usize);
    Ok(colours)
}

/// Which component of a place in a point a component of the varyings is, if it is one.
fn of_point(words: &Words<'_>, halti5: bool, component: u32) -> Option<usize> {
    if !halti5 {
        let code = words.get(reg::COMPONENT_USE + component / 16 * 4) >> (2 * (component % 16)) & 3;
        return code.checked_sub(2).map(|k| k as usize);
    }
    let first = words.get(reg::SPECIALS) >> 8 & 0x7f;
    component.checked_sub(first).filter(|k| *k < 2).map(|k| k as usize)
}

/// A varying.
#[derive(Clone, Copy)]
pub(super) struct Varying {
    /// Number of its components, 1 to 4.
    pub components: usize,
    /// How they are interpolated.
    pub mode: Mode,
    /// Component of the place in a point that replaces each, if points replace it.
    pub of_point: [Option<usize>; 4],
}

/// Components of the varyings, and how they are interpolated.
pub(super) fn varyings(words: &Words<'_>, halti5: bool) -> Result<Vec<Varying>, Trap> {
    let count = VaryingCount([words.get(reg::VARYINGS)]);
    count.reserved()?;
    let count = count.count();
    let place = |k: u32| {
        if halti5 { reg::HALTI5_VARYING_COMPONENTS + 4 * k } else { reg::VARYING_COMPONENTS[k as usize & 1] }
    };
    fail_if!(count > 16, bad_container(format!("{count} varyings")));
    words.ends(place, count)?;
    let config = PaConfig([words.get(reg::PA_CONFIG)]);
    config.reserved()?;
    let ways = |k: u32| reg::HALTI5_INTERPOLATION + 4 * k;
    let mut list = Vec::new();
    let mut before = 0;
    for n in 0..count {
        let components = words.nibble(place, n);
        fail_if!(components == 0 || components > 4, bad_container(format!("varying {n} has {components} components")));
        let mode = if halti5 {
            let first = words.nibble(ways, before);
            if (1..components).any(|k| words.nibble(ways, before + k) != first) {
                return Err(bad_container(format!("components of varying {n} are interpolated in different ways")));
            }
            match first {
                0 => Mode::Perspective,
                1 => Mode::Linear,
                2 => Mode::Flat,
                c => return Err(bad_container(format!("interpolation {c} of varying {n}"))),
            }
        } else {
            // Flat shading concerns what does not bypass it.
            match words.get(reg::SHADER_ATTRIBUTES + 4 * n) {
                0x2f1 => Mode::Perspective,
                0x2f0 if config.shade() == 0 => Mode::Flat,
                w => return Err(bad_container(format!("PA_SHADER_ATTRIBUTES {w:#x} of varying {n}"))),
            }
        };
        let sprite = config.sprite() == 1;
        let of_point =
            [0, 1, 2, 3].map(|k| if sprite && k < components { of_point(words, halti5, before + k) } else { None });
        before += components;
        list.push(Varying { components: components as usize, mode, of_point });
    }
    words.wants(reg::VARYING_TOTAL, before.next_multiple_of(2))?;
    let narrow = list.last().is_some_and(|v| v.components <= 2);
    words.wants(reg::RA_CONTROL, 1 | u32::from(narrow) << 1)?;
    if halti5 {
        words.ends(ways, before)?;
        for k in [0, 4] {
            words.wants(reg::PS_VARYING_COMPONENTS + k, words.get(reg::HALTI5_VARYING_COMPONENTS + k))?;
        }
    }
    Ok(list)
}
