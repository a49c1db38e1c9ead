"""Old names work for one release, and the warning says what to use instead."""

import pytest

from topicweave.content import protocol
from topicweave.deprecation import renamed, warn_renamed


def test_an_old_name_leads_to_the_new_thing():
    find = renamed("some.room", {"Ledger": "topicweave.content.protocol.delivery_audit.DeliveryAudit"})
    with pytest.warns(DeprecationWarning, match=r"^some.room.Ledger is called .*DeliveryAudit now; the old name goes"):
        assert find("Ledger") is protocol.DeliveryAudit
    with pytest.raises(AttributeError, match=r"module 'some.room' has no attribute 'Other'"):
        find("Other")


def test_the_warning_points_at_the_caller():
    def old():
        warn_renamed("old()", "new()")

    with pytest.warns(DeprecationWarning) as seen:
        old()
    assert seen[0].filename == __file__
