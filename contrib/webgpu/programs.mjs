// Random WebGPU programs. Each is a function that runs on a device and returns the bytes that it made, by name and with the kind of their comparison.

import { FORMATS } from './formats.mjs';
import { memory, passes } from './more.mjs';
import { Random, Text } from './text.mjs';

const vector = (scalar, n) => (n === 1 ? scalar : `vec${n}<${scalar}>`);
const align = (n, to) => Math.ceil(n / to) * to;

/** A program under way: its device, what it made so far, and a log of what it did. */
export class Run {
  constructor(device, seed, log) {
    Object.assign(this, { device, log: log ?? (() => {}), r: new Random(seed), out: [], pending: [] });
  }

  buffer(contents, usage) {
    const bytes = new Uint8Array(contents.buffer, contents.byteOffset, contents.byteLength);
    const own = this.device.createBuffer({ size: align(bytes.length, 4), usage: usage | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC });
    this.device.queue.writeBuffer(own, 0, bytes);
    return own;
  }

  shader(code) {
    this.log(code);
    return this.device.createShaderModule({ code });
  }

  /** Bytes of a buffer, by the end of the program. */
  read(name, kind, buffer, steps) {
    const to = this.device.createBuffer({ size: buffer.size, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
    const c = this.device.createCommandEncoder();
    c.copyBufferToBuffer(buffer, 0, to, 0, buffer.size);
    this.device.queue.submit([c.finish()]);
    this.pending.push(async () => {
      await to.mapAsync(GPUMapMode.READ);
      this.out.push({ name, kind, steps, bytes: new Uint8Array(to.getMappedRange().slice(0)) });
      to.destroy();
    });
  }

  /** Texels of a level of a texture, without what lies between rows. */
  texels(name, f, texture, { level = 0, layers = 1, steps, aspect, bytes, kind } = {}) {
    const [w, h] = [Math.max(texture.width >> level, 1), Math.max(texture.height >> level, 1)];
    const [row, tight] = [align(w * (bytes ?? f.bytes), 256), w * (bytes ?? f.bytes)];
    const to = this.device.createBuffer({ size: row * h * layers, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
    const c = this.device.createCommandEncoder();
    c.copyTextureToBuffer({ texture, mipLevel: level, aspect }, { buffer: to, bytesPerRow: row, rowsPerImage: h }, [w, h, layers]);
    this.device.queue.submit([c.finish()]);
    this.pending.push(async () => {
      await to.mapAsync(GPUMapMode.READ);
      const all = new Uint8Array(to.getMappedRange());
      const out = new Uint8Array(tight * h * layers);
      for (let k = 0; k < h * layers; k++) out.set(all.subarray(k * row, k * row + tight), k * tight);
      this.out.push({ name, kind: kind ?? f.kind, steps, bytes: out });
      to.destroy();
    });
  }

  async end() {
    for (const p of this.pending) await p();
    return this.out;
  }
}

/** Bytes of texels that are numbers: floats are small. */
function contents(r, f, texels) {
  if (f.kind === 'float') return new Uint8Array(Float32Array.from({ length: (texels * f.bytes) / 4 }, () => r.between(-64, 64) / 8).buffer);
  if (f.kind === 'half') return new Uint8Array(Uint16Array.from({ length: (texels * f.bytes) / 2 }, () => (r.below(2) << 15) | (r.between(12, 18) << 10) | r.below(1024)).buffer);
  if (f.kind === 'float11') return new Uint8Array(Uint32Array.from({ length: texels }, () => (r.between(12, 17) << 6) | (r.between(12, 17) << 17) | (r.between(12, 17) << 27)).buffer);
  if (f.kind === 'exact') return new Uint8Array(Uint32Array.from({ length: texels }, () => (r.between(10, 20) << 27) | r.below(1 << 27)).buffer);
  return r.bytes(texels * f.bytes);
}

/** A compute shader over buffers, a uniform, workgroup memory, atomics, textures that are fetched and one that is stored. */
export async function compute(run) {
  const { device, r } = run;
  const [size, groups] = [r.pick([1, 8, 32, 64]), r.between(1, 4)];
  const words = r.between(4, 12);
  const functions = [];
  for (let k = r.below(3); k > 0; k--) functions.push(Text.function(r, `f${functions.length}`, [...functions]));
  const t = new Text(r);
  t.functions = functions;
  const fetched = r.chance(40) ? r.pick(FORMATS.filter((f) => f.scalar !== 'f32')) : null;
  const stored = r.chance(40) ? r.pick(FORMATS.filter((f) => f.storage && f.scalar !== 'f32')) : null;
  const [group, atomic] = [r.chance(60), r.chance(50)];
  let head = `struct Uniform { a: vec4<u32>, b: vec4<i32>, c: vec3<f32>, d: u32 }
@group(0) @binding(0) var<storage, read> given: array<u32>;
@group(0) @binding(1) var<storage, read_write> made: array<u32>;
@group(0) @binding(2) var<uniform> uniform_: Uniform;
`;
  if (atomic) head += '@group(0) @binding(3) var<storage, read_write> counts: array<atomic<u32>, 16>;\n';
  if (fetched) head += `@group(0) @binding(4) var fetched: texture_2d<${fetched.scalar}>;\n`;
  if (stored) head += `@group(0) @binding(5) var stored: texture_storage_2d<${stored.name}, write>;\n`;
  if (group) head += `var<workgroup> shared_: array<u32, ${size}>;\n`;
  const fixed = (name, scalar, n, bits = 0) => t.names.push({ name, scalar, n, bits, fixed: true });
  t.put('let x = id.x;');
  t.put(`let g0 = given[x & 63u]; let g1 = given[(x * 7u + 3u) & 63u];`);
  t.put('let i0 = bitcast<i32>(given[(x + 17u) & 63u]);');
  for (const [name, scalar, n, bits] of [['x', 'u32', 1], ['g0', 'u32', 1], ['g1', 'u32', 1], ['i0', 'i32', 1], ['uniform_.a', 'u32', 4],
    ['uniform_.b', 'i32', 4], ['uniform_.c', 'f32', 3, 6], ['uniform_.d', 'u32', 1]]) fixed(name, scalar, n, bits);
  t.block(r.between(1, 4), 2, 0);
  if (r.chance(50)) t.array();
  if (fetched) {
    t.put(`let texel = textureLoad(fetched, vec2<u32>(${t.expression('u32', 1, 1).s} & 7u, ${t.expression('u32', 1, 1).s} & 7u), 0);`);
    fixed('texel', fetched.scalar, 4);
  }
  if (group) {
    // All invocations come here.
    t.put(`shared_[lane] = ${t.expression('u32', 1, 3).s};`);
    t.put('workgroupBarrier();');
    t.put(`let other = shared_[(lane + ${t.expression('u32', 1, 1).s}) % ${size}u];`);
    t.put('workgroupBarrier();');
    fixed('other', 'u32', 1);
  }
  t.block(r.between(2, 6), 2, 0);
  if (atomic) {
    for (let k = r.between(1, 3); k > 0; k--) {
      const at = r.below(5);
      const name = ['atomicAdd', 'atomicMax', 'atomicMin', 'atomicOr', 'atomicXor'][at];
      t.put(`${name}(&counts[(${t.expression('u32', 1, 1).s} % 3u) * 5u + ${at}u], ${t.expression('u32', 1, 2).s});`);
    }
  }
  if (stored) {
    const v = t.expression(stored.scalar, 4, 2).s;
    t.put(`textureStore(stored, vec2<u32>(x & 15u, x >> 4u), ${v} & vec4<${stored.scalar}>(127${stored.scalar[0]}));`);
  }
  for (let k = 0; k < words; k++) {
    const scalar = r.pick(['u32', 'i32', 'f32', 'bool']);
    const e = t.expression(scalar, 1, 3).s;
    t.put(`made[x * ${words}u + ${k}u] = ${{ u32: e, i32: `bitcast<u32>(${e})`, f32: `bitcast<u32>(i32((${e}) * 16.0))`, bool: `u32(${e})` }[scalar]};`);
  }
  const code = `${head}${functions.map((f) => f.text).join('')}
@compute @workgroup_size(${size}) fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
${t.lines.join('\n')}
}`;
  const module = run.shader(code);
  const made = run.buffer(new Uint8Array(size * groups * words * 4), GPUBufferUsage.STORAGE);
  const counts = run.buffer(new Uint32Array(16), GPUBufferUsage.STORAGE);
  const numbers = r.words(16);
  new Float32Array(numbers.buffer).set([r.between(-30, 30), r.between(-30, 30), r.between(0, 30)], 8);
  const entries = [
    { binding: 0, resource: { buffer: run.buffer(r.words(64), GPUBufferUsage.STORAGE) } },
    { binding: 1, resource: { buffer: made } },
    { binding: 2, resource: { buffer: run.buffer(numbers, GPUBufferUsage.UNIFORM) } },
  ];
  if (atomic) entries.push({ binding: 3, resource: { buffer: counts } });
  if (fetched) {
    const texture = device.createTexture({ size: [8, 8], format: fetched.name, usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST });
    device.queue.writeTexture({ texture }, contents(r, fetched, 64), { bytesPerRow: 8 * fetched.bytes }, [8, 8]);
    entries.push({ binding: 4, resource: texture.createView() });
  }
  let image = null;
  if (stored) {
    image = device.createTexture({ size: [16, 16], format: stored.name, usage: GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.COPY_SRC });
    entries.push({ binding: 5, resource: image.createView() });
  }
  // A binding that no code uses is not in a layout that the text makes.
  const visibility = GPUShaderStage.COMPUTE;
  const layout = device.createBindGroupLayout({
    entries: entries.map(({ binding }) => ({
      binding, visibility,
      ...[{ buffer: { type: 'read-only-storage' } }, { buffer: { type: 'storage' } }, { buffer: { type: 'uniform' } }, { buffer: { type: 'storage' } },
        { texture: { sampleType: fetched?.scalar === 'u32' ? 'uint' : 'sint' } }, { storageTexture: { format: stored?.name ?? 'r32uint', access: 'write-only' } }][binding],
    })),
  });
  const pipeline = device.createComputePipeline({ layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }), compute: { module, entryPoint: 'main' } });
  const bound = device.createBindGroup({ layout, entries });
  const c = device.createCommandEncoder();
  const pass = c.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, bound);
  if (r.chance(30)) pass.dispatchWorkgroupsIndirect(run.buffer(Uint32Array.of(9, groups, 1, 1), GPUBufferUsage.INDIRECT), 4);
  else pass.dispatchWorkgroups(groups);
  pass.end();
  device.queue.submit([c.finish()]);
  run.read('made', 'int', made);
  run.read('counts', 'int', counts);
  if (image) run.texels('stored', stored, image);
}

/** Copies between buffers and textures of any format, fills and clears; and texels as a shader reads them. */
export async function copies(run) {
  const { device, r } = run;
  const f = r.pick(FORMATS);
  const [w, h, layers] = [r.pick([4, 8, 16, 20]), r.pick([4, 8, 12]), r.pick([1, 1, 2, 3])];
  const levels = r.between(1, 3);
  const usage = GPUTextureUsage.COPY_SRC | GPUTextureUsage.COPY_DST | GPUTextureUsage.TEXTURE_BINDING;
  const make = () => device.createTexture({ size: [w, h, layers], mipLevelCount: levels, format: f.name, usage });
  const textures = [make(), make()];
  const sizes = Array.from({ length: levels }, (_, k) => [Math.max(w >> k, 1), Math.max(h >> k, 1)]);
  run.log(`${f.name} ${w}x${h}x${layers}, ${levels} levels`);
  for (const texture of textures) {
    sizes.forEach(([x, y], mipLevel) => device.queue.writeTexture({ texture, mipLevel }, contents(r, f, x * y * layers), { bytesPerRow: x * f.bytes, rowsPerImage: y }, [x, y, layers]));
  }
  const buffers = [0, 1].map(() => run.buffer(contents(r, f, 16384 / f.bytes), 0));
  const c = device.createCommandEncoder();
  for (let k = r.between(4, 12); k > 0; k--) {
    const [a, b] = r.chance(50) ? [0, 1] : [1, 0];
    const level = r.below(levels);
    const [x, y] = sizes[level];
    // A rectangle and layers of that level.
    const size = [r.between(1, x), r.between(1, y), r.between(1, layers)];
    const origin = [r.below(x - size[0] + 1), r.below(y - size[1] + 1), r.below(layers - size[2] + 1)];
    const row = align(size[0] * f.bytes, 256);
    const rows = size[1] + r.below(2);
    const fits = row * rows * size[2] <= 12288;
    const offset = align(r.below(1024), align(f.bytes, 4));
    const kind = r.below(6);
    run.log(`${['buffers', 'to texture', 'to buffer', 'textures', 'clear', 'write'][kind]} ${a}>${b} level ${level} at ${origin} size ${size} offset ${offset} rows ${rows}`);
    if (kind === 0) c.copyBufferToBuffer(buffers[a], r.below(256) * 4, buffers[b], r.below(256) * 4, r.below(1024) * 4);
    if (kind === 1 && fits) c.copyBufferToTexture({ buffer: buffers[a], offset, bytesPerRow: row, rowsPerImage: rows }, { texture: textures[b], mipLevel: level, origin }, size);
    if (kind === 2 && fits) c.copyTextureToBuffer({ texture: textures[a], mipLevel: level, origin }, { buffer: buffers[b], offset, bytesPerRow: row, rowsPerImage: rows }, size);
    if (kind === 3) {
      const target = r.below(levels);
      const other = size.map((n, d) => Math.min(n, d < 2 ? sizes[target][d] : layers));
      const to = other.map((n, d) => r.below((d < 2 ? sizes[target][d] : layers) - n + 1));
      c.copyTextureToTexture({ texture: textures[a], mipLevel: level, origin }, { texture: textures[b], mipLevel: target, origin: to }, other);
    }
    if (kind === 4) c.clearBuffer(buffers[a], r.below(256) * 4, r.below(64) * 4);
  }
  device.queue.submit([c.finish()]);
  buffers.forEach((b, k) => run.read(`buffer ${k}`, 'int', b));
  textures.forEach((t, k) => sizes.forEach((_, level) => run.texels(`texture ${k} level ${level}`, f, t, { level, layers, kind: f.kind.startsWith('snorm') ? f.kind : 'exact', steps: 0 })));
  seen(run, textures[0], f, r.below(levels), layers);
}

/** Texels of a level as a shader reads them. */
function seen(run, texture, f, level, layers) {
  const { device } = run;
  const [x, y] = [Math.max(texture.width >> level, 1), Math.max(texture.height >> level, 1)];
  const module = run.shader(`@group(0) @binding(0) var t: texture_2d_array<${f.scalar}>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<${f.scalar}>>;
@compute @workgroup_size(4, 4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let size = textureDimensions(t, ${level});
  if any(id.xy >= size) { return; }
  out[(id.z * size.y + id.y) * size.x + id.x] = textureLoad(t, id.xy, id.z, ${level});
}`);
  const out = run.buffer(new Uint8Array(x * y * layers * 16), GPUBufferUsage.STORAGE);
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
  const entries = [{ binding: 0, resource: texture.createView({ dimension: '2d-array' }) }, { binding: 1, resource: { buffer: out } }];
  const bound = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
  const c = device.createCommandEncoder();
  const pass = c.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, bound);
  pass.dispatchWorkgroups(Math.ceil(x / 4), Math.ceil(y / 4), layers);
  pass.end();
  device.queue.submit([c.finish()]);
  // A number that was decoded out of 8 or 16 bits is near; of sRGB it is what a table gives.
  const kind = f.scalar !== 'f32' ? 'int' : /srgb/.test(f.name) ? 'decoded' : 'float';
  run.read(`seen level ${level}`, kind, out);
}

