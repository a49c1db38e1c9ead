"""The optimum of small instances, found as a mixed-integer programme by the solver HiGHS."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.content.assignment import MethodResult
from topicweave.content.cost import cost
from topicweave.content.flow_form import FlowForm
from topicweave.content.greedy_packing import greedy_packing
from topicweave.content.interruption import interruptible
from topicweave.content.migration import improve_on_core
from topicweave.content.programme import SAME
from topicweave.content.set_form import SetForm
from topicweave.errors import Argument, InfeasibleError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.content.instance import Instance
    from topicweave.content.programme import Programme

SOLVER = "topicweave: HiGHS"  # the name of the thread in which the solver runs
FORMS = ("auto", "sets", "flows")


def exact(instance: Instance, *, time_limit: float, form: str, core: str, seed: int) -> MethodResult:
    """Prove the optimum; if time runs out, return the best assignment found, a lower bound and the gap between them.

    Parameters
    ----------
    instance
        The problem.
    time_limit
        Seconds.
    form
        ``"sets"``, which grows exponentially with the number of brokers, or ``"flows"``, the linear form of CONTENT
        §II-B, which grows with its fourth power; ``"auto"``: sets, but flows for ``core="tree"``, for which there is no
        form by sets.
    core
        Which kind of trees the cost of the core is computed with; the optimum is for this core.
    seed
        Not used: the solver is deterministic.
    """
    model = _programme(instance, form, core)
    proved = f"The optimum, proved, for {core} trees."
    packed = _packed(instance, core, seed)
    known = np.inf if packed is None else cost(instance, packed, core).total
    if packed is not None and known == 0:
        return MethodResult(packed, bound=0.0, notes=(proved,))
    found = interruptible(lambda: model.solve(time_limit, known), SOLVER)
    if found.status == 2 and packed is None:
        raise InfeasibleError(
            f"No assignment of the {instance.num_users} users keeps every broker within its capacity, although all "
            f"together have room for {instance.capacity.sum() - instance.need.sum():g} more; add capacity."
        )
    bound = max(float(found.mip_dual_bound), 0.0) if found.mip_dual_bound is not None else 0.0
    # The result of the solver is checked: our own evaluation must find the same cost and no broker above its capacity.
    # Greedy packing, which the solver does not know, must not be cheaper.
    total, broker = np.inf, model.brokers(found.x) if found.x is not None else packed
    tree = model.tree(found.x) if found.x is not None else None
    if broker is not None and not model.overloaded(broker):
        total = cost(instance, broker, core, tree=tree).total
        if found.status == 0 and abs(total - bound) <= SAME * total and total <= known * (1 + SAME):
            return MethodResult(broker, bound=min(total, bound), notes=(proved,), tree=tree)
    bound = min(bound, total, known) if bound <= min(total, known) * (1 + SAME) else 0.0
    # When the time is up, the solver's best solution may be worse than that of the fast heuristic.
    if packed is not None and known <= total:
        note = f"Nothing better was found in {time_limit:g} s; this is packing, improved."
        return MethodResult(packed, bound=bound, notes=(note,))
    if broker is None or np.isinf(total):
        raise InfeasibleError(
            f"No assignment within every capacity was found in {time_limit:g} s; allow more time or add capacity."
        )
    why = f"The time limit of {time_limit:g} s was reached." if found.status == 1 else "The solver proved no optimum."
    return MethodResult(broker, bound=bound, notes=(why,), tree=tree)


def _programme(instance: Instance, form: str, core: str) -> Programme:
    if form == "sets" and core == "tree":
        raise ParameterError(
            "{parameter} cannot be 'sets' with {core}, whose tree is not known beforehand; use 'flows'.",
            parameter="form", value=form, core=Argument("core", core),
        )  # fmt: skip
    return (FlowForm if form == "flows" or core == "tree" else SetForm)(instance, core)


def _packed(instance: Instance, core: str, seed: int) -> NDArray[np.int64] | None:
    """The solution of packing followed by migration; ``None`` if packing could not place all users."""
    try:
        return improve_on_core(instance, greedy_packing(instance, seed=seed).broker, core)[0]
    except InfeasibleError:
        return None
