package dev.reprise.bindings;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** Finds the entry point of an exported driver symbol in one library. */
@FunctionalInterface
interface EntryPoints {
  Optional<MemorySegment> find(String symbol);
}
