package dev.reprise.cuda.access;

import org.jspecify.annotations.Nullable;

/**
 * What an operation does with a part of a region.
 *
 * @param memory the region
 * @param extent the part
 * @param reads whether it reads
 * @param writes whether it writes
 * @param operation the kernel or the call
 * @param argument the index of the kernel's argument; for a copy 0 is the target and 1 the source
 * @param stream the stream that it was captured from; empty for an operation that is not captured
 * @param added where it was added to a graph; null for an operation that is not in one
 */
public record DeclaredUse(
    AccessHistory memory,
    Extent extent,
    boolean reads,
    boolean writes,
    String operation,
    int argument,
    String stream,
    @Nullable AccessSite added) {

  boolean conflictsWith(DeclaredUse other) {
    return (writes || other.writes) && memory == other.memory;
  }

  /** Whether whatever conflicts with another use conflicts with this one. */
  boolean standsFor(DeclaredUse other) {
    return memory == other.memory && (writes || !other.writes) && extent.contains(other.extent);
  }
}
