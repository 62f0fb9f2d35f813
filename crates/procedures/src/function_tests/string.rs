//! Texts.

use super::context::context;
use super::{check, check_errors};

#[test]
fn lengths() {
    check(
        &context(),
        &[
            ("LEN('abc ')", "int", "3"),
            ("LEN('')", "int", "0"),
            ("LEN('   ')", "int", "0"),
            ("LEN('  x')", "int", "3"),
            ("LEN(N'Zürich')", "int", "6"),
            ("LEN(N'😀')", "int", "2"),
            ("LEN(NULL)", "int", "NULL"),
            ("LEN(12345)", "int", "5"),
            ("LEN(varchar(max)'abc')", "bigint", "3"),
            ("LEN(char(10)'abc')", "int", "3"),
            ("LEN(0x'4120')", "int", "1"),
            ("DATALENGTH('abc ')", "int", "4"),
            ("DATALENGTH(N'abc')", "int", "6"),
            ("DATALENGTH('Zürich')", "int", "6"),
            ("DATALENGTH(char(10)'abc')", "int", "10"),
            ("DATALENGTH(nchar(10)'abc')", "int", "20"),
            ("DATALENGTH(0x'0102')", "int", "2"),
            ("DATALENGTH(7)", "int", "4"),
            ("DATALENGTH(bigint'7')", "int", "8"),
            ("DATALENGTH(datetime'2020-01-01')", "int", "8"),
            ("DATALENGTH(nvarchar(max)'abc')", "bigint", "6"),
            ("DATALENGTH(NULL)", "int", "NULL"),
        ],
    );
}

#[test]
fn parts() {
    check(
        &context(),
        &[
            ("LEFT('abcdef', 2)", "varchar(6)", "ab"),
            ("LEFT('abc', 10)", "varchar(3)", "abc"),
            ("LEFT('abc', 0)", "varchar(3)", ""),
            ("LEFT(N'Zürich', 2)", "nvarchar(6)", "Zü"),
            ("LEFT(char(5)'ab', 4)", "varchar(5)", "ab  "),
            ("LEFT(12345, 2)", "varchar(12)", "12"),
            ("LEFT('abc', NULL)", "varchar(3)", "NULL"),
            ("RIGHT('abcdef', 2)", "varchar(6)", "ef"),
            ("RIGHT('abc', 10)", "varchar(3)", "abc"),
            ("RIGHT('abc', 0)", "varchar(3)", ""),
            ("RIGHT(N'Zürich', 5)", "nvarchar(6)", "ürich"),
            ("SUBSTRING('abcdef', 2, 3)", "varchar(6)", "bcd"),
            ("SUBSTRING('abc', 0, 2)", "varchar(3)", "a"),
            ("SUBSTRING('abc', -1, 3)", "varchar(3)", "a"),
            ("SUBSTRING('abc', -5, 3)", "varchar(3)", ""),
            ("SUBSTRING('abc', 2, 100)", "varchar(3)", "bc"),
            ("SUBSTRING('abc', 2, 2147483647)", "varchar(3)", "bc"),
            ("SUBSTRING('abc', 10, 2)", "varchar(3)", ""),
            ("SUBSTRING('abc', 1, 0)", "varchar(3)", ""),
            ("SUBSTRING(N'Zürich', 2, 2)", "nvarchar(6)", "ür"),
            ("SUBSTRING(varchar(max)'abc', bigint'2', 1)", "varchar(max)", "b"),
            ("SUBSTRING(0x'010203', 2, 5)", "varbinary(3)", "0203"),
            ("SUBSTRING('abc', NULL, 1)", "varchar(3)", "NULL"),
        ],
    );
    check_errors(
        &context(),
        &[
            ("LEFT('abc', -1)", 537),
            ("SUBSTRING('abc', 1, -1)", 537),
            ("RIGHT('abc', -1)", 536),
            ("SUBSTRING(123, 1, 1)", 8116),
            ("SUBSTRING(NULL, 1, 1)", 8116),
        ],
    );
}

