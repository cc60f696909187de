//! The line and column of a field in the text of a scene.

use toml::de::{DeTable, DeValue};

/// Line and column of a field in TOML, from 1, by its path as errors have it; of one that is not written those of what it is missing in.
/// Nothing if the text cannot be read or the field is the whole scene.
pub(crate) fn of_toml(text: &str, field: &str) -> Option<(u32, u32)> {
    in_toml(text, field).filter(|_| !field.is_empty()).and_then(|at| of_byte(text, at))
}

/// The same in JSON.
pub(crate) fn of_json(text: &str, field: &str) -> Option<(u32, u32)> {
    in_json(text, field).filter(|_| !field.is_empty()).and_then(|at| of_byte(text, at))
}

/// Line and column of a byte, from 1; columns count characters.
pub(crate) fn of_byte(text: &str, at: usize) -> Option<(u32, u32)> {
    let before = text.get(..at)?;
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    Some((line as u32, column as u32))
}

/// The rest of a path behind a key; nothing if the path does not go there.
fn behind<'a>(path: &'a str, key: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(key)?;
    (rest.is_empty() || rest.starts_with(['.', '['])).then(|| rest.strip_prefix('.').unwrap_or(rest))
}

/// The number that a path begins with, and the rest.
fn index(path: &str) -> Option<(usize, &str)> {
    let (n, rest) = path.strip_prefix('[')?.split_once(']')?;
    Some((n.parse().ok()?, rest.strip_prefix('.').unwrap_or(rest)))
}

fn in_toml(text: &str, field: &str) -> Option<usize> {
    /// The value that a key or an index leads to: where it is written, and its kind.
    fn step<'a, 'b, 'p>(text: &str, v: &'b DeValue<'a>, path: &'p str) -> Option<(usize, &'b DeValue<'a>, &'p str)> {
        match v {
            DeValue::Table(t) => in_table(text, t, path),
            DeValue::Array(list) => {
                let (n, rest) = index(path)?;
                let v = list.get(n)?;
                Some((v.span().start, v.get_ref(), rest))
            }
            _ => None,
        }
    }
    fn in_table<'a, 'b, 'p>(
        text: &str,
        t: &'b DeTable<'a>,
        path: &'p str,
    ) -> Option<(usize, &'b DeValue<'a>, &'p str)> {
        let found = t.iter().filter_map(|(k, v)| Some((k, v, behind(path, k.get_ref())?)));
        // Names may have dots: the longest one is meant.
        let (k, v, rest) = found.min_by_key(|f| f.2.len())?;
        // Tables and lists with heads of their own are where their names are.
        let at = match v.get_ref() {
            DeValue::Table(_) => k.span(),
            DeValue::Array(_)
                if !text[v.span().start..].starts_with('[') || text[v.span().start..].starts_with("[[") =>
            {
                k.span()
            }
            _ => v.span(),
        };
        Some((at.start, v.get_ref(), rest))
    }
    let table = DeTable::parse(text).ok()?;
    let (mut at, mut v, mut rest) = in_table(text, table.get_ref(), field)?;
    while let Some(next) = step(text, v, rest) {
        (at, v, rest) = next;
    }
    Some(at)
}

/// A text of JSON that is being read.
struct Json<'a> {
    text: &'a str,
    at: usize,
}

impl Json<'_> {
    fn peek(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// Goes over a string; gives where it begins.
    fn skip_string(&mut self) -> Option<usize> {
        let start = self.at;
        self.eat(b'"')?;
        loop {
            match self.text.as_bytes().get(self.at)? {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Some(start)
    }

    /// Goes over a string; gives its text.
    fn string(&mut self) -> Option<String> {
        let start = self.skip_string()?;
        serde_json::from_str(self.text.get(start..self.at)?.trim_start()).ok()
    }

    /// Goes over a value.
    fn skip(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                b'"' => drop(self.skip_string()?),
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                    continue;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.at += 1;
                }
                b',' | b':' => {
                    self.at += 1;
                    continue;
                }
                _ => {
                    let rest = &self.text.as_bytes()[self.at..];
                    let ends = |b: &u8| b.is_ascii_whitespace() || b",]}".contains(b);
                    self.at += rest.iter().take_while(|b| !ends(b)).count();
                }
            }
            if depth == 0 {
                return Some(());
            }
        }
    }

    /// Goes to the value that a path leads to from the one here; gives what is left of the path.
    fn step<'p>(&mut self, path: &'p str) -> Option<&'p str> {
        if let Some((n, rest)) = index(path) {
            self.eat(b'[')?;
            for _ in 0..n {
                self.skip()?;
                self.eat(b',')?;
            }
            return (self.peek()? != b']').then_some(rest);
        }
        self.eat(b'{')?;
        let mut best: Option<(usize, &str)> = None;
        while self.peek()? == b'"' {
            let key = self.string()?;
            self.eat(b':')?;
            self.peek()?;
            if let Some(rest) = behind(path, &key).filter(|r| best.is_none_or(|b| r.len() < b.1.len())) {
                best = Some((self.at, rest));
            }
            self.skip()?;
            if self.eat(b',').is_none() {
                break;
            }
        }
        let (at, rest) = best?;
        self.at = at;
        Some(rest)
    }
}

fn in_json(text: &str, field: &str) -> Option<usize> {
    let mut json = Json { text, at: 0 };
    json.peek()?;
    let (mut at, mut path) = (None, field);
    while !path.is_empty() {
        match json.step(path) {
            Some(rest) => (at, path) = (Some(json.at), rest),
            None => break,
        }
    }
    at
}
