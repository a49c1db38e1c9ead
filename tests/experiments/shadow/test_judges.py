"""Judges of SHADOW's rows say "holds" of results made to agree with the claim, and not of results made to differ."""

import pytest

from experiments.claim import DOES_NOT, HOLDS, IN_SHAPE
from experiments.shadow import figures_2_3, figures_4_5, figures_6_8, ratios, steep_sizes
from tests.experiments.made_up import TWICE, made_up


@pytest.mark.parametrize(
    ("greedy", "dual", "verdict"),
    [
        ((2, 150, 0.43), (21, 59, 0), HOLDS),
        ((5, 50, 0.1), (20, 30, 0), IN_SHAPE),
        ((6, 30, 0), (28, 35, 0), DOES_NOT),  # more uneven, but no node has few
        ((20, 30, 0), (5, 50, 0), DOES_NOT),
    ],
)
def test_shadow_3_asks_for_a_heavy_tail_of_greedy_alone(greedy, dual, verdict):
    names = ("primaries_least", "primaries_most", "primaries_below_5")

    def value(_, asked, measure):
        if measure == "backups_by_size":
            return [20, 60]
        return dict(zip(names, greedy if asked.rule == "greedy" else dual, strict=True))[measure]

    assert figures_2_3.primaries(made_up(value)).verdict == verdict


@pytest.mark.parametrize(
    ("last", "verdict"), [((31, 25, 24, 24), HOLDS), ((20, 18, 17, 17), IN_SHAPE), ((20, 20, 22, 24), DOES_NOT)]
)
def test_shadow_5_asks_for_falling_degrees(last, verdict):
    results = made_up(lambda _, asked, measure: [9, 9] if measure == "maximum_degree" else last[asked.coverage - 1])
    assert figures_4_5.coverage_helps(results, used=None).verdict == verdict


@pytest.mark.parametrize(
    ("greedy", "dual", "verdict"), [(0.25, 0.62, HOLDS), (0.1, 0.9, IN_SHAPE), (0.9, 0.4, DOES_NOT)]
)
def test_shadow_3_averages_over_sizes(greedy, dual, verdict):
    """Backups in proportion to the size, as many as these for each topic, of 50 topics on average."""
    sizes = list(figures_2_3.SIZES)
    results = made_up(lambda _, asked, __: [s * (greedy if asked.rule == "greedy" else dual) * 1.75 for s in sizes])
    assert figures_2_3.averaged_over_sizes(results).verdict == verdict


@pytest.mark.parametrize(("power", "verdict"), [(1, HOLDS), (2.5, IN_SHAPE), (-3, DOES_NOT)])
def test_shadow_3_asks_for_a_straight_line(power, verdict):
    results = made_up(lambda *_: [float(size) ** power for size in figures_2_3.SIZES])
    assert figures_2_3.linear_in_size(results).verdict == verdict


@pytest.mark.parametrize(
    ("last", "verdict"), [((31, 25, 24, 24), HOLDS), ((20, 18, 17, 17), IN_SHAPE), ((20, 20, 22, 24), DOES_NOT)]
)
def test_shadow_5_with_steep_sizes_asks_for_the_same(last, verdict):
    results = made_up(lambda _, asked, __: last[asked.coverage - 1])
    assert steep_sizes.coverage_helps(results).verdict == verdict


@pytest.mark.parametrize(("degrees", "verdict"), [([13, 22], HOLDS), ([9, 16], IN_SHAPE), ([13, 13], DOES_NOT)])
def test_shadow_6_with_steep_sizes_asks_for_growth(degrees, verdict):
    assert steep_sizes.grows(made_up(lambda *_: degrees)).verdict == verdict


@pytest.mark.parametrize(
    ("links", "join", "low", "verdict"),
    [(6490, 4.8, 610, HOLDS), (5000, 4.8, 3000, IN_SHAPE), (6490, 9, 610, DOES_NOT), (6490, 4.8, 20, DOES_NOT)],
)
def test_shadow_8_with_steep_sizes_counts_links_too(links, join, low, verdict):
    values = {"links_first": links, "changed_join": join, "changed_leave": 12, "low_changed": low}
    results = made_up(lambda *seen: values.get(seen[-1], 0.1))
    assert steep_sizes.few_changes(results).verdict == verdict


