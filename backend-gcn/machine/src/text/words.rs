//! Names of fields' values that are no registers.

use crate::isa::GFX8;

pub(super) const SELS: [&str; 7] = ["BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"];
pub(super) const UNUSED: [&str; 3] = ["UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"];
#[rustfmt::skip]
pub(super) const DFMT: [&str; 16] = [
    "INVALID", "8", "16", "8_8", "32", "16_16", "10_11_11", "11_11_10", "10_10_10_2", "2_10_10_10", "8_8_8_8", "32_32",
    "16_16_16_16", "32_32_32", "32_32_32_32", "RESERVED_15",
];
pub(super) const NFMT: [&str; 8] = ["UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "SNORM_OGL", "FLOAT"];
#[rustfmt::skip]
pub(super) const HWREGS: [&str; 8] = [
    "", "HW_REG_MODE", "HW_REG_STATUS", "HW_REG_TRAPSTS", "HW_REG_HW_ID", "HW_REG_GPR_ALLOC", "HW_REG_LDS_ALLOC", "HW_REG_IB_STS",
];
pub(super) const GPR_IDX: [&str; 4] = ["SRC0", "SRC1", "SRC2", "DST"];
pub(super) const GS_OPS: [&str; 4] = ["GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"];
pub(super) const SYS_OPS: [&str; 5] =
    ["", "SYSMSG_OP_ECC_ERR_INTERRUPT", "SYSMSG_OP_REG_RD", "SYSMSG_OP_HOST_TRAP_ACK", "SYSMSG_OP_TTRACE_PC"];
pub(super) const MESSAGES: [&str; 16] = {
    let mut names = [""; 16];
    names[1] = "MSG_INTERRUPT";
    names[2] = "MSG_GS";
    names[3] = "MSG_GS_DONE";
    names[4] = "MSG_SAVEWAVE";
    names[15] = "MSG_SYSMSG";
    names
};
/// Permutations of lanes by a number from 1 to 15, which is added.
pub(super) const DPP_SHIFTS: [(&str, u32); 3] = [("row_shl:", 0x100), ("row_shr:", 0x110), ("row_ror:", 0x120)];
/// The other permutations of lanes.
#[rustfmt::skip]
pub(super) const DPP_WORDS: [(&str, u32); 8] = [
    ("wave_shl:1", 0x130), ("wave_rol:1", 0x134), ("wave_shr:1", 0x138), ("wave_ror:1", 0x13c),
    ("row_mirror", 0x140), ("row_half_mirror", 0x141), ("row_bcast:15", 0x142), ("row_bcast:31", 0x143),
];
pub(super) const PARAMS: [&str; 3] = ["p10", "p20", "p0"];

pub(super) fn nfmt_name(n: usize, generation: u8) -> &'static str {
    if n == 6 && generation == GFX8 { "RESERVED_6" } else { NFMT[n] }
}

pub(super) fn parse_bitmask(letters: &str) -> Option<u32> {
    let (mut and, mut or, mut xor) = (0, 0, 0);
    if letters.len() != 5 {
        return None;
    }
    for (i, c) in letters.bytes().enumerate() {
        let m = 16 >> i;
        match c {
            b'0' => {}
            b'1' => or |= m,
            b'p' => and |= m,
            b'i' => {
                and |= m;
                xor |= m;
            }
            _ => return None,
        }
    }
    Some(and | or << 5 | xor << 10)
}
