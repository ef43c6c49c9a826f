"""asv imports this folder as a package: let its modules find each other by name."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
