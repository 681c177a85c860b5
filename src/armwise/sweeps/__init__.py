"""Many cells: sweeps as data, the store, the runner, results by condition."""
