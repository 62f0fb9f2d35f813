"""What SQL Server Management Studio's object explorer asks, against a server: `smo.py FOLDER [TYPE…]`.

FOLDER is a checkout of microsoft/sqlmanagementobjects. Its enumerator makes a query for each kind of object from XML files: properties are
expressions, and name the tables that they need; a kind is joined to its parent by properties of that one. This program makes the same
queries for version 16 (the whole of a kind, and when that fails each property alone) and runs them in a database that has some of everything.
What the enumerator does in C# after a query is not done. MILLPOND names the server's binary. The last lines are the figures.
"""
import os
import re
import sys
import xml.etree.ElementTree as ET

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from babelfish import Server

MAJOR = 16
SETUP = """
create database shop
go
use shop
go
create schema sales
go
create type sales.code from varchar(8) not null
go
create type sales.lines as table (id int not null primary key, name nvarchar(40))
go
create sequence sales.numbers as int start with 1
go
create table sales.customer (id int identity primary key, name nvarchar(40) not null default N'x', code sales.code, x xml null, n as id * 2 persisted, check (id > 0))
go
create table sales.orders (id int not null primary key, customer int not null references sales.customer (id), d date null)
create index ix on sales.orders (d) include (customer) where d is not null
create statistics st on sales.orders (customer, d)
go
create view sales.v with schemabinding as select id, name from sales.customer
go
create procedure sales.p @a int, @b nvarchar(10) = N'b' output as select @a a
go
create function sales.f (@a int) returns int as begin return @a + 1 end
go
create function sales.t (@a int) returns table as return select @a a
go
create trigger sales.tr on sales.orders after insert as return
go
create trigger ddl on database for create_table as return
go
create synonym sales.s for sales.orders
go
create role clerks
create user ann without login
alter role clerks add member ann
grant select on sales.orders to clerks
grant select on sales.customer (name) to clerks
go
exec sp_addextendedproperty 'MS_Description', 'all orders', 'schema', 'sales', 'table', 'orders'
go
create partition function pf (int) as range left for values (10, 20)
create partition scheme ps as partition pf all to ([primary])
create table parts (id int not null) on ps (id)
insert sales.customer (name, code) values (N'a', 'x'), (N'b', 'y')
insert parts values (1), (15), (25)
go
exec msdb.dbo.sp_add_job @job_name = N'nightly'
exec msdb.dbo.sp_add_jobstep @job_name = N'nightly', @step_name = N'one', @command = N'select 1'
exec msdb.dbo.sp_add_operator @name = N'ann'
go
backup database shop to disk = 'nul'
"""


class Level:
    """A kind of object: what its file says for this version."""

    def __init__(self, kind, path, folder, parent):
        self.kind, self.parent, self.folder = kind, parent, folder
        self.properties, self.links, self.prefixes, self.postfixes, self.parent_link = {}, [], [], [], None
        self.request = []
        self.distinct = False
        root = find(folder, path)
        if root is None:
            raise KeyError(path)
        self.unions = [node.get("type") for node in root.iter("union") for node in node]
        self.read(root, None, None)

    def read(self, root, alias, only):
        for part in root:
            if part.tag == "settings":
                self.distinct |= part.get("distinct") == "true"
                if part.get("main_table"):
                    self.links.append({"fields": None, "table": sub(part.get("main_table"), alias), "on": sub(part.get("additional_filter"), alias), "node": None})
                self.settings(part, alias)
            elif part.tag == "properties":
                self.read_properties(part, alias, only)

    def settings(self, part, alias):
        for node in part:
            if node.tag == "version":
                if applies(node):
                    self.settings(node, alias)
            elif node.tag == "include":
                self.include(node, alias)
            elif node.tag == "parent_link":
                self.parent_link = node
            elif node.tag == "request_parent_select":
                self.request = [field.get("name") for field in node]
            elif node.tag == "property_link":
                table, join = None, ""
                for name, word in (("table", "INNER JOIN "), ("join", "INNER JOIN "), ("left_join", "LEFT OUTER JOIN ")):
                    if node.get(name):
                        table, join = sub(node.get(name), alias), word
                if node.get("alias") and table:
                    table += " AS " + sub(node.get("alias"), alias)
                self.links.append({"fields": fields(node), "table": table, "join": join, "classic": bool(node.get("table")),
                                   "on": sub(node.text, alias), "node": node.find("link_multiple"),
                                   "named": node.get("expression_is_for_table_name") == "true", "alias": alias})
            elif node.tag in ("prefix", "postfix"):
                many = self.prefixes if node.tag == "prefix" else self.postfixes
                many.append({"fields": fields(node), "text": sub(node.text, alias), "node": node.find("link_multiple"), "alias": alias})

    def include(self, node, alias):
        own = sub(node.get("alias"), alias)
        root = find(self.folder, node.get("file"))
        if root is not None:
            self.read(root, own, fields(node, "for"))

    def read_properties(self, part, alias, only):
        for node in part:
            if node.tag == "version":
                if applies(node):
                    self.read_properties(node, alias, only)
            elif node.tag == "include":
                if applies(node):
                    self.include(node, alias)
            elif node.tag == "property" and applies(node):
                # A name that the including file does not list is for the file's own use.
                if node.get("name") in self.properties and only is not None:
                    continue
                is_shown = only is None or node.get("name") in only
                self.properties[node.get("name")] = (node, alias, is_shown and node.get("hidden") != "true")
                if node.get("table"):
                    self.links.append({"fields": {node.get("name")}, "table": node.get("table"), "join": "INNER JOIN ", "classic": True,
                                       "on": node.get("link"), "node": None, "named": False, "alias": alias})


