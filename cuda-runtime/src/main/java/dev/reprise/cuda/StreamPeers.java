package dev.reprise.cuda;

import dev.reprise.cuda.access.Extent;
import dev.reprise.cuda.access.StreamAccess;
import dev.reprise.cuda.ownership.StreamClock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The copies between devices of one stream; {@link Stream} states their contracts. */
final class StreamPeers {

  private final Stream stream;
  private final Context context;
  private final StreamHandle handle;
  private final StreamClock clock;

  StreamPeers(Stream stream) {
    this.stream = stream;
    this.handle = stream.handle();
    this.context = handle.context();
    this.clock = handle.clock();
  }

  void copy(MemoryPlace source, MemoryPlace target, long bytes) {
    String what = "Stream.copyPeer";
    source.checkRange(what, bytes);
    target.checkRange(what, bytes);
    checkSides(what, source, target);
    if (source.overlaps(bytes, target, bytes)) {
      throw overlap(what, source, target);
    }
    issue(
        what,
        target,
        List.of(Extent.of(target.offset(), bytes)),
        source,
        List.of(Extent.of(source.offset(), bytes)),
        () -> PeerCalls.copy(context, target, source, bytes, handle));
  }

  void copy3D(PitchedMemory source, PitchedMemory target, long rowBytes, long rows, long slices) {
    String what = "Stream.copyPeer3D";
    long from = source.checkBox(what, rowBytes, rows, slices);
    long to = target.checkBox(what, rowBytes, rows, slices);
    checkSides(what, source.place(), target.place());
    source.place().handle().checkOpen();
    target.place().handle().checkOpen();
    if (from == 0) {
      return;
    }
    if (source.overlaps(from, target, to, rowBytes)) {
      throw overlap(what, source.place(), target.place());
    }
    issue(
        what,
        target.place(),
        target.extents(rowBytes, rows, slices),
        source.place(),
        source.extents(rowBytes, rows, slices),
        () -> PeerCalls.copy3D(context, target, source, rowBytes, rows, slices, handle));
  }

  private static IllegalArgumentException overlap(
      String what, MemoryPlace source, MemoryPlace target) {
    return new IllegalArgumentException(
        "%s: the source in '%s' and the target in '%s' overlap."
            .formatted(what, source.handle().label(), target.handle().label()));
  }

  private void checkSides(String what, MemoryPlace source, MemoryPlace target) {
    for (MemoryPlace side : List.of(source, target)) {
      if (side.onHost() || (isForeign(side) && side.handle() instanceof GraphMemoryHandle)) {
        throw new IllegalArgumentException(
            "%s copies memory of devices; %s '%s' is %s."
                .formatted(
                    what,
                    side.handle().kind().typeName(),
                    side.handle().label(),
                    side.onHost() ? "on the host" : "memory of a graph on another device"));
      }
    }
    if (isForeign(source) && isForeign(target)) {
      throw new IllegalArgumentException(
          "%s on stream '%s' of device %d: neither '%s' of device %d nor '%s' of device %d is there."
              .formatted(
                  what,
                  stream.label(),
                  context.ordinal(),
                  source.handle().label(),
                  source.handle().context().ordinal(),
                  target.handle().label(),
                  target.handle().context().ordinal()));
    }
  }

  private boolean isForeign(MemoryPlace place) {
    return place.handle().context().ordinal() != context.ordinal();
  }

  private void issue(
      String what,
      MemoryPlace target,
      List<Extent> written,
      MemoryPlace source,
      List<Extent> read,
      Runnable driver) {
    List<PeerLease> leases = new ArrayList<>();
    clock.lock();
    try {
      long ticket = stream.begin();
      use(target, ticket, leases);
      use(source, ticket, leases);
      CaptureLedger ledger = stream.ledger();
      if (ledger != null) {
        ledger.pointer(what, 0, target.facade(), target.handle(), target.offset(), Access.WRITE);
        ledger.pointer(what, 1, source.facade(), source.handle(), source.offset(), Access.READ);
      }
      new AutomaticUses()
          .add(target.handle(), Access.WRITE)
          .add(source.handle(), Access.READ)
          .issue(handle, () -> issueNow(what, target, written, source, read, ledger, driver));
    } finally {
      clock.unlock();
      // Not before the call is made: the fence that a lease waits for must be behind it.
      leases.forEach(PeerLease::close);
    }
  }

  private void issueNow(
      String what,
      MemoryPlace target,
      List<Extent> written,
      MemoryPlace source,
      List<Extent> read,
      @Nullable CaptureLedger ledger,
      Runnable driver) {
    StreamAccess checked = handle.access();
    if (checked == null) {
      driver.run();
    } else {
      StreamMemory.issueChecked(
          checked, ledger, what, target, Access.WRITE, written, source, read, driver::run);
    }
  }

  private void use(MemoryPlace place, long ticket, List<PeerLease> leases) {
    if (isForeign(place)) {
      PeerLease lease = PeerLease.of(place.handle(), stream.device().handle());
      leases.add(lease);
      lease.markUse(clock, ticket);
    } else {
      stream.use(place.handle(), ticket);
    }
  }
}
