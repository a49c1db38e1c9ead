"""The audit of deliveries."""

from topicweave.content.protocol import DeliveryAudit


def test_the_audit_sees_every_kind_of_fault():
    """A checker that cannot fail proves nothing."""
    audit = DeliveryAudit()
    for number in range(5):
        audit.publish("p", number, ["r"])
    for number in (0, 2, 1, 1, 4, 9):
        audit.receive("r", "p", number)
    assert (audit.num_lost, audit.num_repeated, audit.num_reordered, audit.num_unexpected) == (1, 1, 1, 1)
