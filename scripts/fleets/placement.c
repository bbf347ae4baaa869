/* How many shots a fleet costs an opponent who knows how fleets are drawn.
 *
 *     cc -O3 -march=native -o placement placement.c -lm
 *     ./placement learn STEPS SHARE >weights      finds weights by which to draw fleets
 *     ./placement shots PRIOR DRAWN               misses of one who expects PRIOR: chance of 0, 1, ...
 *     ./placement exact PRIOR DRAWN COUNT         the same of `exact`, if that were its PRIOR
 *
 * Fleets are drawn by giving every line a weight: a fleet's chance is in proportion to the product
 * of its four. Lines that a turn or a reflection of the grid carries into each other weigh the same,
 * so a file of weights has 16 rows, for each size the rows of the grid from the edge inwards, with
 * the places in the row from its end to its middle. The file "even" weighs all alike.
 *
 * The opponent fires at the cell most likely to be hit, and is told which ship each shot sank; by
 * that it is a little stronger than `exact`. All 21,354,072 fleets are played, all shots of one
 * policy being a tree: exact figures, in about 20 s.
 *
 * `exact` itself knows hits, misses and the sizes destroyed, but not which shots sank them. What it
 * takes for possible is more than what answers alike, so that its tree is too large to play all of:
 * COUNT fleets are drawn, at some 2 ms each. That it expects all fleets stays as it is.
 *
 * To learn, two opponents are played: one who expects even weights, and one who knows the weights as
 * they are. Each step makes those lines heavier with which the opponents, the first counting for
 * SHARE and the second for the rest, need the more shots. With the answer of the second this climbs
 * towards what is best against all opponents; the more the first counts, the more it is aimed at
 * those who expect even weights.
 */
#include <math.h>
#include <stdint.h>

typedef struct {
    uint8_t line[4];
    float weight;
    uint8_t misses[2]; /* by opponent */
} fleet;
#define FLEET fleet
#include "fleets.h"

enum { ROWS = SIDE / 2, PLACES = 4, MOST_MISSES = CELLS - 14 + 1 };

typedef double table[SHIPS][ROWS][PLACES];

/* The place of a line in a table of weights. */
static double *entry(table weights, int ship, cells line)
{
    int first = lowest(line), column = first / SIDE, row = first % SIDE, size = ship + 2;
    int flat = (line & bit(first) << 1) == 0;
    int across = flat ? row : column, along = flat ? column : row;
    int place = along < SIDE - size - along ? along : SIDE - size - along;
    return &weights[ship][across < ROWS ? across : SIDE - 1 - across][place];
}

static int places(int ship)
{
    return (SIDE - ship) / 2; /* of SIDE + 1 - size places, the first half and the middle */
}

static void weigh(fleet *fleets, table weights)
{
    double total = 0;
    for (int i = 0; i < FLEETS; i++) {
        double weight = 1;
        for (int ship = 0; ship < SHIPS; ship++)
            weight *= *entry(weights, ship, lines[ship][fleets[i].line[ship]]);
        total += fleets[i].weight = weight;
    }
    for (int i = 0; i < FLEETS; i++)
        fleets[i].weight /= total;
}

/* Fires at the likeliest cell of these fleets until all are told apart, and notes their misses. */
static void play(fleet *fleets, int count, cells shot, int misses, int opponent)
{
    if (count <= 1) {
        if (count)
            fleets->misses[opponent] = misses;
        return;
    }
    double chance[CELLS] = {0};
    if (count < 100)
        for (int i = 0; i < count; i++) {
            cells fresh = 0;
            for (int ship = 0; ship < SHIPS; ship++)
                fresh |= lines[ship][fleets[i].line[ship]];
            for (fresh &= ~shot; fresh; fresh &= fresh - 1)
                chance[lowest(fresh)] += fleets[i].weight;
        }
    else {
        double having[SHIPS][MOST_LINES] = {0};
        for (int i = 0; i < count; i++)
            for (int ship = 0; ship < SHIPS; ship++)
                having[ship][fleets[i].line[ship]] += fleets[i].weight;
        for (int ship = 0; ship < SHIPS; ship++)
            for (int i = 0; i < line_count[ship]; i++)
                for (cells fresh = lines[ship][i] & ~shot; fresh; fresh &= fresh - 1)
                    chance[lowest(fresh)] += having[ship][i];
    }
    int best = 0, starts[ANSWERS + 1];
    for (int cell = 1; cell < CELLS; cell++)
        if (chance[cell] > chance[best])
            best = cell;
    part(fleets, count, shot, best, starts);
    for (int answer = 0; answer < ANSWERS; answer++)
        play(fleets + starts[answer], starts[answer + 1] - starts[answer], shot | bit(best),
             misses + (answer == MISS), opponent);
}

