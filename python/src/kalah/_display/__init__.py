"""Boards, reports, reviews and progress, as notebooks, windows and terminals display them."""