const COMPARES = ['never', 'less', 'equal', 'less-equal', 'greater', 'not-equal', 'greater-equal', 'always'];
const STENCILS = ['keep', 'zero', 'replace', 'invert', 'increment-clamp', 'decrement-clamp', 'increment-wrap', 'decrement-wrap'];
const FACTORS = ['zero', 'one', 'src', 'one-minus-src', 'src-alpha', 'one-minus-src-alpha', 'dst', 'one-minus-dst', 'dst-alpha', 'one-minus-dst-alpha', 'src-alpha-saturated', 'constant', 'one-minus-constant'];
/** format, scalar, components, bytes */
const VERTICES = [
  ['uint8x2', 'u32', 2, 2], ['uint8x4', 'u32', 4, 4], ['sint8x2', 'i32', 2, 2], ['sint8x4', 'i32', 4, 4], ['unorm8x2', 'f32', 2, 2], ['unorm8x4', 'f32', 4, 4],
  ['snorm8x2', 'f32', 2, 2], ['snorm8x4', 'f32', 4, 4], ['uint16x2', 'u32', 2, 4], ['uint16x4', 'u32', 4, 8], ['sint16x2', 'i32', 2, 4], ['sint16x4', 'i32', 4, 8],
  ['unorm16x2', 'f32', 2, 4], ['unorm16x4', 'f32', 4, 8], ['snorm16x2', 'f32', 2, 4], ['snorm16x4', 'f32', 4, 8], ['uint32', 'u32', 1, 4], ['uint32x2', 'u32', 2, 8],
  ['uint32x3', 'u32', 3, 12], ['uint32x4', 'u32', 4, 16], ['sint32', 'i32', 1, 4], ['sint32x2', 'i32', 2, 8], ['sint32x3', 'i32', 3, 12], ['sint32x4', 'i32', 4, 16],
  ['unorm10-10-10-2', 'f32', 4, 4],
];

