//! What is bound for a dispatch or draw, and back: the same for this crate's sets and for those of graphics interfaces.
//!
//! Programs run on copies of memory. Copies of ranges that overlap are told to the launch, so that programs see one memory, and of each copy only
//! the bytes that changed go back.

use gpucc_sim::texture::{Image as Texels, Sampler};
use gpucc_sim::{BoundBuffer, BoundSampler, BoundTexture, Dispatch, Overlap};

/// Bytes as they are in memory, and room for as many more.
#[derive(Debug, Default)]
pub struct Taken {
    /// The bytes that were taken.
    pub bytes: Vec<u8>,
    /// Room that may be used for a second copy; its contents are open.
    pub spare: Vec<u8>,
}

/// Brings bytes into a vector whose room is used again.
pub fn refill(to: &mut Vec<u8>, from: &[u8]) {
    to.clear();
    to.extend_from_slice(from);
}

/// Whose memory and images are bound. Clones of a memory or an image are the same one.
pub trait Lender {
    /// An object of bytes.
    type Memory: Clone;
    /// An object of texels.
    type Image: Clone;

    /// The number that tells a memory from all others; it is not 0.
    fn memory_id(memory: &Self::Memory) -> usize;

    /// The number that tells an image from all others.
    fn image_id(image: &Self::Image) -> usize;

    /// The bytes of a range of memory.
    fn take(&mut self, memory: &Self::Memory, at: usize, size: usize) -> Taken;

    /// Writes those bytes of a range that are not the old ones, and no others.
    fn put(&mut self, memory: &Self::Memory, at: usize, old: &[u8], new: &[u8]);

    /// Takes back a copy that is what the range has now. It may be used again.
    fn keep(&mut self, memory: &Self::Memory, at: usize, taken: Taken);

    /// Takes the texels of an image away for a run.
    fn texels(image: &Self::Image) -> Texels;

    /// Gives the texels of an image back.
    fn give(image: &Self::Image, texels: Texels);
}

/// The range of memory that a bound buffer is a copy of.
#[derive(Debug)]
struct Home<M> {
    memory: M,
    id: usize,
    at: usize,
    size: usize,
    /// Bytes that were there before, of a buffer that is written.
    before: Option<Vec<u8>>,
    /// Room for a second copy.
    spare: Vec<u8>,
}

impl<M> Home<M> {
    fn meets(&self, other: &Home<M>) -> bool {
        self.id == other.id && self.at < other.at + other.size && other.at < self.at + self.size
    }
}

/// The texels of a bound image.
#[derive(Debug)]
enum Source<I> {
    /// Those of an image, which gets them back.
    Own(I),
    /// A copy.
    Copy(Texels),
}

/// What is bound, and where it goes back to.
#[derive(Debug)]
pub struct Bound<L: Lender> {
    /// The bound resources, as a dispatch.
    pub dispatch: Dispatch,
    images: Vec<Source<L::Image>>,
    /// The home of each buffer, if it has one.
    homes: Vec<Option<Home<L::Memory>>>,
}

impl<L: Lender> Default for Bound<L> {
    fn default() -> Self {
        Bound { dispatch: Dispatch::new([1; 3]), images: Vec::new(), homes: Vec::new() }
    }
}

impl<L: Lender> Bound<L> {
    /// Binds bytes that are in no memory at a group and binding.
    pub fn bytes(&mut self, (group, binding): (u32, u32), bytes: Vec<u8>) {
        self.dispatch.buffers.push(BoundBuffer { group, binding, bytes, writable: false });
        self.homes.push(None);
    }

    /// Binds a range of memory, or nothing, at a group and binding. A binding of fewer than `least` bytes ends in zeros.
    pub fn buffer(
        &mut self,
        lender: &mut L,
        (group, binding): (u32, u32),
        range: Option<(&L::Memory, usize, usize)>,
        (writable, least): (bool, u32),
    ) {
        let (mut bytes, home) = match range {
            Some((memory, at, size)) => {
                let Taken { bytes, mut spare } = lender.take(memory, at, size);
                let before = writable.then(|| {
                    refill(&mut spare, &bytes);
                    std::mem::take(&mut spare)
                });
                (bytes, Some(Home { memory: memory.clone(), id: L::memory_id(memory), at, size, before, spare }))
            }
            None => (Vec::new(), None),
        };
        bytes.resize(bytes.len().max(least as usize), 0);
        self.dispatch.buffers.push(BoundBuffer { group, binding, bytes, writable });
        self.homes.push(home);
    }

