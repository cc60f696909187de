//! Integer operations beyond what Rust's wrapping arithmetic names.

/// WGSL division: `x / 0 = x`, `MIN / -1 = MIN`.
#[inline]
pub fn sdiv(x: i32, y: i32) -> i32 {
    if y == 0 { x } else { x.wrapping_div(y) }
}

/// WGSL remainder: `x % 0 = 0`, `MIN % -1 = 0`.
#[inline]
pub fn srem(x: i32, y: i32) -> i32 {
    if y == 0 { 0 } else { x.wrapping_rem(y) }
}

/// WGSL division: `x / 0 = x`.
#[inline]
pub fn udiv(x: u32, y: u32) -> u32 {
    x.checked_div(y).unwrap_or(x)
}

/// WGSL remainder: `x % 0 = 0`.
#[inline]
pub fn urem(x: u32, y: u32) -> u32 {
    x.checked_rem(y).unwrap_or(0)
}

/// High half of the unsigned product.
#[inline]
pub fn umul_hi(a: u32, b: u32) -> u32 {
    ((u64::from(a) * u64::from(b)) >> 32) as u32
}

/// High half of the signed product.
#[inline]
pub fn smul_hi(a: i32, b: i32) -> i32 {
    ((i64::from(a) * i64::from(b)) >> 32) as i32
}

/// Low 24 bits, zero-extended.
#[inline]
pub fn low24(x: u32) -> u32 {
    x & 0x00ff_ffff
}

/// Low 24 bits, sign-extended.
#[inline]
pub fn slow24(x: u32) -> i32 {
    (x << 8) as i32 >> 8
}

/// Low 32 bits of the product of the low 24 bits, unsigned.
#[inline]
pub fn umul24(a: u32, b: u32) -> u32 {
    low24(a).wrapping_mul(low24(b))
}

/// Bits 32 to 47 of the product of the low 24 bits, unsigned.
#[inline]
pub fn umul24_hi(a: u32, b: u32) -> u32 {
    umul_hi(low24(a), low24(b))
}

/// Low 32 bits of the product of the low 24 bits, signed.
#[inline]
pub fn smul24(a: u32, b: u32) -> i32 {
    slow24(a).wrapping_mul(slow24(b))
}

/// Bits 32 and up of the product of the low 24 bits, signed.
#[inline]
pub fn smul24_hi(a: u32, b: u32) -> i32 {
    smul_hi(slow24(a), slow24(b))
}

/// Sum of two words and a carry, and the carry out.
#[inline]
pub fn add_carry(a: u32, b: u32, carry: bool) -> (u32, bool) {
    let sum = u64::from(a) + u64::from(b) + u64::from(carry);
    (sum as u32, sum >> 32 != 0)
}

/// Difference of two words and a borrow, and the borrow out.
#[inline]
pub fn sub_borrow(a: u32, b: u32, borrow: bool) -> (u32, bool) {
    let (d, x) = a.overflowing_sub(b);
    let (d, y) = d.overflowing_sub(u32::from(borrow));
    (d, x || y)
}

/// Low `bits` bits of `x` (0 to 64), sign-extended; 0 bits give 0.
#[inline]
pub fn sign_extend(x: u64, bits: u32) -> i64 {
    if bits == 0 { 0 } else { ((x << (64 - bits.min(64))) as i64) >> (64 - bits.min(64)) }
}

/// `bits` ones (0 to 64).
#[inline]
pub fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// WGSL `extractBits` of u32: offset and count are clamped.
#[inline]
pub fn extract_u(e: u32, offset: u32, count: u32) -> u32 {
    let o = offset.min(32);
    let c = count.min(32 - o);
    ((u64::from(e) >> o) & mask(c)) as u32
}

/// WGSL `extractBits` of i32.
#[inline]
pub fn extract_s(e: i32, offset: u32, count: u32) -> i32 {
    let o = offset.min(32);
    let c = count.min(32 - o);
    sign_extend(u64::from(e as u32) >> o, c) as i32
}

/// Low `count` bits of `new` inserted at `offset`: WGSL's `insertBits`.
#[inline]
pub fn insert(e: u32, new: u32, offset: u32, count: u32) -> u32 {
    let o = offset.min(32);
    let c = count.min(32 - o);
    let field = (mask(c) << o) as u32;
    e & !field | (u64::from(new) << o) as u32 & field
}

/// Index of the highest one, or all ones.
#[inline]
pub fn first_leading_u(x: u32) -> u32 {
    if x == 0 { u32::MAX } else { 31 - x.leading_zeros() }
}

/// Sum of four signed byte products.
#[inline]
pub fn dot4_s(a: u32, b: u32) -> i32 {
    (0..4).map(|i| i32::from((a >> (8 * i)) as i8) * i32::from((b >> (8 * i)) as i8)).sum()
}

/// Sum of four unsigned byte products.
#[inline]
pub fn dot4_u(a: u32, b: u32) -> u32 {
    (0..4).map(|i| (a >> (8 * i) & 0xff) * (b >> (8 * i) & 0xff)).sum()
}
