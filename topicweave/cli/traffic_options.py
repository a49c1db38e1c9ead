"""Options of the commands that assign users to brokers: how logs become channels, and where brokers are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from topicweave.cli.options import check_settings, settings
from topicweave.content.channels import SCALES

if TYPE_CHECKING:
    from collections.abc import Mapping

TRAFFIC_OPTIONS = (
    click.option(
        "--attribute", "attributes", multiple=True, default=("value",), show_default=True, metavar="COLUMN",
        help="A column of the publications whose values are divided into channels. Repeatable: several make a grid.",
    ),
    click.option("--channels", type=int, default=100, show_default=True, help="Intervals per attribute."),
    click.option(
        "--scale", type=click.Choice(SCALES), default=SCALES[0], show_default=True,
        help="Intervals of equal width, or with equally many publications in each.",
    ),
    click.option(
        "--cuts", multiple=True, metavar="COLUMN=A,B,C", callback=check_settings("COLUMN=A,B,C"),
        help="Borders of an attribute's intervals. Repeatable.",
    ),
    click.option(
        "--broker", "brokers", multiple=True, metavar="PLACE",
        help="A place with a broker. Repeatable; all places by default.",
    ),
    click.option(
        "--places", metavar="PATH", help="Table of user, place; without it users have the names of their places."
    ),
    click.option("--capacity", type=click.FloatRange(min=0), help="Capacity of every broker; default: see --spare."),
    click.option(
        "--spare", type=float, default=2.0, show_default=True,
        help="Total capacity as a multiple of the demand.",
    ),
    click.option(
        "--max-bad-fraction", type=click.FloatRange(0, 1), default=0.01, show_default=True,
        help="The share of bad rows up to which the good ones are used.",
    ),
)  # fmt: skip


def traffic_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """The job parameters that the options describe."""
    named = ("attributes", "channels", "scale", "places", "capacity", "spare", "max_bad_fraction")
    return {
        **{name: given[name] for name in named},
        "cuts": _borders(given["cuts"]),
        "brokers": given["brokers"] or None,
    }


def _borders(cuts: tuple[str, ...]) -> dict[str, list[float]] | None:
    """The borders of the intervals of each attribute, as given on the command line."""
    found = {}
    for name, text in settings(cuts, "COLUMN=A,B,C").items():
        try:
            found[name] = [float(number) for number in text.split(",")]
        except ValueError:
            raise click.UsageError(f"--cuts {name}={text} does not consist of numbers separated by commas.") from None
    return found or None
