//! Render passes and framebuffers.

use std::sync::Arc;

use ash::vk;

use crate::handles::handles;
use crate::memory::View;

/// An attachment of a pass.
#[derive(Clone, Copy, Debug)]
pub struct Attachment {
    /// Format of the attachment.
    pub format: vk::Format,
    /// Whether colour or depth is cleared where the pass begins.
    pub clears: bool,
    /// Whether the stencil is.
    pub clears_stencil: bool,
}

/// A subpass: attachments by their number in the pass.
#[derive(Clone, Debug, Default)]
pub struct Subpass {
    /// Colour attachments by location.
    pub colour: Vec<Option<usize>>,
    /// Where they are resolved to.
    pub resolve: Vec<Option<usize>>,
    /// Number of the depth-stencil attachment.
    pub depth: Option<usize>,
    /// Where its sample 0 goes.
    pub resolve_depth: Option<usize>,
    /// Whether it reads attachments at the fragment's own pixel.
    pub reads: bool,
    /// Views that each of its draws is done for, a bit each; 0 where it has no views.
    pub views: u32,
}

/// A render pass: attachments and subpasses.
#[derive(Clone, Debug, Default)]
pub struct RenderPass {
    /// The attachments, by their number.
    pub attachments: Vec<Attachment>,
    /// The subpasses, in their order.
    pub subpasses: Vec<Subpass>,
}

/// A framebuffer: a view for each attachment.
#[derive(Clone, Debug)]
pub struct Framebuffer {
    /// A view for each attachment; none where they come with the begin of a pass.
    pub views: Vec<Arc<View>>,
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Number of layers that are drawn to.
    pub layers: u32,
}

handles! {
    vk::RenderPass => RenderPass, "render pass";
    vk::Framebuffer => Framebuffer, "framebuffer";
}