/* Of these fleets, puts those with a ship on the cell first; their number. */
static int part_by_hit(fleet *fleets, int count, int cell)
{
    int hits = 0;
    for (int i = 0; i < count; i++) {
        cells all = 0;
        for (int ship = 0; ship < SHIPS; ship++)
            all |= lines[ship][fleets[i].line[ship]];
        if (all & bit(cell)) {
            fleet one = fleets[i];
            fleets[i] = fleets[hits];
            fleets[hits++] = one;
        }
    }
    return hits;
}

/* The likeliest cell by what `exact` knows; the last fleet has no misses to come, and so is any.
 *
 * The fleets cover the hits and no miss. Possible are those whose ships lie on hits alone exactly if
 * they are told to be sunk, a set of ships.
 */
static int cell_of_exact(const fleet *fleets, int count, cells hit, cells shot, int sunk)
{
    double chance[CELLS] = {0}, having[SHIPS][MOST_LINES] = {0};
    uint8_t fits[SHIPS][MOST_LINES];
    for (int ship = 0; ship < SHIPS; ship++)
        for (int i = 0; i < line_count[ship]; i++)
            fits[ship][i] = ((lines[ship][i] & ~hit) == 0) == (sunk >> ship & 1);
    for (int i = 0; i < count; i++) {
        const uint8_t *line = fleets[i].line;
        if (fits[0][line[0]] & fits[1][line[1]] & fits[2][line[2]] & fits[3][line[3]])
            for (int ship = 0; ship < SHIPS; ship++)
                having[ship][line[ship]] += fleets[i].weight;
    }
    for (int ship = 0; ship < SHIPS; ship++)
        for (int i = 0; i < line_count[ship]; i++)
            if (having[ship][i] > 0)
                for (cells fresh = lines[ship][i] & ~shot; fresh; fresh &= fresh - 1)
                    chance[lowest(fresh)] += having[ship][i];
    int best = 0;
    for (int cell = 1; cell < CELLS; cell++)
        if (chance[cell] > chance[best])
            best = cell;
    return best;
}

/* Fires as `exact` would until the fleets drawn are sunk, and notes their misses. */
static void play_exact(fleet *known, int count, fleet *drawn, int drawn_count, cells hit, cells shot,
                       int sunk, int misses)
{
    if (!drawn_count)
        return;
    if (sunk == (1 << SHIPS) - 1) {
        for (int i = 0; i < drawn_count; i++)
            drawn[i].misses[0] = misses;
        return;
    }
    int best = cell_of_exact(known, count, hit, shot, sunk), starts[ANSWERS + 1];
    int hits = part_by_hit(known, count, best);
    part(drawn, drawn_count, shot, best, starts);
    shot |= bit(best);
    play_exact(known + hits, count - hits, drawn, starts[MISS + 1], hit, shot, sunk, misses + 1);
    for (int answer = HIT; answer < ANSWERS; answer++)
        play_exact(known, hits, drawn + starts[answer], starts[answer + 1] - starts[answer],
                   hit | bit(best), shot, answer == HIT ? sunk : sunk | 1 << (answer - 2), misses);
}

/* Draws so many fleets by their weights, spread evenly over all that there are. */
static void draw(const fleet *fleets, int count, fleet *drawn)
{
    double total = 0;
    for (int i = 0, next = 0; i < FLEETS; i++) {
        total += fleets[i].weight;
        while (next < count && (next + 0.5) / count < total)
            drawn[next++] = fleets[i];
    }
}

