"""The language that algorithms are written in: parameters, roles, agents, addressed draws, ties."""
