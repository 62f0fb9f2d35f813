//! Tables of calls with their type and value, one file per family. A call is written as in T-SQL, its arguments are
//! literals; `bigint'5'` is a literal of a type. Arguments are converted as the binder converts them.

mod call;
mod context;
mod conversion;
mod format;
mod json;
mod math;
mod metadata;
mod session;
mod string;
mod temporal;
mod wild;

use millpond_engine::context::RunContext;

use call::run;

/// A call, its result's type, and its value as text.
type Case = (&'static str, &'static str, &'static str);

/// Runs all cases and shows every one that differs.
fn check(ctx: &RunContext, cases: &[Case]) {
    let mut wrong = Vec::new();
    for (call, ty, value) in cases {
        let got = match run(ctx, call) {
            Ok((ty, value)) => (ty, value),
            Err(error) => ("error".to_owned(), format!("{}: {}", error.number, error.text)),
        };
        if (got.0.as_str(), got.1.as_str()) != (*ty, *value) {
            wrong.push(format!("{call}\n    is     {} {:?}\n    not    {ty} {value:?}", got.0, got.1));
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases are wrong:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// Runs calls that fail and compares their message numbers.
fn check_errors(ctx: &RunContext, cases: &[(&'static str, i32)]) {
    for (call, number) in cases {
        match run(ctx, call) {
            Ok((ty, value)) => panic!("{call} gives {ty} {value:?}, not error {number}"),
            Err(error) => assert_eq!(error.number, *number, "{call}: {}", error.text),
        }
    }
}

#[test]
fn names_are_unique_and_found_in_any_case() {
    let mut seen = std::collections::HashSet::new();
    for def in millpond_builtin::FAMILIES.iter().flat_map(|family| family.iter()) {
        assert!(seen.insert(def.name), "{} is defined twice", def.name);
        assert!(std::ptr::eq(millpond_builtin::find(&def.name.to_lowercase()).expect("found"), def), "{}", def.name);
        assert!(def.min_args <= def.max_args, "{}", def.name);
    }
    assert!(seen.len() > 150, "{} functions", seen.len());
    assert!(millpond_builtin::find("no_such_function").is_none());
    assert!(millpond_builtin::find(&"x".repeat(500)).is_none());
    assert!(millpond_builtin::find("").is_none());
}

/// Whatever types come, `bind` gives as many parameters as arguments, or an error.
#[test]
fn every_function_binds_every_type_or_refuses_it() {
    let mut types: Vec<_> = call::TYPES.iter().map(|name| Some(call::type_of(name))).collect();
    types.push(None);
    for def in millpond_builtin::FAMILIES.iter().flat_map(|family| family.iter()) {
        for count in [def.min_args, def.max_args] {
            for ty in &types {
                if let Ok(signature) = (def.bind)(&vec![*ty; count]) {
                    assert_eq!(signature.params.len(), count, "{} of {ty:?}", def.name);
                }
            }
        }
    }
}

/// Functions to which one of their arguments may not be NULL.
const REFUSING_NULL: [(&str, i32); 3] = [("JSON_MODIFY", 8116), ("JSON_PATH_EXISTS", 8116), ("JSON_VALUE", 8116)];

/// NULL in every place never panics, and is NULL or a value.
#[test]
fn every_function_takes_nulls() {
    let ctx = context::context();
    for def in millpond_builtin::FAMILIES.iter().flat_map(|family| family.iter()) {
        let types =
            vec![Some(millpond_types::SqlType::NVarChar { len: millpond_types::MaxLen::Limited(20) }); def.min_args];
        let Ok(signature) = (def.bind)(&types) else {
            continue;
        };
        let nulls = vec![millpond_types::Value::Null; def.min_args];
        let value = (def.eval)(&ctx, &nulls, &signature.params, &signature.result);
        let refusal = REFUSING_NULL.iter().find(|(name, _)| *name == def.name).map(|(_, number)| *number);
        assert!(value.is_ok() || value.err().map(|error| error.number) == refusal, "{}", def.name);
    }
}
