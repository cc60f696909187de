// Escape-time iteration counts of the Mandelbrot set over a width x height image, row by row.
struct View {
    width: u32,
    height: u32,
    limit: u32,
    pad: u32,
    origin: vec2<f32>,
    step: vec2<f32>,
}

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read_write> image: array<u32>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= view.width || id.y >= view.height {
        return;
    }
    let c = view.origin + vec2<f32>(f32(id.x), f32(id.y)) * view.step;
    var z = vec2<f32>(0.0, 0.0);
    var n = 0u;
    while n < view.limit {
        let sq = z * z;
        if sq.x + sq.y > 4.0 {
            break;
        }
        z = vec2<f32>(sq.x - sq.y + c.x, 2.0 * z.x * z.y + c.y);
        n++;
    }
    image[id.y * view.width + id.x] = n;
}
