# The tools for LangChain, without LangChain: a module with the documented fields of StructuredTool stands for it.
import sys
import types
from dataclasses import dataclass
from typing import Any, Callable, Dict

import pytest

from mailberth import Mailberth, MailberthError
from mailberth.langchain import list_tools, mail_tools


@dataclass
class StructuredTool:
    name: str
    description: str
    args_schema: Dict[str, Any]
    func: Callable[..., Any]


@pytest.fixture
def tools(monkeypatch, mail):
    module = types.ModuleType("langchain_core.tools")
    module.StructuredTool = StructuredTool
    monkeypatch.setitem(sys.modules, "langchain_core", types.ModuleType("langchain_core"))
    monkeypatch.setitem(sys.modules, "langchain_core.tools", module)
    return {tool.name: tool for tool in mail_tools(mail)}


def test_a_model_makes_a_mailbox_mails_itself_a_code_and_reads_it_in_the_data(tools):
    address = tools["create_inbox"].func(display_name="Model")["address"]
    tools["send_email"].func(inbox=address, to=address, subject="Your code", text="Your code is 482913.")
    found = tools["wait_for_email"].func(**{"inbox": address, "from": address, "timeout_seconds": 30})
    assert found["extracted"]["otp"] == "482913"
    assert "Sends" in tools["send_email"].description
    assert "inbox" in tools["send_email"].args_schema["required"]


def test_a_refused_call_says_what_to_do(tools):
    refused = tools["get_message"].func(id="msg_none")
    assert refused["code"] == "message_not_found" and "search_messages" in refused["fix"]


def test_a_narrower_key_has_fewer_tools_and_a_wrong_one_none(mail):
    key = mail.keys.create(scopes=["mailbox:read"])["key"]
    with Mailberth(mail.url, key) as narrower:
        names = [tool["name"] for tool in list_tools(narrower)]
    assert "wait_for_email" in names and "send_email" not in names
    with Mailberth(mail.url, "mb_agent_none") as nobody, pytest.raises(MailberthError, match="unauthorized"):
        list_tools(nobody)
