// More random programs: passes that read what earlier ones drew, and memory whose layout the language fixes.

import { FORMATS } from './formats.mjs';
import { Text } from './text.mjs';

/** Passes on levels and layers of one texture that read its others, with depth that is read later: by fetches and by comparisons. */
export async function passes(run) {
  const { device, r } = run;
  const f = r.pick(FORMATS.filter((f) => f.drawn && f.kind !== 'float11'));
  const deep = r.pick(['depth16unorm', 'depth32float', 'depth24plus']);
  const [size, levels, layers] = [r.pick([16, 32]), 3, 2];
  const make = (format) => device.createTexture({
    size: [size, size, layers], mipLevelCount: levels, format,
    usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_SRC,
  });
  const [colours, depths] = [make(f.name), make(deep)];
  run.log(`${f.name}, ${deep}, ${size}`);
  const view = (texture, level, layer) => texture.createView({ dimension: '2d', baseMipLevel: level, mipLevelCount: 1, baseArrayLayer: layer, arrayLayerCount: 1 });
  const c = device.createCommandEncoder();
  const colour = () => (f.scalar === 'f32' ? { r: r.below(9) / 8, g: r.below(9) / 8, b: r.below(9) / 8, a: r.below(9) / 8 } : { r: r.below(100), g: r.below(100), b: r.below(100), a: r.below(3) });
  // All are drawn on before they are read.
  for (let k = 0; k < levels * layers; k++) {
    c.beginRenderPass({
      colorAttachments: [{ view: view(colours, k % levels, Math.floor(k / levels)), clearValue: colour(), loadOp: 'clear', storeOp: 'store' }],
      depthStencilAttachment: { view: view(depths, k % levels, Math.floor(k / levels)), depthClearValue: r.below(9) / 8, depthLoadOp: 'clear', depthStoreOp: 'store' },
    }).end();
  }
  const count = r.between(2, 5);
  for (let k = 0; k < count; k++) {
    const [level, layer] = [r.below(levels), r.below(layers)];
    const from = (level + r.between(1, levels - 1)) % levels;
    const t = new Text(r);
    t.names.push({ name: 'x', scalar: 'u32', n: 1, bits: 0, fixed: true }, { name: 'facing', scalar: 'bool', n: 1, bits: 0, fixed: true });
    if (f.scalar !== 'f32') t.names.push({ name: 'old', scalar: f.scalar, n: 4, bits: 0, fixed: true });
    t.block(r.between(1, 3), 1, 0);
    const most = /8/.test(f.name) ? 127 : /16|10/.test(f.name) ? 1023 : 0x7fffffff;
    const top = f.name === 'rgb10a2uint' ? 'vec4<u32>(1023u, 1023u, 1023u, 3u)' : `vec4<${f.scalar}>(${most}${f.scalar[0]})`;
    const kept = f.scalar === 'f32'
      ? `old * 0.5 + clamp(floor(${t.expression('f32', 4, 2).s}), vec4<f32>(0.0), vec4<f32>(8.0)) * 0.0625` : `${t.expression(f.scalar, 4, 2).s} & ${top}`;
    const [own, written] = [r.chance(50), r.chance(60)];
    const module = run.shader(`override shift: u32 = 1u;
@group(0) @binding(0) var seen: texture_2d<${f.scalar}>;
struct Out { @location(0) c: vec4<${f.scalar}>, ${own ? '@builtin(frag_depth) z: f32' : ''} }
struct Between { @builtin(position) at: vec4<f32>, @location(0) @interpolate(flat, either) n: u32 }
@vertex fn vs(@builtin(vertex_index) k: u32, @builtin(instance_index) n: u32) -> Between {
  // Two triangles that face either way.
  var all = array<vec2<f32>, 6>(vec2(-1.0, -1.0), vec2(1.0, -1.0), vec2(-1.0, 1.0), vec2(1.0, 1.0), vec2(-1.0, 1.0), vec2(1.0, -1.0));
  let p = select(all[k], all[k].yx, n == 1u);
  return Between(vec4<f32>(p * select(1.0, 0.5, n == 2u), f32(n * 3u % 8u) / 8.0, 1.0), n);
}
@fragment fn fs(in: Between, @builtin(front_facing) facing: bool) -> Out {
  let at = vec2<u32>(in.at.xy);
  let x = (at.x + at.y * 32u) << shift;
  let old = textureLoad(seen, at % textureDimensions(seen), 0);
${t.lines.join('\n')}
  return Out(${kept}${own ? ', f32((x >> shift) % 9u) / 8.0' : ''});
}`);
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module, entryPoint: 'vs' },
      primitive: { topology: 'triangle-list', cullMode: r.pick(['none', 'none', 'back']) },
      depthStencil: { format: deep, depthWriteEnabled: written, depthCompare: r.pick(['less', 'less-equal', 'greater', 'greater-equal', 'always', 'not-equal']) },
      fragment: { module, entryPoint: 'fs', constants: { shift: r.below(4) }, targets: [{ format: f.name }] },
    });
    const bound = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: [{ binding: 0, resource: view(colours, from, r.below(layers)) }] });
    const clears = r.chance(40);
    const attachments = {
      colorAttachments: [{ view: view(colours, level, layer), clearValue: colour(), loadOp: clears ? 'clear' : 'load', storeOp: 'store' }],
      depthStencilAttachment: { view: view(depths, level, layer), depthClearValue: r.below(9) / 8, depthLoadOp: clears ? 'clear' : 'load', depthStoreOp: 'store' },
    };
    const draw = (pass) => {
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, bound);
      pass.draw(6, r.between(1, 3), 0, 0);
    };
    const pass = c.beginRenderPass(attachments);
    if (r.chance(40)) {
      const bundle = device.createRenderBundleEncoder({ colorFormats: [f.name], depthStencilFormat: deep });
      draw(bundle);
      pass.executeBundles([bundle.finish()]);
    } else draw(pass);
    pass.end();
  }
  // Depths as shaders see them: fetched, and compared with a number between those that there are.
  const side = size >> 1;
  const out = run.buffer(new Uint8Array(side * side * 16), GPUBufferUsage.STORAGE);
  const module = run.shader(`@group(0) @binding(0) var t: texture_depth_2d_array;
@group(0) @binding(1) var s: sampler_comparison;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<f32>>;
@compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let uv = (vec2<f32>(id.xy) + 0.5) / ${side}.0;
  let z = f32(id.x % 8u) / 8.0 + 0.0625;
  out[id.y * ${side}u + id.x] = vec4<f32>(textureLoad(t, id.xy, 0u, 1), textureLoad(t, id.xy, 1u, 1), textureSampleCompareLevel(t, s, uv, 0u, z), dot(textureGatherCompare(t, s, uv + 0.25 / ${size}.0, 1u, z), vec4<f32>(1.0, 2.0, 4.0, 8.0)));
}`);
  const layout = device.createBindGroupLayout({
    entries: [{ binding: 0, texture: { sampleType: 'depth', viewDimension: '2d-array' } }, { binding: 1, sampler: { type: 'comparison' } }, { binding: 2, buffer: { type: 'storage' } }].map((e) => ({ ...e, visibility: GPUShaderStage.COMPUTE })),
  });
  const pipeline = device.createComputePipeline({ layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }), compute: { module } });
  const bound = device.createBindGroup({
    layout,
    entries: [{ binding: 0, resource: depths.createView({ dimension: '2d-array' }) }, { binding: 1, resource: device.createSampler({ compare: r.pick(['less', 'greater', 'less-equal']) }) }, { binding: 2, resource: { buffer: out } }],
  });
  const pass = c.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, bound);
  pass.dispatchWorkgroups(side / 8, side / 8);
  pass.end();
  device.queue.submit([c.finish()]);
  run.read('depths', 'decoded', out);
  for (let k = 0; k < levels; k++) run.texels(`level ${k}`, f, colours, { level: k, layers, steps: count + 1 });
}

