//! Damage to texts in their own terms: tokens, lines and blocks that go, are doubled or stand elsewhere, numbers at the edges of types, words that a
//! preprocessor heeds.

use gpucc_sim::SplitMix64;

const EDGES: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "4",
    "31",
    "32",
    "33",
    "63",
    "64",
    "255",
    "256",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295u",
    "1e38",
    "1e-45",
];

const PARTS: &[&str] = &[
    "#define X(a) a a\n",
    "#include \"x\"\n",
    "#version 110\n",
    "#if 1\n",
    "#endif\n",
    "#line 5 7\n",
    "#extension GL_ARB_x : enable\n",
    "/*",
    "\\\n",
    " mainImage(",
    "precision highp float;\n",
    "struct ",
    "layout(location = 3) ",
    "uniform ",
    "((((((((((((((((",
    "{{{{{{{{{{{{{{{{",
    " in ",
    " out ",
    " highp ",
    "sampler2D ",
    "gl_Position",
    "attribute vec4 q;\n",
    "\0",
    "\u{e4}",
];

/// Start and end of each token.
fn tokens(text: &str) -> Vec<(usize, usize)> {
    let kind = |c: char| if c.is_alphanumeric() || c == '_' { 0 } else { 1 + u8::from(c.is_whitespace()) };
    let mut out: Vec<(usize, usize, u8)> = Vec::new();
    for (at, c) in text.char_indices() {
        let (k, end) = (kind(c), at + c.len_utf8());
        match out.last_mut() {
            Some(last) if last.2 == k && k != 1 => last.1 = end,
            _ => out.push((at, end, k)),
        }
    }
    out.into_iter().map(|(a, b, _)| (a, b)).collect()
}

/// A text with one or two faults; no longer than `most` bytes.
pub fn damaged(text: &str, seed: u64, most: usize) -> String {
    let mut rng = SplitMix64::new(seed);
    rng.next_u64();
    let mut out = text.to_string();
    for _ in 0..1 + rng.below(2) {
        out = one(&out, &mut rng);
        if out.len() > most {
            let end = (0..=most).rev().find(|k| out.is_char_boundary(*k)).unwrap_or(0);
            out.truncate(end);
        }
    }
    out
}

fn one(text: &str, rng: &mut SplitMix64) -> String {
    let list = tokens(text);
    if list.len() < 4 {
        return text.into();
    }
    let mut pick = || list[rng.below(list.len() as u64) as usize];
    let (a, b) = pick();
    let (c, d) = pick();
    let put = |from: usize, to: usize, new: &str| format!("{}{new}{}", &text[..from], &text[to..]);
    match rng.below(12) {
        0..=2 => put(a, b, &text[c..d]),
        3 | 4 => {
            let numbers: Vec<_> =
                list.iter().filter(|t| text[t.0..].starts_with(|c: char| c.is_ascii_digit())).collect();
            match numbers.get(rng.below(numbers.len() as u64) as usize) {
                Some((from, to)) => put(*from, *to, EDGES[rng.below(EDGES.len() as u64) as usize]),
                None => put(a, b, ""),
            }
        }
        5 | 6 => {
            let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
            let (k, to) = (rng.below(lines.len() as u64) as usize, rng.below(lines.len() as u64) as usize);
            if rng.below(2) == 0 {
                lines.remove(k);
            } else {
                lines.insert(to, lines[k]);
            }
            lines.concat()
        }
        7 => put(a, a, &text[c.min(d)..].chars().take(60).collect::<String>()),
        8 => text[..a].into(),
        9 => put(a, a, PARTS[rng.below(PARTS.len() as u64) as usize]),
        10 => put(a, b, &text[a..b].repeat([2, 50, 2000][rng.below(3) as usize])),
        _ => put(a, b, ""),
    }
}
