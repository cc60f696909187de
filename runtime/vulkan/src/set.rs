//! Descriptor sets and their layouts.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use ash::vk;
use gpucc_ir::ResourceKind;

use crate::fail::{Done, Fail};
use crate::handles::handles;
use crate::memory::{Buffer, View};
use crate::samplers::Sampler;

/// A binding of a layout.
#[derive(Clone, Debug)]
pub struct Binding {
    /// Number of the binding in the layout.
    pub number: u32,
    /// The type of its descriptors.
    pub ty: vk::DescriptorType,
    /// Number of elements, 1 for a single one.
    pub count: u32,
    /// Samplers that never change.
    pub fixed: Vec<Arc<Sampler>>,
    /// Whether descriptors that no program uses may be left open.
    pub partial: bool,
    /// Whether each set says how many elements it has.
    pub variable: bool,
}

/// A layout: bindings by their number.
#[derive(Debug)]
pub struct Layout {
    /// The bindings, in the order of their numbers.
    pub bindings: Vec<Binding>,
}

impl Layout {
    /// Number of offsets that a set takes when it is bound.
    pub fn dynamic(&self) -> usize {
        self.bindings.iter().filter(|b| is_dynamic(b.ty)).map(|b| b.count as usize).sum()
    }

    /// Whether descriptors of a binding may be left open.
    pub fn partial(&self, binding: u32) -> bool {
        self.bindings.iter().any(|b| b.number == binding && b.partial)
    }

    /// The layout of a set with so many elements at the binding whose sets say how many they have.
    ///
    /// # Errors
    /// The layout has fewer.
    pub fn with_elements(self: &Arc<Layout>, count: u32) -> Done<Arc<Layout>> {
        let Some(k) = self.bindings.iter().position(|b| b.variable) else { return Ok(self.clone()) };
        if count > self.bindings[k].count {
            let most = self.bindings[k].count;
            return Err(Fail::misuse(format!("a set of {count} elements, where its layout has {most}")));
        }
        let mut bindings = self.bindings.clone();
        // What a set does not have is open.
        (bindings[k].count, bindings[k].partial) = (count, true);
        Ok(Arc::new(Layout { bindings }))
    }
}

/// Whether a buffer gets an offset when its set is bound.
fn is_dynamic(ty: vk::DescriptorType) -> bool {
    matches!(ty, vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC | vk::DescriptorType::STORAGE_BUFFER_DYNAMIC)
}

/// A descriptor: the resource that it points to.
#[derive(Clone, Debug)]
pub enum Slot {
    /// A range of a buffer, and whether it gets an offset when its set is bound.
    Buffer {
        /// The buffer.
        buffer: Arc<Buffer>,
        /// First byte.
        offset: u64,
        /// Bytes.
        range: u64,
        /// Whether an offset is added.
        dynamic: bool,
    },
    /// The bytes of a uniform block that lies in the set itself.
    Inline(Vec<u8>),
    /// An image, a sampler, or both.
    Image(Option<Arc<View>>, Option<Arc<Sampler>>),
}

impl Slot {
    /// Whether it has what a resource of this kind needs.
    pub fn is_whole(&self, kind: ResourceKind) -> bool {
        match (kind, self) {
            (ResourceKind::Sampler { .. }, Slot::Image(_, sampler)) => sampler.is_some(),
            (ResourceKind::Texture { .. } | ResourceKind::StorageTexture { .. }, Slot::Image(view, _)) => {
                view.is_some()
            }
            (kind, Slot::Buffer { .. } | Slot::Inline(_)) => kind.is_buffer(),
            _ => false,
        }
    }
}

/// Descriptors by binding and element.
pub type Slots = BTreeMap<(u32, u32), Slot>;

/// A descriptor set: a descriptor for each element.
#[derive(Debug)]
pub struct Set {
    /// The layout that it was made with.
    pub layout: Arc<Layout>,
    slots: RwLock<Arc<Slots>>,
}

impl Set {
    /// A set in which immutable samplers alone are written, and blocks that lie in it are zeros.
    pub fn new(layout: Arc<Layout>) -> Set {
        let mut slots = Slots::new();
        for b in &layout.bindings {
            if b.ty == vk::DescriptorType::INLINE_UNIFORM_BLOCK {
                slots.insert((b.number, 0), Slot::Inline(vec![0; b.count as usize]));
            }
            for (k, s) in b.fixed.iter().enumerate() {
                slots.insert((b.number, k as u32), Slot::Image(None, Some(s.clone())));
            }
        }
        Set { layout, slots: RwLock::new(Arc::new(slots)) }
    }

