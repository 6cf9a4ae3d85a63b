package dev.reprise.cuda.faults;

import static dev.reprise.cuda.faults.Operation.of;

import dev.reprise.cuda.CallerContext;
import dev.reprise.cuda.CudaLibrary;
import dev.reprise.cuda.Descriptors;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceAttribute;
import dev.reprise.cuda.DeviceLimit;
import dev.reprise.cuda.Event;
import dev.reprise.cuda.ExternalMemory;
import dev.reprise.cuda.HostWait;
import dev.reprise.cuda.Kernel;
import dev.reprise.cuda.KernelArg;
import dev.reprise.cuda.KernelAttribute;
import dev.reprise.cuda.LaunchConfig;
import dev.reprise.cuda.MemoryPool;
import dev.reprise.cuda.ModuleOptions;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.cuda.VirtualRange;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/** Operations of devices and of what is made from them, but for streams and graphs. */
final class DeviceOperations {

  /** Outlives every registration of it. */
  private static final MemorySegment REGISTERED = Arena.global().allocate(4096);

  private DeviceOperations() {}

  static List<Operation> all() {
    return Stream.of(device(), memory(), modules(), events()).flatMap(List::stream).toList();
  }

  private static Operation make(String name, Function<Device, AutoCloseable> make) {
    return of(name, bench -> () -> bench.keep(make.apply(bench.device)));
  }

  private static Operation ask(String name, Consumer<Device> ask) {
    return of(name, bench -> () -> ask.accept(bench.device));
  }

  private static List<Operation> device() {
    return List.of(
        of("Device.count", bench -> Device::count),
        of("Device.open", bench -> () -> bench.keep(Device.open(0))),
        of(
            "CallerContext.keep",
            bench -> () -> CallerContext.keep(() -> bench.device.limit(DeviceLimit.STACK_BYTES))),
        ask("Device.name", Device::name),
        ask("Device.totalMemoryBytes", Device::totalMemoryBytes),
        ask("Device.memoryInfo", Device::memoryInfo),
        ask("Device.attribute", device -> device.attribute(DeviceAttribute.WARP_SIZE)),
        ask("Device.driverVersion", Device::driverVersion),
        ask("Device.uuid", Device::uuid),
        ask("Device.pciBusId", Device::pciBusId),
        ask("Device.canAccessPeer", device -> device.canAccessPeer(device)),
        of(
            "Device.enablePeerAccess",
            bench -> {
              Device peer = bench.keep(Device.open(1));
              return () -> bench.keep(bench.device.enablePeerAccess(peer));
            }),
        of(
            "Device.enablePeerAccess of a pool",
            bench -> {
              Device peer = bench.keep(Device.open(1));
              MemoryPool pool = bench.keep(peer.createMemoryPool("pool"));
              return () -> bench.keep(bench.device.enablePeerAccess(pool));
            }),
        of(
            "Device.enablePeerAccess of a range",
            bench -> {
              Device peer = bench.keep(Device.open(1));
              VirtualRange range = bench.keep(peer.reserve("range", 1));
              range.grow(1);
              return () -> bench.keep(bench.device.enablePeerAccess(range));
            }),
        of(
            "VirtualRange.grow with a peer",
            bench -> {
              Device peer = bench.keep(Device.open(1));
              VirtualRange range = bench.keep(peer.reserve("range", 1 << 24));
              bench.keep(bench.device.enablePeerAccess(range));
              return () -> range.grow(1);
            }),
        of(
            "Device.importMemory",
            bench -> {
              int descriptor = Descriptors.file(64);
              return () -> bench.keep(bench.device.importMemory("made", descriptor, 64)).label();
            }),
        of(
            "ExternalMemory.map",
            bench -> {
              ExternalMemory memory =
                  bench.keep(bench.device.importMemory("external", Descriptors.file(64), 64));
              return () -> bench.keep(memory.map("made", 0, 64));
            }),
        ask("Device.streamPriorityRange", Device::streamPriorityRange),
        ask("Device.limit", device -> device.limit(DeviceLimit.STACK_BYTES)),
        ask("Device.setLimit", device -> device.setLimit(DeviceLimit.STACK_BYTES, 2048)),
        ask("Device.hostWait", Device::hostWait),
        ask("Device.setHostWait", device -> device.setHostWait(HostWait.AUTO)),
        ask("Device.startProfiler", Device::startProfiler),
        ask("Device.stopProfiler", Device::stopProfiler),
        ask("Device.synchronize", Device::synchronize),
        make("Device.createStream", device -> device.createStream("made", -1)),
        make("Device.createEvent", device -> device.createEvent("made")),
        make("Device.createTimingEvent", device -> device.createTimingEvent("made")),
        make("Device.createUserObject", device -> device.createUserObject("made", () -> {})),
        make("Device.createGraph", device -> device.createGraph("made")));
  }

