"""``topicweave content``: from logs and prices to who sits at which broker."""

from __future__ import annotations

from typing import Any

import click

from topicweave.cli.options import SESSION_OPTIONS, settings, with_options

METHODS = "random, greedy_packing, clustering, steiner_mixing, migrate, exact, best"


@click.command(
    epilog="\b\nExample:\n"
    "  topicweave content log.parquet wishes.csv latency.csv --broker Paris --broker Tokyo --places homes.csv --out p/"
)
@click.argument("publications")
@click.argument("subscriptions")
@click.argument("prices")
@click.option("--out", required=True, metavar="DIR", help="The folder to write.")
@click.option("--method", default="best", show_default=True, metavar="NAME", help=f"{METHODS}.")
@click.option(
    "--attribute",
    "attributes",
    multiple=True,
    default=("value",),
    show_default=True,
    metavar="COLUMN",
    help="A column of the publications to cut channels by. Repeatable: several make a grid.",
)
@click.option("--channels", type=click.IntRange(min=1), default=100, show_default=True, help="Intervals per attribute.")
@click.option(
    "--scale",
    type=click.Choice(("width", "mass")),
    default="width",
    show_default=True,
    help="Intervals of equal width, or with as many publications in each.",
)
@click.option("--cuts", multiple=True, metavar="COLUMN=A,B,C", help="Borders of an attribute's intervals. Repeatable.")
@click.option(
    "--broker",
    "brokers",
    multiple=True,
    metavar="PLACE",
    help="A place with a broker. Repeatable; all places by default.",
)
@click.option("--places", metavar="PATH", help="Table of user, place; without it users are called like their places.")
@click.option("--capacity", type=click.FloatRange(min=0), help="Of every broker; default: see --spare.")
@click.option(
    "--spare",
    type=click.FloatRange(min=1),
    default=2.0,
    show_default=True,
    help="All capacities together, as a multiple of the demand.",
)
@click.option(
    "--max-bad-fraction",
    type=click.FloatRange(0, 1),
    default=0.01,
    show_default=True,
    help="The share of bad rows up to which the good ones are used.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same plan.")
@click.option("--overwrite", is_flag=True, help="Replace a plan that is there already.")
@with_options(SESSION_OPTIONS)
def content(publications: str, subscriptions: str, prices: str, **given: Any) -> None:
    """Assign users to brokers so that publications reach whom they concern at low cost.

    PUBLICATIONS: user, value (or the columns named by --attribute), and optionally bytes and time. SUBSCRIPTIONS: user,
    attribute, low, high. PRICES: a square table of prices between places, as CSV. Bad rows go to quarantine/.
    """
    from topicweave import pipeline
    from topicweave.cli.display import display, print_json
    from topicweave.cli.starting import check_paths, start_spark
    from topicweave.content import assign, read_places, read_prices
    from topicweave.content.registry import find_method
    from topicweave.pipeline.plan.content_plan import content_manifest, write_content_plan
    from topicweave.pipeline.plan.target import Target
    from topicweave.pipeline.sources.traffic import Publications, read_traffic

    check_paths((publications, subscriptions, given["places"]), given, None)
    with Target(given["out"], given["overwrite"]):
        pass  # a folder that cannot be written is better known now
    find_method(given["method"])
    found = read_prices(prices)
    brokers = given["brokers"] or found.places
    found.between(brokers, brokers)  # Spark takes seconds to start: a place without a price is better known before
    homes = None if given["places"] is None else read_places(given["places"])
    cuts = {name: borders(name, text) for name, text in settings(given["cuts"], "COLUMN=A,B,C").items()} or None
    with display(given["quiet"] or given["as_json"]) as observer:
        stages = pipeline.Stages(observer)
        spark = start_spark(stages, given)
        with stages.stage("read traffic"):
            traffic = read_traffic(
                spark,
                Publications(pipeline.Table(publications), tuple(given["attributes"])),
                pipeline.Table(subscriptions),
                num_channels=given["channels"],
                scale=given["scale"],
                cuts=cuts,
                max_bad_fraction=given["max_bad_fraction"],
            )
        with stages.stage("assign"):
            instance = traffic.instance(found, brokers, places=homes, capacity=given["capacity"], spare=given["spare"])
            assignment = assign(instance, given["method"], seed=given["seed"])
        with stages.stage("write"):
            folder = write_content_plan(assignment, traffic, given["out"], overwrite=given["overwrite"])
    if given["as_json"]:
        print_json(content_manifest(assignment, traffic, sum(counts.num_bad for counts in traffic.counts)))
        return
    click.echo(assignment.summary())
    click.echo(f"  report          {folder / 'report.html'}")


def borders(name: str, text: str) -> list[float]:
    """The borders of an attribute's intervals as given on the command line."""
    try:
        return [float(number) for number in text.split(",")]
    except ValueError:
        raise click.UsageError(f"--cuts {name}={text} does not consist of numbers separated by commas.") from None
