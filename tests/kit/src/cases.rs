//! Conformance cases in the format `cts-cases-1`: one compute dispatch each, with inputs and accepted results.

use gpucc_driver::CodegenOptions;
use gpucc_ir::{Module, Refusal};
use gpucc_sim::{BoundBuffer, Dispatch, Races, RunOptions};
use serde::Deserialize;

use crate::exec::{self, On, Problem};

/// A file of cases.
#[derive(Debug, Deserialize)]
pub struct CaseFile {
    /// Format name and version.
    pub format: String,
    /// The cases.
    pub cases: Vec<Case>,
}

/// A buffer of a case.
#[derive(Clone, Debug, Deserialize)]
pub struct BufferSpec {
    /// Bind group.
    pub group: u32,
    /// Binding in the group.
    pub binding: u32,
    /// `uniform`, `storage_r` or `storage_rw`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Size of the binding in bytes.
    pub size: usize,
    /// Initial bytes; zero where absent.
    pub hex: Option<String>,
}

impl BufferSpec {
    /// The buffer bound for a run.
    ///
    /// # Errors
    /// The hex text is malformed or longer than the binding.
    pub fn bound(&self) -> Result<BoundBuffer, String> {
        let mut bytes = unhex(self.hex.as_deref().unwrap_or_default())?;
        if bytes.len() > self.size {
            return Err(format!("{} initial bytes for a binding of {}", bytes.len(), self.size));
        }
        bytes.resize(self.size, 0);
        Ok(BoundBuffer { group: self.group, binding: self.binding, bytes, writable: self.kind == "storage_rw" })
    }
}

/// Bytes of a hex text.
fn unhex(text: &str) -> Result<Vec<u8>, String> {
    let pair = |p: &[u8]| {
        let text = std::str::from_utf8(p).map_err(|e| e.to_string())?;
        u8::from_str_radix(text, 16).map_err(|e| format!("`{text}`: {e}"))
    };
    text.as_bytes().chunks(2).map(pair).collect()
}

/// One dispatch.
#[derive(Debug, Deserialize)]
pub struct Case {
    /// Unique name.
    pub id: String,
    /// Features the shader needs (`f16`, ...).
    #[serde(default)]
    pub requires: Vec<String>,
    /// Whether naga accepts the text.
    #[serde(default)]
    pub naga_ok: bool,
    /// Entry point.
    pub entry: String,
    /// Override values by name or numeric id.
    #[serde(default)]
    pub constants: serde_json::Map<String, serde_json::Value>,
    /// Workgroup counts.
    pub dispatch: [u32; 3],
    /// Bound buffers.
    pub buffers: Vec<BufferSpec>,
    /// The state that must hold afterwards.
    pub checks: Vec<Check>,
    /// The shader.
    pub wgsl: String,
}

/// Cases that race by their own text, so that the check is off for them, and why.
pub const RACY: &[(&str, &str)] = &[
    (
        "corpus/cloth_pbd:collide_and_normals#A",
        "each invocation stores its `p[i]` and then loads those of its neighbours, with no barrier between",
    ),
    (
        "corpus/terrain_erosion:transport#A",
        "each invocation stores its whole `cells[i]` and loads `ground` of its neighbours, with no barrier between",
    ),
];

/// How a case came out.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Every check holds.
    Passed,
    /// A wrong answer, a trap or a bug.
    Failed(String),
    /// It is refused, with these codes.
    Refused(Vec<Refusal>, String),
}

impl Case {
    /// Bound buffers and workgroup counts.
    ///
    /// # Errors
    /// The case is malformed.
    pub fn dispatch(&self) -> Result<Dispatch, String> {
        let mut dispatch = Dispatch::new(self.dispatch);
        for b in &self.buffers {
            dispatch.buffers.push(b.bound()?);
        }
        Ok(dispatch)
    }

    /// The values of overrides.
    pub fn overrides(&self) -> Vec<(String, f64)> {
        let value = |v: &serde_json::Value| v.as_f64().or_else(|| v.as_bool().map(|b| f64::from(u8::from(b))));
        self.constants.iter().map(|(k, v)| (k.clone(), value(v).unwrap_or(f64::NAN))).collect()
    }

