//! Code objects: machine code as an ELF file with a symbol for each program, the words of registers that the family's drivers read, and
//! the lines of the source.
//!
//! Sections: `.text` with the programs one behind the other, each at a multiple of 256; `.rodata` with their constants; the family's section
//! of register words; `.debug_*`, where the container has lines. Nothing is left to a linker: addresses of lines count from the start of `.text`.

use gimli::write::{Address, AttributeValue, DwarfUnit, EndianVec, LineProgram, LineString, Sections};
use gimli::{
    DW_AT_high_pc, DW_AT_language, DW_AT_low_pc, DW_AT_name, DW_AT_producer, DW_AT_stmt_list, DW_TAG_subprogram,
};
use gpucc_container::{Container, Entry, ProgramRole};
use gpucc_driver::CodeObject;
use gpucc_ir::{Diagnostic, Refusal};
use object::elf;
use object::write::elf::{FileHeader, SectionHeader, Sym, Writer};

use crate::Target;

/// Alignment of programs and of constants: what hardware wants of the address of a program.
const ALIGN: usize = 256;
/// Constants are descriptors at most.
const DATA_ALIGN: usize = 64;

/// One program in the sections.
struct Placed {
    name: String,
    code: (u64, u64),
    data: (u64, u64),
    lines: Vec<(u32, u32, u32)>,
    config: Vec<(u32, u32)>,
}

/// Sections with the programs in them.
#[derive(Default)]
struct Parts {
    text: Vec<u8>,
    rodata: Vec<u8>,
    programs: Vec<Placed>,
}

/// Adds bytes at a multiple of an alignment and says where they are.
fn put(to: &mut Vec<u8>, bytes: &[u8], align: usize) -> (u64, u64) {
    if bytes.is_empty() {
        return (to.len() as u64, 0);
    }
    to.resize(to.len().next_multiple_of(align), 0);
    let at = to.len() as u64;
    to.extend_from_slice(bytes);
    (at, bytes.len() as u64)
}

fn parts(container: &Container, object: &CodeObject) -> Parts {
    let mut parts = Parts::default();
    for entry in &container.entries {
        for (role, e) in entry.parts() {
            let e: &Entry = &e;
            let name = match role {
                ProgramRole::Main => e.name.clone(),
                other => format!("{}.{}", e.name, other.name()),
            };
            // A name that another entry of this file has: of two stages both may be `main`.
            let name = if parts.programs.iter().any(|p| p.name == name) {
                format!("{name}.{}", format!("{:?}", e.stage).to_lowercase())
            } else {
                name
            };
            parts.programs.push(Placed {
                name,
                code: put(&mut parts.text, &e.code, ALIGN),
                data: put(&mut parts.rodata, &e.data, DATA_ALIGN),
                lines: e.lines.iter().map(|l| (l.pc, l.line, l.column)).collect(),
                config: (object.config)(e),
            });
        }
    }
    parts
}

/// The sections of DWARF: a unit for the source, a subprogram for each program, and the table of lines.
fn dwarf(parts: &Parts, source: &str) -> Result<Vec<(&'static str, Vec<u8>)>, gimli::write::Error> {
    let encoding = gimli::Encoding { format: gimli::Format::Dwarf32, version: 4, address_size: 8 };
    let mut unit = DwarfUnit::new(encoding);
    let name = LineString::String(source.as_bytes().to_vec());
    let folder = LineString::String(b".".to_vec());
    let mut lines = LineProgram::new(encoding, gimli::LineEncoding::default(), folder, None, name.clone(), None);
    let folder = lines.default_directory();
    let file = lines.add_file(name, folder, None);
    for p in parts.programs.iter().filter(|p| !p.lines.is_empty()) {
        lines.begin_sequence(Some(Address::Constant(p.code.0)));
        for &(pc, line, column) in &p.lines {
            let row = lines.row();
            (row.address_offset, row.file) = (pc.into(), file);
            (row.line, row.column) = (line.into(), column.into());
            lines.generate_row();
        }
        lines.end_sequence(p.code.1);
    }
    unit.unit.line_program = lines;
    let root = unit.unit.root();
    let text = |s: &str| AttributeValue::String(s.as_bytes().to_vec());
    let top = unit.unit.get_mut(root);
    top.set(DW_AT_producer, text(concat!("gpucc ", env!("CARGO_PKG_VERSION"))));
    top.set(DW_AT_name, text(source));
    top.set(DW_AT_language, AttributeValue::Language(gimli::DW_LANG_C99));
    top.set(DW_AT_stmt_list, AttributeValue::LineProgramRef);
    top.set(DW_AT_low_pc, AttributeValue::Address(Address::Constant(0)));
    top.set(DW_AT_high_pc, AttributeValue::Udata(parts.text.len() as u64));
    for p in &parts.programs {
        let child = unit.unit.add(root, DW_TAG_subprogram);
        let child = unit.unit.get_mut(child);
        child.set(DW_AT_name, text(&p.name));
        child.set(DW_AT_low_pc, AttributeValue::Address(Address::Constant(p.code.0)));
        child.set(DW_AT_high_pc, AttributeValue::Udata(p.code.1));
    }
    let mut sections = Sections::new(EndianVec::new(gimli::LittleEndian));
    unit.write(&mut sections)?;
    let mut out = Vec::new();
    sections.for_each(|id, data| {
        if !data.slice().is_empty() {
            out.push((id.name(), data.slice().to_vec()));
        }
        Ok::<(), gimli::write::Error>(())
    })?;
    Ok(out)
}

