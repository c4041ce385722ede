"""The tool `update_todos`: the model keeps a list of what there is to do, and says the whole of it
anew each time.

It touches the session alone, so nobody is asked. What is wrong is said of the first thing that is
wrong, in one line.
"""

from __future__ import annotations

from typing import Final

from pydantic import Field, model_validator

from agent_tui.protocol.display import TodoDisplay, TodoItem
from agent_tui.tools.base import LenientArguments, Tool, ToolContext, ToolFailure, ToolResult

MOST: Final = 50
CHARS: Final = 500
"""Characters of one text."""
STATES: Final = ("pending", "active", "done")
ALSO: Final = {"in_progress": "active", "completed": "done", "": "pending"}
"""What models say that know other programs' lists."""


class Todo(LenientArguments):
    text: str = Field(description=f"what is to be done, at most {CHARS} characters")
    state: str = Field(default="pending", json_schema_extra={"enum": list(STATES)})

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, raw: object) -> object:
        """A mere text is something to be done."""
        return {"text": raw} if isinstance(raw, str) else raw


class UpdateTodos(LenientArguments):
    todos: list[Todo] = Field(
        description=f"the whole list in order, at most {MOST}; empty: no list",
        json_schema_extra={"maxItems": MOST},
    )


async def run(args: UpdateTodos, ctx: ToolContext) -> ToolResult:
    items = _items(args)
    ctx.set_todos(items)
    return ToolResult(_told(items), TodoDisplay(items))


def _items(args: UpdateTodos) -> tuple[TodoItem, ...]:
    """The list as it is shown. Raises ToolFailure."""
    if len(args.todos) > MOST:
        raise _wrong(f"{len(args.todos)} items are too many: at most {MOST}; join small ones")
    items = tuple(_item(number, todo) for number, todo in enumerate(args.todos, 1))
    if (active := sum(item.state == "active" for item in items)) > 1:
        raise _wrong(
            f"{active} items are active: at most one may be; make the others pending or done"
        )
    return items


def _item(number: int, todo: Todo) -> TodoItem:
    text = " ".join(todo.text.split())
    if not text:
        raise _wrong(f"item {number} has no text: say what is to be done")
    if len(text) > CHARS:
        raise _wrong(f"item {number} has {len(text):,} characters: at most {CHARS}")
    match ALSO.get(todo.state, todo.state):
        case "pending":
            return TodoItem(text)
        case "active":
            return TodoItem(text, "active")
        case "done":
            return TodoItem(text, "done")
        case other:
            raise _wrong(
                f"item {number} is {other[:40]!r}: a state is {', '.join(STATES[:-1])} or {STATES[-1]}"
            )


def _wrong(text: str) -> ToolFailure:
    return ToolFailure("invalid_arguments", f"{text}. The list is unchanged.")


def _told(items: tuple[TodoItem, ...]) -> str:
    if not items:
        return "The todo list is empty."
    done = sum(item.state == "done" for item in items)
    return f"The todo list is saved: {done} of {len(items)} done."


def label(args: UpdateTodos) -> str:
    return "Update the todo list" if args.todos else "Clear the todo list"


TOOL: Final = Tool(
    name="update_todos",
    description=(
        "Keep a todo list that the person sees. For work of three or more steps. Each call gives "
        "the whole list and replaces the one before. Make one item active before you begin it, and done as soon as it "
        "is done."
    ),
    arguments=UpdateTodos,
    effect="read",
    label=label,
    run=run,
)
