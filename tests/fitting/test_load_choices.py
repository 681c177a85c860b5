"""What `load_choices` reads, what it recognises, and every sentence about bad input."""

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import armwise as aw

GOOD = """subject,trial,choice,outcome
1,1,0,1
1,2,1,0
2,1,2,1
2,2,0,0
"""


def file_of(tmp_path, text, name="played.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one.sequences, other.sequences, strict=True))


def test_a_file_becomes_people_blocks_and_choices(tmp_path):
    data = aw.load_choices(file_of(tmp_path, GOOD))
    assert data.subjects == ("1", "2")
    assert data.arms == ("0", "1", "2")
    assert data.notes == ()
    found = data.sequences
    assert found.choices.tolist() == [0, 1, 2, 0]
    assert found.outcomes.tolist() == [1, 0, 1, 0]
    assert found.scored.all()
    assert found.begins.tolist() == [0, 2]
    assert found.people.tolist() == [0, 1]
    assert found.arms == 3


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.tsv", GOOD.replace(",", "\t")),
        ("a.csv", GOOD.replace(",", ";")),
        ("a.csv", "\ufeff" + GOOD),
        ("a.csv", GOOD.replace("\n", "\r\n") + "\r\n"),
        ("a.csv", GOOD.replace("1,2,1,0", "1,2,1.0,0.0")),
        ("a.csv", GOOD.replace("\n2,1", "\n\n2,1")),
    ],
)
def test_separators_line_ends_marks_and_empty_lines_do_not_matter(tmp_path, name, text):
    plain = aw.load_choices(file_of(tmp_path, GOOD, "plain.csv"))
    assert same(aw.load_choices(file_of(tmp_path, text, name)), plain)


def test_rows_are_sorted_and_said_to_be(tmp_path):
    plain = aw.load_choices(file_of(tmp_path, GOOD))
    header, *rows = GOOD.splitlines()
    mixed = "\n".join([header, *(rows[at] for at in (3, 0, 2, 1))])
    data = aw.load_choices(file_of(tmp_path, mixed))
    assert same(data, plain)
    assert data.notes == ("Rows were sorted by subject, block and trial.",)


def test_a_tenth_session_follows_the_ninth():
    rows = [("a", f"ses-{n}", 1, n % 2, 1) for n in (10, 9, 1)]
    frame = pandas.DataFrame(rows, columns=["subject", "session", "trial", "choice", "outcome"])
    data = aw.load_choices(frame)
    assert data.frame["session"].tolist() == ["ses-1", "ses-9", "ses-10"]
    assert data.sequences.begins.tolist() == [0, 1, 2]


def test_beliefs_begin_anew_with_a_block_unless_they_carry_over():
    rows = [("a", s, b, t, t % 2, 1) for s in (1, 2) for b in (1, 2) for t in (1, 2)]
    columns = ["subject", "session", "block", "trial", "choice", "outcome"]
    frame = pandas.DataFrame(rows, columns=columns)
    assert aw.load_choices(frame).sequences.begins.tolist() == [0, 2, 4, 6]
    carried = aw.load_choices(frame, carry=True)
    assert carried.sequences.begins.tolist() == [0, 4]
    assert carried.only(["a"]).sequences.begins.tolist() == [0, 4]


def test_arms_may_be_words_or_numbers_from_1(tmp_path):
    words = GOOD.replace(",0,", ",left,").replace(",1,", ",middle,").replace("2,1,2", "2,1,right")
    words = "subject,trial,choice,outcome\na,1,left,1\na,2,right,0\nb,1,middle,1\n"
    data = aw.load_choices(file_of(tmp_path, words))
    assert data.arms == ("left", "middle", "right")
    assert data.notes == ("Arms are left, middle, right, in this order.",)
    ones = "subject,trial,choice,outcome\na,1,1,1\na,2,3,0\nb,1,2,1\n"
    data = aw.load_choices(file_of(tmp_path, ones))
    assert data.notes == ("Arms are counted from 1 (1 to 3).",)
    assert data.sequences.choices.tolist() == [0, 2, 1]
    assert data.arms == ("1", "2", "3")


