"""The table of claims, paper by paper. Names on the command line are ids of its rows."""

from __future__ import annotations

from experiments import gm, low, part

CLAIMS = (*gm.CLAIMS, *low.CLAIMS, *part.CLAIMS)
NAMES = tuple(dict.fromkeys(claim.id for claim in CLAIMS))
