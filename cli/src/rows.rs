//! A statistics report as data: the rows that `stats` writes, and `diff` and pages read.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Failure, files};

/// Name of the report's schema.
pub const FORMAT: &str = "gpucc-stats-2";

/// A report: a row for each shader, entry and target.
#[derive(Debug, Serialize, Deserialize)]
pub struct Report {
    /// Name of the schema, [`FORMAT`].
    pub format: String,
    /// Version of the compiler.
    #[serde(default)]
    pub version: String,
    /// The settings that decide the numbers besides shader and target.
    #[serde(default)]
    pub options: Map<String, Value>,
    /// The command line without paths and without what does not decide the numbers.
    #[serde(default)]
    pub command: String,
    /// `I/N` of one shard of several; `merge` of all of them makes the report of the whole, which has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
    /// The rows, sorted by file, entry and target.
    pub rows: Vec<Row>,
}

/// One entry point on one target.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Row {
    /// Path relative to the folder given.
    pub file: String,
    /// Entry point; `*` where the file could not be read that far.
    pub entry: String,
    /// Stage of the entry point; `*` where it is not known.
    #[serde(default = "compute")]
    pub stage: String,
    /// The target, as `family:generation`.
    pub target: String,
    /// `ok`, `refused`, `invalid`, `bug` or `unreadable`.
    pub status: String,
    /// Why there are no numbers.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Code of the refusal or error.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// Line of the refusal or error, from 1, if it has one in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Its column, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The numbers by name.
    #[serde(default)]
    pub stats: Map<String, Value>,
    /// What limits how many programs run at once: a statistic, `workgroup_size` or `none`; nothing where the family has no such number.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub limiter: String,
    /// Code bytes by source line, with `--per-line`; line 0 is code of no line.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub lines: Map<String, Value>,
    /// Other numbers by name, by source line, where `--per-line` asked for them.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub line_costs: Map<String, Value>,
}

/// Reports of before stages were named have compute shaders only.
fn compute() -> String {
    "compute".into()
}

impl Row {
    /// The key that tells it from every other.
    pub fn key(&self) -> (&str, &str, &str, &str) {
        (&self.file, &self.entry, &self.stage, &self.target)
    }
    /// Whether there are numbers.
    pub fn ok(&self) -> bool {
        self.status == "ok"
    }
    /// A statistic of the row by its name.
    pub fn stat(&self, name: &str) -> Option<u64> {
        self.stats.get(name).and_then(Value::as_u64)
    }
    /// The key as text.
    pub fn name(&self) -> String {
        format!("{} {} {}", self.file, self.entry, self.target)
    }
}

/// Reads a report; one of another schema too, as far as it has rows.
///
/// # Errors
/// I/O, or a file that is no report.
pub fn read_report(path: &Path) -> Result<Report, Failure> {
    let bytes = files::read(path)?;
    let bytes = files::unmarked(&bytes);
    if bytes.trim_ascii().is_empty() {
        return Err(Failure::Input(format!("`{}` is not a statistics report: it is empty", path.display())));
    }
    serde_json::from_slice(bytes)
        .map_err(|e| Failure::Input(format!("`{}` is not a statistics report: {e}", path.display())))
}
