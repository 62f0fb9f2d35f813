"""The compliance suite of SQLAlchemy's dialects."""

from sqlalchemy.testing.suite import *  # noqa: F401, F403
