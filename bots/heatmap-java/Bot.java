import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * heatmap in Java: shoots where most of the remaining ships could lie.
 *
 * <p>Every way for a ship still afloat to lie counts one for each fresh cell in it, and ten more for
 * each open hit in it. A hit is open unless every way to lay the sunk ships on the hits uses it.
 *
 * <p>A set of cells is a long: cell "XY" is bit 8 * X + Y, so a step down is one bit and a step to
 * the right is eight. Streams, lambdas and String.format are left out because a new process for
 * every move has to load what they need every time.
 */
final class Bot {
    static final int SIDE = 8;
    static final int SMALLEST = 2;
    static final int LARGEST = 5;

    /** Every way for a ship of this size to lie. */
    static List<Long> lines(int size) {
        List<Long> lines = new ArrayList<>();
        for (int across = 0; across < SIDE; across++) {
            for (int along = 0; along + size <= SIDE; along++) {
                long down = 0;
                long right = 0;
                for (int i = 0; i < size; i++) {
                    down |= 1L << SIDE * across + along + i;
                    right |= 1L << SIDE * (along + i) + across;
                }
                lines.add(down);
                lines.add(right);
            }
        }
        return lines;
    }

    /** A fleet, each legal one as likely: every ship by itself, and all anew on an overlap. */
    static String place(SplittableRandom luck) {
        while (true) {
            long taken = 0;
            int cells = 0;
            StringBuilder fleet = new StringBuilder();
            for (int size = SMALLEST; size <= LARGEST; size++) {
                List<Long> lines = lines(size);
                long ship = lines.get(luck.nextInt(lines.size()));
                int start = Long.numberOfTrailingZeros(ship);
                boolean down = (ship >> start & 2) != 0;
                fleet.append(fleet.isEmpty() ? "{" : ",").append('"').append(size);
                fleet.append("\":{\"point\":\"").append(start / SIDE).append(start % SIDE);
                fleet.append("\",\"orientation\":\"").append(down ? "vertical" : "horizontal").append("\"}");
                taken |= ship;
                cells += size;
            }
            if (Long.bitCount(taken) == cells) {
                return fleet.append('}').toString();
            }
        }
    }

    /** The hits that every way to lay ships of the sizes, from the n-th on, on the hits uses. */
    static long settled(long hit, List<Integer> sizes, int n) {
        if (n == sizes.size()) {
            return 0;
        }
        long common = -1;
        for (long line : lines(sizes.get(n))) {
            if ((line & ~hit) == 0) {
                common &= line | settled(hit & ~line, sizes, n + 1);
            }
        }
        return common;
    }

    /** The hottest fresh cell, or one of them. */
    static String shoot(long hit, long missed, List<Integer> destroyed, SplittableRandom luck) {
        long closed = missed | settled(hit, destroyed, 0);
        int[] heat = new int[SIDE * SIDE];
        for (int size = SMALLEST; size <= LARGEST; size++) {
            for (long line : destroyed.contains(size) ? List.<Long>of() : lines(size)) {
                for (int cell = 0; (line & closed) == 0 && cell < SIDE * SIDE; cell++) {
                    heat[cell] += (line >> cell & 1) == 0 ? 0 : 1 + 10 * Long.bitCount(line & hit);
                }
            }
        }
        List<Integer> hottest = new ArrayList<>();
        for (int cell = 0; cell < SIDE * SIDE; cell++) {
            if (((hit | missed) >> cell & 1) == 0) {
                if (!hottest.isEmpty() && heat[cell] > heat[hottest.get(0)]) {
                    hottest.clear();
                }
                if (hottest.isEmpty() || heat[cell] == heat[hottest.get(0)]) {
                    hottest.add(cell);
                }
            }
        }
        int cell = hottest.get(luck.nextInt(hottest.size()));
        return new StringBuilder("{\"move\":\"").append(cell / SIDE).append(cell % SIDE).append("\"}").toString();
    }

    /** What the request, compact JSON, lists under the key, without the quotes. */
    static List<String> list(String request, String key) {
        List<String> items = new ArrayList<>();
        String opening = "\"".concat(key).concat("\":[");
        int start = request.indexOf(opening) + opening.length();
        if (start >= opening.length() && request.charAt(start) != ']') {
            for (String item : request.substring(start, request.indexOf(']', start)).split(",")) {
                items.add(item.replace("\"", ""));
            }
        }
        return items;
    }

    static long cells(List<String> names) {
        long cells = 0;
        for (String name : names) {
            cells |= 1L << SIDE * (name.charAt(0) - '0') + (name.charAt(1) - '0');
        }
        return cells;
    }

    public static void main(String[] arguments) {
        String request = arguments[0];
        boolean init = request.contains("\"cmd\":\"init\"");
        List<String> hit = list(request, "hit");
        List<String> missed = list(request, "missed");
        List<Integer> destroyed = new ArrayList<>();
        for (String size : list(request, "destroyed")) {
            destroyed.add(Integer.valueOf(size));
        }
        // With a seed all luck comes from it and from how far the game is, so that it can be repeated.
        String seed = System.getenv("BOT_SEED");
        int turn = init ? 99 : hit.size() + missed.size();
        SplittableRandom luck =
                seed == null ? new SplittableRandom() : new SplittableRandom(100L * seed.hashCode() + turn);
        System.out.println(init ? place(luck) : shoot(cells(hit), cells(missed), destroyed, luck));
    }
}
