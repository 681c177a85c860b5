"""The functions that users call: simulate, explain, replay, and the online player."""
