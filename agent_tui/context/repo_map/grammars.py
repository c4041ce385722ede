"""Definitions by tree-sitter, where the grammar of a language is installed (the extra `map`).

One table of node types stands for all grammars: they name the same things alike. Bodies of
functions are not entered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from agent_tui.context.repo_map.tags import Kind, Tag, make_tag, word_set
from agent_tui.registry import late_module

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

GRAMMARS: Final = {
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "go": ("tree_sitter_go", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "java": ("tree_sitter_java", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "php": ("tree_sitter_php", "language_php"),
    "csharp": ("tree_sitter_c_sharp", "language"),
    "bash": ("tree_sitter_bash", "language"),
}
"""Module and function of each."""
_FUNCTIONS: Final = word_set(
    "function_definition function_declaration function_item function_signature_item "
    "function_signature generator_function_declaration method_definition method_declaration "
    "method_signature abstract_method_signature method_elem method singleton_method "
    "constructor_declaration macro_definition preproc_function_def"
)
_CLASSES: Final = word_set(
    "class_declaration abstract_class_declaration class_definition class class_specifier "
    "struct_specifier struct_item struct_declaration enum_item enum_declaration enum_specifier "
    "union_item union_specifier trait_item trait_declaration interface_declaration "
    "record_declaration record_struct_declaration delegate_declaration annotation_type_declaration "
    "module internal_module mod_item impl_item namespace_definition namespace_declaration "
    "file_scoped_namespace_declaration type_spec type_alias type_alias_declaration type_item "
    "type_definition"
)
_CONSTANTS: Final = frozenset(("const_item", "static_item", "const_spec", "variable_declarator"))
_NEED_BODY: Final = frozenset(("struct_specifier", "enum_specifier", "union_specifier", "class"))
"""The same node is only a mention where there is no body."""
_CLOSED: Final = word_set(
    "block statement_block function_body compound_statement arrow_function function_expression "
    "argument_list arguments parameters formal_parameters lambda lambda_expression"
)
"""What holds no definition that others could use."""
_DEEPEST: Final = 12


@cache
def find_parser(language: str) -> Parser | None:
    """None: the grammar is not installed, or none that this tree-sitter can read."""
    if language not in GRAMMARS:
        return None
    module, function = GRAMMARS[language]
    try:
        from tree_sitter import Language, Parser

        return Parser(Language(getattr(late_module(module, warm=False), function)()))
    except (ImportError, AttributeError, ValueError):
        return None


def parse_tags(
    parser: Parser, text: str, lines: Sequence[str], stopped: Callable[[], None]
) -> Iterator[Tag]:
    """`stopped` is called again and again, and raises where nobody waits any more."""
    data = text.encode("utf-8", "replace")
    yield from _tags(parser.parse(data).root_node, lines, stopped, 0)


def _tags(
    above: Node, lines: Sequence[str], stopped: Callable[[], None], depth: int
) -> Iterator[Tag]:
    stopped()
    for node in above.named_children:
        kind = _kind(node, depth)
        name = _name(node) if kind is not None else ""
        if kind is not None and name:
            yield make_tag(lines, node.start_point[0] + 1, name, kind)
        if kind in (None, "class") and node.type not in _CLOSED and depth < _DEEPEST:
            yield from _tags(node, lines, stopped, depth + 1)


def _kind(node: Node, depth: int) -> Kind | None:
    if node.type in _FUNCTIONS:
        return "function"
    if node.type in _CLASSES:
        needs = node.type in _NEED_BODY and node.child_by_field_name("body") is None
        return None if needs else "class"
    if node.type in _CONSTANTS:
        value = node.child_by_field_name("value")
        if value is not None and value.type in ("arrow_function", "function_expression"):
            return "function"
        return "constant" if depth <= 2 else None
    declared = node.child_by_field_name("declarator") if node.type == "declaration" else None
    return "function" if declared is not None and _is_function(declared) else None


def _is_function(declared: Node | None) -> bool:
    """A declaration in a header says `int name(int)`, perhaps with a star before."""
    while declared is not None and declared.type in ("pointer_declarator", "reference_declarator"):
        declared = declared.child_by_field_name("declarator") or next(
            iter(declared.named_children), None
        )
    return declared is not None and declared.type == "function_declarator"


def _name(node: Node) -> str:
    """C wraps the name into declarators; `impl` has only a type."""
    found: Node | None = node
    if node.type == "impl_item":
        found = node.child_by_field_name("type")
    elif (named := node.child_by_field_name("name")) is not None:
        found = named
    else:
        found = node.child_by_field_name("declarator")
        while found is not None and (inner := found.child_by_field_name("declarator")) is not None:
            found = inner
    if found is None or found.text is None:
        return ""
    text = found.text.decode("utf-8", "replace")
    return text if len(text) <= 80 and "\n" not in text else ""
