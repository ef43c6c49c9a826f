"""When a review that reads from the top of a ranking may stop.

It is handed on by ``skrate``: ``skrate.review.stopping_curve`` and so on.
"""

from skrate.review.certificate import (
    RecallCertificate,
    certificate_sample_size,
    recall_certificate,
)
from skrate.review.stopping import StoppingCurve, stopping_curve

__all__ = [
    "RecallCertificate",
    "StoppingCurve",
    "certificate_sample_size",
    "recall_certificate",
    "stopping_curve",
]
