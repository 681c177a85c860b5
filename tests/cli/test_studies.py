"""The commands about people: what they print and write, what they refuse."""

import json

import pytest
from typer.testing import CliRunner

import armwise as aw
from armwise import engine
from armwise.cli import app

STUDY = """
method = "eb"
free = ["precision"]
[data]
file = "played.csv"
where = { group = "a" }
[[agent]]
name = "RW"
policy = "mean"
learner = { name = "rw", start = 0.4 }
free = ["rate", "precision~lognormal(5, 1)"]
[[agent]]
name = "slow"
policy = "mean"
learner = "rw:rate=0.02"
"""
FIT = ["-p", "mean", "--learner", "rw", "--free", "precision", "--method", "eb"]


def armwise(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


def answer(*arguments):
    ended = armwise(*arguments, "--json")
    assert ended.exit_code == 0, ended.output
    return json.loads(ended.stdout)


def refusal(*arguments):
    ended = armwise(*arguments)
    assert ended.exit_code == 2, ended.output
    assert ended.stderr.count("\n") == 1
    return ended.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A study of twelve people, of whom ten are in group a."""
    made = tmp_path_factory.mktemp("study")
    data = aw.example("reversal")
    some = data.only(data.of_person("attentive") == 1)
    frame = some.only(some.subjects[:12]).frame
    group = frame["subject"].isin(some.subjects[:10]).map({True: "a", False: "b"})
    frame.assign(group=group).to_csv(made / "played.csv", index=False)
    (made / "models.toml").write_text(STUDY)
    return made


def test_a_file_and_options_make_a_fit(folder):
    ended = armwise("fit", folder / "played.csv", *FIT)
    assert ended.exit_code == 0
    assert "fitted to 1,080 choices of 12 people" in ended.stdout
    assert "fitting mean with RW and softmax" in ended.stderr


@pytest.mark.parametrize("command", ["fit", "compare", "recover"])
def test_without_a_card_nothing_is_computed_or_written(folder, tmp_path, monkeypatch, command):
    monkeypatch.setattr(engine, "missing_for_cuda", lambda: "There is no card.")
    options = ["--store", tmp_path / "kept", "--out", tmp_path / "page", "--device", "cuda"]
    assert refusal(command, folder / "models.toml", *options) == "There is no card.\n"
    assert not list(tmp_path.iterdir())


def test_as_json_there_is_everything(folder):
    found = answer("fit", folder / "played.csv", *FIT, "--where", "group=a", "--name", "mine")
    assert found["data"]["people"] == 10
    assert found["data"]["notes"] == ["900 of 1,080 rows have group 'a'."]
    mine = found["models"]["mine"]
    assert mine["free"] == ["precision"]
    assert len(mine["people"]) == 10
    assert set(mine["people"][0]) >= {"subject", "precision", "precision_low", "precision_high"}


def test_a_toml_file_has_several_agents_which_are_compared(folder):
    found = answer("fit", folder / "models.toml")
    assert list(found["models"]) == ["RW", "slow"]
    assert found["comparison"]["best"] == "RW"
    assert found["comparison"]["winner"] is None
    told = answer("compare", folder / "models.toml")
    assert told["winner"] == "RW"
    assert told["confusion"]["groups"][0][0] > 0.9
    recovered = answer("recover", folder / "models.toml", "--model", "RW", "--people", "20")
    assert [row["parameter"] for row in recovered["models"]["RW"]] == ["rate", "precision"]


def test_the_page_holds_everything(folder, tmp_path):
    ended = armwise("compare", folder / "models.toml", "--out", tmp_path / "page")
    assert ended.exit_code == 0, ended.output
    page = (tmp_path / "page" / "index.html").read_text()
    assert "RW wins" in page
    assert "src=" not in page.replace('src="data:image/png;base64,', "")
    assert page.count("<h2") == 3
    people = (tmp_path / "page" / "people-rw.csv").read_text().splitlines()
    assert len(people) == 11
    assert (tmp_path / "page" / "figures" / "comparison.svg").is_file()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["fit", "nowhere.csv", *FIT], "There is no file 'nowhere.csv'."),
        (
            ["fit", "revesal", *FIT],
            "There is no file or example 'revesal'; did you mean 'reversal'",
        ),
        (["fit", "reversal"], "--policy must name an agent"),
        (["fit", "reversal", "-p", "mean"], "has nothing free"),
        (["fit", "reversal", "-p", "ts", "--free", "rho"], "probability"),
        (["fit", "reversal", *FIT, "--method", "mcmc"], "There is no method 'mcmc'"),
        (["fit", "reversal", *FIT, "--column", "choice"], "--column must read name=value"),
        (["fit", "reversal", *FIT, "--column", "choice=x"], "An example is read as it is"),
        (["fit", "reversal", *FIT, "--where", "sex=1"], "There is no column 'sex'"),
        (["fit", "{}/played.csv", *FIT, "--column", "chioce=x"], "did you mean 'choice'"),
        (["fit", "{}/played.csv", *FIT, "--column", "choice=x"], "There is no column 'x'"),
        (["fit", "{}/models.toml", *FIT], "A TOML file says what --policy says"),
        (["compare", "{}"], "holds no fits: it has no study.json"),
        (["compare", "{}/none.toml"], "cannot be read"),
        (["recover", "{}/models.toml", "--model", "WR"], "Known: RW, slow."),
        (["fit", "reversal", *FIT, "--out", "/proc/none"], "cannot be written"),
    ],
)
def test_what_cannot_be_is_one_sentence(folder, arguments, sentence):
    said = refusal(*(text.replace("{}", str(folder)) for text in arguments))
    assert sentence in said


def test_a_study_that_is_wrong_is_refused(tmp_path):
    wrong = {
        STUDY.replace("[data]", "[date]"): "There is no key 'date'; did you mean 'data'?",
        STUDY.replace('file = "played.csv"', ""): "must name either a file or an example",
        STUDY.replace('name = "slow"', 'name = "RW"'): "Two agents are called RW",
        STUDY.replace("rate=0.02", "rate=2"): "rate must be in [0, 1], not 2",
        STUDY.replace("start = 0.4", "start = [0.4, 0.5]"): "learner must be one, not 2",
    }
    for number, (text, sentence) in enumerate(wrong.items()):
        path = tmp_path / f"{number}.toml"
        path.write_text(text)
        (tmp_path / "played.csv").write_text("subject,choice,outcome,group\n1,0,1,a\n1,1,1,a\n")
        assert sentence in refusal("fit", path), text


def test_what_a_store_holds_is_added_to_compared_and_recovered(folder, tmp_path):
    data = folder / "played.csv"
    kept = ["--store", tmp_path / "fits"]
    assert armwise("fit", data, *FIT, "--name", "one", *kept).exit_code == 0
    more = [*FIT, "--free", "rate", "--name", "two", *kept]
    assert armwise("fit", data, *more).exit_code == 0
    told = answer("compare", tmp_path / "fits", "--confusion", "0")
    assert {row["model"] for row in told["models"]} == {"one", "two"}
    said = refusal("fit", "reversal", *FIT, *kept)
    assert "holds fits to other data" in said


def test_how_arms_pay_is_asked_before_anything_is_fitted_and_may_be_said(folder, tmp_path):
    frame = aw.load_choices(folder / "played.csv").frame
    unsaid = frame.drop(columns=[name for name in frame.columns if name.startswith("theta_")])
    unsaid.to_csv(tmp_path / "played.csv", index=False)
    study = tmp_path / "models.toml"
    study.write_text(STUDY)
    for command in ("compare", "recover"):
        assert "How arms pay is not in played.csv: give bandit=" in refusal(command, study)
    assert "must have 3 arms" in refusal("compare", study, "--bandit", "fixed:thetas=0.9/0.1")
    assert "did you mean 'switching'" in refusal("recover", study, "--bandit", "swiching")
    asked = ["recover", study, "--model", "RW", "--people", "4"]
    told = answer(*asked, "--bandit", "fixed:thetas=0.8/0.2/0.2")
    study.write_text('bandit = "fixed:thetas=0.8/0.2/0.2"' + STUDY)
    assert answer(*asked) == told
    assert armwise("fit", study, "--store", tmp_path / "kept").exit_code == 0
    assert answer("recover", tmp_path / "kept", *asked[2:]) == told
    study.write_text('bandit = "fixed:thetas=0.8/0.2"' + STUDY)
    assert answer(*asked, "--bandit", "fixed:thetas=0.8/0.2/0.2") == told


@pytest.mark.slow
def test_a_posterior_in_a_store_is_the_same_when_it_is_read_again(folder, tmp_path):
    asked = ["fit", folder / "played.csv", "-p", "mean", "--learner", "rw", "--free", "precision"]
    first = answer(*asked, "--store", tmp_path / "fits")
    assert len(list((tmp_path / "fits").iterdir())) > 1
    again = answer(*asked, "--store", tmp_path / "fits")
    assert again == first
    assert first["models"]["mean with RW and softmax"]["method"] == "bayes"


def test_a_folder_never_runs_a_users_code(folder, tmp_path):
    kept = {
        "data": {"example": "reversal"},
        "agent": [{"policy": {"name": "mine.py"}, "free": ["precision"]}],
    }
    (tmp_path / "study.json").write_text(json.dumps(kept))
    assert "code is not run because a folder says so" in refusal("recover", tmp_path)
    (tmp_path / "study.json").write_text("{")
    assert "is damaged" in refusal("recover", tmp_path)
    kept["agent"][0]["policy"] = {"name": "mean"}
    (tmp_path / "study.json").write_text(json.dumps(kept | {"bandit": {"name": "mine.py"}}))
    assert "code is not run because a folder says so" in refusal("recover", tmp_path)


def test_sessions_come_from_a_column(folder, tmp_path):
    frame = aw.load_choices(folder / "played.csv").frame
    frame.assign(session=(frame["trial"] > 45) + 1).to_csv(tmp_path / "twice.csv", index=False)
    told = answer("fit", tmp_path / "twice.csv", *FIT, "--nested", "session")
    model = told["models"]["mean with RW and softmax"]
    assert len(model["sessions"]) == 24
    assert set(model["sessions"][0]) >= {"subject", "session", "precision"}
    assert "no column 'sitting'" in refusal("fit", tmp_path / "twice.csv", *FIT, "--nested=sitting")


def test_actors_are_fitted_too(folder):
    given = ["--free", "precision", "--method", "eb"]
    actor = ["-p", "hmm:p=0.2,epsilon=0.6", "--choice", "softmax", *given]
    [model] = answer("fit", folder / "played.csv", *actor)["models"].values()
    assert model["agent"].startswith("hmm:")
    said = refusal("fit", folder / "played.csv", *actor, "--learner", "rw")
    assert "HMM learns by itself: leave out learner." in said
