//! Compares attributes of rows with the mnemonics of the reference, which say the same in words.

use gpucc_gcn_machine::attrs::Level;
use gpucc_gcn_machine::{
    Access, AtomicOp, Elements, Format, ImageKind, Kind, Number, Operation, Test, Unit, rows, table,
};

/// Elements that the last word of a mnemonic names.
fn elements(ty: &str) -> Elements {
    match ty {
        "i8" => Elements::I8,
        "u8" | "b8" => Elements::B8,
        "i16" => Elements::I16,
        "u16" | "b16" => Elements::B16,
        "b96" => Elements::B96,
        "b128" => Elements::B128,
        _ if ty.ends_with("64") => Elements::B64,
        _ => Elements::B32,
    }
}

/// The word of an LDS atomic, with the type where it tells operations apart.
fn lds_word(op: AtomicOp) -> &'static str {
    match op {
        AtomicOp::Swap => "wrxchg_b",
        AtomicOp::CmpSwap => "cmpst_b",
        AtomicOp::FCmpSwap => "cmpst_f",
        AtomicOp::Add => "add_u",
        AtomicOp::Sub => "sub_u",
        AtomicOp::Rsub => "rsub_u",
        AtomicOp::SMin => "min_i",
        AtomicOp::UMin => "min_u",
        AtomicOp::SMax => "max_i",
        AtomicOp::UMax => "max_u",
        AtomicOp::And => "and_b",
        AtomicOp::Or => "or_b",
        AtomicOp::Xor => "xor_b",
        AtomicOp::Inc => "inc_u",
        AtomicOp::Dec => "dec_u",
        AtomicOp::FMin => "min_f",
        AtomicOp::FMax => "max_f",
        AtomicOp::FAdd => "add_f",
        AtomicOp::MskOr => "mskor_b",
        AtomicOp::Wrap => "wrap_b",
    }
}

#[test]
fn lds_rows_do_what_their_names_say() {
    let mut count = [0; 3];
    for row in table().rows.iter().filter(|r| r.attrs.format == Format::Ds) {
        let (name, facts) = (row.text, row.attrs);
        let ty = name.rsplit('_').next().unwrap();
        assert_eq!(name.starts_with("ds_read"), facts.access == Access::Load, "{name}");
        let undefined = name.contains("src2") || name.contains("condxchg");
        assert_eq!(undefined, facts.operation == Operation::Undefined, "{name}");
        match facts.operation {
            Operation::Elements(e) => {
                assert_eq!(e, elements(ty), "{name}");
                assert!(facts.access != Access::Atomic && !name.contains("2_b") && !name.contains("2st64"), "{name}");
                count[0] += 1;
            }
            Operation::Pair(e, stride) => {
                assert_eq!(e, elements(ty), "{name}");
                assert_eq!(stride, if name.contains("2st64") { 64 } else { 1 }, "{name}");
                assert!(name.contains("2_") || name.contains("2st64"), "{name}");
                assert_eq!(name.contains("wrxchg2"), facts.access == Access::Atomic, "{name}");
                count[1] += 1;
            }
            Operation::Atomic(a) => {
                assert_eq!(a.wide, ty.ends_with("64"), "{name}");
                let stem = name.trim_start_matches("ds_").replace("_rtn", "");
                assert!(stem.starts_with(lds_word(a.op)), "{name}: {:?}", a.op);
                count[2] += 1;
            }
            _ => {}
        }
    }
    assert!(count.iter().all(|&n| n > 10), "{count:?}");
}

#[test]
fn memory_rows_do_what_their_names_say() {
    let mut count = [0; 3];
    let formats = [Format::Mubuf, Format::Mtbuf, Format::Flat];
    for row in table().rows.iter().filter(|r| formats.contains(&r.attrs.format)) {
        let (name, facts) = (row.text, row.attrs);
        let access = match name.split('_').nth(1).unwrap() {
            "load" => Access::Load,
            "store" => Access::Store,
            "atomic" => Access::Atomic,
            _ => Access::Order,
        };
        assert_eq!(facts.access, access, "{name}");
        match facts.operation {
            Operation::Elements(e) => {
                let named = match name.rsplit('_').next().unwrap() {
                    "ubyte" | "byte" => Elements::U8,
                    "sbyte" => Elements::I8,
                    "ushort" | "short" => Elements::U16,
                    "sshort" => Elements::I16,
                    "dwordx2" => Elements::words(2),
                    "dwordx3" => Elements::words(3),
                    "dwordx4" => Elements::words(4),
                    _ => Elements::words(1),
                };
                assert_eq!(e, named, "{name}");
                count[0] += 1;
            }
            Operation::Formatted { half } => {
                assert!(name.contains("format"), "{name}");
                assert_eq!(half, name.contains("d16"), "{name}");
                count[1] += 1;
            }
            Operation::Atomic(a) => {
                let word = format!("_atomic_{:?}", a.op).to_lowercase();
                let (_, rest) = name.split_once(&word).unwrap_or_else(|| panic!("{name}: {:?}", a.op));
                assert_eq!(rest, if a.wide { "_x2" } else { "" }, "{name}");
                count[2] += 1;
            }
            _ => assert!(name.contains("wbinvl1") || name == "buffer_store_lds_dword", "{name}"),
        }
    }
    assert!(count.iter().all(|&n| n > 10), "{count:?}");
}

