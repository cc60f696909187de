//! Spellings that naga's parser does not read: `a--b` for a difference, halves in hexadecimal, `subgroupElect`,
//! `const_assert (a) == b`.

use super::Changes;
use super::number::rounded_half;
use super::tokens::{Kind, Tokens};

/// Finds them.
pub fn find(t: &Tokens, changes: &mut Changes) {
    for n in 0..t.list.len() {
        let token = t.list[n];
        match t.text(n) {
            "-" if n > 0 && t.text(n - 1) == "-" && t.touch(n - 1) && is_difference(t, n) => {
                changes.push((token.at, 0, " ".into()));
            }
            // A bracket behind the word is read as one around the whole expression.
            "const_assert" if t.text(n + 1) == "(" && t.text(t.list[n + 1].pair + 1) != ";" => {
                let Some(end) = (n..t.list.len()).find(|&k| t.text(k) == ";") else { continue };
                changes.push((token.end, 0, "(".into()));
                changes.push((t.list[end].at, 0, ")".into()));
            }
            "subgroupElect" if t.text(n + 1) == "(" && t.text(n + 2) == ")" && n > 0 && t.text(n - 1) != "fn" => {
                let end = t.list[n + 2].end;
                changes.push((token.at, end - token.at, "(subgroupExclusiveAdd(1u) == 0u)".into()));
            }
            text if token.kind == Kind::Number && text.ends_with('h') => {
                if let Some(v) = hexadecimal(&text[..text.len() - 1]).filter(|v| rounded_half(*v) == *v) {
                    changes.push((token.at, token.end - token.at, format!("{v:?}h")));
                }
            }
            _ => {}
        }
    }
}

/// Whether the second of two signs `--` is of an operand: behind a decrement nothing of an expression follows.
fn is_difference(t: &Tokens, n: usize) -> bool {
    let operand = t.list.get(n + 1).is_some_and(|next| next.kind != Kind::Sign);
    operand || matches!(t.text(n + 1), "(" | "-" | "!" | "~" | "*" | "&")
}

/// The value of a hexadecimal float.
fn hexadecimal(text: &str) -> Option<f64> {
    let digits = text.strip_prefix("0x").or(text.strip_prefix("0X"))?;
    let (digits, exponent) =
        digits.split_once(['p', 'P']).map_or(Some((digits, 0)), |(d, e)| Some((d, e.parse().ok()?)))?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{fraction}");
    // Sixteen digits are more than a half has.
    let bits = u64::from_str_radix(all.get(..).filter(|a| a.len() <= 13)?, 16).ok()?;
    let places = i32::try_from(fraction.len()).ok()? * 4;
    Some(bits as f64 * f64::from(exponent - places).exp2())
}
