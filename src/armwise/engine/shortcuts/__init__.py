"""The choices of `armwise.engine.definition`, to the last tie, with less work."""
