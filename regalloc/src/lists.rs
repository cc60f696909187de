//! A list for each small number, all of them in one piece of memory.

/// Lists, numbered from 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CsrLists<T> {
    /// Where each list begins; one more at the end.
    start: Vec<u32>,
    items: Vec<T>,
}

impl<T> Default for CsrLists<T> {
    fn default() -> Self {
        CsrLists { start: vec![0], items: Vec::new() }
    }
}

impl<T: Copy> CsrLists<T> {
    /// Sorts what `each` calls its argument with, each time the same in the same order, by the number in front. Lists keep
    /// that order.
    pub fn new(lists: usize, zero: T, each: impl Fn(&mut dyn FnMut(usize, T))) -> CsrLists<T> {
        let mut start = vec![0u32; lists + 1];
        each(&mut |k, _| start[k + 1] += 1);
        for k in 0..lists {
            start[k + 1] += start[k];
        }
        let mut at = start.clone();
        let mut items = vec![zero; start[lists] as usize];
        each(&mut |k, item| {
            items[at[k] as usize] = item;
            at[k] += 1;
        });
        CsrLists { start, items }
    }
}

impl<T> CsrLists<T> {
    /// Appends a list that is filled with what comes out of `items`.
    pub fn push(&mut self, items: impl IntoIterator<Item = T>) {
        self.items.extend(items);
        self.start.push(self.items.len() as u32);
    }

    /// The items of a list.
    pub fn list_mut(&mut self, k: usize) -> &mut [T] {
        &mut self.items[self.start[k] as usize..self.start[k + 1] as usize]
    }

    /// How many lists there are.
    pub fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The lists in order.
    pub fn iter(&self) -> impl Iterator<Item = &[T]> {
        (0..self.len()).map(|k| &self[k])
    }
}

impl<T> core::ops::Index<usize> for CsrLists<T> {
    type Output = [T];

    fn index(&self, k: usize) -> &[T] {
        &self.items[self.start[k] as usize..self.start[k + 1] as usize]
    }
}
