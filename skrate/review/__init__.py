"""When a review that reads from the top of a ranking may stop.

It is handed on by ``skrate``: ``skrate.review.recall_certificate`` and so on.
"""

from skrate.review.certificate import (
    RecallCertificate,
    certificate_sample_size,
    recall_certificate,
)

__all__ = ["RecallCertificate", "certificate_sample_size", "recall_certificate"]