#[test]
fn changes() {
    check(
        &context(),
        &[
            ("UPPER('straße é')", "varchar(8)", "STRAßE É"),
            ("UPPER('5 µ')", "varchar(3)", "5 µ"),
            ("LOWER('ABC É')", "varchar(5)", "abc é"),
            ("REVERSE('abc')", "varchar(3)", "cba"),
            ("REVERSE(N'äb')", "nvarchar(2)", "bä"),
            ("REVERSE(123)", "varchar(12)", "321"),
            ("LTRIM('  a ')", "varchar(4)", "a "),
            ("RTRIM('  a ')", "varchar(4)", "  a"),
            ("RTRIM(char(5)'ab')", "varchar(5)", "ab"),
            ("TRIM('  a ')", "varchar(4)", "a"),
            ("TRIM('xy', 'xxabyx')", "varchar(6)", "ab"),
            ("RTRIM('1200', '0')", "varchar(4)", "12"),
            ("LTRIM('00120', '0')", "varchar(5)", "120"),
            ("SPACE(3)", "varchar(8000)", "   "),
            ("SPACE(-1)", "varchar(8000)", "NULL"),
            ("REPLICATE('ab', 3)", "varchar(8000)", "ababab"),
            ("REPLICATE('ab', 0)", "varchar(8000)", ""),
            ("REPLICATE('ab', -1)", "varchar(8000)", "NULL"),
            ("REPLICATE(N'ab', 2)", "nvarchar(4000)", "abab"),
            ("REPLICATE('', 2147483647)", "varchar(8000)", ""),
            ("STUFF('abcdef', 2, 3, 'ijklmn')", "varchar(12)", "aijklmnef"),
            ("STUFF('abc', 0, 1, 'x')", "varchar(4)", "NULL"),
            ("STUFF('abc', 4, 1, 'x')", "varchar(4)", "NULL"),
            ("STUFF('abc', 2, 100, 'x')", "varchar(4)", "ax"),
            ("STUFF('abc', 2, 1, NULL)", "varchar(4)", "ac"),
            ("STUFF('abc', 2, -1, 'x')", "varchar(4)", "NULL"),
            ("STUFF('abc', 1, 0, N'x')", "nvarchar(4)", "xabc"),
        ],
    );
    check_errors(&context(), &[("TRIM(5)", 8116), ("REPLICATE(varchar(max)'x', 2147483647)", 701)]);
}

/// Results without `(max)` stop at 8000 bytes.
#[test]
fn long_results_are_cut() {
    let ctx = context();
    for (call, len) in [
        ("REPLICATE('ab', 5000)", 8000),
        ("REPLICATE('abc', 2147483647)", 8000),
        ("REPLICATE(N'abc', 5000)", 4000),
        ("SPACE(9000)", 8000),
        ("REPLICATE(varchar(max)'ab', 5000)", 10000),
    ] {
        let (_, value) = super::run(&ctx, call).expect("a value");
        assert_eq!(value.len(), len, "{call}");
    }
}

#[test]
fn characters() {
    check(
        &context(),
        &[
            ("CHAR(65)", "char(1)", "A"),
            ("CHAR(128)", "char(1)", "€"),
            ("CHAR(256)", "char(1)", "NULL"),
            ("CHAR(-1)", "char(1)", "NULL"),
            ("NCHAR(8364)", "nchar(1)", "€"),
            ("NCHAR(65536)", "nchar(1)", "NULL"),
            ("ASCII('ABC')", "int", "65"),
            ("ASCII('€')", "int", "128"),
            ("ASCII('')", "int", "NULL"),
            ("UNICODE(N'€')", "int", "8364"),
            ("UNICODE(N'😀')", "int", "55357"),
            ("UNICODE('')", "int", "NULL"),
        ],
    );
}

#[test]
fn joined() {
    check(
        &context(),
        &[
            ("CONCAT('a', 'b', 'c')", "varchar(3)", "abc"),
            ("CONCAT('a', NULL, 'c')", "varchar(2)", "ac"),
            ("CONCAT(NULL, NULL)", "varchar(1)", ""),
            ("CONCAT('a', N'b')", "nvarchar(2)", "ab"),
            ("CONCAT('a', 5)", "varchar(13)", "a5"),
            ("CONCAT('a', varchar(max)'b')", "varchar(max)", "ab"),
            ("CONCAT_WS(', ', 'a', NULL, 'b')", "varchar(7)", "a, b"),
            ("CONCAT_WS(NULL, 'a', 'b')", "varchar(3)", "ab"),
            ("CONCAT_WS('-', 2024, 1, 5)", "varchar(38)", "2024-1-5"),
        ],
    );
}

