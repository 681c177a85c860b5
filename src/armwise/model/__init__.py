"""The language in which an algorithm is written: parameters, roles, addressed draws, ties."""
