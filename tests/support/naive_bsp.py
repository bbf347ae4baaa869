"""A naive server of BSP, written from what the protocol says alone."""

from __future__ import annotations

from naive_server import NaiveServer

CELLS = {f"{row}{column}" for row in "ABCDEFGHIJ" for column in range(1, 11)}


class NaiveBsp(NaiveServer):
    """Deals the same fleet to everyone, with A to begin: ``fleet`` is a list of ships, each a list
    of cells as they are called, and ``text`` how the server tells of it."""

    longest = 1024

    def __init__(self, fleet, text, rounds):
        super().__init__()
        self.fleet, self.text, self.rounds = fleet, text, rounds
        self.stage: dict[int, str] = {}
        self.queue: list[int] = []
        self.rooms: dict[int, NaiveRoom] = {}

    def connect(self, client):
        self.stage[client] = "new"

    def gone(self, client, why):
        if client in self.rooms:
            self.counts["left"] += 1
            self._over(client, "DISCONNECTION", client)
        else:
            self.queue = [one for one in self.queue if one != client]
            self.closed.add(client)

    def unreadable(self, client):
        if self.stage[client] == "new":
            self.closed.add(client)
        else:
            self.counts["bad"] += 1
            self.sent[client].append("BAD_REQUEST")

    def line(self, client, line):
        if self.stage[client] == "new":
            self._join(client, line)
        elif line == "SURRENDER":
            if client in self.rooms:
                self._over(client, "SURRENDER", client)
            else:
                self.gone(client, "")
        elif line[:5] == "SHOT " and line[5:] in CELLS:
            if client in self.rooms and self.rooms[client].up == client:
                self._shot(client, line[5:])
        else:
            self.unreadable(client)

    def late(self):
        """Half a minute goes by: turns are over, and who has not joined is closed."""
        for room in {id(room): room for room in self.rooms.values()}.values():
            self._over(room.up, "TIMEOUT", room.up)
        self.closed |= {one for one, stage in self.stage.items() if stage == "new"}

    def stop(self):
        for room in {id(room): room for room in self.rooms.values()}.values():
            self._over(room.players[0], "ABORTED", room.players[0])
        self.closed |= set(self.stage)

    def _join(self, client, line):
        word, space, name = line.partition(" ")
        named = 0 < len(name) <= 20 and all("!" <= one <= "~" for one in name)
        if word != "JOIN" or (space and not named):
            self.closed.add(client)
            return
        self.stage[client] = "joined"
        self.sent[client].append("JOINED_MATCHMAKING")
        self.queue.append(client)
        if len(self.queue) == 2:
            self.counts["begun"] += 1
            room = NaiveRoom(self.queue)
            self.queue = []
            for letter, one in zip("AB", room.players, strict=True):
                self.rooms[one] = room
                self.sent[one] += [f"START_GAME {letter} {{{self.text}}}", "TURN A"]

    def _shot(self, client, cell):
        room = self.rooms[client]
        other = room.other(client)
        shots = room.shots[client]
        ship = next((ship for ship in self.fleet if cell in ship and cell not in shots), None)
        shots.append(cell)
        sunk = ship is not None and set(ship) <= set(shots)
        result = f"MISS {cell}" if ship is None else f"HIT {cell}{' SUNK' if sunk else ''}"
        for one in room.players:
            self.sent[one].append(result)
        room.up = other
        afloat = {one: self._afloat(room.shots[room.other(one)]) for one in room.players}
        a, b = room.players
        if not afloat[other]:
            self._over(client, "WINNER", client)
        elif len(room.shots[a]) == len(room.shots[b]) == self.rounds:
            ahead = a if afloat[a] > afloat[b] else b
            self._over(a, *("DRAW", a) if afloat[a] == afloat[b] else ("WINNER", ahead))
        else:
            for one in room.players:
                self.sent[one].append(f"TURN {'AB'[room.players.index(other)]}")

    def _afloat(self, shots):
        return sum(not set(ship) <= set(shots) for ship in self.fleet)

    def _over(self, client, why, who):
        room = self.rooms[client]
        self.counts[why] += 1
        for one in room.players:
            self.sent[one].append(f"END_GAME {why} {'AB'[room.players.index(who)]}")
            self.closed.add(one)
            del self.rooms[one]


class NaiveRoom:
    def __init__(self, players):
        self.players = list(players)
        self.up = self.players[0]
        self.shots = {one: [] for one in self.players}

    def other(self, client):
        return self.players[1 - self.players.index(client)]