#[test]
fn searches() {
    check(
        &context(),
        &[
            ("CHARINDEX('b', 'abcb')", "int", "2"),
            ("TERTIARY_WEIGHTS('aB')", "varbinary(2)", "NULL"),
            ("CHARINDEX('B', 'abcb')", "int", "2"),
            ("CHARINDEX('b', 'abcb', 3)", "int", "4"),
            ("CHARINDEX('b', 'abcb', -7)", "int", "2"),
            ("CHARINDEX('b', 'abcb', 100)", "int", "0"),
            ("CHARINDEX('x', 'abc')", "int", "0"),
            ("CHARINDEX('', 'abc')", "int", "0"),
            ("CHARINDEX('abcd', 'abc')", "int", "0"),
            ("CHARINDEX('É', 'caféé')", "int", "4"),
            ("CHARINDEX(N'b', N'😀b')", "int", "3"),
            ("CHARINDEX('b', varchar(max)'ab')", "bigint", "2"),
            ("CHARINDEX(NULL, 'abc')", "int", "NULL"),
            ("CHARINDEX('2', 123)", "int", "2"),
            ("PATINDEX('%ter%', 'interesting data')", "int", "3"),
            ("PATINDEX('%TER%', 'interesting data')", "int", "3"),
            ("PATINDEX('%en_ure%', 'Please ensure the door is locked!')", "int", "8"),
            ("PATINDEX('%[^0-9]%', '123a5')", "int", "4"),
            ("PATINDEX('%[0-9]%', 'abc')", "int", "0"),
            ("PATINDEX('abc', 'abc')", "int", "1"),
            ("PATINDEX('b%', 'abc')", "int", "0"),
            ("PATINDEX('%c', 'abc')", "int", "3"),
            ("PATINDEX('%b', 'abc')", "int", "0"),
            ("REPLACE('abcabc', 'b', 'xx')", "varchar(8000)", "axxcaxxc"),
            ("REPLACE('abcABC', 'B', '')", "varchar(8000)", "acAC"),
            ("REPLACE('aaa', 'aa', 'b')", "varchar(8000)", "ba"),
            ("REPLACE('abc', '', 'x')", "varchar(8000)", "abc"),
            ("REPLACE('abc', 'b', NULL)", "varchar(8000)", "NULL"),
            ("REPLACE('abc', N'b', 'x')", "nvarchar(4000)", "axc"),
            ("REPLACE(varchar(max)'abc', 'b', 'x')", "varchar(max)", "axc"),
            ("TRANSLATE('2*[3+4]/{7-2}', '[]{}', '()()')", "varchar(13)", "2*(3+4)/(7-2)"),
            ("TRANSLATE('abc', 'ab', 'ba')", "varchar(3)", "bac"),
        ],
    );
    check_errors(&context(), &[("TRANSLATE('abc', 'ab', 'x')", 9828), ("PATINDEX('%1%', 123)", 8116)]);
}

#[test]
fn names() {
    check(
        &context(),
        &[
            ("QUOTENAME('abc')", "nvarchar(258)", "[abc]"),
            ("QUOTENAME('abc[]def')", "nvarchar(258)", "[abc[]]def]"),
            ("QUOTENAME('it''s', '''')", "nvarchar(258)", "'it''s'"),
            ("QUOTENAME('a\"b', '\"')", "nvarchar(258)", "\"a\"\"b\""),
            ("QUOTENAME('abc', '(')", "nvarchar(258)", "(abc)"),
            ("QUOTENAME('abc', 'x')", "nvarchar(258)", "NULL"),
            ("PARSENAME('srv.db.dbo.t', 1)", "nvarchar(128)", "t"),
            ("PARSENAME('srv.db.dbo.t', 4)", "nvarchar(128)", "srv"),
            ("PARSENAME('[a.b].[c]]d]', 2)", "nvarchar(128)", "a.b"),
            ("PARSENAME('[a.b].[c]]d]', 1)", "nvarchar(128)", "c]d"),
            ("PARSENAME('db..t', 2)", "nvarchar(128)", "NULL"),
            ("PARSENAME('db..t', 3)", "nvarchar(128)", "db"),
            ("PARSENAME('a.b.c.d.e', 1)", "nvarchar(128)", "NULL"),
            ("PARSENAME('t', 0)", "nvarchar(128)", "NULL"),
            ("PARSENAME('t', 5)", "nvarchar(128)", "NULL"),
            ("PARSENAME('[t', 1)", "nvarchar(128)", "NULL"),
            ("STRING_ESCAPE('a/b\"c\\', 'json')", "nvarchar(max)", "a\\/b\\\"c\\\\"),
            ("STRING_ESCAPE('\n\u{1}', 'JSON')", "nvarchar(max)", "\\n\\u0001"),
            ("SOUNDEX('Smith')", "varchar(5)", "S530"),
            ("SOUNDEX('Smythe')", "varchar(5)", "S530"),
            ("SOUNDEX('Robert')", "varchar(5)", "R163"),
            ("SOUNDEX('')", "varchar(5)", "0000"),
            ("DIFFERENCE('Green', 'Greene')", "int", "4"),
            ("DIFFERENCE('Blotchet-Halls', 'Greene')", "int", "0"),
        ],
    );
    check_errors(&context(), &[("STRING_ESCAPE('a', 'xml')", 13622)]);
}