    /// The treatment of races in this case.
    pub fn races(&self) -> Races {
        if RACY.iter().any(|r| r.0 == self.id) { Races::Off } else { Races::Trap }
    }

    /// Runs the case and holds its checks.
    pub fn judge(&self, on: On, codegen: &CodegenOptions, perturb: Option<u64>) -> Verdict {
        match self.lower() {
            Ok(module) => self.judge_module(&module, on, codegen, perturb),
            Err(Problem::Refused(codes, why)) => Verdict::Refused(codes, why),
            Err(p) => Verdict::Failed(p.to_string()),
        }
    }

    /// The shader as the frontend makes it.
    ///
    /// # Errors
    /// The messages of the frontend.
    pub fn lower(&self) -> Result<Module, Problem> {
        exec::lower(&self.wgsl, &self.entry, &self.overrides())
    }

    /// As [`Case::judge`], for the module that [`Case::lower`] made.
    pub fn judge_module(&self, module: &Module, on: On, codegen: &CodegenOptions, perturb: Option<u64>) -> Verdict {
        let mut dispatch = match self.dispatch() {
            Ok(d) => d,
            Err(e) => return Verdict::Failed(e),
        };
        let options = RunOptions { perturb, races: self.races(), ..RunOptions::default() };
        match exec::run(module, &self.entry, on, codegen, &mut dispatch, &options) {
            Err(Problem::Refused(codes, why)) => return Verdict::Refused(codes, why),
            Err(p) => return Verdict::Failed(p.to_string()),
            Ok(_) => {}
        }
        match hold(&self.checks, &dispatch) {
            Ok(()) => Verdict::Passed,
            Err(e) => Verdict::Failed(e),
        }
    }
}

/// One condition on an output buffer.
#[derive(Debug, Deserialize)]
pub struct Check {
    /// Bind group.
    pub group: u32,
    /// Binding in the group.
    pub binding: u32,
    /// `elements` or `bytes`.
    pub kind: String,
    /// Component type of `elements`, or `f32` for `bytes` compared by value.
    #[serde(default)]
    pub scalar: String,
    /// Byte offsets of the components in an element.
    #[serde(default)]
    pub offsets: Vec<usize>,
    /// Bytes from element to element.
    #[serde(default)]
    pub stride: usize,
    /// Accepted values, one text an element.
    #[serde(default)]
    pub expected: Vec<String>,
    /// First byte of a `bytes` check.
    #[serde(default)]
    pub offset: usize,
    /// Expected bytes.
    #[serde(default)]
    pub hex: String,
    /// Which bits count; all where absent.
    pub mask: Option<String>,
}

