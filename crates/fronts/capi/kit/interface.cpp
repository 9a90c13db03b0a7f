// Checks that the classes have the members of the assignment with their types. Calls no member, so
// that the file compiles when members are missing.

#include "Board.h"
#include "Game.h"
#include "Player.h"
#include "Side.h"

#include <iostream>
#include <string>
#include <type_traits>

// Defines a template NAME whose value is whether a class has the member with this type.
#define MEMBER(NAME, TYPE, MEMBER_NAME)                                                            \
    template<typename T>                                                                           \
    auto NAME(int) -> decltype(static_cast<TYPE>(&T::MEMBER_NAME), std::true_type());              \
    template<typename T>                                                                           \
    std::false_type NAME(...);

MEMBER(HasHoles, int (T::*)() const, holes)
MEMBER(HasBeans, int (T::*)(Side, int) const, beans)
MEMBER(HasBeansInPlay, int (T::*)(Side) const, beansInPlay)
MEMBER(HasTotalBeans, int (T::*)() const, totalBeans)
MEMBER(HasSow, bool (T::*)(Side, int, Side&, int&), sow)
MEMBER(HasMoveToPot, bool (T::*)(Side, int, Side), moveToPot)
MEMBER(HasSetBeans, bool (T::*)(Side, int, int), setBeans)
MEMBER(HasName, std::string (T::*)() const, name)
MEMBER(HasIsInteractive, bool (T::*)() const, isInteractive)
MEMBER(HasChooseMove, int (T::*)(const Board&, Side) const, chooseMove)
MEMBER(HasDisplay, void (T::*)() const, display)
MEMBER(HasStatus, void (T::*)(bool&, bool&, Side&) const, status)
MEMBER(HasMove, bool (T::*)(Side), move)
MEMBER(HasPlay, void (T::*)(), play)

#define HAS(NAME, CLASS) decltype(NAME<CLASS>(0))::value

namespace {

struct Requirement
{
    bool isPresent;
    const char* words;
};

const Requirement REQUIREMENTS[] = {
    { std::is_constructible<Board, int, int>::value, "Board(int nHoles, int nInitialBeansPerHole)" },
    { std::is_copy_constructible<Board>::value, "Board can be copied" },
    { std::is_copy_assignable<Board>::value, "Board can be assigned" },
    { HAS(HasHoles, Board), "int Board::holes() const" },
    { HAS(HasBeans, Board), "int Board::beans(Side s, int hole) const" },
    { HAS(HasBeansInPlay, Board), "int Board::beansInPlay(Side s) const" },
    { HAS(HasTotalBeans, Board), "int Board::totalBeans() const" },
    { HAS(HasSow, Board), "bool Board::sow(Side s, int hole, Side& endSide, int& endHole)" },
    { HAS(HasMoveToPot, Board), "bool Board::moveToPot(Side s, int hole, Side potOwner)" },
    { HAS(HasSetBeans, Board), "bool Board::setBeans(Side s, int hole, int beans)" },

    { std::is_abstract<Player>::value, "Player is abstract" },
    { std::has_virtual_destructor<Player>::value, "Player has a virtual destructor" },
    { HAS(HasName, Player), "std::string Player::name() const" },
    { HAS(HasIsInteractive, Player), "virtual bool Player::isInteractive() const" },
    { HAS(HasChooseMove, Player),
      "virtual int Player::chooseMove(const Board& b, Side s) const = 0" },
    { std::is_base_of<Player, HumanPlayer>::value, "HumanPlayer is a Player" },
    { std::is_base_of<Player, BadPlayer>::value, "BadPlayer is a Player" },
    { std::is_base_of<Player, SmartPlayer>::value, "SmartPlayer is a Player" },
    { std::is_constructible<HumanPlayer, std::string>::value, "HumanPlayer(std::string name)" },
    { std::is_constructible<BadPlayer, std::string>::value, "BadPlayer(std::string name)" },
    { std::is_constructible<SmartPlayer, std::string>::value, "SmartPlayer(std::string name)" },

    { std::is_constructible<Game, const Board&, Player*, Player*>::value,
      "Game(const Board& b, Player* south, Player* north)" },
    { HAS(HasDisplay, Game), "void Game::display() const" },
    { HAS(HasStatus, Game), "void Game::status(bool& over, bool& hasWinner, Side& winner) const" },
    { HAS(HasMove, Game), "bool Game::move(Side s)" },
    { HAS(HasPlay, Game), "void Game::play()" },
    { HAS(HasBeans, Game), "int Game::beans(Side s, int hole) const" },
};

}

int main()
{
    bool allPresent = true;
    for (const Requirement& requirement : REQUIREMENTS)
        if (!requirement.isPresent)
        {
            std::cout << "WRONG  the public interface lacks this: " << requirement.words
                      << std::endl;
            allPresent = false;
        }
    if (allPresent)
        std::cout << "ok     the public interface has all that the assignment names" << std::endl;
    return allPresent ? 0 : 1;
}
