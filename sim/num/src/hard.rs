//! The operations that both widths of the host have alike.

/// Those of a width: the bits of its exponent, its canonical NaN, and what a mode leaves of a minimum or maximum.
macro_rules! common {
    ($float:ident, bits $bits:ident, exponent $exponent:literal, nan $nan:ident, picked $picked:expr) => {
        use $crate::MinMax;

        /// Zero of its sign for a denormal, everything else unchanged.
        #[inline]
        pub fn flush(x: $float) -> $float {
            let bits: $bits = x.to_bits();
            if bits & $exponent == 0 { $float::from_bits(bits & SIGN) } else { x }
        }

        /// Operand as the mode sees it.
        #[inline]
        pub fn input(m: Mode, x: $float) -> $float {
            if m.flush_in { flush(x) } else { x }
        }

        /// Result as the mode leaves it, NaN made canonical.
        #[inline]
        pub fn output(m: Mode, x: $float) -> $float {
            if x.is_nan() {
                $nan
            } else if m.flush_out {
                flush(x)
            } else {
                x
            }
        }

        /// Difference of two floats, rounded once.
        #[inline]
        pub fn sub(m: Mode, a: $float, b: $float) -> $float {
            if b.is_nan() { $nan } else { add(m, a, -b) }
        }

        /// Remainder `a - b * trunc(a / b)`, exact: the sign is that of `a`.
        #[inline]
        pub fn rem(m: Mode, a: $float, b: $float) -> $float {
            output(m, input(m, a) % input(m, b))
        }

        /// Minimum. Denormal operands are flushed by the mode; NaN by the rule.
        #[inline]
        pub fn min(m: Mode, rule: MinMax, a: $float, b: $float) -> $float {
            let (a, b) = (input(m, a), input(m, b));
            let r = match rule {
                MinMax::First if b < a => b,
                MinMax::First => a,
                MinMax::Second if a < b => a,
                MinMax::Second => b,
                _ if a.is_nan() || b.is_nan() => nan_pair(rule, a, b),
                _ if a < b || (a == b && a.is_sign_negative()) => a,
                _ => b,
            };
            $picked(m, r)
        }

        /// Maximum. Denormal operands are flushed by the mode; NaN by the rule.
        #[inline]
        pub fn max(m: Mode, rule: MinMax, a: $float, b: $float) -> $float {
            let (a, b) = (input(m, a), input(m, b));
            let r = match rule {
                MinMax::First if a < b => b,
                MinMax::First => a,
                MinMax::Second if a >= b => a,
                MinMax::Second => b,
                _ if a.is_nan() || b.is_nan() => nan_pair(rule, a, b),
                _ if a > b || (a == b && a.is_sign_positive()) => a,
                _ => b,
            };
            $picked(m, r)
        }

        fn nan_pair(rule: MinMax, a: $float, b: $float) -> $float {
            if rule == MinMax::Propagate || (a.is_nan() && b.is_nan()) {
                $nan
            } else if a.is_nan() {
                b
            } else {
                a
            }
        }
    };
}
pub(crate) use common;
