//! An explanation as JSON, for programs and for the page of the playground.

use serde_json::{Map, Value, json};

use super::model::{Column, Page};

/// The explanation as one JSON object.
pub fn page(page: &Page) -> Value {
    let problem = |p: &super::model::Problem| json!({"severity": p.severity, "code": p.code, "message": p.message, "place": p.place, "line": p.line, "notes": p.notes});
    let pair = |p: super::versions::Pair<'_>| {
        let totals: Map<String, Value> =
            p.totals().into_iter().map(|(name, both)| (name.to_string(), json!(both))).collect();
        let lines = p.lines.iter().map(|l| json!(l));
        json!({"entry": p.new.row.entry, "stage": p.new.row.stage, "target": p.new.row.target, "totals": totals, "lines": lines.collect::<Vec<_>>()})
    };
    let against = page.against.as_deref();
    let pairs = against.map(|old| super::versions::pairs(old, page).into_iter().map(pair).collect::<Vec<_>>());
    json!({
        "command": page.command,
        "name": page.name,
        "sources": page.sources.iter().map(|t| json!({"name": t.name, "lines": t.lines})).collect::<Vec<_>>(),
        "problems": page.problems.iter().map(problem).collect::<Vec<_>>(),
        "columns": page.columns.iter().map(column).collect::<Vec<_>>(),
        "against": against.map(self::page),
        "compared": pairs,
    })
}

fn column(c: &Column) -> Value {
    let row = &c.row;
    let mut lines = Map::new();
    let executed = c.executed_lines();
    for (line, own) in &c.lines {
        let mut one = Map::new();
        one.insert("runs".into(), json!(own.runs));
        one.insert("bytes".into(), json!(own.bytes));
        one.extend(own.live.iter().chain(&own.cycles).map(|(name, n)| (name.clone(), json!(n))));
        if c.executed.is_some() {
            let n = executed.get(line).copied().unwrap_or_default();
            one.extend([("executed".to_string(), json!(n.times)), ("lanes".to_string(), json!(n.lanes))]);
        }
        let part = |(inside, (runs, cycles)): (&u32, &(u64, std::collections::BTreeMap<String, u64>))| {
            let mut part = Map::new();
            part.extend([("loop".to_string(), json!(inside)), ("runs".to_string(), json!(runs))]);
            part.extend(cycles.iter().map(|(name, n)| (name.clone(), json!(n))));
            Value::Object(part)
        };
        one.insert("parts".into(), own.parts.iter().map(part).collect());
        lines.insert(line.to_string(), Value::Object(one));
    }
    let code = c.code.iter().enumerate().map(|(k, i)| {
        let marks: Vec<&str> = i.marks.iter().map(|m| m.name()).collect();
        let waits = c.why.waits.iter().filter(|w| w.at == k);
        let waits: Vec<Value> = waits
            .map(|w| json!({"result_of": c.code[w.result_of].address, "needed_by": c.code[w.needed_by].address}))
            .collect();
        let is_memory = i.address.is_some() && i.marks.contains(&gpucc_isa::Mark::Memory);
        let result = if is_memory { super::waits::result(&i.text) } else { Vec::new() };
        json!({"address": i.address, "line": i.line, "program": i.program, "text": i.text, "marks": marks,
            "result": result, "waits_for": waits, "executed": c.executed(k).map(|n| n.times), "lanes": c.executed(k).map(|n| n.lanes)})
    });
    let why = &c.why;
    let remarks = why.remarks.iter().map(|r| {
        json!({"line": r.line, "pass": r.pass, "kind": if r.passed { "done" } else { "missed" }, "message": r.message})
    });
    let accesses = why.accesses.iter().map(|a| {
        json!({"line": a.line, "operation": a.operation, "place": a.place, "guard": a.guard.name(), "pass": a.guard.pass(),
            "limit": a.limit.and_then(|l| l.number()), "rules": a.rule_names(), "said": a.said(why.robust)})
    });
    let values = why.values.iter().map(|v| {
        let reads: Vec<Value> = v.reads.iter().map(|r| json!({"at": r.0, "line": r.1})).collect();
        json!({"register": v.register, "made_by": v.made, "at": v.at.0, "line": v.at.1, "reads": reads, "last": v.last(),
            "copy": v.copy.as_ref().map(|c| json!({"line": c.line, "reason": c.reason.name(), "said": c.reason.said()}))})
    });
    let spills = [("spills", true), ("reloads", false)].map(|(name, stored)| {
        let mut list: std::collections::BTreeMap<u32, u64> = std::collections::BTreeMap::new();
        why.spills.iter().filter(|s| s.stored == stored).for_each(|s| *list.entry(s.line).or_default() += 1);
        let list: Map<String, Value> = list.iter().map(|(line, n)| (line.to_string(), json!(n))).collect();
        (name.to_string(), Value::Object(list))
    });
    let reasons = why.spills.iter().map(|s| {
        let live: Vec<Value> = s.live.iter().map(|l| json!({"register": l.0, "line": l.1})).collect();
        json!({"kind": if s.stored { "spill" } else { "reload" }, "line": s.line, "at": s.at, "register": s.register, "of": s.of,
            "peak": s.peak, "held": s.held.0, "registers": s.held.1, "live": live, "said": s.reason()})
    });
    let changes = why
        .changes
        .iter()
        .map(|d| json!({"pass": d.pass, "form": d.form, "removed": d.counts.0, "added": d.counts.1, "lines": d.lines}));
    let passes = c.passes.iter().map(|(name, n)| ((*name).to_string(), json!(n)));
    let starts = c.starts.iter().map(|(place, meaning)| json!({"place": place, "meaning": meaning}));
    let ok = |list: Vec<String>| if row.ok() { list } else { Vec::new() };
    json!({
        "title": c.title(), "entry": row.entry, "stage": row.stage, "target": row.target,
        "source": c.source, "status": row.status, "code": row.code, "message": row.message, "line": row.line, "column": row.column,
        "stats": row.stats, "limiter": row.limiter,
        "occupancy": ok(c.occupancy()),
        "counts": if c.executed.is_some() { "executed" } else { "estimated" },
        "bound": if row.ok() { c.bound() } else { String::new() },
        "loops": c.loops.iter().map(super::model::Turns::said).collect::<Vec<_>>(),
        "rounds": c.loops.iter().map(|l| json!({"line": l.line, "depth": l.depth, "rounds": l.rounds, "runs": l.runs, "around": l.around})).collect::<Vec<_>>(),
        "passes": Value::Object(passes.collect()),
        "starts": starts.collect::<Vec<_>>(),
        "lines": lines,
        "remarks": remarks.collect::<Vec<_>>(),
        "accesses": accesses.collect::<Vec<_>>(),
        "values": values.collect::<Vec<_>>(),
        "chain": c.chain().0,
        "spilled": Value::Object(spills.into_iter().collect()),
        "spills": reasons.collect::<Vec<_>>(),
        "changes": changes.collect::<Vec<_>>(),
        "ir": why.ir.iter().map(|(line, text)| json!({"line": line, "text": text})).collect::<Vec<_>>(),
        "instructions": code.collect::<Vec<_>>(),
    })
}
