"""Certificates: what they prove, and that they prove nothing once they have been changed."""

from __future__ import annotations

import dataclasses
from itertools import combinations

import numpy as np
import pytest

import topicweave as tw
from tests import reference, reference_optimise
from topicweave.errors import InputError, ReadError
from topicweave.optimise import Bound


@pytest.fixture(scope="module")
def found():
    interest = tw.workloads.synthetic(num_nodes=25, num_topics=12, subscriptions=4, seed=7)
    return tw.lower_bound(interest, rounds=20)


def test_value_and_sums_are_those_of_the_definition(found):
    """Trees by the naive twin, pair sums by a loop over sets."""
    proof = found.certificate
    topics_of = reference.topics_by_number(proof.interest)
    price = {}
    for t, table in enumerate(proof.prices):
        members = reference.subscribers(topics_of, t)
        for i, j in combinations(range(len(members)), 2):
            price[t, members[i], members[j]] = int(table[i, j])
    cost = 0
    for t in range(proof.interest.num_topics):
        members = reference.subscribers(topics_of, t)
        cost += reference_optimise.cheapest_tree(
            members, {pair: price[(t, *pair)] for pair in combinations(members, 2)}
        )
    assert found.value == found.check() == cost / proof.unit
    for u, v in reference_optimise.useful_pairs(topics_of):
        assert sum(price[t, u, v] for t in topics_of[u] & topics_of[v]) <= proof.unit


def test_a_claim_above_the_proof_is_refused(found):
    with pytest.raises(InputError, match="claims"):
        dataclasses.replace(found, value=found.value + 0.01).check()


def test_prices_that_sum_to_more_than_a_link_are_refused(found):
    """One price raised: SciPy's trees would cost more, but the certificate proves nothing."""
    prices = [table.copy() for table in found.certificate.prices]
    largest = max(range(len(prices)), key=lambda t: len(prices[t]))
    prices[largest][0, 1] = prices[largest][1, 0] = found.certificate.unit + 1
    forged = dataclasses.replace(found.certificate, prices=tuple(prices))
    with pytest.raises(InputError, match="proves nothing"):
        dataclasses.replace(found, certificate=forged).check()


def test_a_negative_multiplier_is_refused(found):
    """λ below 0 would let the bound under a cap rise for nothing."""
    forged = dataclasses.replace(found.certificate, extra=found.certificate.extra - 1)
    with pytest.raises(InputError, match="proves nothing"):
        dataclasses.replace(found, certificate=forged).check()


def test_written_and_read_again_it_proves_the_same(found, tmp_path):
    found.save(tmp_path / "bound.npz")
    again = Bound.load(tmp_path / "bound.npz")
    assert again.check() == found.check() and again.links == found.links
    assert again.certificate.interest == found.certificate.interest
    assert all(np.array_equal(*pair) for pair in zip(again.certificate.prices, found.certificate.prices, strict=True))


@pytest.mark.parametrize("content", [b"", b"not a bound", b"PK\x03\x04 cut short"])
def test_a_damaged_file_is_told(tmp_path, content):
    (tmp_path / "bound.npz").write_bytes(content)
    with pytest.raises(ReadError, match="not a bound"):
        Bound.load(tmp_path / "bound.npz")


def test_gap_and_rounding(found):
    """Links are rounded up, a hair above a whole number is rounding."""
    assert dataclasses.replace(found, value=7.2).links == 8
    assert dataclasses.replace(found, value=7.0000001).links == 7
    assert dataclasses.replace(found, value=9.2).gap(11) == pytest.approx(0.1)
    assert dataclasses.replace(found, value=9.2).gap(10) == 0, "no overlay has 9.2 links, so ten are the fewest"
