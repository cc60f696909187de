// Random numbers, and random WGSL whose results the language fixes to the bit: integers of any kind, and floats that are small enough for
// every operation to be exact.

/** A generator of numbers with a seed. */
export class Random {
  constructor(seed) {
    this.state = (Math.imul(seed + 1, 0x9e3779b1) ^ 0x5bd1e995) >>> 0;
    for (let k = 0; k < 4; k++) this.word();
  }

  word() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  }

  below(n) {
    return this.word() % n;
  }

  between(a, b) {
    return a + this.below(b - a + 1);
  }

  chance(percent) {
    return this.below(100) < percent;
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  bytes(n) {
    return Uint8Array.from({ length: n }, () => this.word() & 255);
  }

  words(n) {
    // Small numbers, borders, and anything.
    const word = () => [() => this.below(16), () => this.pick([0, 1, 0x7fffffff, 0x80000000, 0xffffffff]), () => this.word()][this.below(3)]();
    return Uint32Array.from({ length: n }, word);
  }
}

const WIDTHS = [1, 2, 3, 4];
const vector = (scalar, n) => (n === 1 ? scalar : `vec${n}<${scalar}>`);

/** Most significant bits that a float may take: all sums and products of such floats are exact. */
const MOST = 22;

/** A text under way: names that are in scope, functions, and statements. An expression is never a constant: constants may be errors. */
export class Text {
  constructor(random) {
    this.r = random;
    /** { name, scalar, n, bits, fixed } */
    this.names = [];
    this.functions = [];
    this.lines = [];
    this.depth = 1;
    this.next = 0;
  }

  put(line) {
    this.lines.push('  '.repeat(this.depth) + line);
  }

  name(prefix) {
    return `${prefix}${this.next++}`;
  }

  /** A name that is there: without one of this type a converted one. */
  leaf(scalar, n) {
    const all = this.names.filter((v) => v.scalar === scalar && v.n === n);
    if (all.length && this.r.chance(90)) {
      const v = this.r.pick(all);
      return { s: v.name, bits: v.bits };
    }
    if (scalar === 'bool') {
      const a = this.leaf('u32', n);
      return { s: `((${a.s} & ${vector('u32', n)}(${1 << this.r.below(5)}u)) == ${vector('u32', n)}(0u))`, bits: 0 };
    }
    if (n > 1) {
      const parts = Array.from({ length: n }, () => this.leaf(scalar, 1));
      return { s: `${vector(scalar, n)}(${parts.map((p) => p.s).join(', ')})`, bits: Math.max(...parts.map((p) => p.bits)) };
    }
    const wide = this.names.filter((v) => v.scalar === scalar && v.n > 1);
    if (wide.length && this.r.chance(70)) {
      const v = this.r.pick(wide);
      return { s: `${v.name}.${'xyzw'[this.r.below(v.n)]}`, bits: v.bits };
    }
    const u = this.r.pick(this.names.filter((v) => v.scalar === 'u32' && v.n === 1)).name;
    if (scalar === 'u32') return { s: u, bits: 0 };
    if (scalar === 'i32') return { s: `bitcast<i32>(${u})`, bits: 0 };
    return { s: `(f32(${u} & 31u) - 8.0)`, bits: 6 };
  }

  literal(scalar, n) {
    const one = () => {
      if (scalar === 'u32') return `${this.r.pick([1, 2, 3, 5, 7, 16, 255, 65535, 0x7fffffff, 0x80000000, 0xffffffff])}u`;
      if (scalar === 'i32') return `${this.r.pick([1, 2, -1, -3, 7, 100, -128, 65535, 2147483647])}i`;
      return this.r.pick(['0.5', '1.0', '2.0', '-1.0', '-3.0', '4.0']);
    };
    return n === 1 ? one() : `${vector(scalar, n)}(${Array.from({ length: n }, one).join(', ')})`;
  }

  expression(scalar, n, depth) {
    if (depth <= 0) return this.leaf(scalar, n);
    if (n > 1 && this.r.chance(12)) return this.built(scalar, n, depth);
    if (scalar === 'bool') return this.truth(n, depth);
    return scalar === 'f32' ? this.float(n, depth) : this.integer(scalar, n, depth);
  }

