//! Circles of files inside a crate: files that all use each other's items, directly or not.
//!
//! An arrow leads from the file that names an item to the file that defines it: `pub use` is followed, through as many
//! façades as there are, so a `mod.rs` that only hands on what its children define stands between no two files. What a `pub use`
//! itself names is no arrow, nor is `mod`, nor a module's way to its own children. Code under `#[cfg(test)]` does not count.
//!
//! It does not know types: a method's file shows only where the type or trait is named.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, File, Item, ItemMod, UseTree, Visibility};

use crate::source::{Files, Names};

/// A file to the files that define what it names, and the names that lead there (`self` for the module).
pub type Arrows = BTreeMap<Names, BTreeMap<Names, BTreeSet<String>>>;

/// How far re-exports of re-exports are followed.
const FACADES_MAX: usize = 16;

/// What a crate's circles are made of.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Circles {
    /// Files in circles, by circle; each circle in order.
    pub files: Vec<Vec<String>>,
    /// The same of top modules: all files below one count as one.
    pub modules: Vec<Vec<String>>,
}

impl Circles {
    /// Files in all circles.
    #[must_use]
    pub fn file_count(&self) -> usize {
        self.files.iter().map(Vec::len).sum()
    }

    /// Top modules in all circles.
    #[must_use]
    pub fn module_count(&self) -> usize {
        self.modules.iter().map(Vec::len).sum()
    }
}

/// The arrows of a crate: file to the files that define what it names.
#[must_use]
pub fn arrows(parsed: &Files) -> Arrows {
    let modules: BTreeSet<Names> = parsed.keys().cloned().collect();
    let files: BTreeMap<Names, FileNames> =
        parsed.iter().map(|(module, file)| (module.clone(), read(module, file, &modules))).collect();
    files
        .iter()
        .map(|(module, file)| {
            let mut targets: BTreeMap<Names, BTreeSet<String>> = BTreeMap::new();
            for (target, name) in file.named.iter().filter_map(|path| defining(path, &files, FACADES_MAX)) {
                if !target.starts_with(module) {
                    targets.entry(target).or_default().insert(name);
                }
            }
            (module.clone(), targets)
        })
        .collect()
}

/// The circles that the arrows of a crate make.
#[must_use]
pub fn in_arrows(arrows: &Arrows) -> Circles {
    let mut of_modules = Arrows::new();
    for (from, targets) in arrows {
        let entry = of_modules.entry(top(from)).or_default();
        for (to, names) in targets.iter().filter(|(to, _)| top(to) != top(from)) {
            entry.entry(top(to)).or_default().extend(names.iter().cloned());
        }
    }
    Circles { files: circles(arrows), modules: circles(&of_modules) }
}

/// The circles of a crate as lines for a reader: each circle, and below it the arrows that make it, file by file with names.
#[must_use]
pub fn lines(arrows: &Arrows) -> Vec<String> {
    let found = in_arrows(arrows);
    let mut lines = Vec::new();
    let mut say = |what: &str, circle: &[String], is_arrow: &dyn Fn(&Names, &Names) -> bool| {
        lines.push(format!("{} {what}: {}", circle.len(), circle.join(", ")));
        for (from, targets) in arrows {
            for (to, names) in targets.iter().filter(|(to, _)| is_arrow(from, to)) {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                lines.push(format!("    {} → {}: {}", shown(from), shown(to), names.join(", ")));
            }
        }
    };
    for circle in &found.files {
        let is_of = |file: &Names| circle.contains(&shown(file));
        say("files", circle, &|from, to| is_of(from) && is_of(to));
    }
    for circle in &found.modules {
        let is_of = |file: &Names| circle.contains(&shown(&top(file)));
        say("top modules", circle, &|from, to| top(from) != top(to) && is_of(from) && is_of(to));
    }
    lines
}

fn shown(module: &Names) -> String {
    if module.is_empty() { "the root".to_owned() } else { module.join("::") }
}

fn top(module: &Names) -> Names {
    module.iter().take(1).cloned().collect()
}

/// What a file says of names.
#[derive(Debug, Default)]
struct FileNames {
    /// Items that it defines.
    defines: BTreeSet<String>,
    /// Names that it hands on, and the paths that they stand for.
    hands_on: BTreeMap<String, Names>,
    /// Modules all of whose names it hands on.
    hands_on_all: Vec<Names>,
    /// Paths from the root that its code names.
    named: BTreeSet<Names>,
}

