// Matrix product c = a * b in f32, row major, any size: a workgroup computes an 8 x 8 tile of c from tiles of a and b
// that its invocations load together, so that each element of a and b is read from memory once per tile.
struct Dims {
    m: u32,
    n: u32,
    k: u32,
}

const SIDE = 8u;

@group(0) @binding(0) var<uniform> dims: Dims;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;

var<workgroup> tile_a: array<array<f32, SIDE>, SIDE>;
var<workgroup> tile_b: array<array<f32, SIDE>, SIDE>;

// Tiles at the edges are filled up with zeros.
fn load_a(row: u32, col: u32) -> f32 {
    if row < dims.m && col < dims.k {
        return a[row * dims.k + col];
    }
    return 0.0;
}

fn load_b(row: u32, col: u32) -> f32 {
    if row < dims.k && col < dims.n {
        return b[row * dims.n + col];
    }
    return 0.0;
}

@compute @workgroup_size(SIDE, SIDE)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let row = id.y;
    let col = id.x;
    var sum = 0.0;
    for (var first = 0u; first < dims.k; first += SIDE) {
        tile_a[local.y][local.x] = load_a(row, first + local.x);
        tile_b[local.y][local.x] = load_b(first + local.y, col);
        workgroupBarrier();
        for (var i = 0u; i < SIDE; i++) {
            sum += tile_a[local.y][i] * tile_b[i][local.x];
        }
        // Nobody may overwrite a tile that others still read.
        workgroupBarrier();
    }
    if row < dims.m && col < dims.n {
        c[row * dims.n + col] = sum;
    }
}
