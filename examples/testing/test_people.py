"""Tests that would disturb each other in one database."""

import pytest


def names(connection):
    with connection.cursor() as cursor:
        cursor.execute("select name from people order by id")
        return [name for (name,) in cursor.fetchall()]


def test_everybody_can_go(database):
    with database.cursor() as cursor:
        cursor.execute("delete people")
    assert names(database) == []


@pytest.mark.parametrize("name", ["Edsger", "Barbara", "Tony"])
def test_somebody_comes(database, name):
    with database.cursor() as cursor:
        cursor.execute("insert people (name) output inserted.id values (%s)", (name,))
        assert cursor.fetchone() == (3,)
    assert names(database) == ["Ada", "Grace", name]
