//! What a browser is given: pages, style and scripts, as they lie in `assets`, compiled in.
//!
//! What always holds: none of them names an address outside of this server; scripts and styles are files of their own, because
//! the policy of content forbids them inside of pages.

/// A file, with the type that it is sent as.
#[derive(Clone, Copy, Debug)]
pub struct Asset {
    /// Below `/assets/`.
    pub name: &'static str,
    /// As `text/css; charset=utf-8`.
    pub content_type: &'static str,
    /// Its bytes.
    pub body: &'static str,
}

const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const PICTURE: &str = "image/svg+xml";

macro_rules! assets {
    ($($name:literal $content_type:ident,)*) => {
        /// All of them.
        pub const ALL: &[Asset] =
            &[$(Asset { name: $name, content_type: $content_type, body: include_str!(concat!("../assets/", $name)) },)*];
    };
}

assets! {
    "page.css" STYLE,
    "app.js" SCRIPT,
    "chart.js" SCRIPT,
    "dom.js" SCRIPT,
    "history.js" SCRIPT,
    "link.js" SCRIPT,
    "plan.js" SCRIPT,
    "screens.js" SCRIPT,
    "session.js" SCRIPT,
    "table.js" SCRIPT,
    "tree.js" SCRIPT,
    "units.js" SCRIPT,
    "pond.svg" PICTURE,
}

/// The page of those who are logged in.
pub const PAGE: &str = include_str!("../assets/page.html");

/// The form of a login; `{{words}}` and `{{name}}` stand for what [`crate`] puts there.
pub const LOGIN: &str = include_str!("../assets/login.html");

/// The file of a name.
pub fn named(name: &str) -> Option<&'static Asset> {
    ALL.iter().find(|asset| asset.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_comes_from_elsewhere() {
        let all = ALL.iter().map(|asset| (asset.name, asset.body)).chain([("page.html", PAGE), ("login.html", LOGIN)]);
        for (name, body) in all {
            // The name of a vocabulary is no address that is asked.
            let text = body.replace("http://www.w3.org/2000/svg", "");
            for word in [
                "http://",
                "https://",
                "//cdn",
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document.write",
                "eval(",
            ] {
                assert!(!text.contains(word), "{name} has {word}");
            }
        }
    }

    #[test]
    fn pages_have_no_scripts_and_styles_inside() {
        for (name, body) in [("page.html", PAGE), ("login.html", LOGIN)] {
            for word in ["<style", "style=", "onclick=", "onload=", "javascript:"] {
                assert!(!body.contains(word), "{name} has {word}");
            }
            for script in body.split("<script").skip(1) {
                assert!(script.starts_with(" type=\"module\" src=\"/assets/"), "{name}: {script}");
            }
        }
    }

    #[test]
    fn every_file_that_is_named_is_there() {
        for (name, body) in
            ALL.iter().map(|asset| (asset.name, asset.body)).chain([("page.html", PAGE), ("login.html", LOGIN)])
        {
            for rest in body.split("/assets/").skip(1).chain(body.split("from './").skip(1)) {
                let end = rest.find(['"', '\'']).unwrap_or(rest.len());
                assert!(named(&rest[..end]).is_some(), "{name} names {}", &rest[..end]);
            }
        }
    }
}
