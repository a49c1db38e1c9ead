"""The pictures of figures."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np

from topicweave.reports import charts
from topicweave.reports.plan_page import Comparison


def test_charts_are_well_formed_pictures():
    """Each chart is one SVG without outside references; odd inputs are drawn too."""
    ways = (Comparison("this plan", 0, 0.0, 0), Comparison("ring", 10, 1.0, 2), Comparison("mesh", 10**9, 5.0, 9))
    drawn = [
        charts.degree_histogram(np.array([1, 2, 2, 3])),
        charts.degree_histogram(np.arange(500)),
        charts.degree_histogram(np.zeros(0, dtype=np.int64)),
        charts.distributions(np.array([1, 5, 9]), np.array([3, 3])),
        charts.support_curve(0.0, np.array([0.5, 1.0]), 0),
        charts.support_curve(1.0, np.array([]), 3),
        charts.diameter_chart(np.array([0, 2, 2])),
        charts.diameter_chart(np.zeros(0, dtype=np.int64)),
        charts.comparison_chart(ways),
        charts.rounds_chart([{"floor": 1, "searching": 0, "pairs": 5, "links": 0, "left": 0}]),
    ]
    for svg in drawn:
        ElementTree.fromstring(svg)
        assert not re.search(r'href="(?!#)', svg)


def test_labels_are_neither_markup_nor_mathematics_nor_style():
    """Dollar signs stay, and a label that looks like a part of the SVG changes nothing around it."""
    labels = ["<b>&\"'", "$\\frac{1}$", 'font: 12px; "', '<text style="font: 3px']
    root = ElementTree.fromstring(charts.chart(lambda axes: axes.set_xticks(range(4), labels)))
    assert [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")][:4] == labels


def test_ccdf():
    """Share of values that are at least as large."""
    values, share = charts.ccdf(np.array([1, 1, 2, 5]))
    assert values.tolist() == [1, 2, 5] and share.tolist() == [1.0, 0.5, 0.25]
