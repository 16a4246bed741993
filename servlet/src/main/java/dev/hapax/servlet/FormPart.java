package dev.hapax.servlet;

import com.google.protobuf.ByteString;
import jakarta.servlet.http.Part;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * One part of {@code multipart/form-data}, in memory.
 *
 * @param folder of files with a relative name
 */
record FormPart(PartHeaders headers, ByteString content, Path folder) implements Part {

  String text(Charset otherwise) {
    String type = getContentType();
    Charset charset =
        type == null
            ? otherwise
            : HeaderValue.parse(type).parameter("charset").map(Charset::forName).orElse(otherwise);
    return content.toString(charset);
  }

  @Override
  public InputStream getInputStream() {
    return content.newInput();
  }

  @Override
  public @Nullable String getContentType() {
    return headers.first("Content-Type");
  }

  @Override
  public String getName() {
    String name = headers.disposition("name");
    return name == null ? "" : name;
  }

  @Override
  public @Nullable String getSubmittedFileName() {
    return headers.disposition("filename");
  }

  @Override
  public long getSize() {
    return content.size();
  }

  @Override
  public void write(String file) throws IOException {
    try (var out = Files.newOutputStream(folder.resolve(file))) {
      content.writeTo(out);
    }
  }

  @Override
  public void delete() {
    // there is no file behind it
  }

  @Override
  public @Nullable String getHeader(String name) {
    return headers.first(name);
  }

  @Override
  public Collection<String> getHeaders(String name) {
    return headers.all(name);
  }

  @Override
  public Collection<String> getHeaderNames() {
    return headers.names();
  }
}
