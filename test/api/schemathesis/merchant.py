"""The merchant whose requests schemathesis generates: credentials from the sandbox's demo.json, tokens, signatures."""

import datetime
import hashlib
import hmac
import json
import os
import threading
import time
from urllib.parse import urlsplit

import requests
from requests.auth import AuthBase, HTTPBasicAuth

from ecmascript_json import normalized

with open(os.environ["DEMO_FILE"], encoding="utf-8") as demo_file:
    DEMO = json.load(demo_file)

#: Tokens live 900 s.
TOKEN_SECONDS = 600
TIMEOUT_SECONDS = 30


def _hmac(text: str) -> str:
    return hmac.new(DEMO["client_secret"].encode(), text.encode(), hashlib.sha512).hexdigest()


def token_signature() -> str:
    """X-Signature of the v1.1 token endpoint: of today in Jakarta."""
    jakarta = datetime.timezone(datetime.timedelta(hours=7))
    day = datetime.datetime.now(jakarta).strftime("%Y%m%d")
    return _hmac(f"{DEMO['client_id']}_{DEMO['client_secret']}_{day}")


class _Tokens:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._token = ""
        self._until = 0.0

    def get(self) -> str:
        with self._lock:
            if time.monotonic() > self._until:
                self._token = self._issue()
                self._until = time.monotonic() + TOKEN_SECONDS
            return self._token

    def _issue(self) -> str:
        headers = {"X-PARTNER-ID": DEMO["partner_id"], "X-CLIENT-ID": DEMO["client_id"], "X-Signature": token_signature()}
        url = f"{DEMO['base_url']}/api/v1.1/access-token/b2b"
        answer = requests.post(url, json={"grant_type": "client_credentials"}, headers=headers, timeout=TIMEOUT_SECONDS)
        answer.raise_for_status()
        return answer.json()["data"]["access_token"]


TOKENS = _Tokens()


class BearerAuth(AuthBase):
    """A token and, on signed operations, the signature of the request as it goes out."""

    def __init__(self, *, signed: bool) -> None:
        self._signed = signed

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        token = TOKENS.get()
        request.headers["Authorization"] = f"Bearer {token}"
        if self._signed:
            timestamp = str(int(time.time()))
            request.headers["X-Timestamp"] = timestamp
            request.headers["X-Signature"] = request_signature(request, token, timestamp)
        return request


class ClientSignatureAuth(AuthBase):
    """The v1.1 token endpoint."""

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["X-CLIENT-ID"] = DEMO["client_id"]
        request.headers["X-Signature"] = token_signature()
        return request


def auth_for(schemes: set[str], *, signed: bool) -> AuthBase | None:
    """What an operation with these security schemes needs."""
    if "bearer" in schemes:
        return BearerAuth(signed=signed)
    if "clientId" in schemes:
        return ClientSignatureAuth()
    if "basic" in schemes:
        return HTTPBasicAuth(DEMO["client_id"], DEMO["client_secret"])
    return None


def request_signature(request: requests.PreparedRequest, token: str, timestamp: str) -> str:
    """X-Signature of a signed operation."""
    url = urlsplit(request.url)
    path = f"{url.path}?{url.query}" if url.query else url.path
    digest = hashlib.sha256(_signed_body(request)).hexdigest()
    return _hmac(f"{request.method}:{path}:{token}:{digest}:{timestamp}")


def _signed_body(request: requests.PreparedRequest) -> bytes:
    body = request.body or b""
    content = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body
    if content == b"":
        return content
    try:
        return normalized(json.loads(content)).encode()
    except (ValueError, RecursionError):
        # No JSON: refused with 400 before the signature is looked at.
        return content


def open_account(name: str) -> str:
    """Opens an account of the merchant; its id."""
    url = f"{DEMO['base_url']}/api/v1.0/accounts"
    headers = {"X-PARTNER-ID": DEMO["partner_id"]}
    answer = requests.post(url, json={"name": name}, headers=headers, auth=BearerAuth(signed=False), timeout=TIMEOUT_SECONDS)
    answer.raise_for_status()
    return answer.json()["data"]["id"]