  built(scalar, n, depth) {
    const from = this.r.pick(WIDTHS.slice(1));
    const v = this.expression(scalar, from, depth - 1);
    if (this.r.chance(50)) {
      const parts = Array.from({ length: n }, () => 'xyzw'[this.r.below(from)]).join('');
      return { s: `(${v.s}).${parts}`, bits: v.bits };
    }
    const parts = Array.from({ length: n }, () => this.expression(scalar, 1, depth - 1));
    return { s: `${vector(scalar, n)}(${parts.map((p) => p.s).join(', ')})`, bits: Math.max(...parts.map((p) => p.bits)) };
  }

  truth(n, depth) {
    const scalar = this.r.pick(['u32', 'i32', 'f32', 'bool']);
    const [a, b] = [this.expression(scalar, n, depth - 1), this.expression(scalar, n, depth - 1)];
    if (scalar === 'bool') {
      const ops = n === 1 ? ['&&', '||', '==', '!=', '&', '|'] : ['==', '!=', '&', '|'];
      return this.r.chance(20) ? { s: `!(${a.s})`, bits: 0 } : { s: `((${a.s}) ${this.r.pick(ops)} (${b.s}))`, bits: 0 };
    }
    if (n === 1 && this.r.chance(15)) {
      const m = this.r.between(2, 4);
      const all = this.expression('bool', m, depth - 1);
      return { s: `${this.r.pick(['all', 'any'])}(${all.s})`, bits: 0 };
    }
    return { s: `(${a.s} ${this.r.pick(['<', '<=', '>', '>=', '==', '!='])} ${b.s})`, bits: 0 };
  }

  integer(scalar, n, depth) {
    const ty = vector(scalar, n);
    const e = (d = depth - 1) => this.expression(scalar, n, d).s;
    const u = () => this.expression('u32', n, depth - 1).s;
    const other = scalar === 'u32' ? 'i32' : 'u32';
    const forms = [
      () => `(${e()} ${this.r.pick(['+', '-', '*', '&', '|', '^'])} ${e()})`,
      () => `(${e()} ${this.r.pick(['+', '-', '*', '&', '|', '^', '/', '%'])} ${this.literal(scalar, n)})`,
      () => `(${e()} ${this.r.pick(['/', '%'])} ${e()})`,
      () => `(${e()} ${this.r.pick(['<<', '>>'])} (${u()} & ${vector('u32', n)}(31u)))`,
      () => `${this.r.pick(['countOneBits', 'reverseBits', 'firstLeadingBit', 'firstTrailingBit', 'countLeadingZeros', 'countTrailingZeros', 'abs'])}(${e()})`,
      () => `${this.r.pick(['min', 'max'])}(${e()}, ${e()})`,
      () => `clamp(${e()}, ${e()}, ${e()})`,
      () => `select(${e()}, ${e()}, ${this.expression('bool', this.r.chance(50) ? n : 1, depth - 1).s})`,
      () => `extractBits(${e()}, ${this.expression('u32', 1, 1).s} & 31u, ${this.expression('u32', 1, 1).s} & 31u)`,
      () => `insertBits(${e()}, ${e()}, ${this.expression('u32', 1, 1).s} & 31u, ${this.expression('u32', 1, 1).s} & 31u)`,
      () => `~(${e()})`,
      () => `bitcast<${ty}>(${this.expression(other, n, depth - 1).s})`,
      () => `${ty}(${this.expression(other, n, depth - 1).s})`,
      () => `${ty}(${this.expression('f32', n, depth - 1).s})`,
      () => `${ty}(${this.expression('bool', n, depth - 1).s})`,
    ];
    if (scalar === 'i32') forms.push(() => `-(${e()})`, () => `sign(${e()})`);
    if (n === 1) {
      const m = this.r.between(2, 4);
      const wide = () => this.expression(scalar, m, depth - 1).s;
      forms.push(() => `dot(${wide()}, ${wide()})`, () => `(${wide()})[${this.expression('u32', 1, 1).s} % ${m}u]`);
      if (scalar === 'u32') {
        forms.push(
          () => `dot4U8Packed(${e()}, ${e()})`,
          () => `pack4xU8(${this.expression('u32', 4, depth - 1).s})`,
          () => `pack4xI8Clamp(${this.expression('i32', 4, depth - 1).s})`,
        );
      } else {
        forms.push(() => `dot4I8Packed(${this.expression('u32', 1, depth - 1).s}, ${this.expression('u32', 1, depth - 1).s})`);
      }
      const own = this.functions.filter((f) => f.scalar === scalar);
      if (own.length) forms.push(() => this.call(this.r.pick(own), depth));
    }
    if (n === 4) {
      const packed = () => this.expression('u32', 1, depth - 1).s;
      forms.push(() => (scalar === 'u32' ? `unpack4xU8(${packed()})` : `unpack4xI8(${packed()})`));
    }
    return { s: this.r.pick(forms)(), bits: 0 };
  }

