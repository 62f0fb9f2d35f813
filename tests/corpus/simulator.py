"""The tests of sql-server-simulator, whose expected values its author asked of SQL Server, against a server: `simulator.py FOLDER`.

FOLDER is a checkout of RyanLamansky/sql-server-simulator (its C# tests, or any folder of such files). Read is what can be read
mechanically: `[TestMethod]`s, once for each `[DataRow]`, whose assertions are of these forms: a value of ExecuteScalar (AreEqual,
IsNull, IsTrue, IsInstanceOfType<DBNull>), a reader's cells and names row by row, an error's number or text (AssertSqlError,
AssertSqlMessage, ValidateSyntaxError, Throws and a comparison of the message), and statements run before. A method that does more
(parameters, loops, the simulator's own things) is left out. Each case gets a database of its own. MILLPOND names the server's binary.
Each disagreement is printed; the last line is the figure: how many of the cases that were read agree in all their assertions.
"""
import decimal
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tds
from babelfish import Server

SKIP = re.compile(r"\bDbParameter|CreateParameter|, \(\"@?\w+\", |foreach|\bfor \(|\bwhile \(|async|Task|GetSchema|"
                  r"Transaction\(|\bnew Simulation\([^)]|Assert\w*Warning|Prepare\(|InfoMessage|CommandTimeout|ConnectionString|"
                  r"SQL Server Simulator")
STRING = r'\$?@?"""[\s\S]*?"""|\$?@"(?:[^"]|"")*"|\$?"(?:\\.|[^"\\])*"'
SQL_CALL = re.compile(r"\b(ExecuteReader(?:AndRead)?|ExecuteScalar(?:<\w+\??>)?|ExecuteNonQuery|ExecuteBatches|AssertSqlError|"
                      r"AssertSqlMessage|ValidateSyntaxError|CreateCommand)\s*\(")


class Unreadable(Exception):
    pass


def close(text, at):
    """The index after the bracket that closes the one at `at`; strings and comments are passed over."""
    depth = 0
    skip = re.compile(STRING + r"|//[^\n]*|/\*[\s\S]*?\*/|'(?:\\.|[^'\\])'")
    while at < len(text):
        found = skip.match(text, at)
        if found:
            at = found.end()
            continue
        if text[at] in "([{":
            depth += 1
        elif text[at] in ")]}":
            depth -= 1
            if not depth:
                return at + 1
        at += 1
    raise Unreadable("no end")


def split(text):
    """Arguments, at the commas of the outermost level."""
    parts, at, start = [], 0, 0
    skip = re.compile(STRING + r"|//[^\n]*|'(?:\\.|[^'\\])'")
    while at < len(text):
        found = skip.match(text, at)
        if found:
            at = found.end()
        elif text[at] in "([{":
            at = close(text, at)
        else:
            if text[at] == ",":
                parts.append(text[start:at])
                start = at + 1
            at += 1
    return [part.strip() for part in parts + [text[start:]] if part.strip()]


def unescape(text):
    table = {"n": "\n", "r": "\r", "t": "\t", "0": "\0", '"': '"', "\\": "\\", "'": "'"}
    return re.sub(r"\\(u[0-9A-Fa-f]{4}|.)", lambda found: chr(int(found[1][1:], 16)) if found[1][0] == "u" else table[found[1]], text)


def value(text, names):
    """A C# constant, a name's value, or a text put together from them."""
    text = re.sub(r"//[^\n]*", "", text).strip() if '"' not in text else text.strip()
    text = re.sub(r"^\((?:object|string|byte|short|int|long|float|double|decimal)\??\)\s*", "", text)
    if text in names:
        return names[text]
    if text in ("null", "DBNull.Value"):
        return None
    if text in ("true", "false"):
        return text == "true"
    plain = text.replace("_", "")
    if re.fullmatch(r"-?\d+[LlUu]*", plain):
        return int(plain.rstrip("LlUu"))
    if re.fullmatch(r"-?\d*\.?\d+([eE][-+]?\d+)?[mMdDfF]?", plain):
        return decimal.Decimal(plain.rstrip("mMdDfF")) if plain[-1] in "mM" else float(plain.rstrip("dDfF"))
    if re.fullmatch(r"(int|long|short|byte)\.(Max|Min)Value", text):
        bits, signed = {"int": (32, 1), "long": (64, 1), "short": (16, 1), "byte": (8, 0)}[text.split(".")[0]]
        return {"Max": 2 ** (bits - signed) - 1, "Min": -2 ** (bits - 1) if signed else 0}[text.split(".")[1][:3]]
    pieces, at = [], 0
    while at < len(text):
        found = re.compile(r"\s*(?:\+\s*)?").match(text, at)
        at = found.end()
        found = re.compile(STRING).match(text, at)
        if found:
            pieces.append(literal(found[0], names))
        else:
            found = re.compile(r"[\w.]+(?:\(\))?").match(text, at)
            if not found:
                raise Unreadable(text[:60])
            pieces.append(str(inner(found[0], names)))
        at = found.end()
    if not pieces:
        raise Unreadable(text[:60])
    return "".join(pieces)


