"""The page of trade-offs: every design has a point, a row and a command."""

from tests.reports.pages import Parsed
from topicweave.reports.tradeoff_page import TradeoffPoint, in_words, tradeoff_charts, tradeoff_page

POINTS = (
    TradeoffPoint("none", None, "gm", "met", "", 90, 2.5, 30, 20, 7.5, 900.0),
    TradeoffPoint("hops", 4, "low", "met", "", 140, 3.5, 12, 4, 2.5, 1200.0),
    TradeoffPoint("hops", 2, "low", "impossible", "topic '<b>' cannot"),
    TradeoffPoint("degree", 3, "low", "not found", "one node has 4", 100, 2.7, 4, 18, 6.0, 950.0),
    TradeoffPoint("cost", 0.5, "low", "met", "", 110, 2.9, 14, 15, 5.0, 500.0),
)
ABOUT = {"nodes": 80, "topics": 9, "subscriptions": 300, "required": ["1 forbidden pair"]}


def test_all_designs_are_listed_with_their_commands():
    """Figures in the table, commands to take one, and why others were not met; no label becomes markup."""
    page = tradeoff_page(POINTS, [f"topicweave design x --out {n}" for n in range(5)], ABOUT)
    seen = Parsed(page)
    at = seen.cells.index("low, at most 4 hops")
    assert seen.cells[at - 1 : at + 6] == ["2", "low, at most 4 hops", "140", "3.50", "12", "4", "1,200.00"]
    assert "low, at most 2 hops (impossible)" in seen.cells and "topic '<b>' cannot" in seen.cells
    assert "low, at most 3 links a node (not found)" in seen.cells and "low, cost weight 0.5" in seen.cells
    assert "<b>" not in page.split("</style>")[1] and not seen.fetched
    assert page.count("topicweave design x --out") == 5
    assert "1 forbidden pair" in page
    assert in_words(POINTS[0]) == "gm, no limit"


def test_each_axis_has_a_chart_with_its_points_and_those_without_a_limit():
    """The plan is marked where one is given; an axis without designs has no chart."""
    charts = dict(tradeoff_charts(POINTS))
    assert set(charts) == {"Links against hops", "Links against maximum degree", "Links against cost"}
    hops = charts["Links against hops"]
    assert ">2</text>" in hops and ">1</text>" in hops and "this plan" not in hops
    plan = {"links": 120, "maximum_degree": 9, "largest_hops": 8, "cost": None}
    marked = dict(tradeoff_charts(POINTS, plan))
    assert "this plan" in marked["Links against hops"] and "this plan" not in marked["Links against cost"]
    assert tradeoff_charts(POINTS[:1]) == []
