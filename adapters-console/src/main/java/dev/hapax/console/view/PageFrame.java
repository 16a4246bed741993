package dev.hapax.console.view;

import java.time.Instant;
import java.util.List;

/**
 * What stands around every page.
 *
 * @param formToken every form sends it
 * @param etag the state that the page shows, for its refreshes
 */
public record PageFrame(
    String title,
    Section section,
    String workspace,
    Access access,
    String formToken,
    String etag,
    Instant now) {
  public List<Section> sections() {
    return List.of(Section.values());
  }

  public DisplayTime moment() {
    return new DisplayTime(now, now);
  }
}
