package dev.hapax.servlet;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import java.io.IOException;
import java.io.InputStream;

/** The body of a request for its handler, from memory. */
final class BodyInput extends ServletInputStream {

  private final InputStream body;

  BodyInput(WholeBody body) {
    this.body = body.bytes().newInput();
  }

  @Override
  public int read() throws IOException {
    return body.read();
  }

  @Override
  public int read(byte[] to, int offset, int length) throws IOException {
    return body.read(to, offset, length);
  }

  @Override
  public int available() throws IOException {
    return body.available();
  }

  @Override
  public boolean isFinished() {
    try {
      return body.available() == 0;
    } catch (IOException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  @Override
  public boolean isReady() {
    return true;
  }

  @Override
  public void setReadListener(ReadListener listener) {
    try {
      if (!isFinished()) {
        listener.onDataAvailable();
      }
      if (isFinished()) {
        listener.onAllDataRead();
      }
    } catch (IOException | RuntimeException thrown) {
      listener.onError(thrown);
    }
  }
}
