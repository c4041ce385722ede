"""Session files of Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`.

A line is a record: `user` (a prompt, or results of calls), `assistant` (one block of an answer;
those of one answer have the same `message.id`), and much that only its own screen needs. All are
taken in the order of the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from agent_tui.protocol.messages import Usage
from agent_tui.sessions.imports.builder import Builder, count, moment, words
from agent_tui.structures import late

PROGRAM: Final = "Claude Code"
_TYPES: Final = (
    "user",
    "assistant",
    "system",
    "summary",
    "file-history-snapshot",
    "queue-operation",
    "progress",
)
_COMMAND: Final = late.pattern(r"<command-name>\s*(.*?)\s*</command-name>", re.DOTALL)
_ARGUMENTS: Final = late.pattern(r"<command-args>\s*(.*?)\s*</command-args>", re.DOTALL)
_ECHO: Final = ("<local-command-", "<bash-stdout>", "<bash-stderr>")
_INTERRUPTED: Final = "[Request interrupted by user"


def knows(record: Mapping[str, object]) -> bool:
    """Whether such a record is one of theirs."""
    return record.get("type") in _TYPES and bool(
        record.keys() & {"sessionId", "message", "leafUuid", "snapshot"}
    )


def source(path: Path, records: Iterable[Mapping[str, object]]) -> str:
    """Their own id of the session in the file."""
    return path.stem or next((words(record.get("sessionId")) for record in records), "")


def read(records: Iterable[Mapping[str, object]], builder: Builder) -> None:
    seen: set[str] = set()
    for record in records:
        uuid = words(record.get("uuid"))
        if uuid and uuid in seen:
            builder.left_out["duplicate records"] += 1
            continue
        seen.add(uuid)
        match record.get("type"):
            case "user" | "assistant" if record.get("isSidechain") is True:
                builder.left_out["records of sub-agents"] += 1
            case "user":
                _facts(record, builder)
                _user(record, builder)
            case "assistant":
                _facts(record, builder)
                _assistant(record, builder)
            case "queue-operation" if record.get("operation") == "remove":
                builder.add_steer(_queued(record), moment(record.get("timestamp")))
            case "summary":
                builder.titles.setdefault("model", words(record.get("summary")))
            case "ai-title":
                builder.titles["model"] = words(record.get("aiTitle"))
            case "custom-title":
                builder.titles["person"] = words(record.get("customTitle"))
            case "agent-name":
                continue  # the title again
            case kind:
                builder.left_out[
                    f"records of type {kind}"[:60] if kind else "records without a type"
                ] += 1


def _queued(record: Mapping[str, object]) -> str:
    """What a person sent while a turn ran, and what that turn then took."""
    content = record.get("content")
    parts = content if isinstance(content, list) else [{"text": content}]
    return "\n\n".join(words(part.get("text")) for part in parts if isinstance(part, dict))


def _facts(record: Mapping[str, object], builder: Builder) -> None:
    builder.cwd = builder.cwd or words(record.get("cwd"))
    builder.version = words(record.get("version")) or builder.version
    branch = words(record.get("gitBranch"))
    builder.branch = builder.branch or (branch if branch != "HEAD" else "")


def _blocks(record: Mapping[str, object]) -> list[Mapping[str, object]]:
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return (
        [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    )


def _user(record: Mapping[str, object], builder: Builder) -> None:
    at = moment(record.get("timestamp"))
    prompt = []
    for block in _blocks(record):
        match block.get("type"):
            case "text":
                prompt.append(words(block.get("text")))
            case "tool_result":
                bad = block.get("is_error") is True
                builder.add_result(
                    words(block.get("tool_use_id")),
                    plain_text(block.get("content"), builder),
                    bad,
                    at,
                )
            case "image":
                builder.left_out["images"] += 1
            case kind:
                builder.left_out[f"blocks of type {kind}"[:60]] += 1
    text = "\n\n".join(part for part in prompt if part.strip())
    if not text:
        return
    if text.startswith(_INTERRUPTED):
        builder.cancel_turn()
    elif record.get("isCompactSummary") is True:
        builder.left_out["summaries of earlier messages"] += 1
    elif record.get("isMeta") is True or text.lstrip().startswith(_ECHO):
        builder.left_out["remarks of the program"] += 1
    else:
        builder.prompt(_command(text), at)


def _command(text: str) -> str:
    """A slash command as it was typed."""
    if (name := _COMMAND.search(text)) is None:
        return text
    arguments = _ARGUMENTS.search(text)
    return f"{name[1]} {arguments[1]}".rstrip() if arguments is not None else name[1]


def _assistant(record: Mapping[str, object], builder: Builder) -> None:
    at = moment(record.get("timestamp"))
    message = record.get("message")
    if not isinstance(message, dict):
        builder.left_out["answers without a message"] += 1
        return
    key = words(message.get("id")) or words(record.get("uuid"))
    model = words(message.get("model"))
    builder.model = model if model and not model.startswith("<") else builder.model
    for block in _blocks(record):
        match block.get("type"):
            case "text":
                builder.add_text(words(block.get("text")), at, key)
            case "thinking":
                builder.add_thought(words(block.get("thinking")), at, key)
            case "tool_use":
                arguments = json.dumps(
                    block.get("input") if isinstance(block.get("input"), dict) else {}
                )
                builder.add_call(
                    words(block.get("id")), words(block.get("name")) or "tool", arguments, at, key
                )
            case kind:
                builder.left_out[f"blocks of type {kind}"[:60]] += 1
    usage = message.get("usage")
    if isinstance(usage, dict):
        cached = count(usage.get("cache_read_input_tokens"))
        sent = (
            count(usage.get("input_tokens"))
            + cached
            + count(usage.get("cache_creation_input_tokens"))
        )
        builder.add_usage(Usage(sent, count(usage.get("output_tokens")), cached), at, key)


def plain_text(content: object, builder: Builder) -> str:
    """The text of a result: a text itself, or blocks."""
    if isinstance(content, str):
        return content
    texts = []
    for block in content if isinstance(content, list) else []:
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            texts.append(block["text"])
        elif isinstance(block, dict):
            builder.left_out["images" if block.get("type") == "image" else "parts of results"] += 1
    return "\n".join(texts)
