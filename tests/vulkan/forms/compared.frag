#version 450
// One image with two samplers: one compares, one does not. A function that is given both, too.
layout(binding = 0) uniform texture2D map;
layout(binding = 1) uniform sampler plain;
layout(binding = 2) uniform samplerShadow compares;
layout(location = 0) out uvec4 c;
float both(texture2D m, vec2 at) { return textureLod(sampler2D(m, plain), at, 0.0).x * 8.0 + textureLod(sampler2DShadow(m, compares), vec3(at, 0.6), 0.0) * 100.0; }
void main() {
    vec2 at = vec2(gl_FragCoord.x * 0.25, 0.5);
    float depth = texture(sampler2D(map, plain), at).x;
    float lit = texture(sampler2DShadow(map, compares), vec3(at, 0.3));
    c = uvec4(round(vec4(depth * 8.0, lit, both(map, at), texelFetch(sampler2D(map, plain), ivec2(3, 0), 0).x * 8.0)));
}