def inner(text, names):
    """What stands in the braces of an interpolated text."""
    name, _, form = text.partition(":")
    found = re.fullmatch(r"(\w+)(?:\.(ToUpperInvariant|ToLowerInvariant|ToString)\(\))?", name.strip())
    if not found or found[1] not in names:
        raise Unreadable(text[:60])
    held = names[found[1]]
    if found[2] == "ToUpperInvariant":
        held = held.upper()
    elif found[2] == "ToLowerInvariant":
        held = held.lower()
    if form:
        if not re.fullmatch(r"D\d+", form):
            raise Unreadable(text[:60])
        held = str(held).zfill(int(form[1:]))
    return held


def literal(text, names):
    mark = text.split('"')[0]
    body = text[len(mark):]
    if body.startswith('"""'):
        body = body[3:-3]
        if "\n" in body:
            lines = body.replace("\r", "").split("\n")[1:]
            margin = re.match(r"\s*", lines[-1])[0]
            body = "\n".join(line.removeprefix(margin) for line in lines[:-1])
    elif "@" in mark:
        body = body[1:-1].replace('""', '"')
    else:
        body = unescape(body[1:-1])
    if "$" in mark:
        body = re.sub(r"\{\{|\}\}|\{([^{}]*)\}",
                      lambda found: found[0][0] if found[0] in ("{{", "}}") else str(inner(found[1], names)), body)
    return body


def methods(source):
    """Of a file: each test's name, its rows of data, its parameters and its body."""
    for found in re.finditer(r"\[TestMethod\b", source):
        at, rows = found.start(), []
        while True:
            at = re.compile(r"(\s|//[^\n]*)*").match(source, at).end()
            if source[at] != "[":
                break
            end = close(source, at)
            row = re.match(r"\[DataRow\(([\s\S]*)\)\]", source[at:end])
            if row:
                rows.append(split(row[1]))
            at = end
        head = re.compile(r"(?:public|internal)\s+(?:static\s+)?([\w<>]+)\s+(\w+)\s*\(").match(source, at)
        if not head:
            continue
        end = close(source, head.end() - 1)
        names = [part.split("=")[0].split()[-1] for part in split(source[head.end():end - 1])]
        at = re.compile(r"\s*").match(source, end).end()
        if source.startswith("=>", at):
            stop = at
            while source[stop] != ";":
                text = re.compile(STRING + r"|'(?:\\.|[^'\\])'").match(source, stop)
                stop = text.end() if text else close(source, stop) if source[stop] in "([{" else stop + 1
            body = source[at + 2:stop] + ";"
        else:
            body = source[at + 1:close(source, at) - 1]
        yield head[2], head[1], rows, names, body


def statements(body):
    at = 0
    skip = re.compile(STRING + r"|//[^\n]*|/\*[\s\S]*?\*/|'(?:\\.|[^'\\])'")
    start, kept = 0, []
    while at < len(body):
        found = skip.match(body, at)
        if found:
            if found[0].startswith("/"):
                body = body[:at] + " " * len(found[0]) + body[found.end():]
            at = found.end()
        elif body[at] in "([{":
            at = close(body, at)
        else:
            if body[at] == ";":
                kept.append(body[start:at].strip())
                start = at + 1
            at += 1
    return kept


def call(text):
    """The first call that has to do with SQL in a text: its name and arguments."""
    found = SQL_CALL.search(re.sub(STRING, lambda text: '"' + " " * (len(text[0]) - 2) + '"', text))
    if not found:
        return None, []
    end = close(text, found.end() - 1)
    return found[1].split("<")[0], split(text[found.end():end - 1])


