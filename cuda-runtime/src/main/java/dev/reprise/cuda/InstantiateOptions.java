package dev.reprise.cuda;

import org.jspecify.annotations.Nullable;

/**
 * How a graph is instantiated ({@code CUgraphInstantiate_flags}).
 *
 * @param autoFreeOnLaunch memory that the graph allocates and does not free is freed before the
 *     next replay, in the order of its stream
 * @param useNodePriority kernels run at the priority of their node instead of the stream's
 * @param uploadOn uploads the graph to the device as part of the call, in the order of this stream;
 *     null for none
 */
public record InstantiateOptions(
    boolean autoFreeOnLaunch, boolean useNodePriority, @Nullable Stream uploadOn) {

  /** No options. */
  public static InstantiateOptions standard() {
    return new InstantiateOptions(false, false, null);
  }

  /** The same with memory that was not freed being freed before the next replay. */
  public InstantiateOptions withAutoFreeOnLaunch() {
    return new InstantiateOptions(true, useNodePriority, uploadOn);
  }

  /** The same with priorities of nodes. */
  public InstantiateOptions withNodePriority() {
    return new InstantiateOptions(autoFreeOnLaunch, true, uploadOn);
  }

  /** The same with an upload. */
  public InstantiateOptions withUploadOn(Stream stream) {
    return new InstantiateOptions(autoFreeOnLaunch, useNodePriority, stream);
  }
}
