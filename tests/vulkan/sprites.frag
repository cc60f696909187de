#version 450
layout(binding = 0) uniform sampler2D sprite;
layout(location = 0) in float inAge;
layout(location = 0) out vec4 outColour;
void main() {
    vec2 p = gl_PointCoord * 2.0 - 1.0;
    float r = dot(p, p);
    if (r > 1.0) discard;
    vec4 c = texture(sprite, gl_PointCoord);
    float a = (1.0 - r) * (1.0 - inAge);
    outColour = vec4(mix(vec3(1.0, 0.8, 0.4), c.rgb, 0.5) * a, a);
}
