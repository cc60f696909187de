//! Pointers that are addresses: programs in GLSL with `buffer_reference`, as glslang writes them and as `spirv-opt` leaves them, on the oracle
//! and on every machine that has addresses of 64 bits. What memory holds afterwards is computed here.
//!
//! Without `glslangValidator` nothing is run, and the tests say so.

use gpucc::CodegenOptions;
use gpucc_glsl::{need, scratch};
use gpucc_ir::{Module, Refusal};
use gpucc_sim::{BoundBuffer, Dispatch, RunOptions};
use gpucc_tests::exec::{self, On, Problem};
use rayon::prelude::*;

use crate::sources::spirv::lowered;

const HEAD: &str = "#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_atomic_int64 : require
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) buffer O { uint o[]; };
#define REF(n) layout(buffer_reference, std430, buffer_reference_align = n) buffer
";

/// Buffers before or after a run, and where those lie that have addresses.
#[derive(Clone)]
struct World(Dispatch);

impl World {
    /// With so many words to write results to.
    fn new(words: usize) -> World {
        World(Dispatch::new([1; 3]).with(0, 0, vec![0; 4 * words]))
    }

    /// Binds words at binding 1.
    fn bind(&mut self, words: &[u32]) {
        self.0 = std::mem::take(&mut self.0).with_u32(0, 1, words);
    }

    /// A buffer that nothing is bound to; gives its address.
    fn room(&mut self, bytes: usize) -> u64 {
        let place = self.0.buffers.len();
        self.0.buffers.push(BoundBuffer { group: 9, binding: place as u32, bytes: vec![0; bytes], writable: true });
        self.0.give_address(place).expect("there are few of them")
    }

    /// Gives the immediate data.
    fn push(&mut self, words: &[u64]) {
        let bytes = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        self.0 = std::mem::take(&mut self.0).with_immediates(bytes);
    }

    fn put(&mut self, address: u64, bytes: &[u8]) {
        let found = self.0.addresses.iter().filter(|a| a.1 <= address).max_by_key(|a| a.1);
        let &(place, base) = found.expect("an address");
        let at = (address - base) as usize;
        self.0.buffers[place].bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }

    fn word(&mut self, address: u64, v: u32) {
        self.put(address, &v.to_le_bytes());
    }

    fn words(&mut self, address: u64, list: &[u32]) {
        (0..).zip(list).for_each(|(k, &v)| self.word(address + 4 * k, v));
    }

    fn wide(&mut self, address: u64, v: u64) {
        self.put(address, &v.to_le_bytes());
    }

    fn floats(&mut self, address: u64, list: &[f32]) {
        (0..).zip(list).for_each(|(k, v)| self.word(address + 4 * k, v.to_bits()));
    }

    /// A result.
    fn out(&mut self, at: usize, v: u32) {
        self.0.buffers[0].bytes[4 * at..4 * at + 4].copy_from_slice(&v.to_le_bytes());
    }
}

/// A program, and what memory holds before and after it.
struct Program {
    name: &'static str,
    text: &'static str,
    worlds: fn() -> (World, World),
}

/// Numbers that look random.
fn noise(k: usize) -> u32 {
    let x = (k as u32).wrapping_mul(0x9e37_79b9) ^ 0x1234_5678;
    (x ^ x >> 15).wrapping_mul(0x85eb_ca6b) >> 3
}

fn linked_list() -> (World, World) {
    let mut w = World::new(128);
    let blocks: Vec<u64> = (0..3).map(|_| w.room(16 * 16)).collect();
    let at = |k: usize| blocks[k % 3] + 16 * ((k * 5 / 3) % 16) as u64;
    for k in 0..40 {
        w.words(at(k), &[noise(k), k as u32]);
        w.wide(at(k) + 8, if k < 39 { at(k + 1) } else { 0 });
    }
    w.push(&[at(0), 40]);
    let mut after = w.clone();
    for i in 0..64 {
        let walked = (i + 1).min(40);
        let sum = (0..walked).fold(0u32, |s, k| s.wrapping_mul(31).wrapping_add(noise(k)));
        after.out(i, sum);
        after.out(64 + i, walked as u32);
    }
    (w, after)
}

fn search_tree() -> (World, World) {
    let mut w = World::new(64);
    let room = w.room(24 * 48);
    let keys: Vec<u32> = (0..48).map(|k| noise(k) % 97).collect();
    // Children of each node; equal keys go to the right, where nobody finds them.
    let mut kids: Vec<[Option<usize>; 2]> = vec![[None; 2]; keys.len()];
    for k in 1..keys.len() {
        let mut at = 0;
        loop {
            let side = usize::from(keys[k] >= keys[at]);
            match kids[at][side] {
                Some(next) => at = next,
                None => break kids[at][side] = Some(k),
            }
        }
    }
    let at = |k: usize| room + 24 * k as u64;
    for k in 0..keys.len() {
        w.words(at(k), &[keys[k], 1000 + k as u32]);
        w.wide(at(k) + 8, kids[k][0].map_or(0, at));
        w.wide(at(k) + 16, kids[k][1].map_or(0, at));
    }
    w.push(&[at(0)]);
    let mut after = w.clone();
    for i in 0..64 {
        let found = keys.iter().position(|&k| k == (i * 7 % 97) as u32);
        after.out(i, found.map_or(u32::MAX, |k| 1000 + k as u32));
    }
    (w, after)
}

fn materials() -> (World, World) {
    let mut w = World::new(64);
    let table = w.room(16 + 32 * 7);
    w.word(table, 7);
    for k in 0..7u16 {
        let (at, f) = (table + 16 + 32 * u64::from(k), f32::from(k));
        w.floats(at, &[f, f + 1.0, 2.0, 0.5, f * 0.25]);
        w.word(at + 20, u32::from(k) * 3);
        w.floats(at + 24, &[f, -f]);
    }
    w.push(&[table]);
    let mut after = w.clone();
    for i in 0..64usize {
        let k = (i % 7) as f32;
        let dot = k + 2.0 * (k + 1.0) + 6.0 + 2.0;
        after.out(i, (dot * k * 0.25 + 2.0 * k).to_bits().wrapping_add(3 * (i as u32 % 7)));
    }
    (w, after)
}

