//! Changes to inputs that keep more of their form than changed bytes do: of text its tokens and lines, of SPIR-V its instructions,
//! of machine code its words.

use libfuzzer_sys::fuzzer_mutate;

/// Largest module of SPIR-V and listing of text that is kept, in bytes.
const MOST: usize = 12_000;

/// Numbers at the edges of types and of shifts.
const EDGES: [u32; 16] =
    [0, 1, 2, 3, 4, 31, 32, 63, 64, 255, 256, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff, 0x3f80_0000];

/// A sequence of numbers (splitmix64).
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `n`; 0 if that is 0.
    fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.next() % n as u64) as usize }
    }
}

/// Puts what was made into the fuzzer's buffer.
fn put(data: &mut [u8], max: usize, made: &[u8]) -> usize {
    let n = made.len().min(max).min(data.len());
    data[..n].copy_from_slice(&made[..n]);
    n
}

/// The kind of a token: tokens of one kind may stand for each other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Name,
    Number,
    Sign,
    Blank,
}

fn kind(c: u8) -> Kind {
    match c {
        b'0'..=b'9' => Kind::Number,
        b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => Kind::Name,
        b' ' | b'\n' | b'\t' | b'\r' => Kind::Blank,
        _ => Kind::Sign,
    }
}

/// Start, end and kind of each token.
fn tokens(text: &[u8]) -> Vec<(usize, usize, Kind)> {
    let mut list = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let k = kind(text[at]);
        let mut end = at + 1;
        while end < text.len() {
            let next = kind(text[end]);
            let more = match k {
                Kind::Name | Kind::Number => {
                    matches!(next, Kind::Name | Kind::Number) || k == Kind::Number && text[end] == b'.'
                }
                Kind::Blank => next == Kind::Blank,
                // Brackets and separators stand alone.
                Kind::Sign => {
                    next == Kind::Sign && !b"(){}[];,.@\"".contains(&text[end]) && !b"(){}[];,.@\"".contains(&text[at])
                }
            };
            if !more {
                break;
            }
            end += 1;
        }
        list.push((at, end, k));
        at = end;
    }
    list
}

