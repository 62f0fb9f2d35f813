//! Where results and messages go: stdout, stderr, or a file of `-o`, `:out` and `:error`.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    /// `-u`: with a byte order mark, as SQL Server's tools read it.
    Utf16,
}

/// Opens what `name` says: `stdout`, `stderr`, or a file, made anew.
///
/// # Errors
/// Why it cannot be written.
pub fn open(name: &str, encoding: Encoding) -> Result<Box<dyn Write>, String> {
    if name.eq_ignore_ascii_case("stdout") {
        return Ok(Box::new(BufWriter::new(io::stdout())));
    }
    if name.eq_ignore_ascii_case("stderr") {
        return Ok(Box::new(io::stderr()));
    }
    file(Path::new(name), encoding)
}

/// Opens a file, made anew.
///
/// # Errors
/// Why it cannot be written.
pub fn file(path: &Path, encoding: Encoding) -> Result<Box<dyn Write>, String> {
    let failed = |error| format!("cannot write '{}': {error}", path.display());
    let mut file = BufWriter::new(File::create(path).map_err(failed)?);
    Ok(match encoding {
        Encoding::Utf8 => Box::new(file),
        Encoding::Utf16 => {
            file.write_all(&[0xFF, 0xFE]).map_err(failed)?;
            Box::new(Utf16(file))
        }
    })
}

/// Takes whole texts of UTF-8, as the printer writes them.
struct Utf16(BufWriter<File>);

impl Write for Utf16 {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(bytes).map_err(io::Error::other)?;
        let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        self.0.write_all(&units)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_utf_8_or_utf_16() {
        let dir = tempfile::tempdir().unwrap();
        for (encoding, expected) in [(Encoding::Utf8, &b"a\xC3\xA4"[..]), (Encoding::Utf16, b"\xFF\xFEa\0\xE4\0")] {
            let path = dir.path().join("out");
            open(path.to_str().unwrap(), encoding).unwrap().write_all("aä".as_bytes()).unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), expected);
        }
    }
}
