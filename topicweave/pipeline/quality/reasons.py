"""Why a row is not used. Bad rows go to the quarantine; ignored ones (comments, headers, …) are only counted."""

from __future__ import annotations

HEADER = "header"
COMMENT = "comment"
BLANK_LINE = "blank line"
SELF_LINK = "link of a user to itself"
LATER = "event after the chosen time"

IGNORED = frozenset({HEADER, COMMENT, BLANK_LINE, SELF_LINK, LATER})
NO_ROWS = frozenset({HEADER, COMMENT, BLANK_LINE})  # lines of a file that never meant to be a row

NOT_UTF8 = "not valid UTF-8"
WRONG_COLUMNS = "wrong number of columns"
MALFORMED_JSON = "malformed JSON"
NESTED_VALUE = "a nested value where a label belongs"
BAD_TIME = "time cannot be read"
BAD_FILTER = "invalid MQTT filter"
BAD_TOPIC = "wildcard in a topic name"
NO_BROKER = "client without a broker"


def missing(field: str) -> str:
    return f"{field} is missing"


def blank(field: str) -> str:
    return f"{field} is blank"


def too_long(field: str) -> str:
    return f"{field} is too long"


def undecodable(field: str) -> str:
    return f"{field} is {NOT_UTF8}"
