"""The SQL that the tests of Entity Framework Core expect to be sent, read out of a checkout's C#: `statements(FILE)`.

Each text is an argument of `AssertSql` or one of its kin, in the order of the file. The lines before its first empty one name the
parameters as the provider's log prints them (`@p='London' (Size = 15)`): name, value, and what is not the usual of its type. The
type itself is not printed, so it is inferred from the shape of the value; a number without a point is an int where it fits one.
"""
import re
from collections import namedtuple

Statement = namedtuple("Statement", "file method line text parameters")
Parameter = namedtuple("Parameter", "name type value is_output")  # value: a T-SQL literal

METHOD = re.compile(r"\b(?:public|protected|private|internal)\s+(?:(?:override|virtual|async|static|new)\s+)*[\w<>\[\],.?]+\s+(\w+)\s*(?:<\w+>)?\s*\(")
CALL = re.compile(r"\b(?:Assert(?:Sql|ExecuteUpdateSql|\.Equal|\.StartsWith)|(?<![\w.] )(?<!\.)Test)\s*\(")
# What `Assert.Equal` compares, and what the tests of reverse engineering make by `Test`, is SQL where it begins as that does.
BEGINS = re.compile(r"\s*(?:SELECT|INSERT|UPDATE|DELETE|MERGE|WITH|DECLARE|SET|CREATE|ALTER|DROP|IF|EXEC|BEGIN|COMMIT|USE|@\w+=)\b[^\n]* |@\w+=")
PARAMETER = re.compile(r"@?([\w]+)=(NULL|'(.*?)')((?: \((?:Size|Nullable|DbType|Precision|Scale|Direction) = -?\w+\))*)\s*$", re.S)
FACET = re.compile(r"\((\w+) = (-?\w+)\)")
DATE = r"\d{4}-\d\d-\d\d"
# A line of GO, but within texts, names and comments.
GO = re.compile(r"('(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\[(?:[^\]]|\]\])*\]|/\*.*?\*/|--[^\n]*)|^[ \t]*GO(?:[ \t]+(\d+))?[ \t]*;?[ \t]*$", re.I | re.M | re.S)
INT = range(-2**31, 2**31)


def tokens(code):
    """(kind, start, end, value) of a C# source: kind is 'code' or 'text', of which interpolated ones have the value None."""
    start = at = 0
    piece = re.compile(r'//[^\n]*|/\*.*?\*/|\'(?:\\[^\n]{1,8}?|[^\'\\\n])\'|\$*"{3,}|\$?@\$?"|\$?"', re.S)
    while True:
        found = piece.search(code, at)
        if found is None:
            yield "code", start, len(code), code[start:]
            return
        word = found.group()
        if word[0] in "/'":
            # A comment or a character: blanks, so that what is left keeps its places.
            yield "code", start, found.start(), code[start:found.start()]
            start = at = found.end()
            continue
        yield "code", start, found.start(), code[start:found.start()]
        quotes = '"' * (len(word) - len(word.rstrip('"')))
        if len(quotes) >= 3:
            end = code.index(quotes, found.end())
            value = raw(code[found.end():end])
        elif "@" in word:
            end = found.end()
            while True:
                end = code.index('"', end)
                if code[end + 1:end + 2] != '"':
                    break
                end += 2
            value = code[found.end():end].replace('""', '"')
        else:
            end, holes = found.end(), 0
            while end < len(code) and (code[end] != '"' or holes):
                if "$" in word and code[end] in "{}":
                    holes += 1 if code[end] == "{" else -1
                end += 2 if code[end] == "\\" else 1
            value = code[found.end():end].replace('\\"', '"').replace("\\r", "\r").replace("\\n", "\n").replace("\\\\", "\\")
        start = at = end + len(quotes) if len(quotes) >= 3 else end + 1
        yield "text", found.start(), at, None if "$" in word else value


def raw(body):
    """The content of a raw text of several lines: without the first and last line's ends, and the last one's indentation."""
    lines = body.replace("\r", "").split("\n")
    if len(lines) < 2:
        return body
    indent = lines[-1]
    return "\n".join(line[len(indent):] if line.startswith(indent) else line for line in lines[1:-1])


def statements(path, name):
    """The statements of a file, and how many texts are put together when a test runs (interpolated, or joined by +)."""
    code = open(path, encoding="utf-8-sig").read().replace("\r", "")
    method, depth, is_sql, found, skipped = "", 0, False, [], 0
    parts = list(tokens(code))
    for place, (kind, start, _, value) in enumerate(parts):
        if kind == "text":
            around = parts[place - 1][3], parts[place + 1][3]
            is_piece = around[0].rstrip().endswith("+") or around[1].lstrip().startswith("+")
            if depth and (value is None or is_piece):
                skipped += is_sql
            elif depth and re.search(r"\S\s+\S", value) and (is_sql or BEGINS.match(value)):
                found.append((method, code.count("\n", 0, start) + 1, value))
            continue
        at = 0
        while at < len(value):
            if depth:
                if value[at] in "()":
                    depth += 1 if value[at] == "(" else -1
                at += 1
                continue
            call = CALL.search(value, at)
            for match in METHOD.finditer(value, at, call.start() if call else len(value)):
                method = match.group(1)
            if call is None:
                break
            depth, at, is_sql = 1, call.end(), "Sql" in call.group()
    result = []
    for method, line, value in found:
        parameters, text = split(value)
        if parameters is None:
            skipped += 1
        elif text.strip():
            result.append(Statement(name, method, line, text, parameters))
    return result, skipped


