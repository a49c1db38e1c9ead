"""MAINTAINERS: every maintainer by its name; each says its parameters and a line of help itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicweave.churn.naive import Naive
from topicweave.churn.rebuild import Rebuild
from topicweave.churn.shadow import Shadow

if TYPE_CHECKING:
    from topicweave.churn.maintainer import Maintainer

MAINTAINERS: dict[str, type[Maintainer]] = {kind.name: kind for kind in (Shadow, Naive, Rebuild)}
DEFAULT = Shadow.name
