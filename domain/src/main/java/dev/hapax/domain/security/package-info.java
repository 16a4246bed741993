/** Who a caller is, and what it may do where. */
@NullMarked
package dev.hapax.domain.security;

import org.jspecify.annotations.NullMarked;