fn ring() -> (World, World) {
    let mut w = World::new(1);
    let ring = w.room(8 + 4 * 64);
    w.words(ring, &[5, 63]);
    w.push(&[ring]);
    let mut after = w.clone();
    after.word(ring, 5 + 192);
    (0..64).for_each(|k| after.word(ring + 8 + 4 * k, 3));
    after.out(0, 192);
    (w, after)
}

fn hashes() -> (World, World) {
    let mut w = World::new(128);
    let table = w.room(16 * 64);
    let texts = w.room(64 * 12);
    for i in 0..64u64 {
        w.wide(table + 16 * i, texts + 12 * i);
        w.word(table + 16 * i + 8, i as u32 % 13);
        (0..3).for_each(|k| w.word(texts + 12 * i + 4 * k, noise((3 * i + k) as usize)));
    }
    w.push(&[table]);
    let mut after = w.clone();
    for i in 0..64 {
        let bytes: Vec<u8> = (0..3).flat_map(|k| noise(3 * i + k).to_le_bytes()).collect();
        let hash = bytes[..i % 13]
            .iter()
            .fold(0xcbf2_9ce4_8422_2325u64, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3));
        after.out(2 * i, hash as u32);
        after.out(2 * i + 1, (hash >> 32) as u32);
    }
    (w, after)
}

fn big_numbers() -> (World, World) {
    let mut w = World::new(64);
    let table = w.room(24 * 64);
    let (a, b, c) = (w.room(32 * 64), w.room(32 * 64), w.room(32 * 64));
    for i in 0..64u64 {
        for (k, base) in [a, b, c].into_iter().enumerate() {
            w.wide(table + 24 * i + 8 * k as u64, base + 32 * i);
        }
        for k in 0..8 {
            // Long carries, too.
            let all = i % 3 == 0 && k < 7;
            w.word(a + 32 * i + 4 * k, if all { u32::MAX } else { noise((8 * i + k) as usize) << 3 });
            w.word(b + 32 * i + 4 * k, if all { u32::from(k == 0) } else { noise((8 * i + k + 999) as usize) << 3 });
        }
    }
    w.push(&[table]);
    let mut after = w.clone();
    let get = |w: &World, address: u64| {
        let &(place, base) = w.0.addresses.iter().filter(|x| x.1 <= address).max_by_key(|x| x.1).expect("an address");
        let at = (address - base) as usize;
        u32::from_le_bytes(w.0.buffers[place].bytes[at..at + 4].try_into().expect("four bytes"))
    };
    for i in 0..64u64 {
        let (mut carry, mut high) = (0u64, 0u64);
        for k in 0..8 {
            let at = 32 * i + 4 * k;
            let sum = u64::from(get(&w, a + at)) + u64::from(get(&w, b + at)) + carry;
            carry = sum >> 32;
            let product = (sum & 0xffff_ffff) * 1_000_003 + high;
            high = product >> 32;
            after.word(c + at, product as u32);
        }
        after.out(i as usize, (high as u32) ^ (carry as u32) << 31);
    }
    (w, after)
}

fn particles() -> (World, World) {
    let mut w = World::new(1);
    let pool = w.room(32 * 64);
    let dead = w.room(4);
    w.push(&[pool, dead]);
    let mut after = w.clone();
    let mut died = 0;
    for i in 0..64u16 {
        let (at, f, life) = (pool + 32 * u64::from(i), f32::from(i), f32::from(i % 5));
        let alive = u32::from(i % 7 != 0);
        w.floats(at, &[f, -f, 2.0, life, 2.0, 4.0, f]);
        w.word(at + 28, alive);
        after.floats(at, &[f, -f, 2.0, life, 2.0, 4.0, f]);
        after.word(at + 28, alive);
        if alive == 1 {
            after.floats(at, &[f + 1.0, 2.0 - f, 2.0 + f * 0.5, life - 1.0]);
            let dies = life - 1.0 <= 0.0;
            after.word(at + 28, u32::from(!dies));
            died += u32::from(dies);
        }
    }
    after.word(dead, died);
    after.out(0, died);
    (w, after)
}

fn pointer_table() -> (World, World) {
    let mut w = World::new(64);
    let rooms: Vec<u64> = (0..5).map(|_| w.room(4 * 64)).collect();
    for (n, &room) in rooms.iter().enumerate() {
        (0..64).for_each(|k| w.word(room + 4 * k, noise(100 * n + k as usize)));
    }
    w.bind(&rooms.iter().flat_map(|r| [*r as u32, (*r >> 32) as u32]).collect::<Vec<_>>());
    let mut after = w.clone();
    (0..64).for_each(|i| after.out(i, noise(100 * (i % 5) + i)));
    (w, after)
}

fn matrices() -> (World, World) {
    let mut w = World::new(64 * 8);
    let x = w.room(128);
    (0..4).for_each(|c| w.floats(x + 16 * c, &[0, 1, 2, 3].map(|r| (4 * c + r) as f32)));
    // Rows of three at 64, two of them; then a vector.
    (0..2).for_each(|r| w.floats(x + 64 + 16 * r, &[0, 1, 2].map(|c| (10 * r + c) as f32)));
    w.floats(x + 96, &[1.0, -2.0, 3.0]);
    w.push(&[x]);
    let mut after = w.clone();
    for i in 0..64 {
        let v = [i as f32, 1.0, 2.0, -1.0];
        for r in 0..4 {
            let sum: f32 = (0..4).map(|c| (4 * c + r) as f32 * v[c]).sum();
            after.out(8 * i + r, sum.to_bits());
        }
        let t = [1.0, -2.0, 3.0];
        for r in 0..2 {
            let sum: f32 = (0..3).map(|c| (10 * r + c) as f32 * t[c]).sum();
            after.out(8 * i + 4 + r, sum.to_bits());
        }
        after.out(8 * i + 6, (3.0 + i as f32).to_bits());
    }
    (w, after)
}

