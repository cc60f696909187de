//! Atomics in buffers, by FLAT and in LDS.

use super::*;

/// Atomics (sections 10, 11.1): name in buffers and FLAT, in LDS, memory, data, other, new memory.
const ATOMICS32: &[(&str, &str, u32, u32, u32, u32)] = &[
    ("swap", "wrxchg_b32", 5, 7, 0, 7),
    ("cmpswap", "cmpst_b32", 5, 7, 5, 7),
    ("cmpswap", "cmpst_b32", 5, 7, 4, 5),
    ("add", "add_u32", 5, 7, 0, 12),
    ("sub", "sub_u32", 5, 7, 0, -2i32 as u32),
    ("rsub", "rsub_u32", 5, 7, 0, 2),
    ("smin", "min_i32", 5, -1i32 as u32, 0, -1i32 as u32),
    ("umin", "min_u32", 5, -1i32 as u32, 0, 5),
    ("smax", "max_i32", 5, -1i32 as u32, 0, 5),
    ("umax", "max_u32", 5, -1i32 as u32, 0, -1i32 as u32),
    ("and", "and_b32", 12, 10, 0, 8),
    ("or", "or_b32", 12, 10, 0, 14),
    ("xor", "xor_b32", 12, 10, 0, 6),
    ("inc", "inc_u32", 5, 7, 0, 6),
    ("inc", "inc_u32", 7, 7, 0, 0),
    ("dec", "dec_u32", 5, 7, 0, 4),
    ("dec", "dec_u32", 0, 7, 0, 7),
    ("fcmpswap", "cmpst_f32", 0x3f80_0000, 0x4000_0000, 0x3f80_0000, 0x4000_0000),
    ("fmin", "min_f32", 0x3f80_0000, 0x4000_0000, 0, 0x3f80_0000),
    ("fmax", "max_f32", 0x3f80_0000, 0x4000_0000, 0, 0x4000_0000),
    ("", "add_f32", 0x3f80_0000, 0x4000_0000, 0, 0x4040_0000),
    ("", "mskor_b32", 0xff, 0x0f, 0x100, 0x1f0),
    ("", "wrap_b32", 9, 4, 100, 5),
    ("", "wrap_b32", 3, 4, 100, 103),
];

const ATOMICS64: &[(&str, &str, u64, u64, u64, u64)] = &[
    ("swap_x2", "wrxchg_b64", 5, 7, 0, 7),
    ("cmpswap_x2", "cmpst_b64", 5 << 32, 7, 5 << 32, 7),
    ("add_x2", "add_u64", 0xffff_ffff, 1, 0, 1 << 32),
    ("sub_x2", "sub_u64", 1 << 32, 1, 0, 0xffff_ffff),
    ("rsub_x2", "rsub_u64", 1, 1 << 32, 0, 0xffff_ffff),
    ("smin_x2", "min_i64", 5, u64::MAX, 0, u64::MAX),
    ("umin_x2", "min_u64", 5, u64::MAX, 0, 5),
    ("smax_x2", "max_i64", 5, u64::MAX, 0, 5),
    ("umax_x2", "max_u64", 5, u64::MAX, 0, u64::MAX),
    ("and_x2", "and_b64", 12 << 32, 10 << 32, 0, 8 << 32),
    ("or_x2", "or_b64", 12 << 32, 10 << 32, 0, 14 << 32),
    ("xor_x2", "xor_b64", 12 << 32, 10 << 32, 0, 6 << 32),
    ("inc_x2", "inc_u64", 0xffff_ffff, u64::MAX, 0, 1 << 32),
    ("dec_x2", "dec_u64", 1 << 32, u64::MAX, 0, 0xffff_ffff),
    ("fcmpswap_x2", "cmpst_f64", 0x3ff0 << 48, 0x4000 << 48, 0x3ff0 << 48, 0x4000 << 48),
    ("fmin_x2", "min_f64", 0x3ff0 << 48, 0x4000 << 48, 0, 0x3ff0 << 48),
    ("fmax_x2", "max_f64", 0x3ff0 << 48, 0x4000 << 48, 0, 0x4000 << 48),
    ("", "mskor_b64", 0xff << 32, 0x0f << 32, 0x100 << 32, 0x1f0 << 32),
];

