# Verifies webhook deliveries at their receiver. Uses only the standard library.
from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
from typing import Any, Dict, Iterable, List, Literal, Optional, Protocol, Tuple, Union

TOLERANCE_SECONDS = 300
HEADER_NAME = "X-Service-Signature"
#: Room for about fifty `v1`; the service sends one, or two while a secret is rotated.
HEADER_MAX_CHARS = 4_096
TIMESTAMP = re.compile(r"(0|[1-9][0-9]{0,14})")
SIGNATURE = re.compile(r"[0-9a-fA-F]{64}")

Reason = Literal["malformed_header", "timestamp_outside_tolerance", "signature_mismatch", "malformed_body"]


class Headers(Protocol):
    """Headers of a request, as frameworks have them: a dict, or an object with `items()`."""

    def items(self) -> Iterable[Tuple[str, Any]]: ...


#: The signature header, or all headers of the request: names in any case, values as text or lists of it.
SignatureSource = Union[str, List[str], Tuple[str, ...], Headers, None]


class WebhookVerificationError(Exception):
    """A delivery that must be rejected: answer it with 400. `reason` says why, for programs."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason: Reason = reason

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (self.reason, str(self))


def verify_webhook(
    raw_body: Union[str, bytes],
    signature: SignatureSource,
    secret: str,
    *,
    tolerance_seconds: float = TOLERANCE_SECONDS,
    header_name: str = HEADER_NAME,
    now: Optional[float] = None,
) -> Dict[str, Any]:
    """Verifies that a delivery comes from the service and is recent, and returns its event: `event["message"]["from"]`.

    `raw_body` is the body exactly as received: not parsed, not serialized again. `signature` is the value of the signature
    header, or all headers of the request. `header_name` is `X-<SERVICE_NAME>-Signature`; `now` is in seconds, default: the
    clock. Raises WebhookVerificationError with a `reason`, and TypeError if the secret or the raw body is missing.
    """
    # With an empty key, anyone could create valid signatures.
    if not secret:
        raise TypeError("verify_webhook needs the signing secret")
    if not isinstance(raw_body, (str, bytes)):
        raise TypeError("verify_webhook needs the raw body, as text or bytes: read it before anything parses it")
    body = raw_body.encode() if isinstance(raw_body, str) else raw_body
    timestamp, signatures = _parse(_header(signature, header_name))
    expected = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).digest()
    matches = [one for one in signatures if hmac.compare_digest(bytes.fromhex(one), expected)]
    if not matches:
        raise WebhookVerificationError("signature_mismatch", "No v1 matches: wrong secret, or not the body as it was sent.")
    seconds_away = abs(int(time.time() if now is None else now) - int(timestamp))
    # Written so that a tolerance that is not a number is rejected.
    if not seconds_away <= tolerance_seconds:
        raise WebhookVerificationError("timestamp_outside_tolerance", f"t is more than {tolerance_seconds} s away.")
    try:
        event: Dict[str, Any] = json.loads(body)
    except ValueError as error:
        raise WebhookVerificationError("malformed_body", "The body is signed but is not JSON.") from error
    return event


def _header(source: SignatureSource, header_name: str) -> str:
    """Several headers of the name are one list, as in RFC 9110 §5.3."""
    if source is None or isinstance(source, str):
        return source or ""
    if isinstance(source, (list, tuple)):
        return ",".join(source)
    values = [value for name, value in source.items() if name.lower() == header_name.lower()]
    return ",".join(value if isinstance(value, str) else ",".join(value) for value in values)


def _parse(header: str) -> Tuple[str, List[str]]:
    if header == "":
        raise _malformed("is missing")
    if len(header) > HEADER_MAX_CHARS:
        raise _malformed("is too long")
    # Later schemes may add other names, which are ignored.
    pairs = [part.strip().partition("=")[::2] for part in header.split(",")]
    timestamps = [value for name, value in pairs if name == "t"]
    signatures = [value for name, value in pairs if name == "v1"]
    if len(timestamps) != 1:
        raise _malformed("must have exactly one t")
    if not TIMESTAMP.fullmatch(timestamps[0]):
        raise _malformed("must have whole seconds as t")
    if not signatures:
        raise _malformed("has no v1")
    if not all(SIGNATURE.fullmatch(signature) for signature in signatures):
        raise _malformed("has a v1 that is not hex SHA-256")
    return timestamps[0], signatures


def _malformed(problem: str) -> WebhookVerificationError:
    return WebhookVerificationError("malformed_header", f"The signature header {problem}.")
