/* How many shots a fleet costs an opponent who knows how fleets are drawn.
 *
 *     cc -O3 -march=native -o placement placement.c -lm
 *     ./placement learn STEPS SHARE TOUCHING      finds weights by which to draw fleets
 *     ./placement shots even|informed WEIGHTS     what they cost an opponent: mean shots
 *
 * Fleets are drawn by giving every line a weight: a fleet's chance is in proportion to the product
 * of its four, times TOUCHING for each pair of ships that touch. Lines that a turn or a reflection of
 * the grid carries into each other weigh the same, so a file of weights has TOUCHING and 16 rows, for
 * each size the rows of the grid from the edge inwards, with the places in the row from its end to
 * its middle. The file "even" weighs all alike.
 *
 * The opponent fires at the cell most likely to be hit, and is told which ship each shot sank. "even"
 * takes all fleets for equally likely, and "informed" knows the weights. All 21,354,072 fleets are
 * played, all shots of one policy being a tree: exact figures, in about 20 s.
 *
 * To learn, both opponents are played. Each step makes those lines heavier with which they need the
 * more shots, "even" counting for SHARE and "informed" for the rest. With the answer of "informed"
 * this climbs towards what is best against all opponents; the more "even" counts, the more it is
 * aimed at those who expect even weights.
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

enum { ROWS = SIDE / 2, PLACES = 4 };

typedef double table[SHIPS][ROWS][PLACES];

/* The cells beside those of a line, and the line. */
static cells around(cells line)
{
    cells first_row = 0x0101010101010101;
    return line | line << SIDE | line >> SIDE | (line & ~(first_row << 7)) << 1 |
           (line & ~first_row) >> 1;
}

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

static void weigh(fleet *fleets, table weights, double touching)
{
    double total = 0;
    for (int i = 0; i < FLEETS; i++) {
        double weight = 1;
        for (int ship = 0; ship < SHIPS; ship++)
            weight *= *entry(weights, ship, lines[ship][fleets[i].line[ship]]);
        for (int ship = 0; touching < 1 && ship < SHIPS; ship++)
            for (int other = 0; other < ship; other++)
                if (around(lines[ship][fleets[i].line[ship]]) & lines[other][fleets[i].line[other]])
                    weight *= touching;
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

/* Reads a table; returns the weight of a pair that touches. */
static double read_weights(const char *name, table weights)
{
    FILE *file = strcmp(name, "even") ? fopen(name, "r") : NULL;
    if (!file && strcmp(name, "even"))
        exit(fprintf(stderr, "cannot read %s\n", name) != 0);
    double touching = 1;
    if (file && fscanf(file, "%lf", &touching) != 1)
        exit(fprintf(stderr, "%s has no numbers\n", name) != 0);
    for (int ship = 0; ship < SHIPS; ship++)
        for (int row = 0; row < ROWS; row++)
            for (int place = 0; place < places(ship); place++) {
                weights[ship][row][place] = 1;
                if (file && fscanf(file, "%lf", &weights[ship][row][place]) != 1)
                    exit(fprintf(stderr, "%s has too few numbers\n", name) != 0);
            }
    if (file)
        fclose(file);
    return touching;
}

static void print_weights(table weights, double touching)
{
    printf("%.2f\n", touching);
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

static void learn(fleet *fleets, int steps, double share, double touching)
{
    table weights;
    read_weights("even", weights);
    weigh(fleets, weights, 1);
    play(fleets, FLEETS, 0, 0, 0);
    for (int step = 0; step < steps; step++) {
        weigh(fleets, weights, touching);
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
        print_weights(weights, touching);
    }
}

int main(int argc, char **argv)
{
    int learning = argc == 5 && !strcmp(argv[1], "learn");
    int informed = argc == 4 && !strcmp(argv[2], "informed");
    int shooting = argc == 4 && !strcmp(argv[1], "shots") && (informed || !strcmp(argv[2], "even"));
    if (!learning && !shooting)
        return fprintf(stderr, "usage: placement learn STEPS SHARE TOUCHING"
                               " | shots even|informed WEIGHTS\n"), 2;
    fleet *fleets = list_fleets();
    if (learning) {
        learn(fleets, atoi(argv[2]), atof(argv[3]), atof(argv[4]));
        return 0;
    }
    table prior, drawn;
    double touching = read_weights(informed ? argv[3] : "even", prior);
    weigh(fleets, prior, touching);
    play(fleets, FLEETS, 0, 0, 0);
    touching = read_weights(argv[3], drawn);
    weigh(fleets, drawn, touching);
    printf("%.2f\n", 14 + mean(fleets, 0));
}
