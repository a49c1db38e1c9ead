"""The ablation removes what it claims: the text that it replaces is in the source, and each copy can still be
parsed.
"""

import ast

import pytest

from benchmarks.ablation import TRICKS, copy_without


@pytest.mark.parametrize("trick", TRICKS)
def test_a_trick_is_in_the_source_and_can_be_taken_out(trick, tmp_path):
    copy_without(TRICKS[trick], tmp_path)
    for file, lines, instead in TRICKS[trick]:
        source = (tmp_path / "topicweave" / file).read_text(encoding="utf-8")
        assert instead in source
        assert lines not in source.replace(instead, "")
        ast.parse(source)


def test_a_trick_that_is_no_longer_there_is_an_error(tmp_path):
    with pytest.raises(SystemExit, match="no longer holds"):
        copy_without([("errors.py", "a line that nobody wrote", "")], tmp_path)