    /// The descriptors as they are now.
    pub fn slots(&self) -> Arc<Slots> {
        self.slots.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The places that a write of so many descriptors changes: what does not fit a binding goes on in the next one.
    ///
    /// # Errors
    /// The layout has no room for them.
    fn places(&self, binding: u32, element: u32, count: usize) -> Done<Vec<(u32, u32)>> {
        let none = || {
            Fail::misuse(format!("{count} descriptors at binding {binding}, element {element} are not in the layout"))
        };
        let all = &self.layout.bindings;
        let mut at = all.iter().position(|b| b.number == binding).ok_or_else(none)?;
        let mut element = element;
        let mut places = Vec::with_capacity(count);
        while places.len() < count {
            let b = all.get(at).ok_or_else(none)?;
            if element < b.count {
                places.push((b.number, element));
                element += 1;
            } else {
                element -= b.count;
                at += 1;
            }
        }
        Ok(places)
    }

    /// Writes descriptors from a binding and element on.
    ///
    /// # Errors
    /// The layout has no room for them.
    pub fn write(&self, binding: u32, element: u32, list: Vec<Slot>) -> Done {
        let places = self.places(binding, element, list.len())?;
        let fixed = |n: u32| self.layout.bindings.iter().any(|b| b.number == n && !b.fixed.is_empty());
        let mut held = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        let slots = Arc::make_mut(&mut held);
        for (place, slot) in places.into_iter().zip(list) {
            match (slot, slots.get_mut(&place)) {
                // An immutable sampler stays.
                (Slot::Image(view, _), Some(Slot::Image(own, _))) if fixed(place.0) => *own = view,
                (slot, _) => drop(slots.insert(place, slot)),
            }
        }
        Ok(())
    }

    /// Calls `f` with the bytes of a block that lies in the set, from an offset on.
    fn block<T>(&self, binding: u32, offset: u32, size: usize, f: impl FnOnce(&mut [u8]) -> T) -> Done<T> {
        let mut held = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        let found = match Arc::make_mut(&mut held).get_mut(&(binding, 0)) {
            Some(Slot::Inline(bytes)) => bytes.get_mut(offset as usize..(offset as usize).saturating_add(size)),
            _ => None,
        };
        let none = || Fail::misuse(format!("{size} bytes at {offset} are not in a uniform block at binding {binding}"));
        found.map(f).ok_or_else(none)
    }

    /// Writes bytes of a block that lies in the set.
    ///
    /// # Errors
    /// There is no such block, or it is smaller.
    pub fn write_block(&self, binding: u32, offset: u32, bytes: &[u8]) -> Done {
        self.block(binding, offset, bytes.len(), |own| own.copy_from_slice(bytes))
    }

    /// Bytes of a block that lies in the set, for a copy. Nothing where the binding is another one.
    ///
    /// # Errors
    /// The block is smaller.
    pub fn read_block(&self, binding: u32, offset: u32, size: u32) -> Done<Option<Vec<u8>>> {
        match self.slots().get(&(binding, 0)) {
            Some(Slot::Inline(_)) => self.block(binding, offset, size as usize, |own| own.to_vec()).map(Some),
            _ => Ok(None),
        }
    }

    /// Descriptors from a binding and element on, for a copy.
    ///
    /// # Errors
    /// The layout does not have them.
    pub fn read(&self, binding: u32, element: u32, count: usize) -> Done<Vec<Option<Slot>>> {
        let slots = self.slots();
        Ok(self.places(binding, element, count)?.iter().map(|p| slots.get(p).cloned()).collect())
    }
}

/// The layout of a pipeline. Programs say by themselves what they use; sets alone are checked when they are bound.
#[derive(Debug)]
pub struct PipelineLayout {
    /// Layouts of the sets.
    pub sets: Vec<Option<Arc<Layout>>>,
}

/// A pool: how many sets and descriptors it has, and what was taken out of it.
#[derive(Debug)]
pub struct Pool {
    sets: u32,
    sizes: BTreeMap<vk::DescriptorType, u64>,
    taken: Mutex<Taken>,
}

/// Sets that were taken out of a pool, and descriptors by type.
#[derive(Debug, Default)]
struct Taken {
    sets: BTreeMap<vk::DescriptorSet, Arc<Layout>>,
    used: BTreeMap<vk::DescriptorType, u64>,
}

impl Pool {
    /// A pool of so many sets, and descriptors of each type.
    pub fn new(sets: u32, sizes: &[vk::DescriptorPoolSize]) -> Pool {
        let mut all = BTreeMap::new();
        for s in sizes {
            *all.entry(s.ty).or_insert(0) += u64::from(s.descriptor_count);
        }
        Pool { sets, sizes: all, taken: Mutex::default() }
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a set out, which `make` registers.
    ///
    /// # Errors
    /// There are no sets or no descriptors left.
    pub fn take(&self, layout: &Arc<Layout>, make: impl FnOnce() -> vk::DescriptorSet) -> Done<vk::DescriptorSet> {
        let none = |text: String| Err(Fail::new(vk::Result::ERROR_OUT_OF_POOL_MEMORY, text));
        let mut taken = self.taken();
        if taken.sets.len() as u64 >= u64::from(self.sets) {
            return none(format!("all {} sets of a descriptor pool are taken", self.sets));
        }
        let mut used = taken.used.clone();
        for b in &layout.bindings {
            let n = used.entry(b.ty).or_insert(0);
            *n += u64::from(b.count);
            let most = self.sizes.get(&b.ty).copied().unwrap_or(0);
            if *n > most {
                return none(format!("{n} descriptors of type {:?} are needed, the pool has {most}", b.ty));
            }
        }
        taken.used = used;
        let set = make();
        taken.sets.insert(set, layout.clone());
        Ok(set)
    }

    /// Gives a set back.
    pub fn give(&self, set: vk::DescriptorSet) {
        let mut taken = self.taken();
        for b in taken.sets.remove(&set).iter().flat_map(|l| &l.bindings) {
            if let Some(n) = taken.used.get_mut(&b.ty) {
                *n = n.saturating_sub(b.count.into());
            }
        }
    }

    /// Gives all sets back; these were they.
    pub fn empty(&self) -> Vec<vk::DescriptorSet> {
        std::mem::take(&mut *self.taken()).sets.into_keys().collect()
    }
}

/// A template of writes.
#[derive(Debug)]
pub struct Template {
    /// The writes, as offsets into the data.
    pub entries: Vec<vk::DescriptorUpdateTemplateEntry>,
}

handles! {
    vk::DescriptorSetLayout => Layout, "descriptor set layout";
    vk::DescriptorSet => Set, "descriptor set";
    vk::DescriptorPool => Pool, "descriptor pool";
    vk::DescriptorUpdateTemplate => Template, "descriptor update template";
    vk::PipelineLayout => PipelineLayout, "pipeline layout";
}
