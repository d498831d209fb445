# The pytest plugin: the fixture `mailbox` gives each test a mailbox, and the code or link that the tested program mails to it.
# Without a named service it starts the installed npm package `mailberth`.
from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Callable, Iterator, List, Optional, Set, Tuple

import pytest

from . import models
from .client import Mailberth
from .core import Wait

START_MAX_SECONDS = 120
STOP_MAX_SECONDS = 30
TIMEOUT_SECONDS = 60
LISTED_MAX = 10
#: As root, the embedded PostgreSQL runs as another user, which must enter the folder.
ENTERED_BY_ALL_MODE = 0o755
SMTP_PORT = "2525"
NOT_INSTALLED = (
    "The npm package `mailberth` is not installed here. Run `npm install --save-dev mailberth`, or set MAILBERTH_URL and"
    " MAILBERTH_KEY to a running service."
)


@pytest.fixture
def mailbox(mailberth: Mailberth) -> Iterator[Mailbox]:
    """A mailbox for one test: give its `address` to the tested program. It is removed after the test."""
    made = Mailbox(mailberth)
    yield made
    made.remove()


@pytest.fixture(scope="session")
def mailberth() -> Iterator[Mailberth]:
    """The service of the tests: that of MAILBERTH_URL and MAILBERTH_KEY, or one that is started, with port 2525 for mail."""
    if os.environ.get("MAILBERTH_URL"):
        with Mailberth() as mail:
            yield mail
        return
    program = find_program()
    if program is None:
        pytest.fail(NOT_INSTALLED, pytrace=False)
    with start(program) as (url, enrollment_key):
        with Mailberth.enroll(url, enrollment_key, "tests") as mail:
            yield mail


class Mailbox:
    """Each method waits for mail, by default 60 s. It returns mail in its order of arrival, and never the same mail twice.

    `from_` is an address, a domain with its subdomains, or a part of an address; `to` and `subject` are parts. When the time
    is over, a method raises TimeoutError, which names the mail that did come.
    """

    def __init__(self, mail: Mailberth) -> None:
        inbox = mail.inboxes.create()
        self.address: str = inbox["address"]
        self._mail = mail
        self._created_at = inbox["created_at"]
        self._removed = False
        self._codes: Set[str] = set()
        self._links: Set[str] = set()
        self._messages: Set[str] = set()

    def code(
        self,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        subject: Optional[str] = None,
        timeout_seconds: float = TIMEOUT_SECONDS,
    ) -> str:
        """The one-time code of the next mail that has one."""
        found = self._next("code", lambda wait: wait.otp, self._codes, from_, to, subject, timeout_seconds)
        return str(found.otp)

    def link(
        self,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        subject: Optional[str] = None,
        timeout_seconds: float = TIMEOUT_SECONDS,
    ) -> str:
        """The verification or sign-in link of the next mail that has one."""
        found = self._next("link", lambda wait: wait.link, self._links, from_, to, subject, timeout_seconds)
        return str(found.link)

    def message(
        self,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        subject: Optional[str] = None,
        timeout_seconds: float = TIMEOUT_SECONDS,
    ) -> models.Message:
        """The next mail."""
        found = self._next("mail", lambda wait: wait.message, self._messages, from_, to, subject, timeout_seconds)
        assert found.message is not None
        return found.message

    def remove(self) -> None:
        """Deletes the mailbox and its mail. Its address is never given again."""
        if not self._removed:
            self._mail.inboxes.delete(self.address)
        self._removed = True

    def _next(
        self,
        what: str,
        find: Callable[[Wait], object],
        returned: Set[str],
        from_: Optional[str],
        to: Optional[str],
        subject: Optional[str],
        timeout_seconds: float,
    ) -> Wait:
        end = time.monotonic() + timeout_seconds
        after = self._created_at
        others: List[str] = []
        while True:
            left = max(0.0, end - time.monotonic())
            wait = self._mail.wait(
                self.address, from_=from_, to=to, subject=subject, after=after, timeout_seconds=left
            )
            after = wait.cursor
            if wait.message is None:
                came = f"Without one came: {', '.join(others[:LISTED_MAX])}." if others else "No mail came."
                raise TimeoutError(f"No {what} came to {self.address} within {timeout_seconds:g} s. {came}")
            if wait.message["id"] in returned:
                continue
            if find(wait) is not None:
                returned.add(wait.message["id"])
                return wait
            others.append(f'"{wait.message["subject"]}" from {wait.message["from"]}')


def find_program() -> Optional[str]:
    """The command of the npm package: on the PATH, or installed in this folder or one above it."""
    here = Path.cwd()
    beside = [folder / "node_modules/.bin/mailberth" for folder in (here, *here.parents)]
    return next((str(path) for path in beside if path.exists()), None) or shutil.which("mailberth")


@contextmanager
def start(program: str) -> Iterator[Tuple[str, str]]:
    """Starts the service in an empty folder, without pages, and gives its url and enrollment key. Stops it at the end."""
    folder = tempfile.mkdtemp(prefix="mailberth-test-")
    os.chmod(folder, ENTERED_BY_ALL_MODE)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    # Settings of the tested program must not become those of the service: DATABASE_URL, PORT.
    env = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    env.update(PORT=str(port), SMTP_PORT=os.environ.get("MAILBERTH_SMTP_PORT", SMTP_PORT))
    env.update(RATE_LIMIT_BURST="1000", NODE_ENV="production")
    child = subprocess.Popen(
        [program, "start", "--no-pages"],
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield f"http://127.0.0.1:{port}", printed_key(child)
    finally:
        child.send_signal(signal.SIGINT)
        try:
            child.wait(STOP_MAX_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        shutil.rmtree(folder, ignore_errors=True)


def printed_key(child: subprocess.Popen[str]) -> str:
    """The enrollment key that a service prints when it has started. What it prints later is read and dropped."""
    lines: List[str] = []
    keys: List[str] = []
    known = threading.Event()

    def read() -> None:
        assert child.stderr is not None
        for line in child.stderr:
            if keys:
                continue
            lines.append(line)
            keys.extend(re.findall(r'mb_enroll_\w+(?=")', line))
            if keys:
                known.set()
        known.set()

    threading.Thread(target=read, daemon=True).start()
    in_time = known.wait(START_MAX_SECONDS)
    if not keys:
        happened = "did not start" if in_time else f"was not ready after {START_MAX_SECONDS} s"
        raise RuntimeError(f"Mailberth {happened}. It said:\n{''.join(lines[-LISTED_MAX:])}")
    return keys[0]
