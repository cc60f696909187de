//! Differences of pictures, and sheets.

use gpucc_scene::Picture;
use gpucc_scene::difference::{Difference, drawn};
use gpucc_scene::sheet::{columns, sheet};

#[test]
fn a_difference_is_counted_and_drawn() {
    let want = Picture { width: 5, height: 1, rgba: [[100, 100, 100, 255]; 5].concat() };
    let mut got = want.clone();
    for (x, by) in [(1, 1), (2, 2), (3, 7), (4, 8)] {
        got.set(x, 0, [100, 100 - by, 100, 255]);
    }
    let d = Difference::between(&want, &got).expect("of one size");
    assert_eq!(d, Difference { greatest: 8, pixels: 4, far: 3, all: 5 });
    assert_eq!(d.to_string(), "8 steps of 255; 4 of 5 pixels differ, 3 by more than one step");
    let p = drawn(&want, &got);
    let colours = [[25, 25, 25, 255], [40, 110, 255, 255], [40, 220, 90, 255], [255, 190, 30, 255], [255, 40, 40, 255]];
    assert_eq!(p.rgba, colours.concat());
    let other = Picture::filled(4, 2, [0; 4]);
    assert_eq!(Difference::between(&want, &other), None);
    let p = drawn(&want, &other);
    assert_eq!((p.width, p.height, p.pixel(4, 0), p.pixel(0, 1)), (5, 2, Some(colours[4]), Some(colours[4])));
}

#[test]
fn a_sheet_has_names_below_pictures() {
    assert_eq!([1, 2, 4, 5, 9, 12].map(columns), [1, 2, 2, 3, 3, 4]);
    let cell = |name: &str| (name.to_string(), Picture::filled(16, 4, [200, 0, 0, 0]));
    // The second name has one letter too many, and one that the font lacks.
    let p = sheet(&[cell("|"), cell("\u{e4}|x"), cell("")], 2);
    assert_eq!((p.width, p.height), (2 * 24 + 8, 2 * 24 + 8));
    assert_eq!(p.pixel(8, 8), Some([200, 0, 0, 255]), "alpha is not shown");
    let ground = p.pixel(0, 0);
    let inked = |left: u32| {
        (0..8).flat_map(|y| (0..8).map(move |x| (x, y))).filter(|(x, y)| p.pixel(left + x, 16 + y) != ground).count()
    };
    // A bar is two pixels wide and leaves the fourth and the last row out.
    assert_eq!(inked(8), 12);
    assert_eq!(inked(40), 12);
    assert!(inked(32) > 0, "a question mark");
    assert_eq!(inked(48), 0);
}
