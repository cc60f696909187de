//! Rows of the scalar ALU, with SCC and EXEC behind them.

use super::*;

/// Section 4: scalar ALU. `scc` after (unchanged from `sccin`, default 0, when not given), `exec` after.
const SALU: &str = include_str!("salu.txt");

pub fn scalar(f: &mut Found) {
    for case in cases(SALU) {
        let o = op(&case.name);
        for g in 0..3u8 {
            for &r in rows_of(o, g) {
                let mut inst = build::inst(r);
                let row = inst.row();
                let mut before = String::from("s_mov_b32 m0, 0\n");
                before += &set(1, 30, case.get("old").unwrap_or(0));
                let mut width = 0;
                let mut k = 0;
                let mut skip = false;
                let sext = |v: u64| v;
                for (i, slot) in row.operands.iter().enumerate() {
                    match slot.kind {
                        Kind::SReg(n) => {
                            inst.vals[i] = 30;
                            if slot.role != Role::Use {
                                width = n;
                            }
                        }
                        Kind::SSrc(_) | Kind::SRegSrc(_) => {
                            let literal = row.operands.iter().any(|s| s.kind == Kind::LiteralWord);
                            if literal && k == 0 {
                                inst.vals[i] = 255;
                                let value = case.ins[0];
                                skip |= value > u64::from(u32::MAX) || value >> 31 == 1 && row.text.ends_with("64");
                                inst.set("lit", value as u32);
                            } else {
                                inst.vals[i] = 20 + 4 * k;
                            }
                            before += &set(10 + 4 * k, 20 + 4 * k, sext(case.ins[k as usize]));
                            k += 1;
                        }
                        Kind::Literal => {
                            let value = case.ins[k as usize];
                            skip |= value > u64::from(u32::MAX) || value >> 31 == 1 && row.text.contains("64");
                            inst.vals[i] = value as u32;
                            k += 1;
                        }
                        Kind::Hex16 => inst.vals[i] = case.ins[0] as u32,
                        Kind::Hwreg if o == Op::SSetregImm32B32 => inst.vals[i] = 0x0801,
                        Kind::Hwreg => inst.vals[i] = case.ins[0] as u32,
                        Kind::LiteralWord => {}
                        k => panic!("{k:?} of {}", row.text),
                    }
                }
                if skip {
                    continue;
                }
                let sccin = case.get("sccin").unwrap_or(0);
                before += &format!("s_nop 7\ns_cmp_eq_u32 1, {sccin}\n");
                let after = format!(
                    "s_cselect_b32 s38, 1, 0\ns_mov_b64 s[36:37], exec\ns_mov_b64 exec, -1\ns_nop 7
                     v_mov_b32_e32 v1, s30\nv_mov_b32_e32 v2, s31\nv_mov_b32_e32 v20, s38\nv_mov_b32_e32 v21, 0
                     v_mov_b32_e32 v22, s36\nv_mov_b32_e32 v23, s37\n{STORES}"
                );
                let bytes = encode(&inst, g).unwrap();
                let words = match run(g, &before, &bytes, &after, &[0; 512], 0) {
                    Ok(w) => w,
                    Err(t) => {
                        f.failures.push(format!("{} on {g}: {t}", case.name));
                        continue;
                    }
                };
                f.rows.insert(r);
                let lo = u64::from(words[0]);
                let got = if width == 2 { lo | u64::from(words[64]) << 32 } else { lo };
                if case.out.is_some_and(|w| w != got) && width > 0 {
                    f.failures.push(format!("{} {:x?} on {g}: {got:#x}", case.name, case.ins));
                }
                let scc = case.get("scc").unwrap_or(sccin);
                if u64::from(words[128]) != scc {
                    f.failures.push(format!("{} {:x?} on {g}: scc {}", case.name, case.ins, words[128]));
                }
                let exec = u64::from(words[256]) | u64::from(words[320]) << 32;
                if exec != case.get("exec").unwrap_or(u64::MAX) {
                    f.failures.push(format!("{} on {g}: exec {exec:#x}", case.name));
                }
            }
        }
    }
}
