//! Numbers below a number.

/// Some numbers below `n`, those first that take most away. What is large does not go down by one: that would be as many candidates.
pub(crate) fn smaller(n: u64) -> [u64; 4] {
    [0, 1, n / 2, if n > 8 { n - n / 4 } else { n.saturating_sub(1) }]
}
