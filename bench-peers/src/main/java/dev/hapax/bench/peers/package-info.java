/** {@code bench/run}: compares Hapax with plain JDBC, DBOS and db-scheduler on one PostgreSQL. */
@NullMarked
package dev.hapax.bench.peers;

import org.jspecify.annotations.NullMarked;
