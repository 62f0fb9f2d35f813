"""Tables for statements of Entity Framework Core whose models are C#: `tables(STATEMENTS, TYPES)`.

The names of tables and columns are what the statements themselves write (EF Core qualifies each column by an alias that a statement has once).
Types are those of the C# properties of these names in the checkout (`Types`), but where a statement's use of a column says more; what
is found nowhere is int where its name ends in Id, and text else. All columns allow NULL and `Id` has a default where an INSERT leaves
it out. So a refusal for the types of operands may be a wrong guess; the rows are few and made by a rule.
"""
import json
import os
import re
from collections import Counter, defaultdict

PROPERTY = re.compile(r"^\s*(?:\[[^\]\n]*\]\s*)*public\s+(?:(?:virtual|required|override|new|abstract)\s+)*([\w.<>\[\],? ]+?)\s+(\w+)\s*(?:\{\s*(?:get|set|init)|\{\s*$)", re.M)
CLASS = re.compile(r"\b(class|record|struct|enum)\s+(\w+)")
BUILDER = re.compile(r"Property<([\w.?<>\[\]]+)>\(\s*\"(\w+)\"")
CLR = {
    "int": "int", "long": "bigint", "short": "smallint", "byte": "tinyint", "bool": "bit", "string": "nvarchar(max)", "decimal": "decimal(18,2)",
    "double": "float", "float": "real", "DateTime": "datetime2", "DateTimeOffset": "datetimeoffset", "DateOnly": "date", "TimeOnly": "time",
    "TimeSpan": "time", "Guid": "uniqueidentifier", "byte[]": "varbinary(max)", "uint": "bigint", "ulong": "decimal(20,0)", "ushort": "int",
    "sbyte": "smallint", "char": "nvarchar(1)", "Uri": "nvarchar(max)", "IPAddress": "nvarchar(45)", "String": "nvarchar(max)", "Int32": "int",
}
SOURCE = re.compile(rf"\b(?:FROM|JOIN|APPLY|INTO|UPDATE|MERGE|DELETE FROM)\s+(?:TOP\(\w+\)\s+)?(\[[^\]]+\](?:\.\[[^\]]+\])?)(?!\s*\.)(\()?(?:\s+AS\s+(\[[^\]]+\]|\w+)|\s+([ti])\b)?")
COLUMN = re.compile(r"(?<![.\w])(\[[^\]]+\]|\b(?:INSERTED|DELETED|inserted|deleted)\b)\.(\[(?:[^\]])+\])(?!\s*\.\[|\()")
LIST = re.compile(r"\bINSERT\s+INTO\s+(\[[^\]]+\](?:\.\[[^\]]+\])?)\s*\(([^)]*)\)")
MERGED = re.compile(r"\bMERGE\s+(\[[^\]]+\](?:\.\[[^\]]+\])?).*?INSERT\s*\(([^)]*)\)", re.S)
EQUAL = re.compile(r"(?<![.\w])\[([^\]]+)\]\.\[([^\]]+)\] = \[([^\]]+)\]\.\[([^\]]+)\]")


