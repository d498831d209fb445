# What both clients share: calls, answers, errors, repetition and waits. Nothing here does input or output.
#
# A task of several calls is a generator (`Steps`): it yields a `Call` to send or a number of seconds to sleep, gets the
# reply, and returns the result. The clients only carry out what it yields.
from __future__ import annotations

import json
import math
import os
import random
import time
import uuid
from dataclasses import dataclass, field, replace
from typing import Any, AsyncIterator, Dict, Generator, Iterator, List, Literal, Mapping, Optional, Protocol, Tuple, TypeVar, Union
from urllib.parse import quote

import httpx

from . import models

REPEATS_MAX = 3
FIRST_DELAY_SECONDS = 0.5
#: Longer waits are for the caller to decide: a daily cap resets at midnight.
RETRY_AFTER_MAX_SECONDS = 30
#: The longest wait of one call.
WAIT_MAX_SECONDS = 120
TIMEOUT_SECONDS = 60
TEXT_SHOWN_CHARS = 200
#: A stream stays open through a restart of the service.
STREAM_REPEATS_MAX = 10
STREAM_DELAY_DOUBLES_MAX = 5
#: The service writes a line every 15 s.
STREAM_SILENCE_MAX_SECONDS = 45

T = TypeVar("T")


@dataclass(frozen=True)
class Call:
    """One request. Fields of `query` and `body` that are None are left out."""

    verb: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Optional[Mapping[str, Any]] = None
    content: Optional[bytes] = None
    #: The `Idempotency-Key`, the same in each repetition.
    key: Optional[str] = None
    reads: Literal["json", "text", "bytes"] = "json"
    timeout_seconds: float = TIMEOUT_SECONDS
    #: Whether sending it twice does no more than sending it once. Default: reads, and calls with a key.
    repeatable: Optional[bool] = None

    def request(self) -> Dict[str, Any]:
        """The arguments of `httpx.Client.request`."""
        headers = {} if self.key is None else {"Idempotency-Key": self.key}
        request: Dict[str, Any] = {"method": self.verb, "url": self.path, "timeout": self.timeout_seconds}
        request["params"] = {name: value for name, value in self.query.items() if value is not None}
        if self.content is not None:
            headers["Content-Type"] = "application/octet-stream"
            request["content"] = self.content
        elif self.body is not None:
            request["json"] = {name: value for name, value in self.body.items() if value is not None}
        return {**request, "headers": headers}


Reply = Union[httpx.Response, httpx.TransportError, None]
Steps = Generator[Union[Call, float], Reply, T]


class Caller(Protocol):
    def run(self, call: Call) -> Any: ...

    def pages(self, call: Call, parameter: str) -> Iterator[Any]: ...

    def stream(self, call: Call) -> Iterator[models.Event]: ...


class AsyncCaller(Protocol):
    async def run(self, call: Call) -> Any: ...

    def pages(self, call: Call, parameter: str) -> AsyncIterator[Any]: ...

    def stream(self, call: Call) -> AsyncIterator[models.Event]: ...


class MailberthError(Exception):
    """The service refused a call.

    `code` is for programs and never changes, `message` says what happened, `fix` what to do. `issues` names the fields
    of invalid input. `retry_after` is in seconds. `body` is the whole answer: a 402 has its price there.
    An answer that is not the service's, such as the page of a proxy, has the code `unexpected_answer`.
    """

    def __init__(self, status: int, body: Mapping[str, Any], request_id: Optional[str], retry_after: Optional[int]) -> None:
        error = body["error"]
        self.code: str = error["code"]
        self.message: str = error["message"]
        self.fix: Optional[str] = error.get("fix")
        self.issues: List[Dict[str, str]] = error.get("issues", [])
        self.status = status
        self.request_id = error.get("request_id") or request_id
        self.retry_after = retry_after
        self.body = body
        issues = [f"{issue['path']}: {issue['message']}" for issue in self.issues]
        said = " ".join([self.message, *issues, self.fix or ""]).strip()
        super().__init__(f"{said} ({self.code}, {status}, request {self.request_id})")

    def __reduce__(self) -> Tuple[Any, ...]:
        # Workers of pytest-xdist, Celery and others pass errors on as pickles.
        return type(self), (self.status, self.body, self.request_id, self.retry_after)


@dataclass(frozen=True)
class Wait:
    """What a wait returned. After a time-out, `message`, `otp` and `link` are None."""

    result: models.WaitResult

    @property
    def message(self) -> Optional[models.Message]:
        return self.result["message"]

    @property
    def otp(self) -> Optional[str]:
        """The one-time code in the message, as a person would type it."""
        return self.result["extracted"]["otp"]

    @property
    def link(self) -> Optional[str]:
        """The verification or sign-in link in the message. Who wrote the mail chose it: see `link_host_matches_sender`."""
        return self.result["extracted"]["link"]

    @property
    def timed_out(self) -> bool:
        return self.result["timed_out"]

    @property
    def cursor(self) -> str:
        """Pass it as `after`: the next wait misses nothing."""
        return self.result["cursor"]


def segment(value: str) -> str:
    """An argument as one part of a path. Raises ValueError if it would name another path."""
    if value in ("", ".", ".."):
        raise ValueError(f"{value!r} is no id or address.")
    return quote(value, safe="")


def new_key() -> str:
    return uuid.uuid4().hex


