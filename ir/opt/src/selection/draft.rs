//! One module in the making, which is about one instruction.

use gpucc_ir::{Scalar, Stage, Type};
use gpucc_pipeline::Pipeline;
use std::fmt::Write;

use crate::caps::IoCaps;

/// A prepared module that selection must know.
#[derive(Clone, Debug)]
pub struct Case {
    /// The subject: its words are the names of the ops that it is about, and their forms.
    pub name: String,
    /// The module's text; its entry point is `main`.
    pub text: String,
    /// The pipeline around it, where that is not any.
    pub pipeline: Option<Pipeline>,
}

/// The kind of an operand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Another value for each invocation.
    Lanes,
    /// One value for all of them.
    Group,
    /// A constant.
    Const,
}

/// One module in the making.
pub(super) struct Draft {
    stage: Stage,
    /// The items behind the resources of every module.
    pub resources: String,
    /// Inputs behind the first, which a fragment's lanes differ by.
    pub inputs: Vec<String>,
    /// The interface of positions.
    position: &'static str,
    outputs: Vec<(String, Type, String)>,
    body: String,
    values: u32,
}

impl Draft {
    /// The draft of a compute entry.
    pub(super) fn new() -> Draft {
        Draft::of(Stage::Compute, &IoCaps::FULL)
    }

    /// The draft of an entry of a stage.
    pub(super) fn of(stage: Stage, io: &IoCaps) -> Draft {
        // v0 is another multiple of 16 for each invocation.
        let lane = match stage {
            Stage::Compute => "sysval local_invocation_index".to_owned(),
            Stage::Vertex if io.vertex_index_includes_base => "sysval vertex_index".to_owned(),
            Stage::Vertex => "sysval raw_vertex_index".to_owned(),
            Stage::Fragment => "input in0".to_owned(),
        };
        let inputs = if stage == Stage::Fragment { vec!["location 0 flat center i32".to_owned()] } else { Vec::new() };
        let mut d = Draft {
            stage,
            resources: String::new(),
            inputs,
            position: match (stage, io.window_positions, io.negative_depth) {
                (Stage::Vertex, true, _) => "window",
                (Stage::Vertex, false, true) => "clip_negative",
                _ => "",
            },
            outputs: Vec::new(),
            body: format!("  v9000: i32 = {lane}\n  v0: i32 = shl v9000, 4:i32\n"),
            values: 0,
        };
        if stage == Stage::Vertex {
            let ty = Type::F32.with_lanes(4);
            let v = d.value(ty, "compose 0.0:f32, 0.0:f32, 0.5:f32, 1.0:f32");
            d.output("position", ty, &v);
        }
        d
    }

    /// Appends an instruction with a result; gives its name.
    pub(super) fn value(&mut self, ty: Type, text: &str) -> String {
        self.values += 1;
        let _ = writeln!(self.body, "  v{}: {ty} = {text}", self.values);
        format!("v{}", self.values)
    }

    /// Appends an instruction without one.
    pub(super) fn effect(&mut self, text: &str) {
        let _ = writeln!(self.body, "  {text}");
    }

    /// Gives a value out.
    pub(super) fn output(&mut self, at: &str, ty: Type, v: &str) {
        self.outputs.push((at.to_owned(), ty, v.to_owned()));
    }

    /// An operand, its `n`-th of the op.
    pub(super) fn operand(&mut self, ty: Type, from: Kind, n: u32, scalar: bool) -> String {
        let at = 16 * n;
        match (ty.scalar(), from) {
            (Scalar::B1, Kind::Const) => return format!("true:{ty}"),
            (Scalar::F32, Kind::Const) => return format!("{}.25:{ty}", n + 1),
            (_, Kind::Const) => return format!("{}:{ty}", n + 5),
            _ => {}
        }
        if self.stage != Stage::Compute {
            return self.drawn(ty, from, at);
        }
        let offset = if from == Kind::Lanes { format!("{at} + v0") } else { at.to_string() };
        match ty.scalar() {
            Scalar::B1 if scalar && ty.is_vector() => self.value(ty, &format!("load local0[{offset}] align 16")),
            Scalar::B1 => {
                let int = ty.with_scalar(Scalar::I32);
                let v = self.value(int, &format!("load res0[{offset}] align 16"));
                self.value(ty, &format!("icmp.ne {v}, 0:{int}"))
            }
            _ => self.value(ty, &format!("load res0[{offset}] align 16")),
        }
    }

