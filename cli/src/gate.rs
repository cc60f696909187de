//! Gate files of `gpucc diff`: by how much numbers may get worse, in TOML.
//!
//! ```toml
//! [total]                 # the sum (or mean) over the shaders that compiled in both reports, for each target
//! instructions = "0.5 %"
//! spills = 0
//! [shader]                # every single shader
//! waves = 0
//! ```
//!
//! A limit is a number of the statistic's unit or a percentage of what was there, and holds in the direction that is worse
//! for that statistic.

use std::path::Path;

use gpucc::statistics::{self, STATISTICS, Statistic};
use toml::{Table, Value};

use crate::{Failure, files};

/// The amount by which a number may get worse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Allowed {
    /// An amount in the statistic's unit.
    Amount(f64),
    /// A percentage of the number before.
    Percent(f64),
}

/// One limit of a gate file.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// The statistic that is limited.
    pub statistic: &'static Statistic,
    /// How much worse it may get.
    pub allowed: Allowed,
}

impl Limit {
    /// Whether a change goes beyond it.
    pub fn passed(&self, before: f64, after: f64) -> bool {
        let allowed = match self.allowed {
            Allowed::Amount(a) => a,
            Allowed::Percent(p) => before * p / 100.0,
        };
        self.statistic.worse.amount(before, after) > allowed + 1e-9
    }

    /// The limit as the gate file writes it.
    pub fn text(&self) -> String {
        match self.allowed {
            Allowed::Amount(a) => format!("{a}"),
            Allowed::Percent(p) => format!("{p} %"),
        }
    }
}

/// The limits that decide whether a comparison is a regression.
#[derive(Clone, Debug, Default)]
pub struct Gate {
    /// Limits of sums over all shaders, for each target.
    pub total: Vec<Limit>,
    /// Limits of each shader.
    pub shader: Vec<Limit>,
}

impl Gate {
    /// The gate without a file: the totals that matter most may not get worse.
    pub fn standard() -> Gate {
        let limit = |statistic| Limit { statistic, allowed: Allowed::Amount(0.0) };
        Gate { total: STATISTICS.iter().filter(|s| s.gated).map(limit).collect(), shader: Vec::new() }
    }

    /// The limit of one statistic in a list.
    pub fn limit<'a>(list: &'a [Limit], name: &str) -> Option<&'a Limit> {
        list.iter().find(|l| l.statistic.name == name)
    }

    /// Reads a gate file.
    ///
    /// # Errors
    /// I/O and everything that is not exactly a gate: exit 2.
    pub fn read(path: &Path) -> Result<Gate, Failure> {
        let bytes = files::read(path)?;
        let text = std::str::from_utf8(&bytes).map_err(|e| {
            Failure::Usage(format!("`{}` is not UTF-8 text (byte {})", path.display(), e.valid_up_to()))
        })?;
        Gate::parse(text).map_err(|e| Failure::Usage(format!("`{}`: {e}", path.display())))
    }

    fn parse(text: &str) -> Result<Gate, String> {
        let file: Table = text.parse().map_err(|e: toml::de::Error| e.to_string().trim_end().to_string())?;
        let mut gate = Gate::default();
        for (name, value) in &file {
            let list = match name.as_str() {
                "total" => &mut gate.total,
                "shader" => &mut gate.shader,
                _ => return Err(format!("unknown key `{name}`; the tables are [total] and [shader]")),
            };
            let Value::Table(limits) = value else { return Err(format!("`{name}` is not a table of limits")) };
            for (name, value) in limits {
                let statistic = statistics::find(name).ok_or_else(|| unknown(name))?;
                let allowed = allowed(value).ok_or_else(|| {
                    format!("`{name} = {value}`: expected a number from 0, or a percentage as \"1.5 %\"")
                })?;
                list.push(Limit { statistic, allowed });
            }
        }
        if gate.total.is_empty() && gate.shader.is_empty() {
            return Err("this gate limits nothing".into());
        }
        Ok(gate)
    }
}

fn unknown(name: &str) -> String {
    let names: Vec<&str> = STATISTICS.iter().map(|s| s.name).collect();
    format!("unknown statistic `{name}`; available: {}", names.join(", "))
}

fn allowed(value: &Value) -> Option<Allowed> {
    let number = match value {
        Value::Integer(n) => Allowed::Amount(*n as f64),
        Value::Float(f) => Allowed::Amount(*f),
        Value::String(s) => Allowed::Percent(s.trim().strip_suffix('%')?.trim().parse().ok()?),
        _ => return None,
    };
    let (Allowed::Amount(x) | Allowed::Percent(x)) = number;
    (x.is_finite() && x >= 0.0).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_in_the_worse_direction() {
        let gate = Gate::parse("[total]\ninstructions = \"10 %\"\nspills = 2\n[shader]\nwaves = 0\nimmediates = 1\n")
            .expect("a gate");
        let total = |name: &str| *Gate::limit(&gate.total, name).expect("a limit");
        let shader = |name: &str| *Gate::limit(&gate.shader, name).expect("a limit");
        assert!(!total("instructions").passed(100.0, 110.0) && total("instructions").passed(100.0, 111.0));
        assert!(!total("instructions").passed(100.0, 1.0));
        assert!(
            !total("spills").passed(0.0, 2.0) && total("spills").passed(0.0, 3.0) && !total("spills").passed(3.0, 0.0)
        );
        assert!(
            shader("waves").passed(10.0, 9.0)
                && !shader("waves").passed(9.0, 10.0)
                && !shader("waves").passed(9.0, 9.0)
        );
        assert!(
            shader("immediates").passed(5.0, 3.0)
                && shader("immediates").passed(5.0, 7.0)
                && !shader("immediates").passed(5.0, 6.0)
        );
    }

    #[test]
    fn what_is_no_gate() {
        let cases = [
            ("", "limits nothing"),
            ("[total]\n[shader]\n", "limits nothing"),
            ("[total]\nnonsense = 1\n", "unknown statistic `nonsense`"),
            ("[totals]\ninstructions = 1\n", "unknown key `totals`"),
            ("instructions = 1\n", "unknown key `instructions`"),
            ("total = 1\n", "not a table"),
            ("[total]\ninstructions = -1\n", "from 0"),
            ("[total]\ninstructions = \"5\"\n", "percentage"),
            ("[total]\ninstructions = nan\n", "from 0"),
            ("[total]\ninstructions = [1]\n", "from 0"),
            ("[total]\ninstructions 0\n", "expected"),
            ("[total]\nspills = 1\nspills = 2\n", "duplicate"),
        ];
        for (text, why) in cases {
            let e = Gate::parse(text).map(|_| String::new()).unwrap_or_else(|e| e);
            assert!(e.contains(why), "{text}: {e}");
        }
    }
}
