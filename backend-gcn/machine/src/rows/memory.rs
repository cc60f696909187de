//! Rows: Buffers and flat memory.
//!
//! Columns: semantic opcode, mnemonic, opcode on gfx6, gfx7, gfx8, operand signature (see [`super::build`]), what else
//! the class needs, meaning. Opcodes: ISA reference section given at each list.

use super::build::*;

// MUBUF, section 11.1. In front of the meaning: what is moved or done, see `buffer_operation`.
mubuf! {
    BufferLoadFormatX "buffer_load_format_x"                [0x00 0x00 0x00] "l1 L" format "D := buffer";
    BufferLoadFormatXy "buffer_load_format_xy"              [0x01 0x01 0x01] "l2 T" format "D := buffer";
    BufferLoadFormatXyz "buffer_load_format_xyz"            [0x02 0x02 0x02] "l3 T" format "D := buffer";
    BufferLoadFormatXyzw "buffer_load_format_xyzw"          [0x03 0x03 0x03] "l4 T" format "D := buffer";
    BufferStoreFormatX "buffer_store_format_x"              [0x04 0x04 0x04] "s1 T" format "buffer := data";
    BufferStoreFormatXy "buffer_store_format_xy"            [0x05 0x05 0x05] "s2 T" format "buffer := data";
    BufferStoreFormatXyz "buffer_store_format_xyz"          [0x06 0x06 0x06] "s3 T" format "buffer := data";
    BufferStoreFormatXyzw "buffer_store_format_xyzw"        [0x07 0x07 0x07] "s4 T" format "buffer := data";
    BufferLoadUbyte "buffer_load_ubyte"                     [0x08 0x08 0x10] "l1 L" move U8 "D := buffer";
    BufferLoadSbyte "buffer_load_sbyte"                     [0x09 0x09 0x11] "l1 L" move I8 "D := buffer";
    BufferLoadUshort "buffer_load_ushort"                   [0x0a 0x0a 0x12] "l1 L" move U16 "D := buffer";
    BufferLoadSshort "buffer_load_sshort"                   [0x0b 0x0b 0x13] "l1 L" move I16 "D := buffer";
    BufferLoadDword "buffer_load_dword"                     [0x0c 0x0c 0x14] "l1 L" move B32 "D := buffer";
    BufferLoadDwordx2 "buffer_load_dwordx2"                 [0x0d 0x0d 0x15] "l2 T" move B32X2 "D := buffer";
    BufferLoadDwordx4 "buffer_load_dwordx4"                 [0x0e 0x0e 0x17] "l4 T" move B128 "D := buffer";
    BufferLoadDwordx3 "buffer_load_dwordx3"                 [- 0x0f 0x16] "l3 T" move B96 "D := buffer";
    BufferStoreByte "buffer_store_byte"                     [0x18 0x18 0x18] "s1 T" move B8 "buffer := data";
    BufferStoreShort "buffer_store_short"                   [0x1a 0x1a 0x1a] "s1 T" move B16 "buffer := data";
    BufferStoreDword "buffer_store_dword"                   [0x1c 0x1c 0x1c] "s1 T" move B32 "buffer := data";
    BufferStoreDwordx2 "buffer_store_dwordx2"               [0x1d 0x1d 0x1d] "s2 T" move B32X2 "buffer := data";
    BufferStoreDwordx4 "buffer_store_dwordx4"               [0x1e 0x1e 0x1f] "s4 T" move B128 "buffer := data";
    BufferStoreDwordx3 "buffer_store_dwordx3"               [- 0x1f 0x1e] "s3 T" move B96 "buffer := data";
    BufferAtomicSwap "buffer_atomic_swap"                   [0x30 0x30 0x40] "a1" atomic Swap "atomic swap; GLC: D := old value";
    BufferAtomicCmpswap "buffer_atomic_cmpswap"             [0x31 0x31 0x41] "a2" atomic CmpSwap "atomic cmpswap; GLC: D := old value";
    BufferAtomicAdd "buffer_atomic_add"                     [0x32 0x32 0x42] "a1" atomic Add "atomic add; GLC: D := old value";
    BufferAtomicSub "buffer_atomic_sub"                     [0x33 0x33 0x43] "a1" atomic Sub "atomic sub; GLC: D := old value";
    BufferAtomicRsub "buffer_atomic_rsub"                   [0x34 - -] "a1" atomic Rsub "atomic rsub; GLC: D := old value";
    BufferAtomicSmin "buffer_atomic_smin"                   [0x35 0x35 0x44] "a1" atomic SMin "atomic smin; GLC: D := old value";
    BufferAtomicUmin "buffer_atomic_umin"                   [0x36 0x36 0x45] "a1" atomic UMin "atomic umin; GLC: D := old value";
    BufferAtomicSmax "buffer_atomic_smax"                   [0x37 0x37 0x46] "a1" atomic SMax "atomic smax; GLC: D := old value";
    BufferAtomicUmax "buffer_atomic_umax"                   [0x38 0x38 0x47] "a1" atomic UMax "atomic umax; GLC: D := old value";
    BufferAtomicAnd "buffer_atomic_and"                     [0x39 0x39 0x48] "a1" atomic And "atomic and; GLC: D := old value";
    BufferAtomicOr "buffer_atomic_or"                       [0x3a 0x3a 0x49] "a1" atomic Or "atomic or; GLC: D := old value";
    BufferAtomicXor "buffer_atomic_xor"                     [0x3b 0x3b 0x4a] "a1" atomic Xor "atomic xor; GLC: D := old value";
    BufferAtomicInc "buffer_atomic_inc"                     [0x3c 0x3c 0x4b] "a1" atomic Inc "atomic inc; GLC: D := old value";
    BufferAtomicDec "buffer_atomic_dec"                     [0x3d 0x3d 0x4c] "a1" atomic Dec "atomic dec; GLC: D := old value";
    BufferAtomicFcmpswap "buffer_atomic_fcmpswap"           [0x3e 0x3e -] "a2" atomic FCmpSwap "atomic fcmpswap; GLC: D := old value";
    BufferAtomicFmin "buffer_atomic_fmin"                   [0x3f 0x3f -] "a1" atomic FMin "atomic fmin; GLC: D := old value";
    BufferAtomicFmax "buffer_atomic_fmax"                   [0x40 0x40 -] "a1" atomic FMax "atomic fmax; GLC: D := old value";
    BufferAtomicSwapX2 "buffer_atomic_swap_x2"              [0x50 0x50 0x60] "a2" atomic Swap "atomic swap; GLC: D := old value";
    BufferAtomicCmpswapX2 "buffer_atomic_cmpswap_x2"        [0x51 0x51 0x61] "a4" atomic CmpSwap "atomic cmpswap; GLC: D := old value";
    BufferAtomicAddX2 "buffer_atomic_add_x2"                [0x52 0x52 0x62] "a2" atomic Add "atomic add; GLC: D := old value";
    BufferAtomicSubX2 "buffer_atomic_sub_x2"                [0x53 0x53 0x63] "a2" atomic Sub "atomic sub; GLC: D := old value";
    BufferAtomicRsubX2 "buffer_atomic_rsub_x2"              [0x54 - -] "a2" atomic Rsub "atomic rsub; GLC: D := old value";
    BufferAtomicSminX2 "buffer_atomic_smin_x2"              [0x55 0x55 0x64] "a2" atomic SMin "atomic smin; GLC: D := old value";
    BufferAtomicUminX2 "buffer_atomic_umin_x2"              [0x56 0x56 0x65] "a2" atomic UMin "atomic umin; GLC: D := old value";
    BufferAtomicSmaxX2 "buffer_atomic_smax_x2"              [0x57 0x57 0x66] "a2" atomic SMax "atomic smax; GLC: D := old value";
    BufferAtomicUmaxX2 "buffer_atomic_umax_x2"              [0x58 0x58 0x67] "a2" atomic UMax "atomic umax; GLC: D := old value";
    BufferAtomicAndX2 "buffer_atomic_and_x2"                [0x59 0x59 0x68] "a2" atomic And "atomic and; GLC: D := old value";
    BufferAtomicOrX2 "buffer_atomic_or_x2"                  [0x5a 0x5a 0x69] "a2" atomic Or "atomic or; GLC: D := old value";
    BufferAtomicXorX2 "buffer_atomic_xor_x2"                [0x5b 0x5b 0x6a] "a2" atomic Xor "atomic xor; GLC: D := old value";
    BufferAtomicIncX2 "buffer_atomic_inc_x2"                [0x5c 0x5c 0x6b] "a2" atomic Inc "atomic inc; GLC: D := old value";
    BufferAtomicDecX2 "buffer_atomic_dec_x2"                [0x5d 0x5d 0x6c] "a2" atomic Dec "atomic dec; GLC: D := old value";
    BufferAtomicFcmpswapX2 "buffer_atomic_fcmpswap_x2"      [0x5e 0x5e -] "a4" atomic FCmpSwap "atomic fcmpswap; GLC: D := old value";
    BufferAtomicFminX2 "buffer_atomic_fmin_x2"              [0x5f 0x5f -] "a2" atomic FMin "atomic fmin; GLC: D := old value";
    BufferAtomicFmaxX2 "buffer_atomic_fmax_x2"              [0x60 0x60 -] "a2" atomic FMax "atomic fmax; GLC: D := old value";
    BufferWbinvl1Vol "buffer_wbinvl1_vol"                   [- 0x70 0x3f] "none" cache "write back and invalidate the vector L1 cache";
    BufferWbinvl1Sc "buffer_wbinvl1_sc"                     [0x70 - -] "none" cache "write back and invalidate the vector L1 cache";
    BufferWbinvl1 "buffer_wbinvl1"                          [0x71 0x71 0x3e] "none" cache "write back and invalidate the vector L1 cache";
    BufferLoadFormatD16X "buffer_load_format_d16_x"         [- - 0x08] "l1 T" half "D := buffer";
    BufferLoadFormatD16Xy "buffer_load_format_d16_xy"       [- - 0x09] "l2 T" half "D := buffer";
    BufferLoadFormatD16Xyz "buffer_load_format_d16_xyz"     [- - 0x0a] "l3 T" half "D := buffer";
    BufferLoadFormatD16Xyzw "buffer_load_format_d16_xyzw"   [- - 0x0b] "l4 T" half "D := buffer";
    BufferStoreFormatD16X "buffer_store_format_d16_x"       [- - 0x0c] "s1 T" half "buffer := data";
    BufferStoreFormatD16Xy "buffer_store_format_d16_xy"     [- - 0x0d] "s2 T" half "buffer := data";
    BufferStoreFormatD16Xyz "buffer_store_format_d16_xyz"   [- - 0x0e] "s3 T" half "buffer := data";
    BufferStoreFormatD16Xyzw "buffer_store_format_d16_xyzw" [- - 0x0f] "s4 T" half "buffer := data";
    BufferStoreLdsDword "buffer_store_lds_dword"            [- - 0x3d] "store_lds" undefined "buffer := LDS";
}