/** Draws: attributes of all formats, flat values, several targets, blending, depth, stencil, samples, scissors, indices, queries. */
export async function draws(run) {
  const { device, r } = run;
  const size = r.pick([[16, 16], [32, 16], [64, 64]]);
  const samples = r.chance(25) ? 4 : 1;
  const drawn = FORMATS.filter((f) => f.drawn && (samples === 1 || (f.kind !== 'int' && f.kind !== 'float')));
  const targets = Array.from({ length: r.pick([1, 1, 2, 3]) }, () => r.pick(drawn));
  while (targets.reduce((n, f) => n + align(Math.max(f.bytes, f.kind === 'unorm8' && f.bytes === 4 ? 8 : f.bytes), 4), 0) > 32) targets.pop();
  const deep = r.chance(50) ? r.pick(['depth16unorm', 'depth32float', 'depth24plus-stencil8', 'stencil8']) : null;
  const [zs, stencil] = [deep && deep !== 'stencil8', deep && /stencil8/.test(deep)];
  // Vertices: position in sixteenths of a pixel, and attributes.
  const attributes = Array.from({ length: r.below(4) }, () => r.pick(VERTICES));
  const topology = r.pick(['triangle-list', 'triangle-list', 'triangle-strip', 'point-list']);
  const t = new Text(r);
  const functions = r.chance(40) ? [Text.function(r, 'f0', [])] : [];
  t.functions = functions;
  const fixed = (name, scalar, n, bits = 0) => t.names.push({ name, scalar, n, bits, fixed: true });
  t.put('let at = vec2<u32>(in.at.xy);');
  t.put('let x = at.x + at.y * 64u;');
  fixed('x', 'u32', 1);
  fixed('in.k', 'u32', 1);
  fixed('in.n', 'u32', 1);
  attributes.forEach(([, scalar, n], k) => {
    if (scalar === 'f32') t.put(`let b${k} = floor(in.a${k} * 15.9);`);
    fixed(scalar === 'f32' ? `b${k}` : `in.a${k}`, scalar, n, 5);
  });
  t.block(r.between(1, 3), 1, 0);
  if (r.chance(15)) t.put(`if (${t.expression('u32', 1, 2).s} & 7u) == 0u { discard; }`);
  const outs = targets.map((f, k) => {
    const e = t.expression(f.scalar, 4, 2).s;
    // Colours are multiples of a sixteenth; integers fit the target's.
    const most = /8/.test(f.name) ? 127 : /16|10/.test(f.name) ? 1023 : 0x7fffffff;
    const top = f.name === 'rgb10a2uint' ? 'vec4<u32>(1023u, 1023u, 1023u, 3u)' : `vec4<${f.scalar}>(${most}${f.scalar[0]})`;
    return f.scalar === 'f32' ? `clamp(floor(${e}), vec4<f32>(0.0), vec4<f32>(16.0)) * 0.0625` : `(${e}) & ${top}`;
  });
  const code = `struct In { @location(0) at: vec2<f32>, ${attributes.map(([, s, n], k) => `@location(${k + 1}) a${k}: ${vector(s, n)}, `).join('')}}
struct Between { @builtin(position) at: vec4<f32>, @location(0) @interpolate(flat, either) k: u32, @location(1) @interpolate(flat, either) n: u32, ${attributes.map(([, s, n], k) => `@location(${k + 2}) @interpolate(flat, either) a${k}: ${vector(s, n)}, `).join('')}}
struct Out { ${targets.map((f, k) => `@location(${k}) c${k}: vec4<${f.scalar}>, `).join('')}}
${functions.map((f) => f.text).join('')}
@vertex fn vs(in: In, @builtin(vertex_index) k: u32, @builtin(instance_index) n: u32) -> Between {
  let z = f32((n * 5u + 3u) % 16u) / 16.0;
  let moved = in.at + vec2<f32>(f32(n) * 2.0, f32(n));
  return Between(vec4<f32>(moved.x / ${size[0] / 2}.0 - 1.0, 1.0 - moved.y / ${size[1] / 2}.0, z, 1.0), ${topology === 'point-list' ? 'k' : 'n'}, n${attributes.map((_, k) => `, in.a${k}`).join('')});
}
@fragment fn fs(in: Between) -> Out {
${t.lines.join('\n')}
  return Out(${outs.join(', ')});
}`;
  const module = run.shader(code);
  // Attributes step by instance: the first vertex of a primitive is not the same for all orders.
  const count = r.between(3, 24);
  // Nothing is clipped, and half of a place is still one that four bits of a pixel can say.
  const places = new Float32Array(count * 2).map((_, k) => r.between(0, (size[k & 1] - 11) * 8) / 8);
  if (topology === 'point-list') places.forEach((v, k) => (places[k] = Math.floor(v) + 0.5));
  let offset = 0;
  const list = attributes.map(([name, , , bytes], k) => {
    const own = { format: name, offset, shaderLocation: k + 1 };
    offset += align(bytes, 4);
    return own;
  });
  const stride = Math.max(offset, 4);
  const instances = r.between(1, 4);
  const buffers = [
    { arrayStride: 8, attributes: [{ format: 'float32x2', offset: 0, shaderLocation: 0 }] },
    { arrayStride: stride, stepMode: 'instance', attributes: list },
  ];
  const blend = () => {
    const operation = r.pick(['add', 'add', 'subtract', 'reverse-subtract', 'min', 'max']);
    const both = /min|max/.test(operation) ? ['one', 'one'] : [r.pick(FACTORS), r.pick(FACTORS)];
    return { operation, srcFactor: both[0], dstFactor: both[1] };
  };
  const face = () => ({ compare: r.pick(COMPARES), failOp: r.pick(STENCILS), depthFailOp: zs ? r.pick(STENCILS) : 'keep', passOp: r.pick(STENCILS) });
  const strip = topology === 'triangle-strip';
  const indexed = r.chance(50);
  const wide = r.chance(50);
  const state = {
    layout: 'auto',
    vertex: { module, entryPoint: 'vs', buffers },
    primitive: {
      topology,
      stripIndexFormat: strip && indexed ? (wide ? 'uint32' : 'uint16') : undefined,
      cullMode: r.pick(['none', 'none', 'front', 'back']), frontFace: r.pick(['ccw', 'cw']),
    },
    depthStencil: deep ? {
      format: deep,
      depthWriteEnabled: zs ? r.chance(70) : undefined, depthCompare: zs ? r.pick(COMPARES.slice(1)) : undefined,
      ...(stencil ? { stencilFront: face(), stencilBack: face(), stencilReadMask: r.pick([255, 15]), stencilWriteMask: r.pick([255, 240]) } : {}),
    } : undefined,
    multisample: { count: samples, mask: r.chance(30) && samples > 1 ? r.below(16) : 0xffffffff },
    fragment: {
      module, entryPoint: 'fs',
      targets: targets.map((f) => ({ format: f.name, writeMask: r.chance(25) ? r.below(16) : 15, blend: f.blended && r.chance(40) ? { color: blend(), alpha: blend() } : undefined })),
    },
  };
  run.log(JSON.stringify(state));
  const pipeline = device.createRenderPipeline(state);
  const texture = (name, sampleCount) => device.createTexture({ size, format: name, sampleCount, usage: GPUTextureUsage.RENDER_ATTACHMENT | (sampleCount === 1 ? GPUTextureUsage.COPY_SRC : 0) });
  const colours = targets.map((f) => texture(f.name, samples));
  const resolved = samples > 1 ? targets.map((f) => texture(f.name, 1)) : null;
  const depths = deep ? texture(deep, samples) : null;
  const queries = device.createQuerySet({ type: 'occlusion', count: 2 });
  const c = device.createCommandEncoder();
  const clear = (f) => (f.scalar === 'f32' ? { r: r.below(17) / 16, g: r.below(17) / 16, b: r.below(17) / 16, a: r.below(17) / 16 } : { r: r.below(100), g: r.below(100), b: r.below(100), a: r.below(4) });
  const pass = c.beginRenderPass({
    colorAttachments: colours.map((x, k) => ({ view: x.createView(), clearValue: clear(targets[k]), loadOp: 'clear', storeOp: 'store', resolveTarget: resolved?.[k].createView() })),
    depthStencilAttachment: depths ? {
      view: depths.createView(),
      ...(zs ? { depthClearValue: r.pick([0, 0.5, 1]), depthLoadOp: 'clear', depthStoreOp: 'store' } : {}),
      ...(stencil ? { stencilClearValue: r.below(256), stencilLoadOp: 'clear', stencilStoreOp: 'store' } : {}),
    } : undefined,
    occlusionQuerySet: queries,
  });
  pass.setPipeline(pipeline);
  pass.setVertexBuffer(0, run.buffer(places, GPUBufferUsage.VERTEX));
  pass.setVertexBuffer(1, run.buffer(r.bytes(stride * 16), GPUBufferUsage.VERTEX));
  pass.setBlendConstant({ r: r.below(17) / 16, g: r.below(17) / 16, b: r.below(17) / 16, a: r.below(17) / 16 });
  pass.setStencilReference(r.below(256));
  if (r.chance(40)) {
    const [x, y] = [r.below(size[0]), r.below(size[1])];
    pass.setScissorRect(x, y, r.below(size[0] - x + 1), r.below(size[1] - y + 1));
  }
  // Points of half a pixel's place have samples that not all rasterisers see.
  if (r.chance(30) && topology !== 'point-list') pass.setViewport(r.below(4), r.below(4), size[0] / 2, size[1] / 2, 0, r.pick([0.5, 1]));
  const indices = Array.from({ length: 24 }, () => (strip && r.chance(10) ? (wide ? 0xffffffff : 0xffff) : r.below(count)));
  const words = wide ? Uint32Array.from(indices) : Uint16Array.from(indices);
  for (let k = 0; k < 2; k++) {
    pass.beginOcclusionQuery(k);
    const [first, from] = [r.below(3), r.below(3)];
    if (indexed) {
      const n = r.between(3, 20);
      pass.setIndexBuffer(run.buffer(words, GPUBufferUsage.INDEX), wide ? 'uint32' : 'uint16');
      if (r.chance(30)) pass.drawIndexedIndirect(run.buffer(Uint32Array.of(n, instances, first, 0, 0), GPUBufferUsage.INDIRECT), 0);
      else pass.drawIndexed(n, instances, first, 0, from);
    } else if (r.chance(30)) {
      pass.drawIndirect(run.buffer(Uint32Array.of(count - first, instances, first, 0), GPUBufferUsage.INDIRECT), 0);
    } else pass.draw(count - first, instances, first, from);
    pass.endOcclusionQuery();
  }
  pass.end();
  const answers = run.buffer(new Uint8Array(16), GPUBufferUsage.QUERY_RESOLVE);
  c.resolveQuerySet(queries, 0, 2, answers, 0);
  device.queue.submit([c.finish()]);
  run.read('queries', 'some', answers);
  (resolved ?? colours).forEach((x, k) => run.texels(`target ${k} ${targets[k].name}`, targets[k], x, { steps: 2 }));
  if (depths && samples === 1) {
    if (deep === 'depth16unorm') run.texels('depth', { bytes: 2, kind: 'unorm16' }, depths, { aspect: 'depth-only', steps: 1 });
    if (deep === 'depth32float') run.texels('depth', { bytes: 4, kind: 'float' }, depths, { aspect: 'depth-only' });
    if (stencil) run.texels('stencil', { bytes: 1, kind: 'int' }, depths, { aspect: 'stencil-only' });
  }
}

