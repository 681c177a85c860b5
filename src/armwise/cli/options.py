"""Options that several commands share."""

from typing import Annotated

import typer

Device = Annotated[
    str,
    typer.Option(
        help="cpu (compiled), cuda (a graphics card), auto (a card if there is one), python (slow)."
    ),
]