/// The file that defines what a path names, and the name there.
fn defining(path: &[String], files: &BTreeMap<Names, FileNames>, facades: usize) -> Option<(Names, String)> {
    let len = (0..=path.len()).rev().find(|len| files.contains_key(&path[..*len]))?;
    let (module, rest) = path.split_at(len);
    let Some((name, behind)) = rest.split_first() else { return Some((module.to_vec(), "self".to_owned())) };
    let file = &files[module];
    let here = || Some((module.to_vec(), name.clone()));
    if facades == 0 || file.defines.contains(name) {
        return here();
    }
    if let Some(target) = file.hands_on.get(name) {
        let target: Names = target.iter().chain(behind).cloned().collect();
        return defining(&target, files, facades - 1);
    }
    let through = |glob: &Names| {
        let target: Names = glob.iter().chain(rest).cloned().collect();
        defining(&target, files, facades - 1).filter(|(found, _)| files[found].defines.contains(name))
    };
    file.hands_on_all.iter().find_map(through).or_else(here)
}

fn read(module: &Names, file: &File, modules: &BTreeSet<Names>) -> FileNames {
    let mut reader = Reader { module, modules, depth: 0, imports: BTreeMap::new(), found: FileNames::default() };
    reader.imports_of(&file.items);
    reader.visit_file(file);
    reader.found
}

struct Reader<'a> {
    module: &'a Names,
    modules: &'a BTreeSet<Names>,
    /// Modules inside of the file around this place.
    depth: usize,
    /// What a name that is imported stands for.
    imports: BTreeMap<String, Names>,
    found: FileNames,
}

impl Reader<'_> {
    /// A path from the root; `None` when it leads out of the crate.
    fn absolute(&self, path: &[String]) -> Option<Names> {
        let first = path.first()?.as_str();
        let supers = path.iter().take_while(|part| *part == "super").count();
        match first {
            "crate" => Some(path[1..].to_vec()),
            // Out of the modules inside of the file first.
            "super" => {
                let up = supers.saturating_sub(self.depth);
                let base = &self.module[..self.module.len().saturating_sub(up)];
                Some(base.iter().chain(&path[supers..]).cloned().collect())
            }
            "self" => Some(self.module.iter().chain(&path[1..]).cloned().collect()),
            _ => {
                if let Some(import) = self.imports.get(first) {
                    return Some(import.iter().chain(&path[1..]).cloned().collect());
                }
                let child: Names = self.module.iter().cloned().chain([first.to_owned()]).collect();
                self.modules.contains(&child).then(|| self.module.iter().chain(path).cloned().collect())
            }
        }
    }

    /// `use` of a file, before anything that needs it.
    fn imports_of(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Use(item) if !is_test(&item.attrs) => {
                    let is_handed_on = !matches!(item.vis, Visibility::Inherited);
                    self.tree(&item.tree, &mut Vec::new(), is_handed_on);
                }
                Item::Mod(ItemMod { attrs, content: Some((_, items)), .. }) if !is_test(attrs) => {
                    self.depth += 1;
                    self.imports_of(items);
                    self.depth -= 1;
                }
                _ => {}
            }
        }
    }

    fn tree(&mut self, tree: &UseTree, path: &mut Names, is_handed_on: bool) {
        match tree {
            UseTree::Path(part) => {
                path.push(part.ident.to_string());
                self.tree(&part.tree, path, is_handed_on);
                path.pop();
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.tree(tree, path, is_handed_on)),
            UseTree::Glob(_) => {
                let Some(target) = self.absolute(path) else { return };
                if is_handed_on {
                    self.found.hands_on_all.push(target);
                } else {
                    self.found.named.insert(target);
                }
            }
            UseTree::Name(name) if name.ident == "self" => {
                if let Some(last) = path.last().cloned() {
                    self.import(&last, &path.clone(), is_handed_on);
                }
            }
            UseTree::Name(name) => {
                let name = name.ident.to_string();
                let full: Names = path.iter().cloned().chain([name.clone()]).collect();
                self.import(&name, &full, is_handed_on);
            }
            UseTree::Rename(name) => {
                let full: Names = path.iter().cloned().chain([name.ident.to_string()]).collect();
                self.import(&name.rename.to_string(), &full, is_handed_on);
            }
        }
    }

    fn import(&mut self, name: &str, path: &[String], is_handed_on: bool) {
        let Some(target) = self.absolute(path) else { return };
        if is_handed_on {
            self.found.hands_on.insert(name.to_owned(), target.clone());
        } else {
            self.found.named.insert(target.clone());
        }
        self.imports.insert(name.to_owned(), target);
    }

    fn names(&mut self, path: &[String]) {
        if let Some(target) = self.absolute(path) {
            self.found.named.insert(target);
        }
    }

    /// Paths in what a macro is given, which is no syntax yet.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Names = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.names(&std::mem::take(&mut path));
                    }
                    path.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' && !path.is_empty() => colons += 1,
                other => {
                    self.names(&std::mem::take(&mut path));
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.names(&path);
    }
}

/// Whether attributes leave an item to tests.
pub fn is_test(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| {
        attr.path().is_ident("cfg")
            && attr
                .meta
                .require_list()
                .is_ok_and(|list| list.tokens.to_string().split([' ', '(', ')', ',']).any(|word| word == "test"))
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        _ => &[],
    }
}

