"""ODBC by hand: the functions of a driver that Python's own modules do not call, for cursors that scroll and change rows.

A statement's functions return what the driver returns, its errors are raised as `OdbcError` with SQLSTATE and number.
"""

import ctypes
import ctypes.util

SUCCESS, SUCCESS_WITH_INFO, NO_DATA = 0, 1, 100
HANDLE_ENV, HANDLE_DBC, HANDLE_STMT = 1, 2, 3
ATTR_CURSOR_TYPE, ATTR_CONCURRENCY, ATTR_ROW_NUMBER, ATTR_ROW_STATUS, ATTR_ROWS_FETCHED, ATTR_ROW_ARRAY = 6, 7, 14, 25, 26, 27
FORWARD, KEYSET, DYNAMIC, STATIC = 0, 1, 2, 3
READ_ONLY, LOCK, ROWVER, VALUES = 1, 2, 3, 4
NEXT, FIRST, LAST, PRIOR, ABSOLUTE, RELATIVE = 1, 2, 3, 4, 5, 6
POSITION, REFRESH, UPDATE, DELETE = 0, 1, 2, 3
C_CHAR, C_LONG = 1, 4
NULL_DATA = -1


class OdbcError(Exception):
    """An error of the driver or the server."""

    def __init__(self, state, number, text):
        super().__init__(f"[{state}] {number}: {text}")
        self.state, self.number = state, number


def library():
    return ctypes.CDLL(ctypes.util.find_library("odbc") or "libodbc.so.2")


class Connection:
    """A connection through the driver manager."""

    def __init__(self, text):
        self.odbc = library()
        self.environment, self.handle = ctypes.c_void_p(), ctypes.c_void_p()
        self.odbc.SQLAllocHandle(HANDLE_ENV, None, ctypes.byref(self.environment))
        self.odbc.SQLSetEnvAttr(self.environment, 200, ctypes.c_void_p(3), 0)
        self.odbc.SQLAllocHandle(HANDLE_DBC, self.environment, ctypes.byref(self.handle))
        encoded = text.encode()
        code = self.odbc.SQLDriverConnect(self.handle, None, encoded, len(encoded), None, 0, None, 0)
        check(self.odbc, code, HANDLE_DBC, self.handle)

    def statement(self, kind=FORWARD, concurrency=READ_ONLY, rows=1):
        return Statement(self, kind, concurrency, rows)

    def execute(self, text):
        statement = self.statement()
        statement.execute(text)
        statement.close()

    def value(self, text):
        statement = self.statement()
        statement.execute(text)
        statement.fetch()
        found = statement.column(1)
        statement.close()
        return found

    def close(self):
        self.odbc.SQLDisconnect(self.handle)
        self.odbc.SQLFreeHandle(HANDLE_DBC, self.handle)
        self.odbc.SQLFreeHandle(HANDLE_ENV, self.environment)


def check(odbc, code, kind, handle):
    """What a function has returned, if it is no error."""
    code = ctypes.c_short(code).value
    if code in (SUCCESS, SUCCESS_WITH_INFO, NO_DATA):
        return code
    state, text = ctypes.create_string_buffer(6), ctypes.create_string_buffer(512)
    number, length = ctypes.c_int(), ctypes.c_short()
    odbc.SQLGetDiagRec(kind, handle, 1, state, ctypes.byref(number), text, 512, ctypes.byref(length))
    raise OdbcError(state.value.decode(), number.value, text.value.decode(errors="replace"))


class Statement:
    """A statement whose rows come in blocks; the columns of a block are bound as integers or as texts."""

    def __init__(self, connection, kind, concurrency, rows):
        self.odbc, self.handle, self.rows = connection.odbc, ctypes.c_void_p(), rows
        self.bound = []
        check(self.odbc, self.odbc.SQLAllocHandle(HANDLE_STMT, connection.handle, ctypes.byref(self.handle)), HANDLE_DBC,
              connection.handle)
        self.set(ATTR_CONCURRENCY, concurrency)
        self.set(ATTR_CURSOR_TYPE, kind)
        self.set(ATTR_ROW_ARRAY, rows)
        self.fetched = ctypes.c_ulong()
        self.statuses = (ctypes.c_ushort * rows)()
        self.set_pointer(ATTR_ROWS_FETCHED, ctypes.byref(self.fetched))
        self.set_pointer(ATTR_ROW_STATUS, self.statuses)

    def done(self, code):
        return check(self.odbc, code, HANDLE_STMT, self.handle)

    def set(self, attribute, value):
        self.done(self.odbc.SQLSetStmtAttr(self.handle, attribute, ctypes.c_void_p(value), 0))

    def set_pointer(self, attribute, pointer):
        self.done(self.odbc.SQLSetStmtAttr(self.handle, attribute, pointer, 0))

    def get(self, attribute):
        value = ctypes.c_ulong()
        self.done(self.odbc.SQLGetStmtAttr(self.handle, attribute, ctypes.byref(value), 8, None))
        return value.value

    def name(self, name):
        self.done(self.odbc.SQLSetCursorName(self.handle, name.encode(), len(name)))

    def execute(self, text):
        encoded = text.encode()
        return self.done(self.odbc.SQLExecDirect(self.handle, encoded, len(encoded)))

    def bind_int(self, column):
        values, lengths = (ctypes.c_int * self.rows)(), (ctypes.c_long * self.rows)()
        self.done(self.odbc.SQLBindCol(self.handle, column, C_LONG, values, 4, lengths))
        self.bound.append((values, lengths))
        return values, lengths

    def bind_text(self, column, width=64):
        values, lengths = ctypes.create_string_buffer(width * self.rows), (ctypes.c_long * self.rows)()
        self.done(self.odbc.SQLBindCol(self.handle, column, C_CHAR, values, width, lengths))
        self.bound.append((values, lengths))
        return values, lengths

    def columns(self):
        count = ctypes.c_short()
        self.done(self.odbc.SQLNumResultCols(self.handle, ctypes.byref(count)))
        return count.value

    def fetch(self, orientation=NEXT, offset=0):
        """How many rows have come; none after the last."""
        code = self.done(self.odbc.SQLFetchScroll(self.handle, orientation, ctypes.c_long(offset)))
        return 0 if code == NO_DATA else self.fetched.value

    def set_pos(self, row, operation):
        return self.done(self.odbc.SQLSetPos(self.handle, row, operation, 0))

    def column(self, number):
        text, length = ctypes.create_string_buffer(4096), ctypes.c_long()
        self.done(self.odbc.SQLGetData(self.handle, number, C_CHAR, text, 4096, ctypes.byref(length)))
        return None if length.value == NULL_DATA else text.value.decode()

    def more(self):
        return self.done(self.odbc.SQLMoreResults(self.handle)) != NO_DATA

    def close(self):
        self.odbc.SQLFreeHandle(HANDLE_STMT, self.handle)
