"""Tests that would disturb each other in one database."""

import pytest
from conftest import connect


def names(connection):
    with connection.cursor() as cursor:
        cursor.execute("select name from people order by id")
        return [name for (name,) in cursor.fetchall()]


def add(connection, name):
    """The new person's id."""
    with connection.cursor() as cursor:
        cursor.execute("insert people (name) output inserted.id values (%s)", (name,))
        return cursor.fetchone()[0]


def test_everybody_can_go(database):
    with database.cursor() as cursor:
        cursor.execute("delete people")
    assert names(database) == []


@pytest.mark.parametrize("name", ["Edsger", "Barbara", "Tony"])
def test_ids_begin_anew_in_each_copy(database, name):
    assert add(database, name) == 3
    assert names(database) == ["Ada", "Grace", name]


def test_the_template_stays_as_it_is(database, template):
    with database.cursor() as cursor:
        cursor.execute("update people set name = N'Augusta' where name = N'Ada'")
    with connect(template) as untouched:
        assert names(untouched) == ["Ada", "Grace"]
    assert names(database) == ["Augusta", "Grace"]


def test_two_copies_side_by_side(new_database):
    one, other = new_database(), new_database()
    assert add(one, "Alan") == 3
    assert add(other, "Alonzo") == 3
    assert names(one) == ["Ada", "Grace", "Alan"]
    assert names(other) == ["Ada", "Grace", "Alonzo"]
