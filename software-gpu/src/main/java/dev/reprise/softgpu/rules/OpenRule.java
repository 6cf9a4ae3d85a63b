package dev.reprise.softgpu.rules;

/**
 * A question that CUDA's documentation leaves open, with two answers. The first is what the
 * software GPU does by itself: the one under which fewer programs run that may fail on a GPU, or
 * where both are as safe the one that is seen on devices.
 */
public enum OpenRule {

  /** A call on the legacy stream while a blocking stream captures, besides its code 906. */
  LEGACY_CALL("legacy-call", "invalidates", "harmless"),

  /** Work on the legacy stream of a thread that a capture forbids unsafe calls. */
  LEGACY_WORK("legacy-work", "allowed", "refused"),

  /** The code of {@code cuStreamAddCallback} on a stream that captures. */
  CALLBACK("callback", "900", "801"),

  /** Destroying a stream that captures. */
  STREAM_DESTROY("stream-destroy", "refused", "ends"),

  /** Launching a graph into a stream that captures. */
  GRAPH_LAUNCH("graph-launch", "child", "refused"),

  /** Loading or unloading a module where a capture forbids unsafe calls. */
  MODULE_LOAD("module-load", "unsafe", "allowed"),

  /** The code that {@code trap} leaves a context with. */
  TRAP("trap", "719", "715"),

  /** A context that is made after another one was poisoned. */
  CONTEXT_AFTER_FAULT("context-after-fault", "healthy", "poisoned");

  private final String setting;
  private final String first;
  private final String second;

  OpenRule(String setting, String first, String second) {
    this.setting = setting;
    this.first = first;
    this.second = second;
  }

  /** How settings name it. */
  public String setting() {
    return setting;
  }

  /** The answer that holds unless another is chosen. */
  public String first() {
    return first;
  }

  /** The other answer. */
  public String second() {
    return second;
  }
}
