"""Run the examples of the pages, and no script: the gallery runs those."""

collect_ignore_glob = ["*.py", "_build/*", "auto_examples/*", "generated/*"]
