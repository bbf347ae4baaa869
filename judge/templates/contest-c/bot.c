/* A player of the Battleships contest: places its ships at random and shoots beside its hits.
 *
 * The judge starts it once for a match, with the path of a socket as its last argument. It connects
 * to the socket, says its name, and then gets messages of 256 bytes each: a JSON object, filled up
 * with NULs. An answer has the same form. The player speaks both dialects of the wire. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { FRAME = 256, LARGEST = 10, CELLS = LARGEST * LARGEST, ROW = LARGEST };

/* Kinds of messages, in their key mt. */
enum { HELLO = 1, SETUP, START, PLACE, PLACED, SHOOT, SHOT, TOLD };

enum { RIGHT = 72, DOWN = 86, HIT = 88 };

static int judge;          /* the socket */
static int size, number;   /* the board's side; the player's own number, 1 or 2 */
static char taken[CELLS];  /* by the player's ships */
static char shot_at[CELLS], hit[CELLS];
static uint64_t luck;

/* A number from 0 to n - 1 (the generator is splitmix64). */
static int draw(int n)
{
    uint64_t mixed = luck += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return (int)((mixed ^ mixed >> 31) % (uint64_t)n);
}

/* Sends a message, filled up with NULs. */
static void say(const char *text)
{
    char frame[FRAME] = "";
    strncpy(frame, text, FRAME - 1);
    if (send(judge, frame, FRAME, MSG_NOSIGNAL) != FRAME)
        exit(1);
}

/* The number after a key in a message, or in the rest of one; -1 if the key is missing. */
static int value(const char *message, const char *key)
{
    const char *found = message ? strstr(message, key) : NULL;
    return found ? atoi(found + strlen(key)) : -1;
}

/* Places a ship, drawn again until it overlaps no other. */
static void place(int length)
{
    int row, column, step, way, i, free;
    do {
        way = draw(2) ? RIGHT : DOWN;
        row = draw(way == RIGHT ? size : size - length + 1);
        column = draw(way == RIGHT ? size - length + 1 : size);
        step = way == RIGHT ? 1 : ROW;
        for (i = 0, free = 1; i < length; i++)
            free &= !taken[row * ROW + column + i * step];
    } while (!free);
    for (i = 0; i < length; i++)
        taken[row * ROW + column + i * step] = 1;
    char text[FRAME];
    snprintf(text, FRAME, "{\"c\":%d,\"d\":%d,\"l\":%d,\"mt\":%d,\"r\":%d}", column, way, length,
             PLACED, row);
    say(text);
}

static int is_beside_a_hit(int row, int column)
{
    int cell = row * ROW + column;
    return (row > 0 && hit[cell - ROW]) || (row < size - 1 && hit[cell + ROW]) ||
           (column > 0 && hit[cell - 1]) || (column < size - 1 && hit[cell + 1]);
}

/* Shoots at a fresh cell: beside a hit if there is one, else anywhere. */
static void shoot(void)
{
    int fresh[CELLS], beside[CELLS], all = 0, near = 0;
    for (int row = 0; row < size; row++)
        for (int column = 0; column < size; column++) {
            int cell = row * ROW + column;
            if (shot_at[cell])
                continue;
            fresh[all++] = cell;
            if (is_beside_a_hit(row, column))
                beside[near++] = cell;
        }
    int cell = near ? beside[draw(near)] : all ? fresh[draw(all)] : 0;
    shot_at[cell] = 1;
    char text[FRAME];
    snprintf(text, FRAME, "{\"c\":%d,\"mt\":%d,\"r\":%d}", cell % ROW, SHOT, cell / ROW);
    say(text);
}

/* Notes a hit of the player's own. The rest of a message, from its shot on, tells of it. */
static void told(const char *shot)
{
    int row = value(shot, "\"r\":"), column = value(shot, "\"c\":");
    if (value(shot, "\"v\":") == HIT)
        hit[row * ROW + column] = 1;
}

static void answer(const char *message)
{
    switch (value(message, "\"mt\":")) {
    case SETUP:
        size = value(message, "\"bs\":");
        number = value(message, "\"pn\":");
        if (size > LARGEST)
            exit(1);
        break;
    case START:
        memset(taken, 0, sizeof taken);
        memset(shot_at, 0, sizeof shot_at);
        memset(hit, 0, sizeof hit);
        break;
    case PLACE:
        place(value(message, "\"l\":"));
        break;
    case SHOOT:
        shoot();
        break;
    case TOLD:
        if (!strstr(message, "\"ns\"")) { /* dialect 1: the shot of one player */
            if (value(message, "\"pn\":") == number)
                told(message);
        } else { /* dialect 2: the shots of both; may also ask for the next shot */
            const char *own = strstr(message, number == 1 ? "\"p1\"" : "\"p2\"");
            told(strstr(own, "\"st\""));
            if (strstr(message, "\"ns\":true"))
                shoot();
        }
    }
}

int main(int count, char **words)
{
    /* All luck comes from BOT_SEED, so that a match can be played again. */
    const char *seed = getenv("BOT_SEED");
    luck = seed ? strtoull(seed, NULL, 10) : (uint64_t)getpid();
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    strncpy(at.sun_path, words[count - 1], sizeof at.sun_path - 1);
    judge = socket(AF_UNIX, SOCK_STREAM, 0);
    if (count < 2 || connect(judge, (struct sockaddr *)&at, sizeof at)) {
        fprintf(stderr, "the last argument is to be the path of the judge's socket\n");
        return 1;
    }
    char text[FRAME];
    snprintf(text, FRAME, "{\"ai\":\"%s\",\"au\":\"\",\"mt\":%d}", "contest-c", HELLO);
    say(text);
    char message[FRAME + 1] = "";
    while (recv(judge, message, FRAME, 0) > 0) /* nothing more comes when the match is over */
        answer(message);
    return 0;
}
