"""Rollout files of the Codex CLI: `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<session>.jsonl`.

A line is `{timestamp, type, payload}`: `session_meta`, `turn_context`, `response_item` (what went
to the model and came back), `event_msg` (what its screen showed; of prompts the plainer one),
`compacted`. Older files have the bare items.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from agent_tui.protocol.messages import Usage
from agent_tui.sessions.imports.builder import Builder, count, moment, words
from agent_tui.sessions.imports.claude import plain_text
from agent_tui.structures import late

PROGRAM: Final = "Codex CLI"
_TYPES: Final = ("session_meta", "turn_context", "response_item", "event_msg", "compacted")
_ITEMS: Final = (
    "message",
    "reasoning",
    "function_call",
    "function_call_output",
    "local_shell_call",
)
_SESSION: Final = late.pattern(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ADDED: Final = late.pattern(
    r"\s*(?:<(?:environment_context|user_instructions|permissions|turn_aborted)|# AGENTS\.md )"
)
"""How what the program itself says in the person's name begins."""

Item = tuple[str, Mapping[str, object], float]


def knows(record: Mapping[str, object]) -> bool:
    """Whether such a record is one of theirs."""
    if isinstance(record.get("payload"), dict):
        return record.get("type") in _TYPES
    return (record.get("type") in _ITEMS and "sessionId" not in record) or record.keys() <= {
        "id",
        "timestamp",
        "git",
        "instructions",
        "record_type",
    }


def source(path: Path, records: Iterable[Mapping[str, object]]) -> str:
    """Their own id of the session in the file."""
    for kind, payload, _ in _items(records):
        if kind == "session_meta" and words(payload.get("id")):
            return words(payload.get("id"))
    named = _SESSION.search(path.stem)
    return named[0] if named else path.stem


def _items(records: Iterable[Mapping[str, object]]) -> Iterable[Item]:
    """Old and new files as one: kind, payload, time."""
    for record in records:
        at, payload, kind = (
            moment(record.get("timestamp")),
            record.get("payload"),
            words(record.get("type")),
        )
        if isinstance(payload, dict):
            yield kind, payload, at
        elif kind in _ITEMS or kind.startswith("custom_tool_call"):
            yield "response_item", record, at
        elif words(record.get("id")) and not kind:
            yield "session_meta", record, at
        else:
            yield kind or words(record.get("record_type")), {}, at


def read(records: Iterable[Mapping[str, object]], builder: Builder) -> None:
    items = list(_items(records))
    shown = {words(payload.get("type")) for kind, payload, _ in items if kind == "event_msg"}
    answers = any(
        kind == "response_item" and payload.get("role") == "assistant" for kind, payload, _ in items
    )
    totals: set[str] = set()
    for kind, payload, at in items:
        match kind:
            case "session_meta":
                _meta(payload, builder)
            case "turn_context":
                builder.model = words(payload.get("model")) or builder.model
            case "response_item":
                _item(payload, at, builder, prompts="user_message" not in shown)
            case "event_msg":
                _event(payload, at, builder, answers, totals)
            case "compacted":
                builder.left_out["summaries of earlier messages"] += 1
            case _:
                builder.left_out[
                    f"records of type {kind}"[:60] if kind else "records without a type"
                ] += 1


def _meta(payload: Mapping[str, object], builder: Builder) -> None:
    git = payload.get("git")
    builder.cwd = builder.cwd or words(payload.get("cwd"))
    builder.version = builder.version or words(payload.get("cli_version"))
    builder.branch = builder.branch or (words(git.get("branch")) if isinstance(git, dict) else "")


def _item(payload: Mapping[str, object], at: float, builder: Builder, prompts: bool) -> None:
    id = words(payload.get("call_id")) or words(payload.get("id"))
    match payload.get("type"):
        case "message" if payload.get("role") == "assistant":
            builder.add_text(plain_text(payload.get("content"), builder), at)
        case "message" if payload.get("role") == "user":
            text = plain_text(payload.get("content"), builder)
            if prompts and text.strip() and not _ADDED.match(text):
                builder.prompt(text, at)
        case "message":
            builder.left_out["instructions of the program"] += 1
        case "reasoning":
            builder.add_thought(plain_text(payload.get("summary"), builder), at)
        case "function_call":
            builder.add_call(
                id,
                words(payload.get("name")) or "tool",
                words(payload.get("arguments")) or "{}",
                at,
            )
        case "custom_tool_call":
            arguments = json.dumps({"input": words(payload.get("input"))})
            builder.add_call(id, words(payload.get("name")) or "tool", arguments, at)
        case "local_shell_call":
            action = payload.get("action")
            builder.add_call(
                id, "shell", json.dumps(action if isinstance(action, dict) else {}), at
            )
        case "function_call_output" | "custom_tool_call_output":
            content, bad = _output(payload.get("output"), builder)
            builder.add_result(id, content, bad, at)
        case kind:
            builder.left_out[f"items of type {kind}"[:60]] += 1


def _output(output: object, builder: Builder) -> tuple[str, bool]:
    """The text of a result, and whether it is that of a failure."""
    if isinstance(output, dict):
        return plain_text(output.get("content"), builder), output.get("success") is False
    if isinstance(output, str) and output.startswith('{"output":'):
        try:
            inner = json.loads(output)
        except (ValueError, RecursionError):
            return output, False
        if isinstance(inner, dict) and isinstance(inner.get("output"), str):
            about = inner.get("metadata")
            code = about.get("exit_code") if isinstance(about, dict) else 0
            return inner["output"], bool(code)
    return plain_text(output, builder), False


def _event(
    payload: Mapping[str, object], at: float, builder: Builder, answers: bool, totals: set[str]
) -> None:
    match payload.get("type"):
        case "user_message":
            builder.prompt(words(payload.get("message")), at)
        case "agent_message":
            if not answers:
                builder.add_text(words(payload.get("message")), at)
        case "turn_aborted":
            builder.cancel_turn()
        case "token_count":
            _tokens(payload.get("info"), builder, totals)
        case "agent_reasoning" | "task_started" | "task_complete" | "agent_reasoning_section_break":
            return  # the items say the same
        case kind:
            builder.left_out[f"events of type {kind}"[:60]] += 1


def _tokens(info: object, builder: Builder, totals: set[str]) -> None:
    last = info.get("last_token_usage") if isinstance(info, dict) else None
    total = json.dumps(info.get("total_token_usage")) if isinstance(info, dict) else ""
    if (
        not isinstance(last, dict)
        or total in totals
        or not builder.turns
        or not builder.turns[-1].steps
    ):
        return  # the same again, or of no answer
    totals.add(total)
    sent, cached = count(last.get("input_tokens")), count(last.get("cached_input_tokens"))
    builder.turns[-1].steps[-1].usage = Usage(sent, count(last.get("output_tokens")), cached)
