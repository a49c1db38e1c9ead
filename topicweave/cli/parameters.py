"""Options made from a table of entries with parameters, such as the table of algorithms.

They are made when the command is run or its help is shown, not when it is defined: every entry and parameter in the
table gets its option and its line of help without any other change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

from topicweave.parameters import Offer, offered_parameters

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from topicweave.parameters import HasParameters, Parameter

    Command = TypeVar("Command", bound=Callable[..., Any])

TYPES: dict[type, click.ParamType[Any]] = {int: click.INT, float: click.FLOAT, str: click.STRING}


class TableCommand(click.Command):
    """A command that runs an entry of a table with the entry's own parameters.

    Parameters
    ----------
    chooser
        The name of the option that names the entry, such as ``algorithm``.
    table
        The table.
    default
        The default entry.
    shared
        Returns parameters that do not belong to one entry, with the names of the entries that take them.
    """

    def __init__(
        self,
        *arguments: Any,
        chooser: str,
        table: Mapping[str, HasParameters],
        default: str,
        shared: Callable[[], Sequence[Offer]] = tuple,
        **settings: Any,
    ) -> None:
        super().__init__(*arguments, **settings)
        self._chooser = chooser
        self._table = table
        self._default = default
        self._shared = shared

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The options as defined; those of the table come after ``--out``."""
        key = f"{__name__}.{self.name}"
        if key not in ctx.meta:  # called several times; the options must be the same objects each time
            ctx.meta[key] = self._made_options()
        written = super().get_params(ctx)
        place = next((place for place, option in enumerate(written, 1) if option.name == "out"), 0)
        return [*written[:place], *ctx.meta[key], *written[place:]]

    def _made_options(self) -> list[click.Option]:
        chooser = click.Option(
            [f"--{self._chooser}"],
            default=self._default,
            show_default=True,
            metavar="NAME",
            help=f"{', '.join(self._table)}.",
        )
        by_name: dict[str, list[Offer]] = {}
        for offer in self._offers():
            by_name.setdefault(offer.parameter.name, []).append(offer)
        everybody = tuple(self._table)
        return [chooser, *(_option(name, offers, everybody) for name, offers in by_name.items())]

    def _offers(self) -> list[Offer]:
        offers = (*offered_parameters(self._table), *self._shared())
        return [offer for offer in offers if offer.parameter.kind is not object]

    def given_parameters(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The given parameters of the table."""
        names = dict.fromkeys(offer.parameter.name for offer in self._offers())
        return {name: given[name] for name in names if given.get(name) is not None}


def option_name(name: str) -> str:
    """The option of a parameter on the command line."""
    return f"--{name.replace('_', '-')}"


def parameter_option(parameter: Parameter) -> Callable[[Command], Command]:
    """The option of a parameter that is not in a table, for a single command."""
    names, settings = _declaration(parameter.name, [Offer(parameter, ())], ())
    return click.option(*names, **settings)


def _option(name: str, offers: Sequence[Offer], everybody: tuple[str, ...]) -> click.Option:
    names, settings = _declaration(name, offers, everybody)
    return click.Option(names, **settings)


def _declaration(name: str, offers: Sequence[Offer], everybody: tuple[str, ...]) -> tuple[list[str], dict[str, Any]]:
    """One option, even if entries use the same name for different things."""
    text = "; ".join(_meaning(offer, everybody) for offer in offers) + "."
    if offers[0].takers == everybody:
        text = text[0].upper() + text[1:]
    kind = offers[0].parameter.kind
    spelt = option_name(name)
    if kind is bool:
        return [f"{spelt}/--no-{spelt[2:]}", name], {"default": None, "help": text}
    return [spelt, name], {"type": click.STRING if offers[0].parameter.is_size else TYPES[kind], "help": text}


def _meaning(offer: Offer, everybody: tuple[str, ...]) -> str:
    takers = "" if offer.takers == everybody else f"{', '.join(offer.takers)}: "
    return takers + offer.parameter.help + _values(offer.parameter)


def _values(parameter: Parameter) -> str:
    """The default and the other choices, if there are any."""
    default = parameter.default
    has_default = not (parameter.is_required or default is None or default is False)
    shown = f"{default:g} by default" if isinstance(default, float) else f"{default} by default"
    if parameter.choices:
        others = ", ".join(choice for choice in parameter.choices if choice != default)
        return f" ({shown}; {others})" if has_default else f" ({others})"
    return f" ({shown})" if has_default else ""
