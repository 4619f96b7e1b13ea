"""The tests can fail: each wrong implementation in mutants.py is noticed by the test it names."""

import pytest
from mutants import MUTANTS, Mutant, core_from_source, notices, noticing_tests

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # the wrong ones divide by 0
TESTS = noticing_tests()


@pytest.mark.parametrize("name", TESTS)
def test_the_right_core_passes(name):
    TESTS[name](core=core_from_source())


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.mistake)
def test_the_mistake_is_noticed(mutant):
    assert notices(TESTS[mutant.noticed_by], core_from_source(mutant)), mutant.noticed_by


def test_a_mutant_that_changes_nothing_is_an_error():
    with pytest.raises(LookupError, match="not once in attention"):
        core_from_source(Mutant("none", "", "attention", "a line that is not there", ""))
