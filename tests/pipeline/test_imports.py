"""Spark stays out of the way until it is asked for, and so does everything else of the pipeline."""

import subprocess
import sys
from pathlib import Path

from topicweave import pipeline


def test_importing_the_package_does_not_import_spark():
    """The in-memory API never pays for Spark."""
    code = "import sys, topicweave, topicweave.algorithms, topicweave.metrics; print('pyspark' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_verifier_knows_nothing_of_the_planner():
    """Neither the verifier nor anything it needs has loaded an algorithm or a kernel."""
    code = (
        "import sys, topicweave.pipeline.jobs.verify, topicweave.pipeline.connectivity; "
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


def test_what_a_job_does_not_need_is_not_loaded():
    code = (
        "import sys; from topicweave import pipeline; "
        "print(callable(pipeline.design), callable(pipeline.verify)); "
        "print(any(f'topicweave.pipeline.jobs.{job}' in sys.modules for job in ('profile', 'assign', 'maintain')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True", "False"]


def test_every_name_leads_somewhere_and_nowhere_else():
    """No module hides a name of the package when it is imported, and a name that is not there is an error."""
    assert len(pipeline.__all__) > 40 and sorted(dir(pipeline)) == sorted(pipeline.__all__)
    for name in pipeline.__all__:
        found = getattr(pipeline, name)
        assert getattr(found, "__name__", name) == name
    modules = {path.stem for path in Path(pipeline.__file__).parent.iterdir()}
    assert {"jobs", "loading"} <= modules and not modules & set(pipeline.__all__)
    assert not hasattr(pipeline, "no_such_job")
