#version 450
// Comparisons at a level, by gradients, by the quad, with a bias, and of a cube. Half of the texels of each level are farther than the
// reference.
layout(binding = 0) uniform sampler2DShadow plain;
layout(binding = 1) uniform samplerCubeShadow cube;
layout(location = 0) out uvec4 c;
layout(location = 1) out uvec4 second;
void main() {
    ivec2 p = ivec2(gl_FragCoord.xy);
    // Texels of the first level, and of the second.
    vec2 at = (vec2(p) + 0.5) / 4.0;
    float level = float(p.y & 1);
    vec2 one = vec2(0.25, 0.0), two = vec2(0.5, 0.0), up = vec2(0.0, 0.25);
    vec2 x = (p.y & 1) == 0 ? one : two;
    c.x = uint(textureLod(plain, vec3(at, 0.5), level));
    c.y = uint(textureGrad(plain, vec3(at, 0.5), x, up));
    c.z = uint(textureLodOffset(plain, vec3(at, 0.5), level, ivec2(1, 0)));
    c.w = uint(textureProjLod(plain, vec4(at * 2.0, 1.0, 2.0), level)) + 2u * uint(textureGradOffset(plain, vec3(at, 0.5), x, up, ivec2(-1, 0)));
    // The quad's step is a texel, or two.
    vec2 wide = vec2(p) / 4.0 * ((p.x & 2) == 0 ? 1.0 : 2.0) + 0.125;
    second.x = uint(texture(plain, vec3(wide, 0.5)));
    second.y = uint(texture(plain, vec3(at, 0.5), 1.0));
    second.z = uint(texture(plain, vec3(at, 0.5), -1.0));
    // The face +X: of four texels a row, s is -z and t is -y.
    vec3 dir = vec3(1.0, 1.0 - 2.0 * at.y, 1.0 - 2.0 * at.x);
    second.w = uint(texture(cube, vec4(dir, 0.5)));
}