def test_arms_that_nobody_chose_are_named_or_counted(tmp_path):
    path = file_of(tmp_path, GOOD)
    assert aw.load_choices(path, arms=5).arms == ("0", "1", "2", "3", "4")
    named = aw.load_choices(path, arms=[2, 1, 0, 9])
    assert named.sequences.choices.tolist() == [2, 1, 0, 2]
    again = aw.load_choices(named.frame)
    assert again.arms == named.arms
    assert same(again, named)


def test_missed_trials_forced_choices_and_ignored_ones_are_counted(tmp_path):
    text = """subject,trial,choice,outcome,forced
1,1,0,1,1
1,2,,,0
1,3,1,0,
1,4,look,,0
1,5,NA,NA,0
"""
    data = aw.load_choices(file_of(tmp_path, text), ignore=["look"])
    assert data.sequences.choices.tolist() == [0, -1, 1, -1, -1]
    assert data.sequences.scored.tolist() == [False, False, True, False, False]
    assert "1 choice is of look passed over." in data.notes
    assert "2 missed trials are passed over." in data.notes
    assert "1 forced choice is learned from, and not scored." in data.notes
    assert same(aw.load_choices(data.frame), data)


def test_columns_go_by_other_names_and_further_ones_stay(tmp_path):
    text = GOOD.replace("subject,trial,choice", "id,n,key").replace("outcome", "won,age")
    text = "id,n,key,won,group,age\nx,1,0,1,a,20.5\nx,2,1,0,a,20.5\n"
    names = {"subject": "id", "trial": "n", "choice": "key", "outcome": "won"}
    data = aw.load_choices(file_of(tmp_path, text), **names)
    assert data.frame.columns.tolist()[:5] == ["subject", "block", "trial", "choice", "outcome"]
    assert data.of_person("age").tolist() == [20.5]
    assert data.of_person("group").tolist() == ["a"]


def test_a_column_that_varies_within_a_person_has_no_value_per_person(tmp_path):
    data = aw.load_choices(file_of(tmp_path, GOOD))
    with pytest.raises(aw.InputError, match="subject 1 has 0 and 1"):
        data.of_person("choice")
    with pytest.raises(aw.InputError, match=r"no column 'chocie' in played.csv; did you mean"):
        data.of_person("chocie")


def test_rows_are_chosen_by_a_condition(tmp_path):
    text = GOOD.replace("outcome\n", "outcome,group\n").replace("1\n", "1,a\n")
    text = "subject,trial,choice,outcome,group\n1,1,0,1,a\n1,2,1,1,a\n2,1,0,0,b\n"
    data = aw.load_choices(file_of(tmp_path, text), where={"group": "a"})
    assert data.subjects == ("1",)
    assert data.notes == ("2 of 3 rows have group 'a'.",)


def test_a_list_of_pairs_is_read():
    data = aw.load_choices([([0, 1, -1], [1, 0, 0]), (np.array([2, 0]), np.array([1, 1]))])
    assert data.subjects == ("1", "2")
    assert data.sequences.choices.tolist() == [0, 1, -1, 2, 0]
    assert data.source == "the list"


def test_a_folder_in_bids_is_read(tmp_path):
    text = "onset\tduration\ttrial\tresponse\treward\n0.1\t1\t1\tleft\t1\n2\t1\t2\t{}\tn/a\n"
    for name, second in (("sub-02_ses-1_task-x_run-1", "n/a"), ("sub-01_ses-1_task-x", "n/a")):
        folder = tmp_path / name.partition("_")[0] / "func"
        folder.mkdir(parents=True)
        (folder / f"{name}_events.tsv").write_text(text.format(second))
    with pytest.raises(aw.InputError, match="there is no block"):
        aw.load_choices(tmp_path, arms=["left", "right"])
    old = tmp_path / "sub-01" / "func" / "sub-01_ses-1_task-x_events.tsv"
    old.rename(old.with_name("sub-01_ses-1_task-x_run-2_events.tsv"))
    data = aw.load_choices(tmp_path, arms=["left", "right"])
    assert data.subjects == ("01", "02")
    assert data.frame["block"].tolist() == [2, 2, 1, 1]
    assert data.sequences.choices.tolist() == [0, -1, 0, -1]


