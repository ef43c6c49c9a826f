"""When a review that reads from the top of a ranking may stop, and what to select.

It is handed on by ``skrate``: ``skrate.review.stopping_curve`` and so on.
"""

from skrate.review.certificate import (
    RecallCertificate,
    certificate_sample_size,
    recall_certificate,
)
from skrate.review.select_cases import SelectedCases, select_cases
from skrate.review.stopping import StoppingCurve, stopping_curve

__all__ = [
    "RecallCertificate",
    "SelectedCases",
    "StoppingCurve",
    "certificate_sample_size",
    "recall_certificate",
    "select_cases",
    "stopping_curve",
]
