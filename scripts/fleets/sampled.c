/* Weights by which to place fleets on 10x10, where there are too many fleets to play them all.
 *
 *     cc -O3 -march=native -o sampled sampled.c -lm
 *     ./sampled learn ROUNDS BOARDS SHARE TOUCHING    finds weights
 *     ./sampled shots even|informed WEIGHTS BOARDS    what they cost an opponent: mean shots, error
 *
 * As in placement.c, every line has a weight, a fleet's chance is in proportion to the product of
 * those of its lines, times TOUCHING for each pair of ships that touch, and lines that a turn or a
 * reflection carries into each other weigh the same. A file of weights has TOUCHING and 20 rows: for
 * each size, 2 to 5, the rows of the grid from the edge inwards, with the places in the row from its
 * end to its middle. The file "even" weighs all alike.
 *
 * An opponent shoots as captain does: at the likeliest cell, by a Markov chain of fleets. "even"
 * takes all fleets for equally likely, and "informed" knows the weights. The fleet is 5 4 3 3 2, and
 * nothing is told of sinkings.
 *
 * To learn, each round places BOARDS fleets and lets both opponents clear them, "even" counting for
 * SHARE and "informed" for the rest. The logarithm of a weight is the sum of one number for the row
 * and one for the place in the row. Each of them grows by how many shots more those fleets took that
 * have a ship there, so that the weights climb towards what costs the two the most.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 10, CELLS = SIDE * SIDE, SHIPS = 5, LONGEST = 5, LINES = 200, ROWS = SIDE / 2 };
enum { SETTLING = 60, STEPS = 300, MOST_WAYS = 4096 };

typedef unsigned __int128 cells;

static const int sizes[SHIPS] = {5, 4, 3, 3, 2};
static cells lines[LONGEST + 1][LINES];
static int count[LONGEST + 1], across[LONGEST + 1][LINES], along[LONGEST + 1][LINES];
static double weights[LONGEST + 1][ROWS][ROWS], touching = 1;

static uint64_t luck[2];

static double drawn(void) /* xorshift128+, from 0 to below 1 */
{
    uint64_t a = luck[0], b = luck[1];
    luck[0] = b;
    a ^= a << 23;
    luck[1] = a ^ b ^ (a >> 17) ^ (b >> 26);
    return (double)((luck[1] + b) >> 11) * 0x1p-53;
}

static int below(int limit)
{
    return (int)(drawn() * limit);
}

static cells bit(int cell)
{
    return (cells)1 << cell;
}

static int lowest(cells set)
{
    uint64_t low = (uint64_t)set;
    return low ? __builtin_ctzll(low) : 64 + __builtin_ctzll((uint64_t)(set >> 64));
}

/* The cells beside those of a line, and the line. */
static cells around(cells line)
{
    cells first_row = 0;
    for (int column = 0; column < SIDE; column++)
        first_row |= bit(SIDE * column);
    return line | line << SIDE | line >> SIDE | (line & ~(first_row << (SIDE - 1))) << 1 |
           (line & ~first_row) >> 1;
}

static void make_lines(void)
{
    for (int size = 2; size <= LONGEST; size++)
        for (int flat = 0; flat < 2; flat++)
            for (int row = 0; row < SIDE; row++)
                for (int end = 0; end + size <= SIDE; end++) {
                    int i = count[size]++, other_end = SIDE - size - end;
                    for (int k = 0; k < size; k++)
                        lines[size][i] |= bit(flat ? SIDE * (end + k) + row : SIDE * row + end + k);
                    across[size][i] = row < ROWS ? row : SIDE - 1 - row;
                    along[size][i] = end < other_end ? end : other_end;
                }
}

static double weight(int size, int line)
{
    return weights[size][across[size][line]][along[size][line]];
}

/* Draws one of these, with the chances at whose end the running sum stands. */
static int draw_by(const double *sums, int many)
{
    double at = drawn() * sums[many - 1];
    int i = 0;
    while (i < many - 1 && at >= sums[i])
        i++;
    return i;
}

static void place(int *fleet)
{
    for (;;) {
        cells taken = 0;
        int ship = 0;
        for (; ship < SHIPS; ship++) {
            int size = sizes[ship];
            double sums[LINES], sum = 0;
            for (int i = 0; i < count[size]; i++)
                sums[i] = sum += weight(size, i);
            fleet[ship] = draw_by(sums, count[size]);
            if (taken & lines[size][fleet[ship]])
                break;
            taken |= lines[size][fleet[ship]];
        }
        double chance = 1;
        for (int i = 0; i < ship; i++)
            for (int k = 0; k < i; k++)
                if (around(lines[sizes[i]][fleet[i]]) & lines[sizes[k]][fleet[k]])
                    chance *= touching;
        if (ship == SHIPS && drawn() < chance)
            return;
    }
}

/* A chain of fleets that fit the hits and misses; captain's strategy.py tells how it moves. */
typedef struct {
    cells line[LINES];
    double weight[LINES];
    int many;
} choice;