def test_a_file_of_a_folder_without_choices_is_named_and_nobody_dropped(tmp_path):
    for number, header in (("01", "response\treward"), ("02", "key\treward")):
        file = tmp_path / f"sub-{number}_events.tsv"
        file.write_text(f"onset\t{header}\n1\tleft\t1\n2\tright\t0\n")
    sentence = "sub-02_events.tsv has no column 'choice', which other files of"
    with pytest.raises(aw.InputError, match=sentence):
        aw.load_choices(tmp_path)


def test_people_without_a_choice_are_left_out_and_named(tmp_path):
    data = aw.load_choices(file_of(tmp_path, GOOD + "7,1,,\n7,2,,\n"))
    assert data.subjects == ("1", "2")
    assert "Subject 7 has no choice of their own, and is left out." in data.notes


def test_subsets_of_arms_and_outcomes_that_were_shown_become_arrays(tmp_path):
    text = """subject,trial,choice,outcome,available,outcome_0,outcome_1
1,1,0,1,0|2,,
1,2,1,0,1 | 0,1,0
1,3,,,,,
1,4,2,1,,0,
"""
    data = aw.load_choices(file_of(tmp_path, text))
    assert data.arms == ("0", "1", "2")
    offered = [[1, 0, 1], [1, 1, 0], [1, 1, 1], [1, 1, 1]]
    assert data.sequences.available.astype(int).tolist() == offered
    shown = [[-1, -1, -1], [1, 0, -1], [-1, -1, -1], [0, -1, -1]]
    assert data.sequences.shown.tolist() == shown
    assert same(aw.load_choices(data.frame), data)
    assert same(data.only(["1"]), data)


def test_if_all_arms_are_on_offer_nothing_is_said_about_it(tmp_path):
    text = "subject,choice,outcome,available\n1,0,1,0|1\n1,1,1,\n"
    assert aw.load_choices(file_of(tmp_path, text)).sequences.available is None