    /// Binds memory that programs reach by its address, at a group and binding that none of them names.
    pub fn addressed(&mut self, lender: &mut L, place: (u32, u32), (memory, size): (&L::Memory, usize), address: u64) {
        self.dispatch.addresses.push((self.dispatch.buffers.len(), address));
        self.buffer(lender, place, Some((memory, 0, size)), (true, 0));
    }

    /// Binds a sampler at a group, binding and element.
    pub fn sampler(&mut self, (group, binding, element): (u32, u32, u32), sampler: Sampler) {
        self.dispatch.samplers.push(BoundSampler { group, binding, element, sampler });
    }

    /// Binds an image as it is seen; the number of the image is set here.
    pub fn texture(&mut self, image: &L::Image, seen: BoundTexture) {
        let id = L::image_id(image);
        let known = self.images.iter().position(|i| matches!(i, Source::Own(own) if L::image_id(own) == id));
        let number = known.unwrap_or(self.images.len());
        if known.is_none() {
            self.images.push(Source::Own(image.clone()));
        }
        self.dispatch.textures.push(BoundTexture { image: number, ..seen });
    }

    /// Binds a copy of texels as it is seen; the number of the image is set here.
    pub fn copied(&mut self, texels: Texels, seen: BoundTexture) {
        self.dispatch.textures.push(BoundTexture { image: self.images.len(), ..seen });
        self.images.push(Source::Copy(texels));
    }

    /// Takes the texels, and tells which buffers lie in one memory, when all is bound.
    pub fn close(&mut self) {
        let take = |s: &mut Source<L::Image>| match s {
            Source::Own(image) => L::texels(image),
            Source::Copy(texels) => {
                let none = Texels { bytes: Vec::new().into(), ..*texels };
                std::mem::replace(texels, none)
            }
        };
        self.dispatch.images = self.images.iter_mut().map(take).collect();
        // It matters where a program may write one of them.
        let homes: Vec<_> = self.homes.iter().enumerate().filter_map(|(k, h)| Some((k, h.as_ref()?))).collect();
        for (n, &(a, first)) in homes.iter().enumerate() {
            for &(b, second) in &homes[n + 1..] {
                if first.meets(second) && (first.before.is_some() || second.before.is_some()) {
                    let distance = second.at as i64 - first.at as i64;
                    self.dispatch.overlaps.push(Overlap { buffers: [a, b], distance });
                }
            }
        }
    }

    /// Brings buffers that lie in one memory to the same bytes after a run: a binding that no code of the program touches is not there on a machine.
    pub fn agree(&mut self) {
        let Bound { dispatch, homes, .. } = self;
        for o in &dispatch.overlaps {
            let Ok([a, b]) = dispatch.buffers.get_disjoint_mut(o.buffers) else { continue };
            let old = homes[o.buffers[0]].as_ref().and_then(|h| h.before.as_ref());
            for (k, own) in a.bytes.iter_mut().enumerate() {
                let at = usize::try_from(k as i64 - o.distance).ok();
                let Some(other) = at.and_then(|at| b.bytes.get_mut(at)).filter(|other| **other != *own) else {
                    continue;
                };
                // The one that changed counts.
                match old.and_then(|old| old.get(k)).is_some_and(|old| old != own) {
                    true => *other = *own,
                    false => *own = *other,
                }
            }
        }
    }

    /// Gives back what was bound. Of buffers only bytes that changed: several bindings may lie in one memory.
    pub fn unbind(self, lender: &mut L) {
        for (source, texels) in self.images.iter().zip(self.dispatch.images) {
            if let Source::Own(image) = source {
                L::give(image, texels);
            }
        }
        let shared: Vec<usize> = self.dispatch.overlaps.iter().flat_map(|o| o.buffers).collect();
        for (k, (b, home)) in self.dispatch.buffers.into_iter().zip(self.homes).enumerate() {
            let Some(Home { memory, at, size, before, spare, .. }) = home else { continue };
            let new = b.bytes;
            let spare = match before {
                Some(old) => {
                    lender.put(&memory, at, &old, &new);
                    old
                }
                None => spare,
            };
            if !shared.contains(&k) && new.len() == size {
                lender.keep(&memory, at, Taken { bytes: new, spare });
            }
        }
    }
}
