#version 450
// The second subpass: lights over what the first left at this pixel.
layout(constant_id = 0) const uint LIGHTS = 3;
layout(input_attachment_index = 0, binding = 0) uniform subpassInput albedoInput;
layout(input_attachment_index = 1, binding = 1) uniform subpassInput normalInput;
layout(input_attachment_index = 2, binding = 2) uniform subpassInput atInput;
struct Light { vec4 at; vec4 colour; };
layout(binding = 3) uniform Lights { Light list[LIGHTS]; } lights;
layout(location = 0) in vec2 inUv;
layout(location = 0) out vec4 outColour;
void main() {
    vec4 at = subpassLoad(atInput);
    vec3 albedo = subpassLoad(albedoInput).rgb;
    if (at.w == 0.0) {
        outColour = vec4(mix(vec3(0.1, 0.1, 0.3), vec3(0.4, 0.5, 0.8), inUv.y), 1.0);
        return;
    }
    vec3 n = subpassLoad(normalInput).xyz * 2.0 - 1.0;
    vec3 sum = albedo * 0.1;
    for (uint i = 0u; i < uint(lights.list.length()); ++i) {
        Light light = lights.list[i];
        vec3 l = light.at.xyz - at.xyz;
        float d = length(l);
        float a = light.at.w / (pow(d, 2.0) + 1.0);
        sum += max(0.0, dot(n, l / d)) * a * albedo * light.colour.rgb;
    }
    outColour = vec4(sum, 1.0);
}
