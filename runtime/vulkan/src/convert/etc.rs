//! Blocks of the ETC2 and EAC formats: four by four texels, whose bits are counted from the last byte. By the Khronos Data Format
//! Specification 1.3, chapters 20 and 21.

/// Changes of the two magnitudes of a table of half a block.
const CHANGES: [[i32; 2]; 8] = [[2, 8], [5, 17], [9, 29], [13, 42], [18, 60], [24, 80], [33, 106], [47, 183]];

/// Distances of the modes with two colours.
const DISTANCES: [i32; 8] = [3, 6, 11, 16, 23, 32, 41, 64];

/// Changes of a block of one component, by table and index.
const LEVELS: [[i32; 8]; 16] = [
    [-3, -6, -9, -15, 2, 5, 8, 14],
    [-3, -7, -10, -13, 2, 6, 9, 12],
    [-2, -5, -8, -13, 1, 4, 7, 12],
    [-2, -4, -6, -13, 1, 3, 5, 12],
    [-3, -6, -8, -12, 2, 5, 7, 11],
    [-3, -7, -9, -11, 2, 6, 8, 10],
    [-4, -7, -8, -11, 3, 6, 7, 10],
    [-3, -5, -8, -11, 2, 4, 7, 10],
    [-2, -6, -8, -10, 1, 5, 7, 9],
    [-2, -5, -8, -10, 1, 4, 7, 9],
    [-2, -4, -8, -10, 1, 3, 7, 9],
    [-2, -5, -7, -10, 1, 4, 6, 9],
    [-3, -4, -7, -10, 2, 3, 6, 9],
    [-1, -2, -3, -10, 0, 1, 2, 9],
    [-4, -6, -8, -9, 3, 5, 7, 8],
    [-3, -5, -7, -9, 2, 4, 6, 8],
];

/// A colour before it is clamped.
type Colour = [i32; 3];

/// Bits `high` to `low` of a block.
fn bits(block: u64, high: u32, low: u32) -> i32 {
    (block >> low & ((1 << (high - low + 1)) - 1)) as i32
}

/// A number of so many bits in 8: its high bits follow again.
fn widen(v: i32, n: u32) -> i32 {
    v << (8 - n) | v >> (2 * n - 8)
}

fn moved(c: Colour, by: i32) -> Colour {
    c.map(|v| v + by)
}

/// The index of a texel, which are counted by columns.
fn index(block: u64, x: usize, y: usize) -> usize {
    let at = x * 4 + y;
    (block >> (16 + at) & 1) as usize * 2 + (block >> at & 1) as usize
}

/// The colours of a block, row by row. `None` is a texel that lets all through.
fn colours(block: u64, punches: bool) -> [Option<Colour>; 16] {
    let each = |of: &dyn Fn(usize, usize) -> Option<Colour>| std::array::from_fn(|k| of(k % 4, k / 4));
    // With alpha of one bit the flag says that no texel lets through, and there is no mode of two colours by themselves.
    let flag = bits(block, 33, 33) == 1;
    let holes = punches && !flag;
    let base = [bits(block, 63, 59), bits(block, 55, 51), bits(block, 47, 43)];
    let change = [bits(block, 58, 56), bits(block, 50, 48), bits(block, 42, 40)].map(|v| (v ^ 4) - 4);
    let sum: Colour = std::array::from_fn(|k| base[k] + change[k]);
    let ends = if flag || punches {
        let outside = sum.map(|v| !(0..32).contains(&v));
        let paints = match outside {
            [true, ..] => two_close(block),
            [false, true, _] => two_apart(block),
            [false, false, true] => return planar(block),
            _ => return halves(block, [base.map(|v| widen(v, 5)), sum.map(|v| widen(v, 5))], holes),
        };
        return each(&|x, y| match index(block, x, y) {
            2 if holes => None,
            k => Some(paints[k]),
        });
    } else {
        let four =
            |low: u32| [bits(block, low + 19, low + 16), bits(block, low + 11, low + 8), bits(block, low + 3, low)];
        [four(44), four(40)].map(|c| c.map(|v| widen(v, 4)))
    };
    halves(block, ends, holes)
}

/// Two halves, side by side or one above the other, of a colour and a table each.
fn halves(block: u64, ends: [Colour; 2], holes: bool) -> [Option<Colour>; 16] {
    let tables = [bits(block, 39, 37), bits(block, 36, 34)].map(|t| CHANGES[t as usize]);
    let flipped = bits(block, 32, 32) == 1;
    std::array::from_fn(|k| {
        let (x, y) = (k % 4, k / 4);
        let half = usize::from(if flipped { y > 1 } else { x > 1 });
        let [less, more] = tables[half];
        let by = match index(block, x, y) {
            0 if holes => 0,
            2 if holes => return None,
            0 => less,
            1 => more,
            2 => -less,
            _ => -more,
        };
        Some(moved(ends[half], by))
    })
}

