#version 450
// Two triangles with w of 1 on the left and 3 on the right, lines or points of the same vertices: each with its number.
layout(location = 0) out uint number;
layout(location = 1) out float column;
layout(location = 2) out noperspective vec2 place[2];
void main() {
    int i = gl_VertexIndex;
    float x = (i & 1) == 0 ? -1.0 : 1.0, y = i < 2 ? -1.0 : 1.0, w = (i & 1) == 0 ? 1.0 : 3.0;
    number = 10u + uint(i);
    column = 4.0 * x + 4.0;
    place[0] = vec2(x, y);
    place[1] = vec2(float(i), 7.0);
    gl_Position = vec4(x * w, y * w, 0.0, w);
}
