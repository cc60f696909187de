//! Commands as plain data.

use std::sync::Arc;

use ash::vk;

use crate::given::Late;
use crate::memory::{Buffer, Image, View};
use crate::pass::{Framebuffer, RenderPass};
use crate::pipeline::Pipeline;
use crate::query::Queries;
use crate::set::Set;
use crate::sync::Event;

/// A number that a clear gives: the bits of its components, or of depth and then stencil.
pub type Clear = [u32; 4];

/// A draw: vertices or indices, and instances.
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    /// Number of vertices, or of indices.
    pub count: u32,
    /// Number of instances that are drawn.
    pub instances: u32,
    /// First vertex, or place of the first index.
    pub first: u32,
    /// Added to each index.
    pub base: i32,
    /// Number of the first instance.
    pub first_instance: u32,
    /// Whether the index buffer is read.
    pub indexed: bool,
}

/// Where the words of a draw or their number lie.
#[derive(Clone, Debug)]
pub struct Indirect {
    /// The buffer that holds them.
    pub buffer: Arc<Buffer>,
    /// Offset of the first byte.
    pub offset: u64,
    /// Most draws that there may be.
    pub count: u32,
    /// Bytes from one to the next.
    pub stride: u32,
    /// Whether the index buffer is read.
    pub indexed: bool,
    /// Where the number of draws lies, if it does.
    pub counted: Option<(Arc<Buffer>, u64)>,
}

/// State that commands set.
#[derive(Clone, Debug)]
pub enum State {
    /// Viewports from a number on.
    Viewports(u32, Vec<vk::Viewport>),
    /// Scissors from a number on.
    Scissors(u32, Vec<vk::Rect2D>),
    /// The constant of blending.
    Constant([f32; 4]),
    /// Stencil references of the faces that are named.
    Reference(vk::StencilFaceFlags, u32),
    /// Stencil masks that are read with.
    ReadMask(vk::StencilFaceFlags, u32),
    /// Stencil masks that are written with.
    WriteMask(vk::StencilFaceFlags, u32),
    /// Depth bias: constant, slope, clamp.
    Bias([f32; 3]),
    /// All viewports, as many as there are.
    AllViewports(Vec<vk::Viewport>),
    /// All scissors, as many as there are.
    AllScissors(Vec<vk::Rect2D>),
    /// Bytes from one element to the next of vertex buffers from a number on.
    Strides(u32, Vec<u64>),
    /// Other fixed function.
    Late(Late),
}

/// The begin of a pass.
#[derive(Clone, Debug)]
pub struct Begin {
    /// The render pass that begins.
    pub pass: Arc<RenderPass>,
    /// Its attachments, as views of images.
    pub frame: Arc<Framebuffer>,
    /// Values of those that are cleared.
    pub clears: Vec<Clear>,
    /// Where loads and clears happen.
    pub area: vk::Rect2D,
}

/// A command of a command buffer.
#[derive(Clone, Debug)]
pub enum Command {
    /// Binds a pipeline.
    Pipeline(Arc<Pipeline>),
    /// Binds sets from a number on, with the offsets of their dynamic buffers; whether they are for dispatches.
    Sets(bool, u32, Vec<Option<(Arc<Set>, Vec<u32>)>>),
    /// Writes push constants.
    Push(u32, Vec<u8>),
    /// Binds vertex buffers from a number on: first byte, and bytes.
    Vertices(u32, Vec<Option<(Arc<Buffer>, u64, u64)>>),
    /// Binds the index buffer; whether its indices have 32 bits.
    Indices(Arc<Buffer>, u64, bool),
    /// Sets state.
    Set(State),
    /// Runs workgroups: the first one, and how many.
    Dispatch([u32; 3], [u32; 3]),
    /// The same with the number from a buffer.
    DispatchIndirect(Arc<Buffer>, u64),
    /// Draws.
    Draw(Draw),
    /// Draws what a buffer says.
    DrawIndirect(Indirect),
    /// Begins a pass.
    Begin(Box<Begin>),
    /// Goes to the next subpass.
    Next,
    /// Ends a pass.
    End,
    /// Clears attachments in rectangles.
    ClearAttachments(Vec<vk::ClearAttachment>, Vec<vk::ClearRect>),
    /// Fills a range with a word.
    Fill(Arc<Buffer>, u64, u64, u32),
    /// Writes bytes.
    Update(Arc<Buffer>, u64, Vec<u8>),
    /// Copies ranges.
    CopyBuffer(Arc<Buffer>, Arc<Buffer>, Vec<vk::BufferCopy>),
    /// Copies texels out of a buffer.
    ToImage(Arc<Buffer>, Arc<Image>, Vec<vk::BufferImageCopy>),
    /// Copies texels to a buffer.
    ToBuffer(Arc<Image>, Arc<Buffer>, Vec<vk::BufferImageCopy>),
    /// Copies texels as they are.
    CopyImage(Arc<Image>, Arc<Image>, Vec<vk::ImageCopy>),
    /// Copies texels, scaled and converted; whether with a linear filter.
    Blit(Arc<Image>, Arc<Image>, Vec<vk::ImageBlit>, bool),
    /// Takes means of samples.
    Resolve(Arc<Image>, Arc<Image>, Vec<vk::ImageResolve>),
    /// Clears ranges of an image.
    ClearImage(Arc<Image>, Clear, Vec<vk::ImageSubresourceRange>),
    /// Resets queries.
    ResetQueries(Arc<Queries>, u32, u32),
    /// Begins a query.
    BeginQuery(Arc<Queries>, u32),
    /// Ends it.
    EndQuery(Arc<Queries>, u32),
    /// Writes the time, which is the number of steps that the device ran.
    Timestamp(Arc<Queries>, u32),
    /// Copies results: first query and their number, buffer, offset, stride.
    CopyQueries(Arc<Queries>, [u32; 2], Arc<Buffer>, [u64; 2], vk::QueryResultFlags),
    /// Sets an event, or sets it back.
    Event(Arc<Event>, bool),
    /// Waits for events.
    Wait(Vec<Arc<Event>>),
    /// Runs the commands of a secondary buffer.
    Execute(Arc<Vec<Command>>),
    /// Begins a stretch that messages name.
    Label(String),
    /// Ends the innermost one.
    EndLabel,
    /// Puts an image on the screen that is not there.
    Present(Arc<View>),
}
