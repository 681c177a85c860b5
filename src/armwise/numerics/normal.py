"""The normal quantile."""

import math

from armwise.numerics.gamma import polynomial

# Wichura (1988), Algorithm AS 241: numerators and denominators, highest power first.
_CENTRE_TOP = (
    2509.0809287301226727,
    33430.575583588128105,
    67265.770927008700853,
    45921.953931549871457,
    13731.693765509461125,
    1971.5909503065514427,
    133.14166789178437745,
    3.3871328727963666080,
)
_CENTRE_BOTTOM = (
    5226.4952788528545610,
    28729.085735721942674,
    39307.895800092710610,
    21213.794301586595867,
    5394.1960214247511077,
    687.18700749205790830,
    42.313330701600911252,
    1.0,
)
_MIDDLE_TOP = (
    7.74545014278341407640e-4,
    2.27238449892691845833e-2,
    2.41780725177450611770e-1,
    1.27045825245236838258,
    3.64784832476320460504,
    5.76949722146069140550,
    4.63033784615654529590,
    1.42343711074968357734,
)
_MIDDLE_BOTTOM = (
    1.05075007164441684324e-9,
    5.47593808499534494600e-4,
    1.51986665636164571966e-2,
    1.48103976427480074590e-1,
    6.89767334985100004550e-1,
    1.67638483018380384940,
    2.05319162663775882187,
    1.0,
)
_FAR_TOP = (
    2.01033439929228813265e-7,
    2.71155556874348757815e-5,
    1.24266094738807843860e-3,
    2.65321895265761230930e-2,
    2.96560571828504891230e-1,
    1.78482653991729133580,
    5.46378491116411436990,
    6.65790464350110377720,
)
_FAR_BOTTOM = (
    2.04426310338993978564e-15,
    1.42151175831644588870e-7,
    1.84631831751005468180e-5,
    7.86869131145613259100e-4,
    1.48753612908506148525e-2,
    1.36929880922735805310e-1,
    5.99832206555887937690e-1,
    1.0,
)


def normal_quantile(u: float) -> float:
    """Quantile of the standard normal distribution, u in (0, 1): Wichura's AS 241 (1988).

    x with Phi(x) = u, by rational functions of (u - 1/2)^2 or sqrt(-log(min(u, 1-u)))

    >>> round(normal_quantile(0.975), 12)
    1.95996398454
    """
    centred = u - 0.5
    if -0.425 <= centred <= 0.425:
        t = 0.180625 - centred * centred
        return centred * polynomial(_CENTRE_TOP, t) / polynomial(_CENTRE_BOTTOM, t)
    tail = u
    if centred > 0.0:
        tail = 1.0 - u
    if tail <= 0.0:
        return math.copysign(math.inf, centred)
    r = math.sqrt(-math.log(tail))
    if r <= 5.0:
        value = polynomial(_MIDDLE_TOP, r - 1.6) / polynomial(_MIDDLE_BOTTOM, r - 1.6)
    else:
        value = polynomial(_FAR_TOP, r - 5.0) / polynomial(_FAR_BOTTOM, r - 5.0)
    if centred < 0.0:
        return -value
    return value
