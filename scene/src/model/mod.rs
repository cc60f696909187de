//! The scene as it is written: every key and default of the format `scene-1`, nothing resolved or checked beyond the
//! shape of the data. Names stay names.

pub(crate) mod de;
pub mod dimension;
pub mod follows;
pub mod pass;
pub mod pipeline;
pub mod resource;

use serde::Deserialize;

use crate::error::lacks;

pub use dimension::Dimension;
pub use pass::{
    Aspect, Binding, BindingResource, BufferRange, Call, ColorAttachment, DepthStencilAttachment, Draw, Held,
    IndexBuffer, LoadOp, Output, OutputSource, Pass, ResolveTarget, StoreOp, TextureView,
};
pub use pipeline::{
    DepthStencil, Fragment, Multisample, Pipeline, Primitive, Render, Stage, Target, Vertex, VertexAttribute,
    VertexLayout,
};
pub use resource::{
    Address, Body, Buffer, Contents, Data, Fill, Generator, Immediates, Made, Pattern, Sampler, Shader, Texture,
    TextureDimension,
};

/// A frame: resources, pipelines, passes in order, outputs.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// The version of the format.
    pub format: Version,
    /// WebGPU features the scene needs; information only.
    #[serde(default)]
    pub requires: Vec<String>,
    /// Shaders by their names.
    #[serde(default)]
    pub shaders: Names<Shader>,
    /// Textures by their names.
    #[serde(default)]
    pub textures: Names<Texture>,
    /// Samplers by their names.
    #[serde(default)]
    pub samplers: Names<Sampler>,
    /// Buffers by their names.
    #[serde(default)]
    pub buffers: Names<Buffer>,
    /// Pipelines by their names.
    #[serde(default)]
    pub pipelines: Names<Pipeline>,
    /// Passes, executed in order.
    #[serde(default)]
    pub passes: Vec<Pass>,
    /// The outputs, in the order of declaration.
    #[serde(default)]
    pub outputs: Vec<Output>,
    /// Name of the output that is the picture.
    pub present: Option<String>,
}

impl Scene {
    /// An address of a buffer. It hangs on the place of the buffer among those of the scene alone.
    ///
    /// # Errors
    /// There is no such buffer, or more of them come before it than have addresses.
    pub fn address(&self, a: &Address) -> Result<u64, String> {
        let k = self.buffers.position(&a.buffer).ok_or_else(|| self.buffers.lacks("buffer", &a.buffer))?;
        if k >= crate::limits::ADDRESSES {
            return Err(format!("only the first {} buffers of a scene have addresses", crate::limits::ADDRESSES));
        }
        Ok(gpucc_sim::Dispatch::nth_address(k).wrapping_add(a.offset))
    }