static choice choices[SHIPS];
static cells at[SHIPS], hit, missed;
static double chance[CELLS], touching_expected = 1;

/* The weight of a line for the ships of the chain that it touches, but for these two. */
static double beside_others(cells line, int one, int two)
{
    double weight = 1;
    cells near = around(line);
    for (int i = 0; touching_expected < 1 && i < SHIPS; i++)
        if (i != one && i != two && near & at[i])
            weight *= touching_expected;
    return weight;
}

/* A first fleet: ships for the hits first, the hit with the fewest lines before the others. */
static int fill(int placed, cells taken)
{
    cells open = hit & ~taken, among = ~(cells)0;
    int fewest = 0;
    for (cells left = open; left; left &= left - 1) {
        int ways = 0;
        for (int ship = 0; ship < SHIPS; ship++)
            for (int i = 0; !(placed >> ship & 1) && i < choices[ship].many; i++)
                ways += choices[ship].line[i] & (left & -left) && !(choices[ship].line[i] & taken);
        if (left == open || ways < fewest) {
            fewest = ways;
            among = left & -left;
        }
    }
    int first = below(SHIPS);
    for (int k = 0; k < SHIPS; k++) {
        int ship = open ? (first + k) % SHIPS : k;
        choice *its = &choices[ship];
        if (placed >> ship & 1)
            continue;
        for (int n = 0, i = below(its->many ? its->many : 1); n < its->many; n++, i = (i + 1) % its->many)
            if (its->line[i] & among && !(its->line[i] & taken)) {
                at[ship] = its->line[i];
                if (fill(placed | 1 << ship, taken | at[ship]))
                    return 1;
            }
        if (!open)
            return 0; /* this one has no room */
    }
    return !open && placed == (1 << SHIPS) - 1;
}

static void add(cells line, double share)
{
    for (; line; line &= line - 1)
        chance[lowest(line)] += share;
}

static void step_of_two(int one, int two, cells taken, cells hits)
{
    static cells first[MOST_WAYS], second[MOST_WAYS];
    static double sums[MOST_WAYS];
    static int covers[MOST_WAYS];
    int ways = 0;
    double sum = 0;
    cells cell = hits & -hits;
    for (int k = 0; k < 2; k++) {
        choice *its = &choices[k ? two : one], *rest = &choices[k ? one : two];
        for (int i = 0; i < its->many; i++) {
            cells line = its->line[i], left = hits & ~line;
            if (!(line & cell) || line & taken)
                continue;
            double heavy = its->weight[i] * beside_others(line, one, two);
            cells near = around(line);
            for (int j = 0; j < rest->many && ways < MOST_WAYS; j++)
                if (!(rest->line[j] & (taken | line)) && (rest->line[j] & left) == left) {
                    covers[ways] = k ? two : one;
                    first[ways] = line;
                    second[ways] = rest->line[j];
                    sum += heavy * rest->weight[j] * beside_others(rest->line[j], one, two) *
                           (near & rest->line[j] ? touching_expected : 1);
                    sums[ways++] = sum;
                }
        }
    }
    for (int i = 0; i < ways; i++)
        add(covers[i] == one ? first[i] : second[i], (sums[i] - (i ? sums[i - 1] : 0)) / sum);
    int i = draw_by(sums, ways);
    at[one] = covers[i] == one ? first[i] : second[i];
    at[two] = covers[i] == one ? second[i] : first[i];
}

static void step(void)
{
    int one = below(SHIPS), two = (one + 1 + below(SHIPS - 1)) % SHIPS;
    cells taken = 0, hits = (at[one] | at[two]) & hit;
    for (int i = 0; i < SHIPS; i++)
        if (i != one && (i != two || !hits))
            taken |= at[i];
    if (hits) {
        step_of_two(one, two, taken, hits);
        return;
    }
    choice *its = &choices[one];
    static int free_lines[LINES];
    static double sums[LINES];
    int many = 0;
    double sum = 0;
    for (int i = 0; i < its->many; i++)
        if (!(its->line[i] & taken)) {
            free_lines[many] = i;
            sums[many++] = sum += its->weight[i] * beside_others(its->line[i], one, one);
        }
    for (int i = 0; i < many; i++)
        add(its->line[free_lines[i]], (sums[i] - (i ? sums[i - 1] : 0)) / sum);
    at[one] = its->line[free_lines[draw_by(sums, many)]];
}

