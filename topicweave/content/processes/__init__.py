"""Brokers and users of a content-based overlay as processes that talk over TCP."""

from topicweave.content.processes.client import Client as Client
from topicweave.content.processes.client import Publication as Publication
from topicweave.content.processes.client import connect as connect
from topicweave.content.processes.launcher import run as run
from topicweave.content.processes.limits import Limits as Limits
from topicweave.content.processes.network_plan import NetworkPlan as NetworkPlan
from topicweave.content.processes.server import Server as Server
from topicweave.content.processes.server import serve as serve
