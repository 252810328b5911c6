//! What belongs together and is passed to a function has a name: a parameter is a value of a type, and no tuple without
//! one. Tuples in lists, of iterators and of closures are free.

use syn::visit::{self, Visit};
use syn::{FnArg, Signature, Type};

use super::{crate_names, product_files, root};

#[test]
fn parameters_are_no_tuples() {
    let (mut checked, mut found) = (0, Vec::new());
    for name in crate_names() {
        let mut of_crate = Functions::default();
        for file in product_files(&name) {
            let text = std::fs::read_to_string(&file).unwrap();
            checked += 1;
            if !has_tuple_type(&text) {
                continue;
            }
            of_crate.file = file.strip_prefix(root()).unwrap().display().to_string();
            of_crate.visit_file(&syn::parse_file(&text).unwrap());
        }
        found.extend(of_crate.with_tuples);
    }
    assert!(checked > 1_000, "only {checked} files are found");
    assert!(found.is_empty(), "functions that take tuples:\n{}", found.join("\n"));
}

#[test]
fn functions_with_tuples_are_found() {
    let code = "
        fn one((a, b): (u8, &str)) {}
        impl It { fn two(&self, pair: &(u8, u8)) {} }
        trait Other { fn three(&self, pair: &mut (u8, Vec<u8>)); }
        fn none(list: &[(u8, u8)], unit: (), one: (u8,), each: impl Fn((u8, u8))) {}
        #[cfg(test)]
        mod tests { fn free(pair: (u8, u8)) {} }";
    assert!(has_tuple_type(code));
    let mut found = Functions::default();
    found.visit_file(&syn::parse_file(code).unwrap());
    assert_eq!(found.with_tuples, [": one", ": two", ": three"]);
}

/// Whether a type in the text may be a tuple: files without one are not parsed, which takes most of the time.
fn has_tuple_type(text: &str) -> bool {
    let is_tuple = |rest: &str| {
        let before = rest.split_once('(').map(|(before, _)| before);
        let is_reference = |word: &str| word.starts_with('&') || word == "mut";
        before.is_some_and(|before| before.split_whitespace().all(is_reference))
    };
    text.split(':').skip(1).any(is_tuple)
}

/// The functions of some files.
#[derive(Default)]
struct Functions {
    file: String,
    with_tuples: Vec<String>,
}

impl<'c> Visit<'c> for Functions {
    fn visit_signature(&mut self, signature: &'c Signature) {
        if signature.inputs.iter().any(is_tuple) {
            self.with_tuples.push(format!("{}: {}", self.file, signature.ident));
        }
        visit::visit_signature(self, signature);
    }

    fn visit_item_mod(&mut self, module: &'c syn::ItemMod) {
        if module.ident != "tests" {
            visit::visit_item_mod(self, module);
        }
    }
}

fn is_tuple(argument: &FnArg) -> bool {
    let FnArg::Typed(argument) = argument else { return false };
    let mut ty = &*argument.ty;
    loop {
        match ty {
            Type::Reference(to) => ty = &to.elem,
            Type::Paren(inside) => ty = &inside.elem,
            Type::Tuple(tuple) => return tuple.elems.len() > 1,
            _ => return false,
        }
    }
}
