#ifndef EXPECT_H
#define EXPECT_H

#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>

// Exits with this message unless the condition holds.
inline void expect(bool condition, const std::string& words)
{
    if (!condition)
    {
        std::cerr << "expected: " << words << std::endl;
        std::exit(EXIT_FAILURE);
    }
}

inline void expectEqual(long long found, long long right, const std::string& what)
{
    expect(found == right,
           what + " to be " + std::to_string(right) + ", found " + std::to_string(found));
}

// Captures the output to a stream during its lifetime.
class OutputCapture
{
public:
    explicit OutputCapture(std::ostream& stream)
     : m_stream(stream), m_before(stream.rdbuf(m_text.rdbuf()))
    {
    }
    OutputCapture(const OutputCapture&) = delete;
    OutputCapture& operator=(const OutputCapture&) = delete;
    ~OutputCapture()
    {
        m_stream.rdbuf(m_before);
    }
    std::string text() const
    {
        return m_text.str();
    }

private:
    std::ostringstream m_text;
    std::ostream& m_stream;
    std::streambuf* m_before;
};

// Makes cin read that text during its lifetime.
class InputRedirect
{
public:
    explicit InputRedirect(const std::string& text)
     : m_text(text), m_before(std::cin.rdbuf(m_text.rdbuf()))
    {
        std::cin.clear();
    }
    InputRedirect(const InputRedirect&) = delete;
    InputRedirect& operator=(const InputRedirect&) = delete;
    ~InputRedirect()
    {
        std::cin.rdbuf(m_before);
        std::cin.clear();
    }

private:
    std::istringstream m_text;
    std::streambuf* m_before;
};

#endif
