"""The parts of the benchmark: each measures one thing and returns tables."""