fn arithmetic() -> (World, World) {
    let mut w = World::new(256);
    let room = w.room(8 * 64);
    (0..128).for_each(|k| w.word(room + 4 * k, noise(k as usize)));
    w.push(&[room]);
    let mut after = w.clone();
    for i in 0..64 {
        after.out(4 * i, noise(2 * i));
        after.out(4 * i + 1, noise(2 * i + 1));
        after.out(4 * i + 2, noise(2 * (63 - i)));
        after.out(4 * i + 3, 8 * i as u32);
    }
    (w, after)
}

fn swapped() -> (World, World) {
    let mut w = World::new(64);
    let (slot, cells) = (w.room(16), w.room(8));
    w.words(cells, &[111, 222]);
    w.wide(slot, cells);
    w.wide(slot + 8, cells + 4);
    w.push(&[slot]);
    let mut after = w.clone();
    after.wide(slot, cells + 4);
    after.wide(slot + 8, cells);
    (0..64).for_each(|i| after.out(i, if i % 2 == 1 { 222 } else { 111 }));
    (w, after)
}

fn atomics() -> (World, World) {
    let mut w = World::new(64 * 3);
    let room = w.room(4 * (16 + 128));
    w.words(room, &[7, 7, 500, 30, u32::MAX, 0, 0x55, 0, 100, u32::MAX - 2]);
    (0..64).for_each(|i| {
        w.word(room + 64 + 4 * i, 1000 + i as u32);
        w.word(room + 64 + 256 + 4 * i, i as u32 % 3);
    });
    w.push(&[room]);
    let mut after = w.clone();
    let xor = (0..64).fold(0x55, |x, i| x ^ (i * 3));
    after.words(room, &[7 + 2016, (7 - 2016i32) as u32, 0, 63, u32::MAX << 6, 63, xor, 64, 100, u32::MAX - 2]);
    // Minima and maxima of signed numbers.
    after.word(room + 32, -63i32 as u32);
    after.word(room + 36, 63);
    for i in 0..64u64 {
        after.word(room + 64 + 4 * i, i as u32);
        after.out(3 * i as usize, 1000 + i as u32);
        after.out(3 * i as usize + 1, i as u32 % 3);
        if i % 3 == 1 {
            after.word(room + 64 + 256 + 4 * i, 77 + i as u32);
        }
    }
    (w, after)
}

fn narrow() -> (World, World) {
    let mut w = World::new(64);
    let room = w.room(64 + 128 + 64);
    for i in 0..64u64 {
        w.put(room + i, &[noise(i as usize) as u8]);
        w.put(room + 64 + 2 * i, &[(noise(i as usize + 70)) as u8, 0x80 | i as u8]);
    }
    w.push(&[room]);
    let mut after = w.clone();
    for i in 0..64u64 {
        let byte = noise(i as usize) as u8;
        let short = i16::from_le_bytes([noise(i as usize + 70) as u8, 0x80 | i as u8]);
        let s = (byte as i8 as i16).wrapping_mul(3).wrapping_sub(100);
        after.put(room + 64 + 2 * i, &s.to_le_bytes());
        after.put(room + 192 + i, &[byte.wrapping_add(9)]);
        after.out(i as usize, short as i32 as u32);
    }
    (w, after)
}

fn vectors() -> (World, World) {
    let mut w = World::new(64);
    // vec2 at 0, ivec3 at 16, float at 28, uvec4 at 32: 48 bytes each.
    let (from, to) = (w.room(48 * 64), w.room(48 * 64));
    for i in 0..64u64 {
        for k in [0, 1, 4, 5, 6, 7, 8, 9, 10, 11] {
            w.word(from + 48 * i + 4 * k, 0x3f80_0000 + noise((12 * i + k) as usize) % 1000);
        }
    }
    w.push(&[from, to]);
    let mut after = w.clone();
    for i in 0..64u64 {
        let get = |k: u64| 0x3f80_0000 + noise((12 * i + k) as usize) % 1000;
        let at = to + 48 * i;
        after.words(at, &[get(1), get(0)]);
        after.words(at + 16, &[get(6), get(4), get(5), get(7)]);
        after.words(at + 32, &[get(11), get(10), get(9), get(8)]);
        after.out(i as usize, get(4).wrapping_add(get(8)));
    }
    (w, after)
}

fn choices() -> (World, World) {
    let mut w = World::new(64);
    let nodes = w.room(16 * 8);
    let at = |k: usize| nodes + 16 * k as u64;
    for k in 0..8 {
        w.word(at(k), noise(k));
        w.wide(at(k) + 8, at((k * 3 + 1) % 8));
    }
    w.push(&[at(2), at(5)]);
    let mut after = w.clone();
    for i in 0..64usize {
        let mut p = if i & 1 == 1 { 2 } else { 5 };
        let mut sum = 0u32;
        for k in 0..6 {
            if i >> k & 1 == 1 {
                p = (p * 3 + 1) % 8;
            }
            sum = sum.wrapping_mul(5).wrapping_add(noise(p));
        }
        after.out(i, sum);
    }
    (w, after)
}

fn functions() -> (World, World) {
    let mut w = World::new(64);
    let rooms: Vec<u64> = (0..3).map(|_| w.room(4 * 64)).collect();
    for (n, &room) in rooms.iter().enumerate() {
        (0..64).for_each(|k| w.word(room + 4 * k, noise(64 * n + k as usize)));
    }
    w.push(&rooms);
    let mut after = w.clone();
    for i in 0..64 {
        let (a, b) = (noise(64 * (i % 3) + i), noise(64 * ((i + 1) % 3) + 63 - i));
        after.out(i, a.wrapping_add(b.wrapping_mul(3)));
    }
    (w, after)
}