  float(n, depth) {
    const one = () => this.expression('f32', n, depth - 1);
    const [a, b] = [one(), one()];
    const forms = [
      [`(${a.s} ${this.r.pick(['+', '-'])} ${b.s})`, Math.max(a.bits, b.bits) + 1],
      [`(${a.s} * ${b.s})`, a.bits + b.bits],
      [`(${a.s} * ${this.literal('f32', n)})`, a.bits + 3],
      [`${this.r.pick(['min', 'max'])}(${a.s}, ${b.s})`, Math.max(a.bits, b.bits)],
      [`${this.r.pick(['abs', 'floor', 'ceil', 'trunc', 'round'])}(${a.s})`, a.bits + 1],
      [`sign(${a.s})`, 1],
      [`step(${a.s}, ${b.s})`, 1],
      [`-(${a.s})`, a.bits],
      [`select(${a.s}, ${b.s}, ${this.expression('bool', n, depth - 1).s})`, Math.max(a.bits, b.bits)],
      [`clamp(${a.s}, min(${b.s}, ${a.s}), max(${b.s}, ${a.s}))`, a.bits],
      [`${vector('f32', n)}(${this.expression('i32', n, depth - 1).s} & ${vector('i32', n)}(127i))`, 7],
      [`fma(${a.s}, ${b.s}, ${a.s})`, a.bits + b.bits + 1],
      [`${vector('f32', n)}(${this.expression('bool', n, depth - 1).s})`, 1],
    ];
    if (n === 1) {
      const m = this.r.between(2, 4);
      const [x, y] = [this.expression('f32', m, depth - 1), this.expression('f32', m, depth - 1)];
      forms.push([`dot(${x.s}, ${y.s})`, x.bits + y.bits + 2]);
      const [p, q] = [this.expression('f32', 2, depth - 1), this.expression('f32', 2, depth - 1)];
      forms.push([`determinant(mat2x2<f32>(${p.s}, ${q.s}))`, p.bits + q.bits + 1]);
    }
    if (n === 3) forms.push([`cross(${a.s}, ${b.s})`, a.bits + b.bits + 1]);
    if (n === 2) {
      const [p, q] = [this.expression('f32', 2, depth - 1), this.expression('f32', 2, depth - 1)];
      forms.push([`(mat2x2<f32>(${p.s}, ${q.s}) * ${a.s})`, Math.max(p.bits, q.bits) + a.bits + 1]);
    }
    const fits = forms.filter((f) => f[1] <= MOST);
    if (!fits.length) return { s: `floor(${this.leaf('f32', n).s})`, bits: 7 };
    const [s, bits] = this.r.pick(fits);
    return { s, bits };
  }

  /** A call of a function of the text. */
  call(f, depth) {
    return `${f.name}(${f.parameters.map((p) => this.expression(p.scalar, p.n, Math.min(depth - 1, 1)).s).join(', ')})`;
  }

  /** A variable with a value; floats keep few bits, so that loops may go on with them. */
  variable(scalar, n, depth = 3) {
    const name = this.name('v');
    const e = this.expression(scalar, n, depth);
    const bits = scalar === 'f32' ? 6 : 0;
    this.put(`var ${name}: ${vector(scalar, n)} = ${this.kept(scalar, n, e)};`);
    this.names.push({ name, scalar, n, bits, fixed: false });
    return name;
  }

  /** Values that may be kept: a float is brought back to six bits. */
  kept(scalar, n, e) {
    if (scalar !== 'f32' || e.bits <= 6) return e.s;
    return `clamp(floor(${e.s}), ${vector('f32', n)}(-31.0), ${vector('f32', n)}(31.0))`;
  }

  scoped(body) {
    const names = this.names.length;
    this.depth++;
    body();
    this.depth--;
    this.names.length = names;
  }

