"""Shortcuts: the same choices as `armwise.engine.definition`, including ties, with less work."""
