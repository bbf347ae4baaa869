/* All fleets of the 8x8 grid, and how shots part them: what the programs beside this build on.
 *
 * A set of cells is one 64-bit number: cell "XY" is bit 8 * X + Y, as in the bots.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 8, SHIPS = 4, MOST_LINES = 112, ANSWERS = 6, CELLS = 64, FLEETS = 21354072 };
enum { MISS = 0, HIT = 1 }; /* answers; the one that sinks is answered by the ship's size */

typedef uint64_t cells;

static cells lines[SHIPS][MOST_LINES]; /* every way for the ship of 2, 3, 4, 5 to lie */
static int line_count[SHIPS];

static cells bit(int cell)
{
    return (cells)1 << cell;
}

static int lowest(cells set)
{
    return __builtin_ctzll(set);
}

static void list_lines(void)
{
    for (int ship = 0; ship < SHIPS; ship++)
        for (int flat = 0; flat < 2; flat++) {
            int size = ship + 2, columns = flat ? SIDE + 1 - size : SIDE;
            int rows = flat ? SIDE : SIDE + 1 - size;
            for (int column = 0; column < columns; column++)
                for (int row = 0; row < rows; row++) {
                    cells line = 0;
                    for (int i = 0; i < size; i++)
                        line |= bit(SIDE * column + row + (flat ? SIDE : 1) * i);
                    lines[ship][line_count[ship]++] = line;
                }
        }
}

/* All fleets, each with the numbers of its lines; what else is in a FLEET is zero. */
static FLEET *list_fleets(void)
{
    FLEET *all = calloc(FLEETS, sizeof *all), *next = all;
    if (!all)
        exit(fprintf(stderr, "no memory for all fleets\n") != 0);
    list_lines();
    for (int five = 0; five < line_count[3]; five++)
        for (int four = 0; four < line_count[2]; four++) {
            cells two_ships = lines[3][five] | lines[2][four];
            if (lines[3][five] & lines[2][four])
                continue;
            for (int three = 0; three < line_count[1]; three++) {
                cells three_ships = two_ships | lines[1][three];
                if (lines[1][three] & two_ships)
                    continue;
                for (int two = 0; two < line_count[0]; two++)
                    if (!(lines[0][two] & three_ships)) {
                        uint8_t numbers[SHIPS] = {two, three, four, five};
                        memcpy(next++->line, numbers, sizeof numbers);
                    }
            }
        }
    return all;
}

/* Sorts the fleets by their answer to a shot; those with an answer start at starts[answer]. */
static void part(FLEET *fleets, int count, cells shot_before, int cell, int starts[ANSWERS + 1])
{
    cells shot = shot_before | bit(cell);
    uint8_t answers[SHIPS][MOST_LINES];
    for (int ship = 0; ship < SHIPS; ship++) {
        if (count < MOST_LINES) /* quicker than for all lines */
            for (int i = 0; i < count; i++) {
                cells line = lines[ship][fleets[i].line[ship]];
                answers[ship][fleets[i].line[ship]] =
                    !(line & bit(cell)) ? MISS : line & ~shot ? HIT : 2 + ship;
            }
        else
            for (int i = 0; i < line_count[ship]; i++) {
                cells line = lines[ship][i];
                answers[ship][i] = !(line & bit(cell)) ? MISS : line & ~shot ? HIT : 2 + ship;
            }
    }
#define ANSWER(fleet)                                                                              \
    (answers[0][(fleet).line[0]] | answers[1][(fleet).line[1]] | answers[2][(fleet).line[2]] |     \
     answers[3][(fleet).line[3]]) /* but one of them is a miss, 0 */
    int ends[ANSWERS] = {0}, next[ANSWERS];
    for (int i = 0; i < count; i++)
        ends[ANSWER(fleets[i])]++;
    starts[0] = 0;
    for (int answer = 0; answer < ANSWERS; answer++) {
        next[answer] = starts[answer];
        starts[answer + 1] = ends[answer] += starts[answer];
    }
    for (int answer = 0; answer < ANSWERS; answer++)
        while (next[answer] < ends[answer]) {
            FLEET *one = fleets + next[answer];
            int its = ANSWER(*one);
            if (its != answer) {
                FLEET other = fleets[next[its]];
                fleets[next[its]] = *one;
                *one = other;
            }
            next[its]++;
        }
#undef ANSWER
}
