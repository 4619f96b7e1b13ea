"""The √d experiment at every width, which several tests ask for."""

from attention_core.scaling import growing_dot_products, rescale, saturation


def saturation_curves(scalings=("none", "sqrt"), temperature=1.0, **experiment):
    """For each scaling its saturation at d = 1, 2, 4 ... 1024; ``experiment`` goes to ``growing_dot_products``."""
    curves = {scaling: [] for scaling in scalings}
    for drawn in growing_dot_products(**experiment):
        for scaling, curve in curves.items():
            curve.append(saturation(rescale(drawn, scaling, temperature)))
    return {scaling: tuple(curve) for scaling, curve in curves.items()}