def split(text):
    """The parameters that are named before a statement, and the statement; None for parameters that cannot be read."""
    if not re.match(r"@?\w+=(?:NULL|')", text):
        return [], text
    head, _, rest = text.partition("\n\n")
    parameters = []
    for line in re.split(r"\n(?=@?\w+=(?:NULL|'))", head):
        found = PARAMETER.match(line)
        if found is None:
            return None, rest
        value = None if found.group(2) == "NULL" else found.group(3)
        facets = dict(FACET.findall(found.group(4)))
        parameters.append(parameter(found.group(1), value, facets))
    return parameters, rest


def quoted(value):
    return "N'" + value.replace("'", "''") + "'"


def parameter(name, value, facets):
    """The parameter with a type that its printed value and facets allow."""
    kind, size = facets.get("DbType"), facets.get("Size")
    literal = "NULL" if value is None else quoted(value)
    of = lambda base, limit: f"{base}({'max' if size is None or not 0 < int(size) <= limit else size})"
    fixed = {"Int16": "smallint", "Int32": "int", "Int64": "bigint", "Byte": "tinyint", "Boolean": "bit", "Single": "real",
             "Double": "float", "Guid": "uniqueidentifier", "Date": "date", "DateTime": "datetime", "Currency": "money",
             "Xml": "xml", "Object": "json" if value is None or value[:1] in "{[" else "sql_variant"}
    scale = facets.get("Scale")
    if kind in fixed:
        type_ = fixed[kind]
        if kind == "DateTime" and value:
            literal = quoted(value[:23])
    elif kind in ("Time", "DateTime2", "DateTimeOffset"):
        type_ = kind.lower() + (f"({scale})" if scale else "")
    elif kind in ("AnsiString", "AnsiStringFixedLength"):
        type_ = of("varchar" if kind == "AnsiString" else "char", 8000)
        literal = literal.lstrip("N") if value is not None else literal
    elif kind == "StringFixedLength":
        type_ = of("nchar", 4000)
    elif kind == "Binary":
        type_ = of("binary" if size and int(size) <= 8000 else "varbinary", 8000)
        literal = value or "NULL"
    elif value is None:
        type_ = of("nvarchar", 4000) if size else f"decimal(18,{scale or 2})" if scale or "Precision" in facets else "int"
    elif size is not None:
        is_bytes = re.fullmatch(r"0x([0-9A-F]{2})*", value)
        type_ = of("varbinary" if is_bytes else "nvarchar", 8000 if is_bytes else 4000)
        literal = value if is_bytes else literal
    elif value in ("True", "False"):
        type_, literal = "bit", str(int(value == "True"))
    elif re.fullmatch(r"-?\d+", value) and not (scale or "Precision" in facets):
        type_, literal = ("int" if int(value) in INT else "bigint" if abs(int(value)) < 2**63 else "decimal(38,0)"), value
    elif re.fullmatch(r"-?\d+(\.\d+)?", value):
        type_ = f"decimal({facets.get('Precision', 38 if len(value) > 18 else 18)},{scale or len(value.partition('.')[2])})"
        literal = value
    elif re.fullmatch(r"-?\d+(\.\d+)?E[+-]?\d+", value):
        type_, literal = "float", value
    elif re.fullmatch(rf"{DATE}T[\d:.]+[+-]\d\d:\d\d", value):
        type_ = "datetimeoffset" + (f"({scale})" if scale else "")
    elif re.fullmatch(rf"{DATE}T[\d:.]+Z?", value):
        type_ = "datetime2" + (f"({scale})" if scale else "")
    elif re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", value):
        type_ = "uniqueidentifier"
    elif re.fullmatch(r"0x([0-9A-F]{2})*", value):
        type_, literal = "varbinary(max)", value
    elif re.fullmatch(r"\d\d:\d\d:\d\d(\.\d+)?", value):
        type_ = "time"
    elif re.fullmatch(DATE, value):
        type_ = "date"
    else:
        type_ = "nvarchar(max)"
    return Parameter("@" + name, type_, literal, facets.get("Direction") in ("Output", "InputOutput"))


def batch(statement):
    """What is sent: the text, or a call of sp_executesql, which is what a command with parameters comes to."""
    if not statement.parameters:
        return statement.text
    declared = ", ".join(f"{p.name} {p.type}{' output' if p.is_output else ''}" for p in statement.parameters)
    before = "".join(f"declare @out{i} {p.type}; " for i, p in enumerate(statement.parameters) if p.is_output)
    values = ", ".join(f"{p.name} = @out{i} output" if p.is_output else f"{p.name} = {p.value}" for i, p in enumerate(statement.parameters))
    return f"{before}exec sp_executesql {quoted(statement.text)}, N'{declared}', {values}"


def batches(text):
    """The batches of a script, which lines of GO end; one of GO with a number is there so often."""
    start, parts = 0, []
    for match in GO.finditer(text):
        if match.group(1) is None:
            parts += [text[start:match.start()]] * int(match.group(2) or 1)
            start = match.end()
    return [part for part in parts + [text[start:]] if part.strip()]
