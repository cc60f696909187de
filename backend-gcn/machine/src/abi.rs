//! The launch convention as numbers: see `docs/abi-gcn.md`.

use crate::isa::{GFX6, GFX8};

/// Container file code of SGPRs.
pub const FILE_SGPR: u8 = 0;
/// Container file code of VGPRs.
pub const FILE_VGPR: u8 = 1;
/// Container file code of the root block: place = 32-bit word.
pub const FILE_ROOT: u8 = 0x80;
/// Space of all registers: they are named by address.
pub const REGISTER_SPACE: u16 = 0;

gpucc_container::family_words! {
    /// Register words of a program: `COMPUTE_PGM_` ones, or those of `SPI_SHADER_PGM_` of its stage.
    FamilyWords {
        /// Registers, float mode and priority.
        rsrc1 "RSRC1",
        /// Scratch, user data, ids and workgroup memory.
        rsrc2 "RSRC2",
    }
}

/// Container file code of parameters between the stages.
pub const FILE_PARAM: u8 = 2;
/// Container file code of attributes: place = V# in the table of vertex buffers.
pub const FILE_ATTRIBUTE: u8 = 3;
/// Container file code of exports: place = target.
pub const FILE_EXPORT: u8 = 4;
/// `Source::TableAddressLo` and `Hi` number of the table of vertex buffers.
pub const VERTEX_TABLE: u16 = 0xffff;
/// `Source::Family` number of PRIM_MASK.
pub const FAMILY_PRIM_MASK: u32 = 48;
/// `Source::Family` number of the number of a vertex' primitive.
pub const FAMILY_PRIMITIVE: u32 = 49;
/// `Source::Family` number of the first register of item 0 of SPI_PS_INPUT_ADDR; each item has four numbers.
pub const FAMILY_PS_INPUT: u32 = 64;

