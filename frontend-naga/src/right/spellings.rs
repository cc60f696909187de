//! Spellings that naga's parser does not read: `a--b` for a difference, halves in hexadecimal, `subgroupElect`,
//! `const_assert (a) == b`.

use super::Changes;
use super::number::rounded_half;
use super::tokens::{Kind, Tokens};

/// Finds spellings that naga lacks, and writes what it reads.
pub fn find(t: &Tokens, changes: &mut Changes) {
    for n in 0..t.list.len() {
        let token = t.list[n];
        match t.text(n) {
            "-" if n > 0 && t.text(n - 1) == "-" && t.touch(n - 1) && is_difference(t, n) => {
                changes.push((token.at, 0, " ".into()));
            }
            // The right side is never evaluated: numbers that no type of 32 bits with a sign holds are no mistakes there.
            "false" | "true" if t.text(n + 3) == "(" && t.touch(n + 1) && short_circuits(t, n) => {
                let close = t.list[n + 3].pair;
                changes.extend((n + 3..close).filter(|&k| is_large(t.text(k))).map(|k| {
                    let large = t.list[k];
                    (large.at, large.end - large.at, "0".to_string())
                }));
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

/// Whether the operand at a token decides alone what `&&` or `||` behind it gives.
fn short_circuits(t: &Tokens, n: usize) -> bool {
    let sign = if t.text(n) == "false" { "&" } else { "|" };
    t.text(n + 1) == sign && t.text(n + 2) == sign
}

/// Whether a text is a whole number without a type that `i32` does not hold.
fn is_large(text: &str) -> bool {
    let digits = text.strip_prefix("0x").or(text.strip_prefix("0X"));
    let number = digits.map_or_else(|| text.parse().ok(), |d| i128::from_str_radix(d, 16).ok());
    number.is_some_and(|n: i128| n > i128::from(i32::MAX))
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
