"""The ``topicweave`` command: a table of subcommands, each of which is imported only when it is used."""

from __future__ import annotations

import logging
import os
import signal
import sys
import traceback
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from threading import Timer, current_thread, main_thread
from typing import TYPE_CHECKING, Any, NoReturn

INTERRUPTED = 130


def _end_quietly(number: int, _: object) -> NoReturn:
    """End without a traceback on Ctrl-C while modules are still being imported."""
    sys.stderr.write("Interrupted; nothing unfinished was left behind.\n")
    sys.stderr.flush()
    os._exit(INTERRUPTED)


@contextmanager
def interrupts_end_quietly() -> Iterator[None]:
    """Make Ctrl-C end the program without a traceback inside this context, unless the caller has installed its own
    handler.
    """
    usual = signal.getsignal(signal.SIGINT)
    if usual is not signal.default_int_handler or current_thread() is not main_thread():
        yield
        return
    signal.signal(signal.SIGINT, _end_quietly)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)


with interrupts_end_quietly():
    import click

    from topicweave import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# name -> (module, function, one line of help); the help texts are here so that --help need not import the subcommands
COMMANDS = {
    "design": ("topicweave.cli.design", "design", "Compute which links to make, verify them, and write a plan folder."),
    "verify": ("topicweave.cli.verify", "verify", "Check that an overlay connects every topic's subscribers."),
    "profile": ("topicweave.cli.profile", "profile", "Show what an interest looks like and what designing will cost."),
    "bound": ("topicweave.cli.bound", "bound", "Prove how few links any overlay needs."),
    "improve": ("topicweave.cli.improve", "improve", "Make a plan with fewer links from another one."),
    "tradeoff": (
        "topicweave.cli.tradeoff",
        "tradeoff",
        "Design along several axes, and write one page to choose from.",
    ),
    "generate": ("topicweave.cli.generate", "generate", "Write a seeded synthetic interest as a subscription file."),
    "churn": ("topicweave.cli.churn", "churn", "Keep an overlay connected while nodes join, leave and change topics."),
    "content": (
        "topicweave.cli.content",
        "content",
        "Content-based overlays: assign users to brokers by traffic and prices.",
    ),
    "trees": (
        "topicweave.cli.trees",
        "trees",
        "Show the trees along which a plan is deployed, and the path of a message.",
    ),
    "whatif": ("topicweave.cli.whatif", "whatif", "Show what breaks if nodes fail, and what the repair would be."),
    "export": ("topicweave.cli.export", "export", "Write a plan as broker configurations, or for graph tools."),
    "diff": ("topicweave.cli.diff", "diff", "Show what changes from one plan to another: links, trees and files."),
    "rollout": (
        "topicweave.cli.rollout",
        "rollout",
        "Write the steps from one plan to another, without message loops on the way.",
    ),
    "probe": ("topicweave.cli.probe", "probe", "Publish marked messages at running brokers and count what arrives."),
    "status": ("topicweave.cli.status", "status", "Compare the running bridges with the planned ones."),
}
# Commands of earlier versions, and what replaces them.
MOVED = {
    "experiment": "The experiments are run from a checkout of the project: python -m experiments.",
    "bench": "The benchmarks are run from a checkout of the project: python -m benchmarks.",
}


class LazyGroup(click.Group):
    """A group of commands that imports a subcommand only to run it, so that ``--help`` is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, function, _ = COMMANDS[cmd_name]
        command = getattr(import_module(module), function)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name in MOVED:
            raise click.UsageError(MOVED[name], ctx)
        if name not in COMMANDS and not name.startswith("-"):
            close = get_close_matches(name, COMMANDS, n=1)
            what = f"did you mean {close[0]!r}?" if close else f"choose one of: {', '.join(COMMANDS)}."
            raise click.UsageError(f"There is no command {name!r}; {what}", ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            # the reader of our output has closed the pipe: print nothing more, not even at exit
            from topicweave.cli.errors import exit_code

            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(exit_code(error))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, _, text) in COMMANDS.items()])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="\b\nExample:\n  topicweave design subscriptions.csv --algorithm low --k 3 --out plan/",
)
@click.version_option(__version__, prog_name="topicweave")
@click.option("--debug", is_flag=True, expose_value=False, help="Show the traceback of an error.")
def cli() -> None:
    """Plan the overlay network of a publish/subscribe system: which nodes to link, and how the links are used."""


def main(
    arguments: Sequence[str] | None = None, *, command: click.Command = cli, prog_name: str = "topicweave"
) -> NoReturn:
    """Run a command line and exit; if it fails, print one sentence and exit with the code for that kind of failure."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    with _told_to_end(), _interrupts_kept(), _libraries_hushed("--debug" not in given):
        code = _run(command, given, prog_name)
    if code == INTERRUPTED:
        # Everything has been cleaned up. Do not wait for threads that still run compiled code; Spark ends by itself
        # once this process is gone.
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _run(command: click.Command, given: list[str], prog_name: str) -> int:
    try:
        # the value passed to exit() by the command, or None
        code = command.main(given, prog_name, standalone_mode=False)
        sys.stdout.flush()
    except (Exception, KeyboardInterrupt) as error:
        from topicweave.cli.errors import exit_code, one_sentence

        if "--debug" in given:
            traceback.print_exc()
        click.echo(one_sentence(error, given[0] if given else ""), err=True)
        return exit_code(error)
    return code or 0


@contextmanager
def _told_to_end() -> Iterator[None]:
    """Make signals that end a process (from a service manager, or a terminal that closes) clean up like Ctrl-C."""

    def end(number: int, _: object) -> NoReturn:
        sys.exit(128 + number)

    interrupt = signal.getsignal(signal.SIGINT)  # remembered here, because starting Spark replaces it
    changed = []
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, end)
            changed.append(number)
    try:
        yield
    finally:
        for number in changed:
            signal.signal(number, signal.SIG_DFL)
        if interrupt is not None:
            signal.signal(signal.SIGINT, interrupt)


@contextmanager
def _interrupts_kept() -> Iterator[None]:
    """If Ctrl-C arrives where Python can only report an error and carry on, as in a callback from compiled code, raise
    it again.
    """
    before = sys.unraisablehook

    def hook(lost: Any) -> None:
        if isinstance(lost.exc_value, KeyboardInterrupt):
            # in a thread and a moment later, because an error raised inside this hook would be lost too
            again = Timer(0.01, signal.pthread_kill, (main_thread().ident, signal.SIGINT))
            again.daemon = True
            again.start()
        else:
            before(lost)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = before


@contextmanager
def _libraries_hushed(hush: bool) -> Iterator[None]:
    """Silence libraries that log an exception in addition to raising it (Py4J at Ctrl-C), so that no traceback is
    shown.
    """
    silence = logging.NullHandler()
    if hush:
        logging.getLogger().addHandler(silence)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(silence)