#[test]
fn numbers_as_text() {
    check(
        &context(),
        &[
            ("STR(123.45e0, 6, 1)", "varchar(8000)", " 123.5"),
            ("STR(123.45e0, 2, 2)", "varchar(8000)", "**"),
            ("STR(123e0, 8, 3)", "varchar(8000)", " 123.000"),
            ("STR(1234.567e0, 6, 2)", "varchar(8000)", "1234.6"),
            ("STR(1234.567e0, 5, 2)", "varchar(8000)", " 1235"),
            ("STR(5)", "varchar(10)", "         5"),
            ("STR(2.5e0)", "varchar(10)", "         3"),
            ("STR(-2.5e0)", "varchar(10)", "        -3"),
            ("STR(0.5e0, 4, 2)", "varchar(8000)", "0.50"),
            ("STR(0.1e0, 10, 16)", "varchar(8000)", "0.10000000"),
            ("STR(99.99e0, 6, 1)", "varchar(8000)", " 100.0"),
            ("STR(12345678901e0)", "varchar(10)", "**********"),
            ("STR(1, 0)", "varchar(8000)", "NULL"),
            ("STR(1, 9000)", "varchar(8000)", "NULL"),
            ("STR(NULL)", "varchar(10)", "NULL"),
        ],
    );
}

