import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * A Battleships bot that places its ships at random and shoots beside its hits.
 *
 * <p>The cell in column 4 and row 2 is "42" in requests, and the number 42 here. A step down is + 1
 * and one to the right + 10. Digits go from 0 to 7, so a step off the grid never ends on a cell.
 *
 * <p>bot.json sets LC_ALL: in another locale a JVM does not find its classes in a folder whose name
 * is not ASCII. bot.json also gives javac -XDstringConcat=inline, which makes + between texts plain
 * calls: otherwise each new JVM takes half as long again to start.
 */
final class Bot {
    /** A fleet. Each ship is drawn by itself, and all again if two overlap. */
    static String place(Random luck) {
        while (true) {
            StringBuilder fleet = new StringBuilder();
            Set<Integer> taken = new HashSet<>();
            for (int size = 2; size <= 5; size++) {
                int along = luck.nextInt(9 - size);
                int across = luck.nextInt(8);
                boolean horizontal = luck.nextBoolean();
                int start = horizontal ? 10 * along + across : 10 * across + along;
                for (int i = 0; i < size; i++) {
                    taken.add(start + i * (horizontal ? 10 : 1));
                }
                fleet.append(fleet.length() == 0 ? "{" : ",");
                fleet.append("\"" + size + "\":{\"point\":\"" + text(start) + "\",\"orientation\":\""
                        + (horizontal ? "horizontal" : "vertical") + "\"}");
            }
            if (taken.size() == 2 + 3 + 4 + 5) {
                return fleet.append("}").toString();
            }
        }
    }

    /** A fresh cell beside a hit, or else any fresh one. */
    static int shoot(Set<Integer> hit, Set<Integer> missed, Random luck) {
        List<Integer> fresh = new ArrayList<>();
        List<Integer> beside = new ArrayList<>();
        for (int cell = 0; cell < 78; cell++) {
            if (cell % 10 < 8 && !hit.contains(cell) && !missed.contains(cell)) {
                fresh.add(cell);
                if (hit.contains(cell - 10) || hit.contains(cell - 1)
                        || hit.contains(cell + 1) || hit.contains(cell + 10)) {
                    beside.add(cell);
                }
            }
        }
        List<Integer> choice = beside.isEmpty() ? fresh : beside;
        return choice.get(luck.nextInt(choice.size()));
    }

    static String text(int cell) {
        return "" + cell / 10 + cell % 10;
    }

    /** The cells that the request, JSON without any spaces, lists under the key. */
    static Set<Integer> cells(String request, String key) {
        Set<Integer> cells = new HashSet<>();
        int start = request.indexOf("\"" + key + "\":[") + key.length() + 4;
        String list = request.substring(start, request.indexOf(']', start));
        for (String cell : list.split(",")) {
            if (!cell.isEmpty()) {
                cells.add(Integer.valueOf(cell.replace("\"", "")));
            }
        }
        return cells;
    }

    public static void main(String[] arguments) {
        String request = arguments[0];
        // All luck comes from BOT_SEED and the request, so that a game can be played again.
        Random luck = new Random((System.getenv("BOT_SEED") + request).hashCode());
        if (request.contains("\"cmd\":\"init\"")) {
            System.out.println(place(luck));
        } else {
            int cell = shoot(cells(request, "hit"), cells(request, "missed"), luck);
            System.out.println("{\"move\":\"" + text(cell) + "\"}");
        }
    }
}
