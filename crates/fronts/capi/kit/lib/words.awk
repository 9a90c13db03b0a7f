# Prints the tokens of a source file in the output of a preprocessor, separated by spaces: words, and
# other characters one by one. Literals, and lines of other files, are left out.
#
#     awk -f words.awk

# The end of the raw string that the line begins in, or nothing.
BEGIN { raw_end = "" }

# A line marker has the flag 1 where an included file begins, and 2 where another file goes on.
raw_end == "" && /^# [0-9]+ "/ {
    if ($0 ~ /" 1( [34])*$/)
        depth++
    else if ($0 ~ /" 2( [34])*$/)
        depth--
    next
}

# Another line that the preprocessor leaves, such as a pragma, has no code.
raw_end == "" && /^#/ { next }

!depth {
    text = $0
    print_tokens()
}

END { print "" }

# Removes the first characters of the text.
function skip(count) {
    text = substr(text, count + 1)
}

# Removes a literal whose first character is its quotation mark.
function skip_literal(quote) {
    if (match(text, "^" quote "([^" quote "\\\\]|\\\\.)*" quote))
        skip(RLENGTH)
    else
        skip(1)
}

# Removes the beginning of a raw string, from its quotation mark on: "mark(...)mark".
function begin_raw_string(    parenthesis) {
    parenthesis = index(text, "(")
    raw_end = ")" substr(text, 2, parenthesis - 2) "\""
    skip(parenthesis)
}

# Removes the text up to the end of a raw string, which can be in a later line.
function skip_raw_string(    end) {
    end = index(text, raw_end)
    if (end) {
        skip(end + length(raw_end) - 1)
        raw_end = ""
    } else
        text = ""
}

# Prints the tokens of the text, which is a line.
function print_tokens(    word) {
    while (text != "") {
        if (raw_end != "") {
            skip_raw_string()
        } else if (match(text, /^[ \t]+/)) {
            skip(RLENGTH)
        } else if (match(text, /^[A-Za-z_][A-Za-z_0-9]*/)) {
            word = substr(text, 1, RLENGTH)
            skip(RLENGTH)
            if (word ~ /^(L|u8|u|U)?R$/ && text ~ /^"/)
                begin_raw_string()
            else
                printf "%s ", word
        } else if (match(text, /^[0-9]([.'A-Za-z_0-9])*/)) {
            # Digits may be separated by a mark that begins no literal.
            skip(RLENGTH)
        } else if (text ~ /^"/) {
            skip_literal("\"")
        } else if (text ~ /^'/) {
            skip_literal("'")
        } else {
            printf "%s ", substr(text, 1, 1)
            skip(1)
        }
    }
}
