/* contest-rows, an AI of the Battleships contest: places its ships from the top left, and shoots row
 * by row.
 *
 * It speaks both dialects of the wire: the guide `contest` has every message. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { FRAME = 256 };

/* Kinds of messages, in their key mt. */
enum { HELLO = 1, SETUP, START, PLACE, PLACED, SHOOT, SHOT, TOLD };

enum { RIGHT = 72 };

static int judge; /* the socket */
static int size;  /* of the board */
static int fired, row, column;

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

/* Places a ship right of the last one, or where that does not fit in the next row. */
static void place(int length)
{
    if (column + length > size) {
        column = 0;
        row++;
    }
    char text[FRAME];
    snprintf(text, FRAME, "{\"c\":%d,\"d\":%d,\"l\":%d,\"mt\":%d,\"r\":%d}", column, RIGHT, length,
             PLACED, row);
    column += length;
    say(text);
}

static void shoot(void)
{
    char text[FRAME];
    snprintf(text, FRAME, "{\"c\":%d,\"mt\":%d,\"r\":%d}", fired % size, SHOT, fired / size % size);
    fired++;
    say(text);
}

static void answer(const char *message)
{
    switch (value(message, "\"mt\":")) {
    case SETUP:
        size = value(message, "\"bs\":");
        break;
    case START:
        fired = row = column = 0;
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
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    strncpy(at.sun_path, words[count - 1], sizeof at.sun_path - 1);
    judge = socket(AF_UNIX, SOCK_STREAM, 0);
    if (count < 2 || connect(judge, (struct sockaddr *)&at, sizeof at)) {
        fprintf(stderr, "the last argument is to be the path of the judge's socket\n");
        return 1;
    }
    say("{\"ai\":\"contest-rows\",\"au\":\"the judge\",\"mt\":1}");
    char message[FRAME + 1] = "";
    while (recv(judge, message, FRAME, 0) > 0) /* nothing more comes when the match is over */
        answer(message);
    return 0;
}
