"""Tests of the bot: python3 test_bot.py"""

import unittest

import bot


class BotTest(unittest.TestCase):
    def test_bonus_turn_is_preferred(self):
        self.assertEqual(bot.choose([4, 4, 4, 4, 4, 4], [4, 4, 4, 4, 4, 4]), 2)

    def test_only_house_with_seeds_is_chosen(self):
        self.assertEqual(bot.choose([0, 3, 0], [1, 1, 1]), 1)
        self.assertIsNone(bot.choose([0, 0, 0], [1, 1, 1]))

    def test_position_of_north_has_its_row_first(self):
        words = "position <2,0,1,3,4,5,6> n rules cs32".split()
        self.assertEqual(bot.read_position(words), ([5, 6], [3, 4], False))


unittest.main()
