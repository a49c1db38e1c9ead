"""DeliveryAudit: compares what every user should have received with what it actually received."""

from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import dataclass, field


@dataclass
class DeliveryAudit:
    """Counts publications that were lost, delivered twice, or delivered out of order."""

    expected: dict[tuple[str, str], list[int]] = field(default_factory=lambda: defaultdict(list))
    arrived: dict[tuple[str, str], list[int]] = field(default_factory=lambda: defaultdict(list))

    def publish(self, publisher: str, number: int, receivers: list[str]) -> None:
        """Record a publication and the users that subscribe to it."""
        for receiver in receivers:
            self.expected[publisher, receiver].append(number)

    def receive(self, receiver: str, publisher: str, number: int) -> None:
        """Record a delivery."""
        self.arrived[publisher, receiver].append(number)

    @property
    def num_expected(self) -> int:
        return sum(map(len, self.expected.values()))

    @property
    def num_arrived(self) -> int:
        return sum(map(len, self.arrived.values()))

    @property
    def num_lost(self) -> int:
        return sum(len(set(numbers) - set(self.arrived.get(pair, ()))) for pair, numbers in self.expected.items())

    @property
    def num_unexpected(self) -> int:
        """Deliveries to users that had not subscribed."""
        return sum(len(set(numbers) - set(self.expected.get(pair, ()))) for pair, numbers in self.arrived.items())

    @property
    def num_repeated(self) -> int:
        return sum(len(numbers) - len(set(numbers)) for numbers in self.arrived.values())

    @property
    def num_reordered(self) -> int:
        """The number of deliveries that came after a later publication of the same publisher."""
        return sum(
            sum(after < before for before, after in itertools.pairwise(numbers)) for numbers in self.arrived.values()
        )
