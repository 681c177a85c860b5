"""A leaner pipeline for Numba: the same machine code in about half of the time.

By default, Numba optimises and assembles every function as a separate library, together with copies
of everything it calls, although Python only ever calls the outermost function. Here a function that
only compiled code calls is translated and put aside; the outermost function links them all once and
is optimised once. Passes that armwise's own code does not need (closures, `with`, rewriting of
array expressions) are left out for it; they stay for users' code.
"""

import math
from types import MethodType
from typing import Any

from llvmlite import ir
from numba import _dynfunc, types
from numba.core import compiler
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.environment import lookup_environment
from numba.core.typed_passes import (
    IRLegalization,
    NativeLowering,
    NoPythonBackend,
    NopythonTypeInference,
    PreLowerStripPhis,
)
from numba.core.untyped_passes import (
    DeadBranchPrune,
    FixupArgs,
    GenericRewrites,
    IRProcessing,
    ReconstructSSA,
    RewriteSemanticConstants,
    TranslateByteCode,
)
from numba.extending import intrinsic

_ENOUGH = (
    TranslateByteCode,
    FixupArgs,
    IRProcessing,
    RewriteSemanticConstants,
    DeadBranchPrune,
    GenericRewrites,
    ReconstructSSA,
    NopythonTypeInference,
    PreLowerStripPhis,
)


def pipeline(lowering: type, own: bool) -> type:
    """A compiler class with this lowering, for armwise's own code or for users' code."""

    class Pipeline(compiler.CompilerBase):
        def define_pipelines(self) -> list[PassManager]:
            manager = PassManager("armwise")
            if own:
                manager.passes += [(each, each.__name__) for each in _ENOUGH]
            else:
                build = compiler.DefaultPassBuilder
                manager.passes += build.define_untyped_pipeline(self.state).passes
                manager.passes += build.define_typed_pipeline(self.state).passes
            for each in (IRLegalization, lowering, NoPythonBackend):
                manager.add_pass(each, each.__name__)
            manager.finalize()
            return [manager]

    return Pipeline


def _link_all(self: Any, library: Any) -> None:
    """Replaces `add_linking_library`: only the outermost function links libraries, once."""
    for each in (library, *library._linking_libraries):
        if each not in self._linking_libraries:
            self._linking_libraries.append(each)


def _put_aside(self: Any) -> None:
    """Replaces `finalize`: nothing is linked, optimised or assembled."""
    self._finalized = True


def _put_together(self: Any) -> None:
    """Replaces `finalize`: dependencies are linked and optimised, but not assembled."""
    for library in self._linking_libraries:
        self._final_module.link_in(library._get_module_for_linking(), preserve=True)
    self._optimize_final_module()
    self._linking_libraries = []
    self._finalized = True


def _library(state: Any, **replaced: Any) -> Any:
    library = state.targetctx.codegen().create_library(state.func_id.func_qualname)
    for name, function in replaced.items():
        setattr(library, name, MethodType(function, library))
    return library


@register_pass(mutates_CFG=True, analysis_only=False)
class InnerLowering(NativeLowering):
    """Lowering of a function that only compiled code calls."""

    _name = "armwise_inner_lowering"
    finalize = staticmethod(_put_aside)

    def run_pass(self, state: Any) -> bool:
        """Translate the function and make it known to its callers."""
        library = _library(state, finalize=self.finalize, add_linking_library=_link_all)
        state.library = library
        state.flags.no_compile = True
        super().run_pass(state)
        library.finalize()
        described, made = state["cr"].fndesc, state["cr"]
        name = described.qualname.rpartition(".")[2]
        module = described.lookup_module()
        key = _dynfunc.make_function(module, name, "", 0, made.env, (library,))
        state.targetctx.insert_user_function(key, described, [library])
        state["cr"] = made._replace(cfunc=key)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class MiddleLowering(InnerLowering):
    """Lowering of a function with loops, which are vectorised best before it is inlined."""

    _name = "armwise_middle_lowering"
    finalize = staticmethod(_put_together)


@register_pass(mutates_CFG=True, analysis_only=False)
class OuterLowering(NativeLowering):
    """Lowering of the function that Python calls."""

    _name = "armwise_outer_lowering"

    def run_pass(self, state: Any) -> bool:
        """Translate the function, link everything it needs, optimise and assemble."""
        library = _library(state, add_linking_library=_link_all)
        library.enable_object_caching()
        state.library = library
        super().run_pass(state)
        for variable in library._final_module.global_variables:
            environment = lookup_environment(variable.name)
            if environment is not None:
                library.codegen.set_env(variable.name, environment)
        return True


INNER_OWN, INNER = pipeline(InnerLowering, own=True), pipeline(InnerLowering, own=False)
MIDDLE_OWN, MIDDLE = pipeline(MiddleLowering, own=True), pipeline(MiddleLowering, own=False)
OUTER = pipeline(OuterLowering, own=True)


def take_any_value(dispatcher: Any) -> Any:
    """Let a function be compiled once for all values of an argument, not once per constant."""
    template = dispatcher.get_call_template

    def for_any_value(arguments: Any, keywords: Any) -> Any:
        return template([types.unliteral(each) for each in arguments], keywords)

    dispatcher.get_call_template = for_any_value
    return dispatcher


def larger(a: Any, b: Any) -> Any:
    """Equal to `max(a, b)`, for which Numba would compile a separate function each time."""
    return b if b > a else a


def smaller(a: Any, b: Any) -> Any:
    """Equal to `min(a, b)`."""
    return b if b < a else a


@intrinsic
def larger_number(context: Any, a: Any, b: Any) -> Any:
    """The larger of two numbers that are not NaN, in a form that LLVM takes for many at once."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        double = ir.DoubleType()
        function = ir.FunctionType(double, [double, double])
        name = builder.module.declare_intrinsic("llvm.maxnum", [double], function)
        return builder.call(name, arguments, fastmath=("nnan", "nsz"))

    return types.float64(types.float64, types.float64), emit


def maximum(numbers: Any, count: int) -> float:
    """Equal to `ties.maximum`, in vector instructions."""
    best = -math.inf
    for place in range(count):
        number = numbers[place]
        best = larger_number(best, number if number > -math.inf else -math.inf)  # NaN is not larger
    return best
