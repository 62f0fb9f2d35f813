"""SQLAlchemy's own plugin for pytest, as README.dialects.rst of SQLAlchemy has it for dialects of others."""

import pytest

pytest.register_assert_rewrite("sqlalchemy.testing.assertions")

from sqlalchemy.testing.plugin.pytestplugin import *  # noqa: E402, F401, F403
