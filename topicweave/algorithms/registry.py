"""The table of algorithms: the one place where a name gets its function, parameters, problem, guarantee and paper."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from topicweave.algorithms import per_topic, random_links, spidercast, stars
from topicweave.algorithms.greedy import rules as greedy
from topicweave.parameters import Parameter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from topicweave.algorithms.outcome import Outcome


@dataclass(frozen=True)
class Algorithm:
    """One static algorithm.

    Attributes
    ----------
    function
        ``function(interest, *, seed, **parameters)`` gives the links in the order added.
    parameters
        What may be set, with types and ranges.
    problem
        What it tries to achieve.
    guarantee
        What is proved about the result.
    paper
        Where it is described.
    complete
        Whether the result is always topic-connected.
    goes_on
        Whether it is of the greedy family, which takes ``start``, ``pairs``, ``topics`` and ``ties``.
    """

    function: Callable[..., Outcome | NDArray[np.int64]]
    parameters: tuple[Parameter, ...]
    problem: str
    guarantee: str
    paper: str
    complete: bool = True
    goes_on: bool = False


_LINKS = Parameter("m", int, "the most links the overlay may have", minimum=0, from_ratio="links")
_DEGREE = Parameter("d", int, "the most links a node may have", minimum=0, from_ratio="maximum degree")
_RATIO = Parameter("k", float, "how many times more a link must bring to raise the maximum degree", 3.0, minimum=1)
_COVERAGE = (
    Parameter("k_greedy", int, "how often each topic is covered by greedily chosen neighbours", 3, minimum=0),
    Parameter("k_random", int, "how often each topic is covered by randomly chosen neighbours", 1, minimum=0),
)
_FEWEST = "fewest links (Min-TCO)"
_STARS = "few links, every topic of diameter at most 2 (CD-TCO)"
_NO_BOUND = "topic-connected; no bound on links"

ALGORITHMS: Mapping[str, Algorithm] = MappingProxyType(
    {
        "gm": Algorithm(
            greedy.gm,
            (Parameter("passes", int, "how many link-disjoint overlays to lay over each other", 1, minimum=1),),
            _FEWEST,
            "links within log(Σ|T(v)|) of the optimum",
            "GM §6, Algorithms 1-3",
            goes_on=True,
        ),
        "minmax": Algorithm(
            greedy.minmax,
            (),
            "least maximum degree (MinMax-TCO)",
            "maximum degree within O(log(|V||T|)) of the optimum",
            "LOW §II-A",
            goes_on=True,
        ),
        "low": Algorithm(
            greedy.low,
            (_RATIO,),
            "low average and low maximum degree (Low-TCO)",
            "average degree within O(k·log(|V||T|)), maximum degree within O(|V|/k·log(|V||T|)) of the optimum",
            "LOW §III",
            goes_on=True,
        ),
        "gpa": Algorithm(
            greedy.gpa,
            (_LINKS,),
            "most support for a number of links (PTCOA)",
            "removes at least 1 - 1/e of the components that the best m links would remove",
            "PART §V, Algorithm 1",
            complete=False,
            goes_on=True,
        ),
        "gpm": Algorithm(
            greedy.gpm,
            (_DEGREE,),
            "most support for a maximum degree (PTCOM)",
            "no node above d; removes at least 1 - e^(-1/6) of the components that the best such overlay would remove",
            "PART §VII, Algorithm 3",
            complete=False,
            goes_on=True,
        ),
        "cd": Algorithm(stars.cd, (), _STARS, "topic diameter at most 2", "LOW §VI (CD-ODA)"),
        "cd1": Algorithm(stars.cd1, (), _STARS, "topic diameter at most 2", "LOW §VI-A (CD-ODA-I)"),
        "cd2": Algorithm(stars.cd2, (), _STARS, "topic diameter at most 2", "LOW §VI-B (CD-ODA-II)"),
        "ring": Algorithm(per_topic.ring, (), "a ring per topic", _NO_BOUND, "GM §8 (RingPT)"),
        "star": Algorithm(per_topic.star, (), "a star per topic", "topic diameter at most 2", "companion of ring"),
        "chain": Algorithm(per_topic.chain, (), "a chain per topic", _NO_BOUND, "companion of ring"),
        "random_avg": Algorithm(
            random_links.random_avg, (_LINKS,), "arbitrary links, a number of them", "at most m links",
            "PART §IX-A (RandomA)", complete=False,
        ),
        "random_max": Algorithm(
            random_links.random_max, (_DEGREE,), "arbitrary links, up to a maximum degree", "no node above d",
            "PART §IX-A (RandomM)", complete=False,
        ),
        "spidercast": Algorithm(
            spidercast.spidercast, _COVERAGE, "every topic of a node covered by several neighbours",
            "coverage; topic-connected only with high likelihood", "SpiderCast, DEBS 2007", complete=False,
        ),
        "spidercast_max": Algorithm(
            spidercast.spidercast_max, (_DEGREE, *_COVERAGE), "coverage, up to a maximum degree", "no node above d",
            "PART §IX-A (SpiderCastM)", complete=False,
        ),
    }
)  # fmt: skip
