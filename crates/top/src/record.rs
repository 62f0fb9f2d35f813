//! Recorded samples: a JSON object a line.
//!
//! What always holds: a line that is not a sample is passed over and named by its number; all others are read.

use std::io::{self, BufRead, Write};
use std::sync::Arc;

use crate::sample::Sample;

/// A recorded file.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// Its samples in order.
    pub samples: Vec<Arc<Sample>>,
    /// Numbers of the lines that are damaged, from 1, and what is wrong.
    pub damaged: Vec<(usize, String)>,
}

/// Appends a sample.
///
/// # Errors
/// What the writer says.
pub fn write(sample: &Sample, to: &mut dyn Write) -> io::Result<()> {
    // One write, so that a reader meanwhile sees whole lines and a full disk leaves at most one damaged.
    let mut line = serde_json::to_string(sample)?;
    line.push('\n');
    to.write_all(line.as_bytes())?;
    to.flush()
}

/// Reads a file.
///
/// # Errors
/// What the reader says; not what is wrong with a line.
pub fn read(mut from: impl BufRead) -> io::Result<Recorded> {
    let mut recorded = Recorded::default();
    let (mut line, mut number) = (Vec::new(), 0);
    loop {
        line.clear();
        number += 1;
        if from.read_until(b'\n', &mut line)? == 0 {
            return Ok(recorded);
        }
        let text = line.trim_ascii();
        if text.is_empty() {
            continue;
        }
        // A list would be read as the fields in their order.
        match serde_json::from_slice(if text.starts_with(b"{") { text } else { b"" }) {
            Ok(sample) => recorded.samples.push(Arc::new(sample)),
            Err(why) => recorded.damaged.push((number, why.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let mut sample = Sample { taken_ms: 7, ..Sample::default() };
        sample.server.name = "O'Neil \"x\"\n\u{202e}\x1b".into();
        let mut file = Vec::new();
        write(&sample, &mut file).expect("written");
        write(&Sample::default(), &mut file).expect("written");
        assert_eq!(file.iter().filter(|byte| **byte == b'\n').count(), 2);
        let recorded = read(file.as_slice()).expect("read");
        assert_eq!(*recorded.samples[0], sample);
        assert_eq!((recorded.samples.len(), recorded.damaged.len()), (2, 0));
    }

    #[test]
    fn damaged_lines_are_named_and_passed_over() {
        let file =
            b"{\"taken_ms\":1}\n{\"taken_ms\":\n\n\xff\xfe\n{\"taken_ms\":2,\"of_later\":true}\n[1]\n{\"taken_ms\":3}";
        let recorded = read(&file[..]).expect("read");
        assert_eq!(recorded.samples.iter().map(|it| it.taken_ms).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(recorded.damaged.iter().map(|it| it.0).collect::<Vec<_>>(), [2, 4, 6]);
    }
}
