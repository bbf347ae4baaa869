/* A Battleships bot that places its ships at random and shoots beside its hits.
 *
 * The cell in column 4 and row 2 is "42" in requests, and the number 42 here. A step down is + 1
 * and one to the right + 10. Digits go from 0 to 7, so a step off the grid never ends on a cell. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALLEST = 2, LARGEST = 5, FLEET_CELLS = 2 + 3 + 4 + 5, CELLS = 78, MARGIN = 10 };

/* Sets of cells, an element for each cell. The margins are for steps off the grid. */
static char hit_set[CELLS + 2 * MARGIN], missed_set[CELLS + 2 * MARGIN];
static char *hit = hit_set + MARGIN, *missed = missed_set + MARGIN;
static uint64_t luck;

/* A number from 0 to n - 1 (the generator is splitmix64). */
static int draw(int n)
{
    uint64_t mixed = luck += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return (int)((mixed ^ mixed >> 31) % (uint64_t)n);
}

/* Prints a fleet. Each ship is drawn by itself, and all again if two overlap. */
static void place(void)
{
    int start[LARGEST + 1], step[LARGEST + 1], count;
    do {
        char taken[CELLS] = {0};
        count = 0;
        for (int size = SMALLEST; size <= LARGEST; size++) {
            int along = draw(9 - size), across = draw(8), horizontal = draw(2);
            start[size] = horizontal ? 10 * along + across : 10 * across + along;
            step[size] = horizontal ? 10 : 1;
            for (int i = 0; i < size; i++) {
                char *cell = &taken[start[size] + i * step[size]];
                count += !*cell;
                *cell = 1;
            }
        }
    } while (count < FLEET_CELLS);
    for (int size = SMALLEST; size <= LARGEST; size++)
        printf("%c\"%d\":{\"point\":\"%02d\",\"orientation\":\"%s\"}", size == SMALLEST ? '{' : ',',
               size, start[size], step[size] == 1 ? "vertical" : "horizontal");
    puts("}");
}

/* A fresh cell beside a hit, or else any fresh one. */
static int shoot(void)
{
    int fresh[CELLS], beside[CELLS], fresh_count = 0, beside_count = 0;
    for (int cell = 0; cell < CELLS; cell++) {
        if (cell % 10 > 7 || hit[cell] || missed[cell])
            continue;
        fresh[fresh_count++] = cell;
        if (hit[cell - 10] || hit[cell - 1] || hit[cell + 1] || hit[cell + 10])
            beside[beside_count++] = cell;
    }
    return beside_count ? beside[draw(beside_count)] : fresh[draw(fresh_count)];
}

/* Adds to a set the cells that the request, JSON without spaces, lists under a key. */
static void read_cells(const char *request, const char *key, char *set)
{
    const char *at = strstr(request, key);
    for (at = at ? at + strlen(key) : "]"; *at && *at != ']'; at++)
        if (*at >= '0' && *at <= '7') {
            set[10 * (at[0] - '0') + (at[1] - '0')] = 1;
            at++;
        }
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    /* All luck comes from BOT_SEED and the request, so that a game can be played again. */
    const char *seed = getenv("BOT_SEED");
    for (const char *c = seed ? seed : ""; *c; c++)
        luck = luck * 1099511628211u + (unsigned char)*c;
    for (const char *c = argv[1]; *c; c++)
        luck = luck * 1099511628211u + (unsigned char)*c;

    read_cells(argv[1], "\"hit\":[", hit);
    read_cells(argv[1], "\"missed\":[", missed);
    if (strstr(argv[1], "\"cmd\":\"init\""))
        place();
    else
        printf("{\"move\":\"%02d\"}\n", shoot());
}
