"""A real standalone cluster on this machine: one master, two workers."""

import os
import re
import subprocess
import sys
import time

import pyspark
import pytest

from topicweave.algorithms import design as design_in_memory
from topicweave.pipeline import design
from topicweave.workloads import synthetic

SPARK_CLASS = os.path.join(os.path.dirname(pyspark.__file__), "bin", "spark-class")


@pytest.fixture
def cluster(tmp_path):
    """The master's address; the processes end with the test."""
    environment = {
        **os.environ,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOG_DIR": str(tmp_path),
        "PYSPARK_PYTHON": sys.executable,
    }
    processes = []

    def start(name, *arguments):
        log = open(tmp_path / f"{name}.log", "wb")  # noqa: SIM115 - closed with the process
        command = [SPARK_CLASS, f"org.apache.spark.deploy.{arguments[0]}", *arguments[1:]]
        processes.append((subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=tmp_path), log))

    def wait_for(name, pattern):
        for _ in range(240):
            found = re.search(pattern, (tmp_path / f"{name}.log").read_text(errors="replace"))
            if found:
                return found
            time.sleep(0.5)
        pytest.fail((tmp_path / f"{name}.log").read_text(errors="replace")[-3000:])

    try:
        start("master", "master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        address = wait_for("master", r"Starting Spark master at (spark://\S+)")[1]
        for number in (1, 2):
            start(
                f"worker{number}",
                "worker.Worker",
                "-c",
                "1",
                "-m",
                "1g",
                "--webui-port",
                "0",
                "-d",
                str(tmp_path / f"w{number}"),
                address,
            )
        for number in (1, 2):
            wait_for(f"worker{number}", "Successfully registered with master")
        yield address
    finally:
        for process, log in reversed(processes):
            process.terminate()
            process.wait(timeout=30)
            log.close()


def on(cluster, code):
    """Run code in a process whose ``spark`` is a session on the cluster; what it printed."""
    beginning = f"""
from topicweave.pipeline import design, session
spark = session({cluster!r}, {{"spark.driver.host": "127.0.0.1", "spark.executor.memory": "600m"}})
"""
    done = subprocess.run(
        [sys.executable, "-c", beginning + code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYSPARK_PYTHON": sys.executable},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.split()


@pytest.mark.slow
def test_same_plan_as_local(spark, cluster, tmp_path):
    """The cluster's executors know nothing of this package, and give the same bytes."""
    interest = synthetic(num_nodes=80, num_topics=20, popularity="zipf", alpha=0.5, subscriptions=4, seed=2)
    path = tmp_path / "in.csv"
    path.write_text("node,topic\n" + "".join(f"{node},{topic}\n" for node, topic in interest.pairs()) + "lonely\n")
    design(str(path), "low", k=3, out=tmp_path / "local", spark=spark)
    code = f"""
plan = design({str(path)!r}, "low", k=3, out={str(tmp_path / "remote")!r}, spark=spark)
def who(batches):
    import os, pyarrow
    for batch in batches:
        yield pyarrow.record_batch([[os.getpid()]], ["pid"])
executors = spark.range(100, numPartitions=20).mapInArrow(who, "pid LONG").distinct().count()
print(plan.manifest["master"], plan.verification.topic_connected, executors)
"""
    master, connected, executors = on(cluster, code)
    assert master.startswith("spark://") and connected == "True" and int(executors) >= 2
    for name in ("edges.parquet", "nodes.parquet", "topics.parquet", "quarantine/rows.jsonl.gz"):
        assert (tmp_path / "local" / name).read_bytes() == (tmp_path / "remote" / name).read_bytes()
    assert design_in_memory(interest, "low", k=3).overlay.num_edges > 0


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["gm", "low"])
def test_near_candidates_are_searched_by_the_workers(spark, cluster, tmp_path, algorithm):
    """The driver searches for no node, and the links are those of a search in one process, byte for byte."""
    interest = synthetic(num_nodes=3000, num_topics=300, popularity="zipf", alpha=0.5, subscriptions=(3, 30), seed=2)
    path = tmp_path / "in.csv"
    path.write_text("node,topic\n" + "".join(f"{node},{topic}\n" for node, topic in interest.pairs()))
    local = design(str(path), algorithm, candidates="near", out=tmp_path / "local", spark=spark)
    code = f"""
from topicweave.pipeline.workers import near_search
near_search.FEW = 1
close = near_search.SparkSearch.close
def told(search):
    print(search.num_jobs)
    close(search)
near_search.SparkSearch.close = told
plan = design({str(path)!r}, {algorithm!r}, candidates="near", out={str(tmp_path / "remote")!r}, spark=spark)
print(plan.manifest["master"], plan.verification.topic_connected)
executors = spark.sparkContext._jsc.sc().statusTracker().getExecutorInfos()
print(len(executors) - 1)
"""
    num_jobs, master, connected, num_executors = on(cluster, code)
    assert int(num_jobs) > 0 and int(num_executors) == 2
    assert master.startswith("spark://") and connected == "True"
    for name in ("edges.parquet", "nodes.parquet", "topics.parquet"):
        assert (tmp_path / "local" / name).read_bytes() == (tmp_path / "remote" / name).read_bytes()
    here = design_in_memory(interest, algorithm, candidates="near")
    assert (here.overlay.edges == local.design.overlay.edges).all()
