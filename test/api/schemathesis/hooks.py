"""What schemathesis loads: authentication, what is adapted in requests and failures, and checks of ours."""

import re
from typing import Any

import requests
import schemathesis
from schemathesis.openapi.checks import RejectedPositiveData

import document
import merchant

#: Nothing listens there: webhooks of the run reach nobody.
DISCARD = "http://127.0.0.1:9/"
#: Rules that a JSON Schema can not express, by what the answer says of the field.
BEYOND_SCHEMAS = re.compile(
    "|".join(
        (
            "is not a cursor of this list",
            "is not the code of a known bank",
            "was used with another body",
            "must be in the future",
            "must be an ISO 8601 date",
            # multipleOf 0.01 would say it, but validators that compute with doubles then refuse 150000.55.
            "with at most two decimals",
            r"must be at (?:least|most) \d",
            "value must be an? (?:amount|percentage)",
            "an? (?:closed|open) virtual account has",
            "must be at least min_amount",
            r"must be more than the \d+ that are used already",
            "must be another account than source_account_id",
            "must not have a card number",
            "must be an? (?:http or https |https |valid )URL",
            "must name a method by which customers can pay",
            "must not carry credentials",
            "must not have a fragment",
            "is required for OVO",
            "is not an Indonesian mobile number",
            "is more than is left of the charge",
        )
    )
)
#: What is wrong with a QRIS code, or with an amount or a tip that it does not take.
QRIS_RULES = re.compile(r"^tag \d\d|the code (?:has|asks)|the acquirer does not take|has not been inquired|amount|tip")
#: What makes a card one that can be charged: check digits, digits by brand, its month, and what the acquirer offers.
CARD_RULES = re.compile(
    "number of a card|digits for this card|is past|must be 1 where it is paid in full|in installments|is not offered"
)
#: Rules of one operation about several fields at once.
RULES_BETWEEN_FIELDS = {
    "createVirtualAccount": re.compile("is required"),
    "payByCard": CARD_RULES,
    "createPlan": CARD_RULES,
    "replacePlanCard": CARD_RULES,
    # What a code says decides whether it can be paid, and with which amount and tip.
    "inquireQrisPayment": QRIS_RULES,
    "creditQris": QRIS_RULES,
    # Which commands, products and customer numbers there are follows from the biller's data.
    "inquirePrepaid": re.compile("is not known|is no product of|must have .* digits|must begin with"),
    "payPrepaid": re.compile("is not known|must be .*, as it was inquired|is not the account"),
    # One of two flows, each with fields of its own.
    "verifyDirectDebitOtp": re.compile("is required|must not come together|hand-?off"),
}


@schemathesis.hook
def before_load_schema(context: Any, raw_schema: dict[str, Any]) -> None:
    document.adapt(raw_schema)


@schemathesis.auth(refresh_interval=None)
class MerchantAuth:
    def get(self, case: Any, context: Any) -> Any:
        operation = context.operation.definition.raw
        schemes = {name for requirement in operation.get("security", []) for name in requirement}
        return merchant.auth_for(schemes, signed=operation.get("x-signed") is True)

    def set(self, case: Any, data: Any, context: Any) -> None:
        # `requests` calls it with the request as it goes out, so that the signature is of what is sent.
        case._auth = data


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: dict[str, Any]) -> None:
    """Keeps webhooks of the run on this machine, and calls the biller at its own host."""
    if "servers" in case.operation.definition.raw:
        case.operation.base_url = merchant.DEMO["biller_url"]
    if case.operation.definition.raw.get("operationId") != "updateCallbackSettings" or not isinstance(case.body, dict):
        return
    for name, value in case.body.items():
        if name.endswith("_notif_url") and isinstance(value, str) and re.match("https?://", value):
            case.body[name] = DISCARD


@schemathesis.hook
def filter_failure(context: Any, failure: Any, case: Any, response: Any) -> bool:
    """Drops refusals of well-formed requests by rules that the document can not express."""
    if not isinstance(failure, RejectedPositiveData):
        return True
    if response.status_code == 403:
        # Accounts that the run itself has opened may have been made inactive by it.
        return not document.is_expendable(case.path_parameters, case.body)
    if response.status_code != 422:
        return True
    rules = RULES_BETWEEN_FIELDS.get(case.operation.definition.raw.get("operationId"), BEYOND_SCHEMAS)
    return not all(BEYOND_SCHEMAS.search(message) or rules.search(message) for message in _messages(response.json()))


def _messages(answer: dict[str, Any]) -> list[str]:
    """What an error says of each field; its message where it names none."""
    if "response_text" in answer:
        return [message for messages in answer["data"].values() for message in messages]
    error = answer.get("error") or answer.get("data") or {}
    errors = error.get("errors") or {}
    return [message for messages in errors.values() for message in messages] or [error["message"]]


@schemathesis.check
class ForgedSignature:
    """A signed operation refuses the request that it has just carried out when the signature is wrong, old or missing."""

    def __init__(self) -> None:
        self._checked: set[str] = set()

    def after_response(self, ctx: Any, response: Any, case: Any) -> None:
        operation = case.operation
        if operation.definition.raw.get("x-signed") is not True or response.status_code != 200 or operation.label in self._checked:
            return
        self._checked.add(operation.label)
        good = response.request.headers
        old = "1600000000"
        forgeries = {
            "another signature": {"X-Signature": "0" * 128},
            "another time": {"X-Timestamp": str(int(good["X-Timestamp"]) - 1)},
            "an old signature": {
                "X-Timestamp": old,
                "X-Signature": merchant.request_signature(response.request, good["Authorization"].split(" ")[1], old),
            },
            "no signature": {"X-Signature": None, "X-Timestamp": None},
        }
        for name, change in forgeries.items():
            status = _send_again(response.request, change)
            assert status == 401, f"{operation.label} answered {status} to a request with {name}, expected 401"


def _send_again(sent: requests.PreparedRequest, change: dict[str, str | None]) -> int:
    request = sent.copy()
    for name, value in change.items():
        request.headers.pop(name, None)
        if value is not None:
            request.headers[name] = value
    with requests.Session() as session:
        return session.send(request, timeout=merchant.TIMEOUT_SECONDS).status_code


@schemathesis.check
class EveryOperationSucceeds:
    """Each operation has answered a success at least once: a run that never gets behind its refusals shows nothing."""

    #: Operations that can not succeed in the run, each with the reason.
    EXCUSED: dict[str, str] = {}

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._succeeded: set[str] = set()

    def after_response(self, ctx: Any, response: Any, case: Any) -> None:
        name = case.operation.definition.raw.get("operationId", case.operation.label)
        self._seen.add(name)
        if 200 <= response.status_code < 300 and response.request.method == case.operation.method.upper():
            self._succeeded.add(name)

    def after_run(self, ctx: Any) -> None:
        never = sorted(self._seen - self._succeeded - self.EXCUSED.keys())
        assert not never, f"never answered a success: {', '.join(never)}"
