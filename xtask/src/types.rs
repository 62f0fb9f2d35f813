//! Types with more methods than a reader keeps in mind, or with methods in more files than a reader looks for them.
//!
//! Counted are the functions of inherent `impl` blocks, and the files that such blocks with functions lie in; traits do not
//! count, nor does code of tests. An `impl` belongs to the type of its name that its own file defines, else to the one whose
//! module is most like the path by which the file imports it, else to the nearest one. It does not know what macros expand to.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use syn::{ImplItem, Item, ItemImpl, Type, UseTree};

use crate::circles::{defined, is_test};
use crate::source::{Files, Names};

/// Functions in all inherent `impl` blocks of a type, at most.
const METHODS_MAX: usize = 40;

/// Files with inherent `impl` blocks of a type, at most.
const FILES_MAX: usize = 3;

/// What a type has: functions, and files in which they lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Functions of inherent `impl` blocks.
    pub methods: usize,
    /// Files that have such blocks.
    pub files: usize,
}

/// Types of a crate that are larger than is admitted, or smaller than layers.txt says of them.
pub fn check(name: &str, files: &Files, admitted: &BTreeMap<String, Size>) -> Vec<String> {
    compare(name, &large(&sizes(files)), admitted)
}

fn compare(name: &str, found: &BTreeMap<String, Size>, admitted: &BTreeMap<String, Size>) -> Vec<String> {
    let mut findings = Vec::new();
    for (of, size) in found {
        let Size { methods, files } = *size;
        let Some(most) = admitted.get(of) else {
            findings.push(format!(
                "{name}: {of} has {methods} methods in {files} files, {METHODS_MAX} in {FILES_MAX} at most"
            ));
            continue;
        };
        if methods > most.methods || files > most.files {
            findings.push(format!(
                "{name}: {of} has {methods} methods in {files} files, {} in {} admitted",
                most.methods, most.files
            ));
        } else if size != most {
            findings.push(format!(
                "{name}: {of} has {methods} methods in {files} files, layers.txt admits {} in {}: say `type {name} {of} {methods} {files}` there",
                most.methods, most.files
            ));
        }
    }
    let gone = admitted.keys().filter(|of| !found.contains_key(*of));
    findings.extend(gone.map(|of| format!("{name}: {of} is no large type any more: its line in layers.txt goes")));
    findings
}

/// The types above a limit, by name; of several with one name the most methods and files that any has.
fn large(sizes: &BTreeMap<(Names, String), Size>) -> BTreeMap<String, Size> {
    let mut found: BTreeMap<String, Size> = BTreeMap::new();
    for ((_, name), size) in sizes.iter().filter(|(_, size)| size.methods > METHODS_MAX || size.files > FILES_MAX) {
        let entry = found.entry(name.clone()).or_default();
        entry.methods = entry.methods.max(size.methods);
        entry.files = entry.files.max(size.files);
    }
    found
}

/// Every type of a crate that has inherent methods: the module that defines it and its name, with its size.
fn sizes(files: &Files) -> BTreeMap<(Names, String), Size> {
    let mut defines: BTreeMap<String, BTreeSet<&Names>> = BTreeMap::new();
    let mut found: Vec<(&Names, FileTypes)> = Vec::new();
    for (module, file) in files {
        let mut of_file = FileTypes::default();
        of_file.read(&file.items);
        for name in &of_file.defines {
            defines.entry(name.clone()).or_default().insert(module);
        }
        found.push((module, of_file));
    }
    let mut sizes: BTreeMap<(Names, String), Size> = BTreeMap::new();
    for (module, of_file) in found {
        for (name, count) in of_file.methods {
            let import = of_file.imports.get(&name).map_or(&[][..], Vec::as_slice);
            let home = defines.get(&name).and_then(|homes| home(module, import, homes)).unwrap_or(module);
            let size = sizes.entry((home.clone(), name)).or_default();
            size.methods += count;
            size.files += 1;
        }
    }
    sizes
}

/// Of the modules that define a type of one name, the one that `module` means, which imports it by `import`.
fn home<'a>(module: &Names, import: &[String], homes: &BTreeSet<&'a Names>) -> Option<&'a Names> {
    let likeness = |home: &Names| home.iter().filter(|part| import.contains(part)).count();
    let shared = |home: &Names| home.iter().zip(module).take_while(|(one, two)| one == two).count();
    homes.iter().copied().max_by_key(|home| (*home == module, likeness(home), shared(home), Reverse(home.len())))
}

/// What a file says of types.
#[derive(Debug, Default)]
struct FileTypes {
    /// Types that it defines.
    defines: BTreeSet<String>,
    /// Names that it imports, and the paths by which.
    imports: BTreeMap<String, Names>,
    /// Functions that its `impl` blocks give to types.
    methods: BTreeMap<String, usize>,
}

