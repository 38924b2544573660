"""Runs docs/webhooks/receive.py on the vectors of a file and prints what it makes of each, as JSON."""

import importlib.util
import json
import sys

example, vectors = sys.argv[1:]
spec = importlib.util.spec_from_file_location("receive", example)
receive = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
spec.loader.exec_module(receive)


def canonical(body):
    return receive.normalize(json.loads(body, parse_int=float)) if body else ""


def result(v):
    valid = receive.verify(v["client_secret"], v["method"], v["path"], v["headers"], v["body"].encode(), v["now"])
    return {"valid": valid, "canonical_json": canonical(v["body"])}


with open(vectors, encoding="utf-8") as file:
    print(json.dumps([result(v) for v in json.load(file)["signatures"]]))