class Build:
    """The statement for a level that is asked for some properties."""

    def __init__(self, level, above):
        self.level, self.above, self.hits, self.outer = level, above, set(), []

    def value(self, name):
        if name == "NType":
            return self.level.kind
        if name not in self.level.properties:
            raise KeyError(f"{self.level.kind}.{name}")
        self.hits.add(name)
        node, alias, _ = self.level.properties[name]
        many = node.find("link_multiple")
        text = self.expression(many, alias) if many is not None else sub((node.text or "").strip(), alias)
        if node.get("cast") == "true":
            kind = node.get("type") + (f"({node.get('size')})" if node.get("size") else "")
            text = f"CAST({text} AS {kind})"
        return text

    def expression(self, many, alias):
        values = []
        for field in many.findall("link_field"):
            kind, name = field.get("type") or "computed", field.get("field")
            if kind == "parent":
                value = self.above.value(name)
            elif kind == "local":
                value = self.value(name)
            elif kind == "filter":
                value = field.get("default_value") or "''"
            elif name == "ParentSelect":
                value = self.parent_select()
            else:
                value = self.level.kind if name == "NType" else name
            values.append(value)
        return formatted(sub(many.get("expression"), alias), values)

    def parent_select(self):
        """The statement of the parent, which some prefixes walk through with a cursor."""
        above = None
        for one in chain(self.level.parent):
            above = Build(one, above)
        shown = [above.value(name) for name in self.level.request]
        prefix, source, where, _ = above.finish()
        self.outer = prefix
        where = [one for one in where if one]
        return "SELECT " + ", ".join(shown) + (" FROM " + "\n".join(source) if source else "") + (" WHERE " + " AND ".join(where) if where else "")

    def parents(self):
        """The condition that ties the level to its parent."""
        link = self.level.parent_link
        if link is None:
            return None
        many = link.find("link_multiple")
        if many is not None:
            return self.expression(many, None)
        return " AND ".join(f"{self.value(one.get('local'))}={self.above.value(one.get('parent'))}" for one in link.findall("link"))

    def finish(self):
        """Prefixes, FROM, WHERE and postfixes; the parent's own come first."""
        tie = self.parents()
        used = lambda one: one["fields"] is None or one["fields"] & self.hits
        text = lambda one: (self.expression(one["node"], one["alias"]) if one["node"] is not None else one["text"] or "").strip()
        grown = -1
        while grown != len(self.hits):
            grown = len(self.hits)
            for link in filter(used, self.level.links):
                if link["node"] is not None:
                    self.expression(link["node"], link["alias"])
        prefix = [text(one) for one in filter(used, self.level.prefixes)]
        prefix = self.outer + prefix
        postfix = [text(one) for one in filter(used, self.level.postfixes)]
        source, where = [], []
        for link in filter(used, self.level.links):
            made = self.expression(link["node"], link["alias"]) if link["node"] is not None else None
            table, on = (made, link["on"]) if link.get("named") else (link["table"], made or link["on"])
            on = (on or "").strip()
            if not table:
                where.append(on)
            elif not source and tie is not None:
                source.append(f"INNER JOIN {table} ON {'(' + on + ') AND (' + tie + ')' if on else tie}")
            elif not source and link.get("classic", True):
                source.append(table)
                if on:
                    where.append(on)
            else:
                source.append(f"{link['join'] or 'INNER JOIN '}{table} ON {on or '1=1'}")
        if not source and tie is not None:
            where.append(tie)
        above = self.above.finish() if self.above is not None and (self.above.hits or self.level.parent_link is not None) else ([], [], [], [])
        prefix, postfix = above[0] + prefix, postfix + above[3]
        if above[1] and source and not source[0].startswith(("INNER", "LEFT")):
            source = [above[1][0]] + above[1][1:] + ["CROSS JOIN " + source[0]] + source[1:]
        else:
            source = above[1] + source
        if source and source[0].startswith("INNER JOIN "):
            table, _, on = source[0][len("INNER JOIN "):].partition(" ON ")
            source[0] = table
            where.append(on)
        return prefix, source, where + above[2], postfix


def find(folder, name):
    for base, _, names in os.walk(folder):
        for one in names:
            if one.lower() == name.lower():
                return ET.parse(os.path.join(base, one)).getroot()
    return None


def fields(node, name="fields"):
    text = node.get(name)
    return None if text is None else {one.strip() for one in text.split("#") if one.strip()}


