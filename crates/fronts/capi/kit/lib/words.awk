# Prints the tokens of a source file in the output of a preprocessor, separated by spaces: words, and
# other characters one by one. Literals, and lines of other files, are left out.
#
#     awk -v file=PATH -f words.awk

# A line marker names the file of the next lines.
/^#/ {
    is_kept = index($0, "\"" file "\"") > 0
    next
}

is_kept { text = text $0 "\n" }

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

# Removes the rest of a raw string, from its quotation mark on: "mark(...)mark".
function skip_raw_string(    mark, end) {
    mark = substr(text, 2, index(text, "(") - 2)
    end = index(text, ")" mark "\"")
    skip(end ? end + length(mark) + 1 : 1)
}

END {
    while (text != "") {
        if (match(text, /^[ \t\n]+/)) {
            skip(RLENGTH)
        } else if (match(text, /^[A-Za-z_][A-Za-z_0-9]*/)) {
            word = substr(text, 1, RLENGTH)
            skip(RLENGTH)
            if (word ~ /^(L|u8|u|U)?R$/ && text ~ /^"/)
                skip_raw_string()
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
    print ""
}
