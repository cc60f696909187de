//! Rows of the vector ALU in all forms: one source, two, three, and compares.

use super::*;

/// Vector cases in all forms.
pub fn vector(f: &mut Found, text: &str) {
    for case in cases(text) {
        let o = op(&case.name);
        for g in 0..3u8 {
            for &r in rows_of(o, g) {
                vector_row(f, &case, r, g);
            }
        }
    }
}

fn vector_row(f: &mut Found, case: &Case, r: u16, g: u8) {
    let mut inst = build::inst(r);
    let row = inst.row();
    let cin = case.get("cin").unwrap_or(0) != 0;
    let mask = if cin { "-1" } else { "0" };
    let mut before = format!("s_mov_b64 vcc, {mask}\ns_mov_b64 s[34:35], {mask}\ns_mov_b32 m0, 0\n");
    let old = case.get("old").unwrap_or(0);
    before += &set(1, 44, old);
    let mut k = 0u32;
    let mut mask_in = "vcc";
    let mut width = 0;
    let mut scalar_dst = false;
    for (i, slot) in row.operands.iter().enumerate() {
        let source = slot.role == Role::Use || matches!(slot.kind, Kind::Literal);
        let v = match slot.kind {
            Kind::Vgpr(n) if slot.role != Role::Use => {
                width = n;
                1
            }
            Kind::SReg(_) if slot.name == "vdst" => {
                scalar_dst = true;
                30
            }
            Kind::SReg(2) if slot.name == "sdst" => {
                mask_in = "s32";
                32
            }
            Kind::SReg(2) => 34,
            Kind::Vcc => 0,
            Kind::Src(..) | Kind::VSrc(..) => 256 + 10 + 4 * k,
            Kind::Vgpr(_) | Kind::VMod(_) => 10 + 4 * k,
            // Two scalar registers would break the one-scalar rule.
            Kind::SSrc(_) if row.op == Op::VWritelaneB32 && slot.name == "src1" => operand::ZERO,
            Kind::SSrc(_) => 20 + 4 * k,
            Kind::Literal => {
                let value = case.ins[k as usize];
                let wide = row.text.contains("f64") && value > u64::from(u32::MAX);
                if wide && value as u32 != 0 || !wide && value > u64::from(u32::MAX) {
                    return; // Not representable as a literal; another case covers the row.
                }
                (if wide { value >> 32 } else { value }) as u32
            }
            Kind::DppCtrl => 0xe4,
            _ => inst.vals[i],
        };
        inst.vals[i] = v;
        if source && (slot.name.starts_with("src") || slot.name == "k") && slot.role != Role::Mod {
            before += &set(10 + 4 * k, 20 + 4 * k, case.ins.get(k as usize).copied().unwrap_or(0));
            k += 1;
        }
    }
    let text = {
        let mut t = String::new();
        <gpucc_gcn_machine::Gcn as gpucc_isa::Isa>::print(&inst, &gpucc_isa::TextCx::new(g), &mut t);
        t
    };
    if let Err(e) = build::check(&inst, g) {
        f.failures.push(format!("{text} on {g}: {e}"));
        return;
    }
    before += "s_nop 7\n";
    let sdst = if mask_in == "vcc" { ("vcc_lo", "vcc_hi") } else { ("s32", "s33") };
    let mut after = String::from("s_mov_b64 s[36:37], exec\ns_mov_b64 exec, -1\n");
    let has_mask = row.operands.iter().any(|s| s.name == "sdst");
    if has_mask {
        after += &format!("v_mov_b32_e32 v20, {}\nv_mov_b32_e32 v21, {}\n", sdst.0, sdst.1);
    } else {
        after += "v_mov_b32_e32 v20, 0\nv_mov_b32_e32 v21, 0\n";
    }
    after += "v_mov_b32_e32 v22, s36\nv_mov_b32_e32 v23, s37\n";
    if scalar_dst {
        after += "v_mov_b32_e32 v1, s30\nv_mov_b32_e32 v2, 0\n";
    }
    after += STORES;
    let bytes = encode(&inst, g).unwrap();
    let words = match run(g, &before, &bytes, &after, &[0; 512], 0) {
        Ok(w) => w,
        Err(t) => {
            f.failures.push(format!("{text} on {g}: {t}"));
            return;
        }
    };
    f.rows.insert(r);
    let got =
        if width == 1 || scalar_dst { u64::from(words[0]) } else { u64::from(words[0]) | u64::from(words[64]) << 32 };
    if let Some(want) = case.out.filter(|&w| (width > 0 || scalar_dst) && got != w) {
        f.failures.push(format!("{text} on {g} of {:x?}: {got:#x}, expected {want:#x}", case.ins));
    }
    if let Some(c) = case.get("cout") {
        let mask = u64::from(words[128]) | u64::from(words[192]) << 32;
        if mask != if c != 0 { u64::MAX } else { 0 } {
            f.failures.push(format!("{text} on {g}: mask {mask:#x}"));
        }
    }
    if let Some(c) = case.get("exec") {
        let exec = u64::from(words[256]) | u64::from(words[320]) << 32;
        if exec != if c != 0 { u64::MAX } else { 0 } {
            f.failures.push(format!("{text} on {g}: exec {exec:#x}"));
        }
    }
}

