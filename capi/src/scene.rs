//! `gpucc_draw`: the text of a scene in, its outputs out.

use std::ffi::{CString, c_char, c_int, c_void};
use std::path::PathBuf;
use std::ptr;

use gpucc::Target;
use gpucc_render::compare::{Against, Verdict, check};
use gpucc_render::frame::{self, Options};
use gpucc_render::{Failure, Place, PreparedScene, Programs};
use gpucc_scene::model::OutputSource;
use gpucc_scene::read::{Language, parse};
use gpucc_scene::{SceneFile, output};

use crate::border::{Fault, answers, bytes, c_text, text};
use crate::constants::{GPUCC_BUG, GPUCC_INVALID, GPUCC_USAGE};
use crate::exports::{exports, free};
use crate::grow::{fill, grows, taken};
use crate::log::CLog;

/// `gpucc_draw_options`: the choices of drawing a scene.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CDrawOptions {
    /// Bytes of the caller's struct.
    pub size: usize,
    /// The target; null for the oracle.
    pub target: *const c_char,
    /// The folder that files of the scene are relative to; null for that of the process.
    pub folder: *const c_char,
    /// The name of the scene in messages; may be null.
    pub name: *const c_char,
    /// Where messages go; may be null.
    pub log: *mut CLog,
    /// The optimisation level, from 0 to 3.
    pub opt_level: u32,
    /// Whether the outputs are compared with those of the oracle.
    pub oracle: u32,
    /// Steps that all programs of the scene may take together; 0 for the library's own limit.
    pub steps: u64,
}

/// `gpucc_output`: one picture or buffer of a scene.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct COutput {
    /// Bytes of the caller's struct.
    pub size: usize,
    /// Name of the output in the scene.
    pub name: *const c_char,
    /// Name of the format; null of a buffer.
    pub format: *const c_char,
    /// The bytes: rows from the top, tightly packed.
    pub data: *const c_void,
    /// Length of the output in bytes.
    pub bytes: usize,
    /// Columns; 0 of a buffer.
    pub width: u32,
    /// Rows; 0 of a buffer.
    pub height: u32,
}

grows! { CDrawOptions: oracle of u32; COutput: height of u32; }

/// `gpucc_outputs`: all outputs of a drawn scene.
#[derive(Debug)]
pub struct COutputs {
    rows: Vec<COutput>,
    /// Pointed to by the rows.
    _bytes: Vec<Vec<u8>>,
    _texts: Vec<CString>,
}

fn failure(f: &Failure, target: &str) -> Fault {
    match f {
        Failure::Scene(e) => Fault::new(if e.is_io { GPUCC_USAGE } else { GPUCC_INVALID }, "scene", e.to_string()),
        Failure::Shader { source, list } => crate::border::of_files(source.files(), list.clone(), target),
        Failure::Trap { field, line, trap } => {
            let at = line.as_ref().map_or(String::new(), |(file, l, c)| format!(" ({file}:{l}:{c})"));
            Fault::trap(trap, &format!("{field}{at}: "))
        }
    }
}

fn draw(scene: &str, o: &CDrawOptions, asked: (&str, &str, Option<&str>)) -> Result<COutputs, Fault> {
    let (folder, name, target) = asked;
    let language = if scene.trim_start().starts_with('{') { Language::Json } else { Language::Toml };
    let wrong = |e: gpucc_scene::SceneError| failure(&Failure::Scene(e), "");
    let read = parse(scene, language).map_err(|e| wrong(e.of(name)))?;
    let file = SceneFile {
        scene: read,
        name: name.into(),
        folder: PathBuf::from(folder),
        text: Some((scene.into(), language)),
    };
    let file = file.sized().map_err(wrong)?;
    let level = u8::try_from(o.opt_level).ok().filter(|l| *l <= 3);
    let level = level.ok_or_else(|| Fault::usage(format!("there is no level {}", o.opt_level)))?;
    let on = target.unwrap_or("interp");
    let place = match on {
        "interp" => Place::interp(level),
        t => Place::Target(Target::parse(t).map_err(Fault::usage)?, level),
    };
    let said = |f: Failure| failure(&f, on);
    let ready = PreparedScene::new(file).map_err(said)?;
    let scene = &ready.file.scene;
    let programs = Programs::new(scene, &ready.shaders, place).map_err(said)?;
    let (mut resources, mut options) = (ready.resources.clone(), Options::default());
    if o.steps != 0 {
        options.run.step_limit = o.steps;
    }
    let report = frame::run(scene, &ready.shaders, &programs, &mut resources, &options, &mut || {}).map_err(said)?;
    if o.oracle != 0 {
        check(&ready, (&programs, place), (&resources, &report), Against::Lowered, &options).map_err(|v| match v {
            Verdict::Failure(f) => failure(&f, on),
            Verdict::Differs(text) => Fault::new(GPUCC_BUG, "oracle", text),
        })?;
    }
    let mut out = COutputs { rows: Vec::new(), _bytes: Vec::new(), _texts: Vec::new() };
    for o in &scene.outputs {
        let bytes = output::bytes(scene, &resources, o).map_err(wrong)?;
        let (mut format, mut size) = (ptr::null(), [0, 0]);
        if let OutputSource::Texture { texture, mip_level, .. } = &o.source
            && let Some(image) = scene.textures.position(texture).and_then(|k| resources.textures.get(k))
        {
            let [w, h, _] = image.level_size(*mip_level);
            let name = c_text(image.format.name());
            (format, size) = (name.as_ptr(), [w, h]);
            out._texts.push(name);
        }
        let name = c_text(&o.name);
        out.rows.push(COutput {
            size: size_of::<COutput>(),
            name: name.as_ptr(),
            format,
            data: bytes.as_ptr().cast(),
            bytes: bytes.len(),
            width: size[0],
            height: size[1],
        });
        out._texts.push(name);
        out._bytes.push(bytes);
    }
    Ok(out)
}

answers! {
    fn gpucc_draw(scene: *const c_void, size: usize, options: *const CDrawOptions, outputs: *mut *mut COutputs) |told| {
        if options.is_null() || outputs.is_null() {
            return Err(Fault::usage("options and outputs must not be NULL"));
        }
        outputs.write(ptr::null_mut());
        let o = taken(options).map_err(Fault::usage)?;
        told.log(o.log);
        let folder = text(o.folder, "folder")?.unwrap_or_default();
        let name = text(o.name, "name")?.unwrap_or("scene");
        let scene = std::str::from_utf8(bytes(scene, size)?)
            .map_err(|_| Fault::new(GPUCC_INVALID, "encoding", "the scene is not UTF-8"))?;
        let made = draw(scene, &o, (folder, name, text(o.target, "target")?))?;
        outputs.write(Box::into_raw(Box::new(made)));
        Ok(())
    }
}

exports! {
    fn gpucc_outputs_count(outputs: *const COutputs) -> usize {
        outputs.as_ref().map_or(0, |o| o.rows.len())
    }

    fn gpucc_outputs_get(outputs: *const COutputs, index: usize, row: *mut COutput) -> c_int {
        fill(row, outputs.as_ref().and_then(|o| o.rows.get(index)))
    }

    fn gpucc_outputs_free(outputs: *mut COutputs) {
        free(outputs)
    }
}
