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


@pytest.mark.parametrize("share", [0.101, 0.2, 0.55, 0.841, 0.999])
def test_exponential_rate_solves_its_equation(share):
    rate = exponential_rate(share)
    assert (1 - math.exp(-rate / 10)) / (1 - math.exp(-rate)) == pytest.approx(share, abs=1e-13)
    top = topic_probabilities(100, "exponential", top_tenth=share)[:10]
    assert top.sum() == pytest.approx(share, abs=1e-12)


def test_the_steepness_that_a_decimal_logarithm_gives():
    """λ ≈ 8 with natural logarithms, ten to that power instead of e: the top tenth then holds 84.1 %."""
    assert exponential_rate(0.841) == pytest.approx(8 * math.log(10), rel=0.002)


def test_the_least_steep_exponential_law_is_nearly_uniform():
    np.testing.assert_allclose(topic_probabilities(50, "exponential", top_tenth=0.1), 1 / 50, rtol=1e-4)


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
        ({"top_tenth": 0.05}, "top_tenth must be a number from 0.1 to 0.999, but is 0.05"),
        ({"num_topics": 0}, "num_topics must be a whole number, 1 or more, but is 0"),
        ({"num_topics": 2.5}, "num_topics must be a whole number, 1 or more, but is 2.5"),
        ({"num_topics": True}, "num_topics must be a whole number, 1 or more, but is True"),
    ],
)
def test_bad_parameters_are_named(arguments, words):
    """Each wrong value is refused in a sentence that names it."""
    with pytest.raises(ParameterError) as caught:
        topic_probabilities(**{"num_topics": 1000, **arguments})
    assert words in str(caught.value)
