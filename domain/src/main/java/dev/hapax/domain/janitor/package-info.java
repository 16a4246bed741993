/**
 * Who frees what can get stuck: the contracts of janitors, and whether every claim state has one.
 */
@NullMarked
package dev.hapax.domain.janitor;

import org.jspecify.annotations.NullMarked;
