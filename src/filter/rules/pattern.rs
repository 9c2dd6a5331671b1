//! Texts that are looked for in a packet's payload.

/// Texts, one of which the payload must contain; case does not count. Without any, every payload will do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patterns(Vec<Box<[u8]>>);

impl Patterns {
    /// From texts with a vertical bar between them. Empty ones are left out.
    pub fn new(text: &[u8]) -> Self {
        let texts = text
            .split(|&byte| byte == b'|')
            .filter(|text| !text.is_empty());
        Self(texts.map(|text| text.to_ascii_lowercase().into()).collect())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether one of them stands in the payload.
    pub fn are_in(&self, payload: &[u8]) -> bool {
        self.0.iter().any(|text| contains(payload, text))
    }
}

/// `text` is in lower case and not empty.
fn contains(payload: &[u8], text: &[u8]) -> bool {
    payload
        .windows(text.len())
        .any(|window| window.eq_ignore_ascii_case(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_them_whatever_its_case() {
        let patterns = Patterns::new(b"GET |||host:|x");
        assert!(!patterns.is_empty());
        for (payload, expected) in [
            (&b"get / HTTP/1.1"[..], true),
            (b"..HoSt: a", true),
            (b"hos", false),
            (b"X", true),
            (b"", false),
            (b"ge", false),
        ] {
            assert_eq!(patterns.are_in(payload), expected, "{payload:?}");
        }
        assert!(Patterns::new(b"").is_empty() && Patterns::new(b"||").is_empty());
    }
}
