/* Approximate active inference in C: plain loops, doubles, one pthread per share of the agents.

   Arguments: arms agents horizon rho lam epsilon p seed threads
   Prints: seconds, mean final regret, its standard error. */

#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int arms, agents, horizon, threads;
static double rho, lam, epsilon, p;
static uint64_t seed;
static double *regrets;

/* xoshiro256++ of Blackman and Vigna, seeded by splitmix64 */
typedef struct { uint64_t s[4]; } Random;

static inline uint64_t rotated(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

static inline uint64_t next(Random *random)
{
    uint64_t *s = random->s;
    uint64_t result = rotated(s[0] + s[3], 23) + s[0], t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotated(s[3], 45);
    return result;
}

static void begin(Random *random, uint64_t x)
{
    for (int i = 0; i < 4; i++) {
        uint64_t z = (x += 0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        random->s[i] = z ^ (z >> 31);
    }
}

static inline double uniform(Random *random) { return (next(random) >> 11) * 0x1p-53; }

static inline int integer(Random *random, int below)
{
    return (int)(((next(random) >> 32) * (uint64_t)below) >> 32);
}

static inline double scored(double alpha, double beta)
{
    return (2.0 * lam * alpha + 0.5) / (alpha + beta);
}

/* The arm with the best score; ties (to a relative 1e-12) are broken uniformly. */
static int pick(Random *random, const double *score)
{
    double best = score[0];
    for (int k = 1; k < arms; k++)
        best = score[k] > best ? score[k] : best;
    double threshold = best - 1e-12 * fabs(best);
    int ties = 0, first = 0;
    for (int k = arms - 1; k >= 0; k--)
        if (score[k] >= threshold) {
            ties++;
            first = k;
        }
    if (ties == 1)
        return first;
    int rank = integer(random, ties);
    for (int k = first; k < arms; k++)
        if (score[k] >= threshold && rank-- == 0)
            return k;
    return first;
}

/* SMiLe. Without a change only the chosen arm learns, and only its score is another. */
static void learn(double *alpha, double *beta, double *score, int arm, int outcome)
{
    if (rho > 0.0) {
        double q0 = (outcome ? alpha[arm] : beta[arm]) / (alpha[arm] + beta[arm]);
        double gamma = rho * 0.5 / (rho * 0.5 + (1.0 - rho) * q0);
        for (int k = 0; k < arms; k++) {
            alpha[k] += gamma * (1.0 - alpha[k]);
            beta[k] += gamma * (1.0 - beta[k]);
            score[k] = scored(alpha[k], beta[k]);
        }
    }
    alpha[arm] += outcome;
    beta[arm] += 1 - outcome;
    score[arm] = scored(alpha[arm], beta[arm]);
}

static double play(int agent, double *alpha, double *beta, double *score)
{
    Random random;
    begin(&random, seed * 0x2545f4914f6cdd1d + (uint64_t)agent * 0xd1342543de82ef95);
    int best = integer(&random, arms);
    double regret = 0.0;
    for (int k = 0; k < arms; k++) {
        alpha[k] = beta[k] = 1.0;
        score[k] = scored(1.0, 1.0);
    }
    for (int trial = 1; trial <= horizon; trial++) {
        if (rho > 0.0 && uniform(&random) < rho) {
            int other = integer(&random, arms - 1);
            best = other + (other >= best);
        }
        int arm = pick(&random, score);
        double theta = arm == best ? p + epsilon : p;
        learn(alpha, beta, score, arm, uniform(&random) < theta);
        regret += p + epsilon - theta;
    }
    return regret;
}

static void *share(void *which)
{
    double *room = malloc(3 * (size_t)arms * sizeof *room);
    int thread = *(int *)which;
    int from = (int)((int64_t)agents * thread / threads);
    int to = (int)((int64_t)agents * (thread + 1) / threads);
    for (int agent = from; agent < to; agent++)
        regrets[agent] = play(agent, room, room + arms, room + 2 * arms);
    free(room);
    return NULL;
}

int main(int count, char **given)
{
    if (count != 10) {
        fprintf(stderr, "c_program: arms agents horizon rho lam epsilon p seed threads\n");
        return 2;
    }
    arms = atoi(given[1]), agents = atoi(given[2]), horizon = atoi(given[3]);
    rho = atof(given[4]), lam = atof(given[5]), epsilon = atof(given[6]), p = atof(given[7]);
    seed = strtoull(given[8], NULL, 10), threads = atoi(given[9]);
    regrets = malloc((size_t)agents * sizeof *regrets);
    pthread_t *handles = malloc((size_t)threads * sizeof *handles);
    int *numbers = malloc((size_t)threads * sizeof *numbers);

    struct timespec started, ended;
    clock_gettime(CLOCK_MONOTONIC, &started);
    for (int i = 0; i < threads; i++) {
        numbers[i] = i;
        pthread_create(&handles[i], NULL, share, &numbers[i]);
    }
    for (int i = 0; i < threads; i++)
        pthread_join(handles[i], NULL);
    clock_gettime(CLOCK_MONOTONIC, &ended);

    double mean = 0.0, square = 0.0;
    for (int i = 0; i < agents; i++)
        mean += regrets[i] / agents;
    for (int i = 0; i < agents; i++)
        square += (regrets[i] - mean) * (regrets[i] - mean);
    double seconds = (double)(ended.tv_sec - started.tv_sec)
                   + 1e-9 * (double)(ended.tv_nsec - started.tv_nsec);
    printf("%.9g %.9g %.9g\n", seconds, mean, sqrt(square / (agents - 1.0) / agents));
    return 0;
}
