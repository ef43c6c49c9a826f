"""How often a statistical guarantee (marked ``slow``) is simulated.

``SKRATE_GUARANTEES=short`` runs a tenth of the simulations, ``full`` (the default)
all of them. A tolerance is three binomial standard errors of the number that was
really run, so that the short form is weaker and not wrong.
"""

import math
import os

SHARES = {"full": 1.0, "short": 0.1}


def simulations(full: int) -> int:
    """Return how many simulations to run where ``full`` is the whole number."""
    form = os.environ.get("SKRATE_GUARANTEES", "full")
    if form not in SHARES:
        raise ValueError(
            f"SKRATE_GUARANTEES must be one of {sorted(SHARES)}, found {form!r}."
        )
    return max(1, math.ceil(full * SHARES[form]))


def binomial_tolerance(probability: float, n_simulations: int) -> float:
    """Return three binomial standard errors of a share of ``n_simulations``."""
    return 3 * math.sqrt(probability * (1 - probability) / n_simulations)
