"""Packs messages and unpacks bytes by pyiso8583: JSON in, JSON out.

In: a list of {"type", "fields", "hex"}. Out: for each one the bytes that the library makes of type and fields, and what it reads from
the hex.
"""

import copy
import json
import sys

import iso8583
from iso8583.specs import default_ascii

spec = copy.deepcopy(default_ascii)
for bitmap in ("p", "1"):
    spec[bitmap].update(data_enc="b", max_len=8)


def converted(message):
    packed, _ = iso8583.encode({"t": message["type"], **message["fields"]}, spec)
    read, _ = iso8583.decode(bytes.fromhex(message["hex"]), spec)
    fields = {field: value for field, value in read.items() if field not in ("t", "p", "1")}
    return {"hex": packed.hex(), "type": read["t"], "fields": fields}


json.dump([converted(message) for message in json.load(sys.stdin)], sys.stdout)