  private static List<Operation> memory() {
    return List.of(
        make("Device.allocate", device -> device.allocate("made", 1000)),
        make("Device.allocatePinned", device -> device.allocatePinned("made", 1000)),
        make("Device.register", device -> device.register("made", REGISTERED)),
        make("Device.reserve", device -> device.reserve("made", 1)),
        ask("Device.defaultMemoryPool", Device::defaultMemoryPool),
        make("Device.createMemoryPool", device -> device.createMemoryPool("made")),
        range("VirtualRange.grow", range -> range.grow(1)),
        of(
            "VirtualRange.shrink",
            bench -> {
              VirtualRange range = bench.keep(bench.device.reserve("range", 1));
              range.grow(1);
              return () -> range.shrink(0);
            }),
        pool("MemoryPool.usedBytes", MemoryPool::usedBytes),
        pool("MemoryPool.usedHighBytes", MemoryPool::usedHighBytes),
        pool("MemoryPool.reservedBytes", MemoryPool::reservedBytes),
        pool("MemoryPool.reservedHighBytes", MemoryPool::reservedHighBytes),
        pool("MemoryPool.resetHighWaterMarks", MemoryPool::resetHighWaterMarks),
        pool("MemoryPool.releaseThresholdBytes", MemoryPool::releaseThresholdBytes),
        pool("MemoryPool.setReleaseThresholdBytes", pool -> pool.setReleaseThresholdBytes(1)),
        pool("MemoryPool.allows", pool -> pool.allows(MemoryPool.Reuse.ALLOW_OPPORTUNISTIC)),
        pool("MemoryPool.allow", pool -> pool.allow(MemoryPool.Reuse.ALLOW_OPPORTUNISTIC, true)),
        pool("MemoryPool.trimTo", pool -> pool.trimTo(0)),
        of("HostBuffer.deviceAddress", bench -> bench.pinned::deviceAddress));
  }

  private static Operation range(String name, Consumer<VirtualRange> use) {
    return of(
        name,
        bench -> {
          VirtualRange range = bench.keep(bench.device.reserve("range", 4));
          return () -> use.accept(range);
        });
  }

  private static Operation pool(String name, Consumer<MemoryPool> use) {
    return of(
        name,
        bench -> {
          MemoryPool pool = bench.keep(bench.device.createMemoryPool("pool"));
          return () -> use.accept(pool);
        });
  }

