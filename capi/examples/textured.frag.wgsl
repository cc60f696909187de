struct Frame { scale: vec2f, tint: vec4f }
struct Look { shift: f32, gain: f32 }
@group(0) @binding(0) var<uniform> frame: Frame;
@group(1) @binding(1) var board: texture_2d<f32>;
@group(1) @binding(2) var board_sampler: sampler;
var<immediate> look: Look;

@fragment fn fs(@location(0) uv: vec2f, @location(1) @interpolate(flat) instance: u32) -> @location(0) vec4f {
    let texel = textureSample(board, board_sampler, uv);
    return texel * frame.tint * look.gain + vec4f(f32(instance) * look.shift);
}
