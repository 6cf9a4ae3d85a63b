/** The decode loop: a model's step, captured for a bucket and replayed for each token. */
@NullMarked
package dev.reprise.graph.decode;

import org.jspecify.annotations.NullMarked;
