// Two bad players on a small board.

#include "Board.h"
#include "Game.h"
#include "Player.h"

int main()
{
    BadPlayer bart("Bart");
    BadPlayer homer("Homer");
    Board board(3, 2);
    Game game(board, &bart, &homer);
    game.play();
}