/** A type with a layout: text, and the expressions of its words. */
function type(r, depth, structs, uniform) {
  const kind = r.below(depth > 0 ? 5 : 3);
  const scalar = r.pick(['u32', 'i32', 'f32']);
  if (kind === 0) return { text: scalar, words: (e) => [bits(scalar, e)] };
  if (kind === 1) {
    const n = r.between(2, 4);
    return { text: `vec${n}<${scalar}>`, words: (e) => Array.from({ length: n }, (_, k) => bits(scalar, `${e}.${'xyzw'[k]}`)) };
  }
  if (kind === 2) {
    const [columns, rows] = [r.between(2, 4), r.between(2, 4)];
    return { text: `mat${columns}x${rows}<f32>`, words: (e) => Array.from({ length: columns * rows }, (_, k) => bits('f32', `${e}[${Math.floor(k / rows)}][${k % rows}]`)) };
  }
  if (kind === 3) {
    // In uniforms elements lie 16 bytes apart.
    const inner = uniform ? { text: `vec4<${scalar}>`, words: (e) => ['x', 'y', 'z', 'w'].map((m) => bits(scalar, `${e}.${m}`)) } : type(r, depth - 1, structs, uniform);
    const n = r.between(1, 3);
    return { text: `array<${inner.text}, ${n}>`, words: (e) => Array.from({ length: n }, (_, k) => inner.words(`${e}[${k}]`)).flat() };
  }
  const members = Array.from({ length: r.between(1, 4) }, () => type(r, depth - 1, structs, uniform));
  const name = `S${structs.length}`;
  structs.push(`struct ${name} { ${members.map((m, k) => `${uniform ? "@align(16) " : ""}m${k}: ${m.text}`).join(', ')} }`);
  return { text: name, words: (e) => members.flatMap((m, k) => m.words(`${e}.m${k}`)) };
}