/// A float of any of the widths the checks use, widened without loss.
fn float(bits: u64, scalar: &str) -> f64 {
    match scalar {
        "f16" => f16_to_f64(bits as u16),
        "f32" => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

/// Written out here so that the judge shares no arithmetic with the code it judges.
pub fn f16_to_f64(h: u16) -> f64 {
    let sign = if h & 0x8000 != 0 { -1.0 } else { 1.0 };
    let exp = i32::from(h >> 10 & 31);
    let man = f64::from(h & 0x3ff);
    sign * match exp {
        0 => man * 2f64.powi(-24),
        31 if man == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        e => (1024.0 + man) * 2f64.powi(e - 25),
    }
}

/// Whether one atom of an expectation accepts the component `bits`.
pub fn atom_accepts(atom: &str, bits: u64, scalar: &str) -> Result<bool, String> {
    if atom == "*" {
        return Ok(true);
    }
    let hex = |t: &str| u64::from_str_radix(t, 16).map_err(|_| format!("bad expectation `{atom}`"));
    match scalar {
        "i32" | "u32" | "abstract-int" => Ok(hex(atom)? == bits),
        "bool" => Ok((hex(atom)? != 0) == (bits != 0)),
        "f16" | "f32" | "abstract-float" => {
            let x = float(bits, scalar);
            match atom.split_once('~') {
                Some((lo, hi)) => Ok(float(hex(lo)?, scalar) <= x && x <= float(hex(hi)?, scalar)),
                None => Ok(float(hex(atom)?, scalar) == x),
            }
        }
        other => Err(format!("unknown scalar `{other}`")),
    }
}

/// Whether an expectation accepts the components of an element.
pub fn element_accepts(expected: &str, comps: &[u64], scalar: &str) -> Result<bool, String> {
    'alt: for alt in expected.split('|') {
        if alt.split(',').count() != comps.len() {
            return Err(format!("expectation `{expected}` for {} components", comps.len()));
        }
        for (comp, &bits) in alt.split(',').zip(comps) {
            let mut any = false;
            for atom in comp.split('/') {
                any |= atom_accepts(atom, bits, scalar)?;
            }
            if !any {
                continue 'alt;
            }
        }
        return Ok(true);
    }
    Ok(false)
}

/// Holds every check against the buffers after a run.
///
/// # Errors
/// A sentence with the first place that is not accepted.
pub fn hold(checks: &[Check], after: &Dispatch) -> Result<(), String> {
    for check in checks {
        let (group, binding) = (check.group, check.binding);
        let buffer = after.buffer(group, binding).ok_or_else(|| format!("no buffer {group}:{binding}"))?;
        check.holds(&buffer.bytes).map_err(|e| format!("buffer {group}:{binding}: {e}"))?;
    }
    Ok(())
}

impl Check {
    /// Holds the check against the contents of its buffer.
    ///
    /// # Errors
    /// A sentence with the first place that is not accepted.
    pub fn holds(&self, data: &[u8]) -> Result<(), String> {
        match self.kind.as_str() {
            "elements" => self.elements(data),
            "bytes" => self.bytes(data),
            other => Err(format!("unknown check `{other}`")),
        }
    }

    fn elements(&self, data: &[u8]) -> Result<(), String> {
        let width = match self.scalar.as_str() {
            "f16" => 2,
            "abstract-float" | "abstract-int" => 8,
            _ => 4,
        };
        for (i, expected) in self.expected.iter().enumerate() {
            let mut comps = Vec::with_capacity(self.offsets.len());
            for &o in &self.offsets {
                let at = i * self.stride + o;
                let raw = data.get(at..at + width).ok_or_else(|| format!("element {i} lies beyond the buffer"))?;
                comps.push(raw.iter().rev().fold(0u64, |v, &b| v << 8 | u64::from(b)));
            }
            if !element_accepts(expected, &comps, &self.scalar)? {
                let got: Vec<String> = comps.iter().map(|c| format!("{c:0w$x}", w = width * 2)).collect();
                return Err(format!("element {i}: {} {}, accepted {expected}", self.scalar, got.join(",")));
            }
        }
        Ok(())
    }

    fn bytes(&self, data: &[u8]) -> Result<(), String> {
        let want = unhex(&self.hex)?;
        let mask = match &self.mask {
            Some(m) => unhex(m)?,
            None => vec![0xff; want.len()],
        };
        let got = data
            .get(self.offset..self.offset + want.len())
            .ok_or_else(|| "expected bytes lie beyond the buffer".to_string())?;
        if self.scalar == "f32" {
            for (i, (w, g)) in want.chunks_exact(4).zip(got.chunks_exact(4)).enumerate() {
                let word = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
                let full = mask[i * 4..i * 4 + 4].iter().all(|&m| m == 0xff);
                let (wf, gf) = (f32::from_bits(word(w)), f32::from_bits(word(g)));
                if full && wf != gf && word(w) != word(g) {
                    return Err(format!("f32 at byte {}: {gf:?}, expected {wf:?}", self.offset + i * 4));
                }
            }
            return Ok(());
        }
        for i in 0..want.len() {
            if (want[i] ^ got[i]) & mask.get(i).copied().unwrap_or(0xff) != 0 {
                let at = i & !3;
                let end = (at + 4).min(want.len());
                return Err(format!(
                    "bytes at {}: {:02x?}, expected {:02x?}",
                    self.offset + at,
                    &got[at..end],
                    &want[at..end]
                ));
            }
        }
        Ok(())
    }
}
