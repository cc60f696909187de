//! Loads, stores and atomics of the interpreter.

use crate::compare::Kind;
use crate::oob::OobAccess;
use crate::profile::{Free, MachineMath};
use crate::program::{DMem, DPlace, Product};
use gpucc_ir::{AtomicOp, Scalar, Variant};
use gpucc_num::int::sign_extend;
use gpucc_sim::texture::{Image, Sampler};
use gpucc_sim::{
    AddressSpace, AllocId, BEHIND, BoundTexture, By, RaceCheck, SplitMix64, Trap, TrapKind, trap::out_of_bounds,
};
use std::ops::Deref;
use std::sync::Arc;

/// Memory of a run: its own, or that of several runs side by side, none of which writes it.
#[derive(Clone, Debug)]
pub(crate) enum Held<T> {
    Own(T),
    Shared(Arc<T>),
}

impl<T: Clone + Default> Held<T> {
    /// The memory for change. What is shared is copied first.
    #[inline]
    pub fn own(&mut self) -> &mut T {
        match self {
            Held::Own(held) => held,
            Held::Shared(held) => Arc::make_mut(held),
        }
    }

    /// The same for another run.
    pub fn share(&mut self) -> Held<T> {
        if let Held::Own(held) = self {
            *self = Held::Shared(Arc::new(std::mem::take(held)));
        }
        self.clone()
    }

    /// Takes it out, without a copy if no other run has it.
    pub fn take(&mut self) -> T {
        match std::mem::take(self) {
            Held::Own(held) => held,
            Held::Shared(held) => Arc::unwrap_or_clone(held),
        }
    }
}

impl<T: Default> Default for Held<T> {
    fn default() -> Self {
        Held::Own(T::default())
    }
}

impl<T> Deref for Held<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        match self {
            Held::Own(held) => held,
            Held::Shared(held) => held,
        }
    }
}

/// Bytes, and for each whether it was written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bytes {
    pub data: Vec<u8>,
    pub written: Vec<bool>,
}

impl Bytes {
    /// `size` bytes that nobody wrote.
    pub fn undefined(size: usize, garbage: Option<&mut SplitMix64>) -> Bytes {
        let mut data = vec![0xcc; size];
        if let Some(rng) = garbage {
            rng.fill(&mut data);
        }
        Bytes { data, written: vec![false; size] }
    }

    /// Overwrites a range with bytes that count as written.
    pub fn set(&mut self, at: usize, bytes: &[u8]) {
        self.data[at..at + bytes.len()].copy_from_slice(bytes);
        self.written[at..at + bytes.len()].fill(true);
    }
}

/// A bound buffer during a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buffer {
    pub data: Vec<u8>,
    pub kinds: Vec<Kind>,
    /// Bytes that the program can name.
    pub limit: usize,
    /// Buffers of the run that have some of its bytes too, and where they begin, from its first byte on.
    pub mirrors: Vec<(u32, i64)>,
}

impl Buffer {
    /// A buffer with these bytes, all of which a program can name.
    pub fn new(data: Vec<u8>, kinds: Vec<Kind>) -> Buffer {
        Buffer { limit: data.len(), data, kinds, mirrors: Vec::new() }
    }
}

/// Repeats a store in buffers that have the same bytes.
#[cold]
fn mirror(buffers: &mut [Buffer], buffer: u32, offset: usize, bytes: usize) {
    let from = &buffers[buffer as usize];
    let list: Vec<(u8, Option<Kind>)> =
        (offset..offset + bytes).map(|k| (from.data[k], from.kinds.get(k).copied())).collect();
    for (other, distance) in from.mirrors.clone() {
        let to = &mut buffers[other as usize];
        for (k, (byte, kind)) in (offset as i64 - distance..).zip(&list) {
            let Some(k) = usize::try_from(k).ok().filter(|k| *k < to.data.len()) else { continue };
            to.data[k] = *byte;
            if let (Some(own), Some(kind)) = (to.kinds.get_mut(k), kind) {
                *own = *kind;
            }
        }
    }
}

