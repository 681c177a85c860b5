"""How a command ends when something is wrong: one sentence on stderr, never a traceback."""

from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from armwise.errors import EXTRAS, InputError, missing

BAD_INPUT = 2
FAILED = 1
INTERRUPTED = 130


class Guarded(TyperGroup):
    """A group of commands whose expected errors become a sentence and an exit code."""

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
            end("Interrupted; nothing was saved.", INTERRUPTED)
        except BrokenPipeError:  # whoever read the output has seen enough: typer ends quietly
            raise
        except MemoryError:
            end("There was not enough memory: ask for fewer agents or checkpoints.", FAILED)
        except OSError as problem:
            end(f"The system refused: {problem}.", FAILED)


def end(sentence: str, code: int) -> NoReturn:
    """Say why, and exit."""
    typer.echo(sentence, err=True)
    raise typer.Exit(code)
