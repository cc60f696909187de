#version 450
layout(location = 0) in float smooth_by_both;
layout(location = 1) noperspective in float linear_by_fragment;
layout(location = 2) in float linear_by_vertex;
layout(location = 3) noperspective in float flat_by_vertex;
layout(location = 4) flat in float flat_by_fragment;
layout(location = 5) noperspective in vec2 pair;
layout(location = 0) out uvec4 c;
layout(location = 1) out uvec4 second;
void main() {
    c = uvec4(round(vec4(smooth_by_both, linear_by_fragment, linear_by_vertex, flat_by_vertex)));
    second = uvec4(round(vec4(flat_by_fragment, pair * 4.0, 1.0)));
}
