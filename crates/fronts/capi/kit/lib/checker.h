#ifndef KIT_CHECKER_H
#define KIT_CHECKER_H

// Runs checks of untrusted code. Each check runs in a process of its own with a time limit, so that
// a crash, a hang or endless output does not affect the other checks.

#include <cstddef>
#include <string>

namespace kit {

// A required behaviour of a class, and the function that checks it.
struct Check
{
    const char* title;
    void (*body)();
};

// Runs all checks of the part `name`, prints the result of each, and returns the exit status: 0 if
// all passed, otherwise 1.
int run(const char* name, const Check* checks, std::size_t count);

template<std::size_t COUNT>
int run(const char* name, const Check (&checks)[COUNT])
{
    return run(name, checks, COUNT);
}

// The following functions are for the bodies of checks.

// Fails the check with this message.
[[noreturn]] void fail(const std::string& words);

// Fails the check with this message unless the condition holds.
inline void need(bool condition, const std::string& words)
{
    if (!condition)
        fail(words);
}

// Sets the description of the next step, which the report of a crash or a hang shows.
void set_step(const std::string& words);

// Sets the name of the member under test that is called next, such as `Board::sow`, which the report
// of an exception shows.
void set_call(const std::string& member);

// Returns the name that was set last.
std::string last_call();

// Evaluates an expression that calls the member.
#define CALL(member, expression) (kit::set_call(member), (expression))

// Adds this number of seconds to the time limit of the check.
void extend_time_limit(int seconds);

// Sets the whole standard input.
void set_input(const std::string& text);

// Reads the rest of the standard input.
std::string remaining_input();

// Returns the output to cout since the last call of this function.
std::string read_cout();

// Returns the output to cerr since the last call of this function.
std::string read_cerr();

}

#endif
