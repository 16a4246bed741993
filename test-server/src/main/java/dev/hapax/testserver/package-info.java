/** {@code hapax test-server}: instances of Hapax in memory, which tests in any language control. */
@NullMarked
package dev.hapax.testserver;

import org.jspecify.annotations.NullMarked;