/// The textures, images and samplers of a program during a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Textures {
    pub images: Held<Vec<Image>>,
    /// Elements of each texture.
    pub views: Vec<Vec<BoundTexture>>,
    /// The relation of each texture to what is bound.
    pub variants: Vec<Variant>,
    /// Elements of each sampler.
    pub samplers: Vec<Vec<Sampler>>,
}

/// The machine of a profile: how it stores texels and where it reads them.
#[derive(Clone, Default)]
pub(crate) struct Stores(pub Option<Arc<dyn MachineMath>>);

impl std::fmt::Debug for Stores {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Stores").field(&self.0.is_some()).finish()
    }
}

/// Memory that the subgroups of a run share.
#[derive(Clone, Debug)]
pub(crate) struct Common {
    pub buffers: Held<Vec<Buffer>>,
    pub textures: Textures,
    /// That of the workgroup that runs.
    pub shared: Bytes,
    /// Slot of the workgroup that runs.
    pub slot: usize,
    pub races: RaceCheck,
    pub robust: bool,
    pub strict: bool,
    /// The last load met bytes that were never written.
    pub undefined: Option<usize>,
    /// An access of a robust module was out of bounds.
    pub strayed: bool,
    /// A lane read another one that does not take part.
    pub absent: bool,
    /// Where such an access goes.
    pub oob: OobAccess,
    /// An access that is partly out of bounds goes nowhere as a whole.
    pub whole: bool,
    /// Words may reach behind a buffer that ends inside the last of them.
    pub words_behind: bool,
    /// Conversions of texels that are stored, and where textures are read.
    pub machine: Stores,
    /// The value for coordinates that are NaN.
    pub free: Option<Free>,
    /// Fraction bits of levels and biases that code gives.
    pub level_bits: Option<u32>,
    /// Levels of cubes come from directions that are divided by their largest component.
    pub divided_cubes: bool,
    /// Products in the offsets of accesses, if they are looked at.
    pub wide: Option<Arc<Vec<Vec<Product>>>>,
    /// Where buffers lie that have addresses.
    pub space: AddressSpace,
}

impl Common {
    /// The dynamic offset of an access; `read` gives the value of a slot. Has [`BEYOND`] if an index does not fit.
    #[inline]
    pub fn dynamic(&self, m: &DMem, read: impl Fn(u32) -> u64) -> u64 {
        let offset = m.dynamic.map_or(0, &read);
        if let (DPlace::Address { halves: true }, Some(low)) = (m.place, m.dynamic) {
            return offset & 0xffff_ffff | read(low + 1) << 32;
        }
        let (Some(all), Some(k)) = (&self.wide, m.index) else { return offset };
        let sum: u64 = all[k as usize].iter().map(|&(s, by)| (read(s) & 0xffff_ffff) * u64::from(by)).sum();
        if sum >> 32 == 0 { offset } else { offset | BEYOND }
    }

    /// An access and the dynamic part of its offset; of one to an address those of the access to the buffer there, for which there is room.
    #[inline]
    fn aim<'a>(&self, m: &'a DMem, dynamic: u64, room: &'a mut Option<DMem>) -> Result<(&'a DMem, u64), Trap> {
        match m.place {
            DPlace::Address { .. } => Ok((room.insert(self.aimed(m, dynamic)?), 0)),
            _ => Ok((m, dynamic)),
        }
    }

    /// The access to the buffer at the address of an access by address.
    #[cold]
    fn aimed(&self, m: &DMem, address: u64) -> Result<DMem, Trap> {
        let (at, bytes) = (address.wrapping_add(m.offset.into()), m.ty.mem_bytes());
        if at & u64::from(m.align - 1) != 0 {
            let message = format!("address {at:#x} is not a multiple of {}, as the access claims", m.align);
            return Err(Trap::new(TrapKind::Misaligned, message));
        }
        let (AllocId(buffer), offset) = self.space.resolve(at, bytes)?;
        let offset = offset as u32;
        Ok(DMem {
            place: DPlace::Buffer(buffer),
            offset,
            in_bounds: true,
            whole: true,
            dynamic: None,
            index: None,
            ..*m
        })
    }

    /// Where an access goes in the last element of a place of this size, if one scaled index is all of its dynamic offset.
    fn last_element(&self, m: &DMem, size: u64) -> Option<u64> {
        let [(_, scale)] = self.wide.as_ref()?[m.index? as usize][..] else { return None };
        let room = size.checked_sub(u64::from(m.offset) + u64::from(m.ty.mem_bytes()))?;
        let clamped = scale.is_power_of_two() && (2..=128).contains(&scale);
        clamped.then(|| room / u64::from(scale) * u64::from(scale) + u64::from(m.offset))
    }
}

