#version 450
// Comparisons of layers: by gradients, by the quad, and gathered.
layout(binding = 0) uniform sampler2DArrayShadow layers;
layout(location = 0) out uvec4 c;
void main() {
    ivec2 p = ivec2(gl_FragCoord.xy);
    vec2 at = (vec2(p) + 0.5) / 4.0;
    vec2 x = (p.y & 1) == 0 ? vec2(0.25, 0.0) : vec2(0.5, 0.0), up = vec2(0.0, 0.25);
    c.x = uint(textureGrad(layers, vec4(at, p.y >> 1, 0.5), x, up));
    c.y = uint(texture(layers, vec4(at, 1 - (p.y >> 1), 0.5)));
    c.z = uint(dot(textureGather(layers, vec3(at - 0.125, 1.0), 0.5), vec4(1.0, 2.0, 4.0, 8.0)));
    c.w = 1u;
}