# Bad input: the text of a file, what is asked beside it, the sentence.
HEADER = "subject,block,trial,choice,outcome"
BAD = [
    ("1,1,1,0,1\n1,1,2,1,2", {}, "row 3 (subject 1, trial 2): an outcome must be 0 or 1, not 2."),
    ("1,1,1,0,x\n1,1,2,1,1", {}, "row 2 (subject 1, trial 1): an outcome must be 0 or 1, not x."),
    (
        "1,1,1,left,1\n1,1,2,lefft,1",
        {"arms": ["left", "right"]},
        "row 3 (subject 1, trial 2): There is no arm 'lefft'; did you mean 'left'? "
        "Known: left, right.",
    ),
    ("1,1,1,0,1\n1,1,2,3,1", {"arms": 3}, "row 3 (subject 1, trial 2): There is no arm '3'"),
    (
        "1,1,1,left,1\n1,1,2,Left,1",
        {},
        "row 3 (subject 1, trial 2): 'Left' and 'left' look like one arm: write them alike, or "
        "name all arms (arms=['Left', 'left']).",
    ),
    (
        "1,1,1,0,1\n1,1,2,-1,1",
        {},
        "row 3 (subject 1, trial 2): arms are counted from 0 or 1, and a choice is -1: "
        "ignore=[-1] passes over such trials.",
    ),
    (
        "1,1,1,0,1\n1,1,2,1,1\n2,1,1,2,1\n2,1,2,7,0\n2,1,3,7,0",
        {},
        "row 5 (subject 2, trial 2): there is arm 7, and no arm 6 (choices name 0, 1, 2, 7): "
        "correct it, or say how many arms there are (arms=8), or name them all",
    ),
    ("1,1,1,3,1\n1,1,2,2,1", {}, "row 3 (subject 1, trial 2): there is arm 2, and no arm 1"),
    ("1,1,1,1,1\n1,1,2,1,1", {}, "Choices name one arm alone, 1: say how many arms there are"),
    ("1,1,1,1,1\n1,1,2,2,1", {"arms": 3}, "arms=range(3) or arms=range(1, 4)"),
    ("1,1,1,left,1", {}, "Choices name 1 of at least two arms, left: name all of them"),
    (
        "1,1,1,0,1\n1,1,2,,1\n1,1,3,1,1",
        {},
        "row 3 (subject 1, trial 2): there is an outcome without a choice",
    ),
    ("1,1,1,0,1\n1,1,2,1,", {}, "row 3 (subject 1, trial 2): a choice needs an outcome"),
    (
        "1,1,1,0,1\n2,1,1,1,1\n1,1,1,1,1",
        {},
        "row 4 (subject 1, trial 1): this trial is in row 2 already; a trial is one row.",
    ),
    ("1,1,1,0,1\n,1,2,1,1", {}, "row 3: there is no subject."),
    ("1,1,1,0,1\n1,1,two,1,1", {}, "row 3 (subject 1, trial two): a trial must be a number"),
    ("1,1,1,,\n1,1,2,,", {}, "There is no choice at all."),
    ("", {}, "has no rows."),
    ("1,1,1,0,1", {"where": {"block": 2}}, "has no rows like that."),
    ("1,1,1,0,1", {"where": {"blok": 2}}, "There is no column 'blok' in played.csv; did you mean"),
    (
        "1,1,1,0,1",
        {"subject": "id"},
        "There is no column 'id' in played.csv. Known: block, choice, outcome, subject, trial. Say "
        "which it is with subject=.",
    ),
    ("1,1,1,0,1", {"missed": "drift"}, "missed must be 'skip', not 'drift'"),
    ("1,1,1,0,1\n1,1,2,1,1,7,7", {}, "row 3 has 7 values, and there are 5 columns."),
    ("1,1,1,0,1\n1,1,2,1,1", {"arms": ["0"]}, "arms must be two or more different labels, not 0."),
    ("1,1,1,0,1\n1,1,2,1,1", {"subject": "trial"}, "each of the columns that are named"),
]
OFFERS = [
    (
        "available",
        "0|1\n0|1\n0",
        "row 4 (subject 1, trial 3): the arm that was chosen is not among",
    ),
    (
        "available",
        "0|1\n0|1|5\n0|1",
        "row 3 (subject 1, trial 2): there is arm 5, and no arm 4 (choices name 0, 1, 5)",
    ),
    (
        "outcome_0",
        "1\n2\n",
        "row 3 (subject 1, trial 2): outcome_0 must be 0 or 1, or empty, not 2.",
    ),
    ("outcome_0", "0\n1\n", "row 2 (subject 1, trial 1): outcome and outcome_0 of the chosen arm"),
]


@pytest.mark.parametrize(("rows", "asked", "sentence"), BAD, ids=range(len(BAD)))
def test_bad_input_is_one_sentence_that_says_where(tmp_path, rows, asked, sentence):
    with pytest.raises(aw.InputError) as caught:
        aw.load_choices(file_of(tmp_path, f"{HEADER}\n{rows}\n"), **asked)
    said = str(caught.value)
    assert sentence in said
    assert "played.csv" in said or "missed" in said or "arms must be" in said
    assert "\n" not in said


@pytest.mark.parametrize(("column", "values", "sentence"), OFFERS, ids=range(len(OFFERS)))
def test_bad_offers_are_one_sentence_that_says_where(tmp_path, column, values, sentence):
    rows = ["1,1,0,1", "1,2,1,0", "1,3,1,1"]
    lines = [f"{row},{value}" for row, value in zip(rows, values.split("\n"), strict=True)]
    text = "\n".join([f"subject,trial,choice,outcome,{column}", *lines])
    with pytest.raises(aw.InputError) as caught:
        aw.load_choices(file_of(tmp_path, text))
    assert sentence in str(caught.value)


