"""Attributes that are found when they are first asked for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    lazy = cached_property
else:

    class lazy(cached_property):
        """A cached property without a lock.

        Until Python 3.12 it has one lock for all instances: threads that each rank a
        sample of their own would wait for each other. Two that ask the same instance
        at once may both compute, and find the same.
        """

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            if instance is None:
                return self
            known = vars(instance)
            if self.attrname not in known:
                known[self.attrname] = self.func(instance)
            return known[self.attrname]
