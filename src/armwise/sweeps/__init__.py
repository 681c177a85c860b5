"""Many cells: sweeps as data, the store, the runner, results by condition."""

from armwise.errors import require

require("xarray", "pydantic")
