//! `--message-format sarif`: all messages of a command as one SARIF 2.1.0 document on standard error.

use indexmap::IndexSet;
use serde_json::{Value, json};

/// A path as a URI.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for b in path.bytes() {
        match b {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => out.push(char::from(b)),
            b'\\' if cfg!(windows) => out.push('/'),
            _ => out += &format!("%{b:02X}"),
        }
    }
    out
}

/// A message as a result.
fn result(m: &Value) -> Value {
    let text = |key: &str| m[key].as_str().unwrap_or_default();
    let level = match text("severity") {
        "warning" => "warning",
        "note" => "note",
        _ => "error",
    };
    let notes = m["notes"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let said = std::iter::once(text("message")).chain(notes).collect::<Vec<_>>().join("\n");
    let mut out = json!({"ruleId": text("code"), "level": level, "message": {"text": said}});
    if let Some(target) = m["target"].as_str() {
        out["properties"] = json!({"target": target});
    }
    let file = text("file");
    if !file.is_empty() && !file.starts_with('<') {
        let mut place = json!({"artifactLocation": {"uri": uri(file)}});
        if let Some(line) = m["line"].as_u64() {
            place["region"] = match m["column"].as_u64() {
                Some(column) => json!({"startLine": line, "startColumn": column}),
                None => json!({"startLine": line}),
            };
        }
        out["locations"] = json!([{"physicalLocation": place}]);
    }
    out
}

/// The document of messages that were printed as JSON, one a line.
pub fn document(lines: &str) -> Value {
    let own = |line: &str| json!({"severity": "note", "code": "text", "message": line});
    let messages: Vec<Value> = lines.lines().map(|l| serde_json::from_str(l).unwrap_or_else(|_| own(l))).collect();
    let codes: IndexSet<&str> = messages.iter().filter_map(|m| m["code"].as_str()).collect();
    let rules: Vec<Value> = codes.into_iter().map(|c| json!({"id": c})).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "gpucc", "version": env!("CARGO_PKG_VERSION"), "rules": rules}},
            "columnKind": "unicodeCodePoints",
            "results": messages.iter().map(result).collect::<Vec<_>>(),
        }],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_their_places() {
        let lines = "{\"severity\":\"bug\",\"code\":\"panic\",\"message\":\"m\",\"file\":\"a b/\u{e9}.wgsl\",\"line\":3,\"column\":7,\"target\":\"gcn:gfx8\",\"notes\":[\"n\"]}\n\
            {\"severity\":\"error\",\"code\":\"usage\",\"message\":\"u\",\"file\":null,\"line\":null,\"column\":null,\"target\":null}\nplain\n";
        let d = document(lines);
        let run = &d["runs"][0];
        let first = &run["results"][0];
        let place = &first["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "a%20b/%C3%A9.wgsl");
        assert_eq!(place["region"], json!({"startLine": 3, "startColumn": 7}));
        assert_eq!((&first["level"], &first["message"]["text"]), (&json!("error"), &json!("m\nn")));
        assert!(run["results"][1]["locations"].is_null());
        assert_eq!((&run["results"][2]["level"], run["results"].as_array().map(Vec::len)), (&json!("note"), Some(3)));
        let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
        assert_eq!(
            rules.iter().map(|r| r["id"].as_str().unwrap_or("")).collect::<Vec<_>>(),
            ["panic", "usage", "text"]
        );
    }
}
