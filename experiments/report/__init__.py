"""The report: results judged, drawn, and put on one page."""
