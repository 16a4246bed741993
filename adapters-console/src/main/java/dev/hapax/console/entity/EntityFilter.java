package dev.hapax.console.entity;

import dev.hapax.console.view.Address;
import dev.hapax.console.web.Fields;
import dev.hapax.v1.ListEntitiesRequest;
import java.util.List;

/**
 * Which entities a list shows, as its address says.
 *
 * @param lifecycle empty = all
 * @param statuses empty = all
 */
public record EntityFilter(String lifecycle, List<String> statuses) {
  private static final String LIFECYCLE = "lifecycle";
  private static final String STATUS = "status";

  public EntityFilter {
    statuses = List.copyOf(statuses);
  }

  static EntityFilter read(Fields query) {
    return new EntityFilter(query.text(LIFECYCLE), query.all(STATUS).stream().distinct().toList());
  }

  public boolean has(String status) {
    return statuses.contains(status);
  }

  public boolean isEmpty() {
    return lifecycle.isEmpty() && statuses.isEmpty();
  }

  ListEntitiesRequest.Builder request(String workspace) {
    return ListEntitiesRequest.newBuilder()
        .setWorkspace(workspace)
        .setLifecycle(lifecycle)
        .addAllStatuses(statuses);
  }

  /** The address of the list with this filter. */
  Address address(String workspace) {
    return Address.of(workspace, "entities").with(LIFECYCLE, lifecycle).with(STATUS, statuses);
  }
}