def applies(node):
    asked = [name for name in node.attrib if name.endswith(("min_major", "max_major")) or name == "datawarehouse_enabled"]
    if asked and "min_major" not in asked and "max_major" not in asked:
        return False
    return int(node.get("min_major", 0)) <= MAJOR <= int(node.get("max_major", 99))


def sub(text, alias):
    """A text as .NET formats it, where a file is included under an alias."""
    return text if text is None or alias is None else formatted(text, [alias])


def formatted(text, values):
    known = {"{{": "{", "}}": "}"}
    place = lambda found: known.get(found[0]) or (values[int(found[1])] if int(found[1]) < len(values) else found[0])
    return re.sub(r"\{\{|\}\}|\{(\d+)\}", place, text)


def query(level, names):
    top = None
    for one in chain(level):
        top = Build(one, top)
    shown = [f"{top.value(name)} AS [{name}]" for name in names]
    prefix, source, where, postfix = top.finish()
    text = "\n".join(dict.fromkeys(prefix)) + "\nSELECT " + ("DISTINCT " if level.distinct else "") + ",\n".join(shown)
    if source:
        text += "\nFROM " + "\n".join(source)
    if where:
        text += "\nWHERE " + " AND ".join(f"({one})" for one in where if one)
    text += "\n" + "\n".join(postfix)
    return parameters(text)


def chain(level):
    out = []
    while level is not None:
        out.insert(0, level)
        level = level.parent
    return out


def parameters(text):
    values = []

    def take(match):
        values.append(match[1])
        return f"@_msparam_{len(values) - 1}"

    text = re.sub(r"<msparam>(.*?)</msparam>", take, text)
    if not values:
        return text
    quoted = lambda value: "N'" + value.replace("'", "''") + "'"
    kinds = ",".join(f"@_msparam_{at} nvarchar(4000)" for at in range(len(values)))
    given = ",".join(f"@_msparam_{at}={quoted(value)}" for at, value in enumerate(values))
    return f"exec sp_executesql {quoted(text)},N'{kinds}',{given}"


def levels(folder):
    root = ET.parse(os.path.join(folder, "src/Microsoft/SqlServer/Management/Sdk/Sfc/Enumerator/xml/Config.xml")).getroot()
    server = [node for node in root if node.get("type") == "Server"][0]
    xml = os.path.join(folder, "src/Microsoft/SqlServer/Management/SqlEnum/xml")

    def walk(node, parent, path):
        cfg = node.get("cfg") or ""
        name = re.search(r"xml='([^']*)'", cfg)
        name = name[1] if name else cfg
        foreign = "NS." in name or not node.get("implement", "").startswith("Microsoft.SqlServer.Management.Smo.") or "Repl" in node.get("implement")
        if foreign or not name:
            return
        try:
            level = Level(node.get("type"), name, xml, parent)
        except KeyError:
            return
        if is_of_version(find(xml, name)):
            yield path + "/" + level.kind, level
        for child in node:
            # What belongs to a database is asked in it, and knows nothing of the levels above.
            yield from walk(child, level, path + "/" + level.kind)

    yield from walk(server, None, "")


def is_of_version(root):
    return applies(root) or not root.get("min_major")


def main():
    server = Server()
    connection = server.connect()
    for batch in re.split(r"(?m)^go$", SETUP):
        for item in connection.run(batch):
            if item[0] == "error":
                print("setup:", item[1], item[5])
    connection.run("use master")
    whole = kinds = good = asked = 0
    for path, level in levels(sys.argv[1]):
        if sys.argv[2:] and not any(path.endswith(one) for one in sys.argv[2:]):
            continue
        names = [name for name, (node, _, is_shown) in level.properties.items() if is_shown and node.get("type")]
        names = [name for name in names if name not in ("Urn",)] + [name for name in names if name == "Urn"]
        if not names:
            continue
        kinds += 1
        session = server.connect("shop" if path.startswith("/Server/Database/") else "master")

        def errors(some):
            try:
                text = query(level, some)
            except KeyError as error:
                return ["translation: " + str(error)]
            if os.environ.get("SHOW"):
                print(text)
            answer = session.run(text, timeout=60)
            rows = sum(len(item[2]) for item in answer if item[0] == "rows")
            return [f"{item[1]} {item[5]}" for item in answer if item[0] == "error"], rows

        found = errors(names)
        asked += len(names)
        if found[0] and isinstance(found, tuple) or isinstance(found, list):
            bad = {}
            for name in names:
                one = errors([name])
                session = server.connect("shop" if path.startswith("/Server/Database/") else "master")
                text = one[0] if isinstance(one, list) else (one[0][0] if one[0] else None)
                if text:
                    bad.setdefault(text, []).append(name)
                else:
                    good += 1
            first = found[0] if isinstance(found, list) else found[0][0]
            if not bad:
                bad = {"whole only: " + first: []}
            for text, some in bad.items():
                print(f"{path}: {text} [{', '.join(some[:6])}{' …' if len(some) > 6 else ''}]")
        else:
            whole += 1
            good += len(names)
            if os.environ.get("ROWS"):
                print(f"{path}: {found[1]} rows")
    print(f"{whole} of {kinds} kinds whole, {good} of {asked} properties")
    server.stop()


main()
