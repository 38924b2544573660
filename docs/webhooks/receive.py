"""Receives Gerbang's webhooks. Python 3.9 or newer, nothing else:  GERBANG_CLIENT_SECRET=... python3 receive.py"""

import hashlib
import hmac
import json
import os
import re
import sys
import time
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

WINDOW_SECONDS = 300
BODY_BYTES_MAX = 1024 * 1024


def verify(secret, method, path, headers, body, now):
    """Whether Gerbang has sent this. `path` has the query, `body` is the bytes as received, `now` is Unix seconds."""
    headers = {name.lower(): value for name, value in headers.items()}
    timestamp = headers.get("x-timestamp", "")
    if not re.fullmatch("[0-9]{1,15}", timestamp) or abs(int(timestamp) - now) > WINDOW_SECONDS:
        return False
    try:
        normalized = normalize(json.loads(body.decode(), parse_int=float)) if body else ""
    except (ValueError, RecursionError):
        return False
    body_hash = hashlib.sha256(normalized.encode("utf-8", "backslashreplace")).hexdigest()
    token = headers.get("authorization", "").removeprefix("Bearer ")
    string_to_sign = f"{method}:{path}:{token}:{body_hash}:{timestamp}"
    expected = hmac.new(secret.encode(), string_to_sign.encode(), hashlib.sha512).hexdigest()
    return hmac.compare_digest(expected.encode(), headers.get("x-signature", "").encode())


def normalize(value):
    """Keys sorted by UTF-16 code units, no white space, numbers as ECMAScript writes them."""
    if isinstance(value, dict):
        pairs = sorted(value.items(), key=lambda pair: pair[0].encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{normalize(key)}:{normalize(item)}" for key, item in pairs) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(normalize, value)) + "]"
    return number(value) if isinstance(value, float) else json.dumps(value, ensure_ascii=False)


def number(value):
    if value == 0:
        return "0"
    if 1e-6 <= abs(value) < 1e21:
        return format(Decimal(repr(value)).normalize(), "f")
    return repr(value).replace("e-0", "e-")


class Webhooks(BaseHTTPRequestHandler):
    seen = set()  # In production: a unique key in your database, written together with what the event changes.

    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        if length > BODY_BYTES_MAX:
            return self.answer(413)
        body = self.rfile.read(length)
        if not verify(SECRET, "POST", self.path, self.headers, body, time.time()):
            with open("refused.http", "wb") as file:  # For `gerbang signature explain refused.http`.
                file.write(f"{self.requestline}\r\n{self.headers}".encode() + body)
            return self.answer(401)
        event_id = self.headers["X-Event-Id"]
        if event_id not in self.seen:
            self.seen.add(event_id)
            print(f"{json.loads(body)['event']} {event_id}", flush=True)
        self.answer(200)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()


if __name__ == "__main__":
    SECRET = os.environ.get("GERBANG_CLIENT_SECRET") or sys.exit("GERBANG_CLIENT_SECRET is not set")
    ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 9000))), Webhooks).serve_forever()
