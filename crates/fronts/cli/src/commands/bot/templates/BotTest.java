// Tests of the bot.

public class BotTest {
    static void check(boolean isRight, String name) {
        if (!isRight) {
            System.err.println("wrong: " + name);
            System.exit(1);
        }
    }

    static boolean read(String line) {
        return Bot.readPosition(line.split(" "));
    }

    public static void main(String[] arguments) {
        check(read("position <6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> s rules cs32"), "start");
        check(Bot.choose() == 2, "a bonus turn is preferred");
        check(read("position <2,0,1,3,4,0,6> n rules cs32"), "position of North");
        check(Bot.own[1] == 6 && Bot.other[0] == 3, "the row of North is first");
        check(Bot.choose() == 1, "the only house with seeds is chosen");
        check(!read("position <6,garbage> s"), "garbage is no position");
    }
}
