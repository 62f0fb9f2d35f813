//! The built-in functions that take long values, and the operators that look at texts, each with hostile arguments.
//!
//! A call that is long of itself stands alone. One that is over soon, however long its arguments, is repeated within one
//! expression: evaluation looks for a cancellation from call to call.

use std::fmt::Write;

use millpond_builtin::FunctionDef;
use millpond_types::{MaxLen, SqlType};

use super::Row;

/// Functions that take a long value and look at a few of its characters only; they need no row.
pub(super) const SHORT: &[(&str, &str)] = &[
    ("ASCII", "looks at the first character"),
    ("UNICODE", "looks at the first character"),
    ("REGEXP_LIKE", "one search, in time that grows with the text; those that search again and again have rows"),
    ("DIFFERENCE", "ends at the fourth letter; SOUNDEX, which it consists of, has a row"),
];

/// Values for the rows: `@m` of 64 MB in ASCII, `@u` of 56 MB beyond it, `@b` of bytes, and results to be thrown away.
const VALUES: &str = "declare @n bigint, @r varchar(max), @q nvarchar(max), @h varbinary(max)
    declare @m varchar(max) = replicate(cast('ab c' as varchar(max)), 16000000)
    declare @u nvarchar(max) = replicate(cast(N'äb Ж' as nvarchar(max)), 8000000)";
/// Bytes as well.
const BYTES: &str = " declare @b varbinary(max) = cast(@m as varbinary(max))";

/// Expressions that are long of themselves, by function.
const ONCE: &[(&str, &str)] = &[
    ("REVERSE", "select @r = reverse(@m)"),
    ("REVERSE of more than ASCII", "select @q = reverse(@u)"),
    ("UPPER", "select @q = upper(@u)"),
    ("LOWER", "select @q = lower(@u)"),
    ("LTRIM", "select @r = ltrim(@m, 'zyxwvutsrqponmlkjihgfedcba ')"),
    ("RTRIM", "select @r = rtrim(@m, 'zyxwvutsrqponmlkjihgfedcba ')"),
    ("TRIM", "select @r = trim('zyxwvutsrqponmlkjihgfedcba ' from @m)"),
    ("CHARINDEX", "select @n = charindex('bbbb', @u)"),
    (
        "CHARINDEX of much that almost matches",
        "select @n = charindex(replicate(cast('a' as varchar(max)), 100000) + 'b', replicate(cast('a' as varchar(max)), 2000000))",
    ),
    ("TERTIARY_WEIGHTS", "select @h = tertiary_weights(@m collate SQL_Latin1_General_Pref_CP437_CI_AS)"),
    ("CHARINDEX of letters", "select @n = charindex(N'жж', @u)"),
    ("PATINDEX", "select @n = patindex('%[x-z]%', @m)"),
    (
        "PATINDEX of nested wildcards",
        "select @n = patindex('%a%b%[a-c]_____________________________________________________________________x%', @m)",
    ),
    ("REPLACE", "select @r = replace(@m, 'ab', 'cd')"),
    ("REPLACE of letters", "select @q = replace(@u, N'ж', N'y')"),
    ("TRANSLATE", "select @r = translate(@m, 'zyxwvutsrqponmlkjihgfedcba', '01234567890123456789012345')"),
    ("REGEXP_COUNT", "select @n = regexp_count(@m, 'b')"),
    ("REGEXP_INSTR", "select @n = regexp_instr(@m, 'b', 1, 15000000)"),
    ("REGEXP_REPLACE", "select @r = regexp_replace(@m, '(a)(b)', '\\2\\1')"),
    ("REGEXP_SUBSTR", "select @r = regexp_substr(@m, 'b', 1, 15000000)"),
    ("STRING_ESCAPE", "select @q = string_escape(@m, 'json')"),
    ("SOUNDEX", "select @r = soundex(replicate(cast('a' as varchar(max)), 100000000))"),
    ("CHECKSUM", "select @n = checksum(@u)"),
    ("BINARY_CHECKSUM", "select @n = binary_checksum(@u)"),
    ("HASHBYTES md5", "select @h = hashbytes('md5', @m)"),
    ("HASHBYTES sha1", "select @h = hashbytes('sha1', @m)"),
    ("HASHBYTES sha2_256", "select @h = hashbytes('sha2_256', @m)"),
    ("HASHBYTES sha2_512", "select @h = hashbytes('sha2_512', @m)"),
    ("LEN of more than ASCII", "select @n = len(@u)"),
    ("LEFT of more than ASCII", "select @q = left(@u, 30000000)"),
    ("RIGHT of more than ASCII", "select @q = right(@u, 30000000)"),
    ("SUBSTRING of more than ASCII", "select @q = substring(@u, 2, 30000000)"),
    ("STUFF of more than ASCII", "select @q = stuff(@u, 20000000, 1, N'ö')"),
    ("UNISTR", "select @q = unistr(@u)"),
    ("BASE64_DECODE", "select @h = base64_decode(replicate(cast('abcd' as varchar(max)), 16000000))"),
    ("BASE64_ENCODE", "select @r = base64_encode(@b)"),
    ("COMPRESS", "select @h = compress(@u)"),
    ("DECOMPRESS", "select @h = decompress(compress(@b))"),
    ("FORMATMESSAGE", "select @q = formatmessage(replicate(cast('%%' as varchar(max)), 50000000))"),
    ("GREATEST", "select @q = greatest(@u + N'a', @u + N'b', @u + N'c', @u + N'd', @u + N'e')"),
    ("LEAST", "select @q = least(@u + N'a', @u + N'b', @u + N'c', @u + N'd', @u + N'e')"),
    ("= of texts", "if @u + N'a' = @u + N'b' select 1"),
    (
        "LIKE",
        "if @m like '%a%b%[a-c]__________________________________________________________________________x%' select 1",
    ),
    ("LIKE with escape", "if @u like N'%!ж%x%' escape N'!' select 1"),
    ("CAST to varchar", "select @r = cast(@u as varchar(max))"),
    ("CAST to nvarchar of bytes", "select @q = cast(cast(@u as varbinary(max)) as nvarchar(max))"),
    ("CAST to varbinary", "select @h = cast(@u as varbinary(max))"),
    ("CONVERT of hex", "select @h = convert(varbinary(max), replicate(cast('ab' as varchar(max)), 60000000), 2)"),
    ("CONVERT to hex", "select @r = convert(varchar(max), cast(@m as varbinary(max)), 2)"),
    ("concatenation in a loop", "while 1 = 1 set @r = isnull(@r, '') + 'x'"),
];

