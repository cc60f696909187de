// Let time play, drag over the picture, change a line and see what it costs.
struct Frame {
    resolution: vec3<f32>, time: f32, mouse: vec4<f32>, time_delta: f32, frame: u32, pad: vec2<f32>, date: vec4<f32>
}
@group(0) @binding(0) var<uniform> frame: Frame;

fn circle(p: vec2<f32>, r: f32) -> f32 {
    return length(p) - r;
}

@fragment
fn main(@location(0) uv: vec2<f32>) -> @location(0) vec4<f32> {
    let aspect = frame.resolution.x / frame.resolution.y;
    let p = (uv - 0.5) * vec2<f32>(aspect, 1.0);
    let m = (frame.mouse.xy / frame.resolution.xy - 0.5) * vec2<f32>(aspect, 1.0);
    var d = circle(p - m, 0.08);
    for (var k = 0; k < 5; k++) {
        let a = frame.time + f32(k) * 1.2566;
        d = min(d, circle(p - 0.3 * vec2<f32>(cos(a), sin(a)), 0.05));
    }
    let edge = smoothstep(0.0, 0.01, d);
    return vec4<f32>(mix(vec3<f32>(1.0, 0.7, 0.2), vec3<f32>(uv * 0.5, 0.3), edge), 1.0);
}
