// 5 x 5 Gaussian blur (binomial weights 1 4 6 4 1) of an RGBA f32 image in a buffer; edges repeat.
struct Image {
    width: i32,
    height: i32,
}

@group(0) @binding(0) var<uniform> image: Image;
@group(0) @binding(1) var<storage, read> source: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> target_: array<vec4<f32>>;

fn weight(i: i32) -> f32 {
    if i == 0 {
        return 0.375;
    }
    return select(0.0625, 0.25, abs(i) == 1);
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let at = vec2<i32>(id.xy);
    if at.x >= image.width || at.y >= image.height {
        return;
    }
    var sum = vec4<f32>(0.0);
    for (var dy = -2; dy <= 2; dy++) {
        let y = clamp(at.y + dy, 0, image.height - 1);
        for (var dx = -2; dx <= 2; dx++) {
            let x = clamp(at.x + dx, 0, image.width - 1);
            sum += source[y * image.width + x] * (weight(dx) * weight(dy));
        }
    }
    target_[at.y * image.width + at.x] = sum;
}
