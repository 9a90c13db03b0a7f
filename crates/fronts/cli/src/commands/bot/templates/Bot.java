// A Kalah bot that speaks UKI. It receives the current position, so that it needs no rules.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.Arrays;

public class Bot {
    /**
     * The rows of the player to move and of the opponent, each in its owner's sowing order: house 0
     * is the farthest from its owner's store.
     */
    static int[] own = {};
    static int[] other = {};
    static boolean isSouth = true;

    /** Returns how good it is to sow a house: PUT YOUR IDEAS HERE. */
    static int score(int house) {
        int houses = own.length;
        int last = (house + own[house]) % (2 * houses + 1);
        if (last == houses) {
            return 1000 + house; // The last seed falls into the store: a bonus turn.
        }
        if (last < houses && own[last] == 0 && other[houses - 1 - last] > 0) {
            return 100 + other[houses - 1 - last]; // A capture.
        }
        return house;
    }

    /** Returns the house to sow, -1 if all own houses are empty. */
    static int choose() {
        int best = -1;
        for (int house = 0; house < own.length; house++) {
            if (own[house] > 0 && (best < 0 || score(house) > score(best))) {
                best = house;
            }
        }
        return best;
    }

    /**
     * Parses `position <houses,stores,South's houses,North's houses> s rules ...`. Returns whether
     * the words are a position; if they are not, the position keeps its value.
     */
    static boolean readPosition(String[] words) {
        try {
            String[] texts = words[1].replaceAll("[<>]", "").split(",");
            int[] numbers = Arrays.stream(texts).mapToInt(Integer::parseInt).toArray();
            int houses = numbers[0];
            if (houses < 1 || numbers.length != 3 + 2 * houses) {
                return false;
            }
            boolean southMoves = words[2].equals("s");
            int[] south = Arrays.copyOfRange(numbers, 3, 3 + houses);
            int[] north = Arrays.copyOfRange(numbers, 3 + houses, numbers.length);
            isSouth = southMoves;
            own = southMoves ? south : north;
            other = southMoves ? north : south;
            return true;
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException reason) {
            return false;
        }
    }

    /** Writes a line at once: without the flush the host never sees it. */
    static void write(String line) {
        System.out.println(line);
        System.out.flush();
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] words = line.trim().split("\\s+");
            switch (words[0]) {
                case "uki":
                    write("id name My bot");
                    write("option name Position type combo default now var now var moves");
                    write("ukiok");
                    break;
                case "isready":
                    write("readyok");
                    break;
                case "position":
                    if (!readPosition(words)) {
                        write("error not a position");
                    }
                    break;
                case "go":
                    int house = choose();
                    char letter = (char) ((isSouth ? 'A' : 'a') + house);
                    write(house < 0 ? "bestmove none" : "bestmove " + letter);
                    break;
                case "quit":
                    return;
                default:
                    break;
            }
        }
    }
}
