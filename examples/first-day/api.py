"""A JSON endpoint over the procedures of shop.sql: the database makes the JSON, this hands it on.

MILLPOND_PORT and SHOP_PASSWORD say where the server is and what the password of `shop_app` is; it listens on API_PORT (8080).
"""
import json
import os
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytds


def call(procedure, *values):
    """The text of a procedure's result, which comes in pieces of some 2,000 characters; empty when it gave no row."""
    with pytds.connect("127.0.0.1", port=int(os.environ["MILLPOND_PORT"]), database="shop", user="shop_app",
                       password=os.environ["SHOP_PASSWORD"], autocommit=True) as connection:
        cursor = connection.cursor()
        marks = ", ".join(["%s"] * len(values))
        cursor.execute(f"execute api.{procedure} {marks}", values)
        return "".join(row[0] for row in cursor.fetchall())


class Api(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        url = urlsplit(self.path)
        if found := re.fullmatch(r"/orders/(\d{1,9})", url.path):
            self.answer(lambda: call("order_by_id", int(found[1])))
        elif url.path == "/products":
            below = parse_qs(url.query).get("below", [None])[0]
            self.answer(lambda: call("products_below", below))
        else:
            self.send(404, json.dumps({"error": "There is no such address."}))

    def do_POST(self):
        text = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        if self.path == "/orders":
            self.answer(lambda: call("place_order", text), created=True)
        else:
            self.send(404, json.dumps({"error": "There is no such address."}))

    def answer(self, work, created=False):
        try:
            text = work()
        except pytds.DatabaseError as error:
            # The procedures throw 50,400 and the like: the last three digits are the status. All else is a mistake here or there.
            number = getattr(error, "number", 0)
            status = number - 50_000 if 50_400 <= number <= 50_499 else 500
            self.send(status, json.dumps({"error": error.args[0], "number": number}))
            return
        if text:
            self.send(201 if created else 200, text)
        else:
            self.send(404, json.dumps({"error": "There is no such order."}))

    def send(self, status, text):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("API_PORT", "8080"))), Api).serve_forever()
