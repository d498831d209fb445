# The two clients. They differ only in how they send and sleep: `core` decides what is sent, repeated and returned.
from __future__ import annotations

import asyncio
import mimetypes
import os
import time
from pathlib import Path
from typing import Any, AsyncIterator, Dict, Iterator, Literal, Optional, TypeVar, Union

import httpx

from . import core, models
from .calls import AsyncResources, Resources
from .core import Call, Reply, Steps, Wait

T = TypeVar("T")
Kind = Literal["person", "automatic", "list", "bounce", "calendar"]


class Mailberth(Resources):
    """A client of the service. `mail.<noun>.<verb>(…)` is one operation of the API: `mail.inboxes.create()`.

    Raises `MailberthError` when the service refuses a call, and `httpx.TransportError` when it cannot be reached. A call
    that can be repeated safely is repeated up to three times. Close it, or use it in a `with` statement. Threads may
    share it.
    """

    def __init__(self, url: Optional[str] = None, key: Optional[str] = None) -> None:
        """Default: `MAILBERTH_URL` and `MAILBERTH_KEY`, an agent key, of the environment."""
        self.url, self.key = core.settings(url, key)
        self._http = httpx.Client(**core.connection(self.url, self.key))
        sender = _Sender(self._http)
        self._connect(sender)
        self.run = sender.run
        self.send = self.messages.send
        self.reply = self.messages.reply

    @classmethod
    def enroll(cls, url: str, enrollment_key: str, handle: str) -> Mailberth:
        """Gets an agent key for an enrollment key. The same handle is the same agent. Keep `mail.key`."""
        with cls(url, "") as anyone:
            agent = anyone.enrollment.redeem_key(token=enrollment_key, agent_handle=handle)
        return cls(url, agent["agent_key"])

    def wait(
        self,
        inbox: str,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        subject: Optional[str] = None,
        kind: Optional[Kind] = None,
        thread_id: Optional[str] = None,
        match: Optional[str] = None,
        after: Optional[str] = None,
        claim: Optional[bool] = None,
        max_chars: Optional[int] = None,
        timeout_seconds: float = 30,
    ) -> Wait:
        """Waits for the next mail of a mailbox, for any time. The arguments are those of `messages.wait_for_email`."""
        body: Dict[str, Any] = {"from": from_, "to": to, "subject": subject, "kind": kind, "thread_id": thread_id}
        body.update(match=match, after=after, claim=claim, max_chars=max_chars)
        return _run(self._http, core.wait_steps(inbox, timeout_seconds, body))

    def upload(self, path: Union[str, os.PathLike[str]], *, content_type: Optional[str] = None) -> models.Upload:
        """Uploads a file, to send it as `attachments=[{"upload_id": upload["id"]}]`."""
        name, kind = Path(path).name, content_type or mimetypes.guess_type(path)[0]
        return self.uploads.create(filename=name, content_type=kind, content=Path(path).read_bytes())

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Mailberth:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _run(http: httpx.Client, steps: Steps[T]) -> T:
    reply: Reply = None
    while True:
        try:
            step = steps.send(reply)
        except StopIteration as end:
            result: T = end.value
            return result
        if isinstance(step, Call):
            try:
                reply = http.request(**step.request())
            except httpx.TransportError as error:
                reply = error
        else:
            time.sleep(step)
            reply = None


class _Sender:
    def __init__(self, http: httpx.Client) -> None:
        self.http = http

    def run(self, call: Call) -> Any:
        return _run(self.http, core.exchange(call))

    def pages(self, call: Call, parameter: str) -> Iterator[Any]:
        following: Optional[Call] = call
        while following:
            page = self.run(following)
            yield from page["data"]
            following = core.next_page(following, page, parameter)

    def stream(self, call: Call) -> Iterator[models.Event]:
        stream = core.EventStream(call)
        while True:
            reply: Reply
            try:
                with self.http.stream(**stream.call.request()) as reply:
                    if reply.is_success:
                        for line in reply.iter_lines():
                            event = stream.take(line)
                            if event:
                                yield event
                    else:
                        reply.read()
            except httpx.TransportError as error:
                reply = error
            time.sleep(stream.end(reply))


