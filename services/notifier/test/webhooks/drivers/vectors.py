"""Runs docs/webhooks/receive.py on the vectors of a file and prints what it makes of each, as JSON; and computes all else of them with nothing of Gerbang's."""

import hashlib
import hmac
import importlib.util
import json
import sys
from datetime import datetime, timedelta

example, vectors = sys.argv[1:]
spec = importlib.util.spec_from_file_location("receive", example)
receive = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
spec.loader.exec_module(receive)


def sign(secret, text):
    return hmac.new(secret.encode(), text.encode(), hashlib.sha512).hexdigest()


def received(v):
    canonical = receive.normalize(json.loads(v["body"], parse_int=float)) if v["body"] else ""
    body_hash = hashlib.sha256(canonical.encode()).hexdigest()
    text = ":".join([v["method"], v["path"], v["access_token"], body_hash, v["timestamp"]])
    return {
        "valid": receive.verify(v["client_secret"], v["method"], v["path"], v["headers"], v["body"].encode(), v["now"]),
        "canonical_json": canonical,
        "body_sha256": body_hash,
        "string_to_sign": text,
        "signature": sign(v["client_secret"], text),
    }


def access_token(v):
    day = (datetime.strptime(v["now"], "%Y-%m-%dT%H:%M:%SZ") + timedelta(hours=7)).strftime("%Y%m%d")
    text = f"{v['client_id']}_{v['client_secret']}_{day}"
    return {"day": day, "string_to_sign": text, "signature": sign(v["client_secret"], text)}


with open(vectors, encoding="utf-8") as file:
    content = json.load(file)
print(
    json.dumps(
        {
            "signatures": [received(v) for v in content["signatures"]],
            "access_token_signatures": [access_token(v) for v in content["access_token_signatures"]],
        }
    )
)
