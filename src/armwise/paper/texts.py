"""Texts of the page: a caption for every figure, and the errata of the paper."""

CAPTIONS = {
    "1": "An agent's model of the bandit: a change may occur (j), it moves the reward "
    "probabilities (theta), they and the chosen arm (a) cause the outcome (o). Shaded nodes are "
    "observed; the choice follows from beliefs (dashed).",
    "2": "How strong should preferences be? Regret rate against lambda for exact (G-AI) and "
    "approximate (A-AI) active inference. If they are too weak, choices "
    "are random; if they are too strong, agents get stuck.",
    "3": "Cumulative regret over a long horizon. Active inference is ahead at first and falls "
    "behind: some of its agents commit to a wrong arm for good. Dotted: Lai and Robbins' omega ln "
    "t, with the corrected constant.",
    "4": "When the best arm moves now and then: regret rate of the policies, by the number of arms "
    "and the probability of a switch.",
    "5": "As figure 4 with 40 arms, by difficulty.",
    "6": "When all reward probabilities are drawn again now and then.",
    "S1": "Where the regret of figure 3 comes from: its distribution over agents at the horizon. "
    "The hump on the right, near the regret of a random choice (dashed), is agents that are stuck.",
    "S2": "The precision of preferences in the switching bandit.",
    "S3": "The precision of preferences in the bandit of varying difficulty.",
    "table1": "Time of one trial (choice and learning) of 1000 agents in parallel.",
}

ERRATA = (
    ("Change probability", "the Bayes factor is upside down", "a surprise must raise gamma"),
    ("SMiLe, second line", "beta relaxes from alpha", "beta relaxes from beta, toward beta0"),
    (
        "Lai–Robbins bound",
        "2 ε (K − 1) / ln(1 + 4 ε²)",
        "2 ε (K − 1) / (−ln(1 − 4 ε²)); the printed one is 17 % too high at ε = 0.2",
    ),
    ("Its divergence", "arguments swapped", "KL(arm, best arm) = −½ ln(1 − 4 ε²)"),
    ("Its left-hand side", "the regret rate", "the cumulative regret"),
    ("Regret", "T θ of the best arm", "the sum over trials of the best arm's θ minus the chosen"),
    (
        "“Parameters grow monotonically”",
        "",
        "only without changes: SMiLe relaxes arms that are not chosen",
    ),
    ("Table 1, “per decision”", "", "per trial of 1000 agents"),
    ("λ = 0.06 for ε = 0.05", "", "from a finer grid than the published one, whose step is 0.05"),
    (
        "Figures 4, 5, 6, S2, S3",
        "regret refers to the state after the trial's transition",
        "to the state that paid; published values are converted before they are compared",
    ),
    (
        "Figures 6, S3",
        "a switch could not follow a switch",
        "independent switches; their rate was rho / (1 + rho)",
    ),
    (
        "All figures",
        "a soft-max of precision 10⁵ in 32-bit floats",
        "an argmax; it differs where many scores nearly tie",
    ),
)
