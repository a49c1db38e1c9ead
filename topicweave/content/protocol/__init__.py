"""The migration protocol (CONTENT §V) as running code: brokers and users exchange messages over any transport."""

from topicweave.content.protocol.broker import Broker as Broker
from topicweave.content.protocol.delivery_audit import DeliveryAudit as DeliveryAudit
from topicweave.content.protocol.faults import Faults as Faults
from topicweave.content.protocol.faults import FaultyTransport as FaultyTransport
from topicweave.content.protocol.network import BrokerNetwork as BrokerNetwork
from topicweave.content.protocol.tcp import TcpTransport as TcpTransport
from topicweave.content.protocol.transport import InProcess as InProcess
from topicweave.content.protocol.transport import Transport as Transport
from topicweave.content.protocol.user import User as User
from topicweave.deprecation import renamed

__getattr__ = renamed(
    __name__,
    {
        "Ledger": "topicweave.content.protocol.delivery_audit.DeliveryAudit",
        "Network": "topicweave.content.protocol.network.BrokerNetwork",
    },
)
