//! One image instruction around a texture that lies in a buffer.
//!
//! Buffer 0: address registers, 64 words each, from byte 0; data registers of stores from byte 3072; results from byte 4096;
//! the texture from byte 8192. Addresses are in v8 and up, data in v20 and up, T# in s[16:23], S# in s[24:27].

use crate::common::Kernel;
use gpucc_sim::{Dispatch, Trap};

/// Where buffer 0 lies: the first place of the address space.
pub const BUFFER: u64 = 0x12_3400_0000;
/// Byte of the texture in the buffer.
pub const TEXTURE: usize = 8192;
/// Word 0 of a T# for the texture.
pub const BASE: u32 = ((BUFFER + TEXTURE as u64) >> 8) as u32;

/// A register: a value for each lane.
pub type Reg = [u32; 64];

/// An image instruction with everything that it reads.
#[derive(Clone)]
pub struct Shot {
    pub generation: u8,
    /// Mnemonic.
    pub name: String,
    /// `dmask:0x1 unorm` and the like.
    pub flags: String,
    /// Address registers, a value for each lane.
    pub address: Vec<Reg>,
    /// Data registers of stores and atomics.
    pub data: Vec<Reg>,
    pub texture: [u32; 8],
    pub sampler: [u32; 4],
    /// The texels, and room behind them.
    pub texels: Vec<u8>,
    /// EXEC at the instruction.
    pub exec: u64,
    /// Lanes in which addresses are written before.
    pub written: u64,
    /// Data registers as text names so many.
    pub width: u32,
    /// Lines between the instruction and the wait.
    pub before_wait: String,
}

/// The outcome.
pub struct Outcome {
    /// Data registers from v20, a value for each lane.
    pub v: Vec<[u32; 64]>,
    pub texels: Vec<u8>,
}

/// The same in all lanes.
pub fn all(v: u32) -> Reg {
    [v; 64]
}

/// The same float in all lanes.
pub fn f(v: f32) -> Reg {
    all(v.to_bits())
}

/// A value for each lane.
pub fn by(of: impl FnMut(usize) -> u32) -> Reg {
    std::array::from_fn(of)
}

impl Shot {
    pub fn new(generation: u8, name: &str, flags: &str, texture: [u32; 8], texels: &[u8]) -> Shot {
        Shot {
            generation,
            name: name.into(),
            flags: flags.into(),
            address: Vec::new(),
            data: Vec::new(),
            texture,
            sampler: nearest(generation),
            texels: texels.to_vec(),
            exec: u64::MAX,
            written: u64::MAX,
            width: 1,
            before_wait: String::new(),
        }
    }

    pub fn at(mut self, address: &[Reg]) -> Shot {
        self.address = address.to_vec();
        self
    }

    pub fn data(mut self, data: &[Reg]) -> Shot {
        self.data = data.to_vec();
        self
    }

    pub fn width(mut self, width: u32) -> Shot {
        self.width = width;
        self
    }

    fn text(&self) -> String {
        let mut t = String::from("v_lshlrev_b32_e32 v1, 2, v0\nv_add_u32_e32 v2, vcc, 4096, v1\n");
        if self.generation != 2 {
            t = t.replace("v_add_u32_e32", "v_add_i32_e32");
        }
        t = t.replace("4096", "0x1000");
        for (first, words) in [(16, &self.texture[..]), (24, &self.sampler[..])] {
            for (k, w) in words.iter().enumerate() {
                t += &format!("s_mov_b32 s{}, 0x{w:x}\n", first + k);
            }
        }
        let exec =
            |mask: u64| format!("s_mov_b32 exec_lo, 0x{:x}\ns_mov_b32 exec_hi, 0x{:x}\n", mask as u32, mask >> 32);
        for k in 0..8 {
            t += &format!("v_mov_b32_e32 v{}, 0\n", 20 + k);
        }
        for k in 0..self.data.len() {
            t += &format!("buffer_load_dword v{}, v1, s[0:3], 0 offen offset:{}\n", 20 + k, 3072 + 256 * k);
        }
        t += &exec(self.written);
        for k in 0..self.address.len() {
            t += &format!("buffer_load_dword v{}, v1, s[0:3], 0 offen offset:{}\n", 8 + k, 256 * k);
        }
        t += "s_waitcnt vmcnt(0)\n";
        t += &exec(self.exec);
        let data = match self.width {
            1 => "v20".to_string(),
            n => format!("v[20:{}]", 19 + n),
        };
        let sampled = ["sample", "gather4", "get_lod"].iter().any(|w| self.name.contains(w));
        let s = if sampled { ", s[24:27]" } else { "" };
        let address = self.address_text();
        t += &format!("{} {data}, {address}, s[16:23]{s} {}\n{}", self.name, self.flags, self.before_wait);
        t += "s_waitcnt vmcnt(0) expcnt(0)\n";
        t += &exec(u64::MAX);
        for k in 0..8 {
            t += &format!("buffer_store_dword v{}, v2, s[0:3], 0 offen offset:{}\n", 20 + k, 256 * k);
        }
        t + "s_endpgm"
    }

