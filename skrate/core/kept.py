"""The one place where what was computed from a rate is kept for the next call."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable
from functools import wraps
from threading import Lock
from typing import Any, TypeVar

Result = TypeVar("Result")

MAX_BYTES = 2**26
# What an entry takes beside its arrays, roughly.
_ENTRY_BYTES = 512


class Kept:
    """Results by arguments; those used least recently go when they take too much.

    An entry is found by equality of its arguments, so that of distributions must mean
    the same law. Arguments and results count with all their arrays, an argument once
    however many entries it is in. What is larger than ``max_bytes``, the room for all
    entries, is not kept.
    """

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self.max_bytes = max_bytes
        self.nbytes = 0
        self._entries: OrderedDict[Hashable, tuple[Any, Any, int]] = OrderedDict()
        self._uses: Counter[int] = Counter()
        self._lock = Lock()

    def __call__(self, function: Callable[..., Result]) -> Callable[..., Result]:
        """Return ``function``, whose results are kept by its positional arguments."""

        @wraps(function)
        def keeping(*args: Any) -> Result:
            key = (function, *args)
            with self._lock:
                if key in self._entries:
                    self._entries.move_to_end(key)
                    found: Result = self._entries[key][1]
                    return found
            # Not under the lock: two threads may compute the same, which is harmless.
            result = function(*args)
            self._add(key, args[0] if args else None, result)
            return result

        return keeping

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            while self._entries:
                self._drop()

    def __len__(self) -> int:
        return len(self._entries)

    def _add(self, key: Hashable, owner: Any, result: Any) -> None:
        size = _ENTRY_BYTES + _nbytes(result)
        with self._lock:
            if key in self._entries or size + _nbytes(owner) > self.max_bytes:
                return
            self._entries[key] = owner, result, size
            self.nbytes += size
            self._uses[id(owner)] += 1
            if self._uses[id(owner)] == 1:
                self.nbytes += _nbytes(owner)
            while self.nbytes > self.max_bytes:
                self._drop()

    def _drop(self) -> None:
        owner, _, size = self._entries.popitem(last=False)[1]
        self.nbytes -= size
        self._uses[id(owner)] -= 1
        if not self._uses[id(owner)]:
            del self._uses[id(owner)]
            self.nbytes -= _nbytes(owner)


def _nbytes(value: Any) -> int:
    if isinstance(value, tuple):
        return sum(_nbytes(part) for part in value)
    # Nothing but arrays and what is made of them is large.
    return int(getattr(value, "nbytes", 0))


kept = Kept()
