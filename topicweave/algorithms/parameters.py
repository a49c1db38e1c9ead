"""The module where version 0.1 had the parameters of algorithms; they are in :mod:`topicweave.parameters` now."""

from topicweave.deprecation import renamed

__getattr__ = renamed(
    __name__,
    {name: f"topicweave.parameters.{name}" for name in ("LARGEST", "REQUIRED", "Parameter", "did_you_mean", "fill")},
)
