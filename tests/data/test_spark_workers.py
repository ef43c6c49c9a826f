"""What is said where the executors of Spark lack the package; no Spark is needed."""

import pytest

from looped import looped
from skrate.spark import rank_table

# What a worker without the package makes Spark raise, shortened.
TRACE = """An exception was thrown from the Python worker. Please see the stack trace:
Traceback (most recent call last):
  File "pyspark/serializers.py", line 481, in loads
    return cloudpickle.loads(obj, encoding=encoding)
ModuleNotFoundError: No module named '{}'
"""


class FailingFrame:
    """A dataframe of Spark whose job fails."""

    columns = ("label", "score")

    def __init__(self, error):
        self.error = error

    def select(self, *names):
        return self

    toDF = mapInArrow = select

    def collect(self):
        raise self.error


@looped("module", ["skrate", "skrate.data", "pyarrow"])
def test_executors_without_a_package_are_explained(module):
    found = RuntimeError(TRACE.format(module))
    with pytest.raises(ModuleNotFoundError, match="PYSPARK_PYTHON") as raised:
        rank_table(FailingFrame(found))
    assert raised.value.name == module.split(".")[0]
    assert raised.value.__cause__ is found


def test_other_errors_of_a_job_pass():
    found = RuntimeError("No space left on device")
    with pytest.raises(RuntimeError, match="No space left") as raised:
        rank_table(FailingFrame(found))
    assert raised.value is found
