package dev.hapax.grpc.entity;

import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.v1.ClaimKind;
import dev.hapax.v1.ListClaimsRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A ListClaims request.
 *
 * @param sections that have something that is asked for, in order
 */
record ClaimListQuery(
    Workspace workspace,
    Set<ClaimKind> kinds,
    List<Section> sections,
    Optional<String> lifecycle,
    Optional<Instant> sinceBefore,
    int size) {
  /** One of the lists that are read one after another. */
  enum Section {
    ENTITIES(ClaimKind.CLAIM_KIND_ENTITY_CLAIMED, ClaimKind.CLAIM_KIND_ENTITY_RECOVERING),
    OPERATIONS(ClaimKind.CLAIM_KIND_OPERATION_INDETERMINATE),
    FAILED_RUNS(ClaimKind.CLAIM_KIND_RUN_FAILED),
    PAUSED_RUNS(ClaimKind.CLAIM_KIND_RUN_PAUSED),
    AWAITING_RUNS(ClaimKind.CLAIM_KIND_RUN_AWAITING);

    private final List<ClaimKind> kinds;

    Section(ClaimKind... kinds) {
      this.kinds = List.of(kinds);
    }
  }

  /** Where a page begins: in this section, behind that token of its own. */
  record Place(Section section, String token) {
    String text() {
      return section.name() + "." + token;
    }
  }

  static ClaimListQuery read(ListClaimsRequest request) {
    var lifecycle = FieldReader.optionalName("lifecycle", request.getLifecycle());
    var kinds = kinds(request);
    return new ClaimListQuery(
        FieldReader.workspace(request.getWorkspace()),
        kinds,
        sections(kinds, lifecycle.isPresent()),
        lifecycle,
        Durations.read("since_before", request.hasSinceBefore(), request.getSinceBefore()),
        FieldReader.read("page_size", request.getPageSize(), Page::size));
  }

  private static Set<ClaimKind> kinds(ListClaimsRequest request) {
    var kinds =
        FieldReader.filter(
            "kinds",
            request.getKindsValueList(),
            (field, sent) -> FieldReader.specified(field, sent, ClaimKind::forNumber));
    return kinds.isEmpty() ? EnumSet.allOf(ClaimKind.class) : kinds;
  }

  private static List<Section> sections(Set<ClaimKind> kinds, boolean onlyEntities) {
    var sections = new ArrayList<Section>();
    for (var section : Section.values()) {
      var isAsked = section.kinds.stream().anyMatch(kinds::contains);
      if (isAsked && (!onlyEntities || section == Section.ENTITIES)) {
        sections.add(section);
      }
    }
    return sections;
  }

  /** Where to begin; empty = there is nothing of what is asked for. */
  Optional<Place> from(String token) {
    if (token.isEmpty()) {
      return sections.stream().findFirst().map(first -> new Place(first, ""));
    }
    for (var section : sections) {
      var prefix = new Place(section, "").text();
      if (token.startsWith(prefix)) {
        return Optional.of(new Place(section, token.substring(prefix.length())));
      }
    }
    throw new InvalidFieldException("page_token", "is not one that a former page gave");
  }

  /** The beginning of the list behind this one. */
  Optional<Place> behind(Section section) {
    return sections.stream()
        .filter(next -> next.compareTo(section) > 0)
        .findFirst()
        .map(next -> new Place(next, ""));
  }
}
