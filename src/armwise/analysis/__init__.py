"""What results say: regret and its intervals, changes, theory."""
