"""The data pipeline on Spark: from raw subscription data to a verified overlay. Each job is a function, and all are
called in the same way.

>>> from topicweave import pipeline
>>> plan = pipeline.design("subscriptions.csv", "low", k=3, out="plan")    # doctest: +SKIP
>>> plan.verification.topic_connected                                      # doctest: +SKIP
True

Everything here is loaded when it is first used. The jobs are in :mod:`topicweave.pipeline.jobs`: a module with the name
of a job would hide the function here as soon as it is imported.
"""

import ast
import inspect
import sys
from typing import TYPE_CHECKING

from topicweave.lazy import loader

if TYPE_CHECKING:
    from topicweave.pipeline.churn.followed import Followed as Followed
    from topicweave.pipeline.churn.log import Maintained as Maintained
    from topicweave.pipeline.connectivity import ListedLinks as ListedLinks
    from topicweave.pipeline.connectivity import Verification as Verification
    from topicweave.pipeline.job import Job as Job
    from topicweave.pipeline.job import as_source as as_source
    from topicweave.pipeline.job import open_job as open_job
    from topicweave.pipeline.jobs.adapt import adapt as adapt
    from topicweave.pipeline.jobs.assign import assign as assign
    from topicweave.pipeline.jobs.bound import PlanBound as PlanBound
    from topicweave.pipeline.jobs.bound import bound as bound
    from topicweave.pipeline.jobs.design import design as design
    from topicweave.pipeline.jobs.export import export as export
    from topicweave.pipeline.jobs.export import rollout as rollout
    from topicweave.pipeline.jobs.follow import follow as follow
    from topicweave.pipeline.jobs.improve import improve as improve
    from topicweave.pipeline.jobs.load import load as load
    from topicweave.pipeline.jobs.maintain import maintain as maintain
    from topicweave.pipeline.jobs.profile import profile as profile
    from topicweave.pipeline.jobs.running import Probe as Probe
    from topicweave.pipeline.jobs.running import probe as probe
    from topicweave.pipeline.jobs.running import status as status
    from topicweave.pipeline.jobs.tradeoff import Tradeoff as Tradeoff
    from topicweave.pipeline.jobs.tradeoff import tradeoff as tradeoff
    from topicweave.pipeline.jobs.trees import diff as diff
    from topicweave.pipeline.jobs.trees import trees as trees
    from topicweave.pipeline.jobs.verify import VerifiedFiles as VerifiedFiles
    from topicweave.pipeline.jobs.verify import verify as verify
    from topicweave.pipeline.jobs.verify import verify_files as verify_files
    from topicweave.pipeline.jobs.whatif import WhatIf as WhatIf
    from topicweave.pipeline.jobs.whatif import whatif as whatif
    from topicweave.pipeline.loading import Encoded as Encoded
    from topicweave.pipeline.loading import Loaded as Loaded
    from topicweave.pipeline.loading import encode as encode
    from topicweave.pipeline.plan.content_plan import ContentPlan as ContentPlan
    from topicweave.pipeline.plan.plan import Plan as Plan
    from topicweave.pipeline.plan.reader import StoredPlan as StoredPlan
    from topicweave.pipeline.plan.reader import read_plan as read_plan
    from topicweave.pipeline.plan.source import PlanFolder as PlanFolder
    from topicweave.pipeline.plan.source import read_edges as read_edges
    from topicweave.pipeline.plan.target import Target as Target
    from topicweave.pipeline.plan.tradeoff import read_tradeoff as read_tradeoff
    from topicweave.pipeline.quality.reasons import MAX_BAD_FRACTION as MAX_BAD_FRACTION
    from topicweave.pipeline.quality.reasons import MAX_LABEL_LENGTH as MAX_LABEL_LENGTH
    from topicweave.pipeline.quality.reasons import Counts as Counts
    from topicweave.pipeline.quality.reasons import quarantined as quarantined
    from topicweave.pipeline.quality.reasons import tag as tag
    from topicweave.pipeline.quality.reasons import valid as valid
    from topicweave.pipeline.source_profile import SourceProfile as SourceProfile
    from topicweave.pipeline.sources.clients import Clients as Clients
    from topicweave.pipeline.sources.events import EventLog as EventLog
    from topicweave.pipeline.sources.formats.table import Table as Table
    from topicweave.pipeline.sources.publications import Publications as Publications
    from topicweave.pipeline.sources.sample import Sample as Sample
    from topicweave.pipeline.sources.sample import bfs_sample as bfs_sample
    from topicweave.pipeline.sources.social import SocialGraph as SocialGraph
    from topicweave.pipeline.sources.source import Records as Records
    from topicweave.pipeline.sources.source import Source as Source
    from topicweave.pipeline.sources.subscriptions import Subscriptions as Subscriptions
    from topicweave.pipeline.spark.progress import Observer as Observer
    from topicweave.pipeline.spark.progress import Stages as Stages
    from topicweave.pipeline.spark.session import SparkSettings as SparkSettings
    from topicweave.pipeline.spark.session import session as session
    from topicweave.reports.profile import Profile as Profile


def _places() -> dict[str, str]:
    """For each exported name, the module that defines it, read from the imports above, which only type checkers
    execute.
    """
    block = next(one for one in ast.parse(inspect.getsource(sys.modules[__name__])).body if isinstance(one, ast.If))
    lines = [line for line in block.body if isinstance(line, ast.ImportFrom)]
    return {alias.name: str(line.module) for line in lines for alias in line.names}


_MODULE_OF = _places()
__all__ = list(_MODULE_OF)
__getattr__ = loader(__name__, _MODULE_OF)


def __dir__() -> list[str]:
    return __all__
