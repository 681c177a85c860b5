"""The same program with one thread, as NumPy has one."""

from rivals import armwise_program
from rivals.armwise_program import prepare, run

__all__ = ["prepare", "run"]

armwise_program.THREADS = 1
