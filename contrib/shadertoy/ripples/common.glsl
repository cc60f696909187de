// The speed of the waves, for the buffer and the picture.
const float SPEED = 0.45;
const float LOSS = 0.995;

vec2 drop(float n) { return fract(vec2(n * 0.754878, n * 0.569840) + 0.3); }
