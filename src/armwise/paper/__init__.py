"""The reproduction of the paper: its sweeps, figures, published values, claims and report."""
