//! Values of overrides written into the text, where naga cannot put them into the module.
//!
//! naga validates a module again when overrides have values, by its own rules, and it does not evaluate all built-in functions. An override
//! with a value is a constant: the text says so, and is read again.

use crate::edits::Edits;
use crate::lower::override_values;
use crate::right::tokens::Tokens;
use crate::{Lang, Options, Parsed};
use gpucc_ir::Diagnostic;
use naga::{Scalar, ScalarKind, TypeInner};

/// The module with constants for overrides. `None` if that says nothing that naga does not say.
///
/// # Errors
/// A value for an override that is not there.
pub fn written(parsed: &Parsed, options: &Options) -> Result<Option<Parsed>, Vec<Diagnostic>> {
    let values = override_values(parsed, options)?;
    let Some((source, before)) = parsed.source.as_ref().filter(|_| parsed.lang == Lang::Wgsl) else { return Ok(None) };
    let Some(t) = Tokens::new(source) else { return Ok(None) };
    let mut list: Vec<(usize, usize, String)> = Vec::new();
    for (_, o) in parsed.module.overrides.iter() {
        let (Some(name), TypeInner::Scalar(scalar)) = (o.name.as_deref(), &parsed.module.types[o.ty].inner) else {
            return Ok(None);
        };
        let declared = |n: &usize| t.text(*n) == name && t.list[*n].depth == 0 && t.text(n - 1) == "override";
        let Some(n) = (1..t.list.len()).find(declared) else { return Ok(None) };
        let Some(end) = (n..t.list.len()).find(|&k| t.text(k) == ";") else { return Ok(None) };
        let keyword = t.list[n - 1];
        list.push((keyword.at, keyword.end - keyword.at, "const".into()));
        if let Some(first) = id(&t, n - 1) {
            let (from, to) = (t.list[first].at, t.list[n - 2].end);
            list.push((from, to - from, " ".repeat(to - from)));
        }
        let id = o.id.map(|id| id.to_string());
        let value = match values.get(id.as_deref().unwrap_or(name)) {
            Some(v) => literal(*scalar, *v),
            None if o.init.is_some() => None,
            // Nobody needs a value for what is not used.
            None if t.list.iter().enumerate().filter(|(k, _)| t.text(*k) == name).count() == 1 => literal(*scalar, 0.0),
            None => return Ok(None),
        };
        match value {
            Some(value) => {
                let (from, to) = (t.list[n].end, t.list[end].at);
                list.push((from, to - from, format!(": {} = {value}", type_name(*scalar))));
            }
            None if values.contains_key(id.as_deref().unwrap_or(name)) => return Ok(None),
            None if t.text(n + 1) != ":" => list.push((t.list[n].end, 0, format!(": {}", type_name(*scalar)))),
            None => {}
        }
    }
    let (text, edits) = Edits::apply(source, list);
    crate::parse_edited(&text, &edits.after(before.clone())).map(Some)
}

/// The first token of the attribute `@id` in front of a declaration.
fn id(t: &Tokens, declaration: usize) -> Option<usize> {
    let close = declaration.checked_sub(1).filter(|&k| t.text(k) == ")")?;
    let open = t.list[close].pair;
    (open >= 2 && t.text(open - 1) == "id" && t.text(open - 2) == "@").then(|| open - 2)
}

fn type_name(scalar: Scalar) -> &'static str {
    match (scalar.kind, scalar.width) {
        (ScalarKind::Bool, _) => "bool",
        (ScalarKind::Sint, _) => "i32",
        (ScalarKind::Uint, _) => "u32",
        (_, 2) => "f16",
        _ => "f32",
    }
}

/// A value as its type writes it, if the type has it.
fn literal(scalar: Scalar, v: f64) -> Option<String> {
    let whole = |low: f64, high: f64| v.fract() == 0.0 && (low..=high).contains(&v);
    match type_name(scalar) {
        "bool" => Some((v != 0.0).to_string()),
        "i32" => whole(f64::from(i32::MIN), f64::from(i32::MAX)).then(|| format!("i32({})", v as i64)),
        "u32" => whole(0.0, f64::from(u32::MAX)).then(|| format!("{}u", v as u64)),
        "f16" => v.is_finite().then(|| format!("f16({v:?})")),
        _ => (v as f32).is_finite().then(|| format!("f32({v:?})")),
    }
}
