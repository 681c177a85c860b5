"""Analysis of results: regret and its intervals, changes, theory."""