/// A section before it is written.
struct Section {
    name: &'static str,
    bytes: Vec<u8>,
    align: u64,
    flags: elf::SectionFlags,
}

/// The words of registers of all programs, as many for each: who reads them divides the section by the number of symbols.
fn config(programs: &[Placed], object: &CodeObject) -> Vec<u8> {
    let most = programs.iter().map(|p| p.config.len()).max().unwrap_or(0);
    let mut out = Vec::new();
    for p in programs {
        let fill = std::iter::repeat_n(&object.filler, most - p.config.len());
        p.config.iter().chain(fill).flat_map(|(r, v)| [*r, *v]).for_each(|w| out.extend(w.to_le_bytes()));
    }
    out
}

/// The code object of a container: `source` is the name of the file that its lines are of.
///
/// # Errors
/// [`Refusal::Elf`]: none is defined for the family; `Internal` where the file cannot be put together.
pub fn code_object(container: &Container, target: Target, source: &str) -> Result<Vec<u8>, Diagnostic> {
    let Some(object) = target.backend().code_object(target.generation_index()) else {
        return Err(Diagnostic::unsupported(Refusal::Elf, format!("no ELF form is written for {target}")));
    };
    let bug = |e: String| Diagnostic::internal("elf", e);
    let parts = parts(container, &object);
    let source = match source.replace('\0', " ") {
        name if name.is_empty() => "shader".to_string(),
        name => name,
    };
    let alloc = elf::SHF_ALLOC;
    let mut sections = vec![
        Section {
            name: ".text",
            bytes: parts.text.clone(),
            align: ALIGN as u64,
            flags: elf::SectionFlags(alloc.0 | elf::SHF_EXECINSTR.0),
        },
        Section { name: ".rodata", bytes: parts.rodata.clone(), align: DATA_ALIGN as u64, flags: alloc },
    ];
    let none = elf::SectionFlags::default();
    sections.push(Section { name: object.section, bytes: config(&parts.programs, &object), align: 4, flags: none });
    if parts.programs.iter().any(|p| !p.lines.is_empty()) {
        let list = dwarf(&parts, &source).map_err(|e| bug(e.to_string()))?;
        sections.extend(list.into_iter().map(|(name, bytes)| Section { name, bytes, align: 1, flags: none }));
    }
    write(&parts.programs, &sections, &object).map_err(|e| bug(e.to_string()))
}

/// A global symbol in a section.
fn symbol(st_name: u32, kind: u8, section: u32, (at, size): (u64, u64)) -> Sym {
    Sym {
        section: Some(section),
        st_name,
        st_info: elf::SymbolInfo((elf::STB_GLOBAL.0 << 4) | kind),
        st_other: elf::SymbolOther::default(),
        st_shndx: elf::SymbolSection::default(),
        st_value: at,
        st_size: size,
    }
}

fn write(programs: &[Placed], sections: &[Section], object: &CodeObject) -> object::write::Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut head = Vec::new();
    let constants: Vec<String> = programs.iter().map(|p| format!("{}.constants", p.name)).collect();
    {
        let mut w = Writer::new_single_phase(object::Endianness::Little, true, &mut out);
        w.write_file_header(&FileHeader {
            os_abi: elf::OsAbi(object.os_abi),
            e_type: elf::ET_REL,
            e_machine: elf::Machine(object.machine),
            e_flags: elf::FileFlags(object.flags),
            ..FileHeader::default()
        })?;
        let mut headers = Vec::new();
        for s in sections {
            let sh_name = w.add_section_name(s.name.as_bytes());
            let sh_offset = w.write_align(s.align);
            w.write(&s.bytes);
            headers.push((
                sh_name,
                SectionHeader {
                    sh_type: elf::SHT_PROGBITS,
                    sh_flags: s.flags,
                    sh_offset,
                    sh_size: s.bytes.len() as u64,
                    sh_addralign: s.align,
                    ..SectionHeader::default()
                },
            ));
        }
        w.write_null_symbol();
        for (p, constants) in programs.iter().zip(&constants) {
            let name = w.add_string(p.name.as_bytes());
            let name = w.string_offset(Some(name));
            w.write_symbol(&symbol(name, elf::STT_FUNC.0, 1, p.code));
            if p.data.1 > 0 {
                let name = w.add_string(constants.as_bytes());
                let name = w.string_offset(Some(name));
                w.write_symbol(&symbol(name, elf::STT_OBJECT.0, 2, p.data));
            }
        }
        w.write_strtab()?;
        w.write_shstrtab()?;
        w.write_null_section_header();
        for (name, header) in headers {
            let sh_name = w.section_name_offset(Some(name));
            w.write_section_header(&SectionHeader { sh_name, ..header });
        }
        w.write_strtab_section_header();
        w.write_symtab_section_header(1);
        w.write_shstrtab_section_header();
        w.write_file_header_to(&mut head)?;
    }
    out[..head.len()].copy_from_slice(&head);
    Ok(out)
}