/// Memory of the lanes of one subgroup, lane after lane.
#[derive(Clone, Debug, Default)]
pub(crate) struct LaneMemory {
    pub private: Bytes,
    pub private_size: usize,
    pub local: Bytes,
    pub local_size: usize,
}

impl LaneMemory {
    /// The bytes that hold a place of this lane memory, where it begins in those of a lane, and how far apart lanes are; nothing for memory
    /// that lanes share.
    #[inline]
    pub fn bytes(&mut self, place: DPlace) -> Option<(&mut Bytes, usize, usize)> {
        match place {
            DPlace::Private { base, .. } => Some((&mut self.private, base as usize, self.private_size)),
            DPlace::Local { base, .. } => Some((&mut self.local, base as usize, self.local_size)),
            DPlace::Buffer(_) | DPlace::Shared { .. } | DPlace::Address { .. } => None,
        }
    }
}

fn kind_of(s: Scalar) -> Kind {
    match s {
        Scalar::F16 => Kind::F16,
        Scalar::F32 => Kind::F32,
        Scalar::F64 => Kind::F64,
        _ => Kind::Exact,
    }
}

/// Where an access goes: its offset, whether it was sent there from out of bounds, and how many of its components are inside.
pub(crate) struct Found {
    pub offset: usize,
    pub strays: bool,
    pub lanes: usize,
}

/// Bit of a dynamic offset: its index does not fit 32 bits.
pub(crate) const BEYOND: u64 = 1 << 32;

#[cold]
fn misaligned(offset: u64, align: u32) -> Trap {
    Trap::new(TrapKind::Misaligned, format!("offset {offset} is not a multiple of {align}, as the access claims"))
}

/// Finds the place of an access; nothing if it goes nowhere.
#[inline]
pub(crate) fn locate(common: &mut Common, m: &DMem, dynamic: u64, load: bool) -> Result<Option<Found>, Trap> {
    // Targets add both parts of an offset without wrapping.
    let sum = u64::from(m.offset) + u64::from(dynamic as u32);
    // The promise holds out of bounds as well: code may rely on it before it looks at the bounds.
    if sum & u64::from(m.align - 1) != 0 {
        return Err(misaligned(sum, m.align));
    }
    let stray = common.robust && !m.in_bounds;
    let mut offset = sum;
    if stray {
        // An index that does not fit is beyond every buffer, whatever the bits that are left say.
        let beyond = dynamic & BEYOND != 0;
        common.strayed |= beyond;
        offset = u64::from(if beyond && common.oob != OobAccess::Wrapped { u32::MAX } else { sum as u32 });
    }
    let bytes = u64::from(m.ty.mem_bytes());
    let size = match m.place {
        DPlace::Buffer(b) if m.whole => common.buffers[b as usize].data.len() as u64,
        DPlace::Buffer(b) => common.buffers[b as usize].limit as u64,
        DPlace::Address { .. } => 0,
        DPlace::Shared { size, .. } | DPlace::Private { size, .. } | DPlace::Local { size, .. } => u64::from(size),
    };
    let strays = offset + bytes > size;
    let mut lanes = m.ty.lanes() as usize;
    if strays {
        if stray {
            common.strayed = true;
            let component = u64::from(m.ty.scalar().mem_bytes());
            let element = (common.oob == OobAccess::Element).then(|| common.last_element(m, size)).flatten();
            match element.or_else(|| common.oob.choose(size, bytes, u64::from(m.align).max(component), load)) {
                Some(place) => return Ok(Some(Found { offset: place as usize, strays, lanes })),
                // Each component is in bounds by itself or not: several accesses may have become this one.
                None if common.oob == OobAccess::Nowhere && !common.whole && size >= offset + component => {
                    lanes = ((size - offset) / component) as usize;
                }
                None => return Ok(None),
            }
        } else {
            return Err(out_of_bounds(format!("access of {bytes} bytes at offset {offset} of {size} bytes")));
        }
    }
    Ok(Some(Found { offset: offset as usize, strays, lanes }))
}

