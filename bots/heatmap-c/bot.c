/* heatmap in C: shoots where most of the remaining ships could lie.
 *
 * Every way for a ship still afloat to lie counts one for each fresh cell in it, and ten more for
 * each open hit in it. A hit is open unless every way to lay the sunk ships on the hits uses it.
 *
 * A set of cells is one 64-bit number: cell "XY" is bit 8 * X + Y, so a step down is one bit and a
 * step to the right is eight.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

typedef uint64_t cells;

enum { SIDE = 8, SMALLEST = 2, LARGEST = 5, FLEET_CELLS = 2 + 3 + 4 + 5 };

static cells lines[LARGEST + 1][2 * SIDE * SIDE]; /* by size: every way for the ship to lie */
static int line_count[LARGEST + 1];
static int sunk[LARGEST - SMALLEST + 1], sunk_count; /* sizes */
static uint64_t luck;

static cells cell(int column, int row)
{
    return (cells)1 << (SIDE * column + row);
}

static void list_lines(void)
{
    for (int size = SMALLEST; size <= LARGEST; size++)
        for (int across = 0; across < SIDE; across++)
            for (int along = 0; along + size <= SIDE; along++) {
                cells down = 0, right = 0;
                for (int i = 0; i < size; i++) {
                    down |= cell(across, along + i);
                    right |= cell(along + i, across);
                }
                lines[size][line_count[size]++] = down;
                lines[size][line_count[size]++] = right;
            }
}

/* A draw from 0 to n - 1, by splitmix64. */
static int draw(int n)
{
    uint64_t mixed = luck += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return (int)((mixed ^ mixed >> 31) % (uint64_t)n);
}

/* Prints a fleet, each legal one as likely: every ship by itself, and all anew on an overlap. */
static void place(void)
{
    cells fleet[LARGEST + 1], taken;
    do {
        taken = 0;
        for (int size = SMALLEST; size <= LARGEST; size++)
            taken |= fleet[size] = lines[size][draw(line_count[size])];
    } while (__builtin_popcountll(taken) < FLEET_CELLS);

    for (int size = SMALLEST; size <= LARGEST; size++) {
        int first = __builtin_ctzll(fleet[size]);
        int down = fleet[size] >> first & 2;
        printf("%c\"%d\":{\"point\":\"%d%d\",\"orientation\":\"%s\"}", size == SMALLEST ? '{' : ',',
               size, first / SIDE, first % SIDE, down ? "vertical" : "horizontal");
    }
    puts("}");
}

/* The hits that every way to lay the sunk ships on them uses, leaving out the first n ships. */
static cells settled(cells hit, int n)
{
    if (n == sunk_count)
        return 0;
    cells common = ~(cells)0;
    for (int i = 0; i < line_count[sunk[n]]; i++) {
        cells line = lines[sunk[n]][i];
        if ((line & hit) == line)
            common &= line | settled(hit & ~line, n + 1);
    }
    return common;
}

static int is_sunk(int size)
{
    for (int n = 0; n < sunk_count; n++)
        if (sunk[n] == size)
            return 1;
    return 0;
}

/* Prints the hottest fresh cell, or one of them. */
static void shoot(cells hit, cells missed)
{
    cells closed = missed | settled(hit, 0), shot = hit | missed;
    int heat[SIDE * SIDE] = {0}, best = -1, tied = 0;

    for (int size = SMALLEST; size <= LARGEST; size++)
        for (int i = 0; !is_sunk(size) && i < line_count[size]; i++) {
            cells line = lines[size][i];
            for (int at = 0; !(line & closed) && at < SIDE * SIDE; at++)
                if (line >> at & 1)
                    heat[at] += 1 + 10 * __builtin_popcountll(line & hit);
        }
    for (int at = 0; at < SIDE * SIDE; at++) {
        if (shot >> at & 1 || (best >= 0 && heat[at] < heat[best]))
            continue;
        tied = best >= 0 && heat[at] == heat[best] ? tied + 1 : 1;
        if (draw(tied) == 0) /* the n-th of equals takes over with a chance of 1 in n */
            best = at;
    }
    printf("{\"move\":\"%d%d\"}\n", best / SIDE, best % SIDE);
}

/* Where the list under a key begins, or an empty one. The request is compact JSON. */
static const char *find_list(const char *request, const char *key)
{
    const char *found = strstr(request, key);
    return found ? found + strlen(key) : "]";
}

static cells read_cells(const char *list)
{
    cells set = 0;
    for (; *list == '"' || *list == ','; list += *list == '"' ? 4 : 1) /* "42", */
        if (*list == '"')
            set |= cell(list[1] - '0', list[2] - '0');
    return set;
}

/* With a seed all luck comes from it and from how far the game is, so that it can be repeated. */
static void seed_luck(int turn)
{
    const char *seed = getenv("BOT_SEED");
    if (!seed) {
        if (getrandom(&luck, sizeof luck, 0) < 0)
            exit(1);
        return;
    }
    for (luck = (uint64_t)turn; *seed; seed++)
        luck = luck * 1099511628211u + (unsigned char)*seed;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: bot JSON\n", stderr);
        return 2;
    }
    const char *request = argv[1];
    cells hit = read_cells(find_list(request, "\"hit\":["));
    cells missed = read_cells(find_list(request, "\"missed\":["));
    for (const char *c = find_list(request, "\"destroyed\":["); *c && *c != ']'; c++)
        if (*c >= '0' + SMALLEST && *c <= '0' + LARGEST && sunk_count <= LARGEST - SMALLEST)
            sunk[sunk_count++] = *c - '0';

    list_lines();
    if (strstr(request, "\"cmd\":\"init\"")) {
        seed_luck(99);
        place();
    } else {
        seed_luck(__builtin_popcountll(hit | missed));
        shoot(hit, missed);
    }
}