class Types:
    """The types of the properties of all classes under some folders: by class and name, and by name alone."""

    def __init__(self, folders):
        self.by_class, self.by_name, self.kinds = defaultdict(Counter), defaultdict(Counter), defaultdict(set)
        self.by_file, self.by_folder, self.folders = {}, defaultdict(Counter), defaultdict(set)
        for folder in folders:
            for path, _, files in os.walk(folder):
                if "Baselines" in path:
                    continue
                for file in files:
                    if file.endswith(".cs"):
                        self.read(os.path.join(path, file), file)

    def read(self, path, file):
        code = open(path, encoding="utf-8-sig", errors="replace").read()
        own = self.by_file[file] = defaultdict(Counter)
        classes = [(m.start(), m.group(1), m.group(2)) for m in CLASS.finditer(code)]
        for _, kind, name in classes:
            self.kinds[name].add(kind)
            self.folders[name].add(os.path.dirname(path))
        for pattern in (PROPERTY, BUILDER):
            for match in pattern.finditer(code):
                type_, name = match.group(1).strip(), match.group(2)
                around = [c[2] for c in classes if c[0] < match.start()]
                for counter in (own[name], self.by_name[name], self.by_folder[(os.path.dirname(path), name)], self.by_class[(around[-1] if around else "", name)]):
                    counter[type_] += 1

    def sql(self, type_):
        """The column type of a C# type; None for one that a column does not have."""
        type_ = type_.rstrip("?").removeprefix("System.")
        nullable = re.fullmatch(r"Nullable<(.+)>", type_)
        if nullable:
            type_ = nullable.group(1)
        if type_ in CLR:
            return CLR[type_]
        if "[" in type_ or "<" in type_:
            return "nvarchar(max)"
        return "int" if self.kinds.get(type_) == {"enum"} else None

    def column(self, files, table, column):
        names = [column] + [column[i + 1:] for i, c in enumerate(column) if c == "_"]
        singular = [table, table.rstrip("s"), re.sub("ies$", "y", table), re.sub("es$", "", table)]
        for name in names:
            places = [self.by_class.get((one, name)) for one in singular]
            places += [self.by_file[file].get(name) for file in files if file in self.by_file]
            places += [self.by_folder.get((folder, name)) for one in singular for folder in sorted(self.folders.get(one, ()))]
            if not re.search(r"Id\d*$|ID$", name):
                places.append(self.by_name.get(name))
            for counter in places:
                for type_, _ in sorted((counter or Counter()).items(), key=lambda one: (-one[1], one[0].rstrip("?") != "int")):
                    if self.sql(type_):
                        return self.sql(type_)
        if re.search(r"Id\d*$|ID$|Count$|Number$", column):
            return "int"
        return "nvarchar(max)"


def bare(name):
    return name[1:-1] if name[:1] in '["' else name


