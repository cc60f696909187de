//! Tests that printed code is read back, and that errors name their place.

use crate::toy::Toy;
#[allow(dead_code, reason = "each test uses its part of the machine")]
use gpucc_mir::{Form, parse, print, verify};

const TEXT: &str = "mir main vregs 9 {
b0 -> b1(%2), b2:
  %0:r, %1:r@r4 = p_start @3
  %2:r = li 0x10 @1073741831
  %3:p = p_collect %0, %1
  !%4:r = early %0, %3[1+1]
  %5:r=#0 = mac %4, %2, %0 @9.atomic
  %6:f = lt %5, %2
  br %6@f0, b1, b2
b1(%7:r) runs 64 linear b2 -> b2:
  p_logical_start
  out %7 @5.access
  jmp b2
b2:
  r3 = mov r[2:3]
  end
}
";

#[test]
fn prints_what_it_read() {
    let t = Toy::new(8);
    let mf = parse(TEXT, &t).unwrap_or_else(|e| panic!("{e}"));
    let text = print(&mf, &t);
    // A location is printed by its parts.
    assert_eq!(text, TEXT.replace("@1073741831", "@7.access"));
    assert_eq!(parse(&text, &t).map(|m| print(&m, &t)), Ok(text));
    assert_eq!(verify(&mf, &t, Form::Virtual), Ok(()));
}

#[test]
fn faults_have_a_place() {
    let t = Toy::new(8);
    let head = "mir f vregs 2 {\n";
    for (body, at, says) in [
        ("b1:\n}\n", "2:3", "block b0 comes next"),
        ("b0:\n  nop\n}\n", "3:3", "there is no instruction `nop`"),
        ("b0:\n  %0:x = li 0x1\n}\n", "3:6", "no class `x`; available: r, p, f"),
        ("b0:\n  %2:r = li 0x1\n}\n", "3:3", "%2 is not below `vregs 2`"),
        ("b0:\n  %0:r = li {neg=1} 0x1\n}\n", "3:14", "no modifier `neg` with value 1"),
        ("b0:\n  r9 = li 0x1\n}\n", "3:3", "the file has 8 units"),
        ("b0:\n  jmp b4\n}\n", "4:1", "there is no block b4"),
        ("b0:\n  %0:r = li 0x1 0x2\n}\n", "3:17", "`0x2` is left over"),
        ("b0:\n  end\n", "4:1", "`}` is missing"),
        ("b0:\n  %0:r = li 0x100000000\n}\n", "3:13", "a number of 32 bits is wanted"),
    ] {
        let e = parse(&format!("{head}{body}"), &t).err().map(|e| e.to_string());
        assert_eq!(e, Some(format!("{at}: {says}")), "{body}");
    }
}

#[test]
fn broken_rules_are_found() {
    let t = Toy::new(8);
    for (body, says) in [
        ("b0:\n  out %0\n  end\n", "%0 is used, but not defined on every path"),
        ("b0:\n  %0:r = li 0x1\n  %0:r = li 0x1\n  end\n", "b0: %0 is defined twice"),
        ("b0:\n  end\n  %0:r = li 0x1\n", "b0: `%0:r = li 0x1`: comes after a terminator"),
        ("b0:\n  jmp b1\nb1:\n  end\n", "b0: `jmp b1`: b1 is not a successor"),
        ("b0 -> b1:\n  jmp b1\nb1(%0:r):\n  end\n", "b0 to b1: 0 arguments for 1 parameters"),
        ("b0 -> b1(%1):\n  %1:p = p_undef\n  jmp b1\nb1(%0:r):\n  end\n", "b0 to b1: %1 does not fit %0"),
        ("b0:\n  %0:r = p_undef\n  out %0[1+1]\n  end\n", "b0: `out %0[1+1]`: reads 1+1 of 1 units"),
        (
            "b0:\n  %0:p = p_undef\n  %1:r=#0 = mov %0\n  end\n",
            "b0: `%1:r=#0 = mov %0`: a tie to use 0, which is of another kind",
        ),
    ] {
        let mf = parse(&format!("mir f vregs 2 {{\n{body}}}\n"), &t).unwrap_or_else(|e| panic!("{body}: {e}"));
        assert_eq!(verify(&mf, &t, Form::Virtual), Err(says.to_string()), "{body}");
    }
    let mf = parse("mir f vregs 1 {\nb0:\n  %0:r = li 0x1\n  end\n}\n", &t).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(verify(&mf, &t, Form::Physical), Err("b0: `%0:r = li 0x1`: %0 is virtual".into()));
}
