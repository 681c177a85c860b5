"""`trace(...).armwise.show()`: what armwise adds to a dataset that it made."""

import functools
from typing import TYPE_CHECKING, Any

from armwise.model.upstairs import upstairs

if TYPE_CHECKING:
    import xarray


class Accessor:
    """A dataset of armwise, for what can be done with it in a notebook."""

    def __init__(self, dataset: "xarray.Dataset") -> None:
        self._dataset = dataset

    def show(self) -> Any:
        """Show a trace: the same as `armwise.show`."""
        return upstairs("lab.notebook", "show")(self._dataset)


@functools.cache
def register() -> None:
    """Give datasets the attribute `armwise`, once xarray is there."""
    import xarray

    xarray.register_dataset_accessor("armwise")(Accessor)
