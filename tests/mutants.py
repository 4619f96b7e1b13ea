"""Wrong implementations of attention, each a small change of the core's source text.

Each is a mistake that real code has made (a course's, a library's). ``PYTHONPATH=. python tests/mutants.py``
prints how many tests notice each; test_mutants.py holds the core's tests to it.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Mutant:
    """A mistake: in this module of the core, ``right`` is replaced by ``wrong``; ``noticed_by`` must fail."""

    mistake: str
    noticed_by: str
    module: str
    right: str
    wrong: str


SCALED = "scaled = scores * scale"
CAPPED = "capped = scaled if softcap is None else softcap * np.tanh(scaled / softcap)"
MASKED = "masked = masked if hidden is None else np.where(hidden, -np.inf, masked)"
BIASED = "masked = capped if bias is None else capped + bias"
WEIGHTS = "weights = softmax(masked)"
SCALE = 'scale = default_scale(query.shape[1]) if scale is None else as_number("scale", scale)'
LARGEST = "np.maximum.reduce(scores, axis=axis, keepdims=True, initial=LOWEST)"
TRIANGLE = "return np.tri(n_query, n_key, offset, dtype=bool)"
MASK = 'allowed = allowed & check_shape("attn_mask", attn_mask, shape)'

MUTANTS = (
    # Nineteen known ones; the core's heads are tiled among them.
    Mutant(
        "grouped heads are tiled, not repeated",
        "test_grouped_heads_give_what_onnx_expects",
        "heads",
        "return head // (n_heads // n_key_heads)",
        "return head % n_key_heads",
    ),
    Mutant("no scale", "test_article_1", "attention", SCALED, "scaled = scores"),
    Mutant(
        "the scale is 1/sqrt of the values' features",
        "test_b34_values_may_have_another_width_than_keys",
        "attention",
        SCALE,
        SCALE.replace("query.shape[1]", "value.shape[1]"),
    ),
    Mutant(
        "a given scale is multiplied with 1/sqrt(d)",
        "test_b16_both_ways_to_scale_agree",
        "attention",
        SCALED,
        "own = default_scale(query.shape[1]); scaled = scores * (scale if scale == own else scale * own)",
    ),
    Mutant(
        "the mask is inverted",
        "test_b05_true_means_may_look",
        "attention",
        MASKED,
        MASKED.replace("(hidden,", "(~hidden,"),
    ),
    Mutant(
        "causal starts in the bottom-right corner",
        "test_b10_causal_with_more_keys_than_queries_starts_top_left_and_can_end_bottom_right",
        "masks",
        TRIANGLE,
        TRIANGLE.replace("offset,", "offset + n_key - n_query,"),
    ),
    Mutant(
        "causal is strict: no one sees itself",
        "test_b07_and_b08_blocked_cells_are_0_and_the_rest_is_shared_out",
        "masks",
        TRIANGLE,
        TRIANGLE.replace("offset,", "offset - 1,"),
    ),
    Mutant(
        "causal OR mask",
        "test_b25_causal_with_padding_on_the_left_leaves_the_first_row_blind",
        "attention",
        MASK,
        'allowed = check_shape("attn_mask", attn_mask, shape) | (allowed if is_causal else False)',
    ),
    Mutant(
        "no renormalisation after the mask",
        "test_article_3_with_the_third_token_hidden",
        "attention",
        WEIGHTS,
        "weights = softmax(capped if bias is None else capped + bias) * (hidden is None or ~hidden)",
    ),
    Mutant(
        "the bias is added before the softcap",
        "test_the_softcap_comes_after_the_scale_and_before_the_bias",
        "attention",
        f"{CAPPED}\n    {BIASED}",
        f"{CAPPED.replace('(scaled', '((scaled if bias is None else scaled + bias)')}\n    "
        f"{BIASED.replace('bias is None', 'bias is None or softcap is not None')}",
    ),
    Mutant(
        "the softcap comes before the scale",
        "test_the_softcap_comes_after_the_scale_and_before_the_bias",
        "attention",
        CAPPED,
        CAPPED.replace("(scaled / softcap)", "(scores / softcap) * scale"),
    ),
    Mutant(
        "no softcap",
        "test_b13_the_softcap_comes_before_the_mask",
        "attention",
        CAPPED,
        "capped = scaled",
    ),
    Mutant(
        "softmax over the queries",
        "test_b17_softmax_is_over_the_keys",
        "attention",
        WEIGHTS,
        "weights = softmax(masked, axis=0)",
    ),
    Mutant(
        "the largest score is not subtracted",
        "test_extreme_scores_are_exact",
        "attention",
        LARGEST,
        "np.minimum(0.0, np.max(scores))",
    ),
    Mutant(
        "NaN on a blind row",
        "test_b01_a_row_with_nothing_allowed_is_zeros_and_named",
        "attention",
        LARGEST,
        LARGEST.replace("LOWEST", "-np.inf"),
    ),
    Mutant(
        "uniform weights on a blind row",
        "test_b02_a_blind_row_is_not_uniform",
        "attention",
        WEIGHTS,
        "weights = softmax(np.where(np.isfinite(masked).any(axis=1, keepdims=True), masked, 0.0))",
    ),
    Mutant(
        "-1e9 instead of -inf",
        "test_b04_no_score_is_low_enough_to_lose_to_a_blocked_key",
        "attention",
        MASKED,
        MASKED.replace("-np.inf", "-1e9"),
    ),
    Mutant(
        "-1e4 instead of -inf",
        "test_b04_no_score_is_low_enough_to_lose_to_a_blocked_key",
        "attention",
        MASKED,
        MASKED.replace("-np.inf", "-1e4"),
    ),
    Mutant(
        "float32 inside",
        "test_every_stored_case_agrees_with_pytorch",
        "attention",
        WEIGHTS,
        "weights = softmax(masked.astype(np.float32)).astype(np.float64)",
    ),
    # Mistakes that this core could make on its own.
    Mutant(
        "the softcap comes after the mask",
        "test_b13_the_softcap_comes_before_the_mask",
        "attention",
        WEIGHTS,
        "weights = softmax(masked if softcap is None else softcap * np.tanh(masked / softcap))",
    ),
    Mutant(
        "a scale of 0 counts as not given",
        "test_b14_a_scale_of_0_is_honoured",
        "attention",
        SCALE,
        'scale = as_number("scale", scale or default_scale(query.shape[1]))',
    ),
    Mutant(
        "keys that a bias blocks are not counted as blocked",
        "test_b29_every_step_of_a_blind_row_agrees",
        "attention",
        "allowed = allowed & (matrix != -np.inf)",
        "pass",
    ),
    Mutant(
        "two biases that overflow to -inf block a key in silence",
        "test_finite_input_gives_finite_weights_or_a_named_overflow",
        "attention",
        '("masked", masked, allowed)',
        '("masked", masked, masked > -np.inf)',
    ),
    Mutant(
        "NaN is not looked for",
        "test_b20_infinite_scores_are_refused",
        "attention",
        "return isfinite(scores) and isfinite(np.vdot(value, value))",
        "return True",
    ),
    Mutant(
        "the caller's own arrays are kept",
        "test_the_inputs_are_copied_and_the_arrays_are_read_only",
        "checks",
        "return given.copy()",
        "return given",
    ),
    Mutant(
        "the window counts the position itself",
        "test_a_few_onnx_cases_of_every_kind",
        "masks",
        "distance >= -left",
        "distance > -left",
    ),
    Mutant(
        "padding stands on the other side",
        "test_b26_padding_blocks_a_column_and_leaves_the_row",
        "masks",
        'if side == "right" else',
        'if side == "left" else',
    ),
)


def core_from_source(mutant: Mutant | None = None):
    """The core's functions, compiled afresh from their source, with the mistake of ``mutant`` if given."""
    package = ModuleType("mutated_core")
    package.__path__ = []
    sys.modules["mutated_core"] = package
    try:
        for name in ("errors", "checks", "masks", "attention", "arithmetic", "heads"):
            source = (ROOT / "attention_core" / f"{name}.py").read_text(encoding="utf-8")
            if mutant is not None and mutant.module == name:
                if source.count(mutant.right) != 1:
                    raise LookupError(f"{mutant.mistake}: not once in {name}.py: {mutant.right}")
                source = source.replace(mutant.right, mutant.wrong)
            module = ModuleType(f"mutated_core.{name}")
            module.__package__ = "mutated_core"
            sys.modules[module.__name__] = module
            if name == "errors":  # the tests expect the one InputError there is
                import attention_core.errors

                module.InputError = attention_core.errors.InputError
            else:
                exec(compile(source, f"{name}.py with {mutant and mutant.mistake}", "exec"), vars(module))
            setattr(package, name, module)
    finally:
        for name in [name for name in sys.modules if name.startswith("mutated_core")]:
            del sys.modules[name]
    return SimpleNamespace(
        trace_attention=package.attention.trace_attention,
        softmax=package.attention.softmax,
        default_scale=package.attention.default_scale,
        masks=package.masks,
        heads=package.heads,
    )


def noticing_tests():
    """The core's tests that take nothing but the core (what hypothesis draws aside)."""
    import test_attention
    import test_heads
    import test_onnx
    import test_torch_goldens

    named = {}
    for module in (test_attention, test_heads, test_onnx, test_torch_goldens):
        named |= {name: test for name, test in vars(module).items() if name.startswith("test_")}
    return {mutant.noticed_by: named[mutant.noticed_by] for mutant in MUTANTS}


def notices(test, core) -> bool:
    """Whether the test fails on this core."""
    try:
        test(core=core)
    except (Exception, pytest.fail.Exception):  # a wrong core may fail in any way
        return True
    return False


if __name__ == "__main__":
    tests = noticing_tests()
    for test in tests.values():
        test(core=core_from_source())
    print(f"The right core passes all {len(tests)}.")
    for mutant in MUTANTS:
        caught = [name for name, test in tests.items() if notices(test, core_from_source(mutant))]
        assert mutant.noticed_by in caught, mutant
        print(f"{len(caught):3} notice: {mutant.mistake}")
