"""The data pipeline on Spark: from raw subscription data to a verified overlay. One verb for each job, in one shape.

>>> from topicweave import pipeline
>>> plan = pipeline.design("subscriptions.csv", "low", k=3, out="plan")    # doctest: +SKIP
>>> plan.verification.topic_connected                                      # doctest: +SKIP
True

Whatever is here is loaded when it is first used.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from topicweave.pipeline.assign import assign as assign
    from topicweave.pipeline.churn.log import Maintained as Maintained
    from topicweave.pipeline.churn.stream import Followed as Followed
    from topicweave.pipeline.connectivity import ListedLinks as ListedLinks
    from topicweave.pipeline.connectivity import Verification as Verification
    from topicweave.pipeline.design import design as design
    from topicweave.pipeline.encode import Encoded as Encoded
    from topicweave.pipeline.encode import encode as encode
    from topicweave.pipeline.follow import follow as follow
    from topicweave.pipeline.job import Job as Job
    from topicweave.pipeline.job import open_job as open_job
    from topicweave.pipeline.load import Loaded as Loaded
    from topicweave.pipeline.load import load as load
    from topicweave.pipeline.maintain import maintain as maintain
    from topicweave.pipeline.plan.content_plan import ContentPlan as ContentPlan
    from topicweave.pipeline.plan.links import read_edges as read_edges
    from topicweave.pipeline.plan.plan import Plan as Plan
    from topicweave.pipeline.plan.reader import StoredPlan as StoredPlan
    from topicweave.pipeline.plan.reader import read_plan as read_plan
    from topicweave.pipeline.plan.target import Target as Target
    from topicweave.pipeline.profile import profile as profile
    from topicweave.pipeline.quality.counts import MAX_BAD_FRACTION as MAX_BAD_FRACTION
    from topicweave.pipeline.quality.counts import Counts as Counts
    from topicweave.pipeline.quality.reasons import MAX_LABEL_LENGTH as MAX_LABEL_LENGTH
    from topicweave.pipeline.quality.reasons import quarantined as quarantined
    from topicweave.pipeline.quality.reasons import tag as tag
    from topicweave.pipeline.quality.reasons import valid as valid
    from topicweave.pipeline.source_profile import SourceProfile as SourceProfile
    from topicweave.pipeline.sources.clients import Clients as Clients
    from topicweave.pipeline.sources.events import EventLog as EventLog
    from topicweave.pipeline.sources.formats.table import Table as Table
    from topicweave.pipeline.sources.plan_folder import PlanFolder as PlanFolder
    from topicweave.pipeline.sources.publications import Publications as Publications
    from topicweave.pipeline.sources.records import Records as Records
    from topicweave.pipeline.sources.sample import Sample as Sample
    from topicweave.pipeline.sources.sample import bfs_sample as bfs_sample
    from topicweave.pipeline.sources.social import SocialGraph as SocialGraph
    from topicweave.pipeline.sources.source import Source as Source
    from topicweave.pipeline.sources.source import as_source as as_source
    from topicweave.pipeline.sources.subscriptions import Subscriptions as Subscriptions
    from topicweave.pipeline.spark.progress import Observer as Observer
    from topicweave.pipeline.spark.progress import Stages as Stages
    from topicweave.pipeline.spark.session import SparkSettings as SparkSettings
    from topicweave.pipeline.spark.session import session as session
    from topicweave.pipeline.verify import VerifiedFiles as VerifiedFiles
    from topicweave.pipeline.verify import verify as verify
    from topicweave.pipeline.verify import verify_files as verify_files
    from topicweave.reports.profile import Profile as Profile

_PLACES = {
    "topicweave.pipeline.assign": ("assign",),
    "topicweave.pipeline.churn.log": ("Maintained",),
    "topicweave.pipeline.churn.stream": ("Followed",),
    "topicweave.pipeline.connectivity": ("ListedLinks", "Verification"),
    "topicweave.pipeline.design": ("design",),
    "topicweave.pipeline.encode": ("Encoded", "encode"),
    "topicweave.pipeline.follow": ("follow",),
    "topicweave.pipeline.job": ("Job", "open_job"),
    "topicweave.pipeline.load": ("Loaded", "load"),
    "topicweave.pipeline.maintain": ("maintain",),
    "topicweave.pipeline.plan.content_plan": ("ContentPlan",),
    "topicweave.pipeline.plan.links": ("read_edges",),
    "topicweave.pipeline.plan.plan": ("Plan",),
    "topicweave.pipeline.plan.reader": ("StoredPlan", "read_plan"),
    "topicweave.pipeline.plan.target": ("Target",),
    "topicweave.pipeline.profile": ("profile",),
    "topicweave.pipeline.quality.counts": ("MAX_BAD_FRACTION", "Counts"),
    "topicweave.pipeline.quality.reasons": ("MAX_LABEL_LENGTH", "quarantined", "tag", "valid"),
    "topicweave.pipeline.source_profile": ("SourceProfile",),
    "topicweave.pipeline.sources.clients": ("Clients",),
    "topicweave.pipeline.sources.events": ("EventLog",),
    "topicweave.pipeline.sources.formats.table": ("Table",),
    "topicweave.pipeline.sources.plan_folder": ("PlanFolder",),
    "topicweave.pipeline.sources.publications": ("Publications",),
    "topicweave.pipeline.sources.records": ("Records",),
    "topicweave.pipeline.sources.sample": ("Sample", "bfs_sample"),
    "topicweave.pipeline.sources.social": ("SocialGraph",),
    "topicweave.pipeline.sources.source": ("Source", "as_source"),
    "topicweave.pipeline.sources.subscriptions": ("Subscriptions",),
    "topicweave.pipeline.spark.progress": ("Observer", "Stages"),
    "topicweave.pipeline.spark.session": ("SparkSettings", "session"),
    "topicweave.pipeline.verify": ("VerifiedFiles", "verify", "verify_files"),
    "topicweave.reports.profile": ("Profile",),
}
_MODULE_OF = {name: module for module, names in _PLACES.items() for name in names}

__all__ = list(_MODULE_OF)


class _Package(ModuleType):
    """A package whose verbs stand in modules of the same names: importing such a module must not hide its verb."""

    def __setattr__(self, name: str, value: Any) -> None:
        hides_verb = isinstance(value, ModuleType) and _MODULE_OF.get(name) == value.__name__
        super().__setattr__(name, getattr(value, name) if hides_verb else value)

    def __getattr__(self, name: str) -> Any:
        if name not in _MODULE_OF:
            raise AttributeError(f"module 'topicweave.pipeline' has no attribute {name!r}")
        return getattr(import_module(_MODULE_OF[name]), name)

    def __dir__(self) -> list[str]:
        return __all__


sys.modules[__name__].__class__ = _Package
