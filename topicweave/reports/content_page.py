"""The page about a content plan: which broker serves each user, the cost, and the cost of a random assignment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.reports.charts import BLUE, GREY, ORANGE, chart, whole_numbers, write_out
from topicweave.reports.page import render
from topicweave.reports.search import search_data_of_content
from topicweave.wording import label_in_words

if TYPE_CHECKING:
    from markupsafe import Markup

    from topicweave.content import Assignment, Transition

MOST_ON_MAP = 40  # the table of who serves whose users is drawn for at most this many brokers, the busiest
MOST_LISTED = 10
NUMBERS = "{:,.10g}"  # a format that suits both millions and fractions
BROKER_LETTERS = 24  # longest label of a broker in a chart, in letters
LETTERS_IN_A_ROW = 70  # names of brokers with more letters than this in all would overlap if written side by side


def content_page(assignment: Assignment, lower_bound: float, transition: Transition | None = None) -> str:
    """Make a self-contained HTML page about a content plan.

    No assignment costs less than ``lower_bound``; ``transition`` lists the moves of users.
    """
    instance, cost, random = assignment.instance, assignment.cost, assignment.random_cost
    nearest = instance.access_price.argmin(axis=1)
    at_home = int((nearest == assignment.broker).sum())
    costs = [("access", cost.access), ("core", cost.core), ("total", cost.total)]
    costs += [] if random is None else [("a random assignment", random.total)]
    if cost.core_least < cost.core:
        costs += [("lower bound for the core with the best trees", cost.core_least)]
    costs += [("lower bound for any assignment", lower_bound)]
    comparison = None if random is None else f"The random assignment costs {assignment.reduction:.2f} times as much."
    return render(
        "content.html",
        title=f"{instance.num_users:,} users at {instance.num_brokers:,} brokers by {assignment.method}",
        figures=[
            (_amount(cost.total), "total cost"),
            (_amount(cost.access), "for access"),
            (_amount(cost.core), "for the core"),
            (f"{assignment.overlay.num_edges:,}", "links between brokers"),
            (f"{instance.num_channels:,}", "channels"),
            (f"{len(assignment.moves):,}", "moves of users during migration"),
        ],
        notes=[*instance.notes, *assignment.notes, *(() if transition is None else transition.notes)],
        search_data=search_data_of_content(assignment),
        comparison=comparison,
        costs=[(name, _amount(value)) for name, value in costs],
        cost_chart=_cost_chart(assignment),
        load_chart=_load_chart(assignment),
        at_home=f"{at_home:,} of {instance.num_users:,} users are served by the broker that is cheapest for them.",
        map=_map(assignment, nearest),
        moving=None if transition is None else _moving(transition),
        steps=_steps(assignment),
        settings=[("method", assignment.method), ("core", assignment.core), *assignment.parameters.items()],
    )


def _amount(value: float) -> str:
    """A cost as text: in full if it is large, otherwise with four digits."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _cost_chart(assignment: Assignment) -> Markup:
    shown = [(assignment.method, assignment.cost)]
    if assignment.random_cost is not None:
        shown.insert(0, ("random", assignment.random_cost))

    def paint(axes: Any) -> None:
        names = [name for name, _ in shown]
        access = [cost.access for _, cost in shown]
        axes.barh(names, access, color=BLUE, label="access", height=0.6)
        axes.barh(names, [cost.core for _, cost in shown], left=access, color=ORANGE, label="core", height=0.6)
        axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
        axes.grid(axis="y", visible=False)
        write_out(axes.xaxis, NUMBERS)
        axes.set_xlabel("cost")

    return chart(paint, width=10.8, height=1.0 + 0.6 * len(shown))


def _load_chart(assignment: Assignment) -> Markup:
    order = np.argsort(-assignment.cost.load, kind="stable")
    capacity = assignment.instance.capacity[order]

    def paint(axes: Any) -> None:
        position = np.arange(len(order))
        if np.isfinite(capacity).all():
            axes.bar(position, capacity, color=GREY, alpha=0.4, label="capacity")
        axes.bar(position, assignment.cost.load[order], color=BLUE, label="load")
        if len(order) <= MOST_ON_MAP:
            _name_brokers(axes, _names(assignment, order))
        axes.set_ylabel("traffic")
        write_out(axes.yaxis, NUMBERS)
        axes.grid(axis="x", visible=False)
        axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))

    return chart(paint, width=10.8, height=3.6)


def _map(assignment: Assignment, nearest: Any) -> Markup:
    """A table that counts users by broker: rows are the brokers nearest to the users, columns the brokers that serve
    them.
    """
    num_brokers = assignment.instance.num_brokers
    busiest = np.argsort(-assignment.cost.load, kind="stable")[:MOST_ON_MAP]
    counts = np.zeros((num_brokers, num_brokers), dtype=np.int64)
    np.add.at(counts, (nearest, assignment.broker), 1)

    def paint(axes: Any) -> None:
        image = axes.imshow(counts[np.ix_(busiest, busiest)], cmap="Blues", aspect="auto")
        names = _names(assignment, busiest)
        _name_brokers(axes, names)
        axes.set_yticks(range(len(names)), names)
        axes.set_xlabel("served by")
        axes.set_ylabel("nearest to")
        axes.grid(False)
        whole_numbers(axes.figure.colorbar(image, label="users").ax.yaxis)

    return chart(paint, width=10.8, height=5.0)


def _names(assignment: Assignment, brokers: Any) -> list[str]:
    return [label_in_words(assignment.instance.brokers[broker], BROKER_LETTERS) for broker in brokers]


def _name_brokers(axes: Any, names: list[str]) -> None:
    """Write the names of brokers below a chart, upright unless they need the room."""
    axes.set_xticks(range(len(names)), names, rotation=90 if sum(map(len, names)) > LETTERS_IN_A_ROW else 0)


def _moving(transition: Transition) -> dict[str, Any]:
    """A table of the first moves, and how much all moves save."""
    rows = transition.rows()
    return {
        "total": len(rows),
        "summary": f"{len(transition.moves):,} users move, which lowers the cost from "
        f"{_amount(transition.cost_before)} to {_amount(transition.assignment.cost.total)}.",
        "rows": [
            (
                f"{step:,}",
                label_in_words(user),
                "" if origin is None else label_in_words(origin),
                label_in_words(target),
                "" if saved is None else _amount(saved),
            )
            for step, user, origin, target, saved in rows[:MOST_LISTED]
        ],
    }


def _steps(assignment: Assignment) -> dict[str, Any] | None:
    moves, instance = assignment.moves, assignment.instance
    if not len(moves):
        return None

    def paint(axes: Any) -> None:
        left = assignment.cost.total + moves.saved.sum() - np.concatenate(([0.0], np.cumsum(moves.saved)))
        axes.plot(left, color=BLUE)
        axes.set_xlabel("steps")
        axes.set_ylabel("cost")
        whole_numbers(axes.xaxis)
        write_out(axes.yaxis, NUMBERS)

    largest = np.argsort(-moves.saved, kind="stable")[:MOST_LISTED]
    return {
        "chart": chart(paint, width=10.8, height=3.2),
        "total": len(moves),
        "rows": [
            (
                label_in_words(instance.users[moves.user[move]]),
                label_in_words(instance.brokers[moves.origin[move]]),
                label_in_words(instance.brokers[moves.target[move]]),
                _amount(float(moves.saved[move])),
            )
            for move in largest
        ],
    }


def network_page() -> str:
    """The page about a running network of brokers; it polls ``/states`` every second and shows the answer."""
    return str(render("network.html", title="Running network of brokers"))
