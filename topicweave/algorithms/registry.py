"""The table of algorithms: the only place that defines each one's name, function, parameters, guarantee and paper.

Functions are named by their import path and imported when called, so that the table itself loads quickly: the command
line makes its options and help texts from it. To add an algorithm of your own, add an entry.

    >>> ALGORITHMS["low"].parameters[0].name, ALGORITHMS["low"].paper
    ('k', 'LOW §III')
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from topicweave.parameters import Deferred, Parameter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from topicweave.model.design import Round

DEFAULT = "low"


@dataclass(frozen=True)
class Progress:
    """The state of a running design.

    Attributes
    ----------
    phase
        The current phase, in a word or two.
    links
        Links so far, not counting those of ``start``.
    support
        The support reached so far.
    level
        The contribution that the sweep is looking at; it only falls, except when Δ is raised.
    """

    phase: str
    links: int
    support: float
    level: int = 0


ProgressCallback: TypeAlias = Callable[[Progress], None]


@dataclass(frozen=True)
class Outcome:
    """What an algorithm returns: the links in the order they were added, the contribution of each, and notes for the
    user.
    """

    edges: NDArray[np.int64]
    contribution: NDArray[np.int64]
    pass_starts: tuple[int, ...] = (0,)
    notes: tuple[str, ...] = ()
    rounds: tuple[Round, ...] = ()


@dataclass(frozen=True)
class Algorithm:
    """An entry of the table: one algorithm that designs an overlay from scratch.

    Attributes
    ----------
    function
        ``function(interest, *, seed, **parameters)``, which returns the links in the order added.
    parameters
        Its parameters, with types and ranges.
    problem
        What it tries to minimise or maximise.
    guarantee
        What is proved about the result.
    paper
        Where it is described.
    complete
        Whether the result is always topic-connected.
    goes_on
        Whether it is of the greedy family, which takes ``start``, ``pairs``, ``topics`` and ``ties``.
    tells_progress
        Whether it also takes ``progress``; the greedy family always does.
    requirements
        The requirements that it takes, by their names in :class:`topicweave.Requirements`.
    """

    function: Callable[..., Outcome | NDArray[np.int64]]
    parameters: tuple[Parameter, ...]
    problem: str
    guarantee: str
    paper: str
    complete: bool = True
    goes_on: bool = False
    tells_progress: bool = False
    requirements: tuple[str, ...] = ()


ON_LINKS = ("max_degree", "forbidden", "required", "allowed")
EVERY_REQUIREMENT = ("max_hops", "connectivity", "link_cost", *ON_LINKS)

_LINKS = Parameter("m", int, "the most links the overlay may have", minimum=0, from_ratio="links")
_DEGREE = Parameter("d", int, "the most links a node may have", minimum=0, from_ratio="maximum degree")
_RATIO = Parameter(
    "k", float, "how many times as much a link must contribute to raise the maximum degree", 3.0, minimum=1
)
_FILL = Parameter("fill", bool, "also make links of contribution 0 before the maximum degree rises", False)
_COVERAGE = (
    Parameter("k_greedy", int, "how often each topic is covered by greedily chosen neighbours", 3, minimum=0),
    Parameter("k_random", int, "how often each topic is covered by randomly chosen neighbours", 1, minimum=0),
)
_FEWEST = "fewest links (Min-TCO)"
_CAP = Parameter(
    "max_degree", int, "the most links a node may have (by default the maximum degree of gm)", None, minimum=1
)
_SECONDS = Parameter("seconds", float, "seconds to search", 30.0, minimum=0)
_ROUNDS = Parameter("rounds", int, "how many rounds of a thousand moves to search, instead of a time", None, minimum=0)
_STARS = "few links, every topic of diameter at most 2 (CD-TCO)"
_NO_BOUND = "topic-connected; no bound on links"

ALGORITHMS: dict[str, Algorithm] = {
    "gm": Algorithm(
        Deferred("topicweave.algorithms.greedy.rules:gm"),
        (Parameter("passes", int, "how many link-disjoint overlays to combine", 1, minimum=1),),
        _FEWEST,
        "links within log(Σ|T(v)|) of the optimum",
        "GM §6, Algorithms 1-3",
        goes_on=True,
        requirements=EVERY_REQUIREMENT,
    ),
    "minmax": Algorithm(
        Deferred("topicweave.algorithms.greedy.rules:minmax"),
        (_FILL,),
        "least maximum degree (MinMax-TCO)",
        "maximum degree within O(log(|V||T|)) of the optimum",
        "LOW §II-A",
        goes_on=True,
        requirements=EVERY_REQUIREMENT,
    ),
    "low": Algorithm(
        Deferred("topicweave.algorithms.greedy.rules:low"),
        (_RATIO,),
        "low average and low maximum degree (Low-TCO)",
        "average degree within O(k·log(|V||T|)), maximum degree within O(|V|/k·log(|V||T|)) of the optimum",
        "LOW §III",
        goes_on=True,
        requirements=EVERY_REQUIREMENT,
    ),
    "gpa": Algorithm(
        Deferred("topicweave.algorithms.greedy.rules:gpa"),
        (_LINKS,),
        "most support for a number of links (PTCOA)",
        "removes at least 1 - 1/e of the components that the best m links would remove",
        "PART §V, Algorithm 1",
        complete=False,
        goes_on=True,
        requirements=ON_LINKS,
    ),
    "gpm": Algorithm(
        Deferred("topicweave.algorithms.greedy.rules:gpm"),
        (_DEGREE, _FILL),
        "most support for a maximum degree (PTCOM)",
        "no node above d; removes at least 1 - e^(-1/6) of the components that the best such overlay would remove",
        "PART §VII, Algorithm 3",
        complete=False,
        goes_on=True,
        requirements=ON_LINKS,
    ),
    "cd": Algorithm(
        Deferred("topicweave.algorithms.stars:cd"), (), _STARS, "topic diameter at most 2", "LOW §VI (CD-ODA)"
    ),
    "cd1": Algorithm(
        Deferred("topicweave.algorithms.stars:cd1"), (), _STARS, "topic diameter at most 2", "LOW §VI-A (CD-ODA-I)"
    ),
    "cd2": Algorithm(
        Deferred("topicweave.algorithms.stars:cd2"), (), _STARS, "topic diameter at most 2", "LOW §VI-B (CD-ODA-II)"
    ),
    "cd_max": Algorithm(
        Deferred("topicweave.algorithms.flat_stars:cd_max"),
        (
            Parameter(
                "delta", int, "the maximum degree to keep to (by default the lowest that is found)", None, minimum=1
            ),
        ),
        "every topic of diameter at most 2, low maximum degree",
        "topic diameter at most 2; the maximum degree is that of a heuristic",
        "after the abstract of CD-MAX, PeerJ CS 2021",
    ),
    "gm2": Algorithm(
        Deferred("topicweave.algorithms.surviving:gm2"),
        (),
        "few links, every topic connected when any node fails",
        "every topic survives one failure; the number of links is that of a heuristic",
        "after the abstract of kTCO, TDSC 2022",
    ),
    "harary": Algorithm(
        Deferred("topicweave.algorithms.surviving:harary"),
        (Parameter("connectivity", int, "how many failures, less one, every topic survives", 2, minimum=1),),
        "a Harary graph per topic",
        "every topic survives connectivity - 1 failures; no bound on links",
        "after the abstract of kTCO, TDSC 2022",
    ),
    "ring": Algorithm(
        Deferred("topicweave.algorithms.per_topic:ring"), (), "a ring per topic", _NO_BOUND, "GM §8 (RingPT)"
    ),
    "star": Algorithm(
        Deferred("topicweave.algorithms.per_topic:star"),
        (),
        "a star per topic",
        "topic diameter at most 2",
        "companion of ring",
    ),
    "chain": Algorithm(
        Deferred("topicweave.algorithms.per_topic:chain"), (), "a chain per topic", _NO_BOUND, "companion of ring"
    ),
    "random_avg": Algorithm(
        Deferred("topicweave.algorithms.random_links:random_avg"),
        (_LINKS,),
        "arbitrary links, a number of them",
        "at most m links",
        "PART §IX-A (RandomA)",
        complete=False,
    ),
    "random_max": Algorithm(
        Deferred("topicweave.algorithms.random_links:random_max"),
        (_DEGREE,),
        "arbitrary links, up to a maximum degree",
        "no node above d",
        "PART §IX-A (RandomM)",
        complete=False,
    ),
    "spidercast": Algorithm(
        Deferred("topicweave.algorithms.spidercast:spidercast"),
        _COVERAGE,
        "every topic of a node covered by several neighbours",
        "coverage; topic-connected only with high likelihood",
        "SpiderCast, DEBS 2007",
        complete=False,
        tells_progress=True,
    ),
    "spidercast_max": Algorithm(
        Deferred("topicweave.algorithms.spidercast:spidercast_max"),
        (_DEGREE, *_COVERAGE),
        "coverage, up to a maximum degree",
        "no node above d",
        "PART §IX-A (SpiderCastM)",
        complete=False,
        tells_progress=True,
    ),
    "optimum": Algorithm(
        Deferred("topicweave.optimise.optimum:optimum"),
        (
            _SECONDS,
            _ROUNDS,
            _CAP,
            Parameter("least_degree", bool, "least maximum degree first, then fewest links", False),
        ),
        _FEWEST,
        "never more links than gm, nor a larger maximum degree; the gap to the optimum is certified by lower_bound",
        "this project: docs/optimise.md",
        tells_progress=True,
    ),
    "exact": Algorithm(
        Deferred("topicweave.optimise.exact:exact"),
        (_SECONDS,),
        _FEWEST,
        "the optimum where it is proved in time, which the notes say; else the gap to a certified bound",
        "cut generation (this project: docs/optimise.md)",
        tells_progress=True,
    ),
}
