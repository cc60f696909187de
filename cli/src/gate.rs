//! Gate files of `gpucc diff`: by how much numbers may get worse, in TOML.
//!
//! ```toml
//! [total]                 # the sum (or mean) over the shaders that compiled in both reports, for each target
//! instructions = "0.5 %"
//! spills = 0
//! [shader]                # every single shader
//! waves = 0
//! [weights]               # how much a shader counts in sums and means, by its file; 1 where nothing is said
//! "ui/*" = 50
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
    /// How often shaders are used, by patterns of their files: `*` stands for anything.
    pub weights: Vec<(String, u32)>,
}

/// Whether a name is what a pattern says: `*` stands for any text.
fn fits(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut left) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match left.find(part) {
            Some(at) => left = &left[at + part.len()..],
            None => return false,
        }
    }
    left.ends_with(last)
}

impl Gate {
    /// How much a shader counts: as the longest pattern says that its file fits.
    pub fn weight(&self, file: &str) -> u64 {
        let own = self.weights.iter().filter(|w| fits(&w.0, file));
        own.max_by_key(|w| w.0.len()).map_or(1, |w| w.1.into())
    }

    /// The gate without a file: the totals that matter most may not get worse.
    pub fn standard() -> Gate {
        let limit = |statistic| Limit { statistic, allowed: Allowed::Amount(0.0) };
        Gate { total: STATISTICS.iter().filter(|s| s.gated).map(limit).collect(), ..Gate::default() }
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
            if name == "weights" {
                gate.weights = weights(value)?;
                continue;
            }
            let list = match name.as_str() {
                "total" => &mut gate.total,
                "shader" => &mut gate.shader,
                _ => return Err(format!("unknown key `{name}`; the tables are [total], [shader] and [weights]")),
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
        if !gate.weights.is_empty() && !file.contains_key("total") && !file.contains_key("shader") {
            return Ok(Gate { weights: gate.weights, ..Gate::standard() });
        }
        if gate.total.is_empty() && gate.shader.is_empty() {
            return Err("this gate limits nothing".into());
        }
        Ok(gate)
    }
}

fn weights(table: &Value) -> Result<Vec<(String, u32)>, String> {
    let Value::Table(table) = table else { return Err("`weights` is not a table of weights".into()) };
    let one = |(pattern, value): (&String, &Value)| {
        let weight = value.as_integer().and_then(|n| u32::try_from(n).ok());
        let weight = weight.ok_or_else(|| format!("`{pattern} = {value}`: expected a whole number from 0"))?;
        Ok((pattern.clone(), weight))
    };
    table.iter().map(one).collect()
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
    fn weights_go_by_the_longest_pattern() {
        let gate =
            Gate::parse("[weights]\n\"*\" = 2\n\"ui/*.wgsl\" = 50\n\"ui/old*\" = 0\n\"a*b*c\" = 7\n").expect("a gate");
        // Without limits of its own it has the usual ones.
        assert_eq!(gate.total.len(), Gate::standard().total.len());
        let files = ["x.wgsl", "ui/a.wgsl", "ui/a.frag", "ui/old.wgsl", "abc", "a-b-c", "acb", "ab"];
        assert_eq!(files.map(|f| gate.weight(f)), [2, 50, 2, 50, 7, 7, 2, 2]);
        assert_eq!(Gate::standard().weight("x"), 1);
        for (pattern, name, is) in [("a*a", "a", false), ("a*a", "aa", true), ("**", "", true), ("a", "ab", false)] {
            assert_eq!(fits(pattern, name), is, "{pattern} {name}");
        }
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
            ("weights = 1\n", "not a table"),
            ("[weights]\n\"a\" = -1\n", "from 0"),
            ("[weights]\n\"a\" = 1.5\n", "from 0"),
            ("[weights]\n\"a\" = 1\n[total]\n", "limits nothing"),
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
