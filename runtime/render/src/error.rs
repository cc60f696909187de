//! Why a frame has no picture.

use std::sync::Arc;

use gpucc::frontend::{Lang, Modules, source_files};
use gpucc::glsl::{Block, Glsl, blocks};
use gpucc_ir::{Class, Diagnostic, SourceFile};
use gpucc_scene::SceneError;
use gpucc_sim::{Trap, TrapKind};

/// Why a frame has no picture.
#[derive(Debug)]
pub enum Failure {
    /// The scene is wrong, or a file of it cannot be read.
    Scene(SceneError),
    /// The compiler's messages about a shader.
    Shader {
        /// The shader.
        source: Box<Source>,
        /// Messages, with spans into the source.
        list: Vec<Diagnostic>,
    },
    /// A program broke a rule, or the step limit was reached.
    Trap {
        /// The pass or draw: `passes[0].draws[1]`.
        field: String,
        /// Shader, line and column of the instruction, as far as they are known.
        line: Option<(String, u32, u32)>,
        /// The event.
        trap: Box<Trap>,
    },
}

/// A shader's source, for messages.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its file, or the field of the scene that holds it.
    pub name: String,
    /// The bytes of the source.
    pub bytes: Vec<u8>,
    /// The language of the source.
    pub lang: Lang,
    /// GLSL with the files that it includes; the bytes are the author's.
    pub glsl: Option<Arc<Glsl>>,
    /// The modules of a program of WESL; the bytes are those of all, one behind the other with a byte between.
    pub modules: Option<Arc<Modules>>,
}

impl Source {
    /// Names and texts of the files that the author wrote.
    pub fn files(&self) -> Vec<(String, String)> {
        let own = |name: &str| if name.is_empty() { self.name.clone() } else { name.to_string() };
        let texts = |files: &[SourceFile]| files.iter().map(|f| (own(f.name()), f.text().to_string())).collect();
        let list: Vec<_> = match (&self.modules, &self.glsl) {
            (Some(modules), _) => modules.files().iter().map(|f| (f.name.clone(), f.text.clone())).collect(),
            (None, Some(glsl)) => texts(glsl.files()),
            (None, None) if self.lang == Lang::Spirv => texts(&source_files(&self.bytes, self.lang)),
            (None, None) => vec![(self.name.clone(), String::from_utf8_lossy(&self.bytes).into_owned())],
        };
        if list.is_empty() { vec![(self.name.clone(), String::new())] } else { list }
    }

    /// The blocks of buffers with their members, as far as the source says them.
    pub fn blocks(&self) -> Vec<Block> {
        match self.glsl.as_ref().and_then(|g| g.spirv()) {
            Some(spirv) => blocks(spirv),
            None if self.lang == Lang::Spirv => blocks(&self.bytes),
            None => Vec::new(),
        }
    }

    /// The file that a line of the bytes is of, and the line there.
    pub fn file_line(&self, line: u32) -> (String, u32) {
        let mut rest = line;
        if self.modules.is_some() || self.glsl.is_some() {
            for (name, text) in self.files() {
                let lines = text.matches('\n').count() as u32 + 1;
                if rest <= lines {
                    return (name, rest);
                }
                rest -= lines;
            }
        }
        (self.name.clone(), line)
    }
}

impl From<SceneError> for Failure {
    fn from(e: SceneError) -> Failure {
        Failure::Scene(e)
    }
}

impl Failure {
    /// The class that decides what is to blame: a bug outweighs wrong input outweighs a refusal.
    pub fn class(&self) -> Class {
        match self {
            // A hole of a machine or of a driver part is nobody's fault.
            Failure::Trap { trap, .. } if trap.kind == TrapKind::Unsupported => Class::Unsupported,
            Failure::Scene(_) | Failure::Trap { .. } => Class::Invalid,
            Failure::Shader { list, .. } => {
                let has = |c| list.iter().any(|d| d.class == c);
                if has(Class::Internal) {
                    Class::Internal
                } else if has(Class::Invalid) {
                    Class::Invalid
                } else {
                    Class::Unsupported
                }
            }
        }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Scene(e) => e.fmt(f),
            Failure::Shader { source, list } => {
                write!(f, "{}", source.name)?;
                for (k, d) in list.iter().enumerate() {
                    write!(f, "{} {}", if k == 0 { ":" } else { ";" }, d.message)?;
                    for n in &d.notes {
                        write!(f, "; {n}")?;
                    }
                }
                Ok(())
            }
            Failure::Trap { field, line, trap } => {
                write!(f, "{field}: {trap}")?;
                match line {
                    Some((shader, line, column)) => write!(f, " ({shader}, line {line}, column {column})"),
                    None => Ok(()),
                }
            }
        }
    }
}

impl std::error::Error for Failure {}
