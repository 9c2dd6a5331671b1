//! A file as a stream of bytes with look-ahead, so that a record can be parsed in one piece.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::ops::Range;
use std::path::Path;

use crate::error::{Error, Result};

/// Bytes read at a time; the buffer grows only for a record that is longer.
const BUFFER: usize = 64 * 1024;

pub(super) struct Source {
    file: File,
    buffer: Vec<u8>,
    /// The bytes of the buffer that were read from the file and not yet taken.
    ready: Range<usize>,
}

impl Source {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(|error| Error::Os("open", error))?;
        Ok(Self {
            file,
            buffer: vec![0; BUFFER],
            ready: 0..0,
        })
    }

    /// The next `count` bytes, still to be taken; None when the file has fewer.
    pub(super) fn ahead(&mut self, count: usize) -> Result<Option<&[u8]>> {
        if self.ready.len() < count && !self.fill(count)? {
            return Ok(None);
        }
        Ok(Some(
            &self.buffer[self.ready.start..self.ready.start + count],
        ))
    }

    /// Takes the next `count` bytes; the index of the first one, for [`Self::bytes`], good until
    /// the next call that reads. None when the file has fewer.
    pub(super) fn take(&mut self, count: usize) -> Result<Option<usize>> {
        if self.ready.len() < count && !self.fill(count)? {
            return Ok(None);
        }
        let start = self.ready.start;
        self.ready.start += count;
        Ok(Some(start))
    }

    /// Bytes that were taken.
    pub(super) fn bytes(&self, start: usize, count: usize) -> &[u8] {
        &self.buffer[start..start + count]
    }

    /// Passes over the next `count` bytes, however many; false when the file has fewer.
    pub(super) fn skip(&mut self, mut count: usize) -> Result<bool> {
        while count > 0 {
            if self.ready.is_empty() && !self.fill(1)? {
                return Ok(false);
            }
            let step = count.min(self.ready.len());
            self.ready.start += step;
            count -= step;
        }
        Ok(true)
    }

    /// Reads until `count` bytes are ready; false when the file ends before.
    fn fill(&mut self, count: usize) -> Result<bool> {
        self.buffer.copy_within(self.ready.clone(), 0);
        self.ready = 0..self.ready.len();
        if self.buffer.len() < count {
            self.buffer.resize(count, 0);
        }
        while self.ready.len() < count {
            match self.file.read(&mut self.buffer[self.ready.end..]) {
                Ok(0) => return Ok(false),
                Ok(read) => self.ready.end += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::Os("read", error)),
            }
        }
        Ok(true)
    }

    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.buffer.len()
    }
}
