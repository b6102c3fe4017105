/*
 * Texts of others on their way to a terminal or into a file: what would move the cursor, change colors or the direction
 * of writing, or end a line, is shown as '?'.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Bytes of the character at `s` (UTF-8, RFC 3629), and its number in `code`; 0: the byte belongs to none. */
int utf8_character(const char *s, uint32_t *code);

/* Control characters (C0, DEL, C1), marks of direction, separators of lines and paragraphs. */
bool is_control(uint32_t code);

/*
 * Each byte of such a character, and of what is no UTF-8, becomes '?': the text keeps its length. Line ends and tabs
 * stay in a text of several lines; in `one_line` they go, too.
 */
void text_clean(char *text, bool one_line);
