#version 450
// Signed distance glyphs: an instance is a glyph, its corners come from the vertex index.
layout(location = 0) in vec4 inRect;
layout(location = 1) in uvec2 inGlyph;
layout(location = 2) in vec4 inColour;
layout(push_constant) uniform Push { vec2 scale; vec2 translate; } push;
layout(location = 0) out struct { vec2 uv; vec4 colour; } Out;
void main() {
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    Out.uv = (vec2(inGlyph) + corner) / 4.0;
    Out.colour = inColour;
    gl_Position = vec4((inRect.xy + corner * inRect.zw) * push.scale + push.translate, 0.0, 1.0);
}
