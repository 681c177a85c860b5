"""How a command ends when something is wrong: one sentence on stderr, never a traceback."""

from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from armwise.errors import EXTRAS, InputError, missing

BAD_INPUT = 2
FAILED = 1
INTERRUPTED = 130
NOTHING_SAVED = "Interrupted; nothing was saved."


class Guarded(TyperGroup):
    """A group of commands whose expected errors become a sentence and an exit code."""

    def make_context(self, *given: Any, **named: Any) -> Any:
        """Read the arguments; typer by itself would end without a word at Ctrl-C here."""
        try:
            return super().make_context(*given, **named)
        except KeyboardInterrupt:
            end(NOTHING_SAVED, INTERRUPTED)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse what can be no argument of a program before anything looks at it."""
        if any("\0" in text for text in args):
            end("An argument must be text without NUL.", BAD_INPUT)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except InputError as problem:
            end(str(problem), BAD_INPUT)
        except ModuleNotFoundError as problem:
            library = (problem.name or "").partition(".")[0]
            if library not in EXTRAS:
                raise
            end(str(missing(library)), BAD_INPUT)
        except KeyboardInterrupt:
            end(NOTHING_SAVED, INTERRUPTED)
        except BrokenPipeError:  # whoever read the output has seen enough: typer ends quietly
            raise
        except MemoryError:
            end("There was not enough memory: ask for fewer agents or checkpoints.", FAILED)
        except RecursionError:
            end("Something in what was given is nested too deeply to be read.", BAD_INPUT)
        except UnicodeError as problem:
            end(f"The encoding of this system cannot hold a text or a name: {problem}.", BAD_INPUT)
        except OSError as problem:
            end(f"The system refused: {problem}.", FAILED)


def end(sentence: str, code: int) -> NoReturn:
    """Say why, and exit."""
    typer.echo(sentence, err=True)
    raise typer.Exit(code)
