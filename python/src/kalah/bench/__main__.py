"""`python -m kalah.bench`: the benchmark."""

from kalah.bench import main

if __name__ == "__main__":
    main()
