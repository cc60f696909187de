// Formats of textures: how many bytes a texel has, how its bytes are compared, and what it may be.

/** name: [bytes, kind of its components, drawn on, blended, storage]. */
const TABLE = {
  r8unorm: [1, 'unorm8', 1, 1, 0], r8snorm: [1, 'snorm8', 0, 0, 0], r8uint: [1, 'int', 1, 0, 0], r8sint: [1, 'int', 1, 0, 0],
  rg8unorm: [2, 'unorm8', 1, 1, 0], rg8snorm: [2, 'snorm8', 0, 0, 0], rg8uint: [2, 'int', 1, 0, 0], rg8sint: [2, 'int', 1, 0, 0],
  rgba8unorm: [4, 'unorm8', 1, 1, 1], 'rgba8unorm-srgb': [4, 'unorm8', 1, 1, 0], rgba8snorm: [4, 'snorm8', 0, 0, 1],
  rgba8uint: [4, 'int', 1, 0, 1], rgba8sint: [4, 'int', 1, 0, 1],
  bgra8unorm: [4, 'unorm8', 1, 1, 0], 'bgra8unorm-srgb': [4, 'unorm8', 1, 1, 0],
  r16uint: [2, 'int', 1, 0, 0], r16sint: [2, 'int', 1, 0, 0], r16float: [2, 'half', 1, 1, 0],
  rg16uint: [4, 'int', 1, 0, 0], rg16sint: [4, 'int', 1, 0, 0], rg16float: [4, 'half', 1, 1, 0],
  rgba16uint: [8, 'int', 1, 0, 1], rgba16sint: [8, 'int', 1, 0, 1], rgba16float: [8, 'half', 1, 1, 1],
  r32uint: [4, 'int', 1, 0, 1], r32sint: [4, 'int', 1, 0, 1], r32float: [4, 'float', 1, 0, 1],
  rg32uint: [8, 'int', 1, 0, 1], rg32sint: [8, 'int', 1, 0, 1], rg32float: [8, 'float', 1, 0, 1],
  rgba32uint: [16, 'int', 1, 0, 1], rgba32sint: [16, 'int', 1, 0, 1], rgba32float: [16, 'float', 1, 0, 1],
  rgb10a2unorm: [4, 'unorm10', 1, 1, 0], rgb10a2uint: [4, 'int', 1, 0, 0], rg11b10ufloat: [4, 'float11', 0, 0, 0], rgb9e5ufloat: [4, 'exact', 0, 0, 0],
};

export const FORMATS = Object.entries(TABLE).map(([name, [bytes, kind, drawn, blended, storage]]) => ({
  name, bytes, kind, drawn: !!drawn, blended: !!blended, storage: !!storage,
  // What a shader sees.
  scalar: /uint$/.test(name) ? 'u32' : /sint$/.test(name) ? 'i32' : 'f32',
  channels: /^(rgba|bgra|rgb10a2)/.test(name) ? 4 : /^(rgb9|rg11b10)/.test(name) ? 3 : /^rg/.test(name) ? 2 : 1,
}));

const half = (h) => {
  const [s, e, m] = [h >> 15 ? -1 : 1, (h >> 10) & 31, h & 1023];
  return e === 31 ? (m ? NaN : s * Infinity) : s * (e ? 2 ** (e - 15) * (1 + m / 1024) : (2 ** -14 * m) / 1024);
};

/** How far two results may be apart: `steps` is the number of roundings that differ in their choice. */
export function differ(kind, a, b, steps = 1) {
  if (a.length !== b.length) return `${a.length} and ${b.length} bytes`;
  const view = (x) => new DataView(x.buffer, x.byteOffset, x.byteLength);
  const [x, y] = [view(a), view(b)];
  const near = (p, q, part) => p === q || (Number.isNaN(p) && Number.isNaN(q)) || Math.abs(p - q) <= part * Math.max(Math.abs(p), Math.abs(q), 1e-3) * steps;
  const by = {
    int: [1, (k) => x.getUint8(k) === y.getUint8(k)],
    exact: [1, (k) => x.getUint8(k) === y.getUint8(k)],
    unorm8: [1, (k) => Math.abs(x.getUint8(k) - y.getUint8(k)) <= steps],
    // The least two codes are both -1.
    snorm8: [1, (k) => Math.abs(Math.max(x.getInt8(k), -127) - Math.max(y.getInt8(k), -127)) <= steps],
    unorm10: [4, (k) => [0, 10, 20, 30].every((s) => Math.abs(((x.getUint32(k, true) >>> s) & 1023) - ((y.getUint32(k, true) >>> s) & 1023)) <= steps)],
    unorm16: [2, (k) => Math.abs(x.getUint16(k, true) - y.getUint16(k, true)) <= steps],
    half: [2, (k) => near(half(x.getUint16(k, true)), half(y.getUint16(k, true)), 2e-3)],
    float11: [1, (k) => x.getUint8(k) === y.getUint8(k)],
    float: [4, (k) => near(x.getFloat32(k, true), y.getFloat32(k, true), 2e-5)],
    // Numbers that were decoded out of 8 or 16 bits.
    decoded: [4, (k) => Math.abs(x.getFloat32(k, true) - y.getFloat32(k, true)) <= 2.1 / 255 * steps || near(x.getFloat32(k, true), y.getFloat32(k, true), 2e-3)],
    some: [8, (k) => (x.getBigUint64(k, true) === 0n) === (y.getBigUint64(k, true) === 0n)],
  }[kind];
  for (let k = 0; k + by[0] <= a.length; k += by[0]) {
    if (!by[1](k)) {
      const hex = (v) => [...v.subarray(k & ~3, (k & ~3) + 16)].map((c) => c.toString(16).padStart(2, '0')).join(' ');
      return `at byte ${k}: ${hex(a)} and ${hex(b)}`;
    }
  }
  return null;
}
