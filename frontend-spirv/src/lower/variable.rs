//! Module-scope variables: buffers, images and samplers, private and workgroup memory.

use super::cx::{Lowered, ModuleCx};
use super::data::{Global, HandleVar};
use crate::module::Inst;
use crate::types::{Kind, Ty};
use crate::value::{Buffers, Handle, Ptr, Val};
use gpucc_frontend_common::{access_flags, limits, place, report, resource};
use gpucc_ir as ir;
use ir::{Diagnostic, MemFlags, Refusal, Span};
use rspirv::spirv::{Decoration as D, Dim, StorageClass as C};

/// Elements of an array of bindings without a size: how many there are says the pipeline's layout, which the compiler does not see.
const UNSIZED: u64 = 8;
/// Buffers of one array: an access at a run-time index is a switch of as many cases.
const MOST_BUFFERS: u64 = 64;

/// A variable or a value larger than any that is kept in memory.
pub fn too_large(code: Refusal, span: Span) -> Diagnostic {
    let limit = limits::VARIABLE_BYTES;
    report::unsupported(code, &format!("a variable of more than {} bytes", limit.max), span)
        .note("this is a limit of gpucc, not of the language")
}

impl ModuleCx<'_> {
    /// Declares a module-scope variable.
    pub fn variable(&mut self, inst: &Inst) -> Lowered<Global> {
        let m = self.m;
        let ty = self.types.of(inst.ty, inst)?;
        let o = m.operands(inst);
        let (class, to) = match *self.types.kind(ty) {
            // The pointee may stand behind it in no right module.
            Kind::Pointer(class, to) => (class, self.types.of(to, inst)?),
            _ => return Err(m.wrong(inst, "its type is no pointer")),
        };
        if let Some((own, code)) = C::from_u32(o[0]).and_then(|c| Some((c, crate::tables::refused_class(c)?))) {
            return Err(m.missing(code, inst, format!("{own:?}")));
        }
        if C::from_u32(o[0]) != Some(class) {
            return Err(m.wrong(inst, "its storage class is not that of its type"));
        }
        let init = o.get(1).copied();
        let name = m.name(inst.id).unwrap_or_default();
        let span = m.span(inst);
        match class {
            C::Workgroup if self.types.is_block(to) => self.workgroup_block(inst, to, name, span),
            C::Private | C::Workgroup => {
                let space = if class == C::Private { ir::Space::Private } else { ir::Space::Workgroup };
                self.sized(to, inst)?;
                let image = match init {
                    None => ir::Init::Zero,
                    Some(id) => self.initial(id, to, inst)?,
                };
                let data = self.own_variable(name, space, to, image, span)?;
                let align = data.align;
                let place = ir::Place::Global(self.out.globals.push(data));
                let flags = self.flags(inst.id);
                Ok(Global::Val(Val::Ptr(pointer(place, to, align, flags, false).into())))
            }
            C::Uniform | C::StorageBuffer | C::PushConstant => {
                if init.is_some() {
                    return Err(m.missing(Refusal::Spirv, inst, "of a buffer with an initialiser"));
                }
                // A block without a name of its own goes by that of its type.
                let block = self.types.get(self.elements(to).0).id;
                let name = if name.is_empty() { m.name(block).unwrap_or_default() } else { name };
                self.buffer(inst, class, to, name, span)
            }
            C::UniformConstant => self.handle(inst, to, name, span),
            C::Input | C::Output => self.io_variable(inst, class == C::Input, to, init),
            other => Err(m.missing(Refusal::Spirv, inst, format!("{other:?}"))),
        }
    }

    /// A workgroup variable that says where its members lie: all of them begin at the same byte.
    fn workgroup_block(&mut self, inst: &Inst, ty: Ty, name: String, span: Span) -> Lowered<Global> {
        let Some(extent) = self.types.extent(ty, None) else {
            return Err(self.m.wrong(inst, "its type lacks an `Offset`, an `ArrayStride` or a `MatrixStride`"));
        };
        if extent > limits::VARIABLE_BYTES.max {
            return Err(too_large(Refusal::WorkgroupMemory, span));
        }
        let size = (extent as u32).next_multiple_of(16);
        let global = *self.workgroup_block.get_or_insert_with(|| {
            let init = ir::Init::Zero;
            self.out.globals.push(ir::VarData { name, space: ir::Space::Workgroup, size, align: 16, init, span })
        });
        let known = &mut self.out.globals[global].size;
        *known = (*known).max(size);
        let place = ir::Place::Global(global);
        Ok(Global::Val(Val::Ptr(pointer(place, ty, 16, self.flags(inst.id), true).into())))
    }

    /// The value that a variable begins with, in our own layout.
    fn initial(&mut self, id: u32, ty: Ty, inst: &Inst) -> Lowered<ir::Init> {
        let tree = self.tree(id, inst)?;
        if self.m.def(id).and_then(|d| self.types.find(self.m.insts[d].ty)) != Some(ty) {
            return Err(self.m.wrong(inst, "its initialiser has another type"));
        }
        Ok(ir::Init::Bytes(self.bytes(&tree, ty, inst)?))
    }

    /// Refuses variables of types that have no size.
    pub fn sized(&self, ty: Ty, inst: &Inst) -> Lowered<()> {
        match self.types.kind(ty) {
            Kind::Pointer(..) if self.types.address_of(ty).is_none() => {
                Err(self.m.missing(Refusal::Spirv, inst, "of pointers"))
            }
            _ if self.types.get(ty).runtime || matches!(self.types.kind(ty), Kind::Void | Kind::Function) => {
                Err(self.m.wrong(inst, "a variable of a type without a size"))
            }
            _ if self.types.is_handle(ty) => Err(self.m.missing(Refusal::Spirv, inst, "of images or samplers")),
            _ if self.types.holds_pointer(ty) => Err(self.m.missing(Refusal::Spirv, inst, "of pointers")),
            _ => Ok(()),
        }
    }

    /// A variable of our own layout, within the limit for one.
    pub fn own_variable(
        &self,
        name: String,
        space: ir::Space,
        ty: Ty,
        init: ir::Init,
        span: Span,
    ) -> Lowered<ir::VarData> {
        let own = &self.types.get(ty).own;
        if u64::from(own.size) > limits::VARIABLE_BYTES.max {
            let workgroup = space == ir::Space::Workgroup;
            return Err(too_large(if workgroup { Refusal::WorkgroupMemory } else { Refusal::PrivateMemory }, span));
        }
        // An empty part has a place all the same.
        Ok(ir::VarData { name, space, size: own.size.max(1), align: own.align.max(1), init, span })
    }

    /// The decorations of the accesses to a variable.
    fn flags(&self, id: u32) -> MemFlags {
        access_flags(self.m.has(id, D::Coherent), self.m.has(id, D::Volatile))
    }

    fn binding(&self, inst: &Inst, what: &str) -> Lowered<(u32, u32)> {
        let number = |kind| self.m.deco_number(inst.id, kind);
        match (number(D::DescriptorSet), number(D::Binding)) {
            (Some(group), Some(binding)) => place((group, binding), self.m.span(inst)),
            _ => Err(self.m.wrong(inst, format!("the {what} has no `DescriptorSet` and `Binding`"))),
        }
    }

    /// Whether all members of a block, or the variable, are said not to be written.
    fn is_read_only(&self, id: u32, ty: Ty) -> bool {
        let block = self.types.get(ty).id;
        let n = self.types.parts(ty);
        self.m.has(id, D::NonWritable)
            || n > 0 && (0..n).all(|k| self.m.member_deco(block, k, D::NonWritable).is_some())
    }

    fn buffer(&mut self, inst: &Inst, class: C, ty: Ty, name: String, span: Span) -> Lowered<Global> {
        if let Some((element, count)) = self.buffer_array(inst, ty)? {
            return self.buffers(inst, class, (ty, element, count), name, span);
        }
        let at = match class {
            C::PushConstant => ir::IMMEDIATES,
            _ => self.binding(inst, "buffer")?,
        };
        let ptr = self.one_buffer(inst, class, ty, at, name, span)?;
        Ok(Global::Val(Val::Ptr(ptr.into())))
    }

    /// The elements of arrays, and arrays of arrays, of bindings: their type, and how many there are.
    fn elements(&self, ty: Ty) -> (Ty, u64) {
        match *self.types.kind(ty) {
            Kind::Array(of, n, _) => {
                let (element, count) = self.elements(of);
                (element, count.saturating_mul(n.into()))
            }
            Kind::Runtime(of, _) => {
                let (element, count) = self.elements(of);
                (element, count.saturating_mul(UNSIZED))
            }
            _ => (ty, 1),
        }
    }

    /// If a type is an array of buffers: the type of one, and how many there are.
    fn buffer_array(&self, inst: &Inst, ty: Ty) -> Lowered<Option<(Ty, u32)>> {
        let (element, count) = self.elements(ty);
        if element == ty || !self.types.is_block(element) {
            return Ok(None);
        }
        if count > MOST_BUFFERS {
            let what = format!("of an array of {count} buffers: at most {MOST_BUFFERS}");
            return Err(self.m.missing(Refusal::BindingArrays, inst, what));
        }
        Ok(Some((element, count as u32)))
    }

    /// An array of buffers: a resource for each element.
    fn buffers(
        &mut self,
        inst: &Inst,
        class: C,
        (ty, element, count): (Ty, Ty, u32),
        name: String,
        span: Span,
    ) -> Lowered<Global> {
        let (group, binding) = self.binding(inst, "array of buffers")?;
        let mut all = Vec::new();
        for (k, binding) in self.element_bindings(inst, binding, true, count)?.into_iter().enumerate() {
            all.push(self.one_buffer(inst, class, element, (group, binding), element_name(&name, k), span)?);
        }
        let places = all.iter().map(|p| p.place).collect();
        let Some(first) = all.into_iter().next() else { return Err(self.m.wrong(inst, "an array of no buffers")) };
        Ok(Global::Val(Val::Buffers(Buffers { first, places, index: None, ty }.into())))
    }

    /// The binding of each buffer of a variable.
    fn element_bindings(&self, inst: &Inst, binding: u32, array: bool, count: u32) -> Lowered<Vec<u32>> {
        if !array {
            return Ok(vec![binding]);
        }
        let large = |d: &crate::module::Deco| {
            d.kind == D::Binding
                && self.m.deco_operands(d).first().is_some_and(|&n| ir::element_binding(n, 0).is_none())
        };
        if self.m.all_decos().iter().any(large) {
            return Err(self.m.missing(Refusal::BindingArrays, inst, "of buffers beside a binding above 65,535"));
        }
        let all: Option<Vec<u32>> = (0..count).map(|k| ir::element_binding(binding, k)).collect();
        match all {
            Some(all) if !all.is_empty() => Ok(all),
            _ => Err(self.m.wrong(inst, "an array of no buffers")),
        }
    }

    fn one_buffer(&mut self, inst: &Inst, class: C, ty: Ty, at: (u32, u32), name: String, span: Span) -> Lowered<Ptr> {
        let m = self.m;
        let block = self.types.get(ty).id;
        let storage = class == C::StorageBuffer || m.has(block, D::BufferBlock);
        let read_only = self.is_read_only(inst.id, ty);
        let kind = match class {
            C::PushConstant => ir::ResourceKind::Immediates,
            _ if storage && read_only => ir::ResourceKind::StorageRead,
            _ if storage => ir::ResourceKind::StorageReadWrite,
            _ => ir::ResourceKind::Uniform,
        };
        let Some(extent) = self.types.extent(ty, None) else {
            return Err(
                m.wrong(inst, "its type lacks an `Offset`, an `ArrayStride` or a `MatrixStride`, or has a bool in it")
            );
        };
        let Ok(min_size) = u32::try_from(extent) else {
            return Err(m.wrong(inst, format!("a buffer of {extent} bytes")));
        };
        let stride = self.types.runtime_stride(ty);
        let data = resource(name, at, kind, 1, span);
        let res = self.resource(ir::ResourceData { min_size, stride, ..data });
        let kind = self.out.resources[res].kind;
        let mut flags = self.flags(inst.id);
        // Who knows its address may write it all the same.
        if !(kind.is_writable() || storage && m.addresses) {
            flags = flags.with(MemFlags::READONLY);
        }
        // The API aligns what it binds to 16 bytes at least.
        Ok(pointer(ir::Place::Buffer(res), ty, 16, flags, true))
    }

    /// A resource, or the one of which it is another view: two names of the same memory would let accesses change places.
    pub fn resource(&mut self, data: ir::ResourceData) -> ir::Res {
        use ir::ResourceKind as K;
        // A storage buffer and a uniform one are two: entry points may each have their own.
        let storage = |k: K| matches!(k, K::StorageRead | K::StorageReadWrite);
        let same = |r: &ir::ResourceData| {
            (r.group, r.binding) == (data.group, data.binding)
                && r.kind.is_buffer()
                && r.kind != K::Immediates
                && storage(r.kind) == storage(data.kind)
        };
        let known = self.out.resources.iter().find(|(_, r)| same(r)).map(|(h, _)| h);
        let Some(known) = known else { return self.out.resources.push(data) };
        let r = &mut self.out.resources[known];
        if data.kind.is_writable() && !r.kind.is_writable() {
            r.kind = data.kind;
            self.written_after_all(known);
        }
        let r = &mut self.out.resources[known];
        r.min_size = r.min_size.max(data.min_size);
        r.stride = r.stride.max(data.stride);
        known
    }

    /// Takes from pointers to a buffer that nobody writes it, since another view is written.
    fn written_after_all(&mut self, res: ir::Res) {
        let place = ir::Place::Buffer(res);
        for global in self.globals.iter_mut().flatten() {
            match global {
                Global::Val(Val::Ptr(ptr)) if ptr.place == place => {
                    let flags = ptr.flags.without(MemFlags::READONLY);
                    *ptr = Ptr { flags, ..(**ptr).clone() }.into();
                }
                Global::Val(Val::Buffers(all)) if all.places.contains(&place) => {
                    let flags = all.first.flags.without(MemFlags::READONLY);
                    *all = Buffers { first: Ptr { flags, ..all.first.clone() }, ..(**all).clone() }.into();
                }
                _ => {}
            }
        }
    }

    fn handle(&mut self, inst: &Inst, ty: Ty, name: String, span: Span) -> Lowered<Global> {
        let m = self.m;
        let (element, count) = self.elements(ty);
        let Ok(count) = u32::try_from(count) else {
            return Err(m.missing(Refusal::BindingArrays, inst, format!("of {count} images or samplers")));
        };
        if !self.types.is_handle(element) {
            return Err(m.missing(Refusal::Spirv, inst, "of other than images and samplers"));
        }
        let at = self.binding(inst, "variable")?;
        let access = (!m.has(inst.id, D::NonReadable), !m.has(inst.id, D::NonWritable));
        let image = match *self.types.kind(element) {
            Kind::Sampled(of) => self.types.kind(of),
            ref kind => kind,
        };
        let buffers = match *image {
            Kind::Image(image) if image.dim == Dim::DimBuffer && !image.is_rows() => {
                if u64::from(count) > MOST_BUFFERS {
                    let what = format!("of an array of {count} texel buffers: at most {MOST_BUFFERS}");
                    return Err(m.missing(Refusal::BindingArrays, inst, what));
                }
                let mut places = Vec::new();
                for (k, binding) in self.element_bindings(inst, at.1, element != ty, count)?.into_iter().enumerate() {
                    let name = if element == ty { name.clone() } else { element_name(&name, k) };
                    let res = self.texel_buffer(image, (at.0, binding), access.1, (name, span))?;
                    places.push(ir::Place::Buffer(res));
                }
                Some(places.into())
            }
            _ => None,
        };
        let variable = self.handles.len();
        self.handles.push(HandleVar { name, at, count, access, flags: self.flags(inst.id), buffers, span });
        Ok(Global::Val(Val::Handle(Handle { variable, index: None, ty })))
    }
}

/// The name of an element of an array of buffers.
fn element_name(name: &str, k: usize) -> String {
    if name.is_empty() { String::new() } else { format!("{name}[{k}]") }
}

/// A pointer to the beginning of a variable.
fn pointer(place: ir::Place, ty: Ty, align: u32, flags: MemFlags, host: bool) -> Ptr {
    Ptr { flags, host, ..Ptr::new(place, ty, align) }
}
