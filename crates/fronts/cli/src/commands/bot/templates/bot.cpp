// A Kalah bot that speaks UKI. It receives the current position, so that it needs no rules.

#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

// The rows of the player to move and of the opponent, each in its owner's sowing order: house 0 is
// the farthest from its owner's store.
struct Position {
    std::vector<int> own;
    std::vector<int> other;
    bool is_south = true;
};

// Returns how good it is to sow a house: PUT YOUR IDEAS HERE.
int score(const Position& position, int house) {
    int houses = static_cast<int>(position.own.size());
    int last = (house + position.own[house]) % (2 * houses + 1);
    if (last == houses) {
        return 1000 + house;  // The last seed falls into the store: a bonus turn.
    }
    if (last < houses && position.own[last] == 0 && position.other[houses - 1 - last] > 0) {
        return 100 + position.other[houses - 1 - last];  // A capture.
    }
    return house;
}

// Returns the house to sow, nothing if all own houses are empty.
std::optional<int> choose(const Position& position) {
    std::optional<int> best;
    for (int house = 0; house < static_cast<int>(position.own.size()); house++) {
        if (position.own[house] > 0 && (!best || score(position, house) > score(position, *best))) {
            best = house;
        }
    }
    return best;
}

// Parses the words behind `position`: `<houses,stores,South's houses,North's houses> s rules ...`.
std::optional<Position> read_position(std::istream& words) {
    char mark = 0;
    int houses = 0, store = 0;
    if (!(words >> mark >> houses) || mark != '<' || houses < 1 || houses > 26) {
        return std::nullopt;
    }
    auto read = [&](int& seeds) { return (words >> mark >> seeds) && mark == ','; };
    std::vector<int> rows(2 * houses);
    if (!read(store) || !read(store)) {
        return std::nullopt;
    }
    for (int& seeds : rows) {
        if (!read(seeds)) {
            return std::nullopt;
        }
    }
    std::string side;
    if (!(words >> mark >> side) || mark != '>') {
        return std::nullopt;
    }
    std::vector<int> south(rows.begin(), rows.begin() + houses);
    std::vector<int> north(rows.begin() + houses, rows.end());
    return side == "s" ? Position{south, north, true} : Position{north, south, false};
}

#ifndef BOT_TEST
int main() {
    Position position;
    std::string line;
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);
        std::string command;
        words >> command;
        // std::endl flushes the line, without which the host never sees it.
        if (command == "uki") {
            std::cout << "id name My bot\n"
                      << "option name Position type combo default now var now var moves\n"
                      << "ukiok" << std::endl;
        } else if (command == "isready") {
            std::cout << "readyok" << std::endl;
        } else if (command == "position") {
            if (auto read = read_position(words)) {
                position = *read;
            } else {
                std::cout << "error not a position" << std::endl;
            }
        } else if (command == "go") {
            if (auto house = choose(position)) {
                char letter = static_cast<char>((position.is_south ? 'A' : 'a') + *house);
                std::cout << "bestmove " << letter << std::endl;
            } else {
                std::cout << "bestmove none" << std::endl;
            }
        } else if (command == "quit") {
            break;
        }
    }
}
#endif
