// The lessons. `settings` is the state that a lesson opens; the slider writes to `path` of it;
// `solved` looks at the settings and the traces drawn, `hint` says what is seen so far.

import { short } from "./format.js";

const smile = (rho) => ({ name: "smile", rho });
const agent = (policy, rho = 0) => ({ policy, learner: smile(rho), choice: { name: "argmax" } });
const quiet = { name: "stationary", arms: 5, epsilon: 0.2, p: 0.5 };
const lively = { name: "switching", arms: 5, epsilon: 0.45, rho: 0.015, p: 0.3 };

const regret = (trace) => trace.regret.at(-1);
const regrets = (words) => (values, ...traces) => `${words} Regret now: ${traces.map((t) => short(regret(t), 1)).join(" and ")}.`;
const inTime = { path: "trial", low: 1, high: 500, step: 1, words: "trial " };

/** In how many trials after the first change the new best arm is chosen; infinite if never. */
function delay({ changes, chosen, best, T }) {
  for (let t = changes[0] - 1; t < T; t++) if (chosen[t] === best[changes[0] - 1]) return t + 1 - changes[0];
  return Infinity;
}

/** Whether the belief about the best arm is narrow and stands on the truth. */
function settled({ trial }, { K, best, alpha, beta, mean, theta, T }) {
  const t = Math.min(trial, T) - 1, i = t * K + best[t];
  return alpha[i] + beta[i] >= 60 && Math.abs(mean[i] - theta[i]) < 0.05;
}

const promisedLess = ({ trial }, { K, T, extrinsic, chosen }) => {
  const t = Math.min(trial, T) - 1, own = extrinsic.subarray(t * K, (t + 1) * K);
  return own[chosen[t]] < Math.max(...own);
};

