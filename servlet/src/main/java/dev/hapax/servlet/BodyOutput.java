package dev.hapax.servlet;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;

/** The body of a response, for its handler. */
final class BodyOutput extends ServletOutputStream {

  private final RecordedResponse response;

  BodyOutput(RecordedResponse response) {
    this.response = response;
  }

  @Override
  public void write(int single) throws IOException {
    response.append(new byte[] {(byte) single}, 0, 1);
  }

  @Override
  public void write(byte[] from, int offset, int length) throws IOException {
    response.append(from, offset, length);
  }

  @Override
  public void flush() throws IOException {
    response.flushBody();
  }

  @Override
  public boolean isReady() {
    return true;
  }

  @Override
  public void setWriteListener(WriteListener listener) {
    try {
      listener.onWritePossible();
    } catch (IOException | RuntimeException thrown) {
      listener.onError(thrown);
    }
  }
}
