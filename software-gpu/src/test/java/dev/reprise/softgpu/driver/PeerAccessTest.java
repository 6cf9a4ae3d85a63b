package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.bindings.cuda.CUDA_MEMCPY3D_PEER;
import dev.reprise.bindings.cuda.CUDA_MEM_ALLOC_NODE_PARAMS;
import dev.reprise.bindings.cuda.CUmemAccessDesc;
import dev.reprise.bindings.cuda.CUmemAllocationProp;
import dev.reprise.bindings.cuda.CUmemLocation;
import dev.reprise.bindings.cuda.CUmemPoolProps;
import dev.reprise.softgpu.SoftwareGpuSettings;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.faults.FaultPlan;
import dev.reprise.softgpu.sanitizer.SanitizerOptions;
import dev.reprise.softgpu.simulation.SimulationOptions;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Two devices: what each has for itself, and how one gets at the memory of the other. */
final class PeerAccessTest {

  private static final String STORE =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .visible .entry store(.param .u64 to, .param .u32 value)
      {
        .reg .b32 %r<2>;
        .reg .b64 %rd<2>;
        ld.param.u64 %rd1, [to];
        ld.param.u32 %r1, [value];
        st.global.u32 [%rd1], %r1;
        ret;
      }
      """;

  private final TwoDevices gpu = new TwoDevices();

  /** The kernel on a device. */
  private long kernel(int device) {
    gpu.use(device);
    long module = gpu.out("cuModuleLoadData", gpu.arena().allocateFrom(STORE));
    return gpu.out("cuModuleGetFunction", module, gpu.arena().allocateFrom("store"));
  }

  private int launch(long function, long stream, long to, int value) {
    MemorySegment values = gpu.arena().allocate(16, 8);
    values.set(JAVA_LONG, 0, to);
    values.set(JAVA_INT, 8, value);
    MemorySegment parameters = gpu.arena().allocate(16, 8);
    parameters.set(JAVA_LONG, 0, values.address());
    parameters.set(JAVA_LONG, 8, values.address() + 8);
    return gpu.call("cuLaunchKernel", function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, 0);
  }

  /** Stores by a kernel of device 1; what waiting for it answers. */
  private Result storeFromOne(long to, int value) {
    long function = kernel(1);
    assertThat(launch(function, 0, to, value)).isZero();
    return Objects.requireNonNull(Result.of(gpu.call("cuCtxSynchronize")));
  }

  private MemorySegment location(int device) {
    MemorySegment location = CUmemLocation.allocate(gpu.arena());
    CUmemLocation.type(location, 1);
    CUmemLocation.id(location, device);
    return location;
  }

  private MemorySegment access(int device, int flags) {
    MemorySegment access = CUmemAccessDesc.allocate(gpu.arena());
    CUmemAccessDesc.location(access, location(device));
    CUmemAccessDesc.flags(access, flags);
    return access;
  }

  @Test
  void devicesAreToldApart() {
    assertThat((int) gpu.out("cuDeviceGetCount")).isEqualTo(2);
    MemorySegment uuid = gpu.arena().allocate(32);
    MemorySegment bus = gpu.arena().allocate(64);
    for (int device = 0; device < 2; device++) {
      gpu.ok("cuDeviceGetUuid_v2", uuid.asSlice(16L * device), device);
      gpu.ok("cuDeviceGetPCIBusId", bus.asSlice(32L * device), 32, device);
      String id = bus.getString(32L * device);
      assertThat((int) gpu.out("cuDeviceGetByPCIBusId", gpu.arena().allocateFrom(id)))
          .isEqualTo(device);
      gpu.use(device);
      assertThat((int) gpu.out("cuCtxGetDevice")).isEqualTo(device);
      assertThat((int) gpu.out("cuCtxGetDevice_v2", gpu.contexts[1 - device]))
          .isEqualTo(1 - device);
    }
    assertThat(uuid.asSlice(0, 16).toArray(JAVA_BYTE))
        .isNotEqualTo(uuid.asSlice(16, 16).toArray(JAVA_BYTE));
    gpu.expect(Result.INVALID_DEVICE, "cuDeviceGet", gpu.arena().allocate(4), 2);
  }

  @Test
  void eachDeviceHasMemoryOfItsOwn() {
    gpu.use(1);
    MemorySegment total = gpu.arena().allocate(8);
    long before = gpu.out("cuMemGetInfo_v2", total);
    long one = gpu.filled(0, 1 << 20, 1);
    gpu.use(1);
    assertThat(gpu.out("cuMemGetInfo_v2", total)).isEqualTo(before);
    long other = gpu.filled(1, 1 << 20, 2);
    gpu.use(1);
    assertThat(gpu.out("cuMemGetInfo_v2", total)).isEqualTo(before - (4 << 20));
    assertThat(one).isNotEqualTo(other);
    MemorySegment data = gpu.arena().allocate(8);
    gpu.ok("cuPointerGetAttribute", data, 9, one);
    assertThat(data.get(JAVA_INT, 0)).as("ordinal").isZero();
    gpu.ok("cuPointerGetAttribute", data, 9, other);
    assertThat(data.get(JAVA_INT, 0)).as("ordinal").isEqualTo(1);
    gpu.expect(Result.INVALID_VALUE, "cuMemFree_v2", one);
  }

  @Test
  void copiesBetweenDevicesNeedNoAccess() {
    long from = gpu.filled(0, 64, 7);
    long to = gpu.filled(1, 64, 0);
    gpu.use(1);
    gpu.ok("cuMemcpyPeer", to, gpu.contexts[1], from, gpu.contexts[0], 64L);
    gpu.ok("cuMemcpyPeerAsync", to + 64, gpu.contexts[1], from, gpu.contexts[0], 64L, 0);
    gpu.ok("cuMemcpyDtoD_v2", to + 128, from, 64L);
    gpu.ok("cuCtxSynchronize");
    int[] all = gpu.read(to, 64);
    assertThat(all).startsWith(copies(7, 48)).endsWith(copies(0, 16));
    // The address alone tells where the memory is.
    gpu.use(0);
    assertThat(gpu.read(to, 48)).containsOnly(7);
    gpu.expect(
        Result.INVALID_VALUE, "cuMemcpyPeer", to, gpu.contexts[1], from, gpu.contexts[0], 257L);
    gpu.expect(Result.INVALID_CONTEXT, "cuMemcpyPeer", to, 77, from, gpu.contexts[0], 4L);
  }

  private static int[] copies(int value, int count) {
    int[] all = new int[count];
    java.util.Arrays.fill(all, value);
    return all;
  }

  @Test
  void boxesAreCopiedBetweenDevices() {
    long from = gpu.filled(0, 64, 5);
    long to = gpu.filled(1, 64, 0);
    MemorySegment p = CUDA_MEMCPY3D_PEER.allocate(gpu.arena());
    CUDA_MEMCPY3D_PEER.srcMemoryType(p, 2);
    CUDA_MEMCPY3D_PEER.srcDevice(p, from);
    CUDA_MEMCPY3D_PEER.srcContext(p, MemorySegment.ofAddress(gpu.contexts[0]));
    CUDA_MEMCPY3D_PEER.srcPitch(p, 16);
    CUDA_MEMCPY3D_PEER.srcHeight(p, 2);
    CUDA_MEMCPY3D_PEER.dstMemoryType(p, 2);
    CUDA_MEMCPY3D_PEER.dstDevice(p, to);
    CUDA_MEMCPY3D_PEER.dstContext(p, MemorySegment.ofAddress(gpu.contexts[1]));
    CUDA_MEMCPY3D_PEER.dstPitch(p, 32);
    CUDA_MEMCPY3D_PEER.dstHeight(p, 4);
    CUDA_MEMCPY3D_PEER.WidthInBytes(p, 8);
    CUDA_MEMCPY3D_PEER.Height(p, 2);
    CUDA_MEMCPY3D_PEER.Depth(p, 2);
    gpu.use(0);
    gpu.ok("cuMemcpy3DPeerAsync", p, 0);
    gpu.ok("cuCtxSynchronize");
    assertBox(to);
    gpu.use(1);
    gpu.ok("cuMemsetD32_v2", to, 0, 64L);
    gpu.ok("cuMemcpy3DPeer", p);
    assertBox(to);
    CUDA_MEMCPY3D_PEER.dstContext(p, MemorySegment.ofAddress(3));
    gpu.expect(Result.INVALID_CONTEXT, "cuMemcpy3DPeer", p);
  }

  private void assertBox(long to) {
    int[] all = gpu.read(to, 64);
    for (int i = 0; i < 64; i++) {
      boolean inside = i % 8 < 2 && i / 8 % 4 < 2;
      assertThat(all[i]).as("word %d", i).isEqualTo(inside ? 5 : 0);
    }
  }

  @Test
  void aKernelNeedsAccessToTheMemoryOfAPeer() {
    long memory = gpu.filled(0, 4, 1);
    gpu.use(1);
    gpu.ok("cuCtxEnablePeerAccess", gpu.contexts[0], 0);
    assertThat(storeFromOne(memory, 9)).isEqualTo(Result.SUCCESS);
    long later = gpu.filled(0, 4, 1);
    assertThat(storeFromOne(later, 8)).as("memory made later").isEqualTo(Result.SUCCESS);
    gpu.use(0);
    assertThat(gpu.read(memory, 4)).containsExactly(9, 1, 1, 1);
    assertThat(gpu.read(later, 4)).containsExactly(8, 1, 1, 1);

    gpu.use(1);
    gpu.ok("cuCtxDisablePeerAccess", gpu.contexts[0]);
    assertThat(storeFromOne(memory, 3)).isEqualTo(Result.ILLEGAL_ADDRESS);
    gpu.use(0);
    assertThat(gpu.read(memory, 1)).containsExactly(9);
    gpu.ok("cuCtxSynchronize");
  }

  @Test
  void accessIsOneWay() {
    long memory = gpu.filled(1, 4, 1);
    gpu.use(1);
    gpu.ok("cuCtxEnablePeerAccess", gpu.contexts[0], 0);
    long function = kernel(0);
    assertThat(launch(function, 0, memory, 2)).isZero();
    gpu.expect(Result.ILLEGAL_ADDRESS, "cuCtxSynchronize");
  }

  @Test
  void aKernelThatCouldAccessMemoryCannotOnceTheAccessHasEnded() {
    long memory = gpu.filled(0, 4, 1);
    long function = kernel(1);
    gpu.ok("cuCtxEnablePeerAccess", gpu.contexts[0], 0);
    assertThat(launch(function, 0, memory, 7)).isZero();
    gpu.ok("cuCtxSynchronize");
    gpu.ok("cuCtxDisablePeerAccess", gpu.contexts[0]);
    assertThat(launch(function, 0, memory, 8)).isZero();
    gpu.expect(Result.ILLEGAL_ADDRESS, "cuCtxSynchronize");
    gpu.use(0);
    assertThat(gpu.read(memory, 2)).containsExactly(7, 1);
  }

  @Test
  void memoryOfAPoolGoesByThePool() {
    gpu.use(0);
    long pool = gpu.out("cuDeviceGetDefaultMemPool", 0);
    long memory = gpu.out("cuMemAllocAsync", 64L, 0);
    gpu.ok("cuMemsetD32_v2", memory, 1, 16L);
    // The host does not wait for a fill, nor does the other device.
    gpu.ok("cuCtxSynchronize");
    MemorySegment flags = gpu.arena().allocate(4);
    gpu.ok("cuMemPoolGetAccess", flags, pool, location(1));
    assertThat(flags.get(JAVA_INT, 0)).isZero();
    gpu.ok("cuMemPoolSetAccess", pool, access(1, 3), 1L);
    gpu.ok("cuMemPoolGetAccess", flags, pool, location(1));
    assertThat(flags.get(JAVA_INT, 0)).isEqualTo(3);
    assertThat(storeFromOne(memory, 4)).isEqualTo(Result.SUCCESS);

    gpu.expect(Result.INVALID_VALUE, "cuMemPoolSetAccess", pool, access(0, 0), 1L);
    gpu.expect(Result.NOT_SUPPORTED, "cuMemPoolSetAccess", pool, access(1, 1), 1L);
    gpu.ok("cuMemPoolSetAccess", pool, access(1, 0), 1L);
    // Access between contexts says nothing about pools.
    gpu.use(1);
    gpu.ok("cuCtxEnablePeerAccess", gpu.contexts[0], 0);
    assertThat(storeFromOne(memory, 5)).isEqualTo(Result.ILLEGAL_ADDRESS);
    gpu.use(0);
    assertThat(gpu.read(memory, 2)).containsExactly(4, 1);
  }

  @Test
  void aPoolGivesMemoryOfItsDeviceToStreamsOfAnother() {
    gpu.use(1);
    MemorySegment props = CUmemPoolProps.allocate(gpu.arena());
    CUmemPoolProps.allocType(props, 1);
    CUmemPoolProps.location(props, location(0));
    long pool = gpu.out("cuMemPoolCreate", props);
    long memory = gpu.out("cuMemAllocFromPoolAsync", 64L, pool, 0);
    MemorySegment data = gpu.arena().allocate(8);
    gpu.ok("cuPointerGetAttribute", data, 9, memory);
    assertThat(data.get(JAVA_INT, 0)).isZero();
    gpu.ok("cuMemFreeAsync", memory, 0);
    gpu.ok("cuCtxSynchronize");
    gpu.expect(Result.INVALID_VALUE, "cuDeviceSetMemPool", 1, pool);
    gpu.ok("cuDeviceSetMemPool", 0, pool);
    gpu.ok("cuMemPoolDestroy", pool);
    assertThat(gpu.out("cuDeviceGetMemPool", 0)).isEqualTo(gpu.out("cuDeviceGetDefaultMemPool", 0));
  }

  @Test
  void pinnedMemoryIsThereForEveryDevice() {
    gpu.use(0);
    MemorySegment pinned =
        MemorySegment.ofAddress(gpu.out("cuMemHostAlloc", 64L, 0)).reinterpret(64);
    assertThat(storeFromOne(pinned.address(), 6)).isEqualTo(Result.SUCCESS);
    assertThat(pinned.get(JAVA_INT, 0)).isEqualTo(6);
    gpu.expect(
        Result.HOST_MEMORY_ALREADY_REGISTERED, "cuMemHostRegister_v2", pinned.address(), 64L, 0);
  }

  @Test
  void wrongUsesHaveTheirCodes() {
    gpu.use(0);
    gpu.expect(Result.INVALID_VALUE, "cuCtxEnablePeerAccess", gpu.contexts[1], 1);
    gpu.expect(Result.INVALID_CONTEXT, "cuCtxEnablePeerAccess", gpu.contexts[0], 0);
    gpu.expect(Result.INVALID_CONTEXT, "cuCtxEnablePeerAccess", 55, 0);
    gpu.expect(Result.PEER_ACCESS_NOT_ENABLED, "cuCtxDisablePeerAccess", gpu.contexts[1]);
    gpu.ok("cuCtxEnablePeerAccess", gpu.contexts[1], 0);
    gpu.expect(Result.PEER_ACCESS_ALREADY_ENABLED, "cuCtxEnablePeerAccess", gpu.contexts[1], 0);
    long second = gpu.out("cuCtxCreate_v4", 0, 0, 0);
    gpu.expect(Result.PEER_ACCESS_UNSUPPORTED, "cuCtxEnablePeerAccess", gpu.contexts[0], 0);
    gpu.ok("cuCtxDestroy_v2", second);
    MemorySegment can = gpu.arena().allocate(4);
    gpu.ok("cuDeviceCanAccessPeer", can, 0, 1);
    assertThat(can.get(JAVA_INT, 0)).isEqualTo(1);
    gpu.ok("cuDeviceCanAccessPeer", can, 1, 1);
    assertThat(can.get(JAVA_INT, 0)).isZero();
    gpu.ok("cuDeviceGetP2PAttribute", can, 2, 0, 1);
    assertThat(can.get(JAVA_INT, 0)).isEqualTo(1);
    gpu.expect(Result.INVALID_DEVICE, "cuDeviceGetP2PAttribute", can, 2, 1, 1);
    gpu.expect(Result.INVALID_VALUE, "cuDeviceGetP2PAttribute", can, 99, 0, 1);
  }

  @Test
  void aLaunchStaysOnOneDevice() {
    long memory = gpu.filled(0, 4, 1);
    long function = kernel(0);
    gpu.use(1);
    assertThat(Result.of(launch(function, 0, memory, 2))).isEqualTo(Result.INVALID_HANDLE);
    long elsewhere = gpu.out("cuStreamCreate", 1);
    gpu.use(0);
    assertThat(Result.of(launch(function, elsewhere, memory, 2))).isEqualTo(Result.INVALID_HANDLE);
  }

  @Test
  void streamsWaitForEventsOfOtherDevices() {
    long from = gpu.filled(0, 4, 1);
    long to = gpu.filled(1, 4, 0);
    gpu.use(0);
    MemorySegment gate = MemorySegment.ofAddress(gpu.out("cuMemHostAlloc", 4L, 0)).reinterpret(4);
    gate.set(JAVA_INT, 0, 0);
    long first = gpu.out("cuStreamCreate", 1);
    long event = gpu.out("cuEventCreate", 2);
    gpu.ok("cuStreamWaitValue32_v2", first, gate.address(), 1, 1);
    gpu.ok("cuMemsetD32Async", from, 3, 4L, first);
    gpu.ok("cuEventRecord", event, first);
    gpu.use(1);
    long second = gpu.out("cuStreamCreate", 1);
    gpu.ok("cuStreamWaitEvent", second, event, 0);
    gpu.ok("cuMemcpyPeerAsync", to, gpu.contexts[1], from, gpu.contexts[0], 16L, second);
    gpu.expect(Result.NOT_READY, "cuStreamQuery", second);
    gate.set(JAVA_INT, 0, 1);
    gpu.ok("cuStreamSynchronize", second);
    assertThat(gpu.read(to, 4)).containsOnly(3);
  }

  private MemorySegment properties(int device) {
    MemorySegment prop = CUmemAllocationProp.allocate(gpu.arena());
    CUmemAllocationProp.type(prop, 1);
    CUmemAllocationProp.location(prop, location(device));
    return prop;
  }

  private static final long PAGE = 2L << 20;

  private int accessOf(int device, long address) {
    MemorySegment flags = gpu.arena().allocate(8);
    gpu.ok("cuMemGetAccess", flags, location(device), address);
    return Math.toIntExact(flags.get(JAVA_LONG, 0));
  }

  @Test
  void aKernelThatCouldAccessMappedMemoryCannotOnceOnlyAnotherDeviceCan() {
    long function = kernel(0);
    long own = gpu.out("cuMemCreate", PAGE, properties(0), 0L);
    long range = gpu.out("cuMemAddressReserve", PAGE, 0L, 0L, 0L);
    gpu.ok("cuMemMap", range, PAGE, 0L, own, 0L);
    gpu.ok("cuMemSetAccess", range, PAGE, access(0, 3), 1L);
    gpu.ok("cuMemSetAccess", range, PAGE, access(1, 3), 1L);
    assertThat(launch(function, 0, range, 7)).isZero();
    gpu.ok("cuCtxSynchronize");
    gpu.ok("cuMemSetAccess", range, PAGE, access(0, 0), 1L);
    assertThat(launch(function, 0, range, 8)).isZero();
    gpu.expect(Result.ILLEGAL_ADDRESS, "cuCtxSynchronize");
  }

  @Test
  void mappedMemoryIsAccessibleForWhomItSays() {
    gpu.use(0);
    long own = gpu.out("cuMemCreate", PAGE, properties(0), 0L);
    long range = gpu.out("cuMemAddressReserve", PAGE, 0L, 0L, 0L);
    gpu.ok("cuMemMap", range, PAGE, 0L, own, 0L);
    gpu.ok("cuMemSetAccess", range, PAGE, access(0, 3), 1L);
    assertThat(accessOf(0, range)).isEqualTo(3);
    assertThat(accessOf(1, range)).isZero();
    gpu.ok("cuMemsetD32_v2", range, 1, 4L);
    gpu.ok("cuCtxSynchronize");
    gpu.ok("cuMemSetAccess", range, PAGE, access(1, 3), 1L);
    assertThat(accessOf(0, range)).isEqualTo(3);
    assertThat(accessOf(1, range)).isEqualTo(3);
    assertThat(storeFromOne(range, 4)).isEqualTo(Result.SUCCESS);
    gpu.use(0);
    assertThat(gpu.read(range, 2)).containsExactly(4, 1);

    gpu.ok("cuMemSetAccess", range, PAGE, access(1, 0), 1L);
    assertThat(accessOf(1, range)).isZero();
    // Access between contexts says nothing about mapped memory.
    gpu.use(1);
    gpu.ok("cuCtxEnablePeerAccess", gpu.contexts[0], 0);
    assertThat(storeFromOne(range, 5)).isEqualTo(Result.ILLEGAL_ADDRESS);
    gpu.use(0);
    assertThat(gpu.read(range, 2)).containsExactly(4, 1);
  }

  @Test
  void mappedMemoryMayBeForAnotherDeviceOnly() {
    gpu.use(0);
    long own = gpu.out("cuMemCreate", PAGE, properties(0), 0L);
    long range = gpu.out("cuMemAddressReserve", PAGE, 0L, 0L, 0L);
    gpu.ok("cuMemMap", range, PAGE, 0L, own, 0L);
    gpu.ok("cuMemSetAccess", range, PAGE, access(1, 3), 1L);
    assertThat(accessOf(0, range)).isZero();
    assertThat(storeFromOne(range, 4)).isEqualTo(Result.SUCCESS);
    long function = kernel(0);
    assertThat(launch(function, 0, range, 5)).isZero();
    gpu.expect(Result.ILLEGAL_ADDRESS, "cuCtxSynchronize");
  }

  @Test
  void aNewMappingIsAccessibleForNobody() {
    gpu.use(0);
    long own = gpu.out("cuMemCreate", PAGE, properties(0), 0L);
    long range = gpu.out("cuMemAddressReserve", PAGE, 0L, 0L, 0L);
    gpu.ok("cuMemMap", range, PAGE, 0L, own, 0L);
    gpu.ok("cuMemSetAccess", range, PAGE, access(1, 3), 1L);
    gpu.ok("cuMemUnmap", range, PAGE);
    gpu.ok("cuMemMap", range, PAGE, 0L, own, 0L);
    assertThat(accessOf(1, range)).isZero();
    assertThat(storeFromOne(range, 4)).isEqualTo(Result.ILLEGAL_ADDRESS);
  }

  @Test
  void mappedMemoryIsMappedOnItsDevice() {
    gpu.use(1);
    long other = gpu.out("cuMemCreate", PAGE, properties(0), 0L);
    long own = gpu.out("cuMemCreate", PAGE, properties(1), 0L);
    long range = gpu.out("cuMemAddressReserve", PAGE, 0L, 0L, 0L);
    gpu.expect(Result.NOT_SUPPORTED, "cuMemMap", range, PAGE, 0L, other, 0L);
    gpu.ok("cuMemMap", range, PAGE, 0L, own, 0L);
    gpu.expect(Result.NOT_SUPPORTED, "cuMemSetAccess", range, PAGE, access(0, 1), 1L);
    gpu.expect(Result.INVALID_VALUE, "cuMemSetAccess", range, PAGE, access(0, 2), 1L);
    gpu.expect(Result.INVALID_DEVICE, "cuMemSetAccess", range, PAGE, access(2, 3), 1L);
    gpu.ok("cuMemSetAccess", range, PAGE, access(1, 3), 1L);
    MemorySegment told = CUmemAllocationProp.allocate(gpu.arena());
    gpu.ok("cuMemGetAllocationPropertiesFromHandle", told, own);
    assertThat(CUmemLocation.id(CUmemAllocationProp.location(told))).isEqualTo(1);
    gpu.ok("cuMemUnmap", range, PAGE);
    gpu.ok("cuMemRelease", own);
    gpu.ok("cuMemRelease", other);
    gpu.ok("cuMemAddressFree", range, PAGE);
  }

  /** Memory of a graph on device 0, which a replay leaves allocated. */
  private long graphMemory(MemorySegment descriptors, long count) {
    gpu.use(0);
    MemorySegment p = CUDA_MEM_ALLOC_NODE_PARAMS.allocate(gpu.arena());
    MemorySegment props = CUDA_MEM_ALLOC_NODE_PARAMS.poolProps(p);
    CUmemPoolProps.allocType(props, 1);
    CUmemPoolProps.location(props, location(0));
    CUDA_MEM_ALLOC_NODE_PARAMS.bytesize(p, 64);
    CUDA_MEM_ALLOC_NODE_PARAMS.accessDescs(p, descriptors);
    CUDA_MEM_ALLOC_NODE_PARAMS.accessDescCount(p, count);
    long graph = gpu.out("cuGraphCreate", 0);
    gpu.out("cuGraphAddMemAllocNode", graph, 0, 0L, p);
    gpu.ok("cuGraphLaunch", gpu.out("cuGraphInstantiateWithFlags", graph, 0L), 0);
    gpu.ok("cuCtxSynchronize");
    return CUDA_MEM_ALLOC_NODE_PARAMS.dptr(p);
  }

  @Test
  void memoryOfAGraphIsAccessibleForWhomItsNodeSays() {
    long shared = graphMemory(access(1, 3), 1);
    assertThat(storeFromOne(shared, 6)).isEqualTo(Result.SUCCESS);
    gpu.use(0);
    assertThat(gpu.read(shared, 1)).containsExactly(6);
    long own = graphMemory(MemorySegment.NULL, 0);
    assertThat(storeFromOne(own, 6)).isEqualTo(Result.ILLEGAL_ADDRESS);
  }

  @Test
  void capturedAllocationsAreAccessibleAsTheirPoolWas() {
    gpu.use(0);
    long pool = gpu.out("cuDeviceGetDefaultMemPool", 0);
    gpu.ok("cuMemPoolSetAccess", pool, access(1, 3), 1L);
    long stream = gpu.out("cuStreamCreate", 1);
    gpu.ok("cuStreamBeginCapture_v2", stream, 0);
    long memory = gpu.out("cuMemAllocFromPoolAsync", 64L, pool, stream);
    MemorySegment captured = gpu.arena().allocate(8);
    gpu.ok("cuStreamEndCapture", stream, captured);
    long graph = captured.get(JAVA_LONG, 0);
    gpu.ok("cuMemPoolSetAccess", pool, access(1, 0), 1L);
    gpu.ok("cuGraphLaunch", gpu.out("cuGraphInstantiateWithFlags", graph, 0L), stream);
    gpu.ok("cuStreamSynchronize", stream);
    assertThat(storeFromOne(memory, 6)).isEqualTo(Result.SUCCESS);
  }

  @Test
  void settingsThatCannotBeAreRefusedByName() {
    assertThatThrownBy(() -> settings(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("REPRISE_SOFTGPU_DEVICES must be 1 to 16, not 0");
    assertThat(settings(16).devices()).isEqualTo(16);
  }

  private static SoftwareGpuSettings settings(int devices) {
    return new SoftwareGpuSettings(
        1 << 20,
        1,
        false,
        FaultPlan.NONE,
        SanitizerOptions.DEFAULT,
        devices,
        SimulationOptions.OFF);
  }
}
