package dev.reprise.graph.input;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.Stream;
import dev.reprise.graph.kv.BlockMemory;
import dev.reprise.graph.kv.KvBlockAllocator;
import dev.reprise.graph.kv.KvBlocks;
import dev.reprise.graph.kv.KvLayout;
import dev.reprise.graph.kv.KvSequence;
import dev.reprise.graph.toy.Toy;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Block tables on the device: what is uploaded of them, and what their tails hold. */
class BlockTableTest {

  @RegisterExtension static final Toy TOY = new Toy();

  private static final int BLOCK = 16;
  private static final int ENTRIES = 6;

  private final KvBlocks blocks = new KvBlocks(new KvLayout(1, 1, 32, BLOCK), 20, BlockMemory.NONE);

  private KvSequence sequence(int count) {
    KvSequence sequence = blocks.newSequence("a sequence of " + count);
    sequence.reserve(0, count * BLOCK);
    return sequence;
  }

  private static int[] wanted(KvSequence sequence) {
    int[] ids = new int[ENTRIES];
    for (int i = 0; i < sequence.blockCount(); i++) {
      ids[i] = KvBlockAllocator.id(sequence.block(i));
    }
    return ids;
  }

  private static int[] onDevice(StaticInputs inputs, Stream stream, int table) {
    int[] all = new int[2 * ENTRIES];
    stream.read(inputs.buffer(), inputs.blockTables().entries().offset(), all);
    return Arrays.copyOfRange(all, table * ENTRIES, (table + 1) * ENTRIES);
  }

  @Test
  void theTailBehindAShorterSequenceNamesTheNullBlock() {
    try (Stream stream = TOY.device().createStream("tables");
        StaticInputs inputs = new StaticInputs(TOY.device(), 2, 2, ENTRIES)) {
      KvSequence other = sequence(2);
      inputs.setBlockTable(0, other);
      inputs.setBlockTable(1, sequence(5));
      inputs.upload(stream);
      KvSequence shorter = sequence(2);
      inputs.setBlockTable(1, shorter);
      inputs.upload(stream);
      assertThat(onDevice(inputs, stream, 1)).isEqualTo(wanted(shorter)).endsWith(0, 0, 0, 0);
      assertThat(onDevice(inputs, stream, 0)).isEqualTo(wanted(other));
    }
  }

  /** Each is another call of the driver, which costs more than some bytes. */
  @Test
  void newEntriesOfTablesThatLieCloseAreOneCopyAndOthersAreNot() {
    int far = 4096;
    for (int entries : new int[] {ENTRIES, far}) {
      try (Stream stream = TOY.device().createStream("tables");
          StaticInputs inputs = new StaticInputs(TOY.device(), 2, 2, entries)) {
        List<KvSequence> both = List.of(sequence(1), sequence(1));
        inputs.setBlockTable(0, both.getFirst());
        inputs.setBlockTable(1, both.getLast());
        inputs.upload(stream);
        for (int table = 0; table < 2; table++) {
          both.get(table).reserve(BLOCK);
          inputs.extendBlockTable(table, both.get(table));
        }
        assertThat(inputs.upload(stream) / Integer.BYTES)
            .as("entries from the one to the other, or two")
            .isEqualTo(entries == far ? 2 : entries + 1);
        int[] all = new int[2 * entries];
        stream.read(inputs.buffer(), inputs.blockTables().entries().offset(), all);
        for (int table = 0; table < 2; table++) {
          int[] own = Arrays.copyOfRange(all, table * entries, table * entries + ENTRIES);
          assertThat(own).isEqualTo(wanted(both.get(table)));
        }
        both.forEach(KvSequence::close);
      }
    }
  }

  @Test
  void ofATableThatGrowsOnlyTheNewEntryIsUploaded() {
    try (Stream stream = TOY.device().createStream("tables");
        StaticInputs inputs = new StaticInputs(TOY.device(), 2, 2, ENTRIES)) {
      KvSequence growing = sequence(3);
      inputs.setBlockTable(1, growing);
      inputs.upload(stream);
      growing.reserve(3 * BLOCK);
      inputs.extendBlockTable(1, growing);
      assertThat(inputs.upload(stream)).isEqualTo(Integer.BYTES);
      assertThat(onDevice(inputs, stream, 1)).isEqualTo(wanted(growing));
      inputs.setBlockTable(1, growing);
      assertThat(inputs.upload(stream)).isZero();
    }
  }
}
