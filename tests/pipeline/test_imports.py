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


def test_a_verb_is_not_hidden_by_its_module():
    """Whatever is imported first, the package's verbs are functions; and what a verb does not need is not loaded."""
    code = (
        "import sys; from topicweave.pipeline.design import NEEDED_LATER; import topicweave.pipeline.verify; "
        "from topicweave import pipeline; "
        "print(callable(pipeline.design), callable(pipeline.verify), 'topicweave.pipeline.profile' in sys.modules); "
        "print(callable(pipeline.profile), callable(pipeline.load), sorted(dir(pipeline)) == sorted(pipeline.__all__))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True", "False", "True", "True", "True"]