    /// The buffers whose addresses something names, by their places, and the address of each.
    pub fn addressed(&self) -> Vec<(usize, u64)> {
        fn of_pass(p: &Pass) -> Vec<&Immediates> {
            match p {
                Pass::Compute { immediates, .. } => immediates.iter().collect(),
                Pass::Render { draws, .. } => draws.iter().filter_map(|d| d.immediates.as_ref()).collect(),
            }
        }
        let in_buffers = self.buffers.iter().flat_map(|(_, b)| &b.data).filter_map(|d| match d {
            Data::Addresses(list) => Some(list),
            _ => None,
        });
        let immediates: Vec<&Immediates> = self.passes.iter().flat_map(of_pass).collect();
        let named = in_buffers.flatten().chain(immediates.iter().flat_map(|i| i.addresses.iter().map(|a| &a.1)));
        let mut all: Vec<(usize, u64)> = named
            .filter_map(|a| {
                let whole = Address { offset: 0, ..a.clone() };
                Some((self.buffers.position(&a.buffer)?, self.address(&whole).ok()?))
            })
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The outputs that are written and compared: those of the scene, or the picture that it presents without any.
    pub fn compared_outputs(&self) -> Vec<Output> {
        if self.outputs.is_empty() { self.presented().into_iter().collect() } else { self.outputs.clone() }
    }

    /// The output whose picture is the scene's: the one named by `present`, else the first that is a colour texture.
    ///
    /// A scene without outputs whose passes draw to one colour texture presents that one, unless it is multisampled: that is no picture.
    pub fn presented(&self) -> Option<Output> {
        let found = match &self.present {
            Some(name) => self.outputs.iter().find(|o| o.name == *name),
            None => self.outputs.iter().find(|o| match &o.source {
                OutputSource::Texture { texture, .. } => {
                    self.textures.get(texture).is_some_and(|t| !t.format.has_depth() && !t.format.has_stencil())
                }
                OutputSource::Buffer(_) => false,
            }),
        };
        if found.is_some() || !self.outputs.is_empty() {
            return found.cloned();
        }
        let attachments = self.passes.iter().flat_map(|p| match p {
            Pass::Render { color_attachments, .. } => color_attachments.as_slice(),
            Pass::Compute { .. } => &[],
        });
        // A resolved texture is the one that is looked at.
        let places = attachments.flatten().map(|a| match &a.resolve_target {
            Some(r) => (&r.texture, r.mip_level, r.array_layer),
            None => (&a.texture, a.mip_level, a.array_layer),
        });
        let mut places = places.collect::<Vec<_>>();
        places.dedup();
        let [(texture, mip_level, array_layer)] = places[..] else { return None };
        if self.textures.get(texture).is_some_and(|t| t.sample_count > 1) {
            return None;
        }
        let array_layer = Some(array_layer);
        let source =
            OutputSource::Texture { texture: texture.clone(), mip_level, array_layer, aspect: Aspect::default() };
        Some(Output { name: texture.clone(), source })
    }
}

/// The format's name and version, `"scene-1"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Version;

/// Things by name, sorted by it.
#[derive(Clone, Debug, PartialEq)]
pub struct Names<T>(Vec<(String, T)>);

impl<T> Default for Names<T> {
    fn default() -> Self {
        Names(Vec::new())
    }
}

impl<T> Names<T> {
    /// The thing of a name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.position(name).map(|k| &self.0[k].1)
    }

    /// Its number in the order of names.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.0.binary_search_by(|(n, _)| n.as_str().cmp(name)).ok()
    }

    /// Name and thing by number.
    pub fn at(&self, number: usize) -> Option<(&str, &T)> {
        self.0.get(number).map(|(n, t)| (n.as_str(), t))
    }

    /// A thing by number, to be changed.
    pub(crate) fn at_mut(&mut self, number: usize) -> Option<&mut T> {
        self.0.get_mut(number).map(|(_, t)| t)
    }

    /// All, in the order of names.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &T)> {
        self.0.iter().map(|(n, t)| (n.as_str(), t))
    }

    /// That there is no thing of that name, in a sentence.
    pub fn lacks(&self, what: &str, name: &str) -> String {
        lacks(what, name, self.0.iter().map(|(n, _)| n.as_str()))
    }

    /// Number of names in the list.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a thing, or puts it in the place of the one with its name.
    pub fn insert(&mut self, name: String, thing: T) {
        match self.0.binary_search_by(|(n, _)| n.as_str().cmp(&name)) {
            Ok(k) => self.0[k].1 = thing,
            Err(k) => self.0.insert(k, (name, thing)),
        }
    }

    /// A list with names; an error is a name that occurs twice.
    ///
    /// # Errors
    /// The name that occurs twice.
    pub fn new(mut list: Vec<(String, T)>) -> Result<Names<T>, String> {
        list.sort_by(|a, b| a.0.cmp(&b.0));
        match list.windows(2).find(|w| w[0].0 == w[1].0) {
            Some(w) => Err(w[0].0.clone()),
            None => Ok(Names(list)),
        }
    }
}
