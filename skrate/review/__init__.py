"""Stopping rules for a review that reads from the top of a ranking.

Import from here, or as ``skrate.review.recall_certificate``.
"""

from skrate.review.certificate import (
    RecallCertificate,
    certificate_sample_size,
    recall_certificate,
)

__all__ = ["RecallCertificate", "certificate_sample_size", "recall_certificate"]
