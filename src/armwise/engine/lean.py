"""A leaner pipeline for Numba: the same machine code in about half of the time.

As it is, Numba optimises and assembles every function as a library of its own, together with copies
of all that it calls, though only the outermost one is ever entered from Python. Here a function
that only compiled code calls is translated and put aside; the outermost one links them all once,
and is optimised once. Passes that armwise's own code has no use for (closures, `with`, rewriting of
array expressions) are left out for it; the code of users keeps them.
"""

from types import MethodType
from typing import Any

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
    """A compiler class with one kind of lowering, for armwise's own code or for anybody's."""

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
    """In place of `add_linking_library`: what a library needs is linked once, by the outermost."""
    for each in (library, *library._linking_libraries):
        if each not in self._linking_libraries:
            self._linking_libraries.append(each)


def _put_aside(self: Any) -> None:
    """In place of `finalize`: nothing is linked, optimised or assembled."""
    self._finalized = True


def _put_together(self: Any) -> None:
    """In place of `finalize`: what is needed is linked and optimised, but not assembled."""
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
    """For a function that only compiled code calls."""

    _name = "armwise_inner_lowering"
    finalize = staticmethod(_put_aside)

    def run_pass(self, state: Any) -> bool:
        """Translate the function, and tell callers of it."""
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
    """For a function with loops, which are vectorised best before it is put where it is called."""

    _name = "armwise_middle_lowering"
    finalize = staticmethod(_put_together)


@register_pass(mutates_CFG=True, analysis_only=False)
class OuterLowering(NativeLowering):
    """For the function that Python calls."""

    _name = "armwise_outer_lowering"

    def run_pass(self, state: Any) -> bool:
        """Translate the function, link all that it needs, optimise and assemble."""
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
    """Let a function be compiled once for all values of an argument, not anew for each constant."""
    template = dispatcher.get_call_template

    def for_any_value(arguments: Any, keywords: Any) -> Any:
        return template([types.unliteral(each) for each in arguments], keywords)

    dispatcher.get_call_template = for_any_value
    return dispatcher


def larger(a: Any, b: Any) -> Any:
    """As `max(a, b)`, for which Numba compiles and assembles a function of its own each time."""
    return b if b > a else a


def smaller(a: Any, b: Any) -> Any:
    """As `min(a, b)`."""
    return b if b < a else a
