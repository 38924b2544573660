"""Normalized JSON of the request signature (docs: contract of signatures): keys sorted, no blanks, numbers by ECMAScript's rules."""

import json
import math
import re
from typing import Any


def normalized(value: Any) -> str:
    """A value of json.loads as ECMAScript's JSON.stringify writes it, object keys sorted by UTF-16 code unit."""
    if isinstance(value, list):
        return "[" + ",".join(normalized(item) for item in value) + "]"
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{_string(key)}:{normalized(value[key])}" for key in keys) + "}"
    if isinstance(value, str):
        return _string(value)
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return _number(value)


def _string(text: str) -> str:
    """Only a lone surrogate is escaped beyond what JSON demands."""
    return re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found.group()):04x}", json.dumps(text, ensure_ascii=False))


def _number(value: int | float) -> str:
    """Number::toString of ECMA-262. Both languages write the fewest digits that tell a double apart; the notation differs."""
    try:
        value = float(value)
    except OverflowError:
        value = math.inf
    if math.isinf(value):
        return "null"
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    padded = whole + fraction
    digits = padded.lstrip("0")
    # The value is 0.<digits> times ten to the power of `point`.
    point = len(whole) + int(exponent or 0) - (len(padded) - len(digits))
    return sign + _notation(digits.rstrip("0"), point)


def _notation(digits: str, point: int) -> str:
    if len(digits) <= point <= 21:
        return digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    power = point - 1
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{fraction}e{'+' if power > 0 else '-'}{abs(power)}"