class AsyncMailberth(AsyncResources):
    """As `Mailberth`, for asyncio: `await mail.inboxes.create()`, `async for event in mail.events.stream()`."""

    def __init__(self, url: Optional[str] = None, key: Optional[str] = None) -> None:
        """Default: `MAILBERTH_URL` and `MAILBERTH_KEY`, an agent key, of the environment."""
        self.url, self.key = core.settings(url, key)
        self._http = httpx.AsyncClient(**core.connection(self.url, self.key))
        sender = _AsyncSender(self._http)
        self._connect(sender)
        self.run = sender.run
        self.send = self.messages.send
        self.reply = self.messages.reply

    @classmethod
    async def enroll(cls, url: str, enrollment_key: str, handle: str) -> AsyncMailberth:
        """Gets an agent key for an enrollment key. The same handle is the same agent. Keep `mail.key`."""
        async with cls(url, "") as anyone:
            agent = await anyone.enrollment.redeem_key(token=enrollment_key, agent_handle=handle)
        return cls(url, agent["agent_key"])

    async def wait(
        self,
        inbox: str,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        subject: Optional[str] = None,
        kind: Optional[Kind] = None,
        thread_id: Optional[str] = None,
        match: Optional[str] = None,
        after: Optional[str] = None,
        claim: Optional[bool] = None,
        max_chars: Optional[int] = None,
        timeout_seconds: float = 30,
    ) -> Wait:
        """Waits for the next mail of a mailbox, for any time. The arguments are those of `messages.wait_for_email`."""
        body: Dict[str, Any] = {"from": from_, "to": to, "subject": subject, "kind": kind, "thread_id": thread_id}
        body.update(match=match, after=after, claim=claim, max_chars=max_chars)
        return await _run_async(self._http, core.wait_steps(inbox, timeout_seconds, body))

    async def upload(self, path: Union[str, os.PathLike[str]], *, content_type: Optional[str] = None) -> models.Upload:
        """Uploads a file, to send it as `attachments=[{"upload_id": upload["id"]}]`."""
        name, kind = Path(path).name, content_type or mimetypes.guess_type(path)[0]
        content = await asyncio.to_thread(Path(path).read_bytes)
        return await self.uploads.create(filename=name, content_type=kind, content=content)

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> AsyncMailberth:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


async def _run_async(http: httpx.AsyncClient, steps: Steps[T]) -> T:
    reply: Reply = None
    while True:
        try:
            step = steps.send(reply)
        except StopIteration as end:
            result: T = end.value
            return result
        if isinstance(step, Call):
            try:
                reply = await http.request(**step.request())
            except httpx.TransportError as error:
                reply = error
        else:
            await asyncio.sleep(step)
            reply = None


class _AsyncSender:
    def __init__(self, http: httpx.AsyncClient) -> None:
        self.http = http

    async def run(self, call: Call) -> Any:
        return await _run_async(self.http, core.exchange(call))

    async def pages(self, call: Call, parameter: str) -> AsyncIterator[Any]:
        following: Optional[Call] = call
        while following:
            page = await self.run(following)
            for item in page["data"]:
                yield item
            following = core.next_page(following, page, parameter)

    async def stream(self, call: Call) -> AsyncIterator[models.Event]:
        stream = core.EventStream(call)
        while True:
            reply: Reply
            try:
                async with self.http.stream(**stream.call.request()) as reply:
                    if reply.is_success:
                        async for line in reply.aiter_lines():
                            event = stream.take(line)
                            if event:
                                yield event
                    else:
                        await reply.aread()
            except httpx.TransportError as error:
                reply = error
            await asyncio.sleep(stream.end(reply))