def cells(text, names):
    """What a test says of a reader: that there is a row, a cell's value, a column's name."""
    found = re.fullmatch(r"Is(True|False)\(\w+\.Read\(\)\)", text)
    if found:
        return "read", None, found[1] == "True"
    get = r"(?:\.GetValue|\.Get(?:Int\d\d|String|Boolean|Byte|Decimal|Double|Float))?"
    found = re.fullmatch(r"AreEqual\(([\s\S]+), \w+" + get + r"[\[(](\d+)[\])]\)", text)
    if found:
        return "cell", None, (int(found[2]), value(found[1], names))
    found = re.fullmatch(r"AreEqual\(([\s\S]+), \w+\.GetName\((\d+)\)\)", text)
    if found:
        return "name", None, (int(found[2]), value(found[1], names))
    found = re.fullmatch(r"Is(?:True\(\w+\.IsDBNull\((\d+)\)\)|InstanceOfType<DBNull>\(\w+\[(\d+)\]\))", text)
    if found:
        return "cell", None, (int(found[1] or found[2]), None)
    return None


def steps(body, names):
    """What a test does: (kind, batch, what is expected)."""
    names, done = dict(names), []
    for text in statements(body):
        name, arguments = call(text)
        bare = re.sub(r"^(?:Assert\.)", "", text)
        if not name:
            kept = re.fullmatch(r"(?:const\s+)?(?:string|var|int|long)\s+(\w+)\s*=\s*([\s\S]+)", bare)
            if kept:
                try:
                    names[kept[1]] = value(kept[2], names)
                    continue
                except Unreadable:
                    if re.search(r"new Simulation\(\)|CreateOpenConnection|CreateDbConnection", bare):
                        continue
                    raise
            step = cells(bare, names)
            if step:
                done.append(step)
                continue
            message = re.fullmatch(r"(AreEqual|Contains|StartsWith)\(([\s\S]+),\s*\w+\.Message\)", bare)
            if message and done:
                done.append((message[1], None, value(message[2], names)))
            elif not re.match(r"using|connection\.Open|_ =|HasCount\(6|AreEqual\(function", bare):
                raise Unreadable(text[:60])
            continue
        if name == "CreateCommand":
            found = re.search(r"\.(ExecuteScalar|ExecuteNonQuery|ExecuteReader)\(\)", text)
            if not found:
                raise Unreadable(text[:60])
            name = found[1]
        if name == "ExecuteBatches":
            done.extend(("run", value(each, names), None) for each in arguments)
            continue
        if not arguments:
            raise Unreadable(text[:60])
        sql = value(arguments[0], names)
        if name.startswith("ExecuteReader") and "Throws" not in text:
            done.append(("reader", sql, None))
            if name.endswith("AndRead"):
                done.append(("read", None, True))
            counted = re.fullmatch(r"AreEqual\((\w+), [\s\S]*\.EnumerateRecords\(\)\.Count\(\)\)", bare)
            if counted:
                done.append(("count", None, value(counted[1], names)))
                continue
            if not re.match(r"(using )?(var|DbDataReader) \w+ = |_ = ", text):
                step = cells(re.sub(r"(new Simulation\(\)|ExecuteReaderAndRead|sim\w*|connection)[\s\S]*(?=(\.\w+\(\d*\)|\[\d+\])\)$)",
                                    "reader", bare), names)
                if not step:
                    raise Unreadable(text[:60])
                done.append(step)
            continue
        if name == "AssertSqlError":
            done.append(("error", sql, value(arguments[1], names)))
            if len(arguments) > 2:
                done.append(("AreEqual", None, value(arguments[2], names)))
        elif name == "AssertSqlMessage":
            done.append(("throws", sql, None))
            done.append(("AreEqual", None, value(arguments[1], names)))
        elif name == "ValidateSyntaxError":
            done.append(("throws", sql, None))
            done.append(("AreEqual", None, f"Incorrect syntax near '{value(arguments[1], names)}'."))
        elif "Throws" in text:
            done.append(("throws", sql, None))
        elif re.match(r"(_ = )?IsInstanceOfType<DBNull>\(|IsNull\(", bare):
            done.append(("null" if "DBNull" in bare else "nothing", sql, None))
        elif re.match(r"Is(True|False)\(", bare):
            done.append(("value", sql, bare.startswith("IsTrue")))
        elif bare.startswith("AreEqual("):
            both = split(bare[len("AreEqual("):close(bare, len("AreEqual")) - 1])
            if name == "ExecuteScalar" and re.match(r"(new |sim|conn|Execute|\(|cmd)", both[1]) and "[" not in both[1]:
                done.append(("value", sql, value(both[0], names)))
            elif name == "ExecuteNonQuery":
                done.append(("run", sql, None))
            else:
                raise Unreadable(text[:60])
        elif re.match(r"(_ = |using |sim|new Sim|conn|command)", bare):
            done.append(("run", sql, None))
        else:
            raise Unreadable(text[:60])
    return done


