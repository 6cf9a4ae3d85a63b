/** Shape buckets: the sizes, rows × context, for which a decode step is captured. */
@NullMarked
package dev.reprise.graph.bucket;

import org.jspecify.annotations.NullMarked;