/// Memory that knows which bytes were written, and the place in it of an access that is not to a buffer.
#[inline]
fn tracked<'a>(
    (common, own): (&'a mut Common, &'a mut LaneMemory),
    place: DPlace,
    lane: usize,
    offset: usize,
) -> (&'a mut Bytes, usize) {
    match (own.bytes(place), place) {
        (Some((bytes, base, apart)), _) => (bytes, lane * apart + base + offset),
        (None, DPlace::Shared { base, .. }) => (&mut common.shared, base as usize + offset),
        (None, _) => (&mut common.shared, offset),
    }
}

impl Common {
    /// Name of a texture in `races`. That of a buffer is its number.
    pub fn image_id(&self, image: usize) -> AllocId {
        AllocId((self.buffers.len() + image) as u32)
    }

    /// Name of `shared` in `races`.
    #[inline]
    pub fn shared_id(&self) -> AllocId {
        AllocId((self.buffers.len() + self.textures.images.len() + self.slot) as u32)
    }

    /// The memory of an access as the check for races knows it, and the offset in it.
    #[inline]
    fn watched(&self, m: &DMem, offset: usize) -> Option<(AllocId, u64)> {
        match m.place {
            DPlace::Buffer(b) => Some((AllocId(b), offset as u64)),
            DPlace::Shared { base, .. } => Some((self.shared_id(), u64::from(base) + offset as u64)),
            DPlace::Private { .. } | DPlace::Local { .. } | DPlace::Address { .. } => None,
        }
    }
}