#[test]
fn image_rows_do_what_their_names_say() {
    let mut count = 0;
    for row in table().rows.iter().filter(|r| r.attrs.format == Format::Mimg) {
        let name = row.text;
        let Operation::Image(op) = row.attrs.operation else { panic!("{name} has no operation") };
        let words: Vec<&str> = name.split('_').skip(1).collect();
        let has = |word: &str| words[1..].contains(&word);
        count += 1;
        match op.kind {
            ImageKind::Atomic(a) => {
                assert_eq!(words, ["atomic", &format!("{a:?}").to_lowercase()], "{name}");
                continue;
            }
            ImageKind::ResInfo => assert_eq!(words, ["get", "resinfo"]),
            ImageKind::Lod => assert_eq!(words, ["get", "lod"]),
            ImageKind::Load => assert_eq!(words[0], "load", "{name}"),
            ImageKind::Store => assert_eq!(words[0], "store", "{name}"),
            ImageKind::Sample => assert_eq!(words[0], "sample", "{name}"),
            ImageKind::Gather => assert_eq!(words[0], "gather4", "{name}"),
        }
        let asks = [op.mip, op.raw, op.signed, op.offset, op.bias, op.compare, op.clamp];
        assert_eq!(asks, ["mip", "pck", "sgn", "o", "b", "c", "cl"].map(has), "{name}");
        let level = match () {
            () if has("d") || has("cd") => Level::Derivatives,
            () if has("l") => Level::Explicit,
            () if has("lz") => Level::Zero,
            () => Level::Implicit,
        };
        assert_eq!(op.level, level, "{name}");
    }
    assert!(count > 90, "{count}");
}

#[test]
fn compare_rows_do_what_their_names_say() {
    let mut count = 0;
    for row in table().rows.iter().filter(|r| r.text.starts_with("v_cmp")) {
        let name = row.text;
        let Operation::Compare(c) = row.attrs.operation else { panic!("{name} has no operation") };
        let words: Vec<&str> = name.split('_').skip(1).collect();
        assert_eq!(words[2], format!("{:?}", c.ty).to_lowercase(), "{name}");
        let condition = match c.test {
            Test::Class => "class".into(),
            Test::Order(c) => format!("{c:?}").to_lowercase(),
        };
        let integer = !words[2].starts_with('f');
        match words[1] {
            "ne" if integer => assert_eq!(condition, "lg", "{name}"),
            "t" if integer => assert_eq!(condition, "tru", "{name}"),
            word => assert_eq!(condition, word, "{name}"),
        }
        assert_eq!(words[0].ends_with('x'), rows::writes_exec(row), "{name}");
        count += 1;
    }
    assert!(count > 500, "{count}");
}

#[test]
fn sources_hold_what_the_last_word_of_a_name_says() {
    let mut count = [0; 3];
    let units = [Unit::Salu, Unit::Valu, Unit::Trans];
    for row in table().rows.iter().filter(|r| units.contains(&r.attrs.unit)) {
        let (name, number) = (row.text, row.attrs.number);
        let integer = ["_i16", "_u16", "_b16"].iter().any(|t| name.ends_with(t));
        assert_eq!(number == Number::F16, name.ends_with("_f16"), "{name}");
        assert_eq!(matches!(number, Number::I16 | Number::U16), integer, "{name}");
        let wide = row.operands.iter().any(|s| matches!(s.kind, Kind::Src(2, _)));
        assert!(number != Number::F64 || name.contains("f64"), "{name}");
        assert!(!(wide && name.contains("f64")) || number == Number::F64, "{name}");
        count[0] += usize::from(number == Number::F16);
        count[1] += usize::from(integer);
        count[2] += usize::from(number == Number::F64);
    }
    assert!(count.iter().all(|&n| n > 50), "{count:?}");
}

#[test]
fn slow_scalar_rows_are_those_of_section_19() {
    for row in table().rows.iter().filter(|r| r.attrs.unit == Unit::Salu) {
        let slow = row.text.contains("saveexec") || row.text.contains("setreg");
        assert_eq!(row.attrs.cycles, if slow { 8 } else { 4 }, "{}", row.text);
    }
}