#[test]
fn regular_expressions() {
    check(
        &context(),
        &[
            ("REGEXP_COUNT('abc', '')", "int", "4"),
            ("REGEXP_COUNT('abc', 'x*')", "int", "4"),
            ("REGEXP_COUNT('', '')", "int", "1"),
            ("REGEXP_COUNT('abc', '', 2)", "int", "3"),
            ("REGEXP_COUNT('abc', 'a', 9)", "int", "0"),
            ("REGEXP_COUNT('ABC', 'a')", "int", "0"),
            ("REGEXP_COUNT('ABC', 'a', 1, 'i')", "int", "1"),
            ("REGEXP_COUNT('ABC', 'a', 1, 'ic')", "int", "0"),
            ("REGEXP_COUNT('ABC', 'a', 1, 'ci')", "int", "1"),
            ("REGEXP_COUNT('ABC', '(?-i)a', 1, 'i')", "int", "0"),
            ("REGEXP_COUNT('a\n', 'a$', 1, 'm')", "int", "1"),
            ("REGEXP_COUNT('a\n', '.', 1, 's')", "int", "2"),
            ("REGEXP_COUNT(N'É', N'é', 1, 'i')", "int", "1"),
            ("REGEXP_COUNT('abc', 'a', '1', '')", "int", "1"),
            ("REGEXP_COUNT(NULL, 'a')", "int", "NULL"),
            ("REGEXP_COUNT('abc', NULL)", "int", "NULL"),
            ("REGEXP_COUNT('abc', '(', NULL)", "int", "NULL"),
            ("REGEXP_INSTR('abc', 'x*')", "int", "1"),
            ("REGEXP_INSTR('abc', 'x*', 1, 1, 1)", "int", "1"),
            ("REGEXP_INSTR('abc', '$')", "int", "4"),
            ("REGEXP_INSTR('abcab', 'ab', 1, 2)", "int", "4"),
            ("REGEXP_INSTR('abcab', 'ab', 1, 2, 1)", "int", "6"),
            ("REGEXP_INSTR('abcab', 'ab', 1, 3)", "int", "0"),
            ("REGEXP_INSTR('xay', 'x(a)(b)?', 1, 1, 0, '', 1)", "int", "2"),
            ("REGEXP_INSTR('xay', 'x(a)(b)?', 1, 1, 0, '', 2)", "int", "0"),
            ("REGEXP_INSTR('xay', 'x(a)(b)?', 1, 1, 0, '', 7)", "int", "0"),
            // Start is counted in characters, the answer in units.
            ("REGEXP_INSTR(N'a😀b', N'b')", "int", "4"),
            ("REGEXP_INSTR(N'a😀b', N'b', 3)", "int", "4"),
            ("REGEXP_INSTR(N'a😀b', N'b', 4)", "int", "0"),
            ("REGEXP_SUBSTR(N'a😀b', N'.', 3)", "nvarchar(4)", "b"),
            ("REGEXP_SUBSTR('abc', 'x*')", "varchar(3)", ""),
            ("REGEXP_SUBSTR('abc', 'x')", "varchar(3)", "NULL"),
            ("REGEXP_SUBSTR('abc', 'b', 9)", "varchar(3)", "NULL"),
            ("REGEXP_SUBSTR(char(5)'abc  ', 'c.')", "varchar(5)", "c "),
            ("REGEXP_SUBSTR(NULL, 'c')", "varchar(1)", "NULL"),
            ("REGEXP_SUBSTR('a1b2', '[a-z](\\d)', 1, 2, '', 1)", "varchar(4)", "2"),
            ("REGEXP_SUBSTR('aaa', 'a{2}|a{3}')", "varchar(3)", "aa"),
            ("REGEXP_REPLACE('abc', '', '-')", "varchar(8000)", "abc"),
            ("REGEXP_REPLACE('abc', 'x*', '-')", "varchar(8000)", "-a-b-c-"),
            ("REGEXP_REPLACE('abc', '^', '-')", "varchar(8000)", "-abc"),
            ("REGEXP_REPLACE('abc', '$', '-')", "varchar(8000)", "abc-"),
            ("REGEXP_REPLACE('', 'x*', '-')", "varchar(8000)", "-"),
            ("REGEXP_REPLACE('', '', '-')", "varchar(8000)", ""),
            ("REGEXP_REPLACE('abab', 'a')", "varchar(8000)", "bb"),
            ("REGEXP_REPLACE('abab', 'a', 'X', 1, 2)", "varchar(8000)", "abXb"),
            ("REGEXP_REPLACE('abab', 'a', 'X', 2)", "varchar(8000)", "abXb"),
            ("REGEXP_REPLACE('abab', 'a', 'X', 9)", "varchar(8000)", "abab"),
            ("REGEXP_REPLACE('ab', '(a)(b)', '\\2\\1\\3\\\\&$1\\0\\')", "varchar(8000)", "ba\\&$1\\0\\"),
        ],
    );
    check_errors(
        &context(),
        &[
            ("REGEXP_COUNT(1, 'a')", 8116),
            ("REGEXP_COUNT('a', 1)", 8116),
            ("REGEXP_COUNT('a', varchar(max)'a')", 8116),
            ("REGEXP_COUNT('a', 'a', 1.5)", 8116),
            ("REGEXP_COUNT('a', 'a', 1, N'i')", 8116),
            ("REGEXP_COUNT('a', 'a', 'i')", 245),
            ("REGEXP_COUNT('a', 'a', 3000000000)", 8115),
            ("REGEXP_COUNT('a', '(?=a)')", 19300),
            ("REGEXP_COUNT('a', 'a', 0)", 19301),
            ("REGEXP_INSTR('a', 'a', 1, 0)", 19301),
            ("REGEXP_INSTR('a', 'a', 1, 1, 2)", 19301),
            ("REGEXP_INSTR('a', 'a', 1, 1, 0, 'c', -1)", 19301),
            ("REGEXP_REPLACE('a', 'a', 'b', 1, -1)", 19301),
            ("REGEXP_SUBSTR('a', 'a', 1, 1, 'c', -1)", 19301),
            ("REGEXP_COUNT('a', 'a', 1, 'iiiiiiiiiiiiiiiiiiiiiiiiiiiiiii')", 19302),
            ("REGEXP_COUNT('a', 'a', 1, 'I')", 19303),
            ("REGEXP_COUNT('a', ')')", 19307),
            ("REGEXP_COUNT('a', '(')", 19308),
            ("REGEXP_COUNT('a', '[')", 19308),
            ("REGEXP_COUNT('a', '\\')", 19309),
            ("REGEXP_COUNT('a', '((((a{1000}){1000}){1000}){1000})')", 19300),
        ],
    );
}
