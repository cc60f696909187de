//! Random structured programs: the control stack against a lane-by-lane walk of the same tree.

use gpucc_sim::SplitMix64;

/// `$r2` is the variable; conditions look at bits of it.
enum Stmt {
    /// x = x * 5 + n, in 24 bits of multiplication.
    Step(u32),
    /// Bit of x.
    If(u32, Vec<Stmt>, Vec<Stmt>),
    /// Up to so many rounds; the body may break and continue.
    Loop(u32, Vec<Stmt>),
    /// When the bit of x is set.
    Break(u32),
    Continue(u32),
    /// Ends the invocation after it stored x.
    Return(u32),
}

fn block(rng: &mut SplitMix64, depth: u32, in_loop: bool, budget: &mut u32) -> Vec<Stmt> {
    let mut out = vec![Stmt::Step(rng.below(100) as u32)];
    for _ in 0..rng.below(4) {
        if *budget == 0 {
            break;
        }
        *budget -= 1;
        let bit = rng.below(8) as u32;
        out.push(match rng.below(8) {
            0..=2 if depth > 0 => {
                let then = block(rng, depth - 1, in_loop, budget);
                let other = if rng.below(2) == 0 { Vec::new() } else { block(rng, depth - 1, in_loop, budget) };
                Stmt::If(bit, then, other)
            }
            3 | 4 if depth > 0 => Stmt::Loop(1 + rng.below(5) as u32, block(rng, depth - 1, true, budget)),
            5 if in_loop => Stmt::Break(bit),
            6 if in_loop => Stmt::Continue(bit),
            7 if rng.below(3) == 0 => Stmt::Return(bit),
            _ => Stmt::Step(rng.below(100) as u32),
        });
    }
    out
}

enum End {
    Next,
    Break,
    Continue,
    Return,
}

fn walk(block: &[Stmt], x: &mut u32) -> End {
    let set = |x: u32, bit: u32| x >> bit & 1 == 1;
    for s in block {
        let end = match s {
            Stmt::Step(n) => {
                *x = ((*x & 0xff_ffff) * 5).wrapping_add(*n);
                End::Next
            }
            Stmt::If(bit, then, other) => walk(if set(*x, *bit) { then } else { other }, x),
            Stmt::Loop(rounds, body) => {
                let mut end = End::Next;
                for _ in 0..*rounds {
                    match walk(body, x) {
                        End::Break => break,
                        End::Return => {
                            end = End::Return;
                            break;
                        }
                        _ => {}
                    }
                }
                end
            }
            Stmt::Break(bit) => {
                if set(*x, *bit) {
                    End::Break
                } else {
                    End::Next
                }
            }
            Stmt::Continue(bit) => {
                if set(*x, *bit) {
                    End::Continue
                } else {
                    End::Next
                }
            }
            Stmt::Return(bit) => {
                if set(*x, *bit) {
                    End::Return
                } else {
                    End::Next
                }
            }
        };
        if !matches!(end, End::Next) {
            return end;
        }
    }
    End::Next
}

/// Emits by the structured lowering of the reference, section 5; loops reconverge at their end by a joinat around the body.
struct Emit {
    text: String,
    labels: u32,
    /// Loop counters, one register a nesting level, from `$r20`.
    level: u32,
}

impl Emit {
    fn line(&mut self, s: &str) {
        self.text.push_str(s);
        self.text.push('\n');
    }
    fn label(&mut self) -> u32 {
        self.labels += 1;
        self.labels
    }
    fn test(&mut self, bit: u32) {
        self.line(&format!("mov b32 $r9 {:#x}", 1 << bit));
        self.line("and b32 $c0 # $r2 $r9");
    }
    fn block(&mut self, block: &[Stmt]) {
        for s in block {
            match s {
                Stmt::Step(n) => {
                    self.line("mul $r2 u24 $r2 $r8");
                    self.line(&format!("add b32 $r2 $r2 {n:#x}"));
                }
                Stmt::If(bit, then, other) => {
                    let (l, e) = (self.label(), self.label());
                    self.test(*bit);
                    self.line(&format!("joinat L{e}"));
                    self.line(&format!("(e $c0) bra L{l}"));
                    self.block(then);
                    self.line(&format!("bra L{e}"));
                    self.line(&format!("L{l}:"));
                    self.block(other);
                    self.line(&format!("L{e}: join nop"));
                }
                Stmt::Loop(rounds, body) => {
                    let (head, next, exit) = (self.label(), self.label(), self.label());
                    let r = 20 + self.level;
                    self.level += 1;
                    self.line(&format!("mov b32 $r{r} {rounds:#x}"));
                    self.line(&format!("mov b32 $r{} 0x0", r + 10));
                    self.line(&format!("breakaddr L{exit}"));
                    self.line(&format!("L{head}:"));
                    // Lanes that continue are taken out by a one-round loop of their own.
                    self.line(&format!("breakaddr L{next}"));
                    self.block(body);
                    self.line("break");
                    self.line(&format!("L{next}:"));
                    self.line(&format!("set $c0 # e u32 $r{} $r11", r + 10));
                    self.line("(lg $c0) break");
                    self.line(&format!("sub b32 $c0 $r{r} $r{r} $r10"));
                    self.line("(e $c0) break");
                    self.line(&format!("bra L{head}"));
                    self.line(&format!("L{exit}:"));
                    self.level -= 1;
                }
                // $r30+level says why a lane left the inner loop: 1 break, 0 continue.
                Stmt::Break(bit) => {
                    self.test(*bit);
                    self.line(&format!("(lg $c0) mov b32 $r{} $r11", 29 + self.level));
                    self.line("(lg $c0) break");
                }
                Stmt::Continue(bit) => {
                    self.test(*bit);
                    self.line("(lg $c0) break");
                }
                Stmt::Return(bit) => {
                    self.test(*bit);
                    self.line("(lg $c0) st b32 g0[$r1] $r2");
                    self.line("exit (lg $c0) nop");
                }
            }
        }
    }
}

#[test]
fn random_structured_programs() {
    let mut rng = SplitMix64::new(77);
    for round in 0..150 {
        let tree = block(&mut rng, 4, false, &mut 40);
        let mut e = Emit { text: String::new(), labels: 0, level: 0 };
        e.line("and b32 $r1 $r0 0xffff");
        e.line("mul $r2 u24 $r1 0x9d");
        e.line("shl b32 $r1 $r1 0x2");
        e.line("mov b32 $r8 0x5");
        e.line("mov b32 $r10 0x1");
        e.line("mov b32 $r11 0x7");
        for r in 30..36 {
            e.line(&format!("mov b32 $r{r} 0x0"));
        }
        e.block(&tree);
        e.line("st b32 g0[$r1] $r2");
        e.line("exit nop");
        let text = e.text;
        let want: Vec<u32> = (0..64_u32)
            .map(|i| {
                let mut x = i * 0x9d;
                walk(&tree, &mut x);
                x
            })
            .collect();
        let mut c = crate::common::container("nva3", crate::common::code("nva3", &text), [64, 1, 1], 1);
        c.entries[0].meta.family_words[1] = 256;
        for seed in [None, Some(round), Some(round + 1000)] {
            let (out, _) = crate::common::play_container(&c, [1, 1, 1], &[&[0; 64]], seed)
                .unwrap_or_else(|t| panic!("{t}\n{text}"));
            assert_eq!(out[0], want, "round {round}, seed {seed:?}\n{text}");
        }
    }
}
