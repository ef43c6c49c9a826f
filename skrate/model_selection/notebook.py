"""How scorers are shown in notebooks: by their parameters, as nothing is fitted."""

from __future__ import annotations

from typing import Any

from sklearn import get_config

from skrate.core.results import written
from skrate.data.show import html_of


class ShownByParameters:
    """Takes the place of the diagram of an estimator, which would be "not fitted".

    It comes before ``BaseEstimator`` among the bases of a class, whose
    ``get_params`` it shows.
    """

    get_params: Any

    @property
    def _repr_html_(self) -> Any:
        if get_config()["display"] != "diagram":
            # As estimators do, so that the text is shown.
            raise AttributeError("_repr_html_ is only there if display='diagram'")
        return self._html

    def _html(self) -> str:
        params = self.get_params(deep=False).items()
        name = getattr(self, "_name", type(self).__name__)
        return html_of(name, {key: written(value) for key, value in params})

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle = {"text/plain": repr(self)}
        if hasattr(self, "_repr_html_"):
            bundle["text/html"] = self._repr_html_()
        return bundle
