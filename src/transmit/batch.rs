//! Frames that wait to leave together.

/// The most frames of a batch.
pub const MOST_FRAMES: usize = 64;
/// The most bytes of a batch.
const MOST_BYTES: usize = 1 << 17;

/// Frames in the order in which they came, the first of them sent already.
#[derive(Debug, Default)]
pub struct Batch {
    bytes: Vec<u8>,
    /// Where each frame ends.
    ends: Vec<usize>,
    /// How many left.
    sent: usize,
}

impl Batch {
    /// Adds a frame; false when there is no room.
    #[inline]
    pub fn push(&mut self, frame: &[u8]) -> bool {
        if self.ends.len() == MOST_FRAMES || self.bytes.len() + frame.len() > MOST_BYTES {
            return false;
        }
        self.bytes.extend_from_slice(frame);
        self.ends.push(self.bytes.len());
        true
    }

    /// Takes the last frame out again.
    pub fn pop(&mut self) {
        if self.ends.len() > self.sent {
            self.ends.pop();
            self.bytes.truncate(self.ends.last().copied().unwrap_or(0));
            self.tidy();
        }
    }

    /// Frames that wait.
    #[inline]
    pub fn len(&self) -> usize {
        self.ends.len() - self.sent
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The frames that wait.
    pub fn waiting(&self) -> impl Iterator<Item = &[u8]> {
        (self.sent..self.ends.len()).map(|index| {
            let begin = index.checked_sub(1).map_or(0, |before| self.ends[before]);
            &self.bytes[begin..self.ends[index]]
        })
    }

    /// The first frames that wait have left, or are given up.
    pub fn leave(&mut self, frames: usize) {
        self.sent = (self.sent + frames).min(self.ends.len());
        self.tidy();
    }

    fn tidy(&mut self) {
        if self.is_empty() {
            self.bytes.clear();
            self.ends.clear();
            self.sent = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(frames: &[&[u8]]) -> Batch {
        let mut batch = Batch::default();
        for frame in frames {
            assert!(batch.push(frame));
        }
        batch
    }

    fn waiting(batch: &Batch) -> Vec<Vec<u8>> {
        batch.waiting().map(<[u8]>::to_vec).collect()
    }

    #[test]
    fn frames_leave_in_their_order() {
        let mut batch = batch(&[b"one", b"two", b"three"]);
        assert_eq!(waiting(&batch), [&b"one"[..], b"two", b"three"]);
        batch.leave(1);
        assert_eq!(waiting(&batch), [&b"two"[..], b"three"]);
        assert!(batch.push(b"four"));
        batch.leave(2);
        assert_eq!(waiting(&batch), [b"four"]);
        batch.leave(7);
        assert!(batch.is_empty());
    }

    #[test]
    fn only_the_last_frame_that_waits_can_be_taken_out() {
        let mut batch = batch(&[b"one", b"two"]);
        batch.leave(1);
        batch.pop();
        assert!(batch.is_empty());
        batch.pop();
        assert!(batch.push(b"three"));
        assert_eq!(waiting(&batch), [b"three"]);
    }

    #[test]
    fn a_full_batch_takes_no_more() {
        let mut batch = Batch::default();
        for _ in 0..MOST_FRAMES {
            assert!(batch.push(&[0; 60]));
        }
        assert!(!batch.push(&[0; 60]));
        // Room comes back once all have left.
        batch.leave(MOST_FRAMES);
        assert!(batch.push(&[0; MOST_BYTES]));
        assert!(!batch.push(&[0]));
    }
}
