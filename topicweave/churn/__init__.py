"""Churn: an overlay that stays topic-connected while nodes join, leave and change their topics."""

from topicweave.churn.change import Change as Change
from topicweave.churn.events import Event as Event
from topicweave.churn.maintainer import Maintainer as Maintainer
from topicweave.churn.naive import Naive as Naive
from topicweave.churn.rebuild import Rebuild as Rebuild
from topicweave.churn.registry import MAINTAINERS as MAINTAINERS
from topicweave.churn.replay import Replay as Replay
from topicweave.churn.replay import replay as replay
from topicweave.churn.shadow import Shadow as Shadow
from topicweave.churn.snapshot import load as load
from topicweave.churn.snapshot import save as save
