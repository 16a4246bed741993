/**
 * {@code bench/run}: compares Hapax with plain JDBC, DBOS and db-scheduler on one PostgreSQL, and
 * with the servers of Temporal and Restate if they are given.
 */
@NullMarked
package dev.hapax.bench.peers;

import org.jspecify.annotations.NullMarked;
