#version 450
layout(constant_id = 3) const float OUTLINE = 0.0;
layout(set = 0, binding = 0) uniform texture2D atlas;
layout(set = 0, binding = 1) uniform sampler smoothSampler;
layout(location = 0) in struct { vec2 uv; vec4 colour; } In;
layout(location = 0) out vec4 outColour;
void main() {
    float d = texture(sampler2D(atlas, smoothSampler), In.uv).r;
    float w = 0.7 * fwidth(d);
    float a = smoothstep(0.5 - w, 0.5 + w, d);
    vec4 c = In.colour;
    if (OUTLINE > 0.0) {
        float edge = smoothstep(0.5 - OUTLINE - w, 0.5 - OUTLINE + w, d);
        c.rgb = mix(vec3(0.0), c.rgb, a);
        a = edge;
    }
    outColour = vec4(c.rgb * a, a) * c.a;
}
