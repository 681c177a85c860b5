"""What a page is told of agents is what armwise says in Python."""

import asyncio
import json
import time

import numpy as np
import pytest

import armwise as aw
from armwise.lab.copies import Moments, Tally, read, stream
from armwise.lab.parts import WORK, Shelf
from armwise.lab.wire import unpacked, written
from armwise.sweeps.netcdf import parsed

from .conftest import AGENT, BANDIT, SMILE, TRACE, Page, page_of

SAME = aw.SwitchingBandit(arms=3, epsilon=0.4, rho=0.02, p=0.3)
MADE = aw.Agent(aw.ExactActiveInference(lam=0.5), aw.Smile(rho=0.02))
OTHER = {"label": "other", "policy": {"name": "ucb"}, "learner": SMILE}


def test_a_trace_has_the_numbers_of_python(page):
    header, arrays = page.ask(**TRACE)
    told = aw.trace(SAME, MADE, 60, seed=3, number=2, device="python")
    assert set(arrays) == set(told.data_vars)
    for name, values in arrays.items():
        np.testing.assert_array_equal(values, told[name].values.astype(np.float32), name)
    assert header["terms"] == ["risk", "ambiguity", "extrinsic", "intrinsic"]
    assert (header["agent"], header["bandit"]) == (str(MADE), str(SAME))
    assert header["assumed"] == {"agent": 0.02, "bandit": 0.02}
    assert (header["arms"], header["horizon"], header["slot"]) == (3, 60, "a")


def test_an_actor_shows_what_it_can(page):
    header, arrays = page.ask(**TRACE | {"agent": {"policy": {"name": "hmm", "rho": 0.02}}})
    assert header["terms"] == []
    assert set(arrays) == {"theta", "chosen", "outcome", "gamma", "regret"}


def test_of_waiting_questions_the_latest_counts(page):
    for number in range(20):
        page.tell(**TRACE | {"id": number, "number": number})
    heard = []
    while not heard or heard[-1] != 19:
        header, _ = page.next()
        heard += [header["id"]] if header["kind"] == "trace" else []
    assert len(heard) < 20
    assert heard == sorted(heard)


def test_slots_do_not_wait_for_each_other(page):
    for slot in ("a", "b"):
        page.tell(**TRACE | {"id": slot, "slot": slot})
    heard = set()
    while heard != {"a", "b"}:
        heard.add(page.next()[0]["slot"])


PROBLEMS = [
    ({"bandit": BANDIT | {"p": 0.9}}, "p + epsilon must be at most 1"),
    ({"bandit": BANDIT | {"arms": 101}}, "arms must be a whole number from 2 to 100"),
    ({"bandit": BANDIT | {"nothing": 1}}, "There is no parameter of switching 'nothing'"),
    ({"bandit": "switching"}, "A bandit must be an object with a name"),
    ({"bandit": {"name": "problem-1", "p": 1}}, "has no parameters to set"),
    ({"agent": {}}, "An agent must be an object with a policy"),
    ({"agent": {"policy": {"name": "g-aj"}}}, "did you mean"),
    ({"agent": {"policy": {"name": "g-ai", "lam": "x"}}}, "lam must be in [0, 700], not 'x'"),
    (
        {
            "agent": {
                "policy": {
                    "name": "hmm-avg",
                    "bases": 1000,
                    "gaps": [0.1] * 100,
                    "moves": [0.01] * 100,
                }
            }
        },
        "would remember",
    ),
    ({"horizon": 40_000}, "horizon must be a whole number from 1 to 33333"),
    ({"horizon": None}, "horizon must be"),
    ({"seed": 1 << 60}, "seed must be"),
    ({"number": 0.5}, "number must be"),
    ({"slot": 3}, "slot must be a text"),
]


@pytest.mark.parametrize(("given", "words"), PROBLEMS)
def test_what_cannot_be_is_a_sentence_and_the_page_goes_on(page, given, words):
    told, _ = page.ask(**TRACE | {"id": 7} | given)
    assert (told["kind"], told["id"]) == ("problem", 7)
    assert words in told["problem"]
    assert page.ask(**TRACE)[0]["kind"] == "trace"


def test_an_unknown_request_is_a_sentence(page):
    for do in ("eval", None, ["trace"], "__init__"):
        told, _ = page.ask(do)
        assert told["problem"] == "That is no request that the lab knows."


def test_python_and_the_command_line_are_given_to_copy(page):
    sizes = {"horizon": 40, "seed": 3, "number": 2, "copies": 5}
    told, _ = page.ask("words", bandit=BANDIT, agents=[AGENT, OTHER], **sizes)
    made = {}
    exec(told["python"], made)
    expected = aw.trace(SAME, MADE, 40, seed=3, number=2)
    np.testing.assert_array_equal(made["found_first"].regret, expected.regret)
    assert told["command"].startswith("armwise simulate --bandit switching:arms=3,epsilon=0.4,")
    assert "--policy g-ai:lam=0.5 --policy ucb --learner smile:rho=0.02," in told["command"]
    assert "doi:10.1016/j.neunet.2021.08.018" in told["citation"]


def file_of(page):
    """The dataset behind the header of an answer."""
    answer = page.heard[-1]
    header, _ = unpacked(answer)
    assert header["kind"] == "file"
    return parsed(answer[-header["bytes"] :])


