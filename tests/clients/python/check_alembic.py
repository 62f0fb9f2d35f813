"""Alembic: a schema of all kinds of columns, constraints and indexes is made by its own comparison, which then finds no
difference; changes in batches and single; back to nothing. By Microsoft's drivers and by pymssql."""

import sqlalchemy as sa
from alembic.autogenerate import compare_metadata, produce_migrations, render_python_code
from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy.dialects import mssql

from tools import check, database, equal, finish, url


def schema():
    made = sa.MetaData()
    sa.Table(
        "parents",
        made,
        sa.Column("id", sa.Integer, sa.Identity(start=10, increment=5), primary_key=True),
        sa.Column("code", sa.String(20), nullable=False, unique=True),
        sa.Column("name", sa.Unicode(50), server_default=sa.text("N'none'")),
        sa.Column("made", mssql.DATETIME2(3), server_default=sa.text("sysutcdatetime()")),
        sa.Column("amount", sa.Numeric(12, 3), server_default="-1.5"),
        sa.Column("flag", sa.Boolean, server_default=sa.text("1"), nullable=False),
        sa.CheckConstraint("amount >= -5 AND amount < 1000", name="ck_amount"),
    )
    sa.Table(
        "kinds",
        made,
        sa.Column("a", sa.SmallInteger, primary_key=True),
        sa.Column("b", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("tiny", mssql.TINYINT),
        sa.Column("double", sa.Float(53)),
        sa.Column("single", sa.REAL),
        sa.Column("day", sa.Date),
        sa.Column("hour", mssql.TIME(4)),
        sa.Column("old", mssql.DATETIME),
        sa.Column("small", mssql.SMALLDATETIME),
        sa.Column("zoned", mssql.DATETIMEOFFSET(2)),
        sa.Column("guid", mssql.UNIQUEIDENTIFIER, server_default=sa.text("newid()")),
        sa.Column("bytes", mssql.VARBINARY(10)),
        sa.Column("blob", mssql.VARBINARY("max")),
        sa.Column("fixed", sa.BINARY(4)),
        sa.Column("nchars", sa.NCHAR(3)),
        sa.Column("chars", sa.CHAR(3)),
        sa.Column("ntext_", sa.UnicodeText),
        sa.Column("text_", sa.Text),
        sa.Column("money_", mssql.MONEY),
        sa.Column("smallmoney_", mssql.SMALLMONEY),
        sa.Column("bit_", mssql.BIT),
        sa.Column("xml_", mssql.XML),
        sa.Column("variant", mssql.SQL_VARIANT),
        sa.Column("version", mssql.TIMESTAMP),
        sa.Column("r", sa.Integer),
        sa.Column("twice", sa.Integer, sa.Computed("r * 2 + 1")),
        sa.Column("more", sa.Integer, sa.Computed("(r + 7) * r", persisted=True)),
        sa.Column("parent", sa.Integer, sa.ForeignKey("parents.id", name="fk_parent", ondelete="CASCADE")),
        sa.Column("binary_order", sa.String(10, collation="Latin1_General_BIN2")),
        sa.Column("remark", sa.Integer, comment="a remark"),
        sa.UniqueConstraint("r", "a", name="uq_ra"),
        sa.Index("ix_two", "double", "day"),
        sa.Index("ix_included", "r", mssql_include=["double", "day"]),
        sa.Index("ix_filtered", "r", "a", mssql_where=sa.text("r > 5")),
        comment="of all kinds",
    )
    return made


def context(connection):
    return MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})


def invoke(operations, step):
    for inner in getattr(step, "ops", None) or ():
        invoke(operations, inner)
    if not hasattr(step, "ops"):
        operations.invoke(step)


def autogenerate(engine):
    with engine.begin() as connection:
        migrations = produce_migrations(context(connection), schema())
        equal("sa.Computed('(r + 7) * r', persisted=True)" in render_python_code(migrations.upgrade_ops), True)
        invoke(Operations(context(connection)), migrations.upgrade_ops)
    with engine.begin() as connection:
        equal(compare_metadata(context(connection), schema()), [])


def definitions(engine):
    """What is compared is what SQL Server would say."""
    with engine.begin() as connection:
        found = sa.inspect(connection)
        computed = {column["name"]: column["computed"]["sqltext"] for column in found.get_columns("kinds") if "computed" in column}
        equal(computed, {"twice": "([r]*(2)+(1))", "more": "(([r]+(7))*[r])"})
        defaults = {column["name"]: column["default"] for column in found.get_columns("parents") if column["default"]}
        equal(defaults, {"name": "(N'none')", "made": "(sysutcdatetime())", "amount": "('-1.5')", "flag": "((1))"})
        filters = [index["dialect_options"].get("mssql_where") for index in found.get_indexes("kinds")]
        equal([text for text in filters if text], ["([r]>(5))"])
        check_text = connection.scalar(sa.text("select definition from sys.check_constraints where name = 'ck_amount'"))
        equal(check_text, "([amount]>=(-5) AND [amount]<(1000))")


def changes(engine):
    with engine.begin() as connection:
        operations = Operations(context(connection))
        with operations.batch_alter_table("parents") as batch:
            batch.add_column(sa.Column("extra", sa.Integer, server_default="7", nullable=False))
            batch.alter_column("name", existing_type=sa.Unicode(50), type_=sa.Unicode(80), nullable=False)
            batch.create_index("ix_name", ["name"])
            batch.drop_constraint("ck_amount", type_="check")
            batch.alter_column("code", new_column_name="code2", existing_type=sa.String(20))
            batch.alter_column("amount", server_default=None, existing_type=sa.Numeric(12, 3))
        operations.drop_column("kinds", "guid", mssql_drop_default=True)
        operations.drop_column("kinds", "parent", mssql_drop_foreign_key=True)
        operations.rename_table("kinds", "kinds2")
    with engine.begin() as connection:
        found = sa.inspect(connection)
        columns = {column["name"]: column for column in found.get_columns("parents")}
        equal(sorted(columns), ["amount", "code2", "extra", "flag", "id", "made", "name"])
        equal((columns["name"]["type"].length, columns["name"]["nullable"], columns["amount"]["default"]), (80, False, None))
        equal(found.get_foreign_keys("kinds2"), [])


def downgrade(engine):
    with engine.begin() as connection:
        operations = Operations(context(connection))
        operations.rename_table("kinds2", "kinds")
        operations.drop_index("ix_name", "parents")
        operations.drop_table("kinds")
        operations.drop_table("parents")
    with engine.begin() as connection:
        equal(sa.inspect(connection).get_table_names(), [])


for driver in ("mssqlpython", "pyodbc-microsoft", "pymssql"):
    with database("alembic"):
        engine = sa.create_engine(url(driver, "alembic"))
        check(f"autogenerate, {driver}", autogenerate, engine)
        check(f"definitions, {driver}", definitions, engine)
        check(f"changes, {driver}", changes, engine)
        check(f"downgrade, {driver}", downgrade, engine)
        engine.dispose()
finish()
