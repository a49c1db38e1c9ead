"""Churn: an overlay that stays topic-connected while nodes join, leave and change their topics."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from topicweave.churn.change import Change as Change
from topicweave.churn.events import Event as Event
from topicweave.churn.registry import MAINTAINERS as MAINTAINERS
from topicweave.churn.replay import Replay as Replay
from topicweave.churn.replay import replay as replay

if TYPE_CHECKING:
    from topicweave.churn.maintainer import Maintainer as Maintainer
    from topicweave.churn.naive import Naive as Naive
    from topicweave.churn.rebuild import Rebuild as Rebuild
    from topicweave.churn.shadow import Shadow as Shadow
    from topicweave.churn.snapshot import load as load
    from topicweave.churn.snapshot import save as save
    from topicweave.churn.strict import Strict as Strict

# Imported on first use: these need compiled code, while the table of maintainers should load without it.
_LATER = {
    "Maintainer": "maintainer",
    "Naive": "naive",
    "Rebuild": "rebuild",
    "Shadow": "shadow",
    "Strict": "strict",
    "load": "snapshot",
    "save": "snapshot",
}

__all__ = ["MAINTAINERS", "Change", "Event", "Replay", "replay", *sorted(_LATER)]


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(f"topicweave.churn.{_LATER[name]}"), name)
    raise AttributeError(f"module 'topicweave.churn' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
