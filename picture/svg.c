/* Elements of SVG. */
#include <stdarg.h>
#include <string.h>

#include "picture/picture.h"

void picture_escape(FILE *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        case '\'': fputs("&#39;", out); break;
        case '\n':
        case '\t': fputc(*text, out); break;
        default: fputc((unsigned char)*text < ' ' || *text == 127 ? '?' : *text, out);
        }
}

void picture_begin(FILE *out, double width, double height, const char *told)
{
    /* Pages have whole numbers of pixels. */
    const int columns = (int)(width + 0.999), rows = (int)(height + 0.999);
    fprintf(out, "<svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"", columns,
            rows, columns, rows);
    picture_escape(out, told);
    fputs("\">\n", out);
}

void picture_end(FILE *out)
{
    fputs("</svg>\n", out);
}

void picture_box(FILE *out, double x, double y, double width, double height, const char *class)
{
    fprintf(out, "<rect x=\"%.4g\" y=\"%.4g\" width=\"%.4g\" height=\"%.4g\" class=\"%s\"/>\n", x, y, width,
            height, class);
}

void picture_line(FILE *out, double x1, double y1, double x2, double y2, const char *class)
{
    fprintf(out, "<path d=\"M%.4g %.4gL%.4g %.4g\" class=\"%s\"/>\n", x1, y1, x2, y2, class);
}

void picture_text(FILE *out, double x, double y, const char *class, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(out, "<text x=\"%.4g\" y=\"%.4g\" class=\"%s\">", x, y, class);
    picture_escape(out, text);
    fputs("</text>\n", out);
}

double picture_key_width(const char *words)
{
    return 34 + 5.7 * (double)strlen(words);
}

double picture_key(FILE *out, double x, double y, const char *class, const char *words)
{
    picture_box(out, x, y, 12, 12, class);
    picture_text(out, x + 17, y + 10, "small", "%s", words);
    return x + picture_key_width(words);
}
