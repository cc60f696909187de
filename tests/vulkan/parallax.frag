#version 450
// Parallax occlusion mapping. Gradients are taken before the loop, as the loop diverges.
layout(constant_id = 0) const float LAYERS = 8.0;
layout(binding = 1) uniform sampler2D colourMap;
layout(binding = 2) uniform sampler2D heightMap;
layout(push_constant) uniform Push { float heightScale; float bias; int mode; } push;
layout(location = 0) in VS_OUT {
    vec2 uv;
    vec3 tangentLight;
    vec3 tangentView;
    vec3 tangentAt;
} fs_in;
layout(location = 0) out vec4 outColour;

vec2 occlusion(vec2 uv, vec3 view, vec2 dx, vec2 dy) {
    float step = 1.0 / LAYERS;
    vec2 delta = view.xy * push.heightScale / max(view.z, 0.1) / LAYERS;
    vec2 at = uv;
    float layer = 0.0;
    float depth = 1.0 - textureGrad(heightMap, at, dx, dy).r;
    while (layer < depth) {
        layer += step;
        at -= delta;
        depth = 1.0 - textureGrad(heightMap, at, dx, dy).r;
    }
    vec2 before = at + delta;
    float next = depth - layer;
    float last = 1.0 - textureGrad(heightMap, before, dx, dy).r - layer + step;
    return mix(at, before, next / (next - last));
}

void main() {
    vec3 view = normalize(fs_in.tangentView - fs_in.tangentAt);
    vec2 dx = dFdx(fs_in.uv), dy = dFdy(fs_in.uv);
    vec2 uv = fs_in.uv;
    switch (push.mode) {
    case 1: {
        float h = textureGrad(heightMap, uv, dx, dy).r;
        uv -= view.xy * (h * push.heightScale * 0.5 + push.bias) / view.z;
        break;
    }
    case 2:
        uv = occlusion(uv, view, dx, dy);
        break;
    default:
        break;
    }
    if (any(lessThan(uv, vec2(0.0))) || any(greaterThan(uv, vec2(1.0)))) discard;
    vec3 c = textureGrad(colourMap, uv, dx, dy).rgb;
    vec3 n = normalize(vec3(textureGrad(heightMap, uv + vec2(0.02, 0.0), dx, dy).r - textureGrad(heightMap, uv - vec2(0.02, 0.0), dx, dy).r,
                            textureGrad(heightMap, uv + vec2(0.0, 0.02), dx, dy).r - textureGrad(heightMap, uv - vec2(0.0, 0.02), dx, dy).r, 1.5));
    vec3 l = normalize(fs_in.tangentLight - fs_in.tangentAt);
    vec3 r = reflect(-l, n);
    outColour = vec4(c * (0.2 + max(dot(n, l), 0.0)) + vec3(0.15) * pow(max(dot(r, view), 0.0), 32.0), 1.0);
}
