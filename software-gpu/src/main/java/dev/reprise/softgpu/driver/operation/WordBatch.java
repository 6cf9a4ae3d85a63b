package dev.reprise.softgpu.driver.operation;

import dev.reprise.softgpu.driver.queue.AccessSink;
import java.util.List;
import java.util.stream.Collectors;

/** Memory operations that run one after the other, as one entry of a stream or one node. */
public record WordBatch(List<WordOperation> operations) implements Operation {

  @Override
  public NodeType type() {
    return NodeType.BATCH_MEM_OP;
  }

  @Override
  public String describe() {
    return operations.stream().map(WordOperation::describe).collect(Collectors.joining(", "));
  }

  /** True when the other has as many operations of the same types, as updates need. */
  public boolean sameTypes(WordBatch other) {
    return operations.stream()
        .map(WordOperation::code)
        .toList()
        .equals(other.operations.stream().map(WordOperation::code).toList());
  }

  @Override
  public void accesses(AccessSink sink) {
    operations.forEach(operation -> operation.accesses(sink));
  }

  @Override
  public boolean ready() {
    return operations.isEmpty() || operations.getFirst().ready();
  }

  @Override
  public boolean mayWait() {
    return operations.stream().skip(1).anyMatch(ValueWait.class::isInstance);
  }

  @Override
  public void run() {
    operations.forEach(WordOperation::run);
  }
}
