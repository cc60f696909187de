#version 450
layout(constant_id = 0) const float CUTOFF = 0.5;
layout(binding = 1) uniform sampler2DArray leaves;
layout(location = 0) in vec2 inUv;
layout(location = 1) in vec4 inTint;
layout(location = 2) flat in uint inKind;
layout(location = 0) out vec4 outColour;
void main() {
    vec4 c = texture(leaves, vec3(inUv, float(inKind)));
    float a = c.a * (1.0 + 0.25 * max(0.0, textureQueryLod(leaves, inUv).x));
    if (a < CUTOFF) discard;
    vec3 colour = c.rgb * inTint.rgb;
    outColour = vec4(gl_FrontFacing ? colour : colour * 0.6, 1.0);
}
