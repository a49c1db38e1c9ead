"""The texts on the page of claims, besides its tables."""

from __future__ import annotations

import os
import platform
from importlib import metadata

import topicweave as tw

TITLE = "The papers' claims, measured again"
INTRODUCTION = (
    'Every row below is a statement of one of the five papers, but for those called "ours" at the end, with what our '
    "code measures for it in the paper's setting. Where the two differ, the row says so and why, as far as other runs "
    "could show it.",
)
HOW_TO_READ = (
    "*Measured* is the mean ± the standard deviation over the seeds; every seed draws a new workload. Links and "
    "degrees are counted on the overlay, support comes from the verifier, which shares no code with the algorithms.",
    "*Verdict*: **holds**; **holds in shape**: order or direction are the paper's, figures are not; **does not "
    "hold**. What counts as holding, and the reason where something differs, are on the page of details behind each "
    "heading. We tuned nothing to make results agree: where a paper leaves something open, all readings that we tried "
    "are shown.",
    "*Stale*: the code that the row was measured with has changed since, and it was not measured again. "
    "`python -m experiments run` runs exactly those again. `python -m experiments confirm` repeats a random sample of "
    "them and, if every result of the sample is the same as before, accepts the others; the page of details says so.",
    "The papers say \"some edge\" where several are equally good. Ties are by least degree (our default) unless the "
    "row says otherwise.",
    "In figures, lines are means and bars or bands one standard deviation over the seeds; axes are the papers'.",
    "Topic diameters in the side-by-side tables are searched from at most 20 subscribers of at most 200 topics, so "
    "their maxima are lower bounds. Only connected topics count, where an overlay leaves some unconnected.",
    "Facebook and Twitter rows use samples of other crawls than the papers' (they did not publish theirs). "
    "Ours are several samples, each grown breadth first from one user; the paper grows one sample from a few users. "
    "The larger Twitter graph has lost its direction. Where the files are absent, these rows are "
    "not measured; synthetic data never stands in for them.",
)  # fmt: skip
COMMANDS = (
    ("make claims", "everything: run what is missing, draw, write this page"),
    ("python -m experiments run LOW-5 --seeds 40", "some experiments (by name, paper or claim), more seeds"),
    ("python -m experiments report --docs build/claims", "figures and page from the results that are there"),
    ("python -m experiments run --quick", "tiny sizes, to try the code"),
)
PACKAGES = ("numpy", "scipy", "numba", "pyspark")


def written_by() -> str:
    """A sentence about the versions and the machine with which the page was made."""
    used = ", ".join(f"{name} {metadata.version(name)}" for name in PACKAGES)
    return (
        f"topicweave {tw.__version__}, Python {platform.python_version()}, {used}; {platform.system()} "
        f"{platform.machine()}, {os.cpu_count()} cores"
    )
