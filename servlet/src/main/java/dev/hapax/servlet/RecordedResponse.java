package dev.hapax.servlet;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The response as its handler uses it: the body is held until the response is recorded. Status and
 * headers are set in the response of the container at once, which sends nothing before the body.
 */
final class RecordedResponse extends HttpServletResponseWrapper {

  private static final int LIMIT = 256 * 1024;

  private final HttpServletResponse wire;
  private final HeaderState before;
  private final String path;
  private final BodyOutput output = new BodyOutput(this);
  private final ByteArrayOutputStream buffer = new ByteArrayOutputStream();
  private @Nullable PrintWriter writer;
  private @Nullable String charset;
  private @Nullable String error;
  private int errorStatus;
  private long declared = -1;
  private boolean isStreamed;
  private boolean isClosed;

  /**
   * The response to a request.
   *
   * @param path of the request, for relative redirects
   */
  RecordedResponse(HttpServletResponse wire, String path) {
    super(wire);
    this.wire = wire;
    this.before = HeaderState.of(wire);
    this.path = path;
  }

  /** The handler has ended its response. */
  void end() {
    if (writer != null) {
      writer.flush();
    }
  }

  /** The response, to be recorded. */
  StoredResponse stored() {
    if (isStreamed) {
      return StoredResponse.NOT_KEPT;
    }
    List<StoredResponse.Header> headers = new ArrayList<>();
    String type = wire.getContentType();
    if (type != null) {
      headers.add(new StoredResponse.Header("Content-Type", type));
    }
    headers.addAll(before.changes(wire));
    return new StoredResponse(
        getStatus(), headers, Base64.getEncoder().encodeToString(buffer.toByteArray()), error);
  }

  /** Sends what is held. */
  void send() throws IOException {
    if (isStreamed) {
      wire.flushBuffer();
    } else if (error == null) {
      write(wire, buffer.toByteArray(), buffer.size());
    } else if (error.isEmpty()) {
      wire.sendError(errorStatus);
    } else {
      wire.sendError(errorStatus, error);
    }
  }

  /** Drops what the handler has set, so that another response can be sent. False = too late. */
  boolean discard() {
    if (wire.isCommitted()) {
      return false;
    }
    wire.reset();
    before.restore(wire);
    return true;
  }

  static void write(HttpServletResponse wire, byte[] body, int length) throws IOException {
    int status = wire.getStatus();
    if (status != SC_NO_CONTENT && status != SC_NOT_MODIFIED) {
      wire.setContentLength(length);
    }
    wire.getOutputStream().write(body, 0, length);
  }

  void append(byte[] from, int offset, int length) throws IOException {
    if (isClosed) {
      return;
    }
    if (!isStreamed && (isEventStream() || buffer.size() + length > LIMIT)) {
      stream();
    }
    if (isStreamed) {
      wire.getOutputStream().write(from, offset, length);
    } else {
      buffer.write(from, offset, length);
    }
  }

  void flushBody() throws IOException {
    if (!isStreamed && isEventStream()) {
      stream();
    }
    if (isStreamed) {
      wire.flushBuffer();
    }
  }

  private boolean isEventStream() {
    String type = wire.getContentType();
    return type != null && type.toLowerCase(Locale.ROOT).startsWith("text/event-stream");
  }

  /** Sends each byte from here on at once; the response is not kept. */
  void stream() throws IOException {
    isStreamed = true;
    if (declared >= 0) {
      wire.setContentLengthLong(declared);
    }
    buffer.writeTo(wire.getOutputStream());
    buffer.reset();
  }

  @Override
  public ServletOutputStream getOutputStream() {
    return output;
  }

  @Override
  public PrintWriter getWriter() {
    if (writer == null) {
      charset = Objects.requireNonNullElse(wire.getCharacterEncoding(), "ISO-8859-1");
      // as containers do, so that the content type names it
      wire.setCharacterEncoding(charset);
      writer = new PrintWriter(new OutputStreamWriter(output, Charset.forName(charset)));
    }
    return writer;
  }

  @Override
  public void setCharacterEncoding(String charset) {
    if (writer == null) {
      super.setCharacterEncoding(charset);
    }
  }

  @Override
  public void setContentType(String type) {
    super.setContentType(type);
    if (charset != null) {
      super.setCharacterEncoding(charset);
    }
  }

  @Override
  public void flushBuffer() throws IOException {
    end();
    flushBody();
  }

  @Override
  public boolean isCommitted() {
    return isClosed || isStreamed || super.isCommitted();
  }

  @Override
  public void reset() {
    resetBuffer();
    super.reset();
    charset = null;
    writer = null;
  }

  @Override
  public void resetBuffer() {
    end();
    if (isCommitted()) {
      throw new IllegalStateException("the response is committed");
    }
    buffer.reset();
  }

  @Override
  public void setBufferSize(int size) {
    // it has the size that is recorded
  }

  @Override
  public int getBufferSize() {
    return LIMIT;
  }

  @Override
  public int getStatus() {
    return error == null ? super.getStatus() : errorStatus;
  }

  @Override
  public void setStatus(int status) {
    if (!isClosed) {
      super.setStatus(status);
    }
  }

  @Override
  public void sendError(int status) {
    sendError(status, "");
  }

  @Override
  public void sendError(int status, @Nullable String message) {
    resetBuffer();
    errorStatus = status;
    error = message == null ? "" : message;
    isClosed = true;
  }

  @Override
  public void sendRedirect(String location) {
    sendRedirect(location, SC_FOUND, true);
  }

  /** Overrides a method of Servlet 6.1. */
  public void sendRedirect(String location, int status, boolean clearBuffer) {
    if (clearBuffer) {
      resetBuffer();
    }
    super.setStatus(status);
    super.setHeader("Location", absolute(location));
    isClosed = true;
  }

  private String absolute(String location) {
    try {
      return URI.create(path).resolve(location).toString();
    } catch (IllegalArgumentException unusual) {
      return location;
    }
  }

  @Override
  public void setContentLength(int length) {
    declared = length;
  }

  @Override
  public void setContentLengthLong(long length) {
    declared = length;
  }

  @Override
  public void setHeader(String name, String value) {
    if (!setsLength(name, value)) {
      super.setHeader(name, value);
    }
  }

  @Override
  public void addHeader(String name, String value) {
    if (!setsLength(name, value)) {
      super.addHeader(name, value);
    }
  }

  @Override
  public void setIntHeader(String name, int value) {
    if (!setsLength(name, Integer.toString(value))) {
      super.setIntHeader(name, value);
    }
  }

  @Override
  public void addIntHeader(String name, int value) {
    if (!setsLength(name, Integer.toString(value))) {
      super.addIntHeader(name, value);
    }
  }

  private boolean setsLength(String name, @Nullable String value) {
    if (!"content-length".equalsIgnoreCase(name) || value == null) {
      return false;
    }
    declared = Long.parseLong(value.trim());
    return true;
  }
}