impl FileTypes {
    fn read(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Struct(_) | Item::Enum(_) | Item::Union(_) => self.defines.extend(defined(item)),
                Item::Use(item) if !is_test(&item.attrs) => self.import(&item.tree, &mut Vec::new()),
                Item::Mod(inside) if !is_test(&inside.attrs) => {
                    if let Some((_, items)) = &inside.content {
                        self.read(items);
                    }
                }
                Item::Impl(block) if block.trait_.is_none() && !is_test(&block.attrs) => self.methods_of(block),
                _ => {}
            }
        }
    }

    fn import(&mut self, tree: &UseTree, path: &mut Names) {
        match tree {
            UseTree::Path(part) => {
                path.push(part.ident.to_string());
                self.import(&part.tree, path);
                path.pop();
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(tree, path)),
            UseTree::Name(name) => _ = self.imports.insert(name.ident.to_string(), path.clone()),
            UseTree::Rename(_) | UseTree::Glob(_) => {}
        }
    }

    fn methods_of(&mut self, block: &ItemImpl) {
        let is_counted = |item: &&ImplItem| matches!(item, ImplItem::Fn(function) if !is_test(&function.attrs));
        let count = block.items.iter().filter(is_counted).count();
        if let Type::Path(of) = block.self_ty.as_ref()
            && let Some(last) = of.path.segments.last()
            && count > 0
        {
            *self.methods.entry(last.ident.to_string()).or_default() += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::parse;

    fn names(path: &str) -> Names {
        path.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect()
    }

    fn sizes_of(files: &[(&str, &str)]) -> BTreeMap<(Names, String), Size> {
        sizes(&parse(files.iter().map(|(module, text)| (names(module), (*text).to_owned()))))
    }

    fn admitted(methods: usize, files: usize) -> BTreeMap<String, Size> {
        [("A".to_owned(), Size { methods, files })].into()
    }

    #[test]
    fn inherent_functions_count_and_those_of_traits_and_tests_do_not() {
        let found = sizes_of(&[
            (
                "a",
                "pub struct A<T>(T); impl<T> A<T> { fn one(&self) {} const X: u8 = 0; fn new() -> A<T> { loop {} } }",
            ),
            (
                "b",
                "use crate::a::A; impl A<u8> { fn two(&self) {} #[cfg(test)] fn three() {} } impl Clone for A<u8> { fn clone(&self) -> Self { loop {} } }",
            ),
            (
                "c",
                "#[cfg(test)] impl crate::a::A<u8> { fn four() {} } #[cfg(test)] mod tests { impl super::A { fn five() {} } } impl crate::a::A<u8> {}",
            ),
        ]);
        assert_eq!(found, [((names("a"), "A".to_owned()), Size { methods: 3, files: 2 })].into());
    }

    #[test]
    fn types_of_one_name_are_different_types() {
        let found = sizes_of(&[
            ("a", "pub struct A; impl A { fn f() {} }"),
            ("a::x", "use super::A; impl A { fn g() {} }"),
            ("b", "pub struct A; impl A { fn f() {} }"),
            ("a::y", "use crate::b::A; impl A { fn g() {} }"),
        ]);
        let size = |methods, files| Size { methods, files };
        let expected = [((names("a"), "A".to_owned()), size(2, 2)), ((names("b"), "A".to_owned()), size(2, 2))];
        assert_eq!(found, expected.into());
    }

    #[test]
    fn many_methods_and_many_files_are_each_too_large() {
        let many: String = (0..=METHODS_MAX).map(|number| format!("fn f{number}() {{}}")).collect();
        let found = sizes_of(&[
            ("a", &format!("struct A; impl A {{ {many} }} struct B; impl B {{ fn f() {{}} }}")),
            ("b", "impl crate::a::B { fn g() {} }"),
            ("c", "impl crate::a::B { fn h() {} }"),
            ("d", "impl crate::a::B { fn i() {} }"),
        ]);
        let expected = [
            ("A".to_owned(), Size { methods: METHODS_MAX + 1, files: 1 }),
            ("B".to_owned(), Size { methods: 4, files: 4 }),
        ];
        assert_eq!(large(&found), expected.into());
    }

    #[test]
    fn an_exception_may_not_grow_and_is_lowered_when_the_type_is_smaller() {
        let found = admitted(50, 4);
        assert!(compare("one", &found, &found).is_empty());
        let findings = |most: &BTreeMap<String, Size>| compare("one", &found, most).concat();
        assert_eq!(findings(&BTreeMap::new()), "one: A has 50 methods in 4 files, 40 in 3 at most");
        assert_eq!(findings(&admitted(49, 4)), "one: A has 50 methods in 4 files, 49 in 4 admitted");
        assert_eq!(findings(&admitted(60, 3)), "one: A has 50 methods in 4 files, 60 in 3 admitted");
        assert!(findings(&admitted(50, 5)).ends_with("say `type one A 50 4` there"));
        assert_eq!(
            compare("one", &BTreeMap::new(), &found),
            ["one: A is no large type any more: its line in layers.txt goes"]
        );
    }
}
