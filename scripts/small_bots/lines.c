// A player of broadsides that never hits: a game has as many rounds as it may have.
#include <stdio.h>
#include <string.h>

int main(void) {
    char line[4096];
    int shots = 0;
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "ACTION SHIPS", 12))
            puts("SHIPS 5:A1:H 4:A2:H 3:A3:H 3:A4:H 2:A5:H");
        else if (!strncmp(line, "ACTION SHOTS", 12))
            printf("SHOTS %c%d\n", 'A' + shots % 10, 6 + shots / 10), shots++;
        else if (!strncmp(line, "ACTION FINISH", 13))
            puts("FINISH");
        fflush(stdout);
    }
}
