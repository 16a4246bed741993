/** PostgreSQL databases for tests. */
@NullMarked
package dev.hapax.testkit.postgres;

import org.jspecify.annotations.NullMarked;
