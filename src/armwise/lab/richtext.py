"""Markdown as plain data: a page builds elements from it, so no text can become code."""

from typing import Any

from armwise.errors import InputError, brief

ALLOWED = frozenset(
    "p h1 h2 h3 h4 ul ol li strong em code pre blockquote br hr a".split()  # noqa: SIM905
)
LINKS = ("https://", "http://", "mailto:")


def rich(text: Any) -> list[Any]:
    """The nodes of a Markdown text: strings, and lists of a tag, its attributes and its nodes.

    HTML is shown as it is written. A link leads to the web or to an address of mail.

    >>> rich("Press **Q** or `W`.")
    [['p', {}, 'Press ', ['strong', {}, 'Q'], ' or ', ['code', {}, 'W'], '.']]
    >>> rich("<script>alert(1)</script>")
    [['p', {}, '<script>alert(1)</script>']]
    """
    from markdown_it import MarkdownIt

    if not isinstance(text, str):
        raise InputError(f"A text must be Markdown, not {brief(text)}.")
    reader = MarkdownIt("commonmark", {"html": False})
    root: list[Any] = ["", {}]
    stack = [root]
    for token in reader.parse(text):
        for each in token.children if token.type == "inline" and token.children else [token]:
            _take(each, stack)
    return root[2:]


def _take(token: Any, stack: list[list[Any]]) -> None:
    """Add one token of Markdown to the tree, whose open branch is `stack`."""
    if token.nesting == 1:
        node = [token.tag if token.tag in ALLOWED else "p", _attributes(token)]
        stack[-1].append(node)
        stack.append(node)
    elif token.nesting == -1:
        stack.pop()
    elif token.type in ("code_inline", "fence", "code_block"):
        code = ["code", {}, token.content]
        stack[-1].append(code if token.type == "code_inline" else ["pre", {}, code])
    elif token.type in ("hardbreak", "hr"):
        stack[-1].append([token.tag, {}])
    elif token.type == "softbreak":
        stack[-1].append(" ")
    elif token.content:
        stack[-1].append(token.content)


def _attributes(token: Any) -> dict[str, str]:
    href = str(token.attrs.get("href", "")) if token.tag == "a" else ""
    return {"href": href} if href.startswith(LINKS) else {}
