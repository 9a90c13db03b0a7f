#ifndef KIT_CHECKER_H
#define KIT_CHECKER_H

// Runs checks on code that may be wrong in every way. Each check runs in a process of its own, with
// a time limit, so that one that crashes, hangs or writes without end takes nothing with it.

#include <cstddef>
#include <string>

namespace kit {

// What a class must do, in words, and the function that finds out whether it does.
struct Check
{
    const char* title;
    void (*body)();
};

// Runs all checks, says how each went, and returns the exit status: 0 if all passed, else 1. The
// name is what they are of.
int run(const char* name, const Check* checks, std::size_t count);

template<std::size_t COUNT>
int run(const char* name, const Check (&checks)[COUNT])
{
    return run(name, checks, COUNT);
}

// The rest is for the bodies of checks.

// Ends the check: the words say what is wrong.
[[noreturn]] void wrong(const std::string& words);

// Ends the check with these words unless it is so.
inline void need(bool isSo, const std::string& words)
{
    if (!isSo)
        wrong(words);
}

// What is about to be done: said of a check that comes to a bad end then.
void doing(const std::string& words);

// Gives the check that many seconds more.
void allow(int seconds);

// Types that text on the standard input, after which the input ends.
void type(const std::string& text);

// What is left of the standard input.
std::string unread();

// What has been written to cout since this was called last.
std::string said();

// What has been written to cerr since this was called last.
std::string complained();

}

#endif
