/* contest-random, an AI of the Battleships contest: places its ships at random, and shoots at fresh
 * cells at random.
 *
 * It speaks both dialects of the wire: the guide `contest` has every message. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { FRAME = 256, LARGEST = 10 };

/* Kinds of messages, in their key mt. */
enum { HELLO = 1, SETUP, START, PLACE, PLACED, SHOOT, SHOT, TOLD };

enum { RIGHT = 72, DOWN = 86 };

static int judge; /* the socket */
static int size;  /* of the board */
static char taken[LARGEST][LARGEST]; /* by its own ships */
static int fresh[LARGEST * LARGEST], left; /* cells that it has not shot at */
static uint64_t luck;

/* A number from 0 to n - 1 (the generator is splitmix64). */
static int draw(int n)
{
    uint64_t mixed = luck += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return (int)((mixed ^ mixed >> 31) % (uint64_t)n);
}

/* Sends a message, the rest of which is NULs. */
static void say(const char *text)
{
    char frame[FRAME] = "";
    strncpy(frame, text, FRAME - 1);
    if (send(judge, frame, FRAME, MSG_NOSIGNAL) != FRAME)
        exit(1);
}

/* The number at a key of a message; -1 if there is none. */
static int value(const char *message, const char *key)
{
    const char *found = strstr(message, key);
    return found ? atoi(found + strlen(key)) : -1;
}

/* Places a ship, drawn anew until it lies on none of the others. */
static void place(int length)
{
    int row, column, way, i, is_free;
    do {
        way = draw(2) ? RIGHT : DOWN;
        row = draw(way == RIGHT ? size : size - length + 1);
        column = draw(way == RIGHT ? size - length + 1 : size);
        for (i = 0, is_free = 1; i < length; i++)
            is_free &= way == RIGHT ? !taken[row][column + i] : !taken[row + i][column];
    } while (!is_free);
    for (i = 0; i < length; i++)
        *(way == RIGHT ? &taken[row][column + i] : &taken[row + i][column]) = 1;
    char text[FRAME];
    snprintf(text, FRAME, "{\"c\":%d,\"d\":%d,\"l\":%d,\"mt\":%d,\"r\":%d}", column, way, length,
             PLACED, row);
    say(text);
}

static void shoot(void)
{
    int at = draw(left), cell = fresh[at];
    fresh[at] = fresh[--left];
    char text[FRAME];
    snprintf(text, FRAME, "{\"c\":%d,\"mt\":%d,\"r\":%d}", cell % size, SHOT, cell / size);
    say(text);
}

static void answer(const char *message)
{
    switch (value(message, "\"mt\":")) {
    case SETUP:
        size = value(message, "\"bs\":");
        if (size > LARGEST)
            exit(1);
        break;
    case START:
        memset(taken, 0, sizeof taken);
        for (left = 0; left < size * size; left++)
            fresh[left] = left;
        break;
    case PLACE:
        place(value(message, "\"l\":"));
        break;
    case SHOOT:
        shoot();
        break;
    case TOLD: /* in dialect 2 the next shot is asked for with it */
        if (strstr(message, "\"ns\":true"))
            shoot();
    }
}

int main(int count, char **words)
{
    const char *seed = getenv("BOT_SEED");
    luck = seed ? strtoull(seed, NULL, 10) : (uint64_t)getpid();
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    strncpy(at.sun_path, words[count - 1], sizeof at.sun_path - 1);
    judge = socket(AF_UNIX, SOCK_STREAM, 0);
    if (count < 2 || connect(judge, (struct sockaddr *)&at, sizeof at)) {
        fprintf(stderr, "the last argument is to be the path of the judge's socket\n");
        return 1;
    }
    say("{\"ai\":\"contest-random\",\"au\":\"the judge\",\"mt\":1}");
    char message[FRAME + 1] = "";
    while (recv(judge, message, FRAME, 0) > 0) /* nothing more comes when the match is over */
        answer(message);
    return 0;
}
