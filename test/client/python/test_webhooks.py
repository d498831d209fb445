# verify_webhook at a receiver: the vectors of test/client/verify-webhook.test.ts.
import hashlib
import hmac
import json
import pickle
from email.message import Message

import httpx
import pytest

from mailberth import Mailberth, WebhookVerificationError, verify_webhook

SECRET = "whsec_c2VjcmV0IG9mIGEgdGVzdA"
T = 1_769_860_800
BODY = '{"event":"message.received","inbox":"quiet-otter@mail.example","message":{"subject":"Grüße"}}'


def sign(t, body=BODY, secret=SECRET):
    return hmac.new(secret.encode(), f"{t}.{body}".encode(), hashlib.sha256).hexdigest()


HEADER = f"t={T},v1={sign(T)}"


def reason_of(header, body=BODY, secret=SECRET, **options):
    try:
        verify_webhook(body, header, secret, **{"now": T + 0.5, **options})
    except WebhookVerificationError as error:
        return error.reason
    return "accepted"


def test_a_fresh_delivery_as_text_and_as_bytes():
    assert verify_webhook(BODY, HEADER, SECRET, now=T) == json.loads(BODY)
    assert verify_webhook(BODY.encode(), HEADER, SECRET, now=T)["message"]["subject"] == "Grüße"


@pytest.mark.parametrize(
    "header",
    [
        f"t={T},v1={'0' * 64},v1={sign(T)}",
        f"v1={sign(T)},t={T}",
        f"t={T}, v1={sign(T)}",
        f"t={T},v0=abc,v1={sign(T)},v2=xyz",
        f"t={T},v1={sign(T).upper()}",
        f"t={T - 300},v1={sign(T - 300)}",
        f"t={T + 300},v1={sign(T + 300)}",
    ],
)
def test_accepts(header):
    assert reason_of(header) == "accepted"


def headers_of_http_server():
    message = Message()
    message["X-Service-Signature"] = HEADER
    return message


@pytest.mark.parametrize(
    "source",
    [
        httpx.Headers({"X-Service-Signature": HEADER}),
        headers_of_http_server(),
        {"host": "a.example", "x-service-signature": HEADER},
        {"X-Service-Signature": HEADER},
        {"x-service-signature": [f"t={T}", f"v1={sign(T)}"]},
        [f"t={T}", f"v1={sign(T)}"],
    ],
)
def test_finds_the_header(source):
    assert reason_of(source) == "accepted"
    assert reason_of(source, header_name="X-Acme-Signature") == ("accepted" if type(source) is list else "malformed_header")


@pytest.mark.parametrize(
    "source",
    [None, "", {}, [], {"x-service-event": HEADER}, {"X-Service-Signature": HEADER, "x-service-signature": HEADER}],
)
def test_refuses_no_or_two_headers(source):
    assert reason_of(source) == "malformed_header"


@pytest.mark.parametrize("seconds", [-301, 301, -86_400, 86_400])
def test_refuses_another_time(seconds):
    assert reason_of(f"t={T + seconds},v1={sign(T + seconds)}") == "timestamp_outside_tolerance"
    assert reason_of(f"t={T + seconds},v1={sign(T + seconds)}", tolerance_seconds=90_000) == "accepted"
    assert reason_of(HEADER, tolerance_seconds=float("nan")) == "timestamp_outside_tolerance"


def test_refuses_another_body_secret_or_time():
    assert reason_of(HEADER, BODY + " ") == "signature_mismatch"
    assert reason_of(HEADER, BODY, "whsec_other") == "signature_mismatch"
    assert reason_of(f"t={T + 1},v1={sign(T)}") == "signature_mismatch"


@pytest.mark.parametrize(
    "header",
    [
        "garbage",
        f"t={T}",
        f"v1={sign(T)}",
        f"t=,v1={sign('')}",
        f"t={T},t={T},v1={sign(T)}",
        f"t={T},v1=",
        f"t={T},v1={sign(T)[1:]}",
        f"t={T},v1={sign(T)}00",
        f"t={T},v1=g{sign(T)[1:]}",
        f"t={T},v1={sign(T)},v1=short",
        *(f"t={t},v1={sign(t)}" for t in ("1e9", f"{T}.0", f"+{T}", f"0{T}", f"-{T}", "NaN", hex(T), "9" * 20, "١٢٣")),
        f"t={T},v1={sign(T)},{'x=y,' * 2_000}",
        f"t={T};v1={sign(T)}",
        f"t={T} v1={sign(T)}",
    ],
)
def test_refuses_a_malformed_header(header):
    assert reason_of(header) == "malformed_header"


def test_refuses_a_body_that_is_not_json_and_missing_arguments():
    assert reason_of(f"t={T},v1={sign(T, '{')}", "{") == "malformed_body"
    with pytest.raises(WebhookVerificationError) as refused:
        verify_webhook(BODY, "", SECRET)
    assert pickle.loads(pickle.dumps(refused.value)).reason == "malformed_header"
    with pytest.raises(TypeError):
        verify_webhook(BODY, HEADER, "", now=T)
    with pytest.raises(TypeError):
        verify_webhook(json.loads(BODY), HEADER, SECRET, now=T)


def test_a_real_delivery_is_accepted(mail: Mailberth, faulty):
    faulty.answers = [(200, {}, "")]
    inbox = mail.inboxes.create()
    webhook = mail.webhooks.create(url=f"{faulty.url}/hook", events=["message.received"], address=inbox["address"])
    mail.webhooks.test(webhook["id"])
    [(_, _, headers, body)] = faulty.asked
    assert verify_webhook(body, headers, webhook["secret"])["event"] == "message.received"
