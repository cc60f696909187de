//! The launch convention as types, which compiler and machine have in common: see `docs/abi-tesla.md`.

gpucc_container::family_words! {
    /// What the metadata says of memory on the chip.
    FamilyWords {
        /// First byte of workgroup memory in s[]; 0 is the multiple of 0x40 behind the parameters.
        shared_base "start of workgroup memory in s[]",
        /// Entries of the stack of a warp; 0 is eight of them in compute.
        stack "entries of the stack",
        /// Bytes of the window of g[] that each workgroup has to itself.
        window_bytes "bytes of the workgroup window",
    }
}
