#version 450
layout(binding = 1) uniform sampler2D sceneDepth;
layout(binding = 2) uniform sampler2D decal;
layout(location = 0) flat in mat4 inToBox;
layout(location = 0) out vec4 outColour;
void main() {
    vec2 size = vec2(textureSize(sceneDepth, 0));
    vec2 uv = gl_FragCoord.xy / size;
    float d = texelFetch(sceneDepth, ivec2(gl_FragCoord.xy), 0).x;
    vec4 at = inToBox * vec4(uv.x * 2.0 - 1.0, 1.0 - uv.y * 2.0, d, 1.0);
    vec3 p = at.xyz / at.w;
    if (any(greaterThan(abs(p), vec3(1.0)))) discard;
    outColour = textureLod(decal, p.xz * 0.5 + 0.5, 0.0) * vec4(1.0, 1.0, 1.0, 0.8);
}
