// One generation of Conway's game of life on a torus; one u32 a cell, 0 dead, 1 alive.
struct Size {
    width: u32,
    height: u32,
}

@group(0) @binding(0) var<uniform> size: Size;
@group(0) @binding(1) var<storage, read> now: array<u32>;
@group(0) @binding(2) var<storage, read_write> next: array<u32>;

fn alive(x: u32, y: u32) -> u32 {
    return now[(y % size.height) * size.width + x % size.width];
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= size.width || id.y >= size.height {
        return;
    }
    let left = id.x + size.width - 1u;
    let up = id.y + size.height - 1u;
    let neighbours = alive(left, up) + alive(id.x, up) + alive(id.x + 1u, up)
        + alive(left, id.y) + alive(id.x + 1u, id.y)
        + alive(left, id.y + 1u) + alive(id.x, id.y + 1u) + alive(id.x + 1u, id.y + 1u);
    var cell = 0u;
    switch neighbours {
        case 3u: {
            cell = 1u;
        }
        case 2u: {
            cell = alive(id.x, id.y);
        }
        default: {}
    }
    next[id.y * size.width + id.x] = cell;
}