static void read_weights(const char *name, table weights)
{
    FILE *file = strcmp(name, "even") ? fopen(name, "r") : NULL;
    if (!file && strcmp(name, "even"))
        exit(fprintf(stderr, "cannot read %s\n", name) != 0);
    for (int ship = 0; ship < SHIPS; ship++)
        for (int row = 0; row < ROWS; row++)
            for (int place = 0; place < places(ship); place++) {
                weights[ship][row][place] = 1;
                if (file && fscanf(file, "%lf", &weights[ship][row][place]) != 1)
                    exit(fprintf(stderr, "%s has too few numbers\n", name) != 0);
            }
    if (file)
        fclose(file);
}

static void print_weights(table weights)
{
    for (int ship = 0; ship < SHIPS; ship++)
        for (int row = 0; row < ROWS; row++)
            for (int place = 0; place < places(ship); place++)
                printf("%.4f%c", weights[ship][row][place], place + 1 < places(ship) ? ' ' : '\n');
    fflush(stdout);
}

static double mean(const fleet *fleets, int opponent)
{
    double sum = 0;
    for (int i = 0; i < FLEETS; i++)
        sum += fleets[i].weight * fleets[i].misses[opponent];
    return sum;
}

static void learn(fleet *fleets, int steps, double share)
{
    table weights;
    read_weights("even", weights);
    weigh(fleets, weights);
    play(fleets, FLEETS, 0, 0, 0);
    for (int step = 0; step < steps; step++) {
        weigh(fleets, weights);
        play(fleets, FLEETS, 0, 0, 1);
        double means[] = {mean(fleets, 0), mean(fleets, 1)};
        fprintf(stderr, "step %d: %.3f shots by one who expects even weights, %.3f by one who knows\n",
                step, 14 + means[0], 14 + means[1]);
        table chance = {0}, gain = {0};
        for (int i = 0; i < FLEETS; i++) {
            const fleet *one = fleets + i;
            double more = share * (one->misses[0] - means[0]) +
                          (1 - share) * (one->misses[1] - means[1]);
            for (int ship = 0; ship < SHIPS; ship++) {
                cells line = lines[ship][one->line[ship]];
                *entry(chance, ship, line) += one->weight;
                *entry(gain, ship, line) += one->weight * more;
            }
        }
        double rate = 0.3 / (1 + 0.1 * step); /* of a natural gradient: by misses more than others */
        for (int ship = 0; ship < SHIPS; ship++)
            for (int row = 0; row < ROWS; row++)
                for (int place = 0; place < places(ship); place++)
                    weights[ship][row][place] *=
                        exp(rate * gain[ship][row][place] / chance[ship][row][place]);
        print_weights(weights);
    }
}

int main(int argc, char **argv)
{
    int learning = argc == 4 && !strcmp(argv[1], "learn");
    int as_exact = argc == 5 && !strcmp(argv[1], "exact") && atoi(argv[4]) > 0;
    if (!learning && !as_exact && !(argc == 4 && !strcmp(argv[1], "shots")))
        return fprintf(stderr, "usage: placement learn STEPS SHARE | shots PRIOR DRAWN"
                               " | exact PRIOR DRAWN COUNT\n"), 2;
    fleet *fleets = list_fleets();
    if (learning) {
        learn(fleets, atoi(argv[2]), atof(argv[3]));
        return 0;
    }
    table prior, drawn;
    double chances[MOST_MISSES] = {0};
    read_weights(argv[2], prior);
    read_weights(argv[3], drawn);
    if (as_exact) {
        int count = atoi(argv[4]);
        fleet *some = malloc(count * sizeof *some);
        if (!some)
            return fprintf(stderr, "no memory for the fleets drawn\n"), 1;
        weigh(fleets, drawn);
        draw(fleets, count, some);
        weigh(fleets, prior);
        play_exact(fleets, FLEETS, some, count, 0, 0, 0, 0);
        for (int i = 0; i < count; i++)
            chances[some[i].misses[0]] += 1.0 / count;
    } else {
        weigh(fleets, prior);
        play(fleets, FLEETS, 0, 0, 0);
        weigh(fleets, drawn);
        for (int i = 0; i < FLEETS; i++)
            chances[fleets[i].misses[0]] += fleets[i].weight;
    }
    for (int misses = 0; misses < MOST_MISSES; misses++)
        printf("%.9f\n", chances[misses]);
}
