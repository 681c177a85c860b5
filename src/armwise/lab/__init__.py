"""The lab, in a browser: see an agent think, play against it, run a task with people."""
