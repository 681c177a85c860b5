"""The same JAX program with numbers of 64 bits, as armwise, NumPy and C have them."""

import jax

from rivals.jax_program import prepare, run

__all__ = ["prepare", "run"]

jax.config.update("jax_enable_x64", True)