#[inline]
pub(crate) fn read(data: &[u8], at: usize, size: usize) -> u64 {
    match size {
        4 => match data[at..at + 4] {
            [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
            _ => 0,
        },
        _ => {
            let mut word = [0; 8];
            word[..size].copy_from_slice(&data[at..at + size]);
            u64::from_le_bytes(word)
        }
    }
}

/// Loads the components of one lane; `put` takes each.
#[inline]
pub(crate) fn load(
    common: &mut Common,
    own: &mut LaneMemory,
    m: &DMem,
    (lane, by): (usize, By),
    dynamic: u64,
    mut put: impl FnMut(usize, u64),
) -> Result<(), Trap> {
    let mut aimed = None;
    let (m, dynamic) = common.aim(m, dynamic, &mut aimed)?;
    let n = m.ty.lanes() as usize;
    let found = match locate(common, m, dynamic, true) {
        Err(trap) => {
            let Some(part) = Part::find(common, m, dynamic) else { return Err(trap) };
            common.races.load(AllocId(part.buffer), part.offset as u64, part.inside as u32, by)?;
            (0..n).for_each(|i| put(i, u64::from(part.word(common, i))));
            return Ok(());
        }
        Ok(found) => found,
    };
    let Some(Found { offset, strays, lanes }) = found else {
        (0..n).for_each(|i| put(i, 0));
        return Ok(());
    };
    (lanes..n).for_each(|i| put(i, 0));
    if common.races.is_on()
        && !strays
        && let Some((id, at)) = common.watched(m, offset)
    {
        common.races.load(id, at, m.ty.mem_bytes(), by)?;
    }
    fetch(common, own, m, lane, (offset, lanes), put)
}

#[cold]
fn no_bool(word: u64) -> Trap {
    Trap::new(TrapKind::UndefinedRead, format!("a b1 that is {word:#x} in memory, neither 0 nor 1"))
}

#[inline]
fn fetch(
    common: &mut Common,
    own: &mut LaneMemory,
    m: &DMem,
    lane: usize,
    (offset, n): (usize, usize),
    mut put: impl FnMut(usize, u64),
) -> Result<(), Trap> {
    let scalar = m.ty.scalar();
    let size = scalar.mem_bytes() as usize;
    let common_strict = common.strict;
    let mut undefined = None;
    let bool_bits = |v: u64| if scalar == Scalar::B1 { u64::from(v != 0) } else { v };
    if let DPlace::Buffer(b) = m.place {
        let data = &common.buffers[b as usize].data;
        (0..n).for_each(|i| put(i, bool_bits(read(data, offset + i * size, size))));
        return Ok(());
    }
    let (b, at) = tracked((common, own), m.place, lane, offset);
    if let Some(k) = b.written[at..at + n * size].iter().position(|w| !w) {
        if common_strict {
            return Err(Trap::new(TrapKind::UndefinedRead, format!("byte {k} of the loaded value was never written")));
        }
        undefined = Some(k);
    } else if scalar == Scalar::B1
        && let Some(w) = (0..n).map(|i| read(&b.data, at + i * size, size)).find(|&w| w > 1)
    {
        return Err(no_bool(w));
    }
    (0..n).for_each(|i| put(i, bool_bits(read(&b.data, at + i * size, size))));
    if undefined.is_some() {
        common.undefined = undefined;
    }
    Ok(())
}

/// Stores the components of one lane.
#[inline]
pub(crate) fn store(
    common: &mut Common,
    own: &mut LaneMemory,
    m: &DMem,
    (lane, by): (usize, By),
    dynamic: u64,
    get: impl Fn(usize) -> u64,
) -> Result<(), Trap> {
    let mut aimed = None;
    let (m, dynamic) = common.aim(m, dynamic, &mut aimed)?;
    let Some(Found { offset, strays, lanes }) = locate(common, m, dynamic, false)? else { return Ok(()) };
    if common.races.is_on()
        && !strays
        && let Some((id, at)) = common.watched(m, offset)
    {
        let (n, size) = (m.ty.lanes() as usize, m.ty.scalar().mem_bytes() as usize);
        let mut new = [0; 32];
        for i in 0..n {
            new[i * size..(i + 1) * size].copy_from_slice(&get(i).to_le_bytes()[..size]);
        }
        let memory = match m.place {
            DPlace::Buffer(b) => &common.buffers[b as usize].data,
            _ => &common.shared.data,
        };
        let old = memory.get(at as usize..).unwrap_or(&[]);
        common.races.store_over(old, id, at, &new[..n * size], by)?;
    }
    put(common, own, m, lane, (offset, lanes), get);
    Ok(())
}

#[inline]
fn put(
    common: &mut Common,
    own: &mut LaneMemory,
    m: &DMem,
    lane: usize,
    (offset, n): (usize, usize),
    get: impl Fn(usize) -> u64,
) {
    let scalar = m.ty.scalar();
    let size = scalar.mem_bytes() as usize;
    if let DPlace::Buffer(number) = m.place {
        let buffers = common.buffers.own();
        let b = &mut buffers[number as usize];
        for i in 0..n {
            let at = offset + i * size;
            b.data[at..at + size].copy_from_slice(&get(i).to_le_bytes()[..size]);
            // Draws keep none.
            if let Some(kinds) = b.kinds.get_mut(at..at + size) {
                kinds.fill(kind_of(scalar));
            }
        }
        if !b.mirrors.is_empty() {
            mirror(buffers, number, offset, n * size);
        }
        return;
    }
    let (b, at) = tracked((common, own), m.place, lane, offset);
    for i in 0..n {
        b.set(at + i * size, &get(i).to_le_bytes()[..size]);
    }
}

/// One indivisible read and write of one lane; gives the old value.
pub(crate) fn modify(
    common: &mut Common,
    own: &mut LaneMemory,
    m: &DMem,
    (lane, by): (usize, By),
    dynamic: u64,
    new: impl FnOnce(u64) -> u64,
) -> Result<u64, Trap> {
    let mut aimed = None;
    let (m, dynamic) = common.aim(m, dynamic, &mut aimed)?;
    let mask = m.ty.scalar().mask();
    let found = match locate(common, m, dynamic, false) {
        Err(trap) => match Part::find(common, m, dynamic) {
            Some(part) => return part.modify(common, by, new, trap),
            None => return Err(trap),
        },
        Ok(found) => found,
    };
    // A load from nowhere reads zero.
    let Some(Found { offset, strays, .. }) = found else { return Ok(0) };
    let mut old = 0;
    fetch(common, own, m, lane, (offset, 1), |_, v| old = v)?;
    let value = new(old) & mask;
    if common.races.is_on()
        && !strays
        && let Some((id, at)) = common.watched(m, offset)
    {
        common.races.atomic(id, at, m.ty.mem_bytes(), value != old, by)?;
    }
    put(common, own, m, lane, (offset, 1), |_| value);
    Ok(old)
}

/// Words of which the last is inside of a buffer only in part.
struct Part {
    buffer: u32,
    offset: usize,
    /// Bytes that the buffer has of them.
    inside: usize,
}

impl Part {
    /// Such an access, where words may reach behind a buffer.
    #[cold]
    fn find(common: &Common, m: &DMem, dynamic: u64) -> Option<Part> {
        let DPlace::Buffer(buffer) = m.place else { return None };
        let offset = (u64::from(m.offset) + u64::from(dynamic as u32)) as usize;
        let of = &common.buffers[buffer as usize];
        let inside = of.data.len().checked_sub(offset).filter(|_| of.limit == of.data.len())?;
        let words = m.ty.scalar().mem_bytes() == 4 && offset.is_multiple_of(m.align.max(4) as usize);
        let there = words && inside % 4 != 0 && inside.next_multiple_of(4) == m.ty.mem_bytes() as usize;
        (common.words_behind && there).then_some(Part { buffer, offset, inside })
    }

    fn word(&self, common: &Common, at: usize) -> u32 {
        let data = &common.buffers[self.buffer as usize].data;
        let byte = |k: usize| data.get(self.offset + 4 * at + k).copied().unwrap_or(BEHIND);
        u32::from_le_bytes([0, 1, 2, 3].map(byte))
    }

    /// A read and write of a word that leaves what is behind the buffer, or the trap.
    fn modify(&self, common: &mut Common, by: By, new: impl FnOnce(u64) -> u64, trap: Trap) -> Result<u64, Trap> {
        let old = self.word(common, 0);
        let value = new(old.into()) as u32;
        if (old ^ value) >> (8 * self.inside) != 0 {
            return Err(trap);
        }
        common.races.atomic(AllocId(self.buffer), self.offset as u64, self.inside as u32, value != old, by)?;
        let buffers = common.buffers.own();
        let b = &mut buffers[self.buffer as usize];
        b.data[self.offset..].copy_from_slice(&value.to_le_bytes()[..self.inside]);
        // Draws keep none.
        if let Some(kinds) = b.kinds.get_mut(self.offset..) {
            kinds.fill(Kind::Exact);
        }
        if !b.mirrors.is_empty() {
            mirror(buffers, self.buffer, self.offset, self.inside);
        }
        Ok(old.into())
    }
}

/// The value that an atomic stores.
pub(crate) fn atomic(op: AtomicOp, bits: u32, old: u64, v: u64) -> u64 {
    let (a, b) = (sign_extend(old, bits), sign_extend(v, bits));
    match op {
        AtomicOp::Add => old.wrapping_add(v),
        AtomicOp::Sub => old.wrapping_sub(v),
        AtomicOp::And => old & v,
        AtomicOp::Or => old | v,
        AtomicOp::Xor => old ^ v,
        AtomicOp::SMin => a.min(b) as u64,
        AtomicOp::SMax => a.max(b) as u64,
        AtomicOp::UMin => old.min(v),
        AtomicOp::UMax => old.max(v),
        AtomicOp::Exchange => v,
    }
}
