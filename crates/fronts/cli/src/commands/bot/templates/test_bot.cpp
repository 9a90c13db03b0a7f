// Tests of the bot.

#define BOT_TEST
#include "bot.cpp"

#include <cstdlib>

static void check(bool is_right, const char* name) {
    if (!is_right) {
        std::cerr << "wrong: " << name << std::endl;
        std::exit(1);
    }
}

static std::optional<Position> parse(const char* text) {
    std::istringstream words(text);
    return read_position(words);
}

int main() {
    auto start = parse("<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> s rules cs32");
    check(start && choose(*start) == 2, "a bonus turn is preferred");
    auto north = parse("<2,0,1,3,4,0,6> n rules cs32");
    check(north && north->own[1] == 6 && north->other[0] == 3, "the row of North is first");
    check(choose(*north) == 1, "the only house with seeds is chosen");
    check(!parse("<6,garbage> s"), "garbage is no position");
}