/// Addresses of registers, as headers of the hardware name them.
pub mod reg {
    macro_rules! registers {
        ($($(#[$doc:meta])* $name:ident $at:literal;)*) => {
            $($(#[$doc])* pub const $name: u32 = $at;)*

            /// The name of the register at an address. Of SPI_PS_INPUT_CNTL only the first has one here.
            pub fn name(at: u32) -> Option<&'static str> {
                match at {
                    $($at => Some(stringify!($name)),)*
                    _ => None,
                }
            }
        };
    }

    registers! {
        /// Registers of fragment programs.
        SPI_SHADER_PGM_RSRC1_PS 0xb028;
        /// Launch state of fragment programs.
        SPI_SHADER_PGM_RSRC2_PS 0xb02c;
        /// Registers of vertex programs.
        SPI_SHADER_PGM_RSRC1_VS 0xb128;
        /// Launch state of vertex programs.
        SPI_SHADER_PGM_RSRC2_VS 0xb12c;
        /// Components that attachments are written.
        CB_TARGET_MASK 0x28238;
        /// Components that attachments get from the program.
        CB_SHADER_MASK 0x2823c;
        /// Where the first parameter of a fragment program comes from; those of others follow.
        SPI_PS_INPUT_CNTL_0 0x28644;
        /// Parameters that a vertex program exports.
        SPI_VS_OUT_CONFIG 0x286c4;
        /// Inputs of fragment programs that are written.
        SPI_PS_INPUT_ENA 0x286cc;
        /// Inputs of fragment programs that have registers.
        SPI_PS_INPUT_ADDR 0x286d0;
        /// Parameters that a fragment program reads.
        SPI_PS_IN_CONTROL 0x286d8;
        /// Flat shading as a whole, and what takes the place of inputs in points.
        SPI_INTERP_CONTROL_0 0x286d4;
        /// Where coordinates and the position of a fragment are taken.
        SPI_BARYC_CNTL 0x286e0;
        /// Formats of position exports.
        SPI_SHADER_POS_FORMAT 0x2870c;
        /// Format of the depth export.
        SPI_SHADER_Z_FORMAT 0x28710;
        /// Formats of colour exports.
        SPI_SHADER_COL_FORMAT 0x28714;
        /// Samples: bits 6:4 say how many invocations a pixel has.
        DB_EQAA 0x28804;
        /// The effect of a fragment program on depth.
        DB_SHADER_CONTROL 0x2880c;
        /// The other words of position exports.
        PA_CL_VS_OUT_CNTL 0x2881c;
        /// Half the height and width of points, in sixteenths of a pixel.
        PA_SU_POINT_SIZE 0x28a00;
        /// The least and the most half width of a point whose vertex says it, in sixteenths of a pixel.
        PA_SU_POINT_MINMAX 0x28a04;
        /// Bit 16: a fragment program runs for each sample.
        PA_SC_MODE_CNTL_1 0x28a4c;
        /// Whether vertices get the number of their primitive.
        VGT_PRIMITIVEID_EN 0x28a84;
    }
}

/// `Source::Family` number of the TG_SIZE word: waves of the workgroup in bits 5:0, number of this wave in 11:6.
pub const FAMILY_TG_SIZE: u32 = 0;
/// `Source::Family` number of word 0 of the scratch descriptor; words 1 to 3 follow.
pub const FAMILY_SCRATCH: u32 = 16;
/// `Source::Family` number of word 0 of a descriptor over the container's constant bytes; words 1 to 3 follow.
pub const FAMILY_DATA: u32 = 32;

/// `Source::DescriptorWord` of textures and samplers: words of an element of a binding; T# from 0, FMASK T# from 8.
pub const ELEMENT_WORDS: u32 = 32;
/// The first word of the S# among them.
pub const SAMPLER_WORD: u32 = 16;

/// Word 3 of a raw storage buffer descriptor: DST_SEL xyzw, NUM_FORMAT float, DATA_FORMAT 32 (section 11.3).
pub const RAW_BUFFER_WORD3: u32 = 0x0002_7fac;

/// FLOAT_MODE that flushes f32 denormals and keeps f16 and f64 ones (section 1.1).
pub const FLOAT_FLUSH32: u32 = 0xc0;
/// FLOAT_MODE that keeps all denormals.
pub const FLOAT_KEEP: u32 = 0xf0;
/// FP_ROUND32 of a FLOAT_MODE that rounds words toward zero.
pub const FLOAT_CUT32: u32 = 3;
/// FP_ROUND64/16 of a FLOAT_MODE that rounds halves and doubles toward zero.
pub const FLOAT_CUT_OTHERS: u32 = 3 << 2;

/// COMPUTE_PGM_RSRC1 (section 18.3): `sgprs` counts s0 up to the highest used; VCC is added here. DX10_CLAMP is on,
/// IEEE off.
pub const fn rsrc1(vgprs: u32, sgprs: u32, float_mode: u32, generation: u8) -> u32 {
    let v = if vgprs == 0 { 0 } else { vgprs.div_ceil(4) - 1 };
    let total = sgprs + 2;
    let s = if generation == GFX8 { total.div_ceil(16) * 2 - 1 } else { total.div_ceil(8) - 1 };
    v | s << 6 | float_mode << 12 | 1 << 21
}

/// The fields of COMPUTE_PGM_RSRC2 (section 18.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rsrc2 {
    /// A system SGPR holds the wave's scratch offset.
    pub scratch: bool,
    /// User SGPRs (0 to 16).
    pub user_sgprs: u32,
    /// Workgroup id x, y, z in system SGPRs.
    pub workgroup_id: [bool; 3],
    /// TG_SIZE in a system SGPR.
    pub tg_size: bool,
    /// Highest component of the local id in VGPRs: 0 x, 1 also y, 2 also z.
    pub local_id_components: u32,
    /// Bytes of workgroup memory.
    pub lds_bytes: u32,
}

impl Rsrc2 {
    /// The word of the register on a generation.
    pub const fn word(&self, generation: u8) -> u32 {
        let unit = lds_unit(generation);
        self.scratch as u32
            | self.user_sgprs << 1
            | (self.workgroup_id[0] as u32) << 7
            | (self.workgroup_id[1] as u32) << 8
            | (self.workgroup_id[2] as u32) << 9
            | (self.tg_size as u32) << 10
            | self.local_id_components << 11
            | self.lds_bytes.div_ceil(unit) << 15
    }

    /// Reads the word; the bytes of workgroup memory come out rounded up to the unit.
    pub const fn read(word: u32, generation: u8) -> Rsrc2 {
        Rsrc2 {
            scratch: word & 1 != 0,
            user_sgprs: word >> 1 & 31,
            workgroup_id: [word >> 7 & 1 != 0, word >> 8 & 1 != 0, word >> 9 & 1 != 0],
            tg_size: word >> 10 & 1 != 0,
            local_id_components: word >> 11 & 3,
            lds_bytes: (word >> 15 & 0x1ff) * lds_unit(generation),
        }
    }
}

/// Allocation unit of workgroup memory in bytes (section 18.3).
pub const fn lds_unit(generation: u8) -> u32 {
    if generation == GFX6 { 256 } else { 512 }
}

/// Most bytes of workgroup memory of a workgroup (section 1).
pub const fn lds_limit(generation: u8) -> u32 {
    if generation == GFX6 { 32 << 10 } else { 64 << 10 }
}

/// Waves that a SIMD can hold with these registers (section 19); `sgprs` without VCC.
pub const fn waves(vgprs: u32, sgprs: u32, generation: u8) -> u32 {
    let v = if vgprs == 0 { 10 } else { 256 / (vgprs.div_ceil(4) * 4) };
    let total = sgprs + 2;
    let s = if generation == GFX8 { 800 / (total.div_ceil(16) * 16) } else { 512 / (total.div_ceil(8) * 8) };
    let w = if v < s { v } else { s };
    if w > 10 { 10 } else { w }
}

/// Waves that a SIMD can hold with workgroups of this many invocations that have this much workgroup memory: a compute unit of
/// four SIMDs has 64 KiB, given out in pieces, and room for 16 workgroups of several waves. A group that fits always runs.
pub const fn waves_of_groups(shared_bytes: u32, invocations: u32, generation: u8) -> u32 {
    let waves = invocations.div_ceil(64);
    let piece = if generation == GFX6 { 256 } else { 512 };
    let groups = if shared_bytes == 0 { 40 } else { (64 << 10) / (shared_bytes.div_ceil(piece) * piece) };
    let most = if waves > 1 { 16 } else { 40 };
    let groups = if groups < most { groups } else { most };
    let w = (groups * waves).div_ceil(4);
    if w > 10 {
        10
    } else if w == 0 {
        1
    } else {
        w
    }
}