def test_a_trace_is_saved_with_all_its_digits(page):
    page.ask(**TRACE | {"do": "file"})
    expected = aw.trace(SAME, MADE, 60, seed=3, number=2, device="python")
    found = file_of(page)
    assert found.attrs.pop("armwise") == aw.__version__
    assert found.identical(expected)


def test_copies_are_saved_once_they_are_over(page):
    told, _ = page.ask("file", of="copies")
    assert told["problem"].startswith("There are no copies to save")
    page.ask(**{"do": "copies", **copies()})
    while not page.next()[0]["over"]:
        pass
    page.ask("file", of="copies")
    found = file_of(page)
    assert found.policy.values.tolist() == ["one", OTHER["label"]]
    regret = aw.simulate(SAME, MADE, 50, 60, 5).regret
    np.testing.assert_array_equal(found["last"][0], regret[:, -1])
    np.testing.assert_allclose(found["mean"][0], regret.mean("agent"), rtol=1e-12, atol=1e-12)
    assert found.description.values[0] == str(MADE)


def copies(**more):
    asked = {"bandit": BANDIT, "agents": [{"label": "one", **AGENT}, OTHER], "seed": 5}
    return asked | {"horizon": 50, "copies": 60} | more


def test_many_copies_end_as_one_simulation(page):
    page.tell("copies", **copies())
    while not (found := page.next())[0].get("over"):
        assert found[0]["kind"] in ("copies", "compiling")
    header, arrays = found
    ucb = aw.Agent(aw.UCB(), aw.Smile(rho=0.02))
    results = {
        label: aw.simulate(SAME, agent, 50, 60, seed=5)
        for label, agent in (("one", MADE), ("other", ucb))
    }
    [pair] = aw.regret.paired(results)
    [told] = header["pairs"]
    for name in ("first", "second", "difference", "low", "high", "p"):
        assert told[name] == getattr(pair, name), name
    for place, result in enumerate(results.values()):
        summed = aw.regret.summary(result)
        for name, known in (("mean", "mean_regret"), ("low", "low"), ("high", "high")):
            told = summed[known].values
            assert header["last"][place][name] == pytest.approx(told[-1], rel=1e-12)
            np.testing.assert_allclose(arrays[name][place], told, rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(arrays["trial"], results["one"].trial)
    gap = results["other"].regret.values - results["one"].regret.values
    np.testing.assert_allclose(arrays["difference"][0], gap.mean(axis=0), rtol=1e-5, atol=1e-6)


def test_a_stop_ends_a_long_run_inside_a_part(page):
    page.ask("copies", **copies(horizon=10))  # compiled by now
    page.tell("copies", **copies(id=2, horizon=5_000_000, copies=100))
    page.tell("stop")
    while (told := page.next()[0])["kind"] != "stopped" or told["id"] != 2:
        pass
    assert told["done"] == 0


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"copies": 10**6, "horizon": 10**4}, f"more than {WORK:.0e} decisions"),
        ({"agents": []}, "agents must be a list of 1 to 6"),
        ({"agents": [OTHER, OTHER]}, "must have different labels"),
        ({"agents": [OTHER | {"label": "x" * 200}]}, "A label must be a text"),
        ({"copies": 1}, "copies must be a whole number from 2"),
    ],
)
def test_too_many_copies_are_refused(page, given, words):
    assert words in page.ask("copies", **copies(**given))[0]["problem"]


def test_a_page_that_goes_ends_its_run(client, monkeypatch):
    begun = []

    def counted(*given, **more):
        begun.append(given)
        return aw.simulate(*given, **more)

    monkeypatch.setattr("armwise.lab.copies.simulate", counted)
    with page_of(client) as socket:
        page = Page(socket)
        page.tell("copies", **copies(copies=300_000, horizon=1_000))
        while page.next()[0]["kind"] != "copies":
            pass
    end = time.monotonic() + 30
    stood = -1
    while stood < len(begun):  # until no part began for half a second
        assert time.monotonic() < end
        stood = len(begun)
        time.sleep(0.5)
    played = sum(len(given[3]) for given in begun)
    assert played < 2 * 300_000


def test_moments_of_parts_are_those_of_the_whole():
    """Far from zero, where sums of squares would lose all digits."""
    values = 1e8 + np.random.default_rng(1).normal(size=(57, 3))
    moments = Moments()
    for part in np.array_split(values, [2, 3, 20]):
        moments.add(part)
    told = aw.regret.mean_interval(values)
    for found, expected in zip(moments.interval(), told[:3], strict=True):
        np.testing.assert_allclose(found - 1e8, expected - 1e8, atol=1e-6)


def test_answers_come_while_copies_are_computed():
    """The first after a tenth of the copies, so that there is something to see at once."""
    heard = []
    tally = Tally(read(Shelf(), copies(copies=200)))
    done = stream(tally, 1, lambda told: heard.append(unpacked(told)[0]), asyncio.Event())
    assert done == 200
    assert heard[0]["done"] == 20
    assert heard[-1]["over"]


def test_json_has_no_infinities():
    told = {"a": float("nan"), "b": [float("inf"), np.float64(1.5)], "c": {"d": np.int64(3)}}
    assert json.loads(written(told)) == {"a": None, "b": [None, 1.5], "c": {"d": 3}}