/// The end of the bracket that opens at `at`, behind it.
fn closing(text: &[u8], at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (i, c) in text.iter().enumerate().skip(at) {
        match c {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(i + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Shaders, IR, listings and JSON.
pub fn text(data: &mut [u8], size: usize, max: usize, seed: u32) -> usize {
    let mut rng = Rng(u64::from(seed));
    if size < 4 || rng.below(16) == 0 {
        return fuzzer_mutate(data, size, max);
    }
    let mut made = data[..size].to_vec();
    for _ in 0..1 + rng.below(3) {
        change_text(&mut made, &mut rng);
        if made.len() < 4 {
            break;
        }
    }
    made.truncate(MOST);
    put(data, max, &made)
}

fn change_text(made: &mut Vec<u8>, rng: &mut Rng) {
    let list = tokens(made);
    let of = |k: Kind| list.iter().filter(|t| t.2 == k).copied().collect::<Vec<_>>();
    match rng.below(10) {
        // A token becomes another one of its kind.
        0..=2 => {
            let all = of([Kind::Name, Kind::Number, Kind::Sign][rng.below(3)]);
            if all.len() > 1 {
                let (from, to) = (all[rng.below(all.len())], all[rng.below(all.len())]);
                let new = made[from.0..from.1].to_vec();
                made.splice(to.0..to.1, new);
            }
        }
        // A number becomes one at an edge.
        3 | 4 => {
            let all = of(Kind::Number);
            if !all.is_empty() {
                let (start, end, _) = all[rng.below(all.len())];
                let unsigned = made[start..end].ends_with(b"u");
                let n = EDGES[rng.below(EDGES.len())];
                let new = if unsigned { format!("{n}u") } else { format!("{}", n as i32 & 0x7fff_ffff) };
                made.splice(start..end, new.into_bytes());
            }
        }
        // A line is dropped, or a copy of it stands elsewhere.
        5 | 6 => {
            let starts: Vec<usize> =
                std::iter::once(0).chain(made.iter().enumerate().filter(|c| *c.1 == b'\n').map(|c| c.0 + 1)).collect();
            let k = rng.below(starts.len());
            let end = starts.get(k + 1).copied().unwrap_or(made.len());
            if rng.below(3) == 0 {
                made.drain(starts[k]..end);
            } else {
                let line = made[starts[k]..end].to_vec();
                let at = starts[rng.below(starts.len())];
                made.splice(at..at, line);
            }
        }
        // A block is dropped or doubled.
        7 => {
            let open: Vec<usize> = (0..made.len()).filter(|&i| b"{(".contains(&made[i])).collect();
            if !open.is_empty() {
                let at = open[rng.below(open.len())];
                if let Some(end) = closing(made, at) {
                    if rng.below(2) == 0 {
                        made.drain(at + 1..end - 1);
                    } else {
                        let block = made[at..end].to_vec();
                        made.splice(end..end, block);
                    }
                }
            }
        }
        // The operands in one pair of brackets go into another.
        8 => {
            let open: Vec<usize> = (0..made.len()).filter(|&i| made[i] == b'(').collect();
            if open.len() > 1 {
                let (a, b) = (open[rng.below(open.len())], open[rng.below(open.len())]);
                if let (Some(ea), Some(eb)) = (closing(made, a), closing(made, b)) {
                    let new = made[a..ea].to_vec();
                    made.splice(b..eb, new);
                }
            }
        }
        _ => {
            let at = rng.below(made.len());
            made[at] = (rng.next() as u8 & 0x7f).max(b' ');
        }
    }
}

/// Machine code, containers.
pub fn words(data: &mut [u8], size: usize, max: usize, seed: u32) -> usize {
    let mut rng = Rng(u64::from(seed));
    if size < 16 || rng.below(4) == 0 {
        return fuzzer_mutate(data, size, max);
    }
    let mut made = data[..size].to_vec();
    // The choice in front of machine code moves words by two bytes; a container is aligned from its start.
    let first = 2 * rng.below(2);
    let count = (size - first) / 4;
    let place = |rng: &mut Rng| first + 4 * rng.below(count);
    for _ in 0..1 + rng.below(3) {
        let at = place(&mut rng);
        match rng.below(6) {
            0 => made[at + rng.below(4)] ^= 1 << rng.below(8),
            1 => made[at..at + 4].copy_from_slice(&EDGES[rng.below(EDGES.len())].to_le_bytes()),
            2 => made[at..at + 4].copy_from_slice(&(rng.next() as u32).to_le_bytes()),
            3 => {
                let from = place(&mut rng);
                made.copy_within(from..from + 4, at);
            }
            // Some bits come from another word.
            4 => {
                let (from, mask) = (place(&mut rng), rng.next() as u32 & rng.next() as u32);
                let word = |at: usize| u32::from_le_bytes([made[at], made[at + 1], made[at + 2], made[at + 3]]);
                let new = word(at) & !mask | word(from) & mask;
                made[at..at + 4].copy_from_slice(&new.to_le_bytes());
            }
            _ => {
                let len = 4 * (1 + rng.below(4));
                let from = place(&mut rng);
                if from + len <= size && at + len <= size {
                    made.copy_within(from..from + len, at);
                }
            }
        }
    }
    put(data, max, &made)
}

/// Words in front of the first instruction of SPIR-V.
const HEADER: usize = 5;

/// SPIR-V modules.
pub fn spirv(data: &mut [u8], size: usize, max: usize, seed: u32) -> usize {
    let mut rng = Rng(u64::from(seed));
    if size < 4 * HEADER + 8 || rng.below(16) == 0 {
        return fuzzer_mutate(data, size, max);
    }
    let mut code: Vec<u32> =
        data[..size].chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    for _ in 0..1 + rng.below(3) {
        change_spirv(&mut code, &mut rng);
    }
    code.truncate(MOST / 4);
    let made: Vec<u8> = code.iter().flat_map(|w| w.to_le_bytes()).collect();
    put(data, max, &made)
}

fn change_spirv(code: &mut Vec<u32>, rng: &mut Rng) {
    let mut list = Vec::new();
    let mut at = HEADER;
    while at < code.len() {
        let len = (code[at] >> 16) as usize;
        if len == 0 || at + len > code.len() {
            break;
        }
        list.push((at, len));
        at += len;
    }
    if list.is_empty() {
        return;
    }
    let (at, len) = list[rng.below(list.len())];
    match rng.below(8) {
        // An operand becomes one of another instruction.
        0..=2 => {
            let (from, n) = list[rng.below(list.len())];
            if len > 1 && n > 1 {
                code[at + 1 + rng.below(len - 1)] = code[from + 1 + rng.below(n - 1)];
            }
        }
        // The operation becomes that of an instruction as long.
        3 | 4 => {
            let same: Vec<usize> = list.iter().filter(|i| i.1 == len).map(|i| i.0).collect();
            code[at] = code[same[rng.below(same.len())]];
        }
        5 => {
            if len > 1 {
                code[at + len - 1] = EDGES[rng.below(EDGES.len())];
            }
        }
        6 => {
            code.drain(at..at + len);
        }
        _ => {
            let copy = code[at..at + len].to_vec();
            let to = list[rng.below(list.len())].0;
            code.splice(to..to, copy);
        }
    }
}
