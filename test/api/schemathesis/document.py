"""Adapts the document that the sandbox serves for the run: what only the running system can know, and one scheme that is misjudged."""

import copy
from typing import Any

from merchant import DEMO, open_account

ACCOUNT_FIELDS = {"account_id", "source_account_id", "destination_account_id"}
PARTNER_SCHEME = "partnerId"
METHODS = {"get", "post", "put", "patch", "delete"}
#: Which of the merchant's accounts a field names, where it may not be any: money goes from the one that has some to the other.
FIXED_ACCOUNTS = {"source_account_id": 0, "destination_account_id": 1}


def adapt(document: dict[str, Any]) -> None:
    """Changes the document in place."""
    # The fuzzer makes the account inactive, which would refuse all else.
    expendable = open_account("Schemathesis")
    document["components"]["securitySchemes"].pop(PARTNER_SCHEME, None)
    for item in document["paths"].values():
        shared = item.pop("parameters", [])
        for method in METHODS & item.keys():
            operation = item[method]
            given = [*shared, *operation.get("parameters", [])]
            operation["parameters"] = [copy.deepcopy(_resolve(document, parameter)) for parameter in given]
            accounts = [expendable] if operation.get("operationId") == "updateAccount" else DEMO["account_ids"]
            _use_accounts(document, operation, accounts)
            _use_known_ids(operation)
            _move_partner_id(operation)


def _move_partner_id(operation: dict[str, Any]) -> None:
    """
    Without X-PARTNER-ID the answer is 422 whatever the token (contract, order of checks), which ignored_auth takes for a missing
    check of credentials. As a required header parameter with the right value it is what the API means, and is still left out
    by negative tests.
    """
    security = operation.get("security", [])
    if not any(PARTNER_SCHEME in requirement for requirement in security):
        return
    operation["security"] = [
        {scheme: scopes for scheme, scopes in requirement.items() if scheme != PARTNER_SCHEME} for requirement in security
    ]
    schema = {"const": DEMO["partner_id"]}
    operation["parameters"].append({"name": "X-PARTNER-ID", "in": "header", "required": True, "schema": schema})


def _use_accounts(document: dict[str, Any], operation: dict[str, Any], accounts: list[str]) -> None:
    """Without accounts that exist, nearly every request ends at 404. Unknown ones are what negative tests send."""
    for parameter in operation["parameters"]:
        if parameter["name"] in ACCOUNT_FIELDS:
            parameter["schema"] = {"type": "string", "enum": accounts}
            parameter.pop("example", None)
            parameter.pop("examples", None)
    if "requestBody" not in operation:
        return
    body = operation["requestBody"] = copy.deepcopy(_resolve(document, operation["requestBody"]))
    for media in body["content"].values():
        media["schema"] = copy.deepcopy(_resolve(document, media["schema"]))
        properties = media["schema"].get("properties", {})
        for field in ACCOUNT_FIELDS & properties.keys():
            properties[field] = {"type": "string", "enum": _accounts_of(field, accounts)}
        _use_in_examples(media, accounts)


def _use_known_ids(operation: dict[str, Any]) -> None:
    """What check-api has made before the run is the example of an operation that needs an id."""
    known = DEMO["known"].get(operation.get("operationId"), {})
    for parameter in operation["parameters"]:
        if parameter["name"] in known:
            parameter.pop("examples", None)
            parameter["example"] = known[parameter["name"]]
    for media in operation.get("requestBody", {}).get("content", {}).values():
        for example in _objects(media.get("example")):
            example.update({name: value for name, value in known.items() if name in example})


def _objects(example: Any) -> list[dict[str, Any]]:
    """An example's object, and the one in its `data`: legacy bodies have their fields there."""
    if not isinstance(example, dict):
        return []
    return [example, *([example["data"]] if isinstance(example.get("data"), dict) else [])]


def _accounts_of(field: str, accounts: list[str]) -> list[str]:
    position = FIXED_ACCOUNTS.get(field)
    return accounts if position is None else [accounts[position]]


def _use_in_examples(node: Any, accounts: list[str]) -> None:
    if isinstance(node, list):
        for item in node:
            _use_in_examples(item, accounts)
    elif isinstance(node, dict):
        for field in ACCOUNT_FIELDS & node.keys():
            if isinstance(node[field], str):
                node[field] = _accounts_of(field, accounts)[0]
        for value in node.values():
            _use_in_examples(value, accounts)


def _resolve(document: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in node:
        found: Any = document
        for part in node["$ref"].removeprefix("#/").split("/"):
            found = found[part.replace("~1", "/").replace("~0", "~")]
        node = found
    return node


def is_expendable(*containers: Any) -> bool:
    """Whether a request names an account that the demo merchant did not begin with."""
    named = [
        container[field] for container in containers if isinstance(container, dict) for field in ACCOUNT_FIELDS & container.keys()
    ]
    return any(account not in DEMO["account_ids"] for account in named)
