"""Fit agents to the recorded choices of people and animals."""
