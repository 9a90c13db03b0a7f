// A person against a bad player on a small board.

#include "Board.h"
#include "Game.h"
#include "Player.h"

int main()
{
    HumanPlayer marge("Marge");
    BadPlayer homer("Homer");
    Board board(3, 2);
    Game game(board, &marge, &homer);
    game.play();
}
