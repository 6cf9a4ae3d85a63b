package dev.reprise.graph.decode;

import dev.reprise.cuda.CapturedPointer;
import dev.reprise.graph.input.RowInput;
import dev.reprise.graph.input.StaticInputs;
import dev.reprise.kernels.Span;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Names for what the memory of steps holds, by address. */
final class MemoryNames {

  private record Named(String name, long address, long bytes) {}

  private final TreeMap<Long, Named> byAddress = new TreeMap<>();

  MemoryNames(StepMemory memory) {
    inputs("inputs", memory.inputs);
    inputs("prompt inputs", memory.prefillInputs);
    for (int layer = 0; layer < memory.kv.layout().layers(); layer++) {
      add("keys of layer " + layer, memory.kv.keys(layer));
      add("values of layer " + layer, memory.kv.values(layer));
    }
    memory.workspace.names().forEach(name -> add("workspace " + name, memory.workspace.span(name)));
    add("logits", memory.outputs.logitsSpan());
    for (int slot = 0; slot < memory.outputs.slots(); slot++) {
      add("sampled of slot " + slot, memory.outputs.sampled(slot));
      add("status of slot " + slot, memory.outputs.status(slot));
    }
    add("token history", memory.history.span());
  }

  private void inputs(String whose, StaticInputs inputs) {
    for (RowInput input : RowInput.values()) {
      String name = input.name().toLowerCase(Locale.ROOT).replace('_', ' ');
      add(whose + " " + name, inputs.span(input));
    }
    add(whose + " block tables", inputs.blockTables().entries());
  }

  private void add(String name, Span span) {
    byAddress.put(span.address(), new Named(name, span.address(), span.bytes()));
  }

  /** {@code <name>}, or the label of the buffer, and the bytes from its start if there are any. */
  String of(CapturedPointer pointer) {
    long address = pointer.region().address() + pointer.offset();
    Map.Entry<Long, Named> entry = byAddress.floorEntry(address);
    if (entry != null && address < entry.getKey() + entry.getValue().bytes()) {
      return place(entry.getValue().name(), address - entry.getKey());
    }
    return place(pointer.region().label(), pointer.offset());
  }

  private static String place(String name, long offset) {
    return offset == 0 ? "<" + name + ">" : "<%s+0x%x>".formatted(name, offset);
  }
}