fn pairs() -> (World, World) {
    let mut w = World::new(128);
    let rooms: Vec<u64> = (0..4).map(|_| w.room(4 * 64)).collect();
    for (n, &room) in rooms.iter().enumerate() {
        (0..64).for_each(|k| w.word(room + 4 * k, noise(64 * n + k as usize)));
    }
    w.bind(&rooms.iter().flat_map(|r| [*r as u32, (*r >> 32) as u32]).collect::<Vec<_>>());
    let mut after = w.clone();
    for i in 0..64 {
        after.out(2 * i, noise(64 * (i % 4) + i));
        after.out(2 * i + 1, (rooms[i % 4] >> 32) as u32 ^ rooms[i % 4] as u32);
    }
    (w, after)
}

fn graph() -> (World, World) {
    let mut w = World::new(1);
    let nodes = w.room(40 * 24);
    let at = |k: usize| nodes + 40 * k as u64;
    let next = |k: usize| (0..k % 4).map(move |j| (k * 5 + 7 * j + 1) % 20).collect::<Vec<_>>();
    for k in 0..24 {
        w.words(at(k), &[u32::MAX, next(k).len() as u32]);
        for (j, to) in (0..).zip(next(k)) {
            w.wide(at(k) + 8 + 8 * j, at(to));
        }
    }
    w.push(&[at(3)]);
    let mut after = w.clone();
    let mut depth = [u32::MAX; 24];
    depth[3] = 0;
    let mut queue = std::collections::VecDeque::from([3]);
    let mut seen = 1;
    while let Some(k) = queue.pop_front() {
        for to in next(k) {
            if depth[to] == u32::MAX {
                depth[to] = depth[k] + 1;
                seen += 1;
                queue.push_back(to);
            }
        }
    }
    (0..24).for_each(|k| after.word(at(k), depth[k]));
    after.out(0, seen);
    (w, after)
}

fn histogram() -> (World, World) {
    let mut w = World::new(64);
    let (values, bins, sums) = (w.room(4 * 64), w.room(64), w.room(64));
    (0..64).for_each(|k| w.word(values + 4 * k, noise(k as usize)));
    w.push(&[values, bins, sums]);
    let mut after = w.clone();
    let mut count = [0; 16];
    (0..64).for_each(|k| count[noise(k) as usize % 16] += 1);
    let mut sum = 0;
    for (k, n) in (0..).zip(count) {
        after.word(bins + 4 * k, n);
        after.word(sums + 4 * k, sum);
        sum += n;
    }
    for i in 0..64 {
        let bin = noise(i) as usize % 16;
        after.out(i, count[..bin].iter().sum::<u32>());
    }
    (w, after)
}

fn aliases() -> (World, World) {
    let mut w = World::new(128);
    w.bind(&(0..64).map(noise).collect::<Vec<_>>());
    let place = w.0.index_of(0, 1).expect("bound above");
    let address = w.0.give_address(place).expect("there are few of them");
    w.push(&[address]);
    let mut after = w.clone();
    for i in 0..64 {
        after.0.buffers[place].bytes[4 * i..4 * i + 4].copy_from_slice(&(2 * (noise(i) + 1)).to_le_bytes());
        after.out(2 * i, noise(i) + 1);
        after.out(2 * i + 1, 2 * (noise(i) + 1));
    }
    (w, after)
}