// MTBUF, section 11.2.
mtbuf! {
    TbufferLoadFormatX "tbuffer_load_format_x"                [0x00 0x00 0x00] "l1" format "typed D := buffer";
    TbufferLoadFormatXy "tbuffer_load_format_xy"              [0x01 0x01 0x01] "l2" format "typed D := buffer";
    TbufferLoadFormatXyz "tbuffer_load_format_xyz"            [0x02 0x02 0x02] "l3" format "typed D := buffer";
    TbufferLoadFormatXyzw "tbuffer_load_format_xyzw"          [0x03 0x03 0x03] "l4" format "typed D := buffer";
    TbufferStoreFormatX "tbuffer_store_format_x"              [0x04 0x04 0x04] "s1" format "typed buffer := data";
    TbufferStoreFormatXy "tbuffer_store_format_xy"            [0x05 0x05 0x05] "s2" format "typed buffer := data";
    TbufferStoreFormatXyz "tbuffer_store_format_xyz"          [0x06 0x06 0x06] "s3" format "typed buffer := data";
    TbufferStoreFormatXyzw "tbuffer_store_format_xyzw"        [0x07 0x07 0x07] "s4" format "typed buffer := data";
    TbufferLoadFormatD16X "tbuffer_load_format_d16_x"         [- - 0x08] "l1" half "typed D := buffer";
    TbufferLoadFormatD16Xy "tbuffer_load_format_d16_xy"       [- - 0x09] "l2" half "typed D := buffer";
    TbufferLoadFormatD16Xyz "tbuffer_load_format_d16_xyz"     [- - 0x0a] "l3" half "typed D := buffer";
    TbufferLoadFormatD16Xyzw "tbuffer_load_format_d16_xyzw"   [- - 0x0b] "l4" half "typed D := buffer";
    TbufferStoreFormatD16X "tbuffer_store_format_d16_x"       [- - 0x0c] "s1" half "typed buffer := data";
    TbufferStoreFormatD16Xy "tbuffer_store_format_d16_xy"     [- - 0x0d] "s2" half "typed buffer := data";
    TbufferStoreFormatD16Xyz "tbuffer_store_format_d16_xyz"   [- - 0x0e] "s3" half "typed buffer := data";
    TbufferStoreFormatD16Xyzw "tbuffer_store_format_d16_xyzw" [- - 0x0f] "s4" half "typed buffer := data";
}

