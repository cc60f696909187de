//! Bytes as hexadecimal digits.

/// The bytes of hexadecimal digits; blanks between them do not count.
pub(crate) fn bytes(text: &str) -> Result<Vec<u8>, String> {
    let mut out = Vec::with_capacity(text.len() / 2);
    let mut half = None;
    for c in text.chars().filter(|c| !c.is_ascii_whitespace()) {
        let digit = c.to_digit(16).ok_or_else(|| format!("`{c}` is not a hexadecimal digit"))? as u8;
        half = match half {
            None => Some(digit),
            Some(high) => {
                out.push(high << 4 | digit);
                None
            }
        };
    }
    if half.is_some() { Err("the number of hexadecimal digits is odd".into()) } else { Ok(out) }
}
