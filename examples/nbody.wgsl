// One step of n bodies under gravity: the workgroup walks over all bodies in tiles that it loads together.
struct Body {
    // Place, and mass in w.
    place: vec4<f32>,
    velocity: vec4<f32>,
}

struct Step {
    time: f32,
    // Added to squared distances, so that close encounters stay finite.
    softening: f32,
}

const SIZE = 32u;

@group(0) @binding(0) var<uniform> step: Step;
@group(0) @binding(1) var<storage, read> now: array<Body>;
@group(0) @binding(2) var<storage, read_write> then: array<Body>;

var<workgroup> tile: array<vec4<f32>, SIZE>;

@compute @workgroup_size(SIZE)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let count = arrayLength(&now);
    var body = Body(vec4(0.0), vec4(0.0));
    if id.x < count {
        body = now[id.x];
    }
    var pull = vec3(0.0);
    for (var first = 0u; first < count; first += SIZE) {
        // Beyond the last body the tile holds bodies without mass.
        var other = vec4(0.0);
        if first + lane < count {
            other = now[first + lane].place;
        }
        tile[lane] = other;
        workgroupBarrier();
        for (var i = 0u; i < SIZE; i++) {
            let towards = tile[i].xyz - body.place.xyz;
            let inverse = inverseSqrt(dot(towards, towards) + step.softening);
            pull += towards * (tile[i].w * inverse * inverse * inverse);
        }
        workgroupBarrier();
    }
    if id.x < count {
        let velocity = body.velocity.xyz + pull * step.time;
        then[id.x].velocity = vec4(velocity, body.velocity.w);
        then[id.x].place = vec4(body.place.xyz + velocity * step.time, body.place.w);
    }
}
