package dev.hapax.console.view;

import java.net.URI;

/** The address of the logs of a run, with placeholders for the run and its workspace. */
public record LogLink(String template) {
  private static final String RUN = "{run_id}";
  private static final String WORKSPACE = "{workspace}";

  /** Throws IllegalArgumentException if a link with this template would lead nowhere. */
  public LogLink {
    // no placeholder is part of the host, so the values of a run cannot choose another one
    if (!template.matches("https?://[^/?#{}]+[/?#].*")
        || !template.contains(RUN)
        || !isAddress(filled(template, "w", "r"))) {
      throw new IllegalArgumentException(
          "must be a percent-encoded http or https address with {run_id} after its host, such as"
              + " https://logs.example/?q={run_id}; {workspace} may follow as well");
    }
  }

  /** The address for one run; both values are encoded. */
  public String href(String workspace, String run) {
    return filled(template, Address.encoded(workspace), Address.encoded(run));
  }

  private static String filled(String template, String workspace, String run) {
    return template.replace(WORKSPACE, workspace).replace(RUN, run);
  }

  private static boolean isAddress(String text) {
    try {
      return URI.create(text).isAbsolute();
    } catch (IllegalArgumentException _) {
      return false;
    }
  }
}
