"""Told to end while Spark works: nothing is waited for."""

from threading import Thread
from types import SimpleNamespace

import pytest
from pyspark import SparkContext

from topicweave.pipeline.spark.shutdown import abandon_spark


def test_every_later_call_from_this_thread_raises_the_reason(monkeypatch):
    """PySpark's own clearing up, on the way out, meets the interrupt as well; its helper threads do not."""
    client = SimpleNamespace(send_command=lambda command: f"did {command}")
    monkeypatch.setattr(SparkContext, "_gateway", SimpleNamespace(_gateway_client=client))
    abandon_spark(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        client.send_command("collect")
    answers = []
    helper = Thread(target=lambda: answers.append(client.send_command("collect garbage")))
    helper.start()
    helper.join()
    assert answers == ["did collect garbage"]


def test_without_spark_there_is_nothing_to_let_go(monkeypatch):
    monkeypatch.setattr(SparkContext, "_gateway", None)
    abandon_spark(KeyboardInterrupt())
