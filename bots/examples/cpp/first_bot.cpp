// A complete first bot for arena. It needs no rules: arena sends the legal moves.
// Copy this file, change choose(), and run:
//     c++ -std=c++17 -O2 -o first_bot first_bot.cpp && arena check ./first_bot
#include <iostream>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

const std::string name = "first-cpp";

// Picks one of the legal moves. THIS IS THE FUNCTION TO CHANGE.
// game is its name with its size, such as "breakthrough:6x6"; position is what
// arena sent: "startpos moves a2a3 ..." or "fen ... moves ...".
std::string choose(const std::string& game, const std::vector<std::string>& legal, const std::string& position, std::mt19937& random) {
    (void)game;
    (void)position;
    return legal[random() % legal.size()];
}

// Sends one line at once: a line kept in a buffer is a bot that hangs.
void say(const std::string& line) { std::cout << line << std::endl; }

int main() {
    std::mt19937 random(1);
    std::vector<std::string> legal;
    std::string line, game, position;
    while (std::getline(std::cin, line)) {  // ends when arena closes our input
        std::istringstream words(line);
        std::string word;
        words >> word;
        if (word == "ugi") {
            say("id name " + name);
            say("id author me");
            say("option name UGI_Variant type string default breakthrough");
            say("option name UGI_LegalMoves type check default false");
            say("option name Seed type spin default 1 min 0 max 2147483647");
            say("ugiok");
        } else if (word == "setoption") {  // setoption name Seed value 7
            std::string skip, option, value;
            words >> skip >> option >> skip >> value;
            if (option == "Seed") random.seed(static_cast<unsigned>(std::stoul(value)));
            if (option == "UGI_Variant") game = value;
        } else if (word == "isready") {
            say("readyok");
        } else if (word == "position") {
            std::getline(words >> std::ws, position);
        } else if (word == "legal") {
            legal.assign(std::istream_iterator<std::string>(words), {});
        } else if (word == "go") {
            say("bestmove " + choose(game, legal, position, random));
        } else if (word == "quit") {
            return 0;
        }
    }
}
