"""The same simulation written in other ways, and what armwise is compared with."""
