//! What is shown of rows: their columns, and lines of the source.

use std::collections::BTreeMap;

use gpucc::statistics;
use serde_json::Value;

use crate::rows::Row;

/// Lines of shaders by the name of the file.
pub type Sources = BTreeMap<String, Vec<String>>;

/// Live registers and cycles of lines come behind all other numbers, in the order of their names.
pub fn by_kind(name: &str) -> (u8, String) {
    match name {
        n if n.starts_with("live_") => (1, n.into()),
        n if n.starts_with("cycles_") && statistics::find(n).is_none() => (2, n.into()),
        _ => (0, String::new()),
    }
}

/// Every number in a column, in the order of first appearance.
pub fn all_columns(rows: &[Row]) -> (Vec<String>, Vec<Vec<String>>) {
    let mut names = indexmap::IndexSet::new();
    for r in rows {
        names.extend(r.stats.keys().cloned());
    }
    names.sort_by_key(|n| by_kind(n));
    let mut head: Vec<String> = ["file", "entry", "stage", "target", "status"].map(String::from).to_vec();
    head.extend(names.iter().cloned());
    let has_limiter = rows.iter().any(|r| !r.limiter.is_empty());
    head.extend(has_limiter.then(|| "limiter".into()));
    head.push("message".into());
    let line = |r: &Row| {
        let mut line = [&r.file, &r.entry, &r.stage, &r.target, &r.status].map(String::clone).to_vec();
        line.extend(names.iter().map(|c| r.stats.get(c).map(Value::to_string).unwrap_or_default()));
        line.extend(has_limiter.then(|| r.limiter.clone()));
        line.push(r.message.clone());
        line
    };
    (head, rows.iter().map(line).collect())
}
