"""Choice rules, which turn scores into an arm. One rule, one file."""

from armwise.choices.argmax import Argmax
from armwise.choices.habitual_softmax import HabitualSoftmax
from armwise.choices.lapsing_argmax import LapsingArgmax
from armwise.choices.softmax import Softmax

__all__ = ["Argmax", "HabitualSoftmax", "LapsingArgmax", "Softmax"]
