package dev.reprise.cuda;

import java.util.Collection;

/**
 * Tells with one read whether any of the regions that an executable graph uses has changed.
 *
 * <p>A region raises the flag when its epoch changes, so that a replay need not ask each of them.
 * Regions know their watches weakly; a flag once raised stays up, and what then uses other memory
 * gets another watch.
 */
final class RegionWatch {

  private final Collection<Attachment> attachments;
  private volatile boolean changed;

  private RegionWatch(Collection<Attachment> attachments) {
    this.attachments = attachments;
  }

  /** Watches all regions of the attachments. */
  static RegionWatch over(Collection<Attachment> attachments) {
    RegionWatch watch = new RegionWatch(attachments);
    attachments.forEach(attachment -> attachment.handles().forEach(region -> region.watch(watch)));
    // One that changed before it was watched did not raise the flag.
    watch.changed = attachments.stream().anyMatch(Attachment::isStale);
    return watch;
  }

  /** Called by a region after its epoch has changed. */
  void regionChanged() {
    changed = true;
  }

  /** Refuses if a region has changed. */
  void check(String graph) {
    if (changed) {
      attachments.forEach(attachment -> attachment.checkFresh(graph));
    }
  }

  /** Ends the watch. */
  void end() {
    attachments.forEach(attachment -> attachment.handles().forEach(region -> region.unwatch(this)));
  }
}
