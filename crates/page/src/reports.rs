//! Reports of experiments: a folder that is read, file by file, and listed.
//!
//! What always holds: nothing outside of the folder is given out, whatever a path says and wherever links lead; of a kind that is
//! not in [`KINDS`] nothing is; a file of more than [`FILE_BYTES_MAX`] is refused. Nothing is ever written.

use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use serde::Serialize;

/// Kinds of files, by the ends of their names.
const KINDS: [(&str, &str); 8] = [
    ("html", "text/html; charset=utf-8"),
    ("svg", "image/svg+xml"),
    ("png", "image/png"),
    ("css", "text/css; charset=utf-8"),
    ("csv", "text/csv; charset=utf-8"),
    ("json", "application/json"),
    ("md", "text/plain; charset=utf-8"),
    ("txt", "text/plain; charset=utf-8"),
];
/// A file has so many bytes at most.
const FILE_BYTES_MAX: u64 = 32 << 20;
/// Folders below the first one that are listed.
const DEPTH_MAX: usize = 4;
/// Reports that are listed.
const LISTED_MAX: usize = 500;

/// A report in the list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Listed {
    /// Its path below the folder, with `/`.
    pub path: String,
    /// When it was written: seconds since 1970.
    pub written_s: u64,
    /// Its size.
    pub bytes: u64,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// As `text/html; charset=utf-8`.
    pub content_type: &'static str,
    /// All of it.
    pub body: Vec<u8>,
}

fn content_type(path: &Path) -> Option<&'static str> {
    let end = path.extension()?.to_str()?.to_lowercase();
    KINDS.iter().find(|(kind, _)| *kind == end).map(|(_, content_type)| *content_type)
}

/// The file of a path below the folder; nothing where there is none that may be read. The path is decoded.
pub fn read(folder: &Path, path: &str) -> Option<Report> {
    let relative = Path::new(path);
    let is_plain =
        |part: Component<'_>| matches!(part, Component::Normal(name) if !name.as_encoded_bytes().starts_with(b"."));
    if path.contains(['\\', '\0']) || !relative.components().all(is_plain) {
        return None;
    }
    let folder = folder.canonicalize().ok()?;
    // Links are followed first, so that what they lead to is what is looked at.
    let found = folder.join(relative).canonicalize().ok()?;
    let content_type = content_type(&found).filter(|_| found.starts_with(&folder))?;
    let file = File::open(&found).ok()?;
    let facts = file.metadata().ok().filter(|facts| facts.is_file() && facts.len() <= FILE_BYTES_MAX)?;
    let mut body = Vec::with_capacity(usize::try_from(facts.len()).ok()?);
    file.take(FILE_BYTES_MAX).read_to_end(&mut body).ok()?;
    Some(Report { content_type, body })
}

/// Pages of the folder and those below it, the newest first.
pub fn list(folder: &Path) -> Vec<Listed> {
    let mut found = Vec::new();
    let mut open: Vec<(PathBuf, String, usize)> = vec![(folder.to_owned(), String::new(), 0)];
    while let Some((folder, below, depth)) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            // Of links nothing is listed: they may lead in circles.
            let (Ok(kind), false) = (entry.file_type(), name.starts_with('.')) else { continue };
            let path = format!("{below}{name}");
            if kind.is_dir() && depth < DEPTH_MAX {
                open.push((entry.path(), format!("{path}/"), depth + 1));
            } else if kind.is_file() && name.to_lowercase().ends_with(".html") && found.len() < LISTED_MAX {
                let facts = entry.metadata().ok();
                let written = facts.as_ref().and_then(|facts| facts.modified().ok());
                let written_s =
                    written.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok()).map_or(0, |at| at.as_secs());
                found.push(Listed { path, written_s, bytes: facts.map_or(0, |facts| facts.len()) });
            }
        }
    }
    found.sort_by(|a, b| b.written_s.cmp(&a.written_s).then_with(|| a.path.cmp(&b.path)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_lies_in_the_folder_is_read() {
        let outside = tempfile::tempdir().expect("a folder");
        let folder = outside.path().join("reports");
        std::fs::create_dir_all(folder.join("s0/plots")).expect("a folder");
        for (path, text) in [
            ("secret.html", "secret"),
            ("reports/index.html", "index"),
            ("reports/s0/plots/a.svg", "<svg/>"),
            ("reports/.hidden.html", "hidden"),
            ("reports/data.mdf", "pages"),
        ] {
            std::fs::write(outside.path().join(path), text).expect("written");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("../secret.html", folder.join("link.html")).expect("a link");
            std::os::unix::fs::symlink("index.html", folder.join("inside.html")).expect("a link");
            std::os::unix::fs::symlink("..", folder.join("up")).expect("a link");
            assert_eq!(read(&folder, "inside.html").map(|it| it.body), Some(b"index".to_vec()));
        }
        assert_eq!(read(&folder, "index.html").map(|it| it.content_type), Some("text/html; charset=utf-8"));
        assert_eq!(read(&folder, "s0/plots/a.svg").map(|it| it.content_type), Some("image/svg+xml"));
        let absolute = outside.path().join("secret.html").display().to_string();
        for path in [
            "",
            ".",
            "..",
            "../secret.html",
            "s0/../../secret.html",
            "/index.html",
            &absolute,
            "link.html",
            "up/secret.html",
            ".hidden.html",
            "data.mdf",
            "s0",
            "nothing.html",
            "..\\secret.html",
            "index.html\0",
            "./../secret.html",
        ] {
            assert_eq!(read(&folder, path), None, "{path}");
        }
        let listed: Vec<String> = list(&folder).into_iter().map(|it| it.path).collect();
        assert_eq!(listed, ["index.html"]);
        assert!(list(Path::new("/nothing/here")).is_empty());
    }
}
