package dev.hapax.console.web;

import dev.hapax.console.view.PageFrame;
import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.Utf8ByteOutput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;

/** Renders the templates, which were compiled with this module. */
final class Templates {
  private static final String PACKAGE = "dev.hapax.console.template";

  private final TemplateEngine engine =
      TemplateEngine.createPrecompiled(
          null, ContentType.Html, Templates.class.getClassLoader(), PACKAGE);

  byte[] render(String template, PageFrame frame, Object view) {
    return render(template, Map.of("frame", frame, "view", view));
  }

  /** A page without navigation, for requests that have no visitor. */
  byte[] renderNotice(String heading, String sentence) {
    return render("notice.jte", Map.of("heading", heading, "sentence", sentence));
  }

  private byte[] render(String template, Map<String, Object> parameters) {
    var output = new Utf8ByteOutput();
    engine.render(template, parameters, output);
    var bytes = new ByteArrayOutputStream(output.getContentLength());
    try {
      output.writeTo(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }
}