/** A texture of some format on a rectangle: filters, address modes, levels, layers, comparison. */
export async function samples(run) {
  const { device, r } = run;
  const f = r.pick(FORMATS.filter((f) => f.scalar === 'f32' && f.kind !== 'float'));
  const [w, h] = [r.pick([4, 8, 16]), r.pick([4, 8, 16])];
  const levels = r.between(1, 3);
  const texture = device.createTexture({ size: [w, h, 2], mipLevelCount: levels, format: f.name, usage: GPUTextureUsage.COPY_DST | GPUTextureUsage.TEXTURE_BINDING });
  for (let k = 0; k < levels; k++) {
    const [x, y] = [w >> k, h >> k];
    device.queue.writeTexture({ texture, mipLevel: k }, contents(r, f, x * y * 2), { bytesPerRow: x * f.bytes, rowsPerImage: y }, [x, y, 2]);
  }
  const mode = () => r.pick(['clamp-to-edge', 'repeat', 'mirror-repeat']);
  const linear = r.chance(50) ? 'linear' : 'nearest';
  // Gathers read the first level, whatever the sampler's least one is, which SwiftShader does otherwise. Places lie a quarter of a texel beside edges between texels, so that no rounding moves a nearest one.
  const call = r.pick(['textureSampleLevel(t, s, uv, layer, lod)', 'textureSampleLevel(t, s, uv, layer, 0.0)', `textureSampleLevel(t, s, uv, layer, 0.0, vec2<i32>(${r.between(-8, 7)}, ${r.between(-8, 7)}))`,
    `textureGather(${r.below(4)}, t, s, uv, layer)`, 'textureSampleGrad(t, s, uv, layer, vec2<f32>(grad, 0.0), vec2<f32>(0.0, grad))']);
  const state = { addressModeU: mode(), addressModeV: mode(), magFilter: linear, minFilter: linear, mipmapFilter: r.pick(['nearest', linear]), lodMinClamp: /Gather/.test(call) ? 0 : r.pick([0, 1]), lodMaxClamp: r.pick([1, 8]) };
  run.log(`${f.name} ${w}x${h}, ${levels} levels, ${JSON.stringify(state)}`);
  const sampler = device.createSampler(state);
  const module = run.shader(`@group(0) @binding(0) var t: texture_2d_array<f32>;
@group(0) @binding(1) var s: sampler;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<f32>>;
@compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let step = (vec2<f32>(id.xy) - 8.0) * 0.5 + 0.25;
  let uv = step / vec2<f32>(${w}.0, ${h}.0);
  let layer = (id.x + id.y) & 1u;
  let lod = f32(id.x & 3u) * ${r.pick(['0.5', '1.0'])} + 0.25;
  let grad = ${r.pick(['0.0625', '0.25', '0.5'])};
  out[id.y * 32u + id.x] = ${call};
}`);
  const out = run.buffer(new Uint8Array(32 * 32 * 16), GPUBufferUsage.STORAGE);
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
  const entries = [{ binding: 0, resource: texture.createView({ dimension: '2d-array' }) }, { binding: 1, resource: sampler }, { binding: 2, resource: { buffer: out } }];
  const bound = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
  const c = device.createCommandEncoder();
  const pass = c.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, bound);
  pass.dispatchWorkgroups(4, 4);
  pass.end();
  device.queue.submit([c.finish()]);
  run.read('sampled', 'decoded', out, f.kind === 'half' || f.kind.startsWith('float') || f.kind === 'exact' ? 8 : 1);
}

/** The program of a seed. */
export function program(seed) {
  const all = [compute, compute, compute, draws, draws, draws, copies, samples, passes, passes, memory, memory];
  return all[new Random(seed ^ 0x5eed).below(all.length)];
}
