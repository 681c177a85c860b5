"""What a page and the lab say to each other. This is all of it.

**Addresses** (GET; all others are the files of `static/`, `/` is `index.html`)

- `/api/catalogue`: `{"catalogue": aw.catalogue(), "teaching": {"bandit", "agent", "horizon",
  "seed", "number"}, "limits": {"arms", "trace", "work", "agents", "message"}, "rooms": {"task",
  "watch", "results", "data"}, "version", "citation"}`. `rooms` says what the command line named.
  In the catalogue a parameter has `name, kind, default, low, high, open_low, open_high, range,
  meaning, typical, slider`; `slider` is `[low, high]` or null (then show a field of text).
- `/api/played/<run>.csv`: the choices of a run that has ended, which `armwise fit` reads.

**The wire** is one websocket, `/talk`. A page sends JSON of at most 16 KiB with `do` and `id`.
Answers have the same `id` and a `kind`. A problem is `{"id", "kind": "problem", "problem":
"armwise's sentence"}`; what was shown before stays valid. A message that is no JSON object or too
long closes the socket (1003, 1009).

An answer with arrays is binary: uint32 (little endian) length of the header, the header (JSON,
padded with spaces so that the arrays begin at a multiple of four), float32 arrays end to end.
`header["arrays"]` is a list of `[name, shape]` in this order. Seven digits: never send these
numbers back.

A *bandit* is `{"name", parameter: number, ...}`; the name of a problem (`problem-1`) has none. An
*agent* is `{"policy": {"name", ...}, "learner": {"name", ...}, "choice": {"name", ...}}`; with an
actor's name under `policy`, learner and choice are passed over. Learner and choice may be left out
(SMiLe, argmax). Parameters that are left out have their defaults: nothing is linked here, so a
page that links rho of learner and bandit sends both. Vectors are lists.

`do: "trace"` with `bandit, agent, horizon, seed, number`, and `slot` (any text, "a" unless given).
Of the questions that wait in a slot the latest counts; the others are not answered. So Compare is
two slots with the same bandit, seed and number. Answer, binary, `kind: "trace"`:

- header: `slot, arms, horizon, agent, bandit` (as on the command line), `label, terms` (names, in
  order), `assumed` (`{"agent": its rho or null, "bandit": its rho or null}`),
  `engine` ("compiled" or "interpreted": then kernels are being compiled meanwhile, and `{"kind":
  "ready", "slot"}` follows; nothing needs to be asked again, the numbers are equal), `ms`.
- arrays: `theta[trial, arm]`; `chosen, outcome, gamma, regret[trial]`, and for agents with beliefs
  `alpha, beta, score[trial, arm]`, `probability[trial, arm]` if choices have any, and every term by
  its name. All but regret and outcome are as before the choice; regret is cumulative.

`do: "words"` with `bandit, agents` (one or two), `horizon, seed, number, copies`. Answer `kind:
"words"`: `command, python, citation`, each a text to copy.

`do: "file"` with the same fields as "trace": the trace as netCDF, in double precision; with `of:
"copies"`, what is known of the many copies that this page asked for last. Answer, binary, `kind:
"file"`: header `bytes`; the bytes of the file follow the header, and there are no arrays.

`do: "copies"` with `bandit, agents` (a list of `{"label", "policy", ...}`, at most 6), `horizon,
seed, copies`. If kernels must be compiled first, `{"kind": "compiling"}` says so. Answers, binary,
`kind: "copies"`, one whenever there is something to see (at most ten a second), the last with
`over: true`:

- header: `labels, done, copies, over, seconds`; `last`: for every agent `{"label", "mean", "low",
  "high"}` of the regret after the last trial; `pairs`: for every agent but the first `{"first",
  "second", "difference", "low", "high", "p"}`, its regret minus that of the first, copy by copy
  (the same numbers as `armwise.regret.paired`).
- arrays: `trial[mark]`; `mean, low, high[agent, mark]` (Student, 95 %), and `difference,
  difference_low, difference_high[agent - 1, mark]`.

`do: "stop"` ends it, within a tenth of a second, with `{"id", "kind": "stopped", "done"}`; the id
is that of "copies". A new "copies" stops the one before; closing the page stops it, too.

**Play and tasks.** The server decides outcomes, with the bandit's own draws for the seed and the
number; nothing that it sends before the end depends on theta otherwise.

- `do: "play"` with `bandit, horizon`, `seed` (null: the server draws one, and tells it at the end),
  `number`. Answer: a *place*.
- `do: "task"`: the task of the command line: `kind: "task"`, `title, consent, instructions, thanks`
  (consent and thanks are rich text, instructions a list of it), `keys` (a list per block of one
  text per arm), `labels` (likewise), `blocks` (a list of `{"name", "trials", "arms", "practice"}`),
  `feedback_ms, timeout_ms, pause_ms`. Rich text is a list of nodes; a node is a string, or
  `[tag, attributes, ...nodes]` as in `["a", {"href": "https://..."}, "text"]`. Only p, h1 to h4,
  ul, ol, li, strong, em, code, pre, blockquote, br, hr and a occur.
- `do: "begin"` with `consent: true`: a new participant. With `run`: the run goes on where it was
  (resume after a reload; keep `run` in sessionStorage). Answer: a *place*.
- A *place* is `kind: "place"`: `run, block, trial` (both from 1), `blocks, trials, arms, practice,
  points` (in this block), `labels, keys, feedback_ms, timeout_ms, over`.
- `do: "choose"` with `run, block, trial, arm, rt_ms`; `arm` is -1 if the time was over. Answer
  `kind: "outcome"`: `arm, outcome` (0, 1, or -1 after a timeout) and `place`, the next one. A
  choice for another trial than the one at hand is a problem and changes nothing; the same choice
  sent twice is answered twice.
- `do: "end"` with `run` ends a run of Play early. When a run is over, its place says so.
- `do: "finish"` with `run`, of a task: `kind: "finished"`: `code` (completion code), `thanks`.
- `do: "reveal"` with `run`, of Play, once it is over, and `agents` (a list with labels; by default
  six usual ones). Answer, binary, `kind: "reveal"`: header `run, seed, number, horizon, arms,
  rows`; a row is `{"label", "agent", "in_short", "regret", "log_likelihood", "per_trial",
  "difference", "precision", "why"}`, the first that of the person; `in_short` is the agent without
  its defaults; `difference` is to the best log-likelihood, in nats; where choices of an agent have
  no probability these are null and `why` is a sentence. An agent with argmax is compared with
  softmax choices whose precision fits best (`precision` says which).
  Arrays: `theta[trial, arm]`, `chosen, outcome, regret[trial]`, `surprise[row, trial]` (nats; NaN
  where there is none; the person's row is that of random choice).

- `do: "fits"` with `run`, of Play, once it is over: agents are fitted to the choices, one after the
  other. Answers, `kind: "fits"`, one before each fit and one at the end (`over: true`): `coming`
  (what is fitted next, or null) and `rows`, the best first: `{"label", "agent", "evidence",
  "per_trial", "difference", "trials", "values", "notes"}`. `evidence` is the log-probability of the
  choices averaged over the values that people typically have, in nats; `values` is a list of
  `{"name", "value", "low", "high"}` with intervals of 94 %.

**Watch.** `do: "watch"`: the file of the command line, now and whenever it changes: `kind:
"watch"`, `file, agent, events, choices, outcomes, forgotten, arms` (a list of `{"arm", "there",
"chosen", "outcomes", "mean", "believed", "belief": [alpha, beta] or null, "low", "high"}`, with the
mean and the central 95 % of the belief), `facts` (what else the agent believes, by name), `open`
(numbers of tickets), `last` (events, newest last), `audit` (`{"events", "choices", "problems"}` or
null while it is computed), `why` (a sentence, if beliefs are unknown; then there are no arrays),
`first` (the ticket of the first choice of the arrays), `suspicion_name`, `alarms` (whether the
agent raises any), `suspected` (the tickets at which the agent began to suspect a change, or which
came next after an alarm). Arrays, over the last 500 choices: `chosen, outcome` (-1: it waits),
`suspicion` (the probability of a recent change; NaN if the agent has none), and for agents with
beliefs `mean[choice, arm]`, as before the choice. `do: "unwatch"` ends it.

**Results.** `do: "results"`: the store of the command line, now and whenever it changes: `kind:
"results"`, `store, sweeps` (as `armwise status --json`), `table`: rows `{"sweep", "label",
"agent", "bandit", "trial", "agents", "mean", "low", "high", "explore"}`; `label` is a short name
that no other agent has in this bandit; `explore` is a trace message to ask (without `do` and `id`),
or null if the agent is not made of armwise's own components. `do: "unwatch"` ends it.

`do: "curves"` with `sweep, bandit` (as in a row) and `trial` (the last): a figure of the store.
Answer, binary, `kind: "curves"`: `labels` (the six best agents, the best first), `left` (how many
are not shown); arrays `trial[mark]`, `mean, low, high[agent, mark]` of the regret.
"""