const bits = (scalar, e) => (scalar === 'u32' ? e : `bitcast<u32>(${e})`);

/** Structures, matrices and arrays in storage and uniform buffers, read and written as wholes and in parts; offsets, overrides, exchanges. */
export async function memory(run) {
  const { device, r } = run;
  const structs = [];
  const [a, u] = [false, true].map((uniform) => type(r, 3, structs, uniform));
  const [read, given] = [a.words('from_'), u.words('given')];
  const most = 60;
  const lines = [...read.slice(0, most), ...given.slice(0, most)];
  const text = `${structs.join('\n')}
struct From { m: ${a.text} }
struct To { before: u32, m: ${a.text}, rest: array<${a.text}> }
struct Given { @align(16) m: ${u.text} }
override count: u32 = 3u;
@group(0) @binding(0) var<storage, read> from_buffer: From;
@group(0) @binding(1) var<storage, read_write> to: To;
@group(0) @binding(2) var<uniform> given_buffer: Given;
@group(0) @binding(3) var<storage, read_write> out: array<u32>;
@group(0) @binding(4) var<storage, read_write> shared_: array<atomic<u32>, 4>;
@group(0) @binding(5) var image: texture_storage_2d<r32uint, read_write>;
var<private> kept: ${a.text};
var<workgroup> group_: ${a.text};
var<workgroup> sums: array<atomic<u32>, 3>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  if id.x == 0u {
    let from_ = from_buffer.m;
    let given = given_buffer.m;
${lines.map((e, k) => `    out[${k}] = ${e};`).join('\n')}
    out[${lines.length}] = arrayLength(&to.rest);
    kept = from_;
    to.m = kept;
    to.rest[1] = from_buffer.m;
    group_ = kept;
    to.rest[2] = group_;
  }
  for (var k = 0u; k < count; k++) {
    atomicAdd(&sums[lane % 3u], id.x + k);
    loop {
      let old = atomicLoad(&shared_[k & 1u]);
      if atomicCompareExchangeWeak(&shared_[k & 1u], old, old * 3u + 1u).exchanged { break; }
    }
  }
  workgroupBarrier();
  if lane < 3u { atomicAdd(&shared_[2], atomicLoad(&sums[lane])); }
  let at = vec2<u32>(id.x & 3u, id.x >> 2u);
  textureStore(image, at, vec4<u32>(textureLoad(image, at).x * 5u + id.x, 0u, 0u, 0u));
}`;
  const module = run.shader(text);
  const floats = (n) => Float32Array.from({ length: n }, () => r.between(-100, 100));
  const size = 8192;
  const [to, out, counts] = [run.buffer(floats(size / 4), GPUBufferUsage.STORAGE), run.buffer(new Uint32Array(128), GPUBufferUsage.STORAGE), run.buffer(Uint32Array.of(1, 2, 3, 4), GPUBufferUsage.STORAGE)];
  const image = device.createTexture({ size: [4, 4], format: 'r32uint', usage: GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.COPY_DST | GPUTextureUsage.COPY_SRC });
  device.queue.writeTexture({ texture: image }, r.words(16), { bytesPerRow: 16 }, [4, 4]);
  const kinds = [{ type: 'read-only-storage', hasDynamicOffset: true }, { type: 'storage' }, { type: 'uniform', hasDynamicOffset: true }, { type: 'storage' }, { type: 'storage' }];
  const layout = device.createBindGroupLayout({
    entries: [...kinds.map((buffer) => ({ buffer })), { storageTexture: { format: 'r32uint', access: 'read-write' } }].map((e, binding) => ({ ...e, binding, visibility: GPUShaderStage.COMPUTE })),
  });
  const pipeline = device.createComputePipeline({ layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }), compute: { module, constants: r.chance(50) ? { count: r.between(0, 5) } : {} } });
  const buffers = [{ buffer: run.buffer(floats(4096), GPUBufferUsage.STORAGE), size: 8192 }, { buffer: to }, { buffer: run.buffer(floats(4096), GPUBufferUsage.UNIFORM), size: 8192 }, { buffer: out }, { buffer: counts }];
  const bound = device.createBindGroup({ layout, entries: [...buffers.map((resource, binding) => ({ binding, resource })), { binding: 5, resource: image.createView() }] });
  const c = device.createCommandEncoder();
  const pass = c.beginComputePass();
  pass.setPipeline(pipeline);
  for (let k = r.between(1, 2); k > 0; k--) {
    pass.setBindGroup(0, bound, [256 * r.below(4), 256 * r.below(4)]);
    pass.dispatchWorkgroups(r.between(1, 4));
  }
  pass.end();
  device.queue.submit([c.finish()]);
  run.read('to', 'int', to);
  run.read('out', 'int', out);
  run.read('counts', 'int', counts);
  run.texels('image', FORMATS.find((f) => f.name === 'r32uint'), image);
}
