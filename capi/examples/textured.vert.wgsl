struct Frame { scale: vec2f, tint: vec4f }
@group(0) @binding(0) var<uniform> frame: Frame;

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) uv: vec2f,
    @location(1) @interpolate(flat) instance: u32,
    @location(2) spare: f32,
}

@vertex fn vs(@location(0) position: vec2f, @location(1) uv: vec2f, @builtin(instance_index) instance: u32) -> Corner {
    return Corner(vec4f(position * frame.scale, 0.25, 1), uv, instance, 1);
}
