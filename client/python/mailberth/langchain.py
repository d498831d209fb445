# The tools of the MCP server for LangChain, with all data of their results. `pip install mailberth[langchain]` has what it needs.
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping

from .client import Mailberth
from .core import Call, MailberthError

if TYPE_CHECKING:
    from langchain_core.tools import StructuredTool

#: Longer than the longest wait of a tool.
CALL_MAX_SECONDS = 90


def mail_tools(mail: Mailberth) -> List[StructuredTool]:
    """The tools that the key of `mail` may call: `create_inbox`, `wait_for_email`, `send_email` and others.

    Raises MailberthError if the service does not take the key. A refused call of a tool does not raise: it returns
    `{code, message, fix, …}`, and the model reads what to do.
    """
    from langchain_core.tools import StructuredTool

    return [
        StructuredTool(
            name=tool["name"],
            description=tool["description"],
            args_schema=tool["inputSchema"],
            func=tool_function(mail, tool["name"]),
        )
        for tool in list_tools(mail)
    ]


def list_tools(mail: Mailberth) -> List[Dict[str, Any]]:
    """The tools as MCP lists them: `name`, `description` and `inputSchema`."""
    tools: List[Dict[str, Any]] = request(mail, "tools/list", {})["tools"]
    return tools


def tool_function(mail: Mailberth, name: str) -> Callable[..., Dict[str, Any]]:
    def call(**arguments: Any) -> Dict[str, Any]:
        try:
            data: Dict[str, Any] = request(mail, "tools/call", {"name": name, "arguments": arguments})["structuredContent"]
        except MailberthError as refused:
            data = refused.body["error"]
        return data

    return call


def request(mail: Mailberth, method: str, params: Mapping[str, Any]) -> Any:
    """One JSON-RPC call (MCP 2025-11-25, Streamable HTTP). The service keeps no session."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    answer = mail.run(Call("POST", "/mcp", body=body, timeout_seconds=CALL_MAX_SECONDS))
    if "error" in answer:
        raise RuntimeError(f"Mailberth answered {method}: {answer['error']['message']}")
    return answer["result"]
