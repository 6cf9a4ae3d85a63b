package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Attributes of streams, and what launches take over. */
class StreamAttributeTest extends DriverTest {

  private static final int SYNCHRONIZATION_POLICY = 3;
  private static final int PRIORITY = 8;
  private static final int SYNC_DOMAIN = 10;
  private static final int VALUE_BYTES = 64;

  private MemorySegment value(int number) {
    MemorySegment value = arena().allocate(VALUE_BYTES);
    value.set(JAVA_INT, 0, number);
    return value;
  }

  private int get(MemorySegment stream, int attribute) {
    MemorySegment out = arena().allocate(VALUE_BYTES);
    ok(cuda_h.cuStreamGetAttribute(stream, attribute, out));
    return out.get(JAVA_INT, 0);
  }

  @Test
  void isKept() {
    MemorySegment stream = stream();
    assertThat(get(stream, SYNC_DOMAIN)).isZero();
    ok(cuda_h.cuStreamSetAttribute(stream, SYNC_DOMAIN, value(1)));
    assertThat(get(stream, SYNC_DOMAIN)).isEqualTo(1);
    assertThat(get(stream, SYNCHRONIZATION_POLICY)).isZero();
  }

  @Test
  void thePriorityIsOneOfThem() {
    MemorySegment stream = out(slot -> cuda_h.cuStreamCreateWithPriority(slot, 1, -3));
    assertThat(get(stream, PRIORITY)).isEqualTo(-3);
    ok(cuda_h.cuStreamSetAttribute(stream, PRIORITY, value(-2)));
    assertThat(outInt(slot -> cuda_h.cuStreamGetPriority(stream, slot))).isEqualTo(-2);
    expect(Result.INVALID_VALUE, cuda_h.cuStreamSetAttribute(stream, PRIORITY, value(1)));
    expect(Result.INVALID_VALUE, cuda_h.cuStreamSetAttribute(stream, PRIORITY, value(-99)));
    assertThat(get(stream, PRIORITY)).isEqualTo(-2);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2, 4, 7, 99, -1})
  void whatStreamsDoNotHaveIsRefused(int attribute) {
    MemorySegment stream = stream();
    expect(Result.INVALID_VALUE, cuda_h.cuStreamSetAttribute(stream, attribute, value(0)));
    expect(Result.INVALID_VALUE, cuda_h.cuStreamGetAttribute(stream, attribute, value(0)));
  }

  @Test
  void capturedLaunchesTakeThemOver() {
    MemorySegment kernel = kernel(probe(), "nothing");
    MemorySegment stream = stream();
    ok(cuda_h.cuStreamSetAttribute(stream, SYNC_DOMAIN, value(1)));
    ok(cuda_h.cuStreamSetAttribute(stream, SYNCHRONIZATION_POLICY, value(2)));
    begin(stream, THREAD_LOCAL);
    launch(kernel, 1, 1, stream);
    MemorySegment node = nodes(end(stream)).getFirst();
    MemorySegment out = arena().allocate(VALUE_BYTES);
    ok(cuda_h.cuGraphKernelNodeGetAttribute(node, SYNC_DOMAIN, out));
    assertThat(out.get(JAVA_INT, 0)).isEqualTo(1);
  }

  @Test
  void areCopiedWithinAContext() {
    MemorySegment from = out(slot -> cuda_h.cuStreamCreateWithPriority(slot, 1, -1));
    ok(cuda_h.cuStreamSetAttribute(from, SYNC_DOMAIN, value(1)));
    MemorySegment to = stream();
    ok(cuda_h.cuStreamCopyAttributes(to, from));
    assertThat(get(to, SYNC_DOMAIN)).isEqualTo(1);
    assertThat(get(to, PRIORITY)).isEqualTo(-1);
    MemorySegment other = out(slot -> cuda_h.cuCtxCreate_v4(slot, MemorySegment.NULL, 0, 0));
    MemorySegment foreign = stream();
    expect(Result.INVALID_VALUE, cuda_h.cuStreamCopyAttributes(foreign, from));
    ok(cuda_h.cuCtxDestroy_v2(other));
  }

  @Test
  void noStreamBelongsToAGreenContext() {
    MemorySegment stream = stream();
    MemorySegment green = arena().allocateFrom(JAVA_INT, 1, 1);
    assertThat(out(slot -> cuda_h.cuStreamGetCtx_v2(stream, slot, green))).isEqualTo(context());
    assertThat(green.toArray(JAVA_INT)).containsOnly(0);
    assertThat(out(slot -> cuda_h.cuStreamGetGreenCtx(stream, slot))).isEqualTo(MemorySegment.NULL);
  }
}
