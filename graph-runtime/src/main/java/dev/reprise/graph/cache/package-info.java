/** Graph keys and the cache of captured steps. */
@NullMarked
package dev.reprise.graph.cache;

import org.jspecify.annotations.NullMarked;