@pytest.mark.parametrize(
    ("join", "low", "verdict"), [(0.068, (11.3, 7.5), HOLDS), (0.068, (90, 90), IN_SHAPE), (0.5, (11.3, 7.5), DOES_NOT)]
)
def test_repair_ratios_are_asked_for_both_ways(join, low, verdict):
    values = {
        "low_changed_share": 0.094, "low_changed_share_join": low[0] / 100, "low_changed_share_leave": low[1] / 100,
        "changed_share_join": join / 100, "changed_share_leave": 0.0017,
    }  # fmt: skip
    results = made_up(lambda *seen: values[seen[-1]])
    assert ratios.repair_ratios(results, used=None, shadow=None).verdict == verdict


@pytest.mark.parametrize(("share", "most", "verdict"), [(1.6, 4.9, HOLDS), (1.6, 8, IN_SHAPE), (1.6, 20, DOES_NOT)])
def test_shadow_sets_are_asked_to_be_small(share, most, verdict):
    results = made_up(lambda *seen: (most if seen[-1] == "shadow_share_most" else share) / 100)
    assert ratios.shadow_sets(results, used=None, shadow=None).verdict == verdict


@pytest.mark.parametrize(("most", "verdict"), [(60, HOLDS), (120, IN_SHAPE), (5, DOES_NOT)])
def test_naive_is_asked_for_its_slowest_event(most, verdict):
    results = made_up(lambda *seen: most if seen[-1] == "event_ms_most" else 100 / TWICE**0)
    assert ratios.naive_at_most(results, used=None, naive=None).verdict == verdict


@pytest.mark.parametrize(("times", "verdict"), [(200, HOLDS), (40, IN_SHAPE), (5, DOES_NOT)])
def test_hundreds_are_asked_for_in_time_and_links(times, verdict):
    results = made_up(lambda *seen: times * 10 if seen[-1].startswith("low_") else 10)
    assert ratios.hundreds_of_times(results, used=None, shadow=None).verdict == verdict


@pytest.mark.parametrize(
    ("above", "verdict"), [((5, 0.7), HOLDS), ((7, 1.0), IN_SHAPE), ((5, 2.0), DOES_NOT), ((12, 0.5), DOES_NOT)]
)
def test_shadow_6_asks_for_both_degrees(above, verdict):
    results = made_up(lambda *seen: above[seen[-1] == "above_average"])
    assert figures_6_8.close_to_static(results, used=None).verdict == verdict


@pytest.mark.parametrize(
    ("join", "leave", "low", "verdict"),
    [(4.8, 12.2, 600, HOLDS), (4.8, 12.2, 3000, IN_SHAPE), (9, 12, 600, DOES_NOT), (4, 12, 20, DOES_NOT)],
)
def test_shadow_8_asks_for_few_changes(join, leave, low, verdict):
    values = {"changed_join": join, "changed_leave": leave, "low_changed": low, "low_changed_share": 0.1, "changed": 9}
    results = made_up(lambda *seen: values[seen[-1]])
    assert figures_6_8.few_changes(results, used=None).verdict == verdict


@pytest.mark.parametrize(
    ("join", "leave", "verdict"), [(0.02, 1.5, HOLDS), (1.2, 5.4, IN_SHAPE), (0.02, 9, DOES_NOT), (12, 1, DOES_NOT)]
)
def test_shadow_7_judges_whole_events(join, leave, verdict):
    """Times in percent of Low-ODA's; repairs alone would hold."""

    def value(_, asked, measure):
        naive = {"event_ms_join": 6, "event_ms_leave": 8, "repair_ms_join": 5, "repair_ms_leave": 7}
        shadow = {"event_ms_join": join, "event_ms_leave": leave, "repair_ms_join": 0.01, "repair_ms_leave": 1}
        return {"low_ms": 100, "load": 1, **(naive if asked.maintainer == "naive" else shadow)}[measure]

    finding = figures_6_8.faster(made_up(value), used=None)
    assert finding.verdict == verdict and 'graded "holds"' in finding.reason