export const LESSONS = [
  {
    id: "belief", title: "What a belief is", room: "explore",
    about: "A hill that becomes narrow.",
    settings: { bandit: { name: "stationary", arms: 3, epsilon: 0.3, p: 0.4 }, agent: agent({ name: "g-ai", lam: 0.25 }), horizon: 500, seed: 1, number: 0, trial: 1 },
    words: [
      "The agent does not know what an arm pays. Its belief is a whole distribution, drawn as a hill over 0 to 1; the thick mark is the truth, which the agent never sees.",
      "Every outcome moves the hill of the chosen arm and makes it narrower. Arms that are not chosen stay wide: nothing is learned about them.",
    ],
    question: "From when on does the belief about the best arm stand on the truth, within 0.05, on 60 outcomes or more?",
    slider: inTime,
    solved: settled,
    hint: ({ trial }, { K, best, alpha, beta, mean, T }) => {
      const t = Math.min(trial, T) - 1, i = t * K + best[t];
      return `In trial ${t + 1} the hill of arm ${best[t]}, the best one, has its mean at ${short(mean[i], 2)} and the weight of ${short(alpha[i] + beta[i], 0)} outcomes.`;
    },
    answer: "A belief is as narrow as the agent has outcomes. The hills of the other arms stay wide, and perhaps wrong: that costs nothing, as long as they are clearly worse.",
  },
  {
    id: "bonus", title: "The information bonus", room: "explore",
    about: "Why an arm is chosen that promises less.",
    settings: { bandit: quiet, agent: agent({ name: "a-ai", lam: 0.5 }), horizon: 500, seed: 1, number: 3, trial: 1 },
    words: [
      "Active inference gives every arm a score of two parts. The extrinsic value (blue) says how well the arm is expected to pay; the intrinsic value (yellow, hatched) says how much its outcome would teach.",
      "The bars begin at the arm that has least of a part, because what all arms share decides nothing. The arm with the longest bar is chosen.",
    ],
    question: "Find a trial in which the chosen arm promises less than another one, and is chosen for what it can teach.",
    slider: { ...inTime },
    solved: promisedLess,
    hint: ({ trial }) => `In trial ${trial} the chosen arm has the largest extrinsic value, or shares it.`,
    answer: "Here the hatched part decides. It is larger for arms with few outcomes, so each choice makes the next one of the same arm a little less worth its while.",
  },
  {
    id: "low", title: "Lambda too low", room: "explore",
    about: "An agent that only wants to know.",
    settings: { bandit: quiet, agent: agent({ name: "g-ai", lam: 0 }), horizon: 500, seed: 1, number: 0, trial: 400 },
    words: [
      "Lambda is how strongly the agent prefers outcomes that pay. At 0 it has no preference: only information counts, so it visits all arms equally often, for ever.",
      "Look at the raster: the ticks do not gather at the best arm, although the beliefs have long known it.",
    ],
    question: "Give the agent a preference: which lambda brings the regret after 500 trials below 30?",
    slider: { path: "agent.policy.lam", low: 0, high: 1, step: 0.01, words: "lambda " },
    solved: (values, trace) => values.agent.policy.lam > 0 && regret(trace) < 30,
    hint: regrets("It still spreads its choices."),
    answer: "With a preference the agent uses what it knows. The regret grows while it explores, and then nearly stands still.",
  },
  {
    id: "high", title: "Lambda too high", room: "explore",
    about: "An agent that is content too early.",
    settings: { bandit: quiet, agent: agent({ name: "g-ai", lam: 0.2 }), horizon: 500, seed: 1, number: 1, trial: 400 },
    words: [
      "The larger lambda is, the more the extrinsic value outweighs the intrinsic one. That looks wise as soon as a good arm is found.",
      "But which arm looks good depends on the luck of the first outcomes.",
    ],
    question: "Raise lambda until the agent settles on a wrong arm: a regret above 80, and never the best arm in the last 100 trials.",
    slider: { path: "agent.policy.lam", low: 0, high: 4, step: 0.1, words: "lambda " },
    solved: (values, trace) => regret(trace) > 80 && trace.chosen.slice(-100).every((arm, t) => arm !== trace.best[trace.T - 100 + t]),
    hint: regrets("It still finds the best arm, or loses little."),
    answer: "This agent is stuck. And the fate hangs by a thread: a slightly other lambda gives other choices and may find the best arm. One copy proves nothing; the rate of stuck agents does.",
  },
  {
    id: "stuck", title: "Why A-AI gets stuck", room: "explore",
    about: "One unlucky outcome, and never again.",
    settings: { bandit: quiet, agent: agent({ name: "a-ai", lam: 1 }), horizon: 500, seed: 1, number: 3, trial: 500 },
    words: [
      "A-AI's information bonus of an arm shrinks with the outcomes of that arm, and with nothing else. It does not grow while the arm is not chosen.",
      "So if the best arm fails when it is tried, its score falls below that of a middling arm, whose own score settles at a constant. Nothing ever raises the score of the best arm again: the agent is stuck, for ever.",
    ],
    question: "This copy tries the best arm (white line) exactly once. Move through time to that trial, and look at its bar then and one trial later.",
    slider: inTime,
    solved: ({ trial }, { chosen, best, T }) => chosen[Math.min(trial, T) - 1] === best[Math.min(trial, T) - 1],
    hint: ({ trial }, { chosen, best, T }) => `In trial ${trial} it chooses arm ${chosen[Math.min(trial, T) - 1]}; the best is arm ${best[Math.min(trial, T) - 1]}.`,
    answer: "It failed once, and its bar dropped below the others for good. Agents whose bonus grows with the trial (UCB, H-EFE, LP-AI) return to neglected arms now and then; they do not get stuck.",
  },
  {
    id: "change", title: "SMiLe and a change", room: "explore",
    about: "To forget is to be ready.",
    settings: { bandit: { name: "switching", arms: 4, epsilon: 0.6, rho: 0.01, p: 0.2 }, agent: agent({ name: "a-ai", lam: 0.5 }, 0), given: false, horizon: 500, seed: 1, number: 4, trial: 199 },
    words: [
      "In trial 199 another arm becomes the best (triangle). This agent takes changes to be impossible, rho = 0: it counts all outcomes for ever, and needs as many failures as it has had successes to give the old arm up.",
      "SMiLe lets its beliefs relax to the prior by gamma, the probability that the bandit has just changed. A larger rho makes every surprise more suspicious. No single gamma announces the change: watch the choices leave the old arm instead.",
    ],
    question: "Which rho must the agent assume to choose the new best arm within 40 trials of the first change?",
    slider: { path: "agent.learner.rho", low: 0, high: 0.05, step: 0.001, words: "rho that the agent assumes " },
    solved: (values, trace) => delay(trace) <= 40,
    hint: (values, trace) => (delay(trace) === Infinity ? "It never chooses the new best arm." : `It first chooses the new best arm ${delay(trace)} trials after the change.`),
    answer: "Forgetting costs a little all the time, because beliefs never become quite sure, and saves much at every change.",
  },
  {
    id: "varying", title: "Switching and varying bandits", room: "explore",
    about: "Not every change moves the best arm.",
    settings: { bandit: { name: "varying", arms: 3, rho: 0.02 }, agent: agent({ name: "g-ai", lam: 0.25 }, 0.02), horizon: 500, seed: 1, number: 0, trial: 1 },
    words: [
      "In a switching bandit a change moves the best arm, and nothing else: all other arms pay the same. In a varying bandit, as here, every arm is drawn again, and the gap between the best and the next is now wide, now tiny.",
      "So an agent that was made for switching expects too much of a change here.",
    ],
    question: "Find a change (triangle) that leaves the best arm the same: a change, but no switch. Move to the very trial of the change.",
    slider: inTime,
    solved: ({ trial }, { changes, best, T }) => trial <= T && changes.includes(trial) && best[trial - 1] === best[trial - 2],
    hint: ({ trial }, { changes, best }) => (changes.includes(trial) ? `Trial ${trial} is a change, and the best arm moved from ${best[trial - 2]} to ${best[trial - 1]}.` : `Trial ${trial} is no change. The key n goes to the next one.`),
    answer: "With three arms, every third change is of this kind. To give up the old arm here is a mistake, and the better agents lose nothing by asking twice.",
  },
  {
    id: "anecdote", title: "One run is an anecdote", room: "compare",
    about: "Luck, paired and unpaired.",
    settings: { bandit: lively, agent: agent({ name: "g-ai", lam: 0.5 }, 0.015), other: agent({ name: "o-ts" }, 0.015), horizon: 500, seed: 1, number: 0, trial: 1, copies: 1000, long: 500 },
    words: [
      "Two agents meet the very same bandit with the very same luck. In this copy G-AI (A) has less regret than optimistic Thompson sampling (B). Is it the better agent?",
      "Another copy has another bandit of the same kind, and other luck.",
    ],
    question: "Find a copy in which the other agent wins.",
    slider: { path: "number", low: 0, high: 20, step: 1, words: "copy " },
    solved: (values, one, two) => regret(two) < regret(one),
    hint: regrets("A still wins."),
    answer: "One run would have said the opposite. Now run the copies below: the paired interval says what is true on average, and how sure that is.",
  },
  {
    id: "horizon", title: "H-EFE against Thompson sampling", room: "compare",
    about: "An early price for a late gain.",
    settings: { bandit: quiet, agent: agent({ name: "h-efe", share: 0.5 }), other: agent({ name: "ts" }), horizon: 500, seed: 1, number: 2, trial: 1, copies: 1000, long: 2000 },
    words: [
      "H-EFE is active inference that looks ahead: what an arm can still teach grows with the number of trials, so no arm is given up for ever. Thompson sampling (B) draws from its beliefs instead.",
      "In this copy H-EFE has paid more for its exploration after 500 trials.",
    ],
    question: "How many trials must they play until H-EFE has less regret than Thompson sampling?",
    slider: { path: "horizon", low: 100, high: 3000, step: 100, words: "trials " },
    solved: (values, one, two) => regret(one) < regret(two),
    hint: regrets("Thompson sampling is still ahead."),
    answer: "Regret that stops growing wins in the end. Over many copies H-EFE has .66 to .97 of the regret of Thompson sampling on six stationary problems: run the copies below to see one of them.",
  },
  {
    id: "given", title: "Given and not given", room: "compare",
    about: "What an agent is given to know.",
    settings: { bandit: lively, agent: agent({ name: "a-ai", lam: 0.5 }, 0.015), other: { policy: { name: "a-ai", lam: 0.5 }, learner: { name: "smile-rho" }, choice: { name: "argmax" } }, given: false, horizon: 1000, seed: 1, number: 0, trial: 1, copies: 1000, long: 1000 },
    words: [
      "A is given the true rate of changes, rho = 0.015. B is not: it learns the rate from surprises. No wonder that A is a little better.",
      "Who compares two agents must say what each was given; in life, rho has to be guessed.",
    ],
    question: "How wrong may the guess of A be? Move the rho that A assumes until B, which is given nothing, has less regret.",
    slider: { path: "agent.learner.rho", low: 0, high: 0.2, step: 0.005, words: "rho that A assumes " },
    solved: (values, one, two) => regret(two) < regret(one),
    hint: regrets("A still wins, or they are equal."),
    answer: "A good guess beats learning; a bad one, too low or too high, does not. Both agents stand or fall with what they take for granted.",
  },
];
