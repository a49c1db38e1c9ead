"""The report: results are judged, drawn, and put on one page."""
