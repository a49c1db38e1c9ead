"""Before the work: refuse what cannot succeed, then start Spark, and use the time its JVM takes to load the rest."""

from __future__ import annotations

import os
import re
import signal
from contextlib import suppress
from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING, Any

from topicweave.errors import ReadError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pyspark.sql import SparkSession

    from topicweave.pipeline import Stages

# Where these are set, a plain path may lie on another file system and a plain name may be a table.
SITE_SETTINGS = ("HADOOP_CONF_DIR", "SPARK_CONF_DIR", "SPARK_HOME")


def check_paths(paths: Iterable[str | None], given: Mapping[str, Any], format_: str | None) -> None:
    """Raise at once for a file that is not there, where Spark would need many seconds to start and say the same.

    Only for paths that can be nothing else than files of this machine; about all others Spark knows better.
    """
    from topicweave.pipeline.sources.formats.detection import FILE_FORMATS, TEXT_FORMATS, format_of_name
    from topicweave.pipeline.spark.session import is_embedded

    is_elsewhere = given["conf"] or not is_embedded(given["master"] or "local") or any(map(os.getenv, SITE_SETTINGS))
    if is_elsewhere or not (format_ is None or format_ in TEXT_FORMATS | FILE_FORMATS):
        return
    for path in paths:
        if path is None or re.search(r"^\w{2,}:|[*?\[\]{}\\]", path):
            continue
        may_be_table = re.fullmatch(r"\w+(\.\w+)*", path) and format_ is None and format_of_name(path) is None
        if not may_be_table and not os.path.exists(os.path.expanduser(path)):
            raise ReadError(f"There is no file or folder at {os.path.abspath(path)}; check the path.")


def start_spark(stages: Stages, given: Mapping[str, Any], meanwhile: Callable[[], None] | None = None) -> SparkSession:
    """The Spark session the command line asks for.

    Parameters
    ----------
    stages
        Told about it.
    given
        The options of the command line.
    meanwhile
        Done in another thread while Spark starts, to have it ready later; if it fails, it will fail again where it is
        needed, and is heard there.
    """
    from topicweave.cli.options import settings
    from topicweave.pipeline import session

    conf = settings(given["conf"], "KEY=VALUE")
    interrupt = signal.getsignal(signal.SIGINT)
    helper = Thread(target=_quietly, args=(meanwhile,), daemon=True)
    with stages.stage("start Spark"):
        helper.start()
        spark = session(given["master"], conf, quiet=not given["spark_log"])
    _end_at_once(interrupt)
    if helper.is_alive():
        helper.join(0.3)
    if helper.is_alive():
        with stages.stage("prepare"):
            helper.join()
    return spark


def _end_at_once(interrupt: Any) -> None:
    """Whoever tells this process to end does not wait for Spark; ``interrupt`` was the answer to Ctrl-C before Spark.

    (PySpark puts its own in that place, which cancels all jobs and waits until they have noticed.)
    """
    from topicweave.pipeline.spark.shutdown import let_go_of_spark

    def answer(usual: Callable[[int, Any], object]) -> Callable[[int, Any], None]:
        def end(number: int, frame: Any) -> None:
            try:
                usual(number, frame)
            except BaseException as reason:
                let_go_of_spark(reason)
                raise

        return end

    usual = {
        signal.SIGINT: interrupt,
        **{number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)},
    }
    for number, handler in usual.items():
        if handler is not None:
            signal.signal(number, answer(handler) if callable(handler) else handler)


def load(*modules: str) -> None:
    """Import modules that will be needed."""
    for module in modules:
        import_module(module)


def _quietly(work: Callable[[], None] | None) -> None:
    with suppress(Exception):
        if work is not None:
            work()
