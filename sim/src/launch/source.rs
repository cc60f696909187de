//! Values of the container's sources that are the same on every family.

use gpucc_container::Source;

use crate::draw::Draw;
use crate::grid::local_id;
use crate::launch::Launch;
use crate::trap::{Trap, bad_container};

/// The draw's values that preloads may ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DrawState {
    /// The addends of the numbers of vertices and of instances: base or first vertex, first instance.
    pub first: [u32; 2],
    /// Half the size of the viewport with y down, and its range of depth; its middle, and its least depth.
    pub viewport: [[f32; 3]; 2],
    /// The blend constant: red, green, blue, alpha.
    pub blend_constant: [f32; 4],
}

impl DrawState {
    /// The state of a draw.
    pub fn of(draw: &Draw<'_>) -> DrawState {
        let v = draw.vertices;
        DrawState {
            first: [if v.indices.is_some() { v.base as u32 } else { v.first }, v.first_instance],
            viewport: draw.raster.viewport.on_screen(),
            blend_constant: draw.merger.constant,
        }
    }

    fn value(&self, source: Source) -> Option<u32> {
        match source {
            Source::FirstVertex => Some(self.first[0]),
            Source::FirstInstance => Some(self.first[1]),
            Source::Viewport(k) => self.viewport.as_flattened().get(usize::from(k)).map(|v| v.to_bits()),
            Source::BlendConstant(k) => self.blend_constant.get(usize::from(k)).map(|v| v.to_bits()),
            _ => None,
        }
    }
}

/// Who asks for a value: the more is known, the more sources have one.
#[derive(Clone, Copy, Debug)]
pub enum At<'a> {
    /// The whole dispatch.
    Dispatch,
    /// A draw.
    Draw(&'a DrawState),
    /// A workgroup, by its id.
    Workgroup([u32; 3]),
    /// An invocation: id of the workgroup, local index.
    Invocation([u32; 3], u32),
}

impl Launch<'_> {
    /// The value of a source: of what every family means alike from here, of the rest from `own`.
    ///
    /// # Errors
    /// A buffer or a word of the immediate data that is not there, what `own` refuses, and a source that has no value here.
    pub fn value(
        &self,
        source: Source,
        at: At<'_>,
        own: impl FnOnce(Source) -> Result<u32, Trap>,
    ) -> Result<u32, Trap> {
        let refuse = |what: String| bad_container(what);
        let none = || refuse(format!("{source:?} has no value here"));
        let size = self.entry.meta.workgroup_size;
        let group = match at {
            At::Dispatch | At::Draw(_) => None,
            At::Workgroup(id) | At::Invocation(id, _) => Some(id),
        };
        let index = match at {
            At::Invocation(_, index) => Some(index),
            _ => None,
        };
        let local = || index.map(|i| local_id(i, size));
        let of = |list: Option<[u32; 3]>, d: u16| list.and_then(|l| l.get(usize::from(d)).copied()).ok_or_else(none);
        match source {
            Source::Const(v) => Ok(v),
            Source::BufferSize { group, binding } => u32::try_from(self.buffer(group, binding)?.size)
                .map_err(|_| refuse(format!("buffer at group {group} binding {binding} is larger than 4 GiB"))),
            Source::NumWorkgroups(d) => of(Some(self.grid), d),
            Source::Immediate(word) => self.immediate(word),
            Source::WorkgroupId(d) => of(group, d),
            Source::LocalId(d) => of(local(), d),
            Source::FirstVertex | Source::FirstInstance | Source::Viewport(_) | Source::BlendConstant(_) => {
                let At::Draw(draw) = at else { return Err(none()) };
                draw.value(source).ok_or_else(none)
            }
            Source::TextureWord { of, word } => self.descriptor_word(of, word),
            Source::TextureFact { of, fact } => self.texture_fact(of, fact),
            Source::LocalIndex => index.ok_or_else(none),
            Source::GlobalId(d) => {
                let first = of(group, d)?.wrapping_mul(of(Some(size), d)?);
                Ok(first.wrapping_add(of(local(), d)?))
            }
            other => own(other),
        }
    }
}
