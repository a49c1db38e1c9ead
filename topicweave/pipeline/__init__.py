"""The data pipeline on Spark: from raw subscription data to a verified overlay.

>>> import topicweave as tw
>>> from topicweave import pipeline
>>> plan = pipeline.design(None, "subscriptions.csv", "low", k=3, out="plan")    # doctest: +SKIP
>>> plan.verification.topic_connected                                            # doctest: +SKIP
True
"""

from topicweave.pipeline.design import design as design
from topicweave.pipeline.encode import Encoded as Encoded
from topicweave.pipeline.encode import encode as encode
from topicweave.pipeline.load import Loaded as Loaded
from topicweave.pipeline.load import load as load
from topicweave.pipeline.plan.plan import Plan as Plan
from topicweave.pipeline.plan.target import Target as Target
from topicweave.pipeline.quality.counts import MAX_BAD_FRACTION as MAX_BAD_FRACTION
from topicweave.pipeline.quality.counts import Counts as Counts
from topicweave.pipeline.quality.tagging import MAX_LABEL_LENGTH as MAX_LABEL_LENGTH
from topicweave.pipeline.quality.tagging import quarantined as quarantined
from topicweave.pipeline.quality.tagging import tag as tag
from topicweave.pipeline.quality.tagging import valid as valid
from topicweave.pipeline.sources.clients import Clients as Clients
from topicweave.pipeline.sources.events import EventLog as EventLog
from topicweave.pipeline.sources.formats.table import Table as Table
from topicweave.pipeline.sources.kinds import as_source as as_source
from topicweave.pipeline.sources.links import read_edges as read_edges
from topicweave.pipeline.sources.records import Records as Records
from topicweave.pipeline.sources.sample import Sample as Sample
from topicweave.pipeline.sources.sample import bfs_sample as bfs_sample
from topicweave.pipeline.sources.social import SocialGraph as SocialGraph
from topicweave.pipeline.sources.subscriptions import Subscriptions as Subscriptions
from topicweave.pipeline.spark.progress import Observer as Observer
from topicweave.pipeline.spark.progress import Stages as Stages
from topicweave.pipeline.spark.session import session as session
from topicweave.pipeline.verify import Verification as Verification
from topicweave.pipeline.verify import verify as verify
from topicweave.pipeline.verify_files import ListedLinks as ListedLinks
from topicweave.pipeline.verify_files import VerifiedFiles as VerifiedFiles
from topicweave.pipeline.verify_files import verify_files as verify_files
from topicweave.reports.profile import Profile as Profile
from topicweave.reports.profile import profile as profile
