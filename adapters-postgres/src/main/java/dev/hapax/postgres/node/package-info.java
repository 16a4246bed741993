/** The registration of servers, by which newer features wait for older servers. */
@NullMarked
package dev.hapax.postgres.node;

import org.jspecify.annotations.NullMarked;
