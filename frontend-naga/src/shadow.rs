//! Makes the module that naga validates in place of one that WGSL allows and naga's rules do not.
//!
//! Uniform buffers may have the layout of storage buffers, and immediate data may be halves. The shadow of a module is the same module with
//! lanes of 32 bits, if it has such data, and with a layout that meets every rule: types, constants and expressions keep their numbers, so
//! that what is valid of the one is valid of the other. The types of expressions are then worked out on the module itself.

use gpucc_ir::{Diagnostic, Refusal};
use naga::front::Typifier;
use naga::proc::ResolveContext;
use naga::{
    AddressSpace, ArraySize, Expression, Function, Handle, Literal, Module, ScalarKind, Type, TypeInner, UniqueArena,
};

use crate::report;

/// No rule asks for more, but that of vectors of four doubles, which is their own alignment.
const ALIGN: u64 = 16;

/// The types of the expressions of a module that was validated through its shadow.
#[derive(Debug, Default)]
pub struct Types {
    functions: Vec<Typifier>,
    entries: Vec<Typifier>,
}

impl Types {
    /// Works out the types of all expressions.
    ///
    /// # Errors
    /// An expression without a type, which validation excludes.
    pub fn new(module: &Module) -> Result<Types, Diagnostic> {
        let of = |f: &Function| {
            let cx = ResolveContext::with_locals(module, &f.local_variables, &f.arguments);
            let mut types = Typifier::new();
            for (handle, _) in f.expressions.iter() {
                types
                    .grow(handle, &f.expressions, &cx)
                    .map_err(|e| report::contradiction(&e.to_string(), gpucc_ir::Span::UNKNOWN))?;
            }
            Ok(types)
        };
        Ok(Types {
            functions: module.functions.iter().map(|(_, f)| of(f)).collect::<Result<_, _>>()?,
            entries: module.entry_points.iter().map(|e| of(&e.function)).collect::<Result<_, _>>()?,
        })
    }

    /// Those of a function.
    pub fn function(&self, handle: Handle<Function>) -> Option<&Typifier> {
        self.functions.get(handle.index())
    }

    /// Those of an entry point.
    pub fn entry(&self, index: usize) -> Option<&Typifier> {
        self.entries.get(index)
    }
}

/// The shadow of a module, with or without lanes of 32 bits for narrower ones.
///
/// # Errors
/// A type so large that its shadow has no size.
pub fn of(module: &Module, widens: bool) -> Result<Module, Diagnostic> {
    let mut types: UniqueArena<Type> = UniqueArena::new();
    let mut sizes: Vec<(u64, u64)> = Vec::with_capacity(module.types.len());
    for (handle, ty) in module.types.iter() {
        let span = module.types.get_span(handle);
        let inner = if widens { widened(&ty.inner) } else { ty.inner.clone() };
        let (inner, size) = laid_out(inner, &sizes).ok_or_else(|| {
            let what = "a type of this size in a layout that is not WGSL's";
            report::unsupported(Refusal::Spirv, what, report::span(span))
        })?;
        sizes.push(size);
        // Types that were different stay different.
        let name = Some(format!("{}#{}", ty.name.as_deref().unwrap_or_default(), handle.index()));
        types.insert(Type { name, inner }, span);
    }
    let mut shadow = module.clone();
    shadow.types = types;
    if widens {
        let functions = shadow.functions.iter_mut().map(|(_, f)| f);
        for f in functions.chain(shadow.entry_points.iter_mut().map(|e| &mut e.function)) {
            f.expressions.iter_mut().for_each(|(_, e)| widen(e));
        }
        shadow.global_expressions.iter_mut().for_each(|(_, e)| widen(e));
    }
    Ok(shadow)
}