def used(statements):
    """The tables that statements name, with their columns, and what the use of these says of their types."""
    found, hints, without_id, equal, paths = defaultdict(dict), {}, set(), [], defaultdict(dict)
    for statement in statements:
        text = re.sub(r"N?'(?:[^']|'')*'", "N''", statement.text)
        aliases = {}
        for table, is_call, alias, short in SOURCE.findall(text):
            alias = alias or short
            if is_call or re.search(rf"\bWITH\s+{re.escape(table)}\s+AS\b", text):
                continue
            found[table]
            aliases[bare(alias or table.split(".")[-1])] = table
        only = [table for table in aliases.values()]
        for table, columns in LIST.findall(text) + MERGED.findall(text):
            names = [bare(c.strip()) for c in columns.split(",") if c.strip()]
            found[table].update(dict.fromkeys(names))
            if "Id" not in names:
                without_id.add(table)
        for table in re.findall(r"\bINSERT\s+INTO\s+(\[[^\]]+\](?:\.\[[^\]]+\])?)\s*\n?\s*(?:OUTPUT[^\n]*\n)?\s*DEFAULT VALUES", text):
            without_id.add(table)
        for alias, column in COLUMN.findall(text):
            table = aliases.get(bare(alias))
            if table is None and bare(alias).lower() in ("inserted", "deleted") and only:
                for one in set(only):
                    found[one][bare(column)] = None
            if table is not None:
                found[table][bare(column)] = None
        for part in re.split(r";\s*\n", text):
            target = re.match(r"\s*UPDATE\s+(?:TOP\(\w+\)\s+)?(\[[^\]]+\](?:\.\[[^\]]+\])?)", part) or re.match(r"\s*DELETE\s+FROM\s+(\[[^\]]+\](?:\.\[[^\]]+\])?)", part)
            if target and target.group(1) in found and " FROM " not in part.replace("\n", " ").replace("DELETE FROM", ""):
                for column in re.findall(r"(?<![.\]\w])(\[[^\]]+\])(?=\s*(?:=|IS)\s)", part):
                    found[target.group(1)][bare(column)] = None
        of_parameters = {p.name: p.type for p in statement.parameters}
        for alias, table in aliases.items():
            unqualified = re.findall(r"(?:JSON_VALUE|JSON_QUERY|JSON_MODIFY|OPENJSON|ISJSON)\(\[([^\]]+)\](?!\.)(?:, N?'([^']*)')?", statement.text)
            column = rf"\[{re.escape(alias)}\]\.\[([^\]]+)\]"
            qualified = re.findall(rf"(?:JSON_VALUE|JSON_QUERY|JSON_MODIFY|OPENJSON|ISJSON)\({column}(?:, N?'([^']*)')?", statement.text)
            for name, path in (unqualified if len(set(aliases.values())) == 1 else []) + qualified:
                found[table][name] = None
                hints[(table, name)] = "json"
                paths[(table, name)].setdefault(path)
            for name, path, type_ in re.findall(rf"CAST\(JSON_VALUE\({column}, '([^']*)'\) AS ({LEAF})", statement.text):
                paths[(table, name)][path] = type_
            for name, type_ in re.findall(rf"OPENJSON\({column}\) WITH \(\[value\] ({LEAF})", statement.text):
                paths[(table, name)]["each"] = type_
            for name, rows in re.findall(rf"OPENJSON\({column}[^)]*\) AS \[(\w+)\]", statement.text):
                if f"[{rows}].[value], '$." in statement.text:
                    paths[(table, name)]["each"] = "object"
            for name, parameter in re.findall(rf"{column} (?:=|<>|<|>|<=|>=|IN \() ?(@\w+)", statement.text):
                if re.match("uniqueidentifier|date|time|bit|varbinary", of_parameters.get(parameter, "")):
                    hints.setdefault((table, name), of_parameters[parameter])
            for pattern, type_ in ((rf"{column} (?:=|<>) CAST\([01] AS bit\)", "bit"), (rf"{column} (?:=|<>|LIKE|IN \() ?N'", "nvarchar(450)"),
                                   (rf"{column} (?:=|<>|<|>|<=|>=|IN \() ?-?\d+(?![\w.])", "int"),
                                   (rf"{column} (?:=|<>|IN \() ?'[0-9a-f]{{8}}-", "uniqueidentifier")):
                for name in re.findall(pattern, statement.text):
                    hints.setdefault((table, name), type_)
        for columns, table in re.findall(r"\bSELECT ((?:\[[^\]]+\](?:, )?)+)\s+FROM (\[[^\]]+\](?:\.\[[^\]]+\])?)\s", text):
            for column in re.findall(r"\[([^\]]+)\]", columns):
                found[table][column] = None
        for a, left, b, right in EQUAL.findall(text):
            if a in aliases and b in aliases:
                equal.append(((aliases[a], left), (aliases[b], right)))
    return found, hints, without_id, equal, paths


def unify(columns, equal):
    """Gives columns that statements compare with each other the type that most of them have."""
    group = {}
    for left, right in equal:
        members = group.get(left, {left}) | group.get(right, {right})
        for member in members:
            group[member] = members
    for members in {id(one): one for one in group.values()}.values():
        here = [(table, name) for table, name in members if name in columns.get(table, ())]
        if here and not any(columns[table][name] == "json" for table, name in here):
            counts = Counter(columns[table][name] for table, name in here)
            type_ = max(counts, key=lambda one: (counts[one], one == "int"))
            for table, name in here:
                columns[table][name] = type_


def columns_of(table, names, hints, types, files):
    """The columns of a table with their types: 'json' is a text that holds JSON."""
    columns, folded = {}, set()
    for name in names or {"Id": None}:
        if name.lower() not in folded:
            folded.add(name.lower())
            columns[name] = hints.get((table, name)) or types.column(files, bare(re.findall(r"\[[^\]]+\]", table)[-1]), name)
    return columns