// FLAT, section 11.6.
flat! {
    FlatLoadUbyte "flat_load_ubyte"                [- 0x08 0x10] "l1" move U8 "D := memory";
    FlatLoadSbyte "flat_load_sbyte"                [- 0x09 0x11] "l1" move I8 "D := memory";
    FlatLoadUshort "flat_load_ushort"              [- 0x0a 0x12] "l1" move U16 "D := memory";
    FlatLoadSshort "flat_load_sshort"              [- 0x0b 0x13] "l1" move I16 "D := memory";
    FlatLoadDword "flat_load_dword"                [- 0x0c 0x14] "l1" move B32 "D := memory";
    FlatLoadDwordx2 "flat_load_dwordx2"            [- 0x0d 0x15] "l2" move B32X2 "D := memory";
    FlatLoadDwordx4 "flat_load_dwordx4"            [- 0x0e 0x17] "l4" move B128 "D := memory";
    FlatLoadDwordx3 "flat_load_dwordx3"            [- 0x0f 0x16] "l3" move B96 "D := memory";
    FlatStoreByte "flat_store_byte"                [- 0x18 0x18] "s1" move B8 "memory := data";
    FlatStoreShort "flat_store_short"              [- 0x1a 0x1a] "s1" move B16 "memory := data";
    FlatStoreDword "flat_store_dword"              [- 0x1c 0x1c] "s1" move B32 "memory := data";
    FlatStoreDwordx2 "flat_store_dwordx2"          [- 0x1d 0x1d] "s2" move B32X2 "memory := data";
    FlatStoreDwordx4 "flat_store_dwordx4"          [- 0x1e 0x1f] "s4" move B128 "memory := data";
    FlatStoreDwordx3 "flat_store_dwordx3"          [- 0x1f 0x1e] "s3" move B96 "memory := data";
    FlatAtomicSwap "flat_atomic_swap"              [- 0x30 0x40] "a1 r1" atomic Swap "atomic swap; GLC: D := old value";
    FlatAtomicCmpswap "flat_atomic_cmpswap"        [- 0x31 0x41] "a2 r1" atomic CmpSwap "atomic cmpswap; GLC: D := old value";
    FlatAtomicAdd "flat_atomic_add"                [- 0x32 0x42] "a1 r1" atomic Add "atomic add; GLC: D := old value";
    FlatAtomicSub "flat_atomic_sub"                [- 0x33 0x43] "a1 r1" atomic Sub "atomic sub; GLC: D := old value";
    FlatAtomicSmin "flat_atomic_smin"              [- 0x35 0x44] "a1 r1" atomic SMin "atomic smin; GLC: D := old value";
    FlatAtomicUmin "flat_atomic_umin"              [- 0x36 0x45] "a1 r1" atomic UMin "atomic umin; GLC: D := old value";
    FlatAtomicSmax "flat_atomic_smax"              [- 0x37 0x46] "a1 r1" atomic SMax "atomic smax; GLC: D := old value";
    FlatAtomicUmax "flat_atomic_umax"              [- 0x38 0x47] "a1 r1" atomic UMax "atomic umax; GLC: D := old value";
    FlatAtomicAnd "flat_atomic_and"                [- 0x39 0x48] "a1 r1" atomic And "atomic and; GLC: D := old value";
    FlatAtomicOr "flat_atomic_or"                  [- 0x3a 0x49] "a1 r1" atomic Or "atomic or; GLC: D := old value";
    FlatAtomicXor "flat_atomic_xor"                [- 0x3b 0x4a] "a1 r1" atomic Xor "atomic xor; GLC: D := old value";
    FlatAtomicInc "flat_atomic_inc"                [- 0x3c 0x4b] "a1 r1" atomic Inc "atomic inc; GLC: D := old value";
    FlatAtomicDec "flat_atomic_dec"                [- 0x3d 0x4c] "a1 r1" atomic Dec "atomic dec; GLC: D := old value";
    FlatAtomicFcmpswap "flat_atomic_fcmpswap"      [- 0x3e -] "a2 r1" atomic FCmpSwap "atomic fcmpswap; GLC: D := old value";
    FlatAtomicFmin "flat_atomic_fmin"              [- 0x3f -] "a1 r1" atomic FMin "atomic fmin; GLC: D := old value";
    FlatAtomicFmax "flat_atomic_fmax"              [- 0x40 -] "a1 r1" atomic FMax "atomic fmax; GLC: D := old value";
    FlatAtomicSwapX2 "flat_atomic_swap_x2"         [- 0x50 0x60] "a2 r2" atomic Swap "atomic swap; GLC: D := old value";
    FlatAtomicCmpswapX2 "flat_atomic_cmpswap_x2"   [- 0x51 0x61] "a4 r2" atomic CmpSwap "atomic cmpswap; GLC: D := old value";
    FlatAtomicAddX2 "flat_atomic_add_x2"           [- 0x52 0x62] "a2 r2" atomic Add "atomic add; GLC: D := old value";
    FlatAtomicSubX2 "flat_atomic_sub_x2"           [- 0x53 0x63] "a2 r2" atomic Sub "atomic sub; GLC: D := old value";
    FlatAtomicSminX2 "flat_atomic_smin_x2"         [- 0x55 0x64] "a2 r2" atomic SMin "atomic smin; GLC: D := old value";
    FlatAtomicUminX2 "flat_atomic_umin_x2"         [- 0x56 0x65] "a2 r2" atomic UMin "atomic umin; GLC: D := old value";
    FlatAtomicSmaxX2 "flat_atomic_smax_x2"         [- 0x57 0x66] "a2 r2" atomic SMax "atomic smax; GLC: D := old value";
    FlatAtomicUmaxX2 "flat_atomic_umax_x2"         [- 0x58 0x67] "a2 r2" atomic UMax "atomic umax; GLC: D := old value";
    FlatAtomicAndX2 "flat_atomic_and_x2"           [- 0x59 0x68] "a2 r2" atomic And "atomic and; GLC: D := old value";
    FlatAtomicOrX2 "flat_atomic_or_x2"             [- 0x5a 0x69] "a2 r2" atomic Or "atomic or; GLC: D := old value";
    FlatAtomicXorX2 "flat_atomic_xor_x2"           [- 0x5b 0x6a] "a2 r2" atomic Xor "atomic xor; GLC: D := old value";
    FlatAtomicIncX2 "flat_atomic_inc_x2"           [- 0x5c 0x6b] "a2 r2" atomic Inc "atomic inc; GLC: D := old value";
    FlatAtomicDecX2 "flat_atomic_dec_x2"           [- 0x5d 0x6c] "a2 r2" atomic Dec "atomic dec; GLC: D := old value";
    FlatAtomicFcmpswapX2 "flat_atomic_fcmpswap_x2" [- 0x5e -] "a4 r2" atomic FCmpSwap "atomic fcmpswap; GLC: D := old value";
    FlatAtomicFminX2 "flat_atomic_fmin_x2"         [- 0x5f -] "a2 r2" atomic FMin "atomic fmin; GLC: D := old value";
    FlatAtomicFmaxX2 "flat_atomic_fmax_x2"         [- 0x60 -] "a2 r2" atomic FMax "atomic fmax; GLC: D := old value";
}
