"""A first payment with the generated client: a virtual account that a customer pays, and a signed disbursement.

docs/clients.md says how the client is generated. Python 3.11 or newer; against a running sandbox:

    python first_payment.py .gerbang/demo.json
"""

import hashlib
import hmac
import json
import sys
import time
from datetime import datetime, timedelta, timezone

import httpx
from gerbang_client import AuthenticatedClient, Client
from gerbang_client.api.disbursement import transfer_disbursement
from gerbang_client.api.token import issue_token_v11
from gerbang_client.api.virtual_account import create_virtual_account, list_va_transactions
from gerbang_client.models import (
    CreateVirtualAccountRequest,
    CreateVirtualAccountRequestBankCode,
    CreateVirtualAccountRequestKind,
    Disbursement,
    IssueTokenV11Request,
    MoneyInput,
    TransferDisbursementRequest,
    VaTransaction,
    VirtualAccount,
)

RUPIAH = 50_000
PATIENCE_SECONDS = 30


def hmac_sha512(secret: str, text: str) -> str:
    return hmac.new(secret.encode(), text.encode(), hashlib.sha512).hexdigest()


def sign_in(demo: dict) -> str:
    """An access token. The signature is of client id, secret and today's date in Jakarta."""
    client_id, secret = demo["client_id"], demo["client_secret"]
    today = datetime.now(timezone(timedelta(hours=7))).strftime("%Y%m%d")
    client = Client(  # There is no token yet.
        base_url=demo["base_url"],
        headers={
            "X-PARTNER-ID": demo["partner_id"],
            "X-CLIENT-ID": client_id,
            "X-Signature": hmac_sha512(secret, f"{client_id}_{secret}_{today}"),
        },
    )
    order = IssueTokenV11Request(grant_type="client_credentials")
    return data_of(issue_token_v11.sync_detailed(client=client, body=order)).access_token


def open_client(demo: dict, token: str) -> AuthenticatedClient:
    """A client that signs every request with a body; where the API asks for no signature, it ignores one."""

    def sign(request: httpx.Request) -> None:
        if not request.content:
            return
        timestamp = str(int(time.time()))
        body_hash = hashlib.sha256(normalize(json.loads(request.content)).encode()).hexdigest()
        path = request.url.raw_path.decode()
        request.headers["X-Timestamp"] = timestamp
        request.headers["X-Signature"] = hmac_sha512(
            demo["client_secret"], f"{request.method}:{path}:{token}:{body_hash}:{timestamp}"
        )

    return AuthenticatedClient(
        base_url=demo["base_url"],
        token=token,
        headers={"X-PARTNER-ID": demo["partner_id"]},
        httpx_args={"event_hooks": {"request": [sign]}},
    )


def normalize(value: object) -> str:
    """The text of a body that is signed: keys sorted at every depth, no white space, numbers as short as they can be."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{normalize(key)}:{normalize(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(normalize, value)) + "]"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, ensure_ascii=False)


def data_of(response):
    """What an answer carries; ends the program where the API has refused."""
    if response.status_code != 200 or response.parsed is None:
        sys.exit(f"refused with {response.status_code}: {response.content.decode()}")
    return response.parsed.data


def receive(client: AuthenticatedClient, account_id: str, simulator_url: str) -> VaTransaction:
    """A customer pays a virtual account at the sandbox's bank."""
    order = CreateVirtualAccountRequest(
        bank_code=CreateVirtualAccountRequestBankCode.BCA,
        kind=CreateVirtualAccountRequestKind.TEMPORARY,
        name="Budi Santoso",
        merchant_reff_no=f"python-{time.time_ns()}",
        amount=RUPIAH,
        max_usage=1,
        expired_at=int(time.time() + 3600) * 1000,
    )
    account: VirtualAccount = data_of(create_virtual_account.sync_detailed(account_id, client=client, body=order))
    pay(simulator_url, account.number)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        page = data_of(list_va_transactions.sync_detailed(account_id, client=client, virtual_account_id=account.id))
        if page.items:
            return page.items[0]
        time.sleep(0.2)
    sys.exit(f"no payment of {account.number} was listed within {PATIENCE_SECONDS} s")


def pay(simulator_url: str, number: str) -> None:
    answer = httpx.post(f"{simulator_url}/sandbox/virtual-accounts/{number}/pay", json={"amount": RUPIAH})
    if not answer.json().get("accepted"):
        sys.exit(f"the payment of {number} was not accepted: {answer.text}")


def send(client: AuthenticatedClient, account_id: str) -> Disbursement:
    """Money goes to a bank account. The reference number makes it safe to order this again after a timeout."""
    order = TransferDisbursementRequest(
        account_id=account_id,
        reference_number=f"python-{time.time_ns()}",
        bank_code="014",
        bank_account_number="1234567890",
        amount=MoneyInput(value="20000.00", currency="IDR"),
    )
    return data_of(transfer_disbursement.sync_detailed(client=client, body=order))


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        demo = json.load(file)
    account_id = demo["account_ids"][0]
    with open_client(demo, sign_in(demo)) as client:
        payment = receive(client, account_id, demo["simulator_url"])
        print(f"received {payment.amount.value} by virtual account {payment.number}")
        transfer = send(client, account_id)
        print(f"sent {transfer.net_amount.value}: {transfer.transaction_status.desc}")


if __name__ == "__main__":
    main()
