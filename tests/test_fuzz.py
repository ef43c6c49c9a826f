"""Calls of every public function, drawn at random, against literal oracles.

``pytest -m fuzz`` runs 100,000 calls (``-n 2``: about ten minutes on two cores),
``SKRATE_FUZZ_CALLS=2000`` fewer. ``SKRATE_FUZZ_SEED`` draws others. A failure says
which call it was, in a form made small; ``SKRATE_FUZZ_ONLY=1234`` runs that one.
"""

import os
import warnings

import pytest

import skrate
from fuzzing.calls import Disagreement, made_small, run, shown
from fuzzing.registry import NOT_DRAWN, draw_call, fuzzed_names

SEED = int(os.environ.get("SKRATE_FUZZ_SEED", "0"))
N_CALLS = int(os.environ.get("SKRATE_FUZZ_CALLS", "100000"))
ONLY = os.environ.get("SKRATE_FUZZ_ONLY")
# Calls of one test: few enough to share the tests among processes.
CHUNK = 250


def failures(numbers):
    """Run calls by their numbers, and return what was wrong with them."""
    found = []
    for number in numbers:
        try:
            call = draw_call(SEED, number)
            run(call)
        except Disagreement:
            smaller, message = made_small(call)
            found.append(f"call {number} of seed {SEED} {message}\n  {shown(smaller)}")
        except Exception as error:
            error.add_note(f"Raised in call {number} of seed {SEED}.")
            raise
    return found


# Of the rates that are drawn, while they are drawn.
pytestmark = pytest.mark.filterwarnings("ignore:.* is below 0 and counts as the rate 0")


@pytest.mark.fuzz
@pytest.mark.parametrize(
    "first",
    [int(ONLY)] if ONLY else range(0, N_CALLS, CHUNK),
    ids=lambda n: f"from {n}",
)
def test_every_call_gives_what_the_oracle_says(first):
    last = first + 1 if ONLY else min(first + CHUNK, N_CALLS)
    found = failures(range(first, last))
    assert not found, "\n".join([f"{len(found)} calls fail:", *found])


def test_every_public_name_is_fuzzed():
    named, public = fuzzed_names() | NOT_DRAWN, set(skrate.__all__)
    missing, unknown = sorted(public - named), sorted(named - public)
    where = "ENTRIES or NOT_DRAWN of tests/fuzzing/registry.py"
    assert not missing, f"add to {where}: {missing}"
    assert not unknown, f"remove from {where}: {unknown}"
    both = sorted(fuzzed_names() & NOT_DRAWN)
    assert not both, f"remove from ENTRIES or NOT_DRAWN: {both}"


def test_some_calls_give_what_the_oracle_says():
    found = failures(range(40))
    assert not found, "\n".join(found)


@pytest.mark.parametrize("defect", ["value", "warning", "exception", "mutation"])
def test_a_defect_is_seen(monkeypatch, defect):
    plain = skrate.average_precision_score

    def broken(y_true, y_score, **kwargs):
        if defect == "exception":
            raise ZeroDivisionError
        if defect == "warning":
            warnings.warn("division", RuntimeWarning, stacklevel=2)
        if defect == "mutation" and hasattr(y_score, "sort"):
            y_score.sort()
        return plain(y_true, y_score, **kwargs) + (1e-6 if defect == "value" else 0)

    monkeypatch.setattr(skrate, "average_precision_score", broken)
    numbers = [n for n in range(100) if draw_call(SEED, n).name.startswith("average_")]
    message = "\n".join(failures(numbers))
    signs = {
        "value": "is not the oracle's",
        "warning": "warned RuntimeWarning",
        "exception": "raised ZeroDivisionError",
        "mutation": "changed an argument",
    }
    assert signs[defect] in message
