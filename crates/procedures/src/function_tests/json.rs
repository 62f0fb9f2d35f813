//! JSON in texts. What the binder adds to calls (which texts are JSON) is in the golden scripts.

use super::context::context;
use super::{check, check_errors};

#[test]
fn values_at_the_ends_of_paths() {
    check(
        &context(),
        &[
            ("JSON_VALUE('{\"a\":[1,\"x\"]}', '$.a[1]')", "nvarchar(4000)", "x"),
            ("JSON_VALUE('{\"a\":[1,\"x\"]}', '$.a')", "nvarchar(4000)", "NULL"),
            ("JSON_VALUE(NULL, '$.a')", "nvarchar(4000)", "NULL"),
            ("JSON_QUERY('{\"a\": [1 , 2]}', '$.a')", "nvarchar(4000)", "[1 , 2]"),
            ("JSON_QUERY(NULL)", "nvarchar(4000)", "NULL"),
            ("JSON_PATH_EXISTS('{\"a\":null}', '$.a')", "int", "1"),
            ("JSON_PATH_EXISTS('{\"a\":null', '$.a')", "int", "0"),
            ("JSON_PATH_EXISTS(NULL, '$.a')", "int", "NULL"),
            ("ISJSON('[]')", "int", "1"),
            ("ISJSON('1')", "int", "0"),
            ("ISJSON('1', 1)", "int", "1"),
            ("ISJSON(NULL)", "int", "NULL"),
            ("JSON_MODIFY('{\"a\":1}', '$.a', 'x')", "nvarchar(max)", "{\"a\":\"x\"}"),
            ("JSON_MODIFY('{\"a\":1}', '$.a', NULL)", "nvarchar(max)", "{}"),
            ("JSON_MODIFY(NULL, '$.a', 1)", "nvarchar(max)", "NULL"),
            ("JSON_OBJECT('N', 'a', 1, 'b', NULL)", "nvarchar(max)", "{\"a\":1,\"b\":null}"),
            ("JSON_OBJECT('A', 'a', 1, 'b', NULL)", "nvarchar(max)", "{\"a\":1}"),
            ("JSON_ARRAY('Ntj', '[1]', '[1]', NULL)", "nvarchar(max)", "[\"[1]\",[1],null]"),
        ],
    );
}

#[test]
fn what_is_wrong_has_a_number() {
    check_errors(
        &context(),
        &[
            ("JSON_VALUE('{', '$.a')", 13_609),
            ("JSON_VALUE('{}', 'a')", 13_607),
            ("JSON_VALUE('{}', 'strict $.a')", 13_608),
            ("JSON_VALUE('{}', NULL)", 8116),
            ("JSON_VALUE('{}', 'strict $')", 13_623),
            ("JSON_QUERY('[1]', 'strict $[0]')", 13_624),
            ("JSON_MODIFY('{}', '$', 1)", 13_619),
            ("JSON_MODIFY('[1]', 'append strict $[0]', 1)", 13_621),
            ("JSON_OBJECT('N', NULL, 1)", 13_638),
        ],
    );
}
