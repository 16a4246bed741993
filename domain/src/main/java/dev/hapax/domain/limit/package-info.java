/**
 * Limits: how many runs may be at steps, for each value of a key. A run enters the queue of a
 * limited step when it has room in each line; until then it waits there, as for a token.
 */
@NullMarked
package dev.hapax.domain.limit;

import org.jspecify.annotations.NullMarked;
