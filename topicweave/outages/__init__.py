"""Outages: which topics break, and which nodes are cut off, when nodes fail; also ranks all single failures by what
they break.

Everything here is loaded when it is first used.
"""

from typing import TYPE_CHECKING

from topicweave.lazy import loader

if TYPE_CHECKING:
    from topicweave.outages.joint import BrokenTopic as BrokenTopic
    from topicweave.outages.joint import Outage as Outage
    from topicweave.outages.joint import outage as outage
    from topicweave.outages.joint import region_outages as region_outages
    from topicweave.outages.regions import read_regions as read_regions
    from topicweave.outages.single import SingleOutage as SingleOutage
    from topicweave.outages.single import SingleOutages as SingleOutages
    from topicweave.outages.single import single_outages as single_outages

_MODULE_OF = {
    "BrokenTopic": "topicweave.outages.joint",
    "Outage": "topicweave.outages.joint",
    "outage": "topicweave.outages.joint",
    "region_outages": "topicweave.outages.joint",
    "read_regions": "topicweave.outages.regions",
    "SingleOutage": "topicweave.outages.single",
    "SingleOutages": "topicweave.outages.single",
    "single_outages": "topicweave.outages.single",
}
__all__ = list(_MODULE_OF)
__getattr__ = loader(__name__, _MODULE_OF)
