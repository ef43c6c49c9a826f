"""The cases of all metrics, gathered from ``CASES`` of ``tests/metrics/test_*.py``.

Read by ``test_common_metrics.py`` (what our metrics promise),
``test_sklearn_common.py`` (what scikit-learn asks of a metric), ``inference_cases.py``
and ``fuzzing/registry.py``.
"""

import importlib.util
import sys
from pathlib import Path

from metric_cases import Case


def gathered() -> list[Case]:
    """Return what the files list, each file under a name that no test has."""
    samples: list[Case] = []
    for path in sorted(Path(__file__).with_name("metrics").glob("test_*.py")):
        if "\nCASES = [" not in path.read_text(encoding="utf-8"):
            continue
        name = f"cases_of_{path.stem}"
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        samples += getattr(module, "CASES", [])
    return samples


CASES = gathered()
# Those of the common tests.
METRICS = [case for case in CASES if case.constant is not None]
