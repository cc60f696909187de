//! The facts of a family's ELF files.

use gpucc_container::Entry;

/// How ELF files of one generation look.
#[derive(Clone, Copy, Debug)]
pub struct CodeObject {
    /// `e_machine` of the header.
    pub machine: u16,
    /// `EI_OSABI` of the header.
    pub os_abi: u8,
    /// `e_flags` of the header.
    pub flags: u32,
    /// The section of register words.
    pub section: &'static str,
    /// Register and value of each word that a program wants, as that section has them.
    pub config: fn(&Entry) -> Vec<(u32, u32)>,
    /// A pair that says nothing: programs with fewer words are filled up to those with most.
    pub filler: (u32, u32),
}
