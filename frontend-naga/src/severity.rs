//! Reads the severity of WGSL's rule `derivative_uniformity` from `diagnostic`: a directive for the module, attributes for functions.

use naga::diagnostic_filter::{
    DiagnosticFilterNode as Node, FilterableTriggeringRule as Rule, Severity, StandardFilterableTriggeringRule,
};
use naga::{Arena, Function, Handle};

use crate::Parsed;
use gpucc_ir::Span;

/// The treatment of a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// Nothing.
    Off,
    /// A warning: `warning` and `info`.
    Warning,
    /// An error.
    Error,
}

/// The severity of `derivative_uniformity`.
#[derive(Clone, Debug)]
pub struct DerivativeUniformity {
    /// The severity of the module.
    module: Told,
    /// The severity of functions where it is another: the bytes of their bodies.
    functions: Vec<(Span, Told)>,
    /// The severity of blocks and statements, inner ones behind those around them.
    regions: Vec<(Span, Told)>,
}

impl DerivativeUniformity {
    /// The kind at a place of the source.
    pub fn at(&self, place: Span) -> Told {
        let inside = |s: &Span| s.start <= place.start && place.end <= s.end;
        if let Some((_, told)) = self.regions.iter().rev().find(|(s, _)| place.is_known() && inside(s)) {
            return *told;
        }
        self.functions.iter().find(|(s, _)| place.is_known() && inside(s)).map_or(self.module, |f| f.1)
    }

    /// Whether it is off everywhere.
    pub fn is_off(&self) -> bool {
        self.module == Told::Off && self.functions.iter().chain(&self.regions).all(|f| f.1 == Told::Off)
    }
}

/// The nearest filter that speaks of the rule; an error without one.
fn told(mut node: Option<Handle<Node>>, all: &Arena<Node>) -> Told {
    let rule = Rule::Standard(StandardFilterableTriggeringRule::DerivativeUniformity);
    while let Some(at) = node {
        let Node { inner, parent } = &all[at];
        if inner.triggering_rule == rule {
            return match inner.new_severity {
                Severity::Off => Told::Off,
                Severity::Info | Severity::Warning => Told::Warning,
                Severity::Error => Told::Error,
            };
        }
        node = *parent;
    }
    Told::Error
}

/// Span from the first to the last byte of what a function does.
fn body(f: &Function) -> Span {
    let expressions = f.expressions.iter().map(|(h, _)| f.expressions.get_span(h));
    let spans = f.body.span_iter().map(|(_, s)| *s).chain(expressions).filter_map(|s| s.to_range());
    let around = spans.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end));
    around.map_or(Span::UNKNOWN, |r| Span::new(r.start as u32, r.end as u32))
}

impl Parsed {
    /// How violations of `derivative_uniformity` are told.
    pub fn derivative_uniformity(&self) -> DerivativeUniformity {
        let all = &self.module.diagnostic_filters;
        let module = told(self.module.diagnostic_filter_leaf, all);
        let entries = self.module.entry_points.iter().map(|e| &e.function);
        let functions = self.module.functions.iter().map(|(_, f)| f).chain(entries);
        let own = |f: &Function| {
            let told = told(f.diagnostic_filter_leaf, all);
            (told != module).then(|| (self.edits.span(body(f)), told))
        };
        DerivativeUniformity { module, functions: functions.filter_map(own).collect(), regions: self.regions.clone() }
    }
}
