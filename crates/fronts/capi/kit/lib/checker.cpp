#include "checker.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <iostream>
#include <string>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kit {

namespace {

// The default time limit of a check; the environment variable KIT_SECONDS overrides it.
const int DEFAULT_SECONDS = 10;
const char* const SECONDS_VARIABLE = "KIT_SECONDS";

// The limits of a check's memory and file sizes, so that no endless loop fills the machine.
const rlim_t MAX_MEMORY = rlim_t(4) << 30;
const rlim_t MAX_OUTPUT = rlim_t(16) << 20;

// The interval at which the parent polls a check.
const long POLL_NANOSECONDS = 2000000;

// The maximum length of a crashed check's cerr that is shown.
const std::size_t MAX_CERR_CHARS = 600;

// The report of a check to its parent, in shared memory.
struct CheckReport
{
    char failure[8192];
    char step[4096];
    char call[1024];
    int seconds;
    bool finished;
};

CheckReport* report = nullptr;

// The standard input, output and error of the running check: files without a name.
int input = -1;
int output = -1;
int errors = -1;
off_t output_offset = 0;
off_t errors_offset = 0;

template<std::size_t SIZE>
void write(char (&to)[SIZE], const std::string& words)
{
    const std::size_t length = words.copy(to, SIZE - 1);
    to[length] = '\0';
}

[[noreturn]] void exit_with_error(const char* what)
{
    std::perror(what);
    std::exit(2);
}

int open_temporary_file()
{
    std::FILE* file = std::tmpfile();
    if (file == nullptr)
        exit_with_error("a temporary file");
    const int number = dup(fileno(file));
    std::fclose(file);
    return number;
}

std::string read_from(int file, off_t& offset)
{
    std::string text;
    char part[4096];
    ssize_t length;
    while ((length = pread(file, part, sizeof part, offset)) > 0)
    {
        text.append(part, static_cast<std::size_t>(length));
        offset += length;
    }
    return text;
}

std::string indent(const std::string& text)
{
    std::string lines = "       ";
    for (char c : text)
    {
        lines += c;
        if (c == '\n')
            lines += "       ";
    }
    return lines;
}

int max_seconds()
{
    const char* text = std::getenv(SECONDS_VARIABLE);
    const int seconds = text == nullptr ? 0 : std::atoi(text);
    return seconds > 0 ? seconds : DEFAULT_SECONDS;
}

// The type of a resource's name depends on the system.
template<typename Resource>
void limit(Resource resource, rlim_t most)
{
    const struct rlimit limits = { most, most };
    setrlimit(resource, &limits);
}

// Fails the check with the member that was called last, what it does, and the step of the check.
[[noreturn]] void fail_with_exception(const std::string& what)
{
    std::string words = std::string(report->call) + " " + what;
    if (report->step[0] != '\0')
        words += std::string("\nwhile doing this: ") + report->step;
    fail(words);
}

// The process of one check.
[[noreturn]] void run_in_child(const Check& check)
{
    setpgid(0, 0);
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, MAX_OUTPUT);
#ifndef __SANITIZE_ADDRESS__
    limit(RLIMIT_AS, MAX_MEMORY);
#endif
    try
    {
        check.body();
    }
    catch (const std::exception& thrown)
    {
        fail_with_exception(std::string("throws an exception: ") + thrown.what());
    }
    catch (...)
    {
        fail_with_exception("throws an exception that is no std::exception");
    }
    report->finished = true;
    std::exit(EXIT_SUCCESS);
}

// Waits for the process. Returns false if it exceeded the time limit and was killed.
bool wait_for(pid_t process, int& status)
{
    const std::time_t start = std::time(nullptr);
    while (waitpid(process, &status, WNOHANG) == 0)
    {
        if (std::time(nullptr) - start > report->seconds)
        {
            kill(-process, SIGKILL);
            kill(process, SIGKILL);
            waitpid(process, &status, 0);
            return false;
        }
        const struct timespec nap = { 0, POLL_NANOSECONDS };
        nanosleep(&nap, nullptr);
    }
    return true;
}

// Describes how the check failed; empty if it passed.
std::string failure(bool in_time, int status)
{
    if (report->failure[0] != '\0')
        return report->failure;
    std::string words;
    if (!in_time)
        words = "no end after " + std::to_string(report->seconds)
                + (report->seconds == 1 ? " second" : " seconds");
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ)
        words = "writes without end";
    else if (WIFSIGNALED(status))
        words = std::string("crashes: ") + strsignal(WTERMSIG(status));
    else if (report->finished && WEXITSTATUS(status) == EXIT_SUCCESS)
        return "";
    else
        words = "ends the program, with exit status " + std::to_string(WEXITSTATUS(status));
    if (report->step[0] != '\0' && !report->finished)
        words += std::string("\nwhile doing this: ") + report->step;
    off_t start = 0;
    const std::string cerr_text = read_from(errors, start).substr(0, MAX_CERR_CHARS);
    if (in_time && !cerr_text.empty())
        words += "\nand writes to cerr: " + cerr_text;
    return words;
}

// Runs one check and prints its result. Returns whether it passes.
bool run_check(const Check& check)
{
    *report = CheckReport();
    report->seconds = max_seconds();
    input = open_temporary_file();
    output = open_temporary_file();
    errors = open_temporary_file();
    std::cout.flush();
    const pid_t process = fork();
    if (process < 0)
        exit_with_error("a new process");
    if (process == 0)
        run_in_child(check);
    int status = 0;
    const bool in_time = wait_for(process, status);
    const std::string words = failure(in_time, status);
    close(input);
    close(output);
    close(errors);
    if (words.empty())
        std::cout << "ok     " << check.title << std::endl;
    else
        std::cout << "WRONG  " << check.title << "\n" << indent(words) << std::endl;
    return words.empty();
}

}

int run(const char* name, const Check* checks, std::size_t count)
{
    void* shared = mmap(nullptr, sizeof(CheckReport), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        exit_with_error("memory");
    report = static_cast<CheckReport*>(shared);
    std::size_t passed = 0;
    for (std::size_t i = 0; i < count; i++)
        if (run_check(checks[i]))
            passed++;
    std::cout << name << ": " << passed << " of " << count << " checks passed\n" << std::endl;
    return passed == count ? EXIT_SUCCESS : EXIT_FAILURE;
}

void fail(const std::string& words)
{
    write(report->failure, words);
    // Exits instead of throwing, because the code under test may catch an exception.
    _exit(EXIT_FAILURE);
}

void set_step(const std::string& words)
{
    write(report->step, words);
}

void set_call(const std::string& member)
{
    write(report->call, member);
}

std::string last_call()
{
    return report->call;
}

void extend_time_limit(int seconds)
{
    report->seconds += seconds;
}

void set_input(const std::string& text)
{
    if (pwrite(input, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
        exit_with_error("the input of a check");
}

std::string remaining_input()
{
    std::string text;
    std::cin.clear();
    for (int c; (c = std::cin.get()) != std::char_traits<char>::eof();)
        text += static_cast<char>(c);
    return text;
}

std::string read_cout()
{
    std::cout.flush();
    std::fflush(stdout);
    return read_from(output, output_offset);
}

std::string read_cerr()
{
    std::cerr.flush();
    std::fflush(stderr);
    return read_from(errors, errors_offset);
}

}
