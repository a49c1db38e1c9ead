"""``python -m experiments``."""

import sys

from experiments.run import main

sys.exit(main())
