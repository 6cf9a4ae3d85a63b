package dev.reprise.softgpu.driver.sanitizer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What is released is kept up to a limit, and that there was more is known. */
class BlockClocksTest {

  private static final MemoryOrder BOTH = new MemoryOrder(true, true, true);

  private final Released released = new Released(2);
  private final BlockClocks block = new BlockClocks(0, new BlockClocks.Time(), released);

  private void release(long address) {
    long[] addresses = new long[32];
    addresses[3] = address;
    block.release(1, BOTH, 1 << 3, addresses);
  }

  @Test
  void keepsWhatIsReleasedAtSoManyAddresses() {
    release(8);
    release(16);
    release(8);
    assertThat(released.get(8)).isNotNull();
    assertThat(released.get(16)).isNotNull();
    assertThat(block.incomplete()).isFalse();
  }

  @Test
  void knowsThatThereWereMore() {
    release(8);
    release(16);
    release(24);
    assertThat(released.get(24)).isNull();
    assertThat(block.incomplete()).isTrue();
  }
}
