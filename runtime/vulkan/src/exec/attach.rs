//! Commands that begin, end and clear passes.

use ash::vk;
use gpucc_device::Clear;

use super::Exec;
use super::pass::{Pass, inside};
use super::transfer::clear_bits;
use crate::command::Begin;
use crate::fail::Done;

impl Exec<'_> {
    /// Begins a pass.
    pub(super) fn begin(&mut self, begin: Begin) -> Done {
        self.pass = Some(Pass::new(begin));
        Ok(())
    }

    /// Goes to the next subpass.
    pub(super) fn next(&mut self) -> Done {
        if let Some(pass) = &mut self.pass {
            pass.next();
        }
        Ok(())
    }

    /// Ends the pass.
    pub(super) fn end(&mut self) {
        if let Some(pass) = self.pass.take() {
            pass.close();
        }
    }

    /// Clears attachments in rectangles.
    pub(super) fn clear_attachments(&mut self, what: &[vk::ClearAttachment], rects: &[vk::ClearRect]) {
        let Some(pass) = &mut self.pass else { return };
        for (a, r) in what.iter().flat_map(|a| rects.iter().map(move |r| (a, r))) {
            let value = clear_bits(&a.clear_value);
            // Of several views each is cleared; the rectangle names one layer.
            let layers = match pass.views() {
                0 => r.base_array_layer..r.base_array_layer.saturating_add(r.layer_count),
                _ => 0..pass.targets.layers(),
            };
            for layer in layers.filter(|k| pass.has(*k)).collect::<Vec<_>>() {
                let Some(t) = pass.targets.layer_mut(layer) else { break };
                let colour = a.aspect_mask.contains(vk::ImageAspectFlags::COLOR);
                let surface = match colour {
                    true => t.colour.get_mut(a.color_attachment as usize).and_then(Option::as_mut),
                    false => t.depth.as_mut(),
                };
                let Some(s) = surface else { continue };
                let depth = a.aspect_mask.contains(vk::ImageAspectFlags::DEPTH);
                let stencil = a.aspect_mask.contains(vk::ImageAspectFlags::STENCIL);
                let area = inside(&r.rect, s);
                let clear = Clear {
                    colour: colour.then_some(value),
                    depth: depth.then_some(f32::from_bits(value[0])),
                    stencil: stencil.then_some(value[1]),
                };
                clear.apply(s, area);
            }
        }
    }
}
