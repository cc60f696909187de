#version 450
layout(set = 0, binding = 1) uniform texture2D t;
layout(set = 0, binding = 2) uniform sampler s;
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 o;
void main() { o = vec4(textureQueryLod(sampler2D(t, s), at), 0.0, 1.0); }
