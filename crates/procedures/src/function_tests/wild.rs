//! Every function over the ends of every type, mixed by a fixed sequence: a value or an error, never a panic, and a
//! value that its type can hold.

use millpond_builtin::{FAMILIES, FunctionDef};
use millpond_engine::context::RunContext;
use millpond_types::cast::{CastRules, cast};
use millpond_types::{MaxLen, SqlType, Value};

use super::call::type_of;
use super::context::context;

/// Mixes of arguments for each function.
const MIXES: usize = 400;
/// Most arguments of a mix.
const ARGS_MAX: usize = 8;

/// Types with texts of values at their ends.
const ENDS: &[(&str, &[&str])] = &[
    ("bit", &["0", "1"]),
    ("tinyint", &["0", "255"]),
    ("smallint", &["-32768", "32767"]),
    ("int", &["-2147483648", "-1", "0", "1", "2", "7", "100", "2147483647"]),
    ("bigint", &["-9223372036854775808", "0", "3", "9223372036854775807"]),
    ("real", &["-3.4e38", "1.1e-38", "0.5"]),
    ("float", &["-1.7e308", "2.3e-308", "0", "1.7e308", "0.1", "123456.789"]),
    ("decimal(38,0)", &["99999999999999999999999999999999999999", "-99999999999999999999999999999999999999"]),
    ("decimal(38,38)", &["0.99999999999999999999999999999999999999", "0"]),
    ("decimal(5,2)", &["-999.99", "0.05"]),
    ("smallmoney", &["-214748.3648", "214748.3647"]),
    ("money", &["-922337203685477.5808", "922337203685477.5807"]),
    ("date", &["0001-01-01", "9999-12-31", "2024-02-29"]),
    ("time(7)", &["00:00:00", "23:59:59.9999999"]),
    ("smalldatetime", &["1900-01-01", "2079-06-06 23:59"]),
    ("datetime", &["1753-01-01", "9999-12-31 23:59:59.997"]),
    ("datetime2(7)", &["0001-01-01", "9999-12-31 23:59:59.9999999"]),
    ("char(10)", &["", "x"]),
    (
        "varchar(8000)",
        &["", " ", "a", "%", "[", "d", "N2", "yyyy-MM-dd", "2024-01-01", "1e400", "json", "é€", "#,##0.00;(0);"],
    ),
    ("varchar(max)", &["", "abc"]),
    ("nvarchar(4000)", &["", "😀", "漢字", "[a.b].c", "'", "0,,;;'", "\\"]),
    ("nvarchar(max)", &["xyz"]),
    ("uniqueidentifier", &["6F9619FF-8B86-D011-B42D-00C04FC964FF"]),
];

/// Numbers that look random and are the same every time.
struct Sequence(u64);

impl Sequence {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

fn values() -> Vec<(Option<SqlType>, Value)> {
    let text = SqlType::VARCHAR_MAX;
    let mut values = vec![
        (None, Value::Null),
        (Some(type_of("varbinary(8)")), Value::binary(&[])),
        (Some(type_of("varbinary(8)")), Value::binary(&[0, 255])),
    ];
    for (declaration, texts) in ENDS {
        let ty = type_of(declaration);
        values.push((Some(ty), Value::Null));
        for end in *texts {
            let from = if ty.is_unicode() { SqlType::NVarChar { len: MaxLen::Max } } else { text };
            values.push((
                Some(ty),
                cast(&Value::str(end), &from, &ty, None, CastRules::DEFAULT).expect("a value of its type"),
            ));
        }
    }
    values
}

/// One call; whether it gave a value.
fn call(ctx: &RunContext, def: &FunctionDef, args: &[(Option<SqlType>, Value)]) -> bool {
    let types: Vec<Option<SqlType>> = args.iter().map(|(ty, _)| *ty).collect();
    let Ok(signature) = (def.bind)(&types) else { return false };
    let mut converted = Vec::with_capacity(args.len());
    for ((ty, value), param) in args.iter().zip(&signature.params) {
        let from = ty.unwrap_or(*param);
        let Ok(value) = cast(value, &from, param, None, CastRules::DEFAULT) else { return false };
        converted.push(value);
    }
    let Ok(value) = (def.eval)(ctx, &converted, &signature.params, &signature.result) else { return false };
    let again = cast(&value, &signature.result, &signature.result, None, CastRules::DEFAULT);
    assert_eq!(again.as_ref(), Ok(&value), "{} of {args:?} is no {}", def.name, signature.result);
    true
}

#[test]
fn no_argument_makes_a_function_panic() {
    let ctx = context();
    let values = values();
    let mut sequence = Sequence(1);
    let mut with_value = 0;
    for def in FAMILIES.iter().flat_map(|family| family.iter()) {
        for _ in 0..MIXES {
            let most = def.max_args.min(ARGS_MAX.max(def.min_args));
            let count = def.min_args + sequence.below(most - def.min_args + 1);
            let mut args: Vec<_> = (0..count).map(|_| values[sequence.below(values.len())].clone()).collect();
            if def.date_part_first {
                args[0] = (Some(SqlType::Int), Value::Int(sequence.below(15) as i32));
            }
            with_value += usize::from(call(&ctx, def, &args));
        }
    }
    assert!(with_value > 10_000, "only {with_value} calls gave a value");
}