/// The name that an item defines.
pub fn defined(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Mod(item) if item.content.is_some() => &item.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if is_test(attributes(item)) {
            return;
        }
        if self.depth == 0 {
            self.found.defines.extend(defined(item));
        }
        match item {
            // Read before.
            Item::Use(_) => {}
            Item::Mod(item) => {
                self.depth += 1;
                visit::visit_item_mod(self, item);
                self.depth -= 1;
            }
            _ => visit::visit_item(self, item),
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Names = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.names(&names);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        self.tokens(item.tokens.clone());
        visit::visit_macro(self, item);
    }

    fn visit_attribute(&mut self, _: &'ast Attribute) {}
}

/// Sets of two and more that reach each other.
fn circles(arrows: &Arrows) -> Vec<Vec<String>> {
    let reach: BTreeMap<&Names, BTreeSet<&Names>> =
        arrows.keys().map(|module| (module, reachable(module, arrows))).collect();
    let mut seen: BTreeSet<&Names> = BTreeSet::new();
    let mut found = Vec::new();
    for module in arrows.keys() {
        if seen.contains(module) {
            continue;
        }
        let circle: Vec<&Names> =
            reach[module].iter().copied().filter(|other| reach[*other].contains(module)).collect();
        if circle.len() > 1 {
            seen.extend(circle.iter().copied());
            found.push(circle.into_iter().map(shown).collect());
        }
    }
    found
}

fn reachable<'a>(from: &'a Names, arrows: &'a Arrows) -> BTreeSet<&'a Names> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(module) = open.pop() {
        for next in arrows.get(module).into_iter().flat_map(BTreeMap::keys) {
            if reached.insert(next) {
                open.push(next);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::parse;

    fn arrows_between(files: &[(&str, &str)]) -> Arrows {
        let name = |text: &str| text.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect();
        arrows(&parse(files.iter().map(|(module, text)| (name(module), (*text).to_owned()))))
    }

    fn circles_of(files: &[(&str, &str)]) -> Circles {
        in_arrows(&arrows_between(files))
    }

    #[test]
    fn a_facade_stands_between_nobody() {
        // `a::x` names what `b` hands on from `b::y`, which names what `a` hands on from `a::x`.
        let found = circles_of(&[
            ("", "mod a; mod b;"),
            ("a", "mod x; pub use x::X;"),
            ("a::x", "use crate::b::Y; pub struct X(Y);"),
            ("b", "mod y; pub use self::y::*;"),
            ("b::y", "pub struct Y(Box<crate::a::X>);"),
        ]);
        assert_eq!(found.files, [["a::x", "b::y"]]);
        assert_eq!(found.modules, [["a", "b"]]);
    }

    #[test]
    fn a_module_and_its_own_child_are_no_circle() {
        let found = circles_of(&[
            ("a", "mod x; pub struct A; fn f() { x::g() }"),
            ("a::x", "use super::A; pub fn g() -> A { A }"),
        ]);
        assert_eq!(found, Circles::default());
    }

    #[test]
    fn what_tests_name_and_what_is_only_handed_on_does_not_count() {
        let found = circles_of(&[
            ("a", "mod x; pub use x::g; pub struct A;"),
            ("a::x", "use super::A; pub fn g() -> A { A } #[cfg(test)] mod tests { use crate::b::B; }"),
            ("b", "use crate::a::g; pub struct B; fn f() { g(); }"),
        ]);
        assert_eq!(found, Circles::default());
    }

    #[test]
    fn a_circle_is_listed_with_its_arrows_and_what_they_name() {
        let found = lines(&arrows_between(&[
            ("a", "mod x; pub use x::X;"),
            ("a::x", "use crate::b::{self, Y}; pub struct X(Y); fn f() { b::g() }"),
            ("b", "use crate::c::Z; pub struct Y(Box<crate::a::X>, Z); pub fn g() {}"),
            ("c", "pub struct Z;"),
        ]));
        let expected = [
            "2 files: a::x, b",
            "    a::x → b: Y, g, self",
            "    b → a::x: X",
            "2 top modules: a, b",
            "    a::x → b: Y, g, self",
            "    b → a::x: X",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn imports_are_found_in_all_their_forms() {
        for text in [
            "use crate::{c, b::{self as d, B}};",
            "fn f() { let x = crate::b::B; }",
            "use crate::b; fn f() { b::B; }",
            "fn f() { assert!(crate::b::B == super::b::B); }",
            "mod inside { use super::super::b::B; }",
            "use super::b::*;",
        ] {
            let found = circles_of(&[("a", text), ("b", "pub struct B; use crate::a::Nothing;"), ("c", "")]);
            assert_eq!(found.file_count(), 2, "{text}");
            assert_eq!(found.module_count(), 2, "{text}");
        }
    }
}