    /// As many registers as the text wants, which is less than are read.
    fn address_text(&self) -> String {
        let words = self.name.split('_').skip(2);
        let n = words.fold(1, |n, w| n + u32::from(matches!(w, "b" | "c" | "d" | "cd" | "o")));
        let n = if self.name.contains("sample") || self.name.contains("gather4") { n } else { 1 };
        if n == 1 { "v8".into() } else { format!("v[8:{}]", 7 + n) }
    }

    pub fn run(&self) -> Result<Outcome, Trap> {
        let mut bytes = vec![0; TEXTURE + self.texels.len()];
        let put = |bytes: &mut Vec<u8>, first: usize, regs: &[Reg]| {
            for (i, w) in regs.iter().flat_map(|r| r.iter()).enumerate() {
                bytes[first + 4 * i..first + 4 * i + 4].copy_from_slice(&w.to_le_bytes());
            }
        };
        put(&mut bytes, 0, &self.address);
        put(&mut bytes, 3072, &self.data);
        bytes[TEXTURE..].copy_from_slice(&self.texels);
        let mut d = Dispatch::new([1, 1, 1]).with(0, 0, bytes);
        Kernel::new(self.generation, 1, &self.text()).run(&mut d)?;
        let words = d.words(0, 0).unwrap();
        let v = (0..8).map(|k| std::array::from_fn(|lane| words[1024 + 64 * k + lane])).collect();
        Ok(Outcome { v, texels: d.buffers[0].bytes[TEXTURE..].to_vec() })
    }

    /// Result registers of lane 0.
    pub fn first(&self) -> [u32; 4] {
        let out = self.run().unwrap_or_else(|t| panic!("{}: {t}", self.name));
        [0, 1, 2, 3].map(|k| out.v[k][0])
    }

    pub fn floats(&self) -> [f32; 4] {
        self.first().map(f32::from_bits)
    }

    /// The message of the trap that it ends in.
    pub fn trap(&self) -> String {
        match self.run() {
            Ok(_) => panic!("{} did not trap", self.name),
            Err(t) => t.to_string(),
        }
    }
}

/// S# of the default sampler, as a driver dump has it: bit 31 of word 0 is set on gfx8 alone.
pub fn nearest(g: u8) -> [u32; 4] {
    [0x0800_0092 | compat(g), 0x00f0_0000, 0x6400_0000, 0]
}

/// S# of a linear sampler that repeats, between levels too.
pub fn linear(g: u8) -> [u32; 4] {
    [compat(g), 0x00f0_0000, 0x6850_0000, 0]
}

fn compat(g: u8) -> u32 {
    if g == 2 { 1 << 31 } else { 0 }
}

/// r32float, 4x4, three levels. Rows of every level are 64 bytes (16 texels), so that a level of at most four rows takes 256
/// bytes: word 4 holds a pitch of 16. Texel (x, y) of level l is 100 l + 10 y + x.
pub fn pyramid() -> ([u32; 8], Vec<u8>) {
    let words = [BASE, 0x1c40_0000, 0x4000_c003, 0x9282_0204, 0x0001_e000, 0, 0, 0];
    let mut texels = vec![0; 768];
    for l in 0..3 {
        for y in 0..4 >> l {
            for x in 0..4 >> l {
                let value = (100 * l + 10 * y + x) as f32;
                let at = 256 * l + 64 * y + 4 * x;
                texels[at..at + 4].copy_from_slice(&value.to_le_bytes());
            }
        }
    }
    (words, texels)
}
