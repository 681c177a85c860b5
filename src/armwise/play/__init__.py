"""What a user calls: simulate, explain, replay, and the online player."""
