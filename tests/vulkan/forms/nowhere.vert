#version 450
// No position: what it is has no value.
layout(location = 0) out float x;
void main() { x = 1.0; }