/* The shots that an opponent needs for this fleet. */
static int shots(const int *fleet, int informed)
{
    cells ships = 0;
    int taken = 0;
    hit = missed = 0;
    touching_expected = informed ? touching : 1;
    for (int i = 0; i < SHIPS; i++)
        ships |= lines[sizes[i]][fleet[i]];
    for (; ships & ~hit; taken++) {
        for (int ship = 0; ship < SHIPS; ship++) {
            choice *its = &choices[ship];
            int size = sizes[ship];
            its->many = 0;
            for (int i = 0; i < count[size]; i++)
                if (!(lines[size][i] & missed)) {
                    its->weight[its->many] = informed ? weight(size, i) : 1;
                    its->line[its->many++] = lines[size][i];
                }
        }
        if (!fill(0, 0)) {
            fprintf(stderr, "sampled: no fleet fits\n");
            exit(1);
        }
        for (int i = 0; i < SETTLING; i++)
            step();
        memset(chance, 0, sizeof chance);
        for (int i = 0; i < STEPS; i++)
            step();
        int best = -1;
        for (int cell = 0; cell < CELLS; cell++)
            if (!((hit | missed) & bit(cell)) && (best < 0 || chance[cell] > chance[best]))
                best = cell;
        *(ships & bit(best) ? &hit : &missed) |= bit(best);
    }
    return taken;
}

static void learn(int rounds, int boards, double share)
{
    static double by_row[LONGEST + 1][ROWS], by_place[LONGEST + 1][ROWS];
    for (int round = 0; round < rounds; round++) {
        double in_row[LONGEST + 1][ROWS][2] = {0}, in_place[LONGEST + 1][ROWS][2] = {0};
        double total = 0, pace = 0.1 / (1 + 4.0 * round / rounds), both[2] = {0};
        for (int board = 0; board < boards; board++) {
            int fleet[SHIPS];
            place(fleet);
            int even = shots(fleet, 0), informed = shots(fleet, 1);
            double taken = share * even + (1 - share) * informed;
            both[0] += even;
            both[1] += informed;
            total += taken;
            for (int i = 0; i < SHIPS; i++) {
                int size = sizes[i];
                double *row = in_row[size][across[size][fleet[i]]];
                double *place = in_place[size][along[size][fleet[i]]];
                row[0]++, row[1] += taken;
                place[0]++, place[1] += taken;
            }
        }
        for (int size = 2; size <= LONGEST; size++)
            for (int i = 0; i < ROWS; i++) {
                double *row = in_row[size][i], *place = in_place[size][i]; /* 5 more: less noise */
                by_row[size][i] += pace * (row[1] - row[0] * total / boards) / (row[0] + 5);
                by_place[size][i] += pace * (place[1] - place[0] * total / boards) / (place[0] + 5);
            }
        for (int size = 2; size <= LONGEST; size++)
            for (int i = 0; i < ROWS; i++)
                for (int k = 0; k < ROWS; k++)
                    weights[size][i][k] = exp(by_row[size][i] + by_place[size][k]);
        fprintf(stderr, "round %d: even %.2f, informed %.2f\n", round + 1, both[0] / boards, both[1] / boards);
    }
    printf("%.2f\n", touching);
    for (int size = 2; size <= LONGEST; size++)
        for (int i = 0; i < ROWS; i++)
            for (int k = 0, places = (SIDE - size) / 2 + 1; k < places; k++)
                printf("%.2f%c", weights[size][i][k], k + 1 < places ? ' ' : '\n');
}

static void read_weights(const char *name)
{
    FILE *file = strcmp(name, "even") ? fopen(name, "r") : NULL;
    if (file && fscanf(file, "%lf", &touching) != 1)
        fclose(file), file = NULL;
    for (int size = 2; size <= LONGEST; size++)
        for (int i = 0; i < ROWS; i++)
            for (int k = 0; k < (SIDE - size) / 2 + 1; k++) {
                weights[size][i][k] = 1;
                if (strcmp(name, "even") && (!file || fscanf(file, "%lf", &weights[size][i][k]) != 1)) {
                    fprintf(stderr, "sampled: %s is no file of weights\n", name);
                    exit(1);
                }
            }
}

int main(int many, char **word)
{
    luck[0] = 1, luck[1] = 2;
    for (int i = 0; i < 50; i++)
        drawn();
    make_lines();
    read_weights("even");
    if (many == 6 && !strcmp(word[1], "learn")) {
        touching = atof(word[5]);
        learn(atoi(word[2]), atoi(word[3]), atof(word[4]));
        return 0;
    }
    int informed = many == 5 && !strcmp(word[2], "informed");
    if (many != 5 || strcmp(word[1], "shots") || (!informed && strcmp(word[2], "even"))) {
        fprintf(stderr, "usage: sampled learn ROUNDS BOARDS SHARE TOUCHING"
                        " | shots even|informed WEIGHTS BOARDS\n");
        return 2;
    }
    read_weights(word[3]);
    double sum = 0, squares = 0;
    int boards = atoi(word[4]);
    for (int board = 0; board < boards; board++) {
        int fleet[SHIPS];
        place(fleet);
        double taken = shots(fleet, informed);
        sum += taken;
        squares += taken * taken;
    }
    double mean = sum / boards;
    printf("%.2f ± %.2f\n", mean, sqrt((squares / boards - mean * mean) / boards));
    return 0;
}