    /// The same where there may be no storage buffers.
    fn drawn(&mut self, ty: Type, from: Kind, at: u32) -> String {
        if ty == Type::B1 {
            let v = self.drawn(Type::I32, from, at);
            return self.value(ty, &format!("icmp.ne {v}, 0:i32"));
        }
        if from == Kind::Group {
            return self.value(ty, &format!("load res2[{at}] align 16"));
        }
        let lanes: Vec<String> = (0..ty.lanes())
            .map(|k| {
                let v = self.value(Type::I32, &format!("iadd v0, {}:i32", at + k));
                if ty.is_float() { self.value(Type::F32, &format!("bitcast {v}")) } else { v }
            })
            .collect();
        if let [one] = &lanes[..] { one.clone() } else { self.value(ty, &format!("compose {}", lanes.join(", "))) }
    }

    /// Stores a result where it is seen, or gives it out.
    pub(super) fn sink(&mut self, v: &str, ty: Type, scalar: bool) {
        if self.stage != Stage::Compute {
            if ty == Type::B1 {
                let one = self.value(Type::I32, &format!("select {v}, 1:i32, 0:i32"));
                return self.sink(&one, Type::I32, scalar);
            }
            let number = self.outputs.len() - usize::from(self.stage == Stage::Vertex);
            let mode = if self.stage == Stage::Vertex { " flat center" } else { "" };
            return self.output(&format!("location {number}{mode}"), ty, v);
        }
        let int = ty.with_scalar(Scalar::I32);
        match (ty.is_bool(), scalar && ty.is_vector()) {
            (true, true) => {
                self.effect(&format!("store {v}, local0[0 + v0] align 16"));
                for k in 0..ty.lanes() {
                    let lane = self.value(Type::B1, &format!("extract {v}, lane {k}"));
                    let one = self.value(Type::I32, &format!("select {lane}, 1:i32, 0:i32"));
                    self.effect(&format!("store {one}, res1[{} + v0] align 4", 4 * k));
                }
            }
            (true, false) => {
                let one = self.value(int, &format!("select {v}, 1:{int}, 0:{int}"));
                self.effect(&format!("store {one}, res1[0 + v0] align 16"));
            }
            (false, _) => self.effect(&format!("store {v}, res1[0 + v0] align 16")),
        }
    }

    fn module(&self) -> String {
        let mut entry = format!("entry \"main\" {} func0", self.stage.name());
        let mut result = String::new();
        if self.stage == Stage::Compute {
            entry.push_str(" size 64,1,1");
        } else {
            let _ = writeln!(entry, " {{");
            if !self.position.is_empty() {
                let _ = writeln!(entry, "  position {}", self.position);
            }
            for (k, slot) in self.inputs.iter().enumerate() {
                let _ = writeln!(entry, "  in{k} \"\" {slot}");
            }
            for (k, (at, ty, _)) in self.outputs.iter().enumerate() {
                let _ = writeln!(entry, "  out{k} \"\" {at} {ty}");
            }
            entry.push('}');
            let types: Vec<String> = self.outputs.iter().map(|o| o.1.to_string()).collect();
            if !types.is_empty() {
                result = format!(" -> {}", types.join(", "));
            }
        }
        let values: Vec<&str> = self.outputs.iter().map(|o| o.2.as_str()).collect();
        format!(
            "module robust off\nres0 \"a\" group 0 binding 0 storage_ro size 4 stride 4\nres1 \"o\" group 0 binding 1 storage_rw size 4 stride 4\n\
             res2 \"u\" group 0 binding 2 uniform size 2048 stride 0\n{}global0 \"w\" workgroup size 2048 align 16\n\
             {entry}\nfunc0 \"main\"{result} {{\n  local0 \"l\" size 2048 align 16\nblock0:\n{}  ret {}\n}}\n",
            self.resources,
            self.body,
            values.join(", ")
        )
    }

    /// The case, in any pipeline.
    pub(super) fn case(&self, name: impl Into<String>) -> Case {
        Case { name: name.into(), text: self.module(), pipeline: None }
    }
}
