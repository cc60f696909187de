//! An explanation as JSON, for programs and for the page of the playground.

use serde_json::{Map, Value, json};

use super::model::{Column, Page};

/// All of it.
pub fn page(page: &Page) -> Value {
    let problem = |p: &super::model::Problem| json!({"severity": p.severity, "code": p.code, "message": p.message, "place": p.place, "line": p.line, "notes": p.notes});
    json!({
        "command": page.command,
        "name": page.name,
        "sources": page.sources.iter().map(|t| json!({"name": t.name, "lines": t.lines})).collect::<Vec<_>>(),
        "problems": page.problems.iter().map(problem).collect::<Vec<_>>(),
        "columns": page.columns.iter().map(column).collect::<Vec<_>>(),
    })
}

fn column(c: &Column) -> Value {
    let row = &c.row;
    let mut lines = Map::new();
    for (line, own) in &c.lines {
        let mut one = Map::new();
        one.insert("runs".into(), json!(own.runs));
        one.insert("bytes".into(), json!(own.bytes));
        one.extend(own.live.iter().chain(&own.cycles).map(|(name, n)| (name.clone(), json!(n))));
        lines.insert(line.to_string(), Value::Object(one));
    }
    let code = c.code.iter().map(|i| {
        let marks: Vec<&str> = i.marks.iter().map(|m| m.name()).collect();
        json!({"address": i.address, "line": i.line, "program": i.program, "text": i.text, "marks": marks})
    });
    let passes = c.passes.iter().map(|(name, n)| ((*name).to_string(), json!(n)));
    let starts = c.starts.iter().map(|(place, meaning)| json!({"place": place, "meaning": meaning}));
    let ok = |list: Vec<String>| if row.ok() { list } else { Vec::new() };
    json!({
        "title": c.title(), "entry": row.entry, "stage": row.stage, "target": row.target,
        "source": c.source, "status": row.status, "code": row.code, "message": row.message, "line": row.line, "column": row.column,
        "stats": row.stats, "limiter": row.limiter,
        "occupancy": ok(c.occupancy()),
        "bound": if row.ok() { c.bound() } else { String::new() },
        "loops": c.loops.iter().map(super::model::Turns::said).collect::<Vec<_>>(),
        "passes": Value::Object(passes.collect()),
        "starts": starts.collect::<Vec<_>>(),
        "lines": lines,
        "instructions": code.collect::<Vec<_>>(),
    })
}
