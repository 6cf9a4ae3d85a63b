package dev.reprise.cuda.access;

import dev.reprise.cuda.diagnostics.UnorderedAccess;

/**
 * A use by an operation that was issued, as far as later ones may have to be compared with it.
 *
 * @param declared the use
 * @param extent the part of it that still matters
 * @param timeline the stream
 * @param tick which of its operations
 * @param settled whether all that precedes it is known
 * @param site where it was issued
 */
record PastUse(
    DeclaredUse declared,
    Extent extent,
    Timeline timeline,
    long tick,
    boolean settled,
    AccessSite site) {

  PastUse cutTo(Extent part) {
    return new PastUse(declared, part, timeline, tick, settled, site);
  }

  UnorderedAccess.Use described() {
    return new UnorderedAccess.Use(
        declared.operation(),
        declared.argument(),
        declared.reads(),
        declared.writes(),
        declared.extent().from(),
        declared.extent().to(),
        timeline.label(),
        site.shown(declared.added()));
  }
}