/// Section 7, 6.1: one source.
pub const VOP1: &str = include_str!("vop1.txt");

/// Sections 7, 6.2: two sources.
pub const VOP2: &str = include_str!("vop2.txt");

/// Sections 7, 6.3: VOP3 only.
pub const VOP3: &str = include_str!("vop3.txt");

/// Section 6.4: the condition lists, computed with Rust's own comparisons, written as the reference names them.
#[allow(
    clippy::neg_cmp_op_on_partial_ord,
    clippy::double_comparisons,
    reason = "written as the reference defines them, NaN and all"
)]
pub fn compares(f: &mut Found) {
    for o in Op::ALL {
        let Some(rest) = o.name().strip_prefix("v_cmp") else { continue };
        let (kind, rest) = rest.split_once('_').unwrap();
        let (cond, ty) = rest.rsplit_once('_').unwrap();
        let float = ty.starts_with('f');
        let pairs: &[(f64, f64)] = if cond == "class" {
            &[(1.0, 0.0)]
        } else if float {
            &[(1.0, 2.0), (2.0, 2.0), (2.0, 1.0), (f64::NAN, 1.0)]
        } else {
            &[(1.0, 2.0), (2.0, 2.0), (-1.0, 1.0)]
        };
        for &(a, b) in pairs {
            let bits = |x: f64| -> u64 {
                match ty {
                    "f16" => gpucc_num::convert::f64_to_f16(gpucc_num::Round::Nearest, x).into(),
                    "f32" => (x as f32).to_bits().into(),
                    "f64" => x.to_bits(),
                    "i16" | "u16" => (x as i64 as u16).into(),
                    "i32" | "u32" => (x as i64 as u32).into(),
                    _ => x as i64 as u64,
                }
            };
            // -1 is the largest unsigned number.
            let value = |x: f64| if ty.starts_with('u') && x < 0.0 { 1e9 } else { x };
            let (x, y) = (value(a), value(b));
            let holds = match cond {
                "f" => false,
                "lt" => x < y,
                "eq" => x == y,
                "le" => x <= y,
                "gt" => x > y,
                "lg" => x < y || x > y,
                "ne" => x != y,
                "ge" => x >= y,
                "o" => !x.is_nan() && !y.is_nan(),
                "u" => x.is_nan() || y.is_nan(),
                "nge" => !(x >= y),
                "nlg" => !(x < y || x > y),
                "ngt" => !(x > y),
                "nle" => !(x <= y),
                "neq" => !(x == y),
                "nlt" => !(x < y),
                "tru" | "t" => true,
                // Bit 8 is the class of positive normal numbers.
                "class" => true,
                _ => panic!("{cond}"),
            };
            let mut extra = vec![("cout".to_string(), u64::from(holds))];
            extra.push(("exec".to_string(), u64::from(!kind.ends_with('x') || holds)));
            let ins = vec![bits(a), if cond == "class" { 0x100 } else { bits(b) }];
            let case = Case { name: o.name().into(), ins, out: None, extra };
            for g in 0..3u8 {
                for &r in rows_of(*o, g) {
                    vector_row(f, &case, r, g);
                }
            }
        }
    }
}
