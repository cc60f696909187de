#version 450
// Weighted blending of surfaces in any order: a sum and a product.
layout(location = 0) in vec4 inColour;
layout(location = 1) in float inDepth;
layout(location = 0) out vec4 outSum;
layout(location = 1) out float outLeft;
void main() {
    float w = clamp(pow(min(1.0, inColour.a * 10.0) + 0.01, 3.0) * 100.0 * pow(1.0 - inDepth * 0.9, 3.0), 1e-2, 3e2);
    outSum = vec4(inColour.rgb * inColour.a, inColour.a) * w;
    outLeft = inColour.a;
}
