"""``python -m benchmarks``: runs the benchmarks; its command ``records`` has options of its own."""

import sys

if sys.argv[1:2] == ["records"]:
    from benchmarks.records.command import main as records

    sys.exit(records(sys.argv[2:]))

from benchmarks.run import main

sys.exit(main())
