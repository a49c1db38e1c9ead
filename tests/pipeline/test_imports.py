"""Spark stays out of the way until it is asked for."""

import subprocess
import sys


def test_importing_the_package_does_not_import_spark():
    """The in-memory API never pays for Spark."""
    code = "import sys, topicweave, topicweave.algorithms, topicweave.metrics; print('pyspark' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_verifier_knows_nothing_of_the_planner():
    """Neither the verifier nor anything it needs has loaded an algorithm or a kernel."""
    code = (
        "import sys, topicweave.pipeline.verify, topicweave.pipeline.connectivity; "
        "print([name for name in sys.modules if name.startswith(('topicweave.algorithms', 'topicweave.kernels'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_importing_the_pipeline_does_not_start_java():
    """Importing costs no JVM and no compiled or drawing library."""
    code = (
        "import sys, topicweave.pipeline; from pyspark import SparkContext; "
        "print(SparkContext._gateway is None, 'numba' in sys.modules, 'matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True False False"