  private static List<Operation> modules() {
    return List.of(
        make("Device.loadModule", device -> device.loadModule("made", Workbench.PTX)),
        make(
            "Device.loadModule of bytes",
            device ->
                device.loadModule(
                    "made",
                    Workbench.PTX.getBytes(StandardCharsets.UTF_8),
                    ModuleOptions.STANDARD)),
        make("Device.loadLibrary", device -> device.loadLibrary("made", Workbench.PTX)),
        library("CudaLibrary.on", (library, device) -> library.on(device)),
        library("CudaLibrary.kernel", (library, device) -> library.kernel("scale")),
        library("CudaLibrary.kernelNames", (library, device) -> library.kernelNames()),
        of(
            "LibraryKernel.on",
            bench -> {
              CudaLibrary library = bench.keep(bench.device.loadLibrary("library", Workbench.PTX));
              // The module belongs to the library, and stays if the kernel is not found in it.
              library.on(bench.device);
              return () -> library.kernel("fill").on(bench.device);
            }),
        library(
            "LibraryKernel.attribute",
            (library, device) ->
                library.kernel("fill").attribute(device, KernelAttribute.MAX_THREADS_PER_BLOCK)),
        library(
            "LibraryKernel.setMaxDynamicSharedBytes",
            (library, device) -> library.kernel("fill").setMaxDynamicSharedBytes(device, 512)),
        library(
            "LibraryKernel.setSharedMemoryCarveout",
            (library, device) -> library.kernel("fill").setSharedMemoryCarveout(device, 50)),
        library(
            "LibraryKernel.parameterBytes",
            (library, device) -> library.kernel("fill").parameterBytes()),
        of("CudaModule.kernel", bench -> () -> bench.module.kernel("scale")),
        of(
            "CudaModule.global",
            bench -> {
              var module = bench.keep(bench.device.loadModule("variables", VARIABLE));
              return () -> module.global("variable");
            }),
        kernel(
            "Kernel.attribute", kernel -> kernel.attribute(KernelAttribute.MAX_THREADS_PER_BLOCK)),
        kernel("Kernel.setMaxDynamicSharedBytes", kernel -> kernel.setMaxDynamicSharedBytes(512)),
        kernel("Kernel.setSharedMemoryCarveout", kernel -> kernel.setSharedMemoryCarveout(50)),
        kernel("KernelOccupancy.activeBlocks", kernel -> kernel.occupancy().activeBlocks(64, 0)),
        kernel("KernelOccupancy.potentialBlock", kernel -> kernel.occupancy().potentialBlock(0, 0)),
        kernel(
            "KernelOccupancy.availableDynamicSharedBytes",
            kernel -> kernel.occupancy().availableDynamicSharedBytes(1, 64)),
        of(
            "Kernel.prepare with much shared memory",
            bench -> {
              Kernel kernel = bench.module.kernel("blockSum");
              LaunchConfig config = new LaunchConfig(1, 1, 1, 16, 1, 1, 60 << 10);
              return () ->
                  kernel.prepare(config, KernelArg.write(bench.a), KernelArg.read(bench.b));
            }),
        of(
            "Kernel.prepare with host memory",
            bench -> {
              Kernel kernel = bench.module.kernel("increment");
              return () -> kernel.prepare(LaunchConfig.of(1, 1), KernelArg.readWrite(bench.pinned));
            }),
        of(
            "PreparedLaunch.setBuffer of host memory",
            bench -> {
              PreparedLaunch launch =
                  bench
                      .module
                      .kernel("increment")
                      .prepare(LaunchConfig.of(1, 1), KernelArg.readWrite(bench.pinned));
              return () -> launch.setBuffer(0, bench.pinned, 4);
            }));
  }

  private static final String VARIABLE =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .visible .global .align 4 .b8 variable[64];
      """;

  private static Operation library(String name, BiConsumer<CudaLibrary, Device> use) {
    return of(
        name,
        bench -> {
          CudaLibrary library = bench.keep(bench.device.loadLibrary("library", Workbench.PTX));
          return () -> use.accept(library, bench.device);
        });
  }

  private static Operation kernel(String name, Consumer<Kernel> use) {
    return of(
        name,
        bench -> {
          Kernel kernel = bench.module.kernel("fill");
          return () -> use.accept(kernel);
        });
  }

  private static List<Operation> events() {
    return List.of(
        event("Event.synchronize", Event::synchronize),
        event("Event.isComplete", Event::isComplete),
        of(
            "Event.elapsedMillis",
            bench -> {
              Event start = bench.keep(bench.device.createTimingEvent());
              Event end = bench.keep(bench.device.createTimingEvent());
              bench.stream.record(start);
              bench.stream.record(end);
              bench.stream.synchronize();
              return () -> end.elapsedMillis(start);
            }));
  }

  private static Operation event(String name, Consumer<Event> use) {
    return of(
        name,
        bench -> {
          Event event = bench.keep(bench.device.createEvent());
          bench.stream.record(event);
          bench.stream.synchronize();
          return () -> use.accept(event);
        });
  }
}
