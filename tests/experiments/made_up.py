"""Results that are made up, for tests of judges."""

import numpy as np

TWICE = np.array([0.99, 1.01])  # two seeds, around the value


def made_up(function):
    """Results as a function of subject, action and measure."""

    def results(subject, action, measure):
        value = function(subject, action, measure)
        return np.outer(TWICE, value) if isinstance(value, list) else TWICE * value

    return results