  statement(depth, loops) {
    const scalar = () => this.r.pick(['u32', 'u32', 'i32', 'f32']);
    const kind = this.r.below(depth > 0 ? 12 : 6);
    if (kind < 3) return void this.variable(scalar(), this.r.pick(WIDTHS));
    if (kind < 6) {
      const own = this.names.filter((v) => !v.fixed && v.scalar !== 'bool');
      if (!own.length) return void this.variable(scalar(), 1);
      const v = this.r.pick(own);
      if (v.n > 1 && this.r.chance(40)) {
        const e = this.expression(v.scalar, 1, 3);
        const at = this.r.chance(50) ? `.${'xyzw'[this.r.below(v.n)]}` : `[${this.expression('u32', 1, 1).s} % ${v.n}u]`;
        return this.put(`${v.name}${at} = ${this.kept(v.scalar, 1, e)};`);
      }
      if (v.scalar !== 'f32' && this.r.chance(30)) {
        return this.put(`${v.name} ${this.r.pick(['+=', '-=', '^=', '|=', '&=', '*='])} ${this.expression(v.scalar, v.n, 2).s};`);
      }
      return this.put(`${v.name} = ${this.kept(v.scalar, v.n, this.expression(v.scalar, v.n, 3))};`);
    }
    if (kind < 9) {
      this.put(`if ${this.expression('bool', 1, 2).s} {`);
      this.scoped(() => this.block(this.r.between(1, 3), depth - 1, loops));
      if (this.r.chance(50)) {
        this.put('} else {');
        this.scoped(() => this.block(this.r.between(1, 3), depth - 1, loops));
      }
      return this.put('}');
    }
    if (kind < 11) {
      const k = this.name('k');
      this.put(`for (var ${k} = 0u; ${k} < (${this.expression('u32', 1, 1).s} & 3u) + 1u; ${k}++) {`);
      this.scoped(() => {
        this.names.push({ name: k, scalar: 'u32', n: 1, bits: 0, fixed: true });
        this.block(this.r.between(1, 3), depth - 1, loops + 1);
        if (this.r.chance(40)) this.put(`if ${this.expression('bool', 1, 1).s} { ${this.r.pick(['break', 'continue'])}; }`);
        this.block(1, 0, loops + 1);
      });
      return this.put('}');
    }
    this.put(`switch ${this.expression('u32', 1, 2).s} & 3u {`);
    for (const label of ['case 0u', 'case 1u, 2u', 'default']) {
      this.put(`  ${label}: {`);
      this.scoped(() => this.block(this.r.between(1, 2), depth - 1, loops));
      this.put('  }');
    }
    this.put('}');
  }

  block(n, depth, loops) {
    for (let k = 0; k < n; k++) this.statement(depth, loops);
  }

  /** An array that is read and written at places that are computed. */
  array() {
    const [name, scalar] = [this.name('a'), this.r.pick(['u32', 'i32'])];
    const size = this.r.pick([4, 8]);
    this.put(`var ${name}: array<${scalar}, ${size}>;`);
    const at = () => `${name}[${this.expression('u32', 1, 1).s} & ${size - 1}u]`;
    for (let k = 0; k < 3; k++) this.put(`${at()} = ${this.expression(scalar, 1, 2).s};`);
    const own = this.name('v');
    this.put(`var ${own} = ${at()} + ${at()};`);
    this.names.push({ name: own, scalar, n: 1, bits: 0, fixed: false });
  }

  /** A function of its own, before all others. */
  static function(random, name, functions) {
    const t = new Text(random);
    t.functions = functions;
    const scalar = random.pick(['u32', 'i32']);
    const parameters = Array.from({ length: random.between(1, 3) }, (_, k) => {
      const own = { name: `p${k}`, scalar: k === 0 ? 'u32' : random.pick(['u32', 'i32', 'f32']), n: k === 0 ? 1 : random.pick(WIDTHS), bits: 6 };
      return { ...own, fixed: true };
    });
    t.names = [...parameters];
    // Callers may hand larger floats over.
    for (const p of parameters.filter((p) => p.scalar === 'f32')) {
      t.names = t.names.filter((v) => v !== p);
      t.put(`let q${p.name} = clamp(floor(${p.name}), ${vector('f32', p.n)}(-31.0), ${vector('f32', p.n)}(31.0));`);
      t.names.push({ ...p, name: `q${p.name}` });
    }
    t.block(random.between(1, 4), 1, 0);
    if (random.chance(40)) t.put(`if ${t.expression('bool', 1, 2).s} { return ${t.expression(scalar, 1, 2).s}; }`);
    t.put(`return ${t.expression(scalar, 1, 3).s};`);
    const head = parameters.map((p) => `${p.name}: ${vector(p.scalar, p.n)}`).join(', ');
    const text = `fn ${name}(${head}) -> ${scalar} {\n${t.lines.join('\n')}\n}\n`;
    return { name, scalar, parameters, text };
  }
}
