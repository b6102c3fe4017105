/*
 * What students wrote, made harmless before it is shown: file names, printed output, compiler messages. Control characters (C0, C1), those
 * that turn the direction of writing, and bytes that are no UTF-8 stand as <U+202E> and the like, which a reader sees.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* `lines`: line breaks and tabs stay. Free the text. */
char *clean(const char *text, bool lines);

/* A field of a table (RFC 4180), quoted; a spreadsheet does not take it for a formula. */
void csv_text(FILE *out, const char *text);
/* Text of an element or of an attribute of XML; `text` was cleaned. */
void xml_text(FILE *out, const char *text);