/// One lane's atomic in a buffer, by FLAT and in LDS.
pub fn atomics(f: &mut Found) {
    let narrow = ATOMICS32
        .iter()
        .map(|&(b, l, m, d, o, n)| (b, l, 1u32, u64::from(m), u64::from(d), u64::from(o), u64::from(n)));
    let wide = ATOMICS64.iter().map(|&(b, l, m, d, o, n)| (b, l, 2, m, d, o, n));
    for (buffer, lds, w, mem, data, other, new) in narrow.chain(wide) {
        for g in 0..3u8 {
            let mut names = Vec::new();
            if !buffer.is_empty() {
                names.push(format!("buffer_atomic_{buffer}"));
                names.push(format!("flat_atomic_{buffer}"));
            }
            let (stem, ty) = lds.rsplit_once('_').unwrap();
            names.push(format!("ds_{lds}"));
            names.push(format!("ds_{stem}_rtn_{ty}"));
            for name in names {
                let Some(&o) = Op::ALL.iter().find(|o| o.name() == name) else { continue };
                for &r in rows_of(o, g) {
                    for glc in [0, 1] {
                        atomic_row(f, r, g, w, (mem, data, other, new), glc);
                    }
                }
            }
        }
    }
}

fn atomic_row(f: &mut Found, r: u16, g: u8, w: u32, (mem, data, other, new): (u64, u64, u64, u64), glc: u32) {
    let mut inst = build::inst(r);
    let row = inst.row();
    let name = row.text;
    let ds = row.attrs.format == Format::Ds;
    let swap = name.contains("cmp");
    // LDS names the comparison first (section 10); mskor the mask first.
    let (first, second) = if ds && swap { (other, data) } else { (data, other) };
    let words = |v: u64| [v as u32, (v >> 32) as u32];
    let mut before = String::from(
        "s_mov_b32 m0, -1\nv_mov_b32_e32 v8, s0\nv_mov_b32_e32 v9, s1\nv_mov_b32_e32 v7, 0\ns_mov_b64 exec, 1\n",
    );
    for i in 0..w {
        let (a, b) = (words(first)[i as usize], words(second)[i as usize]);
        // data1 of LDS is v14, of cmpswap right behind the new value.
        let at = if ds { 14 + i } else { 10 + w + i };
        before += &format!("v_mov_b32_e32 v{}, {a:#x}\nv_mov_b32_e32 v{at}, {b:#x}\n", 10 + i);
    }
    if ds {
        for i in 0..w {
            before +=
                &format!("v_mov_b32_e32 v6, {:#x}\nds_write_b32 v7, v6 offset:{}\n", words(mem)[i as usize], 4 * i);
        }
        before += "s_waitcnt lgkmcnt(0)\n";
    }
    let mut returns = name.contains("rtn") && ds;
    for (i, slot) in row.operands.iter().enumerate() {
        inst.vals[i] = match slot.name {
            "vdst" => {
                returns = true;
                1
            }
            "vdata" | "data" | "data0" => 10,
            "data1" => 14,
            "addr" if ds => 7,
            "addr" => 8,
            "soffset" => 128,
            "glc" if slot.field.width() == 1 => glc,
            _ => inst.vals[i],
        };
    }
    let buffer = row.attrs.format == Format::Mubuf;
    returns |= buffer && glc == 1;
    let out = if buffer { 10 } else { 1 };
    let mut after = String::from("s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)\n");
    if ds {
        for i in 0..w {
            after += &format!(
                "ds_read_b32 v6, v7 offset:{0}\ns_waitcnt lgkmcnt(0)\nbuffer_store_dword v6, off, s[0:3], 0 offset:{0}\ns_waitcnt vmcnt(0) expcnt(0)\n",
                4 * i
            );
        }
    }
    if returns {
        for i in 0..w {
            after += &format!("buffer_store_dword v{}, off, s[0:3], 0 offset:{}\n", out + i, 8 + 4 * i);
        }
    }
    after += "s_endpgm";
    let start = if ds { [0, 0] } else { words(mem) };
    match run(g, &before, &encode(&inst, g).unwrap(), &after, &[start[0], start[1], 0, 0], 512) {
        Ok(got) => {
            f.rows.insert(r);
            let value = |i: usize| if w == 2 { u64::from(got[i]) | u64::from(got[i + 1]) << 32 } else { got[i].into() };
            if value(0) != new || returns && value(2) != mem {
                f.failures.push(format!("{name} on {g}: {got:x?}, expected {new:#x} from {mem:#x}"));
            }
        }
        Err(t) => f.failures.push(format!("{name} on {g}: {t}")),
    }
}
