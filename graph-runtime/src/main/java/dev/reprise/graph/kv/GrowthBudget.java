package dev.reprise.graph.kv;

/** Who says whether a pool may take more device memory, and can make room for it. */
public interface GrowthBudget {

  /** Everything is allowed, and nobody has memory to give up. */
  GrowthBudget UNLIMITED =
      new GrowthBudget() {
        @Override
        public boolean allows(long bytes) {
          return true;
        }

        @Override
        public boolean makeRoom(long bytes) {
          return false;
        }
      };

  /** Whether so many more bytes may be taken. */
  boolean allows(long bytes);

  /**
   * Has others give memory up, since a pool needs so many more bytes and the budget does not allow
   * them, or the device did not have them.
   *
   * @return whether anything was given up; nothing is if that would not do
   */
  boolean makeRoom(long bytes);
}