def tables(statements, types, files):
    """CREATE TABLE and INSERT texts for what the statements name."""
    found, hints, without_id, equal, paths = used(statements)
    of_tables = {table: columns_of(table, found[table], hints, types, files) for table in found}
    unify(of_tables, equal)
    seen = set()
    for table in sorted(found):
        parts = [bare(part) for part in re.findall(r"\[[^\]]+\]", table)]
        if parts[0].lower() in ("sys", "information_schema") or table.lower() in seen or parts[0].startswith("#"):
            continue
        seen.add(table.lower())
        columns = of_tables[table]
        if len(parts) > 1:
            yield f"IF SCHEMA_ID(N'{parts[0]}') IS NULL EXEC(N'CREATE SCHEMA [{parts[0]}]')"
        of = lambda name, type_: "nvarchar(max)" if type_ == "json" else type_
        rule = lambda name: " DEFAULT ABS(CHECKSUM(NEWID()))" if name == "Id" and table in without_id and columns[name] in ("int", "bigint") else ""
        yield f"CREATE TABLE {table} (" + ", ".join(f"[{name}] {of(name, type_)} NULL{rule(name)}" for name, type_ in columns.items()) + ")"
        rows = ",\n".join("(" + ", ".join(
            document(paths[(table, name)], i) if type_ == "json" else value(type_, i + n, i) for n, (name, type_) in enumerate(columns.items())) + ")" for i in range(1, 6))
        yield f"INSERT INTO {table} (" + ", ".join(f"[{name}]" for name in columns) + f") VALUES\n{rows}"


LEAF = "date\\w*|time|uniqueidentifier|varbinary"
LEAVES = {"object": {"Id": 1, "Name": "1", "Number": 1}, "varbinary": "AQI=", "date": "2020-01-02", "datetime2": "2020-01-02T03:04:05", "datetime": "2020-01-02T03:04:05", "time": "03:04:05",
          "datetimeoffset": "2020-01-02T03:04:05+01:00", "uniqueidentifier": "00000001-0000-0000-0000-000000000001"}


def document(paths, row):
    """A JSON text that has all paths that statements ask of a column; in the last two rows an empty one and NULL."""
    if row > 3:
        return "NULL" if row == 5 else "N'[]'" if not any("$." in path for path in paths) else "N'{}'"
    each = LEAVES.get(paths.get("each"), row)
    root = [None]
    for path in sorted(path for path in paths if "$" in path):
        place, key, leaf = root, 0, LEAVES.get(paths[path], row)
        for name, quoted_name, index in re.findall(r'\.(\w+)|\."([^"]+)"|\[(\d+)\]', path.partition("$")[2]):
            if not isinstance(place[key], (dict, list)):
                place[key] = [] if index else {}
            place = place[key]
            if isinstance(place, list) != bool(index):
                break
            key = int(index) if index else name or quoted_name
            if index:
                place.extend([leaf] * (min(key, 9) + 1 - len(place)))
                key = min(key, 9)
            else:
                place.setdefault(key, leaf)
    document = root[0] if root[0] is not None else [each, each]
    return "N'" + json.dumps(document) + "'"


def value(type_, seed, row):
    """A value for a row: numbers are the row's, so that keys of tables meet; each fifth of the others is NULL."""
    if type_ in ("int", "bigint", "smallint", "tinyint", "decimal(18,2)", "float", "real", "decimal(20,0)"):
        return str(row)
    if seed % 5 == 0:
        return "NULL"
    if type_ == "bit":
        return str(seed % 2)
    if re.match(r"(small)?datetime(2|\b)", type_):
        return f"'2020-0{row}-1{seed % 10}T10:3{row}:00'"
    if type_.startswith("datetimeoffset"):
        return f"'2020-0{row}-1{seed % 10}T10:3{row}:00+0{row}:00'"
    if type_ == "date":
        return f"'2020-0{row}-1{seed % 10}'"
    if type_.startswith("time"):
        return f"'1{seed % 10}:0{row}:00'"
    if type_ == "uniqueidentifier":
        return f"'0000000{row}-0000-0000-0000-00000000000{row}'"
    if type_.startswith("varbinary"):
        return f"0x0{row}"
    return f"N'{'abcde'[seed % 5] * (1 if type_ == 'nvarchar(1)' else row)}'"