/// The paints of a colour, and of another with its two neighbours.
fn two_close(block: u64) -> [Colour; 4] {
    let one = [bits(block, 60, 59) << 2 | bits(block, 57, 56), bits(block, 55, 52), bits(block, 51, 48)];
    let two = [bits(block, 47, 44), bits(block, 43, 40), bits(block, 39, 36)];
    let by = DISTANCES[(bits(block, 35, 34) << 1 | bits(block, 32, 32)) as usize];
    let [one, two] = [one, two].map(|c| c.map(|v| widen(v, 4)));
    [one, moved(two, by), two, moved(two, -by)]
}

/// The paints on both sides of two colours, whose order is a bit of the distance.
fn two_apart(block: u64) -> [Colour; 4] {
    let green = bits(block, 58, 56) << 1 | bits(block, 52, 52);
    let one = [bits(block, 62, 59), green, bits(block, 51, 51) << 3 | bits(block, 49, 47)];
    let two = [bits(block, 46, 43), bits(block, 42, 39), bits(block, 38, 35)];
    let by = bits(block, 34, 34) << 2 | bits(block, 32, 32) << 1 | i32::from(one >= two);
    let by = DISTANCES[by as usize];
    let [one, two] = [one, two].map(|c| c.map(|v| widen(v, 4)));
    [moved(one, by), moved(one, -by), moved(two, by), moved(two, -by)]
}

/// A plane through three colours.
fn planar(block: u64) -> [Option<Colour>; 16] {
    let wide = |[r, g, b]: Colour| [widen(r, 6), widen(g, 7), widen(b, 6)];
    let blue = bits(block, 48, 48) << 5 | bits(block, 44, 43) << 3 | bits(block, 41, 39);
    let origin = wide([bits(block, 62, 57), bits(block, 56, 56) << 6 | bits(block, 54, 49), blue]);
    let right = wide([bits(block, 38, 34) << 1 | bits(block, 32, 32), bits(block, 31, 25), bits(block, 24, 19)]);
    let lower = wide([bits(block, 18, 13), bits(block, 12, 6), bits(block, 5, 0)]);
    std::array::from_fn(|k| {
        let (x, y) = ((k % 4) as i32, (k / 4) as i32);
        let of = |c: usize| {
            let o = origin[c];
            (x * (right[c] - o) + y * (lower[c] - o) + 4 * o + 2) >> 2
        };
        Some([of(0), of(1), of(2)])
    })
}

fn word(block: &[u8]) -> u64 {
    block.iter().take(8).fold(0, |all, &b| all << 8 | u64::from(b))
}

/// Texels of eight bits a component of a block of colours; `punches` says that texels may let all through.
pub fn colour(block: &[u8], punches: bool) -> Vec<u8> {
    let texel = |c: Option<Colour>| match c {
        Some(c) => {
            let [r, g, b] = c.map(|v| v.clamp(0, 255) as u8);
            [r, g, b, 255]
        }
        None => [0; 4],
    };
    colours(word(block), punches).into_iter().flat_map(texel).collect()
}

/// The changes of a block of one component, row by row, with its multiplier.
fn changes(block: u64) -> ([i32; 16], i32) {
    let table = &LEVELS[bits(block, 51, 48) as usize];
    let change = |k: usize| {
        let low = 45 - 3 * (k % 4 * 4 + k / 4) as u32;
        table[bits(block, low + 2, low) as usize]
    };
    (std::array::from_fn(change), bits(block, 55, 52))
}

/// Alphas of eight bits.
pub fn alpha(block: &[u8]) -> [u8; 16] {
    let block = word(block);
    let (changes, by) = changes(block);
    changes.map(|c| (bits(block, 63, 56) + c * by).clamp(0, 255) as u8)
}

/// A component as fractions: of 2047, or of 1023 with a sign.
pub fn fraction(block: &[u8], signed: bool) -> [f32; 16] {
    let block = word(block);
    let (changes, by) = changes(block);
    // Without a multiplier a change is one of the eleven bits.
    let by = if by == 0 { 1 } else { by * 8 };
    let base = bits(block, 63, 56);
    changes.map(|c| match signed {
        true => ((i32::from(base as u8 as i8).max(-127) * 8 + c * by).clamp(-1023, 1023)) as f32 / 1023.0,
        false => (base * 8 + 4 + c * by).clamp(0, 2047) as f32 / 2047.0,
    })
}