def settings(url: Optional[str], key: Optional[str]) -> Tuple[str, str]:
    """The url and key of a client. With an empty key only the calls work that need none."""
    url = os.environ.get("MAILBERTH_URL") if url is None else url
    key = os.environ.get("MAILBERTH_KEY") if key is None else key
    if not url or not url.startswith(("http://", "https://")):
        raise ValueError("Pass the url of the service, http://… or https://…, or set MAILBERTH_URL.")
    if key is None:
        raise ValueError("Pass the agent key, or set MAILBERTH_KEY. Mailberth.enroll gets one for an enrollment key.")
    return url.rstrip("/"), key


def connection(url: str, key: str) -> Dict[str, Any]:
    """The arguments of the httpx client. It follows no redirects, which would carry the key elsewhere."""
    return {"base_url": url, "headers": {"Authorization": f"Bearer {key}"} if key else {}, "follow_redirects": False}


def exchange(call: Call) -> Steps[Any]:
    """Sends a call, repeats it where that is safe, and returns the data of the answer."""
    for repeats in range(REPEATS_MAX + 1):
        reply = yield call
        delay = None if repeats == REPEATS_MAX else delay_of(call, reply, repeats)
        if delay is None:
            return answer_of(call, reply)
        yield delay
    raise AssertionError


def delay_of(call: Call, reply: Reply, repeats: int) -> Optional[float]:
    """Seconds until the call is repeated, or None if the reply is final."""
    repeatable = call.verb == "GET" or call.key is not None if call.repeatable is None else call.repeatable
    backoff = FIRST_DELAY_SECONDS * 2.0**repeats * random.uniform(0.75, 1.25)
    if not isinstance(reply, httpx.Response):
        # A connection that was never there carried nothing.
        return backoff if repeatable or isinstance(reply, httpx.ConnectError) else None
    # A 429 is answered before the call does anything. A proxy answers 502 and 504 for a lost connection.
    if reply.status_code != 429 and not (repeatable and reply.status_code in (502, 503, 504)):
        return None
    seconds = retry_after_of(reply)
    if seconds is None:
        return backoff
    return max(seconds, backoff) if seconds <= RETRY_AFTER_MAX_SECONDS else None


def retry_after_of(reply: httpx.Response) -> Optional[int]:
    header = reply.headers.get("Retry-After", "")
    return int(header) if header.isascii() and header.isdigit() and len(header) < 10 else None


def answer_of(call: Call, reply: Reply) -> Any:
    if not isinstance(reply, httpx.Response):
        raise reply or AssertionError
    if not reply.is_success:
        raise error_of(reply)
    if call.reads == "bytes":
        return reply.content
    if call.reads == "text":
        return reply.text
    try:
        return reply.json()
    except ValueError:
        raise error_of(reply) from None


def error_of(reply: httpx.Response) -> MailberthError:
    try:
        body = reply.json()
        assert isinstance(body["error"]["code"], str) and isinstance(body["error"]["message"], str)
    except (ValueError, KeyError, TypeError, AssertionError):
        message = f"{reply.url.host} answered {reply.status_code}, not as Mailberth does: {reply.text[:TEXT_SHOWN_CHARS]}"
        body = {"error": {"code": "unexpected_answer", "message": message, "fix": "Check the url."}}
    return MailberthError(reply.status_code, body, reply.headers.get("X-Request-Id"), retry_after_of(reply))


def wait_steps(inbox: str, timeout_seconds: float, body: Mapping[str, Any]) -> Steps[Wait]:
    """A wait of any length: each call continues at the cursor of the one before."""
    end = time.monotonic() + timeout_seconds
    while True:
        seconds = min(WAIT_MAX_SECONDS, max(0, math.ceil(end - time.monotonic())))
        result = yield from exchange(
            Call(
                "POST",
                f"/v1/inboxes/{segment(inbox)}/wait",
                body={**body, "timeout_seconds": seconds},
                timeout_seconds=seconds + TIMEOUT_SECONDS,
                # Without `after`, or with `claim`, a wait whose answer was lost has taken the message.
                repeatable=body.get("after") is not None and not body.get("claim"),
            )
        )
        if result["message"] is not None or time.monotonic() >= end:
            return Wait(result)
        body = {**body, "after": result["cursor"]}


def next_page(call: Call, page: Mapping[str, Any], parameter: str) -> Optional[Call]:
    cursor = page["next_cursor"]
    return None if cursor is None else replace(call, query={**call.query, parameter: cursor})


class EventStream:
    """The state of `GET /v1/events/stream`: reads server-sent events line by line, and continues after a lost connection."""

    def __init__(self, call: Call) -> None:
        self.call = replace(call, timeout_seconds=STREAM_SILENCE_MAX_SECONDS)
        self.data: List[str] = []
        self.repeats = 0

    def take(self, line: str) -> Optional[models.Event]:
        """The event that ends with this line."""
        name, _, value = line.rstrip("\r\n").partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "id":
            self.repeats = 0
            self.call = replace(self.call, query={**self.call.query, "after": value})
        elif name == "data":
            self.data.append(value)
        elif name == "" and value == "" and self.data:
            event: models.Event = json.loads("\n".join(self.data))
            self.data = []
            return event
        return None

    def end(self, reply: Reply) -> float:
        """Seconds until the stream is opened again. Raises if the service refuses it or cannot be reached."""
        self.data = []
        ended = isinstance(reply, httpx.Response) and reply.is_success
        doubles = min(self.repeats, STREAM_DELAY_DOUBLES_MAX)
        delay = FIRST_DELAY_SECONDS * 2.0**doubles if ended else delay_of(self.call, reply, doubles)
        if delay is None or self.repeats == STREAM_REPEATS_MAX:
            answer_of(replace(self.call, reads="bytes"), reply)
            raise httpx.RemoteProtocolError("The service ends each stream of events without an event.")
        self.repeats += 1
        return delay
