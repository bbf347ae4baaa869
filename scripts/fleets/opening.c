/* Makes the table by which `foresight` opens: bots/foresight/opening.bin (its format: bot.py there).
 *
 *     cc -O3 -march=native -o opening opening.c -lm
 *     ./opening 500 50000 4 opening.bin        4 minutes of one core; makes the table byte by byte
 *     ./opening opening.bin                    half a minute; what the table is worth
 *
 * The first number is how many fleets are left where the table ends. Up to the second, the best
 * cells, as many as the third says, are tried out: for each, all those fleets are played to the end
 * by shots at the best cell, and the one with the fewest misses is taken. With more fleets than
 * that, the best cell is. Best is, of all fresh cells, the chance of a hit + 0.02 * the bits that
 * the answer is expected to tell.
 *
 * Told at the end: the mean shots of the table, followed by shots at the best cell. It is exact, as
 * all 21,354,072 fleets are played. A table that is there is followed by shots at the likeliest cell
 * instead: `foresight` goes on from it by taking another cell where that costs fewer misses.
 */
#include <math.h>
#include <stdint.h>

typedef struct {
    uint8_t line[4];
} fleet;
#define FLEET fleet
#include "fleets.h"

enum { MOST_NODES = 1 << 20, FEW = 40 };

static int table_end, most_tried_out, width;
static double worth_of_a_bit = 0.02;

static struct node {
    uint8_t cell, answers;
    int next[ANSWERS];
} nodes[MOST_NODES];
static int node_count;

typedef struct {
    int having[CELLS]; /* fleets, by fresh cell */
    int sunk[SHIPS][CELLS]; /* of these, those that lose the ship there */
} counts;

static void count_line(counts *found, int ship, cells fresh, int fleets)
{
    if (fresh && !(fresh & (fresh - 1)))
        found->sunk[ship][lowest(fresh)] += fleets;
    for (; fresh; fresh &= fresh - 1)
        found->having[lowest(fresh)] += fleets;
}

static void count_cells(const fleet *fleets, int count, cells shot, counts *found)
{
    memset(found, 0, sizeof *found);
    if (count < FEW) {
        for (int i = 0; i < count; i++)
            for (int ship = 0; ship < SHIPS; ship++)
                count_line(found, ship, lines[ship][fleets[i].line[ship]] & ~shot, 1);
        return;
    }
    int having[SHIPS][MOST_LINES] = {0};
    for (int i = 0; i < count; i++)
        for (int ship = 0; ship < SHIPS; ship++)
            having[ship][fleets[i].line[ship]]++;
    for (int ship = 0; ship < SHIPS; ship++)
        for (int i = 0; i < line_count[ship]; i++)
            if (having[ship][i])
                count_line(found, ship, lines[ship][i] & ~shot, having[ship][i]);
}

static double n_log_n(double n)
{
    static double known[1 << 16];
    if (n < 1)
        return 0;
    if (n >= 1 << 16)
        return n * log2(n);
    if (known[(int)n] == 0)
        known[(int)n] = n * log2(n);
    return known[(int)n];
}

/* How good a cell is, times the number of fleets. */
static double score(const counts *found, int cell, int count)
{
    int hit = found->having[cell], afloat = hit;
    double bits = n_log_n(count) - n_log_n(count - hit);
    for (int ship = 0; ship < SHIPS; ship++) {
        bits -= n_log_n(found->sunk[ship][cell]);
        afloat -= found->sunk[ship][cell];
    }
    return hit + worth_of_a_bit * (bits - n_log_n(afloat));
}

/* The best cells, at most so many, best first; but one that is in all fleets alone. Their number. */
static int best_cells(const counts *found, int count, int most, int best[CELLS])
{
    int top = 0, listed = 0;
    double scores[CELLS];
    for (int cell = 0; cell < CELLS; cell++)
        if (found->having[cell] > top)
            top = found->having[best[0] = cell];
    if (top == count)
        return 1;
    /* The answer tells at most log2(6) bits, so that 0.06 makes good no greater chance. */
    double least = most == 1 ? top - 0.06 * count : 0.6 * top;
    for (int cell = 0; cell < CELLS; cell++) {
        if (!found->having[cell] || found->having[cell] < least)
            continue;
        double its = score(found, cell, count);
        if (listed == most && its <= scores[most - 1])
            continue;
        int at = listed < most ? listed++ : most - 1;
        for (; at && scores[at - 1] < its; at--) {
            scores[at] = scores[at - 1];
            best[at] = best[at - 1];
        }
        scores[at] = its;
        best[at] = cell;
    }
    return listed;
}

