"""Topic popularity laws."""

import math

import numpy as np
import pytest

from topicweave.errors import ParameterError
from topicweave.workloads import POPULARITIES, topic_probabilities
from topicweave.workloads.popularity import exponential_rate


def test_zipf_by_hand():
    """1, 1/2, 1/3 over their sum 11/6."""
    np.testing.assert_allclose(topic_probabilities(3, "zipf", alpha=1), [6 / 11, 3 / 11, 2 / 11])


def test_zipf_with_alpha_zero_is_uniform():
    np.testing.assert_allclose(topic_probabilities(7, "zipf", alpha=0), topic_probabilities(7, "uniform"))


@pytest.mark.parametrize("num_topics", [10, 100, 200, 1000, 10_000])
def test_exponential_gives_55_percent_to_the_top_tenth(num_topics):
    """The definition, exact for every number of topics divisible by ten."""
    assert topic_probabilities(num_topics, "exponential")[: num_topics // 10].sum() == pytest.approx(0.55, abs=1e-12)


def test_exponential_rate_solves_its_equation():
    rate = exponential_rate()
    assert (1 - math.exp(-rate / 10)) / (1 - math.exp(-rate)) == pytest.approx(0.55, abs=1e-14)


@pytest.mark.parametrize("popularity", POPULARITIES)
@pytest.mark.parametrize("num_topics", [1, 2, 9, 1000])
def test_every_law_is_a_falling_distribution(popularity, num_topics):
    probabilities = topic_probabilities(num_topics, popularity, alpha=1.3)
    assert len(probabilities) == num_topics
    assert probabilities.sum() == pytest.approx(1)
    assert (probabilities > 0).all()
    assert (np.diff(probabilities) <= 0).all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"popularity": "pareto"}, "There is no popularity 'pareto'; choose one of: zipf, uniform, exponential"),
        ({"alpha": -0.1}, "alpha must be a finite number, 0 or more, but is -0.1"),
        ({"alpha": math.nan}, "alpha must be a finite number"),
        ({"alpha": math.inf}, "alpha must be a finite number"),
        ({"alpha": "2"}, "alpha must be a finite number"),
        ({"alpha": 200.0}, "less likely than any float can say; give an alpha below 100.0"),
        ({"num_topics": 0}, "num_topics must be a whole number, 1 or more, but is 0"),
        ({"num_topics": 2.5}, "num_topics must be a whole number, 1 or more, but is 2.5"),
        ({"num_topics": True}, "num_topics must be a whole number, 1 or more, but is True"),
    ],
)
def test_bad_parameters_are_named(arguments, words):
    with pytest.raises(ParameterError) as caught:
        topic_probabilities(**{"num_topics": 1000, **arguments})
    assert words in str(caught.value)
