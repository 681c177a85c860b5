"""Figures: one file each, `draw(results) -> Figure`. They read results and never simulate."""
