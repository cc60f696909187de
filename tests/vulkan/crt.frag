#version 450
// A tube: curvature, scan lines, a mask of phosphors, and a vignette.
layout(binding = 0) uniform sampler2D Source;
layout(push_constant) uniform Push {
    vec4 SourceSize;
    vec4 OutputSize;
    uint FrameCount;
    float CURVATURE;
    float SCANLINE;
    float MASK;
} params;
layout(location = 0) in vec2 vTexCoord;
layout(location = 0) out vec4 FragColor;

vec2 bend(vec2 uv) {
    vec2 c = uv * 2.0 - 1.0;
    vec2 o = c.yx * params.CURVATURE;
    return (c + c * o * o) * 0.5 + 0.5;
}

vec3 line(vec2 at, float row) {
    vec3 c = texture(Source, vec2(at.x, (row + 0.5) * params.SourceSize.w)).rgb;
    float d = at.y * params.SourceSize.y - row - 0.5;
    vec3 beam = mix(vec3(0.25), vec3(0.5), c);
    return c * exp(-d * d / (2.0 * beam * beam)) * params.SCANLINE;
}

void main() {
    vec2 uv = bend(vTexCoord);
    if (uv.x < 0.0 || uv.y < 0.0 || uv.x > 1.0 || uv.y > 1.0) {
        FragColor = vec4(0.0, 0.0, 0.0, 1.0);
    } else {
        float row = floor(uv.y * params.SourceSize.y - 0.5);
        vec3 c = line(uv, row) + line(uv, row + 1.0);
        uint k = (uint(gl_FragCoord.x) + params.FrameCount) % 3u;
        vec3 mask = vec3(1.0 - params.MASK);
        mask[k] = 1.0;
        vec2 v = uv * (1.0 - uv);
        FragColor = vec4(pow(c * mask, vec3(1.0 / 1.2)) * pow(16.0 * v.x * v.y, 0.15), 1.0);
    }
}