/// A type with its parts one behind the other, and its size and alignment, from those of the types before it.
fn laid_out(inner: TypeInner, sizes: &[(u64, u64)]) -> Option<(TypeInner, (u64, u64))> {
    let lanes = |n: u64, scalar: naga::Scalar| {
        let width = u64::from(scalar.width);
        (n * width, n.next_power_of_two() * width)
    };
    let word = |bytes: u64| u32::try_from(bytes).ok();
    Some(match inner {
        TypeInner::Scalar(s) | TypeInner::Atomic(s) => (inner, lanes(1, s)),
        TypeInner::Vector { size, scalar } => (inner, lanes(size as u64, scalar)),
        TypeInner::Matrix { columns, rows, scalar } => {
            let (_, align) = lanes(rows as u64, scalar);
            (inner, (columns as u64 * align, align))
        }
        TypeInner::Array { base, size, .. } => {
            let (element, align) = sizes[base.index()];
            let align = align.max(ALIGN);
            let stride = element.next_multiple_of(align);
            let count = match size {
                ArraySize::Constant(n) => n.get(),
                _ => 1,
            };
            let bytes = word(stride * u64::from(count))?;
            (TypeInner::Array { base, size, stride: word(stride)? }, (bytes.into(), align))
        }
        TypeInner::Struct { mut members, .. } => {
            let (mut end, mut all) = (0u64, ALIGN);
            for m in &mut members {
                let (size, align) = sizes[m.ty.index()];
                let align = align.max(ALIGN);
                m.offset = word(end.next_multiple_of(align))?;
                end = u64::from(m.offset) + size;
                all = all.max(align);
            }
            let span = word(end.next_multiple_of(all))?;
            (TypeInner::Struct { members, span }, (span.into(), all))
        }
        other => (other, (0, 1)),
    })
}

/// Whether the validator has no place for a type: integers of 8 bits, or immediate data of fewer than 32.
pub fn is_narrow(module: &Module) -> bool {
    let mut narrow: Vec<bool> = Vec::with_capacity(module.types.len());
    let mut bytes = false;
    for (_, ty) in module.types.iter() {
        let is = match &ty.inner {
            TypeInner::Scalar(s) | TypeInner::Vector { scalar: s, .. } | TypeInner::Matrix { scalar: s, .. } => {
                bytes |= s.width == 1 && s.kind != ScalarKind::Bool;
                s.width < 4 && s.kind != ScalarKind::Bool
            }
            TypeInner::Array { base, .. } => narrow[base.index()],
            TypeInner::Struct { members, .. } => members.iter().any(|m| narrow[m.ty.index()]),
            _ => false,
        };
        narrow.push(is);
    }
    let immediate = |g: &naga::GlobalVariable| g.space == AddressSpace::Immediate && narrow[g.ty.index()];
    bytes || module.global_variables.iter().any(|(_, g)| immediate(g))
}

fn wide(mut scalar: naga::Scalar) -> naga::Scalar {
    if scalar.kind != ScalarKind::Bool {
        scalar.width = scalar.width.max(4);
    }
    scalar
}

fn widened(inner: &TypeInner) -> TypeInner {
    match inner.clone() {
        TypeInner::Scalar(s) => TypeInner::Scalar(wide(s)),
        TypeInner::Atomic(s) => TypeInner::Atomic(wide(s)),
        TypeInner::Vector { size, scalar } => TypeInner::Vector { size, scalar: wide(scalar) },
        TypeInner::Matrix { columns, rows, scalar } => TypeInner::Matrix { columns, rows, scalar: wide(scalar) },
        TypeInner::ValuePointer { size, scalar, space } => {
            TypeInner::ValuePointer { size, scalar: wide(scalar), space }
        }
        other => other,
    }
}

fn widen(e: &mut Expression) {
    match e {
        Expression::Literal(l) => match *l {
            Literal::F16(x) => *l = Literal::F32(x.to_f32()),
            Literal::I16(x) => *l = Literal::I32(x.into()),
            Literal::U16(x) => *l = Literal::U32(x.into()),
            _ => {}
        },
        Expression::As { kind, convert: Some(width), .. } if *kind != ScalarKind::Bool => *width = (*width).max(4),
        _ => {}
    }
}
