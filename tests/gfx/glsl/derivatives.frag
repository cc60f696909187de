#version 450

layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 colour;
void main() {
    vec2 bent = uv * uv;
    colour = vec4(dFdxFine(bent.x), dFdyCoarse(-bent.y) , fwidth(bent.x * bent.y), dFdx(uv.y) + 0.5);
}