fn wide_table() -> (World, World) {
    let mut w = World::new(128);
    let table = w.room(16 * 128);
    let key = |k: usize| u64::from(noise(k)) << 32 | u64::from(noise(k + 500)) | 1;
    let slot = |k: u64| ((k ^ k >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 57) as usize;
    let mut taken = [None; 128];
    for k in 0..90 {
        let mut at = slot(key(k));
        while taken[at].is_some() {
            at = (at + 1) % 128;
        }
        taken[at] = Some(k);
        w.wide(table + 16 * at as u64, key(k));
        w.wide(table + 16 * at as u64 + 8, u64::from(noise(k + 700)) * 0x1_0000_0001);
    }
    let keys = w.room(8 * 64);
    // Each third is not there.
    (0..64).for_each(|i| w.wide(keys + 8 * i as u64, if i % 3 == 2 { key(i) + 2 } else { key(i) }));
    w.push(&[table, keys]);
    let mut after = w.clone();
    for i in 0..64 {
        let value = if i % 3 == 2 { u64::MAX } else { u64::from(noise(i + 700)) * 0x1_0000_0001 };
        after.out(2 * i, value as u32);
        after.out(2 * i + 1, (value >> 32) as u32);
    }
    (w, after)
}

fn wide_atomics() -> (World, World) {
    let mut w = World::new(256);
    let room = w.room(8 * (8 + 64));
    // A sum that carries, least and most of both sorts, bits; then one for each lane.
    let before = [0xffff_fff0, u64::MAX, 5, i64::MAX as u64, 1 << 63, u64::MAX, 0, 0x55];
    (0..).zip(before).for_each(|(k, v)| w.wide(room + 8 * k, v));
    let own = |i: u64| u64::from(noise(i as usize)) << 32 | i;
    (0..64).for_each(|i| w.wide(room + 64 + 8 * i, own(i)));
    w.push(&[room]);
    let mut after = w.clone();
    let all = |f: fn(u64, u64) -> u64, first: u64| (0..64).map(|i| u64::from(noise(i)) << 33 | i as u64).fold(first, f);
    after.wide(room, all(|a, b| a.wrapping_add(b), before[0]));
    after.wide(room + 8, all(u64::min, before[1]));
    after.wide(room + 16, all(u64::max, before[2]));
    after.wide(room + 24, all(|a, b| (a as i64).min(0 - b as i64) as u64, before[3]));
    after.wide(room + 32, all(|a, b| (a as i64).max(0 - b as i64) as u64, before[4]));
    after.wide(room + 40, all(|a, b| a & !b, before[5]));
    after.wide(room + 48, all(|a, b| a | b, before[6]));
    after.wide(room + 56, all(|a, b| a ^ b, before[7]));
    for i in 0..64 {
        let v = u64::from(noise(i)) << 33 | i as u64;
        // Each third is not what is expected.
        after.wide(room + 64 + 8 * i as u64, if i % 3 == 0 { own(i as u64) } else { v });
        after.out(4 * i, own(i as u64) as u32);
        after.out(4 * i + 1, (own(i as u64) >> 32) as u32);
        after.out(4 * i + 2, v as u32);
        after.out(4 * i + 3, (v >> 32) as u32);
    }
    (w, after)
}

fn copies() -> (World, World) {
    let mut w = World::new(1);
    let (from, to) = (w.room(160 * 4 + 16), w.room(160 * 4 + 16));
    (0..164).for_each(|k| w.word(from + 4 * k, noise(k as usize)));
    w.push(&[from, to]);
    let mut after = w.clone();
    (0..164).for_each(|k| after.word(to + 4 * k, noise(k as usize)));
    (w, after)
}

#[rustfmt::skip]
const PROGRAMS: &[Program] = &[
    Program { name: "linked_list", worlds: linked_list, text: "
REF(8) Node; REF(8) Node { uint value; uint tag; Node next; };
layout(push_constant) uniform P { Node first; uint count; };
void main() { uint i = gl_LocalInvocationIndex; Node n = first; uint s = 0u, k = 0u;
    while (uint64_t(n) != 0ul && k <= i) { s = s * 31u + n.value; k++; n = n.next; }
    o[i] = s; o[64u + i] = k; }" },
    Program { name: "search_tree", worlds: search_tree, text: "
REF(8) Node; REF(8) Node { uint key; uint value; Node left; Node right; };
layout(push_constant) uniform P { Node root; };
void main() { uint i = gl_LocalInvocationIndex, key = i * 7u % 97u; uint found = 0xffffffffu;
    for (Node n = root; uint64_t(n) != 0ul; ) { if (n.key == key) { found = n.value; break; } n = key < n.key ? n.left : n.right; }
    o[i] = found; }" },
    Program { name: "materials", worlds: materials, text: "
struct Material { vec4 colour; float rough; uint kind; vec2 uv; };
REF(16) Table { uint n; Material m[]; };
layout(push_constant) uniform P { Table t; };
void main() { uint i = gl_LocalInvocationIndex; Material m = t.m[i % t.n];
    o[i] = floatBitsToUint(dot(m.colour, vec4(1, 2, 3, 4)) * m.rough + m.uv.x - m.uv.y) + m.kind; }" },
    Program { name: "ring", worlds: ring, text: "
REF(4) Ring { uint head; uint mask; uint data[]; };
layout(push_constant) uniform P { Ring r; };
void main() { for (int k = 0; k < 3; k++) { uint at = atomicAdd(r.head, 1u); atomicAdd(r.data[at & r.mask], 1u); }
    memoryBarrierBuffer(); barrier();
    if (gl_LocalInvocationIndex == 0u) { uint s = 0u; for (uint k = 0u; k <= r.mask; k++) s += r.data[k]; o[0] = s; } }" },
    Program { name: "hashes", worlds: hashes, text: "
REF(4) Text { uint w[]; };
struct Entry { Text text; uint bytes; uint none; };
REF(8) Table { Entry e[]; };
layout(push_constant) uniform P { Table t; };
void main() { uint i = gl_LocalInvocationIndex; uint64_t h = 14695981039346656037ul; Text text = t.e[i].text;
    for (uint k = 0u; k < t.e[i].bytes; k++) { h ^= uint64_t(text.w[k / 4u] >> (k % 4u * 8u) & 255u); h *= 1099511628211ul; }
    o[2u * i] = uint(h); o[2u * i + 1u] = uint(h >> 32); }" },
    Program { name: "big_numbers", worlds: big_numbers, text: "
REF(4) Big { uint w[8]; };
struct Job { Big a; Big b; Big c; };
REF(8) Jobs { Job j[]; };
layout(push_constant) uniform P { Jobs jobs; };
void main() { uint i = gl_LocalInvocationIndex; Job j = jobs.j[i]; uint carry = 0u, high = 0u;
    for (int k = 0; k < 8; k++) { uint c0, c1, c2, lo, hi; uint s = uaddCarry(j.a.w[k], j.b.w[k], c0); s = uaddCarry(s, carry, c1); carry = c0 + c1;
        umulExtended(s, 1000003u, hi, lo); j.c.w[k] = uaddCarry(lo, high, c2); high = hi + c2; }
    o[i] = high ^ carry << 31; }" },
    Program { name: "particles", worlds: particles, text: "
struct Particle { vec3 at; float life; vec3 speed; uint alive; };
REF(16) Pool { Particle p[]; };
REF(4) Count { uint n; };
layout(push_constant) uniform P { Pool pool; Count dead; };
void main() { uint i = gl_LocalInvocationIndex; Particle p = pool.p[i];
    if (p.alive == 1u) { p.at += p.speed * 0.5; p.life -= 1.0; if (p.life <= 0.0) { p.alive = 0u; atomicAdd(dead.n, 1u); } pool.p[i] = p; }
    memoryBarrierBuffer(); barrier(); if (i == 0u) o[0] = dead.n; }" },
    Program { name: "pointer_table", worlds: pointer_table, text: "
REF(4) Data { uint v[]; };
layout(std430, set = 0, binding = 1) readonly buffer T { Data d[]; };
void main() { uint i = gl_LocalInvocationIndex; o[i] = d[i % 5u].v[i]; }" },
    Program { name: "matrices", worlds: matrices, text: "
REF(16) Xf { mat4 m; layout(row_major) mat3x2 r; vec3 t; };
layout(push_constant) uniform P { Xf x; };
void main() { uint i = gl_LocalInvocationIndex; vec4 v = x.m * vec4(float(i), 1.0, 2.0, -1.0); vec2 u = x.r * x.t;
    for (uint k = 0u; k < 4u; k++) o[8u * i + k] = floatBitsToUint(v[k]);
    o[8u * i + 4u] = floatBitsToUint(u.x); o[8u * i + 5u] = floatBitsToUint(u.y); o[8u * i + 6u] = floatBitsToUint(x.t.z + float(i)); }" },
    Program { name: "arithmetic", worlds: arithmetic, text: "
REF(8) Pair { uint x; uint y; };
layout(push_constant) uniform P { Pair p; };
void main() { uint i = gl_LocalInvocationIndex; Pair q = Pair(uint64_t(p) + 8ul * uint64_t(i)); Pair last = p + 63;
    o[4u * i] = p[i].x; o[4u * i + 1u] = q.y; o[4u * i + 2u] = last[-int(i)].x; o[4u * i + 3u] = uint(uint64_t(q) - uint64_t(p)); }" },
    Program { name: "swapped", worlds: swapped, text: "
REF(4) Cell { uint v; };
REF(8) Slot { Cell a; Cell b; };
layout(push_constant) uniform P { Slot s; };
void main() { uint i = gl_LocalInvocationIndex;
    if (i == 0u) { Cell x = s.a; s.a = s.b; s.b = x; }
    memoryBarrierBuffer(); barrier(); o[i] = (i & 1u) == 1u ? s.a.v : s.b.v; }" },
    Program { name: "atomics", worlds: atomics, text: "
REF(4) A { uint add; uint sub; uint low; uint high; uint and_; uint or_; uint xor_; uint n; int smin; int smax; uint none[6]; uint x[64]; uint c[64]; };
layout(push_constant) uniform P { A a; };
void main() { uint i = gl_LocalInvocationIndex; atomicAdd(a.add, i); atomicAdd(a.sub, uint(-int(i))); atomicMin(a.low, i); atomicMax(a.high, i);
    atomicAnd(a.and_, ~(i & 63u)); atomicOr(a.or_, i); atomicXor(a.xor_, i * 3u); atomicAdd(a.n, 1u); atomicMin(a.smin, -int(i)); atomicMax(a.smax, int(i));
    o[3u * i] = atomicExchange(a.x[i], i); o[3u * i + 1u] = atomicCompSwap(a.c[i], 1u, 77u + i); }" },
    Program { name: "narrow", worlds: narrow, text: "
REF(4) N { int8_t b[64]; int16_t s[64]; uint8_t u[64]; };
layout(push_constant) uniform P { N n; };
void main() { uint i = gl_LocalInvocationIndex; o[i] = uint(int(n.s[i])); n.s[i] = int16_t(n.b[i]) * 3s - 100s; n.u[i] = uint8_t(n.b[i]) + uint8_t(9); }" },
    Program { name: "vectors", worlds: vectors, text: "
struct V { vec2 a; ivec3 b; float d; uvec4 c; };
REF(16) Vs { V v[]; };
layout(push_constant) uniform P { Vs from; Vs to; };
void main() { uint i = gl_LocalInvocationIndex; V x = from.v[i]; to.v[i].a = x.a.yx; to.v[i].b = x.b.zxy; to.v[i].d = x.d; to.v[i].c = x.c.wzyx;
    o[i] = uint(x.b.x) + x.c.x; }" },
    Program { name: "choices", worlds: choices, text: "
REF(8) Node; REF(8) Node { uint v; Node other; };
layout(push_constant) uniform P { Node a; Node b; };
void main() { uint i = gl_LocalInvocationIndex, s = 0u; Node p = (i & 1u) == 1u ? a : b;
    for (uint k = 0u; k < 6u; k++) { if ((i >> k & 1u) == 1u) p = p.other; s = s * 5u + p.v; } o[i] = s; }" },
    Program { name: "functions", worlds: functions, text: "
REF(4) Data { uint v[]; };
struct Held { Data d; uint at; };
layout(push_constant) uniform P { Data a; Data b; Data c; };
uint get(Data d, uint k) { return d.v[k]; }
uint held(Held h) { return get(h.d, h.at); }
Data pick(uint k) { Data list[3] = Data[3](a, b, c); return list[k % 3u]; }
void main() { uint i = gl_LocalInvocationIndex; Held h; h.d = pick(i); h.at = i; o[i] = held(h) + 3u * held(Held(pick(i + 1u), 63u - i)); }" },
    Program { name: "pairs", worlds: pairs, text: "
REF(4) Data { uint v[]; };
layout(std430, set = 0, binding = 1) readonly buffer T { uvec2 p[]; };
void main() { uint i = gl_LocalInvocationIndex; Data d = Data(p[i & 3u]); o[2u * i] = d.v[i]; uvec2 q = uvec2(d); o[2u * i + 1u] = q.x ^ q.y; }" },
    Program { name: "graph", worlds: graph, text: "
REF(8) Node; REF(8) Node { uint depth; uint n; Node next[4]; };
layout(push_constant) uniform P { Node first; };
void main() { if (gl_LocalInvocationIndex != 0u) return;
    Node queue[32]; uint head = 0u, tail = 1u; queue[0] = first; first.depth = 0u;
    while (head != tail) { Node x = queue[head++ & 31u];
        for (uint k = 0u; k < x.n; k++) { Node y = x.next[k]; if (y.depth == 0xffffffffu) { y.depth = x.depth + 1u; queue[tail++ & 31u] = y; } } }
    o[0] = tail; }" },
    Program { name: "histogram", worlds: histogram, text: "
REF(4) Values { uint v[64]; }; REF(4) Bins { uint b[16]; };
layout(push_constant) uniform P { Values x; Bins bins; Bins sums; };
void main() { uint i = gl_LocalInvocationIndex, bin = x.v[i] % 16u; atomicAdd(bins.b[bin], 1u); memoryBarrierBuffer(); barrier();
    if (i < 16u) { uint s = 0u; for (uint k = 0u; k < i; k++) s += bins.b[k]; sums.b[i] = s; }
    memoryBarrierBuffer(); barrier(); o[i] = sums.b[bin]; }" },
    Program { name: "aliases", worlds: aliases, text: "
REF(4) Data { uint v[]; };
layout(std430, set = 0, binding = 1) buffer B { uint b[]; };
layout(push_constant) uniform P { Data d; };
void main() { uint i = gl_LocalInvocationIndex; d.v[i] = b[i] + 1u; o[2u * i] = b[i]; b[i] = b[i] * 2u; o[2u * i + 1u] = d.v[i]; }" },
    Program { name: "wide_table", worlds: wide_table, text: "
struct Entry { uint64_t key; uint64_t value; };
REF(8) Table { Entry e[128]; }; REF(8) Keys { uint64_t k[]; };
layout(push_constant) uniform P { Table t; Keys keys; };
void main() { uint i = gl_LocalInvocationIndex; uint64_t key = keys.k[i], value = ~0ul;
    uint at = uint((key ^ key >> 29) * 0x9e3779b97f4a7c15ul >> 57);
    for (int n = 0; n < 128; n++) { uint64_t k = t.e[at].key; if (k == 0ul) break; if (k == key) { value = t.e[at].value; break; } at = (at + 1u) % 128u; }
    o[2u * i] = uint(value); o[2u * i + 1u] = uint(value >> 32); }" },
    Program { name: "wide_atomics", worlds: wide_atomics, text: "
REF(8) A { uint64_t sum; uint64_t low; uint64_t high; int64_t smin; int64_t smax; uint64_t and_; uint64_t or_; uint64_t xor_; uint64_t x[64]; };
layout(push_constant) uniform P { A a; };
shared uint64_t s[64];
void main() { uint i = gl_LocalInvocationIndex, n = i * 0x9e3779b9u ^ 0x12345678u; n = (n ^ n >> 15) * 0x85ebca6bu >> 3;
    uint64_t v = uint64_t(n) << 33 | uint64_t(i); s[i] = 1ul;
    atomicAdd(a.sum, v); atomicMin(a.low, v); atomicMax(a.high, v); atomicMin(a.smin, -int64_t(v)); atomicMax(a.smax, -int64_t(v));
    atomicAnd(a.and_, ~v); atomicOr(a.or_, v); atomicXor(a.xor_, v);
    uint64_t was = uint64_t(n) << 32 | uint64_t(i); uint64_t got = atomicCompSwap(a.x[i], i % 3u == 0u ? was + 1ul : was, v);
    atomicExchange(s[i], 2ul); atomicAdd(s[i], v - 2ul); uint64_t kept = atomicOr(s[i], 0ul);
    o[4u * i] = uint(got); o[4u * i + 1u] = uint(got >> 32); o[4u * i + 2u] = uint(kept); o[4u * i + 3u] = uint(kept >> 32); }" },
    Program { name: "copies", worlds: copies, text: "
struct Large { uint a[160]; vec4 b; };
REF(16) L { Large l; };
layout(push_constant) uniform P { L from; L to; };
void main() { if (gl_LocalInvocationIndex == 0u) to.l = from.l; }" },
];

/// SPIR-V of a text: as glslang writes it, and as `spirv-opt` leaves it.
fn modules(name: &str, text: &str) -> Vec<Module> {
    let modules = gpucc_glsl::modules(&format!("addresses-{name}.comp"), "vulkan1.2", &format!("{HEAD}{text}"));
    modules.iter().map(|bytes| lowered(bytes)).collect()
}

/// Where addresses are known.
fn places() -> Vec<On> {
    let all = exec::targets("all:all").into_iter();
    let wide = all.filter(|t| ["gcn", "valhall"].iter().any(|family| t.to_string().starts_with(family)));
    std::iter::once(On::Interp).chain(wide.map(exec::on)).collect()
}

#[test]
fn programs_leave_what_is_computed_here() {
    need!("glslangValidator");
    let places = places();
    PROGRAMS.par_iter().for_each(|p| {
        let (before, after) = (p.worlds)();
        for (k, module) in modules(p.name, p.text).iter().enumerate() {
            for &on in &places {
                for opt_level in [0, 2] {
                    let mut d = before.0.clone();
                    let codegen = CodegenOptions { opt_level, ..CodegenOptions::default() };
                    let what = format!("{} {on} -O{opt_level}, {}", p.name, ["glslang", "spirv-opt"][k]);
                    exec::run(module, "main", on, &codegen, &mut d, &RunOptions::default())
                        .unwrap_or_else(|e| panic!("{what}: {e}"));
                    for (got, want) in d.buffers.iter().zip(&after.0.buffers) {
                        let at = got.bytes.iter().zip(&want.bytes).position(|(a, b)| a != b);
                        assert!(at.is_none(), "{what}: {} at byte {at:?}", got.name());
                    }
                }
            }
        }
    });
}

#[test]
fn addresses_outside_of_every_buffer_trap() {
    need!("glslangValidator");
    let text = "
REF(8) Node; REF(8) Node { uint value; uint tag; Node next; };
layout(push_constant) uniform P { Node first; };
void main() { o[gl_LocalInvocationIndex] = first.next.value; }";
    let module = &modules("dangling", text)[0];
    let mut w = World::new(64);
    let room = w.room(16);
    // Behind the only node, where a second one would be.
    w.wide(room + 8, room + 16);
    w.push(&[room]);
    for on in places() {
        let run = exec::run(module, "main", on, &CodegenOptions::default(), &mut w.0.clone(), &RunOptions::default());
        let Err(Problem::Trap(text)) = run else { panic!("{on}: {run:?}") };
        assert!(text.contains(&format!("0x{:x}", room + 16)), "{on}: {text}");
        assert!(text.to_lowercase().contains("load"), "{on}: {text}");
    }
}

#[test]
fn chips_of_32_bits_refuse_addresses() {
    need!("glslangValidator");
    let module = &modules("refused", PROGRAMS[0].text)[0];
    for t in exec::targets("all:all") {
        let on = exec::on(t);
        let run = exec::run(
            module,
            "main",
            on,
            &CodegenOptions::default(),
            &mut (PROGRAMS[0].worlds)().0.0,
            &RunOptions::default(),
        );
        match run {
            Err(Problem::Refused(codes, _)) => assert!(codes.contains(&Refusal::PhysicalAddresses), "{t}: {codes:?}"),
            other => assert!(places().contains(&on), "{t}: {other:?}"),
        }
    }
}

/// `--verify` makes memory that addresses lead to: lists, trees and tables are followed there. The programs that are left have no one
/// result, or compute addresses of numbers.
#[test]
fn verification_follows_addresses() {
    need!("glslangValidator");
    let all = PROGRAMS.par_iter().map(|p| {
        let mut left = Vec::new();
        for (module, target) in modules(p.name, p.text).iter().zip(["gcn:gfx6", "valhall:v10"]) {
            let target = gpucc::Target::parse(target).expect("a target");
            let options = gpucc::Options { target, codegen: CodegenOptions::default() };
            let artifact = gpucc::compile(module, &options).unwrap_or_else(|d| panic!("{}: {d}", p.name));
            let given = gpucc_verify::InputOverrides::default();
            let done = gpucc_verify::verify(module, &artifact, target, &given);
            let done = done.unwrap_or_else(|d| panic!("{} on {target}: {d}", p.name));
            left.extend(done.iter().map(|n| format!("{} on {target}: {n}", p.name)));
        }
        left
    });
    let left: Vec<String> = all.flatten_iter().collect();
    // The inputs that are made for it lead to a misaligned address on the oracle.
    let open = |l: &&String| !l.starts_with("big_numbers on ");
    assert_eq!(left.iter().find(open), None);
}

/// A scene says where addresses of its buffers belong, by name: in the first bytes of buffers and in immediate data. What they lead to
/// is written though nothing binds it.
#[test]
fn scenes_place_addresses_by_name() {
    need!("glslangValidator");
    let text = "
REF(8) Node; REF(8) Node { Node next; uint value; uint seen; };
layout(push_constant) uniform P { Node first; uint count; };
void main() {
    if (gl_LocalInvocationIndex != 0u) return;
    Node n = first;
    for (uint k = 0u; k < count; ++k) { o[k] = n.value; n.seen = k + 1u; n = n.next; }
}";
    gpucc_glsl::module("addresses-scene.comp", "vulkan1.2", &format!("{HEAD}{text}"));
    let name = "addresses-scene.comp.spv";
    let scene = |output: &str, bound: &str| {
        format!(
            r#"format = "scene-1"
[shaders.s]
file = "{name}"
[buffers]
o = {{ size = 16 }}
list = {{ data = [ {{ addresses = ["list+16"] }}, {{ u32 = [5, 0] }}, {{ addresses = ["far+16"] }}, {{ u32 = [7, 0] }} ] }}
far = {{ data = [ {{ u32 = [1, 2, 3, 4, 0, 0, 11, 0] }} ] }}
[pipelines.p]
compute = {{ shader = "s" }}
[[passes]]
type = "compute"
pipeline = "p"
dispatch = [1]
immediates = {{ data = [ {{ addresses = ["list"] }}, {{ u32 = [3, 0] }} ] }}
bindings = [ {{ group = 0, binding = 0, buffer = "o" }}{bound} ]
[[outputs]]
name = "out"
buffer = "{output}"
"#
        )
    };
    let words = |bytes: &[u8]| -> Vec<u32> {
        bytes.chunks(4).map(|w| u32::from_le_bytes(w.try_into().expect("a word"))).collect()
    };
    let places = crate::draws::once_drawn::everywhere(&scene("o", ""), |at, bytes| {
        assert_eq!(words(bytes), [5, 7, 11, 0], "{at}");
    });
    assert!(places >= 4, "the oracle and a machine at two levels, not {places} runs");
    crate::draws::once_drawn::everywhere(&scene("far", ""), |at, bytes| {
        assert_eq!(words(bytes), [1, 2, 3, 4, 0, 0, 11, 3], "{at}");
    });
    // A part of what has an address is not bound apart.
    let part = scene("o", ", { group = 0, binding = 1, buffer = \"far\", size = 16 }");
    let file = gpucc_scene::SceneFile {
        scene: gpucc_scene::read::parse(&part, gpucc_scene::read::Language::Toml).expect("a scene"),
        name: String::new(),
        folder: scratch("").components().as_path().to_path_buf(),
        text: None,
    };
    let Err(said) = gpucc_render::PreparedScene::new(file) else { panic!("it is taken") };
    let said = said.to_string();
    assert!(said.contains("passes[0].bindings[1]") && said.contains("as a whole"), "{said}");
    let unknown = scene("o", "").replace("[\"list\"]", "[\"lost\"]");
    let scene = gpucc_scene::read::parse(&unknown, gpucc_scene::read::Language::Toml).expect("a scene");
    let said = gpucc_scene::check::scene(&scene).expect_err("there is no such buffer").to_string();
    assert!(said.contains("passes[0].immediates.addresses") && said.contains("`lost`"), "{said}");
}