/// Expressions that are over soon; each is a number or a text.
const OFTEN: &[(&str, &str)] = &[
    ("LEN", "len(@m + 'x')"),
    ("DATALENGTH", "datalength(@m + 'x')"),
    ("LEFT", "left(@m, 60000000)"),
    ("RIGHT", "right(@m, 60000000)"),
    ("SUBSTRING", "substring(@m, 2, 60000000)"),
    ("STUFF", "stuff(@m, 2, 1, 'x')"),
    ("REPLICATE", "replicate(cast('abc' as varchar(max)), 20000000)"),
    ("CONCAT", "concat(@m, 'x')"),
    ("CONCAT_WS", "concat_ws(',', @m, 'x')"),
    ("ISNUMERIC", "isnumeric(@m + 'x')"),
    ("ISDATE", "isdate(left(@m, 60000000))"),
    ("CHARINDEX binary", "charindex(N'жж', @u collate Latin1_General_BIN2)"),
    ("+ of texts", "@m + 'x'"),
    ("ISJSON", "isjson('[\"' + @m + '\"]')"),
    ("JSON_VALUE", "json_value('{\"a\":\"' + @m + '\"}', '$.b')"),
    ("JSON_QUERY", "json_query('{\"a\":[\"' + @m + '\"]}', '$.a')"),
    ("JSON_PATH_EXISTS", "json_path_exists('{\"a\":\"' + @m + '\"}', '$.b')"),
    ("JSON_MODIFY", "json_modify('{\"a\":\"' + @m + '\"}', '$.b', 1)"),
    ("JSON_OBJECT", "json_object('a': @m)"),
    ("JSON_ARRAY", "json_array(@m)"),
    ("DATE_BUCKET", "date_bucket(minute, 1, cast('1753-01-01' as datetime2), cast('9999-01-01' as datetime2))"),
];

/// How often those are repeated.
const REPEATED: usize = 300;

/// Those that plans are asked too, of which some have operators of their own for them.
pub(super) const PLANNED: &[&str] = &["LIKE", "UPPER", "REPLACE of letters", "CAST to varchar", "LEN"];

/// All rows.
pub(super) fn rows() -> Vec<Row> {
    let row = |name: &str, hostile: String| {
        let before = if hostile.contains("@b") { format!("{VALUES}{BYTES}") } else { VALUES.to_owned() };
        Row { before, ..Row::new(name, &hostile) }
    };
    let once = ONCE.iter().map(|(name, hostile)| row(name, (*hostile).to_owned()));
    let often = OFTEN.iter().map(|(name, call)| {
        let mut text = String::from("while 1 = 1 select @n = 0");
        for _ in 0..REPEATED {
            let _ = write!(text, " + case when {call} is null then 1 else 0 end");
        }
        row(name, text)
    });
    once.chain(often).collect()
}

/// Whether a parameter of the function is a `(max)` type when it is given one.
pub(super) fn takes_long_values(def: &FunctionDef) -> bool {
    let long = [
        SqlType::varchar_of(MaxLen::Max),
        SqlType::NVarChar { len: MaxLen::Max },
        SqlType::VarBinary { len: MaxLen::Max },
    ];
    let is_long = |ty: &SqlType| {
        matches!(
            ty,
            SqlType::VarChar { len: MaxLen::Max, .. }
                | SqlType::NVarChar { len: MaxLen::Max }
                | SqlType::VarBinary { len: MaxLen::Max }
        )
    };
    let counts = def.min_args..=def.max_args.min(def.min_args + 3);
    counts
        .flat_map(|count| long.map(|ty| vec![Some(ty); count]))
        .any(|types| (def.bind)(&types).is_ok_and(|signature| signature.params.iter().any(is_long)))
}
