//! Buffers, dispatches, copies and fills, the queue.

use std::sync::Arc;
use std::time::Duration;

use gpucc_device::{
    BindPoint, Buffer, Command, CommandList, Descriptor, Device, Memory, Options, Set, Submission, Timeline, Waited,
};

use crate::kit::{compute, device, places, words};

const DOUBLE: &str = "
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) { o[id.x] = o[id.x] * 2u + id.x; }";

#[test]
fn a_list_runs_in_its_order() {
    for place in places() {
        let pipeline = compute(DOUBLE, place);
        let device = device();
        let memory = Memory::new(64).expect("memory");
        let (a, b) = (memory.buffer(0, 16).expect("a range"), memory.buffer(32, 16).expect("a range"));
        a.memory().write(0, &words(&[1, 2, 3, 4])).expect("inside");
        let set = Set::new().with_buffer(0, a.clone());
        let mut list = CommandList::new();
        list.dispatch(&pipeline, &set, [1, 1, 1]);
        list.push(Command::CopyBuffer { from: a.clone(), to: b.clone() });
        list.push(Command::FillBuffer { buffer: a.part(4, 4), word: 9 });
        list.push(Command::UpdateBuffer { buffer: a.part(0, 16), bytes: words(&[7]) });
        list.push(Command::Dispatch([1, 1, 1]));
        device.submit_and_wait(Arc::new(list)).unwrap_or_else(|l| panic!("{place}: {l}"));
        assert_eq!(b.bytes(), words(&[2, 5, 8, 11]), "{place}");
        assert_eq!(a.bytes(), words(&[14, 19, 18, 25]), "{place}");
        assert_eq!(device.counts(|r| r.dispatches), 2);
    }
}

#[test]
fn an_indirect_dispatch_reads_its_words_when_it_runs() {
    for place in places() {
        let pipeline = compute(DOUBLE, place);
        let device = device();
        let (data, grid) = (Buffer::new(32).expect("a buffer"), Buffer::new(12).expect("a buffer"));
        let mut list = CommandList::new();
        list.push(Command::UpdateBuffer { buffer: grid.clone(), bytes: words(&[2, 1, 1]) });
        list.dispatch(&pipeline, &Set::new().with_buffer(0, data.clone()), [0, 1, 1]);
        list.push(Command::DispatchIndirect(grid));
        device.submit_and_wait(Arc::new(list)).unwrap_or_else(|l| panic!("{place}: {l}"));
        assert_eq!(data.bytes(), words(&[0, 1, 2, 3, 4, 5, 6, 7]), "{place}");
    }
}

#[test]
fn dynamic_offsets_and_immediates_are_taken_when_bound() {
    let text = "
var<immediate> add: vec2u;
@group(1) @binding(3) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(2) fn main(@builtin(global_invocation_id) id: vec3u) { o[id.x] = add.y + id.x; }";
    for place in places() {
        let pipeline = compute(text, place);
        let device = device();
        let data = Buffer::new(32).expect("a buffer");
        let set = Set::new();
        set.write(3, 0, Descriptor::Buffer { buffer: data.part(0, 32), dynamic: true });
        let mut list = CommandList::new();
        list.push(Command::BindCompute(pipeline));
        for (offset, add) in [(8, 10), (16, 20)] {
            list.push(Command::BindSet {
                point: BindPoint::Compute,
                group: 1,
                set: set.clone(),
                offsets: vec![offset],
            });
            list.push(Command::Immediates { offset: 4, bytes: words(&[add]) });
            list.push(Command::Dispatch([1, 1, 1]));
        }
        device.submit_and_wait(Arc::new(list)).unwrap_or_else(|l| panic!("{place}: {l}"));
        assert_eq!(data.bytes(), words(&[0, 0, 10, 11, 20, 21, 0, 0]), "{place}");
    }
}

/// What is written by one range of a memory stays, though another one that is written lies around it.
#[test]
fn ranges_of_one_memory_keep_what_others_write() {
    let text = "
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;
@group(0) @binding(2) var<storage, read> c: array<u32>;
@compute @workgroup_size(1) fn main() {
    a[3] = 10u;
    a[4] = b[5] + c[0];
    b[0] = 7u;
}";
    for place in places() {
        let device = device();
        let memory = Memory::new(32).expect("memory");
        memory.write(0, &words(&[1, 2, 3, 4, 5, 6, 7, 8])).expect("inside");
        let range = |offset, size| memory.buffer(offset, size).expect("a range");
        let set = Set::new().with_buffer(0, range(0, 24)).with_buffer(1, range(8, 24)).with_buffer(2, range(4, 4));
        let mut list = CommandList::new();
        list.dispatch(&compute(text, place), &set, [1, 1, 1]);
        device.submit_and_wait(Arc::new(list)).unwrap_or_else(|l| panic!("{place}: {l}"));
        assert_eq!(range(0, 32).bytes(), words(&[1, 2, 7, 10, 10, 6, 7, 8]), "{place}");
    }
}

#[test]
fn submissions_wait_for_values_and_signal_them() {
    let device = device();
    let (start, end) = (Timeline::new(0), Timeline::new(0));
    let data = Buffer::new(4).expect("a buffer");
    let mut list = CommandList::new();
    list.push(Command::FillBuffer { buffer: data.clone(), word: 5 });
    let work =
        Submission { waits: vec![(start.clone(), 2)], lists: vec![Arc::new(list)], signals: vec![(end.clone(), 7)] };
    device.submit(work).expect("a device that works");
    start.signal(1);
    assert_eq!(end.wait(7, Some(Duration::from_millis(50))), Waited::TimedOut);
    assert_eq!(data.bytes(), [0; 4]);
    start.signal(2);
    assert_eq!(end.wait(7, None), Waited::Reached);
    assert_eq!(data.bytes(), words(&[5]));
}

#[test]
fn a_program_that_never_ends_loses_the_device() {
    let text = "
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() { loop { o[0] = o[0] + 1u; if o[0] == 0u { break; } } }";
    for place in places() {
        let mut options = Options::default();
        options.run.step_limit = 100_000;
        let device = Device::new(options).expect("a device");
        let data = Buffer::new(4).expect("a buffer");
        let mut list = CommandList::new();
        list.push(Command::BeginLabel("endless".into()));
        list.dispatch(&compute(text, place), &Set::new().with_buffer(0, data), [1, 1, 1]);
        let end = Timeline::new(0);
        let work = |lists| Submission { lists, signals: vec![(end.clone(), 1)], ..Submission::default() };
        device.submit(work(vec![Arc::new(list)])).expect("a device that works");
        assert_eq!(end.wait(1, None), Waited::Lost, "{place}");
        let lost = device.lost().expect("lost");
        let said = "endless: `main`: step limit: the command is still running after 100000 steps";
        assert!(lost.to_string().starts_with(said), "{place}: {lost}");
        assert!(device.submit(work(Vec::new())).is_err());
    }
}
