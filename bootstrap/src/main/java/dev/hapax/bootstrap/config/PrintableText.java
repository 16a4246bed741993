package dev.hapax.bootstrap.config;

import java.io.FilterWriter;
import java.io.IOException;
import java.io.Writer;
import java.util.Locale;

/**
 * Text of callers for the eyes of operators. Unicode has characters that no one sees, and that
 * reorder a line or end it (category Cf, U+2028 and U+2029).
 */
public final class PrintableText {
  private PrintableText() {}

  /** The text with invisible characters as {@code \\u202e}; line feeds and tabs stay. */
  public static String escape(String text) {
    if (text.codePoints().noneMatch(PrintableText::isInvisible)) {
      return text;
    }
    var escaped = new StringBuilder(text.length() + 16);
    text.codePoints()
        .forEach(
            c -> {
              if (isInvisible(c)) {
                for (var unit : Character.toChars(c)) {
                  escaped.append(String.format(Locale.ROOT, "\\u%04x", (int) unit));
                }
              } else {
                escaped.appendCodePoint(c);
              }
            });
    return escaped.toString();
  }

  /**
   * A value of a line with fields: between double quotes if it is empty or has anything that could
   * end it or begin another field.
   */
  public static String quote(String value) {
    if (!value.isEmpty() && value.codePoints().noneMatch(PrintableText::needsQuotes)) {
      return value;
    }
    return '"' + escape(value.replace("\\", "\\\\").replace("\"", "\\\"")) + '"';
  }

  /** A writer that escapes what it writes to another one. */
  public static Writer escaping(Writer out) {
    return new FilterWriter(out) {
      @Override
      public void write(int c) throws IOException {
        write(String.valueOf((char) c));
      }

      @Override
      public void write(char[] text, int from, int length) throws IOException {
        write(new String(text, from, length));
      }

      @Override
      public void write(String text, int from, int length) throws IOException {
        write(text.substring(from, from + length));
      }

      @Override
      public void write(String text) throws IOException {
        out.write(escape(text));
      }
    };
  }

  private static boolean needsQuotes(int c) {
    return c <= ' ' || ",;\"\\".indexOf(c) >= 0 || Character.isSpaceChar(c) || isInvisible(c);
  }

  /** Beyond U+FFFF, tags and notes of music have the category FORMAT, too. */
  private static boolean isInvisible(int c) {
    return switch (Character.getType(c)) {
      case Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
      case Character.CONTROL -> c != '\n' && c != '\r' && c != '\t' && c != '\u001b';
      default -> false;
    };
  }
}
