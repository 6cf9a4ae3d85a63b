package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.softgpu.memory.Allocation;
import dev.reprise.softgpu.ptx.PtxException;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Code that is decoded once for all loads of one text. */
class CodeCacheTest {
  private static final String HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n";

  private final Device device = new Device(1);
  private final CodeCache cache = new CodeCache(device.memory, 1000);

  @AfterEach
  void close() {
    device.close();
  }

  /** Adds a number to the word at the pointer. */
  private static String adding(int number, String comment) {
    return HEAD
        + "// "
        + comment
        + "\n.visible .entry k(.param .u64 out) {\n"
        + ".reg .u64 %p; .reg .u32 %x;\n"
        + "ld.param.u64 %p, [out]; ld.global.u32 %x, [%p];\n"
        + "add.u32 %x, %x, "
        + number
        + "; st.global.u32 [%p], %x; ret; }\n";
  }

  private static KernelCode kernel(LoadedModule module) {
    return Objects.requireNonNull(module.kernel("k"));
  }

  private void run(LoadedModule module, Allocation out) {
    device.launch(kernel(module), 1, 1, out.base());
  }

  @Test
  void theSameTextIsDecodedOnce() {
    LoadedModule first = cache.load(adding(3, ""));
    LoadedModule second = cache.load(adding(3, ""));
    assertThat(kernel(second).program()).isSameAs(kernel(first).program());
    assertThat(kernel(second)).isNotSameAs(kernel(first));
    Allocation out = device.of(10);
    run(first, out);
    first.unload();
    run(second, out);
    assertThat(Device.ints(out)).containsExactly(16);
  }

  @Test
  void anotherTextIsDecodedForItself() {
    Allocation out = device.of(10);
    run(cache.load(adding(3, "")), out);
    run(cache.load(adding(4, "")), out);
    assertThat(Device.ints(out)).containsExactly(17);
  }

  @Test
  void eachLoadHasVariablesOfItsOwn() {
    String counting =
        HEAD
            + ".global .u32 count = 5;\n.visible .entry k(.param .u64 out) {\n"
            + ".reg .u64 %p; .reg .u32 %x;\n"
            + "ld.param.u64 %p, [out]; ld.global.u32 %x, [count]; add.u32 %x, %x, 1;\n"
            + "st.global.u32 [count], %x; st.global.u32 [%p], %x; ret; }\n";
    Allocation out = device.of(0);
    LoadedModule first = cache.load(counting);
    run(first, out);
    run(first, out);
    assertThat(Device.ints(out)).containsExactly(7);
    LoadedModule second = cache.load(counting);
    run(second, out);
    assertThat(Device.ints(out)).containsExactly(6);
  }

  @Test
  void functionsOfEachLoadHaveAddressesOfTheirOwn() {
    String text =
        HEAD
            + ".func (.param .b32 r) f() { .reg .u32 %x; mov.u32 %x, 1; st.param.b32 [r], %x; ret; }\n"
            + ".visible .entry k(.param .u64 out) {\n.reg .u64 %p, %a;\n"
            + "ld.param.u64 %p, [out]; mov.u64 %a, f; st.global.u64 [%p], %a; ret; }\n";
    Allocation first = device.of(0L);
    Allocation second = device.of(0L);
    run(cache.load(text), first);
    run(cache.load(text), second);
    assertThat(Device.longs(second)[0]).isNotZero().isNotEqualTo(Device.longs(first)[0]);
  }

  @Test
  void memoryThatWasFreedIsNotFoundByCodeThatIsKept() {
    Allocation out = device.of(10);
    run(cache.load(adding(3, "")), out);
    long gone = out.base();
    device.memory.free(out);
    assertThatThrownBy(() -> device.launch(kernel(cache.load(adding(3, ""))), 1, 1, gone))
        .isInstanceOfSatisfying(
            DeviceFault.class,
            e -> assertThat(e.cudaError()).isEqualTo(DeviceFault.ILLEGAL_ADDRESS));
  }

  @Test
  void whatWasUsedLongestAgoGoesFirst() {
    String[] texts = {
      adding(1, "-".repeat(200)), adding(2, "-".repeat(200)), adding(3, "-".repeat(200))
    };
    assertThat(2 * texts[0].length()).isLessThan(1000);
    assertThat(3 * texts[0].length()).isGreaterThan(1000);
    LoadedModule first = cache.load(texts[0]);
    LoadedModule second = cache.load(texts[1]);
    cache.load(texts[0]);
    cache.load(texts[2]);
    assertThat(kernel(cache.load(texts[0])).program()).isSameAs(kernel(first).program());
    assertThat(kernel(cache.load(texts[1])).program()).isNotSameAs(kernel(second).program());
  }

  @Test
  void aTextThatIsTooLongIsNotKept() {
    String text = adding(1, "-".repeat(1000));
    LoadedModule first = cache.load(text);
    assertThat(kernel(cache.load(text)).program()).isNotSameAs(kernel(first).program());
  }

  @Test
  void aTextThatIsRefusedIsRefusedAgain() {
    String text = adding(1, "").replace("add.u32", "add.u33");
    assertThatThrownBy(() -> cache.load(text)).isInstanceOf(PtxException.class);
    assertThatThrownBy(() -> cache.load(text)).isInstanceOf(PtxException.class);
  }

  @Test
  void anEngineKeepsWhatItLoads() {
    LoadedModule first = device.engine.load(adding(3, ""));
    assertThat(kernel(device.engine.load(adding(3, ""))).program())
        .isSameAs(kernel(first).program());
  }
}
