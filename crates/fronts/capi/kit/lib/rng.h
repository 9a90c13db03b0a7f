#ifndef KIT_RNG_H
#define KIT_RNG_H

#include "Side.h"

#include <cstdint>

namespace kit {

// Pseudorandom numbers, the same on every machine: Marsaglia's xorshift32.
class Rng
{
public:
    // The seed must not be 0.
    explicit Rng(std::uint32_t seed) : m_state(seed)
    {
    }

    int between(int least, int most)
    {
        m_state ^= m_state << 13;
        m_state ^= m_state >> 17;
        m_state ^= m_state << 5;
        const std::uint32_t choices = static_cast<std::uint32_t>(most - least) + 1;
        return least + static_cast<int>(m_state % choices);
    }

    Side side()
    {
        return between(0, 1) == 0 ? NORTH : SOUTH;
    }

private:
    std::uint32_t m_state;
};

}

#endif