/* The misses in all these fleets together, if each shot is at the best cell. */
static long misses_to_come(fleet *fleets, int count, cells shot)
{
    if (count < 2)
        return 0;
    counts found;
    int best[CELLS], starts[ANSWERS + 1];
    count_cells(fleets, count, shot, &found);
    best_cells(&found, count, 1, best);
    if (count == 2 && found.having[best[0]] == 1)
        return 1;
    part(fleets, count, shot, best[0], starts);
    long misses = starts[MISS + 1];
    for (int answer = 0; answer < ANSWERS; answer++)
        misses += misses_to_come(fleets + starts[answer], starts[answer + 1] - starts[answer],
                                 shot | bit(best[0]));
    return misses;
}

static int cell_to_fire_at(fleet *fleets, int count, cells shot)
{
    counts found;
    int tried[CELLS], starts[ANSWERS + 1], best = 0;
    count_cells(fleets, count, shot, &found);
    int try = best_cells(&found, count, count > most_tried_out ? 1 : width, tried);
    long fewest = -1;
    for (int i = 0; try > 1 && i < try; i++) {
        part(fleets, count, shot, tried[i], starts);
        long misses = starts[MISS + 1];
        for (int answer = 0; answer < ANSWERS && (fewest < 0 || misses < fewest); answer++)
            misses += misses_to_come(fleets + starts[answer], starts[answer + 1] - starts[answer],
                                     shot | bit(tried[i]));
        if (fewest < 0 || misses < fewest) {
            fewest = misses;
            best = i;
        }
    }
    return tried[best];
}

/* Adds to the table what to fire while these fleets are left; the misses of all of them. */
static long fill(fleet *fleets, int count, cells shot, int *node)
{
    if (count <= table_end)
        return misses_to_come(fleets, count, shot);
    if (node_count == MOST_NODES)
        exit(fprintf(stderr, "the table is too large\n") != 0);
    struct node *new = nodes + (*node = node_count++);
    int starts[ANSWERS + 1];
    new->cell = cell_to_fire_at(fleets, count, shot);
    part(fleets, count, shot, new->cell, starts);
    long misses = starts[MISS + 1];
    for (int answer = 0; answer < ANSWERS; answer++) {
        int left = starts[answer + 1] - starts[answer];
        if (left > table_end)
            new->answers |= 1 << answer;
        misses += fill(fleets + starts[answer], left, shot | bit(new->cell), new->next + answer);
    }
    return misses;
}

static int write_breadth_first(FILE *file)
{
    static int order[MOST_NODES];
    int listed = 1; /* the root is node 0 */
    for (int i = 0; i < listed; i++)
        for (int answer = 0; answer < ANSWERS; answer++)
            if (nodes[order[i]].answers >> answer & 1)
                order[listed++] = nodes[order[i]].next[answer];
    for (int i = 0; i < listed; i++)
        putc(nodes[order[i]].cell, file);
    for (int i = 0; i < listed; i++)
        putc(nodes[order[i]].answers, file);
    return fclose(file);
}

static void read_breadth_first(FILE *file)
{
    static uint8_t table[2 * MOST_NODES];
    node_count = fread(table, 1, sizeof table, file) / 2;
    int listed = 1;
    for (int i = 0; i < node_count; i++) {
        nodes[i].cell = table[i];
        nodes[i].answers = table[node_count + i];
        for (int answer = 0; answer < ANSWERS; answer++)
            if (nodes[i].answers >> answer & 1)
                nodes[i].next[answer] = listed++;
    }
}

/* The misses in all these fleets, from this node of the table on. */
static long follow(fleet *fleets, int count, cells shot, const struct node *node)
{
    int starts[ANSWERS + 1];
    part(fleets, count, shot, node->cell, starts);
    long misses = starts[MISS + 1];
    for (int answer = 0; answer < ANSWERS; answer++) {
        fleet *those = fleets + starts[answer];
        int left = starts[answer + 1] - starts[answer];
        cells then = shot | bit(node->cell);
        misses += node->answers >> answer & 1 ? follow(those, left, then, nodes + node->next[answer])
                                              : misses_to_come(those, left, then);
    }
    return misses;
}

static int tell(double misses)
{
    return printf("%d nodes, %.5f shots\n", node_count, 14 + misses / FLEETS) < 0;
}

int main(int argc, char **argv)
{
    if (argc == 2) {
        FILE *file = fopen(argv[1], "rb");
        if (!file)
            return perror(argv[1]), 1;
        worth_of_a_bit = 0;
        read_breadth_first(file);
        return tell(follow(list_fleets(), FLEETS, 0, nodes));
    }
    if (argc != 5)
        return fprintf(stderr, "usage: opening END TRIED-OUT WIDTH FILE\n       opening FILE\n"), 2;
    table_end = atoi(argv[1]);
    most_tried_out = atoi(argv[2]);
    width = atoi(argv[3]);
    FILE *file = fopen(argv[4], "wb");
    if (!file)
        return perror(argv[4]), 1;
    int root = 0;
    tell(fill(list_fleets(), FLEETS, 0, &root));
    if (write_breadth_first(file))
        return perror(argv[4]), 1;
}
