package dev.hapax.v1;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * What became of a list of the API. A line that is gone breaks a caller: whatever it named was
 * removed, renamed, renumbered or has another type. A line that is new does not.
 */
record ApiChanges(Set<String> broken, Set<String> added) {

  static ApiChanges between(Collection<String> released, Collection<String> now) {
    var broken = new LinkedHashSet<>(released);
    broken.removeAll(now);
    var added = new LinkedHashSet<>(now);
    added.removeAll(released);
    return new ApiChanges(broken, added);
  }
}