def test_a_row_of_a_long_file_is_named_as_a_spreadsheet_counts_it(tmp_path):
    rows = [f"12,{trial},{trial % 3},1" for trial in range(1, 1300)]
    rows[1202] = rows[1202][:-1] + "2"
    text = "subject,trial,choice,outcome\n" + "\n".join(rows)
    with pytest.raises(aw.InputError, match=r"played.csv, row 1,204 \(subject 12, trial 1203\)"):
        aw.load_choices(file_of(tmp_path, text))


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("nowhere.csv", "There is no file 'nowhere.csv'."),
        (7, "Choices are read from a file"),
        ([], "The list has no people."),
        ([([0, 1], [1])], "Person 1 has 2 choices and 1 outcomes"),
        ([([0, 1],)], "Person 1 must be a pair of lists"),
        ([([0, 2, 1], [1, 0, 3])], r"the list, person 1, row 3 \(subject 1, trial 3\)"),
    ],
)
def test_sources_that_are_none_are_refused(source, sentence):
    with pytest.raises(aw.InputError, match=sentence):
        aw.load_choices(source)


def test_files_that_hold_no_table_are_refused(tmp_path):
    with pytest.raises(aw.InputError, match="is empty"):
        aw.load_choices(file_of(tmp_path, ""))
    with pytest.raises(aw.InputError, match="two columns 'choice'"):
        aw.load_choices(file_of(tmp_path, "subject,choice,choice,outcome\n1,0,1,1\n"))
    (tmp_path / "latin.csv").write_bytes("subject,choice,outcome\nJosé,0,1\n".encode("latin-1"))
    with pytest.raises(aw.InputError, match=r"latin.csv is not text in UTF-8"):
        aw.load_choices(tmp_path / "latin.csv")
    with pytest.raises(aw.InputError, match="no folder in BIDS"):
        aw.load_choices(tmp_path)


def test_the_examples_are_what_their_pages_say():
    data = aw.example("reversal")
    assert len(data) == 406
    assert len(data.sequences.choices) == 36_540
    attentive = data.of_person("attentive")
    counts = [int(np.sum(attentive == 1)), int(np.sum(attentive == 0))]
    assert counts == [301, 85]
    frame = data.frame
    paid = frame.groupby(frame["choice"].astype(int) == frame["best"])["outcome"].mean()
    # Five standard errors, with 36,540 choices, at least 8,000 of either kind.
    assert paid[True] == pytest.approx(0.8, abs=5 * np.sqrt(0.16 / 8_000))
    assert paid[False] == pytest.approx(0.2, abs=5 * np.sqrt(0.16 / 8_000))
    other = aw.example("temporal-reversal")
    assert len(other) == 74
    assert int((other.frame["ignored"] == "explore").sum()) == 3_408
    with pytest.raises(aw.InputError, match="did you mean 'reversal'"):
        aw.example("revesal")


people = st.lists(
    st.lists(
        st.tuples(st.integers(-1, 2), st.integers(0, 1), st.booleans()), min_size=1, max_size=6
    ),
    min_size=1,
    max_size=4,
)


@settings(deadline=None, max_examples=60)
@given(people, st.randoms())
def test_whatever_the_order_of_rows_the_same_people_are_read(drawn, random):
    rows = [
        (f"p{person}", trial, *((arm, won) if arm >= 0 else (None, None)), int(forced))
        for person, trials in enumerate(drawn)
        for trial, (arm, won, forced) in enumerate(trials)
    ]
    columns = ["subject", "trial", "choice", "outcome", "forced"]
    frame = pandas.DataFrame(rows, columns=columns)
    free = (frame["choice"].notna()) & (frame["forced"] == 0)
    if not free.any():
        return
    data = aw.load_choices(frame, arms=range(3))
    mixed = list(range(len(rows)))
    random.shuffle(mixed)
    assert same(aw.load_choices(frame.iloc[mixed], arms=range(3)), data)
    assert same(aw.load_choices(data.frame), data)
    assert data.sequences.scored.sum() == free.sum()
    kept = [number for number in range(len(drawn)) if free[frame["subject"] == f"p{number}"].any()]
    assert data.subjects == tuple(f"p{number}" for number in kept)
    expected = [arm for number in kept for arm, _, _ in drawn[number]]
    assert data.sequences.choices.tolist() == expected
    parts = [data.only([label]).sequences.choices for label in data.subjects]
    assert np.concatenate(parts).tolist() == expected
