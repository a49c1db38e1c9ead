"""Outages: which topics break, and who is cut off, when nodes fail; all single failures ranked by what they break."""

from topicweave.outages.joint import BrokenTopic as BrokenTopic
from topicweave.outages.joint import Outage as Outage
from topicweave.outages.joint import outage as outage
from topicweave.outages.joint import region_outages as region_outages
from topicweave.outages.regions import read_regions as read_regions
from topicweave.outages.single import SingleOutage as SingleOutage
from topicweave.outages.single import SingleOutages as SingleOutages
from topicweave.outages.single import single_outages as single_outages

__all__ = [
    "BrokenTopic", "Outage", "SingleOutage", "SingleOutages", "outage", "read_regions", "region_outages",
    "single_outages",
]  # fmt: skip