def same(wanted, got):
    if isinstance(wanted, bool):
        return got == str(int(wanted))
    if isinstance(wanted, (int, float, decimal.Decimal)):
        try:
            return abs(float(got) - float(wanted)) <= 1e-12 * abs(float(wanted))
        except ValueError:
            return False
    return got == wanted


def play(connection, done):
    """The first step that does not agree, or nothing."""
    error, shown, at = None, None, -1
    for kind, sql, wanted in done:
        if kind == "count":
            if wanted != len(shown[1] if shown else []):
                return f"wanted {wanted} rows, got {shown}"
            continue
        if kind in ("read", "cell", "name"):
            columns, rows = shown or ([], [])
            at += kind == "read"
            if kind == "read":
                ok = wanted == (at < len(rows))
            elif kind == "name":
                ok = len(columns) > wanted[0] and columns[wanted[0]][0] == wanted[1]
            else:
                got = rows[at][wanted[0]] if 0 <= at < len(rows) and wanted[0] < len(rows[at]) else "nothing"
                ok = got is None if wanted[1] is None else got is not None and same(wanted[1], got)
            if not ok:
                return f"wanted {kind} {wanted!r}, got {columns} {rows[:3]}"
            continue
        if sql is None:
            text = error[5] if error else ""
            if not {"AreEqual": text == wanted, "Contains": str(wanted) in text, "StartsWith": text.startswith(str(wanted))}[kind]:
                return f"error's text: {text!r}, wanted {wanted!r}"
            continue
        answer = connection.run(sql) if sql.strip() else []
        errors = [item for item in answer if item[0] == "error"]
        rows = [item[2] for item in answer if item[0] == "rows"]
        error = errors[0] if errors else None
        if kind in ("error", "throws"):
            if not error or kind == "error" and error[1] != wanted:
                return f"{sql}\n  wanted error {wanted or ''}, got {error[1:2] + error[5:6] if error else rows}"
            continue
        if error:
            return f"{sql}\n  wanted {wanted!r}, got error {error[1]}: {error[5]}"
        if kind == "reader":
            shown, at = next(((item[1], item[2]) for item in answer if item[0] == "rows"), None), -1
        if kind in ("run", "reader"):
            continue
        first = rows[0][0][0] if rows and rows[0] else "nothing"
        if kind == "null" and first is not None or kind == "nothing" and first not in (None, "nothing") \
                or kind == "value" and not same(wanted, first):
            return f"{sql}\n  wanted {'NULL' if kind == 'null' else wanted!r}, got {first!r}"
    return None


def main():
    server = Server()
    admin = server.connect()
    read = agree = unread = 0
    paths = sorted(os.path.join(base, name) for base, _, names in os.walk(sys.argv[1]) for name in names if name.endswith(".cs"))
    for path in paths:
        source = open(path, encoding="utf-8-sig", errors="replace").read()
        if "[TestMethod" not in source:
            continue
        for name, kind, rows, parameters, body in methods(source):
            for row in rows or [[]]:
                try:
                    if SKIP.search(body) or kind != "void":
                        raise Unreadable(name)
                    done = steps(body, dict(zip(parameters, [value(part, {}) for part in row])))
                    if not any(step[0] not in ("run", "reader") for step in done):
                        raise Unreadable(name)
                except (Unreadable, KeyError, IndexError):
                    unread += 1
                    continue
                read += 1
                admin.run(f"create database case{read}")
                connection = server.connect(f"case{read}")
                try:
                    wrong = play(connection, done)
                except (tds.Gone, OSError) as gone:
                    wrong = f"connection lost: {gone}"
                connection.close()
                admin.run(f"drop database case{read}")
                agree += wrong is None
                if wrong:
                    print(f"=== {os.path.basename(path)} {name} {', '.join(row)}\n{wrong}")
    server.stop()
    print(f"left out: {unread} cases")
    print(f"simulator: {read} cases, {agree} agree ({100 * agree / max(read, 1):.1f} %)")


if __name__ == "__main__":
    main()
