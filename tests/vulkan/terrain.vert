#version 450
// A grid lifted by a height map; normals from its neighbours.
layout(location = 0) in vec2 inAt;
layout(set = 0, binding = 0) uniform Globals { mat4 viewProjection; vec4 eye; vec4 sun; float heightScale; float uvScale; } globals;
layout(set = 0, binding = 1) uniform sampler2D heightMap;
layout(location = 0) out vec3 outNormal;
layout(location = 1) out vec2 outUv;
layout(location = 2) out float outHeight;
layout(location = 3) out float outDistance;
void main() {
    vec2 texel = 1.0 / vec2(textureSize(heightMap, 0));
    float h = textureLod(heightMap, inAt, 0.0).r;
    float dx = textureLod(heightMap, inAt + vec2(texel.x, 0.0), 0.0).r - textureLod(heightMap, inAt - vec2(texel.x, 0.0), 0.0).r;
    float dz = textureLod(heightMap, inAt + vec2(0.0, texel.y), 0.0).r - textureLod(heightMap, inAt - vec2(0.0, texel.y), 0.0).r;
    outNormal = normalize(vec3(-dx, 2.0 * texel.x / globals.heightScale, -dz));
    outUv = inAt * globals.uvScale;
    outHeight = h;
    vec3 world = vec3(inAt.x - 0.5, h * globals.heightScale, inAt.y - 0.5) * 4.0;
    outDistance = distance(world, globals.eye.xyz);
    gl_Position = globals.viewProjection * vec4(world, 1.0);
}
